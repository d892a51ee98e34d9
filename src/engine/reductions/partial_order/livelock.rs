//! Livelock freedom of a network by its components alone (J. Ouaknine, H. Palikareva, A. W. Roscoe and J. Worrell, *A
//! static analysis framework for livelock freedom in CSP*, 2013, treat the same question).
//!
//! Take a run with infinitely many steps, all of them silent, and the rules that fire infinitely often in it. A
//! participant of such a rule returns to some local state again and again, by events that it performs infinitely often,
//! and its event in the rule is on a cycle of these. So silent rules are removed repeatedly if some participant has no
//! cycle with its event among the events of the remaining rules. If none remains, there is no such run.

use super::label_steps::LabelSteps;
use super::tables::RulePart;
use crate::source::components::{Digraph, numbered};

/// Steps of components read in all rounds together, at most.
const STEPS_MAX: usize = 1 << 27;

/// Whether the components show that no run is silent for ever, given the participants of the silent rules, with their
/// labels as each component numbers them. False if unknown.
pub(super) fn ends_silence<'r>(
    components: &[LabelSteps],
    silent: impl Iterator<Item = &'r [RulePart]>,
) -> bool {
    let mut left: Vec<&[RulePart]> = silent.collect();
    let none_of = |component: &LabelSteps| vec![false; component.labels()];
    // For each component the labels of the remaining rules, and those that are on cycles of these.
    let mut wanted: Vec<Vec<bool>> = components.iter().map(none_of).collect();
    let mut recurring = wanted.clone();
    let mut looks = 0;
    while !left.is_empty() {
        let mut present: Vec<Vec<bool>> = components.iter().map(none_of).collect();
        for part in left.iter().copied().flatten() {
            present[usize::from(part.component)][part.label as usize] = true;
        }
        for (own, component) in components.iter().enumerate() {
            if present[own] == wanted[own] {
                continue;
            }
            looks += component.steps();
            recurring[own] = on_cycles(component, &present[own]);
        }
        wanted = present;
        let before = left.len();
        let recurs = |part: &RulePart| recurring[usize::from(part.component)][part.label as usize];
        left.retain(|parts| parts.iter().all(recurs));
        if left.len() == before || looks > STEPS_MAX {
            return left.is_empty();
        }
    }
    true
}

/// The steps of a component with some of its labels.
struct StepsWith<'s>(&'s LabelSteps, &'s [bool]);

impl Digraph for StepsWith<'_> {
    fn nodes(&self) -> usize {
        self.0.len()
    }

    fn edge(&self, node: usize, number: usize) -> Option<usize> {
        let (label, to) = self.0.of(node).get(number)?;
        // An edge to itself connects nothing.
        Some(if self.1[*label as usize] {
            *to as usize
        } else {
            node
        })
    }
}

/// The labels on a cycle of steps with some labels.
fn on_cycles(component: &LabelSteps, among: &[bool]) -> Vec<bool> {
    let found = numbered(&StepsWith(component, among)).component;
    let mut recurring = vec![false; among.len()];
    for place in 0..component.len() {
        for (label, to) in component.of(place) {
            let is_inside = found[place] == found[*to as usize];
            recurring[*label as usize] |= is_inside && among[*label as usize];
        }
    }
    recurring
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reductions::partial_order::label_steps::random_steps;
    use crate::reductions::partial_order::small::{all_steps, random_rules};

    /// Whether the system has a cycle of silent rules, by exploration.
    fn has_cycle(components: &[LabelSteps], rules: &[Vec<RulePart>]) -> bool {
        let edges = all_steps(components, rules);
        let found = numbered(&edges).component;
        (0..edges.len()).any(|from| edges[from].iter().any(|to| found[from] == found[*to]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn where_silence_ends_no_cycle_is_silent(
            components in [random_steps(), random_steps()],
            rules in random_rules::<2>(),
        ) {
            let silent = rules.iter().map(|parts| &parts[..]);
            prop_assert!(!(ends_silence(&components, silent) && has_cycle(&components, &rules)));
        }
    }

    /// The label of the first step may be on a cycle of the component alone, but not of the system.
    #[test]
    fn what_others_end_is_left_out_too() {
        let component = |rows: &[&[(u32, u32)]]| {
            let mut steps = LabelSteps::new(3);
            for row in rows {
                steps.push(&mut row.to_vec());
            }
            steps
        };
        let turning = || component(&[&[(0, 1)], &[(1, 0)]]);
        let once = component(&[&[(2, 1)], &[]]);
        let part = |component, label| RulePart { component, label };
        let first = [part(0, 0), part(1, 0)];
        let second = [part(0, 1), part(2, 2)];
        let third = [part(1, 1)];
        let silent = [&first[..], &second, &third];
        let ends =
            |last: LabelSteps| ends_silence(&[turning(), turning(), last], silent.iter().copied());
        assert!(
            ends(once),
            "the second component needs the first, which needs the third"
        );
        assert!(!ends(component(&[&[(2, 0)]])), "and that one may go on");
    }
}
