//! Checks, races and questions about other sizes on a thread of their own: one at a time, cancellable, reporting the
//! latest progress only.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::kept_compiling::CheckRoom;
use super::model::{CheckEvent, CheckOutcome, CheckRequest, Progress, TwoRuns, Verdict};
use super::panics::guarded;
use super::racer::{RaceNews, RaceRequest, RaceRunner};
use super::sizes::{SizesNews, SizesRequest, SizesRunner};
use super::told::told;
use super::worker::{Busy, ReachedStage, join};
use crate::check::Options;
use crate::report::{both, checks};
use crate::script::load::load;
use crate::source::{Cancel, Limits, Stop};

/// Runs one check to its end, reporting on the way.
pub type CheckRunner =
    Arc<dyn Fn(&CheckRequest, &mut CheckRoom, &Cancel, &mut dyn FnMut(CheckEvent)) + Send + Sync>;

/// A check that was interrupted: its assertion, from 1, and a function that goes on with it.
pub type InterruptedCheck = (usize, CheckRunner);

/// Finds the check that was interrupted in a folder.
pub type CheckResumer = Arc<dyn Fn(&Path) -> Result<InterruptedCheck, String> + Send + Sync>;

/// Checks of the script whose states are on disk, and that were interrupted.
#[derive(Clone)]
pub struct StoredChecks {
    /// Finds the folders of those that are near.
    pub find: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    /// Reads how the check in a folder was asked for, or says in a sentence why it cannot go on.
    pub resume: CheckResumer,
}

/// The functions that the thread calls.
#[derive(Clone)]
pub struct Runners {
    /// Runs a check.
    pub check: CheckRunner,
    /// Runs a race.
    pub race: RaceRunner,
    /// Answers what holds for other sizes.
    pub sizes: SizesRunner,
    /// Goes on with checks that were interrupted; `None` where the script is not one of a person.
    pub stored: Option<StoredChecks>,
}

/// A job for the thread.
#[derive(Debug)]
enum CheckerJob {
    Check(CheckRequest),
    Race(RaceRequest),
    Sizes(SizesRequest),
    /// Goes on with the check in a folder.
    Resume(PathBuf),
}

/// Loads a script and checks one of its assertions: the work of the thread.
pub fn run_from_file(
    path: &Path,
    request: &CheckRequest,
    room: &mut CheckRoom,
    (options, cancel): (&Options, &Cancel),
    report: &mut dyn FnMut(CheckEvent),
) {
    // Settings of the user for this check override those of the command line.
    let options = Options {
        symmetry: request.symmetry.or(options.symmetry),
        limits: Limits {
            violations_max: request.counterexamples.max(options.limits.violations_max),
            ..options.limits.clone()
        },
        ..options.clone()
    };
    if request.both {
        return both_from_file(path, request.number, room, (&options, cancel), report);
    }
    let mut progress = |p| report(CheckEvent::Progress(p));
    let number = request.number;
    let outcome = match load(path, None) {
        Ok(loaded) => {
            let (loaded, shared) = room.begun(path, loaded, number, &options.limits);
            checks::run_sharing(loaded, number, (&options, cancel), shared, &mut progress)
        }
        Err(errors) => checks::unread(number, &errors.diagnostics, &errors.sources),
    };
    report(CheckEvent::Finished(Box::new(outcome)));
}

/// Runs a check with reduction and without it.
fn both_from_file(
    path: &Path,
    number: usize,
    room: &mut CheckRoom,
    (options, cancel): (&Options, &Cancel),
    report: &mut dyn FnMut(CheckEvent),
) {
    let options = Options {
        // A user who has switched reduction off and asks for both wants one of them reduced all the same.
        symmetry: options.symmetry.filter(|on| *on),
        // The expected size of the other run, if it can be counted; it may be counted where the other run never
        // ends.
        count_full: true,
        // The runs are to differ by symmetry alone.
        partial_order: Some(false),
        ..options.clone()
    };
    // Read once: the file may change between the two runs.
    let loaded = match load(path, None) {
        Ok(loaded) => loaded,
        Err(errors) => {
            let failed = checks::unread(number, &errors.diagnostics, &errors.sources);
            return report(CheckEvent::Finished(Box::new(failed)));
        }
    };
    let (loaded, shared) = room.begun(path, loaded, number, &options.limits);
    let mut check = |options: &Options, report: &mut dyn FnMut(CheckEvent)| {
        let mut progress = |p| report(CheckEvent::Progress(p));
        checks::run_sharing(loaded, number, (options, cancel), shared, &mut progress)
    };
    let outcome = check(&options, report);
    if cancel.is_cancelled() {
        return report(CheckEvent::Finished(Box::new(outcome)));
    }
    report(CheckEvent::Reduced(Box::new(outcome.clone())));
    let pair = TwoRuns::run(&outcome, &options, path, |unreduced| {
        check(unreduced, report)
    });
    let outcome = both::settled(outcome, &pair);
    report(CheckEvent::Compared(Box::new(pair)));
    report(CheckEvent::Finished(Box::new(outcome)));
}

