//! The panes of the Race view: what each strategy keeps, and the first state that one keeps twice.

use super::Content;
use super::check::short_number;
use crate::animate::racer::EACH_MAX;
use crate::animate::sentences::compact;
use crate::app::App;
use crate::racing::RaceStage;
use crate::report::numbers;
use crate::report::race::{DoubledState, DoubledView, OrbitsView, RaceRow, RowEnd};
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;

/// Columns of figures: the states, those of an orbit on average and at most, transitions, processor time,
/// representatives a second, bytes. The bar takes what is left.
const FIGURES: [(&str, usize); 7] = [
    ("states", 11),
    ("an orbit", 9),
    ("most", 7),
    ("transitions", 12),
    ("CPU s", 7),
    ("reps/s", 7),
    ("memory", 10),
];
/// Of these where there is little room: states, those of an orbit, processor time.
const FEW: [usize; 3] = [0, 1, 4];
/// Above their names.
const HEAD: &str = "strategy";
/// Columns of the end.
const END: usize = 20;
/// Columns from which all figures fit.
const WIDE: usize = 110;

/// Where the race is, for the status line.
#[must_use]
pub fn status(app: &App) -> String {
    let race = &app.race;
    match (race.stage, &race.running) {
        (RaceStage::Idle, _) => "no race yet".to_string(),
        (RaceStage::Queued, _) => "waits for the checks".to_string(),
        (RaceStage::Running, Some((name, progress))) => {
            format!("{name}: {:.1} s ... Esc cancels", progress.seconds)
        }
        (RaceStage::Running, None) => "racing ... Esc cancels".to_string(),
        (RaceStage::Ended, _) => "the race has ended".to_string(),
    }
}

/// The strategies, each with its figures and a bar.
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
    if race.stage == RaceStage::Idle {
        introduction()
            .iter()
            .for_each(|text| say(Role::Plain, text));
        return content;
    }
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
    content.footer = match race.row().and_then(|row| row.doubled.as_ref()) {
        Some(_) => "Enter: compare".to_string(),
        None => String::new(),
    };
    content.push(Row::new(theme).add(Role::Strong, heads(app, columns)));
    content.frozen = content.lines.len();
    let most = race.rows.iter().map(|row| row.progress.states);
    let most = most.chain(race.running.iter().map(|(_, p)| p.states)).max();
    let scale = Scale {
        most: most.unwrap_or(0),
        columns: bar_columns(app, columns),
    };
    for (at, row) in race.rows.iter().enumerate() {
        if at == race.selected {
            content.at = Some(content.lines.len());
        }
        content.push_target(finished(app, (row, at), &scale, columns), at);
    }
    waiting(app, &scale, columns, &mut content);
    content
}

/// What is said before there is a race.
fn introduction() -> [String; 2] {
    let each = EACH_MAX.as_secs();
    [
        format!(
            "The same search with each strategy, one after the other and each for {each} s at most: what it \
             keeps, and what it costs."
        ),
        "x goes through all states of the open process; in Check, r races through the search of the \
         selected assertion."
            .to_string(),
    ]
}

/// How long bars are.
struct Scale {
    /// States that fill the bar.
    most: u64,
    columns: usize,
}

impl Scale {
    /// A bar for so many states, at least one mark where there are any.
    fn bar(&self, app: &App, states: u64) -> String {
        let marks = (states as u128 * self.columns as u128).div_ceil(u128::from(self.most.max(1)));
        let mark = if app.theme.ascii { "#" } else { "█" };
        pad(&mark.repeat(marks as usize), self.columns)
    }
}

/// The figures for which there is room.
fn shown(columns: usize) -> Vec<usize> {
    match columns >= WIDE {
        true => (0..FIGURES.len()).collect(),
        false => FEW.to_vec(),
    }
}

fn name_columns(app: &App) -> usize {
    let names = app.race.names.iter().map(|name| width(name));
    names.max().unwrap_or(0).max(width(HEAD))
}

fn bar_columns(app: &App, columns: usize) -> usize {
    let figures: usize = shown(columns).iter().map(|at| FIGURES[*at].1 + 1).sum();
    // Around the name and the bar, and before the end.
    let taken = 2 + name_columns(app) + 1 + figures + 2 + END;
    columns.saturating_sub(taken).max(4)
}

fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(&text))))
}

fn heads(app: &App, columns: usize) -> String {
    let mut line = format!("  {} ", pad(HEAD, name_columns(app)));
    line.push_str(&" ".repeat(bar_columns(app, columns)));
    for at in shown(columns) {
        let (head, room) = FIGURES[at];
        line.push_str(&format!(" {}", right(head, room)));
    }
    line + "  end"
}

/// A strategy that came to something.
fn finished(app: &App, (row, at): (&RaceRow, usize), scale: &Scale, columns: usize) -> Row {
    let none = || "-".to_string();
    let count = |n: u64| numbers::thousands(n.into());
    let (mean, most) = match row.orbits {
        OrbitsView::Counted {
            most, is_certain, ..
        } => {
            let about = if is_certain { "" } else { ">=" };
            let mean = row
                .mean()
                .map_or_else(none, |mean| format!("{about}{mean:.2}"));
            (mean, count(most))
        }
        OrbitsView::NotCounted(_) => (none(), none()),
    };
    let figures = [
        count(row.progress.states),
        mean,
        most,
        count(row.progress.transitions),
        row.cpu_seconds.map_or_else(none, |s| format!("{s:.2}")),
        row.per_second()
            .map_or_else(none, |n| short_number(n as u64)),
        numbers::bytes(row.progress.bytes),
    ];
    let selected = at == app.race.selected;
    let (mark, role) = match selected {
        true => ("> ", Role::Selected),
        false => ("  ", Role::Plain),
    };
    let mut line = Row::new(app.theme)
        .plain(mark)
        .add(role, pad(row.strategy, name_columns(app)))
        .plain(" ")
        .plain(scale.bar(app, row.progress.states));
    for at in shown(columns) {
        line = line.plain(format!(" {}", right(&figures[at], FIGURES[at].1)));
    }
    let role = match row.end {
        RowEnd::Holds | RowEnd::Fails(_) => Role::Ok,
        RowEnd::Stopped(_) | RowEnd::Unproved => Role::Choice,
        RowEnd::Refused(..) => Role::Fail,
    };
    let end = row.ended(app.race.is_of_assertion());
    line.plain("  ").add(role, fit(&end, END))
}

/// The strategy that is searching, and those that are still to come.
fn waiting(app: &App, scale: &Scale, columns: usize, content: &mut Content) {
    let race = &app.race;
    if race.stage == RaceStage::Ended {
        return;
    }
    for name in race.names.iter().skip(race.rows.len()) {
        let row = Row::new(app.theme).plain("  ");
        let row = match race.running.as_ref().filter(|(running, _)| running == name) {
            Some((_, progress)) => {
                let states = numbers::thousands(progress.states.into());
                let (_, room) = FIGURES[0];
                let transitions = numbers::thousands(progress.transitions.into());
                let text = format!("  {transitions} transitions, {:.1} s", progress.seconds);
                row.add(Role::Strong, pad(name, name_columns(app)))
                    .plain(" ")
                    .plain(scale.bar(app, progress.states))
                    .plain(format!(" {}", right(&states, room)))
                    .add(Role::Dim, fit(&text, columns.saturating_sub(40)))
            }
            None => row.add(Role::Dim, pad(name, name_columns(app))),
        };
        content.push(row);
    }
}

/// What is to be said of the selected strategy, and the first two states of one orbit that it keeps.
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
    for (role, text) in remarks(row) {
        content.push_text(app.theme, role, &text, columns);
    }
    content
}

/// What figures do not tell.
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
        (RowEnd::Refused(_, why), _) => {
            remarks.push((Role::Fail, why.detail.trim_end().to_string()));
        }
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

/// Both representatives side by side, as far as they matter.
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
        let role = match a == b {
            true => Role::Plain,
            false => Role::Changed,
        };
        let text = [a, b].map(|c| format!("{}  {}", c.label(), compact(c)));
        line(role, text);
    }
    if let Some(rest) = found.rest() {
        content.push_text(app.theme, Role::Dim, &rest, columns);
    }
    let text = format!("{} takes the one to the other.", found.by());
    content.push_text(app.theme, Role::Plain, &text, columns);
}
