//! The interpreter: the parts that running code needs, put together. Each part owns what it changes;
//! what runs code with them stands in `run` (calls), `lazy` (what is evaluated later), `data`
//! (expressions) and `opening` (control states), and knows all of them, since an expression may call,
//! force or declare anything.

use std::rc::Rc;

use super::code::UnitId;
use super::declarations::{Declarations, Declare};
use super::definitions::{Define, Definitions};
use super::endless::WaitingCalls;
use super::force::Force;
use super::frame::SlotValue;
use super::parts::Parts;
use super::program::Program;
use super::suspended::Suspended;
use super::translate::{self, CompiledScript};
use super::values::Values;
use super::whole::whole;
use crate::process::Terms;
use crate::script::core::{Expr, Script};
use crate::script::reach::chases_in_implementations_alone;
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::value::{Data, Value};

/// Runs the code of one script. The parts are in reach of everybody who runs code; none of them can
/// be brought into a wrong state from outside.
#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    pub values: Values,
    pub terms: Terms,
    /// Shared by copies, until one of them compiles more.
    pub program: Rc<Program>,
    pub definitions: Definitions,
    pub declarations: Declarations,
    pub suspended: Suspended,
    pub waiting: WaitingCalls,
}

impl Interpreter {
    /// Compiles a script, and evaluates nothing yet. Also says which units come from which part.
    pub(super) fn new(script: Rc<Script>, limits: &Limits, cancel: Cancel) -> (Self, Parts) {
        let mut values = Values::new(script, limits, cancel);
        let script = Rc::clone(values.script());
        let compiled = translate::script(&script, &mut values.store);
        let CompiledScript {
            program,
            globals,
            bindings,
            parts,
        } = compiled;
        let mut interpreter = Self {
            values,
            terms: Terms::new(),
            program: Rc::new(program),
            definitions: Definitions::new(globals, bindings),
            declarations: Declarations::new(&script),
            suspended: Suspended::default(),
            waiting: WaitingCalls::default(),
        };
        interpreter.note_mentioned();
        // Whether `chase` stands in implementations alone is a matter of the whole script.
        let chases = chases_in_implementations_alone(&script);
        interpreter.terms.mentioned_mut().chase_in_networks(chases);
        (interpreter, parts)
    }

    /// Tells the terms which built-in functions occur in what was compiled.
    fn note_mentioned(&mut self) {
        for function in Rc::make_mut(&mut self.program).take_mentioned() {
            self.terms.mentioned_mut().note(function);
        }
    }

    /// To be called where an evaluation begins that is not part of another. An error may have left
    /// marks of what was being evaluated.
    pub(super) fn begin(&mut self) {
        self.values.guard.begin();
        self.suspended.begin();
        self.waiting.clear();
    }

    /// Adds to an error that has ended a recursion what that was like.
    pub(super) fn explain(&mut self, error: &mut Diagnostic) {
        self.waiting.explain(&self.program, error);
    }

    /// Checks that the previous evaluation ended properly, also by an error.
    #[cfg(debug_assertions)]
    pub(super) fn assert_at_rest(&self) {
        self.definitions.assert_at_rest();
        self.declarations.assert_at_rest();
    }
}

impl Force for Interpreter {
    fn values(&mut self) -> &mut Values {
        &mut self.values
    }

    // Asked for nearly every value that is looked into, and hardly one is suspended.
    #[inline]
    fn settled(&mut self, v: Value, span: Span) -> Result<Value> {
        let mut v = v;
        while let Data::Suspended { code, env } = self.values.store.data(v) {
            let (code, env) = (*code, env.clone());
            v = self.force_unit(code, env, span)?;
        }
        Ok(v)
    }
}

impl Define for Interpreter {
    fn definitions(&mut self) -> &mut Definitions {
        &mut self.definitions
    }

    fn run_unit(&mut self, unit: UnitId, captured: Vec<SlotValue>, span: Span) -> Result<Value> {
        self.run_thunk(unit, captured, span)
    }
}

impl Declare for Interpreter {
    fn declarations(&mut self) -> &mut Declarations {
        &mut self.declarations
    }

    fn closed_value(&mut self, e: &Expr) -> Result<Value> {
        let unit = match self.program.closed(e) {
            Some(unit) => unit,
            None => {
                // The compiler reads the script while it adds to the store and the program.
                let script = Rc::clone(self.values.script());
                let program = Rc::make_mut(&mut self.program);
                let unit = translate::closed(&script, program, &mut self.values.store, e);
                self.note_mentioned();
                unit
            }
        };
        let v = self.run_thunk(unit, Vec::new(), e.span)?;
        whole(self, v, e.span)
    }
}
