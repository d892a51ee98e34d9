//! Synthesis of symmetry patterns (Sec. 5 of the paper): a solver proposes a transducer with n states, verification
//! gives words that show why it is none, and these become constraints.

use crate::alphabet::{Letter, Symbol};
use crate::automaton::Nfa;
use crate::conditions::{TransducerClauses, TransducerConditions};
use crate::limits::LimitWatch;
use crate::model::FamilyModel;
use crate::relation::{RelationCheck, RelationFault, RelationProperty, SimulationTheorem};
use crate::request::SynthesisRequest;
use crate::sat::{ClauseSet, Literal};
use crate::source::{Budget, Stop};
use crate::unknown_automaton::UnknownAutomaton;
use crate::verify::{PatternReport, verify_relation};

/// A transducer that was found.
#[derive(Clone, Debug)]
pub struct FoundTransducer {
    /// It, with states numbered as a breadth-first walk meets them.
    pub relation: Nfa,
    /// What verification says of it, anew: it is a symmetry pattern.
    pub report: PatternReport,
}

/// How a synthesis ended.
#[derive(Clone, Debug)]
pub enum SynthesisOutcome {
    /// With a symmetry pattern.
    Found(Box<FoundTransducer>),
    /// No transducer with a number of states that was tried meets the conditions.
    Impossible,
    /// A limit came first.
    Undecided(Stop),
}

/// A synthesis and what it took.
#[derive(Clone, Debug)]
pub struct Synthesis {
    /// How it ended.
    pub outcome: SynthesisOutcome,
    /// The conditions that were looked for.
    pub conditions: TransducerConditions,
    /// Whether bijections are looked for although the file does not ask for them.
    pub bijections_only: bool,
    /// For each number of states that was tried: the candidates and the clauses.
    pub tried: Vec<SynthesisRound>,
}

/// What one number of states took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthesisRound {
    /// The number of states.
    pub states: usize,
    /// Transducers that the solver proposed.
    pub candidates: usize,
    /// Clauses in the end.
    pub clauses: usize,
}

/// Reasons of one kind that are taken from a candidate, at most.
const FAULTS_MAX: usize = 4;

/// What every symmetry pattern with the conditions has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternRequirement {
    /// A word has an image.
    HasImage(Vec<Letter>),
    /// A word has an origin.
    HasOrigin(Vec<Letter>),
    /// A pair of words is accepted.
    Accepts(Vec<Symbol>),
    /// Not all of some pairs of words are accepted.
    NotAll(Vec<Vec<Symbol>>),
    /// A configuration is mapped to another word.
    Moves,
}

/// Looks for a transducer with the least number of states in a range.
#[must_use]
pub fn synthesise(
    model: &FamilyModel,
    request: &SynthesisRequest,
    states: std::ops::RangeInclusive<usize>,
    budget: &Budget,
) -> Synthesis {
    let (conditions, bijections_only) = TransducerConditions::of(request);
    let watch = LimitWatch::new(budget);
    let mut search = SynthesisSearch {
        model,
        request,
        conditions,
        watch: &watch,
        budget,
        requirements: forced(model, request),
    };
    let mut found = Synthesis {
        outcome: SynthesisOutcome::Impossible,
        conditions,
        bijections_only,
        tried: Vec::new(),
    };
    for states in states {
        let mut round = SynthesisRound {
            states,
            candidates: 0,
            clauses: 0,
        };
        let transducer = search.with_states(&mut round);
        found.tried.push(round);
        found.outcome = match transducer {
            Ok(None) => continue,
            Ok(Some(transducer)) => SynthesisOutcome::Found(Box::new(transducer)),
            Err(stop) => SynthesisOutcome::Undecided(stop),
        };
        break;
    }
    found
}

/// The pairs that a file forces.
fn forced(model: &FamilyModel, request: &SynthesisRequest) -> Vec<PatternRequirement> {
    let alphabet = &model.alphabet;
    let pair = |input: &[Letter], output: &[Letter]| {
        PatternRequirement::Accepts(alphabet.joined(input, output))
    };
    let instances = request.instances.iter();
    let mut all: Vec<PatternRequirement> = instances.map(|(a, b)| pair(a, b)).collect();
    for to in &request.generators {
        for word in words(alphabet.size(), to.len()) {
            if model.is_configuration(&word) {
                let mut image = word.clone();
                for (from, to) in to.iter().enumerate() {
                    image[*to] = word[from];
                }
                all.push(pair(&word, &image));
            }
        }
    }
    all
}

/// All words of a length, in lexicographic order.
fn words(letters: Letter, length: usize) -> impl Iterator<Item = Vec<Letter>> {
    let count = (letters as usize).pow(length as u32);
    (0..count).map(move |mut number| {
        let mut word = vec![0; length];
        for letter in word.iter_mut().rev() {
            *letter = (number % letters as usize) as Letter;
            number /= letters as usize;
        }
        word
    })
}

struct SynthesisSearch<'a> {
    model: &'a FamilyModel,
    request: &'a SynthesisRequest,
    conditions: TransducerConditions,
    watch: &'a LimitWatch,
    budget: &'a Budget,
    /// True of every number of states.
    requirements: Vec<PatternRequirement>,
}

