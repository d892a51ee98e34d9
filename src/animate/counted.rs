//! A state as counters (BOOM, GRIP): how many components of each family are in which local state, their own
//! names left out.
//!
//! The counters are a view: two states with the same counters need not be in one orbit, for references keep their
//! names of this state, and references are not shown beyond that. Where no component holds a value but its own name,
//! the counters determine the state (strategy `counters`).

use super::model::{ComponentView, StateView};

/// The text in place of a component's own name.
const OWN: &str = "me";

/// The components of one family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFamily {
    /// The family, as `Node`; for a lone component, its name.
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
        let states = self.states.iter().map(|(state, count)| {
            if is_lone {
                state.clone()
            } else {
                format!("{state} x{count}")
            }
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
    let shown = component
        .args
        .iter()
        .map(|(_, value)| if is_own(value) { OWN } else { value });
    let shown: Vec<&str> = shown.collect();
    format!("{}({})", component.name, shown.join(", "))
}
