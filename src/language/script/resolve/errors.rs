//! Diagnostics of name resolution.

use crate::source::{Bounds, Diagnostic, Severity, Span};

/// The name of this phase, for messages about limits.
const PHASE: &str = "names were resolved";

/// The errors so far, and the bounds within which there may be more.
pub(super) struct NameErrors {
    list: Vec<Diagnostic>,
    bounds: Bounds,
}

impl NameErrors {
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            list: Vec::new(),
            bounds: bounds.clone(),
        }
    }

    /// After a bound is reached, what seems wrong may only be unfinished.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if !self.bounds.is_over() {
            self.list.push(diagnostic);
        }
    }

    /// Reports what is wrong with the text alone, however much of it was looked at.
    pub fn report_anyway(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether a bound is reached.
    pub fn is_over(&self, place: Option<Span>) -> bool {
        self.bounds.over(PHASE, place)
    }

    /// Their number, to distinguish later ones.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Forgets what came after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Makes warnings of what came after the first `count`.
    pub fn soften(&mut self, count: usize) {
        for diagnostic in self.list.iter_mut().skip(count) {
            diagnostic.severity = Severity::Warning;
        }
    }

    pub fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}
