//! Distances that keys move by.

/// The distance that a key moves by, in any list or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Down, or up if negative.
    Rows(isize),
    /// Whole screens of it.
    Pages(isize),
    /// To the first place.
    Top,
    /// To the last place.
    Bottom,
}

impl Distance {
    /// The place among `count` places that is this far from `at`.
    #[must_use]
    pub fn from(self, at: usize, count: usize, page: usize) -> usize {
        let last = count.saturating_sub(1);
        let by = match self {
            Self::Rows(n) => n,
            Self::Pages(n) => n.saturating_mul(page.max(1) as isize),
            Self::Top => return 0,
            Self::Bottom => return last,
        };
        at.saturating_add_signed(by).min(last)
    }
}
