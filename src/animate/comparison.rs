//! What two states, A and B, are to each other, as plain data.

use num_bigint::BigUint;

use super::strategy::TypePermutation;
use super::uniqueness::WayView;
use crate::report::words::ComponentView;

/// Two states side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateComparison {
    /// The first state.
    pub a: Compared,
    /// The second.
    pub b: Compared,
    /// What they are to each other.
    pub relation: RelationView,
    /// Where the runs of `ordering` part; none where nothing was run, as for states of different formats.
    pub parting: Option<PartingView>,
    /// Where all ways to pick lead for the first state.
    pub picks: PicksView,
}

/// One of the two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Its components.
    pub components: Vec<ComponentView>,
    /// Those of the representative that `ordering` gives it.
    pub representative: Vec<ComponentView>,
}

/// What two states are to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationView {
    /// They are one state.
    Same,
    /// They are of one orbit.
    SameOrbit(WitnessView),
    /// They are of one orbit once bisimilar local states are merged.
    Bisimilar {
        /// What takes the one to the other then.
        witness: WitnessView,
        /// The components of A whose local states are only bisimilar to those of their images.
        components: Vec<usize>,
    },
    /// They are of different orbits.
    Different(CertificateView),
    /// They are networks of different form, which are not compared.
    OtherFormat,
    /// The search was given up after so many nodes.
    Undecided {
        /// How many were looked at.
        nodes: usize,
    },
}

/// What takes A to B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessView {
    /// One entry a symmetric type.
    pub permutation: Vec<TypePermutation>,
    /// For each component of A, the component of B that is its image.
    pub arrows: Vec<usize>,
    /// How many values, or components, it moves.
    pub moved: usize,
    /// Which of the two it is.
    pub moves: &'static str,
    /// Whether none that takes state A to state B moves fewer.
    pub is_least: bool,
    /// In how many ways A is taken to B, if that is known.
    pub ways: Option<BigUint>,
}

/// Why no permutation takes A to B: [`crate::symmetry::certificate::Certificate`] in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateView {
    /// Different numbers of components have a control state.
    Keys {
        /// What they have in common, as `Node(_, _, _)`.
        key: String,
        /// The components of A, by name.
        left: Vec<String>,
        /// Those of B.
        right: Vec<String>,
    },
    /// Different numbers of values are alike.
    Profile(Box<ProfileView>),
    /// Whatever a value is mapped to, it fails.
    Tree {
        /// The value of A.
        pick: String,
        /// Every value of B that it could go to.
        refuted: Vec<RefutedView>,
    },
    /// One permutation is left, and it does not take A to B.
    Image(Vec<TypePermutation>),
    /// The least states of both orbits differ.
    LeastImages {
        /// The first component in which they do.
        component: String,
        /// Its local state in the least state of the orbit of A.
        left: String,
        /// In that of B.
        right: String,
    },
}

/// Values that are alike, in different numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileView {
    /// After how many rounds.
    pub round: usize,
    /// The values of A, and those of B.
    pub class: (Vec<String>, Vec<String>),
    /// Those that were like them before this round, likewise.
    pub rest: (Vec<String>, Vec<String>),
    /// The state with the place that tells them apart: `A` or `B`.
    pub side: &'static str,
    /// The component there, by name.
    pub component: String,
    /// Its local state.
    pub state: String,
    /// The variable.
    pub variable: String,
    /// In how many such places each of the values stands.
    pub times: usize,
    /// In how many each of the others.
    pub others: usize,
}

/// A value of B that another value cannot go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedView {
    /// The value.
    pub partner: String,
    /// Why not.
    pub why: RefutationView,
}

/// Why a value cannot go to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutationView {
    /// This shows it.
    By(CertificateView),
    /// As little as to this value, which the permutation takes it to; it leaves B as it is.
    Like(String, Vec<TypePermutation>),
}

/// Where the runs of `ordering` part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartingView {
    /// The number of the step in both records, from 0; none if they do not part.
    pub step: Option<usize>,
    /// As documents name it: `never`, `choice`, `tie`, `step` or `fault`.
    pub word: &'static str,
    /// In a sentence.
    pub text: String,
}

impl PartingView {
    /// Whether something is wrong with the program itself.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        self.word == "fault"
    }
}

/// Where all ways to pick lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PicksView {
    /// Each representative once, with one way that leads to it and the number of ways that do.
    pub outcomes: Vec<(WayView, usize)>,
    /// Whether all ways were tried.
    pub complete: bool,
}

/// A line of an explanation, and how deep it is below others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// 0 for the outermost.
    pub depth: usize,
    /// Text without line breaks.
    pub text: String,
}

impl PicksView {
    /// Whether nothing is ever picked: the representative is the least state of its orbit.
    #[must_use]
    pub fn is_beside_the_point(&self) -> bool {
        self.outcomes.is_empty() && !self.complete
    }
}

impl RelationView {
    /// As documents name it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::SameOrbit(_) => "same-orbit",
            Self::Bisimilar { .. } => "bisimilar",
            Self::Different(_) => "different",
            Self::OtherFormat | Self::Undecided { .. } => "undecided",
        }
    }
}

impl CertificateView {
    /// As documents name it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Keys { .. } => "keys",
            Self::Profile(_) => "profile",
            Self::Tree { .. } => "tree",
            Self::Image(_) => "image",
            Self::LeastImages { .. } => "least-images",
        }
    }
}
