//! A race in the Check view: the states that each strategy keeps, and the first one that it keeps twice.

use super::Content;
use crate::animate::sentences::compact;
use crate::app::App;
use crate::racing::RaceStage;
use crate::report::numbers;
use crate::report::race::{DoubledState, DoubledView, OrbitsView, RaceRow, RowEnd};
use crate::report::race_table::{RaceCells, aligned, cells, unfinished};
use crate::text::{Row, fit, pad};
use crate::theme::Role;

/// The progress of the race, for the status line; `None` if there is none.
#[must_use]
pub fn status(app: &App) -> Option<String> {
    let race = &app.race;
    match (race.stage, &race.running) {
        (RaceStage::Idle | RaceStage::Ended, _) => None,
        (RaceStage::Queued, _) => Some("the race waits for the checks".to_string()),
        (RaceStage::Running, Some((name, progress))) => {
            Some(format!("{name}: {:.1} s ... X cancels", progress.seconds))
        }
        (RaceStage::Running, None) => Some("racing ... X cancels".to_string()),
    }
}

/// The strategies, a line each with its figures and how it ended.
#[must_use]
pub fn racing(app: &App, columns: usize) -> Content {
    let race = &app.race;
    let heading = race.request.as_ref().map(|request| request.words());
    let mut content = Content::new(match &heading {
        Some(words) => format!("Race through {words}"),
        None => "Race".to_string(),
    });
    let theme = app.theme;
    let mut say = |role, text: &str| content.push_text(theme, role, text, columns);
    if let Some(failure) = &race.failure {
        say(Role::Fail, &failure.summary);
        return content;
    }
    if !race.disagreement.is_empty() {
        let text = format!(
            "INTERNAL ERROR: the strategies disagree: {}",
            race.disagreement
        );
        say(Role::Fail, &text);
    }
    if let Some(used) = race.rows.iter().find_map(|row| row.symmetry.as_ref()) {
        let types: Vec<String> = (used.types.iter())
            .map(|(name, size)| format!("{name}({size})"))
            .collect();
        content.right = match used.structure {
            Some(_) => format!(
                "the structure of the network: {} permutations",
                numbers::grouped(&used.group_order)
            ),
            None => types.join(" "),
        };
    }
    if race.row().is_some_and(|row| row.doubled.is_some()) {
        content.footer = "Enter: compare".to_string();
    }
    table(app, &mut content, columns);
    content
}

/// The strategies that came to something, the one that is searching, and those that are still to come.
fn table(app: &App, content: &mut Content, columns: usize) {
    let race = &app.race;
    let is_check = race.is_of_assertion();
    let mut lines: Vec<RaceCells> = race.rows.iter().map(|row| cells(row, is_check)).collect();
    if race.is_active() {
        let rest = race.names.iter().skip(race.rows.len());
        lines.extend(rest.map(|name| {
            let running = race.running.as_ref().filter(|(running, _)| running == name);
            unfinished(name, running.map(|(_, progress)| progress))
        }));
    }
    // The mark of the selected line is on the left.
    let lines = aligned(lines, columns.saturating_sub(2));
    for (n, [strategy, figures, end]) in lines.into_iter().enumerate() {
        let row = Row::new(app.theme);
        let Some(at) = n.checked_sub(1) else {
            content.push(row.add(Role::Strong, format!("  {strategy}{figures}  {end}")));
            content.frozen = content.lines.len();
            continue;
        };
        let Some(done) = race.rows.get(at) else {
            content.push(row.add(Role::Dim, format!("  {strategy}{figures}  {end}")));
            continue;
        };
        let (mark, role) = if at == race.selected {
            ("> ", Role::Selected)
        } else {
            ("  ", Role::Plain)
        };
        if at == race.selected {
            content.at = Some(content.lines.len());
        }
        let row = row.plain(mark).add(role, strategy);
        let role = match done.end {
            RowEnd::Holds | RowEnd::Fails(_) => Role::Ok,
            RowEnd::Stopped(_) | RowEnd::Unproved => Role::Choice,
            RowEnd::Refused(..) => Role::Fail,
        };
        content.push_target(row.plain(format!("{figures}  ")).add(role, end), at);
    }
}

/// The text on the selected strategy, and the first two states of one orbit that it keeps.
#[must_use]
pub fn doubled(app: &App, columns: usize) -> Content {
    let Some(row) = app.race.row() else {
        return Content::new("One orbit, two representatives");
    };
    let mut content = Content::new(row.strategy);
    if let Some(found) = &row.doubled {
        content.title = format!("{} gives one orbit two representatives", row.strategy);
        content.right = "Enter: compare".to_string();
        states(app, found, &mut content, columns);
        content.push(Row::new(app.theme));
    }
    if let RowEnd::Refused(_, why) = &row.end {
        let text = why.detail.trim_end();
        content.push_diagnostic(app.theme, Role::Fail, text, columns);
    }
    for (role, text) in remarks(row) {
        content.push_text(app.theme, role, &text, columns);
    }
    content
}

/// Remarks on the figures of a strategy.
fn remarks(row: &RaceRow) -> Vec<(Role, String)> {
    let mut remarks = Vec::new();
    let (times, instead) = row.fallbacks;
    if times > 0 {
        let of = numbers::thousands(row.representatives.into());
        let times = numbers::thousands(times.into());
        let text = format!("It fell back {times} times of {of}: {instead}.");
        remarks.push((Role::Plain, text));
    }
    match (&row.end, &row.orbits) {
        (RowEnd::Refused(..), _) => {}
        (_, OrbitsView::NotCounted(why)) => {
            remarks.push((Role::Dim, format!("The orbits were not counted: {why}.")));
        }
        (
            _,
            OrbitsView::Counted {
                orbits, is_certain, ..
            },
        ) => {
            let orbits = numbers::counted(*orbits, "orbit");
            let states = numbers::counted(row.progress.states, "state");
            let most = if *is_certain { "" } else { ", at most" };
            let text = format!("It keeps {states}, which are of {orbits}{most}.");
            remarks.push((Role::Plain, text));
        }
    }
    remarks
}

/// Both representatives side by side, with the components that matter.
fn states(app: &App, found: &DoubledView, content: &mut Content, columns: usize) {
    let [a, b] = &found.states;
    let steps = |state: &DoubledState| numbers::counted(state.run.steps.len() as u64, "step");
    let half = columns.saturating_sub(3) / 2;
    let heads = [
        format!("representative of A, after {}", steps(a)),
        format!("representative of B, after {}", steps(b)),
    ];
    let mut line = |role, [left, right]: [String; 2]| {
        let row = Row::new(app.theme).plain(" ");
        let row = row.add(role, pad(&left, half)).plain(" ");
        content.push(row.add(role, fit(&right, half)));
    };
    line(Role::Strong, heads);
    for (a, b) in a.representative.iter().zip(&b.representative) {
        let role = if a == b { Role::Plain } else { Role::Changed };
        let text = [a, b].map(|c| format!("{}  {}", c.label(), compact(c)));
        line(role, text);
    }
    if let Some(rest) = found.rest() {
        content.push_text(app.theme, Role::Dim, &rest, columns);
    }
    let text = format!("{} takes the one to the other.", found.by());
    content.push_text(app.theme, Role::Plain, &text, columns);
}
