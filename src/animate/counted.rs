//! A state as counters (BOOM, GRIP): how many components of each family are in which local state, their own
//! names left out.
//!
//! It is a view: two states with the same counters need not be in one orbit, for what a component refers to
//! stays as it is called in this state, and who refers to whom is not told beyond that. Where no component
//! holds a value but its own name, the counters are all that there is to a state (strategy `counters`).

use super::model::{ComponentView, StateView};

/// What stands for the own name of a component.
const OWN: &str = "me";

/// The components of one family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFamily {
    /// As `Node`; that of a lone component is its name.
    pub family: String,
    /// Local states without the own names of components, and how many components are in each; in the order
    /// of their texts.
    pub states: Vec<(String, usize)>,
}

impl CountedFamily {
    /// `Thread: Idle x2, Pushing(me, A) x1`; without a number for a lone component.
    #[must_use]
    pub fn line(&self) -> String {
        let is_lone = matches!(&self.states[..], [(_, 1)]);
        let states = self.states.iter().map(|(state, count)| match is_lone {
            true => state.clone(),
            false => format!("{state} x{count}"),
        });
        let states: Vec<String> = states.collect();
        format!("{}: {}", self.family, states.join(", "))
    }
}

/// The counters of a state, the families in the order of its components.
#[must_use]
pub fn counted(view: &StateView) -> Vec<CountedFamily> {
    // Only values that permutations move are names: 1 may be the index of a component and a number in
    // another.
    let used = view.reduction.used.iter().flat_map(|used| &used.types);
    let names: Vec<&String> = view
        .reduction
        .types
        .iter()
        .filter(|t| used.clone().any(|(name, _)| *name == t.name))
        .flat_map(|t| &t.members)
        .collect();
    let mut families: Vec<CountedFamily> = Vec::new();
    for component in &view.components {
        let is_named = names.contains(&&component.index);
        let state = without_name(component, is_named);
        let known = families.iter_mut().find(|f| f.family == component.family);
        let family = match known {
            Some(family) => family,
            None => {
                families.push(CountedFamily {
                    family: component.family.clone(),
                    states: Vec::new(),
                });
                let last = families.len() - 1;
                &mut families[last]
            }
        };
        match family.states.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => family.states.push((state, 1)),
        }
    }
    for family in &mut families {
        family.states.sort();
    }
    families
}

/// The local state, with `me` for variables that hold the component's own name; its name alone if it holds
/// nothing else.
fn without_name(component: &ComponentView, is_named: bool) -> String {
    let is_own = |value: &String| is_named && *value == component.index;
    if !component.args.iter().any(|(_, value)| is_own(value)) {
        return component.text.clone();
    }
    if component.args.iter().all(|(_, value)| is_own(value)) {
        return component.name.clone();
    }
    let shown = component.args.iter().map(|(_, value)| match is_own(value) {
        true => OWN,
        false => value,
    });
    let shown: Vec<&str> = shown.collect();
    format!("{}({})", component.name, shown.join(", "))
}
