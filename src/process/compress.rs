//! The compressions: `normal`, `sbisim` and their like.
//!
//! The first time that a transition of `normal(P)` is asked for, `P` is explored, and what comes out
//! is compressed ([`crate::lts`]). The states of the result become terms: a compression, `P`, and the
//! name of the state, which is made of states of `P`. Their transitions are kept in a table.
//!
//! # Why that is sound under symmetry
//!
//! Permutations apply to these terms as to any other, so they have to do the right thing: the
//! transitions of `π(t)` must be `π` of those of `t`, exactly (Prop. 24).
//!
//! A number of the state in the compressed system would not do as its name: `P = c?v -> Q(v)` has no
//! atoms, so a permutation would leave the name alone, though it leads from the state after `c.A` to
//! that after `c.B`. Neither would one member of the class that the state is: if `v` makes no
//! difference in `Q(v)`, the states after `c.A` and after `c.B` are one class, which permutations
//! leave alone, whereas they move `Q(A)`. So the name is *all* members of the class that look alike,
//! `{Q(A), Q(B)}`; looks are data that no permutation changes (the shape and the number of different
//! atoms), and the look is chosen that leads to the fewest.
//!
//! Let `σ` leave `P` alone. It is an automorphism of what `P` reaches, by Prop. 24; the algorithms see
//! events and states as mere numbers; so it is one of the compressed system as well, and acts on its
//! states as on their names. The table holds the system of `κ(P)`, where `κ` numbers the atoms of `P`
//! by first occurrence: the transitions of a state `t` of `P` are `κ⁻¹` of those of `κ(t)`. If several
//! `κ` lead from `P` to `κ(P)`, they differ by such a `σ`, so it makes no difference which is taken;
//! and Prop. 24 holds of `t` as it should. `P` is part of the name because the table has one system
//! for each orbit of such processes.

use std::rc::Rc;

use super::step::{Steps, Unfold, omega, transitions};
use super::store::Terms;
use super::term::{Label, Offered, Term, TermData};
use crate::lts::{self, Builder, Compression, Lts, Name, Part, Reduced, TICK, Work};
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::{Diagnostic, Kind, Stop};
use crate::value::{Atom, AtomTypes, Store, Value};

/// What the operators around a term see of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sight {
    /// Failures and divergences.
    #[default]
    Failures,
    /// What each state can do (priority): bisimulations compress. What is held back by an event is held
    /// back by τ as well, so a state in which it happens cannot do a τ. One that is weakly bisimilar to
    /// that state, divergence respected, comes by τs to one that cannot either; and that one can do
    /// exactly the same events, so there it happens, too.
    States,
    /// The order of transitions too (`chase`, `deter`): nothing is compressed.
    Order,
}

/// A term, and what is seen of it.
type Key = (Sight, Term);

/// What was compressed so far.
#[derive(Debug, Default)]
pub(super) struct Compressions {
    /// By the compressed process, its atoms numbered by first occurrence.
    graphs: Map<Key, Rc<Graph>>,
    /// What is being explored.
    open: Vec<Key>,
    /// What needs itself in order to be explored. It is not compressed.
    recursive: Set<Key>,
    /// What could not be explored within the limits.
    failed: Map<Key, Box<Diagnostic>>,
    /// Transitions of operands; without a bound on their number only while something is explored.
    known: Map<Key, Rc<Steps>>,
    /// What the operators around see.
    sight: Sight,
    /// Whether the script has compressions that are no bisimulations.
    loses_states: bool,
    /// Whether the script has anything that depends on states, or compresses them.
    looks_at_states: bool,
    /// Whether `chase` may be taken as priority among silent steps.
    chases_in_networks: bool,
}

/// A compressed process.
#[derive(Debug)]
struct Graph {
    lts: Lts,
    labels: Vec<Label>,
    /// The terms of its states; the first is the process as a whole.
    states: IndexSet<Term>,
}

impl Compressions {
    /// To be called when limits are others: what failed for the old ones may succeed.
    pub(super) fn forget_stopped(&mut self) {
        self.failed.clear();
        self.open.clear();
        self.sight = Sight::default();
    }

    /// To be called when the atoms are others.
    pub(super) fn forget(&mut self) {
        *self = Self {
            sight: self.sight,
            loses_states: self.loses_states,
            looks_at_states: self.looks_at_states,
            chases_in_networks: self.chases_in_networks,
            ..Self::default()
        };
    }
}

/// Operands whose transitions are kept.
const KNOWN_MAX: usize = 1 << 14;

