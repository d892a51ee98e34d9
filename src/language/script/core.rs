//! The core language: the syntax tree with every name resolved, and a little sugar removed.
//!
//! This is what the type checker infers on, what the symmetry report scans, and what the evaluator
//! runs. Every binder has a [`VariableId`] of its own, so free variables are plain sets.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::source::stack::deep;
use crate::source::{SourceMap, Span};
pub use crate::syntax::ast::{BinOp, Model, ProcOp, Property, RepOp, UnOp};

/// A variable bound by a pattern, a `let`, or a parameter; unique in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);
/// A definition of the top level or of a module; an index into [`Script::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u32);
/// A datatype or subtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);
/// A constructor of a datatype; numbered in the order of declaration over the whole script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CtorId(pub u32);
/// A channel; numbered in the order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// A script whose names are resolved. Indices are the ids.
#[derive(Debug)]
pub struct Script {
    /// The source files.
    pub sources: Arc<SourceMap>,
    /// Top-level definitions, in order of declaration.
    pub globals: Vec<Global>,
    /// Datatypes and subtypes, in order of declaration.
    pub types: Vec<Datatype>,
    /// The constructors of all datatypes, in order of declaration.
    pub ctors: Vec<Ctor>,
    /// Channels, those of one declaration one after the other.
    pub channels: Vec<Channel>,
    /// Local names, for display.
    pub locals: Vec<Rc<str>>,
    /// Assertions, in the order of the text: their numbers are counted from here.
    pub assertions: Vec<Assertion>,
    /// `print` expressions, in order.
    pub prints: Vec<Expr>,
}

impl Script {
    /// The datatype that owns the values of a datatype or subtype.
    #[must_use]
    pub fn owner(&self, t: TypeId) -> TypeId {
        self.types[t.0 as usize].subtype_of.unwrap_or(t)
    }

    /// The field sets of a constructor, where it is declared.
    #[must_use]
    pub fn fields(&self, ctor: CtorId) -> Option<&Expr> {
        let owner = self.ctors[ctor.0 as usize].owner;
        let clauses = &self.types[owner.0 as usize].clauses;
        // Constructors are numbered in the order of declaration.
        let at = clauses.binary_search_by_key(&ctor, |(c, _)| *c).ok();
        let clause = at.map(|at| &clauses[at]);
        let clause = clause.or_else(|| clauses.iter().find(|(c, _)| *c == ctor));
        clause.and_then(|(_, fields)| fields.as_ref())
    }
}

/// A definition of the top level, or of a module under its full name.
#[derive(Debug)]
pub struct Global {
    /// Its name (qualified inside modules).
    pub name: Rc<str>,
    /// Of the name at its (first) definition.
    pub span: Span,
    /// The right side.
    pub kind: GlobalKind,
    /// Whether the translation of a Timed section generated it.
    pub made: bool,
    /// The parameters of the module instances around it.
    pub params: Rc<[GlobalId]>,
}

/// The definition of a top-level name.
#[derive(Debug)]
pub enum GlobalKind {
    /// `x = e`.
    Value(Expr),
    /// `f(…) = …`, all clauses.
    Function(Function),
    /// A variable of a top-level pattern binding `pat = e`: evaluate `e`, match, take `local`.
    Part {
        /// The binding, shared by all its variables.
        binding: Rc<(Pattern, Expr)>,
        /// The id of the variable.
        local: VariableId,
    },
    /// `nametype T = e`.
    Nametype(Expr),
}

/// All clauses of a function. Curried groups make nested functions: `f(p)(q) = e` has
/// `groups == 2` and each clause two lists of patterns.
#[derive(Debug)]
pub struct Function {
    /// As it is called in messages and in the names of states.
    pub name: Rc<str>,
    /// Number of parameters of each argument group.
    pub arity: Vec<usize>,
    /// In the order written; the first that matches is taken.
    pub clauses: Vec<Clause>,
}

/// One equation of a function.
#[derive(Debug)]
pub struct Clause {
    /// One list a group.
    pub groups: Vec<Vec<Pattern>>,
    /// The result where the patterns match.
    pub body: Expr,
    /// From the name to the end of the right side.
    pub span: Span,
}

