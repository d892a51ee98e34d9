//! The interner of terms, and the constructors that keep the promises of [`TermData`].

use std::cmp::Ordering;

use super::compressions::Compressions;
use super::observation::{Mentioned, Observation};
use super::parts::{operands, rank, values};
use super::splits::Splits;
use super::term::{ControlState, Offered, Term, TermData};
use crate::script::core::Builtin;
use crate::source::hash::IndexSet;
use crate::source::stack::deep;
use crate::value::{AtomTypes, Interner, Value};

/// Hash-consed terms. A [`Term`] is an index into it.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    data: IndexSet<TermData>,
    /// Flags of what may occur in each term, computed when it is made.
    flags: Vec<u8>,
    /// Filled by [`super::shape`].
    pub(super) splits: Splits,
    /// Filled by [`super::compress`], and by the rules for operands.
    pub(super) compressions: Compressions,
    /// The functions in the script that observe more of processes than operators do.
    mentioned: Mentioned,
    /// The observation of processes at the top, without an operator around.
    observed: Observation,
}

/// The term has a hole somewhere.
const HOLE: u8 = 1;
/// The term has a constructor or process value somewhere, so it may have atoms.
const ATOMS: u8 = 2;

impl Terms {
    /// No terms yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// To be called when limits are others, between two evaluations.
    pub fn forget_stopped(&mut self) {
        self.compressions.forget_stopped();
    }

    /// Says whether a compression may be given up early (E0708), where what it explores still grows fast.
    pub fn compress_on_trial(&mut self, on_trial: bool) {
        self.compressions.on_trial = on_trial;
    }

    /// Says how many states of a process are worth exploring to compress it; beyond that, it fails (E0514).
    pub fn compress_within(&mut self, states: Option<usize>) {
        self.compressions.patience = states;
    }

    /// Sets the number of states of a process that are explored before the states of its operands are compared to
    /// compress it.
    pub fn merge_operands_after(&mut self, states: usize) {
        self.compressions.merge_after = states;
    }

    /// The data behind a handle.
    #[must_use]
    pub fn data(&self, t: Term) -> &TermData {
        &self.data[t.0 as usize]
    }

    /// The number of terms.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// The terms that were made since there were so many, in the order in which they were made.
    pub fn made_since(&self, count: usize) -> impl Iterator<Item = Term> + use<> {
        (count as u32..self.data.len() as u32).map(Term)
    }

    /// The handle of data *as given*: operands must be in order already.
    pub fn intern(&mut self, store: &Interner, data: TermData) -> Term {
        let (index, new) = self.data.insert_full(data);
        if new {
            let mut flags = 0;
            let data = &self.data[index];
            for v in values(data) {
                debug_assert!(!store.flags(v).has_view(), "a view in a process");
                flags |= if store.flags(v).has_hole() { HOLE } else { 0 };
                flags |= if store.flags(v).may_have_atoms() {
                    ATOMS
                } else {
                    0
                };
                // A process inside a value may itself have holes.
                flags |= if store.flags(v).has_process() {
                    HOLE
                } else {
                    0
                };
            }
            // Operands were interned before, so their flags are known.
            for t in operands(data) {
                flags |= self.flags[t.0 as usize];
            }
            self.flags.push(flags);
            #[cfg(debug_assertions)]
            self.assert_consistent(store, Term(index as u32));
        }
        Term(index as u32)
    }

