//! What is told of files, while none is written.

use std::path::{Path, PathBuf};

use orbitscope::report::run_file::RunFile;
use orbitscope::tui::app::{Effect, Msg};
use orbitscope::tui::saving::{KnownFile, SessionWritten};
use orbitscope::tui::welcome::asked::{RecentScript, WelcomeFound};
use orbitscope::tui::welcome::{WelcomeAnswer, WelcomeQuestion, answer};

/// What is told of an effect on files; the effect if it is none.
pub fn written(effect: Effect) -> Result<Option<Msg>, Effect> {
    Ok(match effect {
        Effect::Save(_) => Some(Msg::Saved("the counterexample was saved".to_owned())),
        Effect::SavePicture(made) => {
            assert!(!made.1.text.is_empty(), "an empty picture");
            Some(Msg::Saved("the picture was saved".to_owned()))
        }
        Effect::WriteSession(writing) => {
            let mut session = writing.session.clone();
            session.script_name().clone_from(&writing.script);
            let text = session.text().expect("a session is text");
            let read = RunFile::parse("walk.run.ron", &text).expect("it can be read");
            assert_eq!(read, session, "it is read as it was written");
            let path = writing.to.clone();
            let path = path.unwrap_or_else(|| PathBuf::from("walk.run.ron"));
            let hash = "of this text".to_owned();
            Some(Msg::SessionWritten(Ok(SessionWritten {
                file: KnownFile { path, hash },
                entries: writing.entries,
                remark: String::new(),
            })))
        }
        Effect::Copy(what, text) | Effect::CopyToFile(what, _, text) => {
            assert!(!text.contains('\u{1b}'), "{what} would be obeyed");
            Some(Msg::Saved(format!("the {what} was copied")))
        }
        Effect::Parked(effect) => match written(*effect)? {
            Some(Msg::Saved(note)) => Some(Msg::Saved(note)),
            msg => msg.map(|msg| Msg::Parked(Box::new(msg))),
        },
        Effect::Keep(..) | Effect::Forget(_) | Effect::KeepLesson(_) => None,
        other => return Err(other),
    })
}

/// What the page of scripts is told: one script was opened before, and nothing is remembered.
pub fn looked(question: WelcomeQuestion, script: &Path) -> Option<WelcomeAnswer> {
    match question {
        WelcomeQuestion::Everything => {
            let recent = RecentScript {
                path: script.display().to_string(),
                is_there: true,
            };
            Some(WelcomeAnswer::Everything(Box::new(WelcomeFound {
                recent: vec![recent],
                lessons: 7,
                ..WelcomeFound::default()
            })))
        }
        // A model of the program would be put on disk.
        WelcomeQuestion::Script(asked) if !Path::new(&asked).is_file() => {
            let why = format!("there is no script {asked}");
            Some(WelcomeAnswer::Script(asked, Err(why)))
        }
        WelcomeQuestion::Opened(_) | WelcomeQuestion::Skip(_) => None,
        other => answer(other),
    }
}
