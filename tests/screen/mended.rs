//! Faults that random keys have found, or that were seen while looking for some, each once more.

use super::session::Screen;
use super::support::script;

/// Two processes without anything in common.
const TWO: &str = "channel a, b, c, d\nP = a -> b -> P\nQ = c -> d -> STOP\n";

/// The way that is found belongs to the process that was searched, wherever the person has gone meanwhile.
#[test]
fn a_search_that_comes_back_while_another_process_is_shown() {
    let mut screen = Screen::open_at(&script("search_elsewhere.csp", TWO), Some("P"));
    screen.press("m a enter");
    screen.open("Q");
    screen.press("enter f down");
    screen.write("deadlock");
    // Nothing is waited for: the answer finds the person at P.
    for key in ["enter", "'", "a"] {
        screen.key(key);
    }
    assert_eq!(screen.session().history.process(), "P");
    screen.settle();
    assert_eq!(screen.session().history.process(), "Q", "{}", screen.text());
    assert!(
        screen.text().contains("found after 2 steps"),
        "{}",
        screen.text()
    );
    screen.compare();
    screen.press("B B");
    screen.compare();
}
