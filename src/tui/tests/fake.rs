//! An engine made by hand: the list stack, and Example 37 with the n-values that the paper prints.

use std::sync::Arc;

use crate::animate::checker::CheckRunner;
use crate::animate::model::*;
use crate::animate::worker::EngineFactory;
use crate::symmetry::trace::*;

pub const NODES: [&str; 6] = ["N0", "N1", "N2", "N3", "N4", "N5"];

/// The steps that lead to the state of the list stack with 17 transitions.
const STEPS: [(EventKind, &str, &[(usize, &str)]); 14] = {
    use EventKind::{Tau, Visible};
    [
        (Tau, "lock.T0", &[(7, "GetTop(T0)"), (10, "Locked(T0)")]),
        (Tau, "getTop.T0.Null", &[(7, "Choose(T0, Null)"), (6, "Top(Null)")]),
        (Tau, "initNode.T0.N1.B.Null", &[(1, "Node(N1, B, Null)"), (7, "SetTop(T0, B, N1)")]),
        (Tau, "setTop.T0.N1", &[(6, "Top(N1)"), (7, "Push(T0, B)")]),
        (Visible, "push.T0.B", &[(7, "Unlock(T0)")]),
        (Tau, "unlock.T0", &[(7, "Thread(T0)"), (10, "Lock")]),
        (Tau, "lock.T2", &[(9, "GetTop(T2)"), (10, "Locked(T2)")]),
        (Tau, "getTop.T2.N1", &[(9, "Choose(T2, N1)"), (6, "Top(N1)")]),
        (Tau, "initNode.T2.N4.C.N1", &[(4, "Node(N4, C, N1)"), (9, "SetTop(T2, C, N4)")]),
        (Tau, "setTop.T2.N4", &[(6, "Top(N4)"), (9, "Push(T2, C)")]),
        (Visible, "push.T2.C", &[(9, "Unlock(T2)")]),
        (Tau, "unlock.T2", &[(9, "Thread(T2)"), (10, "Lock")]),
        (Tau, "lock.T1", &[(8, "GetTop(T1)"), (10, "Locked(T1)")]),
        (Tau, "getTop.T1.N4", &[(8, "Choose(T1, N4)"), (6, "Top(N4)")]),
    ]
};

/// Steps of the counterexample: event, visible, changes, the specification afterwards.
const BAD: [(&str, bool, &[(usize, &str)], Option<&str>); 8] = [
    ("lock.T0", false, &[(1, "Locked(T0)"), (4, "GetTop(T0)")], Some("Spec(<>)")),
    ("initNode.T0.N0.B.Null", false, &[(2, "Node(N0, B, Null)"), (4, "SetTop(T0, B, N0)")], Some("Spec(<>)")),
    ("setTop.T0.N0", false, &[(0, "Top(N0)"), (4, "Push(T0, B)")], Some("Spec(<>)")),
    ("push.T0.B", true, &[(4, "Thread(T0)")], Some("Spec(<B>)")),
    ("initNode.T1.N1.C.N0", false, &[(3, "Node(N1, C, N0)"), (5, "Push(T1, C)")], Some("Spec(<B>)")),
    ("push.T1.C", true, &[(5, "Thread(T1)")], Some("Spec(<C,B>)")),
    ("getDatum.T1.N0.B", false, &[(2, "Node(N0, B, Null)"), (5, "Pop(T1, B)")], Some("Spec(<C,B>)")),
    ("pop.T1.B", true, &[(5, "Thread(T1)")], None),
];

fn component(family: &str, index: &str, text: &str) -> ComponentView {
    let (name, args) = text.split_once('(').unwrap_or((text, ""));
    let args = args.trim_end_matches(')').split(", ").filter(|a| !a.is_empty());
    ComponentView {
        family: family.to_string(),
        index: index.to_string(),
        text: text.to_string(),
        name: name.to_string(),
        args: args.map(|a| ("x".to_string(), a.to_string())).collect(),
    }
}

