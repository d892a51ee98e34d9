//! The welcome page: its keys, what the disk answers, and the way to another script.

use super::distance::Distance;
use crate::app::{App, Effect, KeyPage, KeyPlace, Overlay, WantedLesson};
use crate::command::Availability;
use crate::files;
use crate::stakes;
use crate::welcome::page::WelcomeRow;
use crate::welcome::paths::ReadyScript;
use crate::welcome::{WelcomeAnswer, WelcomePage, WelcomeQuestion, WelcomeScreen};

/// Shows the page.
pub fn show(app: &mut App, page: WelcomePage) -> Vec<Effect> {
    let (screen, questions) = WelcomeScreen::new(page);
    app.welcome = Some(Box::new(screen));
    app.note = std::mem::take(&mut app.settings.notice);
    questions.into_iter().map(Effect::Look).collect()
}

/// Does something with the page; it may have a question for the disk.
fn with(
    app: &mut App,
    work: impl FnOnce(&mut WelcomeScreen) -> Option<WelcomeQuestion>,
) -> Vec<Effect> {
    let question = app.welcome.as_deref_mut().and_then(work);
    question.into_iter().map(Effect::Look).collect()
}

/// Goes along the list.
pub fn along(app: &mut App, far: Distance) -> Vec<Effect> {
    with(app, |screen| {
        screen.selected = far.from(screen.selected, screen.rows().len(), 10);
        None
    })
}

/// Goes to the next entry, and from the last to the first.
pub fn around(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |screen| {
        screen.selected = (screen.selected + 1) % screen.rows().len().max(1);
        None
    })
}

/// Shows the list with a path to type.
pub fn scripts(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |screen| screen.turn(WelcomePage::Open))
}

/// Leaves the page: the script behind it is seen again, or the program ends.
pub fn leave(app: &mut App, _: usize) -> Vec<Effect> {
    if app.has_script() {
        app.welcome = None;
        Vec::new()
    } else {
        vec![Effect::Quit]
    }
}

/// Whether there is something to go back to: no key but `q` ends the program.
pub fn can_go_back(app: &App) -> Availability {
    let main =
        |screen: &WelcomeScreen| screen.page == WelcomePage::Main && screen.opening.is_none();
    match app.welcome.as_deref().is_some_and(main) && !app.has_script() {
        true => Err("q ends the program".to_owned()),
        false => Ok(()),
    }
}

/// Goes back to what was before.
pub fn back(app: &mut App, count: usize) -> Vec<Effect> {
    let behind = app.has_script();
    let Some(screen) = &mut app.welcome else {
        return Vec::new();
    };
    if screen.opening.take().is_some() {
        app.note = "cancelled: nothing was opened".to_owned();
    } else if behind {
        return leave(app, count);
    } else {
        return with(app, |screen| screen.turn(WelcomePage::Main));
    }
    Vec::new()
}

/// A key where a path is typed; none if it is another one.
pub fn typed(app: &mut App, key: &str) -> Option<Vec<Effect>> {
    if app.place() != KeyPlace::On(KeyPage::Path) {
        return None;
    }
    let (mut line, mut edits) = (app.line.clone(), false);
    let effects = with(app, |screen| {
        let before = screen.typed.clone();
        edits = line.edit(&mut screen.typed, key);
        (screen.typed != before).then(|| screen.typed_more())
    });
    app.line = line;
    edits.then_some(effects)
}

/// Completes the typed path, or takes the selected one.
pub fn complete(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |screen| {
        let rows = screen.rows();
        match rows.get(screen.selected) {
            Some(WelcomeRow::Folder(path) | WelcomeRow::Script(path, _)) => {
                screen.typed.clone_from(path);
            }
            _ if screen.complete() => {}
            _ => {
                // There are several ways: on to the first of them.
                if !screen.completing && rows.len() > 1 {
                    screen.selected = 1;
                }
                return None;
            }
        }
        Some(screen.typed_more())
    })
}

