//! The program in a real (pseudo) terminal, from start to end, as a newcomer would use it.

use std::time::Duration;

use crate::pty::{Terminal, project};
use crate::support::tiers;

#[test]
fn a_session_with_the_running_example() {
    let mut terminal = Terminal::start(project(), "models/list_stack.csp");
    terminal.wait("step 0/0");
    terminal.wait("Thread(T0)");
    for step in 1..=10 {
        terminal.press("\r");
        terminal.wait(&format!("step {step}/{step}"));
        // Shown once the transitions of the new state are known.
        terminal.wait("takes:");
        terminal.wait_until("an answer", |s| !s.contains("computing"));
    }
    terminal.press("u");
    terminal.wait("step 9/10");
    terminal.wait("takes:");
    terminal.press("o");
    terminal.wait("> tau");
    terminal.press("o");
    terminal.wait("> x1  tau");
    terminal.press("w");
    terminal.wait("ORBIT");
    terminal.wait("step 1  control state");
    terminal.press("$");
    terminal.wait("the only possible one");
    terminal.wait("permutation");
    terminal.press("4");
    terminal.wait("Assertions");
    terminal.press("a");
    terminal.wait("99,429");
    terminal.wait("287,502");
    terminal.wait("It holds.");
    terminal.resize(80, 24);
    terminal.wait("What it means");
    terminal.press("1");
    terminal.wait("[1 Animate]");
    terminal.resize(40, 10);
    terminal.wait("too small");
    terminal.resize(120, 36);
    terminal.wait("[1 Animate]");
    terminal.press("q");
    terminal.wait("EXIT=0");
    terminal.wait("RESTORED");
    assert!(
        !terminal.screen.screen().alternate_screen(),
        "the alternate screen is left"
    );
    assert!(
        !terminal.screen.screen().hide_cursor(),
        "the cursor is back"
    );
}

/// The last frame of what is played is drawn, and says that nothing is played any more.
#[test]
fn playing_ends_at_the_result() {
    let mut terminal = Terminal::start(project(), "models/example37.csp");
    terminal.wait("started after 4 steps");
    terminal.press("2");
    terminal.wait("step 1/9");
    terminal.press("p++++");
    terminal.wait("step 9/9");
    terminal.wait_until("the end", |screen| {
        screen.contains("step 9/9") && !screen.contains("playing")
    });
}

/// Values and a ring of cells at once: what is compared, and what the Symmetry view turns, is one group.
#[test]
fn a_ring_of_data_is_compared_and_turned() {
    let mut terminal = Terminal::start(project(), "tests/data/symmetry/ring_of_data.csp");
    terminal.wait("step 0/0");
    terminal.wait("D(3) structure(18)");
    terminal.press("\r");
    terminal.wait("step 1/1");
    terminal.wait("takes:");
    terminal.press("ma");
    terminal.wait("'a marks step 1");
    terminal.press("u");
    terminal.wait("step 0/1");
    terminal.wait("takes: put.0.A");
    // The fifth single transition: into another cell, with another value.
    terminal.press("o");
    terminal.press("jjjj");
    terminal.wait("takes: put.1.B");
    terminal.press("\r");
    terminal.wait("step 1/1");
    terminal.wait("orbit met at 'a");
    terminal.press("ca");
    terminal.wait("[3 Compare]");
    terminal.wait("Same orbit, one representative");
    let verdict = "That is by D (3) and the structure of the network (rotation of 3); by D (3) alone: different orbits.";
    terminal.wait_until(verdict, |screen| {
        let words: Vec<&str> = screen
            .split(['│', '║', '\n', ' '])
            .filter(|w| !w.is_empty())
            .collect();
        words.join(" ").contains(verdict)
    });
    // Strategies for values, after those for structure: they have their own orbits.
    terminal.press("AAAA");
    terminal.wait("Different orbits. That is by D (3);");
    // Their steps are not those of the representative that other views show, nor of checks.
    terminal.press("\r");
    terminal.wait("[2 Orbit]");
    terminal.wait("strategy ordering, by values alone");
    terminal.wait("by values alone: other views go by the structure, too");
    terminal.press("8");
    terminal.wait("group      S3 x C3, of order 18");
    // It opens at the generator that turns the ring.
    terminal.wait("generator 2 of 2");
    terminal.wait("applied 0 of 3");
    terminal.press("p");
    terminal.wait("applied 2 of 3");
    terminal.press("q");
    terminal.press("q");
}

