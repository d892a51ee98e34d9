//! Traces from the user, followed in three ways: step by step, by their visible events alone, and up to permutations
//! of symmetric values.

use super::engine::ScriptEngine;
use super::history::Origin;
use super::model::{ErrorText, EventKind, StateId};
use super::opened::{AnimatedProcess, Opening};
use super::replayed::{TraceRun, WalkParting};
use crate::machine::EventId;
use crate::report::follow::{Layers, PossibleStep, ReplayMode, Replayable};
use crate::report::numbers::thousands;
use crate::report::parted::{PartedText, compact};
use crate::report::runs::{TakenStep, traced};
use crate::report::words;
use crate::source::WorkStage;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::{Map, Set};

/// A step of a process that is animated.
type AnimatedStep = PossibleStep<StateId>;

/// States that are searched at most for the silent steps between visible events.
const SEARCHED_MAX: usize = 200_000;

/// A step from the user: an event, `tau` for a silent step without one, `tau (a.b)` for one that hides an event, and
/// the number of the state that it leads to, as the 2 of `a.b#2`.
pub struct GivenStep {
    /// The event, without white space.
    pub event: String,
    /// Whether the event has to be hidden.
    pub is_silent: bool,
    /// The number of the state, from 1.
    pub number: Option<usize>,
}

impl GivenStep {
    /// Parses a step.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let compact = compact(text);
        let numbered = compact.rsplit_once('#');
        let numbered = numbered.and_then(|(event, n)| Some((event, n.parse::<usize>().ok()?)));
        let (event, number) = match numbered.filter(|(event, _)| !event.is_empty()) {
            Some((event, number)) => (event, Some(number)),
            None => (&*compact, None),
        };
        let hidden = event.strip_prefix("tau(").and_then(|e| e.strip_suffix(')'));
        Self {
            event: hidden.unwrap_or(event).to_owned(),
            is_silent: hidden.is_some(),
            number,
        }
    }

    /// Whether a step of this kind may be meant.
    fn allows(&self, kind: EventKind) -> bool {
        !self.is_silent || kind == EventKind::Tau
    }

    /// The steps that it may be, one for each state, in the order of the steps.
    fn among<'a>(&self, steps: &'a [AnimatedStep]) -> Vec<&'a AnimatedStep> {
        let mut all: Vec<&AnimatedStep> = Vec::new();
        let fits = |s: &&AnimatedStep| s.event == self.event && self.allows(s.taken.kind);
        for step in steps.iter().filter(fits) {
            if all.iter().all(|known| known.target != step.target) {
                all.push(step);
            }
        }
        match self.number {
            Some(number) => all.into_iter().skip(number.max(1) - 1).take(1).collect(),
            None => all,
        }
    }
}

/// A state that a trace may have led to.
struct ReachedState {
    state: StateId,
    taken: Option<TakenStep>,
    /// The permutation by which the step is another one than was given.
    renamed: Option<String>,
}

impl ScriptEngine {
    /// Follows a trace from the user until it cannot be followed further.
    ///
    /// # Errors
    /// If the process cannot be opened, or the request was cancelled.
    pub fn trace(
        &mut self,
        process: &str,
        given: &[String],
        mode: ReplayMode,
    ) -> Result<TraceRun, ErrorText> {
        let first = self.open_as(process, &Opening::Best)?;
        match mode {
            ReplayMode::Events => self.at(first, |open| open.fill_in(first, given)),
            ReplayMode::Steps | ReplayMode::Strict | ReplayMode::Orbit => {
                self.step_by_step(first, given, mode)
            }
        }
    }

    fn step_by_step(
        &mut self,
        first: StateId,
        given: &[String],
        mode: ReplayMode,
    ) -> Result<TraceRun, ErrorText> {
        let mut layers = Layers::new(ReachedState {
            state: first,
            taken: None,
            renamed: None,
        });
        let mut parted = None;
        for (n, text) in given.iter().enumerate() {
            if self.budget.cancel.is_cancelled() {
                return Err(ErrorText::line("cancelled"));
            }
            self.budget.cancel.reach(WorkStage::Replaying, n);
            let wanted = GivenStep::new(text);
            let (mut next, mut enabled) = (Vec::new(), Vec::new());
            let mut known = Set::default();
            // The number of states that the event leads to, for any requested one.
            let mut several = 0;
            for (before, (reached, _)) in layers.last().iter().enumerate() {
                let at = reached.state;
                let found = self.at(at, |open| open.given_steps(at, &wanted, mode))?;
                several = several.max(found.several);
                enabled.extend(found.enabled);
                for (step, renamed, key) in found.steps {
                    if known.insert(key) {
                        let reached = ReachedState {
                            state: step.target,
                            taken: Some(step.taken),
                            renamed,
                        };
                        next.push((reached, before));
                    }
                }
            }
            let open = mode == ReplayMode::Strict && next.len() > 1;
            if next.is_empty() || open {
                let mut parting = WalkParting::of(n, n + 1, text.clone(), enabled);
                if several > 0 {
                    parting = ambiguous(parting, &wanted.event, several, open);
                }
                parted = Some(parting);
                break;
            }
            layers.push(next);
        }
        Ok(run_of(first, &layers, parted))
    }

