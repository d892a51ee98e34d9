//! Derivation of the rules of a format from its operators: bottom-up, from the events that the components
//! were seen to perform (Def. 26).
//!
//! Each operator combines the offers of its operands into its own offers. The offers of the
//! root are the rules.

use smallvec::smallvec;

use super::event_sets::EventSets;
use super::events::{EventId, Events};
use super::offers::{Offers, PartialRule, join, offer};
use super::priority::prioritise;
use super::rules::{Rule, Rules};
use super::seen::Seen;
use super::tree::{Continuation, EndingOperator, Tree};
use super::waiting::{Priorities, PriorityNode, RuleWaits};
use crate::eval::Evaluator;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::stack::deep;
use crate::value::Value;

/// Derives all rules from the events seen.
///
/// # Errors
/// Undecidable membership in a set of the tree, or a limit.
pub fn derive(
    eval: &mut Evaluator,
    events: &mut Events,
    tree: &Tree,
    seen: &Seen,
) -> Result<Rules> {
    let mut derivation = Derivation {
        sets: EventSets { eval, events },
        seen,
        nodes: Vec::new(),
        operators: 0,
    };
    let offers = derivation.offers(tree)?;
    let nodes = derivation.nodes;
    let mut list: IndexSet<(Rule, RuleWaits)> = IndexSet::default();
    for (result, partials) in offers {
        // The event `DONE` (all has terminated) concerns only operators around it, and there is none.
        if result == EventId::DONE {
            continue;
        }
        for mut partial in partials {
            eval.check_step()?;
            partial.parts.sort_unstable();
            partial.waits.sort_unstable();
            let rule = Rule {
                parts: partial.parts.into_boxed_slice(),
                result,
                shown: partial.shown,
                turns: partial.turns.into(),
            };
            let waits = RuleWaits {
                places: partial.waits.into(),
                chased: partial.chased,
            };
            // Two derivations of the same rule are one, unless their waits differ.
            list.insert((rule, waits));
        }
    }
    let (list, waits) = list.into_iter().unzip();
    let priorities = Priorities::new(nodes, waits);
    Rules::new(list, priorities, seen, &|| eval.check_step())
}

/// Inputs of the derivation, and the operators visited so far.
struct Derivation<'a> {
    sets: EventSets<'a>,
    seen: &'a Seen,
    /// Priority operators, inner ones first.
    nodes: Vec<PriorityNode>,
    /// Number of operators that end.
    operators: u16,
}

