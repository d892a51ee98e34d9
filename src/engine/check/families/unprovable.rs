//! Reasons why nothing is proved.

use crate::script::uniform::UniformObstacle;
use crate::source::{Diagnostic, Span, Stop};

/// Why something is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprovable {
    /// A clause without a full stop.
    pub why: String,
    /// The place in the script that it is about.
    pub span: Option<Span>,
}

/// A decision, or why there is none.
pub type Decided<T> = Result<T, Unprovable>;

impl Unprovable {
    pub(super) fn nowhere(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            span: None,
        }
    }

    pub(super) fn at(span: Span, why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            span: Some(span),
        }
    }
}

impl From<Box<Diagnostic>> for Unprovable {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        match diagnostic.stop() {
            Some(stop) => limit(stop),
            None => Self {
                why: diagnostic.message.clone(),
                span: diagnostic.span,
            },
        }
    }
}

impl From<&UniformObstacle> for Unprovable {
    fn from(obstacle: &UniformObstacle) -> Self {
        Self::at(obstacle.span, obstacle.why.clone())
    }
}

/// A limit as a reason.
pub(super) fn limit(stop: Stop) -> Unprovable {
    let what = match stop {
        Stop::Time => "time",
        Stop::Memory => "memory",
        Stop::Cancelled => "an interruption",
        Stop::States | Stop::Disk | Stop::Process(_) => "states",
    };
    Unprovable::nowhere(format!("a limit was reached: {what}"))
}