fn stack(texts: &[String]) -> Vec<ComponentView> {
    let place = |at: usize| match at {
        0..=5 => ("Node", NODES[at].to_string()),
        6 => ("Top", String::new()),
        7..=9 => ("Thread", format!("T{}", at - 7)),
        _ => ("Lock", String::new()),
    };
    let build = |(at, text): (usize, &String)| component(place(at).0, &place(at).1, text);
    texts.iter().enumerate().map(build).collect()
}

/// The local states after some of the steps.
fn texts(steps: usize) -> Vec<String> {
    let mut texts: Vec<String> = NODES.iter().map(|n| format!("FreeNode({n})")).collect();
    texts.extend(["Top(Null)", "Thread(T0)", "Thread(T1)", "Thread(T2)", "Lock"].map(String::from));
    for (_, _, changes) in &STEPS[..steps] {
        for (at, text) in *changes {
            texts[*at] = (*text).to_string();
        }
    }
    texts
}

fn transition(
    kind: EventKind,
    event: &str,
    target: u32,
    orbit: u32,
    before: &[String],
    changes: &[(usize, &str)],
) -> TransitionView {
    let mover = |(at, after): &(usize, &str)| (*at, before[*at].clone(), (*after).to_string());
    TransitionView {
        kind,
        event: event.to_string(),
        target: StateId(target),
        orbit: StateId(orbit),
        movers: changes.iter().map(mover).collect(),
    }
}

/// The 17 transitions of W1.
fn seventeen(before: &[String]) -> Vec<TransitionView> {
    let mut all = Vec::new();
    for (n, node) in [(0, "N0"), (2, "N2"), (3, "N3"), (5, "N5")] {
        for (d, datum) in ["A", "B", "C", "D"].iter().enumerate() {
            let event = format!("initNode.T1.{node}.{datum}.N4");
            let made = format!("Node({node}, {datum}, N4)");
            let thread = format!("SetTop(T1, {datum}, {node})");
            let orbit = [201, 202, 203, 201][d];
            let changes = [(8, thread.as_str()), (n, made.as_str())];
            let target = 100 + (n * 4 + d) as u32;
            all.push(transition(EventKind::Tau, &event, target, orbit, before, &changes));
        }
    }
    let changes = [(8, "GotNext(T1, N1)"), (4, "Node(N4, C, N1)")];
    let event = "getNext.T1.N4.N1";
    all.push(transition(EventKind::Tau, event, 150, 204, before, &changes));
    all
}

