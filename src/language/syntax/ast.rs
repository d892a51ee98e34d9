//! The syntax tree: what was written, with spans, nothing resolved.
//!
//! It covers all of CSPm; what later folders do not support they refuse by name and place.
//! Parentheses are kept ([`ExprKind::Paren`]) so that printing is faithful and so that
//! non-associative operators can be told apart.

use std::rc::Rc;

use crate::source::Span;

/// An identifier, or a path `M::x` (then `text` contains the `::`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name, or the path with its `::`, as it is written.
    pub text: Rc<str>,
    /// The bytes of the name in its file.
    pub span: Span,
}

/// A whole file with its includes spliced in.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// In the order written.
    pub decls: Vec<Decl>,
    /// Names declared in text that could not be read, so that their uses need no complaint.
    pub lost: Vec<Ident>,
    /// Whether any further name may be missing: a file could not be read, or not as a whole.
    pub incomplete: bool,
}

/// A declaration of the top level, of a `let` or of a module.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The kind of declaration.
    pub kind: DeclKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kinds of declarations. The bytes of the whole are in [`Decl`].
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `pat = e`.
    Pattern {
        /// The left side: a name, or a pattern of several names.
        pattern: Pattern,
        /// The right side.
        body: Expr,
    },
    /// One clause of a function: `f(p, q)(r) = e`. Adjacent clauses are joined by `script`.
    Clause {
        /// The function that the clause is of.
        name: Ident,
        /// One list of patterns an argument group.
        groups: Vec<Vec<Pattern>>,
        /// The result where the patterns match.
        body: Expr,
    },
    /// `f, g :: scheme`.
    Annotation {
        /// The names that it is about.
        names: Vec<Ident>,
        /// The type of each of them, with its constraints.
        scheme: TypeScheme,
    },
    /// `channel a, b : T`.
    Channel {
        /// One or more channels with the same fields.
        names: Vec<Ident>,
        /// Field sets: a set, or a dotted product of sets.
        fields: Option<Expr>,
    },
    /// `datatype T = A | B.X`, or `subtype`.
    Datatype {
        /// Whether it is a `subtype`.
        subtype: bool,
        /// The name of the type, which is also the set of its values.
        name: Ident,
        /// Constructors with their field sets.
        clauses: Vec<(Ident, Option<Expr>)>,
    },
    /// `nametype T = e`.
    Nametype {
        /// The name of the set.
        name: Ident,
        /// The set or product.
        body: Expr,
    },
    /// `external a, b`.
    External(Vec<Ident>),
    /// `transparent a, b`.
    Transparent(Vec<Ident>),
    /// `assert …`.
    Assert(Assertion),
    /// `print e`.
    Print(Expr),
    /// `module M(p) … exports … endmodule`.
    Module {
        /// The name before the `::` of what it exports.
        name: Ident,
        /// Names that every instance gives values; none for a module that is used as it is.
        params: Vec<Ident>,
        /// The declarations before `exports`, known inside only.
        private: Vec<Decl>,
        /// The declarations after `exports`.
        exports: Vec<Decl>,
    },
    /// `instance I = M(e)`.
    Instance {
        /// The name before the `::` of what the instance exports.
        name: Ident,
        /// The module that it is an instance of.
        module: Ident,
        /// One value for each parameter of the module.
        args: Vec<Expr>,
    },
    /// `Timed(e) { … }`.
    Timed {
        /// The function from events to how long they take, if it is given.
        durations: Option<Expr>,
        /// The declarations between the braces.
        decls: Vec<Decl>,
    },
}

/// An expression: data or a process, which the syntax does not tell apart.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The operator or literal, with its operands.
    pub kind: ExprKind,
    /// All bytes from its first to its last token.
    pub span: Span,
}

/// Binary operators on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
    /// `s ^ t`.
    Concat,
}

/// Prefix operators on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-x`
    Neg,
    /// `not b`
    Not,
    /// `#s`
    Length,
}

/// Binary process operators without further operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcOp {
    /// `P [] Q`
    ExtChoice,
    /// `P |~| Q`
    IntChoice,
    /// `P ; Q`
    Seq,
    /// `P ||| Q`
    Interleave,
    /// `P /\ Q`
    Interrupt,
    /// `P [> Q`
    Sliding,
}

/// Replicated process operators; those with a set carry it in [`ExprKind::Replicated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepOp {
    /// `[] x:S @ P`
    ExtChoice,
    /// `|~| x:S @ P`
    IntChoice,
    /// `; x:s @ P`
    Seq,
    /// `||| x:S @ P`
    Interleave,
    /// `|| x:S @ [A] P`
    AlphaParallel,
    /// `[|A|] x:S @ P`
    Parallel,
    /// `[+A+] x:S @ P`
    SyncChoice,
}

/// The source of the elements of a set or sequence literal, before any `| stmts`.
#[derive(Clone, Debug)]
pub enum Items {
    /// `e1, e2, …` (maybe none).
    List(Vec<Expr>),
    /// `a..b`, or `a..`.
    Range(Box<Expr>, Option<Box<Expr>>),
}