/// Does work under an operator that sees more of its operand than failures and divergences.
pub(super) fn seen<T>(
    sight: Sight,
    u: &mut dyn Unfold,
    work: impl FnOnce(&mut dyn Unfold) -> Result<T>,
) -> Result<T> {
    let before = u.stores().0.compressions.sight;
    u.stores().0.compressions.sight = before.max(sight);
    let done = work(u);
    u.stores().0.compressions.sight = before;
    done
}

/// The transitions of an operand: those of what is likely to come again are kept.
pub(super) fn operand_transitions(t: Term, u: &mut dyn Unfold) -> Result<Rc<Steps>> {
    let terms = u.stores().0;
    let kept = !matches!(
        terms.data(t),
        TermData::Interleave(_)
            | TermData::Sharing(..)
            | TermData::Alphabetised(_)
            | TermData::Link(..)
            | TermData::Hide { .. }
            | TermData::Rename(..)
    );
    let key = (terms.compressions.sight, t);
    if kept && let Some(steps) = terms.compressions.known.get(&key) {
        return Ok(Rc::clone(steps));
    }
    let steps = Rc::new(transitions(t, u)?);
    if kept {
        let compressions = &mut u.stores().0.compressions;
        // What is explored is looked at again and again; other operands are few as a rule.
        if compressions.open.is_empty() && compressions.known.len() >= KNOWN_MAX {
            compressions.known.clear();
        }
        compressions.known.insert(key, Rc::clone(&steps));
    }
    Ok(steps)
}

/// The transitions of a compressed state.
pub(super) fn compressed(t: Term, with: Builtin, p: Term, u: &mut dyn Unfold) -> Result<Steps> {
    let sight = u.stores().0.compressions.sight;
    let (terms, store) = u.stores();
    let whole = terms.compressed_state(store, with, p, Vec::new());
    if t == whole && sight > sight_allowed(with) {
        return transitions(p, u);
    }
    let image = terms.canonical(store, whole);
    let root = terms.renamed(store, whole, image.as_deref());
    let key = (sight, root);
    if let Some(graph) = terms.compressions.graphs.get(&key).map(Rc::clone) {
        return from_table(t, &graph, image, u);
    }
    if let Some(error) = terms.compressions.failed.get(&key) {
        return Err(error.clone());
    }
    if terms.compressions.recursive.contains(&key) {
        return transitions(p, u);
    }
    if terms.compressions.open.contains(&key) {
        terms.compressions.recursive.insert(key);
        let text = "a compression needs itself to be explored".to_owned();
        // This leads back to where the recursion started; nobody gets to see it.
        return Err(Box::new(Diagnostic::nowhere("E0498", text)));
    }
    match compress_now(key, with, u) {
        Ok(graph) => from_table(t, &graph, image, u),
        Err(error) => {
            let compressions = &mut u.stores().0.compressions;
            if error.kind == Kind::GivenUp && compressions.recursive.contains(&key) {
                return transitions(p, u);
            }
            if error.stop() == Some(Stop::States) {
                compressions.failed.insert(key, error.clone());
            }
            Err(error)
        }
    }
}

/// Explores and compresses what `key` stands for, and puts it into the table.
fn compress_now(key: Key, with: Builtin, u: &mut dyn Unfold) -> Result<Rc<Graph>> {
    let TermData::Compressed { process, .. } = *u.stores().0.data(key.1) else {
        return Err(internal("what is compressed is no process"));
    };
    u.stores().0.compressions.open.push(key);
    let entered = u.set_aside();
    let explored = explore(key.1, process, u);
    u.go_on(entered);
    let compressions = &mut u.stores().0.compressions;
    compressions.open.pop();
    if compressions.open.is_empty() {
        compressions.known = Map::default();
    }
    let (lts, states, labels) = explored?;
    let looks = looks(&states, u);
    let work = Work {
        looks: &looks,
        poll: &|size| u.allow(key.1, 0, size),
    };
    let reduced = lts::compress(&lts, 0, compression(with), work)?;
    let graph = Rc::new(named(key.1, (with, process), reduced, &states, labels, u)?);
    let graphs = &mut u.stores().0.compressions.graphs;
    graphs.insert(key, Rc::clone(&graph));
    Ok(graph)
}

fn internal(what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::nowhere(
        "E0799",
        format!("internal error: {what}"),
    ))
}

