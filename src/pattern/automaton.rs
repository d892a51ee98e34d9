//! Finite automata over numbered symbols: nondeterministic ones without ε, and complete deterministic ones.

use crate::alphabet::Symbol;
use crate::limits::LimitWatch;
use crate::source::Stop;
use crate::source::hash::{IndexMap, IndexSet};

/// A nondeterministic automaton without ε. States are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nfa {
    /// The transitions of each state, in ascending order, each once.
    edges: Vec<Vec<(Symbol, u32)>>,
    initial: Vec<u32>,
    accepting: Vec<bool>,
}

/// An automaton that is being made, with transitions that read nothing.
#[derive(Clone, Debug, Default)]
pub struct NfaBuilder {
    edges: Vec<Vec<(Option<Symbol>, u32)>>,
    initial: Vec<u32>,
    accepting: Vec<u32>,
}

impl NfaBuilder {
    /// Adds a state, and returns its number.
    pub fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.edges.len() as u32 - 1
    }

    /// Adds a transition between two states that were added; `None` reads nothing.
    pub fn edge(&mut self, from: u32, symbol: Option<Symbol>, to: u32) {
        self.edges[from as usize].push((symbol, to));
    }

    /// Makes a state one to begin at.
    pub fn begin(&mut self, state: u32) {
        self.initial.push(state);
    }

    /// Makes a state accepting.
    pub fn accept(&mut self, state: u32) {
        self.accepting.push(state);
    }

    /// Adds a whole automaton beside what is there.
    pub fn append(&mut self, other: &Nfa) {
        let first = self.edges.len() as u32;
        for (state, edges) in other.edges.iter().enumerate() {
            let edges = edges.iter().map(|(symbol, to)| (Some(*symbol), first + to));
            self.edges.push(edges.collect());
            if other.accepting[state] {
                self.accepting.push(first + state as u32);
            }
        }
        self.initial
            .extend(other.initial.iter().map(|state| first + state));
    }

    /// The automaton without ε, with those states only that are on a way from an initial to an accepting one.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn finish(self, watch: &LimitWatch) -> Result<Nfa, Stop> {
        let count = self.edges.len();
        let mut accepts = vec![false; count];
        for state in &self.accepting {
            accepts[*state as usize] = true;
        }
        let mut found = Nfa {
            edges: Vec::with_capacity(count),
            initial: self.initial,
            accepting: Vec::with_capacity(count),
        };
        // Of each state, by the number of the state whose closure it was found in last.
        let mut found_in = vec![usize::MAX; count];
        for state in 0..count {
            found_in[state] = state;
            let mut closure = vec![state as u32];
            let mut edges = Vec::new();
            let mut at = 0;
            while let Some(here) = closure.get(at).copied() {
                at += 1;
                for (symbol, to) in &self.edges[here as usize] {
                    watch.step()?;
                    match symbol {
                        Some(symbol) => edges.push((*symbol, *to)),
                        None if found_in[*to as usize] != state => {
                            found_in[*to as usize] = state;
                            closure.push(*to);
                        }
                        None => {}
                    }
                }
            }
            edges.sort_unstable();
            edges.dedup();
            watch.hold(edges.len() * size_of::<(Symbol, u32)>());
            found.edges.push(edges);
            found
                .accepting
                .push(closure.iter().any(|one| accepts[*one as usize]));
        }
        Ok(found.trimmed())
    }
}

impl Nfa {
    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// The initial states.
    #[must_use]
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Whether a state accepts.
    #[must_use]
    pub fn accepts_in(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// The transitions of a state, in ascending order.
    #[must_use]
    pub fn edges(&self, state: u32) -> &[(Symbol, u32)] {
        &self.edges[state as usize]
    }

    /// The number of transitions.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The states after a symbol, ascending.
    #[must_use]
    pub fn after(&self, states: &[u32], symbol: Symbol) -> Vec<u32> {
        let mut after = Vec::new();
        for state in states {
            let edges = self.edges(*state);
            let first = edges.partition_point(|edge| edge.0 < symbol);
            let with_it = edges[first..].iter().take_while(|edge| edge.0 == symbol);
            after.extend(with_it.map(|edge| edge.1));
        }
        after.sort_unstable();
        after.dedup();
        after
    }

    /// Whether a word is accepted.
    #[must_use]
    pub fn accepts(&self, word: &[Symbol]) -> bool {
        let mut states = self.initial.clone();
        for symbol in word {
            states = self.after(&states, *symbol);
        }
        states.iter().any(|state| self.accepts_in(*state))
    }

    /// Whether no word is accepted. Holds of automata without states only, as all others are trimmed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.accepting.contains(&true)
    }

