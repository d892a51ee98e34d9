//! The panes of the Structure view: the tree of operators, one part of it, and the wait-for graph.

use super::{Content, absent};
use crate::actions::structure::{fetched, movers, selected, shown, wanted_part};
use crate::animate::model::StructureView;
use crate::animate::structure::{Standing, StandingView, StructureRow, WaitView};
use crate::animate::worker::Reply;
use crate::app::{App, Pane};
use crate::cutting::apart;
use crate::text::{Row, fit, pad, width, wrap};
use crate::theme::Role;

/// Columns by which operands stand further right than their operator, and up to where.
const INDENT: usize = 2;
const INDENT_MAX: usize = 24;
/// The mark of components that take part in the selected transition.
const MOVES: &str = "*";

/// The text while the structure is unknown.
fn unknown(app: &App, title: &str, columns: usize) -> Content {
    let mut content = Content::new(title);
    match fetched(app) {
        Some(Err(failure)) => {
            let text = format!("This cannot be told: {}", failure.summary);
            content.push_text(app.theme, Role::Fail, &text, columns);
        }
        _ if app.session.is_some() => {
            content.push_text(app.theme, Role::Dim, "computing ...", columns);
        }
        _ => {
            content.lines = absent(app, columns).lines;
            content.targets = vec![None; content.lines.len()];
        }
    }
    content
}

/// The place in the view, for the status line.
#[must_use]
pub fn status(app: &App) -> String {
    shown(app).map_or_else(String::new, StructureView::headline)
}

/// The tree of operators.
#[must_use]
pub fn operators(app: &App, columns: usize) -> Content {
    let Some(view) = shown(app) else {
        return unknown(app, "Structure", columns);
    };
    let mut content = Content::new("Structure");
    let all = view.components.len();
    content.right = format!("{all} component{}", if all == 1 { "" } else { "s" });
    let movers = movers(app);
    if !movers.is_empty() {
        content.footer = format!("{MOVES} takes part in the selected transition");
    }
    for (at, row) in app.structure.rows(view).into_iter().enumerate() {
        let chosen = at == app.structure.row;
        if chosen {
            content.at = Some(content.lines.len());
        }
        content.push_target(tree_line(app, view, row, chosen, &movers, columns), at);
    }
    content
}

/// The components of a line: of all siblings that it represents.
fn components_of(view: &StructureView, row: StructureRow) -> Vec<usize> {
    let node = &view.nodes[row.node];
    let nodes = match (row.times, node.parent) {
        (2.., Some(parent)) => {
            let alike = view.operands(parent).into_iter();
            alike.filter(|n| view.nodes[*n].form == node.form).collect()
        }
        _ => vec![row.node],
    };
    let ranges = nodes.into_iter().map(|n| view.nodes[n].components);
    ranges.flat_map(|(from, to)| from..to).collect()
}

fn tree_line(
    app: &App,
    view: &StructureView,
    row: StructureRow,
    chosen: bool,
    movers: &[usize],
    columns: usize,
) -> Row {
    let node = &view.nodes[row.node];
    let below = components_of(view, row);
    let is_folded = row.is_folded || row.times > 1;
    let shows = node.is_leaf() || is_folded;
    let moves = shows && below.iter().any(|c| movers.contains(c));
    let end = if shows {
        summary(view, &below)
    } else {
        String::new()
    };
    let mark = if chosen { ">" } else { " " };
    let indent = (node.depth * INDENT).min(INDENT_MAX);
    let line = Row::new(app.theme)
        .plain(mark)
        .add(Role::Changed, if moves { MOVES } else { " " })
        .plain(" ".repeat(indent));
    let text = if row.is_folded {
        format!("{} ..", view.row_text(&row))
    } else {
        view.row_text(&row)
    };
    // The standing comes first: a long set is read in the pane of the part.
    let room = columns.saturating_sub(line.width() + width(&end) + 2);
    let kind = match (chosen, node.is_leaf()) {
        (true, _) => Role::Selected,
        (false, true) => Role::Plain,
        (false, false) => Role::Strong,
    };
    let line = line.add(kind, fit(&text, room));
    if end.is_empty() {
        return line;
    }
    let alone = below.first().filter(|_| below.len() == 1);
    let kind = alone.map_or(Role::Plain, |c| view.components[*c].standing.tone().into());
    line.to(columns.saturating_sub(width(&end) + 1))
        .add(kind, end)
}

/// The standing of components: `waits`, or `4 wait, 2 free`.
fn summary(view: &StructureView, components: &[usize]) -> String {
    if let [one] = components {
        return view.components[*one].standing.word().to_string();
    }
    let mut counts: Vec<(Standing, usize)> = Vec::new();
    for component in components {
        let standing = view.components[*component].standing;
        match counts.iter_mut().find(|(known, _)| *known == standing) {
            Some((_, count)) => *count += 1,
            None => counts.push((standing, 1)),
        }
    }
    counts.sort_unstable();
    let parts = counts
        .iter()
        .map(|(standing, n)| format!("{n} {}", standing.word()));
    parts.collect::<Vec<_>>().join(", ")
}

