//! What is found for every size: the least transducers and invariants, held to all words of small lengths and to data
//! that other programs have found.

use std::collections::{BTreeMap, BTreeSet};

use orbitscope::pattern::alphabet::{Alphabet, Letter};
use orbitscope::pattern::automaton::{Nfa, NfaBuilder, not_included};
use orbitscope::pattern::format::{FamilyFile, read_expression, read_pattern};
use orbitscope::pattern::invariant::{InvariantOutcome, find_invariant, without_successor};
use orbitscope::pattern::library::{LibraryPattern, recognised};
use orbitscope::pattern::model::FamilyModel;
use orbitscope::pattern::relation::RelationFault;
use orbitscope::pattern::synthesis::{SynthesisOutcome, synthesise};
use orbitscope::pattern::verify::verify_library;
use orbitscope::pattern::write::pattern_text;
use orbitscope::source::{Budget, FileId};
use proptest::prelude::any;

use super::patterns::{
    Enumerated, Numbers, Word, accepted, agrees, family, length, length_of, own, watch,
};
use super::related::for_random;
use crate::support::tiers;

/// What synthesis has to find: the model, the range, the least number of states, transitions, and what it is.
fn synthesised(name: &str, file: &FamilyFile, model: &FamilyModel, most: usize) -> Option<usize> {
    let (least, _) = file.synthesis.states.expect("a range");
    let found = synthesise(model, &file.synthesis, least..=most, &Budget::default());
    let tried: Vec<usize> = found.tried.iter().map(|round| round.states).collect();
    match found.outcome {
        SynthesisOutcome::Found(transducer) => {
            let relation = &transducer.relation;
            assert!(transducer.report.holds(), "{name}");
            // What is written is read again as the same.
            let text = pattern_text(relation, &model.alphabet, "found");
            let again = read_pattern(FileId(0), &text, &model.alphabet, &watch());
            assert_eq!(
                &again.unwrap_or_else(|e| panic!("{e:?}")),
                relation,
                "{name}"
            );
            if relation.states() < length(model) * 10 {
                agrees(model, relation, &transducer.report, length(model));
            }
            assert_eq!(tried.last(), Some(&relation.states()), "{name}");
            Some(relation.states())
        }
        SynthesisOutcome::Impossible => {
            assert_eq!(tried, (least..=most).collect::<Vec<_>>(), "{name}");
            None
        }
        SynthesisOutcome::Undecided(stop) => panic!("{name}: {stop:?}"),
    }
}

#[test]
fn least_transducers_are_found() {
    for (name, states) in [
        ("token_ring", Some(5)),
        ("herman", Some(5)),
        ("herman_synchronous", Some(5)),
        ("israeli_jalfon", Some(5)),
        ("israeli_jalfon_both", Some(5)),
        ("readers_writers", Some(5)),
        ("israeli_jalfon_as_printed", None),
        ("token_line", None),
        ("coffee_can", Some(5)),
    ] {
        let (file, model) = own(name);
        assert_eq!(synthesised(name, &file, &model, 5), states, "{name}");
    }
}

#[test]
fn transducers_of_the_large_models_are_found() {
    for (name, states) in [("allocator", 11), ("philosophers", 17)] {
        let (file, model) = own(name);
        assert_eq!(
            synthesised(name, &file, &model, states),
            Some(states),
            "{name}"
        );
    }
}

/// Without forced words everything could be mapped to one word: bijections are looked for instead.
#[test]
fn the_coffee_can_without_forced_words_is_no_constant() {
    let (mut file, model) = own("coffee_can");
    file.synthesis.instances.clear();
    let found = synthesise(&model, &file.synthesis, 1..=2, &Budget::default());
    assert!(found.bijections_only && found.conditions.injective && found.conditions.onto);
    assert!(
        !matches!(found.outcome, SynthesisOutcome::Found(_)),
        "{:?}",
        found.outcome
    );
    // And the allocator's identity on configurations is no pattern worth finding.
    let (mut file, model) = own("allocator");
    file.synthesis.generators.clear();
    let found = synthesise(&model, &file.synthesis, 1..=4, &Budget::default());
    if let SynthesisOutcome::Found(transducer) = found.outcome {
        let known = recognised(&model, &transducer.relation, &watch()).expect("no limit");
        panic!("{known:?} {:?}", transducer.relation);
    }
}

