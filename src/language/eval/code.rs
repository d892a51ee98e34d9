//! Compiled code: the core language with variables turned into slots of a frame, and with every
//! suspended process expression turned into a numbered control state.

use std::rc::Rc;

use crate::process::term::ControlState;
use crate::script::core::{
    BinOp, Builtin, ChannelId, CtorId, GlobalId, ProcOp, RepOp, TypeId, UnOp,
};
use crate::source::Span;
use crate::value::Value;

/// A place in a frame.
pub(super) type Slot = u32;
/// An index into the units: functions, thunks and control states.
pub(super) type UnitId = u32;

/// Units that every program begins with: how sequences go on. `s^t`, with both captured.
pub(super) const APPEND: UnitId = 0;
/// `<a..b>`, with both captured.
pub(super) const RANGE: UnitId = 1;
/// `concat(s)`, with `s` captured.
pub(super) const CONCAT: UnitId = 2;

/// An expression, and where it is written.
#[derive(Debug)]
pub(super) struct Code {
    pub kind: CodeKind,
    pub span: Span,
}

/// The forms of expressions.
#[derive(Debug)]
pub(super) enum CodeKind {
    Const(Value),
    Slot(Slot),
    /// A local function, or a local value that refers to itself: code and what it captures.
    Lifted(UnitId, Box<[Slot]>),
    Global(GlobalId),
    Type(TypeId),
    Ctor(CtorId),
    Channel(ChannelId),
    Builtin(Builtin),
    Tuple(Vec<Arg>),
    Seq(Vec<Arg>),
    /// `<a..b>` or `<a..>`
    SeqRange(Box<Code>, Option<Box<Code>>),
    // Shared with the units that go on with it.
    SeqComp(Rc<Comp>),
    /// `s^t`: the right operand is evaluated if the left one ends.
    Append(Box<Code>, Box<Arg>),
    // A set has all its elements at once, so it needs no units to go on with.
    Set(ItemsCode, Vec<StmtCode>),
    Productions(Vec<Code>, Vec<StmtCode>),
    Map(Vec<(Code, Arg)>),
    /// All parts must be evaluated, too.
    Whole(Box<Code>),
    Apply(Box<Code>, Vec<Arg>),
    Binary(BinOp, Box<Code>, Box<Code>),
    Unary(UnOp, Box<Code>),
    Dot(Vec<Code>),
    If(Box<Code>, Box<Code>, Box<Code>),
    /// Lazy bindings, each after those it needs.
    Let(Vec<(Slot, Delayed)>, Box<Code>),
    Lambda(Delayed),
    /// The variable of a pattern that must match the value in a slot.
    Part(Slot, Box<PatternCode>, Slot),
    /// A process expression that is not opened yet.
    Suspend(ControlState, Box<[Slot]>),
    Guard(Box<Code>, Box<Code>),
    Operator(ProcOp, Box<Code>, Box<Code>),
    /// `P [|A|] Q`
    Parallel(Box<[Code; 3]>),
    /// `P [A||B] Q`
    AlphaParallel(Box<[Code; 4]>),
    Exception(Box<[Code; 3]>),
    SyncChoice(Box<[Code; 3]>),
    SyncInterrupt(Box<[Code; 3]>),
    Link(Box<Code>, Box<LinksCode>, Box<Code>),
    /// Process, set, and whether the set is kept.
    Hide(Box<Code>, Box<Code>, bool),
    Rename(Box<Code>, Box<LinksCode>),
    Replicated {
        op: RepOp,
        set: Option<Box<Code>>,
        stmts: Vec<StmtCode>,
        body: Box<Code>,
    },
    ReplicatedLink {
        links: Box<LinksCode>,
        stmts: Vec<StmtCode>,
        body: Box<Code>,
    },
}

/// A unit with the slots that it captures, not evaluated yet.
#[derive(Debug)]
pub(super) struct Delayed {
    pub unit: UnitId,
    pub captures: Box<[Slot]>,
}

/// An argument of a call, or a part of a tuple, sequence or map: needed later, or never.
#[derive(Debug)]
pub(super) enum Arg {
    /// Evaluated at once: it cannot go wrong.
    Now(Code),
    /// A variable, passed on as it is.
    Slot(Slot),
    /// Arithmetic and the like: evaluated at once if its variables are known and if it does not go
    /// wrong, and otherwise when it is needed.
    Cheap(Code, Delayed),
    /// Evaluated when it is needed. As an experiment it is evaluated at once, but only for a while;
    /// [`super::suspended::Suspended`] counts how often the experiment failed.
    Try(Delayed, Span),
}

/// A sequence comprehension. Its later items are found when they are needed.
#[derive(Debug)]
pub(super) struct Comp {
    pub items: CompItems,
    pub stmts: Vec<StmtCode>,
    /// For each statement that is a generator: how to go on in the middle of its source.
    pub resume: Vec<Option<Delayed>>,
    pub span: Span,
}

/// The element that a comprehension makes of a row.
#[derive(Debug)]
pub(super) enum CompItems {
    List(Vec<Arg>),
    Range(Code, Option<Code>),
}

