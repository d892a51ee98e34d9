//! Certificates of a comparison by a group found in the structure, as plain data and in JSON.

use serde_json::{Value, json};

use super::type_permutation::TypePermutation;

/// A point of a group found in the structure: a component in a local state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointView {
    /// The number of the point.
    pub number: u32,
    /// The component, by name.
    pub component: String,
    /// The local state.
    pub state: String,
}

/// An element of such a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementView {
    /// The permutation of components.
    pub components: Vec<TypePermutation>,
    /// The points that it moves, with their images.
    pub moves: Vec<(u32, u32)>,
}

/// Points of state A, and points of state B.
pub type PointsOfBoth = (Vec<PointView>, Vec<PointView>);

/// Why no element of the group takes A to B: [`crate::symmetry::structural_certificate::StructuralCertificate`] in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuralReason {
    /// Different numbers of points are in an orbit.
    Numbers {
        /// The numbers of the points of the orbit.
        orbit: Vec<u32>,
        /// The points of the two states in it.
        inside: PointsOfBoth,
    },
    /// Different numbers of points have a colour.
    Pairs(Box<PairsReason>),
    /// Every image of a point fails.
    Tree {
        /// The point of A.
        pick: PointView,
        /// Every point of B that it could go to.
        refuted: Vec<RefutedImage>,
    },
}

/// Points that begin different pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairsReason {
    /// After how many rounds.
    pub round: usize,
    /// The points of A and of B.
    pub class: PointsOfBoth,
    /// The others that were of the same colour before this round.
    pub rest: PointsOfBoth,
    /// The state with the pair that distinguishes them: `A` or `B`.
    pub side: &'static str,
    /// The pair.
    pub pair: (PointView, PointView),
    /// How many such pairs each of the points begins.
    pub times: usize,
    /// How many each of the others.
    pub others: usize,
}

/// A point of B that another point cannot go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedImage {
    /// The image that is excluded.
    pub partner: PointView,
    /// The reason.
    pub why: ImageRefutation,
}

/// Why a point cannot go to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRefutation {
    /// A certificate excludes it, for the image of A under the element.
    By(ElementView, StructuralReason),
    /// Symmetry excludes it: the element leaves B as it is, and takes this image to another, excluded one.
    Like(PointView, ElementView),
}

impl StructuralReason {
    /// The tag in documents.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Numbers { .. } => "numbers",
            Self::Pairs(_) => "pairs",
            Self::Tree { .. } => "points",
        }
    }

    /// The certificate in JSON.
    pub(super) fn json(&self) -> Value {
        let mut value = match self {
            Self::Numbers { orbit, inside } => json!({
                "orbit": orbit,
                "a": numbers_of(&inside.0),
                "b": numbers_of(&inside.1),
            }),
            Self::Pairs(found) => json!({
                "round": found.round,
                "a": numbers_of(&found.class.0),
                "b": numbers_of(&found.class.1),
                "others": { "a": numbers_of(&found.rest.0), "b": numbers_of(&found.rest.1) },
                "pair": {
                    "of": found.side,
                    "first": found.pair.0.number,
                    "second": found.pair.1.number,
                },
                "times": found.times,
                "times_others": found.others,
            }),
            Self::Tree { pick, refuted } => {
                let refuted: Value = refuted.iter().map(RefutedImage::json).collect();
                json!({ "pick": pick.number, "refuted": refuted })
            }
        };
        value["kind"] = json!(self.word());
        value
    }
}

impl RefutedImage {
    fn json(&self) -> Value {
        let partner = self.partner.number;
        match &self.why {
            ImageRefutation::By(element, why) => {
                json!({ "partner": partner, "element": element.moves, "by": why.json() })
            }
            ImageRefutation::Like(other, by) => {
                json!({ "partner": partner, "like": other.number, "element": by.moves })
            }
        }
    }
}

fn numbers_of(points: &[PointView]) -> Vec<u32> {
    points.iter().map(|p| p.number).collect()
}
