//! What can be written after the subcommands that ask about single states.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::rep_args::askable;
use super::units;

/// Form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

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

pub(super) const REPLAY_CODES: &str = "Exit codes:
  0 it comes about as told   1 it does not   2 usage or I/O error
  3 the script has errors    4 time limit reached   5 memory limit reached   101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results";

/// Arguments of `replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The script.
    pub file: PathBuf,
    /// What is followed: a file that `check --save` or W has written, FILE, or FILE#2 for the second counterexample
    /// in it; or a trace, '<a, b.c>'. Before a trace, the process that it is of. Default: the implementation of the
    /// first assertion.
    #[arg(value_names = ["PROCESS", "FOLLOWED"], num_args = 1..=2, required = true)]
    pub given: Vec<String>,
    /// The process, as it was written before.
    #[arg(short = 'p', long = "process", value_name = "PROCESS", hide = true)]
    pub named: Option<String>,
    /// What is followed, out of `given`.
    #[arg(skip)]
    pub counterexample: String,
    /// The process, wherever it was written.
    #[arg(skip)]
    pub process: Option<String>,
    /// How a trace or a session is followed.
    #[arg(long, value_enum, default_value_t)]
    pub mode: FollowMode,
    /// Stop after this time, as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// When to use colours.
    #[arg(long, value_enum, default_value_t)]
    pub color: Colour,
}

/// How a trace or a session is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FollowMode {
    /// Each step as it is told; hidden events and `tau` are steps, too.
    #[default]
    Steps,
    /// The same, and each has to lead to the state that it did, or to one state only.
    Strict,
    /// Visible events of a trace; silent steps between them are found, as few as possible.
    Events,
    /// A step of a trace may be another one that differs by a permutation of symmetric values.
    Orbit,
}

/// The form of an answer, and what it may take.
#[derive(Clone, Debug, Args)]
pub struct AnswerArgs {
    /// Form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Stop after this time, as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the program takes this much memory, as 500M or 8G, or never: none. Default: three
    /// quarters of what is free when the program starts.
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<units::Memory>,
}

pub(super) const EXPLAIN_CODES: &str = "Exit codes:
  0 it is shown              2 usage or I/O error
  3 the script has errors, or the state cannot be reached
  4 time limit reached       5 memory limit reached
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

JSON follows the schema orbitscope.explain/1. Orders of groups and sizes of orbits are texts there, as
they may have any length. `unique` is proved, all-picks-agree, picks-disagree, states-disagree or
unknown, and `why` says on what ground.";

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// The script.
    pub file: PathBuf,
    /// The process: a name, or any process expression over the script. Default: the implementation
    /// of the first assertion.
    pub process: Option<String>,
    /// The state, as for `compare`: a trace, walk:SEED,N or a step of a saved run. Default: the first one.
    #[arg(conflicts_with_all = ["trace", "random"])]
    pub state: Option<String>,
    /// The state after these events, as '<a, b.c>'. Hidden events may be named too.
    #[arg(short, long, value_name = "TRACE")]
    pub trace: Option<String>,
    /// The state after N steps drawn at random; the same ones each time.
    #[arg(long, value_name = "N", conflicts_with = "trace")]
    pub random: Option<usize>,
    /// Draw other steps.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random")]
    pub seed: u64,
    /// The strategy that chooses representatives, as for `check`. Default: ordering, or structure where the symmetry is
    /// in the structure.
    #[arg(long, value_name = "STRATEGY", value_parser = askable())]
    pub rep: Option<String>,
    /// Show this step of the computation only, from 1.
    #[arg(long, value_name = "N")]
    pub step: Option<usize>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

pub(super) const COMPARE_CODES: &str = "Exit codes:
  0 they are of one orbit    1 they are not              2 usage or I/O error
  3 the script has errors, or a state cannot be reached
  4 undecided, or time limit reached   5 memory limit reached   101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

A state is given as a trace, '<a, b.c>': the state after these events. Hidden events may be named too, as b
or `tau (b)`; `tau` is a silent step without event, `a#2` the second of several steps with event a, and <> is
the first state: as paths are printed. Or as walk:SEED,N: the state after N steps drawn at random, the same ones each time, as
`explain --random N --seed SEED` draws them. Or as FILE@N or FILE#2@N: the state after N steps of the walk, or of
the first or second counterexample, that was saved to FILE. JSON follows the schema orbitscope.compare/1.";

/// Arguments of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The script.
    pub file: PathBuf,
    /// The process, as for `explain`, and the two states.
    #[arg(value_name = "PROCESS A B", num_args = 1..=3, action = ArgAction::Append, required = true)]
    pub states: Vec<String>,
    /// The strategy that chooses representatives, as for `check`. Default: ordering, or structure where the symmetry is
    /// in the structure.
    #[arg(long, value_name = "STRATEGY", value_parser = askable())]
    pub rep: Option<String>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

