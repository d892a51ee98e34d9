//! The models that come with the program: their headers say what comes out, and it does, whichever
//! way the search goes.

use std::path::PathBuf;

use crate::support::sized::resized;
use crate::support::{
    check, counts, length, options, refused, replay, repository, script, sound, unmerged, verdict,
};
use orbitscope::check::Options;
use orbitscope::search::keeping::KeepingKind;
use orbitscope::symmetry::StrategyKind;

/// A model, the verdicts of its assertions, and what its header says about them.
struct Expected {
    model: &'static str,
    verdicts: &'static [&'static str],
    header: &'static [&'static str],
    small: Small,
}

/// The datatypes of a variant that can be searched unreduced, and the verdicts that differ there.
struct Small(
    &'static [(&'static str, &'static str)],
    &'static [(usize, &'static str)],
);

/// A model that is small as it is.
const AS_IT_IS: Small = Small(&[], &[]);

const MODELS: [Expected; 15] = [
    Expected {
        model: "array_queue",
        verdicts: &["pass", "fail", "fail"],
        header: &["assertion 1 holds", "assertions 2", "and 3", "fail"],
        small: Small(
            &[("Data", "A"), ("RefNumber", "R0")],
            // Where numbers run out, an enqueue waits and cannot go wrong.
            &[(3, "pass")],
        ),
    },
    Expected {
        model: "coarse_list_set",
        verdicts: &["pass", "fail", "fail"],
        header: &["assertion 1 holds", "assertions 2", "and 3", "fail"],
        small: Small(&[("NodeIDType", "Head | Tail | N0 | N1")], &[]),
    },
    Expected {
        model: "database",
        verdicts: &["pass", "pass", "fail"],
        header: &["assertions 1 and 2 hold", "assertion 3", "fails"],
        small: AS_IT_IS,
    },
    Expected {
        model: "example37",
        verdicts: &[],
        header: &["No assertions"],
        small: AS_IT_IS,
    },
    Expected {
        model: "fine_list_set",
        verdicts: &["pass", "pass", "fail", "fail"],
        header: &["assertions 1 and 2 hold", "assertions 3", "and 4", "fail"],
        small: Small(&[("NodeIDType", "Head | Tail | N0 | N1")], &[]),
    },
    Expected {
        model: "list_stack",
        verdicts: &["pass"],
        header: &["assertion 1 holds"],
        small: Small(
            &[
                ("NodeIDType", "Null | N0 | N1 | N2"),
                ("ThreadID", "T0 | T1"),
                ("Data", "A | B"),
            ],
            &[],
        ),
    },
    Expected {
        model: "lock_free_queue",
        verdicts: &["pass", "fail", "fail"],
        header: &["assertion 1 holds", "assertions 2", "and 3", "fail"],
        small: Small(&[("NodeIDType", "Null | N0 | N1")], &[]),
    },
    Expected {
        model: "peterson",
        verdicts: &["pass", "fail", "fail"],
        header: &["assertion 1 holds", "assertions 2", "and 3", "fail"],
        small: AS_IT_IS,
    },
    Expected {
        model: "philosophers",
        verdicts: &["pass", "pass", "fail"],
        header: &["assertions 1 and 2 hold", "assertion 3", "fails"],
        small: AS_IT_IS,
    },
    Expected {
        model: "ring",
        verdicts: &[],
        header: &["No assertions"],
        small: AS_IT_IS,
    },
    Expected {
        model: "round_table",
        verdicts: &["fail", "pass", "pass"],
        header: &["assertion 1 fails", "assertions 2 and 3 hold"],
        small: AS_IT_IS,
    },
    Expected {
        model: "stack_aba",
        verdicts: &["fail", "pass"],
        header: &["assertion 1 fails", "Assertion 2", "holds"],
        small: AS_IT_IS,
    },
    Expected {
        model: "timed_crossing",
        verdicts: &["pass", "pass", "fail", "fail"],
        header: &[
            "assertions 1 and 2 hold",
            "assertion 3 fails",
            "assertion 4 fails",
        ],
        small: AS_IT_IS,
    },
    Expected {
        model: "tree_broadcast",
        verdicts: &["pass", "pass", "fail"],
        header: &["assertions 1 and 2 hold", "assertion 3", "fails"],
        small: AS_IT_IS,
    },
    Expected {
        model: "two_buffers",
        verdicts: &["pass", "pass", "fail"],
        header: &["assertions 1 and 2 hold", "assertion 3", "fails"],
        small: AS_IT_IS,
    },
];

impl Expected {
    fn path(&self) -> PathBuf {
        repository("models").join(format!("{}.csp", self.model))
    }

    /// Whether its symmetry is that of datatypes.
    fn is_declared(&self) -> bool {
        self.model != "round_table"
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).expect("the model can be read")
    }

    /// The model, or a smaller variant if the whole is too large to be searched unreduced.
    fn small(&self) -> PathBuf {
        let Small(datatypes, _) = self.small;
        if datatypes.is_empty() {
            return self.path();
        }
        let text = resized(&self.text(), datatypes);
        script(&format!("{}_small.csp", self.model), text)
    }

    /// The verdicts of the assertions of that variant.
    fn small_verdicts(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let Small(_, differ) = self.small;
        (1..).zip(self.verdicts).map(|(number, verdict)| {
            let other = differ.iter().find(|(of, _)| *of == number);
            (number, other.map_or(*verdict, |(_, verdict)| verdict))
        })
    }
}

