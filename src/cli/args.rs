//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use super::export_args::{EXPORT_CODES, ExportArgs};
use super::family_args::{FAMILY_CODES, FamilyArgs};
use super::lesson_args::LessonArgs;
use super::many_args::ManyArgs;
use super::partial_order_args::PartialOrderArgs;
use super::process_args::ProcessArgs;
use super::refines::args::{REFINES_CODES, RefinesArgs};
use super::rep_args::strategies;
use super::setup_args::{CompletionsArgs, ConfigArgs, ManArgs};
use super::state_args::{
    COMPARE_CODES, CompareArgs, EXPLAIN_CODES, ExplainArgs, FIND_CODES, FindArgs, REPLAY_CODES,
    STRUCTURE_CODES, SYMMETRY_CODES, StructureArgs, SymmetryArgs,
};
pub use super::state_args::{Colour, FollowMode, OutputFormat, ReplayArgs};
use super::store_args::StoreArgs;
use super::units;
use crate::tui::theme::ThemeChoice;

/// See symmetry reduction at work in CSP models, and check them.
///
/// Without a subcommand, opens the script in the terminal animator; without a script, shows what there is to
/// begin with.
#[derive(Debug, Parser)]
#[command(
    name = "orbitscope",
    version,
    args_conflicts_with_subcommands = true,
    // There are two of its own, since one of them tells more.
    disable_version_flag = true,
    // There is one of its own, which also knows the codes of diagnostics.
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Subcommand>,
    /// Print the version.
    #[arg(long)]
    pub version: bool,
    /// Print the version, and what is known of the build.
    #[arg(short = 'V')]
    pub build: bool,
    /// Arguments of `open`, the default.
    #[command(flatten)]
    pub open: OpenArgs,
}

const EXAMPLES: &str = "Examples:
  orbitscope                                  a tour of three minutes, scripts to open, lessons
  orbitscope models/list_stack.csp            animate the first process that is asserted about
  orbitscope models/list_stack.csp System     animate System
  orbitscope check models/list_stack.csp      check every assertion
  orbitscope check -a 2 --format json FILE    check the second one, result as JSON
  orbitscope check --save cex.ron FILE        keep the counterexamples
  orbitscope FILE --counterexample cex.ron    and animate the first of them
  orbitscope graph --map FILE -o map.svg      draw its states, and their orbits
  orbitscope lesson run counting              learn how representatives are found
  orbitscope typecheck --types FILE           all errors, types, and where symmetry ends
  orbitscope help start                       a page of the manual; `help` alone lists all
  orbitscope help E0301                       what a code means, with an example

Defaults for --theme, --no-mouse, --ascii and --color, and keys of the screen, are read from
orbitscope/config.ron in the configuration folder: `orbitscope help config`";

/// Subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Animate a process of a script in the terminal (the default).
    Open(OpenArgs),
    /// Show the page with which the program begins: the tour, scripts to open, lessons.
    Welcome(LookArgs),
    /// Check the assertions of a script.
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Show a saved counterexample, after following it to its end on the unreduced system.
    #[command(after_help = REPLAY_CODES)]
    Replay(ReplayArgs),
    /// Show one state with its representative, its orbit, and how both were computed.
    #[command(after_help = EXPLAIN_CODES)]
    Explain(ExplainArgs),
    /// Say whether two states of a process are of one orbit: by which permutation, or why not.
    #[command(after_help = COMPARE_CODES, override_usage = "orbitscope compare [OPTIONS] FILE [PROCESS] A B")]
    Compare(CompareArgs),
    /// Show how a process is put together, and in one state who waits for whom for which event.
    #[command(after_help = STRUCTURE_CODES)]
    Structure(StructureArgs),
    /// Show the symmetry in the structure of a process or an assertion, and what breaks one that almost holds.
    #[command(after_help = SYMMETRY_CODES)]
    Symmetry(SymmetryArgs),
    /// Find the shortest way to a state of which something holds.
    #[command(after_help = FIND_CODES, override_usage = "orbitscope find [OPTIONS] FILE [PROCESS] CONDITION")]
    Find(FindArgs),
    /// Draw the states of a process: one of each orbit, all of them, or both with the map between them.
    #[command(after_help = GRAPH_CODES)]
    Graph(GraphArgs),
    /// Write a walk, a counterexample or a comparison as one page to share, for a browser or for a mail.
    #[command(after_help = EXPORT_CODES)]
    Export(ExportArgs),
    /// Let strategies race: the same search with each of them, and what it cost.
    #[command(after_help = RACE_CODES)]
    Race(RaceArgs),
    /// Check assertions at several sizes of datatypes, sets and numbers, and prove of all sizes what can be proved.
    #[command(after_help = FAMILY_CODES)]
    Family(FamilyArgs),
    /// Check scripts as FDR4's `refines` does: with its flags, and with results that programs read as its own.
    // FDR4 takes the beginning of a flag for the flag.
    #[command(after_help = REFINES_CODES, infer_long_args = true)]
    Refines(RefinesArgs),
    /// Take a lesson about symmetry reduction, present one, or check lessons of one's own.
    Lesson(LessonArgs),
    /// Report all errors of scripts, and on request types and symmetry.
    #[command(after_help = TYPECHECK_CODES)]
    Typecheck(TypecheckArgs),
    /// Serve an editor: diagnostics, types, definitions and an outline by the Language Server
    /// Protocol, over standard input and output.
    Lsp,
    /// Show a page of the manual, or explain a code such as E0301 or a subcommand.
    Help(HelpArgs),
    /// Say where the configuration is, what holds, or whether something is wrong with it.
    Config(ConfigArgs),
    /// Write the pages for `man`: that of the program to standard output, or all of them into a folder.
    Man(ManArgs),
    /// Write what a shell needs to complete commands and options.
    Completions(CompletionsArgs),
}

const GRAPH_CODES: &str = "Exit codes:
  0 it is drawn              2 usage or I/O error
  3 the script has errors    4 time limit reached      5 memory limit reached   101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

A picture that is cut by --depth or --max-states has all transitions between its states, marks those that
have more, and says so in itself and on standard error; one that a limit on time or memory cut is written,
too. JSON follows the schema orbitscope.graph/1. An edge of the quotient tells how many transitions of the
representative with this event lead to states of that orbit, and the permutation that takes the first of
these to its representative. Unlike in a check the state after termination is drawn as well.";

/// Arguments of `graph`.
#[derive(Clone, Debug, Args)]
pub struct GraphArgs {
    /// The script.
    pub file: PathBuf,
    /// The process: a name, or any process expression over the script. Default: the implementation
    /// of the first assertion.
    pub process: Option<String>,
    /// One vertex an orbit (the default): the reduced graph.
    #[arg(long, conflicts_with_all = ["full", "map"])]
    pub quotient: bool,
    /// One vertex a state: the unreduced graph.
    #[arg(long, conflicts_with = "map")]
    pub full: bool,
    /// Both, with the orbit of every state and the permutation that takes it to the representative.
    #[arg(long)]
    pub map: bool,
    /// The format. Default: as the name of OUT ends, else dot.
    #[arg(short, long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Only states at most N steps from the first one.
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub depth: Option<usize>,
    /// Draw at most N states (or orbits): those that are nearest to the first one. Default: 10,000; an SVG
    /// has at most 2,000.
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub max_states: Option<usize>,
    /// Write to this file, all of it or nothing. Default: standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Stop after this time, as 90s, 10m or 2h, and draw what was found.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the program takes this much memory, as 500M or 8G, or never: none. Default: three
    /// quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<units::Memory>,
}

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// For networkx, yEd, Gephi.
    Graphml,
    /// Aldebaran, for CADP and mCRL2: events only.
    Aut,
    /// All that is known.
    Json,
}

const RACE_CODES: &str = "Exit codes:
  0 a strategy came to its end, whatever the verdict     2 usage or I/O error
  3 the script has errors or needs something unsupported, or nothing in it is symmetric
  4 every strategy reached a limit   5 that of memory one of them
  101 strategies disagree, or another internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results
The first signal ends the race with what is known.

