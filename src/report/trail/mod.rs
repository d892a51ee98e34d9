//! A run as a table: steps are columns, components are rows, with the texts of the cells.
//!
//! Texts are borrowed from the run, and only steps that change something are kept, so that a run of thousands of steps
//! is a table at once.

pub mod cells;
pub mod table;

use std::ops::RangeInclusive;

use crate::outcome::{Counterexample, CounterexampleStep, Ending};
use crate::parted::PartedText;
use crate::runs::SILENT;
use crate::source::hash::Map;
use crate::words::EventKind;

/// Hidden steps of one channel in a row that get one column, unless the person chose otherwise.
const FOLD_LEAST: usize = 4;

/// A column: one step, or several that are shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailColumn {
    /// The steps, counted from 1; 0 is the initial state, and one more than there are steps is the end.
    pub steps: RangeInclusive<usize>,
    /// The channel of which they are, if they were folded for that.
    pub fold: Option<String>,
}

impl TrailColumn {
    fn one(step: usize) -> Self {
        let steps = step..=step;
        Self { steps, fold: None }
    }

    /// The number of its steps.
    #[must_use]
    pub fn count(&self) -> usize {
        self.steps.end() + 1 - self.steps.start()
    }
}

/// The change of a component in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailCell<'a> {
    /// It does not move.
    Still,
    /// It takes part without changing.
    TakesPart,
    /// It changes to this state.
    Becomes(&'a str),
    /// There is no such component.
    Absent,
}

/// A run as a table of steps and components.
pub struct Trail<'a> {
    /// The run.
    pub path: &'a Counterexample,
    /// The columns.
    pub columns: Vec<TrailColumn>,
    /// The steps in which each component takes part, and its state afterwards.
    moves: Vec<Vec<(usize, &'a PartedText)>>,
    labels: Vec<&'a PartedText>,
}

/// The channel of a step, or a replacement for it.
#[must_use]
pub fn channel(step: &CounterexampleStep) -> &str {
    match step.event.head() {
        "" => SILENT,
        channel => channel,
    }
}

impl<'a> Trail<'a> {
    /// The table of a run, with channels folded or unfolded against the default. With `visible_only`, steps without a visible event are shown with the next one that has
    /// one.
    #[must_use]
    pub fn new(path: &'a Counterexample, folds: &Map<String, bool>, visible_only: bool) -> Self {
        let columns = if visible_only {
            visible_columns(path)
        } else {
            folded_columns(path, folds)
        };
        Self::with_columns(path, columns)
    }

    /// The table of a run with a column for each step.
    #[must_use]
    pub fn unfolded(path: &'a Counterexample) -> Self {
        let steps = (1..=path.steps.len()).map(TrailColumn::one).collect();
        Self::with_columns(path, with_ends(path, steps))
    }

    fn with_columns(path: &'a Counterexample, columns: Vec<TrailColumn>) -> Self {
        let rows = path.steps.iter().map(|s| path.components_after(s).len());
        let rows = rows.chain([path.components.len()]).max().unwrap_or(0);
        let mut moves = vec![Vec::new(); rows];
        let mut labels: Vec<&PartedText> = path.components.iter().collect();
        for (at, step) in path.steps.iter().enumerate() {
            for (component, text) in &step.changes {
                if let Some(list) = moves.get_mut(*component) {
                    list.push((at + 1, text));
                }
            }
            // The network may grow on the way: the first component at an index names its row.
            let now = path.components_after(step);
            labels.extend(now.get(labels.len()..).unwrap_or(&[]));
        }
        Self {
            path,
            columns,
            moves,
            labels,
        }
    }

    /// The number of components with rows.
    #[must_use]
    pub fn components(&self) -> usize {
        self.moves.len()
    }

