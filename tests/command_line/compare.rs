//! `orbitscope compare`: what it says of two states and with which exit code.

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

/// The ring of `models/ring.csp` with these data, beginning at a node.
fn ring(data: &str, first: usize) -> String {
    let node = |n: usize| (n + first) % 4;
    let events = data.chars().enumerate();
    let events = events.map(|(n, d)| format!("init.N{}.{d}.N{}", node(n), node(n + 1)));
    format!("<{}>", events.collect::<Vec<_>>().join(", "))
}

fn compared(a: &str, b: &str) -> (Option<i32>, Value) {
    let path = repository("models/ring.csp").display().to_string();
    let ran = orbitscope(&["compare", "--format", "json", &path, "Ring", a, b], b"");
    let document = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    (ran.code, document)
}

/// The text shows each component of state A beside its image in state B.
#[test]
fn the_images_in_the_text_are_those_of_the_document() {
    let (a, b) = (ring("AABB", 0), ring("BAAB", 0));
    let (_, found) = compared(&a, &b);
    let path = repository("models/ring.csp").display().to_string();
    let text = orbitscope(&["compare", &path, "Ring", &a, &b], b"").stdout;
    let words = |side: &str, at: usize| {
        let component = &found[side]["components"][at];
        let word = |name: &str| component[name].as_str().expect("a text");
        format!("{} {}", word("label"), word("state"))
    };
    let arrows = found["witness"]["arrows"].as_array().expect("a list");
    assert!((0..).zip(arrows).any(|(at, to)| *to != at), "{found}");
    for (at, to) in arrows.iter().enumerate() {
        let to = to.as_u64().expect("a number") as usize;
        let line = format!("{} -> {}", words("a", at), words("b", to));
        let is_it = |l: &str| l.split_whitespace().collect::<Vec<_>>().join(" ") == line;
        assert!(text.lines().any(is_it), "{line}: {text}");
    }
}

#[test]
fn rotations_are_of_one_orbit_and_a_pick_is_to_blame() {
    let (code, found) = compared(&ring("AABB", 0), &ring("BAAB", 0));
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["schema"], "orbitscope.compare/1");
    assert_eq!(found["relation"], "same-orbit");
    assert_eq!(found["witness"]["ways"], "2");
    assert_eq!(found["witness"]["moved"], 4);
    assert_eq!(found["parting"]["kind"], "choice");
    assert_eq!(found["picks"]["complete"], true);
    let ways = |at: usize| found["picks"]["outcomes"][at]["ways"].clone();
    assert_eq!((ways(0), ways(1)), (2.into(), 2.into()));
    assert_ne!(found["a"]["representative"], found["b"]["representative"]);
}

#[test]
fn rings_of_different_orbits_come_with_a_tree() {
    let (code, found) = compared(&ring("AABB", 0), &ring("ABAB", 1));
    assert_eq!(code, Some(1), "{found}");
    assert_eq!(found["relation"], "different");
    assert_eq!(found["certificate"]["kind"], "tree");
    let (code, found) = compared(&ring("AABB", 0), &ring("AAAB", 2));
    assert_eq!(code, Some(1), "{found}");
    assert_eq!(found["certificate"]["kind"], "profile");
    let (code, found) = compared(&ring("AABB", 0), "<>");
    assert_eq!(code, Some(1), "{found}");
    assert_eq!(found["certificate"]["kind"], "keys");
    let (code, found) = compared("<>", "<>");
    assert_eq!((code, &found["relation"]), (Some(0), &"same".into()));
}

#[test]
fn it_is_said_in_words() {
    let path = repository("models/ring.csp").display().to_string();
    let says = |a: &str, b: &str| orbitscope(&["compare", &path, a, b], b"").stdout;
    let text = says(&ring("AABB", 0), &ring("BAAB", 0));
    let verdict = "Same orbit, two representatives: NodeID (N0 N1 N2 N3) takes state A to state B.";
    assert!(text.contains(verdict), "{text}");
    assert!(
        text.contains("It moves 4 values; none that takes"),
        "{text}"
    );
    assert!(
        text.contains("step 3 picked N0 of {N0,N1,N2,N3} in state A"),
        "{text}"
    );
    let text = says(&ring("AABB", 0), &ring("ABAB", 0));
    assert!(text.contains("Counting tells no more. "), "{text}");
    assert!(text.contains("takes state B to itself"), "{text}");
    let text = says("<init.N0.A.N1>", "<>");
    let counts = "Node(_, _, _): 1 of state A (N0), none of state B.";
    assert!(text.contains(counts), "{text}");
}