/// Opens what is chosen.
pub fn chosen(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(screen) = &mut app.welcome else {
        return Vec::new();
    };
    let Some(row) = screen.rows().into_iter().nth(screen.selected) else {
        return Vec::new();
    };
    let question = match row {
        WelcomeRow::Tour => return vec![Effect::Lessons(WantedLesson::Tour)],
        WelcomeRow::Lessons => return vec![Effect::Lessons(WantedLesson::Any)],
        WelcomeRow::Skip => return skip(app),
        WelcomeRow::Open => screen.turn(WelcomePage::Open),
        WelcomeRow::Field if screen.typed.trim().is_empty() => {
            screen.wrong = "type a path, or choose one of the scripts below".to_owned();
            None
        }
        WelcomeRow::Field if screen.completing => {
            // The meaning of the text is not known yet.
            screen.entering = true;
            None
        }
        WelcomeRow::Field => Some(open(screen, screen.typed.clone())),
        WelcomeRow::Script(path, _) => Some(open(screen, path)),
        WelcomeRow::Folder(path) => {
            screen.typed = path;
            Some(screen.typed_more())
        }
    };
    question.into_iter().map(Effect::Look).collect()
}

fn open(screen: &mut WelcomeScreen, path: String) -> WelcomeQuestion {
    screen.wrong.clear();
    screen.opening = Some(path.clone());
    WelcomeQuestion::Script(path)
}

/// Leaves the page out at the start from now on, or no longer.
fn skip(app: &mut App) -> Vec<Effect> {
    let behind = app.has_script();
    let found = app.welcome.as_mut().and_then(|s| s.found.as_mut());
    let Some(found) = found else {
        return Vec::new();
    };
    found.skip = !found.skip;
    let skip = found.skip;
    app.note = if skip {
        "not shown again: `orbitscope welcome` brings it back"
    } else {
        "`orbitscope` alone shows this page again"
    }
    .to_owned();
    with(app, |screen| {
        if skip && !behind {
            // The page that will be visible then.
            screen.page = WelcomePage::Open;
            screen.selected = 0;
        }
        Some(WelcomeQuestion::Skip(skip))
    })
}

/// Handles an answer of the disk.
pub fn answered(app: &mut App, answer: WelcomeAnswer) -> Vec<Effect> {
    let Some(screen) = &mut app.welcome else {
        return Vec::new();
    };
    let typed = screen.typed.clone();
    match answer {
        WelcomeAnswer::Everything(found) => {
            if !found.note.is_empty() {
                app.note.clone_from(&found.note);
            }
            screen.learn(|screen| screen.found = Some(*found));
        }
        // Of another text, if more was typed since.
        WelcomeAnswer::Offers(offers) if offers.typed == screen.typed => {
            screen.learn(|screen| screen.offers = offers);
            if std::mem::take(&mut screen.completing) {
                screen.complete();
            }
        }
        // Otherwise another one was asked for since, or none.
        WelcomeAnswer::Script(asked, ready) if screen.opening.as_ref() == Some(&asked) => {
            screen.opening = None;
            match ready {
                Ok(ready) => return opened(app, ready),
                Err(why) => screen.wrong = why,
            }
        }
        WelcomeAnswer::Offers(_) | WelcomeAnswer::Script(..) => {}
        WelcomeAnswer::NotKept(why) => app.note = why,
    }
    // Enter was pressed before the meaning of the text was known.
    let enters = !screen.completing && std::mem::take(&mut screen.entering);
    // The text was completed, and has new completions.
    let completed = (screen.typed != typed).then(|| screen.typed_more());
    let mut effects: Vec<_> = completed.into_iter().map(Effect::Look).collect();
    if enters {
        effects.extend(chosen(app, 1));
    }
    effects
}

/// A script is ready to be opened: at once, unless something would be lost.
fn opened(app: &mut App, ready: Box<ReadyScript>) -> Vec<Effect> {
    if app.has_script() && !stakes::at_stake(app).is_empty() {
        app.overlay = Some(Overlay::Exchange(ready));
        return Vec::new();
    }
    exchange(app, *ready)
}

/// Another script takes the place of the one that is open, or of none.
pub fn exchange(app: &mut App, ready: ReadyScript) -> Vec<Effect> {
    let mut effects = Vec::new();
    if app.has_script() {
        // The person has left the walk, so it need not be kept.
        let keeper = app.files.keeper.take().filter(|_| app.files.kept > 0);
        effects.extend(keeper.map(Effect::Forget));
        effects.push(Effect::Stop);
    }
    effects.push(Effect::Start(ready.path.clone().into(), true));
    effects.push(Effect::Look(WelcomeQuestion::Opened(ready.path.clone())));
    let mut next = app.beside(&ready.path, None);
    next.files.opening = files::opening(ready.session.as_ref());
    next.files.keeper = ready.keeper;
    next.files.left = ready.left;
    *app = next;
    effects
}
