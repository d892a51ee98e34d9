//! Finding closed sets of rules ([`super`]).
//!
//! What a rule of the set needs can be met in several ways: each is a *group* of rules that have to be in the set,
//! too. So a closed set solves equations with "and" and "or". Their largest solution that keeps no other step than
//! those that are allowed is looked for, on demand from one rule: a need is thought to be met by a group until some
//! rule of the group turns out not to be in any such set; then the next group is tried.

use super::label_steps::{has, put};
use super::needs::next_without;
use super::{PartialOrder, PartialOrderScratch, RulePart};

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Counts the sets that were looked for; what is marked with a lower number is not in the present one.
    time: u32,
    /// What was found not to be in any such set since then still is not: the time of the first of several seeds that are
    /// tried in the same state, if what may be kept is the same for all of them.
    since: u32,
    /// Whether the last seed was one of these.
    goes_on: bool,
    /// Whether one step alone is to be kept.
    alone: bool,
    /// What is known of each rule, and of each group.
    rules: Vec<Mark>,
    groups: Vec<Mark>,
    /// The labels of which the group of all rules was found not to be in any such set.
    labels_out: Vec<u64>,
    /// Who uses a group: an index of `uses`, by group.
    used_by: Vec<u32>,
    /// Needs that a group meets, and the next use of the same group.
    uses: Vec<(u32, u32)>,
    needs: Vec<RuleNeed>,
    /// Needs that are not met at present.
    open: Vec<u32>,
    /// For each rule how its need was met in the last set that was found with it, where it was not enabled: participant
    /// and way. Which rules can be alone does not depend on what is tried first, so this saves time alone.
    hints: Vec<(u32, u32)>,
    /// The rules of the set found that are enabled.
    pub(super) kept: Vec<u32>,
}

/// When something was last wanted in a set, twice that number; one more if it was found not to be in any such set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark(u32);

impl Mark {
    fn wanted(time: u32) -> Self {
        Self(2 * time)
    }

    fn refused(time: u32) -> Self {
        Self(2 * time + 1)
    }

    fn is_refused(self, since: u32) -> bool {
        self.0 % 2 == 1 && self.0 / 2 >= since
    }
}

/// Something that a rule of the set needs: if it is enabled, that nothing disturbs one participant; if not, that one
/// participant of all that do not offer their events goes on not doing so.
#[derive(Clone, Copy, Debug)]
struct RuleNeed {
    rule: u32,
    /// The participant whose groups are tried at present.
    part: u32,
    /// Which of its groups, counted from 0; if the rule is not enabled, 0 is what it is able to do, and others are one
    /// more than a label.
    way: u32,
    /// Whether that is what helped last time, and the others were not tried.
    hinted: bool,
}

/// What a set is to be: the seed, and whether it may keep the steps of no other rule.
type Allowed = (u32, bool);

/// No use.
const NONE: u32 = u32::MAX;

