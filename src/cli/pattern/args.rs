//! What can be written after `pattern`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use crate::state_args::AnswerArgs;
use orbitscope_pattern::request::STATES_MAX;

const VERIFY_CODES: &str = "Exit codes:
  0 every pattern holds      1 at least one does not    2 usage or I/O error
  3 the family has errors    4 time limit reached       5 memory limit reached
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

JSON follows the schema orbitscope.pattern/1.";

const SYNTH_CODES: &str = "Exit codes:
  0 a pattern is found       1 none has so few states   2 usage or I/O error
  3 the family has errors    4 undecided: time limit    5 undecided: memory limit
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

JSON follows the schema orbitscope.pattern/1.";

const INVARIANT_CODES: &str = "Exit codes:
  0 proved for every size    1 a bad word is reached    2 usage or I/O error
  3 the family has errors    4 undecided: no invariant has so few states, or time limit
  5 undecided: memory limit
  129, 130, 143 ended by the signals HUP, INT (Ctrl-C) or TERM   141 nobody reads the results

JSON follows the schema orbitscope.pattern/1.";

/// Arguments of `pattern`.
#[derive(Clone, Debug, Args)]
pub struct PatternArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PatternSubcommand,
}

/// Subcommands of `pattern`.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum PatternSubcommand {
    /// Decide for all sizes whether relations are symmetry patterns of a family.
    #[command(after_help = VERIFY_CODES)]
    Verify(VerifyArgs),
    /// Find the symmetry pattern with the fewest states.
    #[command(after_help = SYNTH_CODES)]
    Synth(SynthArgs),
    /// Prove for all sizes that no bad word is reached, by an inductive invariant; or show a run to one.
    #[command(after_help = INVARIANT_CODES)]
    Invariant(InvariantArgs),
}

impl PatternSubcommand {
    /// The form of the answer.
    pub fn answer(&self) -> &AnswerArgs {
        match self {
            Self::Verify(args) => &args.answer,
            Self::Synth(args) => &args.answer,
            Self::Invariant(args) => &args.answer,
        }
    }
}

/// Arguments of `pattern verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The family, as a file of automata (`help patterns`), or one that comes along, as builtin:allocator.
    pub file: PathBuf,
    /// rotation, rotation:K (of positions from K on), swap:I (of positions I and I+1), reflection, or a file with a
    /// `pattern`; may be given several times. Default: rotation, rotation:2, swap:1, swap:2, reflection, and the
    /// `pattern` of FILE if it has one.
    #[arg(short, long = "pattern", value_name = "PATTERN")]
    pub patterns: Vec<String>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Arguments of `pattern synth`.
#[derive(Clone, Debug, Args)]
pub struct SynthArgs {
    /// The family, as for `verify`.
    pub file: PathBuf,
    /// How many states the transducer may have. Default: as FILE says, else 1..6.
    #[arg(long, value_name = "N..M", value_parser = range)]
    pub states: Option<RangeInclusive<usize>>,
    /// Write the pattern to this file, for `verify --pattern`.
    #[arg(short, long, value_name = "OUT.pat")]
    pub output: Option<PathBuf>,
    /// Draw the pattern, as the name ends: OUT.svg or OUT.dot.
    #[arg(long, value_name = "OUT")]
    pub draw: Option<PathBuf>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Arguments of `pattern invariant`.
#[derive(Clone, Debug, Args)]
pub struct InvariantArgs {
    /// The family, as for `verify`.
    pub file: PathBuf,
    /// The words that runs begin with, as 't n*'. Default: as FILE says.
    #[arg(long, value_name = "REGEX")]
    pub initial: Option<String>,
    /// The words that no run may reach, as '.* t .* t .*'. Default: as FILE says.
    #[arg(long, value_name = "REGEX", conflicts_with = "deadlock")]
    pub bad: Option<String>,
    /// The bad words are those without a successor.
    #[arg(long)]
    pub deadlock: bool,
    /// How many states the invariant may have. Default: 1..8.
    #[arg(long, value_name = "N..M", value_parser = range)]
    pub states: Option<RangeInclusive<usize>>,
    /// Draw the invariant, as the name ends: OUT.svg or OUT.dot.
    #[arg(long, value_name = "OUT")]
    pub draw: Option<PathBuf>,
    /// Its form, and how long it may take.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `1..6`, or one number.
fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| match text.trim().parse::<usize>() {
        Ok(number @ 1..=STATES_MAX) => Ok(number),
        Ok(number) => Err(format!("{number} is not from 1 to {STATES_MAX}")),
        Err(_) => Err(format!("`{text}` is no range such as 1..6")),
    };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (number(least)?, number(most.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    match least <= most {
        true => Ok(least..=most),
        false => Err(format!("no number is in {text}")),
    }
}
