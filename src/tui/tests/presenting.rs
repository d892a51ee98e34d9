//! A lesson before a class: its clock, its notes, and what is seen beside the card.

use super::lessons::Class;
use crate::app::Msg;
use crate::lessons::lesson::Emphasis;
use crate::lessons::timing;

/// Time alone moves the clock, and a new card begins at 0:00.
#[test]
fn a_presentation_has_a_clock() {
    let mut class = Class::new((120, 36));
    class.present("counting");
    class.send(Msg::Tick(64_900));
    assert_eq!(class.app.next_second(), Some(100));
    assert!(class.screen().contains("1:04 since the start"));
    class.send(Msg::Tick(65_000));
    class.press("n");
    class.send(Msg::Tick(72_300));
    let planned = timing::planned_seconds(class.room().lesson());
    let left = timing::minutes(planned - 72);
    let card = timing::minutes(timing::seconds_of(class.room().shown().unwrap()));
    let clock = format!("1:12 since the start, {left} left · card 0:07 of {card}");
    assert!(
        class.screen().contains(&clock),
        "{clock}\n{}",
        class.screen()
    );
    class.resize((80, 24));
    let short = format!("1:12 of {} · card 0:07 of {card}", timing::minutes(planned));
    assert!(
        class.screen().contains(&short),
        "{short}\n{}",
        class.screen()
    );
    class.resize((60, 20));
    let shortest = format!("1:12 of {}\n", timing::minutes(planned));
    assert!(class.screen().contains(&shortest), "{}", class.screen());
    class.send(Msg::Tick((planned + 61) * 1_000));
    class.resize((120, 36));
    assert!(class.screen().contains("1:01 over"), "{}", class.screen());
    // Those who take a lesson by themselves are not hurried.
    class.press("q L 3");
    assert_eq!(class.app.next_second(), None);
    assert!(!class.screen().contains("since the start"));
}

/// A card and all that it points at are on one screen, at every size.
#[test]
fn what_a_card_points_at_is_seen_beside_it() {
    let mut class = Class::new((120, 36));
    for id in ["counting", "renaming", "components"] {
        class.present(id);
        while !class.room().finished {
            // An open question may hide it.
            class.answer_right();
            for size in [(200, 60), (120, 36), (80, 24), (60, 20)] {
                class.resize(size);
                let screen = class.screen();
                let card = class.room().shown().unwrap();
                let what = format!("{id}, {}, {size:?}\n{screen}", card.title);
                let sees = |place: &Emphasis| match place {
                    Emphasis::OfText(text) => screen.contains(text.as_str()),
                    Emphasis::OfPane(_) => screen.contains('→'),
                };
                assert!(card.focus.iter().all(sees), "{what}");
                assert!(screen.contains(&card.title), "{what}");
            }
            class.press("right");
        }
        class.press("q");
    }
}

/// Notes have their own column, or a place below the card, or the end of the card; no word of them is broken.
#[test]
fn notes_stand_beside_the_card_where_there_is_room() {
    let mut class = Class::new((120, 36));
    class.present("counting");
    class.press("right N");
    let notes = class.room().shown().unwrap().notes.clone();
    for size in [(200, 60), (120, 36), (80, 24)] {
        class.resize(size);
        class.press("N N");
        let screen = class.screen();
        let lines = screen.lines();
        let inside = lines.map(|line| line.split(['║', '│']).rev().nth(1).unwrap_or(line));
        let words: Vec<&str> = inside.flat_map(str::split_whitespace).collect();
        let wanted: Vec<&str> = notes.split_whitespace().collect();
        let found = words.windows(wanted.len()).any(|words| words == wanted);
        assert!(found, "{size:?}\n{screen}");
    }
}

/// Frames say one thing each: a double one has the keys, and an arrow is what the card points at.
#[test]
fn the_card_alone_has_the_frame_of_the_keys() {
    let mut class = Class::new((120, 36));
    class.press("L 3 right right");
    let screen = class.screen();
    let doubles = |screen: &str| screen.matches('╔').count();
    assert_eq!(doubles(&screen), 1, "{screen}");
    assert!(screen.contains("┌→Edges of S2"), "{screen}");
    class.press("?");
    assert_eq!(doubles(&class.screen()), 1, "{}", class.screen());
    class.press("esc tab");
    let screen = class.screen();
    assert_eq!(doubles(&screen), 1, "{screen}");
    assert!(!screen.contains("Card 3 of"), "{screen}");
}

/// On a small screen a question is seen whole before it is answered, without a key.
#[test]
fn questions_are_seen_on_a_small_screen() {
    let mut class = Class::new((80, 24));
    class.present("components");
    for _ in 1..=7 {
        while !class.room().finished {
            if class.room().asks() {
                let screen = class.screen();
                assert!(!screen.contains("PgDn: more"), "{screen}");
                assert!(screen.contains(" > "), "{screen}");
            }
            class.press("right");
        }
        class.press("n");
    }
}

/// Behind the end of a lesson stands the next one, and the clock of the class goes on.
#[test]
fn a_class_goes_on_from_lesson_to_lesson() {
    let mut class = Class::new((120, 36));
    class.present("components");
    class.send(Msg::Tick(60_000));
    for title in [
        "names",
        "counting",
        "choices",
        "renaming",
        "savings",
        "counterexample",
        "data",
        "every-n",
    ] {
        while !class.room().finished {
            class.press("right");
        }
        let screen = class.screen();
        assert!(
            screen.contains("Enter goes on with the next lesson"),
            "{screen}"
        );
        assert!(screen.contains("Enter next lesson"), "{screen}");
        class.press("enter");
        assert_eq!(class.room().lesson().id, title);
        assert_eq!(class.room().card, 0);
    }
    class.send(Msg::Tick(125_000));
    let screen = class.screen();
    assert!(
        screen.contains("class 2:05 · 1:05 since the start"),
        "{screen}"
    );
    assert!(class.room().class.following.is_empty());
    while !class.room().finished {
        class.press("right");
    }
    assert!(
        class.screen().contains("Enter leaves the lesson"),
        "{}",
        class.screen()
    );
    // Notes on a second terminal follow the process, not one lesson.
    let told: Vec<_> = class.kept.iter().map(|kept| kept.id.as_str()).collect();
    assert!(
        told.contains(&"components") && told.contains(&"savings"),
        "{told:?}"
    );
}
