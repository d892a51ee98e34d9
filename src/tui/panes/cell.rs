//! Texts of the cells of a counterexample: short in the table, below it in full.

use crate::app::App;
use crate::cutting::{apart, head, middle};
use crate::report::changed::changed;
use crate::report::numbers::counted;
use crate::report::trail::cells::{self, CellText};
use crate::report::trail::{Trail, TrailCell, TrailColumn};
use crate::text::{Row, pad, width, wrap};
use crate::theme::Role;
use crate::trail::TrailRow;

/// The text of a cell.
#[must_use]
pub fn text(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> CellText {
    match row {
        TrailRow::Step => cells::number(trail, column),
        TrailRow::Channel => cells::channel(trail, column),
        TrailRow::Fields => cells::fields(trail, column),
        TrailRow::Specification => cells::specification(trail, column),
        TrailRow::Component(c) => cells::component(trail, c, column),
        TrailRow::Family(c) => together(trail, c, column),
    }
}

/// The members of the family of a component.
pub fn members<'a>(trail: &'a Trail<'_>, component: usize) -> impl Iterator<Item = usize> + 'a {
    let family = trail.family(component);
    (0..trail.components()).filter(move |c| trail.family(*c) == family)
}

/// The states of a family's members in a column.
fn together(trail: &Trail<'_>, first: usize, column: &TrailColumn) -> CellText {
    if *column.steps.start() == 0 {
        return CellText::plain(format!("{} in all", members(trail, first).count()));
    }
    let moved: Vec<usize> = members(trail, first)
        .filter(|c| trail.moves(*c, column))
        .collect();
    match moved.as_slice() {
        [] => {
            let part = members(trail, first).any(|c| trail.cell(c, column) == TrailCell::TakesPart);
            if part {
                CellText::plain("*")
            } else {
                CellText::still()
            }
        }
        [one] => cells::component(trail, *one, column),
        several => {
            let name = |c: &usize| trail.state_name(*c, *column.steps.end());
            let names: Vec<&str> = several.iter().map(name).collect();
            if names.iter().all(|n| *n == names[0]) {
                CellText::plain(format!("{} x {}", several.len(), names[0]))
            } else {
                CellText::plain(format!("{} move", several.len()))
            }
        }
    }
}

/// A part of the full text of a cell.
struct CellPart {
    head: &'static str,
    role: Role,
    text: String,
}

fn part(head: &'static str, text: impl Into<String>) -> CellPart {
    let (role, text) = (Role::Plain, text.into());
    CellPart { head, role, text }
}

/// The full text of a cell.
fn parts(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> Vec<CellPart> {
    let mut parts = Vec::new();
    if cells::is_wrong(trail.path, column) {
        let (head, role) = ("VIOLATION", Role::Fail);
        let text = trail.path.reason.clone();
        parts.push(CellPart { head, role, text });
    }
    let (from, to) = (*column.steps.start(), *column.steps.end());
    match row {
        TrailRow::Component(c) => {
            let value = trail.value(c, to);
            if trail.moves(c, column) {
                let was = trail.value(c, from - 1);
                // Before the whole, which may be cut.
                parts.extend(changed(was, value).map(|new| part("changed", new)));
                parts.push(part("value", value));
                parts.push(part("was", was));
            } else {
                parts.push(part("value", value));
            }
        }
        TrailRow::Family(c) => {
            let moved = members(trail, c).filter(|c| trail.moves(*c, column));
            let states: Vec<&str> = moved.map(|c| trail.value(c, to)).collect();
            let part_of =
                members(trail, c).filter(|c| trail.cell(*c, column) == TrailCell::TakesPart);
            let still: Vec<&str> = part_of.map(|c| trail.value(c, to)).collect();
            if !states.is_empty() && from > 0 {
                let text = format!("{} move: {}", states.len(), states.join("  "));
                parts.push(part("value", text));
            }
            if !still.is_empty() && from > 0 {
                let text = format!("take part and stay: {}", still.join("  "));
                parts.push(part("also", text));
            }
        }
        TrailRow::Specification => {
            parts.push(part(
                "value",
                trail.specification(to).unwrap_or("it cannot follow"),
            ));
            if from > 0 && trail.specification(from - 1) != trail.specification(to) {
                parts.push(part("was", trail.specification(from - 1).unwrap_or("")));
            }
        }
        TrailRow::Step | TrailRow::Channel | TrailRow::Fields => {}
    }
    parts.extend(events(trail, row, column));
    parts
}

/// The events of a column, with the components that take part in them.
fn events(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> Vec<CellPart> {
    let to = *column.steps.end();
    let Some(step) = trail.step(to) else {
        let text = if to == 0 { "the initial state" } else { "" };
        return if text.is_empty() {
            Vec::new()
        } else {
            vec![part("event", text)]
        };
    };
    let shown = |number: usize| match trail.step(number).map(|s| s.event.as_str()) {
        None | Some("") => "tau".to_string(),
        Some(event) => event.to_string(),
    };
    let text = match column.count() {
        1 => shown(to),
        n => {
            let list: Vec<String> = column.steps.clone().map(shown).collect();
            format!("{}: {}", counted(n as u64, "step"), list.join("  "))
        }
    };
    let mut parts = vec![part("event", text)];
    let steps = column.steps.clone();
    let seen = steps.filter_map(|n| Some((n, trail.step(n)?.observed.as_ref()?)));
    let seen: Vec<String> = seen
        .map(|(n, offered)| format!("nothing on offer but {offered} before step {n}"))
        .collect();
    if !seen.is_empty() {
        parts.push(part("seen", seen.join("  ")));
    }
    let who = |c: usize| trail.name(c);
    match row {
        TrailRow::Component(c) => {
            let own = step.events.iter().find(|(at, _)| *at == c);
            let own = own.filter(|(_, event)| !event.is_empty() && *event != step.event);
            parts.extend(own.map(|(_, event)| part("own", event.as_str())));
        }
        _ if row.is_head() && column.count() == 1 => {
            let moves = step
                .changes
                .iter()
                .filter(|(c, _)| trail.cell(*c, column) != TrailCell::Still);
            let list: Vec<String> = moves
                .map(|(c, now)| format!("{} -> {now}", who(*c)))
                .collect();
            parts.push(part("with", list.join("   ")));
        }
        _ => {}
    }
    parts
}

/// The name of the selected cell.
fn heading(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> String {
    let (from, to) = (*column.steps.start(), *column.steps.end());
    let steps = match (from == to, to) {
        (true, 0) => "start".to_string(),
        (true, to) if to > trail.path.steps.len() => "end".to_string(),
        (true, to) => format!("step {to}"),
        (false, to) => format!("steps {from}-{to}"),
    };
    let row = match row {
        TrailRow::Component(c) => trail.name(c).to_string(),
        TrailRow::Family(c) => trail.family(c).to_string(),
        TrailRow::Specification => "Spec".to_string(),
        TrailRow::Step | TrailRow::Channel | TrailRow::Fields => return steps,
    };
    format!("{steps}, {row}")
}

/// The selected cell below the table, in as many lines as there are: in full if that is possible.
#[must_use]
pub fn strip(
    app: &App,
    trail: &Trail<'_>,
    row: TrailRow,
    column: &TrailColumn,
    columns: usize,
    lines: usize,
) -> Vec<Row> {
    if lines < 2 {
        return Vec::new();
    }
    let parts = parts(trail, row, column);
    let room = columns.saturating_sub(HEAD + 2).max(10);
    let texts = cut(&parts, room, lines - 1);
    let long = parts
        .iter()
        .zip(&texts)
        .any(|(part, text)| *text != part.text);
    let title = middle(&heading(trail, row, column), columns / 2);
    let note = if long { " i: in full " } else { " " };
    let dashes = columns.saturating_sub(width(&title) + width(note) + 5);
    let title = format!("-- {title}{note}{}", "-".repeat(dashes));
    let mut rows = vec![Row::new(app.theme).add(Role::Dim, head(&title, columns))];
    for (part, text) in parts.iter().zip(texts) {
        let lines = chopped(&text, room);
        for (at, line) in lines.into_iter().enumerate() {
            let name = if at == 0 { part.head } else { "" };
            let row = Row::new(app.theme).add(Role::Dim, format!(" {} ", pad(name, HEAD)));
            rows.push(row.add(part.role, line));
        }
    }
    rows.truncate(lines);
    rows
}

/// Columns for the names of the parts of a cell.
const HEAD: usize = 9;

/// The texts cut so that together they take so many lines.
fn cut(parts: &[CellPart], room: usize, lines: usize) -> Vec<String> {
    let needs: Vec<usize> = parts.iter().map(|p| chopped(&p.text, room).len()).collect();
    if needs.iter().sum::<usize>() <= lines {
        return parts.iter().map(|p| p.text.clone()).collect();
    }
    // A line each; the rest goes to those that need it, the first ones first.
    let mut given: Vec<usize> = needs.iter().map(|_| 1).collect();
    let mut left = lines.saturating_sub(parts.len());
    while let Some(at) = (0..needs.len()).find(|at| left > 0 && given[*at] < needs[*at]) {
        let more = left
            .div_ceil(needs.len() - at)
            .min(needs[at] - given[at])
            .max(1);
        given[at] += more;
        left -= more;
    }
    // The present value and the one before must be distinguishable.
    let pair = parts
        .iter()
        .position(|p| p.head == "value")
        .zip(parts.iter().position(|p| p.head == "was"));
    let mut texts: Vec<String> = Vec::with_capacity(parts.len());
    for (part, lines) in parts.iter().zip(&given) {
        texts.push(match lines {
            1 => middle(&part.text, room),
            // Words are not cut, so some columns of each line are lost.
            n => middle(&part.text, (room * n).saturating_sub(room / 2)),
        });
    }
    if let Some((value, was)) = pair
        && (given[value], given[was]) == (1, 1)
    {
        let both = apart(&[&parts[value].text, &parts[was].text], room);
        for (at, text) in [value, was].into_iter().zip(both) {
            texts[at] = text;
        }
    }
    texts
}

/// A text in lines.
fn chopped(text: &str, columns: usize) -> Vec<String> {
    wrap(text, columns)
}

/// The selected cell in full, with a title: to be read by itself, or copied.
#[must_use]
pub fn in_full(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> (String, String) {
    let parts = parts(trail, row, column);
    let texts: Vec<String> = parts
        .iter()
        .map(|p| format!("{}\n  {}", p.head, p.text.replace("  ", "\n  ")))
        .collect();
    (heading(trail, row, column), texts.join("\n\n"))
}