/// The selected part of the tree.
#[must_use]
pub fn part(app: &App, columns: usize) -> Content {
    let Some(view) = shown(app) else {
        return unknown(app, "Part", columns);
    };
    let Some(row) = selected(app) else {
        return Content::new("Part");
    };
    let node = &view.nodes[row.node];
    let is_leaf = node.is_leaf();
    let mut content = Content::new(if is_leaf {
        node.words.clone()
    } else {
        format!("{}  {}", node.sign, node.words)
    });
    let mut say = |role, text: &str| indented(app, &mut content, role, text, columns);
    if row.times > 1 {
        let text = format!(
            "The first of {} of this form; i shows them apart.",
            row.times
        );
        say(Role::Dim, &text);
    }
    if is_leaf {
        component_lines(view, &view.components[node.components.0], &mut say);
    } else if node.parent.is_none() {
        content.push_parts(app.theme, view.whole().parts(&["whole"]), columns);
    }
    let mut say = |role, text: &str| indented(app, &mut content, role, text, columns);
    match wanted_part(app).and_then(|request| app.answers.get(&request)) {
        Some(Reply::Part(.., Err(failure))) => say(Role::Fail, &failure.summary),
        Some(Reply::Part(.., Ok(part))) => {
            let heading = if is_leaf { "alphabet" } else { "its set" };
            if part.events.count > 0 {
                say(Role::Strong, heading);
                say(Role::Plain, &format!("  {}", part.events.text()));
            }
            if !part.is_complete {
                say(Role::Dim, "  as far as it was explored; there may be more");
            }
            for (n, sync) in part.syncs.iter().enumerate() {
                if n == 0 {
                    let heading = if is_leaf {
                        "performs, and with whom"
                    } else {
                        "together across its operands"
                    };
                    say(Role::Strong, heading);
                }
                let with = if sync.with.is_empty() {
                    "alone".to_string()
                } else {
                    sync.with.join(" + ")
                };
                say(Role::Plain, &format!("  {with}: {}", sync.events.text()));
            }
        }
        _ => say(Role::Dim, "computing ..."),
    }
    content
}

/// Adds a text, broken into lines; all of them stand as far to the right as the first.
fn indented(app: &App, content: &mut Content, role: Role, text: &str, columns: usize) {
    let inner = text.trim_start();
    let margin = text.len() - inner.len();
    for line in wrap(inner, columns.saturating_sub(margin + 2)) {
        let row = Row::new(app.theme).plain(" ".repeat(margin + 1));
        content.push(row.add(role, line));
    }
}

fn component_lines(view: &StructureView, own: &StandingView, say: &mut impl FnMut(Role, &str)) {
    say(Role::Plain, &own.state);
    say(own.standing.tone().into(), own.standing.word());
    if !own.offers.is_empty() {
        say(Role::Strong, "is ready for");
    }
    for offer in &own.offers {
        say(Role::Plain, &format!("  {}", view.offer_text(offer)));
    }
    match own.is_stable {
        true if own.refuses.count > 0 => {
            say(Role::Strong, "refuses");
            say(Role::Plain, &format!("  {}", own.refuses.text()));
        }
        true => {}
        false => say(Role::Dim, "not stable: it refuses nothing"),
    }
}

/// A line for each pair of components of which one waits for the other.
fn request_lines(app: &App, view: &StructureView, content: &mut Content, columns: usize) {
    let focused = app.pane() == Pane::Waits;
    let labels = |of: fn(&WaitView) -> usize| -> (Vec<String>, usize) {
        let all: Vec<&str> = view
            .waits
            .iter()
            .map(|wait| view.components[of(wait)].label.as_str())
            .collect();
        let widest = all.iter().map(|label| width(label)).max().unwrap_or(0);
        let room = widest.min(columns / 4);
        (apart(&all, room), room)
    };
    let (froms, from) = labels(|wait| wait.from);
    let (tos, to) = labels(|wait| wait.to);
    for (n, wait) in view.waits.iter().enumerate() {
        let at = view.cycles.len() + n;
        let chosen = focused && at == app.structure.wait;
        if chosen {
            content.at = Some(content.lines.len());
        }
        let row = Row::new(app.theme)
            .plain(if chosen { ">" } else { " " })
            .add(
                if chosen { Role::Selected } else { Role::Plain },
                format!("{} -> {}", pad(&froms[n], from), pad(&tos[n], to)),
            );
        let never = if wait.never { " (never again)" } else { "" };
        let room = columns.saturating_sub(row.width() + 3 + width(never));
        let row = row.plain("  ").plain(fit(&wait.events.text(), room));
        content.push_target(row.add(Role::Fail, never), at);
    }
}

/// The wait-for graph: cycles first.
#[must_use]
pub fn waits(app: &App, columns: usize) -> Content {
    let Some(view) = shown(app) else {
        return unknown(app, "Who waits for whom", columns);
    };
    let mut content = Content::new("Who waits for whom");
    content.right = match view.waits.len() {
        0 => String::new(),
        n => format!("{n} request{}", if n == 1 { "" } else { "s" }),
    };
    let kind = if view.is_deadlock {
        Role::Fail
    } else {
        Role::Plain
    };
    content.push_text(app.theme, kind, &view.headline(), columns);
    let focused = app.pane() == Pane::Waits;
    for (n, cycle) in view.cycles.iter().enumerate() {
        let chosen = focused && n == app.structure.wait;
        if chosen {
            content.at = Some(content.lines.len());
        }
        let kind = if chosen { Role::Selected } else { Role::Strong };
        let text = format!("cycle: {}", view.cycle_text(cycle));
        for line in wrap(&text, columns.saturating_sub(3)) {
            let row = Row::new(app.theme).plain(if chosen { ">" } else { " " });
            content.push_target(row.add(kind, line), n);
        }
    }
    request_lines(app, view, &mut content, columns);
    if view.omitted > 0 {
        let text = format!(".. and {} more", view.omitted);
        content.push_text(app.theme, Role::Dim, &text, columns);
    }
    let ended = view.components.iter();
    let ended = ended.filter(|c| matches!(c.standing, Standing::Stopped | Standing::Terminated));
    for component in ended {
        let text = format!("{} has {}", component.label, component.standing.word());
        content.push_text(app.theme, component.standing.tone().into(), &text, columns);
    }
    content
}
