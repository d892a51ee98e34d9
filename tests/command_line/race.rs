//! `orbitscope race`: what each strategy keeps, the first state whose representative is not unique, and how a
//! race ends.

#[cfg(unix)]
use std::process::{Command, Stdio};

use crate::explain::renamed;
use crate::support::{findings, orbitscope, repository, script};
use serde_json::Value;

/// The list stack with three nodes, two threads and two data.
fn list_stack() -> String {
    let text = std::fs::read_to_string(repository("models/list_stack.csp")).expect("the model");
    let sizes = [
        ("datatype NodeIDType", "Null | N0 | N1 | N2"),
        ("datatype ThreadID", "T0 | T1"),
        ("datatype Data", "A | B"),
    ];
    let small = text.lines().map(|line| {
        let head = line.split('=').next().map(str::trim);
        match sizes.iter().find(|(name, _)| head == Some(name)) {
            Some((name, values)) => format!("{name} = {values}"),
            None => line.to_owned(),
        }
    });
    let small = small.collect::<Vec<_>>().join("\n");
    let path = script("race_list_stack.csp", small);
    path.display().to_string()
}

fn ring() -> String {
    repository("models/ring.csp").display().to_string()
}

#[track_caller]
fn raced(args: &[&str]) -> (Option<i32>, Value) {
    let all = [&["race", "--format", "json", "--workers", "2"], args].concat();
    let ran = orbitscope(&all, b"");
    let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(document["schema"], "orbitscope.race/1");
    assert_eq!(document["disagreement"], Value::Null, "{document}");
    assert_eq!(document["exit_code"].as_i64(), ran.code.map(i64::from));
    (ran.code, document)
}

fn rows(document: &Value) -> &[Value] {
    document["rows"].as_array().expect("rows")
}

/// Those of strategies that apply here and prove what they find.
fn proving(document: &Value) -> impl Iterator<Item = &Value> {
    let all = rows(document).iter();
    all.filter(|row| row["status"] != "error" && row["strategy"] != "markers")
}

#[track_caller]
fn row<'a>(document: &'a Value, strategy: &str) -> &'a Value {
    let mut rows = rows(document).iter();
    let found = rows.find(|row| row["strategy"] == strategy);
    found.expect("the strategy took part")
}

/// The words of a command as a shell takes them apart.
fn words(command: &str) -> Vec<String> {
    let mut pieces = command.split('\'');
    let bare = pieces.next().unwrap_or_default().split_whitespace();
    let mut words: Vec<String> = bare.map(str::to_owned).collect();
    // Quoted and not, by turns.
    words.extend(pieces.step_by(2).map(str::to_owned));
    words
}

/// Runs the command that a row gives; its text.
#[track_caller]
fn compared(row: &Value) -> String {
    let words = words(row["doubled"]["command"].as_str().expect("a command"));
    assert_eq!(words[0], "orbitscope");
    let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.stdout, ran.stderr);
    ran.stdout
}

#[test]
fn every_strategy_finds_the_same_orbits() {
    for args in [&["-a", "1"][..], &["System"]] {
        let path = list_stack();
        let (code, found) = raced(&[&[&*path], args].concat());
        assert_eq!(code, Some(0));
        let states = |name: &str| {
            let row = row(&found, name);
            assert_eq!(row["orbits"]["count"], 458, "{row}");
            assert_eq!(row["orbits"]["certain"], true, "{row}");
            row["states"].as_u64()
        };
        for name in ["exact", "walk", "ordering"] {
            assert_eq!(states(name), Some(458), "{name}");
            assert_eq!(row(&found, name)["doubled"], Value::Null);
            assert_eq!(row(&found, name)["orbits"]["most"], 1);
        }
        assert_eq!(states("sorted"), Some(921));
        assert_eq!(states("segmented"), Some(906));
        assert_eq!(row(&found, "sorted")["orbits"]["most"], 4);
        assert_eq!(row(&found, "ordering")["transitions"], 885);
        assert_eq!(row(&found, "ordering")["representatives"], 885);
        let status = if args.len() == 2 { "pass" } else { "explored" };
        assert!(proving(&found).all(|row| row["status"] == status));
        // Silent steps that no event tells apart are told by their numbers.
        let text = compared(row(&found, "sorted"));
        assert!(text.contains("Same orbit"), "{text}");
        assert!(text.contains("<tau#"), "{text}");
    }
}