/// A datatype or subtype.
#[derive(Debug)]
pub struct Datatype {
    /// As it is known everywhere: with the modules around it.
    pub name: Rc<str>,
    /// The name where it is declared.
    pub span: Span,
    /// Its constructors, with the field sets given here (a subtype restricts them).
    pub clauses: Vec<(CtorId, Option<Expr>)>,
    /// For a subtype: the datatype that owns the constructors.
    pub subtype_of: Option<TypeId>,
}

/// A constructor, of the one datatype that declares it.
#[derive(Debug)]
pub struct Ctor {
    /// As it is known everywhere: with the modules around it.
    pub name: Rc<str>,
    /// The place of its declaration.
    pub span: Span,
    /// The datatype that declares it.
    pub owner: TypeId,
    /// Whether it is declared with fields.
    pub has_fields: bool,
}

/// A channel with the values that its events carry.
#[derive(Debug)]
pub struct Channel {
    /// As it is known everywhere: with the modules around it.
    pub name: Rc<str>,
    /// The place of its declaration.
    pub span: Span,
    /// The field sets: a set, or a dotted product of sets.
    pub fields: Option<Rc<Expr>>,
}

/// An expression of the core language.
pub struct Expr {
    /// Its outermost form.
    pub kind: ExprKind,
    /// Its place in the text.
    pub span: Span,
}

/// As it would be derived, but for expressions that are nested deeply.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, span } = self;
        let fields = |f: &mut fmt::Formatter<'_>| {
            let mut shown = f.debug_struct("Expr");
            shown.field("kind", kind).field("span", span).finish()
        };
        deep(|| fields(f))
    }
}

/// A set or sequence display before `| stmts`.
#[derive(Debug)]
pub enum Items {
    /// `a, b, c`
    List(Vec<Expr>),
    /// `a..b` or `a..`.
    Range(Box<Expr>, Option<Box<Expr>>),
}

/// The forms of expressions.
#[derive(Debug)]
#[allow(missing_docs)] // one-to-one with `ast::ExprKind`, which documents them
pub enum ExprKind {
    Local(VariableId),
    Global(GlobalId),
    /// A datatype used as the set of its values.
    Type(TypeId),
    Ctor(CtorId),
    Channel(ChannelId),
    Builtin(Builtin),
    Int(i64),
    Bool(bool),
    Char(char),
    Str(Rc<str>),
    Tuple(Vec<Expr>),
    Seq(Items, Vec<Stmt>),
    Set(Items, Vec<Stmt>),
    Productions(Vec<Expr>, Vec<Stmt>),
    Map(Vec<(Expr, Expr)>),
    Apply(Box<Expr>, Vec<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Unary(UnOp, Box<Expr>),
    /// Flattened: `a.b.c` has three parts.
    Dot(Vec<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Mutually recursive local definitions.
    Let(Vec<LocalDef>, Box<Expr>),
    Lambda(Rc<Function>),
    Prefix {
        head: Box<Expr>,
        fields: Vec<Field>,
        body: Box<Expr>,
    },
    Guard(Box<Expr>, Box<Expr>),
    Process(ProcOp, Box<Expr>, Box<Expr>),
    Parallel(Box<Expr>, Box<Expr>, Box<Expr>),
    AlphaParallel(Box<Expr>, Box<Expr>, Box<Expr>, Box<Expr>),
    Exception(Box<Expr>, Box<Expr>, Box<Expr>),
    SyncChoice(Box<Expr>, Box<Expr>, Box<Expr>),
    SyncInterrupt(Box<Expr>, Box<Expr>, Box<Expr>),
    Link(Box<Expr>, Box<Links>, Box<Expr>),
    Hide(Box<Expr>, Box<Expr>),
    Project(Box<Expr>, Box<Expr>),
    Rename(Box<Expr>, Box<Links>),
    Replicated {
        op: RepOp,
        set: Option<Box<Expr>>,
        stmts: Vec<Stmt>,
        body: Box<Expr>,
    },
    ReplicatedLink {
        links: Box<Links>,
        stmts: Vec<Stmt>,
        body: Box<Expr>,
    },
}

/// The kinds of expressions that are no process operators, as a pattern. A `match` on operators ends with it
/// instead of `_`, so that the compiler points at an operator that was forgotten there. `ExprKind` has to be
/// in scope.
macro_rules! no_operator {
    () => {
        ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Type(_)
            | ExprKind::Ctor(_)
            | ExprKind::Channel(_)
            | ExprKind::Builtin(_)
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Tuple(_)
            | ExprKind::Seq(..)
            | ExprKind::Set(..)
            | ExprKind::Productions(..)
            | ExprKind::Map(_)
            | ExprKind::Apply(..)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Dot(_)
            | ExprKind::If(..)
            | ExprKind::Let(..)
            | ExprKind::Lambda(_)
    };
}
pub(crate) use no_operator;

/// A definition inside a `let`.
#[derive(Debug)]
pub enum LocalDef {
    /// `f(…) = …`.
    Function(VariableId, Rc<Function>, Span),
    /// `pat = e`; a plain `x = e` has a `Bind` pattern. Bound lazily.
    Value(Pattern, Expr),
}

/// Renaming or link pairs.
#[derive(Debug)]
pub struct Links {
    /// Old and new, or left and right.
    pub pairs: Vec<(Expr, Expr)>,
    /// Generators and conditions, in scope in the pairs.
    pub stmts: Vec<Stmt>,
}

/// A generator or condition.
#[derive(Debug)]
pub enum Stmt {
    /// `p <- e`: once for each element that the pattern matches.
    Generator(Pattern, Expr),
    /// Nothing for the values for which it is false.
    Condition(Expr),
}

/// A field of a prefix.
#[derive(Debug)]
pub enum Field {
    /// `?p:S`: the environment chooses.
    Input(Pattern, Option<Expr>),
    /// `!e`, or `.e` after an input.
    Output(Expr),
    /// `$p:S`: the process chooses.
    Nondet(Pattern, Option<Expr>),
}

/// A pattern, with its place for messages.
pub struct Pattern {
    /// Its outermost form.
    pub kind: PatternKind,
    /// As written, with its brackets left out.
    pub span: Span,
}

/// As it would be derived, but for patterns that are nested deeply.
impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, span } = self;
        let fields = |f: &mut fmt::Formatter<'_>| {
            let mut shown = f.debug_struct("Pattern");
            shown.field("kind", kind).field("span", span).finish()
        };
        deep(|| fields(f))
    }
}

