//! Rules: the components that move together, and the event that the network performs (Def. 26).
//!
//! They are derived from the events that the components were seen to perform ([`super::derive`]). When a
//! component shows a new event, its format derives a new set of rules; a set is never changed. Only the
//! index from local states to the rules that they can lead grows.

use std::hash::BuildHasher;

use smallvec::SmallVec;

use super::events::EventId;
use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::ready::{Ready, ReadyRow};
use super::seen::Seen;
use super::tree::Turn;
use super::waiting::Priorities;
use crate::source::diagnostic::Result;
use crate::source::hash::{Fx, Map};

/// A rule `(e, a)`, with `e` reduced to the participants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Participants with their events, ascending by component. All other components stand still.
    pub parts: Box<[(u16, EventId)]>,
    /// The event of the network.
    pub result: EventId,
    /// The event before hiding, for display; equal to `result` if it was not hidden.
    pub shown: EventId,
    /// The operators that end with it.
    pub turns: Box<[Turn]>,
}

/// Participants of a rule without their events: mostly two, or a few more.
type RuleMovers = SmallVec<[u16; 8]>;

impl Rule {
    fn movers(&self) -> RuleMovers {
        self.parts.iter().map(|part| part.0).collect()
    }
}

/// A rule that a component leads, with the targets of its own move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LedRule {
    /// Number of the rule.
    pub rule: u32,
    /// The event of the network.
    pub result: EventId,
    /// Range of the participants in [`Rules::participants`].
    pub parts: (u32, u32),
    /// Whether operators end with it.
    pub turns: bool,
    /// Whether all rules with the same participants have the same leader.
    pub settled: bool,
    /// The leader's transitions, as a range counted from its first one: local states that differ only in their targets
    /// share one list of rules.
    targets: (u32, u32),
    /// The first of the other participants, or [`NOBODY`], and the column of its answer ([`Ready`]).
    asked: (u16, u32),
}

/// No component; there are never so many.
const NOBODY: u16 = u16::MAX;

/// The index entry of a local state of a component.
#[derive(Clone, Copy, Debug)]
pub struct ListedRules {
    /// The rules that it can lead: a range in `fires`.
    fires: (u32, u32),
    /// Start of its transitions in the arena of [`Locals`].
    arena: u32,
    /// Its answers where others lead.
    row: ReadyRow,
}

/// The entry of a local state that was not listed.
static UNKNOWN: ListedRules = ListedRules {
    fires: (u32::MAX, u32::MAX),
    arena: u32::MAX,
    row: ReadyRow::NONE,
};

impl ListedRules {
    /// Whether the component leads some rule.
    #[inline]
    pub fn leads(&self) -> bool {
        self.fires.0 != self.fires.1
    }

    #[inline]
    fn is_known(self) -> bool {
        self.fires.0 != u32::MAX
    }

    /// Converts a range of the local state's transitions to one of the arena of [`Locals`].
    #[inline]
    fn transitions(self, (from, to): (u32, u32)) -> (u32, u32) {
        (self.arena + from, self.arena + to)
    }
}

/// Index entries of the local states of one component, by number from the least on, since the numbers
/// of all components together may be thousands of times as many.
#[derive(Clone, Debug, Default)]
struct ListedLocals {
    least: u32,
    all: Vec<ListedRules>,
}

impl ListedLocals {
    #[inline]
    fn get(&self, local: LocalId) -> &ListedRules {
        // A number below the least wraps around, beyond the end.
        let listed = self.all.get(local.0.wrapping_sub(self.least) as usize);
        listed.unwrap_or(&UNKNOWN)
    }

    fn set(&mut self, local: LocalId, listed: ListedRules) {
        if self.all.is_empty() {
            self.least = local.0;
        }
        if local.0 < self.least {
            // Growth at least doubles, or numbers in descending order would move all entries each time.
            let least = self.least.saturating_sub(self.all.len() as u32);
            let least = least.min(local.0);
            let room = (self.least - least) as usize;
            self.all.splice(0..0, std::iter::repeat_n(UNKNOWN, room));
            self.least = least;
        }
        let at = (local.0 - self.least) as usize;
        if self.all.len() <= at {
            self.all.resize(at + 1, UNKNOWN);
        }
        self.all[at] = listed;
    }

    /// All entries present.
    #[cfg(any(test, debug_assertions))]
    fn iter(&self) -> impl Iterator<Item = (LocalId, ListedRules)> {
        let all = self.all.iter().zip(self.least..);
        all.filter(|(listed, _)| listed.is_known())
            .map(|(listed, local)| (LocalId(local), *listed))
    }
}

