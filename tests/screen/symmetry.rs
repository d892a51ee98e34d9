//! What is said of symmetry is said of what is on the screen: the open process, or the selected
//! assertion, and not of the script as a whole.

use orbitscope::tui::app::Msg;

use super::session::Screen;
use super::support::{repository, script};

/// Processes that are symmetric in two types, in one, in none, on trust only, and not in the network.
const DIFFERENT: &str = "\
datatype D = A | B | C
datatype E = X | Y
channel d : D
channel e : E
Both = d?x -> e?y -> Both
One = d?x -> e.X -> One
None = d.A -> d.B -> e.X -> None
copied = e.X -> STOP
Copies = ||| i : {1, 2, 3} @ copied
assert Both :[deadlock free]
assert None :[deadlock free]
assert Both [T= One
assert Both :[symmetric]: D
assert Both :[has trace]: <d.A>
";

fn opened(name: &str, process: &str) -> Screen {
    Screen::open_at(&script(name, DIFFERENT), Some(process))
}

/// The last line but one.
fn status(screen: &Screen) -> String {
    let text = screen.text();
    let mut lines = text.lines().rev();
    lines.nth(1).unwrap_or_default().to_owned()
}

/// The last part of the status line.
fn last(screen: &Screen) -> String {
    let status = status(screen);
    let part = status.rsplit(" | ").next().unwrap_or_default();
    let part = part.trim_end().rsplit("  ").next();
    part.unwrap_or_default().to_owned()
}

#[test]
fn the_status_line_speaks_of_the_open_process() {
    let mut screen = opened("status_line.csp", "Both");
    for (process, said) in [
        ("Both", "D(3) E(2)"),
        ("One", "D(3)"),
        ("None", "not reduced"),
        ("Copies", "copies(3)"),
        ("Both", "D(3) E(2)"),
    ] {
        screen.open(process);
        assert_eq!(last(&screen), said, "{process}: {}", screen.text());
        screen.press("2");
        assert_eq!(last(&screen), said, "{process}: {}", screen.text());
    }
    // Along the history back to other processes.
    screen.open("One");
    screen.press("B");
    let process = screen.session().history.process().to_owned();
    let said = match process.as_str() {
        "Both" => "D(3) E(2)",
        "One" => "D(3)",
        "Copies" => "copies(3)",
        _ => "not reduced",
    };
    assert_eq!(last(&screen), said, "{process}: {}", screen.text());
}

#[test]
fn the_symmetry_window_speaks_of_the_open_process() {
    let mut screen = opened("symmetry_window.csp", "Both");
    screen.press("V");
    let text = screen.text();
    assert!(text.contains("Symmetry of Both"), "{text}");
    assert!(
        text.contains("Reduced over D (3), E (2): group of order 12"),
        "{text}"
    );
    assert!(text.contains("Verified"), "{text}");
    assert!(!text.contains("not A"), "{text}");
    screen.press("esc");
    screen.open("One");
    screen.press("V");
    let text = screen.text();
    assert!(
        text.contains("Reduced over D (3): group of order 6"),
        "{text}"
    );
    assert!(text.contains("not X: named here at"), "{text}");
    assert!(!text.contains("not A"), "{text}");
    screen.press("esc");
    screen.open("None");
    screen.press("V");
    let text = screen.text();
    assert!(text.contains("Not reduced"), "{text}");
    assert!(text.contains("not A: named here at"), "{text}");
}

#[test]
fn the_check_view_speaks_of_the_selected_assertion() {
    let mut screen = opened("selected_assertion.csp", "None");
    screen.press("4");
    let expected = [
        (
            "planned: D(3) E(2)",
            "Reduced over D (3), E (2): group of order 12, strategy",
        ),
        ("no symmetric type", "Not reduced"),
        (
            "planned: D(3)",
            "Reduced over D (3): group of order 6, strategy",
        ),
        ("decided by the text", "Decided by the text"),
        ("not reduced", "only what the trace leads to"),
    ];
    for (at, (before, after)) in expected.into_iter().enumerate() {
        let text = screen.text();
        assert!(status(&screen).contains(before), "{at}: {text}");
        assert!(text.contains("Not checked yet"), "{at}: {text}");
        screen.press("x");
        let text = screen.text();
        assert!(text.contains(after), "{at}: {text}");
        assert!(!status(&screen).contains("planned"), "{at}: {text}");
        screen.press("V");
        let text = screen.text();
        assert!(text.contains(after), "{at}: {text}");
        assert!(
            text.contains(&format!("Symmetry of assertion {}", at + 1)),
            "{text}"
        );
        screen.press("esc j");
    }
}

/// Functions such as `seq` see values of `T` in both: in events that only put the network together, and
/// inside of a component.
const TRUST: &str = "\
datatype T = A | B | C
channel c, d : T
P(x) = c.x -> d.x -> P(x)
Listed = (||| x : T @ P(x)) [[ a <- b | (a, b) <- set(seq({(c.x, c.x) | x <- T})) ]]
Inside(x) = c.x -> ( ; e : seq({|d|}) @ e -> SKIP); Inside(x)
Within = ||| x : T @ Inside(x)
Plain = c?x -> d.x -> Plain
assert Listed :[deadlock free]
assert Within :[deadlock free]
assert Plain :[deadlock free]
";

#[test]
fn trust_and_why_there_is_no_better_plan_are_said() {
    let path = script("on_trust.csp", TRUST);
    let mut screen = Screen::open_at(&path, Some("Listed"));
    let on_trust = "On trust: functions such as seq see these values";
    assert!(
        status(&screen).trim_end().ends_with("T(3), on trust"),
        "{}",
        screen.text()
    );
    screen.press("V");
    assert!(screen.text().contains(on_trust), "{}", screen.text());
    screen.press("esc");
    screen.open("Within");
    // The structure needs no trust.
    assert!(last(&screen).starts_with("structure("), "{}", screen.text());
    screen.press("V");
    let text = screen.text();
    assert!(text.contains("Verified: "), "{text}");
    assert!(text.contains("Not by more: "), "{text}");
    screen.press("esc");
    screen.open("Plain");
    assert!(last(&screen) == "T(3)", "{}", screen.text());
    screen.press("4 x");
    assert!(screen.text().contains(on_trust), "{}", screen.text());
    assert!(
        status(&screen).contains("T(3), on trust"),
        "{}",
        screen.text()
    );
    screen.press("j");
    assert!(
        status(&screen).contains("planned: T(3)"),
        "{}",
        screen.text()
    );
    screen.press("x V");
    let text = screen.text();
    assert!(text.contains("Why: "), "{text}");
    assert!(status(&screen).contains("not reduced"), "{text}");
    assert!(
        text.contains("does not say in which order") || text.contains("`seq`"),
        "{text}"
    );
    screen.press("esc j x");
    let text = screen.text();
    assert!(text.contains("Verified: the text names none"), "{text}");
    // Reduction can be switched off, and what is planned changes with it.
    screen.press("o o");
    assert!(
        last(&screen).starts_with("T(3)"),
        "what was checked: {}",
        screen.text()
    );
    screen.press("x");
    assert!(
        screen.text().contains("reduction is switched off"),
        "{}",
        screen.text()
    );
    screen.press("k k");
    assert!(
        status(&screen).contains("T(3), on trust"),
        "{}",
        screen.text()
    );
}

/// Every size shows whose symmetry it is.
#[test]
fn the_status_line_keeps_symmetry_where_there_is_no_room_for_all() {
    let mut screen = Screen::open_at(&repository("models/list_stack.csp"), None);
    for size in [(200, 60), (120, 36), (80, 24)] {
        screen.send(Msg::Resize(size.0, size.1));
        screen.settle();
        let symmetry = "NodeID(6) ThreadID(3) Data(4)";
        assert!(
            status(&screen).contains(symmetry),
            "{size:?} {}",
            screen.text()
        );
    }
    screen.send(Msg::Resize(60, 16));
    screen.press("V");
    assert!(screen.text().contains("Symmetry of"), "{}", screen.text());
    screen.press("esc");
}

/// Where a value is named is told to the end, whatever the width.
#[test]
fn places_are_told_with_their_lines() {
    let mut screen = Screen::open_at(&repository("models/list_stack.csp"), None);
    screen.send(Msg::Resize(80, 24));
    screen.press("V");
    let text: String = screen
        .text()
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{2551}')
        .collect();
    assert!(text.contains("list_stack.csp:64:47"), "{}", screen.text());
}

/// A list that is longer than its pane says where one is in it.
#[test]
fn long_lists_of_transitions_have_a_position() {
    let mut screen = Screen::open_at(&repository("models/example37.csp"), None);
    screen.send(Msg::Resize(80, 24));
    screen.press("o");
    assert!(screen.text().contains("1-5 of 64"), "{}", screen.text());
    screen.press("G");
    assert!(screen.text().contains("60-64 of 64"), "{}", screen.text());
}
