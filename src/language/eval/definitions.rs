//! Top-level definitions, evaluated when they are first needed.

use super::code::{GlobalCode, UnitId};
use super::demand::OnDemand;
use super::fail::internal;
use super::force::Force;
use super::frame::SlotValue;
use super::guard::TRACE_MAX;
use crate::script::core::GlobalId;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value};

/// The definitions of a script and how far the evaluation of each is. Nothing is open between two
/// evaluations.
#[derive(Clone, Debug)]
pub(super) struct Definitions {
    globals: Vec<(GlobalCode, OnDemand)>,
    /// Top-level pattern bindings: the unit of the right side, and its value.
    bindings: Vec<(UnitId, OnDemand)>,
}

impl Definitions {
    /// Of definitions in the order of their numbers, and of the right sides of pattern bindings.
    pub(super) fn new(globals: Vec<GlobalCode>, bindings: Vec<UnitId>) -> Self {
        let globals = globals.into_iter().map(|code| (code, OnDemand::Idle));
        let bindings = bindings.into_iter().map(|unit| (unit, OnDemand::Idle));
        Self {
            globals: globals.collect(),
            bindings: bindings.collect(),
        }
    }

    /// Checks that an evaluation left nothing open when it ended, also by an error.
    #[cfg(debug_assertions)]
    pub(super) fn assert_at_rest(&self) {
        let open = |state: &OnDemand| state.is_open();
        assert!(!self.globals.iter().any(|g| open(&g.1)));
        assert!(!self.bindings.iter().any(|b| open(&b.1)));
    }
}

/// The evaluator as definitions need it: it runs a unit.
pub(super) trait Define: Force {
    fn definitions(&mut self) -> &mut Definitions;

    /// The value of a unit with these captured values.
    fn run_unit(&mut self, unit: UnitId, captured: Vec<SlotValue>, span: Span) -> Result<Value>;
}

/// The value of a top-level definition.
pub(super) fn global_value(run: &mut impl Define, id: GlobalId, span: Span) -> Result<Value> {
    let index = id.0 as usize;
    let code = match run.definitions().globals.get_mut(index) {
        Some((_, OnDemand::Done(v))) => return Ok(*v),
        Some((_, OnDemand::Open)) => return Err(cycle(run, id, span)),
        Some((code, state @ OnDemand::Idle)) => {
            *state = OnDemand::Open;
            *code
        }
        None => return Err(internal(span)),
    };
    // Whatever happens in between, it has to be closed again.
    let result = first_value(run, code, id, span);
    run.definitions().globals[index].1 = OnDemand::after(&result);
    result
}

fn cycle(run: &mut impl Define, id: GlobalId, span: Span) -> Box<Diagnostic> {
    let global = &run.values().script().globals[id.0 as usize];
    let message = format!("the recursion of `{}` does not end", global.name);
    Box::new(
        Diagnostic::error("E0411", span, message)
            .also(global.span, format!("`{}` is defined here", global.name))
            .note("a process may refer to itself only after an event"),
    )
}

fn first_value(run: &mut impl Define, code: GlobalCode, id: GlobalId, span: Span) -> Result<Value> {
    match code {
        GlobalCode::Function(code) => {
            // A definition captures nothing: top-level names are not variables.
            let env = [].into();
            Ok(run.values().store.intern(Data::Closure { code, env }))
        }
        GlobalCode::Value { unit, nametype } => {
            let v = run_named(run, unit, Vec::new(), id, span)?;
            if !nametype {
                return Ok(v);
            }
            // That it is no set is an error of the nametype, not of its use.
            let written = run.values().script().globals[id.0 as usize].span;
            run.values().set_from(v, written)
        }
        GlobalCode::Part { binding, unit } => {
            let whole = binding_value(run, binding, id, span)?;
            run_named(run, unit, vec![SlotValue::Value(whole)], id, span)
        }
    }
}

/// Runs a unit of a definition; an error in it says in which definition.
fn run_named(
    run: &mut impl Define,
    unit: UnitId,
    captured: Vec<SlotValue>,
    id: GlobalId,
    span: Span,
) -> Result<Value> {
    run.run_unit(unit, captured, span).map_err(|mut error| {
        let values = run.values();
        let name = values.script().globals[id.0 as usize].name.to_string();
        values.guard.name_stop(&mut error, &name);
        if error.trace.len() < TRACE_MAX {
            error.trace.push((name, span));
        }
        error
    })
}

/// The value of a top-level pattern binding.
fn binding_value(run: &mut impl Define, number: usize, id: GlobalId, span: Span) -> Result<Value> {
    let (unit, state) = run.definitions().bindings[number];
    match state {
        OnDemand::Done(v) => return Ok(v),
        OnDemand::Open => return Err(cycle(run, id, span)),
        OnDemand::Idle => {}
    }
    run.definitions().bindings[number].1 = OnDemand::Open;
    let result = run_named(run, unit, Vec::new(), id, span);
    run.definitions().bindings[number].1 = OnDemand::after(&result);
    result
}
