//! Counterexamples, unwound from the reduced automaton to the real one (Sec. 3.5, Fig. 7) and
//! replayed there.

use super::product::{Flaw, Pair, Product, ProductMiss, Worker};
use super::search::Sides;
use super::specification::{NodeId, settle};
use super::store::{NO_STATE, StateId, Store};
use crate::machine::network::Scratch;
use crate::machine::{EventId, FormatId, LocalId};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::symmetry::Permutation;
use crate::symmetry::strategy::Strategy;

/// One transition of the unreduced system.
#[derive(Clone, Debug)]
pub struct RawStep {
    /// What the implementation performs.
    pub event: EventId,
    /// The event before hiding.
    pub shown: EventId,
    /// Components that move.
    pub movers: Vec<u16>,
    /// The state afterwards; its `node` means nothing if `allowed` is false.
    pub after: Pair,
    /// Whether the specification can follow.
    pub allowed: bool,
    /// The same step in the reduced automaton; none for the event that the specification refuses.
    pub reduced: Option<Reduced>,
}

/// A step of the reduced automaton.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What the representative performs.
    pub event: EventId,
    /// The representative afterwards.
    pub after: Pair,
    /// `π_i`: takes the raw state before the step to the representative before the step.
    pub pi: Permutation,
}

/// A run of the unreduced system that ends in a violation.
#[derive(Clone, Debug)]
pub struct RawRun {
    /// Where it starts.
    pub initial: Pair,
    /// How it goes on.
    pub steps: Vec<RawStep>,
}

/// The states from the initial one to this one.
#[must_use]
pub fn path_to(store: &Store, state: StateId) -> Vec<StateId> {
    let mut path = vec![state];
    let mut at = state;
    while store.parent(at) != NO_STATE {
        at = store.parent(at);
        path.push(at);
    }
    path.reverse();
    path
}

/// A transition of the standard product automaton from a given state.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) event: EventId,
    pub(super) rule: u32,
    pub(super) format: FormatId,
    pub(super) locals: Vec<LocalId>,
}

pub(super) fn moves(
    product: &Product<'_>,
    at: &Pair,
) -> std::result::Result<Vec<Move>, ProductMiss> {
    let mut found = Vec::new();
    let mut scratch = Scratch::default();
    product.network.successors::<ProductMiss>(
        product.locals,
        FormatId(at.format),
        &at.locals,
        &mut scratch,
        |s| {
            found.push(Move {
                event: s.event,
                rule: s.rule,
                format: s.format,
                locals: s.locals.to_vec(),
            });
            Ok(())
        },
    )?;
    Ok(found)
}

/// Unwinds a path of the reduced automaton; `flaw` is what is wrong with its last state.
///
/// # Errors
/// An evaluation error; or a broken invariant of the reduction, which is a bug and is reported as one
/// instead of showing a run that does not exist.
pub fn unwind(
    sides: &mut Sides<'_>,
    store: &Store,
    path: &[StateId],
    flaw: Option<Flaw>,
) -> Result<RawRun> {
    let initial = Pair {
        node: 0,
        format: 0,
        locals: sides.network.initial.clone(),
    };
    let mut worker = Worker::default();
    sides.complete(|product| {
        product
            .representative(0, FormatId(0), &initial.locals, &mut worker.representative)
            .map(|_| ())
    })?;
    let atoms = sides.machine.atoms.len();
    // π_i takes the raw state to the reduced one (Sec. 3.5).
    let mut pi = current(sides.strategy, &worker, atoms);
    let mut run = RawRun {
        initial: initial.clone(),
        steps: Vec::new(),
    };
    let mut raw = initial;
    for window in path.windows(2) {
        let (step, next_pi) =
            matching_move(sides, store, window[0], store.state(window[1]), &mut worker)?;
        let event = inverse_event(sides, &pi, step.event);
        let target = permute_back(sides, &pi, &step)?;
        let mut after = Pair::default();
        sides.product().unpack(store.state(window[1]), &mut after);
        let reduced = Reduced {
            event: step.event,
            after,
            pi: pi.clone(),
        };
        raw = replay_step(sides, &raw, event, &target, reduced, &mut run)?;
        pi = pi.then(&next_pi);
    }
    match flaw {
        None => {}
        Some(Flaw::Event(refused)) => {
            let event = inverse_event(sides, &pi, refused);
            refuse_at_end(sides, &raw, event, &mut run)?;
        }
        Some(flaw) => fall_short_at_end(sides, &raw, flaw)?,
    }
    Ok(run)
}

fn current(strategy: Option<&dyn Strategy>, worker: &Worker, atoms: usize) -> Permutation {
    match strategy {
        Some(_) => Permutation::from_image(&worker.representative.image),
        None => Permutation::identity(atoms),
    }
}

