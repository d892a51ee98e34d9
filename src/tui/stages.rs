//! The stages of long work, in words.

use crate::animate::worker::ReachedStage;
use crate::report::numbers::counted;
use crate::source::WorkStage;

/// The work of a stage: `compiling`.
#[must_use]
pub fn work(stage: WorkStage) -> &'static str {
    match stage {
        WorkStage::Compiling => "compiling",
        WorkStage::Compressing => "exploring a process to compress it",
        WorkStage::Normalising => "normalising the specification",
        WorkStage::Looking => "looking for symmetry in the structure",
        WorkStage::Searching => "searching",
    }
}

/// What a stage has counted: `12,400 local states so far`.
#[must_use]
pub fn so_far((stage, count): ReachedStage) -> String {
    let what = match stage {
        WorkStage::Compiling => "local state",
        WorkStage::Compressing | WorkStage::Searching => "state",
        WorkStage::Normalising => "node",
        WorkStage::Looking => "step",
    };
    format!("{} so far", counted(count, what))
}
