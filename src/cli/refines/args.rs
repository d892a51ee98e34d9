//! Arguments of `refines`: the flags of FDR4's program of that name.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::session::SessionOptions;

/// Exit codes and the limits of likeness, at the end of the help.
pub const REFINES_CODES: &str = "Exit codes:
  0 every assertion was decided, whether it passed or failed    2 usage or I/O error
  3 a script has errors, or an assertion could not be checked   4 a limit was reached
  5 the memory limit was reached                                101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

`orbitscope help refines` says which of it is known of FDR4 and which is a guess; `orbitscope check` tells by
its exit code whether an assertion fails.";

/// Arguments of `refines`.
#[derive(Clone, Debug, Args)]
pub struct RefinesArgs {
    /// The scripts, checked one after the other; `-` reads standard input.
    #[arg(required_unless_present = "version")]
    pub files: Vec<PathBuf>,
    /// One line an assertion: no figures, no counterexamples.
    #[arg(short, long)]
    pub brief: bool,
    /// Without effect here.
    #[arg(short, long)]
    pub divide: bool,
    /// Form of the results. Default: colour on a terminal, else plain.
    #[arg(short, long, value_enum)]
    pub format: Option<RefinesFormat>,
    /// Results only: no log, no progress, no warnings.
    #[arg(short, long)]
    pub quiet: bool,
    /// Check types only.
    #[arg(short, long)]
    pub typecheck: bool,
    /// Name the events behind the silent steps of counterexamples.
    #[arg(long)]
    pub reveal_taus: bool,
    /// Refused: there is no way to check on another machine.
    #[arg(long, value_name = "HOST")]
    pub remote: Option<String>,
    /// Refused: scripts are read with their includes, and never packed.
    #[arg(long, value_name = "OUT")]
    pub archive: Option<PathBuf>,
    /// Print the version.
    #[arg(long)]
    pub version: bool,
    /// Session options of FDR4.
    #[command(flatten)]
    pub session: SessionOptions,
}

/// Form of the results of `refines`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RefinesFormat {
    /// Text in colours.
    #[value(alias = "color")]
    Colour,
    /// Text.
    Plain,
    /// One JSON object a script, in one line.
    Json,
    /// One JSON object an assertion, in one line, as soon as it is decided.
    #[value(name = "framed_json")]
    FramedJson,
    /// Refused.
    Xml,
    /// Refused.
    Yaml,
}

impl RefinesArgs {
    /// What is asked for and cannot be had, as a sentence.
    pub fn refused(&self) -> Option<&'static str> {
        if self.remote.is_some() {
            return Some("`--remote` is not supported: start `orbitscope refines` on that machine");
        }
        if self.archive.is_some() {
            return Some(
                "`--archive` is not supported: no file is made of a script and its includes",
            );
        }
        match self.format {
            Some(RefinesFormat::Xml) => {
                Some("results are not written as XML: `--format json` has all of them")
            }
            Some(RefinesFormat::Yaml) => Some(
                "results are not written as YAML: `--format json` has all of them, and every JSON text is YAML",
            ),
            _ => None,
        }
    }
}
