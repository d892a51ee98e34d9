//! Uniqueness of representatives within an orbit, as plain data and in words.

use super::model::ComponentView;

/// Whether the representative is unique for the orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniquenessView {
    /// It is, by this proof, as `Prop 50`.
    Proved(String),
    /// It is: all of this many sequences of picks lead to it.
    AllPicksAgree(usize),
    /// It is not: two sequences of picks lead to different ones.
    PicksDisagree(Box<DisagreementView>),
    /// It is not: another state of the orbit gets another one.
    StatesDisagree(Box<OtherStateView>),
    /// Unknown, for this reason.
    Unknown(String),
}

impl UniquenessView {
    /// The tag in documents.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proved(_) => "proved",
            Self::AllPicksAgree(_) => "all-picks-agree",
            Self::PicksDisagree(_) => "picks-disagree",
            Self::StatesDisagree(_) => "states-disagree",
            Self::Unknown(_) => "unknown",
        }
    }

    /// In plain words, beside the representative.
    #[must_use]
    pub fn badge(&self) -> &'static str {
        match self {
            Self::Proved(_) | Self::AllPicksAgree(_) => "the only one",
            Self::PicksDisagree(_) | Self::StatesDisagree(_) => "one of several",
            Self::Unknown(_) => "perhaps several",
        }
    }

    /// The same with its ground, where there is room for that.
    #[must_use]
    pub fn claim(&self) -> String {
        let badge = self.badge();
        match self {
            Self::Proved(by) => format!("the only possible one ({by})"),
            Self::AllPicksAgree(n) => format!("the only possible one (all {n} picks agree)"),
            Self::PicksDisagree(_) => format!("{badge} (two picks disagree)"),
            Self::StatesDisagree(_) => format!("{badge} (two states of its orbit disagree)"),
            Self::Unknown(_) => "perhaps one of several".to_owned(),
        }
    }

    /// Whether it certainly is.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        matches!(self, Self::Proved(_) | Self::AllPicksAgree(_))
    }

    /// The ground, in a sentence or several.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Proved(by) => by.clone(),
            Self::AllPicksAgree(n) => {
                format!("all {n} ways to pick lead to this representative")
            }
            Self::PicksDisagree(found) => format!(
                "{} leads to {}; {} leads to {}. The state {} gets {}",
                found.here.picks.join(", "),
                state_text(&found.here.representative),
                found.there.picks.join(", "),
                state_text(&found.there.representative),
                state_text(&found.other.witness),
                state_text(&found.other.representative),
            ),
            Self::StatesDisagree(other) => format!(
                "the state {} of its orbit gets {}",
                state_text(&other.witness),
                state_text(&other.representative),
            ),
            Self::Unknown(why) => why.clone(),
        }
    }
}

/// The local states of a state side by side.
fn state_text(components: &[ComponentView]) -> String {
    let texts: Vec<String> = components
        .iter()
        .map(|c| c.text.replace(", ", ","))
        .collect();
    format!("[{}]", texts.join(" "))
}

/// A state of the orbit with another representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherStateView {
    /// The state.
    pub witness: Vec<ComponentView>,
    /// The representative that it gets.
    pub representative: Vec<ComponentView>,
}

/// Two ways to pick that lead to different representatives of one orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisagreementView {
    /// The way that was gone.
    pub here: WayView,
    /// The way that leads to another representative.
    pub there: WayView,
    /// A state of the orbit that gets another representative, and that representative.
    pub other: OtherStateView,
}

/// A sequence of picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayView {
    /// The picks, as `N0 of {N0,N1,N2,N3}`, or the order of values that nothing distinguishes.
    pub picks: Vec<String>,
    /// The representative that this way leads to.
    pub representative: Vec<ComponentView>,
}
