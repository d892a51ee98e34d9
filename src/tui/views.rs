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

/// What is to be said of a view.
struct ViewRow {
    /// Its name, as tabs and titles show it.
    name: &'static str,
    /// The id of the command that opens it.
    id: &'static str,
    /// The name of that command.
    title: &'static str,
    /// What it shows in a sentence, as the help of that command and the status line say it.
    shows: &'static str,
    /// The keys that open it; the first is a digit.
    keys: &'static [&'static str],
    /// Its panes, the main one first.
    panes: &'static [Pane],
    /// The pane below the main one at first, where only two fit.
    second: Pane,
    /// The rows of the main pane there, of 21: those between tabs and status of a terminal with 24 rows.
    share: u16,
    /// Where its panes are on a wide screen, if that follows from three numbers.
    aside: Option<Aside>,
}

/// An arrangement of panes on a wide screen: the main one, and beside it the second, or two, one below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The columns of the main pane, of 120.
    pub main: u16,
    /// The rows of the upper one of the others, of 33.
    pub upper: u16,
    /// The rows of a terminal below which only the second pane has room beside the main one.
    pub rows_min: u16,
}

/// A row for each view, in the order of their numbers.
static VIEWS: [ViewRow; View::COUNT] = [
    ViewRow {
        name: "Animate",
        id: "view-animate",
        title: "Animate view",
        shows: "Where you are, and what can happen.",
        keys: &["1"],
        panes: &[
            Pane::Transitions,
            Pane::State,
            Pane::Representative,
            Pane::History,
            Pane::Why,
        ],
        second: Pane::State,
        share: 9,
        aside: None,
    },
    ViewRow {
        name: "Orbit",
        id: "view-orbit",
        title: "Orbit view",
        shows: "Finding a representative.",
        keys: &["2"],
        panes: &[Pane::Partition, Pane::Steps, Pane::NValues, Pane::Edges],
        second: Pane::NValues,
        share: 13,
        aside: None,
    },
    ViewRow {
        name: "Compare",
        id: "view-compare",
        title: "Compare view",
        shows: "Whether two states are alike.",
        keys: &["3"],
        panes: &[
            Pane::Verdict,
            Pane::SideBySide,
            Pane::StateA,
            Pane::StateB,
            Pane::WhatIf,
        ],
        second: Pane::SideBySide,
        share: 9,
        aside: None,
    },
    ViewRow {
        name: "Check",
        id: "view-check",
        title: "Check view",
        shows: "What holds, and what fails.",
        keys: &["4"],
        panes: &[
            Pane::Assertions,
            Pane::Progress,
            Pane::Counterexample,
            Pane::Explanation,
            Pane::Both,
            Pane::Racing,
            Pane::Doubled,
            Pane::Sizes,
        ],
        second: Pane::Counterexample,
        share: 7,
        aside: None,
    },
    ViewRow {
        name: "Graph",
        id: "view-graph",
        title: "Graph view",
        shows: "The states around this one.",
        keys: &["5"],
        panes: &[Pane::Graph, Pane::Node],
        second: Pane::Node,
        share: 15,
        aside: Some(Aside {
            main: 84,
            upper: 17,
            rows_min: 30,
        }),
    },
    ViewRow {
        name: "Source",
        id: "view-source",
        title: "Source view",
        shows: "The script, and where in it you are.",
        keys: &["6"],
        panes: &[Pane::Source, Pane::Outline, Pane::Symmetry],
        second: Pane::Outline,
        share: 14,
        aside: Some(Aside {
            main: 80,
            upper: 18,
            rows_min: 0,
        }),
    },
    ViewRow {
        name: "Structure",
        id: "view-structure",
        title: "Structure view",
        shows: "How it is put together, and who waits for whom.",
        keys: &["7"],
        panes: &[Pane::Operators, Pane::Part, Pane::Waits],
        second: Pane::Waits,
        share: 11,
        aside: Some(Aside {
            main: 54,
            upper: 18,
            rows_min: 24,
        }),
    },
    ViewRow {
        name: "Symmetry",
        id: "view-symmetry",
        title: "Symmetry view",
        shows: "Which permutations change nothing.",
        keys: &["8", "S"],
        panes: &[Pane::Drawing, Pane::Generators, Pane::Group],
        second: Pane::Generators,
        share: 13,
        aside: Some(Aside {
            main: 74,
            upper: 14,
            rows_min: 24,
        }),
    },
];

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

    /// Id, name, keys and help of the command that opens it.
    #[must_use]
    pub fn command(
        self,
    ) -> (
        &'static str,
        &'static str,
        &'static [&'static str],
        &'static str,
    ) {
        let row = self.row();
        (row.id, row.title, row.keys, row.shows)
    }

    fn row(self) -> &'static ViewRow {
        &VIEWS[self as usize]
    }

    /// The key that opens it.
    #[must_use]
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Its name, as tabs and titles show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it shows, in a sentence.
    #[must_use]
    pub fn shows(self) -> &'static str {
        self.row().shows
    }

    /// Its panes, the main one first.
    #[must_use]
    pub fn panes(self) -> &'static [Pane] {
        self.row().panes
    }

    /// The pane that is focused at first.
    #[must_use]
    pub fn main_pane(self) -> Pane {
        self.row().panes[0]
    }

    /// The pane below it at first, where only two fit.
    #[must_use]
    pub fn second_pane(self) -> Pane {
        self.row().second
    }

    /// The rows of the main pane where only two fit, of 21.
    #[must_use]
    pub fn share(self) -> u16 {
        self.row().share
    }

    /// Where its three panes are on a wide screen, if no more is needed to say so.
    #[must_use]
    pub fn aside(self) -> Option<Aside> {
        self.row().aside
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

/// The components that the list of a state shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedComponents {
    /// All; of a list that is too long, those in their initial local state are folded to a count.
    #[default]
    Folded,
    /// Those that the last step changed.
    Changed,
    /// All.
    All,
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
    /// What holds for other sizes.
    Sizes,
    /// The states around the present one, or their orbits.
    Graph,
    /// The selected node in detail.
    Node,
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
