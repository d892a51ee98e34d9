//! What is said of the strategy `ordering`: its record, carried over by a permutation, parts only at an
//! arbitrary choice or a tie, and whether all states of an orbit get one representative. Held to brute
//! force over all permutations, on random scripts whose local states forget identities and hold sets,
//! sets of pairs, sets of sets, maps and sequences, with copies.

use crate::support::tiers;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use orbitscope::animate::model::Verdict;
use orbitscope::check::Options;
use orbitscope::machine::{FormatId, LocalId};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::symmetry::Representative;
use orbitscope::symmetry::ordering::TypeOrdering;
use orbitscope::symmetry::picks::{self, Uniqueness};
use orbitscope::symmetry::record::{RecordNames, Recorder};
use orbitscope::symmetry::strategy::{Ordering, Strategy};
use orbitscope::symmetry::trace::{BlockList, RepTrace, Step};
use orbitscope::value::Atom;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::exact::{Subject, context};
use super::random_scripts::Dice;
use crate::support::{
    self, bounded, check, counts, options, orbitscope, sound, unmerged, verdict, verified,
};

/// Scripts of one run, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 40;
/// States of a script that are looked at.
const STATES: usize = 25;
/// Larger searches are given up.
const SEARCHED_MAX: usize = 3_000;
/// Elements of the group, exchanges of copies included.
const GROUP_MAX: usize = 5_040;

/// Alternatives of a process of an `S`, which holds itself, a `U`, a set, a set of pairs, a set of sets, a
/// map and a sequence; `@` is either of two such processes.
const OF_S: [&str; 19] = [
    "a.me -> @(me, u, xs, r, n, m, q)",
    "b.me?v -> @(me, v, xs, r, n, m, q)",
    "d.me?y -> @(me, u, union(xs, {y}), r, n, m, q)",
    "d.me?y -> @(me, u, xs, union(r, {(me, y)}), n, m, q)",
    "d?x?y -> @(me, u, xs, union(r, {(x, y)}), n, m, q)",
    "d?x!me -> @(me, u, {x}, {(y, x) | (x, y) <- r}, n, m, q)",
    "a?x -> @(me, u, {}, r, union(n, {union(xs, {x})}), m, q)",
    "a?x -> @(me, u, xs, {}, union(n, {{x, me}}), m, q)",
    "b?x!u -> @(me, u, xs, r, n, mapUpdate(m, x, u), q)",
    "b.me?v -> @(me, u, xs, r, n, mapUpdate(m, me, v), q)",
    "#q < 3 & a?x -> @(me, u, xs, r, n, m, q^<x>)",
    "q != <> & a.head(q) -> @(me, u, xs, r, n, m, tail(q))",
    "a?y:diff(S, {me}) -> @(y, u, xs, r, n, m, q)",
    "a?y:xs -> @(y, u, diff(xs, {y}), r, n, m, q)",
    "b.me?v -> Lost(v)",
    "a?x -> Kept({x, me})",
    "d?x?y -> Paired({(x, y), (y, x)}, u)",
    "c.u -> STOP",
    "c?v -> @(me, v, xs, {}, {}, emptyMap, <>)",
];

/// A script from decisions.
fn script(bytes: &[u8]) -> String {
    let mut dice = Dice(bytes.iter());
    let four = dice.below(2) == 1;
    let mut text = String::from(if four {
        "datatype S = S0 | S1 | S2 | S3\ndatatype U = U0 | U1\n"
    } else {
        "datatype S = S0 | S1 | S2\ndatatype U = U0 | U1 | U2\n"
    });
    text += "channel a : S\nchannel b : S.U\nchannel c : U\nchannel d : S.S
Lost(v) = c.v -> STOP [] c?w -> Lost(w)
Kept(xs) = a?x:diff(S, xs) -> Kept(union(xs, {x})) [] a?x:xs -> Kept(diff(xs, {x}))
Paired(r, u) = d?x?y -> Paired(union(r, {(x, y)}), u) [] c.u -> Paired({}, u)
Copy(xs, r) = d?x?y -> Copy(union(xs, {x}), union(r, {(x, y)})) [] a?x:xs -> Copy(diff(xs, {x}), r)
";
    for number in 0..2 {
        let chosen: Vec<String> = (0..2 + dice.below(3))
            .map(|_| {
                let next = format!("F{}", dice.below(2));
                OF_S[dice.below(OF_S.len())].replace('@', &next)
            })
            .collect();
        let _ = writeln!(
            text,
            "F{number}(me, u, xs, r, n, m, q) = ({})",
            chosen.join(") [] (")
        );
    }
    text += "F(me) = |~| v : U @ F0(me, v, {}, {}, {}, emptyMap, <>)\n";
    let sync = ["{||}", "{|c|}", "{|d|}", "{|a|}"][dice.below(4)];
    let whole = match dice.below(4) {
        0 => "Paired({}, u)".to_owned(),
        1 => format!("([| {sync} |] s : S @ F(s)) ||| Kept({{}})"),
        2 => format!("([| {sync} |] s : S @ F(s)) ||| (Copy({{}}, {{}}) ||| Copy({{}}, {{}}))"),
        _ => format!("[| {sync} |] s : S @ F(s)"),
    };
    let whole = if whole == "Paired({}, u)" {
        "|~| u : U @ Paired({}, u)".to_owned()
    } else {
        whole
    };
    let _ = writeln!(text, "Whole = {whole}\nassert Whole :[deadlock free [F]]");
    text
}