/// News of two runs of one assertion.
#[derive(Clone, Debug)]
pub enum PairNews {
    /// The run with reduction came to this, and the other one began.
    Reduced(Box<CheckOutcome>),
    /// Both runs ended, and were compared.
    Compared(Box<TwoRuns>),
}

/// News of the checks at a moment. Progress that was not collected in time is overwritten.
#[derive(Clone, Debug, Default)]
pub struct CheckNews {
    /// Checks that were begun.
    pub started: Vec<usize>,
    /// The latest progress of a check.
    pub progress: Option<(usize, Progress)>,
    /// News of assertions that are checked with reduction and without, by number, in order.
    pub pairs: Vec<(usize, PairNews)>,
    /// Checks that ended, in order.
    pub finished: Vec<CheckOutcome>,
    /// News of races, in order.
    pub race: Vec<RaceNews>,
    /// News of other sizes, in order.
    pub sizes: Vec<SizesNews>,
    /// Folders of checks that were interrupted, once they are known.
    pub interrupted: Vec<String>,
    /// Why a check that was interrupted does not go on.
    pub refused: Option<String>,
}

#[derive(Debug, Default)]
struct Shared {
    news: Mutex<CheckNews>,
    waiting: Mutex<VecDeque<Cancel>>,
}

/// The thread that runs checks.
#[derive(Debug)]
pub struct Checker {
    requests: Option<Sender<(CheckerJob, Cancel)>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    busy: Busy,
}

impl Checker {
    /// Starts the thread. `wake` is called when [`Checker::news`] has something to collect.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn start(
        runners: Runners,
        busy: Busy,
        wake: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let (requests, incoming) = channel();
        let shared = Arc::new(Shared::default());
        let (theirs, done) = (Arc::clone(&shared), busy.clone());
        if runners.stored.is_some() {
            // Until it is known which checks were interrupted.
            busy.begin();
        }
        let run = move || serve(&runners, &incoming, &theirs, &done, &wake);
        let thread = thread::Builder::new()
            .name("check".to_string())
            .spawn(run)?;
        Ok(Self {
            requests: Some(requests),
            thread: Some(thread),
            shared,
            busy,
        })
    }

    /// Queues a check behind those that were asked for before.
    pub fn submit(&self, request: CheckRequest) {
        self.send(CheckerJob::Check(request));
    }

    /// Queues a race, likewise.
    pub fn submit_race(&self, request: RaceRequest) {
        self.send(CheckerJob::Race(request));
    }

    /// Queues a question about other sizes, likewise.
    pub fn submit_sizes(&self, request: SizesRequest) {
        self.send(CheckerJob::Sizes(request));
    }

    /// Queues going on with the check in a folder, likewise.
    pub fn submit_resume(&self, folder: PathBuf) {
        self.send(CheckerJob::Resume(folder));
    }

    fn send(&self, job: CheckerJob) {
        let cancel = Cancel::default();
        // Before it is sent, so that it can be cancelled as soon as the thread may have it.
        lock(&self.shared.waiting).push_back(cancel.clone());
        self.busy.begin();
        let sent = self.requests.as_ref().map(|to| to.send((job, cancel)));
        if !matches!(sent, Some(Ok(()))) {
            self.busy.end();
        }
    }

    /// Cancels the running and the waiting jobs.
    pub fn cancel_all(&self) {
        lock(&self.shared.waiting).iter().for_each(Cancel::cancel);
    }

    /// How far the running job is.
    #[must_use]
    pub fn reached(&self) -> Option<ReachedStage> {
        lock(&self.shared.waiting).front()?.reached()
    }

    /// Collects the news since the last call.
    #[must_use]
    pub fn news(&self) -> CheckNews {
        std::mem::take(&mut *lock(&self.shared.news))
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        self.cancel_all();
        self.requests = None;
        join(self.thread.take());
    }
}

