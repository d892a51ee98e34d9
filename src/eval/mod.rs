//! Evaluation: an expression and an environment to a value, or to a process term and its steps
//! (`eval ρ e` of the paper's Sec. 4, Def. 22 and Prop. 24).
//!
//! In: the core language. Out: values, normalised terms, and the heads of suspended expressions
//! (it implements [`Unfold`]). Nothing here knows components, permutations of states, or labelled
//! transition systems.

mod builtins;
mod canon;
mod code;
mod compare;
mod compile;
mod controls;
mod data;
mod data_builtins;
mod defer;
mod describe;
mod fail;
mod group;
mod labels;
mod lazy;
mod operators;
mod order;
mod pattern;
mod patterns;
mod prefix;
mod program;
mod relations;
mod run;
mod scope;
mod sequence;
mod special;
mod types;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::rc::Rc;

use crate::process::step::{Head, Steps, Unfold, transitions};
use crate::process::term::{Control, Term, TermData};
use crate::process::{HoleInfo, Terms};
use crate::script::core::{AssertionKind, Expr, GlobalId, GlobalKind, Script};
use crate::script::reach::chases_in_implementations_alone;
use crate::source::diagnostic::Result;
use crate::source::hash::{Map, Set};
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::value::{Atom, AtomTypes, Store, Value, ValueError};
use code::UnitId;
use compile::Compiler;
use defer::sequence_units;
use fail::nowhere;
use order::Part;
use program::Program;
use types::{Declared, GlobalCode, Progress};

/// How a term is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The definition, or definition and first channel; operators as short text.
    pub name: String,
    /// The variables with their values, parameters first and in their order.
    pub args: Vec<(String, Value)>,
    /// Where the control state is written.
    pub span: Option<Span>,
}

/// Evaluates one script. Owns the stores of values and terms.
#[derive(Debug)]
pub struct Evaluator {
    script: Rc<Script>,
    limits: Limits,
    cancel: Cancel,
    store: Store,
    terms: Terms,
    program: Program,
    global_code: Vec<GlobalCode>,
    globals: Vec<Progress>,
    /// Top-level pattern bindings: the unit of the right side, and its value.
    bindings: Vec<(UnitId, Progress)>,
    /// Which units come from where.
    parts: order::Parts,
    types: Vec<Progress>,
    recursive_types: Vec<bool>,
    ctors: Vec<Declared>,
    channels: Vec<Declared>,
    forced_units: Map<Value, Value>,
    forcing: Set<Value>,
    stepping: Set<Term>,
    /// Values that could not be evaluated completely when they were captured.
    stuck: Set<Value>,
    /// How often experiments with variables that these units define have failed.
    failures: Map<UnitId, u8>,
    /// Dotted values whose fields are known to belong to the declared sets.
    checked: Set<Value>,
    /// Calls below a certain depth that are being evaluated.
    calling: Set<Value>,
    depth: usize,
    calls: u64,
    /// When the experiment that runs has to end.
    calls_end: u64,
    /// Whether a limit or the user has ended the evaluation that runs.
    stopped: Cell<bool>,
    /// The place in the script that was evaluated last: for errors that have none of their own.
    lately: Cell<Span>,
}

impl Evaluator {
    /// An evaluator for a script: compiles it, and evaluates nothing yet.
    #[must_use]
    pub fn new(script: Rc<Script>, limits: &Limits, cancel: Cancel) -> Self {
        let store = Store::new(
            limits,
            script.channels.len(),
            script.ctors.len(),
            script.types.len(),
        );
        let mut evaluator = Self {
            limits: limits.clone(),
            cancel,
            store,
            terms: Terms::new(),
            program: Program::default(),
            global_code: Vec::new(),
            globals: vec![Progress::Idle; script.globals.len()],
            bindings: Vec::new(),
            parts: order::Parts::default(),
            types: vec![Progress::Idle; script.types.len()],
            recursive_types: vec![false; script.types.len()],
            ctors: vec![Declared::No; script.ctors.len()],
            channels: vec![Declared::No; script.channels.len()],
            forced_units: Map::default(),
            forcing: Set::default(),
            stepping: Set::default(),
            stuck: Set::default(),
            failures: Map::default(),
            checked: Set::default(),
            calling: Set::default(),
            depth: 0,
            calls: 0,
            calls_end: u64::MAX,
            stopped: Cell::new(false),
            lately: Cell::new(nowhere()),
            script,
        };
        evaluator.store.limit(limits, &evaluator.cancel);
        evaluator.compile_script();
        evaluator.note_mentioned();
        let chases = chases_in_implementations_alone(&evaluator.script);
        evaluator.terms.chase_in_networks(chases);
        evaluator
    }

