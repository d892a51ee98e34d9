//! Steps of the algorithm by name: `step2.1.split`.

use super::line::StepName;
use super::words::hint;
use crate::app::App;
use crate::symmetry::trace::Step;

/// The names of the steps that Orbit shows, in order; only the ordering names its steps.
#[must_use]
pub fn step_names(app: &App) -> Vec<String> {
    let Some(explanation) = app.explanation().filter(|_| app.orbit.counts()) else {
        return Vec::new();
    };
    let (mut choices, mut ties) = (0, 0);
    let mut name = |step: &Step| match step {
        Step::Initial { .. } => "step1".to_owned(),
        Step::Count { round, .. } => format!("step2.{round}.count"),
        Step::Split { round, .. } => format!("step2.{round}.split"),
        Step::FixedPoint { round, .. } => format!("step2.{round}.fixed"),
        Step::Choice { .. } => {
            choices += 1;
            format!("step3.{choices}")
        }
        Step::Tie { .. } => {
            ties += 1;
            format!("tie.{ties}")
        }
        Step::Ordered => "order".to_owned(),
        Step::Types => "types".to_owned(),
        Step::Generated => "permutation".to_owned(),
    };
    explanation.trace.steps.iter().map(&mut name).collect()
}

/// The place of a step among those that Orbit shows.
///
/// # Errors
/// There is no such step.
pub(super) fn find_step(app: &App, step: &StepName) -> Result<usize, String> {
    let count = app.frames();
    let last = count.checked_sub(1).ok_or("there are no steps to show")?;
    match step {
        StepName::First => Ok(0),
        StepName::Last => Ok(last),
        StepName::Number(n) if *n <= count => Ok(n - 1),
        StepName::Number(n) => Err(format!("there is no step {n}: there are {count}")),
        StepName::Named(name) => {
            let names = step_names(app);
            let begins = |known: &String| {
                known
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            names.iter().position(begins).ok_or_else(|| {
                if names.is_empty() {
                    format!("this strategy has numbers for its steps and no names: 1 to {count}")
                } else {
                    let near = hint(name, names.iter().map(String::as_str));
                    format!("there is no step `{name}` here{near}")
                }
            })
        }
    }
}
