//! `orbitscope worker`: takes part in checks of other machines, one after the other.
//!
//! Two processes: this one opens the port, and starts another one with it, which serves one check and ends. A check
//! that fails or is killed leaves the worker as it was for the next one. The other process ends with this one.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::check::chosen;
use super::check_options::options;
use super::host_file::{read_key, resolved};
use super::job::{ReceivedJob, read_job};
use super::limits::limits;
use super::output::Output;
use super::sharing::{ENDING, MEETING};
use super::worker_args::{LISTENS, WorkerArgs};
use super::{LATE, USAGE, complain};
use crate::animate::model::Verdict;
use crate::report::checks;
use crate::source::{Bounds, Cancel};
use orbitscope_engine::check::shared_systems::SharedSystems;
use orbitscope_engine::check::{ProcessPlan, StorePlan};
use orbitscope_engine::mesh::{Desk, LinkEnd, Mesh, OnEnd, SearchKey, WorkerJob};
use orbitscope_language::script::load::load_sent;

/// Time before the next check is waited for.
const BETWEEN: Duration = Duration::from_millis(100);

/// Waits for checks and takes part in them, until a signal ends it. Returns the exit code.
pub fn run(args: &WorkerArgs) -> u8 {
    let ended = match args.serves {
        true => serve(args),
        false => oversee(args),
    };
    ended.unwrap_or_else(|message| {
        complain(&message);
        USAGE
    })
}

/// Opens the port, and starts a process for each check.
fn oversee(args: &WorkerArgs) -> Result<u8, String> {
    let key = match args.has_key_on_stdin() {
        true => key_on_stdin().map_err(|error| format!("no key: {error}"))?,
        false => read_key(&args.key)?,
    };
    let address = resolved(&args.listen).map_err(|why| format!("`{}` {why}", args.listen))?;
    let failed = |error: io::Error| format!("`{}`: {error}", args.listen);
    let listener = TcpListener::bind(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let mut output = Output::default();
    output.write(&format!("{LISTENS}{address}\n"));
    loop {
        let ended = one_check(&listener, &key);
        let ended = ended.map_err(|error| format!("no check can be served: {error}"))?;
        match ended.code() {
            // It could not serve any.
            Some(code) if code == i32::from(USAGE) => return Ok(USAGE),
            Some(_) => {}
            // By a signal.
            None => complain(&format!("the process of a check was ended: {ended}")),
        }
        if args.once {
            return Ok(u8::from(!ended.success()) * LATE);
        }
        thread::sleep(BETWEEN);
    }
}

/// The key that comes on standard input. From then on this process ends when its input ends: with the process that has
/// started it.
fn key_on_stdin() -> io::Result<SearchKey> {
    let mut key = [0; 32];
    io::stdin().read_exact(&mut key)?;
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(i32::from(LATE));
    });
    Ok(SearchKey::new(key))
}

/// Lets another process serve a check.
fn one_check(listener: &TcpListener, key: &SearchKey) -> io::Result<ExitStatus> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .arg("--serves")
        .stdin(Stdio::piped())
        .stdout(handed_on(listener)?)
        .spawn()?;
    // It is open as long as this process is there.
    let mut lifeline = child.stdin.take();
    if let Some(lifeline) = &mut lifeline {
        // One that has ended already says so by its exit code.
        let _ = lifeline.write_all(key.bytes());
    }
    child.wait()
}

/// Serves a check, on the port that the process above has opened.
fn serve(args: &WorkerArgs) -> Result<u8, String> {
    let wrong = |_| "`--serves` is for processes that this program starts".to_owned();
    let listener = handed_over().map_err(wrong)?;
    let is_told = !args.has_key_on_stdin();
    let desk = Desk {
        key: key_on_stdin().map_err(wrong)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        note: Box::new(move |from, error| {
            // Who has started a worker with a key of its own knows what becomes of it.
            if is_told {
                complain(&format!("{from} was refused: {error}"));
            }
        }),
    };
    let jobs = desk.open(listener).map_err(|error| error.to_string())?;
    let job = jobs.recv().map_err(|error| error.to_string())?;
    let from = job.from;
    if is_told {
        complain(&format!("{from} begins a check"));
    }
    let how = take_part(job, args).unwrap_or_else(|why| format!(": {why}"));
    if is_told {
        complain(&format!("the check of {from} has ended{how}"));
    }
    Ok(0)
}

