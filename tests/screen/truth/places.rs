//! Where a place of the history is in the raw system.

use std::collections::BTreeMap;

use orbitscope::animate::history::{HistoryId, Origin};
use orbitscope::animate::session::Session;

use crate::net::State;
use crate::oracle::Oracle;

/// The raw states that the steps of the history to a place may lead to.
pub(super) fn raw_states(
    oracle: &mut Oracle,
    places: &mut BTreeMap<HistoryId, Vec<State>>,
    session: &Session,
    place: HistoryId,
) {
    if places.contains_key(&place) {
        return;
    }
    let node = session.history.node(place);
    let states = match (&node.origin, node.parent) {
        (Origin::Step(taken), Some(parent)) => {
            let mut states: Vec<State> = Vec::new();
            for before in places.get(&parent).cloned().unwrap_or_default() {
                oracle.pass(&before);
                for ((kind, event, _), after) in oracle.raw.steps(&before).unwrap_or_default() {
                    let same = event.split_whitespace().eq(taken.event.split_whitespace());
                    let kinds = kind == taken.kind || taken.kind == Default::default();
                    if same && kinds && !states.contains(&after) {
                        states.push(after);
                    }
                }
            }
            states
        }
        // Nobody says that a state that was renamed by hand can be reached.
        (Origin::Renamed(_), _) => Vec::new(),
        _ => vec![oracle.raw.initial()],
    };
    places.insert(place, states);
}
