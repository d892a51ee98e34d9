//! Type variables: what each is bound to, and how far it can be generalised.

use std::rc::Rc;

use super::super::ty::{Ty, TypeVarId};
use crate::source::Span;

#[derive(Clone, Debug)]
struct Var {
    link: Option<Ty>,
    /// The place of its binding, from which its type came.
    origin: Option<Span>,
    level: u32,
    constraints: u8,
    /// The name of a rigid variable, one of an annotation.
    rigid: Option<Rc<str>>,
}

/// All type variables. Only the store binds them, which counts what it binds them to.
#[derive(Clone, Debug, Default)]
pub(in crate::script::types) struct Vars {
    list: Vec<Var>,
    /// Depth of the definition group being inferred; deeper variables can be generalised.
    level: u32,
    /// The place whose types are being unified.
    here: Option<Span>,
}

impl Vars {
    pub fn add(&mut self, constraints: u8, rigid: Option<Rc<str>>) -> TypeVarId {
        self.list.push(Var {
            link: None,
            origin: None,
            level: self.level,
            constraints,
            rigid,
        });
        self.list.len() as TypeVarId - 1
    }

    fn var(&self, v: TypeVarId) -> &Var {
        &self.list[v as usize]
    }

    /// The place that is noted where variables are bound from here on.
    pub fn stand_at(&mut self, here: Span) {
        self.here = Some(here);
    }

    pub fn here(&self) -> Option<Span> {
        self.here
    }

    /// Variables made from here on belong to a definition group inside the current one.
    pub fn go_in(&mut self) {
        self.level += 1;
    }

    /// Back in the group outside.
    pub fn go_out(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    /// Whether a variable belongs to a group inside the current one, so that nothing outside knows it.
    pub fn is_inside(&self, v: TypeVarId) -> bool {
        self.var(v).level > self.level
    }

    /// Whether it belongs to the current group, or to one inside.
    pub fn is_own(&self, v: TypeVarId) -> bool {
        self.var(v).level >= self.level
    }

    /// Makes it a variable of the group around the current one.
    pub fn hand_out(&mut self, v: TypeVarId) {
        // The level of the group around: `is_inside` no longer holds of it once this group is left.
        let level = self.level.saturating_sub(1);
        let var = &mut self.list[v as usize];
        var.level = var.level.min(level);
    }

    /// `v` can be generalised no farther than `with`, of whose type it is a part.
    pub(super) fn keep_with(&mut self, v: TypeVarId, with: TypeVarId) {
        let level = self.var(with).level;
        let var = &mut self.list[v as usize];
        var.level = var.level.min(level);
    }

    pub fn constraints(&self, v: TypeVarId) -> u8 {
        self.var(v).constraints
    }

    pub fn add_constraints(&mut self, v: TypeVarId, wanted: u8) {
        self.list[v as usize].constraints |= wanted;
    }

    pub fn rigid(&self, v: TypeVarId) -> Option<&Rc<str>> {
        self.var(v).rigid.as_ref()
    }

    /// Its binding.
    pub fn link(&self, v: TypeVarId) -> Option<Ty> {
        self.var(v).link
    }

    pub(super) fn origin(&self, v: TypeVarId) -> Option<Span> {
        self.var(v).origin
    }

    pub(super) fn bind(&mut self, v: TypeVarId, t: Ty) {
        let here = self.here;
        self.rebind(v, t, here);
    }

    pub(super) fn rebind(&mut self, v: TypeVarId, t: Ty, origin: Option<Span>) {
        let var = &mut self.list[v as usize];
        var.link = Some(t);
        var.origin = origin;
    }
}
