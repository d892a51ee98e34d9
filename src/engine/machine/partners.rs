//! Missing participants of an event that is in no rule.
//!
//! Rules exist for events that all participants were seen to perform ([`super::seen`]). A component may offer
//! an event that the operators above it synchronise with others which never perform it: then no
//! rule names the components that are waited for. The derivation of [`super::derive`], for one event and
//! upwards from the component, finds them.

use super::event_sets::EventSets;
use super::events::EventId;
use super::format::Format;
use super::seen::Seen;
use super::shared::Machine;
use super::tree::Tree;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::Value;

/// Obstacles to an event of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// Components that would have to perform it (or one of several that could) and were never seen to do
    /// so; ascending.
    pub components: Vec<u16>,
    /// Whether it is outside the alphabet that the composition gives to the component itself.
    pub outside: bool,
}

/// The images of an event at some operator, each with its obstacles so far.
type Climbing = Vec<(EventId, Lacking)>;

/// Finds the obstacles to an event of a component that is in no rule.
///
/// # Errors
/// Undecidable membership in a set, or a limit.
pub fn lacking(
    machine: &mut Machine,
    format: &Format,
    component: u16,
    event: EventId,
) -> Result<Lacking> {
    let mut search = PartnerSearch {
        sets: EventSets {
            eval: &mut machine.eval,
            events: &mut machine.events,
        },
        seen: format.seen(),
    };
    let ways = search.climb(format.tree(), component, event)?;
    let mut found = Lacking {
        components: Vec::new(),
        outside: !ways.is_empty() && ways.iter().all(|(_, lacks)| lacks.outside),
    };
    for (_, lacks) in ways {
        found.components.extend(lacks.components);
    }
    found.components.sort_unstable();
    found.components.dedup();
    found.components.retain(|c| *c != component);
    Ok(found)
}

/// Whether the set of an operator has an event.
///
/// # Errors
/// Undecidable membership.
pub fn has_event(machine: &mut Machine, set: Value, event: EventId) -> Result<bool> {
    let mut sets = EventSets {
        eval: &mut machine.eval,
        events: &mut machine.events,
    };
    sets.has(set, event)
}

struct PartnerSearch<'a> {
    sets: EventSets<'a>,
    seen: &'a Seen,
}

