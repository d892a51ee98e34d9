//! Session to screen, keys and mouse to commands.
//!
//! `update` changes the data and never draws; `view` draws and changes nothing; the loop in `terminal` carries
//! messages in and effects out. In: answers of the engine (`animate::model`). Out: text on a terminal. Nothing here
//! knows how states are computed.

mod actions;
mod answers;
pub mod app;
mod background;
pub mod bindings;
mod canvas;
mod check_news;
mod choices;
mod circle;
mod clipboard;
pub mod command;
mod commands;
mod comparing;
mod cutting;
mod disk;
pub mod drawing;
mod effect;
mod facts;
mod files;
mod finding;
pub mod footer;
pub mod graphing;
pub mod headless;
mod help;
mod kept;
pub mod keys;
pub mod language;
pub mod layout;
pub mod lessons;
mod menu;
pub mod menu_group;
mod message;
mod mouse;
mod next_time;
mod orbiting;
pub mod outside;
mod overlay;
mod paired;
pub mod panes;
pub mod pictures;
mod playing;
mod racing;
pub mod reading;
pub mod registry;
mod requests;
pub mod saving;
pub mod screen;
pub mod settings;
mod settling;
pub mod sizing;
mod sketch;
mod stages;
mod stakes;
mod status_line;
mod stored;
mod structuring;
mod terminal;
mod terms;
mod text;
mod text_line;
pub mod theme;
pub mod threads;
pub mod trail;
mod typing;
pub mod update;
pub mod view;
pub mod views;
mod watch;
pub mod welcome;

pub use terminal::{columns, run};
pub use watch::ended_before;

use std::path::PathBuf;

use background::Background;
use bindings::Bindings;
use lessons::room::LessonStart;
use settings::Settings;
use theme::{Palette, Theme, ThemeChoice};
use welcome::WelcomePage;

use crate::animate::checker::Runners;
use crate::animate::model::Counterexample;
use crate::animate::worker::EngineSource;
use crate::report::run_file::RunFile;
pub use threads::Workshop;

/// A script to open.
pub struct ScriptOptions {
    /// The script, as the user gave it: shown only.
    pub path: String,
    /// The process to open; otherwise the script decides.
    pub process: Option<String>,
    /// Events to perform first; otherwise the script decides.
    pub trace: Option<Vec<String>>,
    /// A counterexample to open instead of a process.
    pub counterexample: Option<Counterexample>,
    /// A session to open instead, and the file that it was read from.
    pub session: Option<(RunFile, PathBuf)>,
    /// Build the engine on its own thread, as often as the script is loaded.
    pub engines: EngineSource,
    /// Run a check or a race, on a thread that the screen starts.
    pub checks: Runners,
}

/// The first content of the screen.
pub enum ScreenStart {
    /// A script.
    Script(Box<ScriptOptions>),
    /// A lesson, and nothing else: leaving it quits the program.
    Lesson(Box<LessonStart>),
    /// The welcome page, or one of its lists.
    Welcome(WelcomePage),
}

/// Options of the screen, for any content.
pub struct ScreenOptions {
    /// Makes what is behind the models of lessons, and behind scripts that are opened later.
    pub workshop: Workshop,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether boxes are drawn with ASCII characters.
    pub ascii: bool,
    /// Whether colours are used.
    pub colour: bool,
    /// The theme, if so.
    pub theme: ThemeChoice,
    /// The other settings.
    pub settings: Settings,
    /// Keys that are not the usual ones.
    pub bindings: Bindings,
}

impl ScreenOptions {
    /// The theme to draw with, on this background of a terminal with this number of colours: `colour: false`
    /// overrides any choice.
    fn theme_in_use(&self, background: Option<Background>, colours: u16) -> Theme {
        let palette = match self.colour {
            true => self.theme.palette(background, colours),
            false => Palette::Mono,
        };
        Theme {
            palette,
            background,
            ascii: self.ascii,
        }
    }
}

/// Why the screen ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user quit.
    Quit,
    /// A signal came, by its number; HUP, too, if the terminal went away.
    Signal(i32),
}

#[cfg(test)]
mod tests;

use orbitscope_animate as animate;
use orbitscope_engine::symmetry;
#[cfg(test)]
use orbitscope_engine::{check, lab};
#[cfg(test)]
use orbitscope_language::script;
use orbitscope_language::source;
use orbitscope_report as report;

#[cfg(test)]
#[path = "../../tests/support/tiers.rs"]
#[allow(dead_code, reason = "each kind of test uses a part")]
mod tiers;
