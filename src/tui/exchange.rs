//! The script that is open, and the way to another one: the screen stays, and the threads behind it are started
//! anew.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::app::{App, Effect, Msg};
use super::classroom::Workshop;
use super::files;
use super::outside::{Behind, News, Outside};
use super::welcome::paths::ReadyScript;

/// The threads behind the open script, if there is one.
pub(super) struct OpenScript {
    workshop: Workshop,
    here: Option<Outside>,
    /// The number of scripts opened so far: distinguishes the threads of one from those of another.
    round: u64,
    /// Passes on the news of threads.
    tell: Arc<dyn Fn(u64, News) + Send + Sync>,
}

impl OpenScript {
    /// The state before the first script.
    pub fn none(workshop: Workshop, tell: impl Fn(u64, News) + Send + Sync + 'static) -> Self {
        Self {
            workshop,
            here: None,
            round: 0,
            tell: Arc::new(tell),
        }
    }

    /// Starts the threads behind a script. Those of the script before end by themselves.
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

    /// Opens a script by its path.
    pub fn open(&mut self, path: &Path) -> io::Result<()> {
        let (engines, checks) = (self.workshop)(path);
        self.start(Behind {
            engines,
            checks,
            watches: true,
        })
    }

    /// Converts news to a message; `None` if they are of a script that is not open any more.
    pub fn message(&self, round: u64, news: News) -> Option<Msg> {
        let outside = self.here.as_ref().filter(|_| round == self.round)?;
        outside.message(news)
    }

    /// Carries out an effect if it is one on the engine or the checks; otherwise returns it.
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
