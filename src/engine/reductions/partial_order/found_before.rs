//! What was found before with the same rule, looked at before a closed set is looked for anew.
//!
//! Where one step alone is to be kept, any closed set with it will do, and most often one of the last few that did is
//! closed in this state, too. To see that takes much less than to find it: all rules that one component or one event
//! holds back are looked at together. Where there was none, most often what was refused one after the other is refused
//! for the same reasons. Whether there is a set does not depend on what is looked at, so this saves time and nothing
//! else.

use super::label_steps::{has, members};
use super::rule_sets::{ChangingRules, RuleSet, RuleWord};
use super::tables::RulePart;
use super::{PartialOrder, PartialOrderScratch};

/// Sets that are remembered with each rule, and as many lists of refused rules.
const REMEMBERED: usize = 4;
/// Rules that something is remembered with.
const RULES_MAX: usize = 1 << 16;
/// Words of all sets, and rules of all lists, that there is room for.
const ROOM_MAX: usize = 1 << 20;

/// No number.
const NONE: u32 = u32::MAX;

/// What was found, and buffers to look at it; of one thread.
#[derive(Debug, Default)]
pub(super) struct FoundBefore {
    /// By rule, which of the following it has.
    numbers: Vec<u32>,
    of_rules: Vec<FoundWithRule>,
    /// Words and rules that all of them have room for.
    room: usize,
    /// The set that is looked at.
    set: ChangingRules,
    /// Those of its rules that are known to be held back.
    held: ChangingRules,
}

/// What was found with one rule.
#[derive(Debug, Default)]
struct FoundWithRule {
    /// The set that was found last comes first.
    sets: [Vec<RuleWord>; REMEMBERED],
    /// What was refused, one after the other, when there was none. The list that served last comes first.
    refusals: [Vec<u32>; REMEMBERED],
    /// Whether there was none last time.
    fails: bool,
}

impl FoundBefore {
    /// Nothing yet, in a network of so many rules.
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

    /// The same, made where there is none yet.
    fn made(&mut self, seed: u32) -> Option<&mut FoundWithRule> {
        let number = &mut self.numbers[seed as usize];
        if *number == NONE && self.of_rules.len() < RULES_MAX {
            *number = self.of_rules.len() as u32;
            self.of_rules.push(FoundWithRule::default());
        }
        self.of_rules.get_mut(*number as usize)
    }

    /// Remembers a set that was found with a rule.
    pub(super) fn remember_set(&mut self, seed: u32, set: impl Iterator<Item = RuleWord>) {
        let room = self.room;
        if let Some(of) = self.made(seed) {
            of.fails = false;
            self.room = replace_last(&mut of.sets, set, room);
        }
    }

    /// Remembers what was refused one after the other, so that there was none.
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

/// Puts a new list in place of the last one, before all others; an empty one if too much is remembered. How much room
/// all lists have afterwards.
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

/// Some of what was found with one rule.
type ListsOf<T> = fn(&mut FoundWithRule) -> &mut [Vec<T>; REMEMBERED];

/// Whether one of the lists that are remembered with a rule serves in this state. That one comes first from then on.
fn one_serves<T>(
    (seed, lists_of): (u32, ListsOf<T>),
    scratch: &mut PartialOrderScratch,
    serves: impl Fn(&[T], &mut PartialOrderScratch) -> bool,
) -> bool {
    for at in 0..REMEMBERED {
        let Some(of) = scratch.closing.before.of(seed) else {
            return false;
        };
        // Taken out for as long as the buffers are needed.
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
    /// Whether there is a closed set that keeps the steps of this rule alone, if what was found before tells.
    pub(super) fn found_before(
        &self,
        seed: u32,
        scratch: &mut PartialOrderScratch,
    ) -> Option<bool> {
        let fails = scratch.closing.before.of(seed)?.fails;
        // As last time, more often than not.
        let is_found = [!fails, fails]
            .into_iter()
            .find(|is_found| match is_found {
                true => self.is_closed_again(seed, scratch),
                false => self.is_refused_again(seed, scratch),
            })?;
        scratch.closing.before.of(seed)?.fails = !is_found;
        Some(is_found)
    }

    /// Whether a closed set is found that keeps the steps of a rule alone, whatever was found before.
    pub(super) fn is_found_anew(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        self.clear((seed, true), &mut scratch.closing);
        self.find_set((seed, true), scratch)
    }

    /// Whether a set that was found before is closed in this state, too, and keeps no other step.
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
        // No participant holds back what is enabled, so this is seen below as well, but not as soon.
        if set.iter().any(is_against) {
            return false;
        }
        before.set.clear();
        before.held.clear();
        set.iter().for_each(|word| before.set.put_word(*word));
        // The enabled ones are the seed and its twins, which need nothing.
        self.is_calm_inside(seed, scratch)
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

    /// Whether nothing outside the set that is looked at disturbs its one rule that is enabled.
    fn is_calm_inside(&self, seed: u32, scratch: &PartialOrderScratch) -> bool {
        let is_inside = |rules: RuleSet| scratch.closing.before.includes(self.sets.words(rules));
        self.parts(seed).iter().all(|part| {
            let disturbing = self.labels[part.label as usize].disturbing;
            is_inside(self.rules_of(u32::from(part.component), scratch))
                || disturbing.is_some_and(is_inside)
        })
    }

    /// Whether the set that is looked at holds a rule back; notes all others that it does for the same reason.
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

    /// Whether the set that is looked at holds back all rules of a label, in one of the ways of [`super::holding`]; if so,
    /// notes those that it does.
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
            // It never is offered again, or not without an event whose rules are in the set.
            has(needed, label - first)
                || has(needed, other) && before.includes(self.sets.words(rules))
        });
        if holds {
            let held = self.sets.words(self.labels[label as usize].rules);
            held.iter().for_each(|word| before.held.put_word(*word));
        }
        holds
    }

    /// Refuses what was refused before and has to be again. Whether the rule itself is, too.
    fn is_refused_again(&self, seed: u32, scratch: &mut PartialOrderScratch) -> bool {
        one_serves(
            (seed, |of| &mut of.refusals),
            scratch,
            |list: &[u32], scratch| self.is_refused_after(seed, list, scratch),
        )
    }

    /// Refuses those of a list that have to be, one after the other. Whether the rule itself is, too.
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
