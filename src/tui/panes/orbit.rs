//! The steps of the algorithm and the ordered partition before and after each.

use super::{Content, result, strategy, why};
use crate::animate::model::{ChoiceMark, Explanation, StepView, TypeOrdering};
use crate::animate::sentences::{self, ComponentNames, compact};
use crate::app::App;
use crate::symmetry::trace::{BlockList, Step};
use crate::text::{Row, fit, pad, width, wrap};
use crate::theme::Role;

/// Title and detail of each step, and whether it is a choice.
type StepLine = (String, String, ChoiceMark);

/// The list of steps. Where it is long, only the selected step has its detail, so that progress and legend stay
/// visible.
#[must_use]
pub fn steps(app: &App, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("Steps");
    let lines: Vec<StepLine> = match (app.other_strategy(), app.explanation()) {
        (Some(view), _) => {
            let steps = view.steps.iter();
            let line = |s: &StepView| (s.title.clone(), s.detail.clone(), s.mark);
            steps.map(line).collect()
        }
        (None, Some(explanation)) if app.orbit.counts() => {
            let headings = sentences::headings(explanation).into_iter();
            headings.map(|h| (h.title, h.detail, h.mark)).collect()
        }
        _ => return content,
    };
    let (at, of) = (app.orbit.frame + 1, lines.len());
    content.right = format!("{at}/{of}");
    let legend = legend(app, columns);
    // With all details, an empty line, the bar and the legend.
    let full = 2 * lines.len() + 2 + legend.len() <= rows;
    step_rows(app, &lines, &mut content, columns, full);
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
        // The bar, too, stays in sight.
        if columns >= 24 {
            content.right = format!("{} {at}/{of}", bar_of(10, at, of));
        }
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

fn step_rows(app: &App, lines: &[StepLine], content: &mut Content, columns: usize, full: bool) {
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

/// A progress bar, as `[#####.....]`.
#[must_use]
pub fn bar(at: usize, of: usize) -> String {
    bar_of(20, at, of)
}

/// A progress bar of so many columns between its ends.
#[must_use]
pub fn bar_of(length: usize, at: usize, of: usize) -> String {
    let full = (length * at / of.max(1)).min(length);
    format!("[{}{}]", "#".repeat(full), ".".repeat(length - full))
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
    // The height is known only once it was built.
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
    if let Some((before, after)) = before.zip(after).filter(|_| boxed)
        && let Some(lines) = joined(app, explanation, before, after, columns)
    {
        lines.into_iter().for_each(|row| content.push(row));
    } else {
        sides(app, explanation, &mut content, columns, boxed);
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

/// Both partitions of a step as boxes, with lines from each block that splits to its parts; `None` if there is no
/// room for them.
fn joined(
    app: &App,
    explanation: &Explanation,
    before: &BlockList,
    after: &BlockList,
    columns: usize,
) -> Option<Vec<Row>> {
    let above = Boxes::new(app, explanation, before, |_| false);
    let below = Boxes::new(app, explanation, after, |at| !before.contains(&after[at]));
    let room = columns.saturating_sub(9);
    if !above.fit(room) || !below.fit(room) {
        return None;
    }
    let splits = |at: usize| !after.contains(&before[at]);
    let parents: Vec<usize> = (0..before.len()).filter(|at| splits(*at)).collect();
    let mut texts = above.lines(splits);
    let heads = texts.len();
    // One line for each block that splits; the lines of those before go through it.
    let mut stems: Vec<usize> = parents.iter().map(|at| above.centre(*at)).collect();
    let mut parts: Vec<usize> = Vec::new();
    for parent in &parents {
        let own = stems.remove(0);
        let its = (0..after.len()).filter(|at| {
            let first = after[*at].first();
            first.is_some_and(|member| before[*parent].contains(member))
        });
        let its: Vec<usize> = its.map(|at| below.centre(at)).collect();
        texts.push(junction(own, &its, &[&stems[..], &parts[..]].concat()));
        parts.extend(its);
    }
    texts.push(junction_free(&parts));
    let second = texts.len();
    texts.extend(below.lines(|_| false));
    let head = |at: usize| match at {
        0 => "before",
        at if at == second => "after",
        _ => "",
    };
    let row = |(at, line): (usize, String)| {
        let row = Row::new(app.theme).add(Role::Strong, format!(" {}", pad(head(at), 8)));
        if (heads..second).contains(&at) {
            row.add(Role::Dim, line)
        } else {
            row.plain(line)
        }
    };
    Some(texts.into_iter().enumerate().map(row).collect())
}

/// The line from a block to its parts, with the lines that pass it.
fn junction(own: usize, parts: &[usize], others: &[usize]) -> String {
    let all = || parts.iter().chain([&own]);
    let (from, to) = (all().min(), all().max());
    let (from, to) = (*from.unwrap_or(&own), *to.unwrap_or(&own));
    let end = others.iter().copied().chain([to]).max().unwrap_or(to);
    let sign = |at: usize| match (all().any(|x| *x == at), others.contains(&at)) {
        (true, _) => '+',
        (false, true) => '|',
        (false, false) if (from..=to).contains(&at) => '-',
        (false, false) => ' ',
    };
    (0..=end).map(sign).collect()
}

/// A line on which everything goes straight down.
fn junction_free(parts: &[usize]) -> String {
    let end = parts.iter().max().map_or(0, |at| at + 1);
    let sign = |at: usize| if parts.contains(&at) { '|' } else { ' ' };
    (0..end).map(sign).collect()
}

/// The partitions of a step, one above the other.
fn sides(app: &App, explanation: &Explanation, content: &mut Content, columns: usize, boxed: bool) {
    let (before, after) = partitions(explanation, app.orbit.frame);
    let sides = [("before", before, None), ("after", after, before)];
    for (head, partition, origin) in sides {
        let Some(partition) = partition else {
            continue;
        };
        let side = Side {
            head,
            partition,
            before: origin,
            after: after.filter(|_| origin.is_none()),
        };
        block_rows(app, explanation, content, &side, columns, boxed);
        if boxed {
            content.push(Row::new(app.theme));
        }
    }
}

/// One of the partitions of a step.
struct Side<'a> {
    head: &'a str,
    partition: &'a BlockList,
    /// The partition that it came from.
    before: Option<&'a BlockList>,
    /// The partition that comes of it.
    after: Option<&'a BlockList>,
}

fn block_rows(
    app: &App,
    explanation: &Explanation,
    content: &mut Content,
    side: &Side<'_>,
    columns: usize,
    boxed: bool,
) {
    let Side {
        head,
        partition,
        before,
        after,
    } = *side;
    // The parts of a block that was split are not among the blocks before.
    let new = |at: usize| before.is_some_and(|before| !before.contains(&partition[at]));
    let drawn = Boxes::new(app, explanation, partition, new);
    if boxed && drawn.fit(columns.saturating_sub(9)) {
        for (at, line) in drawn.lines(|_| false).into_iter().enumerate() {
            let head = if at == 0 { head } else { "" };
            let row = Row::new(app.theme).add(Role::Strong, format!(" {}", pad(head, 8)));
            content.push(row.plain(line));
        }
        return;
    }
    let texts = drawn.blocks;
    // The block of origin, or that it splits: the texts that replace lines where there is no room for boxes.
    let origin = |at: usize| {
        let first = partition[at].first()?;
        let from = before.filter(|_| new(at))?.iter();
        let from = from.enumerate().find(|(_, block)| block.contains(first))?.0;
        Some(format!("   part of S{}", from + 1))
    };
    let splits = |at: usize| after.is_some_and(|after| !after.contains(&partition[at]));
    for (at, block) in texts.iter().enumerate() {
        let mark = if new(at) { "*" } else { " " };
        let text = format!("{{{}}}", block.join(", "));
        let note = match splits(at) {
            true => "   <- splits".to_string(),
            false => origin(at).unwrap_or_default(),
        };
        let lines = wrap(&text, columns.saturating_sub(16));
        let last = lines.len().saturating_sub(1);
        for (nth, line) in lines.into_iter().enumerate() {
            let head = if at == 0 && nth == 0 { head } else { "" };
            let name = match nth {
                0 => format!("{mark}S{}", at + 1),
                _ => String::new(),
            };
            let role = if new(at) { Role::Changed } else { Role::Plain };
            let row = Row::new(app.theme).add(Role::Strong, format!(" {}", pad(head, 7)));
            let row = row.add(role, format!("{} {line}", pad(&name, 4)));
            let fits = row.width() + width(&note) <= columns;
            let note = if nth == last && fits { &note } else { "" };
            content.push(row.add(Role::Dim, note));
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

/// Blocks that are drawn side by side.
struct Boxes {
    /// The texts of their members.
    blocks: Vec<Vec<String>>,
    /// The texts in the upper edges.
    names: Vec<String>,
}

impl Boxes {
    fn new(
        app: &App,
        explanation: &Explanation,
        partition: &BlockList,
        new: impl Fn(usize) -> bool,
    ) -> Self {
        let texts = |block: &Vec<usize>| {
            let texts = block.iter().map(|m| member_text(app, explanation, *m));
            texts.collect()
        };
        let name = |at| format!("S{}{}", at + 1, if new(at) { " new" } else { "" });
        Self {
            blocks: partition.iter().map(texts).collect(),
            names: (0..partition.len()).map(name).collect(),
        }
    }

    /// Columns of a box, with its edges.
    fn width(&self, at: usize) -> usize {
        let texts = self.blocks[at].iter().map(|t| width(t)).max();
        texts.unwrap_or(0).max(width(&self.names[at]) + 2) + 4
    }

    /// The column of the middle of a box.
    fn centre(&self, at: usize) -> usize {
        let before: usize = (0..at).map(|at| self.width(at) + 1).sum();
        before + self.width(at) / 2
    }

    /// Whether there is room. Boxes are as high as the block with the most members; above that a list reads better.
    fn fit(&self, room: usize) -> bool {
        let low = self.blocks.iter().all(|block| block.len() <= 4);
        let total: usize = (0..self.blocks.len()).map(|at| self.width(at) + 1).sum();
        low && total <= room
    }

    /// Upper edges with names, members, lower edges; below a box that is lower than others a line goes on down
    /// if it is asked for.
    fn lines(&self, goes_on: impl Fn(usize) -> bool) -> Vec<String> {
        let deep = self.blocks.iter().map(Vec::len).max().unwrap_or(0);
        let mut lines = vec![String::new(); deep + 2];
        for (at, block) in self.blocks.iter().enumerate() {
            let wide = self.width(at);
            let name = format!("+- {} ", self.names[at]);
            let rest = (wide - 1).saturating_sub(width(&name));
            lines[0] += &format!("{name}{}+ ", "-".repeat(rest));
            // One row more than members, for the lower edge of the highest box.
            for row in 0..=deep {
                lines[row + 1] += &match block.get(row) {
                    Some(text) => format!("| {} | ", pad(text, wide - 4)),
                    None if row == block.len() => format!("+{}+ ", "-".repeat(wide - 2)),
                    None if goes_on(at) => {
                        let half = wide / 2;
                        format!("{}|{}", " ".repeat(half), " ".repeat(wide - half))
                    }
                    None => " ".repeat(wide + 1),
                };
            }
        }
        lines.iter().map(|l| l.trim_end().to_string()).collect()
    }
}
