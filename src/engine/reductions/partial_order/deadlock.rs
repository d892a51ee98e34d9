//! Deadlock freedom of a network by its components alone (P. Antonino, T. Gibson-Robinson and A. W. Roscoe, *Efficient
//! deadlock-freedom checking using local analysis and SAT solving*, 2016, analyse pairs of components, too).
//!
//! Components that share rules are analysed in pairs: the pairs of local states that they can reach, if all others take
//! part in every step of these two. A local state is *live* if the system does not deadlock while its component is in
//! it. That is so
//! - if it offers its event of some rule, and so does each other participant in every local state reachable together
//!   with it, or is live there: either all offer it, or one that does not is live;
//! - or if there is another component that in every local state reachable together with it is live, or has a rule of
//!   these two alone that both offer.
//!
//! The least solution is found by starting from no live states. If all local states of some component are live, the
//! system does not deadlock.

use std::collections::VecDeque;

use super::label_steps::{LabelSteps, has, members, put};
use super::tables::RulePart;
use crate::source::hash::IndexMap;

/// Pairs of local states analysed, at most, of two components and of all.
const PAIRS_MAX: usize = 1 << 22;
const ALL_PAIRS_MAX: usize = 1 << 25;
/// Words read to find live states, at most.
const LOOKS_MAX: usize = 1 << 27;

/// Whether the components show that the system never deadlocks, given their initial places and the participants of all
/// rules, with their labels as each component numbers them. False if unknown.
pub(super) fn never_deadlocks<'r>(
    components: &[LabelSteps],
    initial: &[Vec<u32>],
    rules: impl Iterator<Item = &'r [RulePart]>,
) -> bool {
    let rules: Vec<&[RulePart]> = rules.collect();
    let mut room = ALL_PAIRS_MAX;
    let Some(offering) = components.iter().map(|c| offering(c, &mut room)).collect() else {
        return false;
    };
    let mut liveness = Liveness {
        components,
        offering,
        larger: larger_rules(components, &rules),
        partners: components.iter().map(|_| Vec::new()).collect(),
        live: components.iter().map(|c| PlaceSet::new(c.len())).collect(),
        looks: 0,
    };
    for ((one, other), shared) in shared_rules(&rules) {
        let pair = TwoComponents {
            components: [&components[one], &components[other]],
            moves: [
                moves(components[one].labels(), one, other, &rules),
                moves(components[other].labels(), other, one, &rules),
            ],
        };
        let begins = [&initial[one][..], &initial[other]];
        let Some([together, turned]) = pair.come_together(begins, &mut room) else {
            continue;
        };
        liveness.add(one, other, together, shared.iter().copied());
        let shared = shared.iter().map(|(here, there)| (*there, *here));
        liveness.add(other, one, turned, shared);
    }
    liveness.find()
}

/// A set of places.
#[derive(Clone, Debug)]
struct PlaceSet(Vec<u64>);

impl PlaceSet {
    fn new(places: usize) -> Self {
        Self(vec![0; places.div_ceil(64)])
    }
}

/// For each label the places that offer it; `None` if too many.
fn offering(component: &LabelSteps, room: &mut usize) -> Option<Vec<PlaceSet>> {
    let places = component.len();
    *room = room.checked_sub(component.labels().checked_mul(places)?)?;
    let mut found = vec![PlaceSet::new(places); component.labels()];
    for place in 0..places {
        for label in component.offered(place) {
            put(&mut found[label as usize].0, place as u32);
        }
    }
    Some(found)
}

/// For each component and label the rules with other than two participants.
fn larger_rules<'r>(
    components: &[LabelSteps],
    rules: &[&'r [RulePart]],
) -> Vec<Vec<Vec<&'r [RulePart]>>> {
    let none_of = |component: &LabelSteps| vec![Vec::new(); component.labels()];
    let mut found: Vec<Vec<Vec<&[RulePart]>>> = components.iter().map(none_of).collect();
    for rule in rules.iter().filter(|rule| rule.len() != 2) {
        for part in *rule {
            found[usize::from(part.component)][part.label as usize].push(rule);
        }
    }
    found
}

/// The pairs of components that share rules, with the labels of the rules of these two alone.
fn shared_rules(rules: &[&[RulePart]]) -> IndexMap<(usize, usize), Vec<(u32, u32)>> {
    let mut found: IndexMap<(usize, usize), Vec<(u32, u32)>> = IndexMap::default();
    for rule in rules {
        for (at, one) in rule.iter().enumerate() {
            for other in &rule[at + 1..] {
                let pair = (usize::from(one.component), usize::from(other.component));
                let of_these = found.entry(pair).or_default();
                if rule.len() == 2 {
                    of_these.push((one.label, other.label));
                }
            }
        }
    }
    found
}

/// The moves of a component by a label, seen from another one.
#[derive(Clone, Debug, Default)]
struct SharedMove {
    /// Whether it may move without the other one.
    alone: bool,
    /// The labels of the other one that synchronise with it.
    with: Vec<u32>,
}

