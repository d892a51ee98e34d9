//! Counterexamples: several of them, what they say, and files of them that are followed again before
//! anybody sees them.

use crate::support;
use std::path::{Path, PathBuf};

use crate::support::{check, options, orbitscope, repository, script, sound, unmerged, verdict};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{
    CheckOutcome, Counterexample, CounterexampleStep, Ending, EventKind,
};
use orbitscope::check::Options;
use orbitscope::report::follow::ReplayMode;
use orbitscope::report::run_file::{self, RunFile};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::write::write_whole;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;

/// Two clients that may be served in two ways, one of which is wrong in two ways.
const SERVER: &str = "datatype T = A | B
channel ask, yes, no : T
Client(t) = ask.t -> (yes.t -> Client(t) [] no.t -> Client(t))
Server = ask?t -> (yes.t -> Server |~| no?u -> Server)
Spec = ask?t -> yes.t -> Spec
Late = ask?t -> yes?u -> Late
Quiet = ask?t -> (yes.t -> Quiet |~| STOP)
assert Spec [T= Server
assert Spec [T= Late
assert Spec [F= Quiet
assert Spec [F= Late
";

/// Traces that are there, are not, and can be refused.
const TRACES: &str = "channel a, b, c
P = a -> (b -> P |~| c -> P)
assert P :[has trace [T]]: <a, b, a>
assert P :[has trace [F]]: <a, b>
assert P :[has trace [T]]: <a, a>
assert not P :[has trace]: <b>
";

/// A ring of three τ-steps that goes round with another name each time.
const ROUND: &str = "datatype T = A | B | C
channel go : T
channel step : T.T
Node(t) = go.t -> Ring(t)
Ring(t) = [] u : diff(T, {t}) @ step.t.u -> Ring(u)
P = ([] t : T @ Node(t)) \\ {| step |}
assert P :[divergence free]
";

fn several(options: Options, most: usize) -> Options {
    Options {
        limits: Limits {
            violations_max: most,
            ..options.limits
        },
        ..options
    }
}

fn ways() -> Vec<(Option<bool>, KeepingKind)> {
    // Markers look for no loops.
    let proving = KeepingKind::all().filter(|k| *k != KeepingKind::Markers);
    let reduced = proving.map(|k| (None, k));
    let plain = (Some(false), KeepingKind::default());
    reduced.chain([plain]).collect()
}

#[test]
fn several_violations_are_found_shortest_first_and_the_same_for_any_number_of_threads() {
    let path = script("cex_server.csp", SERVER);
    let loaded = sound(&path);
    for (symmetry, strategy) in ways() {
        for number in 1..=loaded.script.assertions.len() {
            let run = |threads, most| {
                let options = several(options(symmetry, strategy, threads), most);
                check(&loaded, number, &options)
            };
            let (one, all) = (run(1, 1), run(1, 100));
            if support::refused(strategy, &one) {
                continue;
            }
            let found: Vec<&Counterexample> = all.counterexamples().collect();
            let place = format!("#{number} {symmetry:?} {strategy:?}");
            assert_eq!(verdict(&all), "fail", "{place}");
            assert_eq!(one.counterexamples().count(), 1, "{place}");
            assert_eq!(one.counterexample.as_ref(), Some(found[0]), "{place}");
            let lengths: Vec<usize> = found.iter().map(|c| c.steps.len()).collect();
            assert!(lengths.is_sorted(), "{place}: {lengths:?}");
            for (n, one) in found.iter().enumerate() {
                assert!(!found[..n].contains(one), "{place}: twice the same");
                support::replay(&path, one).unwrap_or_else(|e| panic!("{place}: {e}"));
            }
            for threads in [2, 8] {
                let other = run(threads, 100);
                assert_eq!(other.counterexample, all.counterexample, "{place}");
                assert_eq!(other.others, all.others, "{place}");
            }
            let two = run(2, 2);
            assert_eq!(two.others[..], all.others[..all.others.len().min(1)]);
        }
    }
}

/// Unreduced, each state and event that is wrong counts.
#[test]
fn violations_differ_in_state_or_event() {
    let loaded = sound(&script("cex_server.csp", SERVER));
    let options = several(options(Some(false), StrategyKind::default(), 1), 100);
    let found = check(&loaded, 2, &options);
    let ends: Vec<(String, String)> = found
        .counterexamples()
        .map(|c| match &c.ending {
            Ending::Refused { event, allowed } => (event.clone(), allowed.to_string()),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [("yes.B", "{yes.A}"), ("yes.A", "{yes.B}")];
    assert_eq!(ends.len(), 2, "{ends:?}");
    for (event, allowed) in expected {
        assert!(ends.contains(&(event.to_owned(), allowed.to_owned())));
    }
}

#[test]
fn a_refusal_says_what_is_offered_and_what_is_wanted() {
    let loaded = sound(&script("cex_server.csp", SERVER));
    let found = check(&loaded, 3, &options(None, StrategyKind::default(), 1));
    let counterexample = found.counterexample.expect("it fails");
    let Ending::Refusal {
        offered,
        acceptances,
    } = &counterexample.ending
    else {
        panic!("{:?}", counterexample.ending);
    };
    assert_eq!(offered.as_str(), "{}");
    assert_eq!(acceptances.len(), 1, "{acceptances:?}");
    let wanted = &acceptances[0];
    assert!(wanted == "{yes.A}" || wanted == "{yes.B}", "{wanted}");
    let reason = &counterexample.reason;
    assert!(reason.contains("refuses everything"), "{reason}");
    assert!(reason.contains(wanted.as_str()), "{reason}");
    // One step visible, then the τ by which it decided.
    let kinds: Vec<EventKind> = counterexample.steps.iter().map(|s| s.kind).collect();
    assert_eq!(kinds, [EventKind::Visible, EventKind::Tau]);
}

#[test]
fn a_loop_is_gone_through_until_the_state_is_the_same() {
    let path = script("cex_round.csp", ROUND);
    let loaded = sound(&path);
    let mut lengths = Vec::new();
    for (symmetry, strategy) in ways() {
        let outcome = check(&loaded, 1, &unmerged(options(symmetry, strategy, 2)));
        if support::refused(strategy, &outcome) {
            continue;
        }
        assert_eq!(verdict(&outcome), "fail");
        let found = outcome.counterexample.as_ref().expect("it fails");
        let Ending::Divergence { lap, laps } = found.ending else {
            panic!("{:?}", found.ending);
        };
        assert_eq!(found.further.len(), lap * (laps - 1), "{found:?}");
        let looped: Vec<_> = found.steps[found.steps.len() - lap..]
            .iter()
            .chain(&found.further)
            .collect();
        assert!(looped.iter().all(|s| s.kind == EventKind::Tau));
        // Where it closes, the component that moves is where the loop was entered.
        let before = &found.steps[found.steps.len() - lap - 1];
        assert_eq!(before.changes, looped[looped.len() - 1].changes);
        // One representative for all three states of the ring, or three.
        match (outcome.symmetry.is_some(), strategy) {
            (false, _) => assert_eq!((lap, laps), (2, 1)),
            (true, KeepingKind::Representatives(StrategyKind::Exact)) => {
                assert_eq!((lap, laps), (1, 2));
            }
            (true, _) => assert_eq!(lap * laps, looped.len()),
        }
        lengths.push(found.steps.len() - lap);
        let again = saved_and_verified(&outcome, &path, "cex_round.run.ron");
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].ending, found.ending);
    }
    assert!(lengths.iter().all(|n| *n == lengths[0]), "{lengths:?}");
}

#[test]
fn divergences_that_are_not_connected_are_found_each() {
    let text = "channel a, b, c\nL = a -> L\nP = (b -> b -> L [] c -> L) \\ {a}\n\
                Q = (c -> (a -> STOP |~| L) [] b -> b -> b -> (a -> c -> STOP)) \\ {a}\n\
                R = (b -> b -> M [] c -> L) \\ {a}\nM = a -> N\nN = a -> M\n\
                assert P :[divergence free]\nassert R :[divergence free]\nassert not Q :[divergence free]\n";
    let loaded = sound(&script("cex_loops.csp", text));
    let found = |number| {
        let options = several(unmerged(options(None, StrategyKind::default(), 1)), 10);
        check(&loaded, number, &options)
    };
    // One loop, reached by `c` first.
    let first = found(1);
    assert_eq!(first.others, []);
    let steps = &first.counterexample.as_ref().expect("it fails").steps;
    assert_eq!(steps[0].event, "c");
    // Two loops, the nearer one first.
    let second = found(2);
    assert_eq!(second.others.len(), 1);
    let laps: Vec<usize> = second
        .counterexamples()
        .map(|c| match c.ending {
            Ending::Divergence { lap, laps: 1 } => lap,
            ref other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(laps, [1, 2]);
    // `not` turns the verdict round and leaves the run.
    let third = found(3);
    assert_eq!(verdict(&third), "pass");
    assert!(third.counterexample.is_some());
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder.join(name)
}

/// Saves, reads and verifies all counterexamples of an outcome.
fn saved_and_verified(outcome: &CheckOutcome, path: &Path, name: &str) -> Vec<Counterexample> {
    let to = file(name);
    let count = run_file::save(&to, [outcome], write_whole).expect("it is saved");
    assert_eq!(count, outcome.counterexamples().count());
    let loaded = sound(path);
    let file = RunFile::read(&to, &Cancel::default()).expect("it is read");
    (1..=count)
        .map(|n| {
            let found = file
                .verify(n, &loaded, &Options::default(), &Cancel::default())
                .unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
            assert_eq!(found.changed, [] as [String; 0]);
            assert_eq!(found.assertion, outcome.number);
            found.counterexample
        })
        .collect()
}

/// What was saved is what was found, apart from what is no part of the unreduced system: the path of
/// representatives, and names that components have by their identities.
#[test]
fn files_give_back_what_was_saved() {
    let models = ["stack_aba", "philosophers", "database", "peterson"];
    let paths = models.map(|m| repository("models").join(format!("{m}.csp")));
    let paths = paths.into_iter().chain([
        script("cex_traces.csp", TRACES),
        script("cex_server.csp", SERVER),
        script("cex_round.csp", ROUND),
    ]);
    let mut seen = 0;
    for path in paths {
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            let options = several(options(None, StrategyKind::default(), 2), 3);
            let outcome = check(&loaded, number, &options);
            let again = saved_and_verified(&outcome, &path, "back.run.ron");
            for (then, now) in outcome.counterexamples().zip(&again) {
                let then = Counterexample {
                    quotient: Vec::new(),
                    components: now.components.clone(),
                    ..then.clone()
                };
                assert_eq!(&then, now, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 10, "{seen}");
}

/// Runs `replay` on a script and a file.
fn replay(script: &Path, saved: &str) -> (Option<i32>, String, String) {
    let ran = orbitscope(&["replay", &script.display().to_string(), saved], b"");
    (ran.code, ran.stdout, ran.stderr)
}

/// The script and the file that `check --save` has written of it.
fn stack(name: &str) -> (PathBuf, PathBuf) {
    let model = std::fs::read(repository("models/stack_aba.csp")).expect("the model is there");
    let path = script(&format!("{name}.csp"), model);
    let to = file(&format!("{name}.run.ron"));
    let _ = std::fs::remove_file(&to);
    let args = [
        "check",
        "-a",
        "1",
        "--counterexamples",
        "2",
        "--save",
        &to.display().to_string(),
        &path.display().to_string(),
    ];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 counterexamples"), "{}", ran.stderr);
    (path, to)
}

#[test]
fn replay_shows_what_check_has_shown() {
    let (path, to) = stack("cex_replay");
    let (code, shown, _) = replay(&path, &to.display().to_string());
    assert_eq!(code, Some(0));
    let checked = orbitscope(&["check", "-a", "1", &path.display().to_string()], b"");
    let steps = |text: &str| -> Vec<String> {
        let all = text.lines().skip_while(|l| !l.contains("After <"));
        all.map(str::to_owned).collect()
    };
    assert!(steps(&shown).len() > 17, "{shown}");
    assert_eq!(steps(&shown), steps(&checked.stdout));
    let second = replay(&path, &format!("{}#2", to.display()));
    assert_eq!(second.0, Some(0), "{}", second.2);
    assert_ne!(second.1, shown);
    let third = replay(&path, &format!("{}#3", to.display()));
    assert_eq!(third.0, Some(2));
    assert!(third.2.contains("the file has 2"), "{}", third.2);
}

#[test]
fn what_was_changed_is_not_believed() {
    let (path, to) = stack("cex_tampered");
    let text = std::fs::read_to_string(&to).expect("the file is there");
    let tamper = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let path = file("cex_tampered_changed.run.ron");
        std::fs::write(&path, changed).expect("the file is written");
        path.display().to_string()
    };
    let state = text.split("state: \"").nth(4).expect("a fourth state");
    let state = &state[..16];
    let wrong = [
        ("event: \"push.T0.A\"", "event: \"push.T0.B\"", "step 5"),
        ("kind: tau", "kind: visible", "step 1"),
        (state, "0123456789abcdef", "step 4"),
        ("ending: Refused", "ending: Deadlock", "at the end"),
        (
            "ending: Refused",
            "ending: Divergence(lap: 1, laps: 1)",
            "at the end",
        ),
        // A run that stops short has nothing wrong at its end.
        ("end: 17", "end: 16", "at the end"),
    ];
    for (from, to, says) in wrong {
        let (code, shown, stderr) = replay(&path, &tamper(from, to));
        assert_eq!(code, Some(1), "{to}: {stderr}");
        assert_eq!(shown, "", "{to}");
        assert!(stderr.contains("E0812"), "{to}: {stderr}");
        assert!(stderr.contains(says), "{to}: {stderr}");
        assert!(stderr.contains("the file has been changed"), "{stderr}");
    }
    // What the file need not tell may be left out.
    let (code, shown, stderr) = replay(&path, &tamper(&format!(", state: \"{state}\""), ""));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(shown.contains("After <"));
}

/// Commands that open walks open counterexamples, too, and hold them to their assertions. One that does not hold is a
/// walk, and a message says so.
#[test]
fn counterexamples_are_opened_as_walks_are() {
    let (path, to) = stack("cex_opened");
    let read = |text: &str| RunFile::parse("cex", text).expect("it is read").run;
    let text = std::fs::read_to_string(&to).expect("the file is there");
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let found = engine
        .rewalk(&read(&text), ReplayMode::Steps)
        .expect("it is replayed");
    let ends: Vec<usize> = found.counterexamples.iter().map(|c| c.1.len()).collect();
    assert_eq!(ends, [18, 19]);
    assert_eq!(found.unverified, [""; 0]);
    assert!(found.places.iter().all(Option::is_some));
    let other = text.replacen("ending: Refused", "ending: Deadlock", 1);
    let found = engine
        .rewalk(&read(&other), ReplayMode::Steps)
        .expect("it is replayed");
    assert_eq!(found.counterexamples.len(), 1);
    assert_eq!(found.unverified.len(), 1);
    assert!(found.unverified[0].contains("nothing is wrong as told"));
    assert!(found.places.iter().all(Option::is_some));
}

#[test]
fn each_counterexample_is_held_to_its_own_assertion() {
    let path = script("cex_of_several.csp", SERVER);
    let how = several(options(None, StrategyKind::Walk, 1), 2);
    let loaded = sound(&path);
    let outcomes = [1, 2, 3, 2, 1].map(|number| check(&loaded, number, &how));
    let run = RunFile::of(&outcomes).run;
    assert!(run.counterexamples.len() >= 6, "{run:?}");
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let found = engine.rewalk(&run, ReplayMode::Steps);
    assert_eq!(found.expect("replayed").unverified, [""; 0]);
}

#[test]
fn a_script_that_has_changed_is_said_to_have_changed() {
    let (path, to) = stack("cex_stale");
    let to = to.display().to_string();
    let text = std::fs::read_to_string(&path).expect("the script is there");
    // A comment changes nothing that matters.
    script("cex_stale.csp", format!("{text}\n-- the end\n"));
    let (code, shown, stderr) = replay(&path, &to);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(shown.contains("replayed, 17 steps"), "{shown}");
    assert!(stderr.contains("changed since"), "{stderr}");
    // An assertion before it changes its number.
    let before = text.find("assert ").expect("there are assertions");
    let (head, tail) = text.split_at(before);
    script(
        "cex_stale.csp",
        format!("{head}assert STOP :[divergence free]\n{tail}"),
    );
    let (code, shown, stderr) = replay(&path, &to);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(shown.starts_with("2  "), "{shown}");
    // Other data: it begins the same and goes on otherwise, or begins otherwise.
    let other = text.replace("Null | N0", "Null | M0 | N0");
    assert_ne!(other, text);
    script("cex_stale.csp", other);
    let (code, _, stderr) = replay(&path, &to);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("E0812"), "{stderr}");
    assert!(stderr.contains("since it was saved"), "{stderr}");
    // No such assertion.
    script(
        "cex_stale.csp",
        "channel a\nP = a -> P\nassert P :[deadlock free]\n",
    );
    let (code, _, stderr) = replay(&path, &to);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("there is no assertion"), "{stderr}");
    // A script with errors.
    script(
        "cex_stale.csp",
        text.replace("assert", "P = Undefined\nassert"),
    );
    let (code, _, stderr) = replay(&path, &to);
    assert!(code == Some(0) || code == Some(3), "{stderr}");
}

#[test]
fn files_of_other_kinds_are_refused() {
    let (path, to) = stack("cex_kinds");
    let text = std::fs::read_to_string(&to).expect("the file is there");
    let old = "{\"schema\": \"orbitscope.counterexamples/2\", \"counterexamples\": []}";
    let cases: [(&str, String, &str); 7] = [
        ("no.ron", String::new(), "E0810"),
        ("list.ron", "[1, 2]".to_owned(), "E0810"),
        ("half.ron", text[..text.len() / 2].to_owned(), "E0810"),
        ("other.ron", "Elsewhere(version: 2)".to_owned(), "E0810"),
        ("old.json", old.to_owned(), "E0811"),
        (
            "later.ron",
            text.replace("version: 2", "version: 3"),
            "E0811",
        ),
        ("more.ron", text.replacen("tool:", "more:", 1), "E0810"),
    ];
    for (name, text, code) in cases {
        let to = file(name);
        std::fs::write(&to, text).expect("the file is written");
        let (exit, shown, stderr) = replay(&path, &to.display().to_string());
        assert_eq!(exit, Some(2), "{name}: {stderr}");
        assert_eq!(shown, "", "{name}");
        assert!(stderr.contains(code), "{name}: {stderr}");
    }
    let (exit, _, stderr) = replay(&path, "/no/such/file.ron");
    assert_eq!(exit, Some(2), "{stderr}");
    assert!(stderr.contains("E0810"), "{stderr}");
}

/// Whatever stands in a file, the program says what is wrong with it and lives.
#[test]
fn damaged_files_are_no_panic() {
    let (path, to) = stack("cex_damaged");
    let text = std::fs::read(&to).expect("the file is there");
    let damaged = file("cex_damaged_now.run.ron");
    let loaded = sound(&path);
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    for _ in 0..200 {
        let mut bytes = text.clone();
        for _ in 0..1 + next(3) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = b"0123456789\"()[],abAB"[next(20)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"019-"[next(4)]),
            }
        }
        std::fs::write(&damaged, &bytes).expect("the file is written");
        if let Ok(file) = RunFile::read(&damaged, &Cancel::default()) {
            for n in 0..4 {
                let _ = file.verify(n, &loaded, &Options::default(), &Cancel::default());
            }
        }
    }
}

/// Functions look alike in words: only the states themselves tell which run it was.
#[test]
fn a_run_is_followed_by_its_states_and_not_by_their_names() {
    let text = "channel a, b, c
R(f) = b -> (if f(0) == 0 then c -> R(f) else STOP)
Start = a -> R(\\x @ 0) [] a -> R(\\x @ 1) [] a -> R(\\x @ 0 + 0 * x)
assert a -> CHAOS({b, c}) [T= Start
assert Start :[deadlock free]
assert STOP [T= Start \\ {a, b}
";
    let path = script("alike.csp", text);
    let loaded = sound(&path);
    let mut engine = ScriptEngine::load(path).expect("it loads");
    for number in 2..=3 {
        let outcome = check(&loaded, number, &options(None, StrategyKind::default(), 1));
        let found = outcome.counterexample.expect("it fails");
        assert!(found.keys.is_some());
        // Every state has what comes next, whatever it is called.
        let nameless = Counterexample {
            steps: found
                .steps
                .iter()
                .map(|step| CounterexampleStep {
                    event: "?".into(),
                    changes: Vec::new(),
                    ..step.clone()
                })
                .collect(),
            ..found.clone()
        };
        let visited = engine.replay(&nameless).expect("it is followed");
        assert_eq!(visited.len(), found.steps.len() + 1);
        let mut other = found.clone();
        if let Some(keys) = &mut other.keys {
            keys.steps[0].1 = keys.initial;
        }
        assert!(engine.replay(&other).is_err());
    }
}

/// Each of two compositions stays inside of its component where the values that it depends on are
/// permuted, so every choice of types makes another network.
#[test]
fn a_run_is_followed_in_the_network_of_its_check() {
    let text = "datatype S = A | B
datatype T = X | Y
channel a, c : S
channel b, d : T
M = a?v -> (c!v -> STOP [|{|c.v|}|] c!v -> STOP)
N = b?w -> (d!w -> STOP [|{|d.w|}|] d!w -> STOP)
P = M ||| N
assert P :[deadlock free]
";
    let path = script("by_types.csp", text);
    let loaded = sound(&path);
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let mut networks = Vec::new();
    for (symmetry, types) in [
        (None, &["S"][..]),
        (None, &["T"]),
        (None, &["T", "S"]),
        (None, &[]),
        (Some(false), &[]),
    ] {
        let options = Options {
            types: types.iter().map(|t| (*t).to_owned()).collect(),
            ..options(symmetry, StrategyKind::default(), 1)
        };
        let outcome = check(&loaded, 1, &options);
        let found = outcome.counterexample.expect("it fails");
        let visited = engine.replay(&found).expect("it is followed");
        assert_eq!(visited.len(), found.steps.len() + 1, "{types:?}");
        let last = visited[visited.len() - 1];
        let view = engine.view(last).expect("it is shown");
        assert!(view.deadlocked, "{types:?}");
        networks.push((view.components.len(), last.network));
    }
    // Both are taken apart only where nothing is permuted.
    assert_eq!(networks[4].0, 4);
    assert_eq!(networks[2], networks[3], "both types are the best plan");
    networks.dedup();
    assert_eq!(networks.len(), 4, "{networks:?}");
}