fn language(model: &FamilyModel, text: &str) -> Nfa {
    let read = read_expression(FileId(0), text, &model.alphabet, &watch());
    read.unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The configurations that are reached in words of a length.
fn reachable(model: &FamilyModel, initial: &Nfa, size: usize) -> BTreeSet<Word> {
    let known = Enumerated::new(model, &Nfa::default(), size);
    let mut found: BTreeSet<Word> = accepted(initial, size);
    found.retain(|word| word.len() == size && known.configurations.contains(word));
    let mut todo: Vec<Word> = found.iter().cloned().collect();
    while let Some(word) = todo.pop() {
        for (from, to) in known.steps.iter().flatten() {
            if *from == word && found.insert(to.clone()) {
                todo.push(to.clone());
            }
        }
    }
    found
}

/// Looks for an invariant, and holds the answer to all words up to the length 6. Returns its number of states.
fn judged(model: &FamilyModel, initial: &Nfa, bad: &Nfa, most: usize) -> Option<usize> {
    let found = find_invariant(model, initial, bad, 1..=most, &Budget::default());
    let sizes = if model.alphabet.size() == 2 { 6 } else { 4 };
    let smallest_bad = (0..=sizes).find(|size| {
        reachable(model, initial, *size)
            .iter()
            .any(|word| bad.accepts(word))
    });
    match found.outcome {
        InvariantOutcome::Reached => {
            let run = found.small.bad_run.expect("a run");
            assert!(initial.accepts(&run[0]) && bad.accepts(&run[run.len() - 1]));
            assert!(
                run.windows(2).all(|two| model.is_step(&two[0], &two[1])),
                "{run:?}"
            );
            let size = run[0].len();
            assert_eq!(smallest_bad, (size <= sizes).then_some(size));
            None
        }
        InvariantOutcome::Found(automaton) => {
            assert_eq!(smallest_bad, None);
            for size in 0..=sizes {
                for word in reachable(model, initial, size) {
                    assert!(automaton.accepts(&word), "{word:?}");
                }
            }
            let known = Enumerated::new(model, &Nfa::default(), sizes);
            for (from, to) in known.steps.iter().flatten() {
                assert!(
                    !automaton.accepts(from) || automaton.accepts(to),
                    "{from:?} {to:?}"
                );
            }
            let mut words = known.configurations.iter();
            assert!(!words.any(|word| automaton.accepts(word) && bad.accepts(word)));
            assert_eq!(found.candidates.len(), automaton.states());
            Some(automaton.states())
        }
        InvariantOutcome::NotFound => {
            assert_eq!(smallest_bad, None);
            None
        }
        InvariantOutcome::Stopped(stop) => panic!("{stop:?}"),
    }
}

#[test]
fn least_invariants_are_found() {
    for (name, states) in [
        ("token_ring", 3),
        ("israeli_jalfon", 2),
        ("allocator", 4),
        ("philosophers", 3),
        ("readers_writers", 3),
    ] {
        let (file, model) = own(name);
        let (initial, bad) = (file.initial.expect("initial"), file.bad.expect("bad"));
        assert_eq!(judged(&model, &initial, &bad, 8), Some(states), "{name}");
    }
    let (_, ring) = own("token_ring");
    assert_eq!(
        judged(&ring, &language(&ring, "t n*"), &language(&ring, "n*"), 8),
        Some(2)
    );
    // A ring of one cannot pass its token.
    let stuck = without_successor(&ring, &watch()).expect("no limit");
    assert_eq!(judged(&ring, &language(&ring, "t n*"), &stuck, 8), None);
    let found = judged(&ring, &language(&ring, "t n n*"), &stuck, 8);
    assert!(found.is_some_and(|states| states <= 4), "{found:?}");
    // Philosophers who all have their right fork wait for ever.
    let (_, table) = own("philosophers");
    let stuck = without_successor(&table, &watch()).expect("no limit");
    assert!(stuck.accepts(&[1, 1, 1]) && !stuck.accepts(&[1, 1, 0]));
    assert_eq!(judged(&table, &language(&table, "0 0 0*"), &stuck, 4), None);
}

#[test]
fn invariants_of_random_families_agree_with_all_short_runs() {
    let words = ["t n*", "t+", ".* t .*", "n* t", "t n t n*", "[t n] n*"];
    let outcomes = std::cell::RefCell::new(BTreeMap::new());
    for_random(tiers::cases(800), &any::<u64>(), |seed| {
        let mut numbers = Numbers(seed);
        let steps = [
            "I* t/n n/t I*",
            "n/t I* t/n",
            "I* ./t t/n I*",
            "t/n I* ./t",
            "I* n/t I*",
            "t/n+",
        ];
        let mut text = String::from("alphabet: t n; ");
        for _ in 0..=numbers.below(3) {
            text += &format!("steps: {}; ", steps[numbers.below(steps.len())]);
        }
        if numbers.below(3) == 0 {
            text += "configurations: .* t .* | n n*;";
        }
        let (_, model) = family(&text);
        let within = |text: &str| {
            let all = language(&model, text);
            let join = |a, b| (a == b).then_some(a);
            all.product(&model.configurations, &watch(), join)
                .expect("no limit")
        };
        let initial = within(words[numbers.below(words.len())]);
        let bad = match numbers.below(4) {
            0 => without_successor(&model, &watch()).expect("no limit"),
            1 => language(&model, "n*"),
            2 => language(&model, ".* t .* t .*"),
            _ => language(&model, ".* t t .*"),
        };
        let found = judged(&model, &initial, &bad, 3);
        *outcomes.borrow_mut().entry(found).or_insert(0) += 1;
    });
    let outcomes = outcomes.into_inner();
    assert!(
        outcomes.contains_key(&None) && outcomes.len() > 2,
        "{outcomes:?}"
    );
}

/// The rows of a table of the oracle, with the lines that are remarks left out.
fn rows(path: &std::path::Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a table");
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|row| row.split('\t').map(str::to_owned).collect())
        .collect()
}

