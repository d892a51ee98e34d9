//! The status line: the place, the activity, the reduction.

use super::actions::{counterexamples, reload};
use super::app::{App, KeyPlace, Load, Pane, SPEEDS, Status, View};
use super::lessons::room::LessonRoom;
use super::text::width;
use super::welcome::{WelcomeScreen, paths};
use super::{facts, keys, layout, panes, registry, stages, view};
use crate::animate::model::{RemarkKind, StrategyKind};
use crate::animate::worker::Request;
use crate::report::follow::ReplayMode;
use crate::report::numbers::grouped;
use crate::report::reduction;
use crate::source::hash::IndexMap;
use crate::source::visible_line;

/// The right of the status line on a card: the score, or the clock of a presentation.
fn card_right(app: &App, lesson: &LessonRoom, room: usize) -> String {
    if let Some(clock) = lesson.clock(app.now) {
        let texts = clock.texts(lesson.lesson(), lesson.card);
        return texts
            .into_iter()
            .find(|text| width(text) <= room)
            .unwrap_or_default();
    }
    match lesson.score() {
        (_, 0) => String::new(),
        (right, all) => format!("score {right}/{all}"),
    }
}

/// Both sides of the status line on so many columns. The left gives up a part that stands elsewhere, too, where the
/// sentence on the view has room then.
#[must_use]
pub fn sides(app: &App, columns: usize) -> (String, String) {
    let with = |brief: bool| {
        let left = format!(" {}", left(app, brief));
        let right = right(app, columns.saturating_sub(width(&left) + 2));
        (left, right)
    };
    let mut telling = [false, true]
        .map(with)
        .into_iter()
        .filter(|(_, right)| right.starts_with(app.view.shows()));
    let (left, right) = telling.next().unwrap_or_else(|| with(false));
    match width(&left) > columns {
        true => with(true),
        false => (left, right),
    }
}

/// The left of the status line: the place, and the activity, with `brief` without what stands elsewhere, too.
#[must_use]
pub fn left(app: &App, brief: bool) -> String {
    match (app.place(), &app.lesson, &app.welcome) {
        (KeyPlace::On(_), Some(room), _) => card_status(app, room),
        (KeyPlace::On(_), None, Some(screen)) => page_status(app, screen),
        _ => view_status(app, brief),
    }
}

/// The lesson, the card, and whose turn it is.
fn card_status(app: &App, room: &LessonRoom) -> String {
    let turn = match (room.finished, room.is_busy(app), room.asks()) {
        _ if app.overlay.is_some() => "Esc leads back to the card",
        (true, ..) => "the end",
        (_, true, _) => "wait ...",
        (_, _, true) => "your turn",
        _ => "go on",
    };
    let lesson = room.lesson();
    let (card, count) = (room.card + 1, lesson.cards.len());
    format!("LESSON  {} · card {card}/{count} · {turn}", lesson.id)
}

/// What the welcome page waits for, or what is behind it.
fn page_status(app: &App, screen: &WelcomeScreen) -> String {
    match &screen.opening {
        Some(path) => format!(
            "looking for {} ... Esc cancels",
            visible_line(&paths::shown(path))
        ),
        None if app.has_script() => "the script that is open stays as it is".to_owned(),
        None => "no script is open yet".to_owned(),
    }
}

