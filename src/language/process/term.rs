//! Process terms: hash-consed operator trees over suspended expressions.

use crate::script::core::Builtin;
use crate::value::Value;

/// A hash-consed process term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u32);

/// A control state: a process expression up to spans and to the names of its variables. Two places
/// of a script with the same text have the same control state. Numbered in the order of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlState(pub u32);

/// The label of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// τ
    Tau,
    /// ✓
    Tick,
    /// The signal of a terminated process to the parallel operators around it. Only machines use it.
    Done,
    /// A visible event: a complete `Dot` or `Channel` value.
    Event(Value),
}

/// The transitions of a term.
pub type Steps = Vec<(Label, Term)>;

/// The events that a part of a process offers (see [`crate::lts::Part`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offered {
    /// Every event that some member can do, possibly after τ.
    Full,
    /// A set of events, and whether ✓ is offered too.
    Some(Value, bool),
}

/// The data of a term. Terms are *normalised*: definitions, `if`, `let`, guards and calls in head position are
/// resolved when the term is made, so that equal states are equal handles.
///
/// Operands of commutative operators (`ExtChoice`, `IntChoice`, `Interleave`, `Sharing`,
/// `Alphabetised`) are kept in ascending structural order; `Interleave` and `Sharing` of the same
/// set are flattened. Sets are [`Value`]s (finite or lazy).
///
/// The right operands of `Seq`, `Sliding` and `Exception` may be calls that are *suspended*: not
/// yet normalised, so that recursion through them ends. `Unfold::settle` makes them ready when the
/// rules hand over to them; stepping one works too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TermData {
    /// A suspended expression whose head is a prefix, `[]`, or `|~|` (replicated or not): the label
    /// `(P, ρ)` of the paper's Sec. 4. `env` holds the values of the free variables of what is still
    /// to run, in the order of first occurrence in the text.
    Call {
        /// `P`
        control: ControlState,
        /// `ρ`, cut down to free variables.
        env: Box<[Value]>,
    },
    /// Terminated: no transitions (the state after ✓).
    Omega,
    /// A component after the ✓ of the network that it is part of.
    Ended,
    /// Deadlock.
    Stop,
    /// `SKIP`
    Skip,
    /// `DIV`
    Div,
    /// `CHAOS(A)`
    Chaos(Value),
    /// `RUN(A)`
    Run(Value),
    /// `P [] Q …`, partly evolved.
    ExtChoice(Box<[Term]>),
    /// `|~|` over terms.
    IntChoice(Box<[Term]>),
    /// `P ; Q`
    Seq(Term, Term),
    /// `P /\ Q`
    Interrupt(Term, Term),
    /// `P [> Q`
    Sliding(Term, Term),
    /// `P [|A|> Q`
    Exception(Term, Value, Term),
    /// `P [+A+] Q …`
    SyncChoice(Box<[Term]>, Value),
    /// `P /+A+\ Q`
    SyncInterrupt(Term, Value, Term),
    /// `P ||| Q ||| …`
    Interleave(Box<[Term]>),
    /// `P [|A|] Q …`: events of `A` need all operands.
    Sharing(Value, Box<[Term]>),
    /// `|| x:S @ [A] P`: alphabet and process. An event needs every operand whose alphabet has it;
    /// an operand does nothing outside its alphabet.
    Alphabetised(Box<[(Value, Term)]>),
    /// `P [a <-> b] Q`: a finite set of pairs `(a, b)` as a set of tuples.
    Link(Term, Value, Term),
    /// `P \ A`, or `P |\ A` if `keep`.
    Hide {
        /// The process.
        process: Term,
        /// The set.
        set: Value,
        /// Whether the events of the set are the ones kept.
        keep: bool,
    },
    /// `P [[…]]`: a finite set of tuples `(old, new)`; events not mentioned stay.
    Rename(Term, Value),
    /// A state of a compressed process, such as `normal(P)`.
    Compressed {
        /// The compression.
        with: Builtin,
        /// The process that was compressed.
        process: Term,
        /// The name of the state ([`crate::lts::Name`]): equivalent states of the process, or parts of
        /// it, in ascending structural order. Nothing for the initial state.
        state: Box<[Term]>,
    },
    /// A part of a process: only as a name in [`TermData::Compressed`].
    Part {
        /// States of the process, in ascending structural order: it is in one of these.
        members: Box<[Term]>,
        /// The events that it offers.
        offered: Offered,
    },
    /// `loop(P)`, which is `P ; loop(P)`.
    Loop(Term),
    /// `prioritise(P, <A1, …>)`: a sequence of sets, the highest priority first.
    Prioritise(Term, Value),
    /// `prioritisepo(P, …)`.
    PrioritisePo {
        /// The process.
        process: Term,
        /// The order, transitively closed: a set of tuples `(higher, lower)`.
        order: Value,
        /// The events that have lower priority than τ and ✓.
        below: Value,
    },
    /// `chase(P)`, `chase_nocache(P)` or `deter(P)`: one refinement without nondeterminism.
    Resolved(Builtin, Term),
    /// `BUFFER(n, pairs)`
    Buffer {
        /// `(n, pairs)`: the capacity, and a set of tuples `(in, out)`.
        rule: Value,
        /// The sequence of outputs that it holds, the next one first.
        held: Value,
    },
    /// `trace_watchdog(P, A, e)` after some trace.
    Watchdog {
        /// The states that `P` may be in, in ascending structural order, each once.
        spec: Box<[Term]>,
        /// `A`
        events: Value,
        /// `e`
        bark: Value,
    },
}
