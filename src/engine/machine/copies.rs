//! Copies: components with the same label, distinguished by `inst` in the paper (Sec. 6.1).
//!
//! Permutations of values keep `inst`, so `P ||| P ||| P` is not reduced by them. But copies may be
//! exchanged by themselves: a transposition of two of them is a symmetry if it maps rules to rules,
//! for both have the same local states (Def. 29 with the identity on values). It changes no event, and
//! it commutes with all permutations of values if the label holds none of them, as is required here.
//! So the group is the product of both, and the representative of a state is found by sorting the
//! local states of the copies once its values have been permuted.
//!
//! Copies are exchanged in the first format only, and only if it is the last one, too: then all rules
//! are known, and the initial state, which no exchange changes, leads to whole orbits.

use super::behaviour::Behaviour;
use super::events::EventId;
use super::ids::LocalId;
use super::locals::Locals;
use super::order::Order;
use super::rules::{Rule, Rules};
use crate::source::hash::{IndexMap, IndexSet};

/// Sets of components that may be exchanged, each in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    sets: Vec<Vec<u16>>,
}

impl Copies {
    /// Finds the copies of a format with this behaviour.
    #[must_use]
    pub fn new(locals: &Locals, behaviour: &Behaviour) -> Self {
        let rules = behaviour.rules();
        let components = behaviour.composition().components();
        // Priorities cannot be compared rule by rule.
        if !behaviour.is_closed(locals) || !rules.priorities().is_empty() {
            return Self::default();
        }
        let mut labels: IndexMap<LocalId, Vec<u16>> = IndexMap::default();
        for (index, component) in components.iter().enumerate() {
            // A label with atoms is moved by permutations, and then an exchange would not commute with them.
            if locals.atoms_of(component.initial).is_empty() {
                let entry = labels.entry(component.initial).or_default();
                entry.push(index as u16);
            }
        }
        labels.retain(|_, members| members.len() > 1);
        if labels.is_empty() {
            return Self::default();
        }
        let rules = RulesOf::new(rules, components.len());
        let mut sets: Vec<Vec<u16>> = Vec::new();
        for members in labels.values() {
            let first = sets.len();
            for member in members {
                // Transpositions that are symmetries form an equivalence.
                let mut known = sets[first..].iter_mut();
                match known.find(|set| rules.can_exchange(set[0], *member)) {
                    Some(set) => set.push(*member),
                    None => sets.push(vec![*member]),
                }
            }
        }
        sets.retain(|set| set.len() > 1);
        Self { sets }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The sets.
    #[must_use]
    pub fn sets(&self) -> &[Vec<u16>] {
        &self.sets
    }

    /// Sorts the local states of the copies among themselves.
    pub fn settle(&self, state: &mut [LocalId]) {
        for set in &self.sets {
            // Insertion: the sets are small, and mostly in order.
            for at in 1..set.len() {
                let mut to = at;
                while to > 0 && state[set[to - 1] as usize] > state[set[to] as usize] {
                    state.swap(set[to - 1] as usize, set[to] as usize);
                    to -= 1;
                }
            }
        }
    }

    /// Multiplies by the number of exchanges.
    pub fn order_into(&self, order: &mut Order) {
        let sizes = self.sets.iter().map(Vec::len);
        sizes.for_each(|size| order.times_factorial(size));
    }

    /// Multiplies by the number of exchanges that fix a state in which the copies are sorted.
    pub fn stabiliser_into(&self, state: &[LocalId], order: &mut Order) {
        for set in &self.sets {
            // Sorted, so equal local states are adjacent.
            let runs = set.chunk_by(|a, b| state[*a as usize] == state[*b as usize]);
            runs.for_each(|run| order.times_factorial(run.len()));
        }
    }
}

/// The rules, and those that each component takes part in.
struct RulesOf<'a> {
    all: IndexSet<&'a Rule>,
    of: Vec<Vec<&'a Rule>>,
}

impl<'a> RulesOf<'a> {
    fn new(rules: &'a Rules, components: usize) -> Self {
        let mut of = vec![Vec::new(); components];
        for rule in rules.list() {
            for (component, _) in &rule.parts {
                of[*component as usize].push(rule);
            }
        }
        Self {
            all: rules.list().iter().collect(),
            of,
        }
    }

    /// Whether the rules are invariant under the exchange of two components.
    fn can_exchange(&self, a: u16, b: u16) -> bool {
        let swap = |c: u16| match c {
            c if c == a => b,
            c if c == b => a,
            c => c,
        };
        // Rules without both components are fixed.
        let both = self.of[a as usize].iter().chain(&self.of[b as usize]);
        both.into_iter().all(|rule| {
            let moved = rule.parts.iter().map(|(c, event)| (swap(*c), *event));
            let mut parts: Vec<(u16, EventId)> = moved.collect();
            // Rules are stored with ascending participants.
            parts.sort_unstable();
            let image = Rule {
                parts: parts.into(),
                result: rule.result,
                shown: rule.shown,
                turns: rule.turns.clone(),
            };
            self.all.contains(&image)
        })
    }
}
