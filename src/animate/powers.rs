//! The symmetry in the structure of an open process, searched once, and the images of its states.

use super::engine::ScriptEngine;
use super::imaged::{ProcessSymmetry, StateImage};
use super::kept_symmetry::KeptSymmetry;
use super::model::{ErrorText, StateId};
use crate::check::Options;
use crate::lab::examined::of_process;
use crate::report::words;

/// The error where a state of the process does not exist in the network that was searched for symmetry.
const ELSEWHERE: &str = "a local state of this state was not met where symmetry was looked for";

impl ScriptEngine {
    /// Finds the symmetry in the structure of a state's process. It is searched once.
    ///
    /// # Errors
    /// The process cannot be compiled, or a limit was reached.
    pub fn symmetry_of(&mut self, state: StateId) -> Result<ProcessSymmetry, ErrorText> {
        if let Some(kept) = &self.entry(state)?.symmetry {
            return Ok(kept.view().clone());
        }
        let kept = self.look_for_symmetry(state)?;
        let view = kept.view().clone();
        self.entry(state)?.symmetry = Some(Box::new(kept));
        Ok(view)
    }

    fn look_for_symmetry(&self, state: StateId) -> Result<KeptSymmetry, ErrorText> {
        let budget = self.budget.from_now();
        let options = Options {
            limits: budget.limits,
            ..Options::default()
        };
        let process = self.process_of(state)?;
        self.with_process(process, |loaded, expr| {
            let examined = of_process(loaded, expr, &options, &budget.cancel);
            let examined = examined.map_err(|d| words::error_text(&d, &loaded.sources))?;
            Ok(KeptSymmetry::new(examined, process))
        })
    }

    /// The image of a state under a power of one of the generators from [`Self::symmetry_of`]. No step is taken.
    ///
    /// # Errors
    /// The errors of that search, and the reason if there is no image.
    pub fn image(
        &mut self,
        state: StateId,
        generator: usize,
        power: u64,
    ) -> Result<StateImage, ErrorText> {
        self.symmetry_of(state)?;
        let budget = self.budget.clone();
        let entry = self.entry(state)?;
        let Some(kept) = &mut entry.symmetry else {
            return Err(ErrorText::line(ELSEWHERE));
        };
        kept.bound(&budget);
        if let Some(why) = kept.unknown() {
            return Err(ErrorText::line(why));
        }
        let taken = kept.taken(&mut entry.opened, state);
        let taken = taken.map_err(|d| words::error_text(&d, &entry.sources))?;
        let image = taken.and_then(|state| kept.image(&state, generator, power));
        image.ok_or_else(|| ErrorText::line(ELSEWHERE))
    }
}
