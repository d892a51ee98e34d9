//! A race of strategies in words: a row for each, and their disagreement, which would be a fault.

use super::checks::to_progress;
use super::counterexamples::implementation_text;
use super::keys::RunKeys;
use super::outcome::{Counterexample, CounterexampleStep, Progress};
use super::reduction::SymmetrySummary;
use super::words::{self, ComponentView, ErrorText, WordCache};
use super::{numbers, plans};
use crate::check::outcome::{CheckVerdict, RunEnding};
use crate::check::reduction::component_cycles;
use crate::check::structural::component_names;
use crate::check::{Check, Outcome};
use crate::lab::doubled::{RawDoubled, RawRepresented};
use crate::lab::duplicates::{CountedOrbits, PAIRS_MAX};
use crate::lab::race::{RaceOptions, RaceSubject, RacedSearch, race_field, race_one};
use crate::machine::FormatId;
use crate::script::load::Loaded;
use crate::search::breadth_first::Figures;
use crate::search::counterexample::RawStep;
use crate::search::keeping::{Keeping, KeepingKind};
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Kind, Stop};
use crate::value::Atom;

/// The end of a strategy's search.
#[derive(Clone, Debug, PartialEq)]
pub enum RowEnd {
    /// The assertion holds; of a process, all states were found.
    Holds,
    /// The assertion fails, by a counterexample of so many steps where there is one.
    Fails(Option<usize>),
    /// No violation was found, by a search that proves nothing.
    Unproved,
    /// A limit or a cancellation came first.
    Stopped(Stop),
    /// The process could not be searched, or not with this strategy.
    Refused(Box<Diagnostic>, ErrorText),
}

/// The orbits of the stored states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrbitsView {
    /// The orbits were counted.
    Counted {
        /// The number of orbits; an upper bound if it is not certain.
        orbits: u64,
        /// States stored of the orbit of which most are.
        most: u64,
        /// Whether the number is exact.
        is_certain: bool,
    },
    /// The orbits were not counted, and why.
    NotCounted(String),
}

/// One of two stored states of the same orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubledState {
    /// The run to it, to be replayed by its keys.
    pub run: Counterexample,
    /// The components of its representative that matter.
    pub representative: Vec<ComponentView>,
}

/// Two states of one orbit that were given different representatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubledView {
    /// The two states.
    pub states: [DoubledState; 2],
    /// The permutation that takes the representative of the first to that of the second: for each type its name, its
    /// cycles, and the image of each value.
    pub permutation: Vec<PermutationPart>,
    /// The action on components, as cycles of their names, if it is a symmetry found in the structure of the
    /// network.
    pub components: Option<Vec<Vec<String>>>,
    /// Components that are left out: they are the same in both representatives, and have no value in common
    /// with the others, or stay where they are.
    pub left_out: usize,
}

impl DoubledView {
    /// The permutation that takes the representative of the first state to that of the second, as `NodeID (N0 N1)`.
    #[must_use]
    pub fn by(&self) -> String {
        match &self.components {
            Some(cycles) if cycles.is_empty() => {
                return "a permutation of local states".to_owned();
            }
            Some(cycles) => {
                let cycle = |names: &Vec<String>| format!("({})", names.join(" "));
                return cycles.iter().map(cycle).collect();
            }
            None => {}
        }
        let moved = self.permutation.iter();
        let moved = moved.filter(|(_, cycles, _)| cycles != "id");
        let moved: Vec<String> = moved
            .map(|(name, cycles, _)| format!("{name} {cycles}"))
            .collect();
        if moved.is_empty() {
            "an exchange of copies".to_owned()
        } else {
            moved.join(", ")
        }
    }

    /// The omitted components, in words, if there are any.
    #[must_use]
    pub fn rest(&self) -> Option<String> {
        let count = numbers::counted(self.left_out as u64, "component");
        match self.left_out {
            0 => None,
            _ if self.components.is_some() => {
                Some(format!("and in both the same {count}, which nothing moves"))
            }
            1 => Some(format!(
                "and in both the same {count}, which has no value in common with these"
            )),
            _ => Some(format!(
                "and in both the same {count}, which have no value in common with these"
            )),
        }
    }
}

/// Name of a type, the cycles of a permutation of its values, and where it takes each of them.
pub type PermutationPart = (String, String, Vec<(String, String)>);

