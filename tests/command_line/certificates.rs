//! The claims of `compare` and `explain`, checked from their documents by a program that shares nothing with this one
//! (`examples/certificates/check.py`).

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use orbitscope::symmetry::{StrategyKind, StructuralKind};
use serde_json::{Value, json};

use super::group_strategies::ring;
use crate::support::{orbitscope, repository, script, tiers};

/// The names of the strategies for values, and then those for groups found in the structure.
fn strategies() -> Vec<&'static str> {
    let values = StrategyKind::SHOWN.map(|kind| kind.strategy().name());
    let structure = StructuralKind::ALL.map(StructuralKind::name);
    [&values[..], &structure[..]].concat()
}

/// Whether the checker accepts documents, and what it says; `None` without Python.
fn accepts(documents: &str) -> Option<(bool, String)> {
    let checker = repository("examples/certificates/check.py");
    let mut python = Command::new("python3");
    python.arg(checker).stdin(Stdio::piped());
    let started = python.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut started) = started else {
        tiers::note("certificates", "there is no python3");
        return None;
    };
    let mut input = started.stdin.take().expect("a pipe");
    // A checker that refuses the first document reads no further.
    let _ = input.write_all(documents.as_bytes());
    drop(input);
    let done = started.wait_with_output().expect("it ends");
    let said = [done.stdout, done.stderr].concat();
    Some((
        done.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    ))
}

#[track_caller]
fn are_accepted(documents: &str, of: &str) -> String {
    match accepts(documents) {
        Some((holds, said)) => {
            assert!(holds, "{of}: {said}");
            said
        }
        None => String::new(),
    }
}

/// The documents of a pair of walks and of the representatives of a state.
fn documents(path: &str, walks: [&str; 2], strategies: &[&str]) -> String {
    let [a, b] = walks;
    let compared = |rest: &[&str]| {
        let args = ["compare", "--format", "json", path, a, b];
        orbitscope(&[&args, rest].concat(), b"").stdout
    };
    let mut all = compared(&[]);
    for strategy in strategies {
        all += &compared(&["--rep", strategy]);
        let args = ["explain", "--format", "json", path, b, "--rep", strategy];
        all += &orbitscope(&args, b"").stdout;
    }
    all
}

fn scripts(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "csp"))
        .collect();
    paths.sort();
    paths
}

/// Random scripts of a thorough run.
const CASES: u32 = 500;
/// Pairs of states of each script in a thorough run, by every strategy.
const WALKS: u32 = 8;

#[test]
fn claims_on_models_are_accepted() {
    let walks = tiers::cases(WALKS);
    let asks_all = walks >= WALKS;
    let mut folders = scripts("models");
    folders.extend(scripts("tests/data/certificates"));
    if tiers::is_thorough() {
        folders.extend(scripts("tests/data/structure"));
    }
    for (number, path) in folders.into_iter().enumerate() {
        // Each strategy is asked in several scripts of a shorter run, too.
        let step = if asks_all { 1 } else { 5 };
        let all_strategies = strategies().into_iter();
        let chosen: Vec<&str> = all_strategies.skip(number % step).step_by(step).collect();
        let path = path.display().to_string();
        let mut all = String::new();
        for seed in 0..walks {
            let (a, b) = (format!("walk:{seed},7"), format!("walk:{},7", seed + 20));
            all += &documents(&path, [&a, &b], &chosen);
        }
        are_accepted(&all, &path);
    }
}

