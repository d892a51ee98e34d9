//! Checks, and a counterexample that can be followed.

use super::*;

/// Event, visible, changes, the specification afterwards.
type BadStep = (
    &'static str,
    bool,
    &'static [(usize, &'static str)],
    Option<&'static str>,
);

/// Steps of the counterexample.
const BAD: [BadStep; 8] = [
    (
        "lock.T0",
        false,
        &[(1, "Locked(T0)"), (4, "GetTop(T0)")],
        Some("Spec(<>)"),
    ),
    (
        "initNode.T0.N0.B.Null",
        false,
        &[(2, "Node(N0, B, Null)"), (4, "SetTop(T0, B, N0)")],
        Some("Spec(<>)"),
    ),
    (
        "setTop.T0.N0",
        false,
        &[(0, "Top(N0)"), (4, "Push(T0, B)")],
        Some("Spec(<>)"),
    ),
    ("push.T0.B", true, &[(4, "Thread(T0)")], Some("Spec(<B>)")),
    (
        "initNode.T1.N1.C.N0",
        false,
        &[(3, "Node(N1, C, N0)"), (5, "Push(T1, C)")],
        Some("Spec(<B>)"),
    ),
    ("push.T1.C", true, &[(5, "Thread(T1)")], Some("Spec(<C,B>)")),
    (
        "getDatum.T1.N0.B",
        false,
        &[(2, "Node(N0, B, Null)"), (5, "Pop(T1, B)")],
        Some("Spec(<C,B>)"),
    ),
    ("pop.T1.B", true, &[(5, "Thread(T1)")], None),
];

pub fn counterexample() -> Counterexample {
    let step = |(name, visible, changes, spec): &(&str, bool, &[(usize, &str)], Option<&str>)| {
        CounterexampleStep {
            kind: if *visible {
                EventKind::Visible
            } else {
                EventKind::Tau
            },
            event: event(name),
            changes: changes
                .iter()
                .map(|(at, text)| (*at, local(text)))
                .collect(),
            spec: spec.map(String::from),
            ..CounterexampleStep::default()
        }
    };
    let names = [
        "Top",
        "Lock",
        "Node[N0]",
        "Node[N1]",
        "Thread[T0]",
        "Thread[T1]",
    ];
    let initial = [
        "Top(Null)",
        "Lock",
        "FreeNode(N0)",
        "FreeNode(N1)",
        "Thread(T0)",
        "Thread(T1)",
    ];
    Counterexample {
        process: "BadSystem".to_string(),
        components: names.map(label).to_vec(),
        initial: initial.map(local).to_vec(),
        initial_spec: "Spec(<>)".to_string(),
        steps: BAD.iter().map(step).collect(),
        reason: "After <push.T0.B, push.T1.C> the specification allows only pop.*.C. The \
                 implementation did pop.T1.B."
            .to_string(),
        ending: Ending::Refused {
            event: "pop.T1.B".to_string(),
            allowed: "{pop.T0.C, pop.T1.C}".into(),
        },
        quotient: (0..=8).map(|n| format!("representative {n}")).collect(),
        ..Counterexample::default()
    }
}

pub fn bad_view(id: u32) -> StateView {
    let path = counterexample();
    let mut now = path.initial.clone();
    // Each state is known by how many steps of the run were taken.
    let at = (id - 400) as usize;
    for (component, text) in path.steps[..at].iter().flat_map(|s| &s.changes) {
        now[*component] = text.clone();
    }
    let next = path.steps.get(at).map(|step| {
        let changes: Vec<_> = step.changes.iter().map(|(c, t)| (*c, t.as_str())).collect();
        transition(step.kind, &step.event, id + 1, id + 1, &now, &changes)
    });
    StateView {
        id: StateId::new(0, id),
        components: path
            .components
            .iter()
            .zip(&now)
            .map(|(name, text)| component(name.head(), name.all_items(), text))
            .collect(),
        deadlocked: next.is_none(),
        transitions: next.into_iter().collect(),
        terminated: false,
        omitted: 0,
        orbit: StateId::new(0, id),
        orbits_known: true,
        representative: None,
        no_representative: "BadSystem names N0 at liststack.csp:60:5".to_string(),
        reduction: reduction(),
    }
}

fn progress(ply: usize) -> Progress {
    Progress {
        ply,
        states: 33_000 * ply as u64,
        transitions: 90_000 * ply as u64,
        frontier: [0, 4_000, 9_000, 2_000][ply % 4],
        seconds: ply as f64,
        bytes: 12_000_000 * ply as u64,
        representatives: 60_000 * ply as u64,
        unique: Some(60_000 * ply as u64 - 7),
        resident: Some(200_000_000 + 12_000_000 * ply as u64),
    }
}

/// Assertion 1 holds, 2 runs until it is cancelled, 3 fails. In two runs the second one is ten times as large.
pub fn checks() -> CheckRunner {
    Arc::new(|request, _, cancel, report| {
        let lasts = |lasting: bool| {
            // A check that lasts as long as the test wants it to.
            while lasting && !cancel.is_cancelled() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        };
        let number = request.number;
        report(CheckEvent::Progress(progress(1)));
        lasts(number == 2 && !request.both);
        // No outcome: the checker has to make one.
        if cancel.is_cancelled() {
            return;
        }
        let fails = number == 3;
        let verdict = if fails {
            Verdict::Fails
        } else {
            Verdict::Holds
        };
        let mut outcome = CheckOutcome {
            progress: progress(3),
            symmetry: Some(summary()),
            plan: Some(PlanView::default()),
            counterexample: fails.then(counterexample),
            ..CheckOutcome::new(number, String::new(), verdict.clone())
        };
        if request.both {
            outcome.details = Some(Details::default());
            outcome.represented = (!fails).then(|| (990_000u32.into(), 2_700_000u32.into()));
            report(CheckEvent::Reduced(Box::new(outcome.clone())));
            report(CheckEvent::Progress(unreduced(10)));
            lasts(number == 2);
            let cancelled = Verdict::Inconclusive("cancelled".to_string());
            let full = CheckOutcome {
                progress: unreduced(30),
                symmetry: None,
                represented: None,
                verdict: if number == 2 { cancelled } else { verdict },
                ..outcome.clone()
            };
            let again = [String::new(), String::new()];
            let pair = TwoRuns::compare(&outcome, full, again);
            report(CheckEvent::Compared(Box::new(pair)));
        }
        report(CheckEvent::Finished(Box::new(outcome)));
    })
}

fn unreduced(ply: usize) -> Progress {
    Progress {
        representatives: 0,
        unique: None,
        ..progress(ply)
    }
}