    /// The same language by those states only that are on a way from an initial to an accepting one, numbered as a
    /// breadth-first walk meets them.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let mut before = vec![Vec::new(); self.states()];
        for (from, edges) in self.edges.iter().enumerate() {
            for (_, to) in edges {
                before[*to as usize].push(from as u32);
            }
        }
        let accepting = (0..self.states() as u32).filter(|state| self.accepts_in(*state));
        let mut useful: IndexSet<u32> = accepting.collect();
        let mut at = 0;
        while let Some(state) = useful.get_index(at).copied() {
            useful.extend(before[state as usize].iter().copied());
            at += 1;
        }
        let initial = self.initial.iter().copied();
        let mut kept: IndexSet<u32> = initial.filter(|state| useful.contains(state)).collect();
        let initial = (0..kept.len() as u32).collect();
        let mut edges = Vec::new();
        let mut accepting = Vec::new();
        let mut at = 0;
        while let Some(state) = kept.get_index(at).copied() {
            let mut own = Vec::new();
            for (symbol, to) in self.edges(state) {
                if useful.contains(to) {
                    own.push((*symbol, kept.insert_full(*to).0 as u32));
                }
            }
            own.sort_unstable();
            edges.push(own);
            accepting.push(self.accepts_in(state));
            at += 1;
        }
        Self {
            edges,
            initial,
            accepting,
        }
    }

    /// The automaton of the reversed words.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut edges = vec![Vec::new(); self.states()];
        for (from, own) in self.edges.iter().enumerate() {
            for (symbol, to) in own {
                edges[*to as usize].push((*symbol, from as u32));
            }
        }
        for own in &mut edges {
            own.sort_unstable();
        }
        let states = 0..self.states() as u32;
        let mut accepting = vec![false; self.states()];
        for state in &self.initial {
            accepting[*state as usize] = true;
        }
        Self {
            edges,
            initial: states.filter(|state| self.accepts_in(*state)).collect(),
            accepting,
        }
    }

    /// The automaton that goes on with `padding` for as long as one likes after each accepted word.
    #[must_use]
    pub fn padded(&self, padding: Symbol) -> Self {
        let mut padded = self.clone();
        let end = self.states() as u32;
        for (edges, accepts) in padded.edges.iter_mut().zip(&self.accepting) {
            if *accepts {
                edges.push((padding, end));
                edges.sort_unstable();
            }
        }
        padded.edges.push(vec![(padding, end)]);
        padded.accepting.push(true);
        padded
    }

    /// The automaton of the words whose symbols are mapped; those that are mapped to `None` vanish.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn mapped(
        &self,
        watch: &LimitWatch,
        to: impl Fn(Symbol) -> Option<Symbol>,
    ) -> Result<Self, Stop> {
        let mut builder = NfaBuilder::default();
        for _ in 0..self.states() {
            builder.state();
        }
        for (from, edges) in self.edges.iter().enumerate() {
            for (symbol, target) in edges {
                builder.edge(from as u32, to(*symbol), *target);
            }
            if self.accepting[from] {
                builder.accept(from as u32);
            }
        }
        self.initial.iter().for_each(|state| builder.begin(*state));
        builder.finish(watch)
    }

    /// Runs two automata at once: for each pair of transitions, `join` says with which symbol they go together, if
    /// they do.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn product(
        &self,
        other: &Self,
        watch: &LimitWatch,
        join: impl Fn(Symbol, Symbol) -> Option<Symbol>,
    ) -> Result<Self, Stop> {
        let firsts = self.initial.iter();
        let firsts = firsts.flat_map(|a| other.initial.iter().map(move |b| (*a, *b)));
        let mut seen: IndexSet<(u32, u32)> = firsts.collect();
        let mut found = Self {
            initial: (0..seen.len() as u32).collect(),
            ..Self::default()
        };
        let mut at = 0;
        while let Some((a, b)) = seen.get_index(at).copied() {
            let mut own = Vec::new();
            for (left, to_left) in self.edges(a) {
                for (right, to_right) in other.edges(b) {
                    watch.step()?;
                    if let Some(symbol) = join(*left, *right) {
                        let to = seen.insert_full((*to_left, *to_right)).0;
                        own.push((symbol, to as u32));
                    }
                }
            }
            own.sort_unstable();
            own.dedup();
            watch.hold(own.len() * size_of::<(Symbol, u32)>() + 64);
            found.edges.push(own);
            found
                .accepting
                .push(self.accepts_in(a) && other.accepts_in(b));
            at += 1;
        }
        Ok(found.trimmed())
    }

    /// The complete deterministic automaton of the same language, for symbols below `symbols`.
    ///
    /// # Errors
    /// The limit that is reached: it may have exponentially many states.
    pub fn determinised(&self, symbols: usize, watch: &LimitWatch) -> Result<Dfa, Stop> {
        let mut sets: IndexSet<Box<[u32]>> = IndexSet::default();
        sets.insert(self.initial.iter().copied().collect());
        let mut found = Dfa {
            symbols,
            next: Vec::new(),
            accepting: Vec::new(),
        };
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); symbols];
        let mut at = 0;
        while let Some(set) = sets.get_index(at) {
            found
                .accepting
                .push(set.iter().any(|state| self.accepts_in(*state)));
            for state in set {
                for (symbol, to) in self.edges(*state) {
                    watch.step()?;
                    after[*symbol as usize].push(*to);
                }
            }
            for targets in &mut after {
                watch.step()?;
                targets.sort_unstable();
                targets.dedup();
                let (number, is_new) = sets.insert_full(targets.as_slice().into());
                if is_new {
                    watch.hold(targets.len() * size_of::<u32>() + symbols * size_of::<u32>() + 64);
                }
                targets.clear();
                found.next.push(number as u32);
            }
            at += 1;
        }
        Ok(found)
    }

    /// The smallest complete deterministic automaton of the same language.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn minimal(&self, symbols: usize, watch: &LimitWatch) -> Result<Dfa, Stop> {
        self.determinised(symbols, watch)?.minimal(watch)
    }
}