/// Random numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Processes that remember values, pairs and sets of values of a symmetric type.
fn with_values(dice: &mut Numbers) -> String {
    let mut text = String::from(
        "datatype S = S0 | S1 | S2 | S3\ndatatype T = T0 | T1 | T2\nchannel a, b : S.S\nchannel c : S.T\n",
    );
    let gathered = dice.of(&["(me, y)", "{me, y}", "{(me, y), (y, me)}"]);
    let mut next = || {
        let (x, xs) = (
            dice.of(&["x", "y", "me"]),
            dice.of(&["xs", "union(xs, {y})", "{x}"]),
        );
        let ps = match dice.below(2) {
            0 => "ps".to_owned(),
            _ => format!("union(ps, {{{gathered}}})"),
        };
        format!("P(me, {x}, {xs}, {ps})")
    };
    let (one, two, three) = (next(), next(), next());
    let _ = writeln!(
        text,
        "P(me, x, xs, ps) = a.me?y -> {one} [] b?y.me -> {two} [] c.me?t -> (let y = x within {three})"
    );
    let sync = dice.of(&["", "a", "b", "a, b"]);
    let _ = writeln!(
        text,
        "System = [| {{|{sync}|}} |] s : S @ P(s, s, {{}}, {{}})"
    );
    text + "assert System :[deadlock free]\n"
}

/// Cells on a circle that are numbered by integers, with steps to cells at random distances.
fn with_structure(dice: &mut Numbers) -> String {
    let (size, one, two) = (3 + dice.below(4), 1 + dice.below(2), 1 + dice.below(3));
    let mut text = format!("N = {size}\nchannel take, pass, swap : {{0..N-1}}\n");
    let mut turn = || dice.below(3);
    let (a, b, c, d) = (turn(), turn(), turn(), turn());
    let _ = writeln!(
        text,
        "Cell(i, k) = take.i -> Cell(i, (k+{a})%3) [] pass.i -> Cell(i, (k+{b})%3)\n  \
         [] k != {c} & pass.((i+{one})%N) -> Cell(i, (k+1)%3) [] swap.((i+{two})%N) -> Cell(i, {d})"
    );
    let events = format!("take.i, pass.i, pass.((i+{one})%N), swap.((i+{two})%N)");
    text + &format!(
        "Ring = || i : {{0..N-1}} @ [{{{events}}}] Cell(i, 0)\nassert Ring :[deadlock free]\n"
    )
}

#[test]
fn claims_on_random_scripts_are_accepted() {
    let mut dice = Numbers(0x5eed_0f11);
    let mut all = String::new();
    let cases = match tiers::cases(CASES) {
        CASES.. => CASES,
        // Each is several runs of two programs.
        fewer => fewer / 4,
    };
    for number in 0..cases {
        let text = match number % 2 {
            0 => with_values(&mut dice),
            _ => with_structure(&mut dice),
        };
        let path = script("certificates_random.csp", &text)
            .display()
            .to_string();
        let mut walk = || format!("walk:{},{}", dice.below(1_000), 2 + dice.below(9));
        let (a, b) = (walk(), walk());
        let all_strategies = strategies();
        let (values, structure) = all_strategies.split_at(StrategyKind::SHOWN.len());
        let two = [dice.of(values), dice.of(structure)];
        let chosen = if cases == CASES {
            &all_strategies[..]
        } else {
            &two
        };
        all += &documents(&path, [&a, &b], chosen);
        // A failure is easier to find among few.
        if number % 25 == 24 {
            are_accepted(&std::mem::take(&mut all), &text);
        }
    }
    are_accepted(&all, "the last scripts");
}

fn compared(path: &str, a: &str, b: &str) -> Value {
    let ran = orbitscope(&["compare", "--format", "json", path, a, b], b"");
    serde_json::from_str(&ran.stdout).expect(&ran.stderr)
}

/// Changes the value at a path in a document, which the checker accepts as it is and refuses then.
#[track_caller]
fn is_refused_with(document: &Value, at: &str, change: impl Fn(&mut Value)) {
    are_accepted(&document.to_string(), at);
    let mut changed = document.clone();
    change(changed.pointer_mut(at).expect(at));
    assert_ne!(&changed, document, "{at}");
    if let Some((holds, said)) = accepts(&changed.to_string()) {
        assert!(!holds, "{at}: {said}");
        assert!(said.contains("is refused"), "{at}: {said}");
    }
}

fn more(value: &mut Value) {
    *value = json!(value.as_i64().expect("a number") + 1);
}

fn shorter(value: &mut Value) {
    value.as_array_mut().expect("a list").pop();
}