#[test]
fn every_model_is_listed() {
    let mut found: Vec<String> = std::fs::read_dir(repository("models"))
        .expect("the folder can be read")
        .map(|e| e.expect("the folder can be read").path())
        .filter(|p| p.extension().is_some_and(|e| e == "csp"))
        .filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    found.sort();
    let listed: Vec<&str> = MODELS.iter().map(|m| m.model).collect();
    assert_eq!(found, listed);
}

#[test]
fn models_are_sound_and_their_headers_say_what_to_expect() {
    for expected in &MODELS {
        let loaded = sound(&expected.path());
        let model = expected.model;
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        assert_eq!(
            loaded.script.assertions.len(),
            expected.verdicts.len(),
            "{model}"
        );
        let text = expected.text();
        let comments: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("--"))
            .flat_map(str::split_whitespace)
            .collect();
        let header = comments.join(" ");
        let mut rest = header
            .split_once("Expected:")
            .unwrap_or_else(|| panic!("{model} says what to expect"))
            .1;
        for said in expected.header {
            let Some((_, after)) = rest.split_once(said) else {
                panic!("{model}: the header does not say {said:?}: {header}");
            };
            rest = after;
        }
    }
}

#[test]
fn verdicts_are_as_the_headers_say() {
    for expected in &MODELS {
        let loaded = sound(&expected.path());
        for (at, wanted) in expected.verdicts.iter().enumerate() {
            // The other strategies store more states, or take longer over each: they have the small
            // variants below.
            let is_declared = expected.is_declared();
            let how = options(is_declared.then_some(true), StrategyKind::default(), 2);
            let outcome = check(&loaded, at + 1, &how);
            let place = format!("{} #{}", expected.model, at + 1);
            assert_eq!(verdict(&outcome), *wanted, "{place}");
            assert_eq!(outcome.symmetry.is_some(), is_declared, "{place}");
        }
    }
}

