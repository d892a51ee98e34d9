//! Limits and the request to stop, for phases that give back what they have.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Cancel, Diagnostic, Limits, Span, Stop, WorkStage};

/// Between two looks at the clock, so many questions are answered without.
const EVERY: u32 = 64;

/// Bounds of reading a script, resolving its names and inferring its types. Clones share one state: once a bound was
/// reached, it stays so, and every phase that comes after ends at once.
#[derive(Clone, Debug, Default)]
pub struct Bounds(Option<Rc<SharedBounds>>);

#[derive(Debug)]
struct SharedBounds {
    limits: Limits,
    cancel: Cancel,
    asked: Cell<u32>,
    stopped: RefCell<Option<(Stop, Diagnostic)>>,
    is_stopped: Cell<bool>,
    place: Whereabouts,
}

/// The place, in words, of work that does not look at bounds, for a thread that watches it.
#[derive(Clone, Debug, Default)]
pub struct Whereabouts(Arc<Mutex<String>>);

impl Whereabouts {
    /// The file, perhaps with a line; nothing if it is not known.
    #[must_use]
    pub fn get(&self) -> String {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.clone()
    }

    fn set(&self, place: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

impl Bounds {
    /// These limits, and this request.
    #[must_use]
    pub fn new(limits: &Limits, cancel: &Cancel) -> Self {
        Self(Some(Rc::new(SharedBounds {
            limits: limits.clone(),
            cancel: cancel.clone(),
            // So that the very first question looks: a deadline that is over already is met at
            // once.
            asked: Cell::new(EVERY - 1),
            stopped: RefCell::default(),
            is_stopped: Cell::new(false),
            place: Whereabouts::default(),
        })))
    }

    /// Whether work has to end; `phase` ("the script is read") and `place` describe it. Cheap enough for every step.
    #[must_use]
    pub fn over(&self, phase: &str, place: Option<Span>) -> bool {
        // No bounds at all, as for an expression at a prompt: never over.
        let Some(inner) = &self.0 else { return false };
        if inner.is_stopped.get() {
            // A flag of its own besides the diagnostic: this is asked at every step, and borrowing
            // and looking into an `Option` of a diagnostic is more work than reading a cell.
            return true;
        }
        // All phases and all clones count together: a phase of few steps after one of many is
        // looked at soon.
        let asked = inner.asked.get() + 1;
        inner.asked.set(asked % EVERY);
        asked == EVERY && inner.look(phase, place)
    }

    /// The same for long steps: reads the clock each time.
    #[must_use]
    pub fn over_now(&self, phase: &str, place: Option<Span>) -> bool {
        let inner = self.0.as_ref();
        inner.is_some_and(|i| i.is_stopped.get() || i.look(phase, place))
    }

    /// Notes how far the work is, for those who wait: see [`Cancel::reach`].
    pub fn reach(&self, stage: WorkStage, count: usize) {
        if let Some(inner) = &self.0 {
            inner.cancel.reach(stage, count);
        }
    }

    /// Whether a bound was reached.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|i| i.is_stopped.get())
    }

    /// Does something long that cannot look at the bounds, at a place in words.
    pub fn unwatched<R>(&self, place: impl FnOnce() -> String, work: impl FnOnce() -> R) -> R {
        let Some(inner) = &self.0 else { return work() };
        // Such work may contain other such work: an include within a file. What is around is said
        // again afterwards.
        let around = inner.place.get();
        inner.place.set(place());
        let result = work();
        inner.place.set(around);
        result
    }

    /// The place of such work, for other threads.
    #[must_use]
    pub fn place(&self) -> Whereabouts {
        self.0
            .as_ref()
            .map_or_else(Whereabouts::default, |i| i.place.clone())
    }

    /// The code for a bound that was reached, and what is said of it.
    #[must_use]
    pub fn words(stop: Stop) -> (&'static str, &'static str) {
        match stop {
            Stop::Cancelled => ("E0701", "cancelled"),
            Stop::Time => ("E0702", "the time allowed is over"),
            Stop::Memory | Stop::States => ("E0707", "the memory limit is reached"),
            Stop::Disk => ("E0710", "no room is left on disk"),
            Stop::Process(_) => ("E0713", "another process of the search is lost"),
        }
    }

    /// The bound that was reached, with what was done at that time and where.
    #[must_use]
    pub fn stopped(&self) -> Option<(Stop, Diagnostic)> {
        self.0.as_ref()?.stopped.borrow().clone()
    }
}

impl SharedBounds {
    fn look(&self, phase: &str, place: Option<Span>) -> bool {
        // No bytes of its own: what has been read is little, and the limit on the process as a
        // whole counts here as well.
        let Some(stop) = self.limits.reached(&self.cancel, 0) else {
            return false;
        };
        let (code, what) = Bounds::words(stop);
        let message = format!("{what} while {phase}");
        let diagnostic = match place {
            Some(span) => Diagnostic::error(code, span, message).label("it came as far as this"),
            None => Diagnostic::nowhere(code, message),
        };
        // Only the first time, since nobody looks again once `is_stopped` is set.
        *self.stopped.borrow_mut() = Some((stop, diagnostic));
        self.is_stopped.set(true);
        true
    }
}

/// The limits of long work, and its cancellation.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Time, memory and sizes.
    pub limits: Limits,
    /// The flag that ends the work when it is set.
    pub cancel: Cancel,
}

impl Budget {
    /// The same for work that begins now ([`Limits::from_now`]).
    #[must_use]
    pub fn from_now(&self) -> Self {
        Self {
            limits: self.limits.from_now(),
            cancel: self.cancel.clone(),
        }
    }

    /// Bounds that work which begins now looks at.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::new(&self.limits.from_now(), &self.cancel)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_over_stays_so_and_says_where() {
        let cancel = Cancel::default();
        let bounds = Bounds::new(&Limits::default(), &cancel);
        assert!(!bounds.over("a", None) && !bounds.over_now("a", None));
        cancel.cancel();
        assert!((0..EVERY).any(|_| bounds.over("names are resolved", None)));
        let same = bounds.clone();
        assert!(same.over("b", None) && bounds.is_over());
        let (stop, diagnostic) = bounds.stopped().unwrap();
        assert_eq!(stop, Stop::Cancelled);
        assert_eq!(diagnostic.message, "cancelled while names are resolved");
    }

    #[test]
    fn time_and_memory_are_bounds_and_no_bounds_are_none() {
        let late = Limits::default().with_timeout(Duration::ZERO);
        let bounds = Bounds::new(&late, &Cancel::default());
        assert!(bounds.over("x", None));
        assert_eq!(bounds.stopped().unwrap().0, Stop::Time);
        let none = Limits::default().with_memory(0);
        let bounds = Bounds::new(&none, &Cancel::default());
        assert!(bounds.over("x", None));
        assert_eq!(bounds.stopped().unwrap().1.code, "E0707");
        let endless = Bounds::default();
        assert!(!(0..1_000).any(|_| endless.over("x", None) || endless.over_now("x", None)));
    }
}
