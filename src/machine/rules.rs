//! Rules: which components move together, and what the network performs (Def. 26).
//!
//! They are derived bottom-up from the events that the components were seen to perform, so only
//! rules that can fire exist, whatever the size of the alphabets. A component that shows a new event
//! makes its format derive them again.

use std::cell::{Cell, RefCell};

use super::format::Tree;
use super::priority::{Node, Priorities, Wait, Waits};
use super::turns::Turn;
use super::{EventId, LocalId, Machine};
use crate::eval::Evaluator;
use crate::process::term::Label;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map};
use crate::source::stack::deep;
use crate::value::{Data, Value};

/// Rules made between two looks at the limits.
const POLL_EVERY: usize = 4096;

/// A rule `(e, a)`: `e` as the participants alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Component and its event, ascending by component. Components not named stand still.
    pub parts: Box<[(u16, EventId)]>,
    /// What the network performs.
    pub result: EventId,
    /// The event before it was hidden, for people; equal to `result` if it was not.
    pub shown: EventId,
    /// The operators that end with it.
    pub turns: Box<[Turn]>,
}

/// A rule that a component leads, with the targets of its own move.
#[derive(Clone, Copy, Debug)]
pub struct Fire {
    /// Which rule.
    pub rule: u32,
    /// What the network performs.
    pub result: EventId,
    /// Range of the participants in [`Rules::participants`].
    pub parts: (u32, u32),
    /// Whether operators end.
    pub turns: bool,
    /// Range of the leader's transitions in the arena of [`super::Locals`].
    pub targets: (u32, u32),
}

/// Events of a component, and in how many of its local states each was seen.
pub type Seen = IndexMap<EventId, u64>;

/// All rules of a format, and an index from local states to the rules that they can lead.
#[derive(Debug, Default)]
pub struct Rules {
    /// In the order derived.
    pub list: Vec<Rule>,
    /// Which of them wait for which.
    pub priorities: Priorities,
    /// Events that each component was seen to perform, and in how many local states.
    pub seen: Vec<Seen>,
    /// How many local states of each component were looked at.
    noted: Vec<u64>,
    /// The participants of all rules, one rule after the other, and where each rule's stand.
    participants: Vec<(u16, EventId)>,
    parts: Vec<(u32, u32)>,
    /// For each component and event, the rules that the component leads with it.
    lead: Vec<Map<EventId, Vec<u32>>>,
    /// For each component and local state: a range in `fires`; start `u32::MAX` if not built.
    fire_at: Vec<Vec<(u32, u32)>>,
    fires: Vec<Fire>,
}

impl Rules {
    /// No rules, for this many components.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self {
            seen: vec![Seen::default(); components],
            noted: vec![0; components],
            fire_at: vec![Vec::new(); components],
            ..Self::default()
        }
    }

    /// Where the rules that a component in this local state leads stand, if they were built.
    #[must_use]
    pub fn led_by(&self, component: usize, local: LocalId) -> Option<(u32, u32)> {
        let range = *self.fire_at[component].get(local.0 as usize)?;
        (range.0 != u32::MAX).then_some(range)
    }

    /// The rules in a range that [`Rules::led_by`] gave.
    #[must_use]
    pub fn fires(&self, range: (u32, u32)) -> &[Fire] {
        &self.fires[range.0 as usize..range.1 as usize]
    }

    /// The participants of a rule and their events.
    #[must_use]
    pub fn participants(&self, fire: &Fire) -> &[(u16, EventId)] {
        &self.participants[fire.parts.0 as usize..fire.parts.1 as usize]
    }

    fn forget_fires(&mut self) {
        self.fires.clear();
        for per_component in &mut self.fire_at {
            per_component.clear();
        }
    }

    /// Lists the rules that an expanded local state of a component leads.
    ///
    /// # Errors
    /// A limit.
    pub fn build(&mut self, component: usize, local: LocalId, machine: &Machine) -> Result<()> {
        let from = self.fires.len() as u32;
        let transitions = machine.locals.transitions(local).unwrap_or(&[]);
        let (arena, _) = machine.locals.arena_range(local);
        let mut at = 0;
        while at < transitions.len() {
            machine.eval.check_step()?;
            let event = transitions[at].0;
            let len = transitions[at..]
                .iter()
                .take_while(|t| t.0 == event)
                .count();
            if let Some(rules) = self.lead[component].get(&event) {
                let targets = (arena + at as u32, arena + (at + len) as u32);
                self.fires.extend(rules.iter().map(|rule| Fire {
                    rule: *rule,
                    result: self.list[*rule as usize].result,
                    parts: self.parts[*rule as usize],
                    turns: !self.list[*rule as usize].turns.is_empty(),
                    targets,
                }));
            }
            at += len;
        }
        let index = local.0 as usize;
        let slots = &mut self.fire_at[component];
        if slots.len() <= index {
            slots.resize(index + 1, (u32::MAX, u32::MAX));
        }
        slots[index] = (from, self.fires.len() as u32);
        self.priorities.build(component, local, transitions);
        Ok(())
    }
}

