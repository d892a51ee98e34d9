//! Compiling a whole script, and expressions that come later.

use std::rc::Rc;

use super::code::{GlobalCode, UnitId};
use super::compile::Compiler;
use super::defer::sequence_units;
use super::parts::{CodePart, Parts, outer_expressions};
use super::program::Program;
use crate::script::core::{
    Expr, ExprKind, Function, GlobalId, GlobalKind, LocalDef, PatternKind, Script,
};
use crate::script::visit::{self, Mention, Visit};
use crate::source::Span;
use crate::source::hash::{Map, Set};
use crate::value::Interner;

/// The name under which control states are shown that belong to no definition.
const NAMELESS: &str = "(expression)";

/// The result of compiling a script.
#[derive(Debug)]
pub(super) struct CompiledScript {
    pub program: Program,
    /// The definitions in the order of their numbers.
    pub globals: Vec<GlobalCode>,
    /// The right sides of top-level pattern bindings.
    pub bindings: Vec<UnitId>,
    pub parts: Parts,
}

/// Compiles a script in its order, so that control states are numbered in its order.
pub(super) fn script(script: &Script, store: &mut Interner) -> CompiledScript {
    let mut program = Program::default();
    program.set_common(common_names(script));
    let mut parts = Parts::default();
    let mut globals = Vec::with_capacity(script.globals.len());
    let mut bindings = Vec::new();
    // The parts of one pattern binding share its right side, by address.
    let mut known_bindings: Map<usize, usize> = Map::default();
    let mut compiler = Compiler::new(script, &mut program, store);
    parts.begin(0, CodePart::Common);
    sequence_units(compiler.program);
    for (number, global) in script.globals.iter().enumerate() {
        let part = CodePart::Global(GlobalId(number as u32));
        parts.begin(compiler.program.next_unit(), part);
        compiler.enter_definition(&global.name);
        globals.push(match &global.kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => {
                let unit = compiler.closed(e);
                // Expressions of the script are asked for again by whoever evaluates declarations,
                // assertions and prints.
                compiler.program.remember_closed(e, unit);
                let nametype = matches!(global.kind, GlobalKind::Nametype(_));
                GlobalCode::Value { unit, nametype }
            }
            GlobalKind::Function(f) => GlobalCode::Function(compiler.function(f, global.span, &[])),
            GlobalKind::Part { binding, local } => {
                let address = Rc::as_ptr(binding) as usize;
                let number = *known_bindings.entry(address).or_insert_with(|| {
                    bindings.push(compiler.closed(&binding.1));
                    bindings.len() - 1
                });
                let unit = compiler.closed_part(&binding.0, *local);
                GlobalCode::Part {
                    binding: number,
                    unit,
                }
            }
        });
    }
    for (number, e) in outer_expressions(script).into_iter().enumerate() {
        parts.begin(compiler.program.next_unit(), CodePart::Outer(number));
        compiler.enter_definition(&NAMELESS.into());
        let unit = compiler.closed(e);
        compiler.program.remember_closed(e, unit);
    }
    // Whatever is compiled from now on is not from the script.
    parts.begin(program.next_unit(), CodePart::Given);
    program.end_compilation();
    CompiledScript {
        program,
        globals,
        bindings,
        parts,
    }
}

/// Names that several definitions have, local ones or not: control states are shown under them.
fn common_names(script: &Script) -> Set<Rc<str>> {
    let mut names = MetNames {
        script,
        met: Set::default(),
        common: Set::default(),
    };
    for global in &script.globals {
        names.note(&global.name);
        match &global.kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => visit::expr(e, &mut names),
            // Its own name is that of the definition, which was noted.
            GlobalKind::Function(f) => f
                .clauses
                .iter()
                .for_each(|c| visit::expr(&c.body, &mut names)),
            GlobalKind::Part { binding, .. } => visit::expr(&binding.1, &mut names),
        }
    }
    for e in outer_expressions(script) {
        visit::expr(e, &mut names);
    }
    names.common
}

/// The names of definitions found so far.
struct MetNames<'a> {
    script: &'a Script,
    met: Set<Rc<str>>,
    common: Set<Rc<str>>,
}

impl MetNames<'_> {
    fn note(&mut self, name: &Rc<str>) {
        if !self.met.insert(Rc::clone(name)) {
            self.common.insert(Rc::clone(name));
        }
    }
}

impl Visit for MetNames<'_> {
    fn mention(&mut self, _: Mention, _: Span) {}
    fn expression(&mut self, e: &Expr) {
        let ExprKind::Let(definitions, _) = &e.kind else {
            return;
        };
        for definition in definitions {
            if let LocalDef::Value(pattern, _) = definition
                && let PatternKind::Bind(local) = pattern.kind
                && let Some(name) = self.script.locals.get(local.0 as usize)
            {
                self.note(&Rc::clone(name));
            }
        }
    }
    fn function(&mut self, f: &Function) {
        self.note(&f.name);
    }
}

/// Compiles an expression without variables that was resolved against a script later.
pub(super) fn closed(
    script: &Script,
    program: &mut Program,
    store: &mut Interner,
    e: &Expr,
) -> UnitId {
    let mut compiler = Compiler::new(script, program, store);
    compiler.enter_definition(&NAMELESS.into());
    let unit = compiler.closed(e);
    program.end_compilation();
    unit
}
