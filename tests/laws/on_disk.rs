//! A search on disk comes to the same as one in memory: verdicts, counts, and counterexamples to the letter, however
//! little memory it has, on any number of threads.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orbitscope::animate::model::{CheckOutcome, Stop};
use orbitscope::check::{Options, StorePlan};
use orbitscope::script::load::{Loaded, load};
use orbitscope::search::disk_store::DiskBudget;
use orbitscope::search::on_disk::SearchFolder;
use orbitscope::spill::Space;
use proptest::prelude::*;

use crate::random_scripts::{self, ASSERTIONS};
use crate::support::{
    bounded, check, corpus, counts, options, repository, say, script, scripts_below, sound, tiers,
    unmerged, verdict,
};
use orbitscope::search::keeping::KeepingKind;

/// States of a search that is compared.
const STATES_MAX: usize = 6_000;

/// A folder that is removed with its files.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("on_disk-{}-{number}", std::process::id());
        // Files in main memory, where there are some: thousands of small searches sync theirs.
        let shared = PathBuf::from("/dev/shm");
        let all = match shared.is_dir() {
            true => shared,
            false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        };
        Self(all.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Memory for a search: in the first, tables are emptied and states settled within every depth.
pub const BUDGETS: [DiskBudget; 3] = [
    DiskBudget {
        filters: 64 * 64,
        tables: 1,
        pending: 1,
    },
    DiskBudget {
        filters: 64 * 64,
        tables: 40_000,
        pending: 3_000,
    },
    DiskBudget {
        filters: 1 << 20,
        tables: 1 << 20,
        pending: 1 << 20,
    },
];

/// A check whose states go to disk after so many; one whose files have room for so many bytes at first, and that goes on
/// with more.
fn on_disk(
    loaded: &Loaded,
    number: usize,
    options: &Options,
    (after, budget, room): (usize, DiskBudget, Option<u64>),
) -> CheckOutcome {
    let folder = Folder::new();
    let run = |resume, room| {
        let space = Space::open(&folder.0, room).expect("a folder");
        let options = Options {
            store: Some(StorePlan {
                folder: SearchFolder {
                    space,
                    asked: String::new(),
                    commit_every: Duration::from_micros(50),
                },
                resume,
                after,
                budget: Some(budget),
            }),
            ..options.clone()
        };
        check(loaded, number, &options)
    };
    let first = run(false, room);
    match &verdict(&first)[..] {
        full if full.contains("no room") => run(true, None),
        // It may have run out of room after a counterexample was found, and counts less then. (With `not` it passes.)
        _ if room.is_some() && first.counterexamples().next().is_some() => {
            let _ = std::fs::remove_dir_all(&folder.0);
            run(false, None)
        }
        _ => first,
    }
}

/// Verdict, counts, counterexamples and what is represented.
type ComparedResult = (String, Option<((u64, u64), String)>, String, String);

/// What two runs must have in common: the verdict; states and transitions, and what was left out and computed for them; the
/// counterexamples; what the states represent. A check that ended with an error has the counts of its last report, and so
/// none.
pub fn result(outcome: &CheckOutcome) -> ComparedResult {
    let verdict = verdict(outcome);
    let has_counts = ["pass", "fail"].contains(&&verdict[..]) || verdict.contains("state limit");
    let found = outcome.counterexamples().map(|one| format!("{one:?}\n"));
    let saved = outcome.details.as_ref().map(|details| {
        let left_out = details.left_out.as_ref().and_then(|one| one.as_ref().ok());
        let left_out = left_out.map(|one| (one.steps, one.skipped));
        let representatives = (details.representatives, details.fallbacks.0);
        format!(
            "{representatives:?} {} {:?} {left_out:?}",
            details.slept, details.alike
        )
    });
    (
        verdict,
        has_counts.then(|| (counts(outcome), saved.unwrap_or_default())),
        found.collect(),
        format!("{:?}", outcome.represented),
    )
}

/// Whether the states of the check have to be in memory, or whether its time was over before anything was found, which
/// says something of the machine alone.
pub fn is_refused(outcome: &CheckOutcome) -> bool {
    let has_code = |code: &str| outcome.diagnostic.as_ref().is_some_and(|d| d.code == code);
    has_code("E0518") || has_code("E0702") || outcome.stopped == Some(Stop::Time)
}

/// Compares searches in memory and on disk; whether they were compared. A run that is not thorough tries some of the ways,
/// other ones at each turn.
fn compare(loaded: &Loaded, number: usize, options: &Options, turn: usize) -> Result<bool, String> {
    let memory = check(loaded, number, options);
    if result(&memory).1.is_none() && memory.diagnostic.is_none() {
        // Time, or memory for tables.
        return Ok(false);
    }
    let (mut compared, mut whole) = (false, 0);
    // Some have room for a part of what all files took before: so they go on from a commit, mostly with runs.
    let ways = [
        &[(0, 1, 1, None)][..],
        &[(1, 40, 3, None), (0, 3, 2, Some(0.8))],
        &[(2, 7, 2, None), (1, 10, 1, Some(0.6))],
    ];
    let chosen = (0..ways.len()).filter(|n| tiers::takes_one_in(ways.len(), n + turn));
    for (budget, after, threads, part) in chosen.flat_map(|n| ways[n]).copied() {
        let room = part.map(|part| (f64::from(whole) * part) as u64);
        let options = Options {
            threads,
            ..options.clone()
        };
        let disk = on_disk(loaded, number, &options, (after, BUDGETS[budget], room));
        if is_refused(&disk) {
            return Ok(false);
        }
        if result(&disk) != result(&memory) {
            return Err(format!(
                "#{number}, budget {budget}, room {room:?}: {:?}\nin memory {:?}",
                result(&disk),
                result(&memory)
            ));
        }
        let files = disk.details.as_ref().and_then(|details| details.disk);
        compared |= files.is_some();
        let bytes = files.map_or(0, |files| files.bytes);
        whole = whole.max(u32::try_from(bytes).unwrap_or(u32::MAX));
    }
    Ok(compared)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(24), ..ProptestConfig::default() })]

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
        let loaded = sound(&script("on_disk.csp", &text));
        for number in 1..=ASSERTIONS.len() {
            let mut options = bounded(unmerged(options(symmetry, keeping, 2)), most);
            options.limits.violations_max = wanted;
            (options.count_full, options.partial_order) = (count_full, partial_order);
            if let Err(told) = compare(&loaded, number, &options, number + most) {
                prop_assert!(false, "{told}\n{text}");
            }
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
        let loaded = sound(&repository(&format!("models/{name}.csp")));
        for number in 1..=loaded.script.assertions.len() {
            for keeping in KeepingKind::all() {
                let options = bounded(options(None, keeping, 2), STATES_MAX);
                turn += 1;
                if !tiers::takes_one_in(3, turn) {
                    continue;
                }
                match compare(&loaded, number, &options, turn / 3) {
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

/// A check under partial order reduction, which makes random runs between the depths of its search.
pub const WITH_RANDOM_RUNS: &str = "datatype S = S0 | S1 | S2
datatype U = U0 | U1 | U2
channel a : S
channel b : S.U
channel c : U
channel d : S.S
F0(me, u, xs, q) = (d?y!me -> F1(me, u, {y}, q))
F1(me, u, xs, q) = (d.me?y -> F1(me, u, union(xs, {y}), q))
Lone(xs) = a?x:xs -> Lone(diff(xs, {x}))
F(me) = |~| v : U @ F0(me, v, {me}, <>)
Fs = || s : S @ [{| a.s, b.s, c, d.s, d.t.s | t <- S |}] F(s)
Whole = (Fs [| {|c|} |] Lone({}))
assert Whole :[deterministic [F]]";

/// Random runs fill tables, as the search does: they are made again where it goes on.
#[test]
fn random_runs_are_made_again() {
    let loaded = sound(&script("random_runs.csp", WITH_RANDOM_RUNS));
    let mut options = unmerged(options(Some(true), KeepingKind::default(), 1));
    options.partial_order = Some(true);
    let memory = check(&loaded, 1, &options);
    let details = memory.details.as_ref();
    let left_out = details.and_then(|details| details.left_out.as_ref()?.as_ref().ok());
    let runs = left_out.and_then(|left_out| left_out.simulation);
    assert!(runs.is_some(), "{memory:?}");
    for room in (2_000..30_000).step_by(2_000) {
        let disk = on_disk(&loaded, 1, &options, (3, BUDGETS[0], Some(room)));
        assert_eq!(result(&disk), result(&memory), "{room}");
    }
}

/// Before states go to disk, symmetry of the structure is looked for; one that has less than the values in use is not
/// taken instead of them.
#[test]
fn a_smaller_group_is_not_preferred() {
    let loaded = sound(&repository("models/lock_free_queue.csp"));
    let options = bounded(options(None, KeepingKind::default(), 2), 3_000);
    let memory = check(&loaded, 1, &options);
    let disk = on_disk(&loaded, 1, &options, (500, BUDGETS[2], None));
    assert_eq!(result(&disk), result(&memory));
    assert_eq!(disk.symmetry, memory.symmetry);
}

/// Assertions whose answers need all states once more: loops of τ, and what the states represent.
#[test]
fn what_follows_a_search_comes_to_the_same() {
    let (mut compared, mut loops) = (0, 0);
    for (name, text) in walks() {
        let loaded = sound(&script(&format!("on_disk_{name}.csp"), &text));
        for number in 1..=loaded.script.assertions.len() {
            for (count_full, wanted) in [(false, 1), (false, 3), (true, 1)] {
                let mut options = unmerged(options(None, KeepingKind::default(), 2));
                options.limits.violations_max = wanted;
                options.count_full = count_full;
                let found = check(&loaded, number, &options);
                loops += usize::from(format!("{found:?}").contains("Divergence"));
                match compare(&loaded, number, &options, compared) {
                    Ok(went) => compared += usize::from(went),
                    Err(told) => panic!("{name}: {told}\n{text}"),
                }
            }
        }
    }
    assert!(compared > 20 && loops > 5, "{compared}, {loops}");
}

/// Processes that walk between places, by τ or visibly: mostly forwards, so that many of them have no loop.
pub fn walks() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let seeds: u64 = if tiers::tries_all() { 30 } else { 12 };
    for seed in 1..seeds {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |max: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % max
        };
        let places = 3 + below(9);
        let mut text = "channel t, v\n".to_owned();
        for place in 0..places {
            let mut steps = vec!["v -> STOP".to_owned()];
            for _ in 0..1 + below(3) {
                let event = if below(4) == 0 { "v" } else { "t" };
                let to = match below(4) {
                    0 => below(places),
                    _ => (place + 1 + below(3)).min(places),
                };
                steps.push(format!("{event} -> P{to}"));
            }
            text += &format!("P{place} = {}\n", steps.join(" [] "));
        }
        text += &format!("P{places} = v -> P0\nWalk = (P0 ||| P0 ||| P0) \\ {{t}}\n");
        text += "assert Walk :[divergence free]\nassert CHAOS({v}) [FD= Walk\n";
        all.push((format!("walk_{seed}"), text));
    }
    all
}

/// Keys that are collapsed in memory have other shards: those of a search that goes to disk are not.
#[test]
fn keys_are_whole_on_disk() {
    let loaded = sound(&repository("models/list_stack.csp"));
    let options = Options {
        collapse_after: 1,
        ..bounded(options(None, KeepingKind::default(), 2), STATES_MAX)
    };
    assert_eq!(compare(&loaded, 1, &options, 0), Ok(true));
}

/// The scripts of the collection, a sixteenth of them a day.
#[test]
fn scripts_of_the_corpus_come_to_the_same() {
    let test = "laws on_disk::scripts_of_the_corpus_come_to_the_same";
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
                match compare(&loaded, number, &options, compared) {
                    Ok(went) => compared += usize::from(went),
                    Err(told) => panic!("{}: {told}", path.display()),
                }
            }
        }
    }
    say(&format!(
        "on_disk: {compared} checks of the corpus went to disk"
    ));
    assert!(compared > 15, "{compared}");
}