/// The place in the views, and the activity.
fn view_status(app: &App, brief: bool) -> String {
    let mut parts = vec![format!("{} ", app.view.name().to_uppercase())];
    // Nothing else matters while a key waits for another, and the rest may leave no room.
    if let Some(first) = &app.typed.prefix {
        return format!("{} {}", parts[0], prefix_text(app, first));
    }
    if facts::is_what_if(app) && matches!(app.view, View::Animate | View::Orbit) {
        parts.push("renamed by hand, not by a step".to_string());
    }
    // A view without a case here says nothing more.
    match app.view.main_pane() {
        Pane::Transitions => animate_status(app, &mut parts),
        Pane::Partition => orbit_status(app, &mut parts, brief),
        Pane::Verdict => compare_status(app, &mut parts, brief),
        Pane::Assertions => check_status(app, &mut parts),
        Pane::Graph => parts.extend(panes::graph::status(app)),
        Pane::Source => source_status(app, &mut parts),
        Pane::Operators => parts.push(panes::structure::status(app)),
        Pane::Drawing => parts.extend(panes::group::status(app)),
        _ => {}
    }
    if let Some(notice) = reload::notice(app) {
        parts.push(notice);
    }
    if !app.pending.is_empty() || app.info().is_none() && app.session.is_none() {
        parts.push(busy_text(app));
    }
    // A single digit that went to a view is most likely only that.
    if !app.typed.count.is_empty() || app.typed.chain.len() > 1 {
        parts.push(format!("count {}", app.typed.chain));
    }
    parts.retain(|part| !part.is_empty());
    // The name of the view is a heading, not the first part of the list.
    parts.join(" | ").replacen("  | ", "  ", 1)
}

/// The keys that may follow the first key of a sequence.
fn prefix_text(app: &App, first: &str) -> String {
    match registry::wants_letter(app.place(), first) {
        Some(command) if command.id == "to-mark" => {
            let history = app.session.as_ref().map(|s| &s.history);
            let marks = history.map(|h| h.marks().map(|(mark, _)| mark.to_string()).collect());
            let marks: Vec<String> = marks.unwrap_or_default();
            if marks.is_empty() {
                format!("{first} ... there is no mark yet; Esc drops it")
            } else {
                format!("{first} ... go to which mark? {}", marks.join(" "))
            }
        }
        Some(command) => format!("{first} ... {}: type a letter", command.name),
        None if app.view == View::Graph && first == "e" => {
            "e ... d DOT  s SVG  a AUT  j JSON  g GraphML".to_string()
        }
        None if first == "E" => "E ... h a page for a browser  t text for a mail".to_string(),
        None => format!("{} ...", keys::shown(first)),
    }
}

/// The activity of the engine, and how to cancel it.
fn busy_text(app: &App) -> String {
    let what = match (&app.load, app.pending.first()) {
        (Load::Failed(_), _) => return "the script has errors: D shows them".to_string(),
        (Load::Loading, _) => "loading the script".to_string(),
        (Load::Ready(_), Some(Request::Open(process))) => format!("opening {process}"),
        (Load::Ready(_), Some(Request::Replay(run))) => {
            format!("following the {}", run.word())
        }
        (Load::Ready(_), Some(Request::Trace(_, _, ReplayMode::Events))) => {
            "looking for silent steps of the trace".to_string()
        }
        (Load::Ready(_), Some(Request::Trace(..))) => "following the trace".to_string(),
        (Load::Ready(_), Some(Request::Rewalk(..))) => "following the walk".to_string(),
        (Load::Ready(_), Some(Request::StepDetails(..))) => "saving".to_string(),
        (Load::Ready(_), Some(Request::NextVisible(_))) => {
            "looking for a visible event".to_string()
        }
        (Load::Ready(_), Some(Request::Picture(asked))) => {
            format!("exploring {} for the file", asked.process)
        }
        (Load::Ready(_), Some(Request::Page(asked))) => {
            format!("writing the {}", asked.subject.word())
        }
        (Load::Ready(_), Some(Request::Compare(..))) => "comparing".to_string(),
        (Load::Ready(_), Some(Request::Find(..))) => "searching".to_string(),
        (Load::Ready(_), Some(Request::Symmetry(_))) => "looking for symmetry".to_string(),
        (Load::Ready(_), Some(Request::Rename(..))) => "renaming".to_string(),
        (Load::Ready(_), _) => "computing".to_string(),
    };
    // Shown only after a noticeable time.
    let seconds = app.now.saturating_sub(app.files.busy_since) / 1_000;
    let reached = app.reached.engine.map(stages::so_far);
    match (seconds, reached) {
        (0, _) => format!("{what} ... Esc cancels"),
        (n, None) => format!("{what}, {n} s ... Esc cancels"),
        (n, Some(reached)) => format!("{what}, {n} s, {reached} ... Esc cancels"),
    }
}

