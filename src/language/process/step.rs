//! The operational semantics: which rule tells the transitions of a term.
//!
//! # Termination
//!
//! Termination is distributed: an operand of a parallel composition terminates by itself, which the
//! others see as τ at most, and the composition performs ✓ once all of its operands have. In `P ; Q` the ✓ of `P`
//! becomes τ; external choice is resolved by ✓ as by a visible event. After ✓ a process is [`TermData::Omega`], without
//! transitions.
//!
//! ✓ is a signal, which the environment cannot refuse: if synchronisation could delay it, `(SKIP [] P) ||| STOP` could
//! never discard `P`. So a state that can terminate may refuse everything else, and its only acceptance is `{✓}`, in
//! every model that observes refusals. Then `P ; SKIP` equals `P`, as in Roscoe, *Understanding Concurrent Systems*.
//!
//! # Rules
//!
//! The rules are in files of their own, one function for each operator. They see operands only through a
//! [`RuleContext`], which calls back here.

use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use super::unfold::Unfold;
use super::{buffer, compress, operators, parallel, priority, resolved, watchdog};
use crate::source::diagnostic::Result;

/// The transitions of a term in a fixed order, each once.
///
/// # Errors
/// Errors of evaluation; a non-terminating recursion.
pub fn transitions(t: Term, u: &mut dyn Unfold) -> Result<Steps> {
    RuleContext::new(u, dispatch).transitions(t)
}

fn dispatch(t: Term, s: &mut RuleContext<'_>) -> Result<Steps> {
    // A copy, since a rule makes new terms while it looks at this one.
    let data = s.stores().0.data(t).clone();
    match &data {
        TermData::Call { control, env } => operators::call(*control, env, s),
        TermData::Omega | TermData::Ended | TermData::Stop => Ok(Vec::new()),
        TermData::Skip => Ok(vec![(Label::Tick, s.omega())]),
        // For ever the same state: that is what divergence is.
        TermData::Div => Ok(vec![(Label::Tau, t)]),
        TermData::Chaos(set) => operators::chaos(t, *set, s),
        TermData::Run(set) => operators::run(t, *set, s),
        TermData::ExtChoice(operands) => operators::external_choice(t, operands, s),
        TermData::IntChoice(operands) => Ok(operands.iter().map(|p| (Label::Tau, *p)).collect()),
        TermData::Seq(p, q) => operators::sequential(t, *p, *q, s),
        TermData::Interrupt(p, q) => operators::interrupt(t, (*p, *q), s),
        TermData::Sliding(p, q) => operators::sliding_choice(t, *p, *q, s),
        TermData::Exception(p, set, q) => operators::exception(t, *p, *set, *q, s),
        TermData::SyncChoice(operands, set) => parallel::synchronising_choice(t, operands, *set, s),
        TermData::SyncInterrupt(p, set, q) => parallel::synchronising_interrupt(t, *p, *set, *q, s),
        TermData::Interleave(operands) => parallel::interleave(t, operands, s),
        TermData::Sharing(set, operands) => parallel::generalised(t, *set, operands, s),
        TermData::Alphabetised(operands) => parallel::alphabetised(t, operands, s),
        TermData::Link(p, pairs, q) => parallel::linked(t, (*p, *pairs, *q), s),
        TermData::Hide { process, set, keep } => operators::hide(t, *process, *set, *keep, s),
        TermData::Rename(p, pairs) => operators::rename(t, *p, *pairs, s),
        // `loop(P)` is `P ; loop(P)`.
        TermData::Loop(p) => operators::sequential(t, *p, t, s),
        TermData::Prioritise(p, levels) => priority::prioritise(t, *p, *levels, s),
        TermData::PrioritisePo {
            process,
            order,
            below,
        } => priority::prioritise_partially(t, *process, *order, *below, s),
        TermData::Resolved(how, p) => resolved::resolved(*how, *p, s),
        TermData::Buffer { rule, held } => buffer::buffer(t, *rule, *held, s),
        TermData::Watchdog { spec, events, bark } => watchdog::watchdog(t, spec, *events, *bark, s),
        TermData::Compressed { with, process, .. } => compress::compressed(t, *with, *process, s),
        // A name is no state.
        TermData::Part { .. } => Ok(Vec::new()),
    }
}
