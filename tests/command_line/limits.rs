//! Limits are kept in the middle of long pieces of work, and what they end is told with its place.

use std::time::Duration;

use crate::support::{Ran, orbitscope, script};
use serde_json::Value;

/// Runs `check` with some options on a script of this text; gives also the processor time that it took.
fn check(name: &str, text: &str, options: &[&str]) -> (Ran, Duration) {
    let path = script(name, text).display().to_string();
    // With two threads the time of the processors is at most twice that of the limit.
    let args = [&["check", "--quiet", "--workers", "2"], options, &[&path]].concat();
    let ran = orbitscope(&args, b"");
    let took = ran.processor;
    (ran, took)
}

/// The first check of a run with `--format json`.
fn first(ran: &Ran) -> Value {
    let mut whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    whole["checks"][0].take()
}

/// A component turns into thirteen processes. Their 8,192 states together are not its local states.
#[test]
fn compositions_that_are_taken_apart_are_not_explored_ahead() {
    let text = "datatype T = A | B\nchannel flag : T\nchannel set : {1..13}\nchannel go\n\
        Cell(i) = set.i -> Cell2(i) [] go -> STOP\nCell2(i) = set.i -> Cell(i) [] go -> STOP\n\
        Mem = ([| {go} |] i : {1..13} @ Cell(i)) \\ {| set |}\nSys = flag?x -> Mem\n\
        assert Sys [T= Sys\nassert Sys :[deterministic [F]]\n";
    let mut figures = Vec::new();
    for options in [&[][..], &["--no-symmetry"]] {
        let options = [&["--format", "json", "-a", "1"], options].concat();
        let (ran, _) = check("limits_taken_apart.csp", text, &options);
        let stats = first(&ran)["stats"].take();
        figures.push(["local_states_evaluated", "states"].map(|f| stats[f].as_u64().unwrap_or(0)));
    }
    let [[reduced, states], [unreduced, same]] = figures[..] else {
        panic!("two runs");
    };
    assert!(reduced <= 2 * unreduced, "{reduced} for {unreduced}");
    assert_eq!((states, same), (8_194, 8_194));
}

