//! The transitions up to symmetry, and the effect of the selected one.

use super::{Content, absent};
use crate::animate::groups::{self, TransitionGroup};
use crate::animate::model::{EventKind, StateView, TransitionView};
use crate::animate::session::{Preview, Session, Target};
use crate::app::App;
use crate::cutting::apart;
use crate::facts::selected;
use crate::report::numbers::thousands;
use crate::report::parted::PartedText;
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;

/// The pane: the list, and below it a preview of the selected transition.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let Some((session, view)) = app.session.as_ref().and_then(|s| Some((s, s.view()?))) else {
        return Content {
            title: "Transitions".to_string(),
            ..absent(app, columns)
        };
    };
    let mut content = Content::new("Transitions");
    content.right = count_text(session, view);
    let preview = preview_lines(app, session, columns, rows);
    // Narrow but high: the components that move get a line of their own.
    let tall = rows >= 12 && columns < 76;
    let room = rows.saturating_sub(preview.len());
    list(app, session, &mut content, (columns, room), tall);
    if session.groups.is_empty() {
        content.push_text(app.theme, Role::Plain, nothing(view), columns);
    }
    // The preview stays at the bottom, however long the list is.
    while content.lines.len() < room {
        content.push(Row::new(app.theme));
    }
    for row in preview {
        content.push(row);
    }
    content
}

fn nothing(view: &StateView) -> &'static str {
    if view.terminated {
        "TERMINATED: the process has ended."
    } else if view.transitions.is_empty() {
        "DEADLOCK: no transition is possible; 7 shows who waits for whom."
    } else {
        "No transition passes the filter; Esc clears it."
    }
}

/// The number of transitions up to symmetry: targets with equal exact forms are in one orbit. Where an exact form
/// could not be computed, several may belong to one orbit: then they are not called orbits.
fn count_text(session: &Session, view: &StateView) -> String {
    let (all, targets) = (view.transitions.len(), groups::orbit_count(view));
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    // Groups hold only transitions that pass the filter.
    let shown: usize = session.groups.iter().map(|g| g.members.len()).sum();
    let word = match (&view.representative, view.orbits_known) {
        (Some(_), true) => "orbit",
        (Some(_), false) => "representative",
        (None, _) => "",
    };
    // The number of orbits is unknown where not all transitions are known.
    if view.omitted > 0 {
        let all_of_them = thousands((all + view.omitted) as u128);
        format!("{} of {all_of_them} listed", thousands(all as u128))
    } else if shown < all {
        format!("{shown} of {all} pass /{}", session.filter())
    } else if word.is_empty() {
        plural(all, "transition")
    // Transitions with different events or movers may lead to one orbit: then there are more groups than orbits, and
    // both numbers are shown.
    } else if !session.grouped() || session.groups.len() == targets {
        format!("{all} -> {}", plural(targets, word))
    } else {
        let groups = session.groups.len();
        format!("{all} -> {groups} into {}", plural(targets, word))
    }
}

/// The rows around the selection, as many as fit.
fn list(app: &App, session: &Session, content: &mut Content, size: (usize, usize), tall: bool) {
    let (columns, room) = size;
    let each = if tall { 2 } else { 1 };
    let fits = (room / each).max(1);
    let count = session.groups.len();
    // The selection in the middle, but no empty lines at the end.
    let first = app
        .animate
        .group
        .saturating_sub(fits / 2)
        .min(count.saturating_sub(fits));
    if count > fits {
        let last = (first + fits).min(count);
        content.footer = format!("{}-{last} of {count}", first + 1);
    }
    let shown = || session.groups.iter().enumerate().skip(first).take(fits);
    let withs: Vec<&str> = shown().map(|(_, group)| group.with.as_str()).collect();
    let labels: Vec<&str> = shown().map(|(_, group)| group.label.as_str()).collect();
    let starts: Vec<String> = shown()
        .map(|(_, group)| beginning(session, group))
        .collect();
    let room = columns.saturating_sub(starts.first().map_or(0, |start| width(start) + 2));
    // The event comes first: on the same line, the components that move get a third at most.
    let (label, with) = match tall {
        true => (room, columns.saturating_sub(11)),
        false => {
            let widest = withs.iter().map(|with| width(with)).max().unwrap_or(0);
            let with = widest.min((room / 3).min(30).saturating_sub(1));
            (room.saturating_sub(with + 1), with)
        }
    };
    let (labels, withs) = (apart(&labels, label), apart(&withs, with));
    for (n, (at, group)) in shown().enumerate() {
        let chosen = at == app.animate.group;
        let role = if chosen { Role::Selected } else { Role::Plain };
        let mark = if chosen { ">" } else { " " };
        let row = Row::new(app.theme).add(role, format!("{mark} {}", starts[n]));
        let row = row.add(role, pad(&labels[n], label));
        if !tall {
            content.push_target(row.add(Role::Dim, format!(" {}", withs[n])), at);
            continue;
        }
        content.push_target(row, at);
        if !group.with.is_empty() {
            let row = Row::new(app.theme).plain("     ").add(Role::Dim, "with  ");
            content.push_target(row.plain(&*withs[n]), at);
        }
    }
}

/// How many transitions a group has, if they are grouped, and the kind of their event.
fn beginning(session: &Session, group: &TransitionGroup) -> String {
    let times = if session.grouped() {
        // As wide as the largest, so that they form a column.
        let largest = session.groups.iter().map(|g| g.members.len()).max();
        let digits = largest.unwrap_or(0).to_string().len().max(2);
        format!("x{:<digits$} ", group.members.len())
    } else {
        String::new()
    };
    let kind = match group.kind {
        EventKind::Tau => "tau ",
        EventKind::Tick => "tick",
        EventKind::Visible => "vis ",
    };
    format!("{times}{kind} ")
}

