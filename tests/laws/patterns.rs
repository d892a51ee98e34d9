//! Symmetry patterns of families: the verifier against all words of small lengths, on the library and on mutants of it.

use std::collections::{BTreeMap, BTreeSet};

use orbitscope::pattern::alphabet::{Alphabet, Letter};
use orbitscope::pattern::automaton::{Nfa, NfaBuilder};
use orbitscope::pattern::format::{FamilyFile, read_family};
use orbitscope::pattern::library::LibraryPattern;
use orbitscope::pattern::limits::LimitWatch;
use orbitscope::pattern::model::{FamilyModel, words_of};
use orbitscope::pattern::relation::{RelationFault, RelationProperty};
use orbitscope::pattern::verify::{PatternGround, PatternReport, verify_library, verify_relation};
use orbitscope::source::{Budget, FileId};
use proptest::prelude::any;

use super::related::for_random;
use crate::support::{repository, tiers};

pub(super) fn watch() -> LimitWatch {
    LimitWatch::new(&Budget::default())
}

pub(super) fn family(text: &str) -> (FamilyFile, FamilyModel) {
    let file = read_family(FileId(0), text, &watch()).unwrap_or_else(|e| panic!("{e:?}"));
    let (steps, set) = (file.steps.clone(), file.configurations.clone());
    let model = FamilyModel::new(file.alphabet.clone(), steps, set, &watch()).expect("no limit");
    (file, model)
}

pub(super) fn own(name: &str) -> (FamilyFile, FamilyModel) {
    let path = repository(&format!("assets/families/{name}.pat"));
    family(&std::fs::read_to_string(path).expect("a model"))
}

/// A generator of numbers that are the same for the same seed.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

pub(super) type Word = Vec<Letter>;

/// All accepted words up to a length.
pub(super) fn accepted(nfa: &Nfa, length: usize) -> BTreeSet<Vec<u32>> {
    let mut found = BTreeSet::new();
    let mut todo = vec![(nfa.initial().to_vec(), Vec::new())];
    while let Some((states, word)) = todo.pop() {
        if states.iter().any(|state| nfa.accepts_in(*state)) {
            found.insert(word.clone());
        }
        if word.len() == length {
            continue;
        }
        let symbols = states.iter().flat_map(|state| nfa.edges(*state));
        let symbols: BTreeSet<u32> = symbols.map(|edge| edge.0).collect();
        for symbol in symbols {
            let mut longer = word.clone();
            longer.push(symbol);
            todo.push((nfa.after(&states, symbol), longer));
        }
    }
    found
}

/// A family and a relation as sets of words up to a length.
pub(super) struct Enumerated {
    pub(super) configurations: BTreeSet<Word>,
    pub(super) steps: Vec<BTreeSet<(Word, Word)>>,
    relation: Vec<(Word, Word)>,
}

impl Enumerated {
    pub(super) fn new(model: &FamilyModel, relation: &Nfa, length: usize) -> Self {
        let alphabet = &model.alphabet;
        let configurations = accepted(&model.configurations, length);
        let is_inside = |word: &Word| configurations.contains(word);
        let steps = model.actions.iter().map(|action| {
            let pairs = accepted(&action.steps, length);
            let pairs = pairs.iter().map(|pairs| words_of(alphabet, pairs));
            pairs
                .filter(|(v, w)| is_inside(v) && is_inside(w))
                .collect()
        });
        let pairs = accepted(relation, length).into_iter().filter(|pairs| {
            // A pair of words, filled up at the end.
            let (v, w) = words_of(alphabet, pairs);
            alphabet.joined(&v, &w) == *pairs
        });
        let pairs = pairs.map(|pairs| words_of(alphabet, &pairs));
        Self {
            steps: steps.collect(),
            relation: pairs.filter(|(v, _)| is_inside(v)).collect(),
            configurations,
        }
    }

