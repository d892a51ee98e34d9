//! What `check` reports beside verdicts: both runs side by side, sizes and times, and results as a
//! stream.

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

fn model(name: &str) -> String {
    repository("models")
        .join(format!("{name}.csp"))
        .display()
        .to_string()
}

#[test]
fn both_runs_are_shown_side_by_side() {
    let ran = orbitscope(&["check", "--both", &model("two_buffers")], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let rows: Vec<Vec<&str>> = ran
        .stdout
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert!(
        rows.contains(&vec!["states", "5", "9", "1.8"]),
        "{}",
        ran.stdout
    );
    assert!(rows.contains(&vec!["transitions", "8", "14", "1.8"]));
    assert_eq!(ran.stdout.matches("both agree").count(), 3);
    assert!(
        ran.stdout
            .contains("group order 2: no factor of states exceeds it")
    );
    let path = script(
        "reports_plain.csp",
        "channel a\nP = a -> P\nassert P :[deadlock free]\n",
    );
    let ran = orbitscope(&["check", "--both", &path.display().to_string()], b"");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("nothing to compare"), "{}", ran.stdout);
}

#[test]
fn both_in_json_and_a_limit_on_the_larger_run() {
    let args = ["check", "--both", "--format", "json"];
    let ran = orbitscope(&[&args[..], &[&model("stack_aba")]].concat(), b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    for check in whole["checks"].as_array().expect("a list") {
        let both = &check["both"];
        assert_eq!(both["compared"], true);
        assert!(both["disagreement"].is_null());
        assert_eq!(both["unreduced"]["status"], check["status"]);
        assert!(both["unreduced"]["stats"]["states"].as_u64() > check["stats"]["states"].as_u64());
    }
    let limited = ["--max-states", "120000", &model("list_stack")];
    let ran = orbitscope(&[&args[..], &limited].concat(), b"");
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(whole["checks"][0]["status"], "pass");
    assert_eq!(whole["checks"][0]["both"]["compared"], false);
    let reason = &whole["checks"][0]["both"]["unreduced"]["reason"];
    let reason = reason.as_str().unwrap_or_default();
    assert!(reason.starts_with("state limit reached"), "{reason}");
    // It says at what, and where that is asked for.
    assert!(reason.contains("while searching, at "), "{reason}");
}

#[test]
fn represented_states_are_those_of_the_unreduced_run() {
    let args = ["check", "--both", "--count-full", &model("database")];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        ran.stdout.matches("both agree").count(),
        3,
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("stands for exactly"), "{}", ran.stdout);
}

#[test]
fn stats_count_evaluations_by_orbits() {
    let ran = orbitscope(
        &["check", "--stats", "--format", "json", &model("list_stack")],
        b"",
    );
    let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let stats = &whole["checks"][0]["stats"];
    let number = |field: &str| stats[field].as_f64().unwrap_or_else(|| panic!("{field}"));
    // One of each orbit, and far from all that are met.
    assert_eq!(number("local_states_evaluated"), 288.0);
    assert!(number("local_states") > 5.0 * 288.0);
    assert_eq!(number("components"), 11.0);
    for field in [
        "specification_nodes",
        "rules",
        "formats",
        "compile_seconds",
        "search_seconds",
        "bytes_a_state",
        "ns_a_transition",
    ] {
        assert!(number(field) > 0.0, "{field}");
    }
    assert!(stats["structure_looked"].is_null(), "types were found");
    if cfg!(target_os = "linux") {
        assert!(number("peak_bytes") > 1e6);
    }
    let ran = orbitscope(&["check", "--stats", &model("two_buffers")], b"");
    for says in [
        "evaluated ",
        "compiled 2 components",
        "bytes a state",
        "ns a transition",
    ] {
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
    }
}

#[test]
fn a_stream_says_what_the_document_says() {
    let path = model("two_buffers");
    let stream = orbitscope(&["check", "--format", "ndjson", &path], b"");
    let document = orbitscope(&["check", "--format", "json", &path], b"");
    assert_eq!((stream.code, document.code), (Some(1), Some(1)));
    let document: Value = serde_json::from_str(&document.stdout).expect("JSON");
    let lines: Vec<Value> = stream
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    assert_eq!(lines[0]["event"], "start");
    assert_eq!(lines[0]["schema"], "orbitscope.check-stream/1");
    assert_eq!(lines[0]["inputs"], document["inputs"]);
    assert_eq!(lines[0]["assertions"].as_array().map(Vec::len), Some(3));
    let results: Vec<&Value> = lines.iter().filter(|l| l["event"] == "result").collect();
    let checks = document["checks"].as_array().expect("a list");
    assert_eq!(results.len(), checks.len());
    for (result, check) in results.into_iter().zip(checks) {
        for field in [
            "index",
            "assertion",
            "status",
            "counterexample",
            "symmetry",
            "missing",
        ] {
            assert_eq!(result[field], check[field], "{field}");
        }
        assert_eq!(result["stats"]["states"], check["stats"]["states"]);
    }
    let last = &lines[lines.len() - 1];
    assert_eq!(last["event"], "end");
    assert_eq!(last["exit_code"], 1);
}

