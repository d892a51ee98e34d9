//! A search that several processes share comes to the same as one of one process: verdicts, counts, and counterexamples
//! to the letter. Here threads play the processes, each with a check of its own.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::{Options, ProcessPlan, StorePlan};
use orbitscope::mesh::{Mesh, OnEnd};
use orbitscope::script::load::{Loaded, load};
use orbitscope::search::disk_store::DiskBudget;
use orbitscope::search::keeping::KeepingKind;
use orbitscope::search::on_disk::SearchFolder;
use orbitscope::source::Stop;
use orbitscope::spill::Space;
use proptest::prelude::*;

use crate::on_disk::{BUDGETS, Folder, WITH_RANDOM_RUNS, is_refused, result, walks};
use crate::random_scripts::{self, ASSERTIONS};
use crate::support::{
    bounded, check, corpus, options, repository, say, script, scripts_below, sound, tiers,
    unmerged, verdict,
};

/// States of a search that is compared.
const STATES_MAX: usize = 6_000;

/// The connections between this many processes, for each of them.
fn meshes(processes: usize) -> Vec<Mesh> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut sockets: Vec<Vec<Option<TcpStream>>> = Vec::new();
    for own in 0..processes {
        // Connected to those before, and not to itself.
        let mut row = Vec::new();
        for before in &mut sockets {
            let to = TcpStream::connect(address).expect("a connection");
            before.push(Some(listener.accept().expect("the same").0));
            row.push(Some(to));
        }
        debug_assert_eq!(row.len(), own);
        row.push(None);
        sockets.push(row);
    }
    let on_end: OnEnd = Arc::new(|_, _| {});
    let each = sockets.into_iter().enumerate();
    each.map(|(own, sockets)| Mesh::new(own, sockets, &on_end).expect("threads"))
        .collect()
}

/// How processes share a check.
struct Sharing<'s> {
    /// The number of states after which they do.
    after: usize,
    /// Where their states are, if they are on disk.
    disk: Option<SharedDisk<'s>>,
}

/// The states of several processes on disk.
#[derive(Clone, Copy)]
struct SharedDisk<'s> {
    folder: &'s Folder,
    budget: DiskBudget,
    /// Bytes that the files of the last process may take.
    room: Option<u64>,
    resume: bool,
}

impl SharedDisk<'_> {
    fn plan(&self, after: usize, (own, processes): (usize, usize)) -> StorePlan {
        let folder = self.folder.0.join(format!("process-{own}"));
        let room = self.room.filter(|_| own + 1 == processes);
        StorePlan {
            folder: SearchFolder {
                space: Space::open(&folder, room).expect("a folder"),
                asked: String::new(),
                commit_every: Duration::from_micros(50),
            },
            resume: self.resume,
            after,
            budget: Some(self.budget),
        }
    }
}

/// The outcomes of all processes that share a check. Each has a script of its own.
fn shared(
    paths: &[&Path],
    number: usize,
    options: &Options,
    sharing: &Sharing<'_>,
) -> Vec<CheckOutcome> {
    thread::scope(|scope| {
        let run = |(own, (mesh, path)): (usize, (Mesh, &&Path))| {
            let path = path.to_path_buf();
            let options = Options {
                processes: Some(ProcessPlan::new(mesh, sharing.after)),
                store: sharing
                    .disk
                    .map(|disk| disk.plan(sharing.after, (own, paths.len()))),
                ..options.clone()
            };
            scope.spawn(move || {
                let loaded = load(&path, None).expect("a script");
                check(&loaded, number, &options)
            })
        };
        let all = meshes(paths.len()).into_iter().zip(paths).enumerate();
        let running: Vec<_> = all.map(run).collect();
        let ended = running.into_iter().map(|one| one.join().expect("no panic"));
        ended.collect()
    })
}

/// The number of processes, that of states after which they share the search, threads; and on disk the memory, and the part
/// of what the files of a process took before that it has room for: then all go on from a commit.
type Way = (usize, usize, usize, Option<(usize, Option<f64>)>);

/// Ways to share a search.
const GROUPS: [&[Way]; 5] = [
    &[(2, 1, 1, None)],
    &[(2, 1, 2, Some((0, None))), (3, 3, 1, Some((1, Some(0.8))))],
    &[(3, 20, 2, None)],
    &[(5, 7, 1, Some((2, None))), (1, 4, 1, Some((0, Some(0.6))))],
    &[(5, 4, 1, None)],
];