/// All rules of a format, and an index from local states to the rules that they can lead.
#[derive(Clone, Debug)]
pub struct Rules {
    /// In the order derived.
    list: Vec<Rule>,
    /// The priorities among them.
    priorities: Priorities,
    /// The participants of all rules, one rule after the other, and the start of each rule's.
    participants: Vec<(u16, EventId)>,
    parts: Vec<(u32, u32)>,
    /// For each rule, whether all rules with its participants have its leader.
    settled: Vec<bool>,
    /// For each component and event, the rules that the component leads with it. Each rule has one leader.
    lead: Vec<Map<EventId, Vec<u32>>>,
    /// The index, by component.
    listed: Vec<ListedLocals>,
    /// The lists of rules that local states lead, one after the other.
    fires: Vec<LedRule>,
    /// One list of each hash, for sharing: the stack of a specification has a million local states with few lists.
    lists: Map<u64, (u32, u32)>,
    ready: Ready,
}

impl Rules {
    /// Indexes these rules, with leaders chosen by the events seen. `check` is called for each rule.
    ///
    /// # Errors
    /// Any error of `check`.
    pub fn new(
        list: Vec<Rule>,
        priorities: Priorities,
        seen: &Seen,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let components = seen.all().len();
        let mut participants = Vec::new();
        let mut parts = Vec::with_capacity(list.len());
        let mut lead = vec![Map::default(); components];
        let mut ready = Ready::new(components);
        let mut leaders: Map<RuleMovers, Option<u16>> = Map::default();
        for (index, rule) in list.iter().enumerate() {
            check()?;
            let from = participants.len() as u32;
            participants.extend_from_slice(&rule.parts);
            parts.push((from, participants.len() as u32));
            let leader = seen.leader(&rule.parts);
            ready.add(&rule.parts, leader);
            if let Some((component, event)) = leader {
                let sole = leaders.entry(rule.movers()).or_insert(Some(component));
                if *sole != Some(component) {
                    *sole = None;
                }
                let led: &mut Vec<u32> = lead[component as usize].entry(event).or_default();
                led.push(index as u32);
            }
        }
        let is_settled = |rule: &Rule| leaders.get(&rule.movers()).is_some_and(Option::is_some);
        let settled = list.iter().map(is_settled).collect();
        Ok(Self {
            list,
            priorities,
            participants,
            parts,
            settled,
            lead,
            listed: vec![ListedLocals::default(); components],
            fires: Vec::new(),
            lists: Map::default(),
            ready,
        })
    }

    /// The rules in the order derived.
    #[must_use]
    pub fn list(&self) -> &[Rule] {
        &self.list
    }

    /// A rule by number.
    #[must_use]
    pub fn rule(&self, rule: u32) -> &Rule {
        &self.list[rule as usize]
    }

    /// The priorities among them.
    #[must_use]
    pub fn priorities(&self) -> &Priorities {
        &self.priorities
    }

    /// Whether operators end with any rule.
    #[must_use]
    pub fn end_operators(&self) -> bool {
        self.list.iter().any(|rule| !rule.turns.is_empty())
    }

    /// The index entry of a component in this local state, if it was built.
    #[inline]
    #[must_use]
    pub fn listed(&self, component: usize, local: LocalId) -> Option<ListedRules> {
        Some(*self.listed[component].get(local)).filter(|listed| listed.is_known())
    }

    /// The same for all components; `out` is overwritten.
    ///
    /// # Errors
    /// The first component whose entry was not built.
    #[inline]
    pub fn list_all(
        &self,
        format: FormatId,
        state: &[LocalId],
        out: &mut Vec<ListedRules>,
    ) -> std::result::Result<(), Miss> {
        out.clear();
        let mut are_known = true;
        out.extend(self.listed.iter().zip(state).map(|(listed, local)| {
            let found = listed.get(*local);
            are_known &= found.is_known();
            *found
        }));
        if are_known {
            return Ok(());
        }
        let unknown = out.iter().position(|listed| !listed.is_known());
        unknown.map_or(Ok(()), |component| {
            Err(Miss::Fire(format, component as u16, state[component]))
        })
    }

    /// The rules that a component leads.
    #[inline]
    #[must_use]
    pub fn fires(&self, listed: ListedRules) -> &[LedRule] {
        let (from, to) = listed.fires;
        &self.fires[from as usize..to as usize]
    }

    /// Whether the first other participant of a rule is known to refuse it. Most rules that are led end here, so this
    /// is decided before anything is collected. `all` has the index entry of each component.
    #[inline]
    #[must_use]
    pub fn is_refused(&self, fire: &LedRule, all: &[ListedRules]) -> bool {
        let (component, column) = fire.asked;
        let asked = all.get(usize::from(component));
        asked.is_some_and(|asked| self.ready.refuses(asked.row, column))
    }

