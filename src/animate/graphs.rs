//! Pictures of processes: all of what the animator would come to, up to some bound.

use super::engine::ScriptEngine;
use super::model::ErrorText;
use crate::check::explore::{GraphBounds, GraphKind, explore};
use crate::report::graph::{GraphView, made};
use crate::report::words;

impl ScriptEngine {
    /// Explores a process and puts the graph into words. A limit on time or memory leaves a part of it, which
    /// says so.
    ///
    /// # Errors
    /// That there is no such process, an evaluation error, or a limit before there is a state.
    pub fn graph(
        &self,
        process: &str,
        kind: GraphKind,
        bounds: GraphBounds,
    ) -> Result<GraphView, ErrorText> {
        self.with_process(process, |loaded, expr| {
            let explored = explore(loaded, expr, kind, bounds, &self.budget);
            let explored = explored.map_err(|d| words::error_text(&d, &loaded.sources))?;
            Ok(made(process, kind, explored, loaded))
        })
    }
}
