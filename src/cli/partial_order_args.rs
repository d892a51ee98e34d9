//! Arguments of `check` for partial order reduction.

use clap::Args;

/// Which steps are left out.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PartialOrderArgs {
    /// Leave out steps that can be taken later as well (partial order reduction), as if every assertion said
    /// `:[partial order reduce]`.
    #[arg(long, conflicts_with_all = ["state_symmetry", "adaptive", "count_full", "both"])]
    pub por: bool,
    /// Leave out no steps, also where an assertion says `:[partial order reduce]`.
    #[arg(long, conflicts_with = "por")]
    pub no_por: bool,
    /// Where an assertion fails and steps were left out, states skipped, or a random run met that, search once more
    /// with all steps, through at most a million states, so that the counterexample is a shortest one. The report says what came of that.
    #[arg(long, conflicts_with_all = ["no_por", "both"])]
    pub shortest: bool,
}
