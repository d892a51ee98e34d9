//! Scripts with many assertions: a time for each, and the table at the end.

use std::time::{Duration, Instant};

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

/// The second one would take very long, the others no time.
const ONE_IS_LONG: &str = "channel a, b : {0..15}\nchannel c\nP(x) = a!x -> P((x + 1) % 16)\n\
    Bit = b?x -> a?y -> Bit [] c -> Bit\nLong = ||| i : {0..15} @ Walk(i, 0)\n\
    Walk(i, n) = a!i -> Walk(i, (n + i + 1) % 16) [] b.i -> Walk(i, (n * 3 + 1) % 16)\n\
    assert P(0) :[deadlock free]\nassert Long :[deadlock free]\nassert STOP :[deadlock free]\n\
    assert Bit :[divergence free]\n";

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let ran = orbitscope(&[&["check", "--format", "json"], args].concat(), b"");
    let value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    (ran.code, value)
}

fn statuses(document: &Value) -> Vec<&str> {
    let checks = document["checks"].as_array().expect("checks");
    checks.iter().filter_map(|c| c["status"].as_str()).collect()
}

#[test]
fn an_assertion_that_is_out_of_its_time_does_not_keep_the_next_one_waiting() {
    let path = script("many_one_is_long.csp", ONE_IS_LONG)
        .display()
        .to_string();
    let started = Instant::now();
    let args = [
        "--no-symmetry",
        "--no-merging",
        "--timeout-each",
        "1s",
        &path,
    ];
    let (code, document) = json(&args);
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(
        statuses(&document),
        ["pass", "inconclusive", "fail", "pass"]
    );
    let long = &document["checks"][1];
    let reason = long["reason"].as_str().unwrap_or_default();
    assert!(reason.starts_with("time limit reached"), "{reason}");
    assert!(reason.ends_with("(the time for one assertion)"), "{reason}");
    let seconds = long["stats"]["seconds"].as_f64().unwrap_or_default();
    assert!(seconds >= 1.0, "{seconds}");
    // One fails, which says more than that another one was not decided.
    assert_eq!(code, Some(1));
    let summary = &document["summary"];
    for (key, count) in [
        ("assertions", 4),
        ("reported", 4),
        ("pass", 2),
        ("fail", 1),
        ("inconclusive", 1),
        ("error", 0),
    ] {
        assert_eq!(summary[key], count, "{key}");
    }
}

/// The time of the whole run goes before that of each: then nothing is said of the latter.
#[test]
fn whichever_time_is_over_first_ends_a_check() {
    let path = script("many_whole_run.csp", ONE_IS_LONG)
        .display()
        .to_string();
    let limits = ["--timeout", "2s", "--timeout-each", "1h"];
    let args = [&["--no-symmetry", "--no-merging"], &limits[..], &[&path]].concat();
    let (_, document) = json(&args);
    assert_eq!(
        statuses(&document),
        ["pass", "inconclusive", "inconclusive", "inconclusive"]
    );
    for (at, says) in [
        (1, "time limit reached while"),
        (2, "not checked: time limit reached"),
    ] {
        let reason = document["checks"][at]["reason"]
            .as_str()
            .unwrap_or_default();
        assert!(reason.starts_with(says), "{reason}");
        assert!(!reason.contains("for one assertion"), "{reason}");
    }
}

/// Compiling counts, too.
#[test]
fn the_time_of_an_assertion_counts_while_it_is_compiled() {
    let text = "channel c : {0..3162}.{0..3162}\nQ = c?x?y -> Q\nassert Q :[deadlock free]\n\
                assert STOP [T= STOP\n";
    let path = script("many_compiling.csp", text).display().to_string();
    let (code, document) = json(&["--timeout-each", "1s", &path]);
    assert_eq!(code, Some(4));
    assert_eq!(statuses(&document), ["inconclusive", "pass"]);
    let reason = document["checks"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("while compiling"), "{reason}");
    assert!(reason.ends_with("(the time for one assertion)"), "{reason}");
}

/// The lines of the table, without the times.
fn table(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|l| !l.contains("verdict  "));
    let time = |word: &&str| word.parse::<f64>().is_err();
    let line = |l: &str| {
        l.split_whitespace()
            .filter(time)
            .collect::<Vec<_>>()
            .join(" ")
    };
    lines.map(line).collect()
}

