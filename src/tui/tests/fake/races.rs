//! A race made by hand.

use std::sync::Arc;

use super::{component, event};
use crate::animate::model::{Counterexample, CounterexampleStep, ErrorText, Progress, Stop};
use crate::animate::racer::{RaceNews, RaceRequest, RaceRunner};
use crate::report::race::{DoubledState, DoubledView, OrbitsView, RaceOutcome, RaceRow, RowEnd};
use crate::source::Diagnostic;

fn progress(states: u64, seconds: f64) -> Progress {
    Progress {
        ply: 12,
        states,
        transitions: states * 3,
        frontier: states / 9,
        seconds,
        bytes: states * 24,
        ..Progress::default()
    }
}

fn row(strategy: &'static str, end: RowEnd, states: u64, orbits: OrbitsView) -> RaceRow {
    let seconds = states as f64 / 100_000.0;
    RaceRow {
        progress: progress(states, seconds),
        representatives: states * 3,
        search_seconds: seconds,
        cpu_seconds: Some(seconds),
        orbits,
        ..RaceRow::new(strategy, end)
    }
}

fn counted(orbits: u64, most: u64) -> OrbitsView {
    OrbitsView::Counted {
        orbits,
        most,
        is_certain: true,
    }
}

/// The ring of four nodes that hold A, A, B, B, in two ways.
fn doubled() -> DoubledView {
    let state = |data: &str, events: [&str; 2]| {
        let node = |(n, datum): (usize, char)| {
            let text = format!("Node(N{n}, {datum}, N{})", (n + 1) % 4);
            component("Node", &format!("N{n}"), &text)
        };
        let step = |name: &&str| CounterexampleStep {
            event: event(name),
            ..CounterexampleStep::default()
        };
        DoubledState {
            run: Counterexample {
                steps: events.iter().map(step).collect(),
                ..Counterexample::given("System", &[])
            },
            representative: data.chars().enumerate().map(node).collect(),
        }
    };
    DoubledView {
        states: [
            state("AABB", ["push.T0.A", "initNode.T0.N0.A.Null"]),
            state("ABBA", ["push.T0.B", "initNode.T0.N0.B.Null"]),
        ],
        permutation: vec![
            (
                "NodeID".to_string(),
                "(N0 N3 N2 N1)".to_string(),
                Vec::new(),
            ),
            ("Data".to_string(), "id".to_string(), Vec::new()),
        ],
        components: None,
        left_out: 2,
    }
}

fn rows() -> Vec<RaceRow> {
    let refused = Diagnostic::nowhere("E0799", "it cannot count these");
    let text = ErrorText::new(
        "it cannot count these [E0799]",
        "error[E0799]: it cannot count these",
    );
    let mut rows = vec![
        row("exact", RowEnd::Holds, 99_429, counted(99_429, 1)),
        RaceRow {
            fallbacks: (7, "`ordering` was done where references do not settle it"),
            ..row("walk", RowEnd::Holds, 99_429, counted(99_429, 1))
        },
        RaceRow {
            doubled: Some(doubled()),
            ..row("ordering", RowEnd::Holds, 100_105, counted(99_429, 4))
        },
        row(
            "sorted",
            RowEnd::Stopped(Stop::Time),
            3_118_069,
            OrbitsView::NotCounted("more than 1,000,000 states".to_string()),
        ),
        RaceRow::new("segmented", RowEnd::Refused(Box::new(refused), text)),
    ];
    rows[4].orbits = OrbitsView::NotCounted("the search did not end".to_string());
    rows
}

/// Of assertion 1 and of processes one that ends, of assertion 2 one that stands in its fourth strategy until
/// it is cancelled; there is no third one.
pub fn races() -> RaceRunner {
    Arc::new(|request, cancel, report| {
        let assertion = match request {
            RaceRequest::Assertion(3) => {
                let failure = ErrorText::line("no datatype is symmetric [E0510]");
                return report(RaceNews::Ended(Err(failure)));
            }
            RaceRequest::Assertion(number) => Some((*number, "Spec [T= System".to_string())),
            RaceRequest::Process(_) => None,
        };
        let mut done = Vec::new();
        let names = rows().iter().map(|row| row.strategy).collect();
        report(RaceNews::Strategies(names));
        for row in rows() {
            if *request == RaceRequest::Assertion(2) && done.len() == 3 {
                report(RaceNews::Progress("sorted", progress(640_000, 1.5)));
                while !cancel.is_cancelled() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                break;
            }
            report(RaceNews::Row(Box::new(row.clone())));
            done.push(row);
        }
        report(RaceNews::Ended(Ok(Box::new(RaceOutcome {
            assertion,
            process: "System".to_string(),
            rows: done,
            disagreement: String::new(),
        }))));
    })
}