#[test]
fn printed_values_are_in_the_stream() {
    let path = script("reports_print.csp", "print 1 + 2\nprint head(<>)\n");
    let ran = orbitscope(
        &["check", "--format", "ndjson", &path.display().to_string()],
        b"",
    );
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let prints: Vec<&Value> = lines.iter().filter(|l| l["event"] == "print").collect();
    assert_eq!(prints.len(), 2, "{}", ran.stdout);
    assert_eq!(prints[0]["value"], "3");
    assert!(prints[1]["diagnostic"].is_object());
}

#[test]
fn several_assertions_are_chosen() {
    let path = model("two_buffers");
    let ran = orbitscope(
        &["check", "-a", "3", "-a", "1", "-a", "deadlock", &path],
        b"",
    );
    assert_eq!(ran.code, Some(1));
    let heads: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()))
        .map(|l| &l[..1])
        .collect();
    // Once with what is reported of it, once in the table; at last, how many there are.
    assert_eq!(heads, ["1", "2", "3", "1", "2", "3", "3"]);
}

const DIGRAPHS: &str = "datatype S = S0 | S1 | S2 | S3
channel add : S.S
Lone(R) = add?x?y:diff(S, {x}) -> Lone(union(R, {(x, y)}))
assert RUN({|add|}) [T= Lone({})
";

/// The digraphs without loops on four nodes: 218, which stand for 4,096 (OEIS A000273).
#[test]
fn a_strategy_says_what_it_fell_back_on() {
    let path = script("reports_digraphs.csp", DIGRAPHS);
    let path = path.to_str().expect("a path");
    let run = |rep: &[&str]| {
        let args = [&["check", path, "--no-merging", "--format", "json"], rep].concat();
        let ran = orbitscope(&args, b"");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let stats = document["checks"][0]["stats"].clone();
        let number = |key: &str| stats[key].as_u64().expect("a number");
        (
            number("states"),
            number("fallbacks"),
            number("representatives"),
        )
    };
    // So few states are searched unless somebody insists.
    let (states, fallbacks, taken) = run(&["--symmetry", "types"]);
    assert_eq!((states, fallbacks), (218, 0));
    assert!(taken > 218);
    let (states, fallbacks, taken) = run(&["--symmetry", "types", "--rep", "walk"]);
    assert!(states > 218 && fallbacks > 0 && fallbacks < taken);
    let ran = orbitscope(
        &["check", path, "--no-merging", "--stats", "--rep=walk"],
        b"",
    );
    let said = format!("strategy walk: in {fallbacks} of");
    assert!(
        ran.stdout.replace(',', "").contains(&said),
        "{}",
        ran.stdout
    );
    let full = orbitscope(&["check", path, "--count-full", "--format=json"], b"");
    let document: Value = serde_json::from_str(&full.stdout).expect("JSON");
    let stats = &document["checks"][0]["stats"];
    assert_eq!(
        (&stats["states"], &stats["represented_states"]),
        (&218.into(), &"4096".into())
    );
}

/// Above 5,040 orders of equal values `segmented` is `sorted`, and says so.
#[test]
fn segmented_says_when_it_is_sorted() {
    let text = "datatype S = S0 | S1 | S2 | S3 | S4 | S5 | S6 | S7
channel a : S
P(s) = a.s -> Q(s)
Q(s) = a.s -> P(s)
assert (||| s : S @ P(s)) :[deadlock free [F]]
";
    let path = script("reports_segmented.csp", text);
    let path = path.to_str().expect("a path");
    let ran = orbitscope(
        &["check", path, "--stats", "--rep=segmented", "--no-merging"],
        b"",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("more than 5,040 orders"),
        "{}",
        ran.stdout
    );
    let ran = orbitscope(
        &["check", path, "--stats", "--rep=sorted", "--no-merging"],
        b"",
    );
    assert!(!ran.stdout.contains("5,040"), "{}", ran.stdout);
}

/// Local definitions of one name are told apart by what they are in, and by nothing else: an edit elsewhere
/// in the script changes no name.
#[test]
fn local_definitions_of_one_name_are_shown_with_those_around_them() {
    let text = "channel a, b : {0..1}
Left(x) = let Perform = a!x -> Perform within Perform
Right(x) = let Perform = b!x -> Perform within Perform
Other(x) = let Alone = a!x -> Alone within Alone
P = Left(0) ||| Right(1) ||| Other(1)
assert P :[deadlock free [F]]
";
    for before in ["", "More = let Repeat = a!0 -> Repeat within Repeat\n\n"] {
        let path = script("one_name.csp", format!("{before}{text}"));
        let path = path.display().to_string();
        let ran = orbitscope(&["explain", &path, "P"], b"");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for state in ["Left/Perform(0)", "Right/Perform(1)", " Alone(1)"] {
            assert!(ran.stdout.contains(state), "{state}: {}", ran.stdout);
        }
        assert!(!ran.stdout.contains('#'), "{}", ran.stdout);
    }
}
