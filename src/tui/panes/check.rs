//! Assertions, the running check, and the meaning of its outcome.

use super::orbit::bar_of;
use super::{Content, asked};
use crate::animate::model::{Progress, Verdict};
use crate::app::{App, Pane, Status};
use crate::facts::{self, has_assertions, planned, reduction_word};
use crate::layout;
use crate::paired::PairStage;
use crate::report::numbers::{counted, thousands};
use crate::report::outcome::{CheckOutcome, Counterexample};
use crate::report::reduction;
use crate::source::{WorkStage, visible_line};
use crate::stages;
use crate::text::{Row, fit, fit_middle, pad, width, wrap};
use crate::theme::Role;

/// Checks that were interrupted and are told of.
const INTERRUPTED_MAX: usize = 3;

/// Columns of the name of a figure.
const HEAD_COLUMNS: usize = 13;

/// The assertions with their outcomes, and the reduction of the selected one.
#[must_use]
pub fn assertions(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Assertions");
    if let Err(reason) = has_assertions(app) {
        content.push_text(app.theme, Role::Dim, &reason, columns);
        return content;
    }
    let Some(info) = app.info() else {
        return content;
    };
    let path = visible_line(&info.path);
    content.right = format!("{} in {path}", info.assertions.len());
    if let Some(chosen) = info.assertions.get(app.checks.selected) {
        // The folder has no room: what distinguishes places is the end.
        let place = visible_line(chosen.place.rsplit('/').next().unwrap_or_default());
        content.right = format!("{} of {} at {place}", chosen.number, info.assertions.len());
    }
    content.footer = format!("reduction: {}", reduction_word(app.checks.reduction));
    let results = app
        .checks
        .status
        .iter()
        .map(|s| width(&status_text(app, s).1));
    // At least eight columns: it does not jump while short words become longer ones.
    let result = results.max().unwrap_or(0).max(8).min(columns / 2);
    for (at, assertion) in info.assertions.iter().enumerate() {
        let chosen = at == app.checks.selected;
        let role = if chosen { Role::Selected } else { Role::Plain };
        let mark = if chosen { ">" } else { " " };
        let start = format!(" {mark}{:>2} ", assertion.number);
        let text = pad(
            &assertion.text,
            columns.saturating_sub(width(&start) + result + 1),
        );
        let (meaning, words) = app
            .checks
            .status
            .get(at)
            .map_or((Role::Dim, String::new()), |s| status_text(app, s));
        if chosen {
            content.at = Some(content.lines.len());
        }
        let row = Row::new(app.theme).add(role, format!("{start}{text}"));
        content.push_target(row.plain(" ").add(meaning, fit(&words, result)), at);
    }
    content.push(Row::new(app.theme));
    for folder in app.checks.interrupted.iter().take(INTERRUPTED_MAX) {
        let folder = visible_line(folder);
        let text = format!("a check was interrupted: `:resume {folder}` goes on with it");
        content.push_text(app.theme, Role::Strong, &text, columns);
    }
    // Where a pane has more on it, or belongs to something else, this is not the place.
    let elsewhere = [Pane::Explanation, Pane::Racing, Pane::Doubled, Pane::Sizes];
    if app.checks.outcome().is_none() && !elsewhere.iter().any(|p| layout::visible(app, *p)) {
        asked::sentences(app, &mut content, columns);
    }
    symmetry_lines(app, &mut content, columns);
    content
}

/// The reduction of the selected assertion, used or planned, and the values that are not interchangeable.
fn symmetry_lines(app: &App, content: &mut Content, columns: usize) {
    let outcome = app.checks.outcome();
    let done = outcome.and_then(|o| Some((o, o.plan.as_ref()?)));
    let planned = planned(app);
    let text = match (done, planned) {
        (Some((outcome, plan)), _) => {
            let short = reduction::short(outcome.symmetry.as_ref(), plan);
            format!("symmetry: {short}")
        }
        (None, Some(planned)) => format!("symmetry: {}", reduction::short_planned(planned)),
        (None, None) => "symmetry: not yet known".to_string(),
    };
    content.push_text(app.theme, Role::Plain, &text, columns);
    let types = planned.map_or(&[][..], |planned| &planned.all);
    for kind in types {
        for (value, reason) in &kind.excluded {
            let name = &kind.name;
            // The folder of the script is the same for all.
            let folder = app.path.rfind('/').map_or("", |end| &app.path[..=end]);
            let reason = match folder {
                "" => reason.clone(),
                folder => reason.replace(folder, ""),
            };
            let text = format!("{name}: {value} is not interchangeable, {reason}");
            content.push_text(app.theme, Role::Dim, &text, columns);
        }
    }
}

