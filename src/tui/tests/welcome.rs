//! The page that welcomes: what it shows at each size, and what keys and clicks do there.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::super::app::{App, Effect, Msg, Overlay};
use super::super::lessons::lesson::Shelf;
use super::super::lessons::places::LessonProgress;
use super::super::lessons::shelf::{TOUR_ID, tour};
use super::super::screen::draw;
use super::super::theme::Theme;
use super::super::update::update;
use super::super::welcome::asked::{RecentScript, WelcomeAnswer, WelcomeFound, WelcomeQuestion};
use super::super::welcome::paths::{OfferedPath, PathOffers, ReadyScript};
use super::super::welcome::{WelcomePage, WelcomeScreen};
use super::super::{keys, language};
use super::PLAIN;

/// The page with answers made by hand.
struct Page {
    app: App,
    asked: Vec<WelcomeQuestion>,
    others: Vec<Effect>,
}

fn found() -> WelcomeFound {
    let script = |path: &str, is_there| RecentScript {
        path: path.to_owned(),
        is_there,
    };
    let progress = LessonProgress {
        card: 2,
        ..LessonProgress::default()
    };
    WelcomeFound {
        skip: false,
        recent: vec![
            script("/srv/stacks/list_stack.csp", true),
            script(
                "/srv/protocols/needham_schroeder_public_key_with_a_long_name_of_its_own.csp",
                true,
            ),
            script("/srv/gone.csp", false),
            script("builtin:ring", true),
        ],
        lessons: 7,
        done: 2,
        tour: Some((progress, 9)),
        note: String::new(),
    }
}

impl Page {
    fn new(size: (u16, u16), page: WelcomePage) -> Self {
        Self::with_theme(size, page, PLAIN)
    }

    fn with_theme(size: (u16, u16), page: WelcomePage, theme: Theme) -> Self {
        let mut screen = Self {
            app: App::new("", None, theme, size),
            asked: Vec::new(),
            others: Vec::new(),
        };
        screen.send(Msg::Welcome(page));
        screen
    }

    fn send(&mut self, msg: Msg) {
        for effect in update(&mut self.app, msg) {
            match effect {
                Effect::Look(question) => self.asked.push(question),
                Effect::Lessons(wanted) => self.send(Msg::Lessons(Box::new(shelf()), wanted)),
                Effect::Welcome(page) => self.send(Msg::Welcome(page)),
                Effect::Ask(_) => {}
                other => self.others.push(other),
            }
        }
    }

    fn answer(&mut self, answer: WelcomeAnswer) {
        self.send(Msg::Found(Box::new(answer)));
    }

    fn found(mut self) -> Self {
        self.answer(WelcomeAnswer::Everything(Box::new(found())));
        self
    }

    fn press(&mut self, text: &str) {
        for name in text.split(' ') {
            self.send(Msg::Key(keys::press(name).unwrap()));
        }
    }

    fn offer(&mut self, typed: &str, ways: &[&str]) {
        let way = |text: &&str| OfferedPath {
            text: (*text).to_owned(),
            is_folder: text.ends_with('/'),
        };
        self.answer(WelcomeAnswer::Offers(PathOffers {
            typed: typed.to_owned(),
            ways: ways.iter().map(way).collect(),
            wrong: String::new(),
        }));
    }

    fn screen(&self) -> String {
        let buffer = language::buffer(self.app.terminal(), |frame| draw(&self.app, frame));
        let rows = (0..buffer.area.height).map(|y| {
            let row: String = (0..buffer.area.width)
                .map(|x| buffer[(x, y)].symbol())
                .collect();
            row.trim_end().to_owned() + "\n"
        });
        rows.collect()
    }

    fn click(&mut self, text: &str) {
        let screen = self.screen();
        let place = screen.lines().enumerate().find_map(|(y, line)| {
            let at = line.find(text)?;
            Some((line[..at].chars().count(), y))
        });
        let (x, y) = place.unwrap_or_else(|| panic!("no {text} on\n{screen}"));
        let event = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: x as u16,
            row: y as u16,
            modifiers: KeyModifiers::NONE,
        };
        self.send(Msg::Mouse(event));
    }

    fn welcome(&self) -> &WelcomeScreen {
        self.app.welcome.as_ref().unwrap()
    }
}