/// What is compared, and how often it came.
#[derive(Debug, Default)]
struct Seen {
    proved: usize,
    agree: usize,
    disagree: usize,
    unknown: usize,
}

impl Subject {
    fn recorded(&mut self, state: &[LocalId]) -> (RepTrace, Vec<Atom>, Vec<LocalId>) {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let atoms = machine.atoms();
            let value = |n: u16| (n.to_string(), atoms.kind(Atom(n)) as usize);
            let kinds = 0..atoms.kinds() as u8;
            let mut recorder = Recorder::new(RecordNames {
                types: kinds.map(|k| atoms.name(k).to_owned()).collect(),
                values: (0..atoms.len() as u16).map(value).collect(),
                ..RecordNames::default()
            });
            let context = context(machine, network, state, &[]);
            Ordering(TypeOrdering::Appearance).watched(&context, &mut out, &mut recorder)?;
            recorder.note_ties(&out.scratch.ties(atoms, &out.image));
            Ok((recorder.trace, out.image, out.locals))
        })
    }

    fn judged(&mut self, state: &[LocalId]) -> Uniqueness {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let context = context(machine, network, state, &[]);
            picks::uniqueness(TypeOrdering::Appearance, &context, &mut out)
        })
    }

    fn ordered(&mut self, state: &[LocalId]) -> Vec<LocalId> {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let context = context(machine, network, state, &[]);
            Ordering(TypeOrdering::Appearance).representative(&context, &mut out)?;
            Ok(out.locals)
        })
    }

    fn permuted(&mut self, state: &[LocalId], image: &[Atom]) -> Vec<LocalId> {
        self.complete(|machine, network| {
            let mut out = Vec::new();
            network.permute(machine.locals(), FormatId(0), state, image, &mut out)?;
            Ok(out)
        })
    }

    /// `α_π` of all components.
    fn places(&mut self, image: &[Atom]) -> Vec<usize> {
        self.complete(|machine, network| {
            let format = network.first();
            let of = |component| {
                let found = format.component_image(machine.locals(), component, image)?;
                Ok(found.expect("the network is mappable"))
            };
            (0..format.components().len()).map(of).collect()
        })
    }

    /// Holds the record for a state to that for its image: true if they part at something arbitrary.
    fn part_only_at_choices(&mut self, state: &[LocalId], image: &[Atom]) -> bool {
        let moved = self.permuted(state, image);
        let places = self.places(image);
        let (here, pi, representative) = self.recorded(state);
        let (there, pi_there, other) = self.recorded(&moved);
        let carried = |partition: &BlockList| -> BlockList {
            let block = |b: &Vec<usize>| sorted(b.iter().map(|c| places[*c]).collect());
            partition.iter().map(block).collect()
        };
        let plain = |partition: &BlockList| -> BlockList {
            partition.iter().map(|b| sorted(b.clone())).collect()
        };
        let value = |name: &String| {
            image[name.parse::<usize>().expect("a number")]
                .0
                .to_string()
        };
        for (a, b) in here.steps.iter().zip(&there.steps) {
            match (a, b) {
                (Step::Initial { after: x, .. }, Step::Initial { after: y, .. })
                | (Step::Split { after: x, .. }, Step::Split { after: y, .. })
                | (Step::FixedPoint { partition: x, .. }, Step::FixedPoint { partition: y, .. }) => {
                    assert_eq!(carried(x), plain(y), "{here:#?} {there:#?}");
                }
                (
                    Step::Count {
                        before: x,
                        tables: s,
                        ..
                    },
                    Step::Count {
                        before: y,
                        tables: t,
                        ..
                    },
                ) => {
                    assert_eq!(carried(x), plain(y));
                    for ((block, s), (other, t)) in s.iter().zip(t) {
                        assert_eq!((block, &s.columns), (other, &t.columns));
                        let rows = s.rows.iter();
                        let rows = sorted(rows.map(|(c, n)| (places[*c], n.clone())).collect());
                        assert_eq!(rows, sorted(t.rows.clone()));
                    }
                    assert_eq!(s.len(), t.len());
                }
                (
                    Step::Choice {
                        block: x,
                        fully_symmetric: s,
                        ..
                    },
                    Step::Choice {
                        block: y,
                        fully_symmetric: t,
                        ..
                    },
                ) => {
                    assert_eq!((x, s), (y, t));
                    return true;
                }
                (
                    Step::Tie {
                        values: x,
                        harmless: s,
                        ..
                    },
                    Step::Tie {
                        values: y,
                        harmless: t,
                        ..
                    },
                ) => {
                    let x = sorted(x.iter().map(value).collect());
                    assert_eq!((x, s), (sorted(y.clone()), t));
                    return true;
                }
                (a, b) => assert_eq!(std::mem::discriminant(a), std::mem::discriminant(b)),
            }
        }
        assert_eq!(here.steps.len(), there.steps.len());
        let order: Vec<usize> = here.order.iter().map(|c| places[*c]).collect();
        assert_eq!(order, there.order);
        for (x, y) in here.type_orders.iter().zip(&there.type_orders) {
            assert_eq!(x.seen, y.seen);
            let x: Vec<String> = x.values[..x.seen].iter().map(value).collect();
            assert_eq!(x, y.values[..y.seen], "{here:#?} {there:#?}");
        }
        for name in here.type_orders.iter().flat_map(|o| &o.values[..o.seen]) {
            let atom: usize = name.parse().expect("a number");
            assert_eq!(pi[atom], pi_there[image[atom].0 as usize]);
        }
        assert_eq!(representative, other);
        false
    }

    /// Holds what is said of uniqueness to all states of the orbit.
    fn is_judged_rightly(&mut self, state: &[LocalId], seen: &mut Seen) {
        let orbit: BTreeSet<Vec<LocalId>> = self.images(state).into_iter().collect();
        let found: BTreeSet<Vec<LocalId>> = orbit.iter().map(|s| self.ordered(s)).collect();
        let known = self.judged(state);
        match known {
            Uniqueness::Proved(_) => {
                seen.proved += 1;
                assert_eq!(found.len(), 1);
            }
            Uniqueness::AllPicksAgree(_) => {
                seen.agree += 1;
                assert_eq!(found.len(), 1);
            }
            Uniqueness::PicksDisagree(found) => {
                seen.disagree += 1;
                let (witness, other) = &found.witness;
                let here = self.ordered(state);
                assert_eq!(found.here.representative, here);
                assert!(orbit.contains(witness));
                assert_eq!(self.ordered(witness), *other);
                assert_ne!(*other, here);
                let there = &found.there.representative;
                assert!(orbit.contains(there) && *there != here);
            }
            Uniqueness::Unknown { .. } => seen.unknown += 1,
        }
    }
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}

