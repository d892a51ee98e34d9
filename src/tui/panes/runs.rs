//! The runs of a strategy on two states side by side, and the results of other picks.

use super::Content;
use crate::animate::comparison::{PicksView, RelationView};
use crate::animate::model::{
    AskedStrategy, Explanation, StateComparison, StrategyKind, TypeOrdering,
};
use crate::animate::sentences::{Heading, compact};
use crate::app::App;
use crate::comparing::WhichSide;
use crate::facts;
use crate::report::numbers::{counted, thousands};
use crate::symmetry::StructuralKind;
use crate::symmetry::trace::Step;
use crate::text::{Row, fit, pad, width, wrap};
use crate::theme::Role;

/// The number of steps of the longer run.
#[must_use]
pub fn count(app: &App) -> usize {
    let steps = |side| match facts::run_of(app, side) {
        Some(Ok(run)) => run.len(),
        _ => 0,
    };
    steps(WhichSide::A).max(steps(WhichSide::B))
}

/// The record of `ordering` on A, if that is the strategy.
fn ordering_on_a(app: &App) -> Option<&Explanation> {
    let state = app.compare.of(WhichSide::A)?.state;
    let session = app.session.as_ref()?;
    let run = session.explanation(state, TypeOrdering::Appearance)?;
    run.as_ref().ok().map(AsRef::as_ref)
}

/// The sign for whether a step of `ordering` has the same result in both runs.
fn sign(found: &StateComparison, run: &Explanation, step: usize) -> &'static str {
    if found.relation == RelationView::Same {
        return "=";
    }
    let Some(parting) = &found.parting else {
        // The runs were not compared.
        return " ";
    };
    let Some(at) = parting.step else {
        return "=";
    };
    let is_arbitrary = matches!(parting.word, "choice" | "tie");
    match step.cmp(&at) {
        std::cmp::Ordering::Less => "=",
        std::cmp::Ordering::Equal if is_arbitrary => "!",
        std::cmp::Ordering::Equal => "#",
        std::cmp::Ordering::Greater => match run.trace.steps.get(step) {
            // Values that had the same names up to the permutation would make one representative.
            Some(Step::Types | Step::Generated)
                if is_arbitrary && found.a.representative != found.b.representative =>
            {
                "#"
            }
            Some(Step::Types | Step::Generated | Step::Tie { .. }) | None => " ",
            // Partitions only get finer: the permutation does not take any later one to the other.
            Some(_) if parting.word == "choice" => "#",
            Some(_) => " ",
        },
    }
}

/// Whether the runs are those of `ordering`, which are compared step by step.
fn is_ordering(found: &StateComparison) -> bool {
    found.strategy == AskedStrategy::Values(StrategyKind::Ordering)
}

/// Whether nothing is ordered or picked, so that there are no runs and no other picks.
#[must_use]
pub fn has_none(app: &App) -> bool {
    let of_structure =
        |found: &StateComparison| matches!(found.strategy, AskedStrategy::Structure(_));
    matches!(facts::compared(app), Some(Ok(found)) if of_structure(found))
}

/// The steps of both runs.
#[must_use]
pub fn side_by_side(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Side by side");
    let found = match facts::compared(app) {
        Some(Ok(found)) => found,
        Some(Err(_)) => {
            content.push_text(app.theme, Role::Dim, "The runs are not compared.", columns);
            return content;
        }
        None => return content,
    };
    if let AskedStrategy::Structure(kind) = found.strategy {
        content.push_text(app.theme, Role::Dim, no_runs(kind), columns);
        return content;
    }
    let [left, right] = match [WhichSide::A, WhichSide::B].map(|side| facts::run_of(app, side)) {
        [Some(Ok(a)), Some(Ok(b))] => [a, b],
        [Some(Err(failure)), _] | [_, Some(Err(failure))] => {
            let text = format!("A run could not be told: {}", failure.summary);
            content.push_text(app.theme, Role::Fail, &text, columns);
            return content;
        }
        _ => {
            content.push_text(app.theme, Role::Dim, "computing ...", columns);
            return content;
        }
    };
    head(app, found, &mut content, columns);
    let half = half(columns);
    let run = ordering_on_a(app).filter(|_| is_ordering(found));
    for step in 0..left.len().max(right.len()) {
        let pair = (left.get(step), right.get(step));
        let sign = match run {
            Some(run) => sign(found, run, step),
            // The marks of the steps themselves.
            None => pair.0.or(pair.1).map_or(" ", |heading| heading.mark.sign()),
        };
        step_rows(app, sign, pair, (step, half), &mut content);
    }
    content
}