fn animate_status(app: &App, parts: &mut Vec<String>) {
    let Some(session) = &app.session else { return };
    let history = &session.history;
    parts.push(format!(
        "step {}/{}",
        history.depth(),
        history.line().len() - 1
    ));
    let branches = history.leaves().len();
    if branches > 1 {
        parts.push(format!("branch {} of {branches}", history.branch_number()));
    }
    if let Some(place) = session.followed() {
        let (at, of) = (place.steps, place.path.steps.len());
        let which = counterexamples::label(app, place.path);
        let which = which.map_or(String::new(), |label| format!(" {label}:"));
        parts.push(match (place.is_violation(), which.as_str()) {
            (true, "") => format!("VIOLATION: end of the counterexample, {at} of {of}"),
            (true, _) => format!("VIOLATION: end of counterexample{which} {at} of {of}"),
            (false, _) => format!("counterexample{which} {at} of {of}"),
        });
    }
    let rep = session.view().and_then(|v| v.representative.as_ref());
    if let Some(orbit) = rep.and_then(|rep| rep.orbit.as_ref()) {
        parts.push(format!("orbit {}", grouped(orbit)));
    }
    if let Some(visited) = session.visited_here() {
        parts.push(format!("orbit met at {}", history.place_text(visited)));
    }
}

fn compare_status(app: &App, parts: &mut Vec<String>, brief: bool) {
    let Some((a, b)) = &app.compare.pair else {
        parts.push("nothing is compared".to_string());
        return;
    };
    parts.push(format!("A {}", panes::compare::place(app, a)));
    parts.push(format!("B {}", panes::compare::place(app, b)));
    // The verdict's own pane has it in its frame.
    if !brief || !layout::visible(app, Pane::Verdict) {
        parts.extend(panes::compare::status(app));
    }
}

fn orbit_status(app: &App, parts: &mut Vec<String>, brief: bool) {
    if app.frames() > 0 {
        parts.push(format!("step {}/{}", app.orbit.frame + 1, app.frames()));
        let play = match (app.orbit.playing, brief) {
            (true, _) => "playing ",
            (false, false) => "paused ",
            (false, true) => "",
        };
        parts.push(format!("{play}{}", SPEEDS[app.orbit.speed].0));
        let shown = app.orbit.strategy.strategy().name();
        parts.push(if facts::goes_by_structure(app) {
            format!("strategy {shown}, by values alone")
        } else if app.orbit.strategy == StrategyKind::default() {
            format!("strategy {shown}, as in checks")
        } else {
            format!(
                "strategy {shown}, checks: {}",
                StrategyKind::default().strategy().name()
            )
        });
    }
}

/// The place of the cursor, and whether the script can be used.
fn source_status(app: &App, parts: &mut Vec<String>) {
    if let Some(text) = app.reading.text() {
        let column = text.column(app.reading.cursor.offset) + 1;
        parts.push(format!("{}:{column}", app.reading.line() + 1));
    }
    let kinds = app.reading.listing.remarks.iter().map(|r| r.kind);
    let errors = kinds.filter(|kind| *kind == RemarkKind::Error).count();
    if errors > 0 {
        let plural = if errors == 1 { "" } else { "s" };
        parts.push(format!("{errors} error{plural}"));
    }
}

fn check_status(app: &App, parts: &mut Vec<String>) {
    match &app.checks.running {
        Some((number, progress)) => {
            parts.push(format!("checking {number}"));
            // Before it searches, it reports no time.
            let seconds = match progress.states {
                0 => app.now.saturating_sub(app.checks.began) as f64 / 1_000.0,
                _ => progress.seconds,
            };
            parts.push(format!("{seconds:.1} s"));
            if let Some(bytes) = progress.resident {
                parts.push(format!("program {}", panes::check::mebibytes(bytes)));
            }
        }
        None if app.is_checking() => {}
        None => parts.push("no check is running".to_string()),
    }
    parts.extend(panes::race::status(app));
    parts.extend(panes::sizes::status(app).map(str::to_owned));
    let word = facts::reduction_word(app.checks.reduction);
    parts.push(format!("reduction {word}"));
}

