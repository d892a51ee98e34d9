//! The steps of the algorithm and the ordered partition before and after each.

use super::{Content, why};
use crate::animate::model::{Explanation, TypeOrdering};
use crate::animate::sentences::{self, Names, compact};
use crate::symmetry::trace::{Partition, Step};
use crate::tui::app::App;
use crate::tui::text::{Row, fit, pad, width, wrap};
use crate::tui::theme::Role;

/// The list of steps.
#[must_use]
pub fn steps(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Steps");
    let Some(explanation) = app.explanation() else {
        return content;
    };
    let headings = sentences::headings(explanation);
    content.right = format!("{}/{}", app.orbit.frame + 1, headings.len());
    for (at, heading) in headings.iter().enumerate() {
        let chosen = at == app.orbit.frame;
        let role = match (chosen, heading.choice) {
            (true, _) => Role::Selected,
            (false, true) => Role::Choice,
            (false, false) => Role::Plain,
        };
        let mark = if chosen { ">" } else { " " };
        let sign = if heading.choice { "!" } else { "." };
        let title = format!("{mark}{:>2}{sign} {}", at + 1, heading.title);
        if chosen {
            content.at = Some(content.lines.len() + 1);
        }
        content.push_target(Row::new(app.theme).add(role, fit(&title, columns)), at);
        let detail = fit(&heading.detail, columns.saturating_sub(6));
        content.push_target(
            Row::new(app.theme).plain("      ").add(Role::Dim, detail),
            at,
        );
    }
    content.push(Row::new(app.theme));
    let row = |role, text: &str| Row::new(app.theme).plain(" ").add(role, text);
    content.push(row(Role::Plain, &bar(app.orbit.frame + 1, headings.len())));
    content.push(row(Role::Dim, "! choice   . forced"));
    content
}

/// `[#####.....]`.
#[must_use]
pub fn bar(at: usize, of: usize) -> String {
    let full = 20 * at / of.max(1);
    format!("[{}{}]", "#".repeat(full), ".".repeat(20 - full.min(20)))
}

/// The components in the order in which `j` and `k` go through them.
#[must_use]
pub fn component_order(app: &App) -> Vec<usize> {
    let Some(explanation) = app.explanation() else {
        return Vec::new();
    };
    let (before, after) = partitions(explanation, app.orbit.frame);
    let partition = before.or(after);
    partition.map_or_else(|| explanation.trace.order.clone(), |p| p.concat())
}

/// The partitions before and after a step, where it has them.
fn partitions(explanation: &Explanation, frame: usize) -> (Option<&Partition>, Option<&Partition>) {
    match explanation.trace.steps.get(frame) {
        Some(Step::Initial { after, .. }) => (None, Some(after)),
        Some(Step::Count { before, .. }) => (Some(before), None),
        Some(Step::FixedPoint { partition, .. }) => (Some(partition), None),
        Some(Step::Split { before, after, .. } | Step::Choice { before, after, .. }) => {
            (Some(before), Some(after))
        }
        Some(Step::Ordered | Step::Tie { .. } | Step::Types | Step::Generated) | None => {
            (None, None)
        }
    }
}

/// The partition pane: boxes if there is room for them, otherwise lists.
#[must_use]
pub fn partition(app: &App, columns: usize, rows: usize) -> Content {
    let boxed = draw_partition(app, columns, true);
    if boxed.lines.len() <= rows {
        return boxed;
    }
    draw_partition(app, columns, false)
}

fn draw_partition(app: &App, columns: usize, boxed: bool) -> Content {
    let mut content = Content::new("Ordered partition");
    let Some(explanation) = app.explanation() else {
        let text = match app.explained() {
            Some(Err(failure)) => failure.summary.clone(),
            _ => why::missing(app),
        };
        content.push_text(app.theme, Role::Dim, &text, columns);
        return content;
    };
    let names = Names::new(&explanation.components);
    content.right = format!("focus: {}", names.of(app.orbit.component));
    if app.orbit.order == TypeOrdering::IdentitiesFirst {
        content.footer = "types: identity variables first".to_string();
    }
    let (before, after) = partitions(explanation, app.orbit.frame);
    if let Some(before) = before {
        let side = Side {
            head: "before",
            partition: before,
            before: None,
        };
        block_rows(app, explanation, &mut content, &side, (columns, boxed));
        if boxed {
            content.push(Row::new(app.theme));
        }
    }
    if let Some(after) = after {
        let side = Side {
            head: "after",
            partition: after,
            before,
        };
        block_rows(app, explanation, &mut content, &side, (columns, boxed));
        if boxed {
            content.push(Row::new(app.theme));
        }
    }
    if before.is_none() && after.is_none() {
        result_rows(app, explanation, &mut content, columns);
    }
    for sentence in sentences::sentences(explanation, app.orbit.frame) {
        content.push_text(app.theme, Role::Plain, &sentence, columns);
    }
    content
}

