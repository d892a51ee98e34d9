//! The choice of a representative by a strategy, as plain data: for strategies other than `ordering`, which has a
//! record of its own ([`super::model::Explanation`]).

use serde_json::{Value, json};

use crate::report::words::ComponentView;

/// A permutation of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePermutation {
    /// The name of the symmetric type.
    pub name: String,
    /// Cycle notation without fixed points, as `(N1 N5 N3 N2)`; `id` if there are no others.
    pub cycles: String,
    /// Every value and its image, in order of declaration.
    pub map: Vec<(String, String)>,
}

/// Permutations of types as an array of JSON.
#[must_use]
pub fn permutation_json(parts: &[TypePermutation]) -> Value {
    let part = |p: &TypePermutation| {
        let map = p.map.iter().map(|(from, to)| json!([from, to]));
        json!({ "type": p.name, "cycles": p.cycles, "map": map.collect::<Vec<_>>() })
    };
    parts.iter().map(part).collect()
}

/// The mark of a step: whether it made an arbitrary choice, and whether that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChoiceMark {
    /// No choice: the step follows from the state.
    #[default]
    Forced,
    /// A choice, but any other one gives the same representative.
    Harmless,
    /// Something was, and another choice may give another representative.
    Harmful,
}

impl ChoiceMark {
    /// The sign in lists of steps.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Forced => ".",
            Self::Harmless => "=",
            Self::Harmful => "!",
        }
    }

    /// The mark in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Forced => "forced",
            Self::Harmless => "any",
            Self::Harmful => "matters",
        }
    }

    /// The meaning of the mark.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Forced => "forced",
            Self::Harmless => "any choice gives the same",
            Self::Harmful => "another choice may give another",
        }
    }
}

/// A step of a strategy, as a line of a list and the page behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepView {
    /// The title, as `walk from Top`.
    pub title: String,
    /// The result, as `3 -> 5 cells`.
    pub detail: String,
    /// The mark of the choice.
    pub mark: ChoiceMark,
    /// The sentences on the step.
    pub sentences: Vec<String>,
    /// The values after the step: heading and text of each line.
    pub state: Vec<(String, String)>,
}

/// The choice of a strategy for a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyView {
    /// The strategy, as `--rep` calls it.
    pub name: String,
    /// The raw state's components.
    pub components: Vec<ComponentView>,
    /// The components of the representative.
    pub representative: Vec<ComponentView>,
    /// The preimage of each component, as in [`super::model::RepView::source`].
    pub source: Vec<usize>,
    /// The permutation of each symmetric type.
    pub permutation: Vec<TypePermutation>,
    /// Whether `ordering` chooses the same representative.
    pub same: bool,
    /// Whether it chooses the same permutation.
    pub same_permutation: bool,
    /// The strategy that decided instead, if one did.
    pub fell_back: Option<String>,
    /// Whether following references was not enough, and it searched.
    pub searched: bool,
    /// The steps in order; the last step is the result.
    pub steps: Vec<StepView>,
    /// The number of further events of the search that were left out.
    pub omitted: usize,
}
