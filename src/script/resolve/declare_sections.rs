//! Declaring Timed sections.

use std::rc::Rc;

use super::declarer::Declarer;
use super::later::RightSide;
use super::place::DeclPlace;
use super::scope::Entity;
use super::section::duration_type;
use super::timing::{Callee, HELPERS, Section};
use crate::script::annotation::Annotated;
use crate::script::core::Builtin;
use crate::source::Span;

impl Declarer<'_> {
    /// The place inside a section. The section is described once all names are declared.
    pub fn open_section(&mut self, span: Span, place: &DeclPlace) -> DeclPlace {
        let frame = self.names.scopes.frame();
        for b in [Builtin::Wait, Builtin::TimedPriority] {
            let name = Rc::from(b.name());
            self.names
                .scopes
                .define_in(frame, &name, Entity::Builtin(b), span);
        }
        self.sections.list.push(Section::nowhere(span));
        let mut inner = place.clone();
        inner.frames.push(frame);
        inner.section = Some(self.sections.list.len() - 1);
        inner
    }

    /// Finds the `tock` of each section not described yet.
    pub fn declare_sections(&mut self) {
        for index in self.sections.described..self.sections.written.len() {
            let (span, durations, place) = self.sections.written[index].clone();
            place.enter(&mut self.names.scopes);
            let tock = self.names.tock(span);
            let same = |s: &&Section| s.tock.is_some() && s.tock == tock;
            let known = self.sections.list[..index]
                .iter()
                .find(same)
                .map(|s| s.helpers);
            let helpers = known.unwrap_or_else(|| {
                let made = HELPERS.map(|b| {
                    let name = b.name().into();
                    self.anonymous(name, span, RightSide::Made, &place)
                });
                self.sections.unwritten.push(index);
                made.map(Callee::Global)
            });
            let durations = durations.map(|e| {
                let pending = RightSide::Value(e);
                let id = self.anonymous("Timed".into(), e.span, pending, &place);
                self.script.globals[id.0 as usize].made = true;
                self.annotations
                    .push(duration_type(Annotated::Global(id), e.span));
                Callee::Global(id)
            });
            self.sections.list[index] = Section {
                span,
                tock,
                helpers,
                durations,
                layer: 0,
            };
        }
        self.sections.described = self.sections.written.len();
    }
}
