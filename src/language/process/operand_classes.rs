//! Strongly bisimilar states of the operands of a process, found before the process as a whole is explored.
//!
//! Compression is inductive: a composition of parts has as many states as the product of theirs, so it pays to merge
//! equal states of the parts first. Strong bisimilarity is a congruence of every operator that is descended through
//! here, and all compressions preserve it, so two states with bisimilar parts may count as one.
//!
//! # Why no operand is replaced
//!
//! An exploration in which operands were replaced by members of their classes would reach combinations that the
//! process itself never reaches, and names of compressed states are shown to users. So the process itself is
//! explored, and its states are only *compared* by [`OperandClasses::key`]: the first state with a key represents
//! all others. A key is a term that is neither stepped nor shown.
//!
//! # What it costs
//!
//! An operand by itself may reach many more states than within the process, infinitely many, or an error. So there
//! is one bound on all of this work, and an operand that is not explored within it is left alone.

use super::compressions::SeenTerm;
use super::observation::Observation;
use super::parts::{TermPart, map_parts, operands};
use super::rule_context::RuleContext;
use super::term::{Label, Term, TermData};
use crate::lts::{Builder, Partition, bisimulation};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map};
use crate::source::stack::deep;

/// Calls that may be made for each state: what a function takes in a state that the process never comes to is not known.
const CALLS_A_STATE: u64 = 100;
/// Transitions that cost as much as a state.
const TRANSITIONS_A_STATE: usize = 8;

/// The classes of bisimilar states of operands.
#[derive(Debug, Default)]
pub(super) struct OperandClasses {
    /// The first bisimilar state, for each state that has an earlier one.
    first: Map<SeenTerm, Term>,
    /// Keys of terms that were asked for.
    keys: Map<SeenTerm, Term>,
}

impl OperandClasses {
    /// Compares the states of the operands of a process, exploring at most so many.
    ///
    /// # Errors
    /// A limit that ended the comparison.
    pub(super) fn of(process: Term, states: usize, s: &mut RuleContext<'_>) -> Result<Self> {
        let seen = s.observation();
        let mut found = Operands::default();
        found.collect((seen, process), true, s);
        let mut classes = Self::default();
        let mut left = states;
        let Operands {
            parts,
            compositions,
        } = found;
        // All parts at once: states of one may be bisimilar to those of another.
        classes.compare(parts.into_iter(), &mut left, s)?;
        for composition in compositions {
            classes.compare(std::iter::once(composition), &mut left, s)?;
        }
        Ok(classes)
    }

    /// Whether no two states were found to be bisimilar.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// A term that is the same for states that are bisimilar since their operands are.
    pub(super) fn key(&mut self, t: Term, s: &mut RuleContext<'_>) -> Term {
        let seen = s.observation();
        self.key_seen((seen, t), s)
    }

    fn key_seen(&mut self, (seen, t): SeenTerm, s: &mut RuleContext<'_>) -> Term {
        if let Some(key) = self.keys.get(&(seen, t)) {
            return *key;
        }
        let data = s.stores().0.data(t).clone();
        let mut key = t;
        if is_congruent(&data) {
            let below = seen_below(seen, &data);
            deep(|| {
                for operand in operands(&data) {
                    self.key_seen((below, operand), s);
                }
            });
            let keyed = map_parts(&data, &mut |part| match part {
                TermPart::Term(t) => TermPart::Term(*self.keys.get(&(below, t)).unwrap_or(&t)),
                value @ TermPart::Value(_) => value,
            });
            key = s.make(keyed);
        }
        let key = self.first.get(&(seen, key)).copied().unwrap_or(key);
        self.keys.insert((seen, t), key);
        key
    }

    /// Explores operands and notes which of their states are bisimilar.
    fn compare(
        &mut self,
        of: impl Iterator<Item = SeenTerm>,
        left: &mut usize,
        s: &mut RuleContext<'_>,
    ) -> Result<()> {
        let mut explored = ExploredOperands::default();
        for operand in of {
            // Half of what is left, so that a large one leaves something to those after it.
            let most = *left / 2;
            let spent = explored.add(operand, most, self, s)?;
            *left -= spent.min(*left);
        }
        explored.merge(&mut self.first, s)?;
        // Keys of operands were made without what is known now.
        self.keys.clear();
        Ok(())
    }
}

/// Whether bisimilar operands make bisimilar processes, and all operands are processes. Without `_`: that has to be known
/// of each operator.
fn is_congruent(data: &TermData) -> bool {
    match data {
        TermData::ExtChoice(_)
        | TermData::IntChoice(_)
        | TermData::Interleave(_)
        | TermData::Sharing(..)
        | TermData::SyncChoice(..)
        | TermData::SyncInterrupt(..)
        | TermData::Alphabetised(_)
        | TermData::Link(..)
        | TermData::Seq(..)
        | TermData::Interrupt(..)
        | TermData::Sliding(..)
        | TermData::Exception(..)
        | TermData::Hide { .. }
        | TermData::Rename(..)
        | TermData::Prioritise(..)
        | TermData::PrioritisePo { .. } => true,
        // These go by the order of transitions, or their operands are names of states.
        TermData::Resolved(..)
        | TermData::Compressed { .. }
        | TermData::Part { .. }
        | TermData::Watchdog { .. } => false,
        // A loop is one process in all of its states; the others have no operands.
        TermData::Loop(_)
        | TermData::Call { .. }
        | TermData::Omega
        | TermData::Ended
        | TermData::Stop
        | TermData::Skip
        | TermData::Div
        | TermData::Chaos(_)
        | TermData::Run(_)
        | TermData::Buffer { .. } => false,
    }
}