    /// The state after a trace from the user, in which hidden events are named, too.
    ///
    /// # Errors
    /// Says which step is not possible.
    pub fn after(&mut self, process: &str, given: &[String]) -> Result<StateId, ErrorText> {
        let way = self.way_after(process, given)?;
        // It has the state that it begins with.
        let last = way.last().map(|(_, state)| *state);
        last.map_or_else(|| self.open_as(process, &Opening::Best), Ok)
    }

    /// The states of such a trace, each with its origin, the first one being that of the process.
    ///
    /// # Errors
    /// Says which step is not possible.
    pub fn way_after(
        &mut self,
        process: &str,
        given: &[String],
    ) -> Result<Vec<(Origin, StateId)>, ErrorText> {
        let run = self.trace(process, given, ReplayMode::Steps)?;
        let Some(parting) = run.parted else {
            let opened = (run.first).map(|first| (Origin::Opened(process.to_owned()), first));
            let steps = run.steps.into_iter();
            let steps = steps.map(|(taken, state)| (Origin::Step(taken), state));
            return Ok(opened.into_iter().chain(steps).collect());
        };
        let last = run.steps.last().map(|step| step.1).or(run.first);
        let (step, event) = (parting.step, &parting.wanted);
        let summary = format!("step {step} of the trace ({event}) is not possible");
        let mut detail = format!("the trace cannot be followed: {}", parting.text());
        // Hidden events are ordinary steps here, and have to be given.
        let steps = last.map(|at| self.at(at, |open| open.possible_steps(&at)));
        let silent = |step: &AnimatedStep| step.taken.kind == EventKind::Tau;
        if steps.is_some_and(|steps| steps.is_ok_and(|all| all.iter().any(silent))) {
            detail += "; silent steps are steps of a trace, too: `orbitscope replay --mode events` finds them";
        }
        Err(ErrorText::new(summary, detail))
    }
}

/// A step that is possible, but not as it was given: it leads to several states and none was chosen (`open`), or the
/// number that was given is too large.
fn ambiguous(mut parting: WalkParting, event: &str, several: usize, open: bool) -> WalkParting {
    parting.enabled.clear();
    parting.nearest = None;
    parting.why = if open {
        format!("it leads to {several} states: say which, as {event}#1")
    } else {
        format!("{event} leads to {several} states only")
    };
    parting
}

/// The run to the first of the states that were reached last.
fn run_of(first: StateId, layers: &Layers<ReachedState>, parted: Option<WalkParting>) -> TraceRun {
    let mut run = TraceRun {
        first: Some(first),
        followed: layers.steps(),
        others: layers.last().len().saturating_sub(1),
        parted,
        ..TraceRun::default()
    };
    for (n, reached) in layers.path_to(0).into_iter().enumerate() {
        if let Some(taken) = &reached.taken {
            run.steps.push((taken.clone(), reached.state));
        }
        if let Some(renamed) = &reached.renamed {
            run.renamed.push((n, renamed.clone()));
        }
    }
    run
}

/// The steps of a state that match a given one.
struct FoundSteps {
    /// The steps, each with the permutation by which it is renamed, and with its target.
    steps: Vec<(AnimatedStep, Option<String>, StateId)>,
    enabled: Vec<PartedText>,
    several: usize,
}