    /// For each participant of a rule, the transitions that it can contribute, as a range in the arena of [`Locals`]:
    /// empty if it refuses. `state` and `all` have the local state of each component
    /// and its index entry.
    #[inline]
    pub fn ranges<'a>(
        &'a self,
        locals: &'a Locals,
        fire: &'a LedRule,
        leader: usize,
        state: &'a [LocalId],
        all: &'a [ListedRules],
    ) -> impl Iterator<Item = (u16, (u32, u32))> {
        let columns = self.ready.columns(fire.parts);
        let parts = self.participants(fire).iter().zip(columns);
        parts.map(move |((component, event), column)| {
            let place = usize::from(*component);
            let range = match place == leader {
                true => all[place].transitions(fire.targets),
                false => {
                    let look_up = || locals.range_on(state[place], *event);
                    self.ready.range(all[place].row, *column, look_up)
                }
            };
            (*component, range)
        })
    }

    /// The participants of a rule and their events.
    #[must_use]
    pub fn participants(&self, fire: &LedRule) -> &[(u16, EventId)] {
        &self.participants[fire.parts.0 as usize..fire.parts.1 as usize]
    }

    /// Lists the rules that an expanded local state of a component leads. `check` is called for each of
    /// its events.
    ///
    /// # Errors
    /// Any error of `check`.
    pub fn build(
        &mut self,
        component: usize,
        local: LocalId,
        locals: &Locals,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let from = self.fires.len();
        let transitions = locals.transitions(local).unwrap_or(&[]);
        let mut at = 0;
        for same in transitions.chunk_by(|a, b| a.0 == b.0) {
            check()?;
            let (event, len) = (same[0].0, same.len());
            // Rules with this event that have another leader are listed there.
            if let Some(rules) = self.lead[component].get(&event) {
                let targets = (at as u32, (at + len) as u32);
                self.fires.extend(rules.iter().map(|rule| {
                    let (n, parts) = (*rule as usize, self.parts[*rule as usize]);
                    let own = &self.participants[parts.0 as usize..parts.1 as usize];
                    let mut columns = own.iter().zip(self.ready.columns(parts));
                    let other = columns.find(|(part, _)| usize::from(part.0) != component);
                    LedRule {
                        rule: *rule,
                        result: self.list[n].result,
                        parts,
                        turns: !self.list[n].turns.is_empty(),
                        settled: self.settled[n],
                        targets,
                        asked: other.map_or((NOBODY, 0), |(part, column)| (part.0, *column)),
                    }
                }));
            }
            at += len;
        }
        // An empty list, too: then the local state is known to lead nothing.
        let listed = ListedRules {
            fires: self.settle_list(from),
            arena: locals.arena_range(local).0,
            row: self.ready.build(component, local, locals),
        };
        self.listed[component].set(local, listed);
        self.priorities.build(component, local, transitions);
        Ok(())
    }

    /// Drops the last list, which starts at `from`, if an equal one exists. Returns the range of the one kept.
    fn settle_list(&mut self, from: usize) -> (u32, u32) {
        let list = &self.fires[from..];
        let hash = Fx.hash_one(list);
        let own = (from as u32, self.fires.len() as u32);
        let (start, end) = *self.lists.entry(hash).or_insert(own);
        // A different list may have the same hash. Then both stay.
        let is_known = start != own.0 && self.fires[start as usize..end as usize] == *list;
        if !is_known {
            return own;
        }
        self.fires.truncate(from);
        (start, end)
    }

    /// Checks that the rules consist of events that were seen, that each has one leader among its participants, and
    /// that all lists that are searched or indexed are ordered accordingly.
    #[cfg(debug_assertions)]
    pub(super) fn assert_consistent(&self, seen: &Seen, locals: &Locals) {
        let mut led = vec![0; self.list.len()];
        for (component, by_event) in self.lead.iter().enumerate() {
            for (event, rules) in by_event {
                for rule in rules {
                    led[*rule as usize] += 1;
                    let own = (component as u16, *event);
                    assert!(self.list[*rule as usize].parts.contains(&own));
                }
            }
        }
        for (n, rule) in self.list.iter().enumerate() {
            let ascending = rule.parts.windows(2).all(|w| w[0].0 < w[1].0);
            assert!(ascending, "participants ascend, and none takes part twice");
            for (component, event) in &rule.parts {
                assert!(seen.of(usize::from(*component)).contains_key(event));
            }
            assert_eq!(led[n], usize::from(!rule.parts.is_empty()));
            let (from, to) = self.parts[n];
            assert_eq!(self.participants[from as usize..to as usize], *rule.parts);
        }
        for (component, all) in self.listed.iter().enumerate() {
            for (local, listed) in all.iter() {
                // Built entries are led by this component, on transitions that the local state has.
                let (start, end) = locals.arena_range(local);
                for fire in self.fires(listed) {
                    let (from, to) = listed.transitions(fire.targets);
                    assert!(start <= from && from < to && to <= end);
                    let event = locals.range((from, to))[0].0;
                    let own = (component as u16, event);
                    assert!(self.participants(fire).contains(&own));
                }
            }
        }
        self.priorities.assert_consistent(self.list.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::testing::{COMPONENTS, LOCALS, all_can, event, locals, parts, state};
    use crate::machine::waiting::RuleWaits;
    use crate::source::hash::IndexSet;
    use proptest::prelude::*;

    /// Rules without priorities, from events that every component was seen to perform.
    fn rules() -> impl Strategy<Value = Rules> {
        let one = (parts(), event());
        proptest::collection::vec(one, 0..6).prop_map(|all| {
            let mut seen = Seen::new(usize::from(COMPONENTS));
            let mut list: IndexSet<Rule> = IndexSet::default();
            for (n, (parts, result)) in (1..).zip(all) {
                for (component, event) in &parts {
                    seen.add(usize::from(*component), *event, n);
                }
                list.insert(Rule {
                    parts: parts.into(),
                    result,
                    shown: result,
                    turns: Box::default(),
                });
            }
            let waits = vec![RuleWaits::default(); list.len()];
            let priorities = Priorities::new(Vec::new(), waits);
            let list = list.into_iter().collect();
            Rules::new(list, priorities, &seen, &|| Ok(())).expect("nothing stops it")
        })
    }

    proptest! {
        /// Every entry is found, and no other, in any order of insertion.
        #[test]
        fn what_was_listed_is_found(numbers in proptest::collection::vec(0..300u32, 0..40)) {
            let mut listed = ListedLocals::default();
            let mut model = std::collections::BTreeMap::new();
            for (at, number) in (0..).zip(numbers) {
                listed.set(LocalId(number), ListedRules { fires: (at, at), arena: 0, row: ReadyRow::NONE });
                model.insert(number, at);
                let found = listed.iter().map(|(local, listed)| (local.0, listed.fires.0));
                prop_assert!(found.eq(model.clone()));
                for number in 0..400 {
                    let found = Some(listed.get(LocalId(number))).filter(|l| l.is_known()).map(|l| l.fires.0);
                    prop_assert_eq!(found, model.get(&number).copied());
                }
            }
        }

        /// The index finds for a state exactly the rules whose participants can all perform their events
        /// (Def. 27), each once.
        #[test]
        fn the_index_finds_the_rules_that_can_fire(
            (mut rules, locals, state) in (rules(), locals(), state())
        ) {
            let (format, mut listed) = (FormatId(0), Vec::new());
            let first = Miss::Fire(format, 0, state[0]);
            prop_assert_eq!(rules.list_all(format, &state, &mut listed), Err(first));
            for component in 0..usize::from(COMPONENTS) {
                for local in (0..LOCALS).map(LocalId) {
                    prop_assert!(rules.listed(component, local).is_none());
                    let built = rules.build(component, local, &locals, &|| Ok(()));
                    built.expect("nothing stops it");
                }
            }
            let mut fired = Vec::new();
            let all = state.iter().enumerate();
            let all = all.map(|(component, local)| rules.listed(component, *local));
            let all: Vec<ListedRules> = all.map(|listed| listed.expect("it was built")).collect();
            prop_assert_eq!(rules.list_all(format, &state, &mut listed), Ok(()));
            prop_assert!(listed.iter().map(|l| l.fires).eq(all.iter().map(|l| l.fires)));
            for (component, local) in state.iter().enumerate() {
                for fire in rules.fires(all[component]) {
                    let rule = rules.rule(fire.rule);
                    prop_assert_eq!(rules.participants(fire), &*rule.parts);
                    prop_assert_eq!(fire.result, rule.result);
                    // The leader's choices are exactly its transitions with its event.
                    let own = rule.parts.iter().find(|p| usize::from(p.0) == component);
                    let event = own.expect("a leader takes part").1;
                    let targets = all[component].transitions(fire.targets);
                    prop_assert_eq!(targets, locals.range_on(*local, event));
                    let ranges = rules.ranges(&locals, fire, component, &state, &all);
                    let own = |(part, event): &(u16, EventId)| {
                        (*part, locals.range_on(state[usize::from(*part)], *event))
                    };
                    prop_assert!(ranges.eq(rule.parts.iter().map(own)));
                    let other = rule.parts.iter().find(|p| usize::from(p.0) != component);
                    let is_refused = other.map(own).is_some_and(|(_, (from, to))| from == to);
                    prop_assert_eq!(rules.is_refused(fire, &all), is_refused);
                    if all_can(&locals, &state, &rule.parts) {
                        fired.push(fire.rule);
                    }
                }
            }
            fired.sort_unstable();
            let numbers = 0..rules.list().len() as u32;
            let expected: Vec<u32> = numbers
                .filter(|n| all_can(&locals, &state, &rules.rule(*n).parts))
                .collect();
            prop_assert_eq!(fired, expected);
        }
    }
}
