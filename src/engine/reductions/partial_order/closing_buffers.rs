//! Scratch data of a search for a closed set.

use super::found_before::FoundBefore;
use super::rule_sets::{ChangingRules, RuleWord};
use super::tables::RulePart;

/// The number of a search among those in one state.
#[derive(Debug, Default)]
pub(super) struct ClosingTurn {
    /// Counts the searches; marks with a lower number are not of the present one.
    pub(super) time: u32,
    /// The search from which refusals are still valid: the first of several seeds tried in the same state, if the
    /// allowed steps are the same for all of them.
    pub(super) since: u32,
    /// Whether the last seed was one of these.
    pub(super) goes_on: bool,
    /// Whether only the steps of the seed may be kept.
    pub(super) alone: bool,
}

/// The sets of rules of a search for a closed set.
#[derive(Debug, Default)]
pub(super) struct ClosingSets {
    /// The rules wanted in the set.
    pub(super) wanted: ChangingRules,
    /// Rules found to be in no such set.
    pub(super) refused: ChangingRules,
    /// The same, in order of refusal.
    pub(super) refusals: Vec<u32>,
    /// Disabled rules held back by a group in the set.
    pub(super) met: ChangingRules,
    /// If only the steps of the seed may be kept, the seed and its twins.
    pub(super) allowed: ChangingRules,
    /// Words of `wanted` that may contain rules not held back yet.
    pub(super) unmet: Vec<u32>,
}

/// Scratch buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Closing {
    pub(super) turn: ClosingTurn,
    pub(super) sets: ClosingSets,
    /// The state of each group.
    pub(super) groups: Vec<GroupState>,
    /// Labels whose group of all rules was found to be in no such set.
    pub(super) labels_out: Vec<u64>,
    /// Users of groups, each with the next use of the same group.
    pub(super) uses: Vec<(GroupUser, u32)>,
    /// The needs of enabled rules, and those of these not met at present.
    pub(super) independence: Vec<IndependenceNeed>,
    pub(super) open: Vec<u32>,
    /// For each rule the participant and the way that held it back last. They are tried first when a remembered set is
    /// tested.
    pub(super) hints: Vec<(u32, u32)>,
    /// Results remembered for sets that keep the steps of the seed alone.
    pub(super) before: FoundBefore,
    /// The enabled rules of the set found.
    pub(super) kept: Vec<u32>,
}

/// The state of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupState {
    pub(super) mark: Mark,
    /// Its users, while it is in the set: an index of `uses`.
    pub(super) used_by: u32,
}

/// The time when a group was last wanted, doubled; plus one if it was found to be in no such set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark(u32);

impl Mark {
    pub(super) fn wanted(time: u32) -> Self {
        Self(2 * time)
    }

    pub(super) fn refused(time: u32) -> Self {
        Self(2 * time + 1)
    }

    pub(super) fn is_refused(self, since: u32) -> bool {
        self.0 % 2 == 1 && self.0 / 2 >= since
    }
}

/// A need of an enabled rule of the set: that nothing disturbs one participant.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndependenceNeed {
    pub(super) rule: u32,
    pub(super) part: RulePart,
}

/// A user of a group, which needs it in the set.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupUser {
    /// A rule held back by it. Those held back by able rules of a component are found otherwise.
    Held(u32),
    /// A need of an enabled rule.
    Independence(u32),
}

impl Closing {
    /// Begins another state.
    pub(super) fn begin(&mut self) {
        self.turn.goes_on = false;
    }

    /// Records that a rule is in no such set.
    pub(super) fn note_refused(&mut self, rule: u32) {
        self.sets.refused.put(rule);
        self.sets.refusals.push(rule);
    }

    /// Remembers the set found for a seed.
    pub(super) fn remember_set(&mut self, seed: u32) {
        let left = |word: RuleWord| RuleWord {
            bits: word.bits & !self.sets.refused.word(word.at),
            ..word
        };
        self.before
            .remember_set(seed, self.sets.wanted.words().map(left));
    }

    /// Records the user of a group.
    pub(super) fn note_use(&mut self, group: u32, user: GroupUser) {
        let used_by = &mut self.groups[group as usize].used_by;
        self.uses.push((user, *used_by));
        *used_by = self.uses.len() as u32 - 1;
    }

    /// Records how a rule is held back; the group is used only if it is that of a label.
    pub(super) fn hold_by(&mut self, rule: u32, how: (u32, u32), group: u32) {
        self.hints[rule as usize] = how;
        // Rules held back by a component are found through it.
        if how.1 > 0 {
            self.note_use(group, GroupUser::Held(rule));
        }
        self.sets.met.put(rule);
    }
}