The strategies search one after the other, each compiling anew, with the same types and limits; bisimilar
local states are not merged. The columns:
  states           what the search kept: states, or pairs with one of the specification
  orbits           of these states, found by mapping each through `exact` afterwards, if there are at most
                   1,000,000; `<=` where that is not certain
  an orbit, most   states kept for one orbit, on average and at most
  representatives  that the search took; and how many a second of processor time
  CPU s, wall s    processor time of the search (of all threads; - where the system does not tell) and
                   time, compiling and counting orbits not included
  memory           of the states that were kept
A strategy that kept two states of one orbit is shown with the first such state. It is shrunk to the
components that matter: those in which the two representatives differ, those that hold a value in common
with these, and so on. The command that compares both states was tried; `help compare` explains its traces.

JSON follows the schema orbitscope.race/1.";

/// Arguments of `race`.
#[derive(Clone, Debug, Args)]
pub struct RaceArgs {
    /// The script.
    pub file: PathBuf,
    /// Race through all states of this process: a name, or any process expression over the script.
    /// Default: the implementation of the first assertion that is about more than STOP and the like.
    pub process: Option<String>,
    /// Race through the search of assertion N (from 1).
    #[arg(short = 'a', long, value_name = "N", conflicts_with = "process")]
    pub assertion: Option<usize>,
    /// The strategies that take part, in this order. Default: all for symmetric datatypes, or where none is
    /// symmetric, all for groups that are found in the structure of the network. What each is exact for is said of
    /// states (`check --help`).
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        value_parser = strategies()
    )]
    pub rep: Vec<String>,
    /// Reduce only by these datatypes.
    #[arg(long, value_delimiter = ',', value_name = "TYPE,…")]
    pub types: Vec<String>,
    /// Stop each strategy after this many states.
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub max_states: Option<usize>,
    /// Stop the race after this time, as 90s, 10m or 2h. Strategies that are still to come share what is left of it
    /// evenly; half of a share is for the search, the rest for counting orbits.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop each strategy when the program takes this much memory, as 500M or 8G, or never: none.
    /// Default: three quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<units::Memory>,
    /// Threads. Default: one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
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

const TYPECHECK_CODES: &str = "Exit codes:
  0 every script is sound (there may be warnings)   2 usage or I/O error
  3 at least one script has errors                  141 nobody reads the results
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM, as --watch is";

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
    /// Check again whenever one of the files or of their includes changes, until a signal such as that
    /// of Ctrl-C.
    #[arg(long, conflicts_with = "format")]
    pub watch: bool,
    /// Form of the results.
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
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
    /// A page of the manual, a term such as orbit, a code such as E0301, `codes` for the list of all, or a subcommand. Default: a list of
    /// all pages.
    pub topics: Vec<String>,
}

const EXIT_CODES: &str = "Exit codes:
  0 every checked assertion holds   1 at least one fails   2 usage or I/O error
  3 the script has errors or needs something unsupported
  4 time or state limit reached, or nothing is proved (--rep markers)
  5 memory limit reached            101 internal error
  129, 130, 131, 143 ended by the signals HUP, INT (Ctrl-C), QUIT or TERM
  141 nobody reads the results
With several assertions 101 outranks 3, a signal, 1, 5, 4 and 0, in this order. Results that cannot be
written, and counterexamples that cannot be saved, are I/O errors whatever the assertions do.

The first signal ends the check that runs, and what is known is still reported; the second ends the
program at once.";

