//! Inductive regular invariants: automata A with initial ⊆ A, →(A) ⊆ A and A ∩ bad = ∅. One of them proves that no run
//! of any size reaches a bad configuration.

use crate::alphabet::{Letter, Symbol, WordPair};
use crate::automaton::{Dfa, Nfa, NfaBuilder, not_included};
use crate::limits::LimitWatch;
use crate::model::{FamilyModel, words_of};
use crate::sat::ClauseSet;
use crate::shortest::shortest;
use crate::small_sizes::{SmallSizes, search_small_sizes};
use crate::source::{Budget, Stop};
use crate::unknown_automaton::UnknownAutomaton;

/// How the search for an invariant ended.
#[derive(Clone, Debug)]
pub enum InvariantOutcome {
    /// A bad configuration is reached ([`SmallSizes::bad_run`]).
    Reached,
    /// This complete automaton is an invariant, which was checked anew by inclusion of languages.
    Found(Dfa),
    /// No automaton with so many states is one. This refutes nothing.
    NotFound,
    /// A limit came first.
    Stopped(Stop),
}

/// A search for an invariant, and what it took.
#[derive(Clone, Debug)]
pub struct InvariantSearch {
    /// How it ended.
    pub outcome: InvariantOutcome,
    /// What the searches of small sizes found.
    pub small: SmallSizes,
    /// The automata that the solver proposed, for each number of states from 1 on.
    pub candidates: Vec<usize>,
}

/// What every invariant has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
enum InvariantRequirement {
    Accepts(Vec<Letter>),
    Rejects(Vec<Letter>),
    /// If it accepts the first word, then the second, which a step leads to.
    Follows(Vec<Letter>, Vec<Letter>),
}

/// The configurations from which there is no step.
///
/// # Errors
/// The limit that is reached.
pub fn without_successor(model: &FamilyModel, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let steps = all_steps(model, watch)?;
    let origins = steps.mapped(watch, |pair| Some(model.alphabet.parts(pair).0))?;
    let letters = model.alphabet.size() as usize;
    let others = origins.minimal(letters, watch)?.complement().to_nfa();
    others.product(&model.configurations, watch, |a, b| (a == b).then_some(a))
}

/// A shortest word that is initial and no configuration: then a question is wrong.
///
/// # Errors
/// The limit that is reached.
pub fn initial_outside(
    model: &FamilyModel,
    initial: &Nfa,
    watch: &LimitWatch,
) -> Result<Option<Vec<Letter>>, Stop> {
    not_included(initial, &model.configurations, watch)
}

/// Looks for a bad configuration in small sizes, and then for an invariant with the least number of states. What is
/// initial has to be configurations.
#[must_use]
pub fn find_invariant(
    model: &FamilyModel,
    initial: &Nfa,
    bad: &Nfa,
    states: std::ops::RangeInclusive<usize>,
    budget: &Budget,
) -> InvariantSearch {
    let watch = LimitWatch::new(budget);
    let mut search = InvariantSearch {
        outcome: InvariantOutcome::NotFound,
        small: SmallSizes::default(),
        candidates: Vec::new(),
    };
    let outcome = search.run(model, initial, bad, states, budget, &watch);
    search.outcome = outcome.unwrap_or_else(InvariantOutcome::Stopped);
    search
}

impl InvariantSearch {
    fn run(
        &mut self,
        model: &FamilyModel,
        initial: &Nfa,
        bad: &Nfa,
        states: std::ops::RangeInclusive<usize>,
        budget: &Budget,
        watch: &LimitWatch,
    ) -> Result<InvariantOutcome, Stop> {
        self.small = search_small_sizes(model, initial, bad, watch)?;
        if self.small.bad_run.is_some() {
            return Ok(InvariantOutcome::Reached);
        }
        let bad = bad.product(&model.configurations, watch, |a, b| (a == b).then_some(a))?;
        let question = InvariantQuestion {
            model,
            initial,
            bad: &bad,
            steps: all_steps(model, watch)?,
            watch,
        };
        let mut requirements = Vec::new();
        for states in states {
            self.candidates.push(0);
            let mut constraints = ClauseSet::new(budget, watch);
            let letters = model.alphabet.letters();
            let mut unknown = UnknownAutomaton::new(&mut constraints, states, letters, true)?;
            let mut told = 0;
            loop {
                for requirement in &requirements[told..] {
                    require(requirement, &mut constraints, &mut unknown)?;
                }
                told = requirements.len();
                if !constraints.solve()? {
                    break;
                }
                self.candidates
                    .last_mut()
                    .into_iter()
                    .for_each(|count| *count += 1);
                let (next, accepting) = unknown.complete_solution(&constraints);
                let candidate = Dfa::new(model.alphabet.size() as usize, next, accepting);
                let wrong = question.faults(&candidate)?;
                if !wrong.is_empty() {
                    requirements.extend(wrong);
                } else if question.is_invariant(&candidate)? {
                    return Ok(InvariantOutcome::Found(candidate));
                } else {
                    debug_assert!(false, "the two ways to check an invariant disagree");
                    return Ok(InvariantOutcome::NotFound);
                }
            }
        }
        Ok(InvariantOutcome::NotFound)
    }
}

