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
    // The seven of the class, two about every size, and the tour.
    assert_eq!(sound.count(), 10, "{}", checked.stdout);
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

/// The lesson that the manual shows is one, and each of its lines works.
#[test]
fn the_example_of_the_manual_is_sound() {
    let page = include_str!("../../assets/manual/lessons.md");
    let (_, from) = page.split_once("```ron\n").unwrap();
    let (example, _) = from.split_once("```").unwrap();
    let path = script("two_nodes.ron", example);
    let checked = orbitscope(&["lesson", "check", &path.display().to_string()], b"");
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.contains("3 cards"), "{}", checked.stdout);
}

/// What an author gets wrong first: an event without its command, a key in the place of a command, another process
/// than was expected, and a pane or a text that is not on the screen.
#[test]
fn first_mistakes_of_authors_are_told_with_a_way_out() {
    let told = |card: &str| {
        let text = format!(
            "Lesson(version: 1, id: \"x\", title: \"x\", model: \"builtin:ring\", cards: [Card(say: \"x\", {card})])"
        );
        let path = script("author.ron", text);
        let checked = orbitscope(&["lesson", "check", &path.display().to_string()], b"");
        assert_eq!(checked.code, Some(1), "{}", checked.stdout);
        checked.stdout
    };
    let says = |card: &str, what: &str| {
        let told = told(card);
        assert!(told.contains(what), "{told}");
    };
    says(
        "do: [\"init.N0.A.N1\"]",
        "`take init.N0.A.N1` takes an event",
    );
    says(
        "ask: Press(q: \"?\", command: \"u\", why: \"w\")",
        "it is a key of `undo`",
    );
    says("do: [\"take init.N0.A.N1\"]", "of Ring)");
    says(
        "focus: [\"N9\"]",
        "card 1: `focus`: the screen does not show `N9`",
    );
    says(
        "focus: [\"pane:steps\"]",
        "the view Animate does not show the pane `Steps`",
    );
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

/// Lines of a card, and keys among them, that reach outside of the screen: each is refused, and nothing is there then.
#[test]
fn a_lesson_writes_nothing() {
    let lines = [
        (
            "write lesson_writes.run.ron",
            "write the walk to lesson_writes",
        ),
        ("key W", "write the walk to a file"),
        ("yank state", "copy the state to the clipboard"),
        ("key y f s", "write the state to a new file"),
    ];
    for (n, (line, what)) in lines.into_iter().enumerate() {
        let text = format!(
            "Lesson(\n  version: 1, id: \"w\", title: \"w\", model: \"builtin:ring\", minutes: 1,\n  \
             cards: [Card(title: \"a\", say: \"a\", do: [\"random 2\", \"{line}\"])],\n)\n"
        );
        let path = script(&format!("lesson_writes_{n}.ron"), text);
        let checked = orbitscope(&["lesson", "check", &path.display().to_string()], b"");
        assert_eq!(checked.code, Some(1), "{line}: {}", checked.stdout);
        let says = format!("a lesson may not {what}");
        assert!(checked.stdout.contains(&says), "{line}: {}", checked.stdout);
    }
    assert!(!std::path::Path::new("lesson_writes.run.ron").exists());
}

/// The same lines in a script of commands.
#[test]
fn a_script_writes_only_where_that_is_allowed() {
    let to = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("script_writes.run.ron");
    let _ = std::fs::remove_file(&to);
    let lines = format!("random 2\nwrite {}\n", to.display());
    let run = |lines: &str, more: &[&str]| {
        let args = ["open", "builtin:ring", "--script", "-"];
        orbitscope(&[&args, more].concat(), lines.as_bytes())
    };
    for refused in [lines.as_str(), "random 2\nkey W\n", "random 2\nkey y f s\n"] {
        let ran = run(refused, &[]);
        assert_eq!(ran.code, Some(2), "{refused}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("only with --allow-writes"),
            "{}",
            ran.stderr
        );
    }
    assert!(!to.exists());
    assert_eq!(run(&lines, &["--allow-writes"]).code, Some(0));
    assert!(to.exists());
}