    /// The name of a component.
    #[must_use]
    pub fn name(&self, component: usize) -> &'a str {
        self.labels.get(component).map_or("", |label| label)
    }

    /// The family of a component.
    #[must_use]
    pub fn family(&self, component: usize) -> &'a str {
        self.labels.get(component).map_or("", |label| label.head())
    }

    /// The column that a step is in.
    #[must_use]
    pub fn column_of(&self, step: usize) -> usize {
        let at = self.columns.iter().position(|c| c.steps.contains(&step));
        at.unwrap_or(self.columns.len().saturating_sub(1))
    }

    /// A step, counted from 1.
    #[must_use]
    pub fn step(&self, number: usize) -> Option<&'a CounterexampleStep> {
        self.path.steps.get(number.checked_sub(1)?)
    }

    /// The state of a component after so many steps.
    #[must_use]
    pub fn value(&self, component: usize, steps: usize) -> &'a str {
        self.state(component, steps).map_or("", |state| state)
    }

    /// The name of that state, without its values.
    #[must_use]
    pub fn state_name(&self, component: usize, steps: usize) -> &'a str {
        self.state(component, steps)
            .map_or("", |state| state.head())
    }

    fn state(&self, component: usize, steps: usize) -> Option<&'a PartedText> {
        let moves = self.moves.get(component).map_or(&[][..], Vec::as_slice);
        let before = moves.partition_point(|(at, _)| *at <= steps);
        match before.checked_sub(1).and_then(|at| moves.get(at)) {
            Some((_, text)) => Some(*text),
            None => self.path.initial.get(component),
        }
    }

    /// The change of a component in a column.
    #[must_use]
    pub fn cell(&self, component: usize, column: &TrailColumn) -> TrailCell<'a> {
        let (from, to) = (*column.steps.start(), *column.steps.end());
        let now = self.step(to);
        let labels = now.map_or(&self.path.components, |s| {
            s.components.as_ref().unwrap_or(&self.path.components)
        });
        let is_end = to > self.path.steps.len();
        if component >= labels.len() && !is_end {
            return TrailCell::Absent;
        }
        if from == 0 {
            return TrailCell::Becomes(self.value(component, 0));
        }
        let moves = self.moves.get(component).map_or(&[][..], Vec::as_slice);
        let first = moves.partition_point(|(at, _)| *at < from);
        match moves.get(first) {
            Some((at, _)) if *at <= to => {
                let now = self.value(component, to);
                if now == self.value(component, from - 1) {
                    TrailCell::TakesPart
                } else {
                    TrailCell::Becomes(now)
                }
            }
            _ => TrailCell::Still,
        }
    }

    /// Whether a component changes in one of the steps of a column.
    #[must_use]
    pub fn moves(&self, component: usize, column: &TrailColumn) -> bool {
        *column.steps.start() > 0 && matches!(self.cell(component, column), TrailCell::Becomes(_))
    }

    /// The specification after so many steps, unless it cannot follow.
    #[must_use]
    pub fn specification(&self, steps: usize) -> Option<&'a str> {
        match self.step(steps.min(self.path.steps.len())) {
            None => Some(self.path.initial_spec.as_str()),
            Some(step) => step.spec.as_deref(),
        }
    }

    /// Whether there is a specification.
    #[must_use]
    pub fn is_specified(&self) -> bool {
        !self.path.initial_spec.is_empty()
    }

    /// The first step of the loop at the end of a run that diverges.
    #[must_use]
    pub fn loop_start(&self) -> Option<usize> {
        match self.path.ending {
            Ending::Divergence { lap, .. } => Some(self.path.steps.len().saturating_sub(lap) + 1),
            _ => None,
        }
    }
}

/// Whether the violation at the end has a column of its own: it is no step.
#[must_use]
pub fn has_end(path: &Counterexample) -> bool {
    !matches!(path.ending, Ending::Refused { .. })
}

fn with_ends(path: &Counterexample, steps: Vec<TrailColumn>) -> Vec<TrailColumn> {
    let end = has_end(path).then(|| TrailColumn::one(path.steps.len() + 1));
    std::iter::once(TrailColumn::one(0))
        .chain(steps)
        .chain(end)
        .collect()
}

fn visible_columns(path: &Counterexample) -> Vec<TrailColumn> {
    let mut columns = Vec::new();
    let mut from = 1;
    for (at, step) in path.steps.iter().enumerate() {
        // The last step is the one that goes wrong, so it is shown although it may be silent.
        if step.kind != EventKind::Tau || at + 1 == path.steps.len() {
            let steps = from..=at + 1;
            columns.push(TrailColumn { steps, fold: None });
            from = at + 2;
        }
    }
    with_ends(path, columns)
}

