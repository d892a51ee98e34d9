//! `orbitscope lesson`: what it says of lessons, without a terminal.

use crate::support::{orbitscope, script};

#[test]
fn the_lessons_are_listed_and_checked() {
    let listed = orbitscope(&["lesson", "list"], b"");
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(
        listed.stdout.starts_with(" 1  components"),
        "{}",
        listed.stdout
    );
    assert!(listed.stdout.lines().count() >= 7);
    let checked = orbitscope(&["lesson", "check"], b"");
    assert_eq!(
        checked.code,
        Some(0),
        "{}{}",
        checked.stdout,
        checked.stderr
    );
    let sound = checked
        .stdout
        .lines()
        .filter(|line| line.ends_with("all claims hold"));
    // The seven of the class, and the tour.
    assert_eq!(sound.count(), 8, "{}", checked.stdout);
}

#[test]
fn mistakes_are_told_by_place() {
    let path = script(
        "broken_lesson.ron",
        "Lesson(\n  version: 1, id: \"x\", title: \"x\", model: \"builtin:rign\",\n  cards: [Card(sey: \"x\", do: [\"veiw orbit\"])],\n)\n",
    );
    let path = path.display().to_string();
    let checked = orbitscope(&["lesson", "check", &path], b"");
    assert_eq!(checked.code, Some(1));
    let places: Vec<&str> = checked
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix(path.as_str()))
        .collect();
    assert!(
        places[0].starts_with(":2:44: ") && places[0].contains("did you mean `ring`?"),
        "{places:?}"
    );
    assert!(
        places
            .iter()
            .any(|line| line.starts_with(":3:16: ") && line.contains("`say`")),
        "{places:?}"
    );
    assert!(
        places
            .iter()
            .any(|line| line.starts_with(":3:32: ") && line.contains("view")),
        "{places:?}"
    );
    let run = orbitscope(&["lesson", "run", &path], b"");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains(":2:44: "), "{}", run.stderr);
}

#[test]
fn what_is_not_there_is_told() {
    let unknown = orbitscope(&["lesson", "run", "countin"], b"");
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("did you mean `counting`?"),
        "{}",
        unknown.stderr
    );
    let terminal = orbitscope(&["lesson", "run", "counting"], b"");
    assert!(
        terminal.stderr.contains("needs a terminal"),
        "{}",
        terminal.stderr
    );
    let none = orbitscope(&["lesson", "check", "no/such.ron"], b"");
    assert_eq!(none.code, Some(1));
    assert!(none.stdout.contains("no/such.ron: "), "{}", none.stdout);
    let folder = orbitscope(&["lesson", "list", "--dir", "no/such"], b"");
    assert_eq!(folder.code, Some(2));
    let notes = orbitscope(&["lesson", "notes", "counting"], b"");
    assert_eq!(notes.code, Some(0));
    assert!(notes.stdout.contains("Card 9 of 9"), "{}", notes.stdout);
}
