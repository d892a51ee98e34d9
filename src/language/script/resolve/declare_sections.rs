//! Declaring Timed sections.

use std::rc::Rc;

use super::declarer::Declarer;
use super::later::RightSide;
use super::place::DeclPlace;
use super::scope::Entity;
use super::section::duration_type;
use super::sections::WrittenSection;
use super::timing::{Callee, HELPERS, Section};
use crate::script::annotation::Annotated;
use crate::script::core::Builtin;

impl<'a> Declarer<'a> {
    /// The place inside a section. The section is described once all names are declared.
    pub fn open_section(&mut self, written: WrittenSection<'a>) -> DeclPlace {
        let (span, place) = (written.span, Rc::clone(&written.place));
        let frame = self.names.scopes.frame();
        for b in [Builtin::Wait, Builtin::TimedPriority] {
            let name = Rc::from(b.name());
            self.names
                .scopes
                .define_in(frame, &name, Entity::Builtin(b), span);
        }
        let mut inner = DeclPlace::clone(&place);
        inner.frames.push(frame);
        inner.section = Some(self.sections.open(written));
        inner
    }

    /// Finds the `tock` of each section not described yet.
    pub fn declare_sections(&mut self) {
        while let Some(WrittenSection {
            span,
            durations,
            place,
        }) = self.sections.undescribed()
        {
            place.enter(&mut self.names.scopes);
            let tock = self.names.tock(span);
            let known = self.sections.helpers(tock);
            let helpers = known.unwrap_or_else(|| {
                HELPERS.map(|b| {
                    let name = b.name().into();
                    Callee::Global(self.anonymous(name, span, RightSide::Made, &place))
                })
            });
            let durations = durations.map(|e| {
                let right_side = RightSide::Value(e);
                let id = self.anonymous("Timed".into(), e.span, right_side, &place);
                self.script.globals[id.0 as usize].made = true;
                self.annotations
                    .push(duration_type(Annotated::Global(id), e.span));
                Callee::Global(id)
            });
            let section = Section {
                span,
                tock,
                helpers,
                durations,
                layer: 0,
            };
            self.sections.describe(section, known.is_none());
        }
    }
}
