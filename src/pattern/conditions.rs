//! The conditions C4 to C11 on a transducer that is looked for, as clauses. C2 and C9 hold as no symbol has padding,
//! and C1 and C3 by [`crate::unknown_automaton`].

use crate::alphabet::{Alphabet, Letter, Symbol};
use crate::model::FamilyModel;
use crate::request::{SwitchedOff, SynthesisRequest};
use crate::sat::{ClauseSet, Literal};
use crate::source::Stop;
use crate::unknown_automaton::UnknownAutomaton;

/// What a transducer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransducerConditions {
    /// C11: outputs are permutations of inputs.
    pub parikh: bool,
    /// C10: between two states no output has two inputs.
    pub permutative: bool,
    /// No two configurations have one image.
    pub injective: bool,
    /// Every configuration is an image.
    pub onto: bool,
    /// Whether letters that occur boundedly often in outputs are asked for.
    pub bounded: bool,
}

impl TransducerConditions {
    /// What a file asks for, and whether that was changed. If neither bijections nor words with their images are asked
    /// for, the least transducer maps everything to one word and says nothing: then bijections are looked for.
    #[must_use]
    pub fn of(request: &SynthesisRequest) -> (Self, bool) {
        let is_on = |condition| !request.off.contains(&condition);
        let asked = Self {
            parikh: is_on(SwitchedOff::Parikh),
            permutative: is_on(SwitchedOff::Permutative),
            injective: is_on(SwitchedOff::Injective),
            onto: is_on(SwitchedOff::Onto),
            bounded: !request.bounded.is_empty(),
        };
        let has_words = !request.instances.is_empty() || !request.generators.is_empty();
        if has_words || asked.injective || asked.onto || asked.parikh {
            return (asked, false);
        }
        let bijections = Self {
            permutative: true,
            injective: true,
            onto: true,
            bounded: false,
            ..asked
        };
        (bijections, true)
    }
}

/// The clauses of one number of states.
pub struct TransducerClauses<'c, 'a> {
    /// Where they are added.
    pub constraints: &'c mut ClauseSet<'a>,
    /// What is looked for.
    pub unknown: &'c UnknownAutomaton,
    /// The family.
    pub model: &'c FamilyModel,
}

