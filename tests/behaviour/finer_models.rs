//! Revivals and refusal testing in words: what the page of the manual says of its examples, what a run says of what has
//! to be seen, and what compressions must not lose.

use crate::support::{check, options, orbitscope, replay, script, sound, verdict, verified};
use orbitscope::animate::model::{CheckOutcome, Ending};
use orbitscope::source::manual::topic;
use orbitscope::symmetry::StrategyKind;

fn outcomes(name: &str, text: &str) -> Vec<CheckOutcome> {
    let path = script(name, text);
    let loaded = sound(&path);
    let numbers = 1..=loaded.script.assertions.len();
    let outcomes = numbers.map(|n| {
        let outcome = check(&loaded, n, &options(None, StrategyKind::default(), 1));
        assert_eq!(verified(&loaded, &outcome), Ok(()), "{n}");
        if let Some(found) = &outcome.counterexample {
            assert_eq!(replay(&path, found), Ok(()), "{n}");
        }
        outcome
    });
    outcomes.collect()
}

/// In each example of the page the first assertion holds, and the second fails with the sentences that follow.
#[test]
fn the_examples_of_the_manual_are_as_it_says() {
    let page = topic("refinement").expect("the page is there").text;
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = page.split("```csp\n");
    parts.next();
    let mut found = 0;
    for (number, part) in parts.enumerate() {
        let (example, _) = part.split_once("```").expect("the example ends");
        let outcomes = outcomes(&format!("page_{number}.csp"), example);
        let verdicts: Vec<String> = outcomes.iter().map(verdict).collect();
        assert_eq!(verdicts, ["pass", "fail"], "{example}");
        let reason = &outcomes[1].counterexample.as_ref().expect("a run").reason;
        assert!(words.contains(&format!("*{reason}*")), "{reason}");
        found += 1;
    }
    assert_eq!(found, 2);
}

