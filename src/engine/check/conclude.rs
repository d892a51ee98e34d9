//! Conclusion of a search: the verdict, the counterexamples and the number of represented states.
//!
//! Once there is a verdict, a limit does not change it: results that it prevents are reported as missing.

use std::time::{Duration, Instant};

use super::outcome::{CheckVerdict, Missing, RawCounterexample, RunEnding};
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{End, LazyProduct, Search, SearchControl};
use crate::search::counterexample::{PathEnd, RawDivergence, laps, path_to, unwind, violations_of};
use crate::search::divergence::{CycleControl, Cycles, find_cycles};
use crate::search::keeping::Keeping;
use crate::search::product::Violation;
use crate::search::represented::{Counted, Represented, count};
use crate::search::store::StoredId;
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};

/// Time for unwinding counterexamples beyond a time limit.
const GRACE: Duration = Duration::from_secs(10);

/// Questions of a check that are answered after its search.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether divergence is a violation.
    pub divergence: bool,
    /// Whether to count the states that stored ones represent.
    pub count_full: bool,
}

/// The result of a check.
#[derive(Debug)]
pub struct Conclusion {
    /// The verdict, without `not`.
    pub verdict: CheckVerdict,
    /// Counterexamples, shortest first.
    pub counterexamples: Vec<RawCounterexample>,
    /// The number of represented states, if asked for and known.
    pub represented: Option<Represented>,
    /// Results that limits prevented.
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

/// Whether a complete search may have a cycle of τ. Without all orbits, a cycle of stored states need not be one of
/// states.
pub(super) fn may_diverge(lazy: &LazyProduct<'_>) -> bool {
    let proves = lazy.keeping.is_none_or(Keeping::proves);
    proves && !lazy.partial_order.is_some_and(PartialOrder::ends_silence)
}

/// Draws the conclusion of a search.
///
/// # Errors
/// An evaluation error, or a counterexample that does not replay.
pub fn conclude(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    asked: Asked,
    control: &SearchControl<'_>,
) -> Result<Conclusion> {
    let wanted = control.limits.violations_max.max(1);
    let mut done = Conclusion::default();
    let (mut stop, mut cycles) = (None, Vec::new());
    let proves = lazy.keeping.is_none_or(Keeping::proves);
    let may_diverge = asked.divergence && may_diverge(lazy) && !search.is_acyclic;
    match search.end {
        End::Stopped(reached) => stop = Some(reached),
        // Only a complete search rules out cycles.
        End::Exhausted if may_diverge && search.violations.len() < wanted => {
            let most = wanted - search.violations.len();
            match find_cycles(lazy, search, CycleControl::of(control), most)? {
                Cycles::None => {}
                Cycles::Found(found) => cycles = found,
                Cycles::Stopped(reached) => stop = Some(reached),
            }
        }
        End::Exhausted | End::Violated => {}
    }
    let fails = !(search.violations.is_empty() && cycles.is_empty());
    // A violation found before a limit is still a failure.
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
        let limits = with_grace(lazy.machine.eval.limits());
        lazy.machine.eval.set_limits(&limits);
        let unwound = unwind_all(lazy, search, &cycles, wanted, &mut done.counterexamples);
        if let Some(stop) = limited(unwound)? {
            let what = "the counterexample";
            let stop = Some(stop);
            done.missing.push(Missing { what, stop });
        }
        // Violations of single states come first, then cycles, each by length: merge the two by length.
        done.counterexamples.sort_by_key(|f| f.run.steps.len());
    }
    // After an incomplete search, the sum would be that of a part.
    if asked.count_full && search.end == End::Exhausted {
        count_represented(lazy, search, control, &mut done)?;
    }
    Ok(done)
}

/// Counts the states that stored ones represent.
fn count_represented(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    control: &SearchControl<'_>,
    done: &mut Conclusion,
) -> Result<()> {
    // Stored states are those of this network; if permutations keep a composition inside a component, the unreduced
    // network is another one.
    let counted = match (lazy.machine.kept_together(), &search.counted) {
        (true, _) => Counted::Unknown,
        (false, Some(counted)) => counted.clone(),
        (false, None) => count(lazy, search, control)?,
    };
    let stop = match counted {
        Counted::Exactly(represented) => {
            done.represented = Some(represented);
            return Ok(());
        }
        Counted::Unknown => None,
        Counted::Stopped(stop) => Some(stop),
    };
    done.missing.push(Missing {
        what: REPRESENTED,
        stop,
    });
    Ok(())
}

/// The number of represented states, where it is missing.
const REPRESENTED: &str = "the number of states represented";

impl Conclusion {
    /// Whether the number of represented states is missing because the strategy does not know the sizes of orbits.
    pub(super) fn lacks_orbit_sizes(&self) -> bool {
        let is_it = |missing: &Missing| missing.what == REPRESENTED && missing.stop.is_none();
        self.missing.iter().any(is_it)
    }

    /// Adds the number of represented states, counted in another way, or what prevented that.
    pub(super) fn add_represented(&mut self, counted: Counted) {
        match counted {
            Counted::Exactly(represented) => {
                self.missing.retain(|missing| missing.what != REPRESENTED);
                self.represented = Some(represented);
            }
            Counted::Stopped(stop) => {
                let lacks = |missing: &&mut Missing| missing.what == REPRESENTED;
                if let Some(missing) = self.missing.iter_mut().find(lacks) {
                    missing.stop = Some(stop);
                }
            }
            Counted::Unknown => {}
        }
    }
}

/// Extends the time limit for counterexamples: the result of a search of hours should not be lost.
fn with_grace(limits: &Limits) -> Limits {
    Limits {
        deadline: limits.deadline.map(|d| d.max(Instant::now()) + GRACE),
        resident_max: limits.resident_max.saturating_add(limits.resident_max / 8),
        ..limits.clone()
    }
}

/// The limit behind an error, if it is one.
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
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    cycles: &[Vec<StoredId>],
    wanted: usize,
    counterexamples: &mut Vec<RawCounterexample>,
) -> Result<()> {
    for violating in &search.violations {
        // The search stores one violation of a state; others are computed only if requested.
        let violations = if wanted == 1 {
            vec![violating.violation]
        } else {
            violations_of(lazy, &search.store, violating.state, violating.violation)?
        };
        let path = path_to(&search.store, violating.state);
        for violation in violations {
            let unwound =
                lazy.machine.eval.check_time().and_then(|()| {
                    unwind(lazy, &search.store, &path, PathEnd::Violation(violation))
                });
            let (run, _) = lazy.machine.during(UNWINDING, None, unwound)?;
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
        lazy.machine.eval.check_time()?;
        let Some((first, rest)) = cycle.split_first() else {
            continue;
        };
        let mut path = path_to(&search.store, *first);
        let door = path.len() - 1;
        // Once around the cycle, back to its entry, so that the last step belongs to it.
        path.extend(rest.iter().chain([first]));
        let (run, last) = unwind(lazy, &search.store, &path, PathEnd::Loop(door))?;
        let lapped = laps(lazy, &search.store, run, last, &path[door..])?;
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

/// The activity named in errors while a counterexample is made.
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
