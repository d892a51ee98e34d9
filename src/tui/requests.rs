//! Requests to the engine.

use super::app::{App, Effect};
use crate::animate::worker::Request;

/// Asks unless the answer is under way.
pub fn ask(app: &mut App, request: Request) -> Option<Effect> {
    if app.pending.contains(&request) {
        return None;
    }
    app.pending.push(request.clone());
    Some(Effect::Ask(request))
}

/// Asks for a process to be opened, unless it is being opened.
pub fn open(app: &mut App, process: &str) -> Vec<Effect> {
    let request = Request::Open(process.to_string());
    ask(app, request).into_iter().collect()
}
