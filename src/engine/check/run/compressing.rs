//! Compression of a large specification during its check.

use super::Check;
use crate::check::options::Options;
use crate::check::plan::Plan;
use crate::check::question::Question;
use crate::source::diagnostic::Result;
use crate::specification::{Specification, SpecificationMerged, SpecificationMerging};

/// States explored for compression, for each state reached.
const FOR_EACH: usize = 4;
/// The growth of the specification, as a factor, until it is compressed again.
const AGAIN: usize = 2;

/// How far the specification was compressed.
pub(super) struct SpecificationCompression {
    /// The number of states of the specification at which it is compressed before the search goes on.
    pub(super) at: usize,
    /// The way to merge its states, if they may be merged.
    pub(super) merging: Option<SpecificationMerging>,
    /// Statistics of the compression.
    pub(super) merged: Option<SpecificationMerged>,
}

impl SpecificationCompression {
    /// Creates the initial state, before any compression.
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
    /// Whether the specification may be compressed. Not if structural symmetry relies on its present nodes.
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

    /// Whether compression is due.
    pub(super) fn is_compressing_due(&self) -> bool {
        let specification = self.specification.as_ref();
        let met = specification.map_or(0, Specification::met);
        self.may_compress() && met >= self.compression.at
    }

    /// Continues compression. Returns whether the specification was replaced, so that the search has to restart.
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