/// A complete deterministic automaton; it begins in state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    symbols: usize,
    next: Vec<u32>,
    accepting: Vec<bool>,
}

impl Dfa {
    /// An automaton with a transition of each state for each symbol, in the order of states.
    #[must_use]
    pub fn new(symbols: usize, next: Vec<u32>, accepting: Vec<bool>) -> Self {
        debug_assert_eq!(next.len(), symbols * accepting.len());
        Self {
            symbols,
            next,
            accepting,
        }
    }

    /// The number of states, of which one may be dead.
    #[must_use]
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The state after a symbol.
    #[must_use]
    pub fn after(&self, state: u32, symbol: Symbol) -> u32 {
        self.next[state as usize * self.symbols + symbol as usize]
    }

    /// Whether a state accepts.
    #[must_use]
    pub fn accepts_in(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// The state after a word.
    #[must_use]
    pub fn run(&self, word: &[Symbol]) -> u32 {
        word.iter()
            .fold(0, |state, symbol| self.after(state, *symbol))
    }

    /// Whether a word is accepted.
    #[must_use]
    pub fn accepts(&self, word: &[Symbol]) -> bool {
        self.accepts_in(self.run(word))
    }

    /// The same automaton as a nondeterministic one, without dead states.
    #[must_use]
    pub fn to_nfa(&self) -> Nfa {
        self.with_dead_states().trimmed()
    }

    /// The same automaton as a nondeterministic one, with the same states.
    #[must_use]
    pub fn with_dead_states(&self) -> Nfa {
        let own = |state: &[u32]| {
            let edges = state.iter().enumerate();
            edges.map(|(symbol, to)| (symbol as Symbol, *to)).collect()
        };
        Nfa {
            edges: self.next.chunks(self.symbols.max(1)).map(own).collect(),
            initial: vec![0],
            accepting: self.accepting.clone(),
        }
    }

    /// The automaton that rejects what this one accepts.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self {
            accepting: self.accepting.iter().map(|accepts| !accepts).collect(),
            ..self.clone()
        }
    }

    /// The automaton that goes on with `padding` for as long as one likes after each accepted word, and accepts no
    /// other word with it.
    #[must_use]
    pub fn padded(&self, padding: Symbol) -> Self {
        let (end, dead) = (self.states() as u32, self.states() as u32 + 1);
        let mut padded = self.clone();
        for (state, next) in padded.next.chunks_mut(self.symbols.max(1)).enumerate() {
            let after = if self.accepting[state] { end } else { dead };
            next[padding as usize] = after;
        }
        for state in [end, dead] {
            let mut next = vec![dead; self.symbols];
            next[padding as usize] = state;
            padded.next.extend(next);
        }
        padded.accepting.extend([true, false]);
        padded
    }

    /// The smallest automaton of the same language, by refining the partition into accepting and other states (Moore).
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn minimal(&self, watch: &LimitWatch) -> Result<Self, Stop> {
        let mut classes: Vec<u32> = self.accepting.iter().map(|a| u32::from(*a)).collect();
        let mut count = 0;
        loop {
            let mut known: IndexMap<Box<[u32]>, ()> = IndexMap::default();
            let mut refined = Vec::with_capacity(classes.len());
            for (state, next) in self.next.chunks(self.symbols.max(1)).enumerate() {
                watch.step()?;
                let after = next.iter().map(|to| classes[*to as usize]);
                let signature = std::iter::once(classes[state]).chain(after);
                let (class, _) = known.insert_full(signature.collect(), ());
                refined.push(class as u32);
            }
            if self.symbols == 0 || known.len() == count {
                break;
            }
            count = known.len();
            classes = refined;
        }
        let mut first: IndexMap<u32, usize> = IndexMap::default();
        for (state, class) in classes.iter().enumerate() {
            first.entry(*class).or_insert(state);
        }
        // Classes are numbered as their first states are met, so that of state 0 is number 0.
        let number = |state: u32| first.get_index_of(&classes[state as usize]).unwrap_or(0) as u32;
        let mut smallest = Self::new(self.symbols, Vec::new(), Vec::new());
        for state in first.values() {
            let next = &self.next[state * self.symbols..(state + 1) * self.symbols];
            smallest.next.extend(next.iter().map(|to| number(*to)));
            smallest.accepting.push(self.accepting[*state]);
        }
        Ok(smallest)
    }
}