#[test]
fn a_counterexample_is_animated() {
    let mut terminal = Terminal::start(project(), "models/stack_aba.csp");
    terminal.wait("step 0/0");
    terminal.press("4");
    terminal.wait("Assertions");
    terminal.press("x");
    terminal.wait("FAIL");
    terminal.wait("The implementation performs");
    terminal.press("\r");
    terminal.wait("the counterexample is a branch of the history");
    terminal.press("12u");
    terminal.wait("step 5/17");
    terminal.wait("push.T0.A");
    terminal.press("q");
    terminal.wait("EXIT=0");
    terminal.wait("RESTORED");
}

/// Ten components of 20,000 local states each: for some time nothing is searched yet.
const LONG: &str = "channel c, d : {0..9}\nSmall = c.0 -> Small\n\
                    Q(i, n) = c.i -> Q(i, (n+1)%20000) [] d.i -> Q(i, (n*7+1)%20000)\n\
                    Many = ||| i : {0..9} @ Q(i, i*1000)\nassert Many :[deadlock free]\n";

#[test]
fn what_compiles_for_long_shows_how_far_it_is() {
    let script = crate::support::script("long_compiling.csp", LONG);
    let mut terminal = Terminal::start(project(), &format!("{} Small", script.display()));
    terminal.wait("step 0/0");
    terminal.press("4");
    terminal.wait("What is asked  #1");
    terminal.press("x");
    terminal.wait("local states so far");
    terminal.wait("no state has been searched yet");
    terminal.press("X");
    terminal.wait("cancelled");
    terminal.press("\x03");
    terminal.wait("RESTORED");
}

