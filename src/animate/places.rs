//! Places in the script of a state's components, and of the part that a transition takes: computed in `placed`.

use crate::source::Span;

/// A place in the text of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPlace {
    /// The first place of the expression.
    pub span: Span,
    /// The other places of the same expression: a process there has the same states, so the right one of these
    /// places is unknown.
    pub also: Vec<Span>,
}

/// The places of a state's components in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacesView {
    /// The control states of each component, in the order in which a person reads them; empty for states that are
    /// not written in the script, such as `STOP` after its last event.
    pub components: Vec<Vec<ScriptPlace>>,
    /// The parts that components take, for each one that moves: a prefix or an operand of a choice. If there are
    /// several, the step may come from each of them.
    pub branches: Vec<(usize, Vec<ScriptPlace>)>,
}