/// The width of the steps of one run.
fn half(columns: usize) -> usize {
    columns.saturating_sub(5) / 2
}

/// Writes where the runs part, the legend, and the names of the two states.
fn head(app: &App, found: &StateComparison, content: &mut Content, columns: usize) {
    content.right = match &found.parting {
        _ if !is_ordering(found) => format!("by {}", found.strategy.name().unwrap_or_default()),
        Some(parting) => match parting.step {
            Some(step) => format!("the runs part at step {}", step + 1),
            None => "the runs do not part".to_string(),
        },
        None if found.relation == RelationView::Same => "one run".to_string(),
        None => "not compared".to_string(),
    };
    content.footer = match facts::witness(found) {
        _ if !is_ordering(found) => ". forced  = any  ! matters".to_string(),
        Some(_) if found.relation.word() == "same-orbit" => {
            "= same up to names  ! choice  # differs".to_string()
        }
        _ => "= comes out alike  # differs".to_string(),
    };
    content.frozen = 1;
    let half = half(columns);
    let head = |side, name: &str| {
        if app.compare.side == side {
            pad(&format!("[{name}]"), half)
        } else {
            pad(&format!(" {name} "), half)
        }
    };
    let row = Row::new(app.theme).plain("     ");
    let row = row.add(Role::Strong, head(WhichSide::A, "A"));
    content.push(row.add(Role::Strong, head(WhichSide::B, "B")));
}

/// Adds two lines for a step: its title, and its results in A and in B.
fn step_rows(
    app: &App,
    sign: &str,
    (a, b): (Option<&Heading>, Option<&Heading>),
    (step, half): (usize, usize),
    content: &mut Content,
) {
    let chosen = step == app.compare.step;
    let role = match (chosen, sign) {
        (true, _) => Role::Selected,
        (false, "!") => Role::Choice,
        _ => Role::Plain,
    };
    let pointer = if chosen { ">" } else { " " };
    let title = |of: Option<&Heading>| of.map_or(String::new(), |h| h.title.clone());
    let start = format!("{pointer}{:>2}{sign} ", step + 1);
    let titles = if title(a) == title(b) {
        fit(&title(a), 2 * half)
    } else {
        pad(&fit(&title(a), half.saturating_sub(1)), half) + &fit(&title(b), half)
    };
    let row = Row::new(app.theme).add(role, start + &titles);
    content.push_target(row, step);
    if chosen {
        // The second line, so that both stay in sight.
        content.at = Some(content.lines.len());
    }
    let detail = |of: Option<&Heading>| {
        let text = of.map_or("no such step", |h| h.detail.as_str());
        pad(&fit(text, half.saturating_sub(1)), half)
    };
    let side = |side| {
        if chosen && app.compare.side == side {
            Role::Focus
        } else {
            Role::Dim
        }
    };
    let row = Row::new(app.theme).plain("     ");
    let row = row.add(side(WhichSide::A), detail(a));
    content.push_target(row.add(side(WhichSide::B), detail(b)), step);
}