impl TransducerClauses<'_, '_> {
    /// All conditions.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn add(
        &mut self,
        conditions: TransducerConditions,
        request: &SynthesisRequest,
    ) -> Result<(), Stop> {
        self.ends_are_reached()?;
        self.language_is_infinite()?;
        let alphabet = &self.model.alphabet;
        // C7, C10
        self.one_of_a_group(|pair| alphabet.parts(pair).0)?;
        if conditions.permutative {
            self.one_of_a_group(|pair| alphabet.parts(pair).1)?;
        }
        self.nothing_behind_all_loops()?;
        if conditions.parikh {
            for letter in alphabet.letters() {
                self.occurrences_are_kept(letter)?;
            }
        }
        if conditions.bounded {
            self.outputs_are_bounded(&request.bounded)?;
        }
        if self.model.all_words {
            self.something_moves()?;
        }
        Ok(())
    }

    fn alphabet(&self) -> &Alphabet {
        &self.model.alphabet
    }

    fn states(&self) -> usize {
        self.unknown.states()
    }

    /// The transitions with the pairs of which `is_meant` is true.
    fn with(&self, from: usize, to: usize, is_meant: impl Fn(Symbol) -> bool) -> Vec<Literal> {
        let symbols = self.unknown.symbols().iter().enumerate();
        let meant = symbols.filter(|(_, pair)| is_meant(**pair));
        meant
            .map(|(index, _)| self.unknown.transition(from, index, to))
            .collect()
    }

    /// C4: from each state an accepting one is reached, in fewer steps than there are states. C5: the first state
    /// accepts.
    fn ends_are_reached(&mut self) -> Result<(), Stop> {
        let states = self.states();
        let near: Vec<Vec<Literal>> = (0..states)
            .map(|_| self.constraints.literals(states))
            .collect();
        for (state, by_distance) in near.iter().enumerate() {
            self.constraints.any(by_distance.iter().copied())?;
            self.constraints
                .any([!by_distance[0], self.unknown.accepts_in(state)])?;
            for distance in 1..states {
                let mut ways = vec![!by_distance[distance]];
                for (to, known) in near.iter().enumerate() {
                    let way = self.constraints.literal();
                    self.constraints.any([!way, self.unknown.edge(state, to)])?;
                    self.constraints.any([!way, known[distance - 1]])?;
                    ways.push(way);
                }
                self.constraints.any(ways)?;
            }
        }
        self.constraints.any([self.unknown.accepts_in(0)])
    }

    /// C6: some state is followed by another such state for ever.
    fn language_is_infinite(&mut self) -> Result<(), Stop> {
        let goes_on = self.constraints.literals(self.states());
        self.constraints.any(goes_on.iter().copied())?;
        for (from, here) in goes_on.iter().enumerate() {
            let mut ways = vec![!*here];
            for (to, there) in goes_on.iter().enumerate() {
                let way = self.constraints.literal();
                self.constraints.any([!way, self.unknown.edge(from, to)])?;
                self.constraints.any([!way, *there])?;
                ways.push(way);
            }
            self.constraints.any(ways)?;
        }
        Ok(())
    }

    /// C7 and C10: between two states there is at most one of the pairs with the same letter on one side.
    fn one_of_a_group(&mut self, side: impl Fn(Symbol) -> Letter) -> Result<(), Stop> {
        for from in 0..self.states() {
            for to in 0..self.states() {
                for letter in self.alphabet().letters() {
                    let group = self.with(from, to, |pair| side(pair) == letter);
                    self.constraints.at_most_one(&group)?;
                }
            }
        }
        Ok(())
    }

    /// C8: an accepting state at which every letter stays has no other transitions.
    fn nothing_behind_all_loops(&mut self) -> Result<(), Stop> {
        for from in 0..self.states() {
            let loops = self.with(from, from, |pair| self.is_equal(pair));
            if loops.len() < self.alphabet().size() as usize {
                continue;
            }
            let mut premise = vec![!self.unknown.accepts_in(from)];
            premise.extend(loops.iter().map(|one| !*one));
            for to in 0..self.states() {
                for other in self.with(from, to, |pair| from != to || !self.is_equal(pair)) {
                    self.constraints
                        .any(premise.iter().copied().chain([!other]))?;
                }
            }
        }
        Ok(())
    }

    fn is_equal(&self, pair: Symbol) -> bool {
        let (input, output) = self.alphabet().parts(pair);
        input == output
    }

    /// C11 for one letter: a state knows how many more of it were written than read, which is 0 in the first and in
    /// accepting states. In an automaton without useless states two such numbers would give a pair of words that have
    /// different numbers of the letter; and a shortest run to a state has fewer steps than there are states.
    fn occurrences_are_kept(&mut self, letter: Letter) -> Result<(), Stop> {
        let states = self.states();
        let (zero, count) = (states - 1, 2 * states - 1);
        let surplus: Vec<Vec<Literal>> = (0..states)
            .map(|_| self.constraints.literals(count))
            .collect();
        for (state, by_number) in surplus.iter().enumerate() {
            self.constraints.any(by_number.iter().copied())?;
            self.constraints.at_most_one(by_number)?;
            self.constraints
                .any([!self.unknown.accepts_in(state), by_number[zero]])?;
        }
        self.constraints.any([surplus[0][zero]])?;
        for from in 0..states {
            for to in 0..states {
                for change in [-1_isize, 0, 1] {
                    let by = self.with(from, to, |pair| {
                        let (input, output) = self.alphabet().parts(pair);
                        isize::from(output == letter) - isize::from(input == letter) == change
                    });
                    let any = self.constraints.literal();
                    for one in by {
                        self.constraints.any([!one, any])?;
                    }
                    for number in 0..count {
                        let premise = [!any, !surplus[from][number]];
                        let after = number.checked_add_signed(change);
                        let after = after.and_then(|after| surplus[to].get(after));
                        self.constraints
                            .any(premise.into_iter().chain(after.copied()))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Some letters are on no cycle of outputs: a number of each state grows along their transitions and never falls.
    fn outputs_are_bounded(&mut self, bounded: &[Letter]) -> Result<(), Stop> {
        let states = self.states();
        // Whether the number of a state is at least d.
        let height: Vec<Vec<Literal>> = (0..states)
            .map(|_| self.constraints.literals(states + 1))
            .collect();
        for by_number in &height {
            self.constraints.any([by_number[0]])?;
            self.constraints.any([!by_number[states]])?;
            for two in by_number.windows(2) {
                self.constraints.any([!two[1], two[0]])?;
            }
        }
        for from in 0..states {
            for to in 0..states {
                for (rise, is_bounded) in [(0, false), (1, true)] {
                    let by = self.with(from, to, |pair| {
                        bounded.contains(&self.alphabet().parts(pair).1) == is_bounded
                    });
                    for one in by {
                        for number in 0..=states {
                            let premise = [!one, !height[from][number]];
                            let after = height[to].get(number + rise).copied();
                            self.constraints.any(premise.into_iter().chain(after))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Some letter is changed; as no transition is useless, so some word is. Only if all words are configurations.
    fn something_moves(&mut self) -> Result<(), Stop> {
        let mut all = Vec::new();
        for from in 0..self.states() {
            for to in 0..self.states() {
                all.extend(self.with(from, to, |pair| !self.is_equal(pair)));
            }
        }
        self.constraints.any(all)
    }

    /// Some configuration is mapped to another word: a run is looked for that is as long as a shortest one may be.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn a_configuration_moves(&mut self) -> Result<(), Stop> {
        let (states, of_set) = (self.states(), self.model.padded.states());
        let mut here = RunPosition {
            state: self.constraints.literals(states),
            of_set: self.constraints.literals(of_set),
            moved: self.constraints.literal(),
        };
        self.constraints.any([here.state[0]])?;
        self.constraints.any([here.of_set[0]])?;
        self.constraints.any([!here.moved])?;
        let mut ends = Vec::new();
        // A shortest run repeats no state of the transducer, of the configurations and of whether it has moved.
        for _ in 0..2 * states * of_set {
            self.constraints.at_most_one(&here.state)?;
            self.constraints.at_most_one(&here.of_set)?;
            ends.push(self.end(&here)?);
            let is_over = self.constraints.literal();
            self.constraints
                .any(ends.iter().copied().chain([!is_over]))?;
            here = self.next_position(&here, is_over)?;
        }
        self.constraints.any(ends)
    }

    /// A literal that lets a run end at a position: it accepts a configuration, and has moved a letter.
    fn end(&mut self, here: &RunPosition) -> Result<Literal, Stop> {
        let end = self.constraints.literal();
        self.constraints.any([!end, here.moved])?;
        for (at, state) in here.state.iter().enumerate() {
            self.constraints
                .any([!end, !*state, self.unknown.accepts_in(at)])?;
        }
        for (at, state) in here.of_set.iter().enumerate() {
            if !self.model.padded.accepts_in(at as u32) {
                self.constraints.any([!end, !*state])?;
            }
        }
        Ok(end)
    }

    /// The position after one more pair, unless the run is over.
    fn next_position(&mut self, here: &RunPosition, is_over: Literal) -> Result<RunPosition, Stop> {
        let next = RunPosition {
            state: self.constraints.literals(here.state.len()),
            of_set: self.constraints.literals(here.of_set.len()),
            moved: self.constraints.literal(),
        };
        let taken = self.constraints.literals(self.unknown.symbols().len());
        for one_of in [&next.state, &next.of_set, &taken] {
            self.constraints
                .any(one_of.iter().copied().chain([is_over]))?;
        }
        self.constraints.at_most_one(&taken)?;
        let mut moving = vec![here.moved, !next.moved];
        for (index, (by, pair)) in taken.iter().zip(self.unknown.symbols()).enumerate() {
            for (from, before) in here.state.iter().enumerate() {
                for (to, after) in next.state.iter().enumerate() {
                    let step = self.unknown.transition(from, index, to);
                    self.constraints.any([!*by, !*before, !*after, step])?;
                }
            }
            let input = self.model.alphabet.parts(*pair).0;
            for (from, before) in here.of_set.iter().enumerate() {
                let to = self.model.padded.after(from as u32, input);
                self.constraints
                    .any([!*by, !*before, next.of_set[to as usize]])?;
            }
            if !self.is_equal(*pair) {
                moving.push(*by);
            }
        }
        self.constraints.any(moving)?;
        Ok(next)
    }
}

/// Where a run is: its state, that of the automaton of configurations, and whether it has changed a letter.
struct RunPosition {
    state: Vec<Literal>,
    of_set: Vec<Literal>,
    moved: Literal,
}