/// A rule under construction.
#[derive(Clone)]
pub(super) struct Partial {
    pub(super) parts: Vec<(u16, EventId)>,
    pub(super) shown: EventId,
    /// Where it waits for what has priority.
    pub(super) waits: Vec<Wait>,
    /// Whether only the first of its targets counts.
    pub(super) chased: bool,
    /// The operators that end with it.
    pub(super) turns: Vec<Turn>,
}

/// What rules are derived from, and the priorities met so far.
pub(super) struct Derivation<'a> {
    seen: &'a [Seen],
    noted: &'a [u64],
    pub(super) nodes: RefCell<Vec<Node>>,
    /// Operators that end met so far.
    operators: Cell<u16>,
}

impl Derivation<'_> {
    /// The number of an operator that ends.
    pub(super) fn next_operator(&self) -> u16 {
        let number = self.operators.get();
        self.operators.set(number + 1);
        number
    }

    /// As [`leader`].
    pub(super) fn leader(&self, parts: &[(u16, EventId)]) -> Option<(u16, EventId)> {
        leader(self.seen, self.noted, parts)
    }
}

/// The participant that can least often perform its event makes the fewest futile attempts.
fn leader(seen: &[Seen], noted: &[u64], parts: &[(u16, EventId)]) -> Option<(u16, EventId)> {
    // In how many local states it can, and of how many.
    let frequency = |(component, event): &(u16, EventId)| {
        let component = *component as usize;
        let can = seen[component].get(event).copied().unwrap_or(0);
        (can, noted[component].max(1))
    };
    let best = parts.iter().min_by(|a, b| {
        let (x, y) = (frequency(a), frequency(b));
        (x.0 * y.1).cmp(&(y.0 * x.1)).then(a.0.cmp(&b.0))
    });
    best.copied()
}

/// What a subtree can perform, event by event.
pub(super) type Offers = IndexMap<EventId, Vec<Partial>>;

impl Machine {
    /// Records the events of an expanded local state of a component; true if some are new.
    ///
    /// # Errors
    /// A limit.
    pub fn note_events(&self, rules: &mut Rules, component: usize, local: LocalId) -> Result<bool> {
        let before = rules.seen[component].len();
        let transitions = self.locals.transitions(local).unwrap_or(&[]);
        let mut last = None;
        for (event, _) in transitions {
            if last != Some(*event) {
                self.eval.check_step()?;
                *rules.seen[component].entry(*event).or_default() += 1;
                last = Some(*event);
            }
        }
        rules.noted[component] += 1;
        Ok(rules.seen[component].len() > before)
    }

