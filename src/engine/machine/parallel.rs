//! Parallel compositions in a process term, which a network unrolls.

use crate::process::Terms;
use crate::process::parts::operands;
use crate::process::term::{Term, TermData};
use crate::source::stack::deep;

/// Operands of parallel operators within one component; more indicate unbounded growth.
pub const OPERANDS_MAX: usize = 512;

/// Whether a term is a parallel composition below hiding, renaming, priority and `chase` at most.
#[must_use]
pub fn is_parallel(terms: &Terms, term: Term) -> bool {
    match terms.data(term) {
        // The operands do not matter: they become components, or trees of them.
        data if is_composition(data) => true,
        TermData::Hide { process, .. } | TermData::Rename(process, _) => {
            deep(|| is_parallel(terms, *process))
        }
        TermData::Prioritise(process, _) | TermData::PrioritisePo { process, .. } => {
            terms.mentioned().priority_is_static() && deep(|| is_parallel(terms, *process))
        }
        TermData::Resolved(how, process) => {
            terms.mentioned().chase_is_static(*how) && deep(|| is_parallel(terms, *process))
        }
        _ => false,
    }
}

/// Whether a term has a parallel composition below operators that end, and hiding and renaming.
#[must_use]
pub fn is_parallel_for_now(terms: &Terms, term: Term) -> bool {
    let inner = |t: &Term| is_parallel(terms, *t) || is_parallel_for_now(terms, *t);
    deep(|| match terms.data(term) {
        TermData::Hide { process, .. } | TermData::Rename(process, _) => {
            is_parallel_for_now(terms, *process)
        }
        TermData::Seq(p, _) | TermData::Exception(p, ..) => inner(p),
        TermData::Interrupt(p, q) => inner(p) || inner(q),
        TermData::ExtChoice(parts) => parts.iter().any(inner),
        _ => false,
    })
}

/// The size of a term: the number of its operators and operands, and that of the operands of parallel
/// operators. Stops counting at `max`.
#[must_use]
pub fn size(terms: &Terms, term: Term, max: usize) -> (usize, usize) {
    let mut open = vec![term];
    let (mut all, mut parallel) = (0, 0);
    while let Some(term) = open.pop() {
        let data = terms.data(term);
        let operands = operands(data);
        all += 1;
        if is_composition(data) {
            parallel += operands.len();
        }
        if all >= max {
            break;
        }
        // A compressed process is explored by itself, once.
        if !matches!(data, TermData::Compressed { .. }) {
            open.extend(operands);
        }
    }
    (all, parallel)
}

fn is_composition(data: &TermData) -> bool {
    matches!(
        data,
        TermData::Interleave(_)
            | TermData::Sharing(..)
            | TermData::Alphabetised(_)
            | TermData::Link(..)
    )
}