fn identity(components: &[ComponentView], id: u32) -> RepView {
    RepView {
        id: StateId(id),
        components: components.to_vec(),
        source: (0..components.len()).collect(),
        permutation: vec![TypePermutation {
            name: "NodeID".to_string(),
            cycles: "id".to_string(),
            map: NODES.iter().map(|n| (n.to_string(), n.to_string())).collect(),
        }],
        strategy: "ordering".to_string(),
        uniqueness: Uniqueness::Unknown("not checked".to_string()),
        orbit: Some(18),
        group_order: 103_680,
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

fn permutation(name: &str, cycles: &str, map: &[(&str, &str)]) -> TypePermutation {
    TypePermutation {
        name: name.to_string(),
        cycles: cycles.to_string(),
        map: pairs(map),
    }
}

fn stack_representative() -> RepView {
    let texts = [
        "FreeNode(N0)", "FreeNode(N1)", "FreeNode(N2)", "FreeNode(N3)", "Node(N4, A, N5)",
        "Node(N5, B, Null)", "Top(N4)", "Choose(T0, N4)", "Thread(T1)", "Thread(T2)", "Locked(T0)",
    ];
    RepView {
        id: StateId(1014),
        components: stack(&texts.map(String::from)),
        source: vec![0, 2, 3, 5, 4, 1, 6, 8, 7, 9, 10],
        permutation: vec![
            permutation("NodeID", "(N1 N5 N3 N2)", &[
                ("N0", "N0"), ("N1", "N5"), ("N2", "N1"), ("N3", "N2"), ("N4", "N4"), ("N5", "N3"),
            ]),
            permutation("Data", "(A C)", &[("A", "C"), ("B", "B"), ("C", "A"), ("D", "D")]),
            permutation("ThreadID", "(T0 T1)", &[("T0", "T1"), ("T1", "T0"), ("T2", "T2")]),
        ],
        strategy: "ordering".to_string(),
        uniqueness: Uniqueness::Unique("Prop 50".to_string()),
        orbit: Some(1080),
        group_order: 103_680,
    }
}

fn stack_view(id: u32) -> Result<StateView, Failure> {
    let mut now = texts(14.min(id as usize));
    let mut transitions = Vec::new();
    let mut representative = None;
    match id {
        0..=13 => {
            let (kind, event, changes) = STEPS[id as usize];
            transitions.push(transition(kind, event, id + 1, 1001 + id, &now, changes));
            if id == 12 {
                let changes = [(9, "GetTop(T2)"), (10, "Locked(T2)")];
                transitions.push(transition(EventKind::Tau, "lock.T2", 300, 1300, &now, &changes));
            }
        }
        14 => {
            transitions = seventeen(&now);
            representative = Some(stack_representative());
        }
        150 => {
            return Err(Failure {
                summary: "liststack.csp:41:7: head of an empty sequence".to_string(),
                detail: "error[E0401]: head of an empty sequence\n  --> liststack.csp:41:7\n   |\n41 \
                         |   pop!head(<>) -> STOP\n   |       ^^^^^^^^ there is no first element"
                    .to_string(),
            });
        }
        100..=149 => {
            let taken = seventeen(&now).into_iter().find(|t| t.target.0 == id);
            for (at, _, after) in taken.into_iter().flat_map(|t| t.movers) {
                now[at] = after;
            }
            let changes = [(6, "Top(N0)"), (8, "Push(T1, A)")];
            transitions.push(transition(EventKind::Visible, "push.T1.A", 300, 1300, &now, &changes));
        }
        _ => now = texts(13),
    }
    let components = stack(&now);
    Ok(StateView {
        id: StateId(id),
        representative: representative.or_else(|| Some(identity(&components, 1000 + id))),
        components,
        deadlocked: transitions.is_empty(),
        transitions,
        terminated: false,
        no_representative: String::new(),
    })
}

fn variables(kinds: &[(&str, usize, &str, bool)]) -> Vec<Variable> {
    let variable = |(name, kind, value, identity): &(&str, usize, &str, bool)| Variable {
        name: (*name).to_string(),
        kind: *kind,
        value: (*value).to_string(),
        identity: *identity,
    };
    kinds.iter().map(variable).collect()
}

fn type_order(name: &str, values: &[&str], seen: usize) -> TypeOrder {
    TypeOrder {
        name: name.to_string(),
        values: values.iter().map(|v| v.to_string()).collect(),
        seen,
    }
}

/// Step 3 of a computation: each pick splits the block that the last one left.
fn picks(partition: &Partition, picks: &[usize]) -> Vec<Step> {
    let mut before = partition.clone();
    let mut steps = Vec::new();
    for picked in picks {
        let block = before.iter().position(|b| b.contains(picked)).unwrap();
        let rest: Vec<_> = before[block].iter().copied().filter(|m| m != picked).collect();
        let mut after = before.clone();
        after.splice(block..=block, [vec![*picked], rest]);
        steps.push(Step::Choice {
            block,
            picked: *picked,
            fully_symmetric: true,
            before,
            after: after.clone(),
        });
        before = after;
    }
    steps
}

fn stack_explanation(order: TypeOrdering) -> Explanation {
    let first: Partition = vec![vec![0, 2, 3, 5], vec![10], vec![4], vec![1], vec![7, 9], vec![8], vec![6]];
    let keys = ["FreeNode", "Locked", "Node, next is a node", "Node, next is Null", "Thread", "Choose", "Top"];
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
    steps.push(Step::Ordered);
    let node = |me, datum, next| variables(&[("me", 0, me, true), ("datum", 1, datum, false), ("next", 0, next, false)]);
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

const EXAMPLE: [&str; 6] = [
    "N(N0, B, N4)", "N(N1, B, N0)", "FN(N2)", "N(N3, B, N1)", "N(N4, B, Null)", "FN(N5)",
];

fn example_components(texts: &[&str; 6]) -> Vec<ComponentView> {
    let build = |(at, text): (usize, &&str)| component("Node", NODES[at], text);
    texts.iter().enumerate().map(build).collect()
}

fn example_representative() -> RepView {
    RepView {
        id: StateId(1),
        components: example_components(&[
            "FN(N0)", "FN(N1)", "N(N2, A, N3)", "N(N3, A, N4)", "N(N4, A, N5)", "N(N5, A, Null)",
        ]),
        source: vec![2, 5, 3, 1, 0, 4],
        permutation: vec![
            permutation("NodeID", "(N0 N4 N5 N1 N3 N2)", &[
                ("N0", "N4"), ("N1", "N3"), ("N2", "N0"), ("N3", "N2"), ("N4", "N5"), ("N5", "N1"),
            ]),
            permutation("Data", "(A B)", &[("A", "B"), ("B", "A"), ("C", "C"), ("D", "D")]),
        ],
        strategy: "ordering".to_string(),
        uniqueness: Uniqueness::Unique("Prop 50".to_string()),
        orbit: Some(1440),
        group_order: 17_280,
    }
}

fn columns(columns: &[(usize, usize, usize)]) -> Vec<Column> {
    columns.iter().map(|(i, j, k)| Column { i: *i, j: *j, k: *k }).collect()
}

/// Example 37: n-values as in the paper.
fn example_explanation(order: TypeOrdering) -> Explanation {
    let first: Partition = vec![vec![2, 5], vec![0, 1, 3], vec![4]];
    let second: Partition = vec![vec![2, 5], vec![3], vec![0], vec![1], vec![4]];
    let free = NTable {
        columns: columns(&[(0, 0, 0), (0, 1, 0), (0, 1, 2), (0, 2, 0)]),
        rows: vec![(2, vec![1, 0, 0, 0]), (5, vec![1, 0, 0, 0])],
    };
    let nodes = NTable {
        columns: columns(&[
            (0, 0, 0), (0, 1, 0), (0, 1, 2), (0, 2, 0), (1, 1, 1), (1, 2, 1), (2, 0, 0), (2, 1, 0),
            (2, 1, 2), (2, 2, 0),
        ]),
        rows: vec![
            (0, vec![0, 1, 1, 0, 3, 1, 0, 0, 1, 1]),
            (1, vec![0, 1, 1, 0, 3, 1, 0, 1, 1, 0]),
            (3, vec![0, 1, 0, 0, 3, 1, 0, 1, 1, 0]),
        ],
    };
    let group = |member, first_difference| Group {
        members: vec![member],
        first_difference,
    };
    let mut steps = vec![
        Step::Initial {
            after: first.clone(),
            keys: ["FN", "N, next is a node", "N, next is Null"].map(String::from).to_vec(),
        },
        Step::Count {
            round: 1,
            before: first.clone(),
            tables: vec![(1, nodes), (0, free)],
        },
        Step::Split {
            round: 1,
            before: first,
            after: second.clone(),
            splits: vec![Split {
                block: 1,
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
    steps.push(Step::Ordered);
    let node = |me, next| variables(&[("me", 0, me, true), ("datum", 1, "B", false), ("next", 0, next, false)]);
    let free = |me| variables(&[("me", 0, me, true)]);
    let nodes = match order {
        TypeOrdering::Appearance => ["N2", "N5", "N3", "N1", "N0", "N4"],
        TypeOrdering::IdentitiesFirst => ["N2", "N5", "N3", "N0", "N1", "N4"],
    };
    Explanation {
        components: example_components(&EXAMPLE),
        trace: RepTrace {
            variables: vec![
                node("N0", "N4"),
                node("N1", "N0"),
                free("N2"),
                node("N3", "N1"),
                variables(&[("me", 0, "N4", true), ("datum", 1, "B", false)]),
                free("N5"),
            ],
            steps,
            order: vec![2, 5, 3, 0, 1, 4],
            type_orders: vec![type_order("NodeID", &nodes, 6), type_order("Data", &["B", "A", "C", "D"], 1)],
        },
        representative: example_representative(),
        type_order: order,
    }
}

pub fn counterexample() -> Counterexample {
    let step = |(event, visible, changes, spec): &(&str, bool, &[(usize, &str)], Option<&str>)| CounterexampleStep {
        kind: if *visible { EventKind::Visible } else { EventKind::Tau },
        event: (*event).to_string(),
        changes: changes.iter().map(|(at, text)| (*at, (*text).to_string())).collect(),
        spec: spec.map(String::from),
    };
    let names = ["Top", "Lock", "Node[N0]", "Node[N1]", "Thread[T0]", "Thread[T1]"];
    let initial = ["Top(Null)", "Lock", "FreeNode(N0)", "FreeNode(N1)", "Thread(T0)", "Thread(T1)"];
    Counterexample {
        process: "BadSystem".to_string(),
        components: names.map(String::from).to_vec(),
        initial: initial.map(String::from).to_vec(),
        initial_spec: "Spec(<>)".to_string(),
        steps: BAD.iter().map(step).collect(),
        reason: "After <push.T0.B, push.T1.C> the specification allows only pop.*.C. The \
                 implementation did pop.T1.B."
            .to_string(),
        quotient: (0..=8).map(|n| format!("representative {n}")).collect(),
    }
}

fn bad_view(id: u32) -> StateView {
    let path = counterexample();
    let mut now = path.initial.clone();
    let at = (id - 400) as usize;
    for (component, text) in path.steps[..at].iter().flat_map(|s| &s.changes) {
        now[*component] = text.clone();
    }
    let split = |name: &String| match name.split_once('[') {
        Some((family, index)) => (family.to_string(), index.trim_end_matches(']').to_string()),
        None => (name.clone(), String::new()),
    };
    let next = path.steps.get(at).map(|step| {
        let changes: Vec<_> = step.changes.iter().map(|(c, t)| (*c, t.as_str())).collect();
        transition(step.kind, &step.event, id + 1, id + 1, &now, &changes)
    });
    StateView {
        id: StateId(id),
        components: path.components.iter().zip(&now).map(|(name, text)| {
            let (family, index) = split(name);
            component(&family, &index, text)
        }).collect(),
        deadlocked: next.is_none(),
        transitions: next.into_iter().collect(),
        terminated: false,
        representative: None,
        no_representative: "BadSystem names N0 at liststack.csp:60:5".to_string(),
    }
}

fn example_view() -> StateView {
    let components = example_components(&EXAMPLE);
    StateView {
        id: StateId(500),
        components,
        transitions: Vec::new(),
        deadlocked: true,
        terminated: false,
        representative: Some(example_representative()),
        no_representative: String::new(),
    }
}

fn info() -> ScriptInfo {
    let assertion = |number: usize, text: &str| AssertionInfo {
        number,
        text: text.to_string(),
        symmetry: true,
        place: format!("liststack.csp:{}:1", 70 + number),
    };
    let kind = |name: &str, members: &[&str], excluded: &[(&str, &str)]| TypeInfo {
        name: name.to_string(),
        members: members.iter().map(|m| m.to_string()).collect(),
        excluded: pairs(excluded),
    };
    ScriptInfo {
        path: "liststack.csp".to_string(),
        processes: ["System", "BadSystem", "Nodes"].map(String::from).to_vec(),
        assertions: vec![
            assertion(1, "Spec(<>) [T= System :[symmetry reduce]"),
            assertion(2, "System :[deadlock free] :[symmetry reduce]"),
            assertion(3, "Spec(<>) [T= BadSystem :[symmetry reduce]"),
        ],
        types: vec![
            kind("NodeID", &NODES, &[("Null", "named at liststack.csp:8:3")]),
            kind("ThreadID", &["T0", "T1", "T2"], &[]),
            kind("Data", &["A", "B", "C", "D"], &[]),
        ],
        diagnostics: Vec::new(),
    }
}

pub struct Fake(ScriptInfo);

impl Engine for Fake {
    fn info(&self) -> &ScriptInfo {
        &self.0
    }

    fn open(&mut self, process: &str) -> Result<StateId, Failure> {
        match process {
            "System" => Ok(StateId(0)),
            "BadSystem" => Ok(StateId(400)),
            "Nodes" => Ok(StateId(500)),
            "PANIC" => panic!("the engine is broken"),
            _ => Err(Failure {
                summary: format!("1:1: {process} is not defined"),
                detail: format!("error[E0201]: {process} is not defined\n --> expression:1:1"),
            }),
        }
    }

    fn view(&mut self, state: StateId) -> Result<StateView, Failure> {
        match state.0 {
            400..=408 => Ok(bad_view(state.0)),
            500 => Ok(example_view()),
            id => stack_view(id),
        }
    }

    fn explain(&mut self, state: StateId, order: TypeOrdering) -> Result<Explanation, Failure> {
        match state.0 {
            14 => Ok(stack_explanation(order)),
            500 => Ok(example_explanation(order)),
            _ => Err(Failure {
                summary: "not recorded in the example".to_string(),
                detail: "Not recorded in the example.".to_string(),
            }),
        }
    }

    fn replay(&mut self, path: &Counterexample) -> Result<Vec<StateId>, Failure> {
        Ok((400..=400 + path.steps.len() as u32).map(StateId).collect())
    }
}

pub fn engine() -> EngineFactory {
    Box::new(|| Ok(Box::new(Fake(info()))))
}

pub fn broken_script() -> EngineFactory {
    Box::new(|| {
        Err(vec![Failure {
            summary: "liststack.csp:2:11: expected a process".to_string(),
            detail: "error[E0101]: expected a process\n  --> liststack.csp:2:11\n   |\n 2 |   [] c -> \
                     [] STOP\n   |           ^ here"
                .to_string(),
        }])
    })
}

fn progress(ply: usize) -> Progress {
    Progress {
        ply,
        states: 33_000 * ply as u64,
        transitions: 90_000 * ply as u64,
        frontier: [0, 4_000, 9_000, 2_000][ply % 4],
        seconds: ply as f64,
        bytes: 12_000_000 * ply as u64,
    }
}

/// Assertion 1 holds, 2 runs until it is cancelled, 3 fails.
pub fn checks() -> CheckRunner {
    Arc::new(|request, cancel, report| {
        let mut ply = 1;
        report(CheckEvent::Progress(progress(ply)));
        while request.number == 2 && !cancel.is_cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if cancel.is_cancelled() {
            return;
        }
        ply = 3;
        let fails = request.number == 3;
        report(CheckEvent::Finished(Box::new(CheckOutcome {
            number: request.number,
            text: String::new(),
            verdict: if fails { Verdict::Fails } else { Verdict::Holds },
            progress: progress(ply),
            symmetry: Some(SymmetrySummary {
                types: vec![("NodeID".to_string(), 6), ("ThreadID".to_string(), 3), ("Data".to_string(), 4)],
                group_order: 103_680,
                strategy: "walk".to_string(),
            }),
            counterexample: fails.then(counterexample),
        })));
    })
}
