//! Session to screen, keys and mouse to commands.
//!
//! `update` changes the data and never draws; `view` draws and changes nothing; the loop in `terminal`
//! carries messages in and effects out. In: what the engine says (`animate::model`). Out: text on a
//! terminal. Nothing here knows how states are computed.

mod actions;
pub mod app;
mod canvas;
mod choices;
mod clipboard;
mod command;
mod commands;
mod comparing;
mod disk;
pub mod drawing;
mod facts;
mod files;
pub mod graphing;
pub mod headless;
mod kept;
pub mod keys;
pub mod language;
pub mod layout;
mod mouse;
mod outside;
mod overlay;
pub mod panes;

pub mod pictures;
mod racing;
pub mod registry;
mod requests;
mod saving;
mod sketch;
mod status_line;
mod terminal;
mod text;
pub mod theme;
pub mod update;
pub mod view;
pub mod views;
mod watch;

pub(crate) use terminal::run;

use crate::animate::checker::Runners;
use crate::animate::model::Counterexample;
use crate::animate::session_file::SessionFile;
use crate::animate::worker::EngineSource;
use std::path::PathBuf;

/// How to open the screen.
pub struct ScreenOptions {
    /// The script, as the user gave it: shown only.
    pub path: String,
    /// The process to open; otherwise the script decides.
    pub process: Option<String>,
    /// Events to perform first; otherwise the script decides.
    pub trace: Option<Vec<String>>,
    /// A counterexample to open instead of a process.
    pub counterexample: Option<Counterexample>,
    /// A session to open instead, and the file that it was read from.
    pub session: Option<(SessionFile, PathBuf)>,
    /// Build the engine on its own thread, as often as the script is loaded.
    pub engines: EngineSource,
    /// Run a check or a race, on a thread that the screen starts.
    pub checks: Runners,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether boxes are drawn with ASCII characters.
    pub ascii: bool,
    /// Whether colours are used.
    pub colour: bool,
}

/// Why the screen ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The person quit.
    Quit,
    /// A signal came, by its number; HUP, too, if the terminal went away.
    Signal(i32),
}

#[cfg(test)]
mod tests;
