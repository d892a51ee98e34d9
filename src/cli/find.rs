//! `orbitscope find FILE [PROCESS] CONDITION`: the shortest way to a state of which something holds.

use super::asked::{self, AskedScript, GivenState};
use super::output::Output;
use super::state_args::FindArgs;
use super::{FULL, LATE};
use crate::animate::documents::FoundState;
use crate::animate::model::{FOUND_STATES_MAX, FindStart, FoundWord};
use crate::source::Stop;

/// Searches and shows the result. Returns the exit code.
pub fn run(args: &FindArgs) -> u8 {
    let (found, interrupted) = match search(args) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let code = match found.view.word {
        FoundWord::Found => 0,
        FoundWord::Nowhere => 1,
        FoundWord::Stopped(Stop::Memory, _) => FULL,
        FoundWord::Stopped(..) => interrupted.unwrap_or(LATE),
    };
    Output::default().document(&found.document(), args.answer.format, code)
}

fn search(args: &FindArgs) -> Result<(FoundState, Option<u8>), u8> {
    let (process, condition) = match &args.asked[..] {
        [process, condition] => (Some(process.clone()), condition.clone()),
        _ => (None, args.asked.concat()),
    };
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let given = match &args.from {
        Some(text) => asked.state(&args.file, text, args.answer.timeout)?,
        None => GivenState::Walk(0, 0),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let most = args.max_states.unwrap_or(FOUND_STATES_MAX);
    let found = (asked.engine).find_state(state, FindStart::Here, &condition, most);
    let view = found.map_err(|failure| asked.refused(&[failure]))?;
    let states: Vec<_> = view.steps.iter().map(|step| step.target).collect();
    let trace = asked
        .engine
        .trace_through(&[&[state], &states[..]].concat());
    let trace = trace.map_err(|failure| asked.refused(&[failure]))?;
    let found = FoundState {
        process,
        condition,
        path,
        view,
        trace,
    };
    Ok((found, asked.interrupted()))
}
