//! Arguments of `check` for scripts with many assertions.

use std::path::PathBuf;

use clap::Args;

use super::units;

/// What is for many assertions, checked one after the other and again after each edit.
#[derive(Clone, Debug, Default, Args)]
pub struct ManyArgs {
    /// Stop the check of an assertion after this time, as 90s, 10m or 2h, counted from when it begins and with
    /// compiling: it is inconclusive then, and the next one is checked. With `--both` its two runs share the time. Beside
    /// `--timeout`, whichever is over first ends the check.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout_each: Option<std::time::Duration>,
    /// Report assertions that were decided by an earlier run with this option and of which nothing has changed since
    /// without checking them: no definition that they reach, no option that matters, and not the program. The
    /// report says which. Counterexamples are replayed before they are shown.
    #[arg(long, conflicts_with_all = ["both", "adaptive"])]
    pub cached: bool,
    /// Where decided results are kept. Default: orbitscope/results in the user's folder for caches ($XDG_CACHE_HOME, or
    /// ~/.cache).
    #[arg(long, value_name = "FOLDER", requires = "cached")]
    pub cache_dir: Option<PathBuf>,
}