/// A display before `| stmts`.
#[derive(Debug)]
pub(super) enum ItemsCode {
    List(Vec<Code>),
    Range(Box<Code>, Option<Box<Code>>),
}

/// A generator or condition.
#[derive(Debug)]
pub(super) enum StmtCode {
    Generator(PatternCode, Code),
    Condition(Code),
}

/// Renaming or link pairs.
#[derive(Debug)]
pub(super) struct LinksCode {
    pub pairs: Vec<(Code, Code)>,
    pub stmts: Vec<StmtCode>,
}

/// A field of a prefix.
#[derive(Debug)]
pub(super) enum FieldCode {
    Input(PatternCode, Option<Code>),
    Output(Code),
    Nondet(PatternCode, Option<Code>),
}

/// A pattern; its variables are places in the frame.
#[derive(Debug)]
pub(super) enum PatternCode {
    Bind(Slot),
    Wild,
    Const(Value),
    Ctor(CtorId),
    Channel(ChannelId),
    Tuple(Vec<PatternCode>),
    Seq(Vec<PatternCode>),
    Concat(Vec<PatternCode>, Box<PatternCode>, Vec<PatternCode>),
    Dot(Vec<PatternCode>),
    EmptySet,
    Singleton(Box<PatternCode>),
    Both(Box<PatternCode>, Box<PatternCode>),
}

/// The compiled form of a top-level definition.
#[derive(Clone, Copy, Debug)]
pub(super) enum GlobalCode {
    /// A unit without parameters; a nametype is read as a set.
    Value { unit: UnitId, nametype: bool },
    /// A function.
    Function(UnitId),
    /// A variable of the pattern binding with this number.
    Part { binding: usize, unit: UnitId },
}

/// A body of code with a frame of its own. The captured values come first in the frame.
#[derive(Debug)]
pub(super) struct Unit {
    pub name: Rc<str>,
    pub span: Span,
    pub captures: u32,
    pub frame: u32,
    pub body: UnitBody,
}

/// The body of a unit.
#[derive(Debug)]
pub(super) enum UnitBody {
    /// Being compiled: no code runs yet.
    Pending,
    Function {
        arity: Vec<usize>,
        clauses: Vec<ClauseCode>,
        /// The names of the parameters of all groups, each from the first clause that names it.
        parameters: Vec<Option<Rc<str>>>,
    },
    /// A function with its first groups of arguments given: they follow the captured values.
    Partial {
        function: UnitId,
        groups: usize,
    },
    Thunk(Code),
    /// The rest of a sequence comprehension: what is left of the source of a generator is captured
    /// first, then the variables in these slots.
    Resume {
        comp: Rc<Comp>,
        generator: usize,
        slots: Box<[Slot]>,
    },
    Head(Head),
}

/// A clause: the patterns of all groups, and the right side.
#[derive(Debug)]
pub(super) struct ClauseCode {
    pub patterns: Vec<PatternCode>,
    pub body: Code,
}

/// The code of a control state.
#[derive(Debug)]
pub(super) enum Head {
    Prefix(Prefix),
    ExtChoice(Vec<Code>),
    IntChoice(Vec<Code>),
    ReplicatedExt(Vec<StmtCode>, Code),
    ReplicatedInt(Vec<StmtCode>, Code),
    /// Any process expression, kept suspended as a right operand.
    Other(Code),
}

/// The fields of a prefix, and where they are written.
pub(super) type PlacedFields = Vec<(FieldCode, Span)>;

/// `head fields -> body`.
#[derive(Debug)]
pub(super) struct Prefix {
    pub head: Code,
    pub fields: PlacedFields,
    pub body: Code,
    /// If some input is not mentioned in the body: the variables of other inputs that are. The body is evaluated once
    /// for all events that have them in common.
    pub mentioned: Option<Box<[Slot]>>,
    /// With `$` fields: the index after the last of them, and the control state for what follows
    /// it, whose first variable is the event so far.
    pub rest: Option<(usize, ControlState, Box<[Slot]>)>,
}

impl Prefix {
    /// From the head to the end of the last field, with the set that it is chosen from.
    pub fn communication(&self) -> Span {
        communication(&self.head, &self.fields)
    }
}

/// The same of the parts of a prefix.
pub(super) fn communication(head: &Code, fields: &[(FieldCode, Span)]) -> Span {
    match fields.last() {
        None => head.span,
        Some((FieldCode::Input(_, Some(set)) | FieldCode::Nondet(_, Some(set)), _)) => {
            head.span.to(set.span)
        }
        Some((_, last)) => head.span.to(*last),
    }
}

/// The data of a control state.
#[derive(Clone, Debug)]
pub(super) struct ControlInfo {
    pub unit: UnitId,
    /// Names of the variables of its environment.
    pub variables: Vec<Rc<str>>,
    /// The order in which to show them: as in the parameter list.
    pub order: Vec<u32>,
    /// As shown: the definition, or definition and channel.
    pub label: String,
    pub span: Span,
    /// Further places of the same expression, in order of discovery; of very many the first ones.
    pub also: Vec<Span>,
    /// Not a prefix or choice: to be evaluated further before it is a state.
    pub suspended: bool,
    /// Nothing but a variable.
    pub plain: bool,
}