#[test]
fn changed_documents_on_values_are_refused() {
    let path = repository("models/ring.csp").display().to_string();
    let ring = |data: [&str; 4]| {
        let event = |n: usize| format!("init.N{n}.{}.N{}", data[n], (n + 1) % 4);
        format!("<{}>", (0..4).map(event).collect::<Vec<_>>().join(", "))
    };
    let (pairs, turned) = (ring(["A", "A", "B", "B"]), ring(["A", "B", "B", "A"]));
    let found = compared(&path, &pairs, &turned);
    assert_eq!(found["relation"], "same-orbit", "{found}");
    is_refused_with(&found, "/witness/moved", more);
    is_refused_with(&found, "/witness/permutation/0/map", |map| {
        let images: Vec<Value> = (0..4).map(|n| map[n][1].clone()).collect();
        for n in 0..4 {
            map[n][1] = images[(n + 1) % 4].clone();
        }
    });
    is_refused_with(&found, "/values/states/a/representative/0/key", more);
    let found = compared(&path, &pairs, "<>");
    assert_eq!(found["certificate"]["kind"], "keys", "{found}");
    is_refused_with(&found, "/certificate/a", shorter);
    let found = compared(&path, &pairs, &ring(["A", "A", "A", "B"]));
    assert_eq!(found["certificate"]["kind"], "profile", "{found}");
    is_refused_with(&found, "/certificate/times", more);
    let found = compared(&path, &pairs, &ring(["A", "B", "A", "B"]));
    assert_eq!(found["certificate"]["kind"], "tree", "{found}");
    is_refused_with(&found, "/certificate/refuted", shorter);
    let nested = repository("tests/data/certificates/nested.csp");
    let found = compared(
        &nested.display().to_string(),
        "<nest.S0.S1.S2.S3, pin.S0.S1.S2.S3>",
        "<nest.S0.S3.S2.S1, pin.S0.S1.S2.S3>",
    );
    assert_eq!(found["certificate"]["kind"], "image", "{found}");
    is_refused_with(&found, "/certificate/permutation/0/map", |map| {
        map[0][1] = json!("S1");
        map[1][1] = json!("S0");
    });
}

#[test]
fn changed_documents_on_structure_are_refused() {
    let path = ring();
    let found = compared(&path, "<take.0, take.2>", "<take.1, take.3>");
    assert_eq!(found["relation"], "same-orbit", "{found}");
    assert_eq!(found["witness"]["least"], true, "{found}");
    is_refused_with(&found, "/witness/element", shorter);
    is_refused_with(&found, "/structure/group_order", |order| {
        *order = json!("3");
    });
    is_refused_with(&found, "/structure/generators/0", shorter);
    is_refused_with(&found, "/structure/states/b/representative", |points| {
        points.as_array_mut().expect("a list").reverse();
        more(&mut points[0]);
    });
    let found = compared(&path, "<take.0>", "<take.1, take.3>");
    assert_eq!(found["certificate"]["kind"], "numbers", "{found}");
    is_refused_with(&found, "/certificate/orbit", shorter);
    is_refused_with(&found, "/certificate/a", shorter);
    let found = compared(&path, "<take.0, take.1>", "<take.0, take.2>");
    assert_eq!(found["certificate"]["kind"], "pairs", "{found}");
    is_refused_with(&found, "/certificate/times", more);
    is_refused_with(&found, "/certificate/round", more);
    let graph = repository("tests/data/certificates/graph.csp");
    let path = graph.display().to_string();
    let cycle = "<flip.0.1, flip.1.2, flip.2.3, flip.3.4, flip.4.5, flip.0.5>";
    let found = compared(
        &path,
        cycle,
        "<flip.0.1, flip.1.2, flip.0.2, flip.3.4, flip.4.5, flip.3.5>",
    );
    assert_eq!(found["certificate"]["kind"], "points", "{found}");
    is_refused_with(&found, "/certificate/refuted", shorter);
    is_refused_with(&found, "/certificate/refuted/1/element", shorter);
    is_refused_with(&found, "/certificate/refuted/0/by/times", more);
}
