//! Keys and the mouse on the page.

use ratatui::layout::Position;

use super::asked::WelcomeQuestion;
use super::draw;
use super::page::{WelcomeRow, WelcomeScreen};
use super::paths::ReadyScript;
use super::which::WelcomePage;
use crate::keys::type_into;

/// The result of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum WelcomeKey {
    /// The key was handled.
    Done,
    /// This has to be found out, or done, on disk.
    Ask(WelcomeQuestion),
    /// Begin the tour.
    Tour,
    /// The list of lessons is to be shown.
    Lessons,
    /// Open a script, even if unsaved data are lost.
    Open(Box<ReadyScript>),
    /// The page is left: the script behind it is seen again, or the program ends.
    Leave,
    /// The key is one of the whole program.
    ForScreen,
}

/// Handles a key.
pub fn key(screen: &mut WelcomeScreen, key: &str) -> WelcomeKey {
    screen.said.clear();
    if matches!(key, "ctrl-z" | "ctrl-l" | "ctrl-t") {
        return WelcomeKey::ForScreen;
    }
    if screen.help {
        screen.help = false;
        return WelcomeKey::Done;
    }
    if let Some((ready, _)) = screen.question.take() {
        return match key {
            "y" | "enter" => WelcomeKey::Open(ready),
            _ => WelcomeKey::Done,
        };
    }
    let last = screen.rows().len().saturating_sub(1);
    match key {
        "down" | "ctrl-n" => screen.selected = (screen.selected + 1).min(last),
        "up" | "ctrl-p" | "shift-tab" => screen.selected = screen.selected.saturating_sub(1),
        "pgdn" | "ctrl-d" => screen.selected = (screen.selected + 10).min(last),
        "pgup" | "ctrl-u" => screen.selected = screen.selected.saturating_sub(10),
        "home" => screen.selected = 0,
        "end" => screen.selected = last,
        "f1" => screen.help = true,
        "enter" => return chosen(screen),
        "esc" => return back(screen),
        key if screen.page == WelcomePage::Open => return typing(screen, key),
        "j" => screen.selected = (screen.selected + 1).min(last),
        "k" => screen.selected = screen.selected.saturating_sub(1),
        "g" => screen.selected = 0,
        "G" => screen.selected = last,
        "tab" => {
            screen.selected = if screen.selected == last {
                0
            } else {
                screen.selected + 1
            }
        }
        "?" => screen.help = true,
        "O" | "P" => return turn(screen, WelcomePage::Open),
        "L" => return WelcomeKey::Lessons,
        "M" => return WelcomeKey::ForScreen,
        "q" => return WelcomeKey::Leave,
        key => {
            let shown = crate::keys::shown(key);
            screen.said = format!("{shown} does nothing here; ? shows what works");
        }
    }
    WelcomeKey::Done
}

fn turn(screen: &mut WelcomeScreen, page: WelcomePage) -> WelcomeKey {
    screen.turn(page).map_or(WelcomeKey::Done, WelcomeKey::Ask)
}

fn back(screen: &mut WelcomeScreen) -> WelcomeKey {
    if screen.opening.take().is_some() {
        screen.said = "cancelled: nothing was opened".to_owned();
        return WelcomeKey::Done;
    }
    match screen.page {
        // Esc never ends the program.
        WelcomePage::Main if screen.behind => WelcomeKey::Leave,
        WelcomePage::Main => {
            screen.said = "q ends the program".to_owned();
            WelcomeKey::Done
        }
        // From a page over a script, it leads back to that script.
        _ if screen.behind => WelcomeKey::Leave,
        _ => turn(screen, WelcomePage::Main),
    }
}