/// The tour, of which two cards were taken.
fn shelf() -> Shelf {
    let mut shelf = Shelf {
        tour: tour().ok(),
        ..Shelf::default()
    };
    let (progress, _) = found().tour.unwrap();
    shelf.progress.insert(TOUR_ID.to_owned(), progress);
    shelf
}

fn ready(asked: &str) -> Box<ReadyScript> {
    Box::new(ReadyScript {
        asked: asked.to_owned(),
        path: asked.to_owned(),
        session: None,
        keeper: None,
        left: None,
    })
}

#[test]
fn screens_of_the_page() {
    for (w, h) in [(120, 36), (80, 24), (60, 16)] {
        let main = Page::new((w, h), WelcomePage::Main).found();
        insta::assert_snapshot!(format!("welcome_{w}x{h}"), main.screen());
        let mut open = Page::new((w, h), WelcomePage::Open).found();
        open.offer("", &["here.csp", "sub/"]);
        insta::assert_snapshot!(format!("welcome_open_{w}x{h}"), open.screen());
        // The last entry is in sight, and so is what is typed.
        open.press("end");
        let screen = open.screen();
        assert!(
            screen.contains("> builtin:timed_crossing") && screen.contains('_'),
            "{screen}"
        );
        let mut typed = Page::new((w, h), WelcomePage::Open).found();
        typed.press("s t a");
        typed.offer("sta", &["stack.csp", "stacks/", "station.run.ron"]);
        typed.app.welcome.as_mut().unwrap().wrong = "there is no file sta".to_owned();
        insta::assert_snapshot!(format!("welcome_typed_{w}x{h}"), typed.screen());
        let mut help = Page::new((w, h), WelcomePage::Main).found();
        help.press("?");
        insta::assert_snapshot!(format!("welcome_help_{w}x{h}"), help.screen());
    }
    let tiny = Page::new((40, 10), WelcomePage::Main).found();
    assert!(tiny.screen().starts_with("40x10 is too small"));
}

#[test]
fn with_ascii_nothing_else_is_drawn() {
    let theme = Theme {
        ascii: true,
        ..PLAIN
    };
    for page in [WelcomePage::Main, WelcomePage::Open] {
        let screen = Page::with_theme((80, 24), page, theme).found().screen();
        assert!(screen.is_ascii(), "{screen}");
    }
}

#[test]
fn what_is_typed_is_completed_as_far_as_there_is_one_way() {
    let mut page = Page::new((80, 24), WelcomePage::Open).found();
    page.press("s tab");
    // The answer comes later than the key.
    assert_eq!(
        page.asked.last(),
        Some(&WelcomeQuestion::Offers("s".to_owned()))
    );
    page.offer("s", &["stack.csp", "stacks/"]);
    assert_eq!(page.welcome().typed, "stack");
    page.offer("stack", &["stack.csp", "stacks/"]);
    // Two ways: the key goes on to the first, and once more takes the second.
    page.press("tab down tab");
    assert_eq!(page.welcome().typed, "stacks/");
    // An answer about another text is none.
    page.offer("stack", &["stack.csp"]);
    assert!(!page.screen().contains("stack.csp"), "{}", page.screen());
    page.offer("stacks/", &["stacks/a.csp"]);
    // Whoever is fast presses Enter before it is known how the text goes on.
    page.press("backspace tab enter");
    page.offer("stacks", &["stacks/"]);
    page.offer("stacks/", &["stacks/a.csp"]);
    page.press("tab");
    assert_eq!(page.welcome().typed, "stacks/a.csp");
    page.press("enter");
    let asked = WelcomeQuestion::Script("stacks/a.csp".to_owned());
    assert_eq!(page.asked.last(), Some(&asked));
    page.answer(WelcomeAnswer::Script(
        "stacks/a.csp".to_owned(),
        Err("no such file".to_owned()),
    ));
    assert!(page.screen().contains("no such file"), "{}", page.screen());
    // Esc goes back a step, and never ends the program.
    page.press("esc esc esc esc");
    assert!(page.others.is_empty() && page.screen().contains("q ends the program"));
}

