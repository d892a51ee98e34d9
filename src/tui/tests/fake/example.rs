//! Example 37, with the n-values that the paper prints.

use super::*;

const EXAMPLE: [&str; 6] = [
    "N(N0, B, N4)",
    "N(N1, B, N0)",
    "FN(N2)",
    "N(N3, B, N1)",
    "N(N4, B, Null)",
    "FN(N5)",
];

fn example_components(texts: &[&str; 6]) -> Vec<ComponentView> {
    let build = |(at, text): (usize, &&str)| component("Node", NODES[at], text);
    texts.iter().enumerate().map(build).collect()
}

fn example_representative() -> RepView {
    RepView {
        id: StateId::new(0, 1),
        components: example_components(&[
            "FN(N0)",
            "FN(N1)",
            "N(N2, A, N3)",
            "N(N3, A, N4)",
            "N(N4, A, N5)",
            "N(N5, A, Null)",
        ]),
        source: vec![2, 5, 3, 1, 0, 4],
        permutation: vec![
            permutation(
                "NodeID",
                "(N0 N4 N5 N1 N3 N2)",
                &[
                    ("N0", "N4"),
                    ("N1", "N3"),
                    ("N2", "N0"),
                    ("N3", "N2"),
                    ("N4", "N5"),
                    ("N5", "N1"),
                ],
            ),
            permutation(
                "Data",
                "(A B)",
                &[("A", "B"), ("B", "A"), ("C", "C"), ("D", "D")],
            ),
        ],
        strategy: "ordering".to_string(),
        uniqueness: UniquenessView::Proved("Prop 50".to_string()),
        orbit: Some(1440u32.into()),
        group_order: 17_280u32.into(),
    }
}

fn columns(columns: &[(usize, usize, usize)]) -> Vec<Column> {
    columns
        .iter()
        .map(|(i, j, k)| Column {
            i: *i,
            j: *j,
            k: *k,
        })
        .collect()
}

/// Example 37: n-values as in the paper. Long since it is a record written by hand, step by step.
pub fn example_explanation(order: TypeOrdering) -> Explanation {
    // After step 1 and after the first round of step 2. Components are numbered as in `EXAMPLE`.
    let first: BlockList = vec![vec![2, 5], vec![0, 1, 3], vec![4]];
    let second: BlockList = vec![vec![2, 5], vec![3], vec![0], vec![1], vec![4]];
    let free = NTable {
        columns: columns(&[(0, 0, 0), (0, 1, 0), (0, 1, 2), (0, 2, 0)]),
        rows: vec![(2, vec![1, 0, 0, 0]), (5, vec![1, 0, 0, 0])],
    };
    let nodes = NTable {
        columns: columns(&[
            (0, 0, 0),
            (0, 1, 0),
            (0, 1, 2),
            (0, 2, 0),
            (1, 1, 1),
            (1, 2, 1),
            (2, 0, 0),
            (2, 1, 0),
            (2, 1, 2),
            (2, 2, 0),
        ]),
        rows: vec![
            (0, vec![0, 1, 1, 0, 3, 1, 0, 0, 1, 1]),
            (1, vec![0, 1, 1, 0, 3, 1, 0, 1, 1, 0]),
            (3, vec![0, 1, 0, 0, 3, 1, 0, 1, 1, 0]),
        ],
    };
    let group = |member, first_difference| SplitGroup {
        members: vec![member],
        first_difference,
    };
    let node = |me, next| {
        variables(&[
            ("me", 0, me, true),
            ("datum", 1, "B", false),
            ("next", 0, next, false),
        ])
    };
    let free_node = |me| variables(&[("me", 0, me, true)]);
    let held_here = vec![
        node("N0", "N4"),
        node("N1", "N0"),
        free_node("N2"),
        node("N3", "N1"),
        variables(&[("me", 0, "N4", true), ("datum", 1, "B", false)]),
        free_node("N5"),
    ];
    let mut steps = vec![
        Step::Initial {
            after: first.clone(),
            keys: ["FN", "N, next is a node", "N, next is Null"]
                .map(String::from)
                .to_vec(),
        },
        Step::Count {
            round: 1,
            before: first.clone(),
            // The block that splits comes first, although it is the second.
            tables: vec![(1, nodes), (0, free)],
            values: held(&held_here),
        },
        Step::Split {
            round: 1,
            before: first,
            after: second.clone(),
            splits: vec![BlockSplit {
                block: 1,
                // N3 has no state of the block pointing at it, and N0 points at N4 and not into the
                // block: the columns in which each differs from the one before.
                groups: vec![group(3, None), group(0, Some(2)), group(1, Some(7))],
                first_block_after: 1,
            }],
        },
        Step::FixedPoint {
            round: 2,
            partition: second.clone(),
        },
    ];
    steps.extend(picks(&second, &[2]));
    steps.extend([Step::Ordered, Step::Types, Step::Generated]);
    let nodes = match order {
        TypeOrdering::Appearance => ["N2", "N5", "N3", "N1", "N0", "N4"],
        // The paper prints Example 39 with N1 before N0, which is the order of appearance: N3
        // refers to N1.
        TypeOrdering::IdentitiesFirst => ["N2", "N5", "N3", "N0", "N1", "N4"],
    };
    Explanation {
        components: example_components(&EXAMPLE),
        trace: RepTrace {
            variables: held_here,
            steps,
            order: vec![2, 5, 3, 0, 1, 4],
            type_orders: vec![
                type_order("NodeID", &nodes, 6),
                type_order("Data", &["B", "A", "C", "D"], 1),
            ],
        },
        representative: example_representative(),
        type_order: order,
    }
}

pub fn example_view() -> StateView {
    let components = example_components(&EXAMPLE);
    StateView {
        id: StateId::new(0, 500),
        components,
        transitions: Vec::new(),
        deadlocked: true,
        terminated: false,
        omitted: 0,
        orbit: StateId::new(0, 1),
        orbits_known: true,
        representative: Some(example_representative()),
        no_representative: String::new(),
        reduction: reduction(),
    }
}
