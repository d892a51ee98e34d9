//! Type inference.
use super::core::Script;
use super::resolve::Annotation;
use crate::source::Diagnostic;
/// Inferred types.
#[derive(Debug, Default)]
pub struct Types;
pub(super) fn infer(_: &Script, _: &[Annotation], _: &mut Vec<Diagnostic>) -> Types {
    Types
}
