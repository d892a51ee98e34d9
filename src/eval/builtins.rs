//! The built-in functions.

use super::Evaluator;
use crate::process::term::TermData;
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, LazySet, Value};

impl Evaluator {
    /// A built-in name on its own: a constant, or a function not applied yet.
    pub(super) fn builtin_value(&mut self, b: Builtin, span: Span) -> Result<Value> {
        Ok(match b {
            Builtin::True => self.store.bool(true),
            Builtin::False => self.store.bool(false),
            Builtin::IntSet => self.store.int_range(None, None),
            Builtin::Proc => self.store.lazy(LazySet::Processes),
            Builtin::CharSet => self.store.lazy(LazySet::Chars),
            Builtin::BoolSet => {
                let both = vec![self.store.bool(false), self.store.bool(true)];
                self.store.set(both)
            }
            Builtin::EmptyMap => self.store.map(Vec::new()),
            Builtin::Events => self.events(span)?,
            Builtin::Stop => self.constant(TermData::Stop),
            Builtin::Skip => self.constant(TermData::Skip),
            Builtin::Div => self.constant(TermData::Div),
            Builtin::TSkip | Builtin::TStop => {
                return Err(Self::refused(b, span));
            }
            _ => self.store.intern(Data::Builtin(b)),
        })
    }

    fn constant(&mut self, data: TermData) -> Value {
        let t = self.terms.intern(&self.store, data);
        self.process_value(t)
    }

    fn refused(b: Builtin, span: Span) -> Box<Diagnostic> {
        let message = format!("`{}` is not supported", b.name());
        Box::new(
            Diagnostic::error("E0601", span, message)
                .note("scripts that use it are loaded, but what depends on it cannot be evaluated"),
        )
    }

    /// Applies a built-in function.
    pub(super) fn builtin(&mut self, b: Builtin, args: &[Value], span: Span) -> Result<Value> {
        if let Some(v) = self.process_builtin(b, args, span)? {
            return Ok(v);
        }
        match (b, args) {
            (Builtin::Error, [text]) => {
                let text = self.plain_text(*text, span)?;
                Err(Box::new(Diagnostic::error(
                    "E0419",
                    span,
                    format!("the script reports: {text}"),
                )))
            }
            (Builtin::Extensions, [v]) => {
                let extensions = self.store.extensions(*v);
                self.at(extensions, span)
            }
            (Builtin::Productions, [v]) => {
                let set = self.store.productions(vec![*v]);
                self.at(set, span)
            }
            (Builtin::Show, [v]) => {
                let text = self.show(*v);
                Ok(self.store.string(&text))
            }
            _ => match self.data_builtin(b, args, span)? {
                Some(v) => Ok(v),
                None => Err(Self::misapplied(b, args.len(), span)),
            },
        }
    }

    fn misapplied(b: Builtin, given: usize, span: Span) -> Box<Diagnostic> {
        let known = matches!(b, Builtin::Wait | Builtin::TimedPriority);
        if known {
            return Self::refused(b, span);
        }
        let message = format!("`{}` does not take {given} arguments", b.name());
        Box::new(Diagnostic::error("E0412", span, message))
    }
}