/// What may be seen of a process that is compressed.
fn sight_allowed(with: Builtin) -> Sight {
    match with {
        Builtin::Sbisim
        | Builtin::Wbisim
        | Builtin::Dbisim
        | Builtin::TauLoopFactor
        | Builtin::Explicate => Sight::States,
        _ => Sight::Failures,
    }
}

fn compression(with: Builtin) -> Compression {
    match with {
        Builtin::Sbisim => Compression::Strong,
        Builtin::Wbisim => Compression::Weak,
        Builtin::Dbisim => Compression::Delay,
        Builtin::TauLoopFactor => Compression::TauLoops,
        Builtin::Diamond | Builtin::ModelCompress => Compression::Diamond,
        Builtin::Normal => Compression::Normal,
        _ => Compression::Explore,
    }
}

/// Words of four bytes that a state takes as a term, with all tables, roughly.
const WORDS_A_STATE: usize = 60;

/// All that a process reaches.
fn explore(t: Term, p: Term, u: &mut dyn Unfold) -> Result<(Lts, IndexSet<Term>, Vec<Label>)> {
    let mut states: IndexSet<Term> = [p].into_iter().collect();
    let mut labels: IndexSet<Label> = [Label::Tau, Label::Tick].into_iter().collect();
    let mut builder = Builder::default();
    let mut row = Vec::new();
    let mut at = 0;
    while let Some(p) = states.get_index(at).copied() {
        at += 1;
        drop(u.set_aside());
        for (label, next) in transitions(p, u)? {
            let event = labels.insert_full(label).0 as u32;
            row.push((event, states.insert_full(next).0 as u32));
        }
        builder.push(row.drain(..));
        if at % 256 == 0 {
            let words = builder.steps() * 2 + states.len() * WORDS_A_STATE;
            u.allow(t, states.len(), words)?;
        }
    }
    let labels = labels.into_iter().collect();
    Ok((builder.finish(), states, labels))
}

/// How the states look: equal for those of one shape with equally many different atoms. Without
/// atoms they all look different. The state after ✓ names others only where it is alone.
fn looks(states: &IndexSet<Term>, u: &mut dyn Unfold) -> Vec<u32> {
    let omega = omega(u);
    let (terms, store) = u.stores();
    let Some(types) = terms.split_types.clone().filter(|types| !types.is_empty()) else {
        let number = |(i, t): (usize, &Term)| if *t == omega { u32::MAX } else { i as u32 };
        return states.iter().enumerate().map(number).collect();
    };
    let mut kinds: IndexSet<(Term, usize)> = IndexSet::default();
    let mut found = Vec::with_capacity(states.len());
    for t in states {
        let (shape, atoms) = terms.split_term(store, *t, &types);
        let mut distinct = atoms.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        found.push(kinds.insert_full((shape, distinct.len())).0);
    }
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (kinds[*a], kinds[*b]);
        let ends = (a.0 == omega).cmp(&(b.0 == omega));
        ends.then_with(|| terms.compare(store, a.0, b.0))
            .then(a.1.cmp(&b.1))
    });
    let mut rank = vec![0; order.len()];
    for (place, kind) in order.into_iter().enumerate() {
        rank[kind] = place as u32;
    }
    found.into_iter().map(|kind| rank[kind]).collect()
}

/// Turns the states of a compressed process into terms.
fn named(
    whole: Term,
    (with, process): (Builtin, Term),
    reduced: Reduced,
    states: &IndexSet<Term>,
    labels: Vec<Label>,
    u: &mut dyn Unfold,
) -> Result<Graph> {
    let (terms, store) = u.stores();
    let mut named = IndexSet::default();
    named.insert(whole);
    for names in reduced.names.into_iter().skip(1) {
        let mut state = Vec::new();
        for Name { members, part } in names {
            let members = members.iter().map(|m| states[*m as usize]);
            let offered = match part {
                Part::Whole => {
                    state.extend(members);
                    continue;
                }
                Part::Full => Offered::Full,
                Part::Offer(events) => {
                    let ticks = events.contains(&TICK);
                    let events = events.iter().filter_map(|e| match labels[*e as usize] {
                        Label::Event(e) => Some(e),
                        _ => None,
                    });
                    Offered::Some(store.set(events.collect()), ticks)
                }
            };
            state.push(terms.part(store, members.collect(), offered));
        }
        if !named.insert(terms.compressed_state(store, with, process, state)) {
            return Err(internal("two compressed states have one name"));
        }
    }
    Ok(Graph {
        lts: reduced.lts,
        labels,
        states: named,
    })
}