/// Some of them, other ones at each turn.
fn some_ways(turn: usize) -> impl Iterator<Item = Way> {
    let count = (tiers::cases(5) as usize).min(GROUPS.len());
    let turns = turn * count..(turn + 1) * count;
    turns.flat_map(|n| GROUPS[n % GROUPS.len()]).copied()
}

/// Compares searches of one and of several processes, in memory and on disk; whether they were compared.
fn compare(
    (path, loaded): (&Path, &Loaded),
    number: usize,
    options: &Options,
    turn: usize,
) -> Result<bool, String> {
    let alone = check(loaded, number, options);
    if result(&alone).1.is_none() && alone.diagnostic.is_none() {
        // Time, or memory for tables.
        return Ok(false);
    }
    let (mut compared, mut bytes) = (false, 0.0);
    for (processes, after, threads, disk) in some_ways(turn) {
        let options = Options {
            threads,
            ..options.clone()
        };
        let paths = vec![path; processes];
        let outcomes = match disk {
            None => shared(&paths, number, &options, &Sharing { after, disk: None }),
            Some((budget, part)) => {
                let room = part.map(|part| (bytes * part / processes as f64) as u64);
                on_disk(&paths, number, &options, (after, BUDGETS[budget], room))
            }
        };
        // Where the time of one is over, that of all is, or it was before they shared the search.
        if outcomes.iter().any(is_refused) {
            return Ok(false);
        }
        for (own, one) in outcomes.iter().enumerate() {
            let details = one.details.as_ref();
            let is_shared = details.is_some_and(|d| d.processes.is_some());
            let (found, mut wanted) = (result(one), result(&alone));
            let lacks = |missing: &String| missing.starts_with("the number of states represented");
            if is_shared && one.represented.is_none() && one.missing.iter().any(lacks) {
                // Several processes do not look for symmetry to count by, and say so.
                wanted.3.clone_from(&found.3);
            }
            if found != wanted {
                return Err(format!(
                    "#{number}, process {own} of {processes}, {disk:?}: {found:?}\nalone {wanted:?}"
                ));
            }
            compared |= is_shared;
            let files = details.and_then(|d| d.disk).map_or(0, |disk| disk.bytes);
            bytes = f64::max(bytes, u32::try_from(files).unwrap_or(u32::MAX).into());
        }
    }
    Ok(compared)
}

/// The outcomes of processes whose states are on disk, of which the last one has room for so many bytes; when that is not
/// enough, they go on with more.
fn on_disk(
    paths: &[&Path],
    number: usize,
    options: &Options,
    (after, budget, room): (usize, DiskBudget, Option<u64>),
) -> Vec<CheckOutcome> {
    let folder = Folder::new();
    let run = |resume, room| {
        let disk = Some(SharedDisk {
            folder: &folder,
            budget,
            room,
            resume,
        });
        shared(paths, number, options, &Sharing { after, disk })
    };
    let first = run(false, room);
    match &verdict(&first[0])[..] {
        full if full.contains("no room") => run(true, None),
        // As in one process ([`crate::on_disk`]), it counts less if it ran out of room after a counterexample was found.
        _ if room.is_some() && first[0].counterexamples().next().is_some() => {
            let _ = std::fs::remove_dir_all(&folder.0);
            run(false, None)
        }
        _ => first,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(12), ..ProptestConfig::default() })]

    /// Reduced and not, by every strategy, with several counterexamples, with a bound on states, counted, and with partial
    /// order reduction.
    #[test]
    fn random_scripts_come_to_the_same(
        bytes in prop::collection::vec(any::<u8>(), 40..120),
        symmetry in prop_oneof![Just(None), Just(Some(false)), Just(Some(true))],
        keeping in prop::sample::select(KeepingKind::all().collect::<Vec<_>>()),
        most in prop_oneof![Just(STATES_MAX), 3..400usize],
        wanted in 1..4usize,
        (count_full, partial_order) in prop_oneof![
            Just((false, None)),
            Just((true, None)),
            Just((false, Some(true))),
        ],
    ) {
        let text = random_scripts::generate(&bytes);
        let path = script("distributed.csp", &text);
        let loaded = sound(&path);
        for number in 1..=ASSERTIONS.len() {
            let mut options = bounded(unmerged(options(symmetry, keeping, 2)), most);
            options.limits.violations_max = wanted;
            (options.count_full, options.partial_order) = (count_full, partial_order);
            if let Err(told) = compare((&path, &loaded), number, &options, number + most) {
                prop_assert!(false, "{told}\n{text}");
            }
        }
    }
}

