//! Real checks and races without what differs from run to run: times, memory, and how far one is at a moment.

use std::sync::Arc;
use std::time::Duration;

use crate::animate::checker::Runners;
use crate::animate::model::{Cancel, CheckEvent, CheckOutcome, Progress, TwoRuns};
use crate::animate::racer::RaceNews;
use crate::animate::worker::{EngineAnswer, Reply};
use crate::report::race::RaceRow;

/// The same runners with figures that depend on the number of states alone.
pub fn steady(real: Runners) -> Runners {
    wrapped(real, false)
}

/// The same, but what takes long on the list stack stands still until it is cancelled: the second assertion, any
/// without reduction, and one strategy of a race.
pub fn held(real: Runners) -> Runners {
    wrapped(real, true)
}

fn wrapped(real: Runners, holds: bool) -> Runners {
    let (check, race) = (real.check, real.race);
    Runners {
        stored: None,
        sizes: real.sizes,
        check: Arc::new(move |request, room, cancel, report| {
            let mut is_long = request.number == 2;
            check(request, room, cancel, &mut |event| match event {
                CheckEvent::Progress(progress) => {
                    if holds && is_long && !cancel.is_cancelled() {
                        report(CheckEvent::Progress(on_the_way(&progress)));
                        wait_for(cancel);
                    }
                }
                CheckEvent::Reduced(mut outcome) => {
                    is_long = true;
                    settle(&mut outcome);
                    report(CheckEvent::Reduced(outcome));
                }
                CheckEvent::Compared(mut pair) => {
                    if let TwoRuns::Compared { unreduced, .. } = &mut *pair {
                        settle(unreduced);
                    }
                    report(CheckEvent::Compared(pair));
                }
                CheckEvent::Finished(mut outcome) => {
                    settle(&mut outcome);
                    report(CheckEvent::Finished(outcome));
                }
            });
        }),
        race: Arc::new(move |request, cancel, report| {
            race(request, cancel, &mut |news| match news {
                RaceNews::Progress(strategy, progress) => {
                    if holds && strategy == LONG && !cancel.is_cancelled() {
                        report(RaceNews::Progress(strategy, on_the_way(&progress)));
                        wait_for(cancel);
                    }
                }
                RaceNews::Row(mut row) => {
                    settle_row(&mut row);
                    report(RaceNews::Row(row));
                }
                RaceNews::Ended(Ok(mut outcome)) => {
                    outcome.rows.iter_mut().for_each(settle_row);
                    report(RaceNews::Ended(Ok(outcome)));
                }
                other => report(other),
            });
        }),
    }
}

/// The strategy that takes long.
const LONG: &str = "flood";

fn wait_for(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The progress of a check that is held: invented figures, as the real ones differ from run to run.
fn on_the_way(progress: &Progress) -> Progress {
    let reduces = progress.representatives > 0;
    let taken = if reduces { 60_000 } else { 0 };
    by_states(&Progress {
        ply: 11,
        states: 33_000,
        transitions: 90_000,
        frontier: 4_000,
        representatives: taken,
        unique: progress.unique.map(|_| taken),
        ..Progress::default()
    })
}

fn settle(outcome: &mut CheckOutcome) {
    outcome.progress = by_states(&outcome.progress);
    if let Some(details) = &mut outcome.details {
        details.peak = details.peak.map(|_| 230_000_000);
    }
}

fn settle_row(row: &mut RaceRow) {
    row.progress = by_states(&row.progress);
    row.compile_seconds = 0.01;
    row.search_seconds = row.progress.seconds;
    row.cpu_seconds = row.cpu_seconds.map(|_| row.progress.seconds);
}

/// An answer without the time that it took.
pub fn steady_answer(mut answer: EngineAnswer) -> EngineAnswer {
    if let Reply::Symmetry(_, Ok(found)) = &mut answer.reply {
        found.told.seconds = (0.012, 0.034);
        found.document = found.told.document();
    }
    answer
}

fn by_states(progress: &Progress) -> Progress {
    Progress {
        seconds: progress.states as f64 / 10_000.0,
        bytes: progress.states * 360,
        resident: Some(200_000_000 + progress.states * 360),
        ..progress.clone()
    }
}