/// The right of the status line, as much as there is room for: symmetry first, then the process if it stands nowhere
/// else, then the outcomes of checks, then what the view shows, in a sentence.
#[must_use]
pub fn right(app: &App, room: usize) -> String {
    if let KeyPlace::On(_) = app.place() {
        let taken = app.lesson.as_ref();
        return taken.map_or_else(String::new, |lesson| card_right(app, lesson, room));
    }
    let symmetry = symmetry_text(app);
    let checks = checks_text(app);
    let joined = |parts: &[&str]| {
        let parts = parts.iter().copied().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" | ")
    };
    let process = view::process_below(app);
    let both = joined(&[&process, &symmetry, &checks]);
    let reduced = joined(&[&process, &symmetry]);
    let shows = app.view.shows();
    // It is the least of all, and keeps apart from the left.
    let apart = width(shows) + width(&both) + 4 <= room;
    let all = joined(&[if apart { shows } else { "" }, &both]);
    let fits = |text: &String| width(text) <= room;
    // Rather nothing than half of a sentence.
    [all, both, reduced, symmetry]
        .into_iter()
        .find(fits)
        .unwrap_or_default()
}

/// More assertions than this are counted in the status line.
const LISTED_MAX: usize = 4;

/// `chk: 1 ok 3 FAILS`, or `chk: 12 ok 3 FAILS` for many; nothing as long as none is checked.
fn checks_text(app: &App) -> String {
    let Some(info) = app.info() else {
        return String::new();
    };
    // There the list itself is on the screen.
    if app.view == View::Check {
        return String::new();
    }
    let begun = info.assertions.iter().zip(&app.checks.status);
    let begun = begun.filter(|(_, status)| **status != Status::Idle);
    let words = begun.map(|(about, status)| {
        let (_, words) = panes::check::status_text(app, status);
        let word = words.split([' ', ':']).next().unwrap_or("").to_owned();
        (about.number, word)
    });
    let words: Vec<(usize, String)> = words.collect();
    let listed: Vec<String> = match words.len() {
        0 => return String::new(),
        1..=LISTED_MAX => words
            .iter()
            .map(|(n, word)| format!("{n} {word}"))
            .collect(),
        _ => {
            let mut counts: IndexMap<&str, usize> = IndexMap::default();
            for (_, word) in &words {
                *counts.entry(word).or_default() += 1;
            }
            counts
                .iter()
                .map(|(word, count)| format!("{count} {word}"))
                .collect()
        }
    };
    let all = match words.len() {
        0..=LISTED_MAX => "chk".to_owned(),
        _ => format!("chk of {}", info.assertions.len()),
    };
    format!("{all}: {}", listed.join(" "))
}

/// The reduction of the open process, or in Check of the selected assertion.
fn symmetry_text(app: &App) -> String {
    if app.view != View::Check {
        let session = app.session.as_ref();
        let reduction = session.and_then(|s| s.reduction());
        let here = session.and_then(|s| s.view());
        return match reduction {
            // The process is reduced, but the network has changed into a format that is not.
            Some(r) if r.used.is_some() && here.is_some_and(|v| v.representative.is_none()) => {
                "not reduced here".to_string()
            }
            Some(r) => reduction::short(r.used.as_ref(), &r.plan),
            None => String::new(),
        };
    }
    let outcome = app.checks.outcome();
    let done = outcome.and_then(|o| Some((o, o.plan.as_ref()?)));
    match (done, facts::planned(app)) {
        (Some((outcome, plan)), _) => reduction::short(outcome.symmetry.as_ref(), plan),
        (None, Some(planned)) => reduction::short_planned(planned),
        (None, None) if app.checks.status.is_empty() => String::new(),
        (None, None) => "symmetry not yet known".to_string(),
    }
}