/// Expressions and processes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name or a path.
    Name(Rc<str>),
    /// Decimal digits; too large ones are a syntax error.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// `'c'`.
    Char(char),
    /// `"…"`, unescaped.
    Str(Rc<str>),
    /// `(e)`.
    Paren(Box<Expr>),
    /// `(a, b)`; two or more.
    Tuple(Vec<Expr>),
    /// `<…>`; statements after `|` if any.
    Seq(Items, Option<Vec<Stmt>>),
    /// `{…}`.
    Set(Items, Option<Vec<Stmt>>),
    /// `{|…|}`.
    Productions(Vec<Expr>, Option<Vec<Stmt>>),
    /// `(| k => v |)`.
    Map(Vec<(Expr, Expr)>),
    /// `f(a, b)`; also `f()`.
    Apply(Box<Expr>, Vec<Expr>),
    /// `a + b` and the other operators that join data.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `-x`, `not b`, `#s`.
    Unary(UnOp, Box<Expr>),
    /// `a.b`; right-nested as parsed: `a.b.c` is `a.(b.c)`.
    Dot(Box<Expr>, Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `let … within e`.
    Let(Vec<Decl>, Box<Expr>),
    /// `\ p, q @ e`.
    Lambda(Vec<Pattern>, Box<Expr>),
    /// `e ?x !y -> P`; `head` is what stands before the first field.
    Prefix {
        /// Before the first `?`, `!` or `$`.
        head: Box<Expr>,
        /// `?x`, `!e` and `$x`, in the order written.
        fields: Vec<Field>,
        /// The process after the arrow.
        body: Box<Expr>,
    },
    /// `b & P`.
    Guard(Box<Expr>, Box<Expr>),
    /// `P [] Q` and the like.
    Process(ProcOp, Box<Expr>, Box<Expr>),
    /// `P [|A|] Q`: left, set, right.
    Parallel(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `P [A||B] Q`: left, left alphabet, right alphabet, right.
    AlphaParallel(Box<Expr>, Box<Expr>, Box<Expr>, Box<Expr>),
    /// `P [|A|> Q`: left, set, right.
    Exception(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `P [+A+] Q`: left, set, right.
    SyncChoice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `P /+A+\ Q`: left, set, right.
    SyncInterrupt(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `P [a <-> b | stmts] Q`.
    Link(Box<Expr>, Box<Links>, Box<Expr>),
    /// `P \ A`.
    Hide(Box<Expr>, Box<Expr>),
    /// `P |\ A`.
    Project(Box<Expr>, Box<Expr>),
    /// `P [[ a <- b | stmts ]]`.
    Rename(Box<Expr>, Box<Links>),
    /// Replicated operators. `set` is the alphabet of `AlphaParallel`, `Parallel`, `SyncChoice`.
    Replicated {
        /// The operator that joins the copies of the body.
        op: RepOp,
        /// The set that comes with the operator.
        set: Option<Box<Expr>>,
        /// The generators of the copies.
        stmts: Vec<Stmt>,
        /// The replicated expression, with the variables of the generators.
        body: Box<Expr>,
    },
    /// `[a <-> b] stmts @ P`.
    ReplicatedLink {
        /// The links from each copy to the next.
        links: Box<Links>,
        /// The generators of the copies.
        stmts: Vec<Stmt>,
        /// The replicated expression, with the variables of the generators.
        body: Box<Expr>,
    },
}

/// `a <- b, c <- d | stmts` (renaming) or `a <-> b, … | stmts` (linked parallel).
#[derive(Clone, Debug)]
pub struct Links {
    /// The pairs: old and new, or left and right.
    pub pairs: Vec<(Expr, Expr)>,
    /// The generators of the pairs; empty without any.
    pub stmts: Vec<Stmt>,
}

/// A generator or a condition.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `p <- e` or `p : e`.
    Generator(Pattern, Expr),
    /// A truth value: where it is false, what was drawn before it is left out.
    Condition(Expr),
}

/// A field of a prefix.
#[derive(Clone, Debug)]
pub enum Field {
    /// `?p` or `?p:S`.
    Input(Pattern, Option<Expr>),
    /// `!e`.
    Output(Expr),
    /// `$p` or `$p:S`.
    Nondet(Pattern, Option<Expr>),
}

/// A pattern of a definition, a parameter, a generator or a field.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The form, with the patterns inside it.
    pub kind: PatternKind,
    /// All bytes from its first to its last token.
    pub span: Span,
}

/// Patterns. Whether a name binds or is a constructor or channel is not known here.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A name or a path.
    Name(Rc<str>),
    /// `_`.
    Wild,
    /// Literals; negative integers included.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// `'c'`.
    Char(char),
    /// `"…"`.
    Str(Rc<str>),
    /// `(p, q)`.
    Tuple(Vec<Pattern>),
    /// `<p, q>`.
    Seq(Vec<Pattern>),
    /// `p ^ q`; left-nested as parsed.
    Concat(Box<Pattern>, Box<Pattern>),
    /// `p.q`; right-nested as parsed.
    Dot(Box<Pattern>, Box<Pattern>),
    /// `{}` or `{p}`.
    Set(Vec<Pattern>),
    /// `p @@ q`.
    Both(Box<Pattern>, Box<Pattern>),
    /// `(p)`.
    Paren(Box<Pattern>),
}