/// A random walk over the states of a script (in a file of its own: tests run at once), each of which is held to brute force.
fn holds(name: &str, text: &str, numbers: &[usize], seen: &mut Seen) {
    let mut subject = Subject::new(name, text);
    let all = subject.images.len();
    let mut state = subject.network.initial().to_vec();
    if all * subject.images(&state).len() / all > GROUP_MAX {
        return;
    }
    let mut numbers = numbers.iter().cycle();
    let mut below = |n: usize| numbers.next().map_or(0, |number| number % n);
    for _ in 0..STATES {
        let image = subject.images[below(all)].clone();
        subject.part_only_at_choices(&state, &image);
        subject.is_judged_rightly(&state, seen);
        let next = subject.successors(&state, &[]);
        if next.is_empty() {
            break;
        }
        state = next[below(next.len())].0.clone();
    }
}

const RING: &str = "datatype N = N0 | N1 | N2 | N3
datatype D = A | B
channel init : N.D.N
Free(me) = init.me?d?o -> Node(me, d, o)
Node(me, d, o) = init.me.d.o -> Node(me, d, o)
assert (||| n : N @ Free(n)) :[deadlock free [F]]";

/// The walks of one seed over scripts that are known to be hard.
#[test]
fn known_scripts() {
    let relations = "datatype S = S0 | S1 | S2 | S3
channel add : S.S
Lone(R) = add?x?y -> Lone(union(R, {(x, y)}))
assert Lone({}) :[deadlock free [F]]";
    let nested = "datatype S = S0 | S1 | S2 | S3
channel add : S.S
Lone(R) = add?x?y:diff(S, {x}) -> Lone(union(R, {{x, y}}))
assert Lone({}) :[deadlock free [F]]";
    let forget = "datatype S = S0 | S1 | S2
datatype U = U0 | U1
channel a : S
channel b : S.U
channel c : U
P(s) = a.s -> b.s?u -> Q(u)
Q(u) = c.u -> STOP
assert (||| s : S @ P(s)) :[deadlock free]";
    let mut seen = Seen::default();
    for script in [RING, relations, nested, forget] {
        for seed in (0..12_usize).filter(|seed| tiers::takes_one_in(3, *seed)) {
            let numbers: Vec<usize> = (1..40)
                .map(|n| (n * (seed + 7) * 2_654_435_761) >> 8)
                .collect();
            holds("uniqueness_known.csp", script, &numbers, &mut seen);
        }
    }
    // All that can be said was said.
    assert!(seen.proved > 0 && seen.agree > 0, "{seen:?}");
    assert!(seen.disagree > 0 && seen.unknown == 0, "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(CASES), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scripts(
        bytes in prop::collection::vec(any::<u8>(), 30),
        numbers in prop::collection::vec(0usize..10_000, 60),
    ) {
        let text = script(&bytes);
        let mut seen = Seen::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            holds("uniqueness_random.csp", &text, &numbers, &mut seen);
        }));
        if let Err(panic) = outcome {
            support::say(&text);
            std::panic::resume_unwind(panic);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(CASES) / 4, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// On the same scripts: a search with any strategy ends as the unreduced one does, `--count-full` is
    /// what that counts, and `--both` finds nothing that differs.
    #[test]
    fn searches_agree(bytes in prop::collection::vec(any::<u8>(), 30)) {
        let text = script(&bytes);
        let path = support::script("uniqueness_searches.csp", &text);
        let loaded = sound(&path);
        let run = |symmetry, keeping: KeepingKind| {
            let count_full = keeping == KeepingKind::default();
            let how = Options { count_full, ..unmerged(options(symmetry, keeping, 2)) };
            check(&loaded, 1, &bounded(how, SEARCHED_MAX))
        };
        let plain = run(Some(false), KeepingKind::default());
        for strategy in KeepingKind::all().filter(|k| *k != KeepingKind::Markers) {
            let reduced = run(Some(true), strategy);
            if support::refused(strategy, &reduced) {
                continue;
            }
            // To flood takes nodes of the specification that no other search makes.
            if strategy == KeepingKind::Flood && matches!(reduced.verdict, Verdict::Inconclusive(_)) {
                continue;
            }
            if matches!(plain.verdict, Verdict::Inconclusive(_)) {
                // What is found within the limit is replayed.
                verified(&loaded, &reduced).map_err(TestCaseError::fail)?;
                continue;
            }
            prop_assert_eq!(verdict(&reduced), verdict(&plain), "{:?}\n{}", strategy, &text);
            verified(&loaded, &reduced).map_err(TestCaseError::fail)?;
            if plain.verdict == Verdict::Holds && strategy == KeepingKind::default() {
                let (states, transitions) = counts(&plain);
                let expected = Some((states.into(), transitions.into()));
                prop_assert_eq!(&reduced.represented, &expected, "{}", &text);
            }
        }
        let path = path.display().to_string();
        let ran = orbitscope(&["check", &path, "--both", "--max-states=2000", "--timeout=20s"], b"");
        prop_assert!(matches!(ran.code, Some(0 | 1 | 4)), "{:?} {}{}\n{}", ran.code, ran.stdout, ran.stderr, &text);
    }
}
