//! The counterexample as a table: components are rows, steps are columns, the first column stays.

use super::Content;
use crate::animate::model::{Counterexample, Ending, EventKind};
use crate::tui::app::App;
use crate::tui::facts::counterexample;
use crate::tui::text::{Row, pad, width};
use crate::tui::theme::Role;

/// Columns of the widest cell; longer texts are cut.
const CELL_MAX: usize = 18;

/// The pane: the table from the column on to which it is scrolled.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Counterexample");
    let Some(path) = counterexample(app) else {
        let text = match app.checks.outcome() {
            Some(_) => "There is no counterexample.",
            None => "The counterexample of a failed assertion is shown here.",
        };
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    let number = app.checks.outcome().map_or(0, |o| o.number);
    content.title = format!("Counterexample  #{number}");
    content.right = "names of the unreduced system".to_string();
    content.footer = footer(app);
    let table = table(path, app.checks.visible_only);
    draw(app, &table, &mut content, columns);
    content
}

fn footer(app: &App) -> String {
    let filter = if app.checks.filter.is_empty() {
        String::new()
    } else {
        format!("   rows with /{}", app.checks.filter)
    };
    let events = if app.checks.visible_only {
        "visible events"
    } else {
        "all events"
    };
    format!("{events}   v: visible or all   h/l: steps{filter}")
}

/// Columns of the table on the screen now.
#[must_use]
pub fn columns(app: &App) -> usize {
    counterexample(app).map_or(0, |path| steps(path, app.checks.visible_only).len() + 1)
}

/// The steps that get a column; those between are added to the next one.
fn steps(path: &Counterexample, visible_only: bool) -> Vec<usize> {
    // The last step is the one that goes wrong, so it is shown although it may be a τ.
    let last = path.steps.len().saturating_sub(1);
    (0..path.steps.len())
        .filter(|at| !visible_only || path.steps[*at].kind != EventKind::Tau || *at == last)
        .collect()
}

/// One row: its name and its cells, the first for the initial state.
struct TableLine {
    name: String,
    cells: Vec<String>,
    head: bool,
}

fn table(path: &Counterexample, visible_only: bool) -> Vec<TableLine> {
    let steps = steps(path, visible_only);
    let column = |f: &dyn Fn(usize) -> String| steps.iter().map(|at| f(*at)).collect::<Vec<_>>();
    let visible = |at: usize| {
        if path.steps[at].kind == EventKind::Tau {
            String::new()
        } else {
            path.steps[at].event.clone()
        }
    };
    let hidden = |at: usize| {
        if path.steps[at].kind == EventKind::Tau {
            match path.steps[at].event.as_str() {
                "" => "tau".to_string(),
                event => event.to_string(),
            }
        } else {
            String::new()
        }
    };
    // The first step of the loop: the last `lap` steps can be repeated for ever.
    let door = match path.ending {
        Ending::Divergence { lap, .. } => path.steps.len().saturating_sub(lap),
        _ => path.steps.len(),
    };
    let number = |at: usize| match at < door {
        true => (at + 1).to_string(),
        false => format!("{} loop", at + 1),
    };
    let mut lines = vec![head("step", "0", column(&number))];
    if !visible_only {
        lines.push(head("hidden", "", column(&hidden)));
    }
    lines.push(head("visible", "", column(&visible)));
    if !path.initial_spec.is_empty() {
        lines.push(spec_line(path, &steps));
    }
    // The network may grow on the way: as many rows as it has components at most.
    let rows = path.steps.iter().map(|s| path.components_after(s).len());
    let rows = rows.chain([path.components.len()]).max().unwrap_or(0);
    for component in 0..rows {
        let name = path.components.get(component).map_or("", String::as_str);
        lines.push(component_line(path, &steps, component, name));
    }
    lines
}

fn head(name: &str, first: &str, rest: Vec<String>) -> TableLine {
    let mut cells = vec![first.to_string()];
    cells.extend(rest);
    TableLine {
        name: name.to_string(),
        cells,
        head: true,
    }
}

