//! Evaluation: an expression and an environment to a value, or to a process term and its steps
//! (`eval ρ e` of the paper's Sec. 4, Def. 22 and Prop. 24).
//!
//! In: the core language. Out: values, normalised terms, and the heads of suspended expressions
//! (`Stepper` implements [`crate::process::Unfold`]). Nothing here knows components, permutations of
//! states, or labelled transition systems.
//!
//! Equal values have equal handles, so a value should be evaluated before it is stored; CSPm evaluates only what is
//! needed. Both are had by experiment ([`args`]): an argument or a part of a value is evaluated at once for a limited
//! number of calls, and stays suspended if that fails ([`crate::value::Data::Suspended`], [`crate::value::Data::Stream`]).
//! What becomes part of a state, a set or an event is evaluated completely first, or as completely as possible.
//!
//! The files in layers, each of which names only those before it (and within a layer, in this order):
//!
//! 1. Code: `fail` (errors), `code` (its forms), `canon`, `program` (all of it), `parts`; the compiler
//!    in `scope`, `patterns`, `group`, `compile`, `controls`, `defer` and `translate`.
//! 2. Values: `growth` (parameters that grow), `frame` (what variables hold), `endless` (what a recursion without end was
//!    like), `guard` (depth, calls, limits), `values`. What takes no more than these evaluates nothing: `events`,
//!    `relations`, `special` (functions that make processes).
//! 3. Values whose parts may be suspended: `force` (a trait), `sequence`, `whole`, `compare`,
//!    `pattern`, `data_builtins`; and what is evaluated when it is first asked for: `demand`,
//!    `definitions`, `declarations`, `suspended`.
//! 4. The recursion: `interpreter` (the parts put together), and what it hands expressions over to:
//!    `describe`, `environment`, `args`, `generators`, `comprehension`, `operators`, `prefix`,
//!    `builtins`; then its own methods in `opening`, `lazy`, `run` and `data`. Methods call each other
//!    across these files: an expression may call, force or declare anything.
//! 5. What others see: `stepper` (what `process` asks), `branches` (places in the text), `order`, and
//!    [`Evaluator`].

mod args;
mod branches;
mod builtins;
mod canon;
mod code;
mod compare;
mod compile;
mod comprehension;
mod controls;
mod data;
mod data_builtins;
mod declarations;
mod defer;
mod definitions;
mod demand;
mod describe;
mod endless;
mod environment;
mod events;
mod fail;
mod force;
mod frame;
mod generators;
mod group;
mod growth;
mod guard;
mod interpreter;
mod lazy;
mod opening;
mod operators;
mod order;
mod parts;
mod pattern;
mod patterns;
mod prefix;
mod program;
mod relations;
mod run;
mod scope;
mod sequence;
mod special;
mod stepper;
mod suspended;
mod translate;
mod values;
mod whole;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use crate::process::term::Steps;
use crate::process::term::{ControlState, Label, Term, TermData};
use crate::process::{HoleInfo, Terms, transitions};
use crate::script::core::{Expr, GlobalId, Script};
use crate::source::diagnostic::Result;
use crate::source::{Budget, Cancel, Diagnostic, Limits, Span, WorkStage};
use crate::value::{Atom, AtomTypes, Data, Value, ValueStore};
pub use branches::TextPlace;
use declarations::Declare;
use definitions::global_value;
pub(crate) use describe::Description;
use describe::Naming;
use fail::nowhere;
pub use growth::{Growing, Measure};
use interpreter::Interpreter;
use opening::open_term;
use order::OrderJudge;
use stepper::Stepper;
use whole::whole;

/// Evaluates one script. Owns the stores of values and terms. Every method that evaluates something
/// is an evaluation of its own: none of them is called by evaluation itself.
#[derive(Clone, Debug)]
pub struct Evaluator {
    stepper: Stepper,
    order: OrderJudge,
}

impl Evaluator {
    /// An evaluator for a script: compiles it, and evaluates nothing yet.
    #[must_use]
    pub fn new(script: Rc<Script>, limits: &Limits, cancel: Cancel) -> Self {
        let (interpreter, parts) = Interpreter::new(script, limits, cancel);
        Self {
            stepper: Stepper::new(interpreter),
            order: OrderJudge::new(parts),
        }
    }