#[test]
fn a_script_with_an_error_is_shown_and_left() {
    let folder = std::env::temp_dir().join(format!("orbitscope-terminal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("wrong.csp");
    std::fs::write(&path, "channel a\nP = a -> Q\n").expect("a file");
    let mut terminal = Terminal::start(&folder, "wrong.csp");
    terminal.wait("wrong.csp:2:10");
    terminal.press("\x03");
    terminal.wait("EXIT=");
    terminal.wait("RESTORED");
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
}

#[test]
fn a_trace_leads_to_the_state_of_example_37() {
    let mut terminal = Terminal::start(project(), "models/example37.csp");
    terminal.wait("started after 4 steps");
    terminal.wait("Node(N3, A, N4)");
    terminal.wait("1,440 states");
    terminal.press("w");
    terminal.wait("step 2.1  split block 2");
    terminal.press("]");
    terminal.wait("before");
    terminal.press("q");
    terminal.wait("[1 Animate]");
    terminal.press("\x03");
    terminal.wait("RESTORED");
}

/// A key that arrives in the same moment as a change of size is read at once, not with the next key.
#[test]
fn keys_that_arrive_with_a_resize_are_not_left_waiting() {
    let mut terminal = Terminal::start(project(), "models/two_buffers.csp");
    terminal.wait("takes:");
    for round in 0..40 {
        terminal.resize(if round % 2 == 0 { 110 } else { 120 }, 36);
        let (key, tab) = if round % 2 == 0 {
            ("4", "[4 Check]")
        } else {
            ("1", "[1 Animate]")
        };
        terminal.press(key);
        terminal.wait(tab);
    }
    terminal.press("\x03");
    terminal.wait("RESTORED");
}

/// Whenever the terminal gets another size while the screen starts, it is drawn at that size.
#[test]
fn another_size_in_the_moment_of_the_start_is_not_lost() {
    for n in 0..64 {
        let mut terminal = Terminal::start(project(), "models/two_buffers.csp");
        // It asks for the size after what it writes first, and listens after the first frame.
        while terminal.written.is_empty() {
            terminal.shows(Duration::from_millis(1), |_| false);
        }
        std::thread::sleep(Duration::from_micros(100) * n);
        terminal.resize(80, 24);
        // At the right edge, so it would be cut off at another size.
        terminal.wait("q quit");
        terminal.press("\x03");
        terminal.wait("RESTORED");
    }
}

/// A counterexample is saved in the Check view, and opened by the next start of the program.
#[test]
fn a_counterexample_is_saved_and_opened_again() {
    let folder = std::env::temp_dir().join(format!("orbitscope-saved-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("stack.csp");
    std::fs::copy(project().join("models/stack_aba.csp"), &script).expect("a script");
    let mut terminal = Terminal::start(&folder, "stack.csp");
    terminal.wait("step 0/0");
    terminal.press("4");
    terminal.wait("Assertions");
    terminal.press("x");
    terminal.wait("FAIL");
    for name in ["stack-1.run.ron", "stack-1-2.run.ron"] {
        terminal.press("e");
        terminal.wait(&format!("saved to {name}"));
        assert!(folder.join(name).is_file(), "{name}");
    }
    terminal.press("\x03");
    terminal.wait("RESTORED");

    let mut terminal = Terminal::start(&folder, "stack.csp --counterexample stack-1.run.ron");
    // It stands where it would after its check: at what goes wrong.
    terminal.wait("the counterexample is a branch of the history: u goes back along it");
    terminal.press("j");
    terminal.wait("VIOLATION: end of the counterexample, 17 of 17");
    terminal.press("12u");
    terminal.wait("step 5/17");
    terminal.wait("push.T0.A");
    terminal.press("\x03");
    terminal.wait("RESTORED");

    let text = std::fs::read_to_string(&script).expect("the script is there");
    std::fs::write(&script, text.replace("Null | N0", "Null | M0 | N0")).expect("it is changed");
    let mut terminal = Terminal::start(&folder, "stack.csp --counterexample stack-1.run.ron");
    terminal.wait("E0812");
    terminal.wait("EXIT=1");
    terminal.wait("RESTORED");
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
}

/// Sequences that the program never writes: lines down, hidden text, a title, a reset; bells, C1, DEL, and
/// marks that turn text.
const EVIL: &str =
    "\u{1b}[3E\u{1b}[8m\u{1b}]0;evil\u{7}\u{1b}c\u{9b}3G\u{85}\u{7f}\u{202e}\u{2066}";

/// What is left of what a terminal got without the sequences that the program draws with.
fn without_drawing(written: &str) -> String {
    let mut pieces = written.split('\u{1b}');
    let mut left = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.strip_prefix('[').and_then(|p| {
            let length = p.find(|c: char| !matches!(c, '\u{20}'..='\u{3f}'))?;
            let (numbers, end) = (&p[..length], &p[length..]);
            let own = end.starts_with(['H', 'J', 'K', 'm', 'h', 'l', 'A', 'B', 'C', 'D', 'G', 'd']);
            (own && numbers != "8").then(|| &end[1..])
        });
        // The questions for the background and for what the terminal is.
        let asked = || {
            let background = piece.strip_prefix("]11;?\u{7}");
            background.or_else(|| piece.strip_prefix("[c"))
        };
        let rest = rest.or_else(|| piece.strip_prefix("(B")).or_else(asked);
        left += &rest.map_or_else(|| format!("\u{1b}{piece}"), str::to_owned);
    }
    left
}

#[test]
fn no_script_and_no_name_reaches_the_terminal_as_it_is() {
    if !tiers::has_time("screen terminal::no_script_and_no_name_reaches_the_terminal_as_it_is") {
        return;
    }
    let name = format!("{EVIL} harmless.csp");
    let text = format!(
        "datatype D = A | B -- {EVIL}\nchannel a : D\nP(s, d) = a.d -> (if s == \"\" then STOP else P(s, d))\n\
         Q = P(\"{EVIL}\", A)\nprint \"{EVIL}\"\nassert Q [T= P(\"{EVIL}\", B)\n"
    );
    let path = crate::support::script(&name, text);
    let file = path.display().to_string();
    assert!(!file.contains('\''), "{file}");
    let mut terminal = Terminal::start(project(), &format!("'{file}' Q"));
    terminal.wait("step 0/0");
    for key in [
        "\r", "w", "1", "S", "\u{1b}", "4", "a", "x", "?", "\u{1b}", "1",
    ] {
        terminal.press(key);
        terminal.settled();
    }
    terminal.press("q");
    terminal.wait("EXIT=0");
    // A process that there is not, an event that there is not, a script with an error.
    for arguments in [
        format!("'{file}' '{EVIL}'"),
        format!("'{file}' Q --trace '<{EVIL}>'"),
        format!("'{file}' Q --counterexample '{EVIL}'"),
    ] {
        let mut other = Terminal::start(project(), &arguments);
        other.settled();
        other.press("\u{3}");
        other.settled();
        terminal.written.extend(&other.written);
    }
    let written = String::from_utf8_lossy(&terminal.written);
    assert!(written.contains("\\u{1b}"), "it is shown, escaped");
    let left = without_drawing(&written);
    let marks = |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let obeyed = |c: char| !matches!(c, '\n' | '\r') && (c.is_control() || marks(c));
    let at = left.find(obeyed).unwrap_or(left.len());
    assert!(
        at == left.len(),
        "{:?}",
        left[at..].chars().take(60).collect::<String>()
    );
}
