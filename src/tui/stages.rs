//! The stages of long work, in words.

use crate::animate::worker::ReachedStage;
use crate::report::numbers::counted;
use crate::source::WorkStage;

/// The work of a stage: `compiling`.
#[must_use]
pub fn work(stage: WorkStage) -> &'static str {
    match stage {
        WorkStage::Reading => "reading the script",
        WorkStage::Typing => "inferring types",
        WorkStage::Compiling => "compiling",
        WorkStage::Compressing => "exploring a process to compress it",
        WorkStage::Normalising => "normalising the specification",
        WorkStage::Looking => "looking for symmetry in the structure",
        WorkStage::Searching => "searching",
        WorkStage::Diverging => "looking for divergence",
        WorkStage::Replaying => "following the run",
    }
}

/// What a stage has counted: `12,400 local states so far`.
#[must_use]
pub fn so_far((stage, count): ReachedStage) -> String {
    let what = match stage {
        WorkStage::Reading => "line",
        WorkStage::Typing => "declaration",
        WorkStage::Compiling => "local state",
        WorkStage::Compressing | WorkStage::Searching => "state",
        WorkStage::Normalising => "node",
        WorkStage::Looking | WorkStage::Diverging | WorkStage::Replaying => "step",
    };
    format!("{} so far", counted(count, what))
}
