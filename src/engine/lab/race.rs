//! Comparison of strategies: one search with each in turn, and its cost.
//!
//! Every strategy gets the same search: the same question, the same plan, the same limits, no merging of bisimilar
//! local states (so that the counts are of states of the script). Each compiles anew, since tables filled by one would
//! spare the next the work. They never run at the same time.

use std::time::{Duration, Instant};

use super::doubled::{RawDoubled, doubled};
use super::duplicates::{CountedOrbits, count_orbits};
use crate::check::Options;
use crate::check::outcome::Outcome;
use crate::check::plan::{Demand, Plan, plans, plans_of};
use crate::check::run::Check;
use crate::script::core::{AssertionKind, Expr};
use crate::script::load::Loaded;
use crate::search::breadth_first::{End, Figures, LazyProduct, Search, SearchControl};
use crate::search::keeping::KeepingKind;
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Stop};

/// The search that strategies are compared on.
#[derive(Clone, Copy)]
pub enum RaceSubject<'a> {
    /// The search of an assertion (from 0).
    Assertion(usize),
    /// All states of a process.
    Process(&'a Expr),
}

/// Options of a comparison.
#[derive(Clone, Debug)]
pub struct RaceOptions {
    /// The strategies, in order; if empty, all that apply.
    pub strategies: Vec<KeepingKind>,
    /// Types, threads and limits, the same for each.
    pub options: Options,
    /// The time limit of each search.
    pub timeout: Option<Duration>,
    /// The deadline of all of them: the time until then is shared.
    pub deadline: Option<Instant>,
}

impl RaceOptions {
    /// Looks up strategies by name.
    ///
    /// # Errors
    /// A sentence about an unknown name, or a mixture of strategies for datatypes and for structure.
    pub fn named(names: &[String]) -> std::result::Result<Vec<KeepingKind>, String> {
        let mut strategies: Vec<KeepingKind> = Vec::new();
        for name in names {
            let kind = KeepingKind::named(name);
            let kind = kind.ok_or_else(|| format!("there is no strategy `{name}`"))?;
            if !strategies.contains(&kind) {
                strategies.push(kind);
            }
        }
        let is_structural = |kind: &&KeepingKind| kind.by_structure().is_some();
        let structural = strategies.iter().find(is_structural);
        let other = strategies.iter().find(|kind| !is_structural(kind));
        match structural.zip(other) {
            Some((one, other)) => Err(format!(
                "`{}` is for symmetry that is found in the structure of the network, and `{}` is for that of \
                 datatypes: they cannot race with each other",
                one.name(),
                other.name()
            )),
            None => Ok(strategies),
        }
    }

    /// The time of one strategy while `left` are still to come, itself included: half of it is for its search, the rest
    /// for counting orbits.
    fn time_for_one(&self, left: usize) -> Option<Duration> {
        let share = self.deadline.map(|end| {
            let time = end.saturating_duration_since(Instant::now());
            time / u32::try_from(left.max(1)).unwrap_or(u32::MAX)
        });
        let own = self.timeout.and_then(|timeout| timeout.checked_mul(2));
        share.into_iter().chain(own).min()
    }

    /// The options of one strategy, with the time counted from now.
    fn for_one(&self, strategy: KeepingKind, time: Option<Duration>) -> Options {
        let limits = self.options.limits.from_now();
        Options {
            // Numbers of orbits are compared.
            partial_order: Some(false),
            keeping: strategy,
            symmetry: Some(true),
            structure: Some(strategy.by_structure().is_some()),
            merging: false,
            count_full: false,
            limits: match time {
                Some(time) => limits.with_timeout(time / 2),
                None => limits,
            },
            ..self.options.clone()
        }
    }
}

/// The result of one strategy.
pub struct RacedSearch {
    /// The check, kept for display of its counterexample.
    pub check: Check,
    /// The verdict and the statistics.
    pub outcome: Outcome,
    /// The orbits of the stored pairs; `None` if not counted, as after a cancellation.
    pub orbits: Option<CountedOrbits>,
    /// The first two stored pairs of one orbit.
    pub doubled: Option<RawDoubled>,
}

/// The strategies of a comparison, with their plan.
pub struct RaceField {
    /// The plan for all.
    pub plan: Plan,
    /// The strategies, in order.
    pub strategies: Vec<KeepingKind>,
    /// The reason why there is no structural group, if one was sought.
    pub without: Option<Box<Diagnostic>>,
}

/// Chooses the strategies: the named ones; otherwise all for datatypes where some are symmetric, else all for
/// structural groups, if there is one.
///
/// # Errors
/// An unsupported feature, a type that is not symmetric, or an assertion that is not decided by a search.
pub fn race_field(
    loaded: &Loaded,
    subject: RaceSubject<'_>,
    race: &RaceOptions,
    cancel: &Cancel,
) -> Result<RaceField> {
    let named = |strategies: Vec<KeepingKind>| -> Result<RaceField> {
        let by_structure = strategies.iter().any(|kind| kind.by_structure().is_some());
        Ok(RaceField {
            plan: race_plan(loaded, subject, race, by_structure)?,
            strategies,
            without: None,
        })
    };
    if !race.strategies.is_empty() {
        return named(race.strategies.clone());
    }
    let by_values = named(KeepingKind::all().collect())?;
    if !by_values.plan.types.is_empty() || !race.options.types.is_empty() {
        return Ok(by_values);
    }
    let structural: Vec<KeepingKind> = KeepingKind::structural().collect();
    let by_structure = named(structural)?;
    // The existence of a group is known once the network is compiled. Each strategy compiles anew, so none gains from
    // this.
    let found = by_structure.strategies.first().map(|kind| {
        let options = race.for_one(*kind, race.time_for_one(2));
        compiled(loaded, subject, &by_structure.plan, &options, cancel)
    });
    let check = match found {
        Some(Ok(check)) => check,
        why => {
            let without = why.and_then(std::result::Result::err);
            return Ok(RaceField {
                without,
                ..by_values
            });
        }
    };
    // If the group only exchanges copies, the strategies for datatypes do so, too.
    let options = race.for_one(KeepingKind::default(), race.time_for_one(2));
    let exchanging = compiled(loaded, subject, &by_values.plan, &options, cancel)?;
    let order = |check: &Check| check.reduction().map(|used| used.group_order.clone());
    Ok(match order(&check) > order(&exchanging) {
        true => by_structure,
        false => by_values,
    })
}

