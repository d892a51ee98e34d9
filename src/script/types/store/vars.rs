//! Type variables: what each is bound to, and how far it can be generalised.

use std::rc::Rc;

use super::super::ty::{Ty, VarId};
use crate::source::Span;

#[derive(Clone, Debug)]
struct Var {
    link: Option<Ty>,
    /// Where it was bound: the place that a type came from.
    origin: Option<Span>,
    level: u32,
    constraints: u8,
    /// The name of a variable of an annotation, which stands for itself alone.
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
    pub fn add(&mut self, constraints: u8, rigid: Option<Rc<str>>) -> VarId {
        self.list.push(Var {
            link: None,
            origin: None,
            level: self.level,
            constraints,
            rigid,
        });
        self.list.len() as VarId - 1
    }

    fn var(&self, v: VarId) -> &Var {
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
    pub fn is_inside(&self, v: VarId) -> bool {
        self.var(v).level > self.level
    }

    /// Whether it belongs to the current group, or to one inside.
    pub fn is_own(&self, v: VarId) -> bool {
        self.var(v).level >= self.level
    }

    /// Makes it a variable of the group around the current one.
    pub fn hand_out(&mut self, v: VarId) {
        // The level of the group around: `is_inside` no longer holds of it once this group is left.
        let level = self.level.saturating_sub(1);
        let var = &mut self.list[v as usize];
        var.level = var.level.min(level);
    }

    /// `v` can be generalised no farther than `with`, of whose type it is a part.
    pub(super) fn keep_with(&mut self, v: VarId, with: VarId) {
        let level = self.var(with).level;
        let var = &mut self.list[v as usize];
        var.level = var.level.min(level);
    }

    pub fn constraints(&self, v: VarId) -> u8 {
        self.var(v).constraints
    }

    pub fn add_constraints(&mut self, v: VarId, wanted: u8) {
        self.list[v as usize].constraints |= wanted;
    }

    pub fn rigid(&self, v: VarId) -> Option<&Rc<str>> {
        self.var(v).rigid.as_ref()
    }

    /// What it is bound to.
    pub fn link(&self, v: VarId) -> Option<Ty> {
        self.var(v).link
    }

    pub(super) fn origin(&self, v: VarId) -> Option<Span> {
        self.var(v).origin
    }

    pub(super) fn bind(&mut self, v: VarId, t: Ty) {
        let here = self.here;
        self.rebind(v, t, here);
    }

    pub(super) fn rebind(&mut self, v: VarId, t: Ty, origin: Option<Span>) {
        let var = &mut self.list[v as usize];
        var.link = Some(t);
        var.origin = origin;
    }
}
