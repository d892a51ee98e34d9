//! The context of rules: transitions of operands, membership of events in sets, and the stores in which they make
//! terms.

use std::rc::Rc;

use super::observation::Observation;
use super::store::Terms;
use super::term::{ControlState, Label, Steps, Term, TermData};
use super::unfold::{Unfold, Unfolded};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Set};
use crate::source::stack::deep;
use crate::value::{Data, Value, ValueError, ValueStore};

/// Applies the rule of a term, by its operator.
type Dispatch = fn(Term, &mut RuleContext<'_>) -> Result<Steps>;

/// Steps among which equal ones are found by looking at all.
const FEW_STEPS: usize = 16;

/// The place at which a rule is applied: who evaluates, and what the operators around do with the result.
pub(super) struct RuleContext<'a> {
    unfold: &'a mut dyn Unfold,
    dispatch: Dispatch,
    observation: Observation,
    looking_ahead: bool,
}

impl<'a> RuleContext<'a> {
    /// A context without operators around the term.
    pub(super) fn new(unfold: &'a mut dyn Unfold, dispatch: Dispatch) -> Self {
        let observation = unfold.stores().0.observed();
        Self {
            unfold,
            dispatch,
            observation,
            looking_ahead: false,
        }
    }

    /// The same below an operator that sees this much of its operand.
    pub(super) fn seeing(&mut self, observation: Observation) -> RuleContext<'_> {
        let observation = self.observation.max(observation);
        RuleContext {
            observation,
            ..self.same()
        }
    }

    /// The same where what follows a chased state is being chased itself.
    pub(super) fn ahead(&mut self) -> RuleContext<'_> {
        RuleContext {
            looking_ahead: true,
            ..self.same()
        }
    }

    fn same(&mut self) -> RuleContext<'_> {
        RuleContext {
            unfold: &mut *self.unfold,
            dispatch: self.dispatch,
            observation: self.observation,
            looking_ahead: self.looking_ahead,
        }
    }

    /// The observation by the operators around.
    pub(super) fn observation(&self) -> Observation {
        self.observation
    }

    /// Whether what follows a chased state is being chased itself.
    pub(super) fn is_looking_ahead(&self) -> bool {
        self.looking_ahead
    }

    /// The transitions of a term in a fixed order, each once.
    pub(super) fn transitions(&mut self, t: Term) -> Result<Steps> {
        self.unfold.enter(t)?;
        // Terms nest as deeply as scripts make them.
        let steps = deep(|| (self.dispatch)(t, self));
        // Also after an error: it may be caught, and the term stepped again.
        self.unfold.leave(t);
        let steps = steps?;
        // Several rules may give the same step, and states have each transition once.
        if steps.len() <= FEW_STEPS {
            let mut distinct = Steps::with_capacity(steps.len());
            for step in steps {
                self.look(t)?;
                if !distinct.contains(&step) {
                    distinct.push(step);
                }
            }
            return Ok(distinct);
        }
        let mut distinct: IndexSet<(Label, Term)> = IndexSet::default();
        for step in steps {
            self.look(t)?;
            distinct.insert(step);
        }
        Ok(distinct.into_iter().collect())
    }

    /// The transitions of one operand of several that run side by side. While all states of a process are gone through,
    /// each state of such an operand comes again with every state of the others.
    pub(super) fn part(&mut self, t: Term) -> Result<Rc<Steps>> {
        // Looking ahead may end at other states, which are those of one computation alone.
        match self.stores().0.compressions.is_exploring() && !self.looking_ahead {
            true => self.kept(t),
            false => self.operand(t),
        }
    }

    /// The transitions of an operand: those of what is likely to come again are kept.
    pub(super) fn operand(&mut self, t: Term) -> Result<Rc<Steps>> {
        let terms = self.stores().0;
        // Compositions are as many as the states of their parts together; parts come again and again.
        let is_likely = !matches!(
            terms.data(t),
            TermData::Interleave(_)
                | TermData::Sharing(..)
                | TermData::Alphabetised(_)
                | TermData::Link(..)
                | TermData::Hide { .. }
                | TermData::Rename(..)
        );
        match is_likely {
            true => self.kept(t),
            false => Ok(Rc::new(self.transitions(t)?)),
        }
    }

    fn kept(&mut self, t: Term) -> Result<Rc<Steps>> {
        // What is seen of it decides what is compressed below.
        let key = (self.observation, t);
        if let Some(steps) = self.stores().0.compressions.operand(key) {
            return Ok(steps);
        }
        let steps = Rc::new(self.transitions(t)?);
        let compressions = &mut self.stores().0.compressions;
        compressions.keep_operand(key, Rc::clone(&steps));
        Ok(steps)
    }

    /// The stores.
    pub(super) fn stores(&mut self) -> (&mut Terms, &mut ValueStore) {
        self.unfold.stores()
    }

    /// See [`Unfold::unfold`].
    pub(super) fn unfold(&mut self, control: ControlState, env: &[Value]) -> Result<Unfolded> {
        self.unfold.unfold(control, env)
    }

    /// See [`Unfold::settle`].
    pub(super) fn settle(&mut self, t: Term) -> Result<Term> {
        self.unfold.settle(t)
    }

    /// See [`Unfold::set_aside`].
    pub(super) fn set_aside(&mut self) -> Set<Term> {
        self.unfold.set_aside()
    }

    /// See [`Unfold::go_on`].
    pub(super) fn go_on(&mut self, entered: Set<Term>) {
        self.unfold.go_on(entered);
    }

    /// Runs `f` as an experiment ([`Unfold::experiment`]) where this much is seen. Nothing is compressed in it that was
    /// not before: that may be a process without end.
    pub(super) fn experiment(
        &mut self,
        observation: Observation,
        calls: u64,
        f: &mut dyn FnMut(&mut RuleContext<'_>),
    ) -> Result<()> {
        let (dispatch, looking_ahead) = (self.dispatch, self.looking_ahead);
        let before = self.stores().0.compressions.trying;
        self.stores().0.compressions.trying = true;
        let ended = self.unfold.experiment(calls, &mut |unfold| {
            f(&mut RuleContext {
                unfold,
                dispatch,
                observation,
                looking_ahead,
            });
        });
        self.stores().0.compressions.trying = before;
        ended
    }

    /// See [`Unfold::allow`].
    pub(super) fn allow(&self, t: Term, states: usize, words: usize) -> Result<()> {
        self.unfold.allow(t, states, words)
    }

    /// See [`Unfold::complain`].
    pub(super) fn complain(&mut self, error: &ValueError, t: Term) -> Box<Diagnostic> {
        self.unfold.complain(error, t)
    }

    /// To be called for every step of a term that may have very many.
    pub(super) fn look(&mut self, t: Term) -> Result<()> {
        match self.stores().1.look() {
            Ok(()) => Ok(()),
            Err(error) => Err(self.complain(&error, t)),
        }
    }

    /// The state after ✓.
    pub(super) fn omega(&mut self) -> Term {
        let (terms, store) = self.stores();
        terms.omega(store)
    }

    /// Interns data, commutative operands brought in order.
    pub(super) fn make(&mut self, data: TermData) -> Term {
        let (terms, store) = self.stores();
        terms.intern_sorted(store, data)
    }

    /// Whether a visible event belongs to a set.
    pub(super) fn belongs(&mut self, t: Term, set: Value, event: Value) -> Result<bool> {
        match self.stores().1.sets().contains(set, event) {
            Ok(inside) => Ok(inside),
            Err(error) => Err(self.complain(&error, t)),
        }
    }

    /// The elements of a set, ascending.
    pub(super) fn elements(&mut self, t: Term, set: Value) -> Result<Rc<[Value]>> {
        match self.stores().1.sets().elements(set) {
            Ok(elements) => Ok(elements),
            Err(error) => Err(self.complain(&error, t)),
        }
    }

    /// The pairs of a renaming or of a linked parallel, ascending.
    pub(super) fn pairs_of(&mut self, t: Term, pairs: Value) -> Result<Vec<(Value, Value)>> {
        let elements = self.elements(t, pairs)?;
        let store = &*self.stores().1;
        Ok(elements
            .iter()
            .filter_map(|pair| match store.data(*pair) {
                Data::Tuple(parts) => match **parts {
                    [a, b] => Some((a, b)),
                    _ => None,
                },
                _ => None,
            })
            .collect())
    }
}
