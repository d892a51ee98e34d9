//! Work that is left once every name is declared.

use std::rc::Rc;

use super::join::{DeclItem, FunctionClauses};
use super::place::DeclPlace;
use crate::script::core::{ChannelId, CtorId, GlobalId, TypeId};
use crate::source::hash::Map;
use crate::syntax::ast;

/// The right side of a global, before it is resolved.
pub(super) enum RightSide<'a> {
    Value(&'a ast::Expr),
    Function(FunctionClauses<'a>),
    Nametype(&'a ast::Expr),
    Part(usize),
    /// A parameter of a module that is checked by itself.
    Parameter,
    /// Written by the translation of Timed sections.
    Made,
}

/// A top-level pattern binding with the variables it defines.
pub(super) struct TopPattern<'a> {
    pub pattern: &'a ast::Pattern,
    pub body: &'a ast::Expr,
    pub parts: Vec<(Rc<str>, GlobalId)>,
    pub place: Rc<DeclPlace>,
}

/// Constructors as written.
pub(super) type CtorClauses<'a> = &'a [(ast::Ident, Option<ast::Expr>)];

/// Constructors of a datatype with their fields.
pub(super) type OwnCtors<'a> = Vec<(CtorId, Option<&'a ast::Expr>)>;

/// One list of declarations.
pub(super) struct DeclList<'a> {
    pub decls: &'a [ast::Decl],
    pub place: Rc<DeclPlace>,
    /// Items that are not declared yet.
    pub items: Vec<DeclItem<'a>>,
    /// The lists inside, by the address of the declaration that holds them.
    pub inner: Map<usize, Vec<usize>>,
}

/// Right sides, each with its place. `pending` has one entry a global, in their order.
#[derive(Default)]
pub(super) struct Later<'a> {
    pub bodies: Vec<DeclList<'a>>,
    pub pending: Vec<(RightSide<'a>, Rc<DeclPlace>)>,
    pub patterns: Vec<TopPattern<'a>>,
    pub subtypes: Vec<(TypeId, CtorClauses<'a>, Rc<DeclPlace>)>,
    pub datatypes: Vec<(TypeId, OwnCtors<'a>, Rc<DeclPlace>)>,
    pub channels: Vec<(Vec<ChannelId>, &'a ast::Expr, Rc<DeclPlace>)>,
}
