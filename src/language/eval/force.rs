//! The knot between values and evaluation. A part of a value may be a suspended expression, so
//! whoever looks into values must be able to have one evaluated; this trait is all that such work
//! (sequences, comparison, patterns, the built-in functions on data) knows of evaluation.

use super::values::Values;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::Value;

/// Evaluates what is suspended. There is one implementation; the functions that take it are compiled
/// for that one, so it costs nothing.
pub(super) trait Force {
    /// The values, with what work on them needs.
    fn values(&mut self) -> &mut Values;

    /// A value that was not evaluated when it was captured or became a part of another is evaluated
    /// now. Its parts may still be suspended.
    fn settled(&mut self, v: Value, span: Span) -> Result<Value>;
}