#[test]
fn reduced_and_unreduced_searches_agree() {
    for expected in MODELS.iter().filter(|m| m.is_declared()) {
        let path = expected.small();
        let loaded = sound(&path);
        for (number, wanted) in expected.small_verdicts() {
            let place = format!("{} #{number}", expected.model);
            let default = StrategyKind::default();
            let plain = check(&loaded, number, &unmerged(options(Some(false), default, 2)));
            assert_eq!(verdict(&plain), wanted, "{place}");
            assert!(plain.symmetry.is_none(), "{place}");
            assert_eq!(length(&plain).is_some(), wanted == "fail", "{place}");
            for strategy in KeepingKind::all().filter(|k| *k != KeepingKind::Markers) {
                let reduced = check(&loaded, number, &unmerged(options(Some(true), strategy, 2)));
                if refused(strategy, &reduced) {
                    continue;
                }
                assert_eq!(verdict(&reduced), wanted, "{place} {strategy:?}");
                assert_eq!(length(&reduced), length(&plain), "{place} {strategy:?}");
                if let Some(found) = &reduced.counterexample {
                    replay(&path, found).unwrap_or_else(|e| panic!("{place} {strategy:?}: {e}"));
                }
                let (fewer, all) = (counts(&reduced).0, counts(&plain).0);
                assert!(fewer <= all, "{place} {strategy:?}: {fewer} of {all}");
                if strategy == default.into() {
                    assert!(fewer < all, "{place}: {fewer} of {all}");
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for expected in MODELS.iter().filter(|m| m.is_declared()) {
        let path = expected.small();
        let loaded = sound(&path);
        for number in 1..=expected.verdicts.len() {
            let ways = KeepingKind::all().map(|k| (Some(true), k));
            let unreduced = (Some(false), KeepingKind::default());
            for (symmetry, strategy) in ways.chain([unreduced]) {
                let [one, two, eight] =
                    [1, 2, 8].map(|n| check(&loaded, number, &options(symmetry, strategy, n)));
                for other in [&two, &eight] {
                    let place = format!("{} #{number} {strategy:?}", expected.model);
                    assert_eq!(counts(other), counts(&one), "{place}");
                    assert_eq!(other.counterexample, one.counterexample, "{place}");
                    assert_eq!(other.verdict, one.verdict, "{place}");
                }
            }
        }
    }
}

/// Philosophers that are numbered are reduced by the structure of their network, where there is symmetry in it.
#[test]
fn what_no_datatype_declares_is_reduced() {
    let path = repository("models/round_table.csp");
    let loaded = sound(&path);
    let by = |keeping: KeepingKind, threads| Options {
        structure: None,
        ..unmerged(options(None, keeping, threads))
    };
    for number in 1..=3 {
        let plain = options(Some(false), StrategyKind::default(), 2);
        let plain = check(&loaded, number, &unmerged(plain));
        assert_eq!(plain.symmetry, None);
        if number == 3 {
            let outcome = check(&loaded, number, &by(KeepingKind::default(), 2));
            assert_eq!(
                outcome.symmetry, None,
                "one of them takes the other fork first"
            );
            assert_eq!(counts(&outcome), counts(&plain));
            continue;
        }
        for strategy in KeepingKind::structural() {
            let outcomes = [1, 2, 8].map(|n| check(&loaded, number, &by(strategy, n)));
            for outcome in &outcomes {
                let place = format!("#{number} {strategy:?}");
                let group = outcome.symmetry.as_ref().map(|s| s.group_order.clone());
                assert_eq!(group, Some(5u32.into()), "{place}");
                assert_eq!(verdict(outcome), verdict(&plain), "{place}");
                assert_eq!(length(outcome), length(&plain), "{place}");
                assert!(counts(outcome).0 * 4 < counts(&plain).0, "{place}");
                assert_eq!(counts(outcome), counts(&outcomes[0]), "{place}");
                assert_eq!(
                    outcome.counterexample, outcomes[0].counterexample,
                    "{place}"
                );
                if let Some(found) = &outcome.counterexample {
                    replay(&path, found).unwrap_or_else(|e| panic!("{place}: {e}"));
                }
            }
        }
    }
}

/// What symmetry leaves of a ring that anybody may be seated at is about an `n`th of one with fixed
/// places (Sec. 8 of the paper).
#[test]
fn philosophers_are_reduced_by_about_their_number() {
    let model = std::fs::read_to_string(repository("models/philosophers.csp"));
    let model = model.expect("it is there");
    for n in [4, 5, 6] {
        let names: Vec<String> = (0..n).map(|i| format!("I{i}")).collect();
        let seated: Vec<String> = (0..n)
            .map(|i| format!("Dining(I{i}, I{})", (i + 1) % n))
            .collect();
        let round = model.replace("I0 | I1 | I2 | I3", &names.join(" | "));
        let seating = "Constructor [| {|seat, start|} |] Phils";
        let fixed = round.replace(seating, &seated.join(" ||| "));
        assert_ne!(round, fixed);
        let states = |text: &str, symmetry| {
            let loaded = sound(&script("philosophers_round.csp", text));
            let how = options(Some(symmetry), StrategyKind::default(), 2);
            let found = check(&loaded, 1, &how);
            assert_eq!(verdict(&found), "pass");
            counts(&found).0 as f64
        };
        let factor = states(&fixed, false) / states(&round, true);
        let n = f64::from(n);
        assert!(n - 0.3 < factor && factor < n + 0.1, "{n}: {factor}");
    }
}

/// Beside nodes whose values have no order, equal images are seen to be equal: else the search for each goes through
/// all orders of the managers.
#[test]
fn managers_beside_a_set_of_managers_are_soon_ordered() {
    let text = std::fs::read_to_string(repository("models/database.csp")).expect("a model");
    let (before, rest) = text.split_once("datatype Manager =").expect("a type");
    let (_, after) = rest.split_once('\n').expect("a line");
    let managers: Vec<String> = (0..8).map(|n| format!("M{n}")).collect();
    let text = format!(
        "{before}datatype Manager = {}\n{after}",
        managers.join(" | ")
    );
    let loaded = sound(&script("eight_managers.csp", text));
    let found = check(&loaded, 1, &options(None, StrategyKind::Exact, 1));
    assert_eq!((verdict(&found).as_str(), counts(&found).0), ("pass", 65));
    let fallbacks = found.details.as_ref().map(|d| d.fallbacks.0);
    assert_eq!(fallbacks, Some(0));
}

/// A specification whose nodes hold sets of values keeps no order of them, so that strategies do not know the sizes of
/// orbits of pairs: the structure of the network tells them. Whole orbits are stored by flooding.
#[test]
fn what_stands_beside_sets_is_counted() {
    let queue = crate::tables::MODELS
        .iter()
        .find(|model| model.name == "lock_free_queue");
    let queue = queue.expect("it is a model").script(&[2, 2, 2]);
    let shipped = |model| repository(&format!("models/{model}.csp"));
    let cases = [
        (shipped("database"), 1),
        (shipped("tree_broadcast"), 1),
        (shipped("philosophers"), 2),
        // Here several states are stored of some orbits.
        (script("counted_queue.csp", &queue), 1),
    ];
    for (path, number) in cases {
        let (loaded, model) = (sound(&path), path.display());
        let counted = |keeping| Options {
            count_full: true,
            keeping,
            ..options(None, StrategyKind::Exact, 1)
        };
        let found = check(&loaded, number, &counted(StrategyKind::Exact.into()));
        assert!(
            found.details.as_ref().is_some_and(|d| d.holds_sets),
            "{model}"
        );
        assert!(found.missing.is_empty(), "{model}: {:?}", found.missing);
        let flooded = check(&loaded, number, &counted(KeepingKind::Flood));
        assert!(flooded.represented.is_some(), "{model}");
        assert_eq!(found.represented, flooded.represented, "{model}");
    }
}
