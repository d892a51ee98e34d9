//! The data of the Source view.

use std::sync::Arc;

use crate::animate::model::{
    ErrorText, ListedText, Listing, PlacesView, ScriptPlace, StateId, TransitionView,
};
use crate::source::{FileId, Span};

/// The key of a state's places: the state, and a transition of it.
pub type PlacedKey = (StateId, Option<Box<TransitionView>>);

/// A place where the cursor can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextCursor {
    /// The file.
    pub file: FileId,
    /// The byte of its text.
    pub offset: usize,
}

impl Default for TextCursor {
    fn default() -> Self {
        Self {
            file: FileId(0),
            offset: 0,
        }
    }
}

impl From<Span> for TextCursor {
    fn from(span: Span) -> Self {
        Self {
            file: span.file,
            offset: span.start as usize,
        }
    }
}

/// The Source view's own data.
#[derive(Clone, Debug, Default)]
pub struct ReadingData {
    /// The script.
    pub listing: Arc<Listing>,
    /// The cursor.
    pub cursor: TextCursor,
    /// The column that moving up and down keeps to, where the line is long enough.
    pub goal: Option<u32>,
    /// The first line on the screen, unless the cursor would be off it.
    pub top: usize,
    /// The searched text.
    pub search: String,
    /// The cursor when the search began.
    pub searched_from: Option<TextCursor>,
    /// The places to go back to, one for each jump.
    pub back: Vec<TextCursor>,
    /// The index of the followed one among the components that move.
    pub mover: usize,
    /// A component that is followed instead, whether it moves or not.
    pub component: Option<usize>,
    /// The last place that the cursor followed: it is not taken there twice.
    pub followed: Option<(PlacedKey, usize, Option<usize>)>,
    /// The places of the components, by the engine's reply.
    pub placed: Option<(PlacedKey, Result<Box<PlacesView>, ErrorText>)>,
    /// The selected row of the outline.
    pub outline: usize,
    /// The selected place of those that break symmetry.
    pub symmetry: usize,
}

impl ReadingData {
    /// Another script, or the same read again: the cursor stays if it can.
    pub fn read(&mut self, listing: &Arc<Listing>) {
        self.listing = Arc::clone(listing);
        (self.placed, self.followed) = (None, None);
        self.back.clear();
        let length = self.text().map_or(0, |text| text.text().len());
        if self.cursor.offset > length || self.text().is_none() {
            (self.cursor, self.top) = (TextCursor::default(), 0);
        }
    }

    /// The text that is shown.
    #[must_use]
    pub fn text(&self) -> Option<&ListedText> {
        self.listing.file(self.cursor.file).map(|file| &file.text)
    }

    /// The line (from 0) that the cursor is in.
    #[must_use]
    pub fn line(&self) -> usize {
        self.text()
            .map_or(0, |text| text.line_of(self.cursor.offset))
    }

    /// The places of the components, if they are known.
    #[must_use]
    pub fn places(&self) -> Option<&PlacesView> {
        self.placed.as_ref()?.1.as_ref().ok().map(AsRef::as_ref)
    }

    /// The component that is followed: one that moves, or the one that was chosen.
    #[must_use]
    pub fn followed_component(&self) -> Option<usize> {
        let branches = &self.places()?.branches;
        let mover = || branches.get(self.mover % branches.len().max(1));
        self.component.or_else(|| mover().map(|(at, _)| *at))
    }

    /// The places of the followed component.
    #[must_use]
    pub fn here(&self) -> &[ScriptPlace] {
        let places = || self.places()?.components.get(self.followed_component()?);
        places().map_or(&[], Vec::as_slice)
    }

    /// The parts that the followed component takes in the selected transition.
    #[must_use]
    pub fn taken(&self) -> &[ScriptPlace] {
        let branch = || {
            let component = self.followed_component()?;
            let mut branches = self.places()?.branches.iter();
            branches.find(|(at, _)| *at == component)
        };
        branch().map_or(&[], |(_, places)| places.as_slice())
    }
}