/// The steps of all actions between configurations.
fn all_steps(model: &FamilyModel, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut all = NfaBuilder::default();
    for action in &model.actions {
        all.append(&model.steps_inside(action, watch)?);
    }
    all.finish(watch)
}

struct InvariantQuestion<'a> {
    model: &'a FamilyModel,
    initial: &'a Nfa,
    /// Configurations only.
    bad: &'a Nfa,
    steps: Nfa,
    watch: &'a LimitWatch,
}

impl InvariantQuestion<'_> {
    /// What a candidate shows that every invariant has to do; nothing if it is one.
    fn faults(&self, candidate: &Dfa) -> Result<Vec<InvariantRequirement>, Stop> {
        let mut found = Vec::new();
        let accepted = candidate.to_nfa();
        let missing = not_included(self.initial, &accepted, self.watch)?;
        found.extend(missing.map(InvariantRequirement::Accepts));
        let both = accepted.product(self.bad, self.watch, |a, b| (a == b).then_some(a))?;
        let wrong = not_included(&both, &Nfa::default(), self.watch)?;
        found.extend(wrong.map(InvariantRequirement::Rejects));
        let lost = self.lost_step(candidate)?;
        found.extend(lost.map(|(from, to)| InvariantRequirement::Follows(from, to)));
        Ok(found)
    }

    /// A step from an accepted word to one that is not accepted.
    fn lost_step(&self, candidate: &Dfa) -> Result<Option<WordPair>, Stop> {
        let alphabet = &self.model.alphabet;
        let initial = self.steps.initial().iter().map(|state| [*state, 0, 0]);
        let successors = |[t, a, b]: [u32; 3], next: &mut Vec<(Symbol, [u32; 3])>| {
            for (pair, to) in self.steps.edges(t) {
                let (from, into) = alphabet.parts(*pair);
                next.push((
                    *pair,
                    [*to, candidate.after(a, from), candidate.after(b, into)],
                ));
            }
        };
        let found = shortest(self.watch, initial, successors, |[t, a, b]| {
            self.steps.accepts_in(t) && candidate.accepts_in(a) && !candidate.accepts_in(b)
        })?;
        Ok(found.map(|pairs| words_of(alphabet, &pairs)))
    }

    /// The three inclusions, decided by automata alone: the successors of A as a language of their own.
    fn is_invariant(&self, candidate: &Dfa) -> Result<bool, Stop> {
        let accepted = candidate.to_nfa();
        let rejected = candidate.complement().to_nfa();
        let alphabet = &self.model.alphabet;
        let from_inside = self.model.pairs_from(&self.steps, &accepted, self.watch)?;
        let successors = from_inside.mapped(self.watch, |pair| Some(alphabet.parts(pair).1))?;
        for (inner, outer) in [
            (self.initial, &accepted),
            (&successors, &accepted),
            (self.bad, &rejected),
        ] {
            if not_included(inner, outer, self.watch)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn require(
    requirement: &InvariantRequirement,
    constraints: &mut ClauseSet<'_>,
    unknown: &mut UnknownAutomaton,
) -> Result<(), Stop> {
    // Every word is one of letters that have transitions.
    let mut accepted = |word: &[Letter]| unknown.accepted(constraints, word);
    let clause = match requirement {
        InvariantRequirement::Accepts(word) => vec![accepted(word)?],
        InvariantRequirement::Rejects(word) => vec![accepted(word)?.map(|one| !one)],
        InvariantRequirement::Follows(from, to) => {
            vec![accepted(from)?.map(|one| !one), accepted(to)?]
        }
    };
    constraints.any(clause.into_iter().flatten())
}
