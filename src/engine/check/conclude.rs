//! From a finished search to the verdict, the counterexamples and the count of what was represented.
//!
//! Once there is a verdict, a limit takes away only what it cuts off: that is told as missing.

use std::time::{Duration, Instant};

use super::outcome::{CheckVerdict, Missing, RawCounterexample, RunEnding};
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{End, Search, SearchControl, Sides};
use crate::search::counterexample::{PathEnd, RawDivergence, laps, path_to, unwind, violations_of};
use crate::search::divergence::{CycleControl, Cycles, find_cycles};
use crate::search::keeping::Keeping;
use crate::search::product::Violation;
use crate::search::represented::{Counted, Represented, count};
use crate::search::store::StoredId;
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};

/// Time that unwinding counterexamples may take beyond a time limit.
const GRACE: Duration = Duration::from_secs(10);

/// What a check asks for beyond what its search looks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether divergence counts.
    pub divergence: bool,
    /// Whether to count what the stored states stand for.
    pub count_full: bool,
}

/// What a search means.
#[derive(Debug)]
pub struct Conclusion {
    /// Without regard to `not`.
    pub verdict: CheckVerdict,
    /// Shortest first.
    pub counterexamples: Vec<RawCounterexample>,
    /// What the stored states stand for, if that was asked for and is known.
    pub represented: Option<Represented>,
    /// What could not be had within the limits.
    pub missing: Vec<Missing>,
}

impl Default for Conclusion {
    fn default() -> Self {
        Self {
            verdict: CheckVerdict::Holds,
            counterexamples: Vec::new(),
            represented: None,
            missing: Vec::new(),
        }
    }
}

/// Draws the conclusion of a search.
///
/// # Errors
/// An evaluation error, or a counterexample that does not replay.
pub fn conclude(
    sides: &mut Sides<'_>,
    search: &Search,
    asked: Asked,
    control: &SearchControl<'_>,
) -> Result<Conclusion> {
    let wanted = control.limits.violations_max.max(1);
    let mut done = Conclusion::default();
    let (mut stop, mut cycles) = (None, Vec::new());
    let proves = sides.keeping.is_none_or(Keeping::proves);
    let may_diverge =
        asked.divergence && !sides.partial_order.is_some_and(PartialOrder::ends_silence);
    match search.end {
        End::Stopped(reached) => stop = Some(reached),
        // A cycle can only be ruled out once all states are known.
        // Where not all orbits are kept, a loop of what is kept need not be one.
        End::Exhausted if may_diverge && proves && search.violations.len() < wanted => {
            let most = wanted - search.violations.len();
            match find_cycles(sides, &search.store, CycleControl::of(control), most)? {
                Cycles::None => {}
                Cycles::Found(found) => cycles = found,
                Cycles::Stopped(reached) => stop = Some(reached),
            }
        }
        End::Exhausted | End::Violated => {}
    }
    let fails = !(search.violations.is_empty() && cycles.is_empty());
    // What was found before a limit came is a failure all the same.
    if !fails && let Some(stop) = stop {
        done.verdict = CheckVerdict::Stopped(stop);
        return Ok(done);
    }
    if !fails && !proves {
        done.verdict = CheckVerdict::Unproved;
        return Ok(done);
    }
    // One counterexample is enough unless more were asked for.
    if wanted > 1 && stop.is_some() {
        let what = "further counterexamples";
        done.missing.push(Missing { what, stop });
    }
    if fails {
        done.verdict = CheckVerdict::Fails;
        let limits = with_grace(sides.machine.eval.limits());
        sides.machine.eval.set_limits(&limits);
        let unwound = unwind_all(sides, search, &cycles, wanted, &mut done.counterexamples);
        if let Some(stop) = limited(unwound)? {
            let what = "the counterexample";
            let stop = Some(stop);
            done.missing.push(Missing { what, stop });
        }
        // Falls come first and cycles after them, each by length: this makes one list of them.
        done.counterexamples.sort_by_key(|f| f.run.steps.len());
    }
    // Of a search that ended early the sum would be that of a part.
    if asked.count_full && search.end == End::Exhausted {
        count_represented(sides, search, control, &mut done)?;
    }
    Ok(done)
}

