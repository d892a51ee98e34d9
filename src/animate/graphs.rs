//! Pictures of processes: all states that the animator can reach, up to some bound.

use std::time::Instant;

use super::engine::ScriptEngine;
use super::model::ErrorText;
use super::picture::{PictureForm, PictureRequest, PictureText};
use crate::lab::explore::{GraphBounds, GraphKind, explore};
use crate::report::graph::{self, GraphView, SVG_VERTICES_MAX, made};
use crate::report::numbers::thousands;
use crate::report::words;
use crate::source::{Budget, Stop};

/// Vertices of a file that is made from the screen, but for an SVG.
const STATES_MAX: usize = 10_000;

/// Exploring takes one part of the time that there is, of so many: to put a graph into words and to write it takes some
/// times as long.
const PARTS: u32 = 6;

/// The limits of exploring: a graph that is cut at one has still to be written.
fn exploring(budget: &Budget) -> Budget {
    let mut exploring = budget.clone();
    if let Some(end) = budget.limits.deadline {
        let left = end.saturating_duration_since(Instant::now());
        exploring.limits = exploring.limits.with_timeout(left / PARTS);
    }
    exploring
}

/// Why a picture is not written although it was explored.
#[must_use]
pub fn unwritten(stop: Stop) -> String {
    format!(
        "{} while the picture was written: cut it with --max-states or --depth",
        words::stop_text(stop)
    )
}

impl ScriptEngine {
    /// Explores a process and puts the graph into words. A limit on time or memory leaves a part of it, which
    /// says so.
    ///
    /// # Errors
    /// There is no such process, it cannot be evaluated, or a limit was reached before the first state.
    pub fn graph(
        &self,
        process: &str,
        kind: GraphKind,
        bounds: GraphBounds,
    ) -> Result<GraphView, ErrorText> {
        self.with_process(process, |loaded, expr| {
            let explored = explore(loaded, expr, kind, bounds, &exploring(&self.budget));
            let explored = explored.map_err(|d| words::error_text(&d, &loaded.sources))?;
            Ok(made(process, kind, explored, loaded, &self.budget))
        })
    }

    /// The graph of a process as the text of a file.
    ///
    /// # Errors
    /// The errors of [`Self::open`], and pictures that cannot be drawn in this form.
    pub fn picture(&self, asked: &PictureRequest) -> Result<PictureText, ErrorText> {
        let kind = if asked.full {
            GraphKind::Full
        } else {
            GraphKind::Quotient
        };
        let states = match asked.form {
            PictureForm::Svg => SVG_VERTICES_MAX,
            _ => STATES_MAX,
        };
        let bounds = GraphBounds {
            depth: usize::MAX,
            states,
        };
        let view = self.graph(&asked.process, kind, bounds)?;
        if asked.form == PictureForm::Svg && view.cut().states {
            return Err(ErrorText::line(format!(
                "there are more than {} states, which no SVG shows readably: take another format",
                thousands(SVG_VERTICES_MAX as u128)
            )));
        }
        let text = match asked.form {
            PictureForm::Dot => graph::dot(&view),
            PictureForm::Graphml => graph::graphml(&view),
            PictureForm::Json => graph::json(&view),
            PictureForm::Svg => graph::svg(&view).map_err(ErrorText::line)?,
            PictureForm::Aut => {
                let text = graph::aut(&view);
                text.ok_or_else(|| ErrorText::line(".aut has no place for a map"))?
            }
        };
        if let Some(stop) = view.watch.stopped() {
            return Err(ErrorText::line(unwritten(stop)));
        }
        let vertices = view.parts().map(|(_, part)| part.vertices.len()).sum();
        Ok(PictureText {
            text,
            vertices,
            is_whole: view.is_complete(),
        })
    }
}
