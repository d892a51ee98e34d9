//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::units;

/// See symmetry reduction at work in CSP models, and check them.
///
/// Without a subcommand, opens the script in the terminal animator.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Arguments of `open`, the default.
    #[command(flatten)]
    pub open: OpenArgs,
}

const EXAMPLES: &str = "Examples:
  orbitscope models/list_stack.csp            animate the first process that is asserted about
  orbitscope models/list_stack.csp System     animate System
  orbitscope check models/list_stack.csp      check every assertion
  orbitscope check -a 2 --format json FILE    check the second one, result as JSON
  orbitscope typecheck --types FILE           all errors, types, and where symmetry ends
  orbitscope help E0301                       what a code means, with an example

Defaults for --no-mouse, --ascii and --color are read from orbitscope/config.ron in the
configuration folder, as in: Config(mouse: false, ascii: true, color: never)";

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Animate a process of a script in the terminal (the default).
    Open(OpenArgs),
    /// Check the assertions of a script.
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Report all errors of scripts, and on request types and symmetry.
    #[command(after_help = TYPECHECK_CODES)]
    Typecheck(TypecheckArgs),
    /// Serve an editor: diagnostics, types, definitions and an outline by the Language Server
    /// Protocol, over standard input and output.
    Lsp,
    /// Explain a code such as E0301, or a subcommand.
    Help(HelpArgs),
}

const TYPECHECK_CODES: &str = "Exit codes:
  0 every script is sound (there may be warnings)   2 usage or I/O error
  3 at least one script has errors                  130 interrupted (the end of --watch)";

/// Arguments of `typecheck`.
#[derive(Clone, Debug, Args)]
pub struct TypecheckArgs {
    /// The scripts; `-` reads standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Also show the type of every name of the top level, in the order of the text, and for every
    /// datatype which of its values are interchangeable and where the others are told apart.
    #[arg(long)]
    pub types: bool,
    /// Check again whenever one of the files or of their includes changes, until Ctrl-C.
    #[arg(long, conflicts_with = "format")]
    pub watch: bool,
    /// Form of the results.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Leave out warnings.
    #[arg(long)]
    pub no_warnings: bool,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t)]
    pub color: Colour,
}

/// Arguments of `help`.
#[derive(Clone, Debug, Args)]
pub struct HelpArgs {
    /// A code such as E0301, `codes` for the list of all, or a subcommand.
    pub topics: Vec<String>,
}

const EXIT_CODES: &str = "Exit codes:
  0 every checked assertion holds   1 at least one fails   2 usage or I/O error
  3 the script has errors or needs something unsupported   4 time or state limit reached
  5 memory limit reached            130 interrupted        101 internal error
With several assertions 3 outranks 130, 1, 5, 4 and 0, in this order.";

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Arguments of `open`.
#[derive(Clone, Debug, Args)]
pub struct OpenArgs {
    /// The script.
    pub file: Option<PathBuf>,
    /// The process: a name, or any process expression over the script. Default: the implementation
    /// of the first assertion.
    pub process: Option<String>,
    /// Start after these events of the process, as '<a, b.c>'. Hidden events may be named too.
    #[arg(short, long, value_name = "TRACE")]
    pub trace: Option<String>,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Draw boxes with + - | only.
    #[arg(long)]
    pub ascii: bool,
    /// When to use colours. Default: as configured, else auto.
    #[arg(long, value_enum)]
    pub color: Option<Colour>,
}

/// Form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// How to report progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A line that is rewritten on a terminal, else a line every 10 s.
    #[default]
    Auto,
    /// A line every 10 s.
    Plain,
    /// Nothing.
    None,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The script; `-` reads standard input.
    pub file: PathBuf,
    /// Check only assertion N (from 1), or those whose text contains TEXT; may be repeated.
    #[arg(short = 'a', long = "assertion", value_name = "N|TEXT")]
    pub assertions: Vec<String>,
    /// Insist on reduction by symmetry: an assertion whose symmetry cannot be verified is an error.
    /// (Without this, only those that say `:[symmetry reduce]` insist; all others are reduced where
    /// the symmetry is verified.)
    #[arg(long, conflicts_with = "no_symmetry")]
    pub symmetry: bool,
    /// Do not reduce by symmetry.
    #[arg(long)]
    pub no_symmetry: bool,
    /// Reduce only by these datatypes.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "TYPE,…",
        conflicts_with = "no_symmetry"
    )]
    pub types: Vec<String>,
    /// How representatives are chosen.
    #[arg(long, value_parser = ["walk", "exact", "ordering", "sorted", "segmented"])]
    pub rep: Option<String>,
    /// Count the states and transitions of the unreduced system that a reduced search stands for;
    /// implies `--rep exact`.
    #[arg(long, conflicts_with = "rep")]
    pub count_full: bool,
    /// Stop a check after this many states.
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub max_states: Option<usize>,
    /// Stop after this time, as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop a check when its states take this much memory, as 500M or 8G.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<usize>,
    /// Threads. Default: one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Form of the results.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// How to report progress.
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressMode,
    /// Results only: no progress, no warnings.
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t)]
    pub color: Colour,
}