    /// Derives all rules from the events seen.
    ///
    /// # Errors
    /// When membership in a set of the tree cannot be decided.
    pub fn derive_rules(&mut self, tree: &Tree, rules: &mut Rules) -> Result<()> {
        let derivation = Derivation {
            seen: &rules.seen,
            noted: &rules.noted,
            nodes: RefCell::default(),
            operators: Cell::default(),
        };
        let offers = self.offers(tree, &derivation)?;
        let nodes = derivation.nodes.into_inner();
        rules.forget_fires();
        let mut list: IndexSet<(Rule, Waits)> = IndexSet::default();
        for (result, partials) in offers {
            if result == EventId::DONE {
                continue;
            }
            for mut partial in partials {
                self.eval.check_step()?;
                partial.parts.sort_unstable();
                partial.waits.sort_unstable();
                let rule = Rule {
                    parts: partial.parts.into(),
                    result,
                    shown: partial.shown,
                    turns: partial.turns.into(),
                };
                let waits = Waits {
                    places: partial.waits.into(),
                    chased: partial.chased,
                };
                list.insert((rule, waits));
            }
        }
        let (list, waits) = list.into_iter().unzip();
        rules.list = list;
        rules.priorities = Priorities::new(nodes, waits);
        rules.lead = vec![Map::default(); rules.seen.len()];
        rules.participants.clear();
        rules.parts.clear();
        for (index, rule) in rules.list.iter().enumerate() {
            self.eval.check_step()?;
            let from = rules.participants.len() as u32;
            rules.participants.extend_from_slice(&rule.parts);
            rules.parts.push((from, rules.participants.len() as u32));
            if let Some((component, event)) = leader(&rules.seen, &rules.noted, &rule.parts) {
                rules.lead[component as usize]
                    .entry(event)
                    .or_default()
                    .push(index as u32);
            }
        }
        Ok(())
    }

    pub(super) fn offers(&mut self, tree: &Tree, from: &Derivation<'_>) -> Result<Offers> {
        self.eval.check_time()?;
        deep(|| match tree {
            Tree::Leaf(component) => self.offers_leaf(*component, from),
            Tree::Interleave(parts) => self.offers_sharing(None, parts, from),
            Tree::Sharing(set, parts) => self.offers_sharing(Some(*set), parts, from),
            Tree::Alphabetised(parts) => self.offers_alphabetised(parts, from),
            Tree::Link(left, pairs, right) => self.offers_link(left, *pairs, right, from),
            Tree::Hide(process, set, keep) => self.offers_hide(process, *set, *keep, from),
            Tree::Rename(process, pairs) => self.offers_rename(process, *pairs, from),
            Tree::Priority(process, order) => {
                let offers = self.offers(process, from)?;
                self.offers_priority(offers, *order, from)
            }
            Tree::Ending(ending) => self.offers_ending(ending, from),
        })
    }

    fn offers_leaf(&self, component: u16, from: &Derivation<'_>) -> Result<Offers> {
        let mut offers = Offers::default();
        for event in from.seen[component as usize].keys() {
            self.eval.check_step()?;
            let partial = Partial {
                parts: vec![(component, *event)],
                shown: *event,
                waits: Vec::new(),
                chased: false,
                turns: Vec::new(),
            };
            offers.insert(*event, vec![partial]);
        }
        Ok(offers)
    }

    /// What an operand of a parallel operator offers, and apart from that how all its components have
    /// terminated. Its ✓ is seen by nobody else.
    fn operand(&mut self, tree: &Tree, from: &Derivation<'_>) -> Result<(Offers, Vec<Partial>)> {
        let mut offers = self.offers(tree, from)?;
        let done = offers.shift_remove(&EventId::DONE).unwrap_or_default();
        let ticks = offers.shift_remove(&EventId::TICK).unwrap_or_default();
        if !ticks.is_empty() && !is_composed(tree) {
            offers.entry(EventId::TAU).or_default().extend(ticks);
        }
        Ok((offers, done))
    }