/// A theme by its name.
fn theme(name: &str) -> Result<ThemeChoice, String> {
    let names = ThemeChoice::ALL.map(ThemeChoice::name).join(", ");
    ThemeChoice::by_name(name).ok_or_else(|| format!("there is no such theme; there are {names}"))
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
    /// Open a counterexample that `check --save` has written: FILE, or FILE#2 for the second one.
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub counterexample: Option<String>,
    /// Open a walk that was saved with W: its branches, marks, and what was shown; or counterexamples that were
    /// saved. A FILE that ends in .ron is a session, too: of the script that it names.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace", "counterexample", "process"])]
    pub session: Option<PathBuf>,
    /// How the screen looks.
    #[command(flatten)]
    pub look: LookArgs,
    /// Talk in lines instead of drawing a screen: announcements out, numbers and commands in.
    #[arg(long, conflicts_with = "script")]
    pub plain: bool,
    /// Do the lines of this file instead of taking keys from a terminal; - reads standard input. `help
    /// commands` tells what can be written.
    #[arg(long, value_name = "SCRIPT")]
    pub script: Option<PathBuf>,
    /// Let lines of the script write files by themselves: walks, texts, graphs and counterexamples.
    #[arg(long, requires = "script")]
    pub allow_writes: bool,
    /// Columns and rows of the screen of a script, as 80x24. Default: 120x36.
    #[arg(long, value_name = "SIZE", requires = "script")]
    pub size: Option<String>,
    /// Print the last screen of the script.
    #[arg(long, requires = "script")]
    pub dump: bool,
    /// Where a line `frame NAME` saves the screen as NAME.txt, or NAME.svg, instead of printing it.
    #[arg(long, value_name = "FOLDER", requires = "script")]
    pub frames: Option<PathBuf>,
    /// Record the script as a file that asciinema plays.
    #[arg(long, value_name = "OUT.cast", requires = "script")]
    pub record: Option<PathBuf>,
    /// Draw the last screen of the script as a picture.
    #[arg(long, value_name = "OUT.svg", requires = "script")]
    pub svg: Option<PathBuf>,
    /// What the recording or the picture shows, in words.
    #[arg(long, value_name = "TEXT", requires = "script")]
    pub title: Option<String>,
    /// Give up when a line of the script takes longer, as 90s or 10m. Default: 5m.
    #[arg(long, value_name = "TIME", value_parser = units::duration, requires = "script")]
    pub timeout: Option<std::time::Duration>,
}

/// How the screen looks, and what it takes.
#[derive(Clone, Debug, Default, Args)]
pub struct LookArgs {
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Print nothing but ASCII: boxes of + - |, and stand-ins for other characters.
    #[arg(long)]
    pub ascii: bool,
    /// The colours of the screen: auto (by the background of the terminal), dark, light, ansi or mono. Default: as
    /// configured, else auto.
    #[arg(long, value_name = "THEME", value_parser = theme)]
    pub theme: Option<ThemeChoice>,
    /// When to use colours. Default: as configured, else auto.
    #[arg(long, value_enum)]
    pub color: Option<Colour>,
}

/// Form of the results of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document, at the end.
    Json,
    /// One JSON object a line, as soon as something is known.
    Ndjson,
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

