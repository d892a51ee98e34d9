//! Regular relations between configurations: what they are as relations, each property with a shortest
//! counterexample in words (Prop. 4 of the paper).

use crate::alphabet::{Alphabet, Letter, Symbol};
use crate::automaton::{Nfa, NfaBuilder, not_included};
use crate::limits::LimitWatch;
use crate::model::{FamilyModel, words_of};
use crate::shortest::{shortest, shortest_ways};
use crate::source::Stop;

/// A property of a relation between configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationProperty {
    /// It relates configurations to configurations only: R is a subset of S×S.
    Inside,
    /// No word is related to a longer one (S2).
    NotLonger,
    /// Related words have one length.
    SameLength,
    /// Every configuration is related to some word.
    Total,
    /// No configuration is related to two words.
    Functional,
    /// No two configurations are related to one word.
    Injective,
    /// Every configuration has one that is related to it.
    Onto,
    /// Steps are matched by steps of the same action (S1).
    Simulation,
}

/// Why a relation does not have a property. Words are configurations unless a variant says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationFault {
    /// `input` is related to `output`, which is no configuration.
    Leaves {
        /// The configuration.
        input: Vec<Letter>,
        /// The word that is none.
        output: Vec<Letter>,
    },
    /// `input` is related to `output`, which is longer, or has another length where that matters.
    Length {
        /// The first word.
        input: Vec<Letter>,
        /// The word of another length.
        output: Vec<Letter>,
    },
    /// The word is related to nothing.
    NoImage(Vec<Letter>),
    /// The first word is related to both others.
    TwoImages(Vec<Letter>, [Vec<Letter>; 2]),
    /// Both of the first words are related to the last one.
    SharedImage([Vec<Letter>; 2], Vec<Letter>),
    /// Nothing is related to the word.
    NoOrigin(Vec<Letter>),
    /// A step that is not matched.
    LostStep(LostStep),
}

/// A step `from → to` whose first word is related to `image`, from where no step leads to anything that `to` is
/// related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostStep {
    /// The action of the step.
    pub action: String,
    /// v₁ of the definition.
    pub from: Vec<Letter>,
    /// w₁, where v₁ → w₁.
    pub to: Vec<Letter>,
    /// v₂, which v₁ is related to.
    pub image: Vec<Letter>,
    /// w₂, to which w₁ is related, if the relation is a function; there is no step from v₂ to it.
    pub image_of_to: Option<Vec<Letter>>,
}

/// A relation with inputs in S, and what its properties are decided with.
pub struct RelationCheck<'a> {
    model: &'a FamilyModel,
    watch: &'a LimitWatch,
    /// Without pairs whose input is no configuration.
    relation: Nfa,
    /// The same, going on with pairs of paddings.
    padded: Nfa,
}

