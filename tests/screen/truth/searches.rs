//! What a search for a state has said, held to a search of the raw system that goes by all ways.

use orbitscope::animate::model::EventKind;
use orbitscope::tui::app::App;

use super::{Held, Truth};
use crate::net::{State, Step};

/// States that are looked at to confirm what a search has said.
const SEARCHED_MAX: usize = 400;

/// Whether a condition of those that the tests use holds of a raw state.
fn holds(steps: &[(Step, State)], texts: &[String], condition: &str) -> bool {
    let over = steps.is_empty() && texts.iter().all(|text| text == "Ω");
    match condition {
        "deadlock" => steps.is_empty() && !over,
        "terminated" => over,
        "stable" => steps
            .iter()
            .all(|((kind, _, _), _)| *kind == EventKind::Visible),
        offers => {
            let wanted = offers.trim_start_matches("offers ");
            let begins = |event: &str| {
                let rest = event.strip_prefix(wanted);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let mut visible = steps.iter().map(|(step, _)| step);
            visible.any(|(kind, event, _)| *kind == EventKind::Visible && begins(event))
        }
    }
}

impl Truth {
    /// The present state in the raw system, or where its process begins.
    pub fn raw(&self, app: &App, beginning: bool) -> Option<(String, State)> {
        let history = &app.session.as_ref()?.history;
        let here = history.current();
        if !history.is_reached(here) {
            return None;
        }
        let process = history.process().to_owned();
        let oracle = self.oracles.get(&process)?.as_ref()?;
        let state = match beginning {
            true => oracle.raw.initial(),
            false => self.places.get(&here)?.first()?.clone(),
        };
        Some((process, state))
    }

    /// Goes by all ways from a raw state: whether there is a shorter one than a search has found, or one at all
    /// where it has found none.
    pub fn compare_search(&mut self, (process, from): &(String, State), app: &App) -> Held {
        let said = app.find.said.clone();
        let condition = app.find.text.trim().to_owned();
        let steps = match said.strip_prefix("found after ") {
            Some(rest) => rest.split(' ').next().and_then(|n| n.parse().ok()),
            None if said.starts_with("the condition holds") => Some(0),
            None if said.starts_with("not reachable") => None,
            // It was stopped, or the condition is about what is not there.
            None => return Ok(()),
        };
        let Some(oracle) = self.known(process) else {
            return Ok(());
        };
        let mut seen = vec![from.clone()];
        let mut depths = vec![0usize];
        let mut next = 0;
        while let Some(state) = seen.get(next).cloned() {
            let depth = depths[next];
            next += 1;
            if steps.is_some_and(|steps| depth > steps) {
                return Err(format!("{condition}: {said}, but not within so many"));
            }
            let Some(after) = oracle.raw.steps(&state) else {
                return Ok(());
            };
            let texts = oracle.raw.texts(&state);
            if holds(&after, &texts, &condition) {
                return match steps == Some(depth) {
                    true => Ok(()),
                    false => Err(format!("{condition}: {said}; after {depth}: {texts:?}")),
                };
            }
            for (_, target) in after {
                if seen.len() >= SEARCHED_MAX {
                    return Ok(());
                }
                if !seen.contains(&target) {
                    seen.push(target);
                    depths.push(depth + 1);
                }
            }
        }
        match steps {
            Some(_) => Err(format!("{condition}: {said}, but there is no such state")),
            None => Ok(()),
        }
    }
}
