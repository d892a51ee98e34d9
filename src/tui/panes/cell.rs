//! Texts of the cells of a counterexample: short in the table, below it in full.

use crate::animate::model::{Counterexample, Ending, EventKind};
use crate::app::App;
use crate::cutting::{apart, head, middle};
use crate::report::changed::changed;
use crate::report::numbers::counted;
use crate::text::{Row, pad, width, wrap};
use crate::theme::Role;
use crate::trail::{Trail, TrailCell, TrailColumn, TrailRow, channel, has_end};

/// A cell before it is cut.
pub struct CellText {
    /// The role of the text.
    pub role: Role,
    /// The text.
    pub text: String,
}

fn plain(text: impl Into<String>) -> CellText {
    let (role, text) = (Role::Plain, text.into());
    CellText { role, text }
}

fn still() -> CellText {
    let (role, text) = (Role::Dim, ".".to_string());
    CellText { role, text }
}

/// Whether a column is the one of the violation.
#[must_use]
pub fn is_wrong(path: &Counterexample, column: &TrailColumn) -> bool {
    let last = path.steps.len() + usize::from(has_end(path));
    let bad = path.ending != Ending::Performed;
    bad && *column.steps.end() == last
}

/// The text of a cell.
#[must_use]
pub fn text(trail: &Trail<'_>, row: TrailRow, column: &TrailColumn) -> CellText {
    match row {
        TrailRow::Step => number(trail, column),
        TrailRow::Channel => event(trail, column),
        TrailRow::Fields => plain(rest(trail, column)),
        TrailRow::Specification => specification(trail, column),
        TrailRow::Component(c) => component(trail, c, column),
        TrailRow::Family(c) => together(trail, c, column),
    }
}

fn number(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    let (from, to) = (*column.steps.start(), *column.steps.end());
    let Some(step) = trail.step(to) else {
        return plain(if to == 0 { "0" } else { "end" });
    };
    let kind = match step.kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "TICK",
        EventKind::Visible => "VISIBLE",
    };
    let numbers = if from == to {
        to.to_string()
    } else {
        format!("{from}-{to}")
    };
    let lap = match trail.loop_start() {
        Some(start) if from >= start => " loop",
        _ => "",
    };
    CellText {
        role: Role::Strong,
        text: format!("{numbers} {kind}{lap}"),
    }
}

fn event(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    let to = *column.steps.end();
    let text = match (trail.step(to), &column.fold) {
        (None, _) if to == 0 => "start".to_string(),
        (None, _) => return ending_word(&trail.path.ending),
        (Some(_), Some(name)) => format!("{name} x{}", column.count()),
        (Some(step), None) => channel(step).to_string(),
    };
    CellText {
        role: Role::Strong,
        text,
    }
}

fn ending_word(ending: &Ending) -> CellText {
    let (role, text) = match ending {
        Ending::Performed => (Role::Ok, "ok: performed"),
        Ending::Refused { .. } => (Role::Fail, "X not allowed"),
        Ending::Deadlock => (Role::Fail, "X DEADLOCK"),
        Ending::Refusal { .. } => (Role::Fail, "X refuses"),
        Ending::Revival { .. } => (Role::Fail, "X refuses too much"),
        Ending::Ambiguity { .. } | Ending::Reluctant { .. } => (Role::Fail, "X can refuse"),
        Ending::Unable { .. } => (Role::Fail, "X cannot do"),
        Ending::Divergence { .. } => (Role::Fail, "X DIVERGES"),
    };
    let text = text.to_string();
    CellText { role, text }
}