/// Many counterexamples of one length, reached in many ways; and states that need the evaluator in every round.
fn with_many_ways() -> &'static str {
    "channel up, down : {0..3}\nchannel a : {0..2}\nchannel b\nN = 3\n\
     C(i, n) = n < N & up.i -> C(i, n + 1) [] n > 0 & down.i -> C(i, n - 1)\n\
     System = ||| i : {0..3} @ C(i, i % 2)\n\
     Spec(n) = n < 7 & up?i -> Spec(n + 1) [] n > 0 & down?i -> Spec(n - 1)\n\
     assert Spec(2) [T= System\nassert Spec(2) [F= System\n\
     Stops(i, n) = n < N & up.i -> Stops(i, n + 1) [] n == 2 & down.i -> Stops(i, 0)\n\
     assert ||| i : {0..3} @ Stops(i, 0) :[deadlock free [F]]\n\
     assert (System \\ {| up |}) :[divergence free]\n\
     D(n) = a!(n % 3) -> D(n + 1) [] b -> D(n + 7)\n\
     assert RUN({| a, b |}) [T= D(0) ||| D(1)\n"
}

/// The first counterexamples are the same of many, and bounds on states cut off the same.
#[test]
fn of_many_the_same_are_found() {
    let path = script("many_ways.csp", with_many_ways());
    let loaded = sound(&path);
    let (mut compared, mut turn) = (0, 0);
    for number in 1..=loaded.script.assertions.len() {
        for (most, wanted) in [(2_000, 1), (2_000, 7), (150, 3)] {
            let mut options = bounded(
                unmerged(options(Some(false), KeepingKind::default(), 2)),
                most,
            );
            options.limits.violations_max = wanted;
            // A violation of the first states is found before any are shared.
            match compare((&path, &loaded), number, &options, turn) {
                Ok(went) => compared += usize::from(went),
                Err(told) => panic!("{told}"),
            }
            turn += 1;
        }
    }
    assert!(compared > 8, "{compared}");
}

/// Random runs fill the tables of all processes, and are made again by all where the search goes on.
#[test]
fn random_runs_are_made_again() {
    let path = script("shared_random_runs.csp", WITH_RANDOM_RUNS);
    let mut options = unmerged(options(Some(true), KeepingKind::default(), 1));
    options.partial_order = Some(true);
    let memory = check(&sound(&path), 1, &options);
    for room in (2_000..30_000).step_by(7_000) {
        let limits = (3, BUDGETS[0], Some(room));
        for one in on_disk(&[&path, &path], 1, &options, limits) {
            assert_eq!(result(&one), result(&memory), "{room}");
        }
    }
}

/// The models, by each strategy that stores states by their keys.
#[test]
fn models_come_to_the_same() {
    let (mut compared, mut turn) = (0, 0);
    for name in [
        "list_stack",
        "peterson",
        "tree_broadcast",
        "lock_free_queue",
        "two_buffers",
    ] {
        let path = repository(&format!("models/{name}.csp"));
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            for keeping in KeepingKind::all() {
                let options = bounded(options(None, keeping, 2), STATES_MAX);
                turn += 1;
                if !tiers::takes_one_in(3, turn) {
                    continue;
                }
                match compare((&path, &loaded), number, &options, turn / 3) {
                    Ok(true) => compared += 1,
                    Ok(false) => {}
                    Err(told) => panic!("{name} {keeping:?}: {told}"),
                }
            }
        }
    }
    assert!(
        compared > 20 || compared > 6 && !tiers::tries_all(),
        "{compared}"
    );
}

/// Assertions whose answers need all states once more: loops of τ, and what the states represent.
#[test]
fn what_follows_a_search_comes_to_the_same() {
    let (mut compared, mut loops) = (0, 0);
    for (name, text) in walks() {
        let path = script(&format!("distributed_{name}.csp"), &text);
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            for (count_full, wanted) in [(false, 1), (false, 3), (true, 1)] {
                let mut options = unmerged(options(None, KeepingKind::default(), 2));
                options.limits.violations_max = wanted;
                options.count_full = count_full;
                let found = check(&loaded, number, &options);
                loops += usize::from(format!("{found:?}").contains("Divergence"));
                match compare((&path, &loaded), number, &options, compared) {
                    Ok(went) => compared += usize::from(went),
                    Err(told) => panic!("{name}: {told}\n{text}"),
                }
            }
        }
    }
    assert!(compared > 20 && loops > 5, "{compared}, {loops}");
}