/// A lock whose holder panicked is still good: every change under it is a single assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    runners: &Runners,
    incoming: &Receiver<(CheckerJob, Cancel)>,
    shared: &Shared,
    busy: &Busy,
    wake: &impl Fn(),
) {
    let mut room = CheckRoom::default();
    let mut waiting = VecDeque::new();
    if let Some(stored) = &runners.stored {
        let found = guarded(|| (stored.find)()).unwrap_or_default();
        if !found.is_empty() {
            change(shared, wake, |news| news.interrupted = found);
        }
        busy.end();
    }
    while let Some((job, cancel)) = waiting.pop_front().or_else(|| incoming.recv().ok()) {
        // The waiting jobs are known here, and so which compiled systems are worth keeping.
        waiting.extend(incoming.try_iter());
        room.announce(waiting.iter().filter_map(checked_later).collect());
        // From here on this is the thread of the checks.
        let found = check_of(job, runners, &cancel, shared, wake);
        let Some((request, runner)) = found else {
            lock(&shared.waiting).pop_front();
            wake();
            busy.end();
            continue;
        };
        change(shared, wake, |news| news.started.push(request.number));
        let outcome = run(&runner, (&request, &mut room), &cancel, shared, wake);
        room.tidy();
        // One check at a time and in order, so the flag at the front is that of this one.
        lock(&shared.waiting).pop_front();
        change(shared, wake, |news| {
            // Progress that was not collected must not arrive after the end, where the check would seem to be
            // running again.
            news.progress = None;
            news.finished.push(outcome);
        });
        busy.end();
    }
}

/// The check that a job is, and how it runs; any other job is done here.
fn check_of(
    job: CheckerJob,
    runners: &Runners,
    cancel: &Cancel,
    shared: &Shared,
    wake: &impl Fn(),
) -> Option<(CheckRequest, CheckRunner)> {
    match job {
        CheckerJob::Check(request) => Some((request, Arc::clone(&runners.check))),
        CheckerJob::Race(request) => {
            told(
                |report| (runners.race)(&request, cancel, report),
                |work| change(shared, wake, |news| work(&mut news.race)),
            );
            None
        }
        CheckerJob::Sizes(request) => {
            told(
                |report| (runners.sizes)(&request, cancel, report),
                |work| change(shared, wake, |news| work(&mut news.sizes)),
            );
            None
        }
        CheckerJob::Resume(folder) => match resumed(runners, &folder) {
            Ok(found) => Some(found),
            Err(why) => {
                lock(&shared.news).refused = Some(why);
                None
            }
        },
    }
}

/// The check that was interrupted in a folder, and how it goes on.
fn resumed(runners: &Runners, folder: &Path) -> Result<(CheckRequest, CheckRunner), String> {
    let Some(stored) = &runners.stored else {
        return Err("no check of this script can be gone on with".to_owned());
    };
    let found = guarded(|| (stored.resume)(folder)).map_err(|failure| failure.summary)?;
    let (number, runner) = found?;
    let request = CheckRequest {
        number,
        symmetry: None,
        both: false,
        counterexamples: 1,
    };
    Ok((request, runner))
}

/// The assertion of a check that waits, unless it was cancelled.
fn checked_later((job, cancel): &(CheckerJob, Cancel)) -> Option<usize> {
    match job {
        CheckerJob::Check(request) if !cancel.is_cancelled() => Some(request.number),
        _ => None,
    }
}

/// Changes the news, and says that there are some.
fn change(shared: &Shared, wake: &impl Fn(), work: impl FnOnce(&mut CheckNews)) {
    work(&mut lock(&shared.news));
    wake();
}

