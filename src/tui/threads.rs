//! The threads behind scripts: those of the script on the screen, and while a lesson is taken those of the session
//! that is parked.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::app::{Effect, Msg, WorkReached};
use super::outside::{Behind, News, Outside};
use crate::animate::checker::Runners;
use crate::animate::worker::{EngineAnswer, EngineSource};

/// Makes the engines and the runners of checks for a script.
pub type Workshop = Arc<dyn Fn(&Path) -> (EngineSource, Runners)>;

/// The threads behind the scripts that are open, the one on the screen last.
pub struct Threads {
    workshop: Workshop,
    /// None behind a script for which no thread could be started.
    open: Vec<(u64, Option<Outside>)>,
    /// The number of scripts opened so far: distinguishes the threads of one from those of another.
    last: u64,
    /// Passes on the news of threads.
    tell: Arc<dyn Fn(u64, News) + Send + Sync>,
}

impl Threads {
    /// The state before the first script.
    #[must_use]
    pub fn none(workshop: Workshop, tell: impl Fn(u64, News) + Send + Sync + 'static) -> Self {
        Self {
            workshop,
            open: Vec::new(),
            last: 0,
            tell: Arc::new(tell),
        }
    }

    /// Starts the threads behind a script, which is on the screen from now on.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn start(&mut self, behind: Behind) -> io::Result<()> {
        self.last += 1;
        let (number, tell) = (self.last, Arc::clone(&self.tell));
        let outside = Outside::start(behind, move |news| tell(number, news));
        let (outside, failed) = match outside {
            Ok(outside) => (Some(outside), Ok(())),
            Err(error) => (None, Err(error)),
        };
        self.open.push((number, outside));
        failed
    }

    /// Converts news to a message; `None` if they are of a script that is not open any more.
    #[must_use]
    pub fn message(&self, number: u64, news: News) -> Option<Msg> {
        let at = self.open.iter().position(|(known, _)| *known == number)?;
        let msg = self.open[at].1.as_ref()?.message(news)?;
        Some(if at + 1 == self.open.len() {
            msg
        } else {
            Msg::Parked(Box::new(msg))
        })
    }

    /// How far the threads behind the script on the screen are.
    #[must_use]
    pub fn reached(&self) -> WorkReached {
        let last = self.open.last().and_then(|(_, outside)| outside.as_ref());
        last.map(Outside::reached).unwrap_or_default()
    }

    /// Whether no request is outstanding. News that were sent before may still have to be received.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let mut open = self.open.iter().filter_map(|(_, outside)| outside.as_ref());
        open.all(Outside::is_idle)
    }

    /// Carries out an effect if it is one on threads, and returns the message on its result.
    ///
    /// # Errors
    /// The effect, if it is another one.
    pub fn carry_out(&mut self, effect: Effect) -> Result<Option<Msg>, Effect> {
        match effect {
            Effect::Start(path, watches) => {
                let (engines, checks) = (self.workshop)(&path);
                let behind = Behind {
                    engines,
                    checks,
                    watches,
                };
                let failed = self.start(behind).err();
                // That is reported like any other reason not to load.
                let answer = failed.map(|error| EngineAnswer::not_loaded(&error.to_string()));
                Ok(answer.map(|answer| Msg::Engine(Box::new(answer))))
            }
            Effect::Stop => {
                if let Some((_, Some(outside))) = self.open.pop() {
                    outside.end_later();
                }
                Ok(None)
            }
            Effect::Parked(effect) => {
                let left = self.carry_out_at(1, *effect);
                left.map_or(Ok(None), |effect| Err(Effect::Parked(Box::new(effect))))
            }
            effect => self.carry_out_at(0, effect).map_or(Ok(None), Err),
        }
    }

    /// Carries out an effect behind the script that is so far from the one on the screen; otherwise returns it.
    fn carry_out_at(&mut self, above: usize, effect: Effect) -> Option<Effect> {
        match self.open.iter_mut().rev().nth(above) {
            Some((_, Some(outside))) => outside.carry_out(effect),
            _ => Some(effect),
        }
    }
}
