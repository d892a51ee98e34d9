//! The symmetry in the structure of an open process, once it was found, and the images of states under the powers of
//! a generator.
//!
//! The search is that of `orbitscope symmetry`: in a network of its own, without datatypes, in which bisimilar local
//! states are merged. States of the animator have other numbers there, so they are found by digests, which are equal
//! in all machines of a script ([`process::digest`](orbitscope_language::process::digest)).

use super::imaged::{ImagePart, ProcessSymmetry, StateImage};
use super::model::StateId;
use super::opened::AnimatedProcess;
use crate::check::structural::why_unknown;
use crate::lab::examined::{Examined, FoundInStructure};
use crate::machine::digests::{Digest, MachineDigests};
use crate::machine::{FormatId, LocalId};
use crate::report::structure;
use crate::source::Budget;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::Map;

/// The symmetry of an open process.
pub(super) struct KeptSymmetry {
    examined: Examined,
    view: ProcessSymmetry,
    /// The local states of its components, by digests that are equal in all machines.
    locals: Map<Digest, LocalId>,
}

impl KeptSymmetry {
    pub(super) fn new(mut examined: Examined, process: &str) -> Self {
        let told = structure::view(None, process, &mut examined);
        let generators = match &examined.found {
            Ok(found) => &found.symmetries.generators[..],
            Err(_) => &[],
        };
        let orders = generators.iter().map(|g| g.order_on_states()).collect();
        Self {
            view: ProcessSymmetry {
                document: told.document(),
                told,
                orders,
            },
            examined,
            locals: Map::default(),
        }
    }

    /// The symmetry for the screen.
    pub(super) fn view(&self) -> &ProcessSymmetry {
        &self.view
    }

    /// The reason why there is no group; `None` if one was searched.
    pub(super) fn unknown(&self) -> Option<&'static str> {
        let found = self.examined.found.as_ref();
        found.err().map(|unknown| why_unknown(*unknown))
    }

    /// Sets the limits of the next request.
    pub(super) fn bound(&mut self, budget: &Budget) {
        let eval = &mut self.examined.system.machine.eval;
        eval.limit(&budget.limits.from_now(), budget.cancel.clone());
    }

    /// The state of the network here that a state of the animator is.
    pub(super) fn taken(
        &mut self,
        opened: &mut AnimatedProcess,
        id: StateId,
    ) -> Checked<Option<Vec<LocalId>>> {
        if self.locals.is_empty() {
            self.learn_locals()?;
        }
        let (format, state) = opened.state(id);
        // The symmetry is one of the components and operators that the network begins with.
        if format != FormatId(0) {
            return Ok(None);
        }
        let AnimatedProcess {
            machine, digests, ..
        } = opened;
        let local = |local: &LocalId| {
            let digest = machine.digest_local(*local, digests);
            self.locals.get(&digest).copied()
        };
        Ok(state.iter().map(local).collect())
    }

    fn learn_locals(&mut self) -> Checked<()> {
        let mut known = MachineDigests::default();
        let system = &mut self.examined.system;
        for reach in system.network.first().reach() {
            for local in &reach.locals {
                system.machine.eval.check_step()?;
                let digest = system.machine.digest_local(*local, &mut known);
                self.locals.insert(digest, *local);
            }
        }
        Ok(())
    }

    /// The image of a state under a power of a generator; none if it is no state of this network.
    pub(super) fn image(
        &mut self,
        state: &[LocalId],
        generator: usize,
        power: u64,
    ) -> Option<StateImage> {
        let Examined { system, found, .. } = &mut self.examined;
        let FoundInStructure {
            structure,
            symmetries,
            ..
        } = found.as_ref().ok()?;
        if state.len() != structure.points.components() {
            return None;
        }
        let element = symmetries.generators.get(generator)?.power(power);
        let image = element.state(structure, state)?;
        let before = structure.points_of(state)?;
        let after = structure.points_of(&image)?;
        let mut parts = vec![ImagePart::default(); state.len()];
        for component in 0..state.len() {
            parts[element.component(component)].from = component;
        }
        for (component, part) in parts.iter_mut().enumerate() {
            part.is_changed = before[component] != after[component];
            // An unmoved component is shown as it is, and not as the bisimilar state that represents it.
            let local = if part.is_changed {
                image[component]
            } else {
                state[component]
            };
            part.text = system.machine.show_local(local);
        }
        Some(StateImage {
            is_same: before == after,
            is_up_to_alike: system.network.first().merged().count > 0,
            parts,
        })
    }
}