/// What is offered by one input may be millions of events: they are looked at with the clock in sight.
#[test]
fn an_input_of_ten_million_events_is_given_up() {
    let text = "channel c : {0..3162}.{0..3162}\nQ = c?x?y -> Q\nassert Q :[deadlock free]\n";
    let (ran, took) = check("limits_input.csp", text, &["--timeout", "1s"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stdout);
    assert!(took < Duration::from_secs(6), "{took:?}");
    let says = "the time allowed is over while compiling component Q, at ";
    assert!(ran.stdout.contains(says), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("limits_input.csp:2:5"),
        "{}",
        ran.stdout
    );
}

/// Each state is twice as long as those before: room for them is made only if there is any.
#[test]
fn states_that_grow_keep_to_the_memory_allowed() {
    let text = "channel aout : {1..2}\nchannel a, b\nW2 = a -> b -> SKIP\n\
        Weird(W) = aout!1 -> W [] aout!2 -> Weird((W|||W))\nMAIN = Weird(W2)\n\
        assert MAIN :[deadlock free]\n";
    let options = ["--memory", "150M", "--timeout", "60s", "--format", "json"];
    let (ran, _) = check("limits_doubles.csp", text, &options);
    let check = first(&ran);
    assert_eq!(ran.code, Some(5), "{check:#}");
    let reason = check["reason"].as_str().unwrap_or_default();
    assert!(
        reason.starts_with("memory limit reached while searching, at "),
        "{reason}"
    );
    assert!(reason.ends_with("limits_doubles.csp:6:1"), "{reason}");
    let peak = check["stats"]["peak_bytes"].as_u64();
    if let Some(peak) = peak {
        assert!(peak < 188 << 20, "{} MiB", peak >> 20);
    }
}

/// Whatever a limit ends is told with the component or the part of the check, and with a place.
#[test]
fn what_a_limit_ends_is_named_with_its_place() {
    let many = "channel c : {0..1999}.{0..1999}\n";
    for (name, text, work, place) in [
        (
            "hidden",
            "Q = c?x?y -> Q\nassert Q \\ {|c|} :[divergence free]\n",
            " component Q",
            ":2:5",
        ),
        (
            "specification",
            "channel a, s : {1..40}\nR(i) = s.i -> a.i -> R(i)\nS = (||| i:{1..40} @ R(i)) \\ {|s|}\n\
             assert S [T= STOP\n",
            " the specification",
            ":5:8",
        ),
        (
            "unreached",
            "P(n) = c.0.0 -> P(n+1)\nassert STOP [F= P(0) \\ {c.0.0}\n",
            " while searching",
            ":3:1",
        ),
        (
            "endless",
            "f(n) = if n == 0 then f(1) else f(0) + n - n\ng(n) = f(n+1) + g(n+1)\n\
             h(n, s) = h(n+1, s+n)\nassert (if h(0, 0) == 0 then STOP else SKIP) :[deadlock free]\n",
            ", in `h`",
            ":4:",
        ),
    ] {
        let text = format!("{many}{text}");
        let file = format!("limits_{name}.csp");
        let options = ["--timeout", "1500ms", "--memory", "2G", "--format", "json"];
        let (ran, took) = check(&file, &text, &options);
        assert!(took < Duration::from_secs(8), "{name}: {took:?}");
        let check = first(&ran);
        let reason = check["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(work), "{name}: {check:#}");
        assert!(
            reason.contains(&format!("{file}{place}")),
            "{name}: {reason}"
        );
    }
}

/// Operators that end above compositions that go on make a form of the network for each of its states.
/// None of them may keep the search from looking at the clock.
#[test]
fn a_network_of_many_forms_is_searched_with_the_clock_in_sight() {
    let text = "datatype S = A | B\ndatatype T = X | Y\nchannel a, j : S\nchannel b : S.S\nchannel d : T\n\
        channel h : {0..1}.S\n\
        P0x(v, q) = (j!v -> SKIP) [] ((#q < 2) & (d?t -> P0x(v, (q ^ <t>))))\n\
        P0y(v, q, s) = (((SKIP [] SKIP) [> ((d?t:T -> P0y(v, q, s)) |~| (b?x?y -> SKIP))) [] ((#q != 0) & (j!(head(q)) -> P0y(v, tail(q), s))))\n\
        P1x = (((((j?x -> P0x(x, <>)) /\\ (d?t:({}) -> RUN({| a |}))) |~| (a?x -> P0y(x, <x>, S)))[[d <- d]] [] (STOP [] (h?n?x -> (h.(((n + 1) % 2)).x -> P0x(x, <>))))))\n\
        Y0 = (((|| x:S @ [ union({| b.y.x | y <- S |}, {| j.x, a.x |}) ] P1x) \\ {| b |}) [> (|| x:S @ [ {| j.x, a.x |} ] P0y(x, <x>, {x})))\n\
        assert Y0 [FD= Y0\n";
    let (ran, took) = check("limits_forms.csp", text, &["--timeout", "2s"]);
    assert!(
        matches!(ran.code, Some(0 | 4)),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// What is too large to be compressed is taken apart instead, which changes no verdict.
#[test]
fn a_compression_of_too_much_is_left_out() {
    let text = "transparent normal\nchannel a, b : {0..11}\nCell(i) = a.i -> b.i -> Cell(i)\n\
        Big = normal(||| i : {0..11} @ Cell(i))\nOne = a?i -> b.i -> One\nSys = One [| {|a, b|} |] Big\n\
        assert Sys :[deadlock free]\nassert One [FD= Sys\nassert Sys [F= Big\n";
    let verdicts = |options: &[&str]| {
        let options = [&["--format", "json"], options].concat();
        let (ran, _) = check("limits_compressed.csp", text, &options);
        let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let checks = whole["checks"].as_array().expect("checks").clone();
        let opened = checks[0]["stats"]["compressions_opened"].clone();
        let verdicts = checks.into_iter().map(|mut check| check["status"].take());
        (verdicts.collect::<Vec<Value>>(), opened)
    };
    let (whole, opened) = verdicts(&[]);
    assert_eq!(opened, 0);
    assert_eq!(whole, ["pass", "pass", "fail"]);
    // It has 4,096 states.
    let (few, opened) = verdicts(&["--max-states", "1000"]);
    assert_eq!((few, opened), (whole, 1.into()));
}

/// With each of the rules that a state enables a set of steps may be looked for, and each of these has to do with all of
/// them: for 60,000 rules that takes minutes, in which nobody looks at limits.
#[test]
fn a_state_with_very_many_steps_does_not_hold_up_partial_order_reduction() {
    let text =
        "channel c : {0..249}.{0..249}\nQ = c?x?y -> Q\nassert Q \\ {|c|} :[divergence free]\n";
    let path = script("limits_many_steps.csp", text).display().to_string();
    let ran = orbitscope(&["check", "--por", "--timeout", "20s", &path], b"");
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

/// A compressed process is explored to the end, so its equal states are merged however many there are. What is not
/// explored to the end before the search is not merged, which a report says.
#[test]
fn merging_is_not_given_up_in_silence() {
    let source = "transparent sbisim\nchannel a, b, c : {0..6}\nchannel sync, up\n\
        Part(i) = a.i -> b.i -> Part(i) [] c.i -> sync -> Part(i) [] b.i -> a.i -> c.i -> Part(i)\n\
        Net = [| {sync} |] i : {0..6} @ Part(i)\nUp(n) = n < 70000 & up -> Up(n + 1) [] n == 70000 & up -> Up(0)\n\
        assert sbisim(Net) :[deadlock free]\nassert Up(0) :[deadlock free]\n";
    let (ran, _) = check("limits_merging.csp", source, &["--format", "json"]);
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let stats = |n: usize| whole["checks"][n]["stats"].clone();
    assert_eq!(stats(0)["states"], 1);
    assert_eq!(stats(0)["merging_given_up"], Value::Null);
    let said = stats(1)["merging_given_up"].to_string();
    assert!(said.contains("a component with more than 65,"), "{said}");
    let (ran, _) = check("limits_merging.csp", source, &[]);
    let given_up = "merging equal local states was given up: a component with more than 65,";
    assert_eq!(ran.stdout.matches(given_up).count(), 1, "{}", ran.stdout);
}
