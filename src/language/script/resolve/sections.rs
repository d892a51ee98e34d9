//! The Timed sections of the top level and of modules.

use std::rc::Rc;

use super::place::DeclPlace;
use super::scope::Entity;
use super::timing::{Callee, Section};
use crate::source::Span;
use crate::syntax::ast;

/// A section as it is written.
#[derive(Clone)]
pub(super) struct WrittenSection<'a> {
    /// The word `Timed`.
    pub span: Span,
    /// The durations of events.
    pub durations: Option<&'a ast::Expr>,
    /// The place of the section.
    pub place: Rc<DeclPlace>,
}

/// All of them, by their numbers. What is known of a section can be said only when all names are declared
/// (its `tock` may follow it), so sections are opened first and described later.
#[derive(Default)]
pub(super) struct Sections<'a> {
    /// As many as in `known`.
    written: Vec<WrittenSection<'a>>,
    known: Vec<Section>,
    /// The number of described ones.
    described: usize,
    /// Sections whose processes are still to be generated.
    unwritten: Vec<usize>,
}

impl<'a> Sections<'a> {
    /// The number of a new section.
    pub fn open(&mut self, written: WrittenSection<'a>) -> usize {
        self.known.push(Section::nowhere(written.span));
        self.written.push(written);
        self.known.len() - 1
    }

    /// The next section that is not described yet.
    pub fn undescribed(&self) -> Option<WrittenSection<'a>> {
        self.written.get(self.described).cloned()
    }

    /// The processes of a section before it with the same `tock`: they are the same.
    pub fn helpers(&self, tock: Option<Entity>) -> Option<[Callee; 4]> {
        let before = &self.known[..self.described];
        let same = before.iter().find(|s| s.tock.is_some() && s.tock == tock);
        same.map(|s| s.helpers)
    }

    /// Says what the next section is that is not described; `own` if its processes are its own.
    pub fn describe(&mut self, section: Section, own: bool) {
        if own {
            self.unwritten.push(self.described);
        }
        self.known[self.described] = section;
        self.described += 1;
    }

    /// All sections, and those whose processes have still to be written.
    pub fn into_parts(self) -> (Vec<Section>, Vec<usize>) {
        debug_assert_eq!(
            self.described,
            self.known.len(),
            "a section is not described"
        );
        (self.known, self.unwritten)
    }
}
