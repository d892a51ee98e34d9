//! What is explored of a component before a search: it is said to be all if and only if all that the component can
//! reach is within the bound, although whole orbits are counted by one of their states.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use orbitscope::check::plan::atom_types;
use orbitscope::eval::Evaluator;
use orbitscope::machine::{Machine, Network};
use orbitscope::script::load::{Loaded, load_text};
use orbitscope::script::symmetric::{Trust, symmetric_types};
use orbitscope::source::{Cancel, Limits};
use orbitscope::value::{Atom, AtomTypes};
use proptest::prelude::*;

/// Bodies of `System`: with one component, which has values in order, twice, in sets, of two types, none, or one to begin
/// with, and with a component for each value, which knows its own.
const SYSTEMS: [&str; 9] = [
    "let L(s) = #s < 3 & c?x -> L(<x>^s) [] #s > 0 & d!head(s) -> L(tail(s)) within L(<>)",
    "let L(s) = #s < 4 & c?x:diff(A, set(s)) -> L(s^<x>) [] #s == 4 & d?x -> L(<>) within L(<>)",
    "let P(x, y) = c?z -> P(y, z) within c?x -> c?y -> P(x, y)",
    "let S(s) = card(s) < 3 & c?x -> S(union(s, {x})) [] d?x:s -> S(diff(s, {x})) within S({})",
    "let M(s, n) = #s < 2 & e?x?y -> M(s^<(x, y)>, n) [] n < 3 & c?x -> M(s, n+1) within M(<>, 0)",
    "let N(n) = n < 9 & c?x -> N(n+1) within N(0)",
    "let Q(x) = c.x -> Q(x) [] d?y -> Q(y) within |~| x:A @ Q(x)",
    "let R(s) = c?x -> R(<x | #s < 2>^s) within R(<>) \\ {| d |}",
    "let P(x) = c.x -> d?y -> P(x) within ||| x:A @ P(x)",
];

fn loaded(system: &str, values: [usize; 2]) -> Loaded {
    let names = |letter: char, count: usize| -> String {
        let names: Vec<String> = (0..count).map(|n| format!("{letter}{n}")).collect();
        names.join(" | ")
    };
    let text = format!(
        "datatype A = {}\ndatatype B = {}\nchannel c, d : A\nchannel e : A.B\nSystem = {system}\n",
        names('a', values[0]),
        names('b', values[1]),
    );
    let loaded = load_text(Path::new("ahead.csp"), &text);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    loaded
}

/// What the first component reaches and performs, as far as that is explored before a search; and whether that is all.
fn explored(loaded: &Loaded, most: usize) -> (BTreeSet<String>, BTreeSet<String>, bool) {
    let script = &loaded.script;
    let eval = Evaluator::new(Rc::clone(script), &Limits::default(), Cancel::default());
    let types = symmetric_types(script, &loaded.types, &[], Trust::Nothing);
    let mut machine = Machine::new(eval, atom_types(script, &types));
    let term = machine.eval.process_named("System").expect("it evaluates");
    let network = Network::new(&mut machine, term, most).expect("it has a network");
    network.first().mappable().expect("it is symmetric");
    let reach = &network.first().reach()[0];
    let reached = reach.locals.iter().map(|l| machine.show_local(*l));
    let reached: BTreeSet<String> = reached.collect();
    assert_eq!(reached.len(), reach.locals.len(), "shown alike");
    let seen = network.first().seen().of(0).keys();
    let seen = seen.map(|event| machine.show_event(*event)).collect();
    (reached, seen, reach.complete)
}

#[test]
fn images_are_counted() {
    for values in [[1, 1], [2, 3], [4, 2]] {
        let loaded = loaded("STOP", values);
        let all = symmetric_types(&loaded.script, &loaded.types, &[], Trust::Nothing);
        let types: AtomTypes = atom_types(&loaded.script, &all);
        let atoms: Vec<_> = (0..types.len() as u16).map(Atom).collect();
        for (a, b, c) in triples(&atoms) {
            // Two tuples are images of each other if they are equal once their values are numbered.
            let numbered = |tuple: [Atom; 3]| {
                let image = types.canonical(&tuple);
                tuple.map(|atom| image[usize::from(atom.0)])
            };
            let of = numbered([a, b, c]);
            let alike = triples(&atoms).filter(|(a, b, c)| numbered([*a, *b, *c]) == of);
            assert_eq!(types.images(&[a, b, c]), alike.count());
        }
    }
}

/// All triples.
fn triples<T: Copy>(of: &[T]) -> impl Iterator<Item = (T, T, T)> {
    of.iter().flat_map(move |a| {
        of.iter()
            .flat_map(move |b| of.iter().map(move |c| (*a, *b, *c)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::support::tiers::cases(200)))]

    #[test]
    fn all_is_said_to_be_all(
        system in proptest::sample::select(&SYSTEMS[..]),
        values in [1usize..5, 1usize..4],
        bounds in proptest::collection::vec(0.0..1.2f64, 4),
    ) {
        let loaded = loaded(system, values);
        let (all, performed, complete) = explored(&loaded, 60_000);
        prop_assert!(complete);
        let bounds = bounds.iter().map(|part| (part * all.len() as f64) as usize);
        for most in bounds.chain([all.len() - 1, all.len(), all.len() + 1]) {
            let (reached, seen, complete) = explored(&loaded, most);
            prop_assert_eq!(complete, all.len() <= most, "{} of {}", most, all.len());
            prop_assert!(reached.is_subset(&all) && seen.is_subset(&performed));
            if complete {
                prop_assert_eq!((&reached, &seen), (&all, &performed));
            }
        }
    }
}
