//! The list stack: fourteen steps to the state with 17 transitions in 4 orbits.

use super::*;

/// Kind, event, changes.
type StackStep = (EventKind, &'static str, &'static [(usize, &'static str)]);

/// The steps that lead to the state with 17 transitions.
const STEPS: [StackStep; 14] = {
    use EventKind::{Tau, Visible};
    [
        (Tau, "lock.T0", &[(7, "GetTop(T0)"), (10, "Locked(T0)")]),
        (
            Tau,
            "getTop.T0.Null",
            &[(7, "Choose(T0, Null)"), (6, "Top(Null)")],
        ),
        (
            Tau,
            "initNode.T0.N1.B.Null",
            &[(1, "Node(N1, B, Null)"), (7, "SetTop(T0, B, N1)")],
        ),
        (Tau, "setTop.T0.N1", &[(6, "Top(N1)"), (7, "Push(T0, B)")]),
        (Visible, "push.T0.B", &[(7, "Unlock(T0)")]),
        (Tau, "unlock.T0", &[(7, "Thread(T0)"), (10, "Lock")]),
        (Tau, "lock.T2", &[(9, "GetTop(T2)"), (10, "Locked(T2)")]),
        (
            Tau,
            "getTop.T2.N1",
            &[(9, "Choose(T2, N1)"), (6, "Top(N1)")],
        ),
        (
            Tau,
            "initNode.T2.N4.C.N1",
            &[(4, "Node(N4, C, N1)"), (9, "SetTop(T2, C, N4)")],
        ),
        (Tau, "setTop.T2.N4", &[(6, "Top(N4)"), (9, "Push(T2, C)")]),
        (Visible, "push.T2.C", &[(9, "Unlock(T2)")]),
        (Tau, "unlock.T2", &[(9, "Thread(T2)"), (10, "Lock")]),
        (Tau, "lock.T1", &[(8, "GetTop(T1)"), (10, "Locked(T1)")]),
        (
            Tau,
            "getTop.T1.N4",
            &[(8, "Choose(T1, N4)"), (6, "Top(N4)")],
        ),
    ]
};

// The order of the vector: six nodes, Top, three threads, the lock. Changes name components by it.
fn stack(texts: &[PartedText]) -> Vec<ComponentView> {
    let place = |at: usize| match at {
        0..=5 => ("Node", NODES[at].to_string()),
        6 => ("Top", String::new()),
        7..=9 => ("Thread", format!("T{}", at - 7)),
        _ => ("Lock", String::new()),
    };
    let build = |(at, text): (usize, &PartedText)| component(place(at).0, &place(at).1, text);
    texts.iter().enumerate().map(build).collect()
}

/// The local states after some of the steps.
pub fn texts(steps: usize) -> Vec<PartedText> {
    let free = |n: &&str| PartedText::local("FreeNode", &[n]);
    let mut texts: Vec<PartedText> = NODES.iter().map(free).collect();
    texts.extend(
        [
            "Top(Null)",
            "Thread(T0)",
            "Thread(T1)",
            "Thread(T2)",
            "Lock",
        ]
        .map(local),
    );
    for (_, _, changes) in &STEPS[..steps] {
        for (at, text) in *changes {
            texts[*at] = local(text);
        }
    }
    texts
}

/// The 17 transitions of W1.
fn seventeen(before: &[PartedText]) -> Vec<TransitionView> {
    let mut all = Vec::new();
    for (n, node) in [(0, "N0"), (2, "N2"), (3, "N3"), (5, "N5")] {
        for (d, datum) in ["A", "B", "C", "D"].iter().enumerate() {
            let event = format!("initNode.T1.{node}.{datum}.N4");
            let made = format!("Node({node}, {datum}, N4)");
            let thread = format!("SetTop(T1, {datum}, {node})");
            // Four orbits, by datum: C is in N4 and B in N1, while A and D occur nowhere and are
            // one. Which node is taken makes no difference: all four are free.
            let orbit = [201, 202, 203, 201][d];
            let changes = [(8, thread.as_str()), (n, made.as_str())];
            // So the target tells node and datum: 123 is N5 with D.
            let target = 100 + (n * 4 + d) as u32;
            all.push(transition(
                EventKind::Tau,
                &event,
                target,
                orbit,
                before,
                &changes,
            ));
        }
    }
    let changes = [(8, "GotNext(T1, N1)"), (4, "Node(N4, C, N1)")];
    let event = "getNext.T1.N4.N1";
    all.push(transition(
        EventKind::Tau,
        event,
        150,
        204,
        before,
        &changes,
    ));
    all
}

fn identity(components: &[ComponentView], id: u32) -> RepView {
    RepView {
        id: StateId::new(0, id),
        components: components.to_vec(),
        source: (0..components.len()).collect(),
        permutation: vec![TypePermutation {
            name: "NodeID".to_string(),
            cycles: "id".to_string(),
            map: NODES
                .iter()
                .map(|n| (n.to_string(), n.to_string()))
                .collect(),
        }],
        strategy: "ordering".to_string(),
        uniqueness: UniquenessView::Unknown("not checked".to_string()),
        orbit: Some(18u32.into()),
        group_order: 103_680u32.into(),
    }
}

fn stack_representative() -> RepView {
    let texts = [
        "FreeNode(N0)",
        "FreeNode(N1)",
        "FreeNode(N2)",
        "FreeNode(N3)",
        "Node(N4, A, N5)",
        "Node(N5, B, Null)",
        "Top(N4)",
        "Choose(T0, N4)",
        "Thread(T1)",
        "Thread(T2)",
        "Locked(T0)",
    ];
    RepView {
        id: StateId::new(0, 1014),
        components: stack(&texts.map(local)),
        source: vec![0, 2, 3, 5, 4, 1, 6, 8, 7, 9, 10],
        permutation: vec![
            permutation(
                "NodeID",
                "(N1 N5 N3 N2)",
                &[
                    ("N0", "N0"),
                    ("N1", "N5"),
                    ("N2", "N1"),
                    ("N3", "N2"),
                    ("N4", "N4"),
                    ("N5", "N3"),
                ],
            ),
            permutation(
                "Data",
                "(A C)",
                &[("A", "C"), ("B", "B"), ("C", "A"), ("D", "D")],
            ),
            permutation(
                "ThreadID",
                "(T0 T1)",
                &[("T0", "T1"), ("T1", "T0"), ("T2", "T2")],
            ),
        ],
        strategy: "ordering".to_string(),
        uniqueness: UniquenessView::Proved("Prop 50".to_string()),
        orbit: Some(1080u32.into()),
        group_order: 103_680u32.into(),
    }
}

// One arm for each kind of state; `Fake::open` tells which numbers are what.
pub fn stack_view(id: u32) -> Result<StateView, ErrorText> {
    // States beyond the fourteenth are told as changes of it.
    let mut now = texts(14.min(id as usize));
    let mut transitions = Vec::new();
    let mut representative = None;
    let mut orbit = 1000 + id;
    match id {
        0..=13 => {
            let (kind, event, changes) = STEPS[id as usize];
            transitions.push(transition(kind, event, id + 1, 1001 + id, &now, changes));
            // A second way on, so that there is something to choose and to branch.
            if id == 12 {
                let changes = [(9, "GetTop(T2)"), (10, "Locked(T2)")];
                transitions.push(transition(
                    EventKind::Tau,
                    "lock.T2",
                    300,
                    1300,
                    &now,
                    &changes,
                ));
            }
        }
        14 => {
            transitions = seventeen(&now);
            representative = Some(stack_representative());
        }
        // The target of the last of the 17 transitions cannot be evaluated.
        150 => {
            return Err(ErrorText::new(
                "liststack.csp:41:7: head of an empty sequence",
                "error[E0401]: head of an empty sequence\n  --> liststack.csp:41:7\n   |\n41 \
                         |   pop!head(<>) -> STOP\n   |       ^^^^^^^^ there is no first element",
            ));
        }
        100..=149 => {
            let taken = seventeen(&now).into_iter().find(|t| t.target.number == id);
            orbit = taken.as_ref().map_or(orbit, |t| t.orbit.number);
            for (at, _, after) in taken.into_iter().flat_map(|t| t.movers) {
                now[at] = after;
            }
            let changes = [(6, "Top(N0)"), (8, "Push(T1, A)")];
            transitions.push(transition(
                EventKind::Visible,
                "push.T1.A",
                300,
                1300,
                &now,
                &changes,
            ));
        }
        // A deadlock, for want of transitions.
        _ => now = texts(13),
    }
    let components = stack(&now);
    Ok(StateView {
        id: StateId::new(0, id),
        representative: representative.or_else(|| Some(identity(&components, orbit))),
        components,
        deadlocked: transitions.is_empty(),
        transitions,
        terminated: false,
        omitted: 0,
        orbit: StateId::new(0, orbit),
        orbits_known: true,
        no_representative: String::new(),
        reduction: reduction(),
    })
}

// A record like the one of the real algorithm, written by hand and long for that reason: each step
// stands as the screen shows it, and nothing of it is computed.
pub fn stack_explanation(order: TypeOrdering) -> Explanation {
    let first: BlockList = vec![
        vec![0, 2, 3, 5],
        vec![10],
        vec![4],
        vec![1],
        vec![7, 9],
        vec![8],
        vec![6],
    ];
    let keys = [
        "FreeNode",
        "Locked",
        "Node, next is a node",
        "Node, next is Null",
        "Thread",
        "Choose",
        "Top",
    ];
    let mut steps = vec![
        Step::Initial {
            after: first.clone(),
            keys: keys.map(String::from).to_vec(),
        },
        Step::FixedPoint {
            round: 1,
            partition: first.clone(),
        },
    ];
    steps.extend(picks(&first, &[0, 2, 3, 7]));
    steps.extend([Step::Ordered, Step::Types, Step::Generated]);
    let node = |me, datum, next| {
        variables(&[
            ("me", 0, me, true),
            ("datum", 1, datum, false),
            ("next", 0, next, false),
        ])
    };
    let free = |me| variables(&[("me", 0, me, true)]);
    let thread = |me| variables(&[("me", 2, me, true)]);
    Explanation {
        components: stack(&texts(14)),
        trace: RepTrace {
            variables: vec![
                free("N0"),
                variables(&[("me", 0, "N1", true), ("datum", 1, "B", false)]),
                free("N2"),
                free("N3"),
                node("N4", "C", "N1"),
                free("N5"),
                variables(&[("top", 0, "N4", false)]),
                thread("T0"),
                variables(&[("me", 2, "T1", true), ("top", 0, "N4", false)]),
                thread("T2"),
                variables(&[("holder", 2, "T1", false)]),
            ],
            steps,
            order: vec![0, 2, 3, 5, 10, 4, 1, 7, 9, 8, 6],
            type_orders: vec![
                type_order("NodeID", &["N0", "N2", "N3", "N5", "N4", "N1"], 6),
                type_order("Data", &["C", "B", "A", "D"], 2),
                type_order("ThreadID", &["T1", "T0", "T2"], 3),
            ],
        },
        representative: stack_representative(),
        type_order: order,
    }
}