/// The status of an assertion, in a few words.
#[must_use]
pub fn status_text(app: &App, status: &Status) -> (Role, String) {
    match status {
        Status::Idle => (Role::Dim, "-".to_string()),
        Status::Queued => (Role::Dim, "waits".to_string()),
        Status::Running => {
            let progress = app.checks.running.as_ref().map(|(_, progress)| progress);
            let text = match progress.filter(|progress| progress.states > 0) {
                Some(progress) => format!("run  ply {}", thousands(progress.ply as u128)),
                None => match app.reached.checks {
                    Some((WorkStage::Looking, _)) => "looks".to_owned(),
                    _ => "compiles".to_owned(),
                },
            };
            (Role::Strong, text)
        }
        Status::Done(outcome) => outcome_text(outcome),
        // The script is another one now.
        Status::Stale(outcome) => (Role::Dim, format!("old: {}", outcome_text(outcome).1)),
    }
}

fn outcome_text(outcome: &CheckOutcome) -> (Role, String) {
    match &outcome.verdict {
        // Decided without a search: a number of states would mislead.
        Verdict::Holds if outcome.progress.states == 0 => (Role::Ok, "ok".to_string()),
        Verdict::Holds => {
            let states = short_number(outcome.progress.states);
            let merged = if outcome.merges() { ", merged" } else { "" };
            let plural = if outcome.progress.states == 1 {
                ""
            } else {
                "s"
            };
            (Role::Ok, format!("ok   {states} state{plural}{merged}"))
        }
        Verdict::Fails => {
            let steps = outcome.counterexample.as_ref().map(|c| c.steps.len());
            let steps = steps.map_or(String::new(), |n| format!(" {}", counted(n as u64, "step")));
            let others = match outcome.others.len() {
                0 => String::new(),
                n => format!(", +{n}"),
            };
            (Role::Fail, format!("FAIL{steps}{others}"))
        }
        Verdict::Approximate(_) => (Role::Choice, "?    nothing found".to_string()),
        Verdict::Inconclusive(reason) => (Role::Choice, format!("?    {reason}")),
        Verdict::Error(_) => (Role::Fail, "ERROR".to_string()),
    }
}

/// A number in short: `1.2M`, `99k`, `1,234`.
#[must_use]
pub fn short_number(number: u64) -> String {
    match number {
        0..10_000 => thousands(number.into()),
        10_000..1_000_000 => format!("{}k", number / 1000),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!(
            "{}.{}G",
            thousands((number / 1_000_000_000).into()),
            number / 100_000_000 % 10
        ),
    }
}

/// Figures of the running check, or of the outcome of the selected assertion.
#[must_use]
pub fn progress(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Progress");
    if let Some((number, progress)) = &app.checks.running {
        let unreduced = match app.checks.pairs.get(number).map(|pair| &pair.stage) {
            Some(PairStage::Unreduced(..)) => ", without reduction",
            _ => "",
        };
        content.title = format!("Progress  #{number}{unreduced}");
        for note in notes(app, progress) {
            content.push_text(app.theme, Role::Plain, &note, columns);
        }
        if progress.states > 0 {
            figures(app, progress, &mut content, columns);
        }
        let waiting = app
            .checks
            .status
            .iter()
            .filter(|s| **s == Status::Queued)
            .count();
        if waiting > 0 {
            let status = app.checks.status.iter();
            let over = status.filter(|s| matches!(s, Status::Done(_))).count();
            let of = over + waiting + 1;
            content.right = format!("{} {over} of {of}", bar_of(6, over, of));
        }
        return content;
    }
    match app.checks.outcome() {
        Some(outcome) => {
            content.title = format!("Result  #{}", outcome.number);
            if matches!(outcome.verdict, Verdict::Error(_)) && outcome.progress.states == 0 {
                content.push_text(app.theme, Role::Dim, "No state was searched.", columns);
                return content;
            }
            figures(app, &outcome.progress, &mut content, columns);
            sizes(app, outcome, &mut content, columns);
        }
        None => {
            content.push_text(
                app.theme,
                Role::Dim,
                "No check is running: x runs one.",
                columns,
            );
        }
    }
    content
}

/// The stage of the running check. A search tells its figures itself, unless it stands still to look for symmetry or has
/// ended, and divergence is looked for.
fn notes(app: &App, progress: &Progress) -> Vec<String> {
    let stage = app.reached.checks.filter(|(stage, _)| match stage {
        WorkStage::Searching => false,
        WorkStage::Looking | WorkStage::Diverging => true,
        _ => progress.states == 0,
    });
    let stage = stage.map(|(stage, count)| {
        let so_far = stages::so_far((stage, count));
        format!("{}: {so_far}", stages::work(stage))
    });
    let searched = match (progress.states, &stage) {
        (0, None) => "compiling: no state has been searched yet".to_owned(),
        (0, Some(_)) => "no state has been searched yet".to_owned(),
        _ => {
            let ply = thousands(progress.ply as u128);
            format!("ply {ply}  (no total is known: no percentage)")
        }
    };
    stage.into_iter().chain([searched]).collect()
}