/// The observation of the operands of a term, from that of the term.
fn seen_below(seen: Observation, data: &TermData) -> Observation {
    match data {
        TermData::Prioritise(..) | TermData::PrioritisePo { .. } => seen.max(Observation::States),
        _ => seen,
    }
}

/// The operands that run from the beginning.
#[derive(Default)]
struct Operands {
    /// Operands without parallel operands.
    parts: IndexSet<SeenTerm>,
    /// Compositions of them, each after what it is made of.
    compositions: IndexSet<SeenTerm>,
}

impl Operands {
    /// Adds the operands of a term, and the term itself if it is the operand of a composition.
    fn collect(&mut self, (seen, t): SeenTerm, is_whole: bool, s: &mut RuleContext<'_>) {
        let data = s.stores().0.data(t).clone();
        let (inner, combines) = match data {
            TermData::Interleave(_)
            | TermData::Sharing(..)
            | TermData::Alphabetised(_)
            | TermData::Link(..)
            | TermData::Interrupt(..) => (operands(&data), true),
            TermData::Hide { process, .. }
            | TermData::Rename(process, _)
            | TermData::Seq(process, _)
            | TermData::Exception(process, ..)
            | TermData::Prioritise(process, _)
            | TermData::PrioritisePo { process, .. } => (vec![process], false),
            _ => {
                self.parts.insert((seen, t));
                return;
            }
        };
        let below = seen_below(seen, &data);
        for operand in inner {
            // Below operators with one operand alone it is enough to compare what these make of it.
            deep(|| self.collect((below, operand), !combines, s));
        }
        if !is_whole {
            self.compositions.insert((seen, t));
        }
    }
}

/// The reachable states of operands, each by itself.
#[derive(Default)]
struct ExploredOperands {
    /// By their keys, the states themselves.
    states: IndexMap<SeenTerm, Term>,
    labels: IndexSet<Label>,
    rows: Vec<Vec<(u32, u32)>>,
}

impl ExploredOperands {
    /// Explores an operand; nothing is left of it if that does not end within so many states, or fails. Gives what that
    /// took.
    fn add(
        &mut self,
        (seen, operand): SeenTerm,
        most: usize,
        classes: &mut OperandClasses,
        s: &mut RuleContext<'_>,
    ) -> Result<usize> {
        let from = self.states.len();
        let (mut has_ended, mut spent) = (false, 0);
        s.experiment(seen, CALLS_A_STATE * most as u64, &mut |s| {
            (has_ended, spent) = self.explore((seen, operand), most, classes, s);
        })?;
        if !has_ended {
            self.states.truncate(from);
            self.rows.truncate(from);
        }
        Ok(spent)
    }

    fn explore(
        &mut self,
        (seen, operand): SeenTerm,
        most: usize,
        classes: &mut OperandClasses,
        s: &mut RuleContext<'_>,
    ) -> (bool, usize) {
        let mut spent = 0;
        let key = classes.key_seen((seen, operand), s);
        self.states.entry((seen, key)).or_insert(operand);
        while let Some((_, state)) = self.states.get_index(self.rows.len()) {
            let state = *state;
            drop(s.set_aside());
            let Ok(steps) = s.transitions(state) else {
                return (false, spent);
            };
            spent += 1 + steps.len() / TRANSITIONS_A_STATE;
            let mut row = Vec::with_capacity(steps.len());
            for (label, to) in steps {
                let event = self.labels.insert_full(label).0 as u32;
                let key = classes.key_seen((seen, to), s);
                let entry = self.states.entry((seen, key));
                let at = entry.index() as u32;
                entry.or_insert(to);
                row.push((event, at));
            }
            self.rows.push(row);
            let waiting = self.states.len() - self.rows.len();
            if spent + waiting > most {
                return (false, spent);
            }
        }
        (true, spent)
    }

    /// Notes what is bisimilar.
    fn merge(self, first: &mut Map<SeenTerm, Term>, s: &mut RuleContext<'_>) -> Result<()> {
        let omega = s.omega();
        let mut system = Builder::default();
        for row in self.rows {
            system.push(row);
        }
        // What has terminated lets a composition terminate: it is not what merely can do nothing, nor are states alike of
        // which more or less is seen.
        let mut kinds: IndexSet<(Observation, bool)> = IndexSet::default();
        let states = self.states.keys();
        let class = states.map(|(seen, t)| kinds.insert_full((*seen, *t == omega)).0 as u32);
        let initial = Partition {
            class: class.collect(),
            count: kinds.len(),
        };
        let whole = omega;
        let classes = bisimulation(&system.finish(), &initial, &|size| s.allow(whole, 0, size))?;
        for members in classes.members() {
            let keys = members.iter().map(|m| self.states.get_index(*m as usize));
            let mut keys = keys.flatten().map(|(key, _)| *key);
            let Some((_, stands)) = keys.next() else {
                continue;
            };
            first.extend(keys.map(|key| (key, stands)));
        }
        Ok(())
    }
}
