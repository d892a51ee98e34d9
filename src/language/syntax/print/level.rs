//! Precedence levels of expressions, in steps of ten, and the parentheses that they require.

use crate::syntax::ast::{BinOp, Expr, ExprKind, ProcOp, RepOp, UnOp};

// The order is that of `precedence::TABLE`. Steps of ten leave room for `own + 1`, "tighter
// than this".
pub(super) const OPEN: u16 = 10;
pub(super) const HIDE: u16 = 30;
pub(super) const INTERLEAVE: u16 = 40;
pub(super) const PARALLEL: u16 = 50;
pub(super) const REPLICATED_ALPHA: u16 = 55;
pub(super) const INT_CHOICE: u16 = 60;
pub(super) const EXT_CHOICE: u16 = 70;
pub(super) const INTERRUPT: u16 = 80;
pub(super) const SLIDING: u16 = 90;
pub(super) const SEQ: u16 = 100;
pub(super) const PREFIX: u16 = 110;
pub(super) const DATA: u16 = 140;
pub(super) const OR: u16 = 160;
pub(super) const AND: u16 = 170;
pub(super) const NOT: u16 = 180;
pub(super) const COMPARE: u16 = 190;
pub(super) const ADD: u16 = 200;
pub(super) const NEGATE: u16 = 205;
pub(super) const MULTIPLY: u16 = 210;
pub(super) const LENGTH: u16 = 220;
pub(super) const CONCAT: u16 = 230;
pub(super) const POSTFIX: u16 = 240;
pub(super) const ATOM: u16 = 250;

/// The requirements of the context of an expression.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    /// It must bind at least this tightly.
    pub(super) least: u16,
    /// Nothing follows that an open construct (such as `if`) would swallow.
    pub(super) tail: bool,
    /// Directly inside `<…>`, where `>` closes.
    pub(super) in_seq: bool,
}

impl Fit {
    pub(super) const FREE: Self = Self {
        least: 0,
        tail: true,
        in_seq: false,
    };
    pub(super) const IN_SEQ: Self = Self {
        in_seq: true,
        ..Self::FREE
    };

    /// To the left of an operator.
    // Whatever stands here is followed by an operator, so an open construct would swallow that.
    pub(super) fn left(self, least: u16) -> Self {
        Self {
            least,
            tail: false,
            ..self
        }
    }

    /// The context of an expression that ends at a bracket or at the end of the whole, such as the last part of a
    /// construct that extends to the right.
    // Freed of the level, but not of `in_seq`: a `>` at the end would still close the sequence around.
    pub(super) fn open(self) -> Self {
        Self {
            least: 0,
            tail: true,
            ..self
        }
    }

    /// To the right of an operator.
    pub(super) fn right(self, least: u16) -> Self {
        Self { least, ..self }
    }
}

pub(super) fn needs_parentheses(e: &Expr, at: Fit) -> bool {
    match &e.kind {
        // The last part of these takes all that follows, so they stand free at the end only.
        ExprKind::If(..) | ExprKind::Let(..) | ExprKind::Lambda(..) => !at.tail,
        ExprKind::Replicated { op, .. } if *op != RepOp::AlphaParallel => !at.tail,
        ExprKind::ReplicatedLink { .. } => !at.tail,
        // At any depth of the expression: no `>` may be seen directly inside `<…>`.
        ExprKind::Binary(BinOp::Gt, ..) if at.in_seq => true,
        kind => own_level(kind) < at.least,
    }
}

fn own_level(kind: &ExprKind) -> u16 {
    match kind {
        ExprKind::Binary(op, ..) => binary(*op).1,
        ExprKind::Unary(UnOp::Neg, _) => NEGATE,
        ExprKind::Unary(UnOp::Not, _) => NOT,
        ExprKind::Unary(UnOp::Length, _) => LENGTH,
        // It is printed with a minus, which reads as an operator.
        ExprKind::Int(n) if *n < 0 => NEGATE,
        ExprKind::Dot(..) => DATA,
        ExprKind::Apply(..) | ExprKind::Rename(..) => POSTFIX,
        ExprKind::Prefix { .. } | ExprKind::Guard(..) => PREFIX,
        ExprKind::Process(op, ..) => process(*op).1,
        ExprKind::Hide(..) | ExprKind::Project(..) => HIDE,
        ExprKind::Replicated {
            op: RepOp::AlphaParallel,
            ..
        } => REPLICATED_ALPHA,
        ExprKind::Replicated { .. }
        | ExprKind::ReplicatedLink { .. }
        | ExprKind::If(..)
        | ExprKind::Let(..)
        | ExprKind::Lambda(..) => OPEN,
        ExprKind::Parallel(..)
        | ExprKind::AlphaParallel(..)
        | ExprKind::Exception(..)
        | ExprKind::SyncChoice(..)
        | ExprKind::SyncInterrupt(..)
        | ExprKind::Link(..) => bracketed(kind).0,
        ExprKind::Name(_)
        | ExprKind::Paren(_)
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Tuple(_)
        | ExprKind::Seq(..)
        | ExprKind::Set(..)
        | ExprKind::Productions(..)
        | ExprKind::Map(_) => ATOM,
    }
}

/// The level, and whether the operator does not chain.
pub(super) fn bracketed(kind: &ExprKind) -> (u16, bool) {
    match kind {
        ExprKind::SyncChoice(..) => (EXT_CHOICE, false),
        ExprKind::SyncInterrupt(..) => (INTERRUPT, false),
        _ => (PARALLEL, true),
    }
}

/// The sign of an operator, and its level.
pub(super) fn binary(op: BinOp) -> (&'static str, u16) {
    match op {
        BinOp::Add => ("+", ADD),
        BinOp::Sub => ("-", ADD),
        BinOp::Mul => ("*", MULTIPLY),
        BinOp::Div => ("/", MULTIPLY),
        BinOp::Mod => ("%", MULTIPLY),
        BinOp::Eq => ("==", COMPARE),
        BinOp::Ne => ("!=", COMPARE),
        BinOp::Lt => ("<", COMPARE),
        BinOp::Gt => (">", COMPARE),
        BinOp::Le => ("<=", COMPARE),
        BinOp::Ge => (">=", COMPARE),
        BinOp::And => ("and", AND),
        BinOp::Or => ("or", OR),
        BinOp::Concat => ("^", CONCAT),
    }
}

/// The same for an operator on processes.
pub(super) fn process(op: ProcOp) -> (&'static str, u16) {
    match op {
        ProcOp::ExtChoice => ("[]", EXT_CHOICE),
        ProcOp::IntChoice => ("|~|", INT_CHOICE),
        ProcOp::Seq => (";", SEQ),
        ProcOp::Interleave => ("|||", INTERLEAVE),
        ProcOp::Interrupt => ("/\\", INTERRUPT),
        ProcOp::Sliding => ("[>", SLIDING),
    }
}