/// Said where the symmetry was found in the structure of the network.
fn no_runs(kind: StructuralKind) -> &'static str {
    match kind {
        StructuralKind::Local => {
            "No component is ordered and nothing is picked here: components are permuted by a group that was \
             found in the structure of the network, and the representative is an image that no step of the \
             strategy makes less."
        }
        StructuralKind::Structure | StructuralKind::Chain | StructuralKind::Enumerate => {
            "No component is ordered and nothing is picked here: components are permuted by a group that was \
             found in the structure of the network, and the representative is the least state of its orbit."
        }
    }
}

/// Said of strategies other than `ordering`.
const NO_PICKS: &str = "Other picks are tried for strategy ordering alone (A goes to it).";

/// The results of other picks of step 3.
#[must_use]
pub fn what_if(app: &App, columns: usize) -> Content {
    let mut content = Content::new("If step 3 had picked otherwise");
    let Some(Ok(found)) = facts::compared(app) else {
        return content;
    };
    let picks = &found.picks;
    if !is_ordering(found) {
        content.push_text(app.theme, Role::Dim, NO_PICKS, columns);
        return content;
    }
    let all: usize = picks.outcomes.iter().map(|(_, count)| *count).sum();
    let say = |content: &mut Content, role, text: &str| {
        content.push_text(app.theme, role, text, columns);
    };
    content.right = if picks.complete {
        counted(all as u64, "way")
    } else {
        format!("{} ways, and more", thousands(all as u128))
    };
    match (picks.outcomes.len(), all) {
        (0 | 1, 0 | 1) if picks.complete => {
            let text = "In state A nothing was arbitrary that can change the representative.";
            say(&mut content, Role::Plain, text);
            return content;
        }
        (0 | 1, _) => {
            let every = if picks.complete {
                "Every"
            } else {
                "Every tried"
            };
            let text = format!("{every} way to pick in state A leads to one representative:");
            say(&mut content, Role::Plain, &text);
        }
        (n, _) => {
            let text = format!("In state A the picks lead to {n} representatives:");
            say(&mut content, Role::Plain, &text);
        }
    }
    outcome_rows(app, found, picks, all, &mut content, columns);
    if picks.outcomes.len() > 1 {
        content.push(Row::new(app.theme));
        let text = "What makes it unique: strategy exact, which does not depend on picks (--rep exact); or \
                    a component that tells apart what step 3 picks from.";
        say(&mut content, Role::Dim, text);
    }
    content
}

/// The representatives, each with the number of ways that lead to it, and its picks.
fn outcome_rows(
    app: &App,
    found: &StateComparison,
    picks: &PicksView,
    all: usize,
    content: &mut Content,
    columns: usize,
) {
    let of = |count: usize| {
        if picks.complete {
            format!("{} of {}", thousands(count as u128), thousands(all as u128))
        } else {
            format!("{} ways", thousands(count as u128))
        }
    };
    let head = picks.outcomes.iter().map(|(_, count)| width(&of(*count)));
    let head = head.max().unwrap_or(0);
    let same_orbit = matches!(
        found.relation,
        RelationView::SameOrbit(_) | RelationView::Same
    );
    for (at, (way, count)) in picks.outcomes.iter().enumerate() {
        content.push(Row::new(app.theme));
        let texts: Vec<String> = way.representative.iter().map(compact).collect();
        let mut start = of(*count);
        for line in wrap(&texts.join(" "), columns.saturating_sub(head + 4)) {
            let row = Row::new(app.theme).add(Role::Strong, format!(" {}  ", pad(&start, head)));
            content.push(row.plain(line));
            // The number stands beside the first line only.
            start.clear();
        }
        let is_b = same_orbit && way.representative == found.b.representative;
        let whose = match (at == 0, is_b) {
            (true, true) => "state A and state B get this; ",
            (true, false) => "state A gets this; ",
            (false, true) => "state B gets this; ",
            (false, false) => "",
        };
        let text = format!("{whose}as by {}", way.picks.join(", "));
        for line in wrap(&text, columns.saturating_sub(head + 4)) {
            let row = Row::new(app.theme).plain(format!(" {}  ", pad("", head)));
            content.push(row.add(Role::Dim, line));
        }
    }
}
