//! Ready rows: the answers of a component to the events that others lead.
//!
//! For each rule whose leader can move, the other participants are asked whether they can. That is the most frequent
//! query of a search, so each local state has a row with an answer for each event that its component may be
//! asked for.

use super::events::EventId;
use super::ids::LocalId;
use super::locals::Locals;
use crate::source::hash::IndexSet;

/// Answers kept at most: 8 MB.
const ANSWERS_MAX: usize = 1 << 20;

/// Index of a row of answers, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyRow(u32);

impl ReadyRow {
    /// No row: each answer has to be looked up.
    pub(super) const NONE: Self = Self(u32::MAX);
}

/// The rows of all components.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    /// For each component, the events that it may be asked for.
    asked: Vec<IndexSet<EventId>>,
    /// For each participant of a rule, the column of its event.
    columns: Vec<u32>,
    /// Ranges in the arena of [`Locals`], row by row.
    answers: Vec<(u32, u32)>,
}

impl Ready {
    /// Empty tables for this many components.
    pub(super) fn new(components: usize) -> Self {
        Self {
            asked: vec![IndexSet::default(); components],
            ..Self::default()
        }
    }

    /// Adds the participants of a rule, whose leader is not asked.
    pub(super) fn add(&mut self, parts: &[(u16, EventId)], leader: Option<(u16, EventId)>) {
        for part in parts {
            let column = match Some(*part) == leader {
                true => 0,
                false => self.asked[usize::from(part.0)].insert_full(part.1).0,
            };
            self.columns.push(column as u32);
        }
    }

    /// Makes the row of an expanded local state of a component.
    pub(super) fn build(&mut self, component: usize, local: LocalId, locals: &Locals) -> ReadyRow {
        let asked = &self.asked[component];
        let from = self.answers.len();
        if from + asked.len() > ANSWERS_MAX {
            return ReadyRow::NONE;
        }
        let answers = asked.iter().map(|event| locals.range_on(local, *event));
        self.answers.extend(answers);
        ReadyRow(from as u32)
    }

    /// The columns of participants: a range of those of all rules.
    #[inline]
    pub(super) fn columns(&self, (from, to): (u32, u32)) -> &[u32] {
        &self.columns[from as usize..to as usize]
    }

    /// Whether a component is known to refuse, in the local state with that row.
    #[inline]
    pub(super) fn refuses(&self, row: ReadyRow, column: u32) -> bool {
        let answer = self.answers.get(row.0.wrapping_add(column) as usize);
        row != ReadyRow::NONE && answer.is_some_and(|(from, to)| from == to)
    }

    /// The transitions with which a component can take part in the local state with that row, as a range in the arena;
    /// empty if it refuses. `column` is that of the participant.
    #[inline]
    pub(super) fn range(
        &self,
        row: ReadyRow,
        column: u32,
        look_up: impl Fn() -> (u32, u32),
    ) -> (u32, u32) {
        if row == ReadyRow::NONE {
            return look_up();
        }
        self.answers[(row.0 + column) as usize]
    }
}
