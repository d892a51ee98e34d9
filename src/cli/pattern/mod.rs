//! `orbitscope pattern`: regular symmetry patterns and invariants of families that are given as automata.

pub mod args;
mod draw;
mod family;
mod invariant;
mod synth;
mod verify;

use args::{PatternArgs, PatternSubcommand};

/// Does what is asked. Returns the exit code.
pub fn run(args: &PatternArgs) -> u8 {
    let code = match &args.command {
        PatternSubcommand::Verify(args) => verify::run(args),
        PatternSubcommand::Synth(args) => synth::run(args),
        PatternSubcommand::Invariant(args) => invariant::run(args),
    };
    match code {
        Ok(code) | Err(code) => code,
    }
}
