//! Pages to share: a run or a comparison as one file that needs nothing else, for a browser or for a mail.
//!
//! A page consists of documents, those that the command line writes and the screen shows, and of drawings. Nothing here
//! finds a fact out.

mod html;
mod plain;
pub mod rings;
mod tags;

pub use html::html;
pub use plain::{COLUMNS, plain};

use crate::document::Document;
use rings::RingDrawing;

/// The form of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageForm {
    /// A file for a browser.
    #[default]
    Html,
    /// Text that fits into a mail.
    Text,
}

impl PageForm {
    /// The end of the names of such files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Html => ".html",
            Self::Text => ".txt",
        }
    }
}

/// The forms of a page that a part belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartForms {
    /// Both.
    #[default]
    Both,
    /// Only that for a browser, which has room.
    Html,
    /// Only the text.
    Text,
}

impl PartForms {
    fn has(self, form: PageForm) -> bool {
        match self {
            Self::Both => true,
            Self::Html => form == PageForm::Html,
            Self::Text => form == PageForm::Text,
        }
    }
}

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PagePart {
    /// The heading; empty if it has none.
    pub heading: String,
    /// What it says.
    pub document: Document,
    /// The drawing below that.
    pub drawing: Option<RingDrawing>,
    /// The forms that have it.
    pub forms: PartForms,
}

/// A state of a run, with the step that led to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageStep {
    /// The event, or that it is the beginning.
    pub event: String,
    /// The components that take part in the step.
    pub with: Vec<String>,
    /// What is said of the step and of the state.
    pub parts: Vec<PagePart>,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedPage {
    /// The title.
    pub title: String,
    /// What is said of the whole.
    pub parts: Vec<PagePart>,
    /// The states of a run, the first one being that before all steps; none if it is no run.
    pub steps: Vec<PageStep>,
}

impl SharedPage {
    /// The page as a file.
    #[must_use]
    pub fn text(&self, form: PageForm) -> String {
        match form {
            PageForm::Html => html(self),
            PageForm::Text => plain(self),
        }
    }

    /// The heading of a step: `Step 3: push.T0.A`.
    fn step_heading(&self, at: usize) -> String {
        let event = self.steps.get(at).map_or("", |step| &step.event);
        format!("Step {at}: {event}")
    }
}