/// Walks go through silent steps that no trace can name.
#[test]
fn states_may_be_given_as_walks() {
    let path = repository("models/list_stack.csp").display().to_string();
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..6 {
        let (a, b) = (format!("walk:{seed},9"), format!("walk:{},9", seed + 1));
        let ran = orbitscope(&["compare", "--format=json", &path, "System", &a, &b], b"");
        let found: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        assert_eq!(found["a"]["path"].as_array().map(Vec::len), Some(9));
        let relation = found["relation"].as_str().expect("a word").to_owned();
        let expected = if relation == "different" { 1 } else { 0 };
        assert_eq!(ran.code, Some(expected), "{found}");
        seen.insert(relation);
    }
    assert!(seen.contains("different"), "{seen:?}");
    let ran = orbitscope(&["compare", &path, "walk:1,30", "walk:1,30"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = orbitscope(&["compare", &path, "walk:1", "walk:1,30"], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

/// A trace that cannot be performed, a process without symmetric types, too many and too few arguments.
#[test]
fn what_cannot_be_compared_is_told() {
    let path = repository("models/ring.csp").display().to_string();
    let ran = orbitscope(&["compare", &path, "<get.N0.A.N1>", "<>"], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("get.N0.A.N1"), "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
    let plain = script("compare_plain.csp", "channel a, b\nP = a -> b -> P\n");
    let plain = plain.display().to_string();
    let ran = orbitscope(&["compare", &plain, "P", "<>", "<a>"], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("no datatype is symmetric"),
        "{}",
        ran.stderr
    );
    assert_eq!(orbitscope(&["compare", &path, "<>"], b"").code, Some(2));
    assert_eq!(
        orbitscope(&["compare", &path, "Ring", "<>", "<>", "<>"], b"").code,
        Some(2)
    );
    assert_eq!(
        orbitscope(&["compare", "/no/such.csp", "<>", "<>"], b"").code,
        Some(2)
    );
}

/// After these traces the components are the same, and nothing can happen any more; but the operators above
/// them hold `A` and `B`, and exchanging these takes the one process to the other. Not to see that is not to
/// have proved that there is nothing to see.
#[test]
fn states_of_different_formats_are_left_undecided() {
    let text = "datatype S = A | B\ndatatype T = X | Y\nchannel a, j : S\nchannel b : S.S\nchannel c : S.T\n\
                N(v, s, q) = #q != 0 & a!(head(q)) -> N(v, s, tail(q))\n\
                L = j?v -> (N(v, {v}, <v>) [| {| b, c.v |} |] N(v, diff({v}, diff(S, S)), <v>))\n\
                assert L :[deadlock free]\n";
    let path = script("compare_formats.csp", text).display().to_string();
    for format in ["text", "json"] {
        let ran = orbitscope(
            &[
                "compare",
                "--format",
                format,
                &path,
                "L",
                "<j.A, a.A, a.A>",
                "<j.B, a.B, a.B>",
            ],
            b"",
        );
        assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("Undecided: "), "{}", ran.stdout);
    }
}

/// Steps of saved runs are states, too.
#[test]
fn states_may_be_given_as_steps_of_saved_runs() {
    let path = repository("models/philosophers.csp").display().to_string();
    let saved = script("compare_saved.json", "").display().to_string();
    let args = ["check", "-a", "3", "--save", &saved, "--force", &path];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let step = |n: usize| format!("{saved}@{n}");
    let json = |args: &[&str]| -> (Option<i32>, Value) {
        let ran = orbitscope(args, b"");
        (
            ran.code,
            serde_json::from_str(&ran.stdout).expect(&ran.stderr),
        )
    };
    let first = format!("{saved}#1@2");
    let (code, found) = json(&["compare", "--format", "json", &path, &step(2), &first]);
    assert_eq!(
        (code, &found["relation"]),
        (Some(0), &"same".into()),
        "{found}"
    );
    assert_eq!(found["process"], "Table");
    let (code, found) = json(&["compare", "--format", "json", &path, &step(0), "<>"]);
    assert_eq!(
        (code, &found["relation"]),
        (Some(0), &"same".into()),
        "{found}"
    );
    let (code, found) = json(&["compare", "--format", "json", &path, &step(0), &step(1)]);
    assert_eq!(code, Some(1), "{found}");
    // So are steps of walks.
    let walk = "Run(version: 2, script: [], run: (entries: [Open(\"Table\")]))";
    let walk = format!("{}@0", script("compare_walk.run.ron", walk).display());
    let (code, found) = json(&["compare", "--format", "json", &path, &walk, &step(0)]);
    assert_eq!(
        (code, &found["relation"]),
        (Some(0), &"same".into()),
        "{found}"
    );
    let (code, found) = json(&["explain", "--format", "json", &path, &step(2)]);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["path"].as_array().map(Vec::len), Some(2), "{found}");
    let trace = found["path"].as_array().expect("a list").iter();
    let trace: Vec<&str> = trace.map(|e| e.as_str().expect("a text")).collect();
    let trace = format!("<{}>", trace.join(", "));
    let (_, again) = json(&["explain", "--format", "json", &path, "Table", &trace]);
    assert_eq!(found["components"], again["components"]);
    for (args, says) in [
        (vec![step(99), "<>".to_owned()], "no step 99"),
        (
            vec!["System".to_owned(), step(1), "<>".to_owned()],
            "different processes",
        ),
        (vec![format!("{saved}#7@1"), "<>".to_owned()], "7"),
        (
            vec!["no/such.json@1".to_owned(), "<>".to_owned()],
            "no/such.json",
        ),
    ] {
        let mut all = vec!["compare", &*path];
        all.extend(args.iter().map(String::as_str));
        let ran = orbitscope(&all, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
    }
}

/// What a race finds is told by the command that it prints: in the strategy that keeps both states.
#[test]
fn the_command_of_a_race_asks_the_strategy_that_was_raced() {
    let path = repository("models/ring.csp").display().to_string();
    let ran = orbitscope(
        &[
            "race",
            "--format=json",
            "--rep=ordering,sorted,bubble",
            &path,
            "Ring",
        ],
        b"",
    );
    let race: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let mut seen = 0;
    for row in race["rows"].as_array().expect("rows") {
        let name = row["strategy"].as_str().expect("a name");
        let command = row["doubled"]["command"].as_str().expect("a command");
        let words = command.strip_prefix("orbitscope ").expect("its own name");
        // Nothing in it holds a blank but the traces, which are the only words with brackets.
        let words: Vec<String> = words
            .split(" '")
            .flat_map(|word| match word.strip_suffix('\'') {
                Some(quoted) => vec![quoted.to_owned()],
                None => word.split(' ').map(str::to_owned).collect(),
            })
            .collect();
        let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = orbitscope(&args, b"").stdout;
        let by = match name {
            "ordering" => "two representatives: ".to_owned(),
            name => format!("two representatives by {name}: "),
        };
        assert!(text.contains(&by), "{command}: {text}");
        let heading = format!("representatives by {name}, of state A and of state B");
        assert!(text.contains(&heading), "{command}: {text}");
        args.push("--format=json");
        let found: Value = serde_json::from_str(&orbitscope(&args, b"").stdout).expect("JSON");
        assert_eq!(found["strategy"], name);
        let pair = |side: &str| found[side]["representative"].clone();
        assert_ne!(pair("a"), pair("b"), "{command}");
        let kind = found["parting"]["kind"].as_str().expect("a word");
        assert_eq!(kind == "place", name != "ordering", "{found}");
        // Another strategy may give them one.
        let rep = format!("--rep={name}");
        let exact = args
            .iter()
            .position(|word| *word == "--rep")
            .map(|at| at + 1);
        args[exact.expect("an option")] = "exact";
        let found: Value = serde_json::from_str(&orbitscope(&args, b"").stdout).expect("JSON");
        assert_eq!(
            found["a"]["representative"], found["b"]["representative"],
            "{rep}"
        );
        assert_eq!(found["parting"]["kind"], "same");
        seen += 1;
    }
    assert_eq!(seen, 3);
}

/// Names that do not apply say which do, and options may stand between the states.
#[test]
fn strategies_that_do_not_apply_are_told() {
    let ring = repository("models/ring.csp").display().to_string();
    let cells = repository("tests/data/symmetry/cells.csp")
        .display()
        .to_string();
    let peterson = repository("models/peterson.csp").display().to_string();
    for (path, name, code, says) in [
        (&ring, "flood", 2, "`flood` is a way to remember states"),
        (&ring, "nothing", 2, "possible values"),
        (&peterson, "chain", 3, "ask for ordering, walk, exact"),
        (&ring, "counters", 3, "counters do not apply"),
        (
            &cells,
            "sorted",
            3,
            "ask for structure, chain, enumerate or local",
        ),
    ] {
        let process = if path == &peterson { "System" } else { "Ring" };
        for args in [
            vec!["compare", path, process, "<>", "walk:1,2", "--rep", name],
            vec!["compare", path, process, "--rep", name, "<>", "walk:1,2"],
            vec!["explain", path, process, "walk:1,2", "--rep", name],
        ] {
            let ran = orbitscope(&args, b"");
            assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
        }
    }
    for command in ["explain", "compare"] {
        let help = orbitscope(&[command, "--help"], b"").stdout;
        assert!(
            help.contains("- segmented:") && help.contains("- chain:"),
            "{help}"
        );
        assert!(!help.contains("- flood:"), "{help}");
    }
    for name in ["structure", "chain", "enumerate", "local"] {
        let args = [
            "compare",
            &cells,
            "Ring",
            "<take.1>",
            "<take.2>",
            "--rep",
            name,
            "--format=json",
        ];
        let ran = orbitscope(&args, b"");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let found: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(
            (&found["strategy"], &found["relation"]),
            (&name.into(), &"same-orbit".into())
        );
        if name != "local" {
            assert_eq!(
                found["a"]["representative"], found["b"]["representative"],
                "{name}"
            );
        }
    }
}