impl Derivation<'_> {
    fn offers(&mut self, tree: &Tree) -> Result<Offers> {
        self.sets.eval.check_time()?;
        deep(|| match tree {
            Tree::Leaf(component) => self.offers_leaf(*component),
            Tree::Interleave(parts) => self.offers_sharing(None, parts),
            Tree::Sharing(set, parts) => self.offers_sharing(Some(*set), parts),
            Tree::Alphabetised(parts) => self.offers_alphabetised(parts),
            Tree::Link(left, pairs, right) => self.offers_link(left, *pairs, right),
            Tree::Hide(process, set, keep) => self.offers_hide(process, *set, *keep),
            Tree::Rename(process, pairs) => self.offers_rename(process, *pairs),
            Tree::Priority(process, order) => {
                let offers = self.offers(process)?;
                prioritise(offers, *order, &mut self.sets, self.seen, &mut self.nodes)
            }
            Tree::Ending(ending) => self.offers_ending(ending),
        })
    }

    fn offers_leaf(&self, component: u16) -> Result<Offers> {
        let mut offers = Offers::default();
        for event in self.seen.of(component as usize).keys() {
            self.sets.eval.check_step()?;
            let partial = PartialRule::new(smallvec![(component, *event)], *event);
            offers.insert(*event, vec![partial]);
        }
        Ok(offers)
    }

    /// The offers of an operand of a parallel operator, and separately its rules for the termination of all its
    /// components. Its ✓ is visible to no other operator.
    fn operand(&mut self, tree: &Tree) -> Result<(Offers, Vec<PartialRule>)> {
        let mut offers = self.offers(tree)?;
        let done = offers.shift_remove(&EventId::DONE).unwrap_or_default();
        let ticks = offers.shift_remove(&EventId::TICK).unwrap_or_default();
        // The ✓ of a composition is in no event of its parts: they have terminated by then.
        if !ticks.is_empty() && !tree.is_composed() {
            offers.entry(EventId::TAU).or_default().extend(ticks);
        }
        Ok((offers, done))
    }

    /// The offers of all operands of a parallel operator.
    fn operands<'t>(
        &mut self,
        parts: impl Iterator<Item = &'t Tree>,
    ) -> Result<(Vec<Offers>, Vec<Vec<PartialRule>>)> {
        let (mut all, mut done) = (Vec::new(), Vec::new());
        for part in parts {
            let (offers, ended) = self.operand(part)?;
            all.push(offers);
            done.push(ended);
        }
        Ok((all, done))
    }

    /// ✓ of a parallel composition: possible once all components have terminated, each by itself (distributed
    /// termination, as [`crate::process`] defines it for terms). Operators around the composition see it,
    /// too: the termination of a part shows in no event.
    fn terminate(&self, result: &mut Offers, done: &[Vec<PartialRule>]) -> Result<()> {
        let joined = join(
            self.sets.eval,
            done.iter().map(Vec::as_slice),
            EventId::TICK,
        )?;
        if !joined.is_empty() {
            result.insert(EventId::DONE, joined.clone());
            result.insert(EventId::TICK, joined);
        }
        Ok(())
    }

    /// `P [|A|] Q …` and `P ||| Q …` (no set): events of the set need all operands.
    fn offers_sharing(&mut self, set: Option<Value>, parts: &[Tree]) -> Result<Offers> {
        let (mut all, done) = self.operands(parts.iter())?;
        let mut result = Offers::default();
        for n in 0..all.len() {
            for at in 0..all[n].len() {
                self.sets.eval.check_step()?;
                let Some((&event, partials)) = all[n].get_index_mut(at) else {
                    continue;
                };
                let shared = match set {
                    Some(set) => self.sets.has(set, event)?,
                    None => false,
                };
                if !shared {
                    offer(&mut result, event, std::mem::take(partials));
                // Synchronised events are derived once, at the first operand: if this one
                // cannot perform an event, none performs it.
                } else if n == 0 {
                    let operands = all
                        .iter()
                        .map(|o| o.get(&event).map_or(&[][..], Vec::as_slice));
                    let together = join(self.sets.eval, operands, event)?;
                    if !together.is_empty() {
                        offer(&mut result, event, together);
                    }
                }
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    /// `|| x:S @ [A] P`: an event needs every operand whose alphabet has it.
    fn offers_alphabetised(&mut self, parts: &[(Value, Tree)]) -> Result<Offers> {
        let (all, done) = self.operands(parts.iter().map(|p| &p.1))?;
        let events: IndexSet<EventId> = all.iter().flat_map(|o| o.keys().copied()).collect();
        let mut result = Offers::default();
        for event in events {
            // τ of an operand synchronises with none; ✓ was taken out before.
            if !event.is_visible() {
                let taus = all.iter().filter_map(|o| o.get(&event)).flatten().cloned();
                result.entry(event).or_default().extend(taus);
                continue;
            }
            // Operands whose alphabet has the event, able to perform it or not.
            let mut together = Vec::with_capacity(parts.len());
            for ((alphabet, _), offers) in parts.iter().zip(&all) {
                if self.sets.has(*alphabet, event)? {
                    together.push(offers.get(&event).map_or(&[][..], Vec::as_slice));
                }
            }
            if !together.is_empty() {
                let joined = join(self.sets.eval, together.into_iter(), event)?;
                if !joined.is_empty() {
                    offer(&mut result, event, joined);
                }
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    /// `P [a <-> b] Q`: paired events happen together and are hidden; linked events do not happen alone.
    fn offers_link(&mut self, left: &Tree, pairs: Value, right: &Tree) -> Result<Offers> {
        let (all, done) = self.operands([left, right].into_iter())?;
        // There are always two.
        let [ours, theirs] = &all[..] else {
            return Ok(Offers::default());
        };
        let pairs = self.sets.pairs(pairs);
        // The linked events of each side, which it may not perform alone.
        let (linked_left, linked_right): (IndexSet<_>, IndexSet<_>) = pairs.iter().copied().unzip();
        let mut result = Offers::default();
        for (offers, linked) in [(ours, &linked_left), (theirs, &linked_right)] {
            for (event, partials) in offers {
                // A linked event synchronises with its partner, or does not happen.
                if !linked.contains(event) {
                    result
                        .entry(*event)
                        .or_default()
                        .extend(partials.iter().cloned());
                }
            }
        }
        let none: &[PartialRule] = &[];
        for (a, b) in pairs {
            let sides = [ours.get(&a), theirs.get(&b)].map(|o| o.map_or(none, Vec::as_slice));
            let joined = join(self.sets.eval, sides.into_iter(), a)?;
            if !joined.is_empty() {
                offer(&mut result, EventId::TAU, joined);
            }
        }
        self.terminate(&mut result, &done)?;
        Ok(result)
    }

    fn offers_hide(&mut self, process: &Tree, set: Value, keep: bool) -> Result<Offers> {
        let mut result = Offers::default();
        for (event, partials) in self.offers(process)? {
            self.sets.eval.check_step()?;
            // ✓ cannot be hidden, even if the set has it.
            let hidden = event.is_visible() && self.sets.has(set, event)? != keep;
            let event = if hidden { EventId::TAU } else { event };
            offer(&mut result, event, partials);
        }
        Ok(result)
    }

    /// `P [[ a <- b ]]`: every image of an event; events not mentioned are unchanged.
    fn offers_rename(&mut self, process: &Tree, pairs: Value) -> Result<Offers> {
        let mut images: IndexMap<EventId, Vec<EventId>> = IndexMap::default();
        for (old, new) in self.sets.pairs(pairs) {
            images.entry(old).or_default().push(new);
        }
        let mut result = Offers::default();
        for (event, partials) in self.offers(process)? {
            self.sets.eval.check_step()?;
            // An event that is renamed to several others becomes a choice between them.
            let stays = vec![event];
            for new in images.get(&event).unwrap_or(&stays) {
                result
                    .entry(*new)
                    .or_default()
                    .extend(partials.iter().map(|p| PartialRule {
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

    /// The offers of an operator that ends: those of its operands, with the turns that they cause.
    fn offers_ending(&mut self, ending: &EndingOperator) -> Result<Offers> {
        // An operator before its operands, as turns number them.
        let number = self.operators;
        self.operators += 1;
        let mut result = Offers::default();
        for (n, operand) in ending.operands().into_iter().enumerate() {
            for (event, partials) in self.offers(operand)? {
                // The termination of a part concerns parallel operators only.
                if event == EventId::DONE {
                    continue;
                }
                let to = self.turn_at(ending, n, event)?;
                // The ✓ of `P` in `P ; Q` is silent.
                let silent = to.is_some() && matches!(ending, EndingOperator::Sequence(..));
                let event = if silent { EventId::TAU } else { event };
                let turned = partials.into_iter().map(|mut partial: PartialRule| {
                    partial.turns.extend(to.map(|to| (number, to)));
                    if silent {
                        partial.shown = EventId::TAU;
                    }
                    partial
                });
                result.entry(event).or_default().extend(turned);
            }
        }
        Ok(result)
    }

    /// The continuation of an operator that ends when operand `n` performs an event; `None` if the operator stays.
    fn turn_at(
        &mut self,
        ending: &EndingOperator,
        n: usize,
        event: EventId,
    ) -> Result<Option<Continuation>> {
        Ok(match ending {
            EndingOperator::Sequence(..) => (event == EventId::TICK).then_some(Continuation::Next),
            EndingOperator::Exception(_, set, _) => {
                let throws = event.is_visible() && self.sets.has(*set, event)?;
                throws.then_some(Continuation::Next)
            }
            // After ✓ nothing can happen, on the right neither.
            EndingOperator::Interrupt(_) if n == 0 => {
                (event == EventId::TICK).then_some(Continuation::Operand(0))
            }
            EndingOperator::Choice(_) | EndingOperator::Interrupt(_) => {
                (event != EventId::TAU).then_some(Continuation::Operand(n as u16))
            }
        })
    }
}