/// The scripts of the collection, a sixteenth of them a day.
#[test]
fn scripts_of_the_corpus_come_to_the_same() {
    let test = "laws distributed::scripts_of_the_corpus_come_to_the_same";
    let Some(corpus) = corpus(test) else {
        return;
    };
    if !tiers::has_time(test) {
        return;
    }
    let mut compared = 0;
    let scripts = scripts_below(&corpus).into_iter().enumerate();
    for (_, path) in scripts.filter(|(n, _)| tiers::takes(*n)) {
        let Ok(loaded) = load(&path, None) else {
            continue;
        };
        for number in 1..=loaded.script.assertions.len().min(6) {
            for symmetry in [None, Some(false)] {
                let mut options = bounded(options(symmetry, KeepingKind::default(), 2), 2_000);
                options.limits.local_states_max = 2_000;
                options.limits.calls_max = 3_000_000;
                match compare((&path, &loaded), number, &options, compared) {
                    Ok(went) => compared += usize::from(went),
                    Err(told) => panic!("{}: {told}", path.display()),
                }
            }
        }
    }
    say(&format!(
        "distributed: {compared} checks of the corpus were shared"
    ));
    assert!(compared > 15, "{compared}");
}

/// So many values that an attempt without them comes first. Where it reaches the bound on states, another one follows, and
/// shares them.
#[test]
fn processes_stay_together_where_an_attempt_is_given_up() {
    let values: Vec<String> = (0..257).map(|n| format!("V{n}")).collect();
    let text = format!(
        "datatype V = {}\nchannel a, b : V\nP(x) = a.x -> Q(x)\nQ(x) = b.x -> P(x) [] a.x -> b.x -> Q(x)\n\
         assert (||| x : V @ P(x)) :[deadlock free]\n",
        values.join(" | ")
    );
    let path = script("distributed_given_up.csp", text);
    let loaded = sound(&path);
    let options = bounded(unmerged(options(None, KeepingKind::default(), 2)), 400);
    for turn in 0..2 {
        let came = compare((&path, &loaded), 1, &options, turn);
        assert_eq!(came, Ok(true), "{turn}");
    }
}

/// A process that ends at a limit of its own, before it shares anything, ends the others there. It is not lost.
#[test]
fn a_limit_of_one_process_ends_all() {
    let path = script("distributed_limits.csp", with_many_ways());
    for stop in [Stop::Time, Stop::States] {
        let options = unmerged(options(Some(false), KeepingKind::default(), 2));
        let processes = meshes(3).into_iter().enumerate().map(|(own, mesh)| {
            let (path, mut options) = (path.clone(), options.clone());
            options.processes = Some(ProcessPlan::new(mesh, 20));
            match (own, stop) {
                (1, Stop::Time) => options.limits.deadline = Some(Instant::now()),
                (1, _) => options.limits.states_max = 7,
                _ => {}
            }
            thread::spawn(move || check(&sound(&path), 1, &options))
        });
        let processes: Vec<_> = processes.collect();
        for (own, process) in processes.into_iter().enumerate() {
            let outcome = process.join().expect("no panic");
            let why = verdict(&outcome);
            assert_eq!(outcome.stopped, Some(stop), "{own}: {why}");
            assert!(!why.contains("lost"), "{own}: {why}");
        }
    }
}

/// Processes that do not come to the same draw no conclusion, even where each has one by itself.
#[test]
fn processes_that_disagree_draw_no_conclusion() {
    let text = |bound: u32| {
        format!(
            "channel up, down : {{0..2}}\nC(i, n) = n < {bound} & up.i -> C(i, n + 1) [] n > 0 & down.i -> C(i, n - 1)\n\
             Spec = up?i -> Spec [] down?i -> Spec\nassert Spec [T= ||| i : {{0..2}} @ C(i, i)\n"
        )
    };
    // Deep states alone differ in the second pair.
    for (bounds, after) in [([3, 4], 2), ([30, 40], 50)] {
        let [a, b] = bounds.map(|bound| script(&format!("disagree{bound}.csp"), text(bound)));
        let options = bounded(options(Some(false), KeepingKind::default(), 1), 100_000);
        for one in shared(&[&a, &b], 1, &options, &Sharing { after, disk: None }) {
            let code = one.diagnostic.as_ref().map(|d| d.code);
            assert_eq!(code, Some("E0799"), "{:?}", one.verdict);
        }
    }
}
