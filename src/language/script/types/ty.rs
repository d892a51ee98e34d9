//! The representation of types.
//!
//! A [`Ty`] is a number that a [`super::store::TypeStore`] gives out: equal types that mention the same
//! variables have the same number, so types are copied and compared for nothing, however deep they are.

use std::rc::Rc;

use crate::script::core::TypeId;

/// A type: an index into the store that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(pub(super) u32);

impl Ty {
    /// Stands for everything: the type of what is wrong already.
    pub const ANY: Self = Self(0);
    /// Integers.
    pub const INT: Self = Self(1);
    /// Truth values.
    pub const BOOL: Self = Self(2);
    /// Characters.
    pub const CHAR: Self = Self(3);
    /// Complete events.
    pub const EVENT: Self = Self(4);
    /// Processes.
    pub const PROC: Self = Self(5);
    /// A number that is no type, for constraints.
    pub(super) fn mark(constraints: u8) -> Self {
        Self(u32::MAX - u32::from(constraints))
    }
    /// The binding of the variable of an extendable type that takes no field.
    pub(super) const NO_FIELDS: Self = Self(6);
}

/// The kinds with fixed numbers, in order.
pub(super) const FIXED: [TyKind; 7] = [
    TyKind::Any,
    TyKind::Int,
    TyKind::Bool,
    TyKind::Char,
    TyKind::Event,
    TyKind::Proc,
    TyKind::NoFields,
];

/// A type variable.
pub type TypeVarId = u32;

/// The constructor of a type with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// See [`Ty::ANY`].
    Any,
    /// See [`Ty::INT`].
    Int,
    /// See [`Ty::BOOL`].
    Bool,
    /// See [`Ty::CHAR`].
    Char,
    /// See [`Ty::EVENT`].
    Event,
    /// See [`Ty::PROC`].
    Proc,
    /// Only ever what the variable of [`TyKind::Extendable`] is bound to.
    NoFields,
    /// Not known yet, or any type that the constraints of the variable admit.
    Var(TypeVarId),
    /// A datatype.
    Data(TypeId),
    /// `{t}`
    Set(Ty),
    /// `<t>`
    Seq(Ty),
    /// `(| k => v |)`
    Map(Ty, Ty),
    /// `(t, u)`
    Tuple(Rc<[Ty]>),
    /// `(t, u) -> v`
    Fun(Rc<[Ty]>, Ty),
    /// `t.u`: at least two parts.
    Dots(Rc<[Ty]>),
    /// `t=>u=>r`: becomes `r` when the fields (at least one) are given.
    Dotable(Rc<[Ty]>, Ty),
    /// `v=>*t`: becomes `t` when the fields in the variable `v` (possibly none) are given. `v` is bound to
    /// [`TyKind::NoFields`], or to a [`TyKind::Dotable`] whose result is again such a variable or nothing.
    Extendable(Ty, TypeVarId),
}

/// The types directly inside a type.
pub(super) fn children(kind: &TyKind) -> impl Iterator<Item = Ty> + '_ {
    let (many, first, second): (&[Ty], _, _) = match kind {
        TyKind::Set(t) | TyKind::Seq(t) | TyKind::Extendable(t, _) => (&[], Some(*t), None),
        TyKind::Map(k, v) => (&[], Some(*k), Some(*v)),
        TyKind::Tuple(ts) | TyKind::Dots(ts) => (ts, None, None),
        TyKind::Fun(ts, r) | TyKind::Dotable(ts, r) => (ts, Some(*r), None),
        _ => (&[], None, None),
    };
    many.iter().copied().chain(first).chain(second)
}
