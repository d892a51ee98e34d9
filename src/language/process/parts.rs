//! The direct parts of a term: its values and its operands, and what is left without them. These are the
//! places besides the rules that know every operator.

use super::term::{Offered, Term, TermData};
use crate::value::Value;

/// A direct part of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermPart {
    Value(Value),
    Term(Term),
}

/// Replaces parts, each by one of its kind.
struct Replace<'a>(&'a mut dyn FnMut(TermPart) -> TermPart);

impl Replace<'_> {
    fn value(&mut self, v: Value) -> Value {
        match (self.0)(TermPart::Value(v)) {
            TermPart::Value(v) => v,
            TermPart::Term(_) => v,
        }
    }

    fn term(&mut self, t: Term) -> Term {
        match (self.0)(TermPart::Term(t)) {
            TermPart::Term(t) => t,
            TermPart::Value(_) => t,
        }
    }

    fn terms(&mut self, ts: &[Term]) -> Box<[Term]> {
        ts.iter().map(|t| self.term(*t)).collect()
    }
}

/// The same data with its direct parts replaced, in the order in which a person reads them. `f` keeps the
/// kind of a part.
///
/// It is long because it is one table of all operators: were it cut, the compiler would no longer see
/// that a new operator is missing.
pub(super) fn map_parts(data: &TermData, f: &mut dyn FnMut(TermPart) -> TermPart) -> TermData {
    let mut p = Replace(f);
    match data {
        TermData::ExtChoice(ts) => TermData::ExtChoice(p.terms(ts)),
        TermData::IntChoice(ts) => TermData::IntChoice(p.terms(ts)),
        TermData::Interleave(ts) => TermData::Interleave(p.terms(ts)),
        TermData::Sharing(v, ts) => TermData::Sharing(p.value(*v), p.terms(ts)),
        // In the text the set comes before the second operand: its atoms are numbered before those of all.
        TermData::SyncChoice(ts, v) => {
            let v = p.value(*v);
            TermData::SyncChoice(p.terms(ts), v)
        }
        TermData::Alphabetised(pairs) => {
            let pairs = pairs.iter();
            TermData::Alphabetised(pairs.map(|(v, t)| (p.value(*v), p.term(*t))).collect())
        }
        TermData::Seq(a, b) => TermData::Seq(p.term(*a), p.term(*b)),
        TermData::Interrupt(a, b) => TermData::Interrupt(p.term(*a), p.term(*b)),
        TermData::Sliding(a, b) => TermData::Sliding(p.term(*a), p.term(*b)),
        TermData::Exception(a, v, b) => TermData::Exception(p.term(*a), p.value(*v), p.term(*b)),
        TermData::SyncInterrupt(a, v, b) => {
            TermData::SyncInterrupt(p.term(*a), p.value(*v), p.term(*b))
        }
        TermData::Link(a, v, b) => TermData::Link(p.term(*a), p.value(*v), p.term(*b)),
        TermData::Hide { process, set, keep } => TermData::Hide {
            process: p.term(*process),
            set: p.value(*set),
            keep: *keep,
        },
        TermData::Rename(a, v) => TermData::Rename(p.term(*a), p.value(*v)),
        TermData::Loop(a) => TermData::Loop(p.term(*a)),
        TermData::Call { control, env } => TermData::Call {
            control: *control,
            env: env.iter().map(|v| p.value(*v)).collect(),
        },
        TermData::Chaos(v) => TermData::Chaos(p.value(*v)),
        TermData::Run(v) => TermData::Run(p.value(*v)),
        TermData::Compressed {
            with,
            process,
            state,
        } => TermData::Compressed {
            with: *with,
            process: p.term(*process),
            state: p.terms(state),
        },
        TermData::Part { members, offered } => TermData::Part {
            offered: match offered {
                Offered::Some(events, tick) => Offered::Some(p.value(*events), *tick),
                Offered::Full => Offered::Full,
            },
            members: p.terms(members),
        },
        TermData::Prioritise(a, v) => TermData::Prioritise(p.term(*a), p.value(*v)),
        TermData::PrioritisePo {
            process,
            order,
            below,
        } => TermData::PrioritisePo {
            process: p.term(*process),
            order: p.value(*order),
            below: p.value(*below),
        },
        TermData::Resolved(how, a) => TermData::Resolved(*how, p.term(*a)),
        TermData::Buffer { rule, held } => TermData::Buffer {
            rule: p.value(*rule),
            held: p.value(*held),
        },
        TermData::Watchdog { spec, events, bark } => TermData::Watchdog {
            events: p.value(*events),
            bark: p.value(*bark),
            spec: p.terms(spec),
        },
        TermData::Omega | TermData::Ended | TermData::Stop | TermData::Skip | TermData::Div => {
            data.clone()
        }
    }
}

