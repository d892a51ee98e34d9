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
    /// The distance that a key means in a list over the views.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "j" | "down" | "ctrl-n" | "tab" => Self::Rows(1),
            "k" | "up" | "ctrl-p" | "shift-tab" => Self::Rows(-1),
            "pgdn" | "ctrl-d" => Self::Pages(1),
            "pgup" | "ctrl-u" => Self::Pages(-1),
            "home" | "g" => Self::Top,
            "end" | "G" => Self::Bottom,
            _ => return None,
        })
    }

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