    fn note_mentioned(&mut self) {
        for function in self.program.take_mentioned() {
            self.terms.mention(function);
        }
    }

    /// Compiles the whole script in its order, so that control states are numbered in its order.
    fn compile_script(&mut self) {
        let script = Rc::clone(&self.script);
        let mut known_bindings: Map<usize, usize> = Map::default();
        let mut compiler = Compiler::new(&script, &mut self.program, &mut self.store);
        self.parts.begin(0, Part::Common);
        sequence_units(compiler.program);
        for (number, global) in script.globals.iter().enumerate() {
            let part = Part::Global(GlobalId(number as u32));
            self.parts.begin(compiler.program.next_unit(), part);
            compiler.enter_definition(&global.name);
            let code = match &global.kind {
                GlobalKind::Value(e) | GlobalKind::Nametype(e) => {
                    let unit = compiler.closed(e);
                    compiler.program.remember_closed(e, unit);
                    let nametype = matches!(global.kind, GlobalKind::Nametype(_));
                    GlobalCode::Value { unit, nametype }
                }
                GlobalKind::Function(f) => {
                    GlobalCode::Function(compiler.function(f, global.span, &[]))
                }
                GlobalKind::Part { binding, local } => {
                    let address = Rc::as_ptr(binding) as usize;
                    let number = *known_bindings.entry(address).or_insert_with(|| {
                        self.bindings
                            .push((compiler.closed(&binding.1), Progress::Idle));
                        self.bindings.len() - 1
                    });
                    let unit = compiler.closed_part(&binding.0, *local);
                    GlobalCode::Part {
                        binding: number,
                        unit,
                    }
                }
            };
            self.global_code.push(code);
        }
        for (number, e) in outer_expressions(&script).into_iter().enumerate() {
            self.parts
                .begin(compiler.program.next_unit(), Part::Outer(number));
            compiler.enter_definition(&"(expression)".into());
            let unit = compiler.closed(e);
            compiler.program.remember_closed(e, unit);
        }
        self.parts.begin(compiler.program.next_unit(), Part::Given);
        self.program.end_compilation();
    }

    /// The unit of a closed expression. Only those of the script are remembered: an expression
    /// made later may be dropped and its address used again.
    fn closed_unit(&mut self, e: &Expr) -> UnitId {
        if let Some(unit) = self.program.closed(e) {
            return unit;
        }
        let script = Rc::clone(&self.script);
        let mut compiler = Compiler::new(&script, &mut self.program, &mut self.store);
        compiler.enter_definition(&"(expression)".into());
        let unit = compiler.closed(e);
        self.program.end_compilation();
        self.note_mentioned();
        unit
    }

    /// Replaces the bounds; what was bounded by the old ones stays as it is.
    pub fn set_limits(&mut self, limits: &Limits) {
        let cancel = self.cancel.clone();
        self.limit(limits, cancel);
    }
    /// Replaces the bounds and the flag that asks for a stop, for what is evaluated from now on. It may
    /// be called at any time between two evaluations, also after one that was stopped: what that had
    /// found stays known, what it was about to find is found when it is asked for again.
    pub fn limit(&mut self, limits: &Limits, cancel: Cancel) {
        self.limits = limits.clone();
        self.cancel = cancel;
        self.store.limit(&self.limits, &self.cancel);
        self.terms.forget_stopped();
        self.begin();
    }

    /// To be called where an evaluation begins that is not part of another. An error may have left
    /// marks of what was being evaluated.
    fn begin(&mut self) {
        self.stepping.clear();
        self.forcing.clear();
        self.calling.clear();
        self.depth = 0;
        self.calls_end = u64::MAX;
        self.stopped.set(false);
    }

    /// The script.
    #[must_use]
    pub fn script(&self) -> &Rc<Script> {
        &self.script
    }
    /// The values, to add some.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }
    /// The terms.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }
    /// The bounds that it keeps to.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The value of a closed expression: one of the script, or one resolved against it later.
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn evaluate(&mut self, e: &Expr) -> Result<Value> {
        self.begin();
        self.closed_value(e)
    }

    /// [`Evaluator::evaluate`] within another evaluation.
    fn closed_value(&mut self, e: &Expr) -> Result<Value> {
        let unit = self.closed_unit(e);
        let v = self.run_thunk(unit, Vec::new(), e.span)?;
        self.whole(v, e.span)
    }

