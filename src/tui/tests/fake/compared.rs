//! Comparisons: each kind of verdict once, by the number of the first state.

use super::*;
use crate::animate::comparison::*;

/// What two states of the list stack are to each other. Targets of the 17 transitions lie in one orbit;
/// beside the fourteenth state, the number of the other one says which case it is.
pub fn compared(a: StateId, b: StateId) -> Result<StateComparison, ErrorText> {
    let failure = |text: &str| ErrorText::line(text);
    if (a.number >= 400) != (b.number >= 400) {
        return Err(failure("the two states are of different processes"));
    }
    if a.number >= 400 && a.number < 500 {
        return Err(failure("BadSystem names N0 at liststack.csp:60:5"));
    }
    if a.number == 500 {
        return Ok(whole(
            &example_view(),
            &example_view(),
            RelationView::Same,
            None,
        ));
    }
    let parting = |step, word, text: &str| PartingView {
        step,
        word,
        text: text.to_string(),
    };
    let apart = "The runs of the ordering come out differently at step 1 of the record.";
    let (relation, parting) = match (a.number.min(b.number), a == b) {
        (_, true) => (RelationView::Same, None),
        (7, _) => (RelationView::OtherFormat, None),
        (8, _) => (RelationView::Undecided { nodes: 10_000 }, None),
        (9, _) => (
            RelationView::Bisimilar {
                witness: witness(),
                components: vec![7, 8],
            },
            Some(parting(Some(0), "step", apart)),
        ),
        (10, _) => (
            RelationView::SameOrbit(witness()),
            Some(parting(
                Some(1),
                "fault",
                "Internal error: the runs of the ordering part at step 2 of the record, where nothing is \
                 arbitrary (Lemma 44). Please report this.",
            )),
        ),
        (11, _) => (
            RelationView::SameOrbit(witness()),
            Some(parting(
                None,
                "never",
                "The runs of the ordering do not part.",
            )),
        ),
        (12, _) => (
            RelationView::Different(CertificateView::Keys {
                key: "Thread(_)".to_string(),
                left: ["T0", "T1", "T2"].map(String::from).to_vec(),
                right: ["T0", "T2"].map(String::from).to_vec(),
            }),
            Some(parting(Some(0), "step", apart)),
        ),
        (0..=99, _) => (
            RelationView::Different(tree()),
            Some(parting(Some(3), "step", &apart.replace("step 1", "step 4"))),
        ),
        _ => (
            RelationView::SameOrbit(witness()),
            Some(parting(
                Some(2),
                "choice",
                "The runs of the ordering part at an arbitrary choice: step 3 picked N0 of {N0,N2,N3,N5} in \
                 state A, and N2 of {N0,N2,N3,N5} in state B, which is not its image.",
            )),
        ),
    };
    Ok(whole(
        &stack_view(a.number)?,
        &stack_view(b.number)?,
        relation,
        parting,
    ))
}

fn whole(
    a: &StateView,
    b: &StateView,
    relation: RelationView,
    parting: Option<PartingView>,
) -> StateComparison {
    let side = |view: &StateView| Compared {
        components: view.components.clone(),
        representative: view.components.clone(),
    };
    let (a, b) = (side(a), side(b));
    let way = |picks: &str, representative: &[ComponentView]| WayView {
        picks: vec![picks.to_string()],
        representative: representative.to_vec(),
    };
    let mut outcomes = vec![(way("N0 of {N0,N2,N3,N5}", &a.representative), 3)];
    if a != b {
        outcomes.push((way("N2 of {N0,N2,N3,N5}", &b.representative), 1));
    }
    StateComparison {
        a,
        b,
        relation,
        parting,
        picks: PicksView {
            outcomes,
            complete: true,
        },
    }
}

fn witness() -> WitnessView {
    WitnessView {
        permutation: vec![permutation(
            "NodeID",
            "(N0 N2)",
            &[("N0", "N2"), ("N2", "N0")],
        )],
        arrows: vec![2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10],
        moved: 2,
        moves: "value",
        is_least: true,
        ways: Some(12u32.into()),
    }
}

/// Every partner of N0 is refuted, the second one on another level.
fn tree() -> CertificateView {
    let texts = |all: &[&str]| all.iter().map(|t| (*t).to_string()).collect::<Vec<_>>();
    let profile = |round| {
        CertificateView::Profile(Box::new(ProfileView {
            round,
            class: (texts(&["N1"]), texts(&[])),
            rest: (texts(&["N2", "N3"]), texts(&["N1", "N2", "N3"])),
            side: "A",
            component: "Node[N0]".to_string(),
            state: "Node(N0,A,N1)".to_string(),
            variable: "next".to_string(),
            times: 1,
            others: 0,
        }))
    };
    let deeper = CertificateView::Tree {
        pick: "N1".to_string(),
        refuted: vec![RefutedView {
            partner: "N5".to_string(),
            why: RefutationView::By(profile(2)),
        }],
    };
    let refuted = |partner: &str, why| RefutedView {
        partner: partner.to_string(),
        why,
    };
    CertificateView::Tree {
        pick: "N0".to_string(),
        refuted: vec![
            refuted("N0", RefutationView::By(profile(1))),
            refuted("N2", RefutationView::By(deeper)),
            refuted(
                "N3",
                RefutationView::Like(
                    "N0".to_string(),
                    vec![permutation(
                        "NodeID",
                        "(N0 N3)",
                        &[("N0", "N3"), ("N3", "N0")],
                    )],
                ),
            ),
        ],
    }
}