/// The sizes of the compiled systems, and the peak memory of the program.
fn sizes(app: &App, outcome: &CheckOutcome, content: &mut Content, columns: usize) {
    let Some(details) = &outcome.details else {
        return;
    };
    if outcome.merges() {
        let local = counted(details.merged as u64, "local state");
        let text = match details.states_before_merging() {
            Some(states) => format!("{local}, {} before", counted(states as u64, "state")),
            None => format!("{local}, states are those after that"),
        };
        push_lines(app, content, "merged", &text, columns);
    }
    if let Some(peak) = details.peak.filter(|_| is_long(&outcome.progress)) {
        content.push(line(
            app,
            "peak",
            &format!("{} so far", mebibytes(peak as u64)),
        ));
    }
    if let Some(nodes) = details.nodes {
        let form = if details.normal {
            "normal"
        } else {
            "prenormal"
        };
        let text = format!("{} ({form})", counted(nodes as u64, "node"));
        content.push(line(app, "spec", &text));
    }
}

/// A figure whose text may need several lines.
fn push_lines(app: &App, content: &mut Content, head: &str, text: &str, columns: usize) {
    let parts = wrap(text, columns.saturating_sub(HEAD_COLUMNS + 1));
    let heads = [head].into_iter().chain(std::iter::repeat(""));
    for (head, part) in heads.zip(&parts) {
        content.push(line(app, head, part));
    }
}

fn line(app: &App, head: &str, text: &str) -> Row {
    let row = Row::new(app.theme).add(Role::Dim, format!(" {}", pad(head, HEAD_COLUMNS)));
    row.plain(text.to_string())
}

fn figures(app: &App, progress: &Progress, content: &mut Content, columns: usize) {
    content.push(line(app, "states", &thousands(progress.states.into())));
    content.push(line(
        app,
        "transitions",
        &thousands(progress.transitions.into()),
    ));
    if app.checks.running.is_some() {
        let trend = trend(progress.frontier, app.checks.peak);
        let queue = thousands(progress.frontier.into());
        content.push(line(app, "queue", &format!("{queue}   {trend}")));
    }
    if is_long(progress) {
        let spark = if app.checks.running.is_some() {
            format!("  |{}|", sparkline(&app.checks.rates))
        } else {
            String::new()
        };
        let rate = thousands(rate(progress) as u128);
        content.push(line(app, "states/s", &format!("{rate}{spark}")));
    }
    if progress.representatives > 0 {
        let all = thousands(progress.representatives.into());
        let text = if is_long(progress) {
            let each = progress.of_this_run().representatives as f64 / progress.seconds;
            format!("{all}, {} each second", thousands(each as u128))
        } else {
            all
        };
        content.push(line(app, "reps", &text));
        content.push(line(app, "unique", &uniqueness(progress)));
    }
    content.push(line(app, "time", &format!("{:.1} s", progress.seconds)));
    let all = progress.resident.map_or(String::new(), |bytes| {
        format!("   program {}", mebibytes(bytes))
    });
    let search = mebibytes(progress.bytes);
    content.push(line(app, "memory", &format!("search {search}{all}")));
    if let Some(disk) = progress.on_disk() {
        push_lines(app, content, "disk", &disk, columns);
    }
    for (process, figures) in progress.by_process().enumerate() {
        push_lines(
            app,
            content,
            &format!("process {process}"),
            &figures,
            columns,
        );
    }
}

/// Whether a check has taken long enough for rates and the peak of memory to matter.
fn is_long(progress: &Progress) -> bool {
    progress.seconds >= 1.0
}

/// The number of the representatives that are known to be unique for their orbit.
fn uniqueness(progress: &Progress) -> String {
    match progress.unique {
        Some(unique) if unique == progress.representatives => "all of them".to_string(),
        Some(unique) => {
            let all = thousands(progress.representatives.into());
            format!("{} of {all} for certain", thousands(unique.into()))
        }
        // As with a specification that holds a set.
        None => "not known".to_string(),
    }
}

/// A number of bytes, as `312 MiB`.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", thousands((bytes / (1024 * 1024)).into()))
}

fn trend(queue: u64, peak: u64) -> String {
    if queue < peak {
        format!("peak {}, falling", thousands(peak.into()))
    } else {
        "growing".to_string()
    }
}

