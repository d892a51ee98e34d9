//! `chase` and `deter`: one refinement of a process in which nondeterminism is resolved.
//!
//! Which one depends on the order of the transitions, so these tell the values of every type apart
//! (Def. 23.2; the paper names both in its Sec. 5.1).

use super::step::{Steps, Unfold, make, omega, transitions};
use super::term::{Label, Term, TermData};
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// τs followed at once. A longer chain goes on from a state in its middle, by a τ of its own.
const CHAIN_MAX: usize = 10_000;

/// `chase(P)`: in a state with τs, the first of them is taken at once, and nothing else may happen
/// there (Roscoe, *Understanding Concurrent Systems*, Sec. 16.1.3; *The Theory and Practice of
/// Concurrency*, Sec. C.2). So it has no τ, except where `P` diverges: it diverges there too.
///
/// `deter(P)` chases, and keeps the first transition of every label only: the deterministic
/// refinement that FDR's check of determinism compares a process with (ibid., Sec. 3.3).
pub(super) fn resolved(how: Builtin, p: Term, u: &mut dyn Unfold) -> Result<Steps> {
    let p = chased(p, u)?;
    let mut taken: Set<Label> = Set::default();
    let mut steps = Vec::new();
    for (label, next) in transitions(p, u)? {
        match label {
            Label::Tau => return Ok(vec![(label, around(how, next, u)?)]),
            Label::Tick => steps.push((label, omega(u))),
            Label::Event(_) if how != Builtin::Deter || taken.insert(label) => {
                steps.push((label, around(how, next, u)?));
            }
            Label::Event(_) => {}
        }
    }
    Ok(steps)
}

/// The operator around the state that a process is chased to.
fn around(how: Builtin, p: Term, u: &mut dyn Unfold) -> Result<Term> {
    let p = chased(p, u)?;
    Ok(make(u, TermData::Resolved(how, p)))
}

/// Follows first τs until there is none, or until a state comes again, or for long enough.
fn chased(p: Term, u: &mut dyn Unfold) -> Result<Term> {
    let mut at = p;
    let mut passed: Set<Term> = Set::default();
    while passed.len() < CHAIN_MAX && passed.insert(at) {
        let steps = transitions(at, u)?;
        match steps.iter().find(|(label, _)| *label == Label::Tau) {
            Some((_, next)) => at = *next,
            None => break,
        }
    }
    Ok(at)
}