/// A group of rules. All of them are numbered: first come components, then labels, twice.
enum RuleGroup {
    /// Those that a component is able to take part in.
    Able(usize),
    /// All of a label.
    Label(u32),
    /// All that disturb a label.
    Disturbing(u32),
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
        let labels = self.labels.len() as u32;
        match number.checked_sub(self.components.len() as u32) {
            None => RuleGroup::Able(number as usize),
            Some(label) if label < labels => RuleGroup::Label(label),
            Some(label) => RuleGroup::Disturbing(label - labels),
        }
    }

    fn group_of_label(&self, label: u32) -> u32 {
        self.components.len() as u32 + label
    }

    fn group_of_disturbing(&self, label: u32) -> u32 {
        (self.components.len() + self.labels.len()) as u32 + label
    }

    /// Looks for a closed set with one rule; `alone` if it may keep the steps of no other one. How many steps it keeps;
    /// their rules are left in `scratch.closing.kept`.
    pub(super) fn close(
        &self,
        seed: u32,
        alone: bool,
        scratch: &mut PartialOrderScratch,
    ) -> Option<u32> {
        let allowed = (seed, alone);
        if !self.may_be_kept(allowed, scratch) {
            return None;
        }
        self.clear(alone, &mut scratch.closing);
        let (time, since) = (scratch.closing.time, scratch.closing.since);
        if scratch.closing.rules[seed as usize].is_refused(since) {
            return None;
        }
        for twin in self.twins_of(allowed) {
            scratch.closing.rules[*twin as usize] = Mark::wanted(time);
        }
        self.want(seed, &scratch.steps, &mut scratch.closing);
        while let Some(need) = scratch.closing.open.pop() {
            if !self.meet(need, allowed, scratch) {
                let rule = scratch.closing.needs[need as usize].rule;
                self.refuse(rule, scratch);
                if rule == seed {
                    return None;
                }
            }
        }
        let PartialOrderScratch {
            enabled,
            steps,
            closing,
            ..
        } = scratch;
        closing.kept.clear();
        let (marks, time) = (&closing.rules, closing.time);
        let is_in = |rule: &&u32| {
            let is_twin = self.twins_of(allowed).contains(*rule);
            marks[**rule as usize] == Mark::wanted(time) && !is_twin
        };
        closing.kept.extend(enabled.iter().filter(is_in));
        let kept = closing.kept.iter().map(|rule| steps[*rule as usize]).sum();
        if alone {
            for need in &closing.needs {
                closing.hints[need.rule as usize] = (need.part, need.way);
            }
        }
        debug_assert!(self.is_closed(allowed, scratch), "what was found is closed");
        Some(kept)
    }

    /// Whether the rules that are wanted and not refused are closed, by the definition.
    fn is_closed(&self, allowed: Allowed, scratch: &PartialOrderScratch) -> bool {
        let closing = &scratch.closing;
        let is_in = |rule: u32| closing.rules[rule as usize] == Mark::wanted(closing.time);
        let all_in = |rules: &[u32]| rules.iter().all(|rule| is_in(*rule));
        let all_of = |label: &u32| all_in(self.rules_of(*label));
        (0..self.parts.len() as u32).all(|rule| {
            let is_enabled = scratch.steps[rule as usize] > 0;
            let is_calm = |part: &RulePart| {
                let own = usize::from(part.component);
                let (ways, place) = (&self.components[own], scratch.places[own]);
                let is_inside = all_in(ways.able(place));
                if is_enabled {
                    let disturbing = self.disturbing(part.label);
                    return is_inside || disturbing.is_some_and(|labels| labels.iter().all(all_of));
                }
                let first = self.firsts[own];
                let own_label = part.label - first;
                let is_held = ways
                    .needed(ways.needs(place), own_label)
                    .is_some_and(|set| {
                        let all_held = |label| has(set, label) && all_of(&(first + label));
                        has(set, own_label) || (0..ways.labels()).any(all_held)
                    });
                !ways.offers(place, part.label - first) && (is_inside || is_held)
            };
            let is_calm = match is_enabled {
                true => self.parts(rule).iter().all(is_calm),
                false => self.parts(rule).iter().any(is_calm),
            };
            !is_in(rule) || self.twins_of(allowed).contains(&rule) || is_calm
        })
    }

    /// Begins with another seed.
    fn clear(&self, alone: bool, closing: &mut Closing) {
        let (rules, groups) = (
            self.parts.len(),
            self.components.len() + 2 * self.labels.len(),
        );
        // Starts anew before numbers are used up, too.
        if closing.rules.len() != rules
            || closing.groups.len() != groups
            || closing.time == u32::MAX / 2
        {
            *closing = Closing {
                rules: vec![Mark::default(); rules],
                groups: vec![Mark::default(); groups],
                labels_out: vec![0; self.labels.len() / 64],
                used_by: vec![NONE; groups],
                hints: vec![(0, 0); rules],
                ..Closing::default()
            };
        }
        closing.time += 1;
        // Which steps may be kept depends on the seed where it is to be alone.
        if alone || !closing.goes_on {
            closing.since = closing.time;
            closing.labels_out.fill(0);
        }
        (closing.alone, closing.goes_on) = (alone, !alone);
        closing.uses.clear();
        closing.needs.clear();
        closing.open.clear();
    }

    /// Notes that a group is not in any such set.
    #[inline]
    fn rule_out(&self, group: u32, closing: &mut Closing) -> Mark {
        if let RuleGroup::Label(label) = self.group(group) {
            put(&mut closing.labels_out, label);
        }
        let refused = Mark::refused(closing.time);
        std::mem::replace(&mut closing.groups[group as usize], refused)
    }

    /// The same of one that may have been thought to be in it: those who use it have to look for another one.
    #[inline]
    fn refuse_group(&self, group: u32, closing: &mut Closing) {
        if self.rule_out(group, closing) != Mark::wanted(closing.time) {
            return;
        }
        let mut use_of = closing.used_by[group as usize];
        while use_of != NONE {
            let (need, next) = closing.uses[use_of as usize];
            closing.open.push(need);
            use_of = next;
        }
    }

    /// Puts a rule into the set, and notes what it needs.
    #[inline]
    fn want(&self, rule: u32, steps: &[u32], closing: &mut Closing) {
        let (mark, wanted) = (
            &mut closing.rules[rule as usize],
            Mark::wanted(closing.time),
        );
        if *mark == wanted || mark.is_refused(closing.since) {
            return;
        }
        *mark = wanted;
        if steps[rule as usize] > 0 {
            for part in 0..self.parts(rule).len() {
                closing.need(rule, (part as u32, 0), false);
            }
        } else {
            let hint = match closing.alone {
                true => closing.hints[rule as usize],
                false => (0, 0),
            };
            closing.need(rule, hint, closing.alone);
        }
    }

    /// The first group that is left to meet a need by: itself, or why there is none.
    #[inline]
    fn way(&self, need: &mut RuleNeed, scratch: &PartialOrderScratch) -> NextGroup {
        let parts = self.parts(need.rule);
        let is_enabled = scratch.steps[need.rule as usize] > 0;
        loop {
            let Some(RulePart { component, label }) = parts.get(need.part as usize).copied() else {
                return NextGroup::None;
            };
            if is_enabled {
                let table = &self.labels[label as usize];
                let able = NextGroup::Group(u32::from(component));
                if table.disturbing.is_none() {
                    return if need.way == 0 { able } else { NextGroup::None };
                }
                // The one with fewer rules first: they have needs in turn.
                let own = usize::from(component);
                let all = self.components[own].able(scratch.places[own]).len();
                let is_able_first = all < table.disturbing_rules as usize;
                return match need.way {
                    0 | 1 if (need.way == 0) == is_able_first => able,
                    0 | 1 => NextGroup::Group(self.group_of_disturbing(label)),
                    _ => NextGroup::None,
                };
            }
            if !has(&scratch.offered, label) {
                if need.way == 0 {
                    return NextGroup::Group(u32::from(component));
                }
                let own = usize::from(component);
                let first = self.firsts[own];
                if let Some(needed) = self.needed(own, label - first, scratch) {
                    // It never will be enabled.
                    if has(needed, label - first) {
                        return NextGroup::Met;
                    }
                    let out = &scratch.closing.labels_out[first as usize / 64..];
                    if let Some(label) = next_without(needed, need.way - 1, out) {
                        need.way = label + 1;
                        return NextGroup::Group(self.group_of_label(first + label));
                    }
                }
            }
            (need.part, need.way) = (need.part + 1, 0);
        }
    }

    /// The group that helped last time, if it may help now; none of a rule that is enabled.
    #[inline]
    fn hinted(&self, need: &RuleNeed, scratch: &PartialOrderScratch) -> NextGroup {
        let parts = self.parts(need.rule);
        let Some(RulePart { component, label }) = parts.get(need.part as usize).copied() else {
            return NextGroup::None;
        };
        if has(&scratch.offered, label) {
            return NextGroup::None;
        }
        let Some(other) = need.way.checked_sub(1) else {
            return NextGroup::Group(u32::from(component));
        };
        let own = usize::from(component);
        let first = self.firsts[own];
        match self.needed(own, label - first, scratch) {
            Some(needed) if has(needed, other) && !has(needed, label - first) => {
                NextGroup::Group(self.group_of_label(first + other))
            }
            _ => NextGroup::None,
        }
    }

    /// What has to happen before a component offers one of its own labels.
    #[inline]
    fn needed<'a>(
        &'a self,
        component: usize,
        label: u32,
        scratch: &PartialOrderScratch,
    ) -> Option<&'a [u64]> {
        self.components[component].needed(scratch.needs[component], label)
    }

    /// Meets a need by the first group that is left. False if there is none.
    #[inline]
    fn meet(&self, need: u32, allowed: Allowed, scratch: &mut PartialOrderScratch) -> bool {
        let (time, since) = (scratch.closing.time, scratch.closing.since);
        let mut present = scratch.closing.needs[need as usize];
        if scratch.closing.rules[present.rule as usize].is_refused(since) {
            return true;
        }
        loop {
            let group = match present.hinted {
                true => self.hinted(&present, scratch),
                false => self.way(&mut present, scratch),
            };
            let group = match group {
                NextGroup::Group(group) => group,
                NextGroup::Met => return true,
                NextGroup::None if present.hinted => {
                    (present.part, present.way, present.hinted) = (0, 0, false);
                    continue;
                }
                NextGroup::None => return false,
            };
            let at = group as usize;
            let mark = scratch.closing.groups[at];
            let is_new = mark != Mark::wanted(time);
            if mark.is_refused(since) || is_new && !self.may_have(group, allowed, scratch) {
                self.rule_out(group, &mut scratch.closing);
                match present.hinted {
                    true => (present.part, present.way, present.hinted) = (0, 0, false),
                    false => present.way += 1,
                }
                continue;
            }
            let closing = &mut scratch.closing;
            closing.needs[need as usize] = present;
            if is_new {
                closing.groups[at] = Mark::wanted(time);
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

    /// The twins of a seed that is to be alone: they are held to be in the set ([`super::twins`]).
    fn twins_of(&self, (seed, alone): Allowed) -> &[u32] {
        if alone { self.twins.of(seed) } else { &[] }
    }

    /// Whether no step stands against a group: one that is seen, or, if the seed has to be alone, any other one.
    #[inline]
    fn may_have(&self, group: u32, allowed: Allowed, scratch: &PartialOrderScratch) -> bool {
        let (seed, alone) = allowed;
        // Of the rules with steps and such a part, and of those that are seen, how many there are.
        let stands = |(all, seen): (u32, u32), is_such: &dyn Fn(&RulePart) -> bool| {
            if !alone {
                return seen == 0;
            }
            let has_part = |rule: &u32| self.parts(*rule).iter().any(is_such);
            let is_own = |rule: &&u32| scratch.steps[**rule as usize] > 0 && has_part(rule);
            let twins = self.twins_of(allowed).iter().filter(is_own).count();
            all == u32::from(has_part(&seed)) + twins as u32
        };
        let stands_by = |label: u32| {
            stands(scratch.moving_by[label as usize], &|part| {
                part.label == label
            })
        };
        match self.group(group) {
            RuleGroup::Able(component) => stands(scratch.moving[component], &|part| {
                usize::from(part.component) == component
            }),
            RuleGroup::Label(label) => {
                stands_by(label) && self.is_held_elsewhere(label, allowed, scratch)
            }
            RuleGroup::Disturbing(label) => {
                let mut labels = self.disturbing(label).unwrap_or(&[]).iter();
                labels.all(|label| stands_by(*label))
            }
        }
    }

    /// Whether others hold back all rules of a label that its component does not offer. If it alone holds back one of
    /// them, that one needs what the component is able to do, or what it goes through on the way to the label; and
    /// whatever the component goes through the label to needs no more than that.
    #[inline]
    fn is_held_elsewhere(
        &self,
        label: u32,
        allowed: Allowed,
        scratch: &PartialOrderScratch,
    ) -> bool {
        let holds_back =
            |part: &RulePart| part.label != label && !has(&scratch.offered, part.label);
        let is_held = |rule: &u32| {
            self.parts(*rule).iter().any(holds_back) || self.twins_of(allowed).contains(rule)
        };
        has(&scratch.offered, label) || self.rules_of(label).iter().all(is_held)
    }

    /// Whether the needs of an enabled rule can be met, as far as that is seen at once.
    fn may_be_kept(&self, allowed: Allowed, scratch: &PartialOrderScratch) -> bool {
        self.parts(allowed.0).iter().all(|part| {
            let by_disturbing = self.group_of_disturbing(part.label);
            self.may_have(u32::from(part.component), allowed, scratch)
                || self.disturbing(part.label).is_some()
                    && self.may_have(by_disturbing, allowed, scratch)
        })
    }

    /// Wants all rules of a group.
    fn want_group(&self, group: u32, scratch: &mut PartialOrderScratch) {
        let PartialOrderScratch {
            steps,
            places,
            closing,
            ..
        } = scratch;
        let mut want_all = |rules: &[u32]| {
            for rule in rules {
                self.want(*rule, steps, closing);
            }
        };
        match self.group(group) {
            RuleGroup::Able(component) => {
                want_all(self.components[component].able(places[component]));
            }
            RuleGroup::Label(label) => want_all(self.rules_of(label)),
            RuleGroup::Disturbing(label) => {
                let labels = self.disturbing(label).unwrap_or(&[]).iter();
                labels.for_each(|label| want_all(self.rules_of(*label)));
            }
        }
    }

    /// Takes a rule out of the set, and with it the groups that it is in.
    fn refuse(&self, rule: u32, scratch: &mut PartialOrderScratch) {
        let PartialOrderScratch {
            offered, closing, ..
        } = scratch;
        let mark = &mut closing.rules[rule as usize];
        if mark.is_refused(closing.since) {
            return;
        }
        *mark = Mark::refused(closing.time);
        for RulePart { component, label } in self.parts(rule) {
            if has(offered, *label) {
                self.refuse_group(u32::from(*component), closing);
            }
            self.refuse_group(self.group_of_label(*label), closing);
            for other in self.disturbed(*label) {
                self.refuse_group(self.group_of_disturbing(*other), closing);
            }
        }
    }
}

impl Closing {
    /// Begins with another state.
    pub(super) fn begin(&mut self) {
        self.goes_on = false;
    }

    /// Notes a need of a rule, to be met by participants from one on, or as it was met last time.
    fn need(&mut self, rule: u32, (part, way): (u32, u32), hinted: bool) {
        self.open.push(self.needs.len() as u32);
        self.needs.push(RuleNeed {
            rule,
            part,
            way,
            hinted,
        });
    }
}