/// The result of one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceRow {
    /// The name of the strategy.
    pub strategy: &'static str,
    /// The end of its search.
    pub end: RowEnd,
    /// The figures at the end of the search.
    pub progress: Progress,
    /// Representatives that were taken.
    pub representatives: u64,
    /// The number of these by another strategy than the named one, and which.
    pub fallbacks: (u64, &'static str),
    /// Seconds that compiling took.
    pub compile_seconds: f64,
    /// Seconds of the search alone.
    pub search_seconds: f64,
    /// Processor seconds on all threads, where the system reports them.
    pub cpu_seconds: Option<f64>,
    /// The orbits of the stored states.
    pub orbits: OrbitsView,
    /// The first two states of one orbit that it stored.
    pub doubled: Option<DoubledView>,
    /// The symmetry that was used.
    pub symmetry: Option<SymmetrySummary>,
    /// Whether its figures can be compared with those of other rows: not if parallel compositions were kept inside
    /// of components, or if the network changes its form.
    pub is_plain: bool,
    /// Whether the shortest counterexample has a length on which all searches must agree.
    pub has_length: bool,
}

impl RaceRow {
    /// A row of a strategy of which nothing is known but how it ended.
    #[must_use]
    pub fn new(strategy: &'static str, end: RowEnd) -> Self {
        Self {
            strategy,
            end,
            progress: Progress::default(),
            representatives: 0,
            fallbacks: (0, ""),
            compile_seconds: 0.0,
            search_seconds: 0.0,
            cpu_seconds: None,
            orbits: OrbitsView::NotCounted("the search did not end".to_owned()),
            doubled: None,
            symmetry: None,
            is_plain: false,
            has_length: false,
        }
    }

    /// Its end in a few words: the search of a process has no verdict.
    #[must_use]
    pub fn ended(&self, of_assertion: bool) -> String {
        match &self.end {
            RowEnd::Holds if of_assertion => "holds".to_owned(),
            RowEnd::Holds => "all states".to_owned(),
            RowEnd::Fails(Some(steps)) => {
                format!("fails, {}", numbers::counted(*steps as u64, "step"))
            }
            RowEnd::Fails(None) => "fails".to_owned(),
            RowEnd::Unproved if of_assertion => "nothing found".to_owned(),
            RowEnd::Unproved => "may miss orbits".to_owned(),
            RowEnd::Stopped(stop) => words::stop_text(*stop).to_owned(),
            RowEnd::Refused(error, _) => format!("error {}", error.code),
        }
    }

    /// Representatives per second of processor time, or of the search's time where that is unknown. `None` if there
    /// are none.
    #[must_use]
    pub fn per_second(&self) -> Option<f64> {
        let seconds = self.cpu_seconds.unwrap_or(self.search_seconds);
        (self.representatives > 0 && seconds > 0.0).then(|| self.representatives as f64 / seconds)
    }

    /// States stored for one orbit, on average.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        match self.orbits {
            OrbitsView::Counted { orbits, .. } if orbits > 0 => {
                Some(self.progress.states as f64 / orbits as f64)
            }
            _ => None,
        }
    }

    /// Whether the search ended by itself.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.is_finished() || self.end == RowEnd::Unproved
    }

    /// Whether the search ended by itself, and its verdict must be that of all strategies.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.end, RowEnd::Holds | RowEnd::Fails(_))
    }
}

/// The result of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceOutcome {
    /// The number of the assertion and its text, if the race is one of an assertion.
    pub assertion: Option<(usize, String)>,
    /// The process whose states are searched.
    pub process: String,
    /// A row for each strategy that was let go, in order.
    pub rows: Vec<RaceRow>,
    /// The disagreement of finished strategies, which is a fault of the program; empty if they agree.
    pub disagreement: String,
}

