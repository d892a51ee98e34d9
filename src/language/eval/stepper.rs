//! Steps of processes: what `process` asks of the evaluator while it computes transitions.

use super::describe::Naming;
use super::fail::nowhere;
use super::growth::Growing;
use super::interpreter::Interpreter;
use crate::process::Terms;
use crate::process::term::{ControlState, Term, TermData};
use crate::process::{Unfold, Unfolded};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::source::thousands::thousands;
use crate::source::{Diagnostic, Span, Stop, WorkStage};
use crate::value::{Value, ValueError, ValueStore};

/// States of one process that is compressed.
const COMPRESSED_MAX: usize = 5_000_000;
/// Bytes of the tables that are made on the way.
const COMPRESSED_BYTES_MAX: usize = 4 << 30;

/// The interpreter, and which terms are being unfolded.
#[derive(Clone, Debug)]
pub(super) struct Stepper {
    pub run: Interpreter,
    /// Terms whose transitions are being computed: meeting one again before an event means that no
    /// event ever comes.
    entered: Set<Term>,
    /// Descriptions of the calls that were pending when an error ended it.
    waited: Vec<String>,
    /// The number of terms at the beginning of the evaluation.
    made_before: usize,
}

/// Terms that have to wait before anything is said of them.
const DEEP: usize = 64;

impl Stepper {
    pub(super) fn new(run: Interpreter) -> Self {
        Self {
            run,
            entered: Set::default(),
            waited: Vec::new(),
            made_before: 0,
        }
    }

    /// To be called where an evaluation begins that is not part of another.
    pub(super) fn begin(&mut self) {
        self.entered.clear();
        self.waited.clear();
        self.made_before = self.run.terms.len();
        self.run.begin();
    }

    /// Notes what waits, if an error ends a recursion.
    fn note_waiting(&mut self, error: &Diagnostic) {
        let ends = self.run.values.guard.ends_recursion(error);
        if !ends || !self.waited.is_empty() || self.entered.len() < DEEP {
            return;
        }
        // The operators between them are no processes of the script.
        let is_call = |t: &Term| matches!(self.run.terms.data(*t), TermData::Call { .. });
        let mut terms: Vec<Term> = self.entered.iter().copied().filter(is_call).collect();
        // In the order in which they were made: that of the unfolding, as far as they are new.
        terms.sort_by_key(|t| t.0);
        let growing = Naming::of(&self.run).growing(terms.iter().copied());
        let growing = growing.iter().map(Growing::sentence);
        let count = thousands(terms.len());
        let first = format!("{count} processes wait for the first event of the next one");
        self.waited.push(
            std::iter::once(first)
                .chain(growing)
                .collect::<Vec<_>>()
                .join("; "),
        );
    }

    /// Adds to an error that has ended a recursion what that was like.
    pub(super) fn explain(&mut self, error: &mut Diagnostic) {
        // A process to be compressed has too many states.
        let is_full = error.stop() == Some(Stop::States);
        if !is_full && !self.run.values.guard.ends_recursion(error) {
            return;
        }
        self.run.explain(error);
        if self.waited.is_empty() {
            // As where a process is explored to be compressed.
            let made = self.run.terms.made_since(self.made_before);
            let growing = Naming::of(&self.run).growing(made);
            self.waited.extend(growing.iter().map(Growing::sentence));
        }
        error.notes.append(&mut self.waited);
    }

    /// An error about a term has the place of the term, or none: never that of nothing.
    fn place(&self, t: Term) -> (Option<Span>, Span) {
        let place = Naming::of(&self.run).place_of(t);
        (place, place.unwrap_or_else(nowhere))
    }
}

impl Unfold for Stepper {
    fn stores(&mut self) -> (&mut Terms, &mut ValueStore) {
        (&mut self.run.terms, &mut self.run.values.store)
    }

    fn unfold(&mut self, control: ControlState, env: &[Value]) -> Result<Unfolded> {
        self.run.open(control, env).map_err(|mut error| {
            let info = self.run.program.control(control);
            let label = info.map_or("", |info| &info.label);
            self.run.values.guard.name_stop(&mut error, label);
            self.note_waiting(&error);
            error
        })
    }

    fn settle(&mut self, t: Term) -> Result<Term> {
        self.run.settle(t)
    }

    fn enter(&mut self, t: Term) -> Result<()> {
        // Where the term stands is only looked for if something is wrong: this comes with every step of a process.
        if !self.entered.insert(t) {
            let (place, span) = self.place(t);
            let name = Naming::of(&self.run).describe(t).name;
            let message = format!("the recursion of `{name}` does not end: no event comes first");
            let mut error = Diagnostic::error("E0411", span, message)
                .note("a process may refer to itself only after an event");
            error.span = place;
            return Err(Box::new(error));
        }
        self.run.values.descend(nowhere()).map_err(|mut error| {
            let place = self.place(t).0;
            let name = Naming::of(&self.run).describe(t).name;
            // A call within calls is what it is to the interpreter; to a person it is a process
            // that never gets to an event.
            error.notes = vec![format!(
                "no event comes first in `{name}`, however often it is unfolded"
            )];
            error.span = place;
            error.trace.extend(place.map(|span| (name, span)));
            self.note_waiting(&error);
            error
        })
    }

    fn leave(&mut self, t: Term) {
        // Only a cycle within one computation of transitions is endless; later the term may come
        // again.
        self.entered.remove(&t);
        self.run.values.guard.ascend();
    }

    fn set_aside(&mut self) -> Set<Term> {
        std::mem::take(&mut self.entered)
    }

    fn go_on(&mut self, entered: Set<Term>) {
        self.entered = entered;
    }

    fn experiment(&mut self, calls: u64, f: &mut dyn FnMut(&mut dyn Unfold)) -> Result<()> {
        let entered = self.set_aside();
        let mark = self.run.values.guard.begin_experiment(calls);
        f(self);
        self.run.values.guard.end_experiment(mark);
        self.go_on(entered);
        // What waited in it does not any more.
        self.run.waiting.clear();
        // It may have failed because it met a limit.
        self.run.values.poll(nowhere())
    }

    fn allow(&self, t: Term, states: usize, words: usize) -> Result<()> {
        let (place, span) = self.place(t);
        let fixed = |mut error: Box<Diagnostic>| {
            error.span = place;
            error
        };
        self.run.values.poll(span).map_err(fixed)?;
        let guard = &self.run.values.guard;
        let limits = guard.limits();
        let states_max = limits.states_max.min(COMPRESSED_MAX);
        // Others are no counts, but whether it may go on.
        if (1..states_max).contains(&states) {
            guard.cancel().reach(WorkStage::Compressing, states);
        }
        let bytes_max = limits.memory_max.min(COMPRESSED_BYTES_MAX);
        let message = if states > states_max {
            format!("the process to be compressed has more than {states_max} states")
        } else if words.saturating_mul(4) > bytes_max {
            let mib = bytes_max >> 20;
            format!("compressing the process takes more than {mib} MiB of memory")
        } else {
            return Ok(());
        };
        let note = format!("it is `{}`", Naming::of(&self.run).show_term(t));
        let error = Diagnostic::error("E0708", span, message).note(note);
        Err(fixed(Box::new(error)))
    }

    fn complain(&mut self, error: &ValueError, t: Term) -> Box<Diagnostic> {
        let (place, span) = self.place(t);
        let mut diagnostic = self.run.values.fail_value(error, span);
        diagnostic.span = place;
        let shown = Naming::of(&self.run).show_term(t);
        diagnostic.notes.push(format!("in the process `{shown}`"));
        diagnostic
    }
}
