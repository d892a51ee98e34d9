//! The local states that components had before a step.

use super::model::{ComponentView, StateView};

/// The local state of each component before a step, where it was different; none without a state before.
#[must_use]
pub fn earlier_states(before: Option<&StateView>, now: &StateView) -> Vec<Option<String>> {
    let Some(before) = before else {
        return vec![None; now.components.len()];
    };
    // Where the network has changed, a component may have another index; then it is found by its label.
    let old = |index: usize, label: &str| {
        let same = |c: &&ComponentView| c.label() == label;
        let here = before.components.get(index).filter(same);
        here.or_else(|| before.components.iter().find(same))
    };
    let difference = |(index, c): (usize, &ComponentView)| match old(index, &c.label()) {
        // Same component, same local state.
        Some(old) if old.text == c.text => None,
        Some(old) => Some(old.text.clone()),
        // The component came with the step.
        None => Some("not there".to_string()),
    };
    let components = now.components.iter().enumerate();
    components.map(difference).collect()
}
