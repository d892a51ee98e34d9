//! Answers of the engine that panes show, by their requests.

use super::views::View;
use crate::animate::model::StateId;
use crate::animate::worker::{Reply, Request};

/// Largest number of kept answers of one kind. A dropped one is requested again.
const KEPT_MAX: usize = 16;

/// The answers that came last. A pane says which one it shows (`wanted` in [`crate::panes`]); it is asked for while the
/// pane is visible, and stored here.
#[derive(Debug, Default)]
pub struct Answers {
    /// Requests with their replies, the latest last.
    kept: Vec<(Request, Reply)>,
    /// Requests that were cancelled: they are repeated once the view is left, or the state.
    cancelled: Vec<Request>,
    /// The present state and view.
    here: Option<(Option<StateId>, View)>,
}

impl Answers {
    /// The reply to a request, if it came.
    #[must_use]
    pub fn get(&self, request: &Request) -> Option<&Reply> {
        let mut kept = self.kept.iter().rev();
        let found = kept.find(|(known, _)| known == request);
        found.map(|(_, reply)| reply)
    }

    /// Stores a reply.
    pub fn learn(&mut self, reply: Reply, cancelled: bool) {
        let Some(request) = reply.request() else {
            return;
        };
        if cancelled {
            self.cancelled.push(request.clone());
        }
        let kind = std::mem::discriminant(&request);
        let mut alike = self.kept.iter().enumerate();
        let of_kind = alike
            .clone()
            .filter(|(_, k)| std::mem::discriminant(&k.0) == kind);
        let oldest = of_kind.clone().map(|(at, _)| at).next();
        let same = alike.find(|(_, k)| k.0 == request).map(|(at, _)| at);
        let dropped = same.or(oldest.filter(|_| of_kind.count() >= KEPT_MAX));
        if let Some(at) = dropped {
            self.kept.remove(at);
        }
        self.kept.push((request, reply));
    }

    /// Follows the present state and view: cancelled requests are repeated when the person comes back.
    pub fn follow(&mut self, state: Option<StateId>, view: View) {
        if self.here != Some((state, view)) {
            let cancelled = std::mem::take(&mut self.cancelled);
            self.kept
                .retain(|(request, _)| !cancelled.contains(request));
            self.here = Some((state, view));
        }
    }
}
