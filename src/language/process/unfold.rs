//! The interface from rules to the evaluator, which `eval` implements.

use super::store::Terms;
use super::term::{ControlState, Term};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::value::{Value, ValueError, ValueStore};

/// The result of opening a suspended expression.
#[derive(Clone, Debug)]
pub enum Unfolded {
    /// Prefixes, their choices of input enumerated: event and what follows it.
    Prefixes(Vec<(Value, Term)>),
    /// An operator over normalised operands.
    Term(Term),
}

/// Opens suspended expressions for the rules. `eval` implements it.
pub trait Unfold {
    /// The stores.
    fn stores(&mut self) -> (&mut Terms, &mut ValueStore);

    /// Opens a suspended expression.
    ///
    /// # Errors
    /// Errors of evaluation.
    fn unfold(&mut self, control: ControlState, env: &[Value]) -> Result<Unfolded>;

    /// The normalised form of an operand that was kept suspended (the right side of `;`, `[>` and
    /// `[|A|>`), now that it is to run.
    ///
    /// # Errors
    /// Errors of evaluation.
    fn settle(&mut self, t: Term) -> Result<Term>;

    /// Called before the transitions of a term are computed: refuses recursion that never reaches a
    /// prefix, and polls for cancellation.
    ///
    /// # Errors
    /// Non-terminating recursion, or a limit.
    fn enter(&mut self, t: Term) -> Result<()>;

    /// Called after [`Unfold::enter`] succeeded and the transitions are known.
    fn leave(&mut self, t: Term);

    /// Forgets for a while what was entered, to compute transitions of states that come later; gives
    /// it back for [`Unfold::go_on`].
    fn set_aside(&mut self) -> Set<Term>;

    /// Goes on with what was set aside.
    fn go_on(&mut self, entered: Set<Term>);

    /// Runs `f` with a bound on the number of calls. What fails in it does not matter, but for what ends the evaluation
    /// as a whole.
    ///
    /// # Errors
    /// A limit, or that the work was cancelled.
    fn experiment(&mut self, calls: u64, f: &mut dyn FnMut(&mut dyn Unfold)) -> Result<()>;

    /// Called now and then while states of a compressed term are explored, with their number and
    /// with the number of words that hold them.
    ///
    /// # Errors
    /// A limit, or that the work was cancelled.
    fn allow(&self, t: Term, states: usize, words: usize) -> Result<()>;

    /// Turns an error on values into a diagnostic about a term.
    fn complain(&mut self, error: &ValueError, t: Term) -> Box<Diagnostic>;
}