    /// Checks the invariants of [`TermData`] of a new term, on which equal handles for equal states rest: operands
    /// were made before it, and commutative ones are sorted. (In a shape the order is that of the operands' own
    /// shapes, with holes numbered from 0.)
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, store: &Interner, t: Term) {
        let data = self.data(t);
        assert_eq!(
            self.data.get_index_of(data),
            Some(t.0 as usize),
            "interned once"
        );
        assert_eq!(self.flags.len(), self.data.len());
        let operands = operands(data);
        assert!(operands.iter().all(|p| p.0 < t.0), "operands come first");
        let is_commutative = matches!(
            data,
            TermData::ExtChoice(_)
                | TermData::IntChoice(_)
                | TermData::Interleave(_)
                | TermData::Sharing(..)
                | TermData::SyncChoice(..)
                | TermData::Watchdog { .. }
                | TermData::Part { .. }
        );
        if is_commutative && !self.may_have_hole(t) {
            let in_order = |w: &[Term]| self.compare(store, w[0], w[1]).is_le();
            assert!(operands.windows(2).all(in_order), "operands are in order");
        }
    }

    /// Whether a hole may occur in it.
    #[must_use]
    pub fn may_have_hole(&self, t: Term) -> bool {
        self.flags[t.0 as usize] & HOLE != 0
    }
    /// Whether it may have atoms.
    #[must_use]
    pub fn may_have_atoms(&self, t: Term) -> bool {
        self.flags[t.0 as usize] & ATOMS != 0
    }

    /// A suspended expression.
    pub fn call(
        &mut self,
        store: &Interner,
        control: ControlState,
        env: impl Into<Box<[Value]>>,
    ) -> Term {
        let env = env.into();
        self.intern(store, TermData::Call { control, env })
    }
    /// `STOP`
    pub fn stop(&mut self, store: &Interner) -> Term {
        self.intern(store, TermData::Stop)
    }
    /// `SKIP`
    pub fn skip(&mut self, store: &Interner) -> Term {
        self.intern(store, TermData::Skip)
    }
    /// After ✓.
    pub fn omega(&mut self, store: &Interner) -> Term {
        self.intern(store, TermData::Omega)
    }

    /// `P [] Q …`. `STOP` is the unit of `[]` (also for τ and ✓), so it is left out.
    pub fn ext_choice(&mut self, store: &Interner, operands: Vec<Term>) -> Term {
        let mut flat = Vec::with_capacity(operands.len());
        for t in operands {
            match self.data(t) {
                TermData::Stop => {}
                // `[]` is associative, so a choice among operands is spread out: equal states, equal terms.
                TermData::ExtChoice(inner) => flat.extend_from_slice(inner),
                _ => flat.push(t),
            }
        }
        match *flat {
            [] => self.stop(store),
            [one] => one,
            _ => {
                self.sort(store, &mut flat);
                self.intern(store, TermData::ExtChoice(flat.into()))
            }
        }
    }

    /// `|~|` over terms; of equal operands one is kept. There must be at least one; one alone still
    /// takes its τ.
    pub fn int_choice(&mut self, store: &Interner, mut operands: Vec<Term>) -> Term {
        self.sort(store, &mut operands);
        // Sorted, so that equal ones stand side by side. Of `[]` and `|||` they stay: what one does there leaves the
        // other behind.
        operands.dedup();
        self.intern(store, TermData::IntChoice(operands.into()))
    }

    /// `P ||| Q …`; none is `SKIP`.
    pub fn interleave(&mut self, store: &Interner, operands: Vec<Term>) -> Term {
        let mut flat = Vec::with_capacity(operands.len());
        for t in operands {
            match self.data(t) {
                TermData::Interleave(inner) => flat.extend_from_slice(inner),
                _ => flat.push(t),
            }
        }
        match *flat {
            [] => self.skip(store),
            [one] => one,
            _ => {
                self.sort(store, &mut flat);
                self.intern(store, TermData::Interleave(flat.into()))
            }
        }
    }

    /// The number of operands of `|||`, or of `[|A|]`, that a term contributes to a composition of that kind.
    #[must_use]
    pub fn width(&self, t: Term, shared: Option<Value>) -> usize {
        match (self.data(t), shared) {
            (TermData::Interleave(inner), None) => inner.len(),
            (TermData::Sharing(set, inner), Some(shared)) if *set == shared => inner.len(),
            _ => 1,
        }
    }

    /// `P [|A|] Q …`; none is `SKIP`.
    pub fn sharing(&mut self, store: &Interner, set: Value, operands: Vec<Term>) -> Term {
        let mut flat = Vec::with_capacity(operands.len());
        for t in operands {
            match self.data(t) {
                TermData::Sharing(inner_set, inner) if *inner_set == set => {
                    flat.extend_from_slice(inner);
                }
                _ => flat.push(t),
            }
        }
        match *flat {
            [] => self.skip(store),
            [one] => one,
            _ => {
                self.sort(store, &mut flat);
                self.intern(store, TermData::Sharing(set, flat.into()))
            }
        }
    }

    /// `|| x:S @ [A] P`; none is `SKIP`. One operand is still held to its alphabet.
    pub fn alphabetised(&mut self, store: &Interner, mut operands: Vec<(Value, Term)>) -> Term {
        if operands.is_empty() {
            return self.skip(store);
        }
        // Alphabets stay with their processes.
        operands.sort_by(|a, b| {
            store
                .compare(a.0, b.0)
                .then_with(|| self.compare(store, a.1, b.1))
        });
        self.intern(store, TermData::Alphabetised(operands.into()))
    }

    /// `P [+A+] Q …`; none is `STOP`.
    pub fn sync_choice(&mut self, store: &Interner, mut operands: Vec<Term>, set: Value) -> Term {
        match *operands {
            [] => self.stop(store),
            [one] => one,
            _ => {
                self.sort(store, &mut operands);
                self.intern(store, TermData::SyncChoice(operands.into(), set))
            }
        }
    }

    /// A compression applied to a process; after termination nothing is left to compress, and what
    /// was compressed in this way stays as it is.
    pub fn compressed(&mut self, store: &Interner, with: Builtin, process: Term) -> Term {
        match self.data(process) {
            // There is nothing to compress.
            TermData::Omega | TermData::Ended | TermData::Stop => process,
            TermData::Compressed { with: inner, .. } if *inner == with => process,
            _ => self.compressed_state(store, with, process, Vec::new()),
        }
    }

    /// A state of a compressed process.
    pub(super) fn compressed_state(
        &mut self,
        store: &Interner,
        with: Builtin,
        process: Term,
        mut state: Vec<Term>,
    ) -> Term {
        self.sort(store, &mut state);
        let state = state.into();
        let data = TermData::Compressed {
            with,
            process,
            state,
        };
        self.intern(store, data)
    }

    /// A part of a process, as a name.
    pub(super) fn part(
        &mut self,
        store: &Interner,
        mut members: Vec<Term>,
        offered: Offered,
    ) -> Term {
        self.sort(store, &mut members);
        let members = members.into();
        self.intern(store, TermData::Part { members, offered })
    }

    /// A function that is idempotent (`prioritise`, `chase` and so on), as given: applied twice, it
    /// is applied once.
    pub fn idempotent(&mut self, store: &Interner, data: TermData) -> Term {
        let inner = operands(&data).first().copied();
        // Only if both are the same function with the same values.
        if let Some(inner) = inner
            && let inside = self.data(inner)
            && rank(inside) == rank(&data)
            && values(inside) == values(&data)
        {
            return inner;
        }
        self.intern(store, data)
    }

    /// A watchdog whose specification may be in these states.
    pub fn watchdog(
        &mut self,
        store: &Interner,
        mut spec: Vec<Term>,
        events: Value,
        bark: Value,
    ) -> Term {
        self.sort(store, &mut spec);
        // A set of states; in what order they were reached does not matter.
        spec.dedup();
        let spec = spec.into();
        self.intern(store, TermData::Watchdog { spec, events, bark })
    }

    /// Interns data after putting commutative operands in order.
    pub(super) fn intern_sorted(&mut self, store: &Interner, data: TermData) -> Term {
        match data {
            TermData::ExtChoice(mut ts) => {
                self.sort(store, &mut ts);
                self.intern(store, TermData::ExtChoice(ts))
            }
            TermData::IntChoice(mut ts) => {
                self.sort(store, &mut ts);
                self.intern(store, TermData::IntChoice(ts))
            }
            TermData::Interleave(mut ts) => {
                self.sort(store, &mut ts);
                self.intern(store, TermData::Interleave(ts))
            }
            TermData::Sharing(set, mut ts) => {
                self.sort(store, &mut ts);
                self.intern(store, TermData::Sharing(set, ts))
            }
            TermData::SyncChoice(mut ts, set) => {
                self.sort(store, &mut ts);
                self.intern(store, TermData::SyncChoice(ts, set))
            }
            TermData::Alphabetised(pairs) => self.alphabetised(store, pairs.into_vec()),
            TermData::Watchdog { spec, events, bark } => {
                self.watchdog(store, spec.into_vec(), events, bark)
            }
            TermData::Compressed {
                with,
                process,
                state,
            } => self.compressed_state(store, with, process, state.into_vec()),
            TermData::Part { members, offered } => self.part(store, members.into_vec(), offered),
            other @ (TermData::Prioritise(..)
            | TermData::PrioritisePo { .. }
            | TermData::Resolved(..)) => self.idempotent(store, other),
            other => self.intern(store, other),
        }
    }

    /// The functions in the script that observe more of processes than operators do.
    #[must_use]
    pub fn mentioned(&self) -> &Mentioned {
        &self.mentioned
    }

    /// The same, to say what it has.
    pub fn mentioned_mut(&mut self) -> &mut Mentioned {
        &mut self.mentioned
    }

    /// Says that each state of processes is looked at, and not their failures and divergences alone. To be called
    /// before any transitions are asked for.
    pub fn show_states(&mut self) {
        self.observed = Observation::States;
    }

    /// The observation of processes at the top, without an operator around.
    pub(super) fn observed(&self) -> Observation {
        self.observed
    }

    /// The types that permutations move, once that is known.
    pub(super) fn permuted(&self) -> Option<AtomTypes> {
        self.splits.types().cloned()
    }

    /// Sorts by [`Terms::compare`].
    pub fn sort(&self, store: &Interner, terms: &mut [Term]) {
        terms.sort_by(|a, b| self.compare(store, *a, *b));
    }

    /// The total order of terms, by structure: the kind of operator first, then its operands.
    #[must_use]
    pub fn compare(&self, store: &Interner, a: Term, b: Term) -> Ordering {
        // Handles are equal where terms are, so whole subterms are passed over.
        if a == b {
            return Ordering::Equal;
        }
        deep(|| {
            let (x, y) = (self.data(a), self.data(b));
            rank(x)
                .cmp(&rank(y))
                .then_with(|| store.compare_slices(&values(x), &values(y)))
                .then_with(|| self.compare_terms(store, &operands(x), &operands(y)))
        })
    }

    fn compare_terms(&self, store: &Interner, a: &[Term], b: &[Term]) -> Ordering {
        for (x, y) in a.iter().zip(b) {
            let order = self.compare(store, *x, *y);
            if order.is_ne() {
                return order;
            }
        }
        a.len().cmp(&b.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A recipe of a term: an operator, and operands among the terms made before.
    type Recipe = (u8, Vec<usize>);

    fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
        let operands = proptest::collection::vec(0usize..64, 1..4);
        proptest::collection::vec((0u8..8, operands), 1..12)
    }

    fn data((operator, operands): &Recipe, made: &[Term], sets: &[Value]) -> TermData {
        let term = |n: usize| made[operands[n % operands.len()] % made.len()];
        let all = (0..operands.len()).map(term).collect();
        match operator {
            0 => TermData::ExtChoice(all),
            1 => TermData::IntChoice(all),
            2 => TermData::Interleave(all),
            3 => TermData::Sharing(sets[operands[0] % sets.len()], all),
            4 => TermData::Seq(term(0), term(1)),
            5 => TermData::Hide {
                process: term(0),
                set: sets[operands[0] % sets.len()],
                keep: false,
            },
            6 => TermData::Interrupt(term(0), term(1)),
            _ => TermData::Loop(term(0)),
        }
    }

    /// The same with operands that may stand in any order turned round.
    fn turned(mut data: TermData) -> TermData {
        if let TermData::ExtChoice(ts)
        | TermData::IntChoice(ts)
        | TermData::Interleave(ts)
        | TermData::Sharing(_, ts) = &mut data
        {
            ts.reverse();
        }
        data
    }

    proptest! {
        #[test]
        fn equal_terms_have_equal_handles(recipes in recipes()) {
            let mut store = Interner::default();
            let one = store.int(1);
            let sets = [store.set(vec![]), store.set(vec![one])];
            let mut terms = Terms::new();
            let mut made = vec![terms.stop(&store), terms.skip(&store)];
            for recipe in &recipes {
                let data = data(recipe, &made, &sets);
                let t = terms.intern_sorted(&store, data.clone());
                // Made again, it is the same one, in whatever order operands that commute come.
                let known = terms.data.len();
                prop_assert_eq!(terms.intern_sorted(&store, data.clone()), t);
                prop_assert_eq!(terms.intern_sorted(&store, turned(data)), t);
                prop_assert_eq!(terms.data.len(), known);
                made.push(t);
            }
            // One order for all, in which only what is equal has the same place.
            for a in &made {
                for b in &made {
                    let order = terms.compare(&store, *a, *b);
                    prop_assert_eq!(order.is_eq(), a == b);
                    prop_assert_eq!(order, terms.compare(&store, *b, *a).reverse());
                    for c in &made {
                        let follows = order.is_le() && terms.compare(&store, *b, *c).is_le();
                        prop_assert!(!follows || terms.compare(&store, *a, *c).is_le());
                    }
                }
            }
        }
    }
}