/// States a second over the whole run.
#[must_use]
pub fn rate(progress: &Progress) -> f64 {
    if progress.seconds > 0.0 {
        progress.of_this_run().states as f64 / progress.seconds
    } else {
        0.0
    }
}

/// The latest numbers as characters that grow darker.
#[must_use]
pub fn sparkline(rates: &[f64]) -> String {
    const RAMP: &[u8] = b" .:-=+*#";
    let from = rates.len().saturating_sub(16);
    // At least one, so that nothing is divided by zero before the first state.
    let most = rates.iter().copied().fold(1.0, f64::max);
    let level = |rate: &f64| {
        let at = (rate / most * (RAMP.len() - 1) as f64).round() as usize;
        char::from(RAMP[at.min(RAMP.len() - 1)])
    };
    rates[from..].iter().map(level).collect()
}

/// The meaning of the selected assertion's outcome, in sentences.
#[must_use]
pub fn explanation(app: &App, columns: usize) -> Content {
    let mut content = Content::new("What it means");
    let theme = app.theme;
    if let Some((number, progress)) = &app.checks.running
        && !layout::visible(app, Pane::Progress)
    {
        let head = format!("Assertion {number} is being checked. X cancels it.");
        content.push_text(theme, Role::Strong, &head, columns);
        for note in notes(app, progress) {
            content.push_text(theme, Role::Plain, &note, columns);
        }
        if progress.states > 0 {
            figures(app, progress, &mut content, columns);
        }
        content.push(Row::new(theme));
    }
    let Some(outcome) = app.checks.outcome() else {
        asked::unchecked(app, &mut content, columns);
        return content;
    };
    let mut say = |role, text: &str| content.push_text(theme, role, text, columns);
    match &outcome.verdict {
        Verdict::Holds => say(Role::Ok, "It holds."),
        Verdict::Fails => say(Role::Fail, "It does not hold."),
        Verdict::Approximate(reason) | Verdict::Inconclusive(reason) => {
            say(Role::Choice, &format!("No verdict: {reason}."));
        }
        Verdict::Error(failure) => {
            content.push_diagnostic(theme, Role::Fail, &failure.detail, columns);
        }
    }
    if let Some(failure) = &outcome.explanation {
        content.push_diagnostic(theme, Role::Plain, &failure.detail, columns);
    }
    let mut say = |role, text: &str| content.push_text(theme, role, text, columns);
    if let Some(path) = facts::counterexample(app) {
        say(Role::Plain, &path.reason);
        say(Role::Plain, "");
        representatives(app, path, &mut say);
    }
    if !outcome.others.is_empty() {
        listed(app, outcome, &mut content, columns);
    }
    let mut say = |role, text: &str| content.push_text(theme, role, text, columns);
    let names = "Names are those of the unreduced system (Sec. 3.5).";
    // Only then could a person wonder: the search went through representatives.
    if outcome.counterexample.is_some() && outcome.symmetry.is_some() {
        say(Role::Plain, names);
    }
    for line in outcome.reduction_sentences().unwrap_or_default() {
        say(Role::Plain, &line);
    }
    content
}

/// The path of representatives of a counterexample, if the user wants it.
fn representatives(app: &App, found: &Counterexample, say: &mut impl FnMut(Role, &str)) {
    if !app.checks.quotient {
        let keys = "s: the path of representatives   Enter: animate it";
        return say(Role::Dim, keys);
    }
    if found.quotient.is_empty() {
        let none = "There is no path of representatives: this run was met in the unreduced system.";
        return say(Role::Dim, none);
    }
    say(Role::Strong, "The path of representatives:");
    for (at, state) in found.quotient.iter().enumerate() {
        say(Role::Plain, &format!("{at:>3}  {state}"));
    }
}

/// The counterexamples of an assertion, a line each.
fn listed(app: &App, outcome: &CheckOutcome, content: &mut Content, columns: usize) {
    let all = outcome.counterexamples().count();
    let head = format!("Its {all} counterexamples (] next, [ before):");
    content.push_text(app.theme, Role::Strong, &head, columns);
    for (n, path) in outcome.counterexamples().enumerate() {
        let chosen = n == app.checks.trail.which;
        let role = if chosen { Role::Selected } else { Role::Plain };
        let mark = if chosen { ">" } else { " " };
        let steps = counted(path.steps.len() as u64, "step");
        let text = format!(
            " {mark}{:>2}  {steps:<9} {}",
            n + 1,
            visible_line(&path.reason)
        );
        content.push(Row::new(app.theme).add(role, fit_middle(&text, columns)));
    }
}
