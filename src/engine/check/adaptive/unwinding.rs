//! Unwinding of an entry with a violation to a run of the unreduced system.
//!
//! The run is found backwards: a pair that an entry represents is an image, under some g of the entry's group, of the
//! stored pair. The stored pair was reached from an image of the parent by a step, which is computed again, and g maps
//! the whole step. Then the run is replayed on the raw machine, which relies on none of this.

use super::groups::CellGroups;
use super::search::{Entries, ViolatingEntry, first, image, key_under, steps_of, target};
use crate::search::breadth_first::LazyProduct;
use crate::search::counterexample::{
    ProductTransition, RawRun, broken, moves, raw_step, violation_of,
};
use crate::search::product::{ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::structure::element::Automorphism;
use crate::symmetry::Representative;

const LOST: &str = "a step of the counterexample does not replay";

/// The run to an image of an entry that violates the demands.
///
/// # Errors
/// An evaluation error; or a run that does not replay, which is reported as an internal error.
pub(in super::super) fn unwind_entry(
    lazy: &mut LazyProduct<'_>,
    groups: &mut CellGroups,
    entries: &Entries,
    violating: ViolatingEntry,
) -> Result<RawRun> {
    let pairs = pairs_to(lazy, groups, entries, violating)?;
    let start = first(&lazy.product());
    let mut raw = ProductState::initial(lazy.network);
    let mut run = RawRun {
        initial: raw.clone(),
        steps: Vec::new(),
    };
    if pairs.first() != Some(&start) {
        return Err(broken(LOST));
    }
    for pair in &pairs[1..] {
        lazy.machine.eval.check_time()?;
        let found = lazy.complete(|product| {
            let from = product.followed_from_state(&raw)?;
            for step in moves(product, &raw)? {
                let node = product.follow(from, step.event)?;
                let step = (step, node);
                if target(product, &step).as_ref() == Some(pair) {
                    return Ok(Some(step));
                }
            }
            Ok(None)
        })?;
        let Some((step, Some(node))) = found else {
            return Err(broken(LOST));
        };
        let after = ProductState {
            node,
            ..end_of(&step)
        };
        run.steps
            .push(raw_step(lazy, &raw, &step, after.clone(), true));
        raw = after;
    }
    violate(lazy, &raw, violating.violation, &mut run)?;
    Ok(run)
}

fn end_of(step: &ProductTransition) -> ProductState {
    ProductState {
        node: 0,
        format: step.format.0,
        locals: step.locals.clone(),
    }
}

/// Verifies on the raw machine that the end of a run has the same violation.
fn violate(
    lazy: &mut LazyProduct<'_>,
    raw: &ProductState,
    violation: Violation,
    run: &mut RawRun,
) -> Result<()> {
    if !matches!(violation, Violation::Event(_)) {
        let found = violation_of(lazy, raw)?;
        let same = |f: Violation| std::mem::discriminant(&f) == std::mem::discriminant(&violation);
        return match found.is_some_and(same) {
            true => Ok(()),
            false => Err(broken("the end of the counterexample does not replay")),
        };
    }
    let refused = lazy.complete(|product| {
        let from = product.followed_from_state(raw)?;
        for step in moves(product, raw)? {
            if product.follow(from, step.event)?.is_none() {
                return Ok(Some(step));
            }
        }
        Ok(None)
    })?;
    let Some(step) = refused else {
        return Err(broken(
            "the refused event of the counterexample does not replay",
        ));
    };
    let after = end_of(&step);
    run.steps.push(raw_step(lazy, raw, &step, after, false));
    Ok(())
}

/// The pairs from the initial one to the violating image.
fn pairs_to(
    lazy: &mut LazyProduct<'_>,
    groups: &mut CellGroups,
    entries: &Entries,
    violating: ViolatingEntry,
) -> Result<Vec<ProductState>> {
    let mut at = violating.entry;
    let (group, mut state) = entries.get(&lazy.product(), at);
    let all = groups.images(lazy.machine, group)?;
    let element = all.and_then(|all| all.get(violating.image)).cloned();
    let Some(mut by) = element else {
        return Err(broken(LOST));
    };
    let mut pairs = Vec::new();
    loop {
        let Some(pair) = image(groups, &by, &state) else {
            return Err(broken(LOST));
        };
        pairs.push(pair);
        let Some(parent) = entries.parent(at) else {
            break;
        };
        // The step leads to an image of the stored pair; `by` maps that to the pair of the run.
        let (number, to_stored) = step_between(lazy, groups, entries, parent, at)?;
        let (group, before) = entries.get(&lazy.product(), parent);
        let all = groups.images(lazy.machine, group)?;
        let Some(element) = all.and_then(|all| all.get(number)) else {
            return Err(broken(LOST));
        };
        by = element.then(&to_stored).then(&by);
        (at, state) = (parent, before);
    }
    pairs.reverse();
    Ok(pairs)
}

/// The image of the parent that an entry was reached from, and the element that maps the successor to the stored pair.
fn step_between(
    lazy: &mut LazyProduct<'_>,
    groups: &mut CellGroups,
    entries: &Entries,
    from: u32,
    to: u32,
) -> Result<(usize, Automorphism)> {
    let (group, state) = entries.get(&lazy.product(), from);
    let count = groups.images(lazy.machine, group)?.map_or(0, <[_]>::len);
    let (wanted, _) = entries.get(&lazy.product(), to);
    let (mut out, mut key) = (Representative::default(), Vec::new());
    for number in 0..count {
        lazy.machine.eval.check_time()?;
        let images = groups.images(lazy.machine, group)?;
        let element = images.and_then(|all| all.get(number)).cloned();
        let Some(at) = element.and_then(|element| image(groups, &element, &state)) else {
            return Err(broken(LOST));
        };
        let (steps, _) = lazy.complete(|product| steps_of(product, &at))?;
        for step in &steps {
            let class = groups.class_of(step.0.rule);
            if groups.after(lazy.machine, group, class)? != wanted {
                continue;
            }
            let Some(next) = target(&lazy.product(), step) else {
                continue;
            };
            lazy.complete(|product| {
                key_under(product, groups, (wanted, &next), &mut out, &mut key)
            })?;
            if entries.find(&key) == Some(to) {
                return Ok((number, groups.least(wanted).found(&out.structural)));
            }
        }
    }
    Err(broken(LOST))
}