impl<'a> RelationCheck<'a> {
    /// Prepares a relation over the alphabet of a family: pairs in which a letter follows padding, or which are both
    /// padding, are no pairs of words and are left out, and so is what is not a configuration on the left.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn new(
        model: &'a FamilyModel,
        relation: &Nfa,
        watch: &'a LimitWatch,
    ) -> Result<Self, Stop> {
        let alphabet = &model.alphabet;
        let mut relation = relation.clone();
        if has_padding(&relation, alphabet) {
            let shape = padding_shape(alphabet, watch)?;
            relation = relation.product(&shape, watch, |a, b| (a == b).then_some(a))?;
        }
        if !model.all_words {
            let inputs = model.configurations.padded(alphabet.padding());
            relation = model.pairs_from(&relation, &inputs, watch)?;
        }
        let padded = relation.padded(alphabet.both_ended());
        Ok(Self {
            model,
            watch,
            relation,
            padded,
        })
    }

    /// Why the relation does not have a property; `None` if it has it. Simulation is decided by Theorem 3, which is
    /// right for total functions that stay inside of S, or else by Theorem 2.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn fault(
        &self,
        property: RelationProperty,
        theorem: SimulationTheorem,
    ) -> Result<Option<RelationFault>, Stop> {
        let found = self.faults(property, theorem, 1)?;
        Ok(found.into_iter().next())
    }

    /// Some reasons why the relation does not have a property, a shortest one first: as many as are found by the way,
    /// at most `most`, and none if it has it.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn faults(
        &self,
        property: RelationProperty,
        theorem: SimulationTheorem,
        most: usize,
    ) -> Result<Vec<RelationFault>, Stop> {
        let one = |found: Option<RelationFault>| found.into_iter().collect();
        match property {
            RelationProperty::Inside => self.leaving().map(one),
            RelationProperty::NotLonger => {
                self.length(|input, _, padding| input == padding).map(one)
            }
            RelationProperty::SameLength => self
                .length(|input, output, padding| input == padding || output == padding)
                .map(one),
            RelationProperty::Total => {
                let images = self.side(|pair| pair.0)?;
                let missing = not_included(&self.model.configurations, &images, self.watch)?;
                Ok(one(missing.map(RelationFault::NoImage)))
            }
            RelationProperty::Onto => {
                let images = self.side(|pair| pair.1)?;
                let missing = not_included(&self.model.configurations, &images, self.watch)?;
                Ok(one(missing.map(RelationFault::NoOrigin)))
            }
            RelationProperty::Functional => {
                let found = self.twice(&self.padded, most)?.into_iter();
                let faults = found.map(|(shared, both)| RelationFault::TwoImages(shared, both));
                Ok(faults.collect())
            }
            RelationProperty::Injective => {
                let alphabet = &self.model.alphabet;
                let swapped = self.padded.mapped(self.watch, |pair| {
                    let (input, output) = alphabet.parts(pair);
                    Some(alphabet.pair(output, input))
                })?;
                let found = self.twice(&swapped, most)?.into_iter();
                let faults = found.map(|(shared, both)| RelationFault::SharedImage(both, shared));
                Ok(faults.collect())
            }
            RelationProperty::Simulation => self.lost_steps(theorem, most),
        }
    }

    /// A pair whose output is no configuration.
    fn leaving(&self) -> Result<Option<RelationFault>, Stop> {
        let (model, relation) = (self.model, &self.relation);
        let initial = relation.initial().iter().map(|state| (*state, 0));
        let successors = |(state, output): (u32, u32), next: &mut Vec<(Symbol, (u32, u32))>| {
            for (pair, to) in relation.edges(state) {
                let letter = model.alphabet.parts(*pair).1;
                next.push((*pair, (*to, model.padded.after(output, letter))));
            }
        };
        let is_outside = |(state, output): (u32, u32)| {
            relation.accepts_in(state) && !model.padded.accepts_in(output)
        };
        let found = shortest(self.watch, initial, successors, is_outside)?;
        Ok(found.map(|pairs| {
            let (input, output) = words_of(&model.alphabet, &pairs);
            RelationFault::Leaves { input, output }
        }))
    }

    /// A pair with a transition of which `is_fault` is true, given its letters and the padding.
    fn length(
        &self,
        is_fault: impl Fn(Letter, Letter, Letter) -> bool,
    ) -> Result<Option<RelationFault>, Stop> {
        let alphabet = &self.model.alphabet;
        let relation = &self.relation;
        let initial = relation.initial().iter().map(|state| (*state, false));
        let successors = |(state, seen): (u32, bool), next: &mut Vec<(Symbol, (u32, bool))>| {
            for (pair, to) in relation.edges(state) {
                let (input, output) = alphabet.parts(*pair);
                let seen = seen || is_fault(input, output, alphabet.padding());
                next.push((*pair, (*to, seen)));
            }
        };
        let found = shortest(self.watch, initial, successors, |(state, seen)| {
            seen && relation.accepts_in(state)
        })?;
        Ok(found.map(|pairs| {
            let (input, output) = words_of(alphabet, &pairs);
            RelationFault::Length { input, output }
        }))
    }

    /// The language of one side of the pairs.
    fn side(&self, of: impl Fn((Letter, Letter)) -> Letter) -> Result<Nfa, Stop> {
        let alphabet = &self.model.alphabet;
        self.relation.mapped(self.watch, |pair| {
            Some(of(alphabet.parts(pair))).filter(|letter| *letter != alphabet.padding())
        })
    }

    /// Words that a padded relation maps to two others, with these.
    #[allow(clippy::type_complexity, reason = "one word and two others")]
    fn twice(
        &self,
        relation: &Nfa,
        most: usize,
    ) -> Result<Vec<(Vec<Letter>, [Vec<Letter>; 2])>, Stop> {
        let alphabet = &self.model.alphabet;
        type Both = (u32, u32, bool);
        let firsts = relation.initial().iter();
        let initial = firsts.flat_map(|a| relation.initial().iter().map(|b| (*a, *b, false)));
        let successors = |(a, b, differ): Both, next: &mut Vec<([Letter; 3], Both)>| {
            for (pair, to_a) in relation.edges(a) {
                let (shared, left) = alphabet.parts(*pair);
                for (pair, to_b) in with_input(relation, alphabet, b, shared) {
                    let right = alphabet.parts(*pair).1;
                    let differ = differ || left != right;
                    next.push(([shared, left, right], (*to_a, *to_b, differ)));
                }
            }
        };
        let is_fault =
            |(a, b, differ): Both| differ && relation.accepts_in(a) && relation.accepts_in(b);
        let found = shortest_ways(self.watch, initial, successors, is_fault, most)?.into_iter();
        let word = |letters: &[[Letter; 3]], at: usize| {
            alphabet.unpadded(letters.iter().map(|three| three[at]))
        };
        let found = found.map(|all| (word(&all, 0), [word(&all, 1), word(&all, 2)]));
        Ok(found.collect())
    }

    fn lost_steps(
        &self,
        theorem: SimulationTheorem,
        most: usize,
    ) -> Result<Vec<RelationFault>, Stop> {
        let mut all = Vec::new();
        for at in 0..self.model.actions.len() {
            let found = match theorem {
                SimulationTheorem::OfFunctions => self.lost_steps_of_function(at, most)?,
                SimulationTheorem::OfRelations => {
                    self.lost_step_of_relation(at)?.into_iter().collect()
                }
            };
            all.extend(found);
        }
        // The shortest ones first, of all actions.
        all.sort_by_key(|step| step.from.len());
        all.truncate(most);
        Ok(all.into_iter().map(RelationFault::LostStep).collect())
    }

    /// Theorem 3: v₁ → w₁, R(v₁, v₂), R(w₁, w₂), and not v₂ → w₂, built on the fly. That v₁ and w₁ are configurations
    /// is part of R here.
    fn lost_steps_of_function(&self, action: usize, most: usize) -> Result<Vec<LostStep>, Stop> {
        let (alphabet, relation) = (&self.model.alphabet, &self.padded);
        let action = &self.model.actions[action];
        let steps = action.steps.padded(alphabet.both_ended());
        type Four = [u32; 4];
        let starts = steps.initial().iter().flat_map(|t| {
            let pairs = relation.initial().iter();
            let pairs = pairs.flat_map(|a| relation.initial().iter().map(move |b| (a, b)));
            pairs.map(move |(a, b)| [*t, *a, *b, 0])
        });
        let successors = |[t, a, b, d]: Four, next: &mut Vec<([Letter; 4], Four)>| {
            for (step, to_t) in steps.edges(t) {
                let (v, w) = alphabet.parts(*step);
                for (pair, to_a) in with_input(relation, alphabet, a, v) {
                    let v_image = alphabet.parts(*pair).1;
                    for (pair, to_b) in with_input(relation, alphabet, b, w) {
                        let w_image = alphabet.parts(*pair).1;
                        let d = action.padded.after(d, alphabet.pair(v_image, w_image));
                        next.push(([v, w, v_image, w_image], [*to_t, *to_a, *to_b, d]));
                    }
                }
            }
        };
        let is_fault = |[t, a, b, d]: Four| {
            let accept = steps.accepts_in(t) && relation.accepts_in(a) && relation.accepts_in(b);
            accept && !action.padded.accepts_in(d)
        };
        let found = shortest_ways(self.watch, starts, successors, is_fault, most)?.into_iter();
        let word = |all: &[[Letter; 4]], at: usize| {
            alphabet.unpadded(all.iter().map(|letters| letters[at]))
        };
        let found = found.map(|all| LostStep {
            action: action.name.clone(),
            from: word(&all, 0),
            to: word(&all, 1),
            image: word(&all, 2),
            image_of_to: Some(word(&all, 3)),
        });
        Ok(found.collect())
    }

    /// Theorem 2: v₁ → w₁, R(v₁, v₂), and (v₂, w₁) is not in Y, the pairs for which there is a w₂ with v₂ → w₂ and
    /// R(w₁, w₂). Y is complemented by sets of its states.
    fn lost_step_of_relation(&self, action: usize) -> Result<Option<LostStep>, Stop> {
        let (alphabet, relation) = (&self.model.alphabet, &self.padded);
        let action = &self.model.actions[action];
        let inside = self.model.steps_inside(action, self.watch)?;
        let steps = inside.padded(alphabet.both_ended());
        let matched = steps.product(relation, self.watch, |step, pair| {
            let ((v_image, w_image), (w, image)) = (alphabet.parts(step), alphabet.parts(pair));
            (w_image == image).then(|| alphabet.pair(v_image, w))
        })?;
        // v₁, w₁ and v₂ as one symbol of their number among all triples.
        let width = alphabet.size() + 1;
        let triple = |v: Letter, w: Letter, image: Letter| (v * width + w) * width + image;
        let premise = steps.product(relation, self.watch, |step, pair| {
            let ((v, w), (input, image)) = (alphabet.parts(step), alphabet.parts(pair));
            (v == input).then(|| triple(v, w, image))
        })?;
        let letters = 0..width;
        let mut builder = NfaBuilder::default();
        for _ in 0..matched.states() {
            builder.state();
        }
        for state in 0..matched.states() as u32 {
            for (symbol, to) in matched.edges(state) {
                self.watch.step()?;
                let (image, w) = alphabet.parts(*symbol);
                for v in letters.clone() {
                    builder.edge(state, Some(triple(v, w, image)), *to);
                }
            }
            if matched.accepts_in(state) {
                builder.accept(state);
            }
        }
        matched
            .initial()
            .iter()
            .for_each(|state| builder.begin(*state));
        let conclusion = builder.finish(self.watch)?;
        let found = not_included(&premise, &conclusion, self.watch)?;
        Ok(found.map(|all| {
            let word = |of: fn(Symbol, Letter) -> Letter| {
                alphabet.unpadded(all.iter().map(|symbol| of(*symbol, width)))
            };
            LostStep {
                action: action.name.clone(),
                from: word(|symbol, width| symbol / width / width),
                to: word(|symbol, width| symbol / width % width),
                image: word(|symbol, width| symbol % width),
                image_of_to: None,
            }
        }))
    }

    /// A configuration that is related to another word than itself; `None` if the relation is the identity or less.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn moved_word(&self) -> Result<Option<Vec<Letter>>, Stop> {
        let alphabet = &self.model.alphabet;
        let relation = &self.relation;
        let initial = relation.initial().iter().map(|state| (*state, false));
        let successors = |(state, moved): (u32, bool), next: &mut Vec<(Letter, (u32, bool))>| {
            for (pair, to) in relation.edges(state) {
                let (input, output) = alphabet.parts(*pair);
                next.push((input, (*to, moved || input != output)));
            }
        };
        let found = shortest(self.watch, initial, successors, |(state, moved)| {
            moved && relation.accepts_in(state)
        })?;
        Ok(found.map(|word| alphabet.unpadded(word)))
    }
}

