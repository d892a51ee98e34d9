//! What can be written after `export`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::rep_args::askable;
use super::units;
use crate::report::page::PageForm;

pub(super) const EXPORT_CODES: &str = "Examples:
  orbitscope export models/peterson.csp -a 2 -o waits.html
  orbitscope export models/philosophers.csp --process Table --path walk:7,12 -o walk.html
  orbitscope export models/list_stack.csp --compare walk:1,6 walk:2,6 --format text

Exit codes:
  0 it is written            1 the assertion holds, or the counterexample does not come about
  2 usage or I/O error       3 the script has errors, or a state cannot be reached
  4 time limit reached       5 memory limit reached   101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

A state is given as for `compare`. The file needs no network and nothing beside it; `help export` tells more.";

/// The form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One file for a browser.
    Html,
    /// Text for a mail, of at most 72 columns.
    Text,
}

impl From<ExportFormat> for PageForm {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Html => Self::Html,
            ExportFormat::Text => Self::Text,
        }
    }
}

/// Arguments of `export`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("subject").required(true).args(["run", "assertion", "path", "compare"]))]
pub struct ExportArgs {
    /// The script.
    pub file: PathBuf,
    /// A walk or a counterexample that was saved: FILE, or FILE#2 for the second counterexample in it.
    #[arg(long, value_name = "FILE")]
    pub run: Option<String>,
    /// Check assertion N (from 1), and take its counterexample.
    #[arg(short = 'a', long, value_name = "N", value_parser = units::count)]
    pub assertion: Option<usize>,
    /// The way to a state: a trace, walk:SEED,N or a step of a saved run.
    #[arg(long, value_name = "STATE")]
    pub path: Option<String>,
    /// Two states and their comparison.
    #[arg(long, value_names = ["A", "B"], num_args = 2)]
    pub compare: Vec<String>,
    /// The process of the states: a name, or any process expression over the script. Default: that of the saved run,
    /// else the implementation of the first assertion.
    #[arg(short, long, value_name = "PROCESS", conflicts_with_all = ["run", "assertion"])]
    pub process: Option<String>,
    /// The strategy whose representatives are compared, as for `compare`.
    #[arg(long, value_name = "STRATEGY", value_parser = askable(), conflicts_with_all = ["run", "assertion", "path"])]
    pub rep: Option<String>,
    /// The form. Default: as the name of OUT ends, else html.
    #[arg(short, long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Write to this file, all of it or nothing; - is standard output, the default.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace a file that is there already (but never one of the script).
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Stop after this time, as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the program takes this much memory, as 500M or 8G, or never: none. Default: three
    /// quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<units::Memory>,
}
