//! What takes long and tells of itself on the way: races, and questions about other sizes.

use super::model::ErrorText;
use super::panics::guarded;
use super::racer::RaceNews;
use super::sizes::SizesNews;

/// News of something that takes long.
pub(super) trait LongNews {
    /// That it began.
    const STARTED: Self;
    /// Whether newer figures take the place of these.
    fn is_progress(&self) -> bool;
    /// Whether it is the last.
    fn is_end(&self) -> bool;
    /// The last, if there is no result.
    fn failed(why: ErrorText) -> Self;
}

impl LongNews for RaceNews {
    const STARTED: Self = Self::Started;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Progress(..))
    }

    fn is_end(&self) -> bool {
        matches!(self, Self::Ended(_))
    }

    fn failed(why: ErrorText) -> Self {
        Self::Ended(Err(why))
    }
}

impl LongNews for SizesNews {
    const STARTED: Self = Self::Started;

    fn is_progress(&self) -> bool {
        matches!(self, Self::Found(_))
    }

    fn is_end(&self) -> bool {
        matches!(self, Self::Ended(_))
    }

    fn failed(why: ErrorText) -> Self {
        Self::Ended(Err(why))
    }
}

/// Runs what takes long, and always tells its end. `change` gives access to the news.
pub(super) fn told<N: LongNews>(
    run: impl FnOnce(&mut dyn FnMut(N)),
    change: impl Fn(&mut dyn FnMut(&mut Vec<N>)),
) {
    let ended = std::cell::Cell::new(false);
    let mut report = |event: N| {
        ended.set(ended.get() || event.is_end());
        let mut event = Some(event);
        change(&mut |news| {
            let Some(event) = event.take() else {
                return;
            };
            // A slow reader sees the latest figures only.
            if event.is_progress() && news.last().is_some_and(N::is_progress) {
                news.pop();
            }
            news.push(event);
        });
    };
    report(N::STARTED);
    let failure = match guarded(|| run(&mut report)) {
        Err(failure) => failure,
        Ok(()) if ended.get() => return,
        Ok(()) => ErrorText::line("it ended without a result"),
    };
    report(N::failed(failure));
}
