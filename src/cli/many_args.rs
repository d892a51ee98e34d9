//! Arguments of `check` for scripts with many assertions.

use clap::Args;

use super::units;

/// What is for many assertions, checked one after the other.
#[derive(Clone, Debug, Default, Args)]
pub struct ManyArgs {
    /// Stop the check of an assertion after this time, as 90s, 10m or 2h, counted from when it begins and with
    /// compiling: it is inconclusive then, and the next one is checked. With `--both` its two runs share the time. Beside
    /// `--timeout`, whichever is over first ends the check.
    #[arg(long, value_name = "TIME", value_parser = units::duration, overrides_with = "timeout_each")]
    pub timeout_each: Option<std::time::Duration>,
}
