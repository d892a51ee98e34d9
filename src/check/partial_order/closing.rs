//! Finding closed sets of rules ([`super`]).
//!
//! What a rule of the set needs can be met in several ways: each is a *group* of rules that have to be in the set,
//! too. So a closed set solves equations with "and" and "or". Their largest solution that keeps no other step than
//! those that are allowed is looked for, on demand from one rule: a need is thought to be met by a group until some
//! rule of the group turns out not to be in any such set; then the next group is tried.

use super::needs::Needed;
use super::{PartialOrder, PartialOrderScratch};

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Counts the sets that were looked for; what is marked with a lower number is not in the present one.
    time: u32,
    /// When a rule was last wanted, by rule, and when it was last found not to be in any set.
    wanted: Vec<u32>,
    refused: Vec<u32>,
    /// The same by group, and who uses it: an index of `uses`.
    wanted_groups: Vec<u32>,
    refused_groups: Vec<u32>,
    used_by: Vec<u32>,
    /// Needs that a group meets, and the next use of the same group.
    uses: Vec<(u32, u32)>,
    needs: Vec<RuleNeed>,
    /// Needs that are not met at present.
    open: Vec<u32>,
    /// The rules of the set found that are enabled.
    pub(super) kept: Vec<u32>,
}

/// Something that a rule of the set needs: if it is enabled, that nothing disturbs one participant; if not, that one
/// participant of all that do not offer their events goes on not doing so.
#[derive(Clone, Copy, Debug)]
struct RuleNeed {
    rule: u32,
    /// The participant whose groups are tried at present.
    part: u32,
    /// Which of its groups: 0 is what it is able to do, 1 what disturbs it; if the rule is not enabled, others than 0
    /// are one more than a label.
    way: u32,
}

/// No use.
const NONE: u32 = u32::MAX;

/// A group of rules. All of them are numbered: first come components, then labels, twice.
enum RuleGroup {
    /// Those that a component is able to take part in.
    Able(usize),
    /// All of a label, by its number among all.
    Label(usize),
    /// All that disturb a label, likewise.
    Disturbing(usize),
}

/// A way to meet a need.
enum NextGroup {
    /// By a group.
    Group(u32),
    /// It is met anyway.
    Met,
    /// There is none that is left.
    None,
}

impl PartialOrder {
    fn group(&self, number: u32) -> RuleGroup {
        let (number, components) = (number as usize, self.components.len());
        let labels = self.rules_of.len();
        match number.checked_sub(components) {
            None => RuleGroup::Able(number),
            Some(label) if label < labels => RuleGroup::Label(label),
            Some(label) => RuleGroup::Disturbing(label - labels),
        }
    }

    fn group_of_label(&self, number: usize) -> u32 {
        (self.components.len() + number) as u32
    }

    fn group_of_disturbing(&self, number: usize) -> u32 {
        (self.components.len() + self.rules_of.len() + number) as u32
    }

    /// Looks for a closed set with one rule; `alone` if it may keep the steps of no other one. How many steps it keeps;
    /// their rules are left in `scratch.closing.kept`.
    pub(super) fn close(
        &self,
        seed: u32,
        alone: bool,
        scratch: &mut PartialOrderScratch,
    ) -> Option<u32> {
        if !self.may_be_kept(seed, alone, scratch) {
            return None;
        }
        self.clear(&mut scratch.closing);
        self.want(seed, scratch);
        while let Some(need) = scratch.closing.open.pop() {
            if !self.meet(need, (seed, alone), scratch) {
                let rule = scratch.closing.needs[need as usize].rule;
                if rule == seed {
                    return None;
                }
                self.refuse(rule, scratch);
            }
        }
        let PartialOrderScratch {
            enabled, closing, ..
        } = scratch;
        closing.kept.clear();
        let (wanted, refused, time) = (&closing.wanted, &closing.refused, closing.time);
        let is_in =
            |rule: &&u32| wanted[**rule as usize] == time && refused[**rule as usize] != time;
        closing.kept.extend(enabled.iter().filter(is_in));
        debug_assert!(self.is_closed(scratch), "what was found is closed");
        let PartialOrderScratch { steps, closing, .. } = scratch;
        Some(closing.kept.iter().map(|rule| steps[*rule as usize]).sum())
    }

