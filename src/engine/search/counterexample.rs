//! Counterexamples, unwound from the reduced automaton to the unreduced one (Sec. 3.5, Fig. 7) and replayed there.

mod stepping;

pub(crate) use stepping::matching_move;
use stepping::{advance, current, identity, inverse_event};

use super::product::{Product, ProductMiss, ProductScratch, ProductState, Violation};
use super::store::{StateStore, StoredId};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId};
use crate::search::breadth_first::LazyProduct;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::specification::NodeId;
pub use crate::symmetry::GroupElement;

/// One transition of the unreduced system.
#[derive(Clone, Debug)]
pub struct RawStep {
    /// The event of the implementation.
    pub event: EventId,
    /// The event before hiding.
    pub shown: EventId,
    /// Components that move, each with its own event.
    pub parts: Vec<(u16, EventId)>,
    /// The state after the step; its `node` is meaningless if `allowed` is false.
    pub after: ProductState,
    /// Whether the specification allows the event.
    pub allowed: bool,
    /// The same step in the reduced automaton, if the run was unwound from there.
    pub reduced: Option<ReducedStep>,
}

/// A step of the reduced automaton.
#[derive(Clone, Debug)]
pub struct ReducedStep {
    /// The event of the representative.
    pub event: EventId,
    /// The representative after the step.
    pub after: ProductState,
    /// `π_i`: maps the raw state before the step to the representative before the step.
    pub pi: GroupElement,
}

/// A run of the unreduced system that ends in a violation.
#[derive(Clone, Debug)]
pub struct RawRun {
    /// The initial state.
    pub initial: ProductState,
    /// The steps.
    pub steps: Vec<RawStep>,
}

impl RawRun {
    /// The last state.
    #[must_use]
    pub fn end(&self) -> &ProductState {
        self.steps.last().map_or(&self.initial, |step| &step.after)
    }
}

/// The stored path from the initial state to this one.
#[must_use]
pub fn path_to(store: &StateStore, state: StoredId) -> Vec<StoredId> {
    let mut path = vec![state];
    let mut at = state;
    while !store.is_first(at) {
        at = store.parent(at);
        path.push(at);
    }
    path.reverse();
    path
}

/// A transition of the standard product automaton from a given state.
#[derive(Clone, Debug)]
pub(crate) struct ProductTransition {
    pub(crate) event: EventId,
    pub(crate) rule: u32,
    pub(crate) format: FormatId,
    pub(crate) locals: Vec<LocalId>,
}

impl ProductTransition {
    /// The target of the step, with node zero.
    pub(crate) fn target(&self) -> ProductState {
        ProductState {
            node: 0,
            format: self.format.0,
            locals: self.locals.clone(),
        }
    }
}

