//! A search that several processes share comes to the same as one of one process: verdicts, counts, and counterexamples
//! to the letter. Here threads play the processes, each with a check of its own.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::{Options, ProcessPlan};
use orbitscope::mesh::{Mesh, OnEnd};
use orbitscope::script::load::{Loaded, load};
use orbitscope::search::keeping::KeepingKind;
use proptest::prelude::*;

use crate::on_disk::{is_refused, result};
use crate::random_scripts::{self, ASSERTIONS};
use crate::support::{
    bounded, check, corpus, options, repository, say, script, scripts_below, sound, tiers, unmerged,
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

/// The outcomes of all processes that share a check once it has so many states. Each has a script of its own.
fn shared(paths: &[&Path], number: usize, options: &Options, after: usize) -> Vec<CheckOutcome> {
    thread::scope(|scope| {
        let run = |(mesh, path): (Mesh, &&Path)| {
            let path = path.to_path_buf();
            let options = Options {
                processes: Some(ProcessPlan::new(mesh, after)),
                ..options.clone()
            };
            scope.spawn(move || {
                let loaded = load(&path, None).expect("a script");
                check(&loaded, number, &options)
            })
        };
        let all = meshes(paths.len()).into_iter().zip(paths);
        let running: Vec<_> = all.map(run).collect();
        let ended = running.into_iter().map(|one| one.join().expect("no panic"));
        ended.collect()
    })
}

/// Compares searches of one and of several processes; whether they were compared.
fn compare(
    (path, loaded): (&Path, &Loaded),
    number: usize,
    options: &Options,
) -> Result<bool, String> {
    let alone = check(loaded, number, options);
    if result(&alone).1.is_none() && alone.diagnostic.is_none() {
        // Time, or memory for tables.
        return Ok(false);
    }
    let mut compared = false;
    for (processes, after, threads) in [(2, 1, 1), (3, 20, 2), (5, 4, 1)] {
        let options = Options {
            threads,
            ..options.clone()
        };
        for (own, one) in shared(&vec![path; processes], number, &options, after)
            .iter()
            .enumerate()
        {
            if is_refused(one) {
                return Ok(false);
            }
            if result(one) != result(&alone) {
                return Err(format!(
                    "#{number}, process {own} of {processes}: {:?}\nalone {:?}",
                    result(one),
                    result(&alone)
                ));
            }
            compared |= one.details.as_ref().is_some_and(|d| d.processes.is_some());
        }
    }
    Ok(compared)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(12), ..ProptestConfig::default() })]

    /// Reduced and not, by every strategy, with several counterexamples, with a bound on states.
    #[test]
    fn random_scripts_come_to_the_same(
        bytes in prop::collection::vec(any::<u8>(), 40..120),
        symmetry in prop_oneof![Just(None), Just(Some(false)), Just(Some(true))],
        keeping in prop::sample::select(KeepingKind::all().collect::<Vec<_>>()),
        most in prop_oneof![Just(STATES_MAX), 3..400usize],
        wanted in 1..4usize,
    ) {
        let text = random_scripts::generate(&bytes);
        let path = script("distributed.csp", &text);
        let loaded = sound(&path);
        for number in 1..=ASSERTIONS.len() {
            let mut options = bounded(unmerged(options(symmetry, keeping, 2)), most);
            options.limits.violations_max = wanted;
            if let Err(told) = compare((&path, &loaded), number, &options) {
                prop_assert!(false, "{told}\n{text}");
            }
        }
    }
}

/// The models, by each strategy that stores states by their keys.
#[test]
fn models_come_to_the_same() {
    let mut compared = 0;
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
                match compare((&path, &loaded), number, &options) {
                    Ok(true) => compared += 1,
                    Ok(false) => {}
                    Err(told) => panic!("{name} {keeping:?}: {told}"),
                }
            }
        }
    }
    assert!(compared > 20, "{compared}");
}

/// The scripts of the collection, an eighth of them a day.
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
    for (_, path) in scripts.filter(|(n, _)| tiers::takes_one_in(8, *n)) {
        let Ok(loaded) = load(&path, None) else {
            continue;
        };
        for number in 1..=loaded.script.assertions.len().min(6) {
            for symmetry in [None, Some(false)] {
                let mut options = bounded(options(symmetry, KeepingKind::default(), 2), 2_000);
                options.limits.local_states_max = 2_000;
                options.limits.calls_max = 3_000_000;
                match compare((&path, &loaded), number, &options) {
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
        for one in shared(&[&a, &b], 1, &options, after) {
            let code = one.diagnostic.as_ref().map(|d| d.code);
            assert_eq!(code, Some("E0799"), "{:?}", one.verdict);
        }
    }
}