/// The text below the channel: the rest of the event, or at the end the subject of the violation.
fn rest(trail: &Trail<'_>, column: &TrailColumn) -> String {
    let to = *column.steps.end();
    if let Some(step) = trail.step(to) {
        return match column.fold {
            Some(_) => "..".to_string(),
            None => step.event.all_items().replace(", ", ","),
        };
    }
    match &trail.path.ending {
        _ if to == 0 => String::new(),
        Ending::Refusal { offered, .. } | Ending::Revival { offered, .. } => {
            format!("offers {offered}")
        }
        Ending::Ambiguity { refused, .. } => refused.to_string(),
        Ending::Unable { event, .. } | Ending::Reluctant { event, .. } => event.clone(),
        Ending::Divergence { lap, .. } => match lap {
            1 => "last step for ever".to_string(),
            n => format!("last {n} steps for ever"),
        },
        Ending::Performed | Ending::Refused { .. } | Ending::Deadlock => String::new(),
    }
}

fn specification(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    if !trail.is_specified() {
        return plain("");
    }
    let (from, to) = (*column.steps.start(), *column.steps.end());
    let wrong = |text: String| CellText {
        role: Role::Fail,
        text,
    };
    match (&trail.path.ending, trail.specification(to)) {
        // The specification has no state after this step: it does not allow it.
        (Ending::Refused { allowed, .. }, None) => match allowed.as_str() {
            "{}" => wrong("X allows nothing".to_string()),
            allowed => wrong(format!("X allows {allowed}")),
        },
        (_, None) => wrong("X refuses".to_string()),
        (Ending::Refusal { acceptances, .. }, _) if to > trail.path.steps.len() => {
            if acceptances.is_empty() {
                wrong("X diverges".to_string())
            } else {
                wrong(format!("X wants {}", acceptances.join(" or ")))
            }
        }
        (
            Ending::Revival {
                event, acceptances, ..
            },
            _,
        ) if to > trail.path.steps.len() => {
            if acceptances.is_empty() {
                wrong(format!("X never settles with {event}"))
            } else {
                wrong(format!("X wants {}", acceptances.join(" or ")))
            }
        }
        (_, Some(now)) if from > 0 && trail.specification(from - 1) == Some(now) => still(),
        (_, Some(now)) => plain(now.replace(", ", ",")),
    }
}

fn component(trail: &Trail<'_>, component: usize, column: &TrailColumn) -> CellText {
    match trail.cell(component, column) {
        TrailCell::Still => still(),
        TrailCell::TakesPart => plain("*"),
        TrailCell::Absent => plain("-"),
        TrailCell::Becomes(now) => {
            let now = now.replace(", ", ",");
            plain(match renamed(trail, component, column) {
                Some(label) => format!("{label}: {now}"),
                None => now,
            })
        }
    }
}

/// The component at an index where the network has changed, if its label differs.
fn renamed<'a>(trail: &Trail<'a>, component: usize, column: &TrailColumn) -> Option<&'a str> {
    let step = trail.step(*column.steps.end())?;
    let label = step.components.as_ref()?.get(component)?;
    (*label != trail.name(component)).then_some(label.as_str())
}

/// The members of the family of a component.
pub fn members<'a>(trail: &'a Trail<'_>, component: usize) -> impl Iterator<Item = usize> + 'a {
    let family = trail.family(component);
    (0..trail.components()).filter(move |c| trail.family(*c) == family)
}

/// The states of a family's members in a column.
fn together(trail: &Trail<'_>, first: usize, column: &TrailColumn) -> CellText {
    if *column.steps.start() == 0 {
        return plain(format!("{} in all", members(trail, first).count()));
    }
    let moved: Vec<usize> = members(trail, first)
        .filter(|c| trail.moves(*c, column))
        .collect();
    match moved.as_slice() {
        [] => {
            let part = members(trail, first).any(|c| trail.cell(c, column) == TrailCell::TakesPart);
            if part { plain("*") } else { still() }
        }
        [one] => component(trail, *one, column),
        several => {
            let name = |c: &usize| trail.state_name(*c, *column.steps.end());
            let names: Vec<&str> = several.iter().map(name).collect();
            if names.iter().all(|n| *n == names[0]) {
                plain(format!("{} x {}", several.len(), names[0]))
            } else {
                plain(format!("{} move", several.len()))
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
    if is_wrong(trail.path, column) {
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