/// One of the partitions of a step.
struct Side<'a> {
    head: &'a str,
    partition: &'a Partition,
    /// The partition that it came from.
    before: Option<&'a Partition>,
}

fn block_rows(
    app: &App,
    explanation: &Explanation,
    content: &mut Content,
    side: &Side<'_>,
    (columns, boxed): (usize, bool),
) {
    let Side {
        head,
        partition,
        before,
    } = *side;
    let texts: Vec<Vec<String>> = partition
        .iter()
        .map(|block| {
            block
                .iter()
                .map(|m| member_text(app, explanation, *m))
                .collect()
        })
        .collect();
    let new = |at: usize| before.is_some_and(|before| !before.contains(&partition[at]));
    let room = columns.saturating_sub(9);
    let low = texts.iter().map(Vec::len).max().unwrap_or(0) <= 4;
    let total: usize = texts.iter().map(|block| box_width(block) + 1).sum();
    if boxed && low && total <= room {
        for (at, line) in boxes(&texts, new).into_iter().enumerate() {
            let head = if at == 0 { head } else { "" };
            let row = Row::new(app.theme).add(Role::Strong, format!(" {}", pad(head, 8)));
            content.push(row.plain(line));
        }
        return;
    }
    for (at, block) in texts.iter().enumerate() {
        let mark = if new(at) { "*" } else { " " };
        let text = format!("{{{}}}", block.join(", "));
        for (nth, line) in wrap(&text, columns.saturating_sub(16))
            .into_iter()
            .enumerate()
        {
            let head = if at == 0 && nth == 0 { head } else { "" };
            let name = match nth {
                0 => format!("{mark}S{}", at + 1),
                _ => String::new(),
            };
            let role = if new(at) { Role::Changed } else { Role::Plain };
            let row = Row::new(app.theme).add(Role::Strong, format!(" {}", pad(head, 7)));
            content.push(row.add(role, format!("{} {line}", pad(&name, 4))));
        }
    }
}

fn member_text(app: &App, explanation: &Explanation, member: usize) -> String {
    let text = explanation.components.get(member).map(compact);
    let mark = if member == app.orbit.component {
        "*"
    } else {
        ""
    };
    format!("{mark}{}", text.unwrap_or_default())
}

fn box_width(block: &[String]) -> usize {
    block.iter().map(|t| width(t)).max().unwrap_or(0) + 4
}

/// Boxes side by side: names, upper border, members, lower border.
fn boxes(blocks: &[Vec<String>], new: impl Fn(usize) -> bool) -> Vec<String> {
    let deep = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = vec![String::new(); deep + 3];
    for (at, block) in blocks.iter().enumerate() {
        let inner = box_width(block) - 2;
        let edge = format!("+{}+ ", "-".repeat(inner));
        let name = format!("S{}{}", at + 1, if new(at) { " new" } else { "" });
        lines[0] += &pad(&name, inner + 3);
        lines[1] += &edge;
        for row in 0..=deep {
            lines[row + 2] += &match block.get(row) {
                Some(text) => format!("| {} | ", pad(text, inner - 2)),
                None if row == block.len() => edge.clone(),
                None => " ".repeat(inner + 3),
            };
        }
    }
    lines.iter().map(|l| l.trim_end().to_string()).collect()
}

/// The representative beside the components that became it.
fn result_rows(app: &App, explanation: &Explanation, content: &mut Content, columns: usize) {
    let rep = &explanation.representative;
    content.push(Row::new(app.theme).add(Role::Strong, " component   becomes"));
    let names = Names::new(&explanation.components);
    let targets = Names::new(&rep.components);
    let raw = explanation.components.iter().map(|c| width(&compact(c)));
    let first = raw.max().unwrap_or(0).min(columns / 3);
    let label = (0..explanation.components.len()).map(|c| width(names.of(c)));
    let label = label.max().unwrap_or(0).max(2);
    for (at, component) in explanation.components.iter().enumerate() {
        let to = rep.source.iter().position(|from| *from == at);
        let role = if at == app.orbit.component {
            Role::Focus
        } else {
            Role::Plain
        };
        let text = to.and_then(|to| Some((to, rep.components.get(to)?)));
        let text = text.map(|(to, c)| format!("{} {}", pad(targets.of(to), label), compact(c)));
        let line = format!(
            " {} {}  ->  {}",
            pad(names.of(at), label),
            pad(&compact(component), first),
            text.unwrap_or_default()
        );
        content.push_target(Row::new(app.theme).add(role, fit(&line, columns)), at);
    }
    content.push(Row::new(app.theme));
}
