//! The built-in functions and constants, each handed to where its kind is.

use super::data_builtins::{Need, data_builtin, need, plain_text};
use super::declarations::events;
use super::describe::Naming;
use super::environment::capture;
use super::fail::fail;
use super::frame::SlotValue;
use super::interpreter::Interpreter;
use super::special::process_builtin;
use super::whole::whole;
use crate::process::term::TermData;
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, LazySet, Value, algebra};

impl Interpreter {
    /// A built-in name on its own: a constant, or a function not applied yet.
    pub(super) fn builtin_value(&mut self, b: Builtin, span: Span) -> Result<Value> {
        let store = &mut self.values.store;
        let constant = match b {
            Builtin::True => return Ok(store.bool(true)),
            Builtin::False => return Ok(store.bool(false)),
            Builtin::IntSet => return Ok(store.int_range(None, None)),
            Builtin::Proc => return Ok(store.lazy(LazySet::Processes)),
            Builtin::CharSet => return Ok(store.lazy(LazySet::Chars)),
            Builtin::BoolSet => {
                let both = vec![store.bool(false), store.bool(true)];
                return Ok(store.set(both));
            }
            Builtin::EmptyMap => return Ok(store.map(Vec::new())),
            Builtin::Events => return events(self, span),
            Builtin::Stop => TermData::Stop,
            Builtin::Skip => TermData::Skip,
            Builtin::Div => TermData::Div,
            Builtin::TSkip | Builtin::TStop => return Err(refused(b, span)),
            _ => return Ok(store.intern(Data::Builtin(b))),
        };
        let t = self.terms.intern(&self.values.store, constant);
        Ok(self.values.process(t))
    }

    /// Applies a built-in function.
    pub(super) fn builtin(&mut self, b: Builtin, args: &[Value], span: Span) -> Result<Value> {
        // Functions that make processes come first: most names are theirs or those of data, and the
        // two share none.
        if let Some(t) = process_builtin(&mut self.values, &mut self.terms, b, args, span)? {
            return Ok(self.values.process(t));
        }
        match (b, args) {
            (Builtin::Error, [text]) => {
                let text = plain_text(self, *text, span)?;
                Err(fail("E0419", format!("the script reports: {text}"), span))
            }
            (Builtin::Extensions, [v]) => {
                let extensions = self.values.store.sets().extensions(*v);
                self.values.at(extensions, span)
            }
            (Builtin::Productions, [v]) => {
                let set = algebra::productions(&mut self.values.store.sets(), vec![*v]);
                self.values.at(set, span)
            }
            (Builtin::Show, [v]) => {
                let Some(text) = Naming::of(self).show_whole(*v) else {
                    return Err(too_long(self, *v, span));
                };
                Ok(self.values.store.string(&text))
            }
            _ => match data_builtin(self, b, args, span)? {
                Some(v) => Ok(v),
                None => Err(misapplied(b, args.len(), span)),
            },
        }
    }
}

/// The arguments of a built-in function, each evaluated to the degree that it needs.
pub(super) fn builtin_arguments(
    run: &mut Interpreter,
    b: Builtin,
    args: &[SlotValue],
    span: Span,
) -> Result<Vec<Value>> {
    let mut values = Vec::with_capacity(args.len());
    for (i, arg) in args.iter().enumerate() {
        values.push(match need(b, i) {
            Need::Nothing => capture(run, arg, span)?,
            Need::Value => run.forced(arg, span)?,
            Need::Whole => {
                let v = run.forced(arg, span)?;
                whole(run, v, span)?
            }
        });
    }
    Ok(values)
}

fn refused(b: Builtin, span: Span) -> Box<Diagnostic> {
    let message = format!("`{}` is not supported", b.name());
    Box::new(
        Diagnostic::error("E0601", span, message)
            .note("scripts that use it are loaded, but what depends on it cannot be evaluated"),
    )
}

/// `show` gives all of a value or nothing: a text that is cut would be that of other values, too.
fn too_long(run: &Interpreter, v: Value, span: Span) -> Box<Diagnostic> {
    let values = run.values.store.weight(v);
    let message = format!("the text of this value is too long: it names {values} values");
    fail("E0403", message, span)
}

fn misapplied(b: Builtin, given: usize, span: Span) -> Box<Diagnostic> {
    // These exist, and nobody applies them.
    if matches!(b, Builtin::Wait | Builtin::TimedPriority) {
        return refused(b, span);
    }
    let message = format!("`{}` does not take {given} arguments", b.name());
    fail("E0412", message, span)
}