/// Patterns, with names resolved: a constructor or channel name is a constant.
#[derive(Debug)]
pub enum PatternKind {
    /// A variable, which takes any value.
    Bind(VariableId),
    /// `_`
    Wild,
    /// A number, equal to it.
    Int(i64),
    /// A truth value, equal to it.
    Bool(bool),
    /// A character, equal to it.
    Char(char),
    /// A constructor, equal to it: no variable.
    Ctor(CtorId),
    /// A channel, equal to it: no variable.
    Channel(ChannelId),
    /// `(p, q)`
    Tuple(Vec<Pattern>),
    /// `<p, q>`; a string literal too.
    Seq(Vec<Pattern>),
    /// `<p>^s^<q>`: fixed front, the one part of unknown length, fixed back.
    Concat(Vec<Pattern>, Box<Pattern>, Vec<Pattern>),
    /// `p.q.r`, flattened.
    Dot(Vec<Pattern>),
    /// `{}`
    EmptySet,
    /// `{p}`
    Singleton(Box<Pattern>),
    /// `p @@ q`
    Both(Box<Pattern>, Box<Pattern>),
}

/// An assertion with its names resolved.
#[derive(Debug)]
pub struct Assertion {
    /// As written, without `assert` and with white space folded.
    pub text: Rc<str>,
    /// From `assert` to the end of the options.
    pub span: Span,
    /// Whether it says that the rest does not hold.
    pub negated: bool,
    /// The kind of assertion.
    pub kind: AssertionKind,
    /// `:[symmetry reduce]`: `None` if absent; an empty list means every symmetric type.
    pub symmetry: Option<Vec<SymmetrySpec>>,
    /// `:[tau priority]: S`.
    pub tau_priority: Option<Expr>,
    /// `:[partial order reduce]`.
    pub partial_order: Option<Span>,
}

impl Assertion {
    /// The process that it is about: of two sides, the right one.
    #[must_use]
    pub fn subject(&self) -> &Expr {
        match &self.kind {
            AssertionKind::Refinement { imp, .. } => imp,
            AssertionKind::Property { process, .. }
            | AssertionKind::HasTrace { process, .. }
            | AssertionKind::Symmetric { process, .. } => process,
        }
    }

