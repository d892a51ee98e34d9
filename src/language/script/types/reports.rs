//! Diagnostics of type inference, and the definition that is being inferred.

use super::ty::Ty;
use crate::script::core::{ChannelId, CtorId, GlobalId};
use crate::source::hash::{Map, Set};
use crate::source::{Bounds, Diagnostic, Kind as Told, Span};

/// The declaration that a type in question comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    pub named: Named,
    pub ty: Ty,
}

/// A name with a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Global(GlobalId),
    Ctor(CtorId),
    Channel(ChannelId),
}

/// The errors so far, and what the next one has to know besides the types.
pub(super) struct Reports<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    bounds: Bounds,
    /// The places of the errors so far.
    reported: Set<Option<Span>>,
    /// The places of channels that are patterns, or parts of patterns.
    constants: Map<Span, ChannelId>,
    /// The channels that are so in what is being inferred.
    matched: Vec<ChannelId>,
    /// The nested subjects of inference ("the definition of `f`"), with their annotations.
    within: Vec<(String, Option<Span>)>,
    /// The beginning of the present expression.
    subject: Option<Subject>,
}

/// The state of the reports when a part was begun, to return to.
#[must_use]
pub(super) struct ReportsBefore {
    reports: usize,
    matched: usize,
}

impl<'a> Reports<'a> {
    pub fn new(diagnostics: &'a mut Vec<Diagnostic>, bounds: Bounds) -> Self {
        Self {
            diagnostics,
            bounds,
            reported: Set::default(),
            constants: Map::default(),
            matched: Vec::new(),
            within: Vec::new(),
            subject: None,
        }
    }

    /// The number of errors.
    pub fn count(&self) -> usize {
        self.diagnostics.len()
    }

    /// Begins the part with this name; `annotation` is the place of its type annotation.
    pub fn begin(&mut self, name: String, annotation: Option<Span>) -> ReportsBefore {
        self.within.push((name, annotation));
        ReportsBefore {
            reports: self.diagnostics.len(),
            matched: self.matched.len(),
        }
    }

    /// Ends what was begun last; whether it is without errors.
    pub fn end(&mut self, begun: &ReportsBefore) -> bool {
        self.matched.truncate(begun.matched);
        self.within.pop();
        self.diagnostics.len() == begun.reports
    }

    /// A channel is a pattern here.
    pub fn matches(&mut self, channel: ChannelId, span: Span) {
        self.constants.insert(span, channel);
        self.matched.push(channel);
    }

    /// The channel that is a pattern, or a part of one, at a place.
    pub fn constant(&self, span: Span) -> Option<ChannelId> {
        self.constants.get(&span).copied()
    }

    /// Whether what is being inferred has a channel for a pattern.
    pub fn has_matched(&self, channel: ChannelId) -> bool {
        self.matched.contains(&channel)
    }

    pub fn subject(&self) -> Option<Subject> {
        self.subject
    }

    pub fn set_subject(&mut self, subject: Option<Subject>) {
        self.subject = subject;
    }

    /// Adds a diagnostic. Only the first one of a place is kept, and only one about an annotation that promises too
    /// much: the first is mostly the cause.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        // After a bound is reached, what seems wrong may only be unfinished.
        if self.bounds.is_over() {
            return;
        }
        let (within, annotation) = match self.within.last() {
            Some((name, annotation)) => (Some(name), *annotation),
            None => (None, None),
        };
        // What is too general in an annotation shows up at several places of the definition. The
        // annotation is where it has to be mended, so that counts as the place.
        let mut place = diagnostic.span;
        if let (Some(annotation), Told::Annotation) = (annotation, diagnostic.kind) {
            place = Some(annotation);
            diagnostic.labels.retain(|l| l.span != annotation);
            diagnostic = diagnostic.also(annotation, "the annotation");
        }
        if let Some(within) = within {
            diagnostic = diagnostic.note(format!("in {within}"));
        }
        if self.reported.insert(place) {
            self.diagnostics.push(diagnostic);
        }
    }
}