/// The transitions of a state of a process whose image is in the table.
fn from_table(
    t: Term,
    graph: &Graph,
    image: Option<Vec<Atom>>,
    u: &mut dyn Unfold,
) -> Result<Steps> {
    let omega = omega(u);
    let (terms, store) = u.stores();
    let there = terms.renamed(store, t, image.as_deref());
    let Some(state) = graph.states.get_index_of(&there) else {
        return Err(internal("a compressed state is not known"));
    };
    let back = image.map(|image| {
        let mut back = image.clone();
        for (from, to) in image.into_iter().enumerate() {
            back[to.0 as usize] = Atom(from as u16);
        }
        back
    });
    let rows = graph.lts.steps(state as u32);
    let mut steps = Vec::with_capacity(rows.len());
    for (event, to) in rows {
        let label = graph.labels[*event as usize];
        if label == Label::Tick {
            steps.push((label, omega));
            continue;
        }
        let label = terms.renamed_label(store, label, back.as_deref());
        let next = if graph.lts.steps(*to).is_empty() {
            terms.stop(store)
        } else {
            terms.renamed(store, graph.states[*to as usize], back.as_deref())
        };
        steps.push((label, next));
    }
    Ok(steps)
}

impl Terms {
    /// Says that the script mentions a function.
    pub fn mention(&mut self, function: Builtin) {
        let compresses = compression(function) != Compression::Explore;
        self.compressions.loses_states |= compresses && sight_allowed(function) < Sight::States;
        let looks = matches!(
            function,
            Builtin::Prioritise
                | Builtin::PrioritiseNoCache
                | Builtin::PrioritisePo
                | Builtin::Deter
        );
        self.compressions.looks_at_states |= compresses || looks;
    }

    /// Says whether the script chases where nothing compares what is chased
    /// ([`crate::script::reach::chases_in_implementations_alone`]).
    pub fn chase_in_networks(&mut self, yes: bool) {
        self.compressions.chases_in_networks = yes;
    }

    /// Whether `chase` may stand above components: what stands around it must not see its single
    /// steps, and nothing below may be compressed. Which τ comes first among components is another
    /// question than which does in a term, so a script that compares chased processes keeps them
    /// inside of components.
    #[must_use]
    pub fn chase_is_static(&self, how: Builtin) -> bool {
        how != Builtin::Deter
            && self.compressions.chases_in_networks
            && !self.compressions.looks_at_states
            && self.split_types.as_ref().is_none_or(AtomTypes::is_empty)
    }

    /// Whether `chase` would stand above components if there were no atoms.
    #[must_use]
    pub fn atoms_keep_chase_inside(&self) -> bool {
        self.compressions.chases_in_networks
            && !self.compressions.looks_at_states
            && !self.split_types.as_ref().is_none_or(AtomTypes::is_empty)
    }

    /// Whether priority may stand above components. Not in a script that compresses more than up to
    /// bisimilarity: below priority it must not, and components know nothing of what stands
    /// above them.
    #[must_use]
    pub fn priority_is_static(&self) -> bool {
        !self.compressions.loses_states
    }

    /// The permutation that numbers the atoms of a term by first occurrence; none if that changes
    /// nothing.
    fn canonical(&mut self, store: &mut Store, t: Term) -> Option<Vec<Atom>> {
        let types = self.split_types.clone()?;
        if !self.may_have_atoms(t) {
            return None;
        }
        let (_, atoms) = self.split_term(store, t, &types);
        let image = types.canonical(&atoms);
        let moves = |(from, to): (usize, &Atom)| from != usize::from(to.0);
        image.iter().enumerate().any(moves).then_some(image)
    }

    fn renamed(&mut self, store: &mut Store, t: Term, image: Option<&[Atom]>) -> Term {
        match (self.split_types.clone(), image) {
            (Some(types), Some(image)) => self.rename_term(store, t, image, &types),
            _ => t,
        }
    }

    fn renamed_label(&mut self, store: &mut Store, label: Label, image: Option<&[Atom]>) -> Label {
        match (label, self.split_types.clone(), image) {
            (Label::Event(e), Some(types), Some(image)) => {
                let mut atoms = Vec::new();
                let shape: Value = store.split_with(e, &types, &mut atoms, self);
                for atom in &mut atoms {
                    *atom = image[atom.0 as usize];
                }
                Label::Event(store.fill_with(shape, &atoms, &types, self))
            }
            (other, ..) => other,
        }
    }
}