/// The permutation takes the representative of state A to that of state B, and the command names A first.
#[test]
fn the_permutation_takes_the_first_representative_to_the_second() {
    let (_, found) = raced(&[&ring(), "Rings", "--rep", "ordering"]);
    let doubled = &row(&found, "ordering")["doubled"];
    let parts = doubled["permutation"].as_array().expect("types").iter();
    let pairs = parts.flat_map(|part| part["map"].as_array().expect("pairs"));
    let pairs: Vec<[String; 2]> = pairs
        .map(|pair| [0, 1].map(|at| pair[at].as_str().expect("a value").to_owned()))
        .collect();
    // It is not its own inverse, so the direction matters.
    let is_back = |[from, to]: &[String; 2]| pairs.contains(&[to.clone(), from.clone()]);
    assert!(!pairs.iter().all(is_back), "{doubled}");
    let names: Vec<String> = pairs.iter().map(|pair| pair[0].clone()).collect();
    let images: Vec<&String> = pairs.iter().map(|pair| &pair[1]).collect();
    let states = |side: &str, permuted: bool| {
        let all = doubled[side]["representative"].as_array().expect("states");
        let texts = all.iter().map(|c| c["state"].as_str().expect("a text"));
        let mut texts: Vec<String> = texts
            .map(|text| match permuted {
                true => renamed(text, &names, &images),
                false => renamed(text, &[], &[]),
            })
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(states("a", true), states("b", false), "{doubled}");
    let command = words(doubled["command"].as_str().expect("a command"));
    let steps = |side: &str| doubled[side]["path"].as_array().map(Vec::len);
    let trace = |text: &String| Some(text.split(", ").count());
    let [.., a, b] = &command[..] else {
        panic!("{command:?}");
    };
    assert_eq!((trace(a), trace(b)), (steps("a"), steps("b")));
}

/// Example 43, found without being told of it.
#[test]
fn the_ring_of_the_paper_is_found() {
    let (code, found) = raced(&[&ring(), "Rings", "--rep", "exact,ordering"]);
    assert_eq!(code, Some(0));
    assert_eq!(row(&found, "exact")["states"], 12);
    assert_eq!(row(&found, "exact")["doubled"], Value::Null);
    let ordering = row(&found, "ordering");
    assert_eq!(ordering["states"], 13);
    assert_eq!(ordering["orbits"]["count"], 12);
    assert_eq!(ordering["orbits"]["most"], 2);
    let doubled = &ordering["doubled"];
    // The four nodes matter, what made the ring does not.
    assert_eq!(doubled["left_out"], 1);
    for side in ["a", "b"] {
        let nodes = doubled[side]["representative"].as_array().expect("nodes");
        assert_eq!(nodes.len(), 4, "{doubled}");
        // Round the ring, from `Node(N0, A, N1)` to the node that it names.
        let parts = |label: &str| -> (String, String) {
            let label = format!("Node[{label}]");
            let node = nodes.iter().find(|node| node["label"] == *label);
            let state = node.expect("a node")["state"].as_str().expect("text");
            let inner = state.trim_start_matches("Node(").trim_end_matches(')');
            let mut parts = inner.split(", ").skip(1);
            let mut next = || parts.next().expect("three values").to_owned();
            (next(), next())
        };
        let (mut at, mut data) = ("N0".to_owned(), String::new());
        for _ in 0..4 {
            let (datum, next) = parts(&at);
            data.push_str(&datum);
            at = next;
        }
        assert_eq!(at, "N0");
        assert!("AABBAABB".contains(&data), "{data}");
    }
    let text = compared(ordering);
    assert!(text.contains("Same orbit, two representatives: "), "{text}");
    assert!(
        text.contains("The runs of the ordering part at an arbitrary choice"),
        "{text}"
    );
    assert!(text.contains("4 ways to pick in state A"), "{text}");
}

/// Where any node may be linked to any, three nodes are enough.
#[test]
fn components_that_do_not_matter_are_left_out() {
    let (_, found) = raced(&[&ring(), "--rep", "ordering,sorted"]);
    assert_eq!(found["process"], "Ring");
    let doubled = &row(&found, "ordering")["doubled"];
    assert_eq!(doubled["left_out"], 1);
    let nodes = doubled["a"]["representative"].as_array().map(Vec::len);
    assert_eq!(nodes, Some(3));
    assert!(compared(row(&found, "ordering")).contains("Same orbit, two representatives: "));
    assert_eq!(row(&found, "ordering")["states"], 194);
    assert_eq!(row(&found, "ordering")["orbits"]["count"], 183);
    assert_eq!(row(&found, "sorted")["states"], 4681);
    assert_eq!(row(&found, "sorted")["orbits"]["count"], 183);
}

/// The orbits of digraphs without loops on three nodes are sixteen.
#[test]
fn digraphs_are_counted() {
    let Some(folder) = findings("command_line race::digraphs_are_counted") else {
        return;
    };
    let path = folder.join("digraphs_3.csp").display().to_string();
    let (code, found) = raced(&[&path]);
    assert_eq!(code, Some(0));
    assert_eq!(row(&found, "exact")["states"], 16);
    for row in proving(&found) {
        assert_eq!(row["orbits"]["count"], 16, "{row}");
    }
}

#[test]
fn counterexamples_have_one_length() {
    let path = repository("models/philosophers.csp").display().to_string();
    let (code, found) = raced(&["-a", "3", &path]);
    assert_eq!(code, Some(0), "a race is no check: it ran");
    for row in proving(&found) {
        assert_eq!(
            (&row["status"], &row["steps"]),
            (&"fail".into(), &14.into())
        );
    }
}

/// The same limits for each: what ends by one is a row, and the others still run.
#[test]
fn a_limit_ends_one_strategy() {
    let path = list_stack();
    let (code, found) = raced(&["-a", "1", "--max-states", "500", &path]);
    assert_eq!(code, Some(0));
    assert_eq!(row(&found, "exact")["status"], "pass");
    let sorted = row(&found, "sorted");
    assert_eq!(sorted["status"], "inconclusive");
    assert_eq!(sorted["reason"], "state limit reached");
    assert_eq!(sorted["states"], 500);
    // What was stored is counted all the same.
    assert!(sorted["orbits"]["count"].as_u64() < Some(458), "{sorted}");
    let (code, found) = raced(&["-a", "1", "--max-states", "50", &path]);
    assert_eq!(code, Some(4));
    let late = |row: &Value| row["status"] == "inconclusive" && row["states"] == 50;
    assert!(proving(&found).all(late), "{found}");
    let (code, found) = raced(&["--timeout", "0s", "--rep", "walk,exact", &path]);
    assert_eq!(code, Some(4));
    assert_eq!(rows(&found).len(), 2);
    assert_eq!(rows(&found)[0]["strategy"], "walk");
    assert_eq!(rows(&found)[1]["reason"], "time limit reached");
}

#[test]
fn the_table_tells_the_same() {
    let path = list_stack();
    let ran = orbitscope(&["race", "-a", "1", "--rep", "exact,sorted", &path], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stderr, "");
    let says = |words: &[&str]| {
        let found = ran.stdout.lines().any(|line| {
            let line: Vec<&str> = line.split_whitespace().collect();
            line.windows(words.len()).any(|window| window == words)
        });
        assert!(found, "{words:?}: {}", ran.stdout);
    };
    says(&["Race", "of", "assertion", "1:"]);
    says(&[
        "reduced", "over", "NodeID", "(3),", "ThreadID", "(2),", "Data", "(2):",
    ]);
    says(&["exact", "458", "458", "1.00", "1", "885", "566"]);
    says(&["sorted", "921", "458", "2.01", "4", "1,771", "1,771"]);
    says(&["sorted", "gives", "one", "orbit", "two", "representatives,"]);
    says(&["orbitscope", "compare"]);
}

#[test]
fn what_cannot_race_is_told() {
    let path = ring();
    let code = |args: &[&str]| {
        let ran = orbitscope(&[&["race"], args].concat(), b"");
        (ran.code, ran.stderr)
    };
    let plain = script(
        "race_plain.csp",
        "channel a, b\nP = a -> b -> P\nassert P :[deadlock free]\nassert P :[has trace]: <a>\n",
    );
    let plain = plain.display().to_string();
    let (ended, said) = code(&[&plain]);
    assert_eq!(ended, Some(3));
    assert!(said.contains("no datatype is symmetric"), "{said}");
    let (ended, said) = code(&[&plain, "-a", "2"]);
    assert_eq!(ended, Some(3));
    assert!(said.contains("following a trace"), "{said}");
    assert_eq!(code(&[&plain, "-a", "3"]).0, Some(2));
    assert_eq!(code(&[&plain, "-a", "0"]).0, Some(2));
    assert_eq!(code(&[&path, "NoSuchProcess"]).0, Some(3));
    assert_eq!(code(&[&path, "Ring", "-a", "1"]).0, Some(2));
    assert_eq!(code(&[&path, "--rep", "fastest"]).0, Some(2));
    assert_eq!(code(&[&path, "--types", "Nothing"]).0, Some(3));
    assert_eq!(code(&["/no/such.csp"]).0, Some(2));
}

/// Another expression, and fewer types.
#[test]
fn processes_and_types_may_be_chosen() {
    let (code, found) = raced(&[
        &ring(),
        "Ring ||| STOP",
        "--types",
        "Data",
        "--rep",
        "exact",
    ]);
    assert_eq!(code, Some(0));
    assert_eq!(found["symmetry"]["types"], serde_json::json!({ "Data": 2 }));
    assert_eq!(found["symmetry"]["group_order"], "2");
    // Each node is free, or holds one of two data and one of four nodes; two data are exchanged.
    assert_eq!(row(&found, "exact")["states"], (9 * 9 * 9 * 9 + 1) / 2);
}

/// Steps with the same event are told apart by numbers, in every command that takes a trace.
#[test]
fn steps_of_a_trace_may_be_numbered() {
    let path = list_stack();
    let after = |trace: &str| {
        let args = [
            "explain", "--format", "json", &path, "System", "--trace", trace,
        ];
        let ran = orbitscope(&args, b"");
        let found: Option<Value> = serde_json::from_str(&ran.stdout).ok();
        (ran.code, found.map(|found| found["components"].clone()))
    };
    let (code, first) = after("<tau#1>");
    assert_eq!(code, Some(0));
    let (code, second) = after("<tau#2>");
    assert_eq!(code, Some(0));
    assert_ne!(first, second);
    assert_eq!(
        after("<tau>").1,
        first,
        "without a number the first is taken"
    );
    assert_eq!(after("<tau#99>").0, Some(3));
}

/// What is known by then is reported, with the code of the signal.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_race_with_what_is_known() {
    let path = repository("models/list_stack.csp").display().to_string();
    let args = ["race", "--format=json", "--rep=sorted,exact", "-a=1", &path];
    let child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    // It takes seconds, and reading the script a small part of one.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("there is a kill").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&ended.stdout).expect("whole");
    assert_eq!(rows(&document).len(), 1);
    assert_eq!(rows(&document)[0]["reason"], "cancelled");
    assert_eq!(document["exit_code"], 130);
}