/// A shortest word of the first language that is not one of the second; `None` if the first is included in the second.
///
/// # Errors
/// The limit that is reached.
pub fn not_included(
    inner: &Nfa,
    outer: &Nfa,
    watch: &LimitWatch,
) -> Result<Option<Vec<Symbol>>, Stop> {
    let mut sets: IndexSet<Box<[u32]>> = IndexSet::default();
    sets.insert(outer.initial.iter().copied().collect());
    let sets = std::cell::RefCell::new(sets);
    let initial = inner.initial.iter().map(|state| (*state, 0));
    let successors = |(state, set): (u32, usize), next: &mut Vec<(Symbol, (u32, usize))>| {
        let mut sets = sets.borrow_mut();
        let mut last: Option<(Symbol, usize)> = None;
        for (symbol, to) in inner.edges(state) {
            // Transitions with the same symbol stand together.
            let known = last.filter(|known| known.0 == *symbol).map(|known| known.1);
            let after = known.unwrap_or_else(|| {
                let after = outer.after(&sets[set], *symbol);
                watch.hold(after.len() * size_of::<u32>());
                sets.insert_full(after.into()).0
            });
            last = Some((*symbol, after));
            next.push((*symbol, (*to, after)));
        }
    };
    let is_outside = |(state, set): (u32, usize)| {
        let sets = sets.borrow();
        inner.accepts_in(state) && !sets[set].iter().any(|one| outer.accepts_in(*one))
    };
    crate::shortest::shortest(watch, initial, successors, is_outside)
}