    /// The normalised term of a closed process expression.
    ///
    /// # Errors
    /// Whatever evaluation reports; that it is not a process.
    pub fn process(&mut self, e: &Expr) -> Result<Term> {
        let v = self.evaluate(e)?;
        let t = self.term_of(v, e.span)?;
        self.settle_term(t)
    }

    /// The value of a top-level name, with all its parts.
    ///
    /// # Errors
    /// Whatever evaluation reports; an unknown name (E0422).
    pub fn value_named(&mut self, name: &str) -> Result<Value> {
        self.begin();
        let (id, span) = self.global_named(name)?;
        let v = self.global(id, span)?;
        self.whole(v, span)
    }

    fn global_named(&self, name: &str) -> Result<(GlobalId, Span)> {
        let found = self.script.globals.iter().position(|g| &*g.name == name);
        let Some(index) = found else {
            let message = format!("there is no definition `{name}`");
            return Err(Box::new(Diagnostic::nowhere("E0422", message)));
        };
        Ok((GlobalId(index as u32), self.script.globals[index].span))
    }

    /// The process that a top-level name without parameters stands for.
    ///
    /// # Errors
    /// Whatever evaluation reports; an unknown name (E0422); that it is not a process.
    pub fn process_named(&mut self, name: &str) -> Result<Term> {
        self.begin();
        let (id, span) = self.global_named(name)?;
        let v = self.global(id, span)?;
        let t = self.term_of(v, span)?;
        self.settle_term(t)
    }

    /// The transitions of a term, in a fixed order, each once.
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn step(&mut self, t: Term) -> Result<Steps> {
        self.begin();
        transitions(t, self)
    }

    /// What an operator goes on with, made ready to run.
    ///
    /// # Errors
    /// Whatever its evaluation reports.
    pub fn next(&mut self, t: Term) -> Result<Term> {
        self.begin();
        self.settle_term(t)
    }

    /// The operator behind a control state, if that begins with one other than a prefix.
    pub fn opened(&mut self, t: Term) -> Term {
        match self.terms.data(t).clone() {
            TermData::Call { control, env } => self.open_other(control, &env).unwrap_or(t),
            _ => t,
        }
    }

    /// A component after the ✓ of the network that it is part of.
    pub fn ended(&mut self) -> Term {
        self.terms.intern(&self.store, TermData::Ended)
    }

    /// What the work is limited by.
    #[must_use]
    pub fn patience(&self) -> (Limits, Cancel) {
        (self.limits.clone(), self.cancel.clone())
    }

    /// To be called now and then by work that evaluates nothing for long.
    ///
    /// # Errors
    /// When the work was cancelled, or its time is over.
    pub fn check_time(&self) -> Result<()> {
        self.poll(nowhere()).map_err(|mut error| {
            error.span = None;
            error
        })
    }

    /// [`Evaluator::check_time`] for every step of work that has very many: it looks now and then.
    ///
    /// # Errors
    /// As that.
    pub fn check_step(&self) -> Result<()> {
        match self.store.look() {
            Ok(()) => Ok(()),
            Err(_) => self.check_time(),
        }
    }

    /// Says what permutations move, before transitions are asked for.
    pub fn permute_types(&mut self, types: &AtomTypes) {
        self.terms.permute_types(types);
    }

    /// Shape and atoms of a term.
    pub fn split(&mut self, t: Term, types: &AtomTypes) -> (Term, Rc<[Atom]>) {
        self.terms.split_term(&mut self.store, t, types)
    }
    /// The term of a shape and atoms.
    pub fn fill(&mut self, shape: Term, atoms: &[Atom], types: &AtomTypes) -> Term {
        self.terms.fill_term(&mut self.store, shape, atoms, types)
    }
    /// `π` applied to a term: `(P, ρ)` becomes `(P, π∘ρ)`.
    pub fn rename(&mut self, t: Term, map: &[Atom], types: &AtomTypes) -> Term {
        self.terms.rename_term(&mut self.store, t, map, types)
    }
    /// `π` applied to a value.
    pub fn rename_value(&mut self, v: Value, map: &[Atom], types: &AtomTypes) -> Value {
        let mut atoms = Vec::new();
        let shape = self.store.split_with(v, types, &mut atoms, &mut self.terms);
        for atom in &mut atoms {
            *atom = map.get(atom.0 as usize).copied().unwrap_or(*atom);
        }
        self.store.fill_with(shape, &atoms, types, &mut self.terms)
    }
    /// What stands in the holes of a shape, by number.
    #[must_use]
    pub fn holes(&self, shape: Term) -> Vec<HoleInfo> {
        self.terms
            .holes(&self.store, shape, &|control, i| self.variable(control, i))
    }
}