/// `assert [not] …`.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Whether a `not` stands before it.
    pub negated: bool,
    /// The assertion without the `not`.
    pub kind: AssertionKind,
    /// Options in the order written.
    pub options: Vec<AssertionOption>,
    /// From `assert` to the end.
    pub span: Span,
}

/// The semantic models that the syntax knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// `T`
    Traces,
    /// `F`
    Failures,
    /// `FD`
    FailuresDivergences,
    /// `V`: stable revivals.
    Revivals,
    /// `VD`
    RevivalsDivergences,
    /// `R`: refusal testing.
    Refusals,
    /// `RD`
    RefusalsDivergences,
}

impl Model {
    /// Said where another one is asked for.
    pub const OF_ALL: &'static str = "properties and traces are checked in the models T (traces), F (failures) and FD \
                                      (failures-divergences); V, VD, R and RD are models of refinement";

    /// Its letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Traces => "T",
            Self::Failures => "F",
            Self::FailuresDivergences => "FD",
            Self::Revivals => "V",
            Self::RevivalsDivergences => "VD",
            Self::Refusals => "R",
            Self::RefusalsDivergences => "RD",
        }
    }

    /// Whether it looks at refinement alone: properties and traces are not asked in it.
    #[must_use]
    pub fn is_of_refinement_alone(self) -> bool {
        match self {
            Self::Traces | Self::Failures | Self::FailuresDivergences => false,
            Self::Revivals
            | Self::RevivalsDivergences
            | Self::Refusals
            | Self::RefusalsDivergences => true,
        }
    }
}

/// Properties after `:[`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `deadlock free`
    DeadlockFree,
    /// `divergence free`, `livelock free`
    DivergenceFree,
    /// `deterministic`
    Deterministic,
}

/// The forms of assertion.
#[derive(Clone, Debug)]
pub enum AssertionKind {
    /// `P [T= Q`
    Refinement {
        /// The process on the left, which allows.
        spec: Expr,
        /// The model, from the letters in `[T=`.
        model: Model,
        /// The process on the right, which is checked.
        imp: Expr,
    },
    /// `P :[deadlock free [F]]`
    Property {
        /// The process that is to have the property.
        process: Expr,
        /// The words in the brackets.
        property: Property,
        /// The model in brackets, if given.
        model: Option<Model>,
    },
    /// `P :[has trace [T]]: <…>`
    HasTrace {
        /// The process that is to perform the trace.
        process: Expr,
        /// The model in brackets, if given.
        model: Option<Model>,
        /// A sequence of events.
        trace: Expr,
    },
    /// `P :[symmetric]: T, diff(T, {|C|})`
    Symmetric {
        /// The process that no permutation may change.
        process: Expr,
        /// The types whose values are permuted.
        types: Vec<SymmetrySpec>,
    },
}

/// `T` or `diff(T, {|C, D|})`.
#[derive(Clone, Debug)]
pub struct SymmetrySpec {
    /// The datatype whose constructors are permuted.
    pub name: Ident,
    /// The constructors kept fixed.
    pub fixed: Vec<Ident>,
    /// The name alone, or the whole `diff(…)`.
    pub span: Span,
}

/// An option after an assertion.
#[derive(Clone, Debug)]
pub enum AssertionOption {
    /// `:[tau priority]: S`
    TauPriority(Expr, Span),
    /// `:[partial order reduce [m]]`
    PartialOrder(Option<Rc<str>>, Span),
    /// `:[symmetry reduce]`, with or without its list. An absent list and an empty one are the
    /// same: every type in which the processes are symmetric.
    Symmetry(Vec<SymmetrySpec>, Span),
}

/// `(Eq a, Ord b) => t`.
#[derive(Clone, Debug)]
pub struct TypeScheme {
    /// Pairs such as `Eq a`: the class and the variable that has to belong to it.
    pub constraints: Vec<(Ident, Ident)>,
    /// The type after the constraints.
    pub body: TypeExpr,
}

/// A type in an annotation.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The form, with the types inside it.
    pub kind: TypeKind,
    /// All bytes from its first to its last token.
    pub span: Span,
}

/// The forms that a type in an annotation can have.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `Int`, a datatype, or a type variable.
    Name(Rc<str>),
    /// `{t}`
    Set(Box<TypeExpr>),
    /// `<t>`
    Seq(Box<TypeExpr>),
    /// `(t, u)`; also `(t)` with one element.
    Tuple(Vec<TypeExpr>),
    /// `(| k => v |)`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// `t.u`
    Dot(Box<TypeExpr>, Box<TypeExpr>),
    /// `t => u`
    Dotable(Box<TypeExpr>, Box<TypeExpr>),
    /// `t =>* u`
    Extendable(Box<TypeExpr>, Box<TypeExpr>),
    /// `(t, u) -> v`; also `() -> v`
    Function(Vec<TypeExpr>, Box<TypeExpr>),
}
