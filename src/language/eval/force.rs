//! The interface from values to evaluation. A part of a value may be a suspended expression, so work on values must
//! be able to force one; this trait is all that sequences, comparison, patterns and the built-in functions on data
//! know of evaluation.

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
