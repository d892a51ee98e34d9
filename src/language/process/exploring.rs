//! All that a process reaches, explored to be compressed.

use super::operand_classes::OperandClasses;
use super::rule_context::RuleContext;
use super::term::{Label, Term};
use crate::lts::{Builder, Lts};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Set};
use crate::source::thousands::thousands;

/// Words of four bytes that a state takes as a term, with all tables, roughly.
const WORDS_A_STATE: usize = 60;

/// States that are explored on trial before it may be given up.
const TRIED: usize = 100_000;
/// The fraction of the states (one in so many) that may then be unexpanded; with more, the process is far from
/// explored.
const WAITING_PART: usize = 4;

/// Factor by which the number of states grows until the operands are compared again.
const AGAIN_AFTER: usize = 4;

/// The explored states of a process.
pub(super) struct ExploredProcess {
    pub(super) lts: Lts,
    /// The state of the process for each state of `lts`; of bisimilar ones the first that was found.
    pub(super) states: IndexSet<Term>,
    pub(super) labels: Vec<Label>,
}

/// Explores all that a process reaches for the compression `t`; where a limit ends that, the error says how far it was.
/// States that are bisimilar since their operands are count as one if `merging`.
pub(super) fn explore(
    t: Term,
    p: Term,
    merging: bool,
    s: &mut RuleContext<'_>,
) -> Result<ExploredProcess> {
    let look_at = match merging {
        true => s.stores().0.compressions.merge_after,
        false => usize::MAX,
    };
    let mut exploration = ProcessExploration {
        process: p,
        // τ and ✓ have fixed numbers (`crate::lts`).
        labels: [Label::Tau, Label::Tick].into_iter().collect(),
        states: [(p, p)].into_iter().collect(),
        builder: Builder::default(),
        next: 0,
        look_at,
        classes: OperandClasses::default(),
    };
    if let Err(error) = exploration.go_through(t, s) {
        let (done, all) = (exploration.next, exploration.states.len());
        let work = format!("exploring a process to compress it ({done} of {all} states so far)");
        return Err(Box::new(error.during(&work, None)));
    }
    Ok(ExploredProcess {
        lts: exploration.builder.finish(),
        states: exploration.states.into_values().collect(),
        labels: exploration.labels.into_iter().collect(),
    })
}

/// An exploration under way.
struct ProcessExploration {
    process: Term,
    /// The states, by what they are compared by.
    states: IndexMap<Term, Term>,
    labels: IndexSet<Label>,
    builder: Builder,
    /// The first state that was not explored.
    next: usize,
    /// With how many states the operands are looked at.
    look_at: usize,
    classes: OperandClasses,
}

impl ProcessExploration {
    /// Explores all that is reached from the first state.
    fn go_through(&mut self, t: Term, s: &mut RuleContext<'_>) -> Result<()> {
        let mut row = Vec::new();
        while let Some((_, p)) = self.states.get_index(self.next) {
            let p = *p;
            // Each state anew: what comes later is no recursion of what came before.
            drop(s.set_aside());
            for (label, to) in s.transitions(p)? {
                let event = self.labels.insert_full(label).0 as u32;
                row.push((event, self.number(to, s)));
            }
            self.builder.push(row.drain(..));
            self.next += 1;
            if self.next.is_multiple_of(256) {
                self.look_at_limits(t, s)?;
            }
            if self.states.len() >= self.look_at {
                self.merge_operands(s)?;
            }
        }
        Ok(())
    }

    /// The number of a state, or of the first one with its key.
    fn number(&mut self, t: Term, s: &mut RuleContext<'_>) -> u32 {
        let key = match self.classes.is_empty() {
            true => t,
            false => self.classes.key(t, s),
        };
        let entry = self.states.entry(key);
        let number = entry.index() as u32;
        entry.or_insert(t);
        number
    }

    /// Looks which states of operands are bisimilar, with as much work as was done so far, and begins anew with these
    /// merged if that leaves out a quarter of the states.
    fn merge_operands(&mut self, s: &mut RuleContext<'_>) -> Result<()> {
        self.look_at = self.look_at.saturating_mul(AGAIN_AFTER);
        let mut classes = OperandClasses::of(self.process, self.next, s)?;
        if classes.is_empty() {
            return Ok(());
        }
        let mut keys: Set<Term> = Set::default();
        for state in self.states.values() {
            keys.insert(classes.key(*state, s));
        }
        if 4 * keys.len() > 3 * self.states.len() {
            return Ok(());
        }
        let first = classes.key(self.process, s);
        self.classes = classes;
        self.states = [(first, self.process)].into_iter().collect();
        self.builder = Builder::default();
        self.next = 0;
        Ok(())
    }

    fn look_at_limits(&self, t: Term, s: &mut RuleContext<'_>) -> Result<()> {
        let count = self.states.len();
        let words = self.builder.steps() * 2 + count * WORDS_A_STATE;
        s.allow(t, count, words)?;
        let patience = s.stores().0.compressions.patience;
        if patience.is_some_and(|most| count > most) {
            return Err(too_many_names(count));
        }
        if count >= TRIED && count - self.next > count / WAITING_PART {
            // On trial this is the limit.
            let on_trial = s.stores().0.compressions.on_trial;
            s.allow(t, if on_trial { usize::MAX } else { 0 }, words)?;
        }
        Ok(())
    }
}

/// Why a reduction is given up where a compressed process has many states.
fn too_many_names(count: usize) -> Box<Diagnostic> {
    let count = thousands(count);
    Box::new(Diagnostic::nowhere(
        "E0514",
        format!(
            "the reduction was given up after {count} states of a process that is compressed: permutations keep them apart by \
             their values, which may take more work than no reduction"
        ),
    ))
}
