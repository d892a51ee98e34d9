//! `--both` compares what is comparable, and `--count-full` says what it knows.

use crate::support::{orbitscope, script};
use orbitscope::symmetry::StrategyKind;
use serde_json::Value;

/// Networks in which reduced and unreduced runs differ in more than names.
const MERGING: &str = "datatype S = A | B\nchannel a, b : S\nchannel c\nP = a?x -> Q(x) [] b?x -> R(x)\n\
                       Q(x) = c -> Q(x)\nR(x) = c -> R(x)\nassert CHAOS(Events) [T= P\n";
const LENGTH: &str = "datatype S = A | B\nchannel a : S\nchannel e\nP(x) = a.x -> SKIP\n\
                      M = a?x -> ((P(x) [|{e}|] (P(x) ||| P(x))) ; (a.x -> e -> STOP))\n\
                      assert RUN({|a|}) [T= M\nassert a?x -> STOP [F= M\n";
const FORMATS: &str = "datatype S = A | B\nchannel a : S\nchannel c\nP(x) = c -> a.x -> STOP\n\
                       M = a?x -> (P(x) ||| P(x))\nassert CHAOS(Events) [T= M\n";

fn path(name: &str, text: &str) -> String {
    script(&format!("compared_{name}.csp"), text)
        .display()
        .to_string()
}

fn document(args: &[&str]) -> (Option<i32>, Value) {
    let ran = orbitscope(&[&["check", "--format", "json"], args].concat(), b"");
    let whole = serde_json::from_str(&ran.stdout);
    (
        ran.code,
        whole.unwrap_or_else(|e| panic!("{e}: {}{}", ran.stdout, ran.stderr)),
    )
}

#[test]
fn runs_that_differ_in_structure_agree() {
    for (name, text, code) in [
        ("merging", MERGING, 0),
        ("length", LENGTH, 1),
        ("formats", FORMATS, 0),
    ] {
        let path = path(name, text);
        for options in [&[][..], &["--count-full"], &["--no-merging"]] {
            let (exit, whole) = document(&[&["--both", &*path], options].concat());
            assert_eq!(exit, Some(code), "{name} {options:?}: {whole:#}");
            for check in whole["checks"].as_array().expect("a list") {
                let both = &check["both"];
                assert_eq!(both["compared"], true, "{name}: {both:#}");
                assert!(both["disagreement"].is_null(), "{name}: {both:#}");
                assert_eq!(both["reduced"]["status"], check["status"]);
                assert_eq!(both["unreduced"]["status"], check["status"]);
            }
        }
        let ran = orbitscope(&["check", "--both", &path], b"");
        assert!(ran.stdout.contains("both agree"), "{}", ran.stdout);
        assert!(ran.stdout.contains("not compared: "), "{}", ran.stdout);
    }
}

/// What is comparable is compared: without merging and changes of structure nothing is left out.
#[test]
fn what_can_be_compared_is() {
    let text = "datatype S = A | B | C\nchannel a, b : S\nP = a?x -> b.x -> P\nQ = P ||| P\n\
                assert CHAOS(Events) [T= Q\nassert a?x -> RUN({|a|}) [T= Q\n";
    let (exit, whole) = document(&["--both", "--count-full", &path("plain", text)]);
    assert_eq!(exit, Some(1), "{whole:#}");
    for check in whole["checks"].as_array().expect("a list") {
        assert_eq!(check["both"]["not_compared"], Value::Array(Vec::new()));
    }
}

