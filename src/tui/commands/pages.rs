//! Commands of the pages over the views: the card of a lesson, and the welcome page.

use crate::actions::{general, lesson, welcome};
use crate::app::KeyPage;
use crate::command::Command;

const CARD: &[KeyPage] = &[KeyPage::Card];
const WELCOME: &[KeyPage] = &[KeyPage::Welcome];
const PATH: &[KeyPage] = &[KeyPage::Path];
const LISTS: &[KeyPage] = &[KeyPage::Welcome, KeyPage::Path];

/// Commands on the card of a lesson.
#[rustfmt::skip]
pub static ON_A_CARD: &[Command] = &[
    Command::new("card-answer", "answer", &["enter"], lesson::answer,
        "Answer the question, or go on to the next card.")
        .only_on(CARD).hint("answer"),
    Command::new("card-next", "next card", &["n", "right", "space"], lesson::next,
        "Go on to the next card; a question may be passed over.")
        .only_on(CARD).hint("next"),
    Command::new("card-back", "card before", &["b", "left"], lesson::back,
        "Go back to the card before, with the screen as it was there.")
        .only_on(CARD).hint("back"),
    Command::new("card-choose", "choose an answer", &["1", "2", "3", "4", "5", "6", "7", "8", "9"], lesson::choose,
        "Choose the answer with this number; j and k choose, too.")
        .only_on(CARD).hint("choose").when(lesson::can_choose),
    Command::new("card-hint", "hint", &["i"], lesson::hint,
        "Show a hint for the question.")
        .only_on(CARD).hint("hint").when(lesson::has_hint),
    Command::new("card-view", "use the screen", &["tab"], lesson::to_view,
        "Use the screen yourself, with all its keys; Esc comes back to the card.")
        .only_on(CARD).hint("try it"),
    Command::new("card-notes", "notes", &["N"], lesson::notes,
        "Show the notes for the presenter.")
        .only_on(CARD).hint("notes"),
    Command::new("card-blank", "blank screen", &["B"], lesson::blank,
        "Show a blank screen until the next key.")
        .only_on(CARD).hint("blank"),
    Command::new("card-leave", "leave the lesson", &["esc", "q"], lesson::leave,
        "Leave the lesson; the place is kept.")
        .only_on(CARD).hint("leave"),
];

/// Commands on the welcome page.
#[rustfmt::skip]
pub static ON_THE_WELCOME_PAGE: &[Command] = &[
    Command::new("page-choose", "open what is chosen", &["enter"], welcome::chosen,
        "Open what is chosen; a click does it, too.")
        .only_on(LISTS).hint("open"),
    Command::new("page-complete", "complete the path", &["tab"], welcome::complete,
        "Complete the path as far as there is one way, or take what is chosen.")
        .only_on(PATH).hint("complete"),
    Command::new("page-scripts", "open a script", &["O", "P"], welcome::scripts,
        "Type a path, or choose what was opened before or a model of the program.")
        .only_on(WELCOME),
    Command::new("page-around", "next entry", &["tab"], welcome::around,
        "Choose the next entry, and after the last the first.")
        .only_on(WELCOME),
    Command::new("page-below", "entry below", &["ctrl-n"], general::down,
        "Choose the entry below.")
        .only_on(LISTS),
    Command::new("page-above", "entry above", &["ctrl-p", "shift-tab"], general::up,
        "Choose the entry above.")
        .only_on(LISTS),
    Command::new("page-back", "back", &["esc"], welcome::back,
        "Go back to what was before. Never ends the program.")
        .only_on(LISTS).hint("back").when(welcome::can_go_back),
    Command::new("page-leave", "quit or back", &["q"], welcome::leave,
        "Back to the script that is open; without one, end the program.")
        .only_on(WELCOME).hint("quit"),
];
