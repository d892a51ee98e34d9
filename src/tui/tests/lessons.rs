//! Lessons: what is wrong with files, how long they take, and one of them on the screen with the real engine.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{LIST_STACK, PLAIN, engine, runners};
use crate::actions::lesson::enter;
use crate::animate::checker::Runners;
use crate::animate::worker::EngineSource;
use crate::app::{App, Effect, Msg};
use crate::check::Options;
use crate::lessons::format::read_lesson;
use crate::lessons::keys::right;
use crate::lessons::lesson::{LessonAnswer, Shelf};
use crate::lessons::places::{KeptLesson, LessonProgress};
use crate::lessons::room::{LessonClass, LessonManner, LessonStart};
use crate::lessons::shelf::{lesson_file, shipped};
use crate::lessons::timing;
use crate::outside::News;
use crate::screen::draw;
use crate::threads::Threads;
use crate::update::update;
use crate::{keys, language};

/// All that is wrong with a lesson: line, column and text of each.
fn flaws(text: &str) -> Vec<(usize, usize, String)> {
    let flaws = read_lesson(text).unwrap_err().into_iter();
    flaws.map(|f| (f.at.line, f.at.column, f.message)).collect()
}

/// A lesson of one card.
fn with_card(card: &str) -> String {
    format!(
        "Lesson(version: 1, id: \"x\", title: \"x\", model: \"builtin:ring\", cards: [\nCard({card})])"
    )
}