    /// Whether the rules that are wanted and not refused are closed, by the definition.
    fn is_closed(&self, scratch: &PartialOrderScratch) -> bool {
        let closing = &scratch.closing;
        let is_in = |rule: u32| {
            let rule = rule as usize;
            closing.wanted[rule] == closing.time && closing.refused[rule] != closing.time
        };
        let all_in = |rules: &[u32]| rules.iter().all(|rule| is_in(*rule));
        (0u32..).zip(&self.parts).all(|(rule, parts)| {
            let is_enabled = scratch.steps[rule as usize] > 0;
            let is_calm = |(component, label): &(u16, u32)| {
                let own = usize::from(*component);
                let (ways, place) = (&self.components[own], scratch.places[own]);
                let all_of =
                    |label: &u32| all_in(&self.rules_of[(self.firsts[own] + label) as usize]);
                let is_inside = all_in(ways.able(place));
                if is_enabled {
                    let disturbing = ways.disturbing(*label);
                    return is_inside || disturbing.is_some_and(|labels| labels.iter().all(all_of));
                }
                let is_held = match ways.needed(place, *label) {
                    Some(Needed::Never) => true,
                    Some(needed) => (0..ways.labels())
                        .any(|label| needed.next(label) == Some(label) && all_of(&label)),
                    None => false,
                };
                !ways.offers(place, *label) && (is_inside || is_held)
            };
            let is_calm = match is_enabled {
                true => parts.iter().all(is_calm),
                false => parts.iter().any(is_calm),
            };
            !is_in(rule) || is_calm
        })
    }

    fn clear(&self, closing: &mut Closing) {
        let rules = self.parts.len();
        let groups = self.components.len() + 2 * self.rules_of.len();
        // Starts anew before numbers are used up, too.
        if closing.wanted.len() != rules
            || closing.wanted_groups.len() != groups
            || closing.time == u32::MAX
        {
            *closing = Closing {
                wanted: vec![0; rules],
                refused: vec![0; rules],
                wanted_groups: vec![0; groups],
                refused_groups: vec![0; groups],
                used_by: vec![NONE; groups],
                ..Closing::default()
            };
        }
        closing.time += 1;
        closing.uses.clear();
        closing.needs.clear();
        closing.open.clear();
    }

    /// Puts a rule into the set, and notes what it needs.
    fn want(&self, rule: u32, scratch: &mut PartialOrderScratch) {
        let PartialOrderScratch { steps, closing, .. } = scratch;
        let wanted = &mut closing.wanted[rule as usize];
        if std::mem::replace(wanted, closing.time) == closing.time {
            return;
        }
        if steps[rule as usize] > 0 {
            for part in 0..self.parts[rule as usize].len() {
                closing.need(rule, part as u32);
            }
        } else {
            closing.need(rule, 0);
        }
    }

    /// The first group that is left to meet a need by: itself, or why there is none.
    fn way(&self, need: &mut RuleNeed, scratch: &PartialOrderScratch) -> NextGroup {
        let parts = &self.parts[need.rule as usize];
        let is_enabled = scratch.steps[need.rule as usize] > 0;
        loop {
            let Some((component, label)) = parts.get(need.part as usize) else {
                return NextGroup::None;
            };
            let own = usize::from(*component);
            let ways = &self.components[own];
            if is_enabled {
                let disturbing = ways.disturbing(*label);
                return match need.way {
                    0 => NextGroup::Group(u32::from(*component)),
                    1 if disturbing.is_some() => {
                        let number = (self.firsts[own] + label) as usize;
                        NextGroup::Group(self.group_of_disturbing(number))
                    }
                    _ => NextGroup::None,
                };
            }
            let place = scratch.places[own];
            if !ways.offers(place, *label) {
                if need.way == 0 {
                    return NextGroup::Group(u32::from(*component));
                }
                match ways.needed(place, *label) {
                    // It never will be enabled.
                    Some(Needed::Never) => return NextGroup::Met,
                    Some(needed) => {
                        if let Some(label) = needed.next(need.way - 1) {
                            need.way = label + 1;
                            let number = (self.firsts[own] + label) as usize;
                            return NextGroup::Group(self.group_of_label(number));
                        }
                    }
                    None => {}
                }
            }
            (need.part, need.way) = (need.part + 1, 0);
        }
    }

    /// Meets a need by the first group that is left. False if there is none.
    fn meet(&self, need: u32, allowed: (u32, bool), scratch: &mut PartialOrderScratch) -> bool {
        loop {
            let mut present = scratch.closing.needs[need as usize];
            if scratch.closing.refused[present.rule as usize] == scratch.closing.time {
                return true;
            }
            let group = match self.way(&mut present, scratch) {
                NextGroup::Group(group) => group,
                NextGroup::Met => return true,
                NextGroup::None => return false,
            };
            let closing = &mut scratch.closing;
            closing.needs[need as usize] = present;
            let at = group as usize;
            let is_new = closing.wanted_groups[at] != closing.time;
            let is_out = closing.refused_groups[at] == closing.time;
            if is_out || is_new && !self.may_have(group, allowed, scratch) {
                let closing = &mut scratch.closing;
                closing.refused_groups[at] = closing.time;
                closing.needs[need as usize].way += 1;
                continue;
            }
            let closing = &mut scratch.closing;
            if is_new {
                closing.wanted_groups[at] = closing.time;
                closing.used_by[at] = NONE;
            }
            closing.uses.push((need, closing.used_by[at]));
            closing.used_by[at] = closing.uses.len() as u32 - 1;
            if is_new {
                self.want_group(group, scratch);
            }
            return true;
        }
    }