fn same(a: &Nfa, b: &Nfa) -> bool {
    let included = |a: &Nfa, b: &Nfa| not_included(a, b, &watch()).expect("no limit").is_none();
    included(a, b) && included(b, a)
}

/// The steps of all actions, over an alphabet with the letters in another order.
fn steps_over(model: &FamilyModel, alphabet: &Alphabet) -> Nfa {
    let mut all = NfaBuilder::default();
    for action in &model.actions {
        all.append(&action.steps);
    }
    let renamed = |letter: Letter| {
        alphabet
            .letter(model.alphabet.name(letter))
            .expect("a letter")
    };
    all.finish(&watch())
        .expect("no limit")
        .mapped(&watch(), |pair| {
            let (a, b) = model.alphabet.parts(pair);
            Some(alphabet.pair(renamed(a), renamed(b)))
        })
        .expect("no limit")
}

#[test]
fn patterns_are_those_that_others_found() {
    let test = "patterns_are_those_that_others_found";
    let Some(table) = tiers::shared("oracle/families/PATTERNS.tsv", test) else {
        return;
    };
    let all = rows(&table);
    assert_eq!(all.len(), 11);
    for row in &all {
        let name = &*row[0];
        let text = std::fs::read_to_string(table.with_file_name(format!("{name}.pat")));
        let (file, model) = family(&text.expect("a family"));
        let (own_file, own_model) = own(name);
        assert!(
            same(
                &steps_over(&own_model, &model.alphabet),
                &steps_over(&model, &model.alphabet)
            ),
            "{name}"
        );
        assert_eq!(own_model.all_words, model.all_words);
        assert_eq!(model.alphabet.size().to_string(), row[1]);
        assert_eq!(
            model.actions[0].steps.states().to_string(),
            row[2],
            "{name}"
        );
        for (pattern, wanted) in LibraryPattern::USUAL.iter().zip(&row[3..8]) {
            for model in [&model, &own_model] {
                let report = verify_library(model, *pattern, &watch()).expect("no limit");
                let failure = report.failure();
                let told = format!("{name} {pattern:?} {failure:?}");
                match wanted.split(' ').next() {
                    Some("holds") => assert!(report.holds(), "{told}"),
                    Some("leaves") => {
                        assert!(
                            matches!(failure, Some(RelationFault::Leaves { .. })),
                            "{told}"
                        );
                    }
                    Some("fails") => assert!(!report.holds() && failure.is_some(), "{told}"),
                    _ => {}
                }
                if wanted.contains("length 2") {
                    assert_eq!(failure.map(length_of), Some(2), "{told}");
                }
            }
        }
        // Their own texts are searched by another test.
        let is_large = ["allocator", "philosophers"].contains(&name);
        if is_large && !tiers::has_time(test) {
            continue;
        }
        let (least, most) = own_file.synthesis.states.expect("a range");
        assert_eq!(file.synthesis.states, Some((least, most)), "{name}");
        let states = synthesised(name, &file, &model, most);
        assert_eq!(
            states.map_or("none".to_owned(), |n| n.to_string()),
            row[8],
            "{name}"
        );
    }
}

#[test]
fn invariants_are_those_that_others_found() {
    let test = "invariants_are_those_that_others_found";
    let Some(table) = tiers::shared("oracle/families/INVARIANTS.tsv", test) else {
        return;
    };
    let all = rows(&table);
    assert_eq!(all.len(), 6);
    for row in &all {
        let text = std::fs::read_to_string(table.with_file_name(format!("{}.pat", row[0])));
        let (_, model) = family(&text.expect("a family"));
        let (initial, bad) = (language(&model, &row[1]), language(&model, &row[2]));
        let states = judged(&model, &initial, &bad, 8);
        assert_eq!(
            states.map(|n| n.to_string()).as_deref(),
            Some(&*row[3]),
            "{}",
            row[0]
        );
    }
}
