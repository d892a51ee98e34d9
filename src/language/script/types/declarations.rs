//! The state of inference of declarations: terms, and the types that they give to declared names.

use super::datatypes::Datatypes;
use super::terms::TermInference;
use crate::script::core::TypeId;

/// Infers the types of declarations, a group at a time ([`super::groups`], [`super::declare`]).
pub(super) struct DeclInference<'a> {
    pub terms: TermInference<'a>,
}

impl DeclInference<'_> {
    pub fn datatypes(&mut self) -> &mut Datatypes {
        &mut self.terms.types.unifier.datatypes
    }

    /// All constructors of a datatype are known now.
    pub fn datatype_known(&mut self, t: TypeId) {
        let unifier = &mut self.terms.types.unifier;
        unifier
            .datatypes
            .complete(self.terms.script, t, &mut unifier.store);
    }
}
