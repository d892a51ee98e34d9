//! The history: a forest of steps in which nothing is ever lost.
//!
//! Each root is an opened process. Undo goes to the parent, redo to the child that was left last; a step that was
//! taken before is found again instead of being recorded twice.

use std::collections::BTreeMap;

use super::transition::StateId;
use crate::report::runs::TakenStep;
use crate::report::words::EventKind;

mod recording;

/// A place in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryId(u32);

/// The origin of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A process was opened.
    Opened(String),
    /// A transition was taken.
    Step(TakenStep),
    /// The values of the state before were renamed by hand, as `(N0 N3)`: no step was taken.
    Renamed(String),
}

impl Origin {
    /// The part of the visible trace: a visible event, or the permutation where values were renamed by hand.
    #[must_use]
    pub fn visible(&self) -> Option<&str> {
        match self {
            // The event of a τ is the one that was hidden, which is not part of a trace.
            Self::Step(taken) if taken.kind != EventKind::Tau => Some(taken.event.as_str()),
            Self::Renamed(cycles) => Some(cycles.as_str()),
            _ => None,
        }
    }
}

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryNode {
    /// The state that the step led to.
    pub state: StateId,
    /// The entry before, unless this is a root.
    pub parent: Option<HistoryId>,
    /// The step or command that led to it.
    pub origin: Origin,
    /// The entries after, in order of creation.
    pub children: Vec<HistoryId>,
    /// The target of redo: the child that was left or taken last.
    redo: Option<HistoryId>,
    /// What became of it when a walk was replayed; none for a step that was taken since.
    pub replayed: Option<ReplayedStep>,
}

/// What became of a step of a walk that was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayedStep {
    /// Whether it led to another state than it did.
    pub differs: bool,
    /// The steps after it that are not possible any more.
    pub lost: Vec<String>,
}

/// The forest and the present place in it. There is always at least one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    nodes: Vec<HistoryNode>,
    current: HistoryId,
    /// Entries with a letter, to come back to.
    marks: BTreeMap<char, HistoryId>,
}

impl History {
    /// A history that starts with one process.
    #[must_use]
    pub fn new(process: &str, state: StateId) -> Self {
        let mut history = Self {
            nodes: Vec::new(),
            current: HistoryId(0),
            marks: BTreeMap::new(),
        };
        history.open(process, state);
        history
    }

    /// Goes to the root of a process, which is added unless it is there.
    pub fn open(&mut self, process: &str, state: StateId) {
        // A process that is opened again leads back to its earlier entries.
        let known = self.ids().find(|id| {
            let node = self.node(*id);
            node.state == state && matches!(&node.origin, Origin::Opened(name) if name == process)
        });
        self.current =
            known.unwrap_or_else(|| self.push(state, None, Origin::Opened(process.to_string())));
    }

    /// Takes a step from the present place.
    pub fn step(&mut self, taken: TakenStep, target: StateId) -> HistoryId {
        self.go_on(Origin::Step(taken), target)
    }

    fn go_on(&mut self, origin: Origin, target: StateId) -> HistoryId {
        let from = self.current;
        let known = self.node(from).children.iter().copied().find(|child| {
            let node = self.node(*child);
            node.state == target && node.origin == origin
        });
        let to = known.unwrap_or_else(|| {
            let to = self.push(target, Some(from), origin);
            self.nodes[from.0 as usize].children.push(to);
            to
        });
        // Also where the step was known: redo follows the branch that was taken last.
        self.nodes[from.0 as usize].redo = Some(to);
        self.current = to;
        to
    }

    /// Goes to the present state renamed by hand.
    pub fn rename(&mut self, cycles: &str, target: StateId) -> HistoryId {
        self.go_on(Origin::Renamed(cycles.to_owned()), target)
    }

    /// Whether an entry was reached by steps alone, without a renaming on the way.
    #[must_use]
    pub fn is_reached(&self, id: HistoryId) -> bool {
        let up = |id: &HistoryId| self.node(*id).parent;
        let mut way = std::iter::successors(Some(id), up);
        way.all(|id| !matches!(self.node(id).origin, Origin::Renamed(_)))
    }

