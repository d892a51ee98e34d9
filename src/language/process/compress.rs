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

use super::compressions::{CompressedProcess, Compressing, SeenTerm};
use super::exploring::{ExploredProcess, explore};
use super::observation::{Observation, compression};
use super::rule_context::RuleContext;
use super::store::Terms;
use super::term::{Label, Offered, Steps, Term, TermData};
use crate::lts::{self, Compression, Name, Part, Reduced, TICK, Work};
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::source::{Diagnostic, Kind, Stop};
use crate::value::{Atom, Shapes};

/// The transitions of a compressed state.
pub(super) fn compressed(
    t: Term,
    with: Builtin,
    p: Term,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let observation = s.observation();
    let (terms, store) = s.stores();
    let whole = terms.compressed_state(store, with, p, Vec::new());
    // What sees more than the compression keeps gets the process itself.
    if t == whole && observation > Observation::allowed_by(with) {
        return s.transitions(p);
    }
    let shapes = &mut store.shapes();
    let image = canonical(terms, shapes, whole);
    let root = renamed(terms, shapes, whole, image.as_deref());
    let key = (observation, root);
    match terms.compressions.progress(key) {
        Compressing::Done(graph) => return from_table(t, &graph, image, s),
        Compressing::Failed(error) => return Err(error),
        Compressing::Recursive => return s.transitions(p),
        // Whoever tries will do without.
        Compressing::Open | Compressing::New if terms.compressions.trying => {
            let text = "a process is compressed only where it is needed".to_owned();
            return Err(Box::new(Diagnostic::nowhere("E0498", text)));
        }
        Compressing::Open => {
            terms.compressions.note_recursive(key);
            let text = "a compression needs itself to be explored".to_owned();
            // This leads back to where the recursion started; nobody gets to see it.
            return Err(Box::new(Diagnostic::nowhere("E0498", text)));
        }
        Compressing::New => {}
    }
    match compress_now(key, with, s) {
        Ok(graph) => from_table(t, &graph, image, s),
        Err(error) => {
            let compressions = &mut s.stores().0.compressions;
            let progress = compressions.progress(key);
            if error.kind == Kind::GivenUp && matches!(progress, Compressing::Recursive) {
                return s.transitions(p);
            }
            if error.stop() == Some(Stop::States) {
                compressions.note_failed(key, error.clone());
            }
            Err(error)
        }
    }
}

/// Explores and compresses the process of `key`, and puts the result into the table.
fn compress_now(
    key: SeenTerm,
    with: Builtin,
    s: &mut RuleContext<'_>,
) -> Result<Rc<CompressedProcess>> {
    let TermData::Compressed { process, .. } = *s.stores().0.data(key.1) else {
        return Err(internal("what is compressed is no process"));
    };
    s.stores().0.compressions.begin(key);
    // States that come later are no recursion of the process that is stepped now.
    let entered = s.set_aside();
    let how = compression(with);
    // The others end with strong bisimulation, so what comes out is the same.
    let keeps_all = matches!(how, Compression::Explore | Compression::TauLoops);
    let merging = !keeps_all && !permutes(s);
    let explored = explore(key.1, process, merging, s);
    s.go_on(entered);
    s.stores().0.compressions.end();
    let ExploredProcess {
        lts,
        states,
        labels,
    } = explored?;
    let looks = looks(&states, s);
    let work = Work {
        looks: &looks,
        poll: &|size| s.allow(key.1, 0, size),
    };
    let reduced = lts::compress(&lts, 0, how, work).map_err(|error| {
        let work = format!("compressing a process of {} states", states.len());
        Box::new(error.during(&work, None))
    })?;
    let graph = Rc::new(named(key.1, with, process, reduced, &states, labels, s)?);
    s.stores().0.compressions.keep(key, Rc::clone(&graph));
    Ok(graph)
}

/// Whether there are types that permutations move. Then a compressed state is named by all states that it is and that look
/// alike, and none of these can be left out.
fn permutes(s: &mut RuleContext<'_>) -> bool {
    let types = s.stores().0.permuted();
    types.is_some_and(|types| !types.is_empty())
}

fn internal(what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::nowhere(
        "E0799",
        format!("internal error: {what}"),
    ))
}

