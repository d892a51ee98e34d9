//! What is said of states, once for the command line and the screen: documents of a state, of its structure, of two
//! states, and of a search; and pages to share that consist of these.

mod compared;
mod counts;
mod explained;
mod found;
mod shared_comparison;
mod shared_run;
mod structured;

pub use compared::GivenStates;
pub use explained::ExplainedState;
pub use found::FoundState;
pub use shared_comparison::SharedComparison;
pub use shared_run::{SharedRun, SharedViolation};
pub use structured::GivenStructure;

/// Columns that local states may take before they push what is beside them aside.
const STATE_MAX: usize = 60;

/// The way to a state: `<a, b>`, or `no event`.
fn path_text(path: &[String]) -> String {
    match path {
        [] => "no event".to_owned(),
        path => format!("<{}>", path.join(", ")),
    }
}
