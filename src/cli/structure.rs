//! `orbitscope structure FILE [PROCESS] [STATE]`: the structure of a process, and its wait-for graph.

use super::asked::{self, AskedScript, GivenState};
use super::output::Output;
use super::state_args::StructureArgs;
use crate::animate::documents::GivenStructure;

/// Goes to the state and shows its structure. Returns the exit code.
pub fn run(args: &StructureArgs) -> u8 {
    let shown = match ask(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    Output::default().document(&shown.document(args.unfold), args.answer.format, 0)
}

fn ask(args: &StructureArgs) -> Result<GivenStructure, u8> {
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let (process, state) = match (&args.process, &args.state) {
        (Some(only), None) if asked::is_state(only) => (None, Some(only)),
        (process, state) => (process.clone(), state.as_ref()),
    };
    let given = match state {
        Some(text) => asked.state(&args.file, text, args.answer.timeout)?,
        None => GivenState::Walk(0, 0),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let view = asked.engine.structure(state);
    let view = view.map_err(|failure| asked.refused(&[failure]))?;
    Ok(GivenStructure {
        process,
        path,
        view,
    })
}
