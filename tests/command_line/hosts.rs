//! Checks that workers at several addresses share: the same results, whom a worker refuses, and an end of all where one is
//! lost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::processes::{children, command, endless, is_running, kill, result, text, wait_until};
use crate::support::{repository, script};

/// A file of this test run, with a mode.
fn file(name: &str, bytes: &[u8], mode: u32) -> PathBuf {
    let path = script(name, bytes);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("set");
    path
}

fn key(name: &str) -> PathBuf {
    file(name, &[b'k'; 40], 0o600)
}

/// A worker of this machine, which ends with the test.
struct Worker {
    process: Child,
    address: String,
}

impl Worker {
    fn start(key: &Path, extra: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
            .args(["worker", "--listen", "127.0.0.1:0", "--key", text(key)])
            .args(extra)
            // It finds no script here.
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let mut told = BufReader::new(process.stdout.take().expect("piped"));
        told.read_line(&mut line).expect("a line");
        let address = line.split_whitespace().last().expect("an address");
        let address = address.to_owned();
        assert!(line.starts_with("orbitscope worker listens on "), "{line}");
        Self { process, address }
    }

    /// The process that serves a check, and those that do.
    fn serving(&self) -> u32 {
        let mut found = Vec::new();
        wait_until("it serves", || {
            found = children(self.process.id());
            !found.is_empty()
        });
        found[0]
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let serving = children(self.process.id());
        let _ = self.process.kill();
        let _ = self.process.wait();
        wait_until("it ends with the worker", || {
            !serving.iter().any(|process| is_running(*process))
        });
    }
}

fn workers(key: &Path, number: usize) -> Vec<Worker> {
    (0..number).map(|_| Worker::start(key, &[])).collect()
}

/// The arguments for a list of workers, which is written.
fn hosts(name: &str, workers: &[Worker]) -> PathBuf {
    let mut list = "# workers of this machine\n\n".to_owned();
    for worker in workers {
        list.push_str(&format!("{}  # one\n", worker.address));
    }
    file(name, list.as_bytes(), 0o644)
}

fn check(args: &[&str], (list, key): (&Path, &Path)) -> Command {
    let mut check = command(args);
    check.args(["--quiet", "--format", "json"]);
    check.args(["--hosts", text(list), "--key", text(key)]);
    check.stdout(Stdio::piped()).stderr(Stdio::piped());
    check
}

