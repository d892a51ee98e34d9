//! Which components a walk has met.

use super::twins::COMPONENTS_MAX;

/// Which components were walked to, as a set.
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

    /// `Masks::take` has seen that there are no more components; the remainder tells the compiler, too.
    #[inline]
    fn place(component: u16) -> (usize, u64) {
        let at = usize::from(component) % COMPONENTS_MAX;
        (at / 64, 1 << (at % 64))
    }

    /// Calls `each` for those of the first `count` that are not in it, ascending.
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
