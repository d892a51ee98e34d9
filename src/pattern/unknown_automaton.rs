//! A deterministic automaton that is looked for: its transitions as variables, and its runs.

use crate::alphabet::Symbol;
use crate::automaton::{Nfa, NfaBuilder};
use crate::limits::LimitWatch;
use crate::sat::{ClauseSet, Literal};
use crate::source::Stop;
use crate::source::hash::{IndexSet, Map};

/// The variables of a deterministic automaton with a fixed number of states; it begins in state 0.
pub struct UnknownAutomaton {
    states: usize,
    symbols: IndexSet<Symbol>,
    /// x(q, a, r) of the paper, by q, then a, then r.
    transitions: Vec<Literal>,
    /// z(q): whether a state accepts.
    accepting: Vec<Literal>,
    /// Whether any symbol leads from a state to another, by both.
    edges: Vec<Literal>,
    runs: Vec<PrefixRun>,
}

/// The runs of all words with one beginning, which they share: the automaton is deterministic.
struct PrefixRun {
    /// For each state, whether the run is in it.
    at: Vec<Literal>,
    next: Map<Symbol, usize>,
    accepted: Option<Literal>,
    /// Whether the run has to exist.
    is_required: bool,
}

impl UnknownAutomaton {
    /// Variables for all transitions, of which each symbol has at most one from each state (C1), or exactly one.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn new(
        constraints: &mut ClauseSet<'_>,
        states: usize,
        symbols: impl IntoIterator<Item = Symbol>,
        is_complete: bool,
    ) -> Result<Self, Stop> {
        let symbols: IndexSet<Symbol> = symbols.into_iter().collect();
        let mut found = Self {
            states,
            transitions: constraints.literals(states * symbols.len() * states),
            accepting: constraints.literals(states),
            edges: constraints.literals(states * states),
            symbols,
            runs: Vec::new(),
        };
        for from in 0..states {
            for symbol in 0..found.symbols.len() {
                let targets: Vec<Literal> = (0..states)
                    .map(|to| found.transition(from, symbol, to))
                    .collect();
                constraints.at_most_one(&targets)?;
                if is_complete {
                    constraints.any(targets)?;
                }
            }
            for to in 0..states {
                let edge = found.edge(from, to);
                let by = found.between(from, to);
                for one in &by {
                    constraints.any([!*one, edge])?;
                }
                constraints.any(by.into_iter().chain([!edge]))?;
            }
        }
        let root = constraints.literals(states);
        for (state, at) in root.iter().enumerate() {
            constraints.any([if state == 0 { *at } else { !*at }])?;
        }
        found.runs.push(PrefixRun {
            at: root,
            next: Map::default(),
            accepted: None,
            is_required: true,
        });
        found.number_states(constraints)?;
        Ok(found)
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The symbols, in the order of their indices.
    pub fn symbols(&self) -> &IndexSet<Symbol> {
        &self.symbols
    }

    /// Whether the symbol with this index leads from a state to another.
    pub fn transition(&self, from: usize, symbol: usize, to: usize) -> Literal {
        self.transitions[(from * self.symbols.len() + symbol) * self.states + to]
    }

    /// Whether a state accepts.
    pub fn accepts_in(&self, state: usize) -> Literal {
        self.accepting[state]
    }

    /// Whether any symbol leads from a state to another.
    pub fn edge(&self, from: usize, to: usize) -> Literal {
        self.edges[from * self.states + to]
    }

    fn between(&self, from: usize, to: usize) -> Vec<Literal> {
        let symbols = 0..self.symbols.len();
        symbols
            .map(|symbol| self.transition(from, symbol, to))
            .collect()
    }

    /// States are numbered as a breadth-first walk meets them, which leaves one numbering of each automaton. So all of
    /// them can be reached (C3).
    fn number_states(&self, constraints: &mut ClauseSet<'_>) -> Result<(), Stop> {
        let (states, symbols) = (self.states, self.symbols.len());
        // Whether `from` is the least state with an edge to `to`, which is larger: its parent.
        let mut parents: Vec<Vec<Literal>> = Vec::new();
        // Whether a symbol is the least on an edge from a state to a larger one.
        let mut least: Vec<Vec<Vec<Literal>>> = Vec::new();
        for to in 0..states {
            let parent = constraints.literals(to);
            let mut least_to = Vec::with_capacity(to);
            for (from, is_parent) in parent.iter().enumerate() {
                let smaller: Vec<Literal> = (0..from).map(|q| self.edge(q, to)).collect();
                constraints.any([!*is_parent, self.edge(from, to)])?;
                for edge in &smaller {
                    constraints.any([!*is_parent, !*edge])?;
                }
                let is_least = [*is_parent, !self.edge(from, to)];
                constraints.any(smaller.into_iter().chain(is_least))?;
                let firsts = constraints.literals(symbols);
                let by = self.between(from, to);
                for (symbol, first) in firsts.iter().enumerate() {
                    constraints.any([!*first, by[symbol]])?;
                    for before in &by[..symbol] {
                        constraints.any([!*first, !*before])?;
                    }
                    let is_first = [*first, !by[symbol]];
                    constraints.any(by[..symbol].iter().copied().chain(is_first))?;
                }
                least_to.push(firsts);
            }
            if to > 0 {
                constraints.any(parent.iter().copied())?;
            }
            parents.push(parent);
            least.push(least_to);
        }
        for to in 1..states.saturating_sub(1) {
            for from in 0..to {
                let is_parent = parents[to][from];
                for earlier in &parents[to + 1][..from] {
                    constraints.any([!is_parent, !*earlier])?;
                }
                let both = [!is_parent, !parents[to + 1][from]];
                for symbol in 0..symbols {
                    for before in 0..symbol {
                        let swapped = [!least[to][from][symbol], !least[to + 1][from][before]];
                        constraints.any(both.into_iter().chain(swapped))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of the run of a word, made if it is new; `None` if a symbol occurs on no transition.
    fn run(
        &mut self,
        constraints: &mut ClauseSet<'_>,
        word: &[Symbol],
    ) -> Result<Option<usize>, Stop> {
        let mut here = 0;
        for symbol in word {
            let Some(index) = self.symbols.get_index_of(symbol) else {
                return Ok(None);
            };
            if let Some(next) = self.runs[here].next.get(symbol) {
                here = *next;
                continue;
            }
            let at = constraints.literals(self.states);
            constraints.at_most_one(&at)?;
            for (from, before) in self.runs[here].at.iter().enumerate() {
                for (to, after) in at.iter().enumerate() {
                    let by = self.transition(from, index, to);
                    constraints.any([!*before, !by, *after])?;
                }
            }
            let new = self.runs.len();
            self.runs[here].next.insert(*symbol, new);
            self.runs.push(PrefixRun {
                at,
                next: Map::default(),
                accepted: None,
                is_required: false,
            });
            here = new;
        }
        Ok(Some(here))
    }

    /// A literal that is true if a word is accepted; `None` if it never is. Of a complete automaton it is false
    /// otherwise.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn accepted(
        &mut self,
        constraints: &mut ClauseSet<'_>,
        word: &[Symbol],
    ) -> Result<Option<Literal>, Stop> {
        let Some(run) = self.run(constraints, word)? else {
            return Ok(None);
        };
        if let Some(known) = self.runs[run].accepted {
            return Ok(Some(known));
        }
        let accepted = constraints.literal();
        for (state, at) in self.runs[run].at.iter().enumerate() {
            constraints.any([!*at, !self.accepting[state], accepted])?;
            constraints.any([!*at, self.accepting[state], !accepted])?;
        }
        self.runs[run].accepted = Some(accepted);
        Ok(Some(accepted))
    }

    /// Requires that a word is accepted.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn require(
        &mut self,
        constraints: &mut ClauseSet<'_>,
        word: &[Symbol],
    ) -> Result<(), Stop> {
        let Some(end) = self.run(constraints, word)? else {
            return constraints.any([]);
        };
        let mut here = 0;
        for symbol in word {
            let next = self.runs[here].next[symbol];
            if !std::mem::replace(&mut self.runs[next].is_required, true) {
                let index = self.symbols.get_index_of(symbol).unwrap_or_default();
                constraints.any(self.runs[next].at.iter().copied())?;
                for (from, before) in self.runs[here].at.iter().enumerate() {
                    for (to, after) in self.runs[next].at.iter().enumerate() {
                        let by = self.transition(from, index, to);
                        constraints.any([!*before, !*after, by])?;
                    }
                }
            }
            here = next;
        }
        for (state, at) in self.runs[end].at.iter().enumerate() {
            constraints.any([!*at, self.accepting[state]])?;
        }
        Ok(())
    }

    /// The automaton of the solution that was found.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn solution(&self, constraints: &ClauseSet<'_>, watch: &LimitWatch) -> Result<Nfa, Stop> {
        let mut builder = NfaBuilder::default();
        for _ in 0..self.states {
            builder.state();
        }
        for from in 0..self.states {
            for (index, symbol) in self.symbols.iter().enumerate() {
                for to in 0..self.states {
                    watch.step()?;
                    if constraints.holds(self.transition(from, index, to)) {
                        builder.edge(from as u32, Some(*symbol), to as u32);
                    }
                }
            }
            if constraints.holds(self.accepting[from]) {
                builder.accept(from as u32);
            }
        }
        builder.begin(0);
        builder.finish(watch)
    }

    /// The complete automaton of the solution that was found, dead states included: for each state the one after each
    /// symbol, in the order of the symbols, and whether it accepts.
    pub fn complete_solution(&self, constraints: &ClauseSet<'_>) -> (Vec<u32>, Vec<bool>) {
        let mut next = Vec::new();
        for from in 0..self.states {
            for index in 0..self.symbols.len() {
                let mut targets = 0..self.states;
                let to = targets.find(|to| constraints.holds(self.transition(from, index, *to)));
                next.push(to.unwrap_or_default() as u32);
            }
        }
        let accepting = self
            .accepting
            .iter()
            .map(|one| constraints.holds(*one))
            .collect();
        (next, accepting)
    }
}