    /// The least length of a counterexample, if there is one.
    fn shortest(&self, property: RelationProperty, ground: PatternGround) -> Option<usize> {
        let pairs = || self.relation.iter();
        let images: BTreeSet<&Word> = pairs().map(|pair| &pair.1).collect();
        let inputs: BTreeSet<&Word> = pairs().map(|pair| &pair.0).collect();
        let two = |differ: fn(&(Word, Word), &(Word, Word)) -> bool| {
            let both = pairs().flat_map(|a| pairs().map(move |b| (a, b)));
            let both = both.filter(|(a, b)| differ(a, b));
            both.map(|(a, b)| longest(&[&a.0, &a.1, &b.0, &b.1])).min()
        };
        match property {
            RelationProperty::Inside => pairs()
                .filter(|pair| !self.configurations.contains(&pair.1))
                .map(|pair| longest(&[&pair.0, &pair.1]))
                .min(),
            RelationProperty::NotLonger => {
                let longer = pairs().filter(|(v, w)| w.len() > v.len());
                longer.map(|pair| pair.1.len()).min()
            }
            RelationProperty::SameLength => {
                let others = pairs().filter(|(v, w)| w.len() != v.len());
                others.map(|(v, w)| longest(&[v, w])).min()
            }
            RelationProperty::Total => {
                let missing = self
                    .configurations
                    .iter()
                    .filter(|word| !inputs.contains(word));
                missing.map(Vec::len).min()
            }
            RelationProperty::Onto => {
                let missing = self
                    .configurations
                    .iter()
                    .filter(|word| !images.contains(word));
                missing.map(Vec::len).min()
            }
            RelationProperty::Functional => two(|a, b| a.0 == b.0 && a.1 != b.1),
            RelationProperty::Injective => two(|a, b| a.1 == b.1 && a.0 != b.0),
            RelationProperty::Simulation => self.lost_step(ground),
        }
    }

    /// By Definition 2, or, for functions, by what Theorem 3 makes of it.
    fn lost_step(&self, ground: PatternGround) -> Option<usize> {
        let mut images: BTreeMap<&Word, Vec<&Word>> = BTreeMap::new();
        for (v, w) in &self.relation {
            images.entry(v).or_default().push(w);
        }
        let none = Vec::new();
        let of = |word: &Word| images.get(word).unwrap_or(&none).clone();
        let mut least: Option<usize> = None;
        for steps in &self.steps {
            for (v, w) in steps {
                for image in of(v) {
                    let is_step = |to: &&Word| steps.contains(&(image.clone(), (*to).clone()));
                    let lost = match ground {
                        PatternGround::Function => !of(w).iter().all(is_step),
                        _ => !of(w).iter().any(is_step),
                    };
                    if lost {
                        let length = longest(&[v, image]);
                        least = Some(least.map_or(length, |known| known.min(length)));
                    }
                }
            }
        }
        least
    }
}

fn longest(words: &[&Word]) -> usize {
    words.iter().map(|word| word.len()).max().unwrap_or(0)
}

/// The length of a counterexample.
pub(super) fn length_of(fault: &RelationFault) -> usize {
    match fault {
        RelationFault::Leaves { input, output } | RelationFault::Length { input, output } => {
            longest(&[input, output])
        }
        RelationFault::NoImage(word) | RelationFault::NoOrigin(word) => word.len(),
        RelationFault::TwoImages(word, [a, b]) | RelationFault::SharedImage([a, b], word) => {
            longest(&[word, a, b])
        }
        RelationFault::LostStep(step) => longest(&[&step.from, &step.image]),
    }
}

