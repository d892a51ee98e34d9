//! Names that the program makes for itself never reach a person: what is shown is named as in the script, and
//! where several things have one name there, by place or in words.

use serde_json::Value;

use super::support::{orbitscope, repository, script};

/// States of one definition that begin with the same channel, clauses, copies, and definitions of one name.
const SCRIPT: &str = "channel a, b : {0..1}
P = a.0 -> (b.0 -> a.0 -> b.0 -> P [] a.1 -> b.1 -> STOP)
Q = P ||| P ||| P
Perform(0) = a.0 -> Perform(1)
Perform(n) = b.1 -> Perform(n - 1)
R = let X = a.0 -> b.0 -> X within X
S = let X = a.1 -> b.1 -> X within X
assert Q ||| Perform(0) ||| R ||| S :[divergence free]
assert a.0 -> STOP [T= Q
assert STOP [T= (let Y = b.0 -> a.0 -> b.0 -> b.1 -> Y within Y)
";

fn run(args: &[&str]) -> String {
    let ran = orbitscope(args, b"");
    ran.stdout + &ran.stderr
}

/// What looks like a name that a program has made: `Perform#2`, `given__expression`.
fn made(text: &str) -> Option<&str> {
    let numbered = |line: &str| {
        let mut pieces = line.split('#');
        pieces.next();
        pieces.any(|piece| piece.starts_with(|c: char| c.is_ascii_digit()))
    };
    text.lines()
        .find(|line| line.contains("__") || numbered(line))
}

/// An explanation without the path to its state, whose steps have numbers where an event leads to several states.
fn without_path(shown: &str) -> String {
    if let Ok(mut document) = serde_json::from_str::<Value>(shown) {
        document["path"].take();
        return document.to_string();
    }
    let (heading, rest) = shown.split_once('\n').expect("a heading");
    let (process, _) = heading.split_once(" after ").expect("a path");
    format!("{process}\n{rest}")
}

#[test]
fn states_and_components_have_names_of_the_script() {
    let path = script("plain-names.csp", SCRIPT);
    let script = path.to_str().expect("a path is text");
    let mut shown = String::new();
    let all = "Q ||| Perform(0) ||| R ||| S";
    for steps in ["0", "1", "2", "3", "5", "8"] {
        for form in ["text", "json"] {
            let args = ["explain", script, all, "--random", steps, "--format", form];
            shown += &without_path(&run(&args));
        }
    }
    shown += &run(&["explain", script, "P", "--trace", "<a.0, a.1>"]);
    for form in ["text", "json"] {
        shown += &run(&["check", script, "--format", form]);
        shown += &run(&["typecheck", "--types", script, "--format", form]);
        shown += &run(&["graph", script, all, "--max-states", "40"]);
    }
    assert_eq!(made(&shown), None);
    // States that begin alike, clauses, and copies in words.
    for name in ["P.b.4th", "Perform.2nd(", "P[2nd]"] {
        assert!(shown.contains(name), "no {name}\n{shown}");
    }
}

/// An expression that is given beside the script is called as it is written, whatever is wrong with it.
#[test]
fn a_given_expression_is_called_as_it_is_written() {
    let wrong = [
        "System ||| 3",
        "let X = push.T0 -> X within X",
        "foo",
        "STOP [] (1 / 0 == 0 & STOP)",
        "let P(n) = P(n + 1) within P(0)",
        "System [[push <- 3]]",
        "(",
        "if head(<>) then STOP else SKIP",
        "\\ x @ STOP",
        "let q = 5 r = 7 within STOP",
    ];
    let model = repository("models/list_stack.csp");
    let model = model.to_str().expect("a path is text");
    for expression in wrong {
        let shown = run(&["explain", model, expression, "--timeout", "4s"]);
        assert!(!shown.is_empty());
        assert_eq!(made(&shown), None, "{expression}");
    }
}