/// Counts what the stored states stand for.
fn count_represented(
    sides: &mut Sides<'_>,
    search: &Search,
    control: &SearchControl<'_>,
    done: &mut Conclusion,
) -> Result<()> {
    // What is counted are states of this network, and if permutations keep a composition inside of a
    // component, the unreduced network is another one.
    let counted = match sides.machine.kept_together() {
        true => Counted::Unknown,
        false => count(sides, &search.store, control)?,
    };
    let stop = match counted {
        Counted::Exactly(represented) => {
            done.represented = Some(represented);
            return Ok(());
        }
        Counted::Unknown => None,
        Counted::Stopped(stop) => Some(stop),
    };
    let what = "the number of states represented";
    done.missing.push(Missing { what, stop });
    Ok(())
}

/// A counterexample is not given up lightly: a search that took hours ends with it.
fn with_grace(limits: &Limits) -> Limits {
    Limits {
        deadline: limits.deadline.map(|d| d.max(Instant::now()) + GRACE),
        resident_max: limits.resident_max.saturating_add(limits.resident_max / 8),
        ..limits.clone()
    }
}

/// The limit that an error stands for, if it stands for one.
fn limited(result: Result<()>) -> Result<Option<Stop>> {
    let Err(error) = result else {
        return Ok(None);
    };
    match error.stop() {
        Some(stop) => Ok(Some(stop)),
        None => Err(error),
    }
}

fn unwind_all(
    sides: &mut Sides<'_>,
    search: &Search,
    cycles: &[Vec<StoredId>],
    wanted: usize,
    counterexamples: &mut Vec<RawCounterexample>,
) -> Result<()> {
    for violating in &search.violations {
        // The search notes one violation of a state; the others are only looked for where they are
        // wanted.
        let violations = if wanted == 1 {
            vec![violating.violation]
        } else {
            violations_of(sides, &search.store, violating.state, violating.violation)?
        };
        let path = path_to(&search.store, violating.state);
        for violation in violations {
            let unwound =
                sides.machine.eval.check_time().and_then(|()| {
                    unwind(sides, &search.store, &path, PathEnd::Violation(violation))
                });
            let (run, _) = sides.machine.during(UNWINDING, None, unwound)?;
            counterexamples.push(RawCounterexample {
                ending: ending(violation),
                run,
                further: Vec::new(),
            });
            if counterexamples.len() >= wanted {
                return Ok(());
            }
        }
    }
    for cycle in cycles {
        sides.machine.eval.check_time()?;
        let Some((first, rest)) = cycle.split_first() else {
            continue;
        };
        let mut path = path_to(&search.store, *first);
        let door = path.len() - 1;
        // Once around and back to the door, so that the last step of the cycle is one, too.
        path.extend(rest.iter().chain([first]));
        let (run, last) = unwind(sides, &search.store, &path, PathEnd::Loop(door))?;
        let lapped = laps(sides, &search.store, (run, last), &path[door..])?;
        let RawDivergence { run, laps, further } = lapped;
        let lap = cycle.len();
        counterexamples.push(RawCounterexample {
            ending: RunEnding::Divergence { lap, laps },
            run,
            further,
        });
        if counterexamples.len() >= wanted {
            return Ok(());
        }
    }
    Ok(())
}

/// What is done when a counterexample is made of what a search found.
const UNWINDING: &str = "unwinding a counterexample";

pub(super) fn ending(violation: Violation) -> RunEnding {
    match violation {
        Violation::Event(_) => RunEnding::Refused,
        Violation::Refusal => RunEnding::Refusal,
        Violation::Revival(_) => RunEnding::Revival,
        Violation::Ambiguity(_) => RunEnding::Ambiguity,
        Violation::Deadlock => RunEnding::Deadlock,
    }
}
