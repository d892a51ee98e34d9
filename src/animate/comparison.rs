//! The comparison of two states, A and B, as plain data.

use num_bigint::BigUint;

use super::checkable::{CheckableStates, PointMoves};
use super::strategy::{AskedStrategy, TypePermutation};
use super::structural_reasons::StructuralReason;
use super::uniqueness::WayView;
use crate::report::words::ComponentView;

/// Two states side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateComparison {
    /// State A.
    pub a: Compared,
    /// State B.
    pub b: Compared,
    /// The relation of the two.
    pub relation: RelationView,
    /// The permutations that this is about, as `D (3)`, if there are others.
    pub group: Option<String>,
    /// The relation by the other permutations.
    pub other: Option<OtherRelation>,
    /// The strategy that chose the representatives.
    pub strategy: AskedStrategy,
    /// The first difference of the runs of `ordering`, or of the representatives of another strategy; `None` if there
    /// is nothing to compare, as for states of different formats.
    pub parting: Option<PartingView>,
    /// The representatives that the possible picks lead to for the first state.
    pub picks: PicksView,
    /// What a checker of the comparison needs.
    pub data: Option<CheckableStates>,
}

/// The relation of two states by other permutations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRelation {
    /// The permutations, as `D (3)`.
    pub group: String,
    /// Whether they are a part of those that the comparison is about.
    pub is_part: bool,
    /// The relation.
    pub relation: RelationView,
}

/// One of the two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The components of the state.
    pub components: Vec<ComponentView>,
    /// The components of the representative that the strategy gives it.
    pub representative: Vec<ComponentView>,
}

/// The relation of two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationView {
    /// Both are the same state.
    Same,
    /// Both are in the same orbit.
    SameOrbit(WitnessView),
    /// Both are in the same orbit if bisimilar local states are merged.
    Bisimilar {
        /// The permutation that takes the one to the other then.
        witness: WitnessView,
        /// The components of A whose local states are only bisimilar to those of their images.
        components: Vec<usize>,
    },
    /// The orbits differ.
    Different(CertificateView),
    /// The networks have different formats, which are not compared.
    OtherFormat,
    /// The search was given up after so many nodes.
    Undecided {
        /// The number of nodes that were searched.
        nodes: usize,
    },
}

/// A permutation that takes A to B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessView {
    /// The permutation of each symmetric type.
    pub permutation: Vec<TypePermutation>,
    /// The action on components: for each component of A, its image in B.
    pub arrows: Vec<usize>,
    /// The number of values, or components, that it moves.
    pub moved: usize,
    /// The unit of that number, values or components.
    pub moves: &'static str,
    /// The points that it moves, with their images, where components are permuted.
    pub element: Option<PointMoves>,
    /// Whether it moves the fewest of all that take state A to state B.
    pub is_least: bool,
    /// In how many ways A is taken to B, if that is known.
    pub ways: Option<BigUint>,
}

/// Why no permutation takes A to B: [`crate::symmetry::certificate::Certificate`] in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateView {
    /// Different numbers of components have a control state.
    Keys {
        /// The common key of the components, as `Node(_, _, _)`.
        key: String,
        /// The components of A, by name.
        left: Vec<String>,
        /// The components of B.
        right: Vec<String>,
    },
    /// Different numbers of values are alike.
    Profile(Box<ProfileView>),
    /// Every image of a value fails.
    Tree {
        /// The value of A.
        pick: String,
        /// Every value of B that it could go to.
        refuted: Vec<RefutedView>,
    },
    /// The only permutation left does not take A to B.
    Image(Vec<TypePermutation>),
    /// The least states of both orbits differ.
    LeastImages {
        /// The first component in which they do.
        component: String,
        /// Its local state in the least state of the orbit of A.
        left: String,
        /// In that of B.
        right: String,
        /// The numbers of states of the two orbits, if they are known.
        images: (Option<BigUint>, Option<BigUint>),
    },
    /// Points of a group found in the structure tell the states apart.
    Structural(StructuralReason),
}

/// Values that are alike, in different numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileView {
    /// After how many rounds.
    pub round: usize,
    /// The values of A, and those of B.
    pub class: (Vec<String>, Vec<String>),
    /// The others that were like them before this round, of A and of B.
    pub rest: (Vec<String>, Vec<String>),
    /// The state with the place that distinguishes them: `A` or `B`.
    pub side: &'static str,
    /// The component there, by name.
    pub component: String,
    /// The local state.
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
    /// The image that is excluded.
    pub partner: String,
    /// The reason.
    pub why: RefutationView,
}

/// Why a value cannot go to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutationView {
    /// A certificate excludes it.
    By(CertificateView),
    /// Symmetry excludes it: the permutation leaves B as it is, and takes this image to another, excluded one.
    Like(String, Vec<TypePermutation>),
}

/// The first difference of the runs of `ordering`, or of the representatives of another strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartingView {
    /// The number of the step in both records, from 0; none if they do not part.
    pub step: Option<usize>,
    /// The tag in documents: `never`, `choice`, `tie`, `step` or `fault`; of other strategies `same`, `place` or
    /// `fault`.
    pub word: &'static str,
    /// The description, in a sentence.
    pub text: String,
}

impl PartingView {
    /// Whether it shows a fault of the program itself.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        self.word == "fault"
    }
}

/// The representatives that the possible picks lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PicksView {
    /// The representatives, with one sequence of picks that leads to each and the number of those that do.
    pub outcomes: Vec<(WayView, usize)>,
    /// Whether all sequences of picks were tried.
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
    /// Whether there are no picks: the representative is the least state of its orbit.
    #[must_use]
    pub fn has_no_picks(&self) -> bool {
        self.outcomes.is_empty() && !self.complete
    }
}

impl RelationView {
    /// The tag in documents.
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
    /// The tag in documents.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Keys { .. } => "keys",
            Self::Profile(_) => "profile",
            Self::Tree { .. } => "tree",
            Self::Image(_) => "image",
            Self::LeastImages { .. } => "least-images",
            Self::Structural(reason) => reason.word(),
        }
    }
}