fn spec_line(path: &Counterexample, steps: &[usize]) -> TableLine {
    let mut now = path.initial_spec.as_str();
    let mut cells = vec![now.to_string()];
    for at in steps {
        cells.push(match path.steps[*at].spec.as_deref() {
            // The specification has no state after this step: it does not allow it.
            None => "X refuses".to_string(),
            Some(spec) if spec == now => ".".to_string(),
            Some(spec) => {
                now = spec;
                spec.to_string()
            }
        });
    }
    TableLine {
        name: "Spec".to_string(),
        cells,
        head: false,
    }
}

fn component_line(
    path: &Counterexample,
    steps: &[usize],
    component: usize,
    name: &str,
) -> TableLine {
    let mut now = path.initial.get(component).map_or("", String::as_str);
    let mut cells = vec![now.replace(", ", ",")];
    let mut from = 0;
    for at in steps {
        // Steps without a column of their own are part of the next one; the last change counts.
        let mut changes = path.steps[from..=*at].iter().flat_map(|s| &s.changes);
        let after = changes.rfind(|(c, _)| *c == component);
        from = at + 1;
        // The network may have changed, and with it what stands in this place.
        let label = path.components_after(&path.steps[*at]).get(component);
        cells.push(match after {
            _ if label.is_none() => "-".to_string(),
            Some((_, text)) if label.is_some_and(|label| label != name) => {
                now = text;
                let label = label.map_or("", String::as_str);
                format!("{label}: {}", text.replace(", ", ","))
            }
            None => ".".to_string(),
            // It took part and is where it was.
            Some((_, text)) if text == now => "*".to_string(),
            Some((_, text)) => {
                now = text;
                text.replace(", ", ",")
            }
        });
    }
    TableLine {
        name: name.to_string(),
        cells,
        head: false,
    }
}

fn passes(line: &TableLine, filter: &str) -> bool {
    let filter = filter.to_lowercase();
    line.head
        || filter.is_empty()
        || line.name.to_lowercase().contains(&filter)
        || line
            .cells
            .iter()
            .any(|c| c.to_lowercase().contains(&filter))
}

fn draw(app: &App, table: &[TableLine], content: &mut Content, columns: usize) {
    let names = table.iter().map(|line| width(&line.name));
    let first = names.max().unwrap_or(0).min(20);
    let cell_width = |at: usize| {
        let cells = table.iter().filter_map(|line| line.cells.get(at));
        cells
            .map(|c| width(c))
            .max()
            .unwrap_or(0)
            .clamp(3, CELL_MAX)
    };
    let count = table.first().map_or(0, |line| line.cells.len());
    // The first column that is shown: names of components stay, steps scroll.
    let from = app.checks.column.min(count.saturating_sub(1));
    for line in table.iter().filter(|line| passes(line, &app.checks.filter)) {
        let name = format!(" {} ", pad(&line.name, first));
        let mut row = Row::new(app.theme).add(Role::Strong, name);
        for (at, text) in line.cells.iter().enumerate().skip(from) {
            let each = cell_width(at);
            if row.width() + each + 2 > columns {
                // A sign that there are more columns, where there is room for it.
                let more = columns.saturating_sub(row.width() + 1);
                row = row.add(Role::Dim, " >".get(..more.min(2)).unwrap_or(""));
                break;
            }
            row = row
                .plain(" ")
                .add(cell_role(line, text), pad(text, each))
                .plain(" ");
        }
        content.push(row);
        // Steps, events and the like stay while the components scroll.
        content.frozen += usize::from(line.head);
    }
}

fn cell_role(line: &TableLine, text: &str) -> Role {
    match text {
        "." => Role::Dim,
        _ if text.starts_with("X ") => Role::Fail,
        _ if line.head => Role::Strong,
        _ => Role::Plain,
    }
}