/// Does the part of this process in a check. Returns how it ended, where that is worth saying.
fn take_part(job: WorkerJob, args: &WorkerArgs) -> Result<String, String> {
    let begun = Instant::now();
    let cancel = Cancel::default();
    let refused = |why: String| {
        job.refuse(&io::Error::other(why.clone()));
        why
    };
    let received = read_job(&job.body).map_err(refused)?;
    let ReceivedJob {
        args: asked,
        files,
        stored,
    } = received;
    let store = stored.map(|stored| match &args.store {
        Some(folder) => asked.store.plan_of_worker((folder, args.disk), stored),
        None => Err("the worker has no folder for states (`worker --store DIR`)".to_owned()),
    });
    let store = store.transpose().map_err(refused)?;
    let mut limits = limits(&asked, begun);
    if let Some(most) = args.memory {
        let resident = limits.resident_max.min(most);
        let counted = limits.memory_max.min(most);
        limits = limits.with_memory(counted);
        limits.resident_max = resident;
    }
    let loaded = load_sent(files, &Bounds::new(&limits, &cancel));
    let numbers = chosen(&loaded, &asked).map_err(refused)?;
    let &[number] = &numbers[..] else {
        return Err(refused("several machines check one assertion".to_owned()));
    };
    let (own, from) = (job.number, job.from);
    let late = || begun.elapsed() > MEETING;
    let sockets = job.meet(&late).map_err(|error| error.to_string())?;
    let mesh = Mesh::new(own, sockets, &on_end(&cancel, from)).map_err(|e| e.to_string())?;
    let mut options = options(&asked, limits);
    let own_time = asked
        .many
        .timeout_each
        .and_then(|time| begun.checked_add(time));
    options.limits.deadline = own_time.into_iter().chain(options.limits.deadline).min();
    options.threads = options
        .threads
        .min(args.workers.map_or(usize::MAX, usize::from));
    let after = asked.processes.share_after.unwrap_or(StorePlan::AFTER);
    options.processes = Some(ProcessPlan::new(mesh, after));
    options.store.clone_from(&store);
    let mut shared = SharedSystems::for_assertions(&loaded.script, [number - 1]);
    shared.begin(number - 1, &options.limits);
    let how = (&options, &cancel);
    let outcome = checks::run_sharing(&loaded, number, how, &mut shared, &mut |_| {});
    let left = store.and_then(|plan| leave_folder(&plan, &outcome.verdict));
    Ok(match outcome.verdict {
        Verdict::Inconclusive(why) => format!(": {why}"),
        _ => left.map_or(String::new(), |why| format!("; {why}")),
    })
}

/// Removes the files of a check that has a verdict. Those of others stay: the check may go on.
fn leave_folder(plan: &StorePlan, verdict: &Verdict) -> Option<String> {
    let space = &plan.folder.space;
    match verdict {
        Verdict::Inconclusive(_) | Verdict::Error(_) => {
            space.leave();
            None
        }
        _ => space.clear().err().map(|error| error.to_string()),
    }
}

/// Ends this process where another one of the check ends.
fn on_end(cancel: &Cancel, from: SocketAddr) -> OnEnd {
    let cancel = cancel.clone();
    Arc::new(move |process, how| {
        match (process, how) {
            // It has what it wanted, or gives up.
            (0, LinkEnd::Left) => {}
            (_, LinkEnd::Left) => return,
            (process, LinkEnd::Lost) => {
                complain(&format!("process {process} of the check of {from} is lost"));
            }
        }
        cancel.cancel();
        thread::sleep(ENDING);
        // What is computed here is of no use to anyone, and may not look for long.
        std::process::exit(i32::from(LATE));
    })
}

/// The port, as the standard output of another process.
#[cfg(unix)]
fn handed_on(listener: &TcpListener) -> io::Result<Stdio> {
    Ok(std::os::fd::OwnedFd::from(listener.try_clone()?).into())
}

/// The port that the process above has opened: the standard output.
#[cfg(unix)]
fn handed_over() -> io::Result<TcpListener> {
    use std::os::fd::AsFd as _;
    let listener = TcpListener::from(io::stdout().as_fd().try_clone_to_owned()?);
    listener.local_addr()?;
    Ok(listener)
}

#[cfg(not(unix))]
fn handed_on(_: &TcpListener) -> io::Result<Stdio> {
    Err(io::Error::other(
        "a worker needs a system such as Linux or macOS",
    ))
}

#[cfg(not(unix))]
fn handed_over() -> io::Result<TcpListener> {
    Err(io::Error::other(
        "a worker needs a system such as Linux or macOS",
    ))
}