/// The kind of an operator together with what is neither value nor operand.
pub(super) fn rank(data: &TermData) -> (u8, u32) {
    match data {
        TermData::Call { control, .. } => (0, control.0),
        TermData::Omega => (1, 0),
        TermData::Ended => (1, 1),
        TermData::Stop => (2, 0),
        TermData::Skip => (3, 0),
        TermData::Div => (4, 0),
        TermData::Chaos(_) => (5, 0),
        TermData::Run(_) => (6, 0),
        TermData::ExtChoice(_) => (7, 0),
        TermData::IntChoice(_) => (8, 0),
        TermData::Seq(..) => (9, 0),
        TermData::Interrupt(..) => (10, 0),
        TermData::Sliding(..) => (11, 0),
        TermData::Exception(..) => (12, 0),
        TermData::SyncChoice(..) => (13, 0),
        TermData::SyncInterrupt(..) => (14, 0),
        TermData::Interleave(_) => (15, 0),
        TermData::Sharing(..) => (16, 0),
        TermData::Alphabetised(_) => (17, 0),
        TermData::Link(..) => (18, 0),
        TermData::Hide { keep, .. } => (19, u32::from(*keep)),
        TermData::Rename(..) => (20, 0),
        TermData::Compressed { with, .. } => (21, *with as u32),
        TermData::Loop(_) => (22, 0),
        TermData::Prioritise(..) => (23, 0),
        TermData::PrioritisePo { .. } => (24, 0),
        TermData::Resolved(how, _) => (25, *how as u32),
        TermData::Buffer { .. } => (26, 0),
        TermData::Watchdog { .. } => (27, 0),
        TermData::Part { offered, .. } => (28, offered_rank(*offered)),
    }
}

fn offered_rank(part: Offered) -> u32 {
    match part {
        Offered::Full => 0,
        Offered::Some(_, tick) => 1 + u32::from(tick),
    }
}

/// The values directly in a term, in order.
///
/// Without `_`: the atoms of a value that is left out here would not be permuted.
#[must_use]
pub fn values(data: &TermData) -> Vec<Value> {
    match data {
        TermData::Call { env, .. } => env.to_vec(),
        TermData::Alphabetised(pairs) => pairs.iter().map(|p| p.0).collect(),
        TermData::Chaos(v)
        | TermData::Run(v)
        | TermData::Exception(_, v, _)
        | TermData::SyncChoice(_, v)
        | TermData::SyncInterrupt(_, v, _)
        | TermData::Sharing(v, _)
        | TermData::Link(_, v, _)
        | TermData::Hide { set: v, .. }
        | TermData::Rename(_, v)
        | TermData::Prioritise(_, v) => vec![*v],
        TermData::PrioritisePo { order, below, .. } => vec![*order, *below],
        TermData::Buffer { rule, held } => vec![*rule, *held],
        TermData::Watchdog { events, bark, .. } => vec![*events, *bark],
        TermData::Part {
            offered: Offered::Some(events, _),
            ..
        } => vec![*events],
        TermData::Omega
        | TermData::Ended
        | TermData::Stop
        | TermData::Skip
        | TermData::Div
        | TermData::ExtChoice(_)
        | TermData::IntChoice(_)
        | TermData::Seq(..)
        | TermData::Interrupt(..)
        | TermData::Sliding(..)
        | TermData::Interleave(_)
        | TermData::Compressed { .. }
        | TermData::Part {
            offered: Offered::Full,
            ..
        }
        | TermData::Loop(_)
        | TermData::Resolved(..) => Vec::new(),
    }
}

/// The operands of a term, in order.
///
/// Without `_`, as above.
#[must_use]
pub fn operands(data: &TermData) -> Vec<Term> {
    match data {
        TermData::ExtChoice(ts)
        | TermData::IntChoice(ts)
        | TermData::Interleave(ts)
        | TermData::Sharing(_, ts)
        | TermData::SyncChoice(ts, _)
        | TermData::Watchdog { spec: ts, .. }
        | TermData::Part { members: ts, .. } => ts.to_vec(),
        TermData::Compressed { process, state, .. } => {
            std::iter::once(process).chain(state).copied().collect()
        }
        TermData::Alphabetised(pairs) => pairs.iter().map(|p| p.1).collect(),
        TermData::Seq(p, q)
        | TermData::Interrupt(p, q)
        | TermData::Sliding(p, q)
        | TermData::Exception(p, _, q)
        | TermData::SyncInterrupt(p, _, q)
        | TermData::Link(p, _, q) => vec![*p, *q],
        TermData::Hide { process, .. }
        | TermData::Rename(process, _)
        | TermData::Loop(process)
        | TermData::Prioritise(process, _)
        | TermData::PrioritisePo { process, .. }
        | TermData::Resolved(_, process) => vec![*process],
        TermData::Call { .. }
        | TermData::Omega
        | TermData::Ended
        | TermData::Stop
        | TermData::Skip
        | TermData::Div
        | TermData::Chaos(_)
        | TermData::Run(_)
        | TermData::Buffer { .. } => Vec::new(),
    }
}
