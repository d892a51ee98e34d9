//! Views and their panes.

/// A use of the screen: each view has panes and commands of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Where am I, and what can happen?
    Animate,
    /// How was this representative computed?
    Orbit,
    /// What are these two states to each other?
    Compare,
    /// Does the assertion hold?
    Check,
    /// What is around this state?
    Graph,
    /// Which line of the script is this?
    Source,
    /// How is it put together, and who waits for whom?
    Structure,
    /// Which permutations of components and events map the network to itself?
    Symmetry,
}

impl View {
    /// The number of views.
    pub const COUNT: usize = 8;

    /// The views in the order of their numbers, and of their names above.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Animate,
        Self::Orbit,
        Self::Compare,
        Self::Check,
        Self::Graph,
        Self::Source,
        Self::Structure,
        Self::Symmetry,
    ];

    /// The key that opens it.
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Self::Animate => 1,
            Self::Orbit => 2,
            Self::Compare => 3,
            Self::Check => 4,
            Self::Graph => 5,
            Self::Source => 6,
            Self::Structure => 7,
            Self::Symmetry => 8,
        }
    }

    /// Its name, as tabs and titles show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Animate => "Animate",
            Self::Orbit => "Orbit",
            Self::Compare => "Compare",
            Self::Check => "Check",
            Self::Graph => "Graph",
            Self::Source => "Source",
            Self::Structure => "Structure",
            Self::Symmetry => "Symmetry",
        }
    }

    /// Its panes, the main one first.
    #[must_use]
    pub fn panes(self) -> &'static [Pane] {
        match self {
            Self::Animate => &[
                Pane::Transitions,
                Pane::State,
                Pane::Representative,
                Pane::History,
                Pane::Why,
            ],
            Self::Orbit => &[Pane::Partition, Pane::Steps, Pane::NValues, Pane::Edges],
            Self::Compare => &[
                Pane::Verdict,
                Pane::SideBySide,
                Pane::StateA,
                Pane::StateB,
                Pane::WhatIf,
            ],
            Self::Check => &[
                Pane::Assertions,
                Pane::Progress,
                Pane::Counterexample,
                Pane::Explanation,
                Pane::Both,
                Pane::Racing,
                Pane::Doubled,
            ],
            Self::Graph => &[Pane::Graph, Pane::Node, Pane::Legend],
            Self::Source => &[Pane::Source, Pane::Outline, Pane::Symmetry],
            Self::Structure => &[Pane::Operators, Pane::Part, Pane::Waits],
            Self::Symmetry => &[Pane::Drawing, Pane::Generators, Pane::Group],
        }
    }

    /// The pane that is focused at first.
    #[must_use]
    pub fn main_pane(self) -> Pane {
        match self {
            Self::Animate => Pane::Transitions,
            Self::Orbit => Pane::Partition,
            Self::Compare => Pane::Verdict,
            Self::Check => Pane::Assertions,
            Self::Graph => Pane::Graph,
            Self::Source => Pane::Source,
            Self::Structure => Pane::Operators,
            Self::Symmetry => Pane::Drawing,
        }
    }

    /// The pane below it at first, where only two fit.
    #[must_use]
    pub fn second_pane(self) -> Pane {
        match self {
            Self::Animate => Pane::State,
            Self::Orbit => Pane::NValues,
            Self::Compare => Pane::SideBySide,
            Self::Check => Pane::Counterexample,
            Self::Graph => Pane::Node,
            Self::Source => Pane::Outline,
            Self::Structure => Pane::Waits,
            Self::Symmetry => Pane::Generators,
        }
    }
}

/// The form in which the state is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownState {
    /// The raw state beside its representative.
    Both,
    /// The raw state.
    Raw,
    /// The representative.
    Rep,
    /// The counters: the number of components of each family in each local state.
    Counted,
}

/// A page over the views, which takes the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPage {
    /// The card of a lesson.
    Card,
    /// The welcome page, or the scripts that were opened before.
    Welcome,
    /// The path of a script is typed, or one is chosen.
    Path,
}

/// A place where keys have a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// A view with a pane focused.
    In(View, Pane),
    /// A page over the views.
    On(KeyPage),
}

impl KeyPlace {
    /// All places.
    pub fn all() -> impl Iterator<Item = Self> {
        let panes = |view: View| view.panes().iter().map(move |pane| Self::In(view, *pane));
        let pages = [KeyPage::Card, KeyPage::Welcome, KeyPage::Path];
        let views = View::ALL.into_iter().flat_map(panes);
        views.chain(pages.map(Self::On))
    }

    /// Its name, as titles show it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::In(view, pane) => format!("{}, {}", view.name(), pane.name()),
            Self::On(KeyPage::Card) => "card of a lesson".to_owned(),
            Self::On(KeyPage::Welcome) => "welcome page".to_owned(),
            Self::On(KeyPage::Path) => "open a script".to_owned(),
        }
    }
}

/// A part of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The transitions of the present state, grouped up to symmetry.
    Transitions,
    /// The present state, with the changes of the last step.
    State,
    /// The representative of the present state.
    Representative,
    /// The line of steps that the person went along.
    History,
    /// Summary of the representative's computation.
    Why,
    /// The steps of the algorithm.
    Steps,
    /// The blocks before and after a step.
    Partition,
    /// The numbers that split blocks.
    NValues,
    /// The edges that were counted.
    Edges,
    /// The first of two states that are compared.
    StateA,
    /// State B.
    StateB,
    /// The relation of the states, and the ground for it.
    Verdict,
    /// The runs of the ordering on both.
    SideBySide,
    /// The results of other picks.
    WhatIf,
    /// The assertions of the script.
    Assertions,
    /// The running check, or the figures of the last one.
    Progress,
    /// The path to a violation.
    Counterexample,
    /// The meaning of the outcome.
    Explanation,
    /// The run with reduction beside the one without.
    Both,
    /// The strategies of a race, with the states that each keeps.
    Racing,
    /// The first two states of one orbit that a strategy keeps.
    Doubled,
    /// The states around the present one, or their orbits.
    Graph,
    /// The selected node in detail.
    Node,
    /// The meaning of the graph's signs.
    Legend,
    /// The text of the script.
    Source,
    /// The components that move, and the definitions of the script.
    Outline,
    /// The datatypes, with the places that break their symmetry.
    Symmetry,
    /// The tree of operators above the components.
    Operators,
    /// The selected operator or component.
    Part,
    /// The wait-for graph.
    Waits,
    /// The components, with their images under a generator.
    Drawing,
    /// The generators of the group.
    Generators,
    /// The group, the symmetry known from the text, and near misses.
    Group,
}

impl Pane {
    /// The number of panes.
    pub const COUNT: usize = 33;

    /// The name for users: its name here in words.
    #[must_use]
    pub fn name(self) -> String {
        // The `n` of n-values is a number of the paper.
        if self == Self::NValues {
            return "n-values".to_owned();
        }
        let mut words = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !words.is_empty() {
                words.push(' ');
                words.extend(letter.to_lowercase());
            } else {
                words.push(letter);
            }
        }
        words
    }
}