fn told(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// A check that goes on until it is ended.
fn begin(list: &Path, key: &Path) -> Child {
    let path = endless();
    let args = [text(&path), "-a", "1", "--share-after", "1000"];
    check(&args, (list, key)).spawn().expect("it starts")
}

/// A check that ends, and finds what it does alone.
#[track_caller]
fn serves_another(list: &Path, key: &Path) {
    let path = repository("models/peterson.csp");
    let args = [text(&path), "-a", "1", "--share-after", "20"];
    let ran = check(&args, (list, key)).output().expect("it runs");
    assert_eq!(ran.status.code(), Some(0), "{}", told(&ran));
    let shared = String::from_utf8_lossy(&ran.stdout);
    assert!(shared.contains("waited_seconds"), "{shared}");
}

/// A script in two files: assertions that hold, also where divergence counts, and one that fails far from the beginning.
fn in_two_files() -> PathBuf {
    script(
        "hosts_part.csp",
        "datatype D = A | B | C\nchannel in, mid, out : D\n\
         B1(s) = #s < 3 & in?x -> B1(s^<x>) [] s != <> & mid!head(s) -> B1(tail(s))\n\
         B2(s) = #s < 3 & mid?x -> B2(s^<x>) [] s != <> & out!head(s) -> B2(tail(s))\n",
    );
    script(
        "hosts_whole.csp",
        "include \"hosts_part.csp\"\nTwo = B1(<>) [| {|mid|} |] B2(<>)\n\
         Spec(n, s) = #s < n & in?x -> Spec(n, s^<x>) [] s != <> & out!head(s) -> Spec(n, tail(s))\n\
         assert Spec(6, <>) [F= Two \\ {|mid|}\nassert Spec(5, <>) [T= Two \\ {|mid|}\n\
         assert Spec(6, <>) [FD= Two \\ {|mid|}\nassert Two \\ {|in, mid|} :[divergence free]\n",
    )
}

/// Also where the workers have none of the files.
#[test]
fn results_are_those_of_one_process() {
    let key = key("equal.key");
    let workers = workers(&key, 4);
    for (path, number, option) in [
        (repository("models/stack_aba.csp"), "1", "--stats"),
        (in_two_files(), "1", "--count-full"),
        (in_two_files(), "2", "--por"),
        (in_two_files(), "3", "--count-full"),
        (in_two_files(), "4", "--stats"),
    ] {
        let args = [
            text(&path),
            "-a",
            number,
            option,
            "--no-merging",
            "--share-after",
            "50",
        ];
        let mut alone = command(&args);
        alone.args(["--quiet", "--format", "json", "--processes", "1"]);
        let alone = alone.output().expect("it runs");
        for count in [1, 2, 4] {
            let list = hosts("equal.hosts", &workers[..count]);
            let shared = check(&args, (&list, &key)).output().expect("it runs");
            assert_eq!(shared.status, alone.status, "{}", told(&shared));
            assert_eq!(result(&shared), result(&alone), "{path:?} {number} {count}");
        }
    }
}

/// A check whose states are on the disks of the workers: also after a limit has ended it, and with the same workers. Those that
/// have none of its files, or no folder, are named.
#[test]
fn states_are_on_the_disks_of_the_workers() {
    let key = key("stored.key");
    let folder = script("stored_at_workers", "").with_file_name("stored_of_hosts");
    let _ = std::fs::remove_dir_all(&folder);
    let of_worker = |number: u32| folder.join(format!("worker-{number}"));
    let start = |number| Worker::start(&key, &["--store", text(&of_worker(number))]);
    let workers = vec![start(1), start(2)];
    let list = hosts("stored.hosts", &workers);
    let model = repository("models/list_stack.csp");
    let states = folder.join("states");
    let late = [
        "--share-after",
        "500",
        "--store-after",
        "500",
        "--no-merging",
    ];
    let begin = ["-a", "1", "--store", text(&states), "--max-states"];
    let args = [&[text(&model)][..], &late, &begin].concat();
    let ran = check(&[&args[..], &["60000"]].concat(), (&list, &key)).output();
    let ran = ran.expect("it runs");
    assert_eq!(ran.status.code(), Some(4), "{}", told(&ran));
    let files = |number| {
        let searches = std::fs::read_dir(of_worker(number)).into_iter().flatten();
        let searches = searches.map(|entry| entry.expect("read").path());
        let count = |search| std::fs::read_dir(search).expect("a folder").count();
        searches.map(count).sum::<usize>()
    };
    assert!(files(1) > 10 && files(2) > 10);
    let resume = || {
        let now = ["--resume", text(&states), "--max-states", "1000000"];
        let ran = command(&[&now[..], &["--quiet", "--format", "json"]].concat()).output();
        ran.expect("it runs")
    };
    // In the other order each has the files of the other one.
    let turned = workers.iter().rev();
    let lines: String = turned.map(|w| format!("{}\n", w.address)).collect();
    std::fs::write(&list, lines).expect("written");
    let wrong = resume();
    assert_eq!(wrong.status.code(), Some(3), "{}", told(&wrong));
    assert!(
        told(&wrong).contains("is a file of another search"),
        "{}",
        told(&wrong)
    );
    assert_eq!(hosts("stored.hosts", &workers), list);
    let shared = resume();
    let alone = [&[text(&model)][..], &late[4..], &["-a", "1"]].concat();
    let mut alone = command(&alone);
    let alone = alone.args(["--quiet", "--format", "json", "--processes", "1"]);
    assert_eq!(result(&shared), result(&alone.output().expect("it runs")));
    assert_eq!((files(1), files(2)), (0, 0));
    assert!(!states.exists(), "{states:?}");
    let without = Worker::start(&key, &[]);
    let list = hosts("without_store.hosts", std::slice::from_ref(&without));
    let ran = check(&[&args[..], &["60000"]].concat(), (&list, &key)).output();
    let ran = ran.expect("it runs");
    let why = format!("{}: the worker has no folder for states", without.address);
    assert!(told(&ran).contains(&why), "{}", told(&ran));
    assert!(!states.exists(), "{states:?}");
}

/// Lists of workers that cannot be used, and what is said of them.
const WRONG_LISTS: [(&str, &str); 6] = [
    ("", "lists no worker"),
    ("# none\n", "lists no worker"),
    ("here\n", "line 1 of"),
    (
        "127.0.0.1:1\n127.0.0.1:1 # again\n",
        "`127.0.0.1:1` is listed twice",
    ),
    ("ssh:-x\n", "names no host"),
    // Nothing listens there.
    ("127.0.0.1:1\n", "127.0.0.1:1: "),
];

#[test]
fn what_does_not_fit_is_refused() {
    let good = key("refused.key");
    let worker = Worker::start(&good, &[]);
    let list = hosts("refused.hosts", std::slice::from_ref(&worker));
    let model = repository("models/peterson.csp");
    let refused = |args: &[&str], list: &Path, key: &Path, why: &str| {
        let ran = check(&[&[text(&model)][..], args].concat(), (list, key)).output();
        let ran = ran.expect("it runs");
        assert_eq!(ran.status.code(), Some(2), "{}", told(&ran));
        assert!(told(&ran).contains(why), "{}", told(&ran));
    };
    let one = ["-a", "1"];
    refused(&[], &list, &good, "`--hosts` is for one assertion");
    refused(
        &["-a", "1", "--processes", "2"],
        &list,
        &good,
        "cannot be used with",
    );
    let other = file("other.key", &[b'o'; 40], 0o600);
    refused(&one, &list, &other, "it does not know the key");
    let open = file("open.key", &[b'k'; 40], 0o640);
    refused(&one, &list, &open, "may be read by others");
    let short = file("short.key", b"k", 0o600);
    refused(
        &one,
        &list,
        &short,
        "has 1 bytes, and a key has at least 32",
    );
    refused(&one, &list, Path::new("/dev/zero"), "is no regular file");
    refused(&one, Path::new("none.hosts"), &good, "cannot be read");
    for (text, why) in WRONG_LISTS {
        let list = file("wrong.hosts", text.as_bytes(), 0o644);
        refused(&one, &list, &good, why);
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(["worker", "--listen", "127.0.0.1:0", "--key", text(&open)])
        .output()
        .expect("it runs");
    assert_eq!(ran.status.code(), Some(2), "{}", told(&ran));
    assert!(
        told(&ran).contains("may be read by others"),
        "{}",
        told(&ran)
    );
    // After all of that the worker is as it was.
    serves_another(&list, &good);
}

/// Strangers that say nothing, too little or too much do not keep a worker from its work.
#[test]
fn strangers_do_not_hinder_a_worker() {
    let key = key("strangers.key");
    let worker = Worker::start(&key, &[]);
    let mut open = Vec::new();
    let mut garbage = vec![
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        Vec::new(),
        vec![0; 1 << 20],
        b"orbitscope-jobs2".to_vec(),
        b"orbitscope-link2".to_vec(),
        b"orbitscope-jobs1".to_vec(),
    ];
    let mut whole = b"orbitscope-jobs2".to_vec();
    whole.extend([255; 4096]);
    garbage.push(whole);
    for garbage in garbage {
        let mut socket = TcpStream::connect(&worker.address).expect("connected");
        let _ = socket.write_all(&garbage);
        open.push(socket);
    }
    let list = hosts("strangers.hosts", std::slice::from_ref(&worker));
    serves_another(&list, &key);
    // They are let go within some seconds; nothing but a greeting is ever said to them.
    for mut socket in open {
        let limit = Some(Duration::from_secs(20));
        socket.set_read_timeout(limit).expect("set");
        let mut told = Vec::new();
        // An error is that the worker has closed it before it has read all.
        let read = socket.read_to_end(&mut told);
        assert!(read.is_ok() || read.is_err_and(|e| e.kind() != std::io::ErrorKind::WouldBlock));
        assert!(told.len() <= 80, "{told:?}");
    }
}

/// Whichever process is killed or stopped, and whenever: the check ends, undecided, and names it, and another one can be
/// served.
#[test]
fn a_worker_that_is_lost_ends_all() {
    let key = key("lost.key");
    let workers = workers(&key, 3);
    let list = hosts("lost.hosts", &workers);
    for (victim, signal, millis) in [
        (0, "-9", 900),
        (2, "-TERM", 1_300),
        (1, "-9", 0),
        (1, "-9", 200),
        (1, "-STOP", 1_500),
    ] {
        let mut child = begin(&list, &key);
        std::thread::sleep(Duration::from_millis(millis));
        // One that is stopped is given ten seconds, and before they have met, thirty.
        let patience = Duration::from_secs(if signal == "-STOP" { 170 } else { 10 });
        let victim = &workers[victim];
        let mut hit = 0;
        // One that is killed before it is called makes room for the next, and the check goes on.
        wait_until("the check ends", || {
            hit = victim.serving();
            kill(signal, hit);
            let begun = Instant::now();
            let is_over = |child: &mut Child| child.try_wait().expect("asked").is_some();
            while begun.elapsed() < patience && !is_over(&mut child) {
                std::thread::sleep(Duration::from_millis(10));
            }
            is_over(&mut child)
        });
        if signal == "-STOP" {
            kill("-CONT", hit);
        }
        let ran = child.wait_with_output().expect("it has ended");
        let name = format!("{}, is lost", victim.address);
        match ran.status.code() {
            Some(4) => assert!(told(&ran).contains(&name), "{name} {}", told(&ran)),
            // It was killed before they had met.
            code => assert!(
                code == Some(2) && told(&ran).contains("do not meet"),
                "{code:?} {}",
                told(&ran)
            ),
        }
        wait_until("it ends", || !is_running(hit));
    }
    serves_another(&list, &key);
}

/// With the worker, what it serves ends.
#[test]
fn a_check_ends_with_the_worker() {
    let key = key("ended.key");
    let mut workers = workers(&key, 2);
    let list = hosts("ended.hosts", &workers);
    let child = begin(&list, &key);
    std::thread::sleep(Duration::from_millis(1_200));
    workers[1].process.kill().expect("killed");
    let ran = child.wait_with_output().expect("it ends");
    assert_eq!(ran.status.code(), Some(4), "{}", told(&ran));
    let name = format!("{}, is lost", workers[1].address);
    assert!(told(&ran).contains(&name), "{}", told(&ran));
    let left = hosts("left.hosts", &workers[..1]);
    serves_another(&left, &key);
}

/// However the process ends that calls: its workers go on to the next check.
#[test]
fn workers_outlive_who_calls_them() {
    let key = key("caller.key");
    let workers = workers(&key, 2);
    let list = hosts("caller.hosts", &workers);
    for (signal, code, millis) in [
        ("-9", None, 900),
        ("-INT", Some(130), 900),
        ("-9", None, 100),
    ] {
        let mut child = begin(&list, &key);
        std::thread::sleep(Duration::from_millis(millis));
        kill(signal, child.id());
        assert_eq!(child.wait().expect("it ends").code(), code);
        serves_another(&list, &key);
    }
}

#[test]
fn a_worker_serves_one_check_at_a_time() {
    let key = key("engaged.key");
    let workers = workers(&key, 2);
    let list = hosts("engaged.hosts", &workers);
    let mut first = begin(&list, &key);
    std::thread::sleep(Duration::from_millis(1_000));
    let second = begin(&hosts("second.hosts", &workers[1..]), &key);
    let ran = second.wait_with_output().expect("it ends");
    assert_eq!(ran.status.code(), Some(2), "{}", told(&ran));
    let why = format!(
        "{}: the worker takes part in another check",
        workers[1].address
    );
    assert!(told(&ran).contains(&why), "{}", told(&ran));
    assert!(
        first.try_wait().expect("asked").is_none(),
        "the first one goes on"
    );
    kill("-INT", first.id());
    assert_eq!(first.wait().expect("it ends").code(), Some(130));
    serves_another(&list, &key);
}

/// Those of the check and those of a worker.
#[test]
fn limits_end_all() {
    let key = key("limits.key");
    let workers = vec![
        Worker::start(&key, &["--memory", "4G", "--workers", "1"]),
        Worker::start(&key, &["--once"]),
    ];
    let list = hosts("limits.hosts", &workers);
    for limit in [["--timeout", "4s"], ["--max-states", "20000"]] {
        if limit[0] == "--max-states" {
            // The second worker has ended after its check.
            wait_until("it ends", || !is_running(workers[1].process.id()));
        }
        let list = match limit[0] {
            "--timeout" => list.clone(),
            _ => hosts("limits_one.hosts", &workers[..1]),
        };
        let path = endless();
        let args = [
            text(&path),
            "-a",
            "1",
            "--share-after",
            "1000",
            limit[0],
            limit[1],
        ];
        let ran = check(&args, (&list, &key)).output().expect("it ends");
        assert_eq!(ran.status.code(), Some(4), "{}", told(&ran));
        assert!(
            told(&ran).contains("limit reached") || told(&ran).contains("time allowed"),
            "{}",
            told(&ran)
        );
    }
}

/// Workers that are started there: by a stand-in for `ssh` that starts them here.
#[test]
fn workers_are_started_through_ssh() {
    let folder = script("bin_of_ssh", "").with_file_name("ssh_of_hosts");
    std::fs::create_dir_all(&folder).expect("made");
    let stand_in =
        "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nexec sh -c \"$*\"\n";
    std::fs::write(folder.join("ssh"), stand_in).expect("written");
    std::fs::set_permissions(folder.join("ssh"), PermissionsExt::from_mode(0o755)).expect("set");
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", folder.display());
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let model = in_two_files();
    let run = |list: &str, key: Option<&Path>| {
        let list = file("ssh.hosts", list.as_bytes(), 0o644);
        let mut check = command(&[text(&model), "-a", "1", "--quiet", "--format", "json"]);
        check.args([
            "--no-merging",
            "--share-after",
            "50",
            "--hosts",
            text(&list),
        ]);
        if let Some(key) = key {
            check.args(["--key", text(key)]);
        }
        check.env("PATH", &path).output().expect("it runs")
    };
    let mut alone = command(&[text(&model), "-a", "1", "--quiet", "--format", "json"]);
    alone.args(["--no-merging", "--share-after", "50", "--processes", "1"]);
    let alone = alone.output().expect("it runs");
    let line = format!("ssh:me@somewhere address=127.0.0.1 path={program}\n");
    let shared = run(&format!("{line}ssh:127.0.0.1 path={program}\n"), None);
    assert_eq!(shared.status.code(), Some(0), "{}", told(&shared));
    assert_eq!(result(&shared), result(&alone));
    // With states on its disk, of which nothing is left.
    let store = folder.join("of_worker");
    let states = folder.join("states");
    let list = file(
        "stored_ssh.hosts",
        format!("{} store={}\n", line.trim(), text(&store)).as_bytes(),
        0o644,
    );
    let mut check = command(&[text(&model), "-a", "1", "--quiet", "--format", "json"]);
    check.args(["--no-merging", "--share-after", "50", "--store-after", "50"]);
    check.args(["--hosts", text(&list), "--store", text(&states)]);
    let stored = check.env("PATH", &path).output().expect("it runs");
    assert_eq!(result(&stored), result(&alone), "{}", told(&stored));
    assert!(!states.exists());
    assert_eq!(std::fs::read_dir(&store).expect("a folder").count(), 0);
    // Beside one that listens, with the key of that.
    let key = key("ssh.key");
    let worker = Worker::start(&key, &[]);
    let both = format!("{line}{}\n", worker.address);
    let shared = run(&both, Some(&key));
    assert_eq!(result(&shared), result(&alone));
    let without = run(&both, None);
    assert_eq!(without.status.code(), Some(2), "{}", told(&without));
    assert!(
        told(&without).contains("need their key"),
        "{}",
        told(&without)
    );
    let absent = run("ssh:127.0.0.1 path=/nowhere/orbitscope\n", None);
    assert_eq!(absent.status.code(), Some(2), "{}", told(&absent));
    assert!(
        told(&absent).contains("127.0.0.1: no worker has started there"),
        "{}",
        told(&absent)
    );
}