/// Holds a report to the words up to a length. Returns the number of properties that fail.
pub(super) fn agrees(
    model: &FamilyModel,
    relation: &Nfa,
    report: &PatternReport,
    length: usize,
) -> usize {
    let known = Enumerated::new(model, relation, length);
    let keeps_length = report.has(RelationProperty::SameLength);
    let mut failing = 0;
    for (property, fault) in &report.properties {
        // Words that are longer may be related to shorter ones.
        let is_bounded = match property {
            RelationProperty::Total => report.has(RelationProperty::NotLonger),
            RelationProperty::Onto => keeps_length,
            _ => true,
        };
        if !is_bounded {
            continue;
        }
        let wanted = known.shortest(*property, report.ground);
        let found = fault.as_ref().map(length_of);
        let told = format!("{property:?}: {fault:?} {:?}", known.relation);
        assert_eq!(found.filter(|n| *n <= length), wanted, "{told}");
        failing += usize::from(fault.is_some());
    }
    failing
}

const MODELS: [&str; 9] = [
    "token_ring",
    "token_line",
    "herman",
    "herman_synchronous",
    "israeli_jalfon",
    "israeli_jalfon_both",
    "israeli_jalfon_as_printed",
    "allocator",
    "readers_writers",
];

/// Lengths whose words can all be listed.
pub(super) fn length(model: &FamilyModel) -> usize {
    match model.alphabet.size() {
        2 => 5,
        3 => 4,
        _ => 3,
    }
}

#[test]
fn the_library_is_as_large_as_it_has_to_be_and_permutes() {
    for letters in 2..=4_usize {
        let names: Vec<String> = (0..letters).map(|n| n.to_string()).collect();
        let alphabet = Alphabet::new(names);
        let pairs = letters * letters;
        for position in 1..=3 {
            let before = position - 1;
            for (pattern, states) in [
                (LibraryPattern::Rotation(position), pairs + 1 + before),
                (LibraryPattern::Swap(position), pairs + 2 + before),
            ] {
                let relation = pattern.relation(&alphabet, &watch()).expect("no limit");
                let relation = relation.expect("it is regular");
                let least = relation
                    .minimal(alphabet.pairs(), &watch())
                    .expect("no limit");
                assert_eq!(least.to_nfa().states(), states, "{pattern:?} {letters}");
                assert_eq!(LibraryPattern::named(&pattern.name()), Some(pattern));
                let found = accepted(&relation, 4);
                let words: BTreeSet<Word> = found
                    .iter()
                    .map(|pairs| words_of(&alphabet, pairs).0)
                    .collect();
                assert_eq!(found.len(), words.len(), "a function");
                assert_eq!(words.len(), (0..=4).map(|n| letters.pow(n)).sum::<usize>());
                for pairs in &found {
                    let (v, mut w) = words_of(&alphabet, pairs);
                    match pattern {
                        LibraryPattern::Rotation(_) if w.len() > before => {
                            w[before..].rotate_left(1);
                        }
                        LibraryPattern::Swap(_) if w.len() > position => w.swap(before, position),
                        _ => {}
                    }
                    assert_eq!(v, w, "{pattern:?}");
                }
            }
        }
    }
    for wrong in [
        "rotation:0",
        "swap:x",
        "reflection:2",
        "rotations",
        "swap:65",
    ] {
        assert_eq!(LibraryPattern::named(wrong), None, "{wrong}");
    }
}

#[test]
fn verdicts_on_the_library_are_those_of_all_short_words() {
    for name in MODELS {
        let (_, model) = own(name);
        for pattern in LibraryPattern::USUAL {
            let report = verify_library(&model, pattern, &watch()).expect("no limit");
            let relation = pattern
                .relation(&model.alphabet, &watch())
                .expect("no limit");
            if let Some(relation) = relation {
                agrees(&model, &relation, &report, length(&model));
                continue;
            }
            // The reflection, word by word.
            let known = Enumerated::new(&model, &Nfa::default(), length(&model));
            let back = |word: &Word| word.iter().rev().copied().collect::<Word>();
            let stays = known
                .configurations
                .iter()
                .all(|v| known.configurations.contains(&back(v)));
            let matched = known.steps.iter().all(|steps| {
                steps
                    .iter()
                    .all(|(v, w)| steps.contains(&(back(v), back(w))))
            });
            assert_eq!(report.holds(), stays && matched, "{name}");
        }
    }
}

