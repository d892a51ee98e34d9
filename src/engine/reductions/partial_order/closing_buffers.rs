//! What a search for a closed set remembers while it goes on.

use super::found_before::FoundBefore;
use super::rule_sets::{ChangingRules, RuleWord};
use super::tables::RulePart;

/// Which of several searches for closed sets in one state this is.
#[derive(Debug, Default)]
pub(super) struct ClosingTurn {
    /// Counts the sets that were looked for; what is marked with a lower number is not in the present one.
    pub(super) time: u32,
    /// What was found not to be in any such set since then still is not: the time of the first of several seeds that are
    /// tried in the same state, if what may be kept is the same for all of them.
    pub(super) since: u32,
    /// Whether the last seed was one of these.
    pub(super) goes_on: bool,
    /// Whether one step alone is to be kept.
    pub(super) alone: bool,
}

/// The sets of rules of a search for a closed set.
#[derive(Debug, Default)]
pub(super) struct ClosingSets {
    /// The rules that are wanted in the set.
    pub(super) wanted: ChangingRules,
    /// Those that were found not to be in any such set.
    pub(super) refused: ChangingRules,
    /// The same in the order in which they were.
    pub(super) refusals: Vec<u32>,
    /// Those that are not enabled and held back by a group that is in the set.
    pub(super) met: ChangingRules,
    /// Where one step alone is to be kept, the seed and its twins.
    pub(super) allowed: ChangingRules,
    /// Words of `wanted` in which there may be rules that nothing holds back yet.
    pub(super) unmet: Vec<u32>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Closing {
    pub(super) turn: ClosingTurn,
    pub(super) sets: ClosingSets,
    /// What is known of each group.
    pub(super) groups: Vec<GroupState>,
    /// The labels of which the group of all rules was found not to be in any such set.
    pub(super) labels_out: Vec<u64>,
    /// Users of a group, and the next use of the same group.
    pub(super) uses: Vec<(GroupUser, u32)>,
    /// What enabled rules need, and those of these that are not met at present.
    pub(super) calm: Vec<CalmNeed>,
    pub(super) open: Vec<u32>,
    /// For each rule how it was held back when that was last looked for: by which participant and in which way. It is
    /// tried first where a set that was found before is looked at.
    pub(super) hints: Vec<(u32, u32)>,
    /// What was found before where one step alone is to be kept.
    pub(super) before: FoundBefore,
    /// The rules of the set found that are enabled.
    pub(super) kept: Vec<u32>,
}

/// What is known of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupState {
    pub(super) mark: Mark,
    /// Who uses it, while it is in the set: an index of `uses`.
    pub(super) used_by: u32,
}

/// When a group was last wanted in a set, twice that number; one more if it was found not to be in any such set.
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

/// What an enabled rule of the set needs: that nothing disturbs one participant.
#[derive(Clone, Copy, Debug)]
pub(super) struct CalmNeed {
    pub(super) rule: u32,
    pub(super) part: RulePart,
}

/// Who needs that a group is in the set.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupUser {
    /// A rule that is held back by it. Those that are held back by what a component is able to do are found otherwise.
    Held(u32),
    /// One of the needs of enabled rules.
    Calm(u32),
}

impl Closing {
    /// Begins with another state.
    pub(super) fn begin(&mut self) {
        self.turn.goes_on = false;
    }

    /// Notes that a rule is not in any such set.
    pub(super) fn note_refused(&mut self, rule: u32) {
        self.sets.refused.put(rule);
        self.sets.refusals.push(rule);
    }

    /// Remembers the set that was found with a rule.
    pub(super) fn remember_set(&mut self, seed: u32) {
        let left = |word: RuleWord| RuleWord {
            bits: word.bits & !self.sets.refused.word(word.at),
            ..word
        };
        self.before
            .remember_set(seed, self.sets.wanted.words().map(left));
    }

    /// Notes who uses a group.
    pub(super) fn note_use(&mut self, group: u32, user: GroupUser) {
        let used_by = &mut self.groups[group as usize].used_by;
        self.uses.push((user, *used_by));
        *used_by = self.uses.len() as u32 - 1;
    }

    /// Notes how a rule is held back; the group is asked for only where it is that of a label.
    pub(super) fn hold_by(&mut self, rule: u32, how: (u32, u32), group: u32) {
        self.hints[rule as usize] = how;
        // Whom a component holds back is found by what it holds back.
        if how.1 > 0 {
            self.note_use(group, GroupUser::Held(rule));
        }
        self.sets.met.put(rule);
    }
}