/// By which theorem of the paper steps are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationTheorem {
    /// Theorem 3, for total functions: polynomial.
    OfFunctions,
    /// Theorem 2, for every relation: exponential.
    OfRelations,
}

/// The transitions of a state with this input.
fn with_input<'n>(
    relation: &'n Nfa,
    alphabet: &Alphabet,
    state: u32,
    input: Letter,
) -> &'n [(Symbol, u32)] {
    let edges = relation.edges(state);
    let (first, behind) = (alphabet.pair(input, 0), alphabet.pair(input + 1, 0));
    let start = edges.partition_point(|edge| edge.0 < first);
    let end = edges.partition_point(|edge| edge.0 < behind);
    &edges[start..end]
}

/// Whether any pair has padding.
fn has_padding(relation: &Nfa, alphabet: &Alphabet) -> bool {
    let mut edges = (0..relation.states() as u32).flat_map(|state| relation.edges(state));
    edges.any(|(pair, _)| {
        let (input, output) = alphabet.parts(*pair);
        input == alphabet.padding() || output == alphabet.padding()
    })
}

/// Pairs of words, the shorter one filled up at its end.
fn padding_shape(alphabet: &Alphabet, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut builder = NfaBuilder::default();
    let [both, input, output] = [builder.state(), builder.state(), builder.state()];
    builder.begin(both);
    let padding = alphabet.padding();
    for state in [both, input, output] {
        builder.accept(state);
    }
    for a in alphabet.letters() {
        for b in alphabet.letters() {
            builder.edge(both, Some(alphabet.pair(a, b)), both);
        }
        for from in [both, input] {
            builder.edge(from, Some(alphabet.pair(a, padding)), input);
        }
        for from in [both, output] {
            builder.edge(from, Some(alphabet.pair(padding, a)), output);
        }
    }
    builder.finish(watch)
}
