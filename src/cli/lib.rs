//! The command line, one file a subcommand.
//!
//! Results go to stdout and nothing else does; progress, warnings and errors go to stderr. Exit codes: 0 every asked
//! assertion holds; 1 at least one fails; 2 usage or I/O; 3 the script has errors or uses something unsupported; 4 a
//! limit was reached; 5 the memory limit was reached; 101 a bug; 128 and the number of a signal that ended the
//! program (130 for Ctrl-C), which includes 141 for a reader that went away. `typecheck` uses 0, 2, 3, 141 and those
//! of signals. For `compare`, 0 is one orbit, 1 different ones, and 4 also undecided. For `find`, 0 is that there is
//! such a state, 1 that there is none. For `race`, 0 is that some strategy came to its end, with any verdict; for
//! `refines`, 0 is that every assertion was decided. For `pattern`, 0 is that what was asked holds for every size, 1 that it does
//! not, and 4 also that it is undecided.

mod args;
mod asked;
mod check;
mod check_options;
mod compare;
mod config;
mod config_reading;
mod config_values;
mod explain;
mod export;
mod export_args;
mod failure;
mod family;
mod family_args;
mod family_ring;
mod find;
mod generated;
mod graph;
mod help;
mod host_file;
mod hosts;
mod job;
mod json;
mod lesson;
mod lesson_args;
mod limits;
mod many_args;
mod messages;
mod meter;
mod open;
mod output;
mod partial_order_args;
mod pattern;
mod placing;
mod plain;
mod prints;
mod process_args;
mod race;
mod refines;
mod rep_args;
mod replay;
mod resuming;
mod script;
mod scripted;
mod setup_args;
mod sharing;
mod signals;
mod ssh_worker;
mod state_args;
mod store_args;
mod structure;
mod symmetry;
mod typecheck;
mod types_json;
mod units;
mod watchdog;
mod welcome;
mod worker;
mod worker_args;

use orbitscope_animate as animate;
use orbitscope_language::{eval, source, syntax};
use orbitscope_lsp as lsp;
use orbitscope_report as report;
use orbitscope_tui as tui;

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use crate::source::{visible, visible_line};
pub use args::{Cli, Subcommand};

/// Exit code for usage and I/O errors.
const USAGE: u8 = 2;
/// Exit code for scripts with errors.
const SCRIPT: u8 = 3;
/// Exit code for limits on time and states.
const LATE: u8 = 4;
/// Exit code where the limit on memory was reached first.
const FULL: u8 = 5;
/// Exit code for faults of the program.
const BUG: u8 = 101;
/// Exit code of an interrupted run.
const INTERRUPTED: u8 = 130;
/// Exit code of a run whose reader is gone: that of a program ended by the signal PIPE.
const BROKEN_PIPE: u8 = 141;

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(refines::called_as(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            let code = usage(&error);
            if let Some(why) = gone(&error) {
                complain(why);
            }
            return ExitCode::from(code);
        }
    };
    if let Some(command) = &cli.command {
        failure::expect(command);
    }
    let code = match cli.command {
        Some(Subcommand::Lsp) => match lsp::serve() {
            Ok(code) => code,
            Err(message) => {
                complain(&message);
                USAGE
            }
        },
        Some(Subcommand::Help(args)) => help::run(&args),
        Some(Subcommand::Explain(args)) => explain::run(&args),
        Some(Subcommand::Compare(args)) => compare::run(&args),
        Some(Subcommand::Structure(args)) => structure::run(&args),
        Some(Subcommand::Symmetry(args)) => symmetry::run(&args),
        Some(Subcommand::Find(args)) => find::run(&args),
        Some(Subcommand::Graph(args)) => graph::run(&args),
        Some(Subcommand::Export(args)) => export::run(&args),
        Some(Subcommand::Lesson(args)) => lesson::run(&args),
        Some(Subcommand::Pattern(args)) => pattern::run(&args),
        Some(Subcommand::Typecheck(args)) => typecheck::run(&args),
        Some(Subcommand::Check(args)) => check::run(&args),
        Some(Subcommand::Worker(args)) => worker::run(&args),
        Some(Subcommand::Race(args)) => race::run(&args),
        Some(Subcommand::Family(args)) => family::run(&args),
        Some(Subcommand::Refines(args)) => refines::run(&args),
        Some(Subcommand::Replay(args)) => replay::replay(&args),
        Some(Subcommand::Open(args)) => open::run(&args),
        Some(Subcommand::Welcome(args)) => welcome::run(&args),
        Some(Subcommand::Config(args)) => config::run(&args),
        Some(Subcommand::Man(args)) => generated::man(&args),
        Some(Subcommand::Completions(args)) => generated::completions(&args),
        None if cli.version || cli.build => generated::version(cli.build),
        None => match cli.open.file {
            Some(_) => open::run(&cli.open),
            None => welcome::alone(&cli.open),
        },
    };
    failure::finish(code);
    ExitCode::from(code)
}

/// Writes a line to stderr; a closed stderr is ignored.
fn complain(message: &str) {
    failure::note_message(message);
    complain_on_stderr(message);
}

/// Writes a line to stderr for an error that was noted already.
fn complain_on_stderr(message: &str) {
    let message = visible_line(message);
    let _ = writeln!(std::io::stderr(), "orbitscope: {message}");
}

/// Several lines on stderr.
fn complain_in_lines(message: &str) {
    failure::note_message(message);
    let _ = writeln!(std::io::stderr(), "orbitscope: {}", visible(message));
}

/// Reports an error in the arguments, or shows the requested text (help, the version). Returns the exit code.
fn usage(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    let written = match visible(&text) {
        // An argument is quoted, control characters included.
        Cow::Owned(text) => write!(std::io::stderr(), "{text}"),
        Cow::Borrowed(_) => error.print(),
    };
    let failed = match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => BROKEN_PIPE,
        Err(_) => USAGE,
        Ok(()) => 0,
    };
    // Help and the version are errors to `clap` as well, but they were asked for.
    if error.use_stderr() { USAGE } else { failed }
}

/// The message on a removed option.
fn gone(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let kept = ["--cached", "--cache-dir"].contains(&name.as_str());
    kept.then_some(
        "`--cached` and `--cache-dir` are gone: no result of an earlier run is kept or used any more, and every run \
         checks all that it is asked for",
    )
}

/// Whether output on a stream is coloured: `--color`, then `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`.
fn colour(choice: args::Colour, stream_is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    match choice {
        args::Colour::Always => true,
        args::Colour::Never => false,
        args::Colour::Auto => {
            !set("NO_COLOR")
                && std::env::var("TERM").as_deref() != Ok("dumb")
                // A file gets no colours unless they are asked for.
                && (stream_is_terminal || set("CLICOLOR_FORCE"))
        }
    }
}

fn stderr_colour(choice: args::Colour) -> bool {
    colour(choice, std::io::stderr().is_terminal())
}
