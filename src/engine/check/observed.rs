//! Observations of refusals on a run before its end, for refusal testing.

use super::outcome::RunEnding;
use crate::machine::EventId;
use crate::search::breadth_first::LazyProduct;
use crate::search::counterexample::{RawRun, moves};
use crate::search::followed::FollowedFrom;
use crate::search::product::{Product, ProductMiss, ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::specification::settle;

/// The offer of the last state of a run: its events in ascending order, or ✓ alone if it can terminate.
///
/// # Errors
/// An evaluation error.
pub fn offers(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<Vec<EventId>> {
    lazy.complete(|product| {
        let mut initials: Vec<EventId> = moves(product, at)?.iter().map(|m| m.event).collect();
        settle(&mut initials);
        Ok(initials)
    })
}

/// For each step of a run, the offer of the state before it, if the refusal of all other events is observed.
pub type Observations = Vec<Option<Vec<EventId>>>;

/// Steps of a run up to which needless observations are dropped: each is tried by a replay of the whole run.
const STEPS_MAX: usize = 500;

/// The observations on a run that make its end a violation; none but in refusal testing. The nodes of the run become
/// those after these observations: the search makes all possible ones.
///
/// # Errors
/// An evaluation error.
pub fn observations(
    lazy: &mut LazyProduct<'_>,
    run: &mut RawRun,
    ending: &RunEnding,
) -> Result<Observations> {
    let count = run.steps.len();
    if !lazy.demands.refusal_testing {
        return Ok(vec![None; count]);
    }
    let states = || std::iter::once(&run.initial).chain(run.steps.iter().map(|s| &s.after));
    let mut offered = Vec::with_capacity(count + 1);
    for (n, at) in states().enumerate() {
        // No observation follows an event that is not allowed.
        let last = n == count && *ending == RunEnding::Refused;
        offered.push(if last { Vec::new() } else { events(lazy, at)? });
    }
    let is_stable = |events: &Vec<EventId>| {
        !events.is_empty() && !events.contains(&EventId::TAU) && !events.contains(&EventId::TICK)
    };
    let mut kept: Vec<bool> = offered[..count].iter().map(is_stable).collect();
    let mut nodes = lazy.complete(|product| nodes(product, run, ending, &offered, &kept))?;
    if count <= STEPS_MAX {
        for n in 0..count {
            lazy.machine.eval.check_time()?;
            if !std::mem::replace(&mut kept[n], false) {
                continue;
            }
            let without =
                lazy.complete(|product| self::nodes(product, run, ending, &offered, &kept))?;
            match without {
                Some(without) => nodes = Some(without),
                None => kept[n] = true,
            }
        }
    }
    for (step, node) in run.steps.iter_mut().zip(nodes.into_iter().flatten()) {
        step.after.node = node;
    }
    let kept = kept.into_iter().zip(offered);
    Ok(kept
        .map(|(kept, mut offered)| {
            settle(&mut offered);
            kept.then_some(offered)
        })
        .collect())
}

fn events(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<Vec<EventId>> {
    lazy.complete(|product| Ok(moves(product, at)?.iter().map(|m| m.event).collect()))
}

/// The nodes after the steps of a run with some offers observed; `None` if its end is then no violation.
fn nodes(
    product: &Product<'_>,
    run: &RawRun,
    ending: &RunEnding,
    offered: &[Vec<EventId>],
    kept: &[bool],
) -> std::result::Result<Option<Vec<u32>>, ProductMiss> {
    let mut node = run.initial.node;
    let mut nodes = Vec::with_capacity(run.steps.len());
    for (n, step) in run.steps.iter().enumerate() {
        // From there on everything is allowed.
        if product.is_cut_off(node)? {
            return Ok(None);
        }
        let from = match kept[n] {
            true => product.followed_from(node, &offered[n])?,
            false => FollowedFrom::node(node),
        };
        match product.follow(from, step.event)? {
            Some(next) if step.allowed => node = next,
            None if !step.allowed => {}
            _ => return Ok(None),
        }
        nodes.push(node);
    }
    let is_wrong = match ending {
        RunEnding::Refusal => {
            let mut at_end = offered[run.steps.len()].clone();
            product.violation(node, &mut at_end)? == Some(Violation::Refusal)
        }
        // The violation lies in the last step alone, or in its repetition.
        _ => true,
    };
    Ok((is_wrong && !product.is_cut_off(node)?).then_some(nodes))
}