    fn push(&mut self, state: StateId, parent: Option<HistoryId>, origin: Origin) -> HistoryId {
        let id = HistoryId(self.nodes.len() as u32);
        self.nodes.push(HistoryNode {
            state,
            parent,
            origin,
            children: Vec::new(),
            redo: None,
            replayed: None,
        });
        id
    }

    /// Goes back by at most `count` steps. Returns the number of those that were possible.
    pub fn undo(&mut self, count: usize) -> usize {
        let mut done = 0;
        while done < count
            && let Some(parent) = self.here().parent
        {
            // Redo takes the same way back, even if the person had come here by a jump.
            self.nodes[parent.0 as usize].redo = Some(self.current);
            self.current = parent;
            done += 1;
        }
        done
    }

    /// Goes forward again by at most `count` steps. Returns the number of those that were possible.
    pub fn redo(&mut self, count: usize) -> usize {
        let mut done = 0;
        while done < count
            && let Some(next) = self.here().redo
        {
            self.current = next;
            done += 1;
        }
        done
    }

    /// Goes to any entry; redo then leads from each of its ancestors to it.
    pub fn jump(&mut self, to: HistoryId) {
        // An entry of another history.
        if to.0 as usize >= self.nodes.len() {
            return;
        }
        self.current = to;
        let mut child = to;
        while let Some(parent) = self.node(child).parent {
            self.nodes[parent.0 as usize].redo = Some(child);
            child = parent;
        }
    }

    /// Goes to the end of the branch after the present one, in order of creation.
    pub fn next_branch(&mut self) {
        let leaves = self.leaves();
        // The present branch is the one that redo leads to the end of, so that it stays the same
        // while the person goes up and down along it.
        let end = self.line().last().copied().unwrap_or(self.current);
        let at = leaves.iter().position(|leaf| *leaf == end).unwrap_or(0);
        if let Some(leaf) = leaves.get((at + 1) % leaves.len().max(1)) {
            self.jump(*leaf);
        }
    }

    /// An entry of this history, by its number.
    #[must_use]
    pub fn node(&self, id: HistoryId) -> &HistoryNode {
        &self.nodes[id.0 as usize]
    }

    /// The entry of the present place.
    #[must_use]
    pub fn here(&self) -> &HistoryNode {
        self.node(self.current)
    }

    /// The number of the present place.
    #[must_use]
    pub fn current(&self) -> HistoryId {
        self.current
    }

    /// Every entry, in order of creation.
    pub fn ids(&self) -> impl Iterator<Item = HistoryId> + use<> {
        (0..self.nodes.len() as u32).map(HistoryId)
    }

    /// From the root to the present place.
    #[must_use]
    pub fn path(&self) -> Vec<HistoryId> {
        self.path_to(self.current)
    }

    /// From the root to an entry.
    #[must_use]
    pub fn path_to(&self, id: HistoryId) -> Vec<HistoryId> {
        let up = |id: &HistoryId| self.node(*id).parent;
        let mut path: Vec<_> = std::iter::successors(Some(id), up).collect();
        path.reverse();
        path
    }

    /// The states of the path, each with its origin.
    #[must_use]
    pub fn way(&self) -> Vec<(Origin, StateId)> {
        let nodes = self.path().into_iter().map(|id| self.node(id));
        nodes
            .map(|node| (node.origin.clone(), node.state))
            .collect()
    }

    /// The path, continued to where redo leads.
    #[must_use]
    pub fn line(&self) -> Vec<HistoryId> {
        let mut line = self.path();
        let down = |id: &HistoryId| self.node(*id).redo;
        line.extend(std::iter::successors(self.here().redo, down));
        line
    }

    /// Marks the present entry with a letter. Returns the entry that had it before.
    pub fn mark(&mut self, letter: char) -> Option<HistoryId> {
        self.marks.insert(letter, self.current)
    }

    /// The entry with a letter.
    #[must_use]
    pub fn marked(&self, letter: char) -> Option<HistoryId> {
        self.marks.get(&letter).copied()
    }

    /// Iterates over the letters and their entries, in the order of the letters.
    pub fn marks(&self) -> impl Iterator<Item = (char, HistoryId)> {
        self.marks.iter().map(|(letter, id)| (*letter, *id))
    }

