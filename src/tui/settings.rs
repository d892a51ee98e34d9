//! What a person has set for good of how the screen behaves.

use crate::animate::model::StateId;
use crate::animate::session::Session;

/// How much moves by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// What plays goes step by step.
    #[default]
    Full,
    /// Of what plays the beginning is seen, and then the end.
    Reduced,
    /// Nothing: what would play is at its end at once.
    Off,
}

impl Motion {
    /// All of them, with the names that they have in a configuration.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Full, "full"),
        (Self::Reduced, "reduced"),
        (Self::Off, "none"),
    ];
}

/// What is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether the last line shows keys, and the status line those that would have been quicker.
    pub hints: bool,
    /// How much moves by itself.
    pub motion: Motion,
    /// Whether transitions are grouped by orbit to begin with.
    pub grouped: bool,
    /// What is wrong with what was set, to be told once.
    pub notice: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hints: true,
            motion: Motion::Full,
            grouped: true,
            notice: String::new(),
        }
    }
}

impl Settings {
    /// A walk that begins.
    #[must_use]
    pub fn session(&self, process: &str, first: StateId, seed: u64) -> Session {
        let mut session = Session::new(process, first, seed);
        session.set_grouped(self.grouped);
        session
    }
}