/// By what a check is reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SymmetryMode {
    /// Symmetric datatypes, or what is found in the structure of the network.
    #[default]
    Auto,
    /// Symmetric datatypes, and copies of components; an error where a symmetry cannot be verified.
    Types,
    /// What is found in the structure of the network; an error where that is nothing.
    Structure,
    /// Nothing.
    None,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The script; `-` reads standard input.
    #[arg(
        required_unless_present = "resume",
        default_value = "-",
        hide_default_value = true
    )]
    pub file: PathBuf,
    /// Check only assertion N (from 1), or those whose text contains TEXT; may be repeated.
    #[arg(short = 'a', long = "assertion", value_name = "N|TEXT")]
    pub assertions: Vec<String>,
    /// What to reduce by: `auto`, by symmetric datatypes, and where there are none by what is found in the
    /// structure of the network; `types` or `structure`, by that alone, and it is an error if that symmetry cannot be
    /// verified, or if there is none in the structure (that there is none in types is said); `none`. (With `auto` only assertions that say `:[symmetry reduce]` have to be
    /// reduced; all others are where the symmetry is verified.)
    #[arg(long, value_enum, value_name = "MODE", conflicts_with_all = ["no_symmetry", "structure"])]
    pub symmetry: Option<SymmetryMode>,
    /// As `--symmetry none`.
    #[arg(long)]
    pub no_symmetry: bool,
    /// As `--symmetry structure`.
    #[arg(long, conflicts_with_all = ["no_symmetry", "types"])]
    pub structure: bool,
    /// For scripts that are almost symmetric: reduce by the symmetry of a part of the network, and give it up in a
    /// state only once something asymmetric has happened. For refinement in traces and failures and for deadlock, never
    /// for divergence; it ends with advice where it is more work than no reduction. One thread searches.
    #[arg(long, conflicts_with_all = [
        "symmetry", "no_symmetry", "structure", "types", "rep", "state_symmetry", "count_full", "counterexamples", "both",
    ])]
    pub adaptive: bool,
    /// Reduce only by these datatypes.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "TYPE,…",
        conflicts_with = "no_symmetry"
    )]
    pub types: Vec<String>,
    /// What is remembered of a state: the representative by `exact`, or where symmetry was found in the structure by
    /// `structure`, unless said otherwise. What a strategy is exact for is said of states. It holds of pairs of a state and
    /// a node of the specification, too, unless a node is several states or holds a set of permuted values: beside
    /// such a node several pairs of one orbit may be kept, and the report says so.
    #[arg(long, value_parser = strategies())]
    pub rep: Option<String>,
    /// Of the transitions of a state that automorphisms of the state take to one another, follow only one
    /// (SMC's state symmetry): fewer representatives are computed, and as many states are met.
    #[arg(long, conflicts_with = "no_symmetry")]
    pub state_symmetry: bool,
    #[command(flatten)]
    pub steps: PartialOrderArgs,
    /// Count the states and transitions of the unreduced system that a reduced search stands for, or say
    /// why that cannot be told; implies `--rep exact`.
    #[arg(long, conflicts_with = "rep")]
    pub count_full: bool,
    /// Do not merge strongly bisimilar local states of a component (`--count-full` does not either).
    #[arg(long)]
    pub no_merging: bool,
    /// Show up to N counterexamples of each assertion that fails, shortest first: each ends in another
    /// state or, where an event is not allowed, with another event.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub counterexamples: Option<u16>,
    /// Save the counterexamples to a file, to be opened with `orbitscope SCRIPT --counterexample FILE`
    /// or shown with `orbitscope replay SCRIPT FILE`.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Let `--save` replace a file that is no file of counterexamples (but never the script).
    #[arg(long, requires = "save")]
    pub force: bool,
    /// Check each assertion reduced and unreduced, and compare verdicts, lengths of counterexamples and
    /// numbers of states, as far as they can be compared.
    #[arg(long, conflicts_with = "no_symmetry")]
    pub both: bool,
    /// Say also what was evaluated and compiled, how much memory was used, and where the time went.
    #[arg(long, overrides_with = "stats")]
    pub stats: bool,
    /// Stop a check after this many states.
    #[arg(long, value_name = "N", value_parser = units::count, overrides_with = "max_states")]
    pub max_states: Option<usize>,
    /// Stop after this time, as 90s, 10m or 2h, counted from the start of the program: the check that
    /// runs is ended, and those that are left are reported as not checked.
    #[arg(long, value_name = "TIME", value_parser = units::duration, overrides_with = "timeout")]
    pub timeout: Option<std::time::Duration>,
    /// What is for many assertions.
    #[command(flatten)]
    pub many: ManyArgs,
    /// Stop a check when the program takes this much memory, as 500M or 8G, or never: none. Default:
    /// three quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory, overrides_with = "memory")]
    pub memory: Option<units::Memory>,
    /// What is for states on disk.
    #[command(flatten)]
    pub store: StoreArgs,
    /// What is for several processes.
    #[command(flatten)]
    pub processes: ProcessArgs,
    /// Threads. Default: one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), overrides_with = "workers")]
    pub workers: Option<u16>,
    /// Form of the results.
    #[arg(long, value_enum, default_value_t, overrides_with = "format")]
    pub format: ResultFormat,
    /// How to report progress.
    #[arg(long, value_enum, default_value_t, overrides_with = "progress")]
    pub progress: ProgressMode,
    /// Results only: no progress, no warnings.
    #[arg(short, long, overrides_with = "quiet")]
    pub quiet: bool,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t, overrides_with = "color")]
    pub color: Colour,
}
