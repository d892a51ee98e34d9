//! An assertion with reduction and without it: figures side by side, the factor, and the sum of the orbits.

use super::Content;
use crate::animate::model::TwoRuns;
use crate::app::App;
use crate::facts;
use crate::paired::PairStage;
use crate::report::both_document::BothSoFar;
use crate::report::numbers::thousands;
use crate::text::Row;
use crate::theme::Role;

/// The sections above the bars.
const FIGURES: [&str; 3] = ["figures", "sum", "group"];

/// The two runs of the selected assertion.
#[must_use]
pub fn both(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Reduced against unreduced");
    let Some(pair) = facts::pair(app) else {
        let text = "b checks the selected assertion with reduction and without it.";
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    let number = facts::selected_number(app).unwrap_or_default();
    content.title = format!("Reduced against unreduced  #{number}");
    match &pair.stage {
        PairStage::Reduced => {
            let text = "With reduction first, counting what each representative stands for; then \
                        without. X cancels both.";
            content.push_text(app.theme, Role::Plain, text, columns);
        }
        PairStage::Unreduced(reduced, so_far) => {
            let both = BothSoFar {
                reduced,
                progress: so_far,
                unreduced: None,
            };
            content.push_parts(app.theme, both.document().parts(&FIGURES), columns);
            bars(app, &both, &mut content, columns);
            let waiting = thousands(so_far.frontier.into());
            let text = format!(
                "Without reduction: ply {}, {waiting} waiting. X ends it.",
                so_far.ply
            );
            content.push_text(app.theme, Role::Strong, &text, columns);
        }
        PairStage::Over(reduced, runs) => {
            let document = runs.document(reduced);
            content.push_parts(app.theme, document.parts(&FIGURES), columns);
            if let TwoRuns::Compared { unreduced, .. } = &**runs {
                let both = BothSoFar {
                    reduced,
                    progress: &unreduced.progress,
                    unreduced: Some(unreduced),
                };
                bars(app, &both, &mut content, columns);
            }
            content.push_parts(app.theme, document.parts(&["sentences"]), columns);
        }
    }
    content
}

/// A bar for each run, by the logarithm of its number of states.
fn bars(app: &App, both: &BothSoFar<'_>, content: &mut Content, columns: usize) {
    let one = both.reduced.progress.states as f64;
    // The sum of the orbits is known before the other run is complete, if it ever is.
    let (all, by_orbits) = both.all_states();
    let room = columns.saturating_sub(29);
    // A smaller bar is no picture.
    if all < 2.0 || one < 1.0 || room < 8 {
        return;
    }
    let most = all.max(one).ln();
    let why = if by_orbits { " by orbits" } else { "" };
    for (name, states, why) in [("unreduced", all, why), ("reduced", one, "")] {
        let length = (states.max(1.0).ln() / most * room as f64).round() as usize;
        let row = Row::new(app.theme)
            .add(Role::Dim, format!(" {name:<10}"))
            .plain("#".repeat(length.clamp(1, room)))
            .add(Role::Dim, format!(" {states:.1e}{why}"));
        content.push(row);
    }
}