/// A count is that of `--no-symmetry --no-merging`, or there is none and a reason.
#[test]
fn counts_are_those_of_the_unreduced_run() {
    let sums = "datatype T = A | B | C\nchannel a : T\nP(x) = a.x -> SKIP\n\
                M = (P(A) ||| P(B) ||| P(C)) ; (a?x -> (P(x) ; P(x)))\nN = a?x -> N [] a?x -> (P(x) ||| P(x))\n\
                assert M :[divergence free]\nassert N :[divergence free]\n\
                assert (||| x : T @ P(x)) :[divergence free]\n";
    let holds = "datatype T = A | B | C\nchannel a : T\nR(s) = a?x:diff(T, s) -> R(union(s, {x}))\n\
                 assert R({}) [T= R({})\nassert R({}) ||| R({}) [T= R({})\n\
                 assert CHAOS(Events) [T= R({}) ||| R({})\n";
    let mut counted = 0;
    for (name, text) in [
        ("formats", FORMATS),
        ("length", LENGTH),
        ("merging", MERGING),
        ("sums", sums),
        ("sets", holds),
    ] {
        let path = path(&format!("count_{name}"), text);
        let (_, full) = document(&["--count-full", &path]);
        let (_, all) = document(&["--no-symmetry", "--no-merging", &path]);
        let pairs = full["checks"].as_array().expect("a list").iter();
        for (one, other) in pairs.zip(all["checks"].as_array().expect("a list")) {
            if one["status"] != "pass" {
                continue;
            }
            let found = &one["stats"]["represented_states"];
            if found.is_null() {
                let missing = one["missing"].to_string();
                let unreduced = one["symmetry"].is_null();
                assert!(
                    unreduced || missing.contains("states represented"),
                    "{one:#}"
                );
                continue;
            }
            let (states, transitions) = (&other["stats"]["states"], &other["stats"]["transitions"]);
            assert_eq!(
                found.as_str(),
                Some(&*states.to_string()),
                "{name}: {one:#}"
            );
            let found = &one["stats"]["represented_transitions"];
            assert_eq!(found.as_str(), Some(&*transitions.to_string()), "{name}");
            counted += 1;
        }
    }
    assert!(counted >= 2);
    let ran = orbitscope(
        &["check", "--count-full", &path("count_formats", FORMATS)],
        b"",
    );
    assert!(
        ran.stdout
            .contains("not here: the number of states represented"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("exactly"), "{}", ran.stdout);
}

/// The raw run enters one network, the reduced run another one to which a permutation takes it: every
/// strategy comes to a counterexample all the same.
#[test]
fn a_run_is_followed_into_a_network_that_a_permutation_maps_to_its_own() {
    let text = "datatype S = A | B\ndatatype T = X | Y\nchannel a, j : S\nchannel b : S.S\nchannel c : S.T\n\
                N(v, s, q) = #q != 0 & a!(head(q)) -> N(v, s, tail(q))\n\
                L = j?v -> (N(v, {v}, <v>) [| {| b, c.v |} |] N(v, diff({v}, diff(S, S)), <v>))\n\
                assert L :[deadlock free]\n\
                assert L [T= STOP\nassert STOP [T= L\n";
    let path = path("replay", text);
    for rep in StrategyKind::ALL.map(|kind| kind.strategy().name()) {
        let (code, document) = document(&[&path, "--rep", rep, "--symmetry", "types"]);
        assert_eq!(code, Some(1), "{rep}: {document}");
        let checks = document["checks"].as_array().expect("a list");
        let found: Vec<&Value> = checks.iter().map(|c| &c["status"]).collect();
        assert_eq!(found, ["fail", "pass", "fail"], "{rep}");
    }
    let (code, _) = document(&[&path, "--both"]);
    assert_eq!(code, Some(1));
}

/// What a reduced and an unreduced run are held to each other by are whole searches: nothing is left out by partial
/// order, whatever the assertion asks for. Races compare orbits, too.
#[test]
fn what_is_compared_leaves_out_no_steps() {
    let text = "channel a, b : {0..4}\nP(i) = a.i -> b.i -> P(i)\n\
                S = (||| i : {0..4} @ P(i)) \\ {|a|}\nR = b?i -> R\nassert R [T= S :[partial order reduce]\n";
    let path = script("compared_partial_order.csp", text)
        .display()
        .to_string();
    let states = |args: &[&str]| {
        let args = [&["check", path.as_str(), "--format", "json"], args].concat();
        let ran = orbitscope(&args, b"");
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let stats = &whole["checks"][0]["stats"];
        (stats["states"].as_u64(), stats["partial_order"].clone())
    };
    assert_eq!(
        states(&["--no-symmetry", "--no-por"]),
        (Some(32), Value::Null)
    );
    let (few, left_out) = states(&["--no-symmetry"]);
    assert!(
        few < Some(32) && left_out["left_out"].as_u64() > Some(0),
        "{few:?} {left_out}"
    );
    let both = orbitscope(&["check", "--both", &path], b"");
    assert_eq!(both.code, Some(0), "{}", both.stdout);
    let race = orbitscope(&["race", &path], b"");
    assert_eq!(race.code, Some(0), "{}{}", race.stdout, race.stderr);
    // Whoever counts what states stand for is told why nothing was left out.
    let counted = orbitscope(&["check", "--count-full", &path], b"");
    assert!(
        counted
            .stdout
            .contains("no partial order reduction: what is counted"),
        "{}",
        counted.stdout
    );
}