    /// All expressions that it is about.
    #[must_use]
    pub fn roots(&self) -> Vec<&Expr> {
        let mut out = match &self.kind {
            AssertionKind::Refinement { spec, imp, .. } => vec![spec, imp],
            AssertionKind::Property { process, .. } | AssertionKind::Symmetric { process, .. } => {
                vec![process]
            }
            AssertionKind::HasTrace { process, trace, .. } => vec![process, trace],
        };
        out.extend(&self.tau_priority);
        out
    }
}

/// The forms of assertion.
#[derive(Debug)]
pub enum AssertionKind {
    /// `spec [M= imp`
    Refinement {
        /// The specification.
        spec: Expr,
        /// The model.
        model: Model,
        /// The implementation.
        imp: Expr,
    },
    /// `P :[…]`
    Property {
        /// The process that has to have the property.
        process: Expr,
        /// The property, such as deadlock freedom.
        property: Property,
        /// In brackets; the default is FD.
        model: Option<Model>,
    },
    /// `P :[has trace]: <…>`
    HasTrace {
        /// The process that has to have the trace.
        process: Expr,
        /// In brackets; the default is FD.
        model: Option<Model>,
        /// A sequence of events.
        trace: Expr,
    },
    /// `P :[symmetric]: T`
    Symmetric {
        /// The expression that has to be symmetric.
        process: Expr,
        /// The types whose values it treats alike.
        types: Vec<SymmetrySpec>,
    },
}

/// `T` or `diff(T, {|C|})`, resolved.
#[derive(Clone, Debug)]
pub struct SymmetrySpec {
    /// The datatype whose values are permuted.
    pub datatype: TypeId,
    /// Its constructors that are not symmetric.
    pub fixed: Vec<CtorId>,
    /// The whole specification.
    pub span: Span,
}

/// Declares [`Builtin`] with the name by which scripts know each.
macro_rules! builtins {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// Names that every script can use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Builtin { $($variant),* }

        impl Builtin {
            /// In the order of declaration here.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in scripts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

builtins! {
    Union = "union", Inter = "inter", Diff = "diff", BigUnion = "Union", BigInter = "Inter",
    Member = "member", Card = "card", Empty = "empty", SetOf = "set", Powerset = "Set",
    SeqsOver = "Seq", SeqOf = "seq",
    Length = "length", Null = "null", Head = "head", Tail = "tail", Concat = "concat", Elem = "elem",
    EmptyMap = "emptyMap", MapFromList = "mapFromList", MapLookup = "mapLookup",
    MapMember = "mapMember", MapToList = "mapToList", MapUpdate = "mapUpdate",
    MapUpdateMultiple = "mapUpdateMultiple", MapDelete = "mapDelete", MapsOver = "Map",
    IntSet = "Int", BoolSet = "Bool", CharSet = "Char", Proc = "Proc", Events = "Events",
    True = "True", False = "False",
    Extensions = "extensions", Productions = "productions", Error = "error", Show = "show",
    Stop = "STOP", Skip = "SKIP", Div = "DIV", Chaos = "CHAOS", Run = "RUN",
    Buffer = "BUFFER", WeakBuffer = "WEAK_BUFFER", SignalBuffer = "SIGNAL_BUFFER",
    Wait = "WAIT", TSkip = "TSKIP", TStop = "TSTOP", TimedPriority = "timed_priority",
    Explicate = "explicate", LazyEnumerate = "lazyenumerate", Diamond = "diamond",
    Normal = "normal", LazyNorm = "lazynorm", Sbisim = "sbisim", Dbisim = "dbisim",
    Wbisim = "wbisim", TauLoopFactor = "tau_loop_factor", ModelCompress = "model_compress",
    Chase = "chase", ChaseNoCache = "chase_nocache", Deter = "deter", Loop = "loop",
    FailureWatchdog = "failure_watchdog", TraceWatchdog = "trace_watchdog",
    Prioritise = "prioritise", PrioritiseNoCache = "prioritise_nocache",
    PrioritisePo = "prioritisepo", MTransClose = "mtransclose",
    RelationalImage = "relational_image",
    RelationalInverseImage = "relational_inverse_image", Transpose = "transpose",
}

impl Builtin {
    /// Whether its result can depend on an order among values (Def. 23.2).
    #[must_use]
    pub fn sees_order(self) -> bool {
        matches!(
            self,
            Self::SeqOf
                | Self::MapToList
                | Self::MTransClose
                | Self::Show
                | Self::Deter
                | Self::Chase
                | Self::ChaseNoCache
        )
    }
}
