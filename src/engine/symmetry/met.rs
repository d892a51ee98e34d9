//! The components that a walk has discovered, and its queue.

use super::twins::COMPONENTS_MAX;
use super::watch::{StrategyEvent, Watcher};
use crate::machine::images::ComponentImages;

/// Bit set of the components that were discovered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MetComponents([u64; COMPONENTS_MAX / 64]);

impl MetComponents {
    /// Adds a component; true if it was there.
    #[inline]
    pub(super) fn meet(&mut self, component: u16) -> bool {
        let (word, bit) = Self::place(component);
        let before = self.0[word];
        self.0[word] = before | bit;
        before & bit != 0
    }

    #[inline]
    pub(super) fn has(&self, component: u16) -> bool {
        let (word, bit) = Self::place(component);
        self.0[word] & bit != 0
    }

    /// Word and bit of a component. `Masks::take` has checked that it fits; the remainder tells the compiler.
    #[inline]
    fn place(component: u16) -> (usize, u64) {
        let at = usize::from(component) % COMPONENTS_MAX;
        (at / 64, 1 << (at % 64))
    }

    /// Calls `each` for those of the first `count` components that are not in the set, ascending.
    #[inline]
    pub(super) fn each_other(self, count: usize, mut each: impl FnMut(u16)) {
        let words = self.0.into_iter().take(count.div_ceil(64));
        for (n, word) in words.enumerate() {
            let within = count.saturating_sub(n * 64).min(64) as u32;
            // A shift by 64 would overflow.
            let all = u64::MAX.checked_shr(64 - within).unwrap_or(0);
            let mut left = all & !word;
            while left != 0 {
                each((n * 64) as u16 + left.trailing_zeros() as u16);
                left &= left - 1;
            }
        }
    }
}

/// The queue of a walk: components discovered and not yet visited, first in, first out.
pub(super) struct ComponentsAhead<'w> {
    met: &'w mut MetComponents,
    /// The first one, if any. It is kept apart from the others: mostly it is the only one, and a load would
    /// wait for the store just made.
    front: u16,
    /// The others, at the places from `at` to `end`.
    queue: &'w mut [u16; COMPONENTS_MAX],
    at: usize,
    end: usize,
}

impl<'w> ComponentsAhead<'w> {
    /// A queue of one component, which becomes discovered.
    #[inline]
    pub(super) fn from(
        start: u16,
        met: &'w mut MetComponents,
        queue: &'w mut [u16; COMPONENTS_MAX],
    ) -> Self {
        met.meet(start);
        Self {
            met,
            front: start,
            queue,
            at: 0,
            end: 0,
        }
    }

    /// Takes the first one.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u16> {
        let component = std::mem::replace(&mut self.front, ComponentImages::NO_ONE);
        if self.at < self.end {
            self.front = self.queue[self.at % COMPONENTS_MAX];
            self.at += 1;
        }
        (component != ComponentImages::NO_ONE).then_some(component)
    }

    /// Adds a component, unless it was discovered before.
    #[inline]
    pub(super) fn lead_to(&mut self, component: u16, watcher: &mut impl Watcher) {
        if self.met.meet(component) {
            return;
        }
        watcher.see(|| StrategyEvent::LeadsTo(component));
        if self.front == ComponentImages::NO_ONE {
            self.front = component;
        } else {
            // A component enters when it is discovered, so it enters once: the queue never overflows.
            self.queue[self.end % COMPONENTS_MAX] = component;
            self.end += 1;
        }
    }
}
