//! `orbitscope compare FILE [PROCESS] A B`: whether two states are of one orbit, by which permutation or
//! why not, and where the runs of the ordering part.

use super::asked::{self, AskedScript};
use super::output::Output;
use super::state_args::CompareArgs;
use super::{BUG, LATE, USAGE, complain};
use crate::animate::comparison::RelationView;
use crate::animate::documents::GivenStates;

/// Goes to both states and compares them. Returns the exit code.
pub fn run(args: &CompareArgs) -> u8 {
    let shown = match compare(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    let found = &shown.found;
    let is_fault = found.parting.as_ref().is_some_and(|p| p.is_fault());
    let code = match found.relation {
        _ if is_fault => BUG,
        RelationView::Same | RelationView::SameOrbit(_) => 0,
        RelationView::Bisimilar { .. } | RelationView::Different(_) => 1,
        RelationView::OtherFormat | RelationView::Undecided { .. } => LATE,
    };
    Output::default().document(&shown.document(), args.answer.format, code)
}

/// Loads, goes to both states and asks.
fn compare(args: &CompareArgs) -> Result<GivenStates, u8> {
    let (process, a, b) = match &args.states[..] {
        [a, b] => (None, a, b),
        [process, a, b] => (Some(process.clone()), a, b),
        _ => {
            complain("two states are compared: FILE [PROCESS] A B");
            return Err(USAGE);
        }
    };
    let by = asked::strategy(args.rep.as_deref())?;
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let given = [
        asked.state(&args.file, a, args.answer.timeout)?,
        asked.state(&args.file, b, args.answer.timeout)?,
    ];
    let process = asked.process_of(process, &given)?;
    let [a, b] = &given;
    let (a, to_a) = asked.reach(&process, a)?;
    let (b, to_b) = asked.reach(&process, b)?;
    let found = asked.engine.compare(a, b, by);
    let found = found.map_err(|failure| asked.refused(&[failure]))?;
    Ok(GivenStates {
        process,
        paths: [to_a, to_b],
        found,
        shows_representatives: args.rep.is_some(),
    })
}