impl PartnerSearch<'_> {
    /// The images of an event of a component at the root of a tree; empty if the component is not below.
    fn climb(&mut self, tree: &Tree, component: u16, event: EventId) -> Result<Climbing> {
        self.sets.eval.check_time()?;
        deep(|| match tree {
            Tree::Leaf(own) if *own == component => {
                let nothing = Lacking {
                    components: Vec::new(),
                    outside: false,
                };
                Ok(vec![(event, nothing)])
            }
            Tree::Leaf(_) => Ok(Vec::new()),
            Tree::Priority(inner, _) => self.climb(inner, component, event),
            Tree::Hide(inner, set, keep) => {
                let mut ways = self.climb(inner, component, event)?;
                for (event, _) in &mut ways {
                    if event.is_visible() && self.sets.has(*set, *event)? != *keep {
                        *event = EventId::TAU;
                    }
                }
                Ok(ways)
            }
            Tree::Rename(inner, pairs) => {
                let ways = self.climb(inner, component, event)?;
                let pairs = self.sets.pairs(*pairs);
                let mut renamed = Vec::new();
                for (event, lacks) in ways {
                    let images = pairs.iter().filter(|(old, _)| *old == event);
                    let before = renamed.len();
                    renamed.extend(images.map(|(_, new)| (*new, lacks.clone())));
                    if renamed.len() == before {
                        renamed.push((event, lacks));
                    }
                }
                Ok(renamed)
            }
            Tree::Ending(ending) => {
                for operand in ending.operands() {
                    let ways = self.climb(operand, component, event)?;
                    if !ways.is_empty() {
                        return Ok(ways);
                    }
                }
                Ok(Vec::new())
            }
            Tree::Interleave(parts) => self.climb_sharing(parts, None, component, event),
            Tree::Sharing(set, parts) => self.climb_sharing(parts, Some(*set), component, event),
            Tree::Alphabetised(parts) => self.climb_alphabetised(parts, component, event),
            Tree::Link(left, pairs, right) => {
                self.climb_link([left, right], *pairs, component, event)
            }
        })
    }

    fn climb_link(
        &mut self,
        sides: [&Tree; 2],
        pairs: Value,
        component: u16,
        event: EventId,
    ) -> Result<Climbing> {
        let pairs = self.sets.pairs(pairs);
        let mut ways = self.climb(sides[0], component, event)?;
        let is_left = !ways.is_empty();
        if !is_left {
            ways = self.climb(sides[1], component, event)?;
        }
        let other = sides[usize::from(is_left)];
        for (event, lacks) in &mut ways {
            let partners = pairs.iter().filter_map(|(a, b)| match is_left {
                true => (a == event).then_some(*b),
                false => (b == event).then_some(*a),
            });
            let partners: Vec<EventId> = partners.collect();
            if partners.is_empty() {
                continue;
            }
            let mut can = false;
            for partner in &partners {
                can |= self.can(other, *partner)?;
            }
            if !can {
                for partner in partners {
                    self.blame(other, partner, &mut lacks.components)?;
                }
            }
            *event = EventId::TAU;
        }
        Ok(ways)
    }

    fn climb_sharing(
        &mut self,
        parts: &[Tree],
        set: Option<Value>,
        component: u16,
        event: EventId,
    ) -> Result<Climbing> {
        for (n, part) in parts.iter().enumerate() {
            let mut ways = self.climb(part, component, event)?;
            if ways.is_empty() {
                continue;
            }
            for (event, lacks) in &mut ways {
                let shared = match set {
                    Some(set) => self.sets.has(set, *event)?,
                    None => false,
                };
                if !shared {
                    continue;
                }
                for (other, part) in parts.iter().enumerate() {
                    if other != n && !self.can(part, *event)? {
                        self.blame(part, *event, &mut lacks.components)?;
                    }
                }
            }
            return Ok(ways);
        }
        Ok(Vec::new())
    }

    fn climb_alphabetised(
        &mut self,
        parts: &[(Value, Tree)],
        component: u16,
        event: EventId,
    ) -> Result<Climbing> {
        for (n, (own, part)) in parts.iter().enumerate() {
            let mut ways = self.climb(part, component, event)?;
            if ways.is_empty() {
                continue;
            }
            for (event, lacks) in &mut ways {
                // τ synchronises with none.
                if !event.is_visible() {
                    continue;
                }
                lacks.outside |= !self.sets.has(*own, *event)?;
                for (other, (alphabet, part)) in parts.iter().enumerate() {
                    if other != n && self.sets.has(*alphabet, *event)? && !self.can(part, *event)? {
                        self.blame(part, *event, &mut lacks.components)?;
                    }
                }
            }
            return Ok(ways);
        }
        Ok(Vec::new())
    }

    /// Whether a tree can perform an event, judging by the events that its components were seen to perform.
    fn can(&mut self, tree: &Tree, event: EventId) -> Result<bool> {
        deep(|| {
            let mut found = false;
            match tree {
                Tree::Leaf(own) => {
                    return Ok(self.seen.of(usize::from(*own)).contains_key(&event));
                }
                Tree::Sharing(set, parts) if self.sets.has(*set, event)? => {
                    for part in parts {
                        if !self.can(part, event)? {
                            return Ok(false);
                        }
                    }
                    return Ok(true);
                }
                Tree::Interleave(parts) | Tree::Sharing(_, parts) => {
                    for part in parts {
                        found |= self.can(part, event)?;
                    }
                }
                Tree::Alphabetised(parts) => {
                    for (alphabet, part) in parts {
                        if self.sets.has(*alphabet, event)? {
                            if !self.can(part, event)? {
                                return Ok(false);
                            }
                            found = true;
                        }
                    }
                }
                Tree::Link(left, pairs, right) => {
                    let pairs = self.sets.pairs(*pairs);
                    let linked_left = pairs.iter().any(|(a, _)| *a == event);
                    let linked_right = pairs.iter().any(|(_, b)| *b == event);
                    found = !linked_left && self.can(left, event)?
                        || !linked_right && self.can(right, event)?;
                }
                Tree::Hide(inner, set, keep) => {
                    found = self.sets.has(*set, event)? == *keep && self.can(inner, event)?;
                }
                Tree::Rename(inner, pairs) => {
                    for before in self.before(*pairs, event) {
                        found |= self.can(inner, before)?;
                    }
                }
                Tree::Priority(inner, _) => found = self.can(inner, event)?,
                Tree::Ending(ending) => {
                    for operand in ending.operands() {
                        found |= self.can(operand, event)?;
                    }
                }
            }
            Ok(found)
        })
    }

    /// The preimages of an event under a renaming.
    fn before(&mut self, pairs: Value, event: EventId) -> Vec<EventId> {
        let pairs = self.sets.pairs(pairs);
        let from = pairs
            .iter()
            .filter(|(_, new)| *new == event)
            .map(|(old, _)| *old);
        let mut found: Vec<EventId> = from.collect();
        if !pairs.iter().any(|(old, _)| *old == event) {
            found.push(event);
        }
        found
    }

    /// Collects the components because of which a tree cannot perform an event.
    fn blame(&mut self, tree: &Tree, event: EventId, blamed: &mut Vec<u16>) -> Result<()> {
        deep(|| {
            match tree {
                Tree::Leaf(own) => blamed.push(*own),
                Tree::Interleave(parts) | Tree::Sharing(_, parts) => {
                    for part in parts {
                        if !self.can(part, event)? {
                            self.blame(part, event, blamed)?;
                        }
                    }
                }
                Tree::Alphabetised(parts) => {
                    for (alphabet, part) in parts {
                        if self.sets.has(*alphabet, event)? && !self.can(part, event)? {
                            self.blame(part, event, blamed)?;
                        }
                    }
                }
                Tree::Link(left, _, right) => {
                    self.blame(left, event, blamed)?;
                    self.blame(right, event, blamed)?;
                }
                Tree::Rename(inner, pairs) => {
                    for before in self.before(*pairs, event) {
                        self.blame(inner, before, blamed)?;
                    }
                }
                Tree::Hide(inner, ..) | Tree::Priority(inner, _) => {
                    self.blame(inner, event, blamed)?;
                }
                Tree::Ending(ending) => {
                    for operand in ending.operands() {
                        self.blame(operand, event, blamed)?;
                    }
                }
            }
            Ok(())
        })
    }
}
