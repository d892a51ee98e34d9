//! The state of resolving right sides, between the names and the forms of the language.
//!
//! The forms refer to each other as the grammar does, so they are methods of one type: those of
//! expressions ([`super::expr`]) and their translation in Timed sections ([`super::timed`]). Definitions
//! in a `let` have a state of their own ([`super::local`]).

use std::rc::Rc;

use super::annotate::TiedAnnotations;
use super::locals::Variables;
use super::mention::Mentioning;
use super::names::NameTable;
use super::pattern::{Binder, Patterns};
use super::place::DeclPlace;
use super::section::Tocks;
use super::timing::Section;
use crate::script::core::Pattern;
use crate::source::Diagnostic;
use crate::syntax::ast;

/// Resolves the right sides of definitions.
pub(super) struct Bodies {
    pub names: NameTable,
    pub locals: Variables,
    pub annotations: TiedAnnotations,
    /// The Timed section around what is being resolved.
    timed: Option<Section>,
    /// The definition being resolved, for the names of states.
    definition: Rc<str>,
}

impl Bodies {
    pub fn new(names: NameTable, annotations: TiedAnnotations) -> Self {
        Self {
            names,
            locals: Variables::default(),
            annotations,
            timed: None,
            definition: "".into(),
        }
    }

    /// Looks from a place; `sections` are all of the top level and of modules.
    pub fn enter(&mut self, place: &DeclPlace, sections: &[Section]) {
        place.enter(&mut self.names.scopes);
        self.timed = place.section.and_then(|s| sections.get(s).copied());
    }

    /// Uses a section from here on; gives the one used before.
    pub fn in_section(&mut self, section: Option<Section>) -> Option<Section> {
        self.names.scopes.set_timed(section.map(|s| s.layer));
        std::mem::replace(&mut self.timed, section)
    }

    pub fn timed(&self) -> Option<Section> {
        self.timed
    }

    pub fn definition(&self) -> &Rc<str> {
        &self.definition
    }

    /// Begins the definition of a name.
    pub fn define(&mut self, name: Rc<str>) {
        self.definition = name;
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.names.errors.report(diagnostic);
    }

    pub fn mentions(&mut self) -> Mentioning<'_> {
        Mentioning {
            names: &mut self.names,
            timed: self.timed,
        }
    }

    /// For the translation of a section.
    pub fn tocks(&mut self, section: Section) -> Tocks<'_> {
        Tocks {
            section,
            mentions: Mentioning {
                names: &mut self.names,
                timed: self.timed,
            },
            locals: &mut self.locals,
        }
    }

    pub fn pattern(&mut self, p: &ast::Pattern, binder: Binder<'_>) -> Pattern {
        let mut patterns = Patterns {
            names: &mut self.names,
            locals: &mut self.locals,
            binder,
        };
        patterns.pattern(p)
    }
}