    /// `'a 'b`: the letters of an entry.
    #[must_use]
    pub fn marks_text(&self, id: HistoryId) -> String {
        let here = self.marks().filter(|(_, of)| *of == id);
        let texts: Vec<_> = here.map(|(letter, _)| format!("'{letter}")).collect();
        texts.join(" ")
    }

    /// Number of steps from the root to an entry.
    #[must_use]
    pub fn step_of(&self, id: HistoryId) -> usize {
        let up = |id: &HistoryId| self.node(*id).parent;
        std::iter::successors(Some(id), up).count() - 1
    }

    /// The name of an entry for users: `'a (step 4)`, `step 4 of branch 2`, `step 0 of P`.
    #[must_use]
    pub fn place_text(&self, id: HistoryId) -> String {
        let mut step = format!("step {}", self.step_of(id));
        let process = self.process_of(id);
        if process != self.process() {
            step += &format!(" of {process}");
        } else if !self.line().contains(&id) {
            step += &format!(" of branch {}", self.branch_of(id));
        }
        match self.marks_text(id) {
            marks if marks.is_empty() => step,
            marks => format!("{marks} ({step})"),
        }
    }

    /// The number, from 1, of the first branch that an entry is on.
    fn branch_of(&self, id: HistoryId) -> usize {
        let down = |id: &HistoryId| self.node(*id).children.first().copied();
        let end = std::iter::successors(Some(id), down).last();
        let leaves = self.leaves();
        leaves.iter().position(|l| Some(*l) == end).unwrap_or(0) + 1
    }

    /// The process that the present line began with.
    #[must_use]
    pub fn process(&self) -> &str {
        self.process_of(self.current)
    }

    /// The process that led to an entry.
    #[must_use]
    pub fn process_of(&self, id: HistoryId) -> &str {
        let up = |id: &HistoryId| self.node(*id).parent;
        let root = std::iter::successors(Some(id), up).last().unwrap_or(id);
        match &self.node(root).origin {
            Origin::Opened(name) => name,
            // Does not happen: a root is made by `open` alone.
            Origin::Step(_) | Origin::Renamed(_) => "",
        }
    }

