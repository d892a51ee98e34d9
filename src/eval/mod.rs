//! Evaluation: an expression and an environment to a value, or to a process term and its steps.
//!
//! In: the core language. Out: values, normalised terms, and the heads of suspended expressions
//! (it implements `process::Unfold`). Nothing here knows components, permutations of states, or
//! labelled transition systems.

use std::rc::Rc;

use crate::process::term::{Label, Term};
use crate::process::{HoleInfo, Terms};
use crate::script::core::{Expr, Script};
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::value::{Atom, AtomTypes, Store, Value};

/// How a term is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The definition, or definition and first channel; operators as short text.
    pub name: String,
    /// The variables with their values.
    pub args: Vec<(String, Value)>,
    /// Where the control state is written.
    pub span: Option<Span>,
}

/// Evaluates one script. Owns the stores of values and terms.
pub struct Evaluator {
    script: Rc<Script>,
    store: Store,
    terms: Terms,
}

impl Evaluator {
    /// An evaluator for a script. Nothing is evaluated yet.
    #[must_use]
    pub fn new(script: Rc<Script>, limits: &Limits, _cancel: Cancel) -> Self {
        let store = Store::new(
            limits,
            script.channels.len(),
            script.ctors.len(),
            script.types.len(),
        );
        Self {
            script,
            store,
            terms: Terms::new(),
        }
    }
    /// The script.
    #[must_use]
    pub fn script(&self) -> &Rc<Script> {
        &self.script
    }
    /// The values.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
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
    /// Both stores, to change terms.
    pub fn stores_mut(&mut self) -> (&mut Terms, &mut Store) {
        (&mut self.terms, &mut self.store)
    }
    /// The value of a closed expression of the script (also of expressions resolved against it
    /// later).
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn evaluate(&mut self, e: &Expr) -> Result<Value> {
        Err(Box::new(Diagnostic::error("E0400", e.span, "not yet")))
    }
    /// The normalised term of a closed process expression.
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn process(&mut self, e: &Expr) -> Result<Term> {
        Err(Box::new(Diagnostic::error("E0400", e.span, "not yet")))
    }
    /// The process that a top-level name without parameters stands for.
    ///
    /// # Errors
    /// Whatever evaluation reports; an unknown name.
    pub fn process_named(&mut self, name: &str) -> Result<Term> {
        Err(Box::new(Diagnostic::nowhere("E0400", name)))
    }
    /// The transitions of a term, in a fixed order.
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn step(&mut self, _t: Term) -> Result<Vec<(Label, Term)>> {
        Ok(Vec::new())
    }
    /// A suspended operand (right side of `;`, `[>`, `[|A|>`) made ready to run.
    ///
    /// # Errors
    /// Whatever evaluation reports.
    pub fn settle(&mut self, t: Term) -> Result<Term> {
        Ok(t)
    }
    /// Shape and atoms of a term.
    pub fn split(&mut self, t: Term, types: &AtomTypes) -> (Term, Rc<[Atom]>) {
        self.terms.split_term(&mut self.store, t, types)
    }
    /// The term of a shape and atoms.
    pub fn fill(&mut self, shape: Term, atoms: &[Atom], types: &AtomTypes) -> Term {
        self.terms.fill_term(&mut self.store, shape, atoms, types)
    }
    /// `π` applied to a term.
    pub fn rename(&mut self, t: Term, map: &[Atom], types: &AtomTypes) -> Term {
        self.terms.rename_term(&mut self.store, t, map, types)
    }
    /// What stands in the holes of a shape, by number.
    #[must_use]
    pub fn holes(&self, shape: Term) -> Vec<HoleInfo> {
        self.terms
            .holes(&self.store, shape, &|_, i| format!("x{i}"))
    }
    /// How a term is shown.
    pub fn describe(&mut self, _t: Term) -> Description {
        Description {
            name: String::new(),
            args: Vec::new(),
            span: None,
        }
    }
    /// A term as one line of text.
    pub fn show_term(&mut self, _t: Term) -> String {
        String::new()
    }
    /// A label as text.
    #[must_use]
    pub fn show_event(&self, label: Label) -> String {
        match label {
            Label::Tau => "τ".to_owned(),
            Label::Tick => "✓".to_owned(),
            Label::Event(e) => self.store.show(e, &self.script),
        }
    }
    /// How many suspended expressions were opened so far.
    #[must_use]
    pub fn steps_evaluated(&self) -> u64 {
        0
    }
}