#[test]
fn clicks_do_what_they_point_at() {
    let mut page = Page::new((120, 36), WelcomePage::Main).found();
    page.click("Open a script");
    assert_eq!(page.welcome().page, WelcomePage::Open);
    page.click("builtin:ring");
    assert_eq!(
        page.asked.last(),
        Some(&WelcomeQuestion::Script("builtin:ring".to_owned()))
    );
    page.answer(WelcomeAnswer::Script(
        "builtin:ring".to_owned(),
        Ok(ready("builtin:ring")),
    ));
    assert_eq!(page.others, [Effect::Start("builtin:ring".into(), true)]);
    let mut page = Page::new((80, 24), WelcomePage::Main).found();
    page.click("Lessons");
    assert!(matches!(page.app.overlay, Some(Overlay::Lessons(..))));
    page.press("esc");
    page.click("? explain");
    assert!(page.screen().contains("Help: welcome page"));
    page.press("esc");
    page.click("Take the");
    assert!(page.app.lesson.is_some());
    // It goes on where it was left.
    assert!(page.screen().contains("Card 3 of 9"), "{}", page.screen());
    // A hint of the card, and the views beside it.
    page.send(Msg::Resize(120, 36));
    page.click("? explain");
    assert!(page.screen().contains("Help: card of a lesson"));
    page.press("esc");
    page.click("Transitions");
    assert!(page.app.lesson.as_ref().is_some_and(|room| room.in_view));
}

#[test]
fn what_would_be_lost_is_asked_before_another_script_is_opened() {
    let mut harness = super::Harness::new((80, 24));
    for _ in 0..12 {
        harness.press("enter");
    }
    let app = std::mem::replace(&mut harness.app, App::new("", None, PLAIN, (80, 24)));
    let mut page = Page {
        app,
        asked: Vec::new(),
        others: Vec::new(),
    };
    page.press("P");
    page.app.welcome.as_mut().unwrap().opening = Some("x.csp".to_owned());
    page.answer(WelcomeAnswer::Script(
        "x.csp".to_owned(),
        Ok(ready("x.csp")),
    ));
    assert!(
        page.screen().contains("12 steps of the walk are not saved"),
        "{}",
        page.screen()
    );
    page.press("n");
    assert!(page.others.is_empty());
    // It is left, and the walk is as it was.
    page.press("esc");
    assert!(page.app.welcome.is_none() && page.screen().contains("step 12/12"));
    page.press("P");
    page.app.welcome.as_mut().unwrap().opening = Some("x.csp".to_owned());
    page.answer(WelcomeAnswer::Script(
        "x.csp".to_owned(),
        Ok(ready("x.csp")),
    ));
    page.press("y");
    assert_eq!(
        page.others,
        [Effect::Stop, Effect::Start("x.csp".into(), true)]
    );
}

#[test]
fn any_key_at_any_size_leaves_the_page_drawable() {
    let names = [
        "j",
        "k",
        "enter",
        "tab",
        "esc",
        "up",
        "down",
        "home",
        "end",
        "pgdn",
        "pgup",
        "x",
        "/",
        "~",
        "backspace",
        "O",
        "L",
        "?",
        "f1",
        "ctrl-t",
        "ctrl-u",
        "y",
        "n",
        "space",
        "G",
        "g",
        "right",
    ];
    let mut number = 7usize;
    let mut page = Page::new((80, 24), WelcomePage::Main).found();
    for _ in 0..3000 {
        number = (number * 1103515245 + 12345) % (1 << 31);
        page.press(names[(number >> 8) % names.len()]);
        if number.is_multiple_of(17) {
            let size = (
                1 + (number >> 5) as u16 % 130,
                1 + (number >> 9) as u16 % 40,
            );
            page.send(Msg::Resize(size.0, size.1));
        }
        if let Some(WelcomeQuestion::Offers(typed)) = page.asked.last().cloned() {
            page.offer(&typed, &["a.csp", "b/", "x/äöü.csp"]);
        }
        page.screen();
        if page.app.lesson.is_some() {
            page = Page::new((80, 24), WelcomePage::Main).found();
        }
    }
}