    /// Number of steps from the root.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.path().len() - 1
    }

    /// The ends of all branches, in order of creation.
    #[must_use]
    pub fn leaves(&self) -> Vec<HistoryId> {
        self.ids()
            .filter(|id| self.node(*id).children.is_empty())
            .collect()
    }

    /// The number, from 1, of the branch that the present line ends in.
    #[must_use]
    pub fn branch_number(&self) -> usize {
        let end = self.line().last().copied();
        let leaves = self.leaves();
        leaves.iter().position(|l| Some(*l) == end).unwrap_or(0) + 1
    }

    /// The visible events of the path. A permutation is listed where values were renamed by hand: the events after
    /// it do not continue those before.
    #[must_use]
    pub fn visible_trace(&self) -> Vec<&str> {
        self.path()
            .into_iter()
            .filter_map(|id| self.node(id).origin.visible())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(kind: EventKind, event: &str) -> TakenStep {
        TakenStep::new(kind, event, std::iter::empty())
    }

    #[derive(Clone, Debug)]
    enum Op {
        Step(u32),
        Undo(usize),
        Redo(usize),
        Jump(usize),
        Branch,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0u32..4).prop_map(Op::Step),
            2 => (0usize..5).prop_map(Op::Undo),
            2 => (0usize..5).prop_map(Op::Redo),
            1 => (0usize..40).prop_map(Op::Jump),
            1 => Just(Op::Branch),
        ]
    }

    fn apply(history: &mut History, op: &Op) {
        match op {
            Op::Step(n) => {
                history.step(
                    event(EventKind::Visible, &format!("e{n}")),
                    StateId::new(0, *n),
                );
            }
            Op::Undo(n) => {
                history.undo(*n);
            }
            Op::Redo(n) => {
                history.redo(*n);
            }
            Op::Jump(n) => {
                let all: Vec<_> = history.ids().collect();
                history.jump(all[n % all.len()]);
            }
            Op::Branch => history.next_branch(),
        }
    }

    fn grown(ops: &[Op]) -> History {
        let mut history = History::new("P", StateId::new(0, 9));
        for op in ops {
            apply(&mut history, op);
        }
        history
    }

    proptest! {
        #[test]
        fn undo_after_step_is_where_we_were(ops in prop::collection::vec(op(), 0..40), n in 0u32..4) {
            let mut history = grown(&ops);
            let before = history.current();
            history.step(event(EventKind::Tau, &format!("f{n}")), StateId::new(0, n));
            let after = history.current();
            prop_assert_eq!(history.undo(1), 1);
            prop_assert_eq!(history.current(), before);
            prop_assert_eq!(history.redo(1), 1);
            prop_assert_eq!(history.current(), after);
        }

        #[test]
        fn redo_undoes_undo(ops in prop::collection::vec(op(), 0..40), n in 0usize..6) {
            let mut history = grown(&ops);
            let before = history.current();
            let line = history.line();
            let done = history.undo(n);
            prop_assert_eq!(history.redo(done), done);
            prop_assert_eq!(history.current(), before);
            prop_assert_eq!(history.line(), line);
        }

        #[test]
        fn nothing_is_lost(ops in prop::collection::vec(op(), 0..60)) {
            let mut history = History::new("P", StateId::new(0, 9));
            for op in &ops {
                let before: Vec<_> = history.ids().collect();
                let states: Vec<_> = before.iter().map(|id| history.node(*id).state).collect();
                apply(&mut history, op);
                let kept: Vec<_> = before.iter().map(|id| history.node(*id).state).collect();
                prop_assert_eq!(states, kept);
                for id in history.ids() {
                    for child in &history.node(id).children {
                        prop_assert_eq!(history.node(*child).parent, Some(id));
                    }
                }
            }
        }

        #[test]
        fn every_entry_can_be_reached(ops in prop::collection::vec(op(), 0..40)) {
            let history = grown(&ops);
            for id in history.ids() {
                let mut walk = history.clone();
                walk.jump(id);
                prop_assert_eq!(walk.current(), id);
                let depth = walk.depth();
                prop_assert_eq!(walk.undo(usize::MAX), depth);
                walk.redo(depth);
                prop_assert_eq!(walk.current(), id);
            }
        }

        #[test]
        fn branches_are_all_visited(ops in prop::collection::vec(op(), 0..40)) {
            let mut history = grown(&ops);
            let leaves = history.leaves();
            let mut seen = Vec::new();
            for _ in 0..leaves.len() {
                history.next_branch();
                seen.push(history.current());
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, leaves);
        }
    }

    #[test]
    fn a_repeated_step_is_found_again() {
        let mut history = History::new("P", StateId::new(0, 0));
        let first = history.step(event(EventKind::Visible, "a"), StateId::new(0, 1));
        history.undo(1);
        assert_eq!(
            history.step(event(EventKind::Visible, "a"), StateId::new(0, 1)),
            first
        );
        assert_eq!(history.ids().count(), 2);
    }

    #[test]
    fn entries_are_named_by_mark_step_branch_and_process() {
        let mut history = History::new("P", StateId::new(0, 0));
        let first = history.step(event(EventKind::Visible, "a"), StateId::new(0, 1));
        assert_eq!(history.mark('m'), None);
        let second = history.step(event(EventKind::Visible, "b"), StateId::new(0, 2));
        assert_eq!(history.place_text(first), "'m (step 1)");
        assert_eq!(history.place_text(second), "step 2");
        history.undo(1);
        history.step(event(EventKind::Visible, "c"), StateId::new(0, 3));
        assert_eq!(history.place_text(second), "step 2 of branch 1");
        // A mark that moves is where it was set last, also in another process.
        history.open("Q", StateId::new(1, 0));
        assert_eq!(history.place_text(first), "'m (step 1 of P)");
        assert_eq!(history.mark('m'), Some(first));
        assert_eq!(history.marked('m'), Some(history.current()));
        assert_eq!(history.place_text(first), "step 1 of P");
        assert_eq!(history.marked('x'), None);
    }

    #[test]
    fn another_process_keeps_the_first() {
        let mut history = History::new("P", StateId::new(0, 0));
        history.step(event(EventKind::Visible, "a"), StateId::new(0, 1));
        history.open("Q", StateId::new(0, 5));
        assert_eq!(history.process(), "Q");
        assert_eq!(history.leaves().len(), 2);
        history.next_branch();
        assert_eq!(history.process(), "P");
        assert_eq!(history.visible_trace(), ["a"]);
    }
}