/// The expressions of a script that are evaluated from outside of definitions.
fn outer_expressions(script: &Script) -> Vec<&Expr> {
    let mut all = Vec::new();
    for datatype in &script.types {
        all.extend(datatype.clauses.iter().filter_map(|c| c.1.as_ref()));
    }
    all.extend(script.channels.iter().filter_map(|c| c.fields.as_deref()));
    for assertion in &script.assertions {
        match &assertion.kind {
            AssertionKind::Refinement { spec, imp, .. } => all.extend([spec, imp]),
            AssertionKind::HasTrace { process, trace, .. } => all.extend([process, trace]),
            AssertionKind::Property { process, .. } | AssertionKind::Symmetric { process, .. } => {
                all.push(process);
            }
        }
        all.extend(assertion.tau_priority.as_ref());
    }
    all.extend(&script.prints);
    all
}

/// States of one process that is compressed.
const COMPRESSED_MAX: usize = 5_000_000;
/// Bytes of the tables that are made on the way.
const COMPRESSED_BYTES_MAX: usize = 4 << 30;

impl Unfold for Evaluator {
    fn stores(&mut self) -> (&mut Terms, &mut Store) {
        (&mut self.terms, &mut self.store)
    }

    fn unfold(&mut self, control: Control, env: &[Value]) -> Result<Head> {
        self.open(control, env).map_err(|mut error| {
            let info = self.program.control(control);
            let label = info.map_or("", |info| &info.label);
            self.name_stop(&mut error, label);
            error
        })
    }

    fn settle(&mut self, t: Term) -> Result<Term> {
        self.settle_term(t)
    }

    fn enter(&mut self, t: Term) -> Result<()> {
        let place = self.place_of(t);
        let span = place.unwrap_or_else(nowhere);
        if !self.stepping.insert(t) {
            let name = self.describe(t).name;
            let message = format!("the recursion of `{name}` does not end: no event comes first");
            let mut error = Diagnostic::error("E0411", span, message)
                .note("a process may refer to itself only after an event");
            error.span = place;
            return Err(Box::new(error));
        }
        self.descend(span).map_err(|mut error| {
            let name = self.describe(t).name;
            error.notes = vec![format!(
                "no event comes first in `{name}`, however often it is unfolded"
            )];
            match place {
                Some(span) => error.trace.push((name, span)),
                None => error.span = None,
            }
            error
        })
    }

    fn leave(&mut self, t: Term) {
        self.stepping.remove(&t);
        self.depth = self.depth.saturating_sub(1);
    }

    fn set_aside(&mut self) -> Set<Term> {
        std::mem::take(&mut self.stepping)
    }

    fn go_on(&mut self, entered: Set<Term>) {
        self.stepping = entered;
    }

    fn allow(&self, t: Term, states: usize, words: usize) -> Result<()> {
        let place = self.place_of(t);
        let span = place.unwrap_or_else(nowhere);
        let fixed = |mut error: Box<Diagnostic>| {
            error.span = place;
            error
        };
        self.poll(span).map_err(fixed)?;
        let states_max = self.limits.states_max.min(COMPRESSED_MAX);
        let bytes_max = self.limits.memory_max.min(COMPRESSED_BYTES_MAX);
        let message = if states > states_max {
            format!("the process to be compressed has more than {states_max} states")
        } else if words.saturating_mul(4) > bytes_max {
            let mib = bytes_max >> 20;
            format!("compressing the process takes more than {mib} MiB of memory")
        } else {
            return Ok(());
        };
        let note = format!("it is `{}`", self.show_term(t));
        let error = Diagnostic::error("E0708", span, message).note(note);
        Err(fixed(Box::new(error)))
    }

    fn complain(&mut self, error: &ValueError, t: Term) -> Box<Diagnostic> {
        let place = self.place_of(t);
        let mut diagnostic = self.fail_value(error, place.unwrap_or_else(nowhere));
        diagnostic.span = place;
        diagnostic
            .notes
            .push(format!("in the process `{}`", self.show_term(t)));
        diagnostic
    }
}

impl Evaluator {
    /// The place of the first control state in a term; none if it has no part from the script.
    #[must_use]
    pub fn place_of(&self, t: Term) -> Option<Span> {
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            let data = self.terms.data(t);
            if let TermData::Call { control, .. } = data {
                return self.program.control(*control).map(|info| info.span);
            }
            let mut operands = crate::process::store::operands(data);
            operands.reverse();
            open.extend(operands);
        }
        None
    }
}