    fn run(&self) -> &Interpreter {
        &self.stepper.run
    }

    /// The interpreter, for an evaluation that is not part of another.
    fn begin(&mut self) -> &mut Interpreter {
        self.stepper.begin();
        #[cfg(debug_assertions)]
        self.run().assert_at_rest();
        &mut self.stepper.run
    }

    /// Adds to an error that has ended a recursion what that was like.
    fn explained<T>(&mut self, result: Result<T>) -> Result<T> {
        result.map_err(|mut error| {
            self.stepper.explain(&mut error);
            error
        })
    }

    fn naming(&self) -> Naming<'_> {
        Naming::of(self.run())
    }

    /// The terms, and the values that they contain.
    fn stores(&mut self) -> (&mut Terms, &mut ValueStore) {
        let run = &mut self.stepper.run;
        (&mut run.terms, &mut run.values.store)
    }

    /// Replaces the bounds; what was bounded by the old ones stays as it is.
    pub fn set_limits(&mut self, limits: &Limits) {
        let (_, cancel) = self.patience();
        self.limit(limits, cancel);
    }

    /// Says whether a compression may be given up early, as if it had reached the limit of states.
    pub fn compress_on_trial(&mut self, on_trial: bool) {
        self.begin().terms.compress_on_trial(on_trial);
    }

    /// Says how many states of a process are worth exploring to compress it; beyond that, it fails (E0514).
    pub fn compress_within(&mut self, states: Option<usize>) {
        self.begin().terms.compress_within(states);
    }

    /// Sets the number of states of a process that are explored before the states of its operands are compared to
    /// compress it.
    pub fn merge_operands_after(&mut self, states: usize) {
        self.begin().terms.merge_operands_after(states);
    }

    /// Replaces the bounds and the flag that asks for a stop, for what is evaluated from now on. It may
    /// be called at any time between two evaluations, also after one that was stopped: what that had
    /// found stays known, what it was about to find is found when it is asked for again.
    pub fn limit(&mut self, limits: &Limits, cancel: Cancel) {
        let run = self.begin();
        run.values.limit(limits, cancel);
        run.terms.forget_stopped();
    }

    /// Goes on within other bounds, as it would have come here within them. Places in a part of
    /// the script that has nothing to do with what follows are not told as those of an error.
    pub fn go_on_within(&mut self, budget: &Budget, apart: Option<Span>) {
        let values = &mut self.begin().values;
        values.limit(&budget.limits, budget.cancel.clone());
        if let Some(span) = apart {
            values.guard.forget_place_in(span);
        }
    }

    /// Whether no value that was made refers to the code of an expression of the script itself, so that one written
    /// alike would have come to the same.
    #[must_use]
    pub fn is_free_of(&self, e: &Expr) -> bool {
        let run = self.run();
        let Some(unit) = run.program.closed(e) else {
            return false;
        };
        let place = self.order.place_of(unit);
        let refers = |data: &Data| match data {
            Data::Closure { code, .. } | Data::Suspended { code, .. } => {
                self.order.place_of(*code) == place
            }
            _ => false,
        };
        !self.store().all().any(refers)
    }

    /// The script that it was made for.
    #[must_use]
    pub fn script(&self) -> &Rc<Script> {
        self.run().values.script()
    }
    /// The values, for reading.
    #[must_use]
    pub fn store(&self) -> &ValueStore {
        &self.run().values.store
    }
    /// The values, to add some.
    pub fn store_mut(&mut self) -> &mut ValueStore {
        self.stores().1
    }
    /// The terms that were made so far.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.run().terms
    }
    /// Says that each state of processes is looked at ([`Terms::show_states`]).
    pub fn show_states(&mut self) {
        self.stores().0.show_states();
    }
    /// The bounds that it keeps to.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.run().values.guard.limits()
    }

    /// The value of a closed expression: one of the script, or one resolved against it later.
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn evaluate(&mut self, e: &Expr) -> Result<Value> {
        let result = self.begin().closed_value(e);
        self.explained(result)
    }

    /// The normalised term of a closed process expression.
    ///
    /// # Errors
    /// Errors of evaluation; a value that is not a process.
    pub fn process(&mut self, e: &Expr) -> Result<Term> {
        let process = |run: &mut Interpreter| {
            let v = run.closed_value(e)?;
            let t = run.values.term(v, e.span)?;
            run.settle(t)
        };
        let result = process(self.begin());
        self.explained(result)
    }

    /// The value of a top-level name, with all its parts.
    ///
    /// # Errors
    /// Errors of evaluation; an unknown name (E0422).
    pub fn value_named(&mut self, name: &str) -> Result<Value> {
        let (id, span) = global_named(self.script(), name)?;
        let value = |run: &mut Interpreter| {
            let v = global_value(run, id, span)?;
            whole(run, v, span)
        };
        let result = value(self.begin());
        self.explained(result)
    }

    /// The process of a top-level name without parameters.
    ///
    /// # Errors
    /// Errors of evaluation; an unknown name (E0422); a value that is not a process.
    pub fn process_named(&mut self, name: &str) -> Result<Term> {
        let (id, span) = global_named(self.script(), name)?;
        let process = |run: &mut Interpreter| {
            let v = global_value(run, id, span)?;
            let t = run.values.term(v, span)?;
            run.settle(t)
        };
        let result = process(self.begin());
        self.explained(result)
    }

    /// The events of a trace: complete ones, in order.
    ///
    /// # Errors
    /// Errors of evaluation; a value that is not an event.
    pub fn trace(&mut self, e: &Expr) -> Result<Vec<Value>> {
        let run = self.begin();
        let v = run.closed_value(e)?;
        let values = &mut run.values;
        let trace = values.at(values.store.as_seq(v), e.span)?.to_vec();
        for event in &trace {
            events::expect_event(values, *event, e.span)?;
        }
        Ok(trace)
    }

    /// A process in which τ and ✓ have priority over a set of events (`:[tau priority]: S`).
    ///
    /// # Errors
    /// Errors of evaluating the set.
    pub fn silence_first(&mut self, process: Term, set: &Expr) -> Result<Term> {
        let run = self.begin();
        let below = run.closed_value(set)?;
        special::silence_first(&mut run.values, &mut run.terms, process, below, set.span)
    }

    /// The transitions of a term, in a fixed order, each once.
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn step(&mut self, t: Term) -> Result<Steps> {
        self.stepper.begin();
        let result = transitions(t, &mut self.stepper);
        self.explained(result)
    }

    /// The process that an operator continues with, made ready to run.
    ///
    /// # Errors
    /// Errors of its evaluation.
    pub fn next(&mut self, t: Term) -> Result<Term> {
        let result = self.begin().settle(t);
        self.explained(result)
    }

    /// The operator behind a control state, if that begins with one other than a prefix.
    pub fn opened(&mut self, t: Term) -> Term {
        let run = &mut self.stepper.run;
        match run.terms.data(t).clone() {
            TermData::Call { control, env } => open_term(run, control, &env).unwrap_or(t),
            _ => t,
        }
    }

    /// A component after the ✓ of the network that it is part of.
    pub fn ended(&mut self) -> Term {
        let (terms, store) = self.stores();
        terms.intern(store, TermData::Ended)
    }

    /// The limits of the work.
    #[must_use]
    pub fn patience(&self) -> (Limits, Cancel) {
        let guard = &self.run().values.guard;
        (guard.limits().clone(), guard.cancel().clone())
    }

    /// Notes how far the work is, for other threads to show.
    pub fn reach(&self, stage: WorkStage, count: usize) {
        self.run().values.guard.cancel().reach(stage, count);
    }

    /// To be called now and then by work that evaluates nothing for long.
    ///
    /// # Errors
    /// When the work was cancelled, or its time is over.
    pub fn check_time(&self) -> Result<()> {
        self.run().values.poll(nowhere()).map_err(|mut error| {
            // The script has no part in it.
            error.span = None;
            error
        })
    }

    /// [`Evaluator::check_time`] for every step of work that has very many: it looks now and then.
    ///
    /// # Errors
    /// As that.
    pub fn check_step(&self) -> Result<()> {
        match self.store().look() {
            Ok(()) => Ok(()),
            // Asked again for the error with its words: `look` has only found that there is one.
            Err(_) => self.check_time(),
        }
    }

    /// Says what permutations move, before transitions are asked for.
    pub fn permute_types(&mut self, types: &AtomTypes) {
        self.stores().0.permute_types(types);
    }

    /// Shape and atoms of a term.
    pub fn split(&mut self, t: Term, types: &AtomTypes) -> (Term, Rc<[Atom]>) {
        let (terms, store) = self.stores();
        terms.split_term(&mut store.shapes(), t, types)
    }
    /// The term of a shape and atoms.
    pub fn fill(&mut self, shape: Term, atoms: &[Atom], types: &AtomTypes) -> Term {
        let (terms, store) = self.stores();
        terms.fill_term(store, shape, atoms, types)
    }
    /// `π` applied to a term: `(P, ρ)` becomes `(P, π∘ρ)`.
    pub fn rename(&mut self, t: Term, map: &[Atom], types: &AtomTypes) -> Term {
        let (terms, store) = self.stores();
        terms.rename_term(&mut store.shapes(), t, map, types)
    }
    /// `π` applied to a value.
    #[cfg(test)]
    fn rename_value(&mut self, v: Value, map: &[Atom], types: &AtomTypes) -> Value {
        let (terms, store) = self.stores();
        store.shapes().rename_with(v, map, types, terms)
    }
    /// The variables in the holes of a shape, by number.
    #[must_use]
    pub fn holes(&self, shape: Term) -> Vec<HoleInfo> {
        let variable = |control, i| self.variable(control, i);
        crate::process::holes(self.terms(), self.store(), shape, &variable)
    }

    /// The name of a part of a term whose code reaches a function of Def. 23.2, if there is one.
    pub fn order_seen_by(&mut self, t: Term) -> Option<Rc<str>> {
        self.order.order_seen_by(&self.stepper.run, t)
    }

    /// The description of a term: a control state by its definition (and first channel, if it is not the whole body)
    /// with its variables, anything else as short text.
    #[must_use]
    pub fn describe(&self, t: Term) -> Description {
        self.naming().describe(t)
    }
    /// The parameters that grow along a sequence of terms, in order of discovery.
    #[must_use]
    pub fn growing(&self, terms: impl Iterator<Item = Term>) -> Vec<Growing> {
        self.naming().growing(terms)
    }
    /// The name of the `i`-th variable of a control state.
    #[must_use]
    pub fn variable(&self, control: ControlState, i: usize) -> String {
        self.naming().variable(control, i)
    }
    /// Number of control states known so far.
    #[cfg(test)]
    fn control_count(&self) -> usize {
        self.run().program.control_count()
    }
    /// The place of the first control state in a term; none if it has no part from the script.
    #[must_use]
    pub fn place_of(&self, t: Term) -> Option<Span> {
        self.naming().place_of(t)
    }
    /// The places of a process in the text: its control states, in reading order.
    #[must_use]
    pub fn places(&self, t: Term) -> Vec<TextPlace> {
        branches::places(self.run(), t)
    }
    /// The parts of the text that a step of a process may come from: its prefixes, or the operands that it chooses.
    pub fn branch(&mut self, t: Term, label: Label, target: Option<Term>) -> Vec<TextPlace> {
        self.stepper.begin();
        branches::branch(&mut self.stepper, t, label, target)
    }
    /// A term as one line of text.
    #[must_use]
    pub fn show_term(&self, t: Term) -> String {
        self.naming().show_term(t)
    }
    /// A value as text; processes inside are shown as terms.
    #[must_use]
    pub fn show(&self, v: Value) -> String {
        self.naming().show(v)
    }
    /// A label as text.
    #[must_use]
    pub fn show_event(&self, label: Label) -> String {
        self.naming().show_event(label)
    }
}

/// The definition with this name, and where it is written.
fn global_named(script: &Script, name: &str) -> Result<(GlobalId, Span)> {
    let Some(index) = script.globals.iter().position(|g| &*g.name == name) else {
        let message = format!("there is no definition `{name}`");
        return Err(Box::new(Diagnostic::nowhere("E0422", message)));
    };
    Ok((GlobalId(index as u32), script.globals[index].span))
}
