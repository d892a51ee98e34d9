//! Arguments of `family`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::args::{Colour, OutputFormat};
use super::units;

pub const FAMILY_CODES: &str = "Exit codes:
  0 every assertion holds at every size      1 one fails at some size      2 usage or I/O error
  3 the script has errors or needs something unsupported
  4 a limit on time was reached at some size, 5 one on memory               101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results
101 outranks 3, a signal, 1, 5, 4 and 0, in this order. With --ring: 1 if a size is another circle, 4 if
none is read as one.

What has a size: a datatype whose values are interchangeable (Def. 23), a definition NAME = {literals}, which
becomes a datatype if the script keeps its types, and a number N = 5. One is changed at a time; the others stay as
they are written. After a limit, larger sizes are not tried. What a theorem says of all sizes of a datatype or
set is called PROVED, what was searched checked; `help families` states the theorems. The line `together` is about any
number of components with any number of data (`help coverability`). JSON follows the schema orbitscope.family/1.";

/// Arguments of `family`.
#[derive(Clone, Debug, Args)]
pub struct FamilyArgs {
    /// The script.
    pub file: PathBuf,
    /// Only assertion N (from 1).
    #[arg(short = 'a', long, value_name = "N")]
    pub assertion: Option<usize>,
    /// Change the sizes of these only.
    #[arg(long, value_delimiter = ',', value_name = "TYPE|NAME,…")]
    pub of: Vec<String>,
    /// The sizes to check, as 1..6 or 3.
    #[arg(long, value_name = "SIZES", default_value = "1..6", value_parser = sizes)]
    pub sizes: SizeRange,
    /// Check the sizes, and prove nothing of others.
    #[arg(long)]
    pub no_proof: bool,
    /// Read a circle of components, whose number is N, as automata (`help patterns`), and compare it at the sizes.
    #[arg(long, value_name = "N", requires = "process", conflicts_with_all = ["assertion", "of", "no_proof"])]
    pub ring: Option<String>,
    /// The process that is a circle.
    #[arg(short, long, requires = "ring")]
    pub process: Option<String>,
    /// Write the automata of a circle to this file, for `orbitscope pattern`.
    #[arg(short, long, value_name = "FILE.pat", requires = "ring")]
    pub output: Option<PathBuf>,
    /// Stop the check at a size after this time, as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the program takes this much memory, as 500M or 8G, or never: none. Default: three
    /// quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<units::Memory>,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Results only: no progress, no warnings.
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t)]
    pub color: Colour,
}

/// Sizes to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeRange(pub RangeInclusive<usize>);

/// The largest size that can be asked for.
const SIZE_MAX: usize = 1000;

/// `1..6`, or `3`.
fn sizes(text: &str) -> Result<SizeRange, String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| {
        let number = text.trim().parse().ok();
        number.filter(|n| (1..=SIZE_MAX).contains(n))
    };
    match (number(low), number(high)) {
        (Some(low), Some(high)) if low <= high => Ok(SizeRange(low..=high)),
        _ => Err(format!(
            "write sizes from 1 to {SIZE_MAX} as 1..6, or one as 3"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_a_range_or_one() {
        assert_eq!(sizes("1..6"), Ok(SizeRange(1..=6)));
        assert_eq!(sizes("3"), Ok(SizeRange(3..=3)));
        for wrong in ["0..2", "4..2", "..", "1..", "x", "1..5000"] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }
}