    /// Whether no step stands against a group: one that is seen, or, if the seed has to be alone, any other one.
    fn may_have(
        &self,
        group: u32,
        (seed, alone): (u32, bool),
        scratch: &PartialOrderScratch,
    ) -> bool {
        let is_against = |rule: u32| {
            let is_kept = scratch.steps[rule as usize] > 0 && rule != seed;
            is_kept && (alone || self.seen[rule as usize])
        };
        let none_of = |rules: &[u32]| !rules.iter().any(|rule| is_against(*rule));
        match self.group(group) {
            RuleGroup::Able(component) => {
                let (all, seen) = scratch.moving[component];
                let is_own = |part: &(u16, u32)| usize::from(part.0) == component;
                let own = self.parts[seed as usize].iter().any(is_own);
                if alone {
                    all == u32::from(own)
                } else {
                    seen == 0
                }
            }
            RuleGroup::Label(number) => none_of(&self.rules_of[number]),
            RuleGroup::Disturbing(number) => {
                let mut labels = self.labels_disturbing(number);
                labels.all(|label| none_of(&self.rules_of[label]))
            }
        }
    }

    /// The labels that disturb a label, by their numbers among all.
    fn labels_disturbing(&self, number: usize) -> impl Iterator<Item = usize> {
        let before = self
            .firsts
            .partition_point(|first| *first as usize <= number);
        let first = self.firsts[before - 1];
        let labels = self.components[before - 1].disturbing(number as u32 - first);
        let labels = labels.unwrap_or(&[]).iter();
        labels.map(move |label| (first + label) as usize)
    }

    /// Whether the needs of an enabled rule can be met, as far as that is seen at once.
    fn may_be_kept(&self, seed: u32, alone: bool, scratch: &PartialOrderScratch) -> bool {
        self.parts[seed as usize].iter().all(|(component, label)| {
            let own = usize::from(*component);
            let number = (self.firsts[own] + label) as usize;
            self.may_have(u32::from(*component), (seed, alone), scratch)
                || self.components[own].disturbing(*label).is_some()
                    && self.may_have(self.group_of_disturbing(number), (seed, alone), scratch)
        })
    }

    /// Wants all rules of a group.
    fn want_group(&self, group: u32, scratch: &mut PartialOrderScratch) {
        let mut want_all = |rules: &[u32]| rules.iter().for_each(|rule| self.want(*rule, scratch));
        match self.group(group) {
            RuleGroup::Able(component) => {
                let place = scratch.places[component];
                let able = self.components[component].able(place);
                able.iter().for_each(|rule| self.want(*rule, scratch));
            }
            RuleGroup::Label(number) => want_all(&self.rules_of[number]),
            RuleGroup::Disturbing(number) => {
                let labels = self.labels_disturbing(number);
                labels.for_each(|label| want_all(&self.rules_of[label]));
            }
        }
    }

    /// Takes a rule out of the set, and with it the groups that it is in.
    fn refuse(&self, rule: u32, scratch: &mut PartialOrderScratch) {
        let closing = &mut scratch.closing;
        let refused = &mut closing.refused[rule as usize];
        if std::mem::replace(refused, closing.time) == closing.time {
            return;
        }
        for (component, label) in &self.parts[rule as usize] {
            let own = usize::from(*component);
            let first = self.firsts[own];
            let ways = &self.components[own];
            if ways.offers(scratch.places[own], *label) {
                closing.refuse_group(u32::from(*component));
            }
            closing.refuse_group(self.group_of_label((first + label) as usize));
            for other in ways.disturbed(*label) {
                closing.refuse_group(self.group_of_disturbing((first + other) as usize));
            }
        }
    }
}

impl Closing {
    /// Notes a need of a rule, to be met by participants from one on.
    fn need(&mut self, rule: u32, part: u32) {
        self.open.push(self.needs.len() as u32);
        self.needs.push(RuleNeed { rule, part, way: 0 });
    }

    /// Notes that a group cannot be in the set: those who use it have to look for another one.
    fn refuse_group(&mut self, group: u32) {
        let at = group as usize;
        let refused = &mut self.refused_groups[at];
        let is_out = std::mem::replace(refused, self.time) == self.time;
        if is_out || self.wanted_groups[at] != self.time {
            return;
        }
        let mut use_of = self.used_by[at];
        while use_of != NONE {
            let (need, next) = self.uses[use_of as usize];
            self.open.push(need);
            use_of = next;
        }
    }
}