/// The moves of a component by each label, seen from another one.
fn moves(labels: usize, own: usize, other: usize, rules: &[&[RulePart]]) -> Vec<SharedMove> {
    let mut found = vec![SharedMove::default(); labels];
    for rule in rules {
        let part_of = |c: usize| rule.iter().find(|part| usize::from(part.component) == c);
        let Some(part) = part_of(own) else {
            continue;
        };
        let of = &mut found[part.label as usize];
        match part_of(other) {
            Some(part) => of.with.push(part.label),
            None => of.alone = true,
        }
    }
    found
}

/// Two components that share rules.
struct TwoComponents<'a> {
    components: [&'a LabelSteps; 2],
    moves: [Vec<SharedMove>; 2],
}

impl TwoComponents<'_> {
    /// For each place of either component, the places of the other reachable together with it, from the initial places;
    /// `None` if too many.
    fn come_together(&self, begins: [&[u32]; 2], room: &mut usize) -> Option<[Vec<PlaceSet>; 2]> {
        let [one, other] = self.components;
        let pairs = one.len().checked_mul(other.len())?;
        if pairs > PAIRS_MAX {
            return None;
        }
        *room = room.checked_sub(pairs)?;
        let mut together = [
            vec![PlaceSet::new(other.len()); one.len()],
            vec![PlaceSet::new(one.len()); other.len()],
        ];
        let mut waiting = VecDeque::new();
        let mut meet = |waiting: &mut VecDeque<(u32, u32)>, (here, there): (u32, u32)| {
            let of = &mut together[0][here as usize].0;
            if !has(of, there) {
                put(of, there);
                put(&mut together[1][there as usize].0, here);
                waiting.push_back((here, there));
            }
        };
        for here in begins[0] {
            for there in begins[1] {
                meet(&mut waiting, (*here, *there));
            }
        }
        while let Some((here, there)) = waiting.pop_front() {
            for (label, to) in one.of(here as usize) {
                let by = &self.moves[0][*label as usize];
                if by.alone {
                    meet(&mut waiting, (*to, there));
                }
                for label in &by.with {
                    for (_, other_to) in other.on(there as usize, *label) {
                        meet(&mut waiting, (*to, *other_to));
                    }
                }
            }
            for (label, to) in other.of(there as usize) {
                if self.moves[1][*label as usize].alone {
                    meet(&mut waiting, (here, *to));
                }
            }
        }
        Some(together)
    }
}

/// A partner that shares rules with a component, by the places of the latter.
struct PartnerPlaces {
    component: usize,
    /// Its places reachable together with a place.
    together: Vec<PlaceSet>,
    /// Its places in which both offer no rule of these two alone.
    held: Vec<PlaceSet>,
}

/// The live local states.
struct Liveness<'a> {
    components: &'a [LabelSteps],
    /// By component and label.
    offering: Vec<Vec<PlaceSet>>,
    larger: Vec<Vec<Vec<&'a [RulePart]>>>,
    partners: Vec<Vec<PartnerPlaces>>,
    live: Vec<PlaceSet>,
    looks: usize,
}