/// Random edits of a relation: transitions are removed, added and bent, states accept or do not.
fn mutant(relation: &Nfa, alphabet: &Alphabet, numbers: &mut Numbers) -> Nfa {
    let states = relation.states();
    let mut edges = Vec::new();
    for from in 0..states as u32 {
        edges.extend(
            relation
                .edges(from)
                .iter()
                .map(|(symbol, to)| (from, *symbol, *to)),
        );
    }
    let mut accepting: Vec<bool> = (0..states as u32).map(|s| relation.accepts_in(s)).collect();
    let with_padding = numbers.below(4) == 0;
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(edges.len());
        let state = numbers.below(states);
        match numbers.below(5) {
            0 if edges.len() > 1 => {
                edges.swap_remove(at);
            }
            1 => edges[at].2 = state as u32,
            2 => accepting[state] = !accepting[state],
            _ => {
                let letters = alphabet.size() as usize;
                let side = letters + usize::from(with_padding);
                let (a, b) = (numbers.below(side) as u32, numbers.below(side) as u32);
                let pair = alphabet.pair(a, b);
                if pair != alphabet.both_ended() {
                    edges.push((edges[at].0, pair, state as u32));
                }
            }
        }
    }
    let mut builder = NfaBuilder::default();
    for accepts in &accepting {
        let state = builder.state();
        if *accepts {
            builder.accept(state);
        }
    }
    for (from, symbol, to) in edges {
        builder.edge(from, Some(symbol), to);
    }
    relation
        .initial()
        .iter()
        .for_each(|state| builder.begin(*state));
    builder.finish(&watch()).expect("no limit")
}

#[test]
fn verdicts_on_mutants_are_those_of_all_short_words() {
    let (mut failing, mut grounds) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
    for_random(tiers::cases(4_000), &any::<u64>(), |seed| {
        let mut numbers = Numbers(seed);
        let (_, mut model) = own(MODELS[numbers.below(MODELS.len())]);
        if numbers.below(3) == 0 {
            // The family is changed as well.
            let steps = model.actions.iter();
            let steps = steps.map(|action| {
                let mut kept = mutant(&action.steps, &model.alphabet, &mut numbers);
                if accepted(&kept, 3).iter().flatten().any(|pair| {
                    let (a, b) = model.alphabet.parts(*pair);
                    a == model.alphabet.padding() || b == model.alphabet.padding()
                }) || kept.states() == 0
                {
                    kept = action.steps.clone();
                }
                (action.name.clone(), kept)
            });
            let set = Some(model.configurations.clone());
            let steps = steps.collect();
            model =
                FamilyModel::new(model.alphabet.clone(), steps, set, &watch()).expect("no limit");
        }
        let library = LibraryPattern::USUAL[numbers.below(4)];
        let relation = library
            .relation(&model.alphabet, &watch())
            .expect("no limit");
        let relation = mutant(&relation.expect("regular"), &model.alphabet, &mut numbers);
        if relation.states() == 0 {
            return;
        }
        let report = verify_relation(&model, &relation, &watch()).expect("no limit");
        let length = length(&model).min(if model.alphabet.size() == 2 { 4 } else { 3 });
        failing.set(failing.get() + agrees(&model, &relation, &report, length));
        grounds.borrow_mut().push((report.ground, report.holds()));
    });
    let grounds = grounds.get_mut();
    for ground in [PatternGround::Function, PatternGround::Relation] {
        for holds in [true, false] {
            // Few mutants are functions that hold: a run with fewer cases may meet none.
            let is_met = grounds.contains(&(ground, holds));
            assert!(is_met || !tiers::tries_all(), "none of {ground:?} {holds}");
        }
    }
    assert!(*failing.get_mut() > 100);
}
