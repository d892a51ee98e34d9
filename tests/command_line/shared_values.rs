//! Values that share their parts: small, while their text would fill any memory.

use crate::support::{Ran, orbitscope, script};
use std::fmt::Write;

/// Doublings: so many that no text and no walk that goes through all of it ends.
const DOUBLINGS: usize = 40;

/// Functions `f0` and so on, each of which puts its argument together twice as `pair` says and hands it on.
fn doubling(pair: &str) -> String {
    let mut text = String::new();
    for n in 0..DOUBLINGS {
        let _ = writeln!(text, "f{n}(x) = f{}({pair})", n + 1);
    }
    let _ = writeln!(text, "f{DOUBLINGS}(x) = x");
    text
}

fn run(command: &[&str], name: &str, text: &str) -> Ran {
    let path = script(name, text).display().to_string();
    let at = command.iter().position(|part| *part == "SCRIPT");
    let mut args = command.to_vec();
    args[at.expect("a place for the script")] = &path;
    // Far more than this takes, and less than anybody would wait.
    args.extend(["--timeout", "300s"]);
    orbitscope(&args, b"")
}

#[test]
fn what_is_printed_is_cut_with_its_size() {
    for (name, pair, close) in [
        ("tuple", "(x, x)", ")"),
        ("sequence", "<x, x>", ">"),
        ("set", "{(x, 1), (x, 2)}", "}"),
        ("map", "mapUpdate(mapUpdate(emptyMap, 1, x), 2, x)", " |)"),
    ] {
        let text = format!("{}print f0(1)\n", doubling(pair));
        let ran = run(&["check", "SCRIPT"], &format!("shared_{name}.csp"), &text);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.stdout, ran.stderr);
        let line = ran.stdout.lines().next().unwrap_or_default();
        assert!(line.len() < 50_000, "{name}: {} bytes", line.len());
        assert!(line.ends_with(&format!(" values{close}")), "{name}: {line}");
        if name == "tuple" {
            // One half of 2^40 is left out at once.
            assert!(line.ends_with(", … 549,755,813,888 values)"), "{line}");
        }
    }
    // What fits is written out, whatever it shares.
    let ran = run(
        &["check", "SCRIPT"],
        "shared_little.csp",
        "f(x) = (x, x)\nprint f(f(f(<1..3>)))\nprint <1..2000>\n",
    );
    assert!(!ran.stdout.contains('…'), "{}", ran.stdout);
    assert!(ran.stdout.contains("1999, 2000>"), "{}", ran.stdout);
}

/// A text that is cut would be that of other values, too.
#[test]
fn show_gives_the_whole_text_or_an_error() {
    let text = format!(
        "{}print show(f0(1))\nprint show((1, 2))\n",
        doubling("(x, x)")
    );
    let ran = run(&["check", "SCRIPT"], "shared_show.csp", &text);
    assert!(ran.stderr.contains("E0403"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"(1, 2)\""), "{}", ran.stdout);
}

#[test]
fn equal_values_are_compared_part_by_part_and_each_once() {
    let text = format!(
        "{}print f0(tail(<0..100>)) == f0(<1..100>)\nprint f0(tail(<0..100>)) == f0(<1..101>)\n\
         print f0(tail(<0..100>)) <= f0(<1..101>)\n",
        doubling("(x, x)")
    );
    let ran = run(&["check", "SCRIPT"], "shared_equal.csp", &text);
    let values: Vec<&str> = (ran.stdout.lines())
        .filter_map(|line| line.rsplit_once(": ").map(|(_, value)| value))
        .collect();
    assert_eq!(values, ["true", "false", "true"], "{}", ran.stderr);
}

#[test]
fn a_set_of_shared_sets_is_counted_and_asked_once() {
    let mut text = String::from("nametype N0 = {0..999}\n");
    for n in 0..DOUBLINGS {
        let _ = writeln!(text, "nametype N{} = (N{n}, N{n})", n + 1);
    }
    let _ = write!(
        text,
        "{}print member(f0(1), N{DOUBLINGS})\nprint member(f0(1000), N{DOUBLINGS})\n",
        doubling("(x, x)")
    );
    let ran = run(&["check", "SCRIPT"], "shared_member.csp", &text);
    let says = |value| ran.stdout.lines().filter(|l| l.ends_with(value)).count();
    let both = (says(": true"), says(": false"));
    assert_eq!(both, (1, 1), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn states_with_such_values_are_shown_everywhere() {
    let text = format!(
        "channel a\n{}P(v) = a -> P(v)\nQ = P(f0(1))\nassert Q :[deadlock free]\nassert STOP [T= Q\n",
        doubling("(x, x)")
    );
    let json = &["--format", "json"];
    for (command, code) in [
        (&["check", "SCRIPT"][..], 1),
        (&["explain", "SCRIPT", "Q", "<a>"], 0),
        (&["structure", "SCRIPT", "Q", "<a>"], 0),
        // Nothing is symmetric there.
        (&["compare", "SCRIPT", "Q", "<a>", "<a, a>"], 3),
        (&["graph", "SCRIPT", "Q"], 0),
        (&["find", "SCRIPT", "Q", "deadlock"], 1),
        (&["replay", "SCRIPT", "<a, a>", "--process", "Q"], 0),
    ] {
        for options in [&[][..], json] {
            let command = [command, options].concat();
            let ran = run(&command, "shared_states.csp", &text);
            let says = &ran.stdout[..ran.stdout.len().min(2000)];
            assert_eq!(ran.code, Some(code), "{command:?}: {says}{}", ran.stderr);
            assert!(
                ran.stdout.len() < 200_000,
                "{command:?}: {}",
                ran.stdout.len()
            );
        }
    }
}

/// Each place of such a value would be permuted for itself: that is refused, and nothing is concluded.
#[test]
fn values_of_symmetric_types_in_too_many_places_are_refused() {
    let text = format!(
        "datatype T = A | B | C\nchannel a : T\n{}P(v) = a?x -> P(v)\nQ = a?x -> P(f0(x))\n\
         assert Q :[deadlock free]\n",
        doubling("(x, x)")
    );
    let ran = run(&["check", "SCRIPT"], "shared_atoms.csp", &text);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    let says = ran.stdout.clone() + &ran.stderr;
    assert!(says.contains("too often to be permuted"), "{says}");
    let ran = run(
        &["check", "--no-symmetry", "SCRIPT"],
        "shared_atoms.csp",
        &text,
    );
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}