impl AnimatedProcess {
    fn given_steps(
        &mut self,
        at: StateId,
        wanted: &GivenStep,
        mode: ReplayMode,
    ) -> Checked<FoundSteps> {
        let all = self.possible_steps(&at)?;
        let unnumbered = GivenStep {
            event: wanted.event.clone(),
            number: None,
            ..*wanted
        };
        let exact = wanted.among(&all).into_iter();
        let mut steps: Vec<_> = exact.map(|s| (s.clone(), None, s.target)).collect();
        if mode == ReplayMode::Orbit {
            let values = self.symmetric_values();
            for step in &all {
                if let Some(renaming) = renaming(&wanted.event, &step.event, &values)
                    && !renaming.is_empty()
                    && wanted.allows(step.taken.kind)
                {
                    steps.push((step.clone(), Some(renaming), step.target));
                }
            }
            // States of one orbit go on alike, up to a permutation again.
            for (step, _, key) in &mut steps {
                let (format, locals) = self.state(step.target);
                *key = self.orbit(format, &locals)?.id;
            }
        }
        Ok(FoundSteps {
            steps,
            several: unnumbered.among(&all).len(),
            enabled: all.iter().map(|step| step.event.clone()).collect(),
        })
    }

    /// The values of each type that the process is reduced by.
    fn symmetric_values(&self) -> Vec<Vec<String>> {
        let used = self.reduction.used.iter();
        let used: Vec<&str> = used
            .flat_map(|s| s.types.iter().map(|(name, _)| name.as_str()))
            .collect();
        let types = self.reduction.types.iter();
        let types = types.filter(|t| used.contains(&t.name.as_str()));
        types.map(|t| t.members.clone()).collect()
    }

    /// Follows visible events with as few silent steps between them as possible: breadth first through pairs of a
    /// state and how many events were followed. A hidden event may be given, too.
    fn fill_in(&mut self, first: StateId, given: &[String]) -> Checked<TraceRun> {
        let given: Vec<GivenStep> = given.iter().map(|text| GivenStep::new(text)).collect();
        // Each with the index of the pair before it.
        let mut pairs: Vec<(StateId, usize, usize)> = vec![(first, 0, 0)];
        let mut known = Set::default();
        known.insert((first, 0));
        let mut texts: Map<EventId, PartedText> = Map::default();
        let mut at = 0;
        let mut best = 0;
        while at < pairs.len() && pairs.len() < SEARCHED_MAX && pairs[best].1 < given.len() {
            let (state, done, _) = pairs[at];
            let (format, _) = self.state(state);
            // Where one of several states was asked for, others do not match.
            let numbered = given.get(done).filter(|step| step.number.is_some());
            let chosen = match numbered {
                Some(step) => {
                    let steps = self.possible_steps(&state)?;
                    Some(step.among(&steps).first().map(|step| step.target))
                }
                None => None,
            };
            let (raw, _) = self.raw_transitions(state, usize::MAX)?;
            self.machine.eval.check_time()?;
            for step in raw {
                let kind = words::kind(step.event);
                let silent = kind == EventKind::Tau;
                let shown = self.network.format(format).rules().rule(step.rule).shown;
                if !texts.contains_key(&shown) {
                    texts.insert(shown, traced(&words::shown(&self.machine, shown)));
                }
                let text = texts.get(&shown);
                let wanted = given.get(done).zip(text);
                let wanted =
                    wanted.is_some_and(|(given, text)| *text == given.event && given.allows(kind));
                if !wanted && !silent {
                    continue;
                }
                let target = self.intern(step.target.0, &step.target.1);
                let wanted = wanted && chosen.is_none_or(|chosen| chosen == Some(target));
                if !wanted && !silent {
                    continue;
                }
                // A hidden event that was given may be meant, or be passed over.
                let follows = [wanted.then_some(done + 1), silent.then_some(done)];
                for done in follows.into_iter().flatten() {
                    if known.insert((target, done)) {
                        pairs.push((target, done, at));
                        if done > pairs[best].1 {
                            best = pairs.len() - 1;
                        }
                    }
                }
            }
            at += 1;
        }
        self.filled(first, &given, &pairs, best)
    }

