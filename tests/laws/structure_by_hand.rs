//! The symmetry of networks that are made by hand: each condition of Def. 29 counts by itself, and a representative that
//! may not be the only one of its orbit is reported as such.

use std::collections::BTreeSet;
use std::path::Path;

use orbitscope::check::{Check, Options};
use orbitscope::machine::LocalId;
use orbitscope::script::load::load_text;
use orbitscope::source::Cancel;
use orbitscope::structure::element::Automorphism;
use orbitscope::structure::network_structure::{NetworkStructure, Results, TiedNode};
use orbitscope::structure::parts::Decomposition;
use orbitscope::structure::search::{LOOKS, symmetries};
use orbitscope::structure::verify::verify;
use orbitscope::symmetry::strategy::Strategy;
use orbitscope::symmetry::structural::StructuralGroup;
use orbitscope::symmetry::{Representative, StrategyKind};

use crate::exact::context;
use crate::support::options;

/// The first assertion of a script, with its local states as they are.
fn prepared(text: &str) -> Check {
    let loaded = load_text(Path::new("by_hand.csp"), text);
    assert!(!loaded.has_errors(), "{text}");
    let how = Options {
        merging: false,
        ..options(Some(false), StrategyKind::default(), 1)
    };
    Check::prepare(&loaded, 0, &how, &Cancel::default()).expect("it compiles")
}

fn structure_of(check: &Check, nodes: Vec<TiedNode>) -> NetworkStructure {
    let format = check.network.first();
    let structure = NetworkStructure::new(&check.machine, format, Results::Free, nodes);
    structure.expect("there is time").expect("it is known")
}

/// Two components with an event each, a specification that moves to another node by either event, and the exchange of
/// both.
fn exchanged() -> (NetworkStructure, Automorphism) {
    let check = prepared(
        "channel a : {0..1}\nP(i) = a.i -> Q(i)\nQ(i) = a.i -> P(i)\n\
         assert STOP [T= ||| i : {0..1} @ P(i)\n",
    );
    let rules = check.network.first().rules().list();
    let events: BTreeSet<_> = rules.iter().map(|rule| rule.result).collect();
    let events: Vec<_> = events.into_iter().collect();
    let node = |id, edges| TiedNode {
        id,
        edges,
        ..TiedNode::default()
    };
    let nodes = vec![
        node(0, vec![(events[0], 1), (events[1], 2)]),
        node(1, vec![(events[1], 3)]),
        node(2, vec![(events[0], 3)]),
        node(3, vec![(events[0], 3), (events[1], 3)]),
    ];
    let structure = structure_of(&check, nodes);
    let mut found = symmetries(&structure, LOOKS, &|_| Ok(())).expect("there is time");
    let exchange = found.generators.pop().expect("there is one");
    assert!(found.generators.is_empty());
    (structure, exchange)
}

#[test]
fn a_symmetry_is_none_once_one_condition_does_not_hold() {
    let (structure, exchange) = exchanged();
    verify(&structure, &exchange).expect("it is a symmetry");
    type Change = fn(&mut NetworkStructure);
    let changes: [(&str, Change); 9] = [
        ("another class of rules", |s| s.classes = vec![0, 1]),
        ("an event that is fixed", |s| s.fixed[0] = true),
        ("a missing rule", |s| s.rules.truncate(1)),
        ("a missing step", |s| s.steps.truncate(3)),
        ("another initial state", |s| s.initial[0] += 1),
        ("a node that diverges", |s| s.nodes[1].colour = 1),
        ("a missing edge", |s| s.nodes[1].edges.clear()),
        ("another target", |s| s.nodes[1].edges[0].1 = 0),
        ("an acceptance", |s| s.nodes[1].sets.push(Vec::new())),
    ];
    for (what, change) in changes {
        let mut other = structure.clone();
        change(&mut other);
        assert!(verify(&other, &exchange).is_err(), "{what}");
    }
}

/// The edges of the complete graph on twelve vertices, each of which may be chosen. In a cycle, more sequences of four
/// vertices without an edge among them lead to images that may become the least than images are kept.
#[test]
fn a_representative_that_is_not_certain_is_reported() {
    let check = prepared(
        "V = {0..11}\nPairs = {(i, j) | i <- V, j <- V, i < j}\nchannel t : V.V\nchannel v : V\n\
         E(i, j, s) = t.i.j -> E(i, j, 1 - s) [] v.i -> E(i, j, s) [] v.j -> E(i, j, s)\n\
         assert || (i, j) : Pairs @ [{t.i.j, v.i, v.j}] E(i, j, 0) :[deadlock free [F]]\n",
    );
    let structure = structure_of(&check, Vec::new());
    let found = symmetries(&structure, LOOKS, &|_| Ok(())).expect("there is time");
    let factors = found
        .factors(&structure, &|_| Ok(()))
        .expect("there is time");
    let Decomposition::Factors(factors) = factors else {
        panic!("there is a group")
    };
    assert_eq!(factors.order, 479_001_600u32.into());
    let mut state = check.network.initial().to_vec();
    let pairs = (0..12).flat_map(|i| (i + 1..12).map(move |j| (i, j)));
    for (component, (i, j)) in pairs.enumerate() {
        let mut points = structure.points.range(component);
        let chosen = points.find(|point| *point != structure.initial[component]);
        if j == i + 1 || (i, j) == (0, 11) {
            state[component] = structure.points.local(chosen.expect("there are two"));
        }
    }
    let group = StructuralGroup::new(structure, found.generators, factors);
    let certain_of = |state: &[LocalId]| {
        let mut out = Representative::default();
        out.counting = true;
        let context = context(&check.machine, &check.network, state, &[]);
        let found = group.representative(&context, &mut out);
        found.expect("nothing is missing");
        (!out.fell_back, out.stabiliser.is_some())
    };
    assert_eq!(certain_of(check.network.initial()), (true, true));
    assert_eq!(certain_of(&state), (false, false));
}
