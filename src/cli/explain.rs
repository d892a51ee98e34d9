//! `orbitscope explain FILE [PROCESS]`: one state, and everything that is claimed about its symmetry,
//! so that each claim can be held to another computation from outside.

use super::asked::{self, AskedScript, GivenState};
use super::output::Output;
use super::state_args::ExplainArgs;
use super::{USAGE, complain};
use crate::animate::documents::ExplainedState;
use crate::animate::engine::split_trace;
use crate::animate::model::StrategyRecord;

/// Goes to the state and explains it. Returns the exit code.
pub fn run(args: &ExplainArgs) -> u8 {
    let shown = match explain(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    Output::default().document(&shown.document(args.step), args.answer.format, 0)
}

/// Loads, opens, walks and asks.
fn explain(args: &ExplainArgs) -> Result<ExplainedState, u8> {
    let by = asked::strategy(args.rep.as_deref())?;
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let (process, state) = asked_for(args);
    let given = match (state, &args.trace) {
        (Some(text), _) => asked.state(&args.file, &text, args.answer.timeout)?,
        (None, Some(trace)) => GivenState::After(split_trace(trace)),
        (None, None) => GivenState::Walk(args.seed, args.random.unwrap_or(0)),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let explained = asked.engine.explained(state, by);
    let (view, record, data) = explained.map_err(|failure| asked.refused(&[failure]))?;
    if let Some(step) = args.step {
        let steps = record.as_ref().map_or(0, StrategyRecord::len);
        if step == 0 || step > steps {
            complain(&format!(
                "there is no step {step}: the computation has {steps}"
            ));
            return Err(USAGE);
        }
    }
    Ok(ExplainedState {
        process,
        path,
        view,
        record,
        data,
    })
}

/// The process and the state that are named; either may be left out.
fn asked_for(args: &ExplainArgs) -> (Option<String>, Option<String>) {
    match (&args.process, &args.state) {
        (Some(only), None) if asked::is_state(only) => (None, Some(only.clone())),
        (process, state) => (process.clone(), state.clone()),
    }
}
