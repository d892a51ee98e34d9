//! A cache of compressed processes, and of transitions of operands that are likely to recur.

use std::rc::Rc;

use super::observation::Observation;
use super::term::{Label, Steps, Term};
use crate::lts::Lts;
use crate::source::Diagnostic;
use crate::source::hash::{IndexSet, Map, Set};

/// A term, and what is seen of it.
pub(super) type SeenTerm = (Observation, Term);

/// A compressed process.
#[derive(Debug)]
pub(super) struct CompressedProcess {
    pub(super) lts: Lts,
    pub(super) labels: Vec<Label>,
    /// The terms of its states; the first is the process as a whole.
    pub(super) states: IndexSet<Term>,
}

/// The state of the compression of a process.
pub(super) enum Compressing {
    /// It was compressed.
    Done(Rc<CompressedProcess>),
    /// It could not be explored within the limits.
    Failed(Box<Diagnostic>),
    /// It needs itself in order to be explored. It is not compressed.
    Recursive,
    /// It is being explored.
    Open,
    /// Nothing.
    New,
}

/// The compressed processes.
#[derive(Clone, Debug)]
pub(super) struct Compressions {
    /// By the compressed process, its atoms numbered by first occurrence.
    graphs: Map<SeenTerm, Rc<CompressedProcess>>,
    /// The processes under exploration, nested.
    open: Vec<SeenTerm>,
    recursive: Set<SeenTerm>,
    failed: Map<SeenTerm, Box<Diagnostic>>,
    /// Whether what grows fast is to be given up.
    pub(super) on_trial: bool,
    /// States of one process that are worth exploring where permutations name them.
    pub(super) patience: Option<usize>,
    /// Whether operands are explored that may not be needed: then nothing new is compressed.
    pub(super) trying: bool,
    /// States of a process that are explored before those of its operands are compared.
    pub(super) merge_after: usize,
    /// Transitions of operands: more of them while something is explored.
    operands: Map<SeenTerm, Rc<Steps>>,
    /// The number of these transitions.
    kept_steps: usize,
}

/// Operands whose transitions are kept.
const OPERANDS_MAX: usize = 1 << 14;
/// Transitions of operands that are kept while something is explored: some 100 MB.
const KEPT_STEPS_MAX: usize = 1 << 22;
/// The memory of an operand besides its transitions, in transitions.
const KEPT_BESIDE: usize = 6;

/// States of a process that are explored before those of its operands are compared: a few milliseconds.
const MERGE_AFTER: usize = 1_024;

impl Default for Compressions {
    fn default() -> Self {
        Self {
            graphs: Map::default(),
            open: Vec::new(),
            recursive: Set::default(),
            failed: Map::default(),
            on_trial: false,
            patience: None,
            trying: false,
            merge_after: MERGE_AFTER,
            operands: Map::default(),
            kept_steps: 0,
        }
    }
}

impl Compressions {
    /// To be called when limits are others: what failed for the old ones may succeed.
    pub(super) fn forget_stopped(&mut self) {
        self.failed.clear();
        self.open.clear();
    }

    /// The state of the compression of a process.
    pub(super) fn progress(&self, key: SeenTerm) -> Compressing {
        // In this order: what was found to be recursive is still being explored at that time.
        if let Some(graph) = self.graphs.get(&key) {
            Compressing::Done(Rc::clone(graph))
        } else if let Some(error) = self.failed.get(&key) {
            Compressing::Failed(error.clone())
        } else if self.recursive.contains(&key) {
            Compressing::Recursive
        } else if self.open.contains(&key) {
            Compressing::Open
        } else {
            Compressing::New
        }
    }

    /// Begins to explore a process.
    pub(super) fn begin(&mut self, key: SeenTerm) {
        self.open.push(key);
    }

    /// Ends what was begun last.
    pub(super) fn end(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            // What was explored is in a graph now, and its parts will hardly be asked for again.
            self.operands = Map::default();
            self.kept_steps = 0;
        }
    }

    pub(super) fn keep(&mut self, key: SeenTerm, graph: Rc<CompressedProcess>) {
        self.graphs.insert(key, graph);
    }

    pub(super) fn note_recursive(&mut self, key: SeenTerm) {
        self.recursive.insert(key);
    }

    pub(super) fn note_failed(&mut self, key: SeenTerm, error: Box<Diagnostic>) {
        self.failed.insert(key, error);
    }

    /// The transitions of an operand, if they are kept.
    pub(super) fn operand(&self, key: SeenTerm) -> Option<Rc<Steps>> {
        self.operands.get(&key).map(Rc::clone)
    }

    /// Whether all states of some process are gone through.
    pub(super) fn is_exploring(&self) -> bool {
        !self.open.is_empty()
    }

    /// Keeps the transitions of an operand.
    pub(super) fn keep_operand(&mut self, key: SeenTerm, steps: Rc<Steps>) {
        // What is explored is looked at again and again; other operands are few as a rule.
        let is_full = match self.is_exploring() {
            true => self.kept_steps >= KEPT_STEPS_MAX,
            false => self.operands.len() >= OPERANDS_MAX,
        };
        if is_full {
            self.operands.clear();
            self.kept_steps = 0;
        }
        // An operand takes more than its transitions.
        self.kept_steps += steps.len() + KEPT_BESIDE;
        self.operands.insert(key, steps);
    }
}
