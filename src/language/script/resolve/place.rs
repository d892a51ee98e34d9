//! Places of declarations.

use std::rc::Rc;

use super::scope::{FrameId, Scopes};
use crate::script::core::GlobalId;
use crate::syntax::ast;

/// The place of a list of declarations.
#[derive(Clone, Debug)]
pub(super) struct DeclPlace {
    /// Everything in scope, outermost first.
    pub frames: Vec<FrameId>,
    /// The frame of its names.
    pub home: FrameId,
    /// Whether its names can be used outside its module.
    pub exporting: bool,
    /// The prefix of its names: empty, or `M::`.
    pub prefix: Rc<str>,
    /// The Timed section around it.
    pub section: Option<usize>,
    /// The modules around it, as positions in the text.
    pub inside: Vec<usize>,
    /// The parameters of the instances around it.
    pub params: Rc<[GlobalId]>,
    /// Whether it is part of an instance, so that its templates are checked elsewhere.
    pub expanded: bool,
}

/// The address of a declaration, which tells it from all others.
pub(super) fn address(decl: &ast::Decl) -> usize {
    std::ptr::from_ref(decl) as usize
}

impl DeclPlace {
    /// A name as it is known everywhere.
    pub fn qualified(&self, name: &str) -> Rc<str> {
        format!("{}{name}", self.prefix).into()
    }

    /// Makes what is in scope here all that is in scope.
    pub fn enter(&self, scopes: &mut Scopes) {
        let timed = self.section.is_some();
        scopes.enter(&self.frames, self.home, self.exporting, timed);
    }
}