    /// What all operands of a parallel operator offer.
    fn operands<'t>(
        &mut self,
        parts: impl Iterator<Item = &'t Tree>,
        from: &Derivation<'_>,
    ) -> Result<(Vec<Offers>, Vec<Vec<Partial>>)> {
        let (mut all, mut done) = (Vec::new(), Vec::new());
        for part in parts {
            let (offers, ended) = self.operand(part, from)?;
            all.push(offers);
            done.push(ended);
        }
        Ok((all, done))
    }

    /// ✓ of a parallel composition: once all components have terminated, each by itself (distributed
    /// termination, as [`crate::process`] has it for terms). It is what the composition offers to
    /// those around it, too: that a part of them has terminated shows in no event.
    fn terminate(&self, result: &mut Offers, done: &[Vec<Partial>]) -> Result<()> {
        let joined = join(&self.eval, done.iter().map(Vec::as_slice), EventId::TICK)?;
        if !joined.is_empty() {
            result.insert(EventId::DONE, joined.clone());
            result.insert(EventId::TICK, joined);
        }
        Ok(())
    }

    /// `P [|A|] Q …` and `P ||| Q …` (no set): events of the set need all operands.
    fn offers_sharing(
        &mut self,
        set: Option<Value>,
        parts: &[Tree],
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let (all, done) = self.operands(parts.iter(), from)?;
        let mut result = Offers::default();
        for (n, offers) in all.iter().enumerate() {
            for (event, partials) in offers {
                self.eval.check_step()?;
                let shared = match set {
                    Some(set) => self.event_in(*event, set)?,
                    None => false,
                };
                if !shared {
                    result
                        .entry(*event)
                        .or_default()
                        .extend(partials.iter().cloned());
                } else if n == 0 {
                    let operands = all
                        .iter()
                        .map(|o| o.get(event).map_or(&[][..], Vec::as_slice));
                    let together = join(&self.eval, operands, *event)?;
                    if !together.is_empty() {
                        result.entry(*event).or_default().extend(together);
                    }
                }
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    /// `|| x:S @ [A] P`: an event needs every operand whose alphabet has it.
    fn offers_alphabetised(
        &mut self,
        parts: &[(Value, Tree)],
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let (all, done) = self.operands(parts.iter().map(|p| &p.1), from)?;
        let events: IndexSet<EventId> = all.iter().flat_map(|o| o.keys().copied()).collect();
        let mut result = Offers::default();
        for event in events {
            if !event.is_visible() {
                let taus = all.iter().filter_map(|o| o.get(&event)).flatten().cloned();
                result.entry(event).or_default().extend(taus);
                continue;
            }
            let mut together = Vec::with_capacity(parts.len());
            for ((alphabet, _), offers) in parts.iter().zip(&all) {
                if self.event_in(event, *alphabet)? {
                    together.push(offers.get(&event).map_or(&[][..], Vec::as_slice));
                }
            }
            if !together.is_empty() {
                let joined = join(&self.eval, together.into_iter(), event)?;
                if !joined.is_empty() {
                    result.entry(event).or_default().extend(joined);
                }
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    /// `P [a <-> b] Q`: paired events happen together and are hidden; linked events do not happen alone.
    fn offers_link(
        &mut self,
        left: &Tree,
        pairs: Value,
        right: &Tree,
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let (all, done) = self.operands([left, right].into_iter(), from)?;
        let [ours, theirs] = &all[..] else {
            return Ok(Offers::default());
        };
        let pairs = self.event_pairs(pairs);
        let (linked_left, linked_right): (IndexSet<_>, IndexSet<_>) = pairs.iter().copied().unzip();
        let mut result = Offers::default();
        for (offers, linked) in [(ours, &linked_left), (theirs, &linked_right)] {
            for (event, partials) in offers {
                if !linked.contains(event) {
                    result
                        .entry(*event)
                        .or_default()
                        .extend(partials.iter().cloned());
                }
            }
        }
        let none: &[Partial] = &[];
        for (a, b) in pairs {
            let sides = [ours.get(&a), theirs.get(&b)].map(|o| o.map_or(none, Vec::as_slice));
            let joined = join(&self.eval, sides.into_iter(), a)?;
            if !joined.is_empty() {
                result.entry(EventId::TAU).or_default().extend(joined);
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    fn offers_hide(
        &mut self,
        process: &Tree,
        set: Value,
        keep: bool,
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let mut result = Offers::default();
        for (event, partials) in self.offers(process, from)? {
            self.eval.check_step()?;
            let hidden = event.is_visible() && self.event_in(event, set)? != keep;
            result
                .entry(if hidden { EventId::TAU } else { event })
                .or_default()
                .extend(partials);
        }
        Ok(result)
    }

    /// `P [[ a <- b ]]`: every image of an event; events not mentioned stay.
    fn offers_rename(
        &mut self,
        process: &Tree,
        pairs: Value,
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let mut images: IndexMap<EventId, Vec<EventId>> = IndexMap::default();
        for (old, new) in self.event_pairs(pairs) {
            images.entry(old).or_default().push(new);
        }
        let mut result = Offers::default();
        for (event, partials) in self.offers(process, from)? {
            self.eval.check_step()?;
            let stays = vec![event];
            for new in images.get(&event).unwrap_or(&stays) {
                result
                    .entry(*new)
                    .or_default()
                    .extend(partials.iter().map(|p| Partial {
                        parts: p.parts.clone(),
                        waits: p.waits.clone(),
                        chased: p.chased,
                        turns: p.turns.clone(),
                        shown: if event == EventId::TAU { p.shown } else { *new },
                    }));
            }
        }
        Ok(result)
    }

    pub(super) fn event_in(&mut self, event: EventId, set: Value) -> Result<bool> {
        match self.events.value(event) {
            Some(value) => self.eval.store_mut().contains(set, value).map_err(|error| {
                let (code, text) = self.eval.store().explain(&error, self.eval.script());
                Box::new(
                    Diagnostic::nowhere(code, text)
                        .note("in a synchronisation, hiding or renaming set"),
                )
            }),
            None => Ok(false),
        }
    }

    pub(super) fn event_pairs(&mut self, pairs: Value) -> Vec<(EventId, EventId)> {
        let Data::Set(members) = self.eval.store().data(pairs).clone() else {
            return Vec::new();
        };
        let mut found = Vec::with_capacity(members.len());
        for member in members {
            if let Data::Tuple(parts) = self.eval.store().data(member).clone()
                && let [old, new] = parts[..]
            {
                found.push((
                    self.events.intern(Label::Event(old)),
                    self.events.intern(Label::Event(new)),
                ));
            }
        }
        found
    }
}

/// Whether a tree has several leaves.
fn is_composed(tree: &Tree) -> bool {
    match tree {
        Tree::Leaf(_) => false,
        Tree::Hide(inner, ..) | Tree::Rename(inner, _) | Tree::Priority(inner, _) => {
            is_composed(inner)
        }
        Tree::Interleave(_)
        | Tree::Sharing(..)
        | Tree::Alphabetised(_)
        | Tree::Link(..)
        | Tree::Ending(_) => true,
    }
}

/// Every way to take one offer of each operand: there may be very many.
fn join<'a>(
    eval: &Evaluator,
    operands: impl Iterator<Item = &'a [Partial]>,
    event: EventId,
) -> Result<Vec<Partial>> {
    let mut joined = vec![Partial {
        parts: Vec::new(),
        shown: event,
        waits: Vec::new(),
        chased: false,
        turns: Vec::new(),
    }];
    for offers in operands {
        let mut next = Vec::with_capacity((joined.len() * offers.len()).min(POLL_EVERY));
        for done in &joined {
            for offer in offers {
                if next.len() % POLL_EVERY == POLL_EVERY - 1 {
                    eval.check_time()?;
                }
                next.push(Partial {
                    parts: done.parts.iter().chain(&offer.parts).copied().collect(),
                    shown: event,
                    waits: done.waits.iter().chain(&offer.waits).copied().collect(),
                    chased: done.chased || offer.chased,
                    turns: done.turns.iter().chain(&offer.turns).copied().collect(),
                });
            }
        }
        joined = next;
    }
    Ok(joined)
}
