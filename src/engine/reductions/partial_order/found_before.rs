//! Cache of closed sets, tested before a search for one.
//!
//! To keep the steps of the seed alone, any closed set with it suffices, and most often one of the last few is closed
//! in this state, too. Testing it takes much less work than a search: all rules that one component or one event holds
//! back are tested together. If there was none, the rules refused then are most often refused again for the same
//! reasons. The existence of a set does not depend on the cache, which only saves time.

use super::label_steps::{has, members};
use super::rule_sets::{ChangingRules, RuleSet, RuleWord};
use super::tables::RulePart;
use super::{PartialOrder, PartialOrderScratch};

/// Sets remembered for each seed, and as many lists of refused rules.
const REMEMBERED: usize = 4;
/// Seeds with remembered results, at most.
const RULES_MAX: usize = 1 << 16;
/// Words of all sets, and rules of all lists, at most.
const ROOM_MAX: usize = 1 << 20;

/// No number.
const NONE: u32 = u32::MAX;

/// The cache of one thread, with buffers for tests.
#[derive(Debug, Default)]
pub(super) struct FoundBefore {
    /// By rule, the index of its results.
    numbers: Vec<u32>,
    of_rules: Vec<FoundWithRule>,
    /// Words and rules in use.
    room: usize,
    /// The set being tested.
    set: ChangingRules,
    /// Its rules known to be held back.
    held: ChangingRules,
}

/// Results for one seed.
#[derive(Debug, Default)]
struct FoundWithRule {
    /// The sets, the last one found first.
    sets: [Vec<RuleWord>; REMEMBERED],
    /// The rules refused in order when there was no set. The list that was valid last comes first.
    refusals: [Vec<u32>; REMEMBERED],
    /// Whether there was no set last time.
    fails: bool,
}

impl FoundBefore {
    /// An empty cache for a network with this number of rules.
    pub(super) fn nothing(rules: usize) -> Self {
        Self {
            numbers: vec![NONE; rules],
            set: ChangingRules::none_of(rules),
            held: ChangingRules::none_of(rules),
            ..Self::default()
        }
    }

    fn of(&mut self, seed: u32) -> Option<&mut FoundWithRule> {
        self.of_rules.get_mut(self.numbers[seed as usize] as usize)
    }

    /// The results of a seed, created if needed.
    fn made(&mut self, seed: u32) -> Option<&mut FoundWithRule> {
        let number = &mut self.numbers[seed as usize];
        if *number == NONE && self.of_rules.len() < RULES_MAX {
            *number = self.of_rules.len() as u32;
            self.of_rules.push(FoundWithRule::default());
        }
        self.of_rules.get_mut(*number as usize)
    }

    /// Remembers a set found for a seed.
    pub(super) fn remember_set(&mut self, seed: u32, set: impl Iterator<Item = RuleWord>) {
        let room = self.room;
        if let Some(of) = self.made(seed) {
            of.fails = false;
            self.room = replace_last(&mut of.sets, set, room);
        }
    }

    /// Remembers the rules refused in order, so that there was no set.
    pub(super) fn remember_refusals(&mut self, seed: u32, refused: &[u32]) {
        let room = self.room;
        if let Some(of) = self.made(seed) {
            of.fails = true;
            self.room = replace_last(&mut of.refusals, refused.iter().copied(), room);
        }
    }

    fn includes(&self, words: &[RuleWord]) -> bool {
        let mut words = words.iter();
        words.all(|word| word.bits & !self.set.word(word.at) == 0)
    }
}

/// Replaces the last list by a new one, which comes first; an empty one if the bound is exceeded. Returns the room of
/// all lists afterwards.
fn replace_last<T>(lists: &mut [Vec<T>], new: impl Iterator<Item = T>, room: usize) -> usize {
    lists.rotate_right(1);
    let of_others = room - lists[0].capacity();
    match of_others < ROOM_MAX {
        true => {
            lists[0].clear();
            lists[0].extend(new);
        }
        // Cleared it would keep its memory.
        false => lists[0] = Vec::new(),
    }
    of_others + lists[0].capacity()
}

/// The sets or the refusals of one seed.
type ListsOf<T> = fn(&mut FoundWithRule) -> &mut [Vec<T>; REMEMBERED];

/// Whether one of the remembered lists is valid in this state. It comes first from then on.
fn one_serves<T>(
    (seed, lists_of): (u32, ListsOf<T>),
    scratch: &mut PartialOrderScratch,
    serves: impl Fn(&[T], &mut PartialOrderScratch) -> bool,
) -> bool {
    for at in 0..REMEMBERED {
        let Some(of) = scratch.closing.before.of(seed) else {
            return false;
        };
        // Taken out while the buffers are borrowed.
        let list = std::mem::take(&mut lists_of(of)[at]);
        let is_serving = !list.is_empty() && serves(&list, scratch);
        if let Some(of) = scratch.closing.before.of(seed) {
            let lists = lists_of(of);
            lists[at] = list;
            if is_serving {
                lists[..=at].rotate_right(1);
            }
        }
        if is_serving {
            return true;
        }
    }
    false
}

impl PartialOrder {
    /// Whether there is a closed set that keeps the steps of this rule alone, if the cache tells.
    pub(super) fn found_before(
        &self,
        seed: u32,
        scratch: &mut PartialOrderScratch,
    ) -> Option<bool> {
        let fails = scratch.closing.before.of(seed)?.fails;
        // Most often as last time.
        let is_found = [!fails, fails]
            .into_iter()
            .find(|is_found| match is_found {
                true => self.is_closed_again(seed, scratch),
                false => self.is_refused_again(seed, scratch),
            })?;
        scratch.closing.before.of(seed)?.fails = !is_found;
        Some(is_found)
    }

