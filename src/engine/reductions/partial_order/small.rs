//! Small systems that can be explored completely, for tests.

use proptest::prelude::*;

use super::label_steps::LabelSteps;
use super::tables::RulePart;

/// The successors of each state reachable from the first places; the initial state is 0.
pub(super) fn all_steps(components: &[LabelSteps], rules: &[Vec<RulePart>]) -> Vec<Vec<usize>> {
    let mut met = vec![vec![0_usize; components.len()]];
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while let Some(state) = met.get(edges.len()).cloned() {
        let mut to = Vec::new();
        for rule in rules {
            let mut reached = vec![state.clone()];
            for part in rule {
                let own = usize::from(part.component);
                let ways = components[own].on(state[own], part.label);
                let with = |before: &Vec<usize>| {
                    let before = before.clone();
                    ways.iter().map(move |(_, place)| {
                        let mut after = before.clone();
                        after[own] = *place as usize;
                        after
                    })
                };
                reached = reached.iter().flat_map(with).collect();
            }
            for next in reached {
                let known = met.iter().position(|state| *state == next);
                to.push(known.unwrap_or_else(|| {
                    met.push(next);
                    met.len() - 1
                }));
            }
        }
        edges.push(to);
    }
    edges
}

/// Rules of `N` components: each takes part or not, with one of the labels of [`super::label_steps::random_steps`].
pub(super) fn random_rules<const N: usize>() -> impl Strategy<Value = Vec<Vec<RulePart>>> {
    let part = || proptest::option::of((0_u32..4).prop_map(|label| label * 23));
    let rule = [(); N].map(|()| part()).prop_map(|labels| {
        let part = |(component, label): (u16, Option<u32>)| {
            let label = label?;
            Some(RulePart { component, label })
        };
        (0..).zip(labels).filter_map(part).collect::<Vec<_>>()
    });
    let rules = proptest::collection::vec(rule, 1..6);
    rules.prop_map(|mut rules| {
        rules.retain(|parts| !parts.is_empty());
        rules
    })
}
