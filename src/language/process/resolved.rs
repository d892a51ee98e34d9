//! `chase` and `deter`: one refinement of a process in which nondeterminism is resolved.
//!
//! The choice depends on the order of the transitions, so these functions distinguish the values of every type
//! (Def. 23.2; the paper names both in its Sec. 5.1).

use super::observation::Observation;
use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use crate::script::core::Builtin;
use crate::source::Kind;
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// τs followed at once. A longer chain goes on from a state in its middle, by a τ of its own.
const CHAIN_MAX: usize = 1_000;

/// `chase(P)`: in a state with τs, the first of them is taken at once, and nothing else may happen
/// there (Roscoe, *The Theory and Practice of Concurrency*, Ch. 15; *Understanding Concurrent
/// Systems*, Ch. 16). So it has no τ, except where `P` diverges: it diverges there too.
///
/// `deter(P)` chases, and keeps the first transition of every event only: a deterministic refinement
/// of `P` (ibid., on how FDR decides whether a process is deterministic).
pub(super) fn resolved(how: Builtin, p: Term, s: &mut RuleContext<'_>) -> Result<Steps> {
    resolve(how, p, &mut s.seeing(Observation::Order))
}

fn resolve(how: Builtin, p: Term, s: &mut RuleContext<'_>) -> Result<Steps> {
    // The process itself may have τs: `around` looks ahead, but nobody looked before the first state.
    let p = chased(how, p, s)?;
    let mut taken: Set<Label> = Set::default();
    let mut steps = Vec::new();
    for (label, next) in s.transitions(p)? {
        match label {
            // There is a τ after chasing: the process diverges, or the chain was too long.
            Label::Tau => return Ok(vec![(label, around(how, next, s)?)]),
            Label::Tick | Label::Done => steps.push((label, s.omega())),
            // In the order of transitions: the first of an event is the one that is kept.
            Label::Event(_) if how != Builtin::Deter || taken.insert(label) => {
                steps.push((label, around(how, next, s)?));
            }
            Label::Event(_) => {}
        }
    }
    Ok(steps)
}

/// The operator around what follows: around the state that it is chased to, so that states that are
/// chased to the same are one. Looking ahead ends where it meets itself, as in
/// `P = a -> (chase(P) ||| Q)`; then the operator stands around what follows as it is.
fn around(how: Builtin, p: Term, s: &mut RuleContext<'_>) -> Result<Term> {
    let mut end = p;
    if !s.is_looking_ahead() {
        match chased(how, p, &mut s.ahead()) {
            Ok(state) => end = state,
            // A recursion without an event: looking ahead may meet it too early.
            Err(error) if error.kind == Kind::Endless => {}
            Err(error) => return Err(error),
        }
    }
    Ok(s.make(TermData::Resolved(how, end)))
}

/// Follows first τs until there is none, or until a state comes again, or for long enough.
fn chased(how: Builtin, p: Term, s: &mut RuleContext<'_>) -> Result<Term> {
    let mut at = p;
    let mut passed: Set<Term> = Set::default();
    while passed.len() < CHAIN_MAX {
        // Chasing what is chased is chasing it once.
        while let TermData::Resolved(inner, p) = s.stores().0.data(at)
            && *inner == how
        {
            at = *p;
        }
        // A cycle: the process diverges, and any state of it shows that.
        if !passed.insert(at) {
            break;
        }
        let steps = s.transitions(at)?;
        match steps.iter().find(|(label, _)| *label == Label::Tau) {
            Some((_, next)) => at = *next,
            None => break,
        }
    }
    Ok(at)
}