fn preview_lines(app: &App, session: &Session, columns: usize, rows: usize) -> Vec<Row> {
    let Some(transition) = selected(app) else {
        return Vec::new();
    };
    let preview = session.preview(transition);
    if rows >= 10 {
        long_preview(app, transition, &preview, columns)
    } else if rows >= 4 {
        short_preview(app, transition, &preview, columns)
    } else {
        Vec::new()
    }
}

fn takes(app: &App, transition: &TransitionView) -> String {
    let group = app
        .session
        .as_ref()
        .and_then(|s| s.groups.get(app.animate.group));
    let size = group.map_or(1, |g| g.members.len());
    // A τ whose event was hidden is shown by that event.
    let event = match (transition.kind, transition.event.as_str()) {
        (_, "") => "tau",
        (_, event) => event,
    };
    if size > 1 {
        format!(
            "{event}  ({} of {size}, h/l)",
            app.animate.member % size + 1
        )
    } else {
        event.to_string()
    }
}

fn long_preview(
    app: &App,
    transition: &TransitionView,
    preview: &Preview,
    columns: usize,
) -> Vec<Row> {
    let row = || Row::new(app.theme);
    let line = "-".repeat(columns.saturating_sub(12));
    let mut rows = vec![
        row().add(Role::Dim, format!("--- preview {line}")),
        row()
            .add(Role::Dim, " takes: ")
            .plain(fit(&takes(app, transition), columns.saturating_sub(9))),
    ];
    let label = preview
        .movers
        .iter()
        .map(|(l, _, _)| width(l))
        .max()
        .unwrap_or(0);
    // The preview stands at the bottom of the list and must not take its place.
    let two_lines = preview.movers.len() <= 2;
    for (name, before, after) in preview.movers.iter().take(4) {
        let room = columns.saturating_sub(label + 2);
        let full = format!("{before} -> {after}");
        let changes = match **before == **after || width(&full) <= room || !two_lines {
            true => vec![change_text(before, after, room)],
            false => vec![
                fit(&before.to_string(), room),
                fit(&format!("-> {after}"), room),
            ],
        };
        for (at, change) in changes.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let row = row().plain(format!(" {} ", pad(name, label)));
            rows.push(row.add(Role::Changed, change));
        }
    }
    if preview.movers.len() > 4 {
        let more = format!(" and {} more", preview.movers.len() - 4);
        rows.push(row().plain(more));
    }
    rows.push(row().plain(format!(" {} unchanged", plural(preview.unchanged))));
    let (role, text) = target_text(app, preview);
    rows.push(
        row()
            .plain(" ")
            .add(role, fit(&text, columns.saturating_sub(1))),
    );
    rows
}

fn plural(count: usize) -> String {
    format!("{count} component{}", if count == 1 { "" } else { "s" })
}

fn change_text(before: &PartedText, after: &str, room: usize) -> String {
    // It takes part in the event without changing.
    if *before == after {
        return fit(&format!("{after} (takes part)"), room);
    }
    let full = format!("{before} -> {after}");
    if width(&full) <= room {
        full
    } else {
        // The next state matters more than the values from before. The head of a composite state is its whole text.
        let name = fit(before.head(), room / 2);
        fit(&format!("{name} -> {after}"), room)
    }
}

fn short_preview(
    app: &App,
    transition: &TransitionView,
    preview: &Preview,
    columns: usize,
) -> Vec<Row> {
    let changes: Vec<_> = preview
        .movers
        .iter()
        .map(|(name, _, after)| format!("{name} -> {after}"))
        .collect();
    let (role, text) = target_text(app, preview);
    let room = columns.saturating_sub(13 + width(&text));
    let takes = fit(&takes(app, transition), room);
    let row = Row::new(app.theme)
        .add(Role::Dim, " takes    ")
        .plain(takes);
    let row = row.plain("   ").add(role, text);
    let changes = fit(&changes.join("   "), columns.saturating_sub(11));
    vec![
        row,
        Row::new(app.theme)
            .add(Role::Dim, " preview  ")
            .add(Role::Changed, changes),
    ]
}

/// The kind of target, and the entry where it was visited.
fn target_text(app: &App, preview: &Preview) -> (Role, String) {
    let place = |id| Some(app.session.as_ref()?.history.place_text(id));
    let visited = preview.visited.and_then(place);
    match (preview.target, visited) {
        (Target::New, _) if app.representative().is_none() => {
            (Role::Plain, "new: not visited".to_string())
        }
        (Target::New, _) => (Role::Plain, "rep: new orbit (not visited)".to_string()),
        (Target::VisitedOrbit, Some(visited)) => {
            (Role::Dim, format!("visited: orbit of {visited} (v)"))
        }
        (Target::VisitedState, Some(visited)) => {
            (Role::Dim, format!("visited: {visited} itself (v)"))
        }
        // It was visited at the present entry only.
        (Target::VisitedOrbit | Target::VisitedState, None) => {
            (Role::Dim, "visited: orbit of this state".to_string())
        }
        (Target::Here, _) => (Role::Dim, "leads back to this state".to_string()),
        (Target::Deadlock, Some(visited)) => (
            Role::Fail,
            format!("DEADLOCK there, visited: {visited} (v)"),
        ),
        (Target::Deadlock, None) => (Role::Fail, "DEADLOCK there".to_string()),
    }
}
