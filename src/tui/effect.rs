//! What comes into the data of the screen, and what goes out of it.

use std::path::PathBuf;

use crate::animate::checker::CheckNews;
use crate::animate::model::{CheckOutcome, CheckRequest, Input, PictureRequest, PictureText};
use crate::animate::racer::RaceRequest;
use crate::animate::sizes::SizesRequest;
use crate::animate::worker::{EngineAnswer, ReachedStage, Request};
use crate::report::run_file::RunFile;
use crate::source::visible_line;

use super::lessons::lesson::Shelf;
use super::lessons::places::KeptLesson;
use super::saving::{SessionWriting, SessionWritten};
use super::welcome::{WelcomeAnswer, WelcomePage, WelcomeQuestion};

/// A message to `update`: an event outside of the data.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed, or released.
    Key(crossterm::event::KeyEvent),
    /// A text was pasted.
    Paste(String),
    /// The mouse was moved, pressed or turned at its wheel.
    Mouse(crossterm::event::MouseEvent),
    /// The terminal has another size.
    Resize(u16, u16),
    /// The engine answered a request, or has loaded the script.
    Engine(Box<EngineAnswer>),
    /// Something happened to the checks.
    Checks(Box<CheckNews>),
    /// Counterexamples were saved, or could not be: the note on it.
    Saved(String),
    /// A session was written, or could not be.
    SessionWritten(Result<SessionWritten, String>),
    /// The walk cannot be kept: why.
    NotKept(String),
    /// Files of the script changed, or are as they were again: the names of all that are others now.
    DiskChanged(Vec<String>),
    /// An answer of the engine that loads the script again.
    Reloading(Box<EngineAnswer>),
    /// Time passed: milliseconds since the start.
    Tick(u64),
    /// How far the threads are with what they do.
    Reached(WorkReached),
    /// A message for the session that is parked while a lesson is taken.
    Parked(Box<Msg>),
    /// The lessons that there are: to be listed, or for the tour.
    Lessons(Box<Shelf>, WantedLesson),
    /// The welcome page, or one of its lists, is to be shown.
    Welcome(WelcomePage),
    /// An answer of the disk to a question of the welcome page.
    Found(Box<WelcomeAnswer>),
    /// The operating system asks the program to end.
    Terminate,
}

/// The stage that each thread has reached, while it works on something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkReached {
    /// That of the request that the engine answers.
    pub engine: Option<ReachedStage>,
    /// That of the check that runs.
    pub checks: Option<ReachedStage>,
}

/// The purpose for which the lessons are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedLesson {
    /// The person chooses one from the list.
    Any,
    /// The tour.
    Tour,
}

/// An effect to carry out, outside of the data.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the engine; its answer comes as [`Msg::Engine`].
    Ask(Request),
    /// Cancel all requests to the engine.
    CancelRequests,
    /// Cancel one request.
    CancelRequest(Request),
    /// Queue a check; its news are [`Msg::Checks`].
    Check(CheckRequest),
    /// Go on with the check that was interrupted in a folder.
    Resume(PathBuf),
    /// Queue a race, likewise.
    Race(RaceRequest),
    /// Queue a question about other sizes, likewise.
    Sizes(SizesRequest),
    /// Cancel the running check or race, and the waiting ones.
    CancelChecks,
    /// Save the counterexamples of an outcome to a new file.
    Save(Box<CheckOutcome>),
    /// Load the script again; its answer is [`Msg::Reloading`].
    Reload,
    /// Ask the engine that has done so.
    AskNext(Request),
    /// Cancel the request of that engine.
    CancelReload,
    /// Drop the newly loaded script.
    DropNext,
    /// Let it take the place of the other.
    SwapEngine,
    /// Watch these files of the script.
    LookAt(Vec<Input>),
    /// Write the walk to a file; the result is [`Msg::SessionWritten`].
    WriteSession(Box<SessionWriting>),
    /// Keep the walk in this file, in case that the program ends unexpectedly; at once, if it ends now.
    Keep(Box<RunFile>, PathBuf, bool),
    /// Copy a text to the clipboard of the terminal; the first text is its name.
    Copy(&'static str, String),
    /// Write such a text to a new file, whose name ends with the second text.
    CopyToFile(&'static str, &'static str, String),
    /// Remove a file that has kept a walk.
    Forget(PathBuf),
    /// Write a graph to a new file.
    SavePicture(Box<(PictureRequest, PictureText)>),
    /// Capture the mouse, or leave it to the terminal.
    Mouse(bool),
    /// An effect of the session that is parked while a lesson is taken.
    Parked(Box<Effect>),
    /// Start the threads behind a script, which is shown from now on; whether its files are watched.
    Start(PathBuf, bool),
    /// Stop the threads behind the script that was shown last.
    Stop,
    /// Look up the lessons; the answer is [`Msg::Lessons`].
    Lessons(WantedLesson),
    /// Store the progress in a lesson, and publish the place of a presenter.
    KeepLesson(Box<KeptLesson>),
    /// Show the welcome page, by [`Msg::Welcome`].
    Welcome(WelcomePage),
    /// Ask the disk a question of that page; the answer is [`Msg::Found`].
    Look(WelcomeQuestion),
    /// Stop until the shell continues the program.
    Suspend,
    /// Draw the whole screen again, over the output of other programs.
    Redraw,
    /// End the loop, and with it the program.
    Quit,
}

impl Effect {
    /// The change outside of the screen, in words: files that it writes or removes, and the clipboard. Only a person
    /// may ask for that, not a lesson or a script from elsewhere. The match has no arm for all others, so a new
    /// effect must decide.
    #[must_use]
    pub fn outward(&self) -> Option<String> {
        let named = |path: &PathBuf| visible_line(&path.display().to_string()).into_owned();
        match self {
            Self::Save(_) => Some("save counterexamples to a new file".to_owned()),
            Self::WriteSession(writing) => Some(match &writing.to {
                Some(path) => format!("write the walk to {}", named(path)),
                None => "write the walk to a file".to_owned(),
            }),
            Self::Keep(_, path, _) => Some(format!("keep the walk in {}", named(path))),
            Self::Copy(what, _) => Some(format!("copy the {what} to the clipboard")),
            Self::CopyToFile(what, ..) => Some(format!("write the {what} to a new file")),
            Self::Forget(path) => Some(format!("remove {}", named(path))),
            Self::Resume(folder) => Some(format!(
                "go on with the check in {}, whose files it removes at its end",
                named(folder)
            )),
            Self::SavePicture(_) => Some("write a graph to a new file".to_owned()),
            Self::Ask(_)
            | Self::CancelRequests
            | Self::CancelRequest(_)
            | Self::Check(_)
            | Self::Race(_)
            | Self::Sizes(_)
            | Self::CancelChecks
            | Self::Reload
            | Self::AskNext(_)
            | Self::CancelReload
            | Self::DropNext
            | Self::SwapEngine
            | Self::LookAt(_)
            | Self::Mouse(_)
            | Self::Parked(_)
            | Self::Start(..)
            | Self::Stop
            | Self::Lessons(_)
            | Self::KeepLesson(_)
            | Self::Welcome(_)
            | Self::Look(_)
            | Self::Suspend
            | Self::Redraw
            | Self::Quit => None,
        }
    }
}
