//! Type annotations with resolved targets.

use super::core::{ChannelId, CtorId, GlobalId, VariableId};
use crate::source::Span;
use crate::syntax::ast::TypeScheme;

/// A type annotation, tied to what it is about.
#[derive(Debug)]
pub(super) struct Annotation {
    /// The target that gets the type.
    pub target: Annotated,
    /// The type as written; names in it are top-level ones.
    pub scheme: TypeScheme,
    /// The name in the annotation.
    pub span: Span,
}

/// The target of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Annotated {
    Global(GlobalId),
    Local(VariableId),
    Channel(ChannelId),
    Ctor(CtorId),
}