/// The plan of a comparison.
fn race_plan(
    loaded: &Loaded,
    subject: RaceSubject<'_>,
    race: &RaceOptions,
    by_structure: bool,
) -> Result<Plan> {
    let options = &Options {
        partial_order: Some(false),
        symmetry: Some(true),
        structure: Some(by_structure),
        ..race.options.clone()
    };
    let plans = match subject {
        RaceSubject::Assertion(index) => {
            let assertion = &loaded.script.assertions[index];
            let how = match assertion.kind {
                AssertionKind::HasTrace { .. } => "following a trace",
                AssertionKind::Symmetric { .. } => "a look at the text",
                AssertionKind::Refinement { .. } | AssertionKind::Property { .. } => {
                    return first(plans(loaded, index, options)?);
                }
            };
            let message =
                format!("this assertion is decided by {how}: strategies play no part in it");
            return Err(Box::new(Diagnostic::error(
                "E0601",
                assertion.span,
                message,
            )));
        }
        RaceSubject::Process(process) => {
            let demand = Demand {
                symmetry: Some(true),
                structure: options.structure,
                types: &options.types,
                ..Demand::default()
            };
            plans_of(loaded, &[process], &demand)?
        }
    };
    first(plans)
}

fn first(plans: Vec<Plan>) -> Result<Plan> {
    let none = "internal error: there is no plan";
    let first = plans.into_iter().next();
    first.ok_or_else(|| Box::new(Diagnostic::nowhere("E0799", none)))
}

/// Compiles the subject of a comparison.
fn compiled(
    loaded: &Loaded,
    subject: RaceSubject<'_>,
    plan: &Plan,
    options: &Options,
    cancel: &Cancel,
) -> Result<Check> {
    match subject {
        RaceSubject::Assertion(index) => Check::planned(loaded, index, plan, options, cancel),
        RaceSubject::Process(process) => Check::of_process(loaded, process, plan, options, cancel),
    }
}

/// Runs one strategy, while `left` are still to come, itself included.
///
/// # Errors
/// An evaluation error or a limit of compiling; the lack of symmetry; or an obstacle to the strategy.
pub fn race_one(
    loaded: &Loaded,
    (subject, plan): (RaceSubject<'_>, &Plan),
    (race, strategy, left): (&RaceOptions, KeepingKind, usize),
    cancel: &Cancel,
    progress: &mut dyn FnMut(&Figures),
) -> Result<RacedSearch> {
    let time = race.time_for_one(left);
    let end = time.and_then(|time| Instant::now().checked_add(time));
    let options = race.for_one(strategy, time);
    let mut check = compiled(loaded, subject, plan, &options, cancel)?;
    if check.reduction().is_none() {
        let why = "no datatype is symmetric and no components are identical: every strategy would keep \
                   every state";
        return Err(Box::new(Diagnostic::nowhere("E0510", why)));
    }
    let mut control = SearchControl {
        threads: options.threads,
        collapse_after: options.collapse_after,
        limits: &options.limits,
        cancel,
        progress,
    };
    let after = |lazy: &mut LazyProduct<'_>, search: &Search| {
        look_back(lazy, search, end, &options, cancel)
    };
    let (outcome, found) = check.run_and(&mut control, after)?;
    let (orbits, doubled) = found.unwrap_or_default();
    Ok(RacedSearch {
        check,
        outcome,
        orbits,
        doubled,
    })
}

/// Counts the orbits of the stored pairs, and prepares the first two pairs of one orbit for display.
fn look_back(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    end: Option<Instant>,
    options: &Options,
    cancel: &Cancel,
) -> Result<(Option<CountedOrbits>, Option<RawDoubled>)> {
    // Not after a cancellation, or without memory left.
    if let End::Stopped(Stop::Cancelled | Stop::Memory) = search.end {
        return Ok((None, None));
    }
    // The search may have used up all of its own time.
    let limits = Limits {
        deadline: end,
        ..options.limits.clone()
    };
    lazy.machine.eval.set_limits(&limits);
    let control = SearchControl {
        threads: options.threads,
        collapse_after: options.collapse_after,
        limits: &limits,
        cancel,
        progress: &mut |_| {},
    };
    let counted = limited(count_orbits(lazy, &search.store, &control))?;
    let counted = counted.unwrap_or_else(CountedOrbits::Stopped);
    let found = match counted {
        CountedOrbits::Known(found) => found.doubled,
        CountedOrbits::TooMany | CountedOrbits::Stopped(_) => None,
    };
    let shown = match found {
        Some((first, second)) => {
            limited(doubled(lazy, &search.store, first, second))?.unwrap_or_default()
        }
        None => None,
    };
    Ok((Some(counted), shown))
}

/// The result, or the limit behind its error, so that the result of the search is not lost.
fn limited<T>(result: Result<T>) -> Result<std::result::Result<T, Stop>> {
    match result {
        Ok(found) => Ok(Ok(found)),
        Err(error) => match error.stop() {
            Some(stop) => Ok(Err(stop)),
            None => Err(error),
        },
    }
}