/// A key where a path is typed.
fn typing(screen: &mut WelcomeScreen, key: &str) -> WelcomeKey {
    if key == "tab" {
        let rows = screen.rows();
        match rows.get(screen.selected) {
            Some(WelcomeRow::Folder(path)) => screen.typed.clone_from(path),
            Some(WelcomeRow::Script(path, _)) => screen.typed.clone_from(path),
            _ if screen.complete() => {}
            _ => {
                // There are several ways: on to the first of them.
                if !screen.completing && rows.len() > 1 {
                    screen.selected = 1;
                }
                return WelcomeKey::Done;
            }
        }
        return WelcomeKey::Ask(screen.typed_more());
    }
    let before = screen.typed.clone();
    type_into(&mut screen.typed, key);
    if screen.typed == before {
        WelcomeKey::Done
    } else {
        WelcomeKey::Ask(screen.typed_more())
    }
}

/// Enter, or two clicks.
fn chosen(screen: &mut WelcomeScreen) -> WelcomeKey {
    let Some(row) = screen.rows().into_iter().nth(screen.selected) else {
        return WelcomeKey::Done;
    };
    match row {
        WelcomeRow::Tour => WelcomeKey::Tour,
        WelcomeRow::Lessons => WelcomeKey::Lessons,
        WelcomeRow::Open => turn(screen, WelcomePage::Open),
        WelcomeRow::Recent => match screen.found.as_ref().map(|f| f.recent.is_empty()) {
            Some(false) => turn(screen, WelcomePage::Recent),
            Some(true) => {
                screen.said = "nothing was opened yet".to_owned();
                WelcomeKey::Done
            }
            None => WelcomeKey::Done,
        },
        WelcomeRow::Skip => skip(screen),
        WelcomeRow::Field if screen.typed.trim().is_empty() => {
            screen.wrong = "type a path, or choose one of the scripts below".to_owned();
            WelcomeKey::Done
        }
        WelcomeRow::Field if screen.completing => {
            // The meaning of the text is not known yet.
            screen.entering = true;
            WelcomeKey::Done
        }
        WelcomeRow::Field => open(screen, screen.typed.clone()),
        WelcomeRow::Script(path, _) => open(screen, path),
        WelcomeRow::Folder(path) => {
            screen.typed = path;
            WelcomeKey::Ask(screen.typed_more())
        }
    }
}

fn open(screen: &mut WelcomeScreen, path: String) -> WelcomeKey {
    screen.wrong.clear();
    screen.opening = Some(path.clone());
    WelcomeKey::Ask(WelcomeQuestion::Script(path))
}

/// Leaves the page out from now on, or no longer.
fn skip(screen: &mut WelcomeScreen) -> WelcomeKey {
    let Some(found) = &mut screen.found else {
        return WelcomeKey::Done;
    };
    found.skip = !found.skip;
    let skip = found.skip;
    if skip && !screen.behind {
        // The page that will be visible then.
        screen.page = WelcomePage::Open;
        screen.selected = 0;
    }
    screen.said = if skip {
        "not shown again: `orbitscope welcome` brings it back"
    } else {
        "`orbitscope` alone shows this page again"
    }
    .to_owned();
    WelcomeKey::Ask(WelcomeQuestion::Skip(skip))
}

/// Handles a click: it selects an entry, or runs the selected one.
pub fn click(screen: &mut WelcomeScreen, size: (u16, u16), at: Position) -> WelcomeKey {
    screen.said.clear();
    if screen.help {
        screen.help = false;
        return WelcomeKey::Done;
    }
    // The question needs a key: a click beside it must not lose anything.
    if screen.question.is_some() {
        return WelcomeKey::Done;
    }
    if let Some(name) = draw::hint_at(screen, size, at) {
        return key(screen, name);
    }
    match draw::row_at(screen, size, at) {
        Some(row) => {
            screen.selected = row;
            match screen.rows().get(row) {
                // Selecting it has no effect.
                Some(WelcomeRow::Field) | None => WelcomeKey::Done,
                Some(_) => chosen(screen),
            }
        }
        None => WelcomeKey::Done,
    }
}
