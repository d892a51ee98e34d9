//! Pictures where no datatype is symmetric: orbits are those of a group that is found in the structure of the network,
//! and all that holds of other pictures holds of them.

use orbitscope::lab::explore::{GraphBounds, GraphKind};
use proptest::prelude::*;

use crate::graphs::{ALL, assert_covering, both, picture};
use crate::numbered::generate;
use crate::support::{repository, script, tiers};

/// Where no datatype is symmetric, orbits are those of the group that is found in the structure.
#[test]
fn rings_of_integers_have_fibres_too() {
    let path = repository("tests/data/symmetry/cells.csp");
    let view = picture(&path, "Ring", GraphKind::Map, ALL);
    let used = view.used.as_ref().expect("it is reduced");
    assert!(used.structure.is_some());
    // Words of four bits, and up to rotation.
    let found = assert_covering(&path, "Ring", true);
    assert_eq!(found, (16, 48, 6, 17));
    let moved = view
        .covering
        .iter()
        .filter_map(|c| c.image.components.as_ref());
    assert!(
        moved
            .clone()
            .any(|moved| moved.cycles.contains("(Cell[0] Cell["))
    );
    assert!(moved.clone().all(|moved| moved.inside.is_empty()));
    // A hub that speaks of cells stays, and what it says changes.
    let text = "R = {0..2}\nchannel a, b : R\nP(i) = a.i -> b.i -> P(i)\n\
                Hub = a?i -> b.i -> Hub\nS = (||| i : R @ P(i)) [| {|a, b|} |] Hub\n";
    let path = script("graph_hub.csp", text);
    assert_eq!(assert_covering(&path, "S", false), (4, 6, 2, 4));
    let view = picture(&path, "S", GraphKind::Map, ALL);
    let told: Vec<String> = view.covering.iter().map(|c| c.image.text()).collect();
    assert!(
        told.iter().any(|told| told.contains("local states of Hub")),
        "{told:?}"
    );
}

/// What was hidden is drawn, so a permutation that would make one hidden event of two is none.
#[test]
fn hidden_events_are_told_apart_in_pictures() {
    let text = "R = {0..1}\nchannel a : R\nchannel x, y, z\nP(i) = a.i -> STOP\n\
                Even = ((P(0)[[a.0 <- x]]) ||| (P(1)[[a.1 <- z]])) \\ {x, y, z}\n\
                Odd = ((P(0)[[a.0 <- x, a.0 <- y]]) ||| (P(1)[[a.1 <- z]])) \\ {x, y, z}\n\
                Half = ((P(0)[[a.0 <- x]]) ||| (P(1)[[a.1 <- z]])) \\ {x}\n";
    let path = script("graph_hidden.csp", text);
    assert_eq!(assert_covering(&path, "Even", false), (4, 4, 3, 3));
    for process in ["Odd", "Half"] {
        let view = picture(&path, process, GraphKind::Map, ALL);
        let (full, quotient) = both(&view);
        assert_eq!(
            (full.vertices.len(), quotient.vertices.len()),
            (4, 4),
            "{process}"
        );
        assert!(view.used.is_none(), "{process}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(64),
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn pictures_by_structure_are_maps(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        let path = script("graph_numbered.csp", generate(&bytes));
        for process in ["System", "Whole"] {
            let bounds = GraphBounds { states: 1_500, ..ALL };
            let view = picture(&path, process, GraphKind::Map, bounds);
            if view.used.is_some() && view.is_complete() {
                assert_covering(&path, process, false);
            }
        }
    }
}
