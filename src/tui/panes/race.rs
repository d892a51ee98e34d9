//! A race in the Check view: the states that each strategy keeps, and the first one that it keeps twice.

use super::Content;
use crate::app::App;
use crate::racing::JobStage;
use crate::report::document::Tone;
use crate::report::numbers;
use crate::report::race::RowEnd;
use crate::report::race_document::{race_table, unfinished};
use crate::text::Row;
use crate::theme::Role;

/// The progress of the race, for the status line; `None` if there is none.
#[must_use]
pub fn status(app: &App) -> Option<String> {
    let race = &app.race;
    match (race.stage, &race.running) {
        (JobStage::Idle | JobStage::Ended, _) => None,
        (JobStage::Queued, _) => Some("the race waits for the checks".to_string()),
        (JobStage::Running, Some((name, progress))) => {
            Some(format!("{name}: {:.1} s ... X cancels", progress.seconds))
        }
        (JobStage::Running, None) => Some("racing ... X cancels".to_string()),
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
    table(app, &mut content, columns);
    content
}

/// The strategies that came to something, the one that is searching, and those that are still to come.
fn table(app: &App, content: &mut Content, columns: usize) {
    let race = &app.race;
    let mut table = race_table();
    for row in &race.rows {
        table.row(row.tone(), row.cells(race.is_of_assertion()));
    }
    if race.is_active() {
        for name in race.names.iter().skip(race.rows.len()) {
            let running = race.running.as_ref().filter(|(running, _)| running == name);
            let cells = unfinished(name, running.map(|(_, progress)| progress));
            table.row(Tone::Dim, cells);
        }
    }
    // The mark of the selected line is on the left.
    let lines = table.aligned(columns.saturating_sub(2));
    for (n, (tone, cells)) in lines.into_iter().enumerate() {
        let Some((strategy, (figures, end))) = cells
            .split_first()
            .and_then(|(first, rest)| Some((first, rest.split_last().map(|(e, f)| (f, e))?)))
        else {
            continue;
        };
        let row = Row::new(app.theme);
        match n.checked_sub(1) {
            None => {
                content.push(row.plain("  ").add(tone.into(), cells.concat()));
                content.frozen = content.lines.len();
            }
            Some(at) if at < race.rows.len() => {
                let (mark, role) = if at == race.selected {
                    content.at = Some(content.lines.len());
                    ("> ", Role::Selected)
                } else {
                    ("  ", Role::Plain)
                };
                let row = row.plain(mark).add(role, strategy).plain(figures.concat());
                content.push_target(row.add(tone.into(), end), at);
            }
            Some(_) => content.push(row.plain("  ").add(tone.into(), cells.concat())),
        }
    }
}

/// The text on the selected strategy, and the first two states of one orbit that it keeps.
#[must_use]
pub fn doubled(app: &App, columns: usize) -> Content {
    let Some(row) = app.race.row() else {
        return Content::new("One orbit, two representatives");
    };
    let mut content = Content::new(row.strategy);
    if row.doubled.is_some() {
        content.right = "Enter: compare".to_string();
    }
    if let RowEnd::Refused(_, why) = &row.end {
        let text = why.detail.trim_end();
        content.push_diagnostic(app.theme, Role::Fail, text, columns);
        return content;
    }
    let document = row.document(app.race.is_of_assertion(), None);
    content.push_parts(
        app.theme,
        document.parts(&["doubled", "kept", "remarks"]),
        columns,
    );
    content
}