/// What has to be seen on the way, in text and in JSON; what need not be is not said.
#[test]
fn a_run_says_what_has_to_be_seen() {
    // After `go` nothing depends on what is seen; after `b` it does.
    let text = "channel a, b, c, go
P = go -> ((b -> a -> STOP [] a -> STOP) |~| (b -> c -> STOP) |~| (a -> STOP))
Q = go -> b -> a -> STOP
assert P [RD= Q
";
    let path = script("seen.csp", text);
    let loaded = sound(&path);
    let outcome = check(&loaded, 1, &options(None, StrategyKind::default(), 1));
    let found = outcome.counterexample.expect("it fails");
    let seen: Vec<Option<&str>> = found.steps.iter().map(|s| s.observed.as_deref()).collect();
    assert_eq!(seen, [None, Some("{b}")]);
    let path = path.to_str().expect("a path");
    let shown = orbitscope(&["check", path], b"");
    assert!(
        shown.stdout.contains("with nothing on offer but {b}:"),
        "{}",
        shown.stdout
    );
    let json = orbitscope(&["check", "--format", "json", path], b"");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("it is JSON");
    let steps = &json["checks"][0]["counterexample"]["steps"];
    assert_eq!(steps[0]["observed"], serde_json::Value::Null);
    assert_eq!(steps[1]["observed"], "{b}");
}

/// An event that is not allowed at all is told as that, and one that no stable state offers as it is.
#[test]
fn a_revival_says_what_the_specification_would_offer() {
    let text = "channel a, b, c
P = (a -> STOP [] b -> STOP) |~| c -> STOP
Q = (a -> STOP [] c -> STOP) |~| c -> STOP
assert P [F= Q
assert P [V= Q
assert P [V= (a -> STOP) [] (b -> STOP)
assert c -> STOP [V= Q
";
    let outcomes = outcomes("revival.csp", text);
    let verdicts: Vec<String> = outcomes.iter().map(verdict).collect();
    assert_eq!(verdicts, ["pass", "fail", "pass", "fail"]);
    let ending = |n: usize| {
        outcomes[n]
            .counterexample
            .as_ref()
            .map(|c| c.ending.clone())
    };
    let offered = "{a, c}".into();
    let acceptances = vec!["{a, b}".to_owned()];
    let event = "a".to_owned();
    assert_eq!(
        ending(1),
        Some(Ending::Revival {
            event,
            offered,
            acceptances
        })
    );
    assert!(matches!(ending(3), Some(Ending::Refused { event, .. }) if event == "a"));
}

/// `normal` and `diamond` keep failures and lose what these models see: here they must not.
#[test]
fn compressions_lose_nothing_that_these_models_see() {
    let mut text = "transparent normal, diamond, model_compress\nchannel a, b, c
P = (a -> STOP) [> STOP
Q = (a -> STOP) |~| STOP
S = (b -> a -> STOP [] a -> STOP) |~| (b -> c -> STOP) |~| (a -> STOP)
T = b -> a -> STOP
"
    .to_owned();
    let mut expected = Vec::new();
    for how in ["", "normal", "diamond", "model_compress"] {
        for (p, model, q, holds) in [
            ("P", "F", "Q", "pass"),
            ("P", "V", "Q", "fail"),
            ("Q", "V", "P", "pass"),
            ("P", "VD", "Q", "fail"),
            ("S", "V", "T", "pass"),
            ("S", "R", "T", "fail"),
            ("S", "RD", "S", "pass"),
            ("(P ||| S)", "V", "(Q ||| S)", "fail"),
        ] {
            text += &format!("assert {how}({p}) [{model}= {how}({q})\n");
            expected.push(holds);
        }
    }
    let verdicts: Vec<String> = outcomes("lossless.csp", &text)
        .iter()
        .map(verdict)
        .collect();
    assert_eq!(verdicts, expected);
}

/// Two nodes with the same events and minimal acceptances, of which one goes on otherwise once something was refused, are
/// not one node.
#[test]
fn nodes_that_part_by_refusals_are_not_merged() {
    let text = "channel a, b, c, l, r
M = (b -> a -> STOP [] a -> STOP) |~| (b -> c -> STOP) |~| (a -> STOP)
N = (b -> c -> STOP [] a -> STOP) |~| (b -> a -> STOP) |~| (a -> STOP)
S = l -> M [] r -> N
T = l -> b -> c -> STOP [] r -> b -> a -> STOP
U = l -> b -> a -> STOP [] r -> b -> a -> STOP
V = l -> b -> c -> STOP [] r -> b -> c -> STOP
assert S [F= U
assert S [F= V
assert S [R= T
assert S [R= U
assert S [R= V
";
    let verdicts: Vec<String> = outcomes("not_merged.csp", text)
        .iter()
        .map(verdict)
        .collect();
    assert_eq!(verdicts, ["pass", "pass", "pass", "fail", "fail"]);
}

/// Divergence and the priority of silence are treated as in failures-divergences.
#[test]
fn divergence_and_priority_are_as_in_failures() {
    let text = "channel a, b
DIV = DIV |~| DIV
P = a -> DIV
Q = a -> b -> STOP
R = (a -> STOP) [> STOP
";
    let mut script = text.to_owned();
    let mut expected = Vec::new();
    for (assertion, holds) in [
        ("P [#D= Q", "pass"),
        ("Q [#D= P", "fail"),
        ("P [#= Q", "fail"),
        ("STOP [#= R", "fail"),
        ("STOP [#= R :[tau priority]: {a}", "pass"),
        ("STOP [#D= R :[tau priority]: {a}", "pass"),
        ("not STOP [#= R", "pass"),
    ] {
        for model in ["F", "V", "R"] {
            script += &format!("assert {}\n", assertion.replace('#', model));
            expected.push(holds);
        }
    }
    let verdicts: Vec<String> = outcomes("as_in_failures.csp", &script)
        .iter()
        .map(verdict)
        .collect();
    assert_eq!(verdicts, expected);
}
