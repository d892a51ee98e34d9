//! Where in the text of the script the components of a state are, and which part of it a transition takes: found
//! in `placed`.

use crate::source::Span;

/// A place in the text of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPlace {
    /// Where it is written first.
    pub span: Span,
    /// Where else the same expression stands: a process there has the same states, so nobody can say at
    /// which of these places it is.
    pub also: Vec<Span>,
}

/// Where the components of a state are in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacesView {
    /// For each component its control states, in the order in which a person reads them; none for what is
    /// not written in the script, such as `STOP` after its last event.
    pub components: Vec<Vec<ScriptPlace>>,
    /// For each component that moves: which one, and what it takes, a prefix or an operand of a choice. If
    /// there are several, the step may come from each of them.
    pub branches: Vec<(usize, Vec<ScriptPlace>)>,
}