/// Runs one check, and always returns an outcome.
fn run(
    runner: &CheckRunner,
    (request, room): (&CheckRequest, &mut CheckRoom),
    cancel: &Cancel,
    shared: &Shared,
    wake: &impl Fn(),
) -> CheckOutcome {
    let (mut outcome, mut last) = (None, Progress::default());
    let tell = |of_pair| {
        change(shared, wake, |news| {
            // Progress of the run before must not arrive as that of the next one.
            news.progress = None;
            news.pairs.push((request.number, of_pair));
        });
    };
    let mut report = |event| match event {
        CheckEvent::Progress(progress) => {
            last = progress.clone();
            // One place, not a queue: a slow screen sees the latest figures, and is woken only if it has collected
            // those before.
            let slot = &mut lock(&shared.news).progress;
            let waiting = slot.replace((request.number, progress)).is_some();
            if !waiting {
                wake();
            }
        }
        CheckEvent::Reduced(reduced) => tell(PairNews::Reduced(reduced)),
        CheckEvent::Compared(pair) => tell(PairNews::Compared(pair)),
        CheckEvent::Finished(end) => outcome = Some(*end),
    };
    // Cancelled while it waited: the request gets an outcome all the same.
    let ran = if cancel.is_cancelled() {
        Ok(())
    } else {
        guarded(|| runner(request, room, cancel, &mut report))
    };
    let verdict = match ran {
        Err(failure) => Verdict::Error(failure),
        Ok(()) if cancel.is_cancelled() => Verdict::Inconclusive("cancelled".to_string()),
        Ok(()) => Verdict::Inconclusive("the check ended without a verdict".to_string()),
    };
    // An outcome that was reported counts, even if the runner panicked or was cancelled afterwards.
    outcome.unwrap_or_else(|| CheckOutcome {
        progress: last,
        stopped: cancel.is_cancelled().then_some(Stop::Cancelled),
        ..CheckOutcome::new(request.number, String::new(), verdict)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn checks(check: CheckRunner) -> Runners {
        let race: RaceRunner = Arc::new(|request, _, report| {
            assert!(*request != RaceRequest::Assertion(2), "no second race");
            report(RaceNews::Progress("exact", Progress::default()));
            report(RaceNews::Progress("walk", Progress::default()));
        });
        Runners {
            check,
            race,
            sizes: Arc::new(|_, _, _| {}),
            stored: None,
        }
    }

    fn request(number: usize) -> CheckRequest {
        CheckRequest {
            number,
            symmetry: None,
            both: false,
            counterexamples: 1,
        }
    }

    fn settle(checker: &Checker, busy: &Busy) -> Vec<CheckOutcome> {
        let mut all = Vec::new();
        loop {
            let idle = busy.is_idle();
            all.extend(checker.news().finished);
            if idle {
                return all;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn checks_run_in_order_and_a_panic_is_an_outcome() {
        let runner: CheckRunner = Arc::new(|request, _, _, _| {
            assert!(request.number != 2, "two is not a good number");
        });
        let busy = Busy::default();
        let checker = Checker::start(checks(runner), busy.clone(), || {}).unwrap();
        (1..=3).for_each(|n| checker.submit(request(n)));
        let outcomes = settle(&checker, &busy);
        assert_eq!(
            outcomes.iter().map(|o| o.number).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        let Verdict::Error(failure) = &outcomes[1].verdict else {
            panic!("{:?}", outcomes[1]);
        };
        assert!(failure.summary.contains("two is not a good number"));
    }

    #[test]
    fn races_run_in_order_and_always_end() {
        let runner: CheckRunner = Arc::new(|_, _, _, _| {});
        let busy = Busy::default();
        let checker = Checker::start(checks(runner), busy.clone(), || {}).unwrap();
        (1..=2).for_each(|n| checker.submit_race(RaceRequest::Assertion(n)));
        while !busy.is_idle() {
            thread::sleep(Duration::from_millis(1));
        }
        let news = checker.news().race;
        let ends = |news: &RaceNews| match news {
            RaceNews::Ended(Err(failure)) => Some(failure.summary.clone()),
            _ => None,
        };
        let ends: Vec<String> = news.iter().filter_map(ends).collect();
        assert_eq!(ends[0], "it ended without a result");
        assert!(ends[1].contains("no second race"), "{ends:?}");
        // The latest progress only.
        let progress = RaceNews::Progress("walk", Progress::default());
        assert_eq!(news[..2], [RaceNews::Started, progress]);
    }

    #[test]
    fn cancelling_ends_the_running_and_the_waiting() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begun);
        let runner: CheckRunner = Arc::new(move |_, _, cancel, report| {
            count.fetch_add(1, Ordering::SeqCst);
            while !cancel.is_cancelled() {
                report(CheckEvent::Progress(Progress::default()));
                thread::sleep(Duration::from_millis(1));
            }
        });
        let busy = Busy::default();
        let checker = Checker::start(checks(runner), busy.clone(), || {}).unwrap();
        checker.submit(request(1));
        checker.submit(request(2));
        while begun.load(Ordering::SeqCst) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        checker.cancel_all();
        let outcomes = settle(&checker, &busy);
        assert_eq!(outcomes.len(), 2);
        assert_eq!(begun.load(Ordering::SeqCst), 1);
        let cancelled = Verdict::Inconclusive("cancelled".to_string());
        assert!(outcomes.iter().all(|o| o.verdict == cancelled));
    }

    #[test]
    fn dropping_cancels_and_joins() {
        let runner: CheckRunner = Arc::new(|_, _, cancel, _| {
            while !cancel.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        let busy = Busy::default();
        let checker = Checker::start(checks(runner), busy.clone(), || {}).unwrap();
        checker.submit(request(1));
        drop(checker);
        assert!(busy.is_idle());
    }
}
