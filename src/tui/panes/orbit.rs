//! The steps of the algorithm and the ordered partition before and after each.

use super::{Content, result, strategy, why};
use crate::animate::model::{ChoiceMark, Explanation, StepView, TypeOrdering};
use crate::animate::sentences::{self, ComponentNames, compact};
use crate::symmetry::trace::{BlockList, Step};
use crate::tui::app::App;
use crate::tui::text::{Row, fit, pad, width, wrap};
use crate::tui::theme::Role;

/// Title and detail of each step, and whether it is a choice.
type StepLine = (String, String, ChoiceMark);

/// The list of steps. Where it is long, only the selected step has its detail, so that progress and legend
/// stay in sight.
#[must_use]
pub fn steps(app: &App, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("Steps");
    let lines: Vec<StepLine> = match (app.other_strategy(), app.explanation()) {
        (Some(told), _) => {
            let steps = told.steps.iter();
            let line = |s: &StepView| (s.title.clone(), s.detail.clone(), s.mark);
            steps.map(line).collect()
        }
        (None, Some(explanation)) if app.orbit.counts() => {
            let headings = sentences::headings(explanation).into_iter();
            headings.map(|h| (h.title, h.detail, h.mark)).collect()
        }
        _ => return content,
    };
    content.right = format!("{}/{}", app.orbit.frame + 1, lines.len());
    let legend = legend(app, columns);
    // All details, an empty line, the bar and the legend.
    let full = 2 * lines.len() + 2 + legend.len() <= rows;
    step_rows(app, &lines, &mut content, (columns, full));
    let bar = bar(app.orbit.frame + 1, lines.len());
    if content.lines.len() + 2 + legend.len() <= rows {
        content.push(Row::new(app.theme));
        content.push(Row::new(app.theme).plain(format!(" {bar}")));
        legend.into_iter().for_each(|row| content.push(row));
    } else {
        let short = [
            ChoiceMark::Forced,
            ChoiceMark::Harmless,
            ChoiceMark::Harmful,
        ];
        let short = short.map(|m| format!("{} {}", m.sign(), m.word()));
        content.footer = short.join(" ");
    }
    content
}

fn legend(app: &App, columns: usize) -> Vec<Row> {
    let marks = [
        ChoiceMark::Forced,
        ChoiceMark::Harmless,
        ChoiceMark::Harmful,
    ];
    let lines = marks.into_iter().flat_map(|mark| {
        let text = format!("{} {}", mark.sign(), mark.meaning());
        wrap(&text, columns.saturating_sub(2))
    });
    lines
        .map(|line| Row::new(app.theme).plain(" ").add(Role::Dim, line))
        .collect()
}

fn step_rows(app: &App, lines: &[StepLine], content: &mut Content, (columns, full): (usize, bool)) {
    for (at, (title, detail, mark)) in lines.iter().enumerate() {
        let chosen = at == app.orbit.frame;
        let role = match (chosen, mark) {
            (true, _) => Role::Selected,
            (false, ChoiceMark::Harmful) => Role::Choice,
            (false, ChoiceMark::Forced | ChoiceMark::Harmless) => Role::Plain,
        };
        let pointer = if chosen { ">" } else { " " };
        let title = format!("{pointer}{:>2}{} {title}", at + 1, mark.sign());
        content.push_target(Row::new(app.theme).add(role, fit(&title, columns)), at);
        if chosen {
            // The line of the detail, so that both lines stay in sight.
            content.at = Some(content.lines.len());
        }
        if full || chosen {
            let detail = fit(detail, columns.saturating_sub(6));
            let row = Row::new(app.theme).plain("      ");
            content.push_target(row.add(Role::Dim, detail), at);
        }
    }
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
    // The rows of the table stand in the order of the partition that was counted.
    let partition = before.or(after);
    partition.map_or_else(|| explanation.trace.order.clone(), |p| p.concat())
}

/// The partitions before and after a step, where it has them.
fn partitions(explanation: &Explanation, frame: usize) -> (Option<&BlockList>, Option<&BlockList>) {
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
    if !app.orbit.counts() {
        return strategy::build(app, columns);
    }
    // How high it is shows only once it was built.
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
    let names = ComponentNames::new(&explanation.components);
    content.right = format!("focus: {}", names.of(app.orbit.component));
    content.footer = match app.orbit.order {
        TypeOrdering::Appearance => strategy::compared(app),
        TypeOrdering::IdentitiesFirst => {
            format!("types: identities first (Y); {}", strategy::compared(app))
        }
    };
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
    // The steps after the last partition: order, types, permutation.
    if before.is_none() && after.is_none() {
        result::rows(app, explanation, &mut content, columns);
    } else {
        for sentence in sentences::sentences(explanation, app.orbit.frame) {
            content.push_text(app.theme, Role::Plain, &sentence, columns);
        }
    }
    content
}

/// One of the partitions of a step.
struct Side<'a> {
    head: &'a str,
    partition: &'a BlockList,
    /// The partition that it came from.
    before: Option<&'a BlockList>,
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
    // The parts of a block that was split are not among the blocks before.
    let new = |at: usize| before.is_some_and(|before| !before.contains(&partition[at]));
    let room = columns.saturating_sub(9);
    // Boxes are as high as the block with the most members; above that a list reads better.
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
        // One row more than members, for the lower edge of the highest box.
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
