//! News of checks: their progress, and their end.

use super::actions::motion::select_assertion;
use super::app::{App, Status};
use super::paired::PairStage;
use crate::animate::checker::{CheckNews, PairNews};
use crate::animate::model::{CheckOutcome, Progress, Verdict};

/// Rates kept for the picture of a check's speed.
const RATES_MAX: usize = 64;

/// Takes news into the data.
pub(super) fn learn(app: &mut App, news: CheckNews) {
    learn_interrupted(app, news.interrupted, news.refused);
    for news in news.race {
        app.race.learn(news);
    }
    for news in news.sizes {
        app.sizes.learn(news);
    }
    for number in news.started {
        set_status(app, number, Status::Running);
        begin(app, number);
    }
    for (number, of_pair) in news.pairs {
        learn_pair(app, number, of_pair);
    }
    if let Some((number, progress)) = news.progress {
        progressed(app, number, &progress);
        let last = app
            .checks
            .running
            .take()
            .map(|(_, p)| p)
            .unwrap_or_default();
        // The rate between two reports, not over the whole run: the picture shows whether it slows
        // down.
        app.checks.rates.extend(rate_since(&last, &progress));
        // The oldest go.
        let extra = app.checks.rates.len().saturating_sub(RATES_MAX);
        app.checks.rates.drain(..extra);
        app.checks.peak = app.checks.peak.max(progress.frontier);
        app.checks.running = Some((number, progress));
    }
    for outcome in news.finished {
        let number = outcome.number;
        if app
            .checks
            .running
            .as_ref()
            .is_some_and(|(n, _)| *n == number)
        {
            app.checks.running = None;
        }
        app.note = format!("assertion {number}: {}", verdict_word(&outcome.verdict));
        let outcome = settled(app, outcome);
        let is_failure = outcome.verdict == Verdict::Fails;
        set_status(app, number, Status::Done(outcome));
        if let Some(at) = place_of(app, number).filter(|_| is_failure && app.checks.seeks_failure) {
            select_assertion(app, at);
        }
        if !app.checks.active()
            && let Some(all) = all_told(app)
        {
            app.note = all;
        }
    }
}

/// Takes what is known of checks that were interrupted: their folders, and why one of them does not go on.
fn learn_interrupted(app: &mut App, folders: Vec<String>, refused: Option<String>) {
    if !folders.is_empty() {
        app.checks.interrupted = folders;
    }
    if let Some(why) = refused {
        app.failed = Some(why.clone());
        app.note = why;
    }
}

/// A run begins: nothing is known of it yet.
fn begin(app: &mut App, number: usize) {
    app.checks.began = app.now;
    app.reached.checks = None;
    app.checks.running = Some((number, Progress::default()));
    app.checks.rates.clear();
    app.checks.peak = 0;
}

/// How all assertions came out, once several of them have.
fn all_told(app: &App) -> Option<String> {
    let (mut holding, mut failing, mut others) = (0, Vec::new(), 0);
    for (status, about) in app.checks.status.iter().zip(&app.info()?.assertions) {
        match status {
            Status::Done(outcome) if outcome.verdict == Verdict::Holds => holding += 1,
            Status::Done(outcome) if outcome.verdict == Verdict::Fails => {
                failing.push(about.number);
            }
            Status::Done(_) => others += 1,
            _ => return None,
        }
    }
    let all = app.checks.status.len();
    let mut told = match (all, &failing[..]) {
        (1, _) => return None,
        (_, []) => format!("{holding} of {all} hold"),
        (_, [one]) => format!("{holding} of {all} hold, assertion {one} FAILS"),
        (_, [first, ..]) => {
            let count = failing.len();
            format!("{holding} of {all} hold, {count} FAIL, the first is {first}")
        }
    };
    if others > 0 {
        told += &format!(", {others} without a verdict");
    }
    Some(told)
}

fn verdict_word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "ok".to_string(),
        Verdict::Fails => "FAILS".to_string(),
        Verdict::Approximate(reason) | Verdict::Inconclusive(reason) => {
            format!("no verdict, {reason}")
        }
        Verdict::Error(failure) => failure.summary.clone(),
    }
}

/// States a second between two reports.
fn rate_since(last: &Progress, now: &Progress) -> Option<f64> {
    let seconds = now.seconds - last.seconds;
    let [states, before] = [now, last].map(|progress| progress.of_this_run().states);
    (seconds > 0.0).then(|| states.saturating_sub(before) as f64 / seconds)
}

/// Takes in news of two runs.
fn learn_pair(app: &mut App, number: usize, news: PairNews) {
    let Some(pair) = app.checks.pairs.get_mut(&number) else {
        return;
    };
    match (news, &pair.stage) {
        (PairNews::Reduced(outcome), _) => {
            pair.stage = PairStage::Unreduced(outcome.clone(), Progress::default());
            let outcome = pair.kept(outcome);
            set_status(app, number, Status::Done(outcome));
            begin(app, number);
        }
        (PairNews::Compared(runs), PairStage::Unreduced(reduced, _)) => {
            pair.stage = PairStage::Over(reduced.clone(), runs);
        }
        (PairNews::Compared(_), _) => {}
    }
}

/// Handles progress of the present run.
fn progressed(app: &mut App, number: usize, progress: &Progress) {
    if let Some(pair) = app.checks.pairs.get_mut(&number)
        && let PairStage::Unreduced(_, so_far) = &mut pair.stage
    {
        so_far.clone_from(progress);
    }
}

/// The better outcome of an assertion, if the two runs before this one had more.
fn settled(app: &mut App, outcome: CheckOutcome) -> Box<CheckOutcome> {
    let number = outcome.number;
    let outcome = Box::new(outcome);
    let Some(pair) = app.checks.pairs.get(&number) else {
        return outcome;
    };
    let kept = if pair.is_active() || matches!(outcome.verdict, Verdict::Inconclusive(_)) {
        pair.kept(outcome)
    } else {
        outcome
    };
    // The run ended before there was a pair to compare.
    if pair.is_active() {
        app.checks.pairs.remove(&number);
    }
    kept
}

/// The place of an assertion in the list: checks go by its number.
fn place_of(app: &App, number: usize) -> Option<usize> {
    let assertions = &app.info()?.assertions;
    assertions.iter().position(|a| a.number == number)
}

/// Notes how far the check of an assertion is.
fn set_status(app: &mut App, number: usize, status: Status) {
    let at = place_of(app, number);
    if let Some(slot) = at.and_then(|at| app.checks.status.get_mut(at)) {
        *slot = status;
    }
}
