//! Changes of format of a network: a cache of their outcomes, and their application to a vector of local
//! states.

use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::reconfigure::LeafOrigin;
use super::rules::{LedRule, Rules};
use super::tree::Turn;
use crate::source::hash::Map;

/// Replacement of component `i`, which has reached a parallel composition, by several.
#[derive(Clone, Debug)]
struct Replacement {
    format: FormatId,
    locals: Vec<LocalId>,
}

/// Operators end.
#[derive(Clone, Debug)]
struct Reconfiguration {
    format: FormatId,
    leaves: Vec<LeafOrigin>,
}

/// Scratch buffers for changing a vector.
#[derive(Debug, Default)]
pub(super) struct ChangeScratch {
    /// The vector after the changes.
    changed: Vec<LocalId>,
    /// Places of the components to unroll.
    places: Vec<u16>,
}

/// All changes computed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// For a component that reached a parallel composition; `None` if the composition stays inside the component.
    replacements: Map<(FormatId, u16, LocalId), Option<Replacement>>,
    /// For operators that end. By turns, not by rule: rules are renumbered when a component shows a new
    /// event.
    reconfigurations: Map<FormatId, Map<Box<[Turn]>, Reconfiguration>>,
}

impl Changes {
    /// Decides that a parallel composition stays inside the component of a format that reached it.
    pub(super) fn keep_inside(&mut self, format: FormatId, component: u16, local: LocalId) {
        self.replacements.insert((format, component, local), None);
    }

    /// Decides that a component that has reached a local state becomes several, in these local states.
    pub(super) fn unroll(
        &mut self,
        format: FormatId,
        component: u16,
        local: LocalId,
        to: FormatId,
        locals: Vec<LocalId>,
    ) {
        let change = Replacement { format: to, locals };
        let key = (format, component, local);
        self.replacements.insert(key, Some(change));
    }

    /// Decides the outcome when operators of a format end: the new format and its components.
    pub(super) fn reconfigure(
        &mut self,
        format: FormatId,
        turns: Box<[Turn]>,
        to: FormatId,
        leaves: Vec<LeafOrigin>,
    ) {
        let change = Reconfiguration { format: to, leaves };
        let known = self.reconfigurations.entry(format).or_default();
        known.insert(turns, change);
    }

    /// Computes the format and vector after operators ended and components that became parallel compositions
    /// were unrolled.
    pub(super) fn apply<'a, E: From<Miss>>(
        &self,
        locals: &Locals,
        rules: &Rules,
        (format, fire): (FormatId, &LedRule),
        choices: &[(u16, (u32, u32))],
        next: &'a [LocalId],
        scratch: &'a mut ChangeScratch,
    ) -> Result<(FormatId, &'a [LocalId]), E> {
        let is_parallel = |c: u16| locals.outline(next[c as usize]).is_parallel();
        let mut moved = choices.iter().map(|(c, _)| *c).filter(|c| is_parallel(*c));
        // Nearly always nothing changes, and the vector is passed on as it is.
        if !fire.turns && moved.clone().next().is_none() {
            return Ok((format, next));
        }
        let ChangeScratch { changed, places } = scratch;
        changed.clear();
        places.clear();
        let mut format = format;
        if fire.turns {
            // First the operators that end: the places of components are those of the format after it.
            let turns = &rules.rule(fire.rule).turns;
            let known = self.reconfigurations.get(&format);
            let Some(change) = known.and_then(|t| t.get(turns)) else {
                return Err(Miss::Turn(format, fire.rule).into());
            };
            for left in &change.leaves {
                changed.push(match left {
                    LeafOrigin::New(local) => *local,
                    LeafOrigin::Old(component) => {
                        // A component that moved and is still there may have become a composition as well.
                        if moved.clone().any(|c| c == *component) {
                            places.push(changed.len() as u16);
                        }
                        next[*component as usize]
                    }
                });
            }
            format = change.format;
        } else {
            changed.extend_from_slice(next);
            places.extend(&mut moved);
        }
        // From the right, so that the remaining positions do not shift.
        places.sort_unstable_by(|a, b| b.cmp(a));
        for &component in &*places {
            let local = changed[component as usize];
            match self.replacements.get(&(format, component, local)) {
                None => return Err(Miss::Change(format, component, local).into()),
                Some(None) => {}
                Some(Some(change)) => {
                    format = change.format;
                    let at = component as usize;
                    changed.splice(at..=at, change.locals.iter().copied());
                }
            }
        }
        Ok((format, changed))
    }
}