/// An event of a race in progress.
pub enum RaceEvent<'a> {
    /// These strategies take part, in this order.
    Strategies(&'a [&'static str]),
    /// The progress of a strategy.
    Progress(&'static str, Progress),
    /// The result of a strategy.
    Row(&'a RaceRow),
}

/// The assertion that is raced about, if it is one, and the process.
fn named(
    loaded: &Loaded,
    (subject, process): (RaceSubject<'_>, &str),
) -> Result<(Option<(usize, String)>, String)> {
    match subject {
        RaceSubject::Assertion(index) => {
            let assertion = &loaded.script.assertions[index];
            if let Some(error) = loaded.in_the_way(assertion) {
                return Err(Box::new(error));
            }
            let number = index + 1;
            let text = assertion.text.to_string();
            Ok((Some((number, text)), implementation_text(loaded, number)))
        }
        RaceSubject::Process(expr) => {
            if let Some(error) = loaded.in_the_way_of(expr) {
                return Err(Box::new(error));
            }
            Ok((None, process.to_owned()))
        }
    }
}

/// Runs all strategies, one after the other. A cancellation ends the race with the known rows.
///
/// # Errors
/// Why there can be no race: the script or the options.
pub fn run(
    loaded: &Loaded,
    subject: RaceSubject<'_>,
    process: &str,
    race: &RaceOptions,
    cancel: &Cancel,
    report: &mut dyn FnMut(RaceEvent<'_>),
) -> Result<RaceOutcome> {
    let (assertion, process) = named(loaded, (subject, process))?;
    let field = race_field(loaded, subject, race, cancel)?;
    let plan = &field.plan;
    let names: Vec<&str> = field.strategies.iter().map(|kind| kind.name()).collect();
    report(RaceEvent::Strategies(&names));
    let mut done = RaceOutcome {
        assertion,
        process,
        rows: Vec::new(),
        disagreement: String::new(),
    };
    for (at, kind) in field.strategies.iter().enumerate() {
        if cancel.is_cancelled() {
            break;
        }
        let name = kind.name();
        let started = std::time::Instant::now();
        let mut last = Progress::default();
        let one = (race, *kind, field.strategies.len() - at);
        let ran = race_one(loaded, (subject, plan), one, cancel, &mut |f| {
            last = to_progress(f, started.elapsed().as_secs_f64());
            report(RaceEvent::Progress(name, last.clone()));
        });
        let ran = ran.and_then(|run| row(name, run, &done.process));
        let row = ran.unwrap_or_else(|error| refused(name, last, &error, loaded, cancel));
        done.rows.push(row);
        // The network is the same for all: then there is nothing to race about.
        if let Some(mut error) = asymmetric(&done.rows, field.strategies.len()) {
            if let Some(why) = &field.without {
                let why = &why.message;
                let note = format!("nothing is symmetric in the structure of the network: {why}");
                error.notes.push(note);
            }
            return Err(Box::new(error));
        }
        if let Some(row) = done.rows.last() {
            report(RaceEvent::Row(row));
        }
    }
    done.disagreement = disagreement(&done.rows);
    Ok(done)
}

/// The reason why nothing is symmetric, if it keeps the first strategies from their search. A single one may have a
/// condition of its own.
fn asymmetric(rows: &[RaceRow], strategies: usize) -> Option<Diagnostic> {
    let why = |row: &RaceRow| match &row.end {
        RowEnd::Refused(error, _) if error.kind == Kind::Asymmetric => Some((**error).clone()),
        _ => None,
    };
    let first = why(rows.first()?)?;
    let same = rows.iter().all(|row| why(row).as_ref() == Some(&first));
    (same && rows.len() >= strategies.min(2)).then_some(first)
}

/// A row of a strategy that came to no outcome.
fn refused(
    strategy: &'static str,
    last: Progress,
    error: &Diagnostic,
    loaded: &Loaded,
    cancel: &Cancel,
) -> RaceRow {
    // The diagnostic is only a consequence of the cancelling.
    let cancelled = cancel.is_cancelled().then_some(Stop::Cancelled);
    let end = match cancelled.or(error.stop()) {
        Some(stop) => RowEnd::Stopped(stop),
        None => RowEnd::Refused(
            Box::new(error.clone()),
            words::error_text(error, &loaded.sources),
        ),
    };
    RaceRow {
        search_seconds: last.seconds,
        progress: last,
        ..RaceRow::new(strategy, end)
    }
}

fn row(strategy: &'static str, run: RacedSearch, process: &str) -> Result<RaceRow> {
    let RacedSearch {
        mut check,
        outcome,
        orbits,
        doubled,
    } = run;
    let statistics = &outcome.statistics;
    let figures: &Figures = &statistics.figures;
    let found = outcome.counterexamples.first();
    let diverges = |ending: &RunEnding| matches!(ending, RunEnding::Divergence { .. });
    let doubled = match doubled {
        // A limit may come while it is put into words: the figures are not lost by that.
        Some(found) => match doubled_view(&mut check, &found, process) {
            Ok(view) => Some(view),
            Err(error) if error.stop().is_some() => None,
            Err(error) => return Err(error),
        },
        None => None,
    };
    Ok(RaceRow {
        strategy,
        end: match outcome.verdict {
            CheckVerdict::Holds => RowEnd::Holds,
            CheckVerdict::Fails => RowEnd::Fails(found.map(|f| f.run.steps.len())),
            CheckVerdict::Unproved => RowEnd::Unproved,
            CheckVerdict::Stopped(stop) => RowEnd::Stopped(stop),
        },
        progress: to_progress(figures, statistics.search_seconds),
        representatives: figures.steps.representatives,
        fallbacks: (figures.steps.fallbacks, statistics.instead),
        compile_seconds: statistics.compile_seconds,
        search_seconds: statistics.search_seconds,
        cpu_seconds: statistics.search_cpu,
        orbits: orbits_view(orbits, &outcome),
        doubled,
        symmetry: outcome.reduction.as_ref().map(plans::summary),
        is_plain: !statistics.kept_together && statistics.formats == 1,
        has_length: found.is_some_and(|f| !diverges(&f.ending))
            && !statistics.kept_together
            && KeepingKind::named(strategy)
                .is_some_and(|kind| kind.keeping().is_none_or(Keeping::proves)),
    })
}

fn orbits_view(orbits: Option<CountedOrbits>, outcome: &Outcome) -> OrbitsView {
    let not = |why: &str| OrbitsView::NotCounted(why.to_owned());
    match orbits {
        Some(CountedOrbits::Known(found)) => OrbitsView::Counted {
            orbits: found.orbits as u64,
            most: found.most as u64,
            // Forms are of one format, and a permutation may take a state to one of another.
            is_certain: found.is_certain && outcome.statistics.formats == 1,
        },
        Some(CountedOrbits::TooMany) => OrbitsView::NotCounted(format!(
            "more than {} states",
            numbers::thousands(PAIRS_MAX as u128)
        )),
        Some(CountedOrbits::Stopped(stop)) => not(words::stop_text(stop)),
        None => match outcome.verdict {
            CheckVerdict::Stopped(stop) => not(words::stop_text(stop)),
            CheckVerdict::Holds | CheckVerdict::Fails | CheckVerdict::Unproved => {
                not("nothing was searched")
            }
        },
    }
}

fn doubled_view(check: &mut Check, found: &RawDoubled, process: &str) -> Result<DoubledView> {
    let mut words = WordCache::default();
    let all = found.states[0].representative.locals.len();
    let mut state = |of: &RawRepresented| -> Result<DoubledState> {
        check.machine.eval.check_time()?;
        let (machine, network) = (&mut check.machine, &check.network);
        let stored = &of.representative;
        let shown = words.components(machine, network, FormatId(stored.format), &stored.locals);
        let step = |step: &RawStep| CounterexampleStep {
            kind: words::kind(step.event),
            event: words::shown(machine, step.shown),
            ..CounterexampleStep::default()
        };
        let steps = of.run.steps.iter().map(step).collect();
        let matters = found.components.iter();
        Ok(DoubledState {
            run: Counterexample {
                steps,
                keys: Some(RunKeys::of(check, &of.run)),
                process: process.to_owned(),
                ..Counterexample::default()
            },
            representative: matters.map(|at| shown[*at].clone()).collect(),
        })
    };
    let states = [state(&found.states[0])?, state(&found.states[1])?];
    let moved = found.by.structure().map(|map| {
        let names = component_names(&mut check.machine, check.network.first());
        component_cycles(map, &names)
    });
    let machine = &check.machine;
    let atoms = machine.atoms();
    let name = |atom: Atom| machine.atom_name(atom);
    let part = |kind: usize| {
        let by = found.by.values()?;
        let map = atoms.atoms(kind as u8).map(|atom| {
            let to = by.apply(Atom(atom));
            (name(Atom(atom)), name(to))
        });
        let cycles = by.cycles(atoms, kind, &name);
        Some((atoms.name(kind as u8).to_owned(), cycles, map.collect()))
    };
    Ok(DoubledView {
        states,
        permutation: (0..atoms.kinds()).filter_map(part).collect(),
        components: moved,
        left_out: all - found.components.len(),
    })
}

/// The disagreement of finished strategies: on the verdict, the length of the shortest counterexample, or the number
/// of orbits. Each would be a fault of the program.
fn disagreement(rows: &[RaceRow]) -> String {
    let finished = || rows.iter().filter(|row| row.is_finished());
    let verdict = |row: &RaceRow| match row.end {
        RowEnd::Fails(_) => "fails",
        _ => "holds",
    };
    let length = |row: &RaceRow| match row.end {
        RowEnd::Fails(Some(steps)) if row.has_length => Some(steps as u64),
        _ => None,
    };
    let orbits = |row: &RaceRow| match (&row.end, &row.orbits) {
        // A search that fails ends early, and each stores others by then.
        (
            RowEnd::Holds,
            OrbitsView::Counted {
                orbits,
                is_certain: true,
                ..
            },
        ) if row.is_plain => Some(*orbits),
        _ => None,
    };
    if let Some(first) = finished().next()
        && let Some(other) = finished().find(|row| verdict(row) != verdict(first))
    {
        return format!(
            "by {} the assertion {}, by {} it {}",
            first.strategy,
            verdict(first),
            other.strategy,
            verdict(other)
        );
    }
    let differ = |what: &str, of: &dyn Fn(&RaceRow) -> Option<u64>| {
        let mut known = finished().filter_map(|row| Some((row.strategy, of(row)?)));
        let (first, number) = known.next()?;
        let (other, different) = known.find(|(_, n)| *n != number)?;
        Some(format!(
            "{what}: {number} by {first}, {different} by {other}"
        ))
    };
    let lengths = differ("steps of the shortest counterexample", &length);
    let lengths = lengths.or_else(|| differ("orbits", &orbits));
    lengths.unwrap_or_default()
}

/// Whether an error is a fault of the program.
#[must_use]
pub fn is_fault(row: &RaceRow) -> bool {
    matches!(&row.end, RowEnd::Refused(error, _) if error.kind == Kind::Bug)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(strategy: &'static str, end: RowEnd, orbits: u64) -> RaceRow {
        RaceRow {
            orbits: OrbitsView::Counted {
                orbits,
                most: 1,
                is_certain: true,
            },
            is_plain: true,
            has_length: true,
            ..RaceRow::new(strategy, end)
        }
    }

    #[test]
    fn finished_strategies_must_agree() {
        let holds = |name, orbits| row(name, RowEnd::Holds, orbits);
        let fails = |name, steps| row(name, RowEnd::Fails(Some(steps)), 1);
        assert_eq!(disagreement(&[]), "");
        assert_eq!(disagreement(&[holds("a", 5), holds("b", 5)]), "");
        let found = disagreement(&[holds("a", 5), fails("b", 3)]);
        assert_eq!(found, "by a the assertion holds, by b it fails");
        let found = disagreement(&[fails("a", 4), fails("b", 3)]);
        assert_eq!(
            found,
            "steps of the shortest counterexample: 4 by a, 3 by b"
        );
        let found = disagreement(&[holds("a", 4), holds("b", 4), holds("c", 5)]);
        assert_eq!(found, "orbits: 4 by a, 5 by c");
    }

    #[test]
    fn what_cannot_be_compared_is_not() {
        let late = row("late", RowEnd::Stopped(Stop::Time), 7);
        let first = row("a", RowEnd::Holds, 5);
        assert_eq!(disagreement(&[late, first.clone()]), "");
        // Loops need not be equally long, and orbits that are not certain are an upper bound.
        let fails = |steps, has_length| RaceRow {
            has_length,
            ..row("f", RowEnd::Fails(Some(steps)), 1)
        };
        assert_eq!(disagreement(&[fails(3, false), fails(4, true)]), "");
        let bound = RaceRow {
            orbits: OrbitsView::Counted {
                orbits: 6,
                most: 1,
                is_certain: false,
            },
            ..first.clone()
        };
        assert_eq!(disagreement(&[first, bound]), "");
    }
}
