//! Lessons behind the screen: an engine of their own, the files, and the stored progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::Msg;
use super::lessons::places::{self, KeptLesson};
use super::lessons::shelf::{Shelf, ShelvedLesson};
use super::outside::{self, Behind, News, Outside};
use super::stage::{Stage, StageEffect};
use crate::animate::checker::Runners;
use crate::animate::worker::EngineSource;
use crate::source::write::write_whole;

/// Makes the engines and the runners of checks for the model of a lesson.
pub type Workshop = Arc<dyn Fn(&Path) -> (EngineSource, Runners)>;

/// Options of lessons.
pub struct ClassOptions {
    /// The limits and runners, for their models and for scripts.
    pub workshop: Workshop,
    /// A folder with more lessons.
    pub lessons: Option<PathBuf>,
    /// A file to which answers are written when the lesson is left.
    pub report: Option<PathBuf>,
}

impl ClassOptions {
    /// Options where no folder is named, and nothing may be written.
    #[must_use]
    pub fn new(workshop: Workshop) -> Self {
        Self {
            workshop,
            lessons: None,
            report: None,
        }
    }
}

/// The threads behind lessons, and behind the present one.
pub(super) struct Teaching {
    class: ClassOptions,
    here: Option<(u64, Outside)>,
    /// Passes on the news of threads.
    tell: Arc<dyn Fn(u64, News) + Send + Sync>,
}

impl Teaching {
    /// The state before the first lesson.
    pub fn new(class: ClassOptions, tell: impl Fn(u64, News) + Send + Sync + 'static) -> Self {
        Self {
            class,
            here: None,
            tell: Arc::new(tell),
        }
    }

    /// Converts news from the threads of a lesson to a message; `None` if it was left meanwhile.
    pub fn message(&self, serial: u64, news: News) -> Option<Msg> {
        let (_, outside) = self.here.as_ref().filter(|(here, _)| *here == serial)?;
        outside.message(news)
    }

    /// Carries out an effect of lessons. Returns the effects that follow.
    pub fn carry_out(&mut self, effect: StageEffect, stage: &mut Stage) -> Vec<StageEffect> {
        match effect {
            // These are no business of lessons.
            StageEffect::Own(_) | StageEffect::Look(_) | StageEffect::Exchange(_) => {}
            StageEffect::OfLesson(serial, effect) => {
                let here = self.here.as_mut().filter(|(here, _)| *here == serial);
                let effect = here.and_then(|(_, outside)| outside.carry_out(effect));
                let (Some(effect), Some(room)) = (effect, &stage.room) else {
                    return Vec::new();
                };
                match outside::on_files(&room.inner, effect) {
                    Ok(Some(Msg::Saved(note))) => stage.say(note),
                    Ok(Some(told)) => return stage.told(serial, told),
                    // The stage keeps the others for itself.
                    Ok(None) | Err(_) => {}
                }
            }
            StageEffect::Enter(serial, lesson) => {
                if let Err(why) = self.enter(serial, &lesson) {
                    return stage.cannot_enter(&why);
                }
            }
            StageEffect::Leave => {
                self.here = None;
            }
            StageEffect::FillShelf => {
                stage.shelved(Shelf::filled(self.class.lessons.as_deref()));
            }
            StageEffect::Keep(kept) => {
                let note = self.keep(&kept);
                if !note.is_empty() {
                    stage.say(note);
                }
            }
        }
        Vec::new()
    }

    /// Starts the engine of a lesson.
    fn enter(&mut self, serial: u64, lesson: &ShelvedLesson) -> Result<(), String> {
        self.here = None;
        let model = lesson.model()?;
        let (engines, checks) = (self.class.workshop)(&model);
        let tell = Arc::clone(&self.tell);
        let behind = Behind {
            engines,
            checks,
            // The model is built in, or belongs to the teacher.
            watches: false,
        };
        let outside = Outside::start(behind, move |news| tell(serial, news));
        let outside = outside.map_err(|error| format!("no thread could be started: {error}"))?;
        self.here = Some((serial, outside));
        Ok(())
    }

    /// Stores the progress in a lesson. Returns the message if that failed.
    fn keep(&self, kept: &KeptLesson) -> String {
        let mut notes = Vec::new();
        if kept.presenting {
            notes.extend(places::present(kept).err());
        } else if let Err(error) = places::keep_progress(&kept.id, &kept.progress) {
            notes.push(format!("your place is not kept: {error}"));
        }
        if let Some(path) = self.class.report.as_ref().filter(|_| kept.left) {
            let text = places::report(kept);
            if let Err(error) = write_whole(path, text.as_bytes()) {
                notes.push(format!("{}: {error}", path.display()));
            }
        }
        notes.join("; ")
    }
}