impl Liveness<'_> {
    /// Adds a partner, with the labels of rules of these two alone.
    fn add(
        &mut self,
        own: usize,
        component: usize,
        together: Vec<PlaceSet>,
        shared: impl Iterator<Item = (u32, u32)>,
    ) {
        let mut held = together.clone();
        for (here, there) in shared {
            for place in members(&self.offering[own][here as usize].0) {
                let words = held[place as usize].0.iter_mut();
                for (word, offered) in words.zip(&self.offering[component][there as usize].0) {
                    *word &= !offered;
                }
            }
        }
        self.partners[own].push(PartnerPlaces {
            component,
            together,
            held,
        });
    }

    /// Whether all places of some component are live.
    fn find(&mut self) -> bool {
        loop {
            let mut is_new = false;
            for own in 0..self.components.len() {
                let mut all = true;
                for place in 0..self.components[own].len() {
                    if has(&self.live[own].0, place as u32) {
                        continue;
                    }
                    if self.is_live(own, place) {
                        put(&mut self.live[own].0, place as u32);
                        is_new = true;
                    } else {
                        all = false;
                    }
                }
                if all {
                    return true;
                }
            }
            if !is_new || self.looks > LOOKS_MAX {
                return false;
            }
        }
    }

    /// Whether a place is live, by the live places so far.
    fn is_live(&mut self, own: usize, place: usize) -> bool {
        for partner in &self.partners[own] {
            let (held, live) = (&partner.held[place].0, &self.live[partner.component].0);
            self.looks += held.len();
            if held.iter().zip(live).all(|(held, live)| held & !live == 0) {
                return true;
            }
        }
        let mut looks = 0;
        let is_live = self.components[own].offered(place).any(|label| {
            let mut rules = self.larger[own][label as usize].iter();
            rules.any(|rule| {
                let mut others = rule.iter().filter(|p| usize::from(p.component) != own);
                others.all(|part| self.takes_part(own, place, part, &mut looks))
            })
        });
        self.looks += looks;
        is_live
    }

    /// Whether another participant of a rule offers its event, or is live, in all places reachable together with a
    /// place.
    fn takes_part(&self, own: usize, place: usize, part: &RulePart, looks: &mut usize) -> bool {
        let other = usize::from(part.component);
        let mut partners = self.partners[own].iter();
        let Some(partner) = partners.find(|partner| partner.component == other) else {
            return false;
        };
        let together = &partner.together[place].0;
        let offering = &self.offering[other][part.label as usize].0;
        *looks += together.len();
        let words = together.iter().zip(offering).zip(&self.live[other].0);
        words
            .into_iter()
            .all(|((together, offers), live)| together & !offers & !live == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reductions::partial_order::label_steps::random_steps;
    use crate::reductions::partial_order::small::{all_steps, random_rules};

    fn is_ruled_out(components: &[LabelSteps], rules: &[Vec<RulePart>]) -> bool {
        let begins = vec![vec![0]; components.len()];
        never_deadlocks(components, &begins, rules.iter().map(|parts| &parts[..]))
    }

    fn deadlocks(components: &[LabelSteps], rules: &[Vec<RulePart>]) -> bool {
        let steps = all_steps(components, rules);
        steps.iter().any(Vec::is_empty)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn where_deadlock_is_ruled_out_there_is_none(
            components in [random_steps(), random_steps(), random_steps()],
            rules in random_rules::<3>(),
        ) {
            prop_assert!(!(is_ruled_out(&components, &rules) && deadlocks(&components, &rules)));
        }
    }

    fn component(labels: usize, rows: &[&[(u32, u32)]]) -> LabelSteps {
        let mut steps = LabelSteps::new(labels);
        for row in rows {
            steps.push(&mut row.to_vec());
        }
        steps
    }

    fn part(component: usize, label: u32) -> RulePart {
        RulePart {
            component: component as u16,
            label,
        }
    }

    /// A ring of three that passes a token, which `holders` have at first: label 0 takes it and label 1 hands it on.
    fn ring(holders: &[usize]) -> (Vec<LabelSteps>, Vec<Vec<RulePart>>) {
        let waits = || component(2, &[&[(0, 1)], &[(1, 0)]]);
        let has = || component(2, &[&[(1, 1)], &[(0, 0)]]);
        let all = (0..3).map(|n| if holders.contains(&n) { has() } else { waits() });
        let rules = (0..3).map(|n| vec![part(n, 1), part((n + 1) % 3, 0)]);
        (all.collect(), rules.collect())
    }

    /// A holder can hand the token to one without, but pairs do not show that there is a token.
    #[test]
    fn what_pairs_do_not_tell_is_not_ruled_out() {
        let (components, rules) = ring(&[0]);
        assert!(!deadlocks(&components, &rules));
        assert!(!is_ruled_out(&components, &rules));
        let (components, rules) = ring(&[0, 1, 2]);
        assert!(deadlocks(&components, &rules));
        assert!(!is_ruled_out(&components, &rules));
    }

    /// The first one sends, the others pass on in turn, and the last one discards.
    #[test]
    fn a_line_that_ends_is_live() {
        let cell = || component(2, &[&[(0, 1)], &[(1, 0)]]);
        let components = [cell(), cell(), cell()];
        let mut rules = vec![vec![part(0, 0)], vec![part(2, 1)]];
        rules.extend((0..2).map(|n| vec![part(n, 1), part(n + 1, 0)]));
        assert!(!deadlocks(&components, &rules));
        assert!(is_ruled_out(&components, &rules));
        // It does not discard.
        rules.remove(1);
        assert!(deadlocks(&components, &rules));
        assert!(!is_ruled_out(&components, &rules));
    }

    /// Both forks are taken left first, or by one of the two the other way round.
    #[test]
    fn pairs_tell_who_holds_what() {
        // A fork is taken by the first (0) or the second (1), and put down by the same (2, 3).
        let fork = || component(4, &[&[(0, 1), (1, 2)], &[(2, 0)], &[(3, 0)]]);
        // Takes the first fork (0) and the second one (1), and puts both down (2, 3).
        let eater = || component(4, &[&[(0, 1)], &[(1, 2)], &[(2, 3)], &[(3, 0)]]);
        let components = [eater(), eater(), fork(), fork()];
        let system = |firsts: [usize; 2]| -> Vec<Vec<RulePart>> {
            let of = |who: usize, which: u32, down: u32| {
                let fork = if which == 0 {
                    firsts[who]
                } else {
                    1 - firsts[who]
                };
                let label = who as u32 + 2 * down;
                vec![part(who, which + 2 * down), part(2 + fork, label)]
            };
            let all = (0..2).flat_map(|who| [(who, 0, 0), (who, 1, 0), (who, 0, 1), (who, 1, 1)]);
            all.map(|(who, which, down)| of(who, which, down)).collect()
        };
        assert!(!deadlocks(&components, &system([0, 0])));
        assert!(is_ruled_out(&components, &system([0, 0])));
        assert!(deadlocks(&components, &system([0, 1])));
        assert!(!is_ruled_out(&components, &system([0, 1])));
    }
}