#[test]
fn every_mistake_of_a_file_is_told_with_its_place() {
    let text = "Lesson(
  version: 1, id: \"a b\", titel: \"x\", model: \"builtin:rings\",
  cards: [
    Card(say: \"x\", sai: \"y\", do: [\"veiw orbit\", \"view orbits\", 3]),
    Card(say: 7, ask: Choice(q: \"?\", options: [\"a\", \"b\", \"a\"], answer: 3, why: \"w\")),
    Card(say: \"x\", then: [\"view orbit\"], hide: [\"pane:parttion\"]),
    Card(say: \"\", ask: Choise(q: \"?\")),
    Crad(say: \"x\", say: \"y\"),
  ],
)";
    let found = flaws(text);
    let lines: Vec<_> = found
        .iter()
        .map(|(l, c, m)| format!("{l}:{c} {m}"))
        .collect();
    insta::assert_snapshot!("lesson_flaws", lines.join("\n"));
}

#[test]
fn files_that_are_no_lessons_are_told_so() {
    let version = flaws("Lesson(version: 2, somthing: [1])");
    assert!(
        version.iter().any(|(_, _, m)| m.contains("version 2")),
        "{version:?}"
    );
    assert!(
        flaws("(a: 1)")
            .iter()
            .any(|(_, _, m)| m.contains("no field"))
    );
    assert!(flaws(&with_card("say: \"x"))[0].2.contains("no end"));
    assert!(flaws("")[0].2.contains("the file ends here"));
    let many = format!(
        "Lesson(version: 1, id: \"x\", title: \"x\", model: \"builtin:ring\", cards: [{}])",
        "Card(say: \"x\"),".repeat(300)
    );
    assert!(flaws(&many)[0].2.contains("300 entries"));
    let folder =
        std::env::temp_dir().join(format!("orbitscope-lesson-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("x.ron");
    let told = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        lesson_file(&path).unwrap_err().lines().join("\n")
    };
    assert!(told(&[0x7f, b'E', b'L', b'F', 0xff, 0]).contains("no text"));
    assert!(told(&vec![b' '; 20_000_000]).contains("more than 262144 bytes"));
    assert!(told(b"Lesson(\n  version: 1").contains("x.ron:2:"));
    assert!(lesson_file(&folder).unwrap_err().lines()[0].contains("no regular file"));
    assert!(lesson_file(&folder.join("none.ron")).unwrap_err().lines()[0].contains("none.ron: "));
    // A model that is not there is found out when it is needed.
    std::fs::write(
        &path,
        with_card("say: \"x\"").replace("builtin:ring", "no/such.csp"),
    )
    .unwrap();
    assert!(
        lesson_file(&path)
            .unwrap()
            .model()
            .unwrap_err()
            .contains("no model")
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn truncated_lessons_have_a_message_and_no_panic() {
    let text = include_str!("../../../assets/lessons/counting.ron");
    for end in (0..text.len()).step_by(7) {
        if text.is_char_boundary(end) && end < text.rfind(')').unwrap() {
            assert!(read_lesson(&text[..end]).is_err(), "{end}");
        }
    }
}

#[test]
fn answers_are_compared_as_people_type_them() {
    let ask = |ask: &str| {
        let lesson = read_lesson(&with_card(&format!("say: \"x\", ask: {ask}"))).unwrap();
        lesson.cards[0].ask.clone().unwrap()
    };
    let number = ask("Number(q: \"?\", answer: 1440, why: \"w\")");
    assert!(
        number.is_right(0, "1,440") && number.is_right(0, " 1440 ") && !number.is_right(0, "144")
    );
    let text = ask("Text(q: \"?\", answer: [\"N3\", \"node N3\"], why: \"w\")");
    assert!(text.is_right(0, " n3") && text.is_right(0, "Node  N3") && !text.is_right(0, "N30"));
    let choice = ask("Choice(q: \"?\", options: [\"a\", \"b\"], answer: 1, why: \"w\")");
    assert!(choice.is_right(1, "") && !choice.is_right(0, "b") && right(&choice) == "b");
}

#[test]
fn the_shipped_lessons_are_sound_and_fill_a_class() {
    let mut all = 0;
    let mut ids = Vec::new();
    for shelved in shipped() {
        let lesson = shelved.unwrap_or_else(|unread| panic!("{unread:?}")).lesson;
        let name = &lesson.title;
        let seconds = timing::planned_seconds(&lesson);
        assert!(
            seconds.abs_diff(lesson.minutes * 60) <= 60,
            "{name} takes {seconds} s, and says {} min",
            lesson.minutes
        );
        let questions = lesson
            .cards
            .iter()
            .filter(|card| card.ask.is_some())
            .count();
        assert!(
            questions >= 3 && (5..=12).contains(&lesson.cards.len()),
            "{name}"
        );
        // All cards are named in outlines, and most of them are held to something.
        assert!(
            lesson
                .cards
                .iter()
                .all(|card| !card.title.is_empty() && !card.notes.is_empty())
        );
        let held = lesson
            .cards
            .iter()
            .filter(|card| !card.expect.is_empty())
            .count();
        assert!(held * 2 > lesson.cards.len(), "{name}");
        ids.push(lesson.id.clone());
        // The last two are about every size, and are homework.
        if ids.len() <= 7 {
            all += seconds;
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 9);
    assert!(
        (45 * 60..=55 * 60).contains(&all),
        "together they take {all} s"
    );
}

/// The plan of a class says when each part begins.
#[test]
fn the_plan_of_a_class_keeps_time() {
    let plan = include_str!("../../../assets/class.md");
    let lessons: Vec<_> = shipped().map(|shelved| shelved.unwrap().lesson).collect();
    let (mut seconds, mut rows) = (0u64, 0);
    for line in plan.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Ok(minute) = cells[1].parse::<u64>() else {
            continue;
        };
        assert!(seconds.abs_diff(minute * 60) <= 45, "{line}: {seconds} s");
        let Some(id) = cells[2].split('`').nth(1) else {
            assert_eq!(minute, 50);
            continue;
        };
        let lesson = lessons.iter().find(|lesson| lesson.id == id).unwrap();
        let (from, to) = cells[3].split_once('-').unwrap();
        let cards = from.parse::<usize>().unwrap() - 1..to.parse().unwrap();
        seconds += lesson.cards[cards]
            .iter()
            .map(timing::seconds_of)
            .sum::<u64>();
        rows += 1;
    }
    assert_eq!(rows, 17);
}

#[test]
fn shipped_files_are_ron() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/lessons");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        ron::from_str::<ron::Value>(&text).unwrap();
    }
}

/// A screen with a script and real engines.
pub(super) struct Class {
    pub(super) app: App,
    threads: Threads,
    heard: Receiver<(u64, News)>,
    pub(super) kept: Vec<KeptLesson>,
    quit: bool,
}

impl Class {
    pub(super) fn new(size: (u16, u16)) -> Self {
        let (to, heard) = channel();
        let to = Mutex::new(to);
        let workshop = |path: &Path| -> (EngineSource, Runners) {
            let name = path.to_str().and_then(|p| p.strip_prefix("builtin:"));
            let path = name.map_or_else(|| path.to_path_buf(), super::model);
            let checks = runners(&path, &Options::default(), &[]);
            (Box::new(move || engine(&path)), checks)
        };
        let mut class = Self {
            app: App::new(LIST_STACK, None, PLAIN, size),
            threads: Threads::none(Arc::new(workshop), move |number, news| {
                let _ = to.lock().unwrap().send((number, news));
            }),
            heard,
            kept: Vec::new(),
            quit: false,
        };
        let start = Effect::Start(LIST_STACK.into(), false);
        assert!(matches!(class.threads.carry_out(start), Ok(None)));
        class.settle();
        class
    }

    pub(super) fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let told = match self.threads.carry_out(effect) {
                Ok(told) => told,
                Err(Effect::Quit) => {
                    self.quit = true;
                    None
                }
                Err(Effect::Lessons(wanted)) => Some(Msg::Lessons(Box::new(shelf()), wanted)),
                Err(Effect::KeepLesson(kept)) => {
                    self.kept.push(*kept);
                    None
                }
                Err(_) => None,
            };
            if let Some(told) = told {
                self.send(told);
            }
        }
    }

    /// Presents the shipped lesson with an id.
    pub(super) fn present(&mut self, id: &str) {
        let shelf = shelf();
        let shelved = shelf.named(id).unwrap().clone();
        let start = LessonStart {
            class: LessonClass {
                began: None,
                following: shelf.after(&shelved),
            },
            shelved,
            progress: LessonProgress::default(),
            manner: LessonManner {
                presenting: true,
                ..LessonManner::default()
            },
        };
        let effects = enter(&mut self.app, start);
        self.carry_out(effects);
        self.settle();
    }

    fn settle(&mut self) {
        let begin = Instant::now();
        loop {
            let idle = self.threads.is_idle();
            let mut any = false;
            while let Ok((number, news)) = self.heard.try_recv() {
                any = true;
                if let Some(msg) = self.threads.message(number, news) {
                    self.send(msg);
                }
            }
            if idle && !any && self.threads.is_idle() {
                return;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "the lesson waits"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn press(&mut self, text: &str) {
        for word in text.split(' ') {
            let event = keys::press(word).unwrap_or_else(|| panic!("{word} is no key"));
            self.send(Msg::Key(event));
            self.settle();
        }
    }

    /// Answers the question of the card, if it has one.
    pub(super) fn answer_right(&mut self) {
        let room = self.app.lesson.as_mut().unwrap();
        let ask = room.shown().and_then(|card| card.ask.clone());
        if let Some(ask) = ask.filter(|_| room.asks()) {
            match &ask.answer {
                LessonAnswer::Choice(_, answer) => room.chosen = *answer,
                _ => room.typed = right(&ask),
            }
            room.answer();
        }
        self.send(Msg::Tick(self.app.now));
        self.settle();
    }

    pub(super) fn resize(&mut self, size: (u16, u16)) {
        self.send(Msg::Resize(size.0, size.1));
        self.settle();
    }

    pub(super) fn screen(&self) -> String {
        let (w, h) = self.app.terminal();
        let buffer = language::buffer((w, h), |frame| draw(&self.app, frame));
        let mut text = String::new();
        for y in 0..h {
            let row: String = (0..w).map(|x| buffer[(x, y)].symbol()).collect();
            text += row.trim_end();
            text.push('\n');
        }
        text
    }

    fn shot(&mut self, name: &str) {
        for size in [(120, 36), (80, 24), (60, 16), (40, 10)] {
            self.resize(size);
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), self.screen());
        }
        self.resize((120, 36));
    }

    pub(super) fn room(&self) -> &crate::lessons::room::LessonRoom {
        self.app.lesson.as_ref().unwrap()
    }
}

/// The shipped lessons, of which the first was begun.
fn shelf() -> Shelf {
    let mut shelf = Shelf {
        lessons: shipped().map(Result::unwrap).collect(),
        ..Shelf::default()
    };
    let begun = LessonProgress {
        card: 2,
        done: false,
        answers: vec![(0, false)],
    };
    shelf.progress.insert("components".to_owned(), begun);
    let done = LessonProgress {
        card: 6,
        done: true,
        answers: vec![(0, true), (2, false)],
    };
    shelf.progress.insert("names".to_owned(), done);
    shelf
}

#[test]
fn a_lesson_is_chosen_predicted_and_watched() {
    let mut class = Class::new((120, 36));
    class.press("L");
    class.shot("lesson_list");
    class.press("3");
    assert_eq!(class.room().card, 0);
    class.press("n n n");
    class.press("j j");
    class.shot("lesson_question");
    class.press("i enter");
    class.shot("lesson_answer");
    assert_eq!(class.room().score(), (1, 1));
    assert!(
        class.room().trouble.is_empty(),
        "{:?}",
        class.room().trouble
    );
}

#[test]
fn what_a_lesson_hides_is_not_on_the_screen() {
    let mut class = Class::new((120, 36));
    class.press("L 3 n");
    assert!(!class.screen().contains("3 blocks"), "{}", class.screen());
    class.press("3 enter");
    assert!(class.screen().contains("Right."), "{}", class.screen());
    let card = &class.room().lesson().cards[1];
    assert!(matches!(
        card.ask.as_ref().unwrap().answer,
        LessonAnswer::Number(3)
    ));
}

#[test]
fn going_back_restores_what_was_shown() {
    let mut class = Class::new((120, 36));
    class.press("L 2");
    let first = class.screen();
    class.press("right right 2 enter n n");
    assert_eq!(class.room().card, 4);
    class.press("b b b b");
    assert_eq!(class.room().card, 0);
    // All but the score and whose turn it is, which stand below.
    let above = |screen: &str| screen.lines().take(34).collect::<Vec<_>>().join("\n");
    assert_eq!(above(&class.screen()), above(&first));
    // What the person does by himself is undone when the lesson goes on.
    class.press("tab R esc right right");
    let state = class.screen();
    assert!(state.contains("Card 3 of"), "{state}");
    class.press("2 enter");
    assert!(
        class.room().trouble.is_empty(),
        "{:?}",
        class.room().trouble
    );
}

#[test]
fn a_lesson_goes_on_where_it_was_left_and_touches_nothing_else() {
    let mut class = Class::new((120, 36));
    let before = class.screen();
    class.press("L enter");
    assert_eq!(class.room().card, 2);
    assert_eq!(class.room().score(), (0, 1));
    class.press("4 enter n tab u u esc esc");
    assert!(class.app.lesson.is_none() && !class.quit);
    let after = class.screen();
    let body = |screen: &str| screen.lines().take(30).collect::<Vec<_>>().join("\n");
    assert_eq!(body(&before), body(&after));
    let kept = class.kept.last().unwrap();
    assert!(kept.left);
    assert_eq!((kept.progress.card, kept.progress.done), (3, false));
    assert_eq!(kept.progress.answers, [(0, false), (2, true)]);
}

/// A check and a walk that are under way when a lesson begins are there when it is left.
#[test]
fn what_is_under_way_goes_on_while_a_lesson_is_taken() {
    let mut class = Class::new((120, 36));
    class.press("enter enter m a enter u");
    for key in ["4", "a", "1", "9", "r"] {
        class.send(Msg::Key(keys::press(key).unwrap()));
    }
    class.press("L 3 n");
    assert!(class.app.session.is_some() && class.app.checks.outcome().is_none());
    class.press("b");
    class.press("esc");
    let history = &class.app.session.as_ref().unwrap().history;
    assert_eq!((history.depth(), history.leaves().len()), (11, 2));
    assert!(history.marked('a').is_some());
    assert!(class.app.checks.outcome().is_some());
    assert!(!class.quit && class.app.lesson.is_none());
}

#[test]
fn the_keys_of_a_card_do_what_they_say() {
    let mut class = Class::new((120, 36));
    class.press("L 3 N");
    assert!(class.screen().contains("Presenter notes"));
    // The outline, with the card that is shown.
    assert!(class.screen().contains("> 1 the task"));
    class.press("N B");
    assert_eq!(class.screen().trim(), "");
    class.press("x");
    assert!(!class.room().blank);
    class.press("?");
    assert!(class.screen().contains("Help: card of a lesson"));
    class.press("esc x");
    assert!(class.screen().contains("does nothing on a card"));
    class.press("tab");
    assert!(class.screen().contains("Esc comes back to the card"));
    class.press("esc q");
    assert!(class.app.lesson.is_none());
}

#[test]
fn keys_on_all_cards_do_no_harm() {
    let mut class = Class::new((80, 24));
    let pressed =
        "n b enter i 1 2 9 p + - N B x tab j k l h u w esc ? esc pgdn pgup space b right left";
    for lesson in ["1", "3", "4"] {
        class.press(&format!("L {lesson}"));
        for _ in 0..4 {
            class.press(pressed);
            for size in [(120, 36), (60, 16), (20, 5), (1, 1), (200, 60), (80, 24)] {
                class.resize(size);
                class.screen();
            }
            if class.app.lesson.is_none() {
                class.press(&format!("L {lesson}"));
            }
        }
        while class.app.lesson.is_some() {
            class.press("esc");
        }
    }
}

/// Numbers are not spelled behind a letter: the screen beside the card writes `T0`.
#[test]
fn cards_write_names_as_the_screen_does() {
    let numbers = ["zero", "one", "two", "three", "four", "five", "six"];
    for shelved in shipped() {
        let lesson = shelved.unwrap().lesson;
        for card in &lesson.cards {
            let ask = card.ask.as_ref();
            let texts = ask.map_or([&card.say; 3], |ask| [&card.say, &ask.text, &ask.why]);
            for text in texts {
                let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
                let spelled = words
                    .windows(2)
                    .find(|pair| ["N", "T"].contains(&pair[0]) && numbers.contains(&pair[1]));
                assert_eq!(spelled, None, "{}: {text}", lesson.id);
            }
        }
    }
}