impl SynthesisSearch<'_> {
    /// A transducer with this number of states, if there is one.
    fn with_states(&mut self, round: &mut SynthesisRound) -> Result<Option<FoundTransducer>, Stop> {
        let alphabet = &self.model.alphabet;
        let mut constraints = ClauseSet::new(self.budget, self.watch);
        let pairs = alphabet.letters();
        let pairs = pairs.flat_map(|a| alphabet.letters().map(move |b| alphabet.pair(a, b)));
        let possible = pairs.filter(|pair| !self.request.impossible.contains(pair));
        let mut unknown = UnknownAutomaton::new(&mut constraints, round.states, possible, false)?;
        TransducerClauses {
            constraints: &mut constraints,
            unknown: &unknown,
            model: self.model,
        }
        .add(self.conditions, self.request)?;
        let mut told = 0;
        loop {
            for requirement in &self.requirements[told..] {
                self.require(requirement, &mut constraints, &mut unknown)?;
            }
            told = self.requirements.len();
            let is_possible = constraints.solve();
            round.clauses = constraints.clauses();
            if !is_possible? {
                return Ok(None);
            }
            round.candidates += 1;
            let candidate = unknown.solution(&constraints, self.watch)?;
            let wrong = self.faults(&candidate)?;
            if wrong.is_empty() {
                // Decided anew, by the code that verifies patterns of files.
                let report = verify_relation(self.model, &candidate, self.watch)?;
                let relation = candidate;
                return Ok(Some(FoundTransducer { relation, report }));
            }
            self.requirements.extend(wrong);
        }
    }

    /// What a candidate shows that every pattern has to do; nothing if it is one.
    fn faults(&self, candidate: &Nfa) -> Result<Vec<PatternRequirement>, Stop> {
        // Of its own: what a check holds is given back behind it.
        let watch = LimitWatch::new(self.budget);
        let check = RelationCheck::new(self.model, candidate, &watch)?;
        let mut wanted = vec![
            RelationProperty::Inside,
            RelationProperty::Total,
            RelationProperty::Functional,
            RelationProperty::Simulation,
        ];
        if self.conditions.injective {
            wanted.push(RelationProperty::Injective);
        }
        if self.conditions.onto {
            wanted.push(RelationProperty::Onto);
        }
        let mut found = Vec::new();
        for property in wanted {
            let faults = check.faults(property, SimulationTheorem::OfFunctions, FAULTS_MAX)?;
            found.extend(
                faults
                    .into_iter()
                    .filter_map(|fault| self.requirement(fault)),
            );
        }
        if found.is_empty() && check.moved_word()?.is_none() {
            found.push(PatternRequirement::Moves);
        }
        Ok(found)
    }

    /// What follows from a fault.
    fn requirement(&self, fault: RelationFault) -> Option<PatternRequirement> {
        let alphabet = &self.model.alphabet;
        let pair = |a: &[Letter], b: &[Letter]| alphabet.joined(a, b);
        Some(match fault {
            RelationFault::NoImage(word) => PatternRequirement::HasImage(word),
            RelationFault::NoOrigin(word) => PatternRequirement::HasOrigin(word),
            RelationFault::Leaves { input, output } | RelationFault::Length { input, output } => {
                PatternRequirement::NotAll(vec![pair(&input, &output)])
            }
            RelationFault::TwoImages(input, [a, b]) => {
                PatternRequirement::NotAll(vec![pair(&input, &a), pair(&input, &b)])
            }
            RelationFault::SharedImage([a, b], output) => {
                PatternRequirement::NotAll(vec![pair(&a, &output), pair(&b, &output)])
            }
            RelationFault::LostStep(step) => {
                let of_to = pair(&step.to, &step.image_of_to?);
                PatternRequirement::NotAll(vec![pair(&step.from, &step.image), of_to])
            }
        })
    }

    fn require(
        &self,
        requirement: &PatternRequirement,
        constraints: &mut ClauseSet<'_>,
        unknown: &mut UnknownAutomaton,
    ) -> Result<(), Stop> {
        match requirement {
            PatternRequirement::HasImage(word) => {
                self.path(constraints, unknown, word, |(input, _)| input)
            }
            PatternRequirement::HasOrigin(word) => {
                self.path(constraints, unknown, word, |(_, output)| output)
            }
            PatternRequirement::Accepts(pairs) => unknown.require(constraints, pairs),
            PatternRequirement::NotAll(all) => {
                let mut accepted: Vec<Literal> = Vec::new();
                for pairs in all {
                    match unknown.accepted(constraints, pairs)? {
                        Some(one) => accepted.push(one),
                        // It never is: nothing has to be forbidden.
                        None => return Ok(()),
                    }
                }
                constraints.any(accepted.into_iter().map(|one| !one))
            }
            PatternRequirement::Moves => TransducerClauses {
                constraints,
                unknown,
                model: self.model,
            }
            .a_configuration_moves(),
        }
    }

    /// Requires an accepting run whose pairs have these letters on one side (Sec. 5.2; exactly one state at each
    /// *position*, where the paper says "for each state").
    fn path(
        &self,
        constraints: &mut ClauseSet<'_>,
        unknown: &UnknownAutomaton,
        word: &[Letter],
        side: impl Fn((Letter, Letter)) -> Letter,
    ) -> Result<(), Stop> {
        let states = unknown.states();
        let mut here = constraints.literals(states);
        constraints.any([here[0]])?;
        constraints.at_most_one(&here)?;
        for letter in word {
            let next = constraints.literals(states);
            constraints.any(next.iter().copied())?;
            constraints.at_most_one(&next)?;
            let pairs = unknown.symbols().iter().enumerate();
            let pairs =
                pairs.filter(|(_, pair)| side(self.model.alphabet.parts(**pair)) == *letter);
            let pairs: Vec<usize> = pairs.map(|(index, _)| index).collect();
            for (from, before) in here.iter().enumerate() {
                for (to, after) in next.iter().enumerate() {
                    let by = pairs.iter().map(|pair| unknown.transition(from, *pair, to));
                    constraints.any(by.chain([!*before, !*after]))?;
                }
            }
            here = next;
        }
        for (state, at) in here.iter().enumerate() {
            constraints.any([!*at, unknown.accepts_in(state)])?;
        }
        Ok(())
    }
}