pub(super) const STRUCTURE_CODES: &str = "Exit codes:
  0 it is shown              2 usage or I/O error
  3 the script has errors, or the state cannot be reached
  4 time limit reached       5 memory limit reached
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

A state is given as for `compare`. A component waits for another one if it is ready for an event that needs
the other, and that is not ready for it in its present local state. JSON follows the schema
orbitscope.structure/1; components are numbered there from 0.";

/// Arguments of `structure`.
#[derive(Clone, Debug, Args)]
pub struct StructureArgs {
    /// The script.
    pub file: PathBuf,
    /// The process: a name, or any process expression over the script. Default: the implementation
    /// of the first assertion.
    pub process: Option<String>,
    /// The state, as for `compare`: a trace, walk:SEED,N or a step of a saved run. Default: the first one.
    pub state: Option<String>,
    /// Do not show operands of one form as one.
    #[arg(long)]
    pub unfold: bool,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

pub(super) const SYMMETRY_CODES: &str = "Example:
  orbitscope symmetry models/philosophers.csp -a 1
  orbitscope symmetry models/philosophers.csp Table --graph dot | neato -Tsvg > table.svg

Exit codes:
  0 it is shown              2 usage or I/O error
  3 the script has errors, or a process cannot be compiled
  4 time limit reached       5 memory limit reached   101 internal error
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

Symmetric datatypes have no part in it: the network is compiled as if there were none, and what they would give
is told beside it. JSON follows the schema orbitscope.symmetry/1. `help structural-symmetry` tells more.";

/// Arguments of `symmetry`.
#[derive(Clone, Debug, Args)]
pub struct SymmetryArgs {
    /// The script.
    pub file: PathBuf,
    /// Of assertion N (from 1), or of those whose text contains TEXT; may be repeated. Default, without a
    /// process: of all, each in brief.
    #[arg(
        short = 'a',
        long = "assertion",
        value_name = "N|TEXT",
        conflicts_with_all = ["process", "named"]
    )]
    pub assertions: Vec<String>,
    /// Of a process: a name, or any process expression over the script.
    pub process: Option<String>,
    /// The process, as it was written before.
    #[arg(short = 'p', long = "process", value_name = "PROCESS", hide = true)]
    pub named: Option<String>,
    /// Draw instead which components share events, each orbit in a colour. Of one process or assertion.
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "format")]
    pub graph: Option<ComponentGraph>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Form of a picture of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ComponentGraph {
    /// For Graphviz.
    Dot,
}

pub(super) const FIND_CODES: &str = "Conditions:
  deadlock   terminated   stable
  offers push.T0._          an event is possible that begins like that; `can` counts hidden ones, too
  Thread[T0] = Choose(T0, _)   a component is in a local state; `is` means the same
  some Thread is Choose     likewise `every Thread is ...` and `no Thread is ...`
  A and B, A or B, not A, (A)
`orbitscope help find` tells more.

Exit codes:
  0 there is such a state    1 there is none: all were looked at    2 usage or I/O error
  3 the script has errors, the condition has, or the state to begin at cannot be reached
  4 not known: a limit on time or states was reached, or it was cancelled    5 memory limit reached
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

JSON follows the schema orbitscope.find/1.";

/// Arguments of `find`.
#[derive(Clone, Debug, Args)]
pub struct FindArgs {
    /// The script.
    pub file: PathBuf,
    /// The process, as for `explain`, and the condition.
    #[arg(value_names = ["PROCESS", "CONDITION"], num_args = 1..=2, required = true)]
    pub asked: Vec<String>,
    /// Begin at this state, as for `compare`. Default: the first one.
    #[arg(long, value_name = "STATE")]
    pub from: Option<String>,
    /// Stop when so many states were met.
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

impl ReplayArgs {
    /// The same with the process and what is followed in their places.
    ///
    /// # Errors
    /// That two processes were named.
    pub fn settled(&self) -> Result<Self, String> {
        let mut args = self.clone();
        let followed = args.given.pop();
        args.counterexample = followed.unwrap_or_default();
        args.process = one_process(args.given.pop(), args.named.take())?;
        Ok(args)
    }
}

impl SymmetryArgs {
    /// The same with the process in its place.
    ///
    /// # Errors
    /// That two processes were named.
    pub fn settled(&self) -> Result<Self, String> {
        let mut args = self.clone();
        args.process = one_process(args.process.take(), args.named.take())?;
        Ok(args)
    }
}

/// The process that was written in its place, or as an option.
fn one_process(placed: Option<String>, named: Option<String>) -> Result<Option<String>, String> {
    match (placed, named) {
        (Some(placed), Some(named)) if placed != named => Err(format!(
            "two processes are named: `{placed}`, and `{named}` with --process"
        )),
        (placed, named) => Ok(placed.or(named)),
    }
}
