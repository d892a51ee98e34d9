//! When a large specification is made smaller while its check goes on.

use super::Check;
use crate::check::options::Options;
use crate::check::plan::Plan;
use crate::check::question::Question;
use crate::source::diagnostic::Result;
use crate::specification::{Specification, SpecificationMerged, SpecificationMerging};

/// How many states are explored for that, for each that was met.
const FOR_EACH: usize = 4;
/// It is the turn of the search until it has met so many times as many states.
const AGAIN: usize = 2;

/// How far the specification was made smaller.
pub(super) struct SpecificationCompression {
    /// States of the specification from which on it is made smaller before the search goes on.
    pub(super) at: usize,
    /// How its states are merged then, if they may be.
    pub(super) merging: Option<SpecificationMerging>,
    /// What came of it.
    pub(super) merged: Option<SpecificationMerged>,
}

impl SpecificationCompression {
    /// Before any was made smaller.
    pub(super) fn new(question: &Question<'_>, plan: &Plan, options: &Options) -> Self {
        let merges = options.merging && !options.count_full;
        Self {
            at: options.compress_after,
            merging: merges.then(|| SpecificationMerging {
                compared: question.compared(),
                permutes: plan.structure,
            }),
            merged: None,
        }
    }
}

impl Check {
    /// Whether that may be. Not where symmetry of the structure rests on the nodes that there are.
    pub(super) fn may_compress(&self) -> bool {
        let specification = self.specification.as_ref();
        let is_tied = self
            .structure
            .group
            .as_ref()
            .is_some_and(|group| group.ties());
        self.compression.merging.is_some()
            && !is_tied
            && specification.is_some_and(Specification::may_compress)
    }

    /// Whether it is time to go on with it.
    pub(super) fn is_compressing_due(&self) -> bool {
        let specification = self.specification.as_ref();
        let met = specification.map_or(0, Specification::met);
        self.may_compress() && met >= self.compression.at
    }

    /// Goes on with that; whether the specification is another one now, so that the search has to begin anew.
    pub(super) fn compress(&mut self) -> Result<bool> {
        let (Some(specification), Some(merging)) =
            (&mut self.specification, self.compression.merging)
        else {
            return Ok(false);
        };
        let met = specification.met();
        self.compression.at = AGAIN * met;
        let most = FOR_EACH * met;
        self.compression.merged = specification.compress(&mut self.machine, most, merging)?;
        Ok(self.compression.merged.is_some())
    }
}