pub(crate) fn moves(
    product: &Product<'_>,
    at: &ProductState,
) -> std::result::Result<Vec<ProductTransition>, ProductMiss> {
    let mut found = Vec::new();
    let mut scratch = RuleScratch::default();
    product.network.successors::<ProductMiss>(
        product.locals,
        FormatId(at.format),
        &at.locals,
        &mut scratch,
        |s| {
            found.push(ProductTransition {
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

/// The behaviour at the end of a path of the reduced automaton.
#[derive(Clone, Copy, Debug)]
pub enum PathEnd {
    /// The last state has a violation.
    Violation(Violation),
    /// From this step on, the path is a cycle of τ.
    Loop(usize),
    /// No violation: the path leads to a requested state.
    Reached,
}

/// Unwinds a path of the reduced automaton. Returns the run and the permutation that maps its last state to the
/// representative.
///
/// # Errors
/// An evaluation error; or a broken invariant of the reduction, which is reported as an internal error instead of
/// showing a run that does not exist.
pub fn unwind(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    path: &[StoredId],
    end: PathEnd,
) -> Result<(RawRun, GroupElement)> {
    let initial = ProductState::initial(lazy.network);
    // For the permutation alone, which is the first π.
    let mut scratch = ProductScratch::default();
    lazy.complete(|product| {
        product
            .representative(
                0,
                FormatId(0),
                &initial.locals,
                &mut scratch.keeping.representative,
            )
            .map(|_| ())
    })?;
    // π_i maps the raw state to the reduced one (Sec. 3.5), up to bisimilar local states.
    let mut pi = current(&lazy.product(), &scratch);
    if lazy.keeping.is_some() {
        // Stored unpermuted, up to bisimilar local states.
        pi = identity(&lazy.product());
    }
    let mut run = RawRun {
        initial: initial.clone(),
        steps: Vec::new(),
    };
    let mut raw = initial;
    for (n, window) in path.windows(2).enumerate() {
        // On a cycle the event has to be τ, as another event may lead to the same state.
        let quiet = matches!(end, PathEnd::Loop(door) if n >= door);
        let step = (window[0], window[1], quiet);
        raw = advance(lazy, store, step, (&raw, &mut pi), &mut run.steps)?;
    }
    match end {
        // `laps`, which continues from here, checks whether the cycle closes.
        PathEnd::Loop(_) | PathEnd::Reached => {}
        PathEnd::Violation(Violation::Event(refused)) => {
            // The representative's event; π⁻¹ maps it to the event here.
            let event = inverse_event(lazy, &pi, refused);
            refuse_at_end(lazy, &raw, event, &mut run)?;
        }
        PathEnd::Violation(violation) => violates_at_end(lazy, &raw, violation)?,
    }
    Ok((run, pi))
}

/// All violations of a stored state: each event that the specification refuses, or else `first`, as the search found
/// it.
///
/// # Errors
/// An evaluation error.
pub fn violations_of(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    state: StoredId,
    first: Violation,
) -> Result<Vec<Violation>> {
    if !matches!(first, Violation::Event(_)) {
        return Ok(vec![first]);
    }
    lazy.complete(|product| {
        let mut at = ProductState::default();
        product.unpack(&store.pair(state), &mut at);
        let mut refused: Vec<EventId> = Vec::new();
        let from = product.followed_from_state(&at)?;
        for step in moves(product, &at)? {
            if !refused.contains(&step.event) && product.follow(from, step.event)?.is_none() {
                refused.push(step.event);
            }
        }
        Ok(refused.into_iter().map(Violation::Event).collect())
    })
}

/// Further steps of a cycle that are shown, at most.
const FURTHER_MAX: usize = 10_000;

/// A divergence of the unreduced system.
pub struct RawDivergence {
    /// The steps to the cycle, and its first lap.
    pub run: RawRun,
    /// Laps on the cycle of the reduced automaton until the unreduced state recurs.
    pub laps: usize,
    /// The steps of the laps after the first (none if they are too many).
    pub further: Vec<RawStep>,
}

/// Repeats a cycle of the reduced automaton until the unreduced run closes. The cycle is `cycle`, which ends with its
/// first state; the run has completed one lap, and the permutation maps its last state to the representative.
///
/// # Errors
/// An evaluation error; or a step that does not replay, which is an internal error.
pub fn laps(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    mut run: RawRun,
    mut pi: GroupElement,
    cycle: &[StoredId],
) -> Result<RawDivergence> {
    let lap = cycle.len() - 1;
    let door = run.steps.len() - lap;
    let start = door
        .checked_sub(1)
        .map_or(&run.initial, |before| &run.steps[before].after);
    // The state at the start of the cycle after each lap. Each lap permutes its values once more, and the group is
    // finite: one of these states recurs.
    let mut doors = vec![start.clone()];
    let mut at = run.end().clone();
    // The first ones may have been replaced by bisimilar states: then the cycle is entered later.
    let entered = loop {
        if let Some(n) = doors.iter().position(|door| *door == at) {
            break n;
        }
        doors.push(at.clone());
        for window in cycle.windows(2) {
            let step = (window[0], window[1], true);
            at = advance(lazy, store, step, (&at, &mut pi), &mut run.steps)?;
        }
    };
    // The run ends after one lap from the first recurring state.
    let mut further = run.steps.split_off(door + (entered + 1) * lap);
    if further.len() > FURTHER_MAX {
        further.clear();
    }
    Ok(RawDivergence {
        run,
        laps: doors.len() - entered,
        further,
    })
}

fn refuse_at_end(
    lazy: &mut LazyProduct<'_>,
    raw: &ProductState,
    event: EventId,
    run: &mut RawRun,
) -> Result<()> {
    let found = lazy.complete(|product| {
        let from = product.followed_from_state(raw)?;
        let allowed = product.follow(from, event)?.is_some();
        Ok((
            allowed,
            moves(product, raw)?.into_iter().find(|m| m.event == event),
        ))
    })?;
    match found {
        // The unreduced system has to perform the event, and its specification has to refuse it.
        (false, Some(step)) => {
            let after = ProductState {
                node: 0,
                format: step.format.0,
                locals: step.locals.clone(),
            };
            let step = raw_step(lazy, raw, &step, after, false);
            run.steps.push(step);
            Ok(())
        }
        _ => Err(broken(
            "the refused event of the counterexample does not replay",
        )),
    }
}

/// Verifies on the raw machine that the last state has the same violation.
fn violates_at_end(
    lazy: &mut LazyProduct<'_>,
    raw: &ProductState,
    violation: Violation,
) -> Result<()> {
    let found = violation_of(lazy, raw)?;
    // Compares the kind alone: an event in it is that of the representative.
    if found.map(|f| std::mem::discriminant(&f)) == Some(std::mem::discriminant(&violation)) {
        Ok(())
    } else {
        Err(broken("the end of the counterexample does not replay"))
    }
}

/// The violation of a state of the unreduced system whose events are all allowed.
///
/// # Errors
/// An evaluation error.
pub fn violation_of(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<Option<Violation>> {
    lazy.complete(|product| {
        let mut initials: Vec<EventId> = moves(product, at)?.iter().map(|m| m.event).collect();
        product.violation(at.node, &mut initials)
    })
}

/// Every step from a state of the unreduced system, in a fixed order.
///
/// # Errors
/// An evaluation error.
pub fn steps_from(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<Vec<RawStep>> {
    let found = lazy.complete(|product| {
        let mut found = Vec::new();
        let from = product.followed_from_state(at)?;
        for step in moves(product, at)? {
            let node = product.follow(from, step.event)?;
            found.push((step, node));
        }
        Ok(found)
    })?;
    let steps = found.into_iter().map(|(step, node)| {
        let mut after = step.target();
        after.node = node.unwrap_or_default();
        raw_step(lazy, at, &step, after, node.is_some())
    });
    Ok(steps.collect())
}

pub(crate) fn raw_step(
    lazy: &LazyProduct<'_>,
    before: &ProductState,
    step: &ProductTransition,
    after: ProductState,
    allowed: bool,
) -> RawStep {
    let rule = lazy
        .network
        .format(FormatId(before.format))
        .rules()
        .rule(step.rule);
    RawStep {
        event: step.event,
        shown: rule.shown,
        parts: rule.parts.to_vec(),
        after,
        allowed,
        reduced: None,
    }
}

pub(crate) fn broken(what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::nowhere("E0799", format!("internal error: {what}"))
            .note("the verdict is withheld; please report this with the script"),
    )
}

/// The members of a node of the specification, in a fixed order.
#[must_use]
pub fn node_members(lazy: &LazyProduct<'_>, node: u32) -> Vec<(FormatId, Vec<LocalId>)> {
    lazy.specification.as_ref().map_or_else(Vec::new, |s| {
        let members = s.members(NodeId(node)).map(|(f, l)| (f, l.to_vec()));
        let mut members: Vec<_> = members.collect();
        // Their numbers depend on the order of generation, which is not shown.
        members.sort_unstable();
        members
    })
}