fn folded_columns(path: &Counterexample, folds: &Map<String, bool>) -> Vec<TrailColumn> {
    let steps = &path.steps;
    // The step that goes wrong stands by itself, and a loop begins where it begins.
    let last = steps.len().saturating_sub(usize::from(!has_end(path)));
    let door = match path.ending {
        Ending::Divergence { lap, .. } => steps.len().saturating_sub(lap),
        _ => steps.len(),
    };
    let mut columns = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let name = channel(&steps[at]);
        let stop = if at < door { door.min(last) } else { last };
        let alike =
            |next: &&CounterexampleStep| channel(next) == name && next.kind == steps[at].kind;
        let run = steps
            .get(at..stop)
            .unwrap_or(&[])
            .iter()
            .take_while(alike)
            .count();
        let least = match folds.get(name) {
            Some(true) => 2,
            Some(false) => usize::MAX,
            None if steps[at].kind == EventKind::Tau => FOLD_LEAST,
            None => usize::MAX,
        };
        if run >= least {
            let steps = at + 1..=at + run;
            columns.push(TrailColumn {
                steps,
                fold: Some(name.to_string()),
            });
            at += run;
        } else {
            // A run that is too short to be folded stays so from each of its steps on.
            let next = at + run.max(1);
            columns.extend((at + 1..=next).map(TrailColumn::one));
            at = next;
        }
    }
    with_ends(path, columns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(events: &[&str], ending: Ending) -> Counterexample {
        let step = |event: &&str| {
            let (channel, field) = event.split_once('.').unwrap_or((event, ""));
            let fields = if field.is_empty() { &[][..] } else { &[field] };
            CounterexampleStep {
                kind: if event.starts_with('!') {
                    EventKind::Visible
                } else {
                    EventKind::Tau
                },
                event: PartedText::event(channel.trim_start_matches('!'), fields),
                changes: vec![(0, PartedText::local("P", &[event]))],
                spec: Some("S".to_string()),
                ..CounterexampleStep::default()
            }
        };
        Counterexample {
            components: vec!["P".into()],
            initial: vec!["P".into()],
            steps: events.iter().map(step).collect(),
            ending,
            ..Counterexample::default()
        }
    }

    fn refused() -> Ending {
        Ending::Refused {
            event: String::new(),
            allowed: PartedText::default(),
        }
    }

    fn shown(path: &Counterexample, folds: &Map<String, bool>, visible: bool) -> Vec<String> {
        let columns = Trail::new(path, folds, visible).columns;
        let texts = columns.iter().map(|c| match &c.fold {
            Some(name) => format!("{name}x{}", c.count()),
            None => format!("{}-{}", c.steps.start(), c.steps.end()),
        });
        texts.collect()
    }

    #[test]
    fn repeated_hidden_steps_are_folded() {
        let path = run(&["a.1", "i.1", "i.2", "i.3", "i.4", "!b", "!b"], refused());
        let mut folds = Map::default();
        assert_eq!(
            shown(&path, &folds, false),
            ["0-0", "1-1", "ix4", "6-6", "7-7"]
        );
        assert_eq!(shown(&path, &folds, true), ["0-0", "1-6", "7-7"]);
        folds.insert("i".to_string(), false);
        assert_eq!(shown(&path, &folds, false).len(), 8);
    }

    #[test]
    fn a_fold_ends_where_the_loop_begins() {
        let path = run(
            &["", "", "", "", "", "", "", "", "", ""],
            Ending::Divergence { lap: 4, laps: 1 },
        );
        let folds = Map::default();
        assert_eq!(
            shown(&path, &folds, false),
            ["0-0", "taux6", "taux4", "11-11"]
        );
        assert_eq!(Trail::new(&path, &folds, false).loop_start(), Some(7));
    }

    #[test]
    fn a_run_without_steps_has_a_beginning_and_an_end() {
        let path = run(&[], Ending::Deadlock);
        assert_eq!(shown(&path, &Map::default(), false), ["0-0", "1-1"]);
        assert_eq!(shown(&path, &Map::default(), true), ["0-0", "1-1"]);
    }

    proptest! {
        /// Each step is in exactly one column, for all foldings.
        #[test]
        fn no_step_is_lost(
            events in prop::collection::vec("i|i.1|tau|!b|", 0..40),
            choice in prop::option::of(any::<bool>()),
            visible in any::<bool>(),
            lap in 0..5usize,
        ) {
            let list: Vec<&str> = events.iter().map(String::as_str).collect();
            for ending in [refused(), Ending::Deadlock, Ending::Divergence { lap, laps: 1 }] {
                let path = run(&list, ending);
                let mut folds = Map::default();
                if let Some(fold) = choice {
                    folds.insert("i".to_string(), fold);
                }
                let trail = Trail::new(&path, &folds, visible);
                let mut next = 0;
                for column in &trail.columns {
                    prop_assert_eq!(*column.steps.start(), next);
                    next = column.steps.end() + 1;
                }
                let ends = usize::from(has_end(&path));
                if !visible || ends == 0 {
                    prop_assert_eq!(next, path.steps.len() + 1 + ends);
                }
            }
        }
    }
}