    /// The run to the pair that was followed furthest.
    fn filled(
        &mut self,
        first: StateId,
        given: &[GivenStep],
        pairs: &[(StateId, usize, usize)],
        best: usize,
    ) -> Checked<TraceRun> {
        let mut path = vec![best];
        while let Some(at) = path.last().copied().filter(|at| *at != 0) {
            path.push(pairs[at].2);
        }
        path.reverse();
        let mut run = TraceRun {
            first: Some(first),
            followed: pairs[best].1,
            ..TraceRun::default()
        };
        for two in path.windows(2) {
            let ((from, before, _), (to, after, _)) = (pairs[two[0]], pairs[two[1]]);
            let steps = self.possible_steps(&from)?;
            let fits = |step: &&AnimatedStep| {
                step.target == to
                    && if after > before {
                        step.event == given[before].event && given[before].allows(step.taken.kind)
                    } else {
                        step.taken.kind == EventKind::Tau
                    }
            };
            if let Some(step) = steps.iter().find(fits) {
                run.steps.push((step.taken.clone(), to));
            }
            run.added += usize::from(after == before);
        }
        if let Some(wanted) = given.get(run.followed) {
            run.parted = Some(self.not_filled(&run, wanted, pairs)?);
        }
        Ok(run)
    }

    /// The reason why an event is not possible, even after silent steps.
    fn not_filled(
        &mut self,
        run: &TraceRun,
        wanted: &GivenStep,
        pairs: &[(StateId, usize, usize)],
    ) -> Checked<WalkParting> {
        let mut enabled = Set::default();
        let there = pairs.iter().filter(|pair| pair.1 == run.followed);
        // Enough for a list of the possible events.
        for (state, ..) in there.take(2_000) {
            let steps = self.possible_steps(state)?;
            let visible = steps.iter().filter(|s| s.taken.kind != EventKind::Tau);
            enabled.extend(visible.map(|step| step.event.clone()));
        }
        let enabled: Vec<PartedText> = enabled.into_iter().collect();
        let n = run.followed;
        let mut parting = WalkParting::of(n, n + 1, wanted.event.clone(), enabled);
        parting.why = if pairs.len() >= SEARCHED_MAX {
            format!(
                "it was not found within {} states; there are more",
                thousands(SEARCHED_MAX as u128)
            )
        } else {
            "it is not possible after any silent steps".to_owned()
        };
        Ok(parting)
    }
}

/// Splits an event into names and punctuation.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    while let Some(c) = rest.chars().next() {
        let end = if is_name(c) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// By which permutation of symmetric values one event becomes another, as `T0 -> T1`; empty if they are the same,
/// and none if there is none.
fn renaming(from: &str, to: &str, types: &[Vec<String>]) -> Option<String> {
    let (from, to) = (pieces(from), pieces(to));
    if from.len() != to.len() {
        return None;
    }
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for (a, b) in from.into_iter().zip(to) {
        let both =
            |values: &&Vec<String>| values.iter().any(|v| v == a) && values.iter().any(|v| v == b);
        if types.iter().find(both).is_none() {
            if a != b {
                return None;
            }
            continue;
        }
        match pairs.iter().find(|(x, y)| *x == a || *y == b) {
            Some(known) if *known == (a, b) => {}
            Some(_) => return None,
            None => pairs.push((a, b)),
        }
    }
    let moved = pairs.into_iter().filter(|(a, b)| a != b);
    let moved: Vec<String> = moved.map(|(a, b)| format!("{a} -> {b}")).collect();
    Some(moved.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_name_events_that_are_hidden_and_numbers() {
        let read = |text: &str| {
            let step = GivenStep::new(text);
            (step.event, step.is_silent, step.number)
        };
        assert_eq!(read("a.(1, 2)"), ("a.(1,2)".to_owned(), false, None));
        assert_eq!(read("tau"), ("tau".to_owned(), false, None));
        assert_eq!(read("tau#2"), ("tau".to_owned(), false, Some(2)));
        assert_eq!(
            read("tau (a.(1, 2)) #3"),
            ("a.(1,2)".to_owned(), true, Some(3))
        );
    }

    #[test]
    fn events_are_renamed_by_permutations_and_nothing_else() {
        let types = [
            ["T0", "T1"].map(String::from).to_vec(),
            ["A", "B"].map(String::from).to_vec(),
        ];
        let by = |a: &str, b: &str| renaming(a, b, &types);
        assert_eq!(by("push.T0.A", "push.T0.A").unwrap(), "");
        assert_eq!(by("push.T0.A", "push.T1.B").unwrap(), "T0 -> T1, A -> B");
        assert_eq!(by("c.T0.T0", "c.T1.T0"), None);
        assert_eq!(by("c.T0.T1", "c.T1.T1"), None);
        assert_eq!(by("c.T0", "c.A"), None);
        assert_eq!(by("c.T0", "d.T0"), None);
        assert_eq!(by("c.(T0,<A>)", "c.(T1,<A>)").unwrap(), "T0 -> T1");
    }
}
