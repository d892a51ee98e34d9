//! The choice of a representative by a strategy, as plain data: for strategies other than `ordering`, which has a
//! record of its own ([`super::model::Explanation`]).

use super::model::{Explanation, KeepingKind, RepView, StrategyKind};
use crate::report::words::ComponentView;
use crate::symmetry::StructuralKind;

pub use super::type_permutation::{TypePermutation, permutation_json};

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
    /// The raw state's components.
    pub components: Vec<ComponentView>,
    /// The representative, and whether it is unique.
    pub representative: RepView,
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

impl StrategyView {
    /// The result compared with `ordering`, and the means that it took, a sentence each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut lines = vec![
            match (self.same, self.same_permutation) {
                (true, true) => "Representative and permutation are those of ordering.",
                (true, false) => "The representative is that of ordering, by another permutation.",
                (false, _) => "The representative is another one than that of ordering.",
            }
            .to_owned(),
        ];
        let fell_back = self.fell_back.iter();
        lines.extend(fell_back.map(|other| format!("It fell back on {other}.")));
        if self.searched {
            lines.push("Following references was not enough: it searched.".to_owned());
        }
        if self.omitted > 0 {
            lines.push(format!("{} further events are not shown.", self.omitted));
        }
        lines
    }
}

/// The record of the choice of a representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyRecord {
    /// The steps of `ordering`, with the n-values.
    Ordering(Box<Explanation>),
    /// The steps of another strategy.
    Other(Box<StrategyView>),
}

impl StrategyRecord {
    /// The number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Ordering(explanation) => explanation.trace.steps.len(),
            Self::Other(view) => view.steps.len(),
        }
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The strategy of a question about representatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AskedStrategy {
    /// The one with the fullest record: `ordering` where values are permuted, `structure` where components are.
    #[default]
    Usual,
    /// A strategy for symmetric datatypes.
    Values(StrategyKind),
    /// A strategy for groups found in the structure of the network.
    Structure(StructuralKind),
}

impl AskedStrategy {
    /// The strategies in the order in which they are shown, the usual one first, where values are permuted or
    /// components are.
    #[must_use]
    pub fn shown(by_structure: bool) -> Vec<Self> {
        match by_structure {
            true => StructuralKind::ALL.map(Self::Structure).to_vec(),
            false => StrategyKind::SHOWN.map(Self::Values).to_vec(),
        }
    }

    /// Whether it is the one that is taken where none is asked for.
    #[must_use]
    pub fn is_usual(self) -> bool {
        match self {
            Self::Usual => true,
            Self::Values(kind) => kind == StrategyKind::Ordering,
            Self::Structure(kind) => kind == StructuralKind::default(),
        }
    }

    /// The name, as `--rep` takes it; none for the usual one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Usual => None,
            Self::Values(kind) => Some(kind.strategy().name()),
            Self::Structure(kind) => Some(kind.name()),
        }
    }
}

impl TryFrom<KeepingKind> for AskedStrategy {
    type Error = String;

    /// # Errors
    /// That it is a way to remember states, which chooses no representative, and the names of those that do.
    fn try_from(kind: KeepingKind) -> Result<Self, String> {
        match kind {
            KeepingKind::Representatives(kind) => Ok(Self::Values(kind)),
            KeepingKind::Structural(kind) => Ok(Self::Structure(kind)),
            KeepingKind::FirstSeen
            | KeepingKind::Flood
            | KeepingKind::Buckets
            | KeepingKind::Markers => Err(format!(
                "`{}` is a way to remember states, and chooses no representative: ask for {}, or where the \
                 symmetry is in the structure for {}",
                kind.name(),
                listed(false),
                listed(true)
            )),
        }
    }
}

/// `a, b or c`: the names of the strategies for values, or of those for structure.
pub(super) fn listed(by_structure: bool) -> String {
    let all = AskedStrategy::shown(by_structure).into_iter();
    let names: Vec<&str> = all.filter_map(AskedStrategy::name).collect();
    match names.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