/// A transition of the reduced state `from` whose representative is `to`, and its permutation π'.
fn matching_move(
    sides: &mut Sides<'_>,
    store: &Store,
    from: StateId,
    to: &[u8],
    worker: &mut Worker,
) -> Result<(Move, Permutation)> {
    let strategy = sides.strategy;
    let atoms = sides.machine.atoms.len();
    let found = sides.complete(|product| {
        let mut at = Pair::default();
        product.unpack(store.state(from), &mut at);
        for step in moves(product, &at)? {
            let Some(node) = product.follow(at.node, step.event)? else {
                continue;
            };
            let node = product.representative(
                node,
                step.format,
                &step.locals,
                &mut worker.representative,
            )?;
            let mut bytes = Vec::new();
            product.pack(node, step.format, &worker.representative.locals, &mut bytes);
            bytes.resize(to.len(), 0);
            if bytes == to {
                return Ok(Some((step, current(strategy, worker, atoms))));
            }
        }
        Ok(None)
    })?;
    found.ok_or_else(|| broken("a step of the reduced path has no transition"))
}

fn inverse_event(sides: &mut Sides<'_>, pi: &Permutation, event: EventId) -> EventId {
    sides.machine.permute_event(event, pi.inverse().image())
}

/// `π⁻¹` of the target of a move.
fn permute_back(sides: &mut Sides<'_>, pi: &Permutation, step: &Move) -> Result<Vec<LocalId>> {
    let inverse = pi.inverse();
    sides.complete(|product| {
        let mut out = Vec::new();
        product.network.permute(
            product.locals,
            step.format,
            &step.locals,
            inverse.image(),
            &mut out,
        )?;
        Ok(out)
    })
}

/// Performs `event` to `target` on the raw machine, or says that it cannot.
fn replay_step(
    sides: &mut Sides<'_>,
    raw: &Pair,
    event: EventId,
    target: &[LocalId],
    reduced: Reduced,
    run: &mut RawRun,
) -> Result<Pair> {
    let found = sides.complete(|product| {
        let node = product.follow(raw.node, event)?;
        let step = moves(product, raw)?
            .into_iter()
            .find(|m| m.event == event && m.locals == target);
        Ok(step.zip(node))
    })?;
    let (step, node) =
        found.ok_or_else(|| broken("a step of the counterexample does not replay"))?;
    let after = Pair {
        node,
        format: step.format.0,
        locals: step.locals.clone(),
    };
    run.steps
        .push(raw_step(sides, raw, &step, after.clone(), Some(reduced)));
    Ok(after)
}

fn refuse_at_end(
    sides: &mut Sides<'_>,
    raw: &Pair,
    event: EventId,
    run: &mut RawRun,
) -> Result<()> {
    let found = sides.complete(|product| {
        let allowed = product.follow(raw.node, event)?.is_some();
        Ok((
            allowed,
            moves(product, raw)?.into_iter().find(|m| m.event == event),
        ))
    })?;
    match found {
        (false, Some(step)) => {
            let after = Pair {
                node: 0,
                format: step.format.0,
                locals: step.locals.clone(),
            };
            let step = raw_step(sides, raw, &step, after, None);
            run.steps.push(step);
            Ok(())
        }
        _ => Err(broken(
            "the refused event of the counterexample does not replay",
        )),
    }
}

/// Verifies on the raw machine that the last state falls short in the same way.
fn fall_short_at_end(sides: &mut Sides<'_>, raw: &Pair, flaw: Flaw) -> Result<()> {
    let found = sides.complete(|product| {
        let mut initials: Vec<EventId> = moves(product, raw)?.iter().map(|m| m.event).collect();
        product.flaw(raw.node, &mut initials)
    })?;
    if found.map(|f| std::mem::discriminant(&f)) == Some(std::mem::discriminant(&flaw)) {
        Ok(())
    } else {
        Err(broken("the end of the counterexample does not replay"))
    }
}

/// What the last state of a run offers: its events in ascending order, or ✓ alone if it can
/// terminate.
///
/// # Errors
/// An evaluation error.
pub fn offers(sides: &mut Sides<'_>, at: &Pair) -> Result<Vec<EventId>> {
    sides.complete(|product| {
        let mut initials: Vec<EventId> = moves(product, at)?.iter().map(|m| m.event).collect();
        settle(&mut initials);
        Ok(initials)
    })
}

pub(super) fn raw_step(
    sides: &Sides<'_>,
    before: &Pair,
    step: &Move,
    after: Pair,
    reduced: Option<Reduced>,
) -> RawStep {
    let rule = &sides.network.formats[before.format as usize].rules.list[step.rule as usize];
    RawStep {
        event: step.event,
        shown: rule.shown,
        movers: rule.parts.iter().map(|p| p.0).collect(),
        after,
        allowed: reduced.is_some(),
        reduced,
    }
}

fn broken(what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::nowhere("E0799", format!("internal error: {what}"))
            .note("the verdict is withheld; please report this with the script"),
    )
}

/// Texts of the states of a specification's node: its members.
#[must_use]
pub fn node_members(sides: &Sides<'_>, node: u32) -> Vec<(FormatId, Vec<LocalId>)> {
    sides.specification.as_ref().map_or_else(Vec::new, |s| {
        s.members(NodeId(node))
            .iter()
            .map(|(f, l)| (*f, l.to_vec()))
            .collect()
    })
}