#[test]
fn a_report_on_several_assertions_ends_with_a_table() {
    let text = "datatype T = A | B | C\nchannel a : T\nchannel bb\nP = a?x -> P\n\
        Q = a?x -> STOP\nR = P\\{|a|}\nassert P :[deadlock free]\nassert Q :[deadlock free]\n\
        assert P [T= Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q\n\
        assert P :[symmetric]: T\nassert R :[divergence free]\nassert (if 1 == true then P else Q) :[deadlock free]\n";
    let path = script("many_table.csp", text).display().to_string();
    let ran = orbitscope(&["check", &path], b"");
    let lines = table(&ran.stdout);
    let expected = [
        "# verdict states time reduced by assertion",
        "holds s T(3) P :[deadlock free]",
        "FAILS s T(3) Q :[deadlock free]",
        "holds s T(3) P [T= Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q [] Q...",
        "holds - - decided by the text P :[symmetric]: T",
        "FAILS s T(3) R :[divergence free]",
        "error - - - (if == true then P else Q) :[deadlock free]",
    ];
    assert_eq!(lines[..7], expected, "{}", ran.stdout);
    let all = ran.stdout.lines().rev().take(8);
    assert!(
        all.clone().all(|l| l.chars().count() <= 100),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("\n6 assertions: 3 hold, 2 fail, 1 with an error; "),
        "{}",
        ran.stdout
    );
    // Neither for one assertion, nor where results alone are wanted.
    for args in [
        &["check", "-a", "1", &path][..],
        &["check", "--quiet", &path],
    ] {
        let ran = orbitscope(args, b"");
        assert!(!ran.stdout.contains("verdict  "), "{}", ran.stdout);
    }
}

#[test]
fn every_stream_ends_with_the_summary() {
    let path = repository("models/peterson.csp").display().to_string();
    let ran = orbitscope(&["check", "--format", "ndjson", &path], b"");
    let last = ran.stdout.lines().last().unwrap_or_default();
    let last: Value = serde_json::from_str(last).expect(last);
    assert_eq!(last["event"], "end");
    assert_eq!(last["summary"]["pass"], 1);
    assert_eq!(last["summary"]["fail"], 2);
}

/// All that a run says of its assertions, without what is measured.
fn told(document: &Value) -> Vec<Value> {
    let mut checks = document["checks"].as_array().expect("checks").clone();
    for check in &mut checks {
        let runs = [
            check["stats"].take(),
            check["both"]["unreduced"]["stats"].take(),
        ];
        for (at, mut stats) in runs.into_iter().enumerate() {
            for measured in [
                "seconds",
                "compile_seconds",
                "search_seconds",
                "peak_bytes",
                "ns_a_transition",
            ] {
                stats[measured] = Value::Null;
            }
            if let Some(seconds) = stats.pointer_mut("/structure_looked/seconds") {
                *seconds = Value::Null;
            }
            check[format!("counted {at}")] = stats;
        }
    }
    checks
}

/// Four of them are about the ring, of which one is about another process as well.
const SHARED: &str = "datatype N = A | B | C\nchannel p : N.N\nchannel e\n\
    Node(n) = p.n?m -> Node(n) [] e -> STOP\nRing = [| {e} |] n : N @ Node(n)\n\
    assert Ring :[deadlock free]\nassert Ring :[divergence free]\nassert Node(A) :[deadlock free]\n\
    assert Ring \\ {e} [F= Ring\nassert Ring :[deterministic]\nassert (if 1 / 0 == 1 then Ring else STOP) :[deadlock free]\n";

#[test]
fn what_is_compiled_once_comes_to_what_each_assertion_comes_to() {
    let path = script("many_shared.csp", SHARED).display().to_string();
    for more in [
        &[][..],
        &["--both"],
        &["--no-symmetry", "--workers", "3"],
        &["--por", "--shortest", "--timeout-each", "10m"],
        &["--counterexamples", "3", "--memory", "2G"],
    ] {
        let (_, all) = json(&[more, &[&path]].concat());
        assert_eq!(all["summary"]["shared"], 3, "{more:?}");
        let all = told(&all);
        assert_eq!(all.len(), 6);
        for (at, of_run) in all.iter().enumerate() {
            let number = (at + 1).to_string();
            let (_, alone) = json(&[more, &["-a", &number, &path]].concat());
            assert_eq!(alone["summary"]["shared"], 0);
            assert_eq!(*of_run, told(&alone)[0], "{more:?} {number}");
        }
    }
    let ran = orbitscope(&["check", "--stats", &path], b"");
    let line = "3 checks took over an implementation that another one had compiled\n";
    assert!(ran.stdout.ends_with(line), "{}", ran.stdout);
}

/// The compressions that go without the τ in front of a stable state show no state as stable that is not one.
#[test]
fn counterexamples_through_a_compression_are_those_without_it() {
    let text = "transparent diamond, normal, model_compress\nchannel x, y, z\n\
        P = z -> ((x -> P) [> STOP)\nQ = z -> ((x -> Q [] y -> STOP) [> (y -> Q))\n\
        S = z -> (x -> S [] y -> S)\n";
    for process in ["P", "Q"] {
        let of = |how: &str| {
            let text = format!("{text}assert S [F= {how}({process})\n");
            let path = script("many_stable.csp", &text).display().to_string();
            let (_, document) = json(&["--counterexamples", "4", &path]);
            let check = &document["checks"][0];
            let others = check["other_counterexamples"].as_array().expect("a list");
            let all = std::iter::once(&check["counterexample"]).chain(others);
            let told = |c: &Value| (c["trace"].clone(), c["ending"]["offered"].clone());
            all.map(told).collect::<Vec<_>>()
        };
        let plain = of("");
        assert!(
            plain.iter().all(|(_, offered)| offered.is_string()),
            "{plain:?}"
        );
        for how in ["diamond", "normal", "model_compress"] {
            assert_eq!(of(how), plain, "{how}({process})");
        }
    }
}
