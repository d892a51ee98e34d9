//! What is said of two states, whether they are of one orbit and why, held to brute force over all
//! permutations and to a checker of certificates that shares nothing with what makes them.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use orbitscope::machine::bisimilar::Visible;
use orbitscope::script::core::GlobalKind;
use orbitscope::symmetry::Permutation;
use orbitscope::symmetry::certificate::{Certificate, Refutation};
use orbitscope::symmetry::compare::{Comparing, Relation};
use orbitscope::symmetry::parting::Parting;
use orbitscope::value::Atom;
use proptest::prelude::prop;

use super::certificates::{Checker, takes};
use super::exact::{Subject, context};
use super::related::{Seen, State, for_random, random_pairs, walk_pairs};
use crate::support::{findings, script, sound, tiers};

/// The model, with an assertion.
fn ring() -> Subject {
    let text = include_str!("../../models/ring.csp");
    Subject::new(
        "compare_ring.csp",
        &format!("{text}\nassert Ring :[deadlock free [F]]"),
    )
}

/// The rings of four nodes with all data.
fn rings(subject: &mut Subject) -> Vec<State> {
    let mut states = Vec::new();
    for order in [
        [0, 1, 2, 3],
        [0, 1, 3, 2],
        [0, 2, 1, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [0, 3, 2, 1],
    ] {
        for data in 0..16 {
            let events: Vec<String> = (0..4)
                .map(|n| {
                    let datum = if data >> n & 1 == 0 { "A" } else { "B" };
                    format!("init.N{}.{datum}.N{}", order[n], order[(n + 1) % 4])
                })
                .collect();
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            states.push(subject.at(&events));
        }
    }
    states
}

#[test]
fn rings_of_example_43() {
    let mut subject = ring();
    let states = rings(&mut subject);
    let orbits = subject.orbits(&states);
    assert_eq!(orbits.len(), 4);
    let mut seen = Seen::default();
    subject.compare_orbits(&orbits, &mut seen);
    // The 24 of the example: the pick is to blame wherever representatives differ.
    let pairs = orbits
        .iter()
        .find(|orbit| orbit.len() == 24)
        .expect("AABB")
        .clone();
    for (number, state) in pairs.iter().enumerate() {
        let others = if tiers::is_thorough() {
            0..24
        } else {
            number..number + 1
        };
        for other in others {
            let other = &pairs[(other * 7 + 5) % 24];
            subject.is_related_rightly(state, other, &mut seen);
        }
    }
    assert!(
        seen.choices > 0 && seen.trees > 0 && seen.profiles > 0,
        "{seen:?}"
    );
    let picks = subject.picked(&pairs[0]);
    let counts: Vec<usize> = picks.outcomes.iter().map(|(_, count)| *count).collect();
    assert_eq!((counts, picks.complete), (vec![2, 2], true));
}

/// Every node has one predecessor, one successor and a datum that two nodes hold.
#[test]
fn aabb_against_abab_needs_a_tree() {
    let mut subject = ring();
    let ring = |data: &str| -> Vec<String> {
        let data = data.chars().enumerate();
        data.map(|(n, d)| format!("init.N{n}.{d}.N{}", (n + 1) % 4))
            .collect()
    };
    let mut state = |data: &str| {
        let events = ring(data);
        subject.at(&events.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (a, b) = (state("AABB"), state("ABAB"));
    let Relation::Different(certificate) = subject.related(&a, &b) else {
        panic!("they are of different orbits")
    };
    let Certificate::Tree { refuted, .. } = &certificate else {
        panic!("{certificate:?}")
    };
    assert!(refuted.len() >= 2);
    assert_eq!(
        Checker::new(&mut subject, &a, &b).accepts(&certificate),
        Ok(())
    );
    // The checker refuses what proves nothing: a tree that leaves a partner out, another pair of states.
    let Certificate::Tree { pick, refuted } = certificate else {
        unreachable!()
    };
    let short = Certificate::Tree {
        pick,
        refuted: refuted[1..].to_vec(),
    };
    assert!(Checker::new(&mut subject, &a, &b).accepts(&short).is_err());
    let whole = Certificate::Tree { pick, refuted };
    let image = subject.images[5].clone();
    let moved = subject.images(&a)[5].clone();
    assert!(takes(&mut subject, &a, &moved, &image));
    assert!(
        Checker::new(&mut subject, &a, &moved)
            .accepts(&whole)
            .is_err()
    );
}

#[test]
fn a_search_that_ends_too_early_says_nothing() {
    let mut subject = ring();
    let a = subject.at(&[
        "init.N0.A.N1",
        "init.N1.A.N2",
        "init.N2.B.N3",
        "init.N3.B.N0",
    ]);
    let b = subject.at(&[
        "init.N0.A.N1",
        "init.N1.B.N2",
        "init.N2.A.N3",
        "init.N3.B.N0",
    ]);
    let mut comparing = Comparing::within(1);
    let relation = subject.complete(|machine, network| {
        let (a, b) = (
            context(machine, network, &a, &[]),
            context(machine, network, &b, &[]),
        );
        comparing.relation(&a, &b)
    });
    assert_eq!(relation, Relation::Undecided { nodes: 1 });
}

/// Sec. 7.3: four threads with two data each.
#[test]
fn four_threads() {
    let text = "datatype ThreadID = T1 | T2 | T3 | T4
datatype Data = A | B
channel set : ThreadID.Data.Data
Thread(me) = set.me?x?y -> Thread'(me, x, y)
Thread'(me, x, y) = set.me.x.y -> Thread'(me, x, y)
assert (||| t : ThreadID @ Thread(t)) :[deadlock free [F]]";
    let mut subject = Subject::new("compare_threads.csp", text);
    let mut states = vec![subject.network.initial().to_vec()];
    for thread in 1..5 {
        let prefix = format!("set.T{thread}.");
        let next = states
            .iter()
            .map(|s| subject.after(s, |e| e.starts_with(&prefix)));
        states = next.collect::<Vec<_>>().concat();
    }
    assert_eq!(states.len(), 256);
    let orbits = subject.orbits(&states);
    let mut seen = Seen::default();
    subject.compare_orbits(&orbits, &mut seen);
    let four = subject.at(&["set.T1.A.A", "set.T2.A.B", "set.T3.B.A", "set.T4.B.B"]);
    let four = subject.orbits(&[four]).concat();
    for (number, state) in four.iter().enumerate() {
        let other = &four[(number * 5 + 3) % four.len()];
        subject.is_related_rightly(state, other, &mut seen);
    }
    assert!(
        seen.orbits > 0 && seen.profiles > 0 && seen.choices > 0,
        "{seen:?}"
    );
}

/// Sec. 7.6: lists that step 3 takes apart one after the other.
#[test]
fn two_lists_of_length_two() {
    let text = include_str!("../../models/example37.csp")
        .replace(" | N4 | N5", " | N4")
        .replace("A | B | C | D", "A | B");
    let text = format!("{text}\nassert Nodes :[deadlock free [F]]");
    let mut subject = Subject::new("compare_lists.csp", &text);
    let mut seen = Seen::default();
    let mut states = Vec::new();
    for data in ["AAAA", "AAAB", "AABB", "ABAB", "ABBA", "BABB"] {
        let events: Vec<String> = data
            .chars()
            .zip([("N4", "Null"), ("N0", "N4"), ("N1", "Null"), ("N3", "N1")])
            .map(|(datum, (node, next))| format!("init.{node}.{datum}.{next}"))
            .collect();
        states.push(subject.at(&events.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let orbits = subject.orbits(&states);
    subject.compare_orbits(&orbits, &mut seen);
    assert!(seen.orbits > 0 && seen.profiles > 0, "{seen:?}");
}

/// As many orbits as there are digraphs without loops (A000273 of the OEIS).
#[test]
fn digraphs_on_three_nodes() {
    let Some(folder) = findings("digraphs_on_three_nodes") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("digraphs_3.csp")).expect("it is there");
    let mut subject = Subject::new("compare_digraphs.csp", &text);
    let mut states = vec![subject.network.initial().to_vec()];
    let mut at = 0;
    while at < states.len() {
        for next in subject.after(&states[at].clone(), |_| true) {
            if !states.contains(&next) {
                states.push(next);
            }
        }
        at += 1;
    }
    let orbits = subject.orbits(&states);
    assert_eq!((states.len(), orbits.len()), (64, 16));
    let mut seen = Seen::default();
    subject.compare_orbits(&orbits, &mut seen);
    assert!(
        seen.keys > 0 && seen.profiles > 0 && seen.orbits > 0,
        "{seen:?}"
    );
}

/// The pairs of nodes of a torus of four by four whose difference a rule allows.
fn joined(rule: impl Fn((i32, i32)) -> bool) -> String {
    let nodes = || (0..16).map(|n| (n / 4, n % 4));
    let pairs = nodes().flat_map(|x| nodes().map(move |y| (x, y)));
    let name = |(i, j): (i32, i32)| format!("V{}", i * 4 + j);
    let difference =
        |((i, j), (k, l)): ((i32, i32), (i32, i32))| ((i - k).rem_euclid(4), (j - l).rem_euclid(4));
    let pairs = pairs.filter(|pair| rule(difference(*pair)));
    let pairs = pairs.map(|(x, y)| format!("({}, {})", name(x), name(y)));
    pairs.collect::<Vec<_>>().join(", ")
}

/// Two strongly regular graphs with the same parameters, as sets of pairs.
#[test]
fn the_rooks_graph_is_not_shrikhandes() {
    let rook = joined(|(i, j)| (i == 0) != (j == 0));
    let shrikhande = joined(|d| [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&d));
    let values: Vec<String> = (0..16).map(|n| format!("V{n}")).collect();
    let text = format!(
        "datatype V = {}
channel add : V.V
Lone(R) = add?x?y:diff(V, {{x}}) -> Lone(union(R, {{(x, y)}}))
Rook = Lone({{{rook}}})
Shrikhande = Lone({{{shrikhande}}})
assert RUN({{|add|}}) [T= Lone({{}})",
        values.join(" | ")
    );
    let loaded = sound(&script("compare_regular.csp", text));
    let mut subject = Subject::without_group(&loaded);
    // The types are symmetric in what is asserted, which names none of these values; the states that do
    // are made without going through those between.
    let mut state = |name: &str| {
        let mut globals = loaded.script.globals.iter();
        let global = globals.find(|g| *g.name == *name).expect("it is there");
        let GlobalKind::Value(body) = &global.kind else {
            panic!("{name} has parameters")
        };
        let term = subject.machine.eval.process(body).expect("it evaluates");
        let local = subject.machine.intern(term);
        subject.machine.rank_shapes().expect("nothing stops it");
        vec![local]
    };
    let (a, b) = (state("Rook"), state("Shrikhande"));
    let started = Instant::now();
    let relation = subject.related(&a, &b);
    let took = started.elapsed();
    let Relation::Different(certificate) = relation else {
        panic!("{relation:?}")
    };
    let Certificate::Tree { refuted, .. } = &certificate else {
        panic!("{certificate:?}")
    };
    // All nodes of Shrikhande's graph are alike.
    let alike = refuted
        .iter()
        .filter(|r| matches!(r.why, Refutation::Like { .. }));
    assert_eq!((refuted.len(), alike.count()), (16, 15));
    assert_eq!(
        Checker::new(&mut subject, &a, &b).accepts(&certificate),
        Ok(())
    );
    assert!(took < Duration::from_secs(1), "{took:?}");
    // A renaming of each is found to be one.
    let image: Vec<_> = (0..16u16).map(|n| Atom(n * 5 % 16)).collect();
    for graph in [a, b] {
        let moved = vec![subject.machine.permute_local(graph[0], &image)];
        subject.machine.rank_shapes().expect("nothing stops it");
        let Relation::SameOrbit(witness) = subject.related(&graph, &moved) else {
            panic!("they are of one orbit")
        };
        subject.is_witness(&graph, &moved, &witness);
    }
}

/// Pairs in sets in a set: the classes do not see which pairs are together.
#[test]
fn what_classes_do_not_see_is_settled_by_the_image() {
    let text = "datatype S = S0 | S1 | S2 | S3
channel nest, pin : S.S.S.S
Start = nest?w?x?y?z -> Nested({{(w, x), (y, z)}, {(w, w), (y, y)}})
Nested(N) = pin?w?x?y?z -> Pinned(N, w, x, y, z)
Pinned(N, w, x, y, z) = card(N) > 0 & pin.w.x.y.z -> Pinned(N, w, x, y, z)
assert Start :[deadlock free [F]]";
    let mut subject = Subject::new("compare_nested.csp", text);
    let a = subject.at(&["nest.S0.S1.S2.S3", "pin.S0.S1.S2.S3"]);
    let b = subject.at(&["nest.S0.S3.S2.S1", "pin.S0.S1.S2.S3"]);
    let mut seen = Seen::default();
    subject.is_related_rightly(&a, &b, &mut seen);
    assert_eq!(seen.images, 1, "{seen:?}");
    for image in subject.images(&a) {
        subject.is_related_rightly(&a, &image, &mut seen);
    }
}

/// A permutation that does not take the one state to the other makes the runs part where they cannot.
#[test]
fn a_fault_would_be_seen() {
    let text = "datatype S = S0 | S1 | S2
channel a : S
P(s) = a.s -> Q(s)
Q(s) = a.s -> P(s)
assert (||| s : S @ P(s)) :[deadlock free]";
    let mut subject = Subject::new("compare_fault.csp", text);
    let (a, b) = (subject.at(&["a.S0"]), subject.at(&["a.S1"]));
    let Relation::SameOrbit(mut witness) = subject.related(&a, &b) else {
        panic!("they are of one orbit")
    };
    let parting = subject.parted(&a, &b, Some(&witness));
    assert!(matches!(parting, Parting::Never { .. }), "{parting:?}");
    witness.permutation = Permutation::identity(3);
    witness.arrows = vec![0, 1, 2];
    let parting = subject.parted(&a, &b, Some(&witness));
    assert_eq!(parting, Parting::Fault { step: 0 });
}

/// Where bisimilar local states are merged, and where they are not.
#[test]
fn states_that_only_merging_makes_equal() {
    let text = "datatype T = A | B | C
channel c, d : T
P(x) = c.x -> Q(x) [] d.x -> R(x)
Q(x) = c.x -> STOP
R(x) = d.x -> STOP
assert (||| x : T @ P(x)) :[deadlock free [F]]";
    let mut subject = Subject::new("compare_merged.csp", text);
    let Subject {
        machine, network, ..
    } = &mut subject;
    let merged = network.merge_bisimilar(machine, Visible::Alike);
    merged.expect("there are no limits");
    let mut seen = Seen::default();
    let one = subject.at(&["c.A", "d.B"]);
    let two = subject.at(&["d.C", "d.A"]);
    let three = subject.at(&["c.C", "d.A"]);
    let four = subject.at(&["c.C"]);
    for (a, b) in [(&one, &two), (&one, &three), (&two, &one), (&one, &four)] {
        subject.is_related_rightly(a, b, &mut seen);
    }
    assert_eq!(
        (seen.bisimilar, seen.orbits, seen.keys),
        (2, 1, 1),
        "{seen:?}"
    );
}

/// Copies, which may be exchanged, and components that forget who they are.
#[test]
fn copies_and_components_that_forget() {
    let copies = "datatype S = S0 | S1 | S2
channel a, b : S
channel go, halt
P = go -> a?x -> halt -> b.x -> P
Q(s) = a.s -> b.s -> Q(s)
assert (P ||| P ||| P) ||| (||| s : S @ Q(s)) :[deadlock free]";
    let forget = "datatype S = S0 | S1 | S2
datatype U = U0 | U1
channel a : S
channel b : S.U
channel c : U
P(s) = a.s -> b.s?u -> Q(u)
Q(u) = c.u -> STOP
assert (||| s : S @ P(s)) :[deadlock free]";
    let mut seen = Seen::default();
    for (name, text) in [
        ("compare_copies.csp", copies),
        ("compare_forget.csp", forget),
    ] {
        let mut subject = Subject::new(name, text);
        walk_pairs(&mut subject, 40, 11, &mut seen);
    }
    assert!(
        seen.orbits > 0 && seen.keys > 0 && seen.profiles > 0,
        "{seen:?}"
    );
}

#[test]
fn pairs_of_list_stacks() {
    let text = include_str!("../../models/list_stack.csp")
        .replace(" | N3 | N4 | N5", "")
        .replace("T0 | T1 | T2", "T0 | T1")
        .replace("A | B | C | D", "A | B");
    let seen = random_pairs("compare_list_stack.csp", &text);
    assert!(seen.orbits > 0 && seen.keys > 0, "{seen:?}");
}

#[test]
fn pairs_of_philosophers() {
    let text = include_str!("../../models/philosophers.csp").replace(" | I3", "");
    let seen = random_pairs("compare_philosophers.csp", &text);
    assert!(seen.orbits > 0 && seen.keys > 0, "{seen:?}");
}

#[test]
fn pairs_with_sets_and_tuples() {
    let text = "datatype S = S0 | S1 | S2 | S3
datatype U = U0 | U1
channel a : S
channel b : S.U
channel d : S.S
F(me, u, xs, r, n) = a.me -> F(me, u, xs, r, {})
 [] b.me?v -> F(me, v, xs, r, n)
 [] d.me?y -> F(me, u, union(xs, {y}), r, n)
 [] card(r) < 4 & d?x!me -> F(me, u, {x}, union(r, {(x, me)}), n)
 [] card(r) > 2 & a?x:xs -> F(me, u, {}, {(x, y) | (x, y) <- r, x != me}, union(n, {union(xs, {x})}))
Lone(R, N) = d?x?y:diff(S, {x}) -> Lone(union(R, {(x, y)}), N)
 [] a?x -> Lone({}, N) [] d?x?y:diff(S, {x}) -> Lone(R, union(N, {{x, y}}))
assert ((||| s : S @ F(s, U0, {}, {}, {})) [| {| d |} |] Lone({}, {})) :[deadlock free [F]]";
    let text = text.replace("F(s, U0, {}, {}, {})", "G(s)");
    let text = format!("{text}\nG(s) = b.s?u -> F(s, u, {{}}, {{}}, {{}})");
    let seen = random_pairs("compare_sets.csp", &text);
    assert!(seen.orbits > 0 && seen.profiles > 0, "{seen:?}");
}

/// Digraphs with loops on four nodes beside a set of sets: what refinement sees least of.
#[test]
fn relations_and_sets_of_sets() {
    let text = "datatype S = S0 | S1 | S2 | S3
channel add, join : S.S
Lone(R, N) = add?x?y -> Lone(union(R, {(x, y)}), N) [] join?x?y -> Lone(R, union(N, {{x, y}}))
assert Lone({}, {}) :[deadlock free [F]]";
    let both = RefCell::new((Subject::new("compare_relations.csp", text), Seen::default()));
    let pairs = |most: usize| prop::collection::vec((0usize..4, 0usize..4), 0..most);
    let inputs = (pairs(7), pairs(4), 0usize..7, 0usize..24);
    for_random(tiers::cases(400), &inputs, |(pairs, sets, other, image)| {
        let (subject, seen) = &mut *both.borrow_mut();
        let event = |name: &str, (x, y): (usize, usize)| format!("{name}.S{x}.S{y}");
        let mut events: Vec<String> = pairs.iter().map(|p| event("add", *p)).collect();
        events.extend(sets.iter().map(|p| event("join", *p)));
        let mut at = |events: &[String]| {
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            subject.at(&events)
        };
        let a = at(&events);
        // One pair the other way round.
        if let Some(pair) = pairs.get(other) {
            events[other] = event("add", (pair.1, pair.0));
        }
        let b = at(&events);
        let b = subject.images(&b)[image].clone();
        subject.is_related_rightly(&a, &b, seen);
    });
    let seen = both.into_inner().1;
    // Ties are rare: a run that tries few cases may meet none.
    let has_ties = seen.ties > 0 || !tiers::tries_all();
    assert!(seen.orbits > 0 && seen.profiles > 0 && has_ties, "{seen:?}");
}