    /// Whether a search finds a closed set that keeps the steps of a rule alone, without the cache.
    pub(super) fn is_found_anew(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        self.clear((seed, true), &mut scratch.closing);
        self.find_set((seed, true), scratch)
    }

    /// Whether a remembered set is closed in this state, too, and keeps no other step.
    fn is_closed_again(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        one_serves(
            (seed, |of| &mut of.sets),
            scratch,
            |set: &[RuleWord], scratch| self.is_closed_now(seed, set, scratch),
        )
    }

    /// Whether a set is closed in this state and keeps no other step.
    fn is_closed_now(
        &self,
        seed: u32,
        set: &[RuleWord],
        scratch: &mut PartialOrderScratch,
    ) -> bool {
        let (moving, closing) = (&scratch.moving, &mut scratch.closing);
        let (before, allowed) = (&mut closing.before, &closing.sets.allowed);
        let is_against =
            |word: &RuleWord| word.bits & moving.word(word.at) & !allowed.word(word.at) != 0;
        // The loop below would see this later: no participant holds back an enabled rule.
        if set.iter().any(is_against) {
            return false;
        }
        before.set.clear();
        before.held.clear();
        set.iter().for_each(|word| before.set.put_word(*word));
        // The enabled ones are the seed and its twins, which have no needs.
        self.is_independent_of_outside(seed, scratch)
            && set.iter().all(|word| {
                loop {
                    let closing = &scratch.closing;
                    let known =
                        closing.before.held.word(word.at) | closing.sets.allowed.word(word.at);
                    let left = word.bits & !known;
                    if left == 0 {
                        return true;
                    }
                    if !self.is_held_inside(word.at * 64 + left.trailing_zeros(), scratch) {
                        return false;
                    }
                }
            })
    }

    /// Whether no rule outside the tested set disturbs its one enabled rule.
    fn is_independent_of_outside(&self, seed: u32, scratch: &PartialOrderScratch) -> bool {
        let is_inside = |rules: RuleSet| scratch.closing.before.includes(self.sets.words(rules));
        self.parts(seed).iter().all(|part| {
            let disturbing = self.labels[part.label as usize].disturbing;
            is_inside(self.rules_of(u32::from(part.component), scratch))
                || disturbing.is_some_and(is_inside)
        })
    }

    /// Whether the tested set holds a rule back; records all others held back for the same reason.
    fn is_held_inside(&self, rule: u32, scratch: &mut PartialOrderScratch) -> bool {
        let hint = scratch.closing.hints[rule as usize];
        let hinted = self.parts(rule).get(hint.0 as usize);
        if hinted.is_some_and(|part| self.holds_inside(*part, hint.1, scratch)) {
            return true;
        }
        for (number, part) in (0u32..).zip(self.parts(rule)) {
            let own = usize::from(part.component);
            let needed = self.needed(own, part.label - self.firsts[own], scratch);
            let needed = needed.into_iter().flat_map(members);
            let mut ways = std::iter::once(0).chain(needed.map(|other| other + 1));
            if let Some(way) = ways.find(|way| self.holds_inside(*part, *way, scratch)) {
                scratch.closing.hints[rule as usize] = (number, way);
                return true;
            }
        }
        false
    }

    /// Whether the tested set holds back all rules of a label, in one of the ways of [`super::holding`]; if so, records
    /// them.
    fn holds_inside(&self, part: RulePart, way: u32, scratch: &mut PartialOrderScratch) -> bool {
        let RulePart { component, label } = part;
        if has(&scratch.offered, label) {
            return false;
        }
        let own = usize::from(component);
        let Some(other) = way.checked_sub(1) else {
            let (ways, place) = (&self.components[own], scratch.places[own]);
            let before = &mut scratch.closing.before;
            let holds = before.includes(self.sets.words(ways.able(place)));
            if holds {
                let held = ways.held(place, &self.sets);
                held.for_each(|word| before.held.put_word(word));
            }
            return holds;
        };
        let first = self.firsts[own];
        let needed = self.needed(own, label - first, scratch);
        let before = &mut scratch.closing.before;
        let holds = needed.is_some_and(|needed| {
            let rules = self.labels[(first + other) as usize].rules;
            // It is never offered again, or not without an event whose rules are in the set.
            has(needed, label - first)
                || has(needed, other) && before.includes(self.sets.words(rules))
        });
        if holds {
            let held = self.sets.words(self.labels[label as usize].rules);
            held.iter().for_each(|word| before.held.put_word(*word));
        }
        holds
    }

    /// Refuses remembered rules that have to be refused again. Returns whether the seed is refused, too.
    fn is_refused_again(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        one_serves(
            (seed, |of| &mut of.refusals),
            scratch,
            |list: &[u32], scratch| self.is_refused_after(seed, list, scratch),
        )
    }

    /// Refuses the rules of a list that have to be refused, in order. Returns whether the seed is refused, too.
    fn is_refused_after(&self, seed: u32, list: &[u32], scratch: &mut PartialOrderScratch) -> bool {
        for rule in list {
            let is_open = !scratch.moving.has(*rule) && !scratch.closing.sets.refused.has(*rule);
            let may_come_in = Self::may_come_in;
            if is_open && self.find_holder(*rule, scratch, may_come_in).is_none() {
                scratch.closing.note_refused(*rule);
            }
        }
        !self.may_be_kept(seed, scratch)
    }
}
