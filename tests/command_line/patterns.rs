//! `orbitscope pattern`: answers, files that it writes, families that are wrong, and limits.

use serde_json::Value;

use crate::support::{Ran, orbitscope, repository, script};

fn run(args: &[&str]) -> Ran {
    orbitscope(&[&["pattern"], args].concat(), b"")
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let ran = run(&[args, &["--format", "json"]].concat());
    let read = serde_json::from_str(&ran.stdout);
    let document: Value =
        read.unwrap_or_else(|e| panic!("{args:?}: {e}: {}{}", ran.stdout, ran.stderr));
    assert_eq!(
        document["exit_code"].as_i64(),
        ran.code.map(i64::from),
        "{document:#}"
    );
    (ran.code, document)
}

fn path(name: &str, text: impl AsRef<[u8]>) -> String {
    script(name, text).display().to_string()
}

#[test]
fn patterns_are_verified() {
    let ran = run(&["verify", "builtin:allocator"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""));
    insta::assert_snapshot!(ran.stdout);
    let ran = run(&["verify", "builtin:readers_writers"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert_eq!(
        ran.stdout.matches("PROVED for every n").count(),
        5,
        "{}",
        ran.stdout
    );
    let one = run(&["verify", "builtin:herman", "--pattern", "rotation"]);
    assert_eq!(one.code, Some(0));
    let file = repository("assets/families/israeli_jalfon.pat")
        .display()
        .to_string();
    let (code, document) = json(&["verify", &file, "-p", "rotation", "-p", "reflection"]);
    assert_eq!(code, Some(1));
    assert_eq!(document["schema"], "orbitscope.pattern/1");
    let patterns = document["patterns"].as_array().expect("a list");
    assert_eq!(
        (&patterns[0]["proved"], &patterns[1]["proved"]),
        (&true.into(), &false.into())
    );
    assert_eq!(patterns[0]["strength"], "automorphism");
    let properties = patterns[1]["properties"].as_array().expect("a list");
    let lost = properties
        .iter()
        .find(|p| p["property"] == "simulation")
        .expect("it is told");
    assert_eq!(
        lost["counterexample"]["from"].as_array().map(Vec::len),
        Some(3),
        "{lost:#}"
    );
}

/// A relation that is no function is decided by Theorem 2, and one that makes words longer is no pattern.
#[test]
fn relations_in_files_are_verified() {
    let ring = "builtin:israeli_jalfon";
    let verify = |name: &str, text: &str| {
        let file = path(name, text);
        let (code, document) = json(&["verify", ring, "-p", &file]);
        (code, document["patterns"][0].clone())
    };
    // Everything of one length is related.
    let (code, all) = verify("all.pat", "pattern: .*;");
    assert_eq!(
        (code, &all["ground"]),
        (Some(1), &"theorem 2".into()),
        "{all:#}"
    );
    let (code, same) = verify("same.pat", "pattern: I*;");
    assert_eq!(
        (code, &same["strength"]),
        (Some(0), &"automorphism".into()),
        "{same:#}"
    );
    // Only words with one t, each to each: a simulation that is no function. A word of one letter has no step.
    let one = "pattern: n/n* [t/n n/n* n/t | t/t] n/n*;";
    let ran = run(&["verify", ring, "-p", &path("class.pat", one)]);
    assert_eq!(
        ran.code,
        Some(3),
        "choices do not stand in brackets: {}",
        ran.stderr
    );
    let one = "pattern: n/n* (t/n n/n* n/t | n/t n/n* t/n | t/t) n/n*;";
    let (code, each) = verify("each.pat", one);
    assert_eq!(
        (code, &each["strength"]),
        (Some(0), &"simulation".into()),
        "{each:#}"
    );
    let (code, longer) = verify("longer.pat", "pattern: I* #/t;");
    assert_eq!(
        (code, &longer["proved"]),
        (Some(1), &false.into()),
        "{longer:#}"
    );
    let (_, nothing) = verify("padding_first.pat", "pattern: #/t t/t;");
    assert_eq!(
        nothing["strength"], "simulation",
        "no pair of words: {nothing:#}"
    );
    let missing = run(&["verify", ring, "-p", &path("none.pat", "steps: I*;")]);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("has no `pattern`"),
        "{}",
        missing.stderr
    );
}

#[test]
fn patterns_are_found_written_drawn_and_verified_again() {
    let folder = script("placeholder.pat", "");
    let folder = folder.parent().expect("a folder");
    let file = |name: &str| folder.join(name).display().to_string();
    let (found, dot, svg) = (file("found.pat"), file("found.dot"), file("found.svg"));
    let ran = run(&["synth", "builtin:herman", "-o", &found, "--draw", &svg]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for said in [
        "no transducer with 1 to 4 states",
        "5 states, 12 transitions",
        "PROVED for every n",
        "rotation",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let again = run(&["verify", "builtin:herman", "-p", &found]);
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    roxmltree::Document::parse(&picture).expect("XML");
    assert_eq!(picture.matches("class=\"vertex\"").count(), 5);
    assert_eq!(
        run(&["synth", "builtin:herman", "--draw", &dot]).code,
        Some(0)
    );
    let picture = std::fs::read_to_string(&dot).expect("a picture");
    assert!(
        picture.starts_with("// PROVED") && picture.contains("q0 -> q"),
        "{picture}"
    );
    let odd = run(&["synth", "builtin:herman", "--draw", &file("found.png")]);
    assert_eq!(odd.code, Some(2), "{}", odd.stderr);
    let own = path("own.pat", "steps: t/n n/t;");
    let over = run(&["synth", &own, "-o", &own]);
    assert_eq!(over.code, Some(2), "{}", over.stderr);
    assert_eq!(
        std::fs::read_to_string(&own).expect("it is there"),
        "steps: t/n n/t;"
    );
    let (code, none) = json(&["synth", "builtin:token_line", "--states", "2..3"]);
    assert_eq!((code, &none["outcome"]), (Some(1), &"impossible".into()));
    assert_eq!(none["tried"].as_array().map(Vec::len), Some(2));
}

#[test]
fn invariants_are_found_and_bad_words_are_shown() {
    let ran = run(&["invariant", "builtin:token_ring"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    insta::assert_snapshot!(ran.stdout);
    let fails = run(&[
        "invariant",
        "builtin:token_ring",
        "--initial",
        "t n*",
        "--bad",
        "n n t",
    ]);
    assert_eq!(fails.code, Some(1), "{}", fails.stdout);
    assert!(fails.stdout.contains("FAILS for n = 3"), "{}", fails.stdout);
    assert!(!fails.stdout.contains("PROVED"));
    let (code, open) = json(&["invariant", "builtin:token_ring", "--states", "1..2"]);
    assert_eq!((code, &open["outcome"]), (Some(4), &"not found".into()));
    let (code, stuck) = json(&[
        "invariant",
        "builtin:philosophers",
        "--initial",
        "0 0 0",
        "--deadlock",
    ]);
    assert_eq!((code, &stuck["outcome"]), (Some(1), &"reached".into()));
    let last = stuck["run"]
        .as_array()
        .and_then(|run| run.last())
        .expect("a run");
    assert_eq!(*last, serde_json::json!(["1", "1", "1"]));
    let outside = run(&["invariant", "builtin:allocator", "--initial", "r i"]);
    assert_eq!(outside.code, Some(2), "{}", outside.stderr);
    let unasked = run(&["invariant", "builtin:herman_synchronous"]);
    assert_eq!(unasked.code, Some(2), "{}", unasked.stderr);
}

/// A family that is wrong, the place, and something that the message says.
const WRONG: [(&str, &str, &str); 22] = [
    ("steps: t/n n/t", "1:15", "expected `;`"),
    ("steps: t/n n/u; alphabet: t n;", "1:14", "`u` is no letter"),
    ("steps: t;", "1:9", "a letter stands alone among pairs"),
    ("steps: t/n (n/t;", "1:16", "expected `)`"),
    ("steps: *;", "1:8", "nothing stands before"),
    ("steps: []/t;", "1:8", "no letter stands"),
    ("steps: t/#;", "1:10", "padding"),
    ("alphabet: t n;", "1:1", "no steps"),
    ("alphabet: #; steps: I;", "1:11", "padding"),
    ("steps: I*;", "1:1", "no letters"),
    ("stepps: t/n;", "1:1", "means nothing here"),
    ("steps: t/n; bad: t; bad: n;", "1:21", "said twice"),
    ("steps: t/n; initial: tx;", "1:22", "`tx` is no letter"),
    ("steps: t/n; statesGuessing: 3..2;", "1:29", "no number"),
    ("steps: t/n; statesGuessing: 1..65;", "1:32", "too large"),
    (
        "steps: t/n; forcedSymmetryGenerators: (3, (0 0));",
        "1:46",
        "occurs twice",
    ),
    (
        "steps: t/n; forcedSymmetryInstances: (t, t n);",
        "1:38",
        "different lengths",
    ),
    ("steps: t/n; off: parik;", "1:18", "did you mean `parikh`?"),
    (
        "systemTransitions { s -> e t/n; accepting: e; }",
        "1:1",
        "no `init`",
    ),
    (
        "systemTransitions { init: s; s -> e t/n; accepting: ee; }",
        "1:53",
        "no transition leads",
    ),
    ("/* open", "1:1", "never closed"),
    ("steps: t/n \u{1};", "1:12", "means nothing"),
];

#[test]
fn what_is_wrong_with_a_family_is_told_at_its_place() {
    for (n, (text, place, says)) in WRONG.iter().enumerate() {
        let file = path(&format!("wrong{n}.pat"), text);
        for command in ["verify", "synth", "invariant"] {
            let ran = run(&[command, &file]);
            assert_eq!(ran.code, Some(3), "{text}: {}{}", ran.stdout, ran.stderr);
            assert!(
                ran.stderr.contains(&format!("wrong{n}.pat:{place}")),
                "{text}: {}",
                ran.stderr
            );
            assert!(ran.stderr.contains(says), "{text}: {}", ran.stderr);
            assert_eq!(ran.stdout, "");
        }
    }
    let deep = format!("steps: {}t/n{};", "(".repeat(100_000), ")".repeat(100_000));
    let ran = run(&["verify", &path("deep.pat", deep)]);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.stderr.contains("nested too deeply"),
        "{}",
        ran.stderr.len()
    );
    let repeated = format!("steps: t/n{};", "*+?".repeat(100_000));
    assert_eq!(
        run(&["verify", &path("stars.pat", repeated), "-p", "rotation"]).code,
        Some(0)
    );
    let binary: Vec<u8> = (0..4_000).map(|n| (n * 7 % 256) as u8).collect();
    assert_eq!(run(&["verify", &path("binary.pat", binary)]).code, Some(3));
    assert_eq!(run(&["verify", "nowhere.pat"]).code, Some(2));
    assert_eq!(run(&["verify", "builtin:nowhere"]).code, Some(2));
    assert_eq!(
        run(&["verify", &repository("models").display().to_string()]).code,
        Some(2)
    );
    let huge = path("huge.pat", "// \n".repeat(2 << 20));
    let ran = run(&["verify", &huge]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("too large"), "{}", ran.stderr);
    let ran = run(&["invariant", "builtin:token_ring", "--bad", "t x"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("--bad:1:3"), "{}", ran.stderr);
    assert_eq!(
        run(&["verify", "builtin:herman", "-p", "rotation:0"]).code,
        Some(2)
    );
    assert_eq!(
        run(&["synth", "builtin:herman", "--states", "3..2"]).code,
        Some(2)
    );
    let failed = orbitscope(
        &["pattern", "verify", "nowhere.pat", "--format", "json"],
        b"",
    );
    let document: Value = serde_json::from_str(&failed.stdout).expect("a document");
    assert_eq!(
        (&document["schema"], &document["command"]),
        (&"orbitscope.failure/1".into(), &"pattern".into())
    );
}

#[test]
fn limits_end_the_work() {
    let (code, open) = json(&[
        "synth",
        "builtin:philosophers",
        "--states",
        "14..17",
        "--timeout",
        "200ms",
    ]);
    assert_eq!((code, &open["outcome"]), (Some(4), &"undecided".into()));
    // Sets of states grow exponentially with the places from the end.
    let far = format!(
        "steps: I*; configurations: .* t {};  alphabet: t n;",
        ". ".repeat(40)
    );
    let ran = run(&["verify", &path("far.pat", far), "--timeout", "300ms"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(ran.stderr.contains("time limit"), "{}", ran.stderr);
    let ran = run(&["invariant", "builtin:allocator", "--timeout", "0s"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stdout);
    assert!(!ran.stdout.contains("PROVED"));
}

/// A step that leaves the configurations is told, since it does not count.
#[test]
fn steps_that_leave_the_configurations_are_told() {
    let text = "alphabet: a b; configurations: a*; steps: I* a/b I*; initial: a*; bad: b;";
    let ran = run(&["invariant", &path("leaving.pat", text)]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("the step a → b leaves the configurations"),
        "{}",
        ran.stdout
    );
}