/// The looks (signatures) of the states: equal for those of one shape with equally many different atoms. Without
/// atoms they all differ. The state after ✓ names others only where it is alone.
fn looks(states: &IndexSet<Term>, s: &mut RuleContext<'_>) -> Vec<u32> {
    let omega = s.omega();
    let (terms, store) = s.stores();
    let Some(types) = terms.permuted().filter(|types| !types.is_empty()) else {
        let number = |(i, t): (usize, &Term)| if *t == omega { u32::MAX } else { i as u32 };
        return states.iter().enumerate().map(number).collect();
    };
    let mut kinds: IndexSet<(Term, usize)> = IndexSet::default();
    let mut found = Vec::with_capacity(states.len());
    for t in states {
        // Shape and number of different atoms: what no permutation changes.
        let (shape, atoms) = terms.split_term(&mut store.shapes(), *t, &types);
        let mut distinct = atoms.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        found.push(kinds.insert_full((shape, distinct.len())).0);
    }
    // Kinds were numbered as they were met; ranks have to depend on the terms alone.
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
    with: Builtin,
    process: Term,
    reduced: Reduced,
    states: &IndexSet<Term>,
    labels: Vec<Label>,
    s: &mut RuleContext<'_>,
) -> Result<CompressedProcess> {
    let (terms, store) = s.stores();
    let mut named = IndexSet::default();
    named.insert(whole);
    // The initial state is the process as a whole, whatever it is made of.
    for names in reduced.names.into_iter().skip(1) {
        let mut state = Vec::new();
        for Name { members, part } in names {
            // Numbers of states become the states themselves, which permutations move.
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
        // Names are different by construction (`crate::lts::Reduced`).
        if !named.insert(terms.compressed_state(store, with, process, state)) {
            return Err(internal("two compressed states have one name"));
        }
    }
    Ok(CompressedProcess {
        lts: reduced.lts,
        labels,
        states: named,
    })
}

/// The transitions of a state of a process whose image is in the table.
fn from_table(
    t: Term,
    graph: &CompressedProcess,
    image: Option<Vec<Atom>>,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let omega = s.omega();
    let (terms, store) = s.stores();
    let shapes = &mut store.shapes();
    // The table is of the canonical member of the orbit: there and back again.
    let there = renamed(terms, shapes, t, image.as_deref());
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
            // After ✓ there is one state for all processes, which no compression renames.
            steps.push((label, omega));
            continue;
        }
        let label = renamed_label(terms, shapes, label, back.as_deref());
        // What can do nothing is `STOP`, so that it is the same one everywhere.
        let next = if graph.lts.steps(*to).is_empty() {
            terms.stop(shapes.values())
        } else {
            renamed(terms, shapes, graph.states[*to as usize], back.as_deref())
        };
        steps.push((label, next));
    }
    Ok(steps)
}

/// The permutation that numbers the atoms of a term by first occurrence; none if that changes nothing.
fn canonical(terms: &mut Terms, shapes: &mut Shapes<'_>, t: Term) -> Option<Vec<Atom>> {
    let types = terms.permuted()?;
    // Nothing would be moved.
    if !terms.may_have_atoms(t) {
        return None;
    }
    let (_, atoms) = terms.split_term(shapes, t, &types);
    let image = types.canonical(&atoms);
    let moves = |(from, to): (usize, &Atom)| from != usize::from(to.0);
    image.iter().enumerate().any(moves).then_some(image)
}

/// A term under a permutation, if there is one.
fn renamed(terms: &mut Terms, shapes: &mut Shapes<'_>, t: Term, image: Option<&[Atom]>) -> Term {
    match (terms.permuted(), image) {
        (Some(types), Some(image)) => terms.rename_term(shapes, t, image, &types),
        _ => t,
    }
}

/// The same of a label.
fn renamed_label(
    terms: &mut Terms,
    shapes: &mut Shapes<'_>,
    label: Label,
    image: Option<&[Atom]>,
) -> Label {
    match (label, terms.permuted(), image) {
        (Label::Event(e), Some(types), Some(image)) => {
            Label::Event(shapes.rename_with(e, image, &types, terms))
        }
        (other, ..) => other,
    }
}
