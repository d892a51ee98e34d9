//! Symmetry in the structure of networks whose groups are known: their orders, and the states and transitions of
//! reduced searches, which add up by orbits to those of unreduced ones.

use num_bigint::BigUint;

use crate::support::{check, counts, options, repository, script, sound, unmerged, verdict};
use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::{Options, StructureUse};

use orbitscope::symmetry::StrategyKind;

/// An assertion of a script of `tests/data/structure`.
struct Figures {
    name: &'static str,
    assertion: usize,
    /// What is changed in the text.
    change: Option<(&'static str, &'static str)>,
    verdict: &'static str,
    order: u32,
    /// States and transitions of the unreduced search.
    full: (u64, u64),
    /// Those of the reduced one.
    reduced: (u64, u64),
}

/// One that holds, in the text as it is.
const fn holds(
    name: &'static str,
    assertion: usize,
    order: u32,
    full: (u64, u64),
    reduced: (u64, u64),
) -> Figures {
    Figures {
        name,
        assertion,
        change: None,
        verdict: "pass",
        order,
        full,
        reduced,
    }
}

const FIGURES: [Figures; 22] = [
    holds("by_name", 1, 4, (6, 12), (4, 9)),
    holds("by_name", 2, 4, (6, 12), (4, 9)),
    holds("hypercube", 1, 384, (10_750, 84_864), (76, 624)),
    holds("load_balancer", 1, 432, (1_702, 7_674), (20, 102)),
    holds("load_balancer", 2, 432, (1_702, 7_674), (20, 102)),
    holds("load_balancer", 3, 432, (1_702, 7_674), (20, 102)),
    holds("nearly", 1, 4, (118, 340), (33, 94)),
    holds("nearly", 2, 1, (79, 208), (79, 208)),
    holds("nearly", 3, 1, (64, 144), (64, 144)),
    holds("rings", 1, 12, (17, 30), (5, 10)),
    holds("rings", 2, 6, (64, 132), (14, 30)),
    holds("rings", 3, 1, (6, 6), (6, 6)),
    holds("tiers", 1, 48, (275, 840), (16, 58)),
    holds("tiers", 2, 48, (275, 840), (16, 58)),
    holds("tiers", 3, 48, (275, 840), (16, 58)),
    Figures {
        verdict: "fail",
        ..holds("tiers", 4, 16, (7, 36), (3, 16))
    },
    holds("torus", 1, 72, (202, 828), (11, 56)),
    holds("torus", 2, 18, (2_080, 7_848), (130, 490)),
    // The graph is that of the hypercube.
    Figures {
        change: Some(("N = 3", "N = 4")),
        ..holds("torus", 1, 384, (10_750, 84_864), (76, 624))
    },
    holds("tree", 1, 128, (677, 2_653), (67, 253)),
    Figures {
        change: Some(("N = 6", "N = 9")),
        ..holds("rings", 1, 18, (76, 189), (9, 28))
    },
    Figures {
        change: Some(("N = 4", "N = 3")),
        ..holds("nearly", 1, 3, (35, 75), (13, 27))
    },
];

fn order(outcome: &CheckOutcome) -> BigUint {
    let symmetry = outcome.symmetry.as_ref();
    symmetry.map_or(BigUint::from(1u32), |s| s.group_order.clone())
}

#[test]
fn known_groups_are_found_and_their_orbits_add_up() {
    for figures in FIGURES {
        let Figures {
            name,
            assertion,
            change,
            ..
        } = figures;
        let file = format!("tests/data/structure/{name}.csp");
        let text = std::fs::read_to_string(repository(&file)).expect("it can be read");
        let text = match change {
            Some((from, to)) => text.replace(from, to),
            None => text,
        };
        let loaded = sound(&script(&format!("structure_{name}.csp"), text));
        let about = format!("{name} {assertion} {change:?}");
        let plain = unmerged(options(Some(false), StrategyKind::default(), 2));
        let plain = check(&loaded, assertion, &plain);
        assert_eq!(verdict(&plain), figures.verdict, "{about}");
        assert_eq!(counts(&plain), figures.full, "{about}");
        for threads in [1, 2] {
            let by_structure = Options {
                count_full: true,
                ..by_default(threads)
            };
            let reduced = check(&loaded, assertion, &by_structure);
            assert_eq!(verdict(&reduced), figures.verdict, "{about}");
            assert_eq!(order(&reduced), BigUint::from(figures.order), "{about}");
            assert_eq!(counts(&reduced), figures.reduced, "{about}");
            let (states, transitions) = figures.full;
            if figures.verdict == "pass" {
                let full = Some((states.into(), transitions.into()));
                assert_eq!(reduced.represented, full, "{about}");
            }
        }
        // By default bisimilar local states are merged, which leaves no less symmetry.
        let default = check(&loaded, assertion, &by_default(1));
        assert_eq!(verdict(&default), figures.verdict, "{about}");
        assert!(order(&default) >= BigUint::from(figures.order), "{about}");
        assert!(counts(&default).0 <= figures.reduced.0, "{about}");
    }
}

/// As checks are reduced unless told otherwise: by structure where no datatype is symmetric.
fn by_default(threads: usize) -> Options {
    Options {
        structure: None,
        ..options(None, StrategyKind::default(), threads)
    }
}

/// Exchanging states that are never reached is a symmetry, but worth nothing: the search goes without.
#[test]
fn a_group_that_moves_no_state_is_given_up() {
    let loaded = sound(&repository("tests/data/structure/idle.csp"));
    let plain = unmerged(options(Some(false), StrategyKind::default(), 1));
    let plain = check(&loaded, 1, &plain);
    for threads in [1, 2] {
        let outcome = check(&loaded, 1, &unmerged(by_default(threads)));
        let looked = outcome.details.as_ref().and_then(|d| d.structure_looked);
        assert_eq!(looked.map(|l| l.came), Some(StructureUse::Idle));
        assert_eq!(outcome.symmetry, None);
        assert_eq!(verdict(&outcome), verdict(&plain));
        assert_eq!(counts(&outcome), counts(&plain));
        // Who demands it gets it.
        let demanded = Options {
            structure: Some(true),
            ..unmerged(by_default(threads))
        };
        let outcome = check(&loaded, 1, &demanded);
        assert_eq!(order(&outcome), BigUint::from(2u32));
        assert_eq!(counts(&outcome), counts(&plain));
    }
}
