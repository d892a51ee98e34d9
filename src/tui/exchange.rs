//! The script that is open, and the way to another one: the screen stays, and what is behind it is made anew.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::app::{App, Effect, Msg};
use super::classroom::Workshop;
use super::files;
use super::outside::{Behind, News, Outside};
use super::welcome::paths::ReadyScript;

/// What is behind the script that is open, if one is.
pub(super) struct OpenScript {
    workshop: Workshop,
    here: Option<Outside>,
    /// How many scripts were opened: tells the threads of one from those of another.
    round: u64,
    /// Passes on what threads tell.
    tell: Arc<dyn Fn(u64, News) + Send + Sync>,
}

impl OpenScript {
    /// Where no script is open yet.
    pub fn none(workshop: Workshop, tell: impl Fn(u64, News) + Send + Sync + 'static) -> Self {
        Self {
            workshop,
            here: None,
            round: 0,
            tell: Arc::new(tell),
        }
    }

    /// Starts what is behind a script. What was behind the one before ends by itself.
    pub fn start(&mut self, behind: Behind) -> io::Result<()> {
        let round = self.round + 1;
        let tell = Arc::clone(&self.tell);
        let outside = Outside::start(behind, move |news| tell(round, news))?;
        self.round = round;
        if let Some(before) = self.here.replace(outside) {
            before.end_later();
        }
        Ok(())
    }

    /// The same for a script that is given by its path.
    pub fn open(&mut self, path: &Path) -> io::Result<()> {
        let (engines, checks) = (self.workshop)(path);
        self.start(Behind {
            engines,
            checks,
            watches: true,
        })
    }

    /// What the screen is to know of news: nothing if they are of a script that is not open any more.
    pub fn message(&self, round: u64, news: News) -> Option<Msg> {
        let outside = self.here.as_ref().filter(|_| round == self.round)?;
        outside.message(news)
    }

    /// Carries out an effect if it is one on the engine or the checks; otherwise gives it back.
    pub fn carry_out(&mut self, effect: Effect) -> Option<Effect> {
        match &mut self.here {
            Some(outside) => outside.carry_out(effect),
            None => Some(effect),
        }
    }
}

/// The screen of a script that is opened in the place of another, or of none.
pub(super) fn screen_of(before: &App, ready: ReadyScript) -> App {
    let mut app = App::new(&ready.path, None, before.theme, before.size);
    app.mouse = before.mouse;
    app.settings.clone_from(&before.settings);
    app.now = before.now;
    app.taught.clone_from(&before.taught);
    app.files.opening = files::opening(ready.session.as_ref());
    app.files.keeper = ready.keeper;
    app.files.left = ready.left;
    app
}
