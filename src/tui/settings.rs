//! Settings of the screen, from the configuration and the command line.

use std::path::PathBuf;

use crate::animate::model::StateId;
use crate::animate::session::Session;

/// The amount of motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// Animations go step by step.
    #[default]
    Full,
    /// Animations show their beginning, and then the end.
    Reduced,
    /// Animations are at their end at once.
    Off,
}

impl Motion {
    /// The values, with their names in a configuration.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Full, "full"),
        (Self::Reduced, "reduced"),
        (Self::Off, "none"),
    ];
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether the last line shows keys, and the status line those that would have been quicker.
    pub hints: bool,
    /// The amount of motion.
    pub motion: Motion,
    /// Whether transitions are grouped by orbit at the start.
    pub grouped: bool,
    /// The errors of the configuration, to be shown once.
    pub notice: String,
    /// A folder with more lessons.
    pub lessons: Option<PathBuf>,
    /// A file to which answers are written when a lesson is left.
    pub report: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hints: true,
            motion: Motion::Full,
            grouped: true,
            notice: String::new(),
            lessons: None,
            report: None,
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
