//! `orbitscope refines`: what programs that call FDR4's `refines` give it, and read of it.

use std::collections::BTreeMap;

use crate::support::{Ran, orbitscope, repository, script};
use serde_json::Value;

/// One assertion of each kind, and how each is decided.
const ALL_KINDS: &str = "channel a, b, c\nP = a -> b -> P\nQ = a -> (b -> Q [] c -> STOP)\n\
    R0 = a -> R0\nR = R0 \\ {a}\nS = a -> S |~| b -> STOP\nT0 = c -> a -> b -> T0\nT = T0 \\ {c}\n\
    assert P [T= P\nassert P [T= Q\nassert P [F= S\nassert Q :[deadlock free]\nassert R :[divergence free]\n\
    assert S :[deterministic]\nassert P [FD= R\nassert not P [T= Q\nassert not P [T= P\n\
    assert P :[has trace]: <a, b>\nassert P :[has trace]: <b>\nassert T :[deadlock free [F]]\n";

fn refines(args: &[&str]) -> Ran {
    orbitscope(&[&["refines"], args].concat(), b"")
}

fn saved(name: &str, text: &str) -> String {
    script(name, text).display().to_string()
}

/// The lines of the output, each a JSON object.
fn objects(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// The only object of the output.
fn object(args: &[&str]) -> (Option<i32>, Value) {
    let ran = refines(args);
    let mut all = objects(&ran.stdout);
    assert_eq!(all.len(), 1, "{}{}", ran.stdout, ran.stderr);
    (ran.code, all.remove(0))
}

fn results(object: &Value) -> &Vec<Value> {
    object["results"].as_array().expect("results")
}

/// The names of a trace, by the map of its document.
fn named(document: &Value, numbers: &Value) -> Vec<String> {
    let numbers = numbers.as_array().expect("numbers").iter();
    let name = |number: &Value| document["event_map"][number.to_string()].as_str();
    numbers
        .map(|n| name(n).expect("an event").to_owned())
        .collect()
}

/// Callers look for `Result: Failed`, take what stands behind `Visited States: `, and of what follows
/// `Implementation Debug:` take the events between `<` and the last `>`, and the event at the very end.
#[test]
fn plain_results_are_those_that_callers_read() {
    let text = "channel read, write : {1..2}\nSpec = write?x -> Read(x)\nRead(x) = read.x -> Read(x) [] Spec\n\
                Bad = write?x -> read?y -> Bad\nassert Spec [T= Bad\nassert Spec [T= Spec\n\
                assert Bad :[deadlock free]\n";
    let path = saved("refines_plain.csp", text);
    let ran = refines(&["--quiet", &path]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
    let figures = |lines: &[&str]| {
        for (line, name) in lines.iter().zip(["States", "Transitions", "Plys"]) {
            let (told, figure) = line.split_once(": ").expect(line);
            assert_eq!(told, format!("        Visited {name}"));
            assert!(
                figure.chars().all(|c| c.is_ascii_digit() || c == ','),
                "{figure}"
            );
        }
        assert!(lines[3].starts_with("        Estimated Total Storage: "));
        assert!(lines[3].ends_with("MB"), "{}", lines[3]);
    };
    let failed = ["Spec [T= Bad:", "    Log:", "        Result: Failed"];
    assert_eq!(lines[..3], failed, "{}", ran.stdout);
    figures(&lines[3..]);
    let expected = [
        "        Counterexample (Trace Counterexample)",
        "            Specification Debug:",
        "                Trace: <write.1>",
        "                Available Events: {read.1, write.*}",
        "            Implementation Debug:",
        "                Bad (Trace Behaviour):",
        "                    Trace: <write.1>",
        "                    Error Event: read.2",
        "",
        "Spec [T= Spec:",
        "    Log:",
        "        Result: Passed",
    ];
    assert_eq!(lines[7..19], expected, "{}", ran.stdout);
    figures(&lines[19..]);
    let ends = [
        "",
        "Bad :[deadlock free]:",
        "    Log:",
        "        Result: Passed",
    ];
    assert_eq!(lines[23..27], ends, "{}", ran.stdout);
}

#[test]
fn every_kind_of_counterexample_is_told() {
    let path = saved("refines_kinds.csp", ALL_KINDS);
    let ran = refines(&["-q", "-f", "plain", &path]);
    for part in [
        "Counterexample (Trace Counterexample)",
        "Counterexample (Min Acceptance Counterexample)",
        "Counterexample (Deadlock Counterexample)",
        "Counterexample (Divergence Counterexample)",
        "Counterexample (Determinism Counterexample)",
        "            Machine Debug:\n                Q (Failure Behaviour):\n                    Trace: <a, c>\n                    Min Acceptance: {}\n",
        "                    Trace: <>\n                    Repeat: <τ>\n",
        "\nnot P [T= Q:\n    Log:\n        Result: Passed\n",
        "\nnot P [T= P:\n    Log:\n        Result: Failed\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    // The log has what was searched, and nothing else changes.
    let log = refines(&["-f", "plain", &path]).stdout;
    let is_log = |line: &&str| {
        let line = line.trim_start();
        [
            "Visited 1 state",
            "Visited 2 states",
            "Visited 3 states",
            "Not reduced",
        ]
        .iter()
        .any(|begin| line.starts_with(begin))
    };
    assert!(log.lines().any(|line| is_log(&line)));
    let without: Vec<&str> = log.lines().filter(|line| !is_log(line)).collect();
    assert_eq!(without, ran.stdout.lines().collect::<Vec<_>>());
    // What shows that an assertion holds is no counterexample.
    assert!(!ran.stdout.contains("(Irrelevant Behaviour)"));
}

/// Callers leave out the first two lines, count the others, and count `Passed`.
#[test]
fn brief_results_are_a_line_each_after_two_lines() {
    let path = saved("refines_brief.csp", ALL_KINDS);
    for args in [&["-qb", "-f", "plain", &path][..], &[&path, "-qb"]] {
        let ran = refines(args);
        assert_eq!(ran.code, Some(0));
        let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
        assert_eq!(lines.len(), 12, "{}", ran.stdout);
        let passed = lines.iter().filter(|line| line.ends_with(": Passed"));
        assert_eq!(passed.count(), 4, "{}", ran.stdout);
        let failed = lines.iter().filter(|line| line.ends_with(": Failed"));
        assert_eq!(failed.count(), 8);
        assert_eq!(lines[3], "Q :[deadlock free]: Failed");
    }
    let coloured = refines(&["-b", "--format", "colour", &path]);
    assert!(coloured.stdout.contains("\x1b[1;32mPassed\x1b[0m"));
}

#[test]
fn json_is_one_line_that_is_resolved_by_its_map() {
    let path = saved("refines_json.csp", ALL_KINDS);
    // As one caller writes it; it takes a text on standard error for a failure.
    let args = [
        &path,
        "--format=json",
        "--compiler-reuse-machines=off",
        "--reveal-taus",
        "--q",
    ];
    let ran = refines(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let (_, document) = object(&args);
    assert_eq!(document["file_name"], path.as_str());
    for empty in ["errors", "warnings", "print_statement_results"] {
        assert_eq!(document[empty], Value::Array(Vec::new()), "{empty}");
    }
    assert_eq!(document["event_map"]["1"], "τ");
    assert_eq!(document["event_map"]["2"], "✓");
    let all = results(&document);
    let told: Vec<Option<u64>> = all.iter().map(|r| r["result"].as_u64()).collect();
    let expected = [1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1].map(Some);
    assert_eq!(told, expected);
    for result in all {
        assert_eq!(result["errors"], Value::Array(Vec::new()));
        if result["result"] == 1 {
            assert_eq!(result["counterexamples"], Value::Array(Vec::new()));
        }
        for figure in ["visited_states", "visited_transitions", "visited_plys"] {
            assert!(result[figure].is_u64(), "{result}");
        }
    }
    assert_eq!(all[1]["assertion_string"], "P [T= Q");
    let first = |at: usize| &all[at]["counterexamples"][0];
    let run = &first(1)["implementation_behaviour"];
    assert_eq!(first(1)["type"], "trace");
    assert_eq!(named(&document, &run["trace"]), ["a"]);
    let error = Value::Array(vec![run["error_event"].clone()]);
    assert_eq!(named(&document, &error), ["c"]);
    let beside = &first(1)["specification_behaviour"];
    assert_eq!(named(&document, &beside["trace"]), ["a"]);
    assert_eq!(beside["states"], serde_json::json!([0, 1]));
    assert_eq!(first(3)["type"], "deadlock");
    assert!(first(3)["specification_behaviour"].is_null());
    let run = &first(3)["implementation_behaviour"];
    assert_eq!(run["min_acceptance"], Value::Array(Vec::new()));
    let run = &first(4)["implementation_behaviour"];
    assert_eq!(
        (&first(4)["type"], &run["loop_index"]),
        (&"divergence".into(), &0.into())
    );
    assert_eq!(named(&document, &run["trace"]), ["τ"]);
    assert_eq!(named(&document, &run["revealed_trace"]), ["a"]);
    // Without the flag nothing is revealed.
    let (_, plain) = object(&["-f", "json", &path]);
    let run = &results(&plain)[4]["counterexamples"][0]["implementation_behaviour"];
    assert!(run["revealed_trace"].is_null());
}

/// Callers read the first result of each line, and put the maps of all lines together.
#[test]
fn framed_json_is_a_line_for_each_result() {
    let path = saved("refines_framed.csp", ALL_KINDS);
    let lines = objects(&refines(&["--format", "framed_json", &path]).stdout);
    assert_eq!(lines.len(), 12);
    let (_, whole) = object(&["--format", "json", &path]);
    let mut map = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(results(line).len(), 1);
        assert_eq!(results(line)[0], results(&whole)[at]);
        for (number, name) in line["event_map"].as_object().expect("a map") {
            let before = map.insert(number.clone(), name.clone());
            assert!(before.is_none_or(|before| before == *name), "{number}");
        }
    }
    // A script without assertions has a line as well.
    let empty = saved("refines_empty.csp", "P = STOP\nprint 1 + 1\n");
    let lines = objects(&refines(&["-f", "framed_json", &empty]).stdout);
    assert_eq!(lines.len(), 1);
    assert!(results(&lines[0]).is_empty());
    let printed = &lines[0]["print_statement_results"][0];
    assert_eq!(
        (&printed["statement"], &printed["result"]),
        (&"1 + 1".into(), &"2".into())
    );
    let plain = refines(&["-q", &empty]);
    assert!(
        plain.stdout.contains("print 1 + 1:\n    Value: 2\n"),
        "{}",
        plain.stdout
    );
}

#[test]
fn several_scripts_are_checked_one_after_the_other() {
    let one = saved("refines_one.csp", "assert STOP [T= STOP\n");
    let two = saved("refines_two.csp", "channel a\nassert STOP [T= a -> STOP\n");
    let lines = objects(&refines(&["-f", "json", &one, &two]).stdout);
    let told: Vec<&Value> = lines
        .iter()
        .map(|line| &results(line)[0]["result"])
        .collect();
    assert_eq!(told, [1, 0]);
    // An error in one keeps none of the others from being checked.
    let bad = saved("refines_bad.csp", "assert P [T= STOP\n");
    let ran = refines(&["-qb", &bad, &two]);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.stdout.ends_with("STOP [T= a -> STOP: Failed\n"),
        "{}",
        ran.stdout
    );
    let ran = orbitscope(&["refines", "-b", "-"], b"assert STOP [T= STOP\n");
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stdout.ends_with("\nSTOP [T= STOP: Passed\n"),
        "{}",
        ran.stdout
    );
}

/// Nothing is written on standard error unless there is an error: callers take any text there for one.
#[test]
fn types_alone_are_checked() {
    let sound = saved(
        "refines_sound.csp",
        "channel a\nP = a -> P\nunused = 1\nassert P [T= STOP\n",
    );
    let ran = refines(&["-t", &sound]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(!ran.stdout.contains("Passed"), "{}", ran.stdout);
    let bad = saved(
        "refines_types.csp",
        "channel a\nP = a -> 1\nassert P [T= STOP\n",
    );
    for args in [
        &["--typecheck", "--format", "plain", &bad][..],
        &["-q", &bad],
    ] {
        let ran = refines(args);
        assert_eq!(ran.code, Some(3));
        assert!(
            ran.stderr.contains("refines_types.csp:2:"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stdout.contains("Passed"), "{}", ran.stdout);
    }
    let (code, document) = object(&["-f", "json", &bad]);
    let error = document["errors"][0].as_str().expect("an error");
    assert!(error.contains("refines_types.csp:2:"), "{error}");
    assert!(code == Some(3) && results(&document).is_empty());
}

#[test]
fn bad_input_has_a_message_and_a_code() {
    let syntax = saved("refines_syntax.csp", "P = = a\n");
    let binary = script("refines_binary.csp", [0u8, 159, 146, 150, 0, 1])
        .display()
        .to_string();
    for (path, expected) in [("no_such_file.csp", 2), (&*syntax, 3), (&*binary, 3)] {
        for format in ["plain", "json", "framed_json"] {
            let ran = refines(&["--format", format, path]);
            let code = ran.code.expect("a code");
            assert!(code == expected || code == 2, "{path}: {code}");
            assert!(ran.stderr.contains("error"), "{path}: {}", ran.stderr);
            if format != "plain" {
                let line = &objects(&ran.stdout)[0];
                assert!(
                    !line["errors"].as_array().expect("errors").is_empty(),
                    "{line}"
                );
            }
        }
    }
    let path = repository("models/two_buffers.csp").display().to_string();
    for (args, says) in [
        (&["--remote", "host"][..], "`--remote` is not supported"),
        (&["--archive", "out.arch"], "`--archive` is not supported"),
        (&["--format", "xml"], "not written as XML"),
        (&["-f", "yaml"], "not written as YAML"),
        (&["-f", "html"], "framed_json"),
        (&["--no-such-flag"], "--no-such-flag"),
        (
            &["--refinement-bfs-workers", "none"],
            "refinement.bfs.workers is a number",
        ),
        (
            &["--compiler-reuse-machines=perhaps"],
            "on or off, not `perhaps`",
        ),
    ] {
        let ran = refines(&[args, &[&path]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(refines(&[]).code, Some(2));
    let version = refines(&["--version"]);
    assert_eq!(
        version.stdout,
        format!("orbitscope {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn session_options_are_obeyed_or_named_once() {
    let text = "channel a : {1..2}\nP = a?x -> STOP\nassert STOP [T= P\n";
    let path = saved("refines_session.csp", text);
    let idle = [
        "--cspm-runtime-range-checks",
        "off",
        "--refinement.track_history=true",
        "--refinement-storage-file-path",
        "/tmp",
        "--divide",
        &path,
    ];
    let ran = refines(&idle);
    assert_eq!(ran.code, Some(0));
    let named = "orbitscope: without effect here: --divide, cspm.runtime_range_checks, \
                 refinement.storage.file.path, refinement.track_history\n";
    assert_eq!(ran.stderr, named);
    assert_eq!(refines(&[&idle[..], &["-q"]].concat()).stderr, "");
    let many = "--refinement-desired-counterexample-count=5";
    let (_, document) = object(&["-f", "json", many, "--refinement-bfs-workers", "1", &path]);
    let found = results(&document)[0]["counterexamples"].as_array();
    assert_eq!(found.map(Vec::len), Some(2));
}

/// What cannot be decided is not taken for passed, nor for a verdict.
#[test]
fn undecided_assertions_are_no_verdicts() {
    let text = "channel a : {0..3}\nQ(x) = a!(1/x) -> STOP\nassert Q(0) :[deadlock free]\n\
                assert STOP [T= STOP\n";
    let path = saved("refines_undecided.csp", text);
    let ran = refines(&["-qb", &path]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(
        ran.stdout.contains(":[deadlock free]: Failed to check: "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.ends_with("STOP [T= STOP: Passed\n"),
        "{}",
        ran.stdout
    );
    let (_, document) = object(&["-f", "json", &path]);
    let first = &results(&document)[0];
    assert!(
        first["result"].is_null() && first["errors"][0].is_string(),
        "{first}"
    );
    assert_eq!(results(&document)[1]["result"], 1);
}

/// The verdicts are those of `check`.
#[test]
fn verdicts_are_those_of_check() {
    for model in [
        "two_buffers",
        "peterson",
        "stack_aba",
        "philosophers",
        "ring",
    ] {
        let path = repository(&format!("models/{model}.csp"))
            .display()
            .to_string();
        let checked = orbitscope(&["check", "--format", "json", &path], b"");
        let checked: Value = serde_json::from_str(&checked.stdout).expect("JSON");
        let (code, document) = object(&["-f", "json", &path]);
        assert_eq!(code, Some(0), "{model}");
        let all = checked["checks"].as_array().expect("checks");
        assert_eq!(all.len(), results(&document).len(), "{model}");
        for (check, result) in all.iter().zip(results(&document)) {
            assert_eq!(check["assertion"], result["assertion_string"]);
            let status = if check["status"] == "pass" { 1 } else { 0 };
            assert_eq!(result["result"], status, "{model}: {result}");
            assert_eq!(check["stats"]["states"], result["visited_states"]);
            let steps = check["counterexample"]["steps"]
                .as_array()
                .map_or(0, Vec::len);
            let run = &result["counterexamples"][0]["implementation_behaviour"];
            let events = run["trace"].as_array().map_or(0, Vec::len);
            let of_error = usize::from(run["error_event"].is_u64());
            assert_eq!(events + of_error, steps, "{model}: {result}");
        }
    }
}

/// Callers that are told where FDR4 is can be given a link of its name.
#[cfg(unix)]
#[test]
fn a_link_named_refines_is_the_command() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("refines_link");
    std::fs::create_dir_all(&folder).expect("a folder");
    let link = folder.join("refines");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_orbitscope"), &link).expect("a link");
    let path = saved("refines_linked.csp", "assert STOP [T= STOP\n");
    let ran = std::process::Command::new(&link)
        .args(["-qb", &path])
        .output();
    let ran = ran.expect("the program starts");
    let stdout = String::from_utf8_lossy(&ran.stdout);
    assert!(stdout.ends_with("\nSTOP [T= STOP: Passed\n"), "{stdout}");
}

/// A reader that is gone, and a signal, end a run with the codes that they have everywhere.
#[cfg(unix)]
#[test]
fn readers_that_go_and_signals_end_a_run() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let text = "channel a, b : {0..999}\nC(n) = a.n -> C((n + 1) % 1000) [] b.n -> C((n + 7) % 1000)\n\
                P = C(0) ||| C(1) ||| C(2) ||| C(3)\nassert STOP [T= STOP\nassert RUN({|a, b|}) [T= P\n";
    let path = saved("refines_endless.csp", text);
    let start = |format: &str| {
        Command::new(env!("CARGO_BIN_EXE_orbitscope"))
            .args(["refines", "-f", format, &path])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    };
    let mut child = start("framed_json");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut first = [0; 1];
    stdout
        .read_exact(&mut first)
        .expect("the first result is there at once");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("there is a kill").success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{rest}");
    let lines = objects(&format!("{}{rest}", char::from(first[0])));
    let told: Vec<&Value> = lines
        .iter()
        .map(|line| &results(line)[0]["result"])
        .collect();
    // The signal may come before the second one is begun.
    assert_eq!(told[0], &Value::from(1));
    assert!(told.len() <= 2 && told[1..].iter().all(|result| result.is_null()));
    let gone = saved("refines_gone.csp", &"assert STOP [T= STOP\n".repeat(2000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(["refines", &gone])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
}
