//! Checks that are reduced by the structure of networks, held to unreduced ones on random scripts
//! ([`crate::numbered`]): verdicts, lengths of counterexamples and what states stand for, whatever is asked and
//! however many threads search.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use num_bigint::BigUint;
use orbitscope::animate::model::{CheckOutcome, Ending, Verdict};
use orbitscope::check::{Check, Options};
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{EventId, FormatId, LocalId, Miss};
use orbitscope::report::reduction::SymmetrySummary;
use orbitscope::script::load::Loaded;
use orbitscope::search::breadth_first::{
    LazyProduct, OngoingSearch, Search, SearchControl, search,
};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::diagnostic::Result as Checked;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::{StrategyKind, StructuralKind};
use proptest::prelude::*;

use crate::numbered::{ASSERTIONS, farms, generate};
use crate::random_scripts::{Dice, end};
use crate::support::{
    bounded, check, counts, options, replay, script, sound, tiers, unmerged, verdict, verified,
};

/// Scripts of one run.
const CASES: u32 = 48;
/// Larger unreduced searches are given up.
const STATES_MAX: usize = 4_000;

/// By structure where there is one.
fn reduced(merging: bool, threads: usize) -> Options {
    let how = Options {
        merging,
        structure: None,
        ..options(None, StrategyKind::default(), threads)
    };
    bounded(how, STATES_MAX)
}

/// What may not depend on the number of threads.
fn told(outcome: &CheckOutcome) -> (Verdict, (u64, u64), Option<BigUint>, String) {
    let order = outcome.symmetry.as_ref().map(|s| s.group_order.clone());
    let example = format!("{:?}", outcome.counterexample);
    (outcome.verdict.clone(), counts(outcome), order, example)
}

/// The order of the group of a check; 1 if it is not reduced.
fn order(outcome: &CheckOutcome) -> BigUint {
    let symmetry = outcome.symmetry.as_ref();
    symmetry.map_or(BigUint::from(1u32), |s| s.group_order.clone())
}

/// Compares all ways to check an assertion; whether it was reduced.
pub(super) fn compare(path: &Path, loaded: &Loaded, number: usize) -> Result<bool, String> {
    let unreduced = bounded(options(Some(false), StrategyKind::default(), 1), STATES_MAX);
    let plain = check(loaded, number, &unmerged(unreduced.clone()));
    match &plain.verdict {
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => return Ok(false),
        // It was to be normalised as a whole, within the bound of this test.
        Verdict::Error(failure) if failure.detail.contains("states to normalise") => {
            return Ok(false);
        }
        Verdict::Error(failure) => return Err(failure.detail.clone()),
        Verdict::Holds | Verdict::Fails => {}
    }
    let mut outcomes = vec![("merged", check(loaded, number, &unreduced))];
    let mut is_reduced = false;
    for merging in [false, true] {
        let one = check(loaded, number, &reduced(merging, 1));
        let wanted = told(&one);
        for threads in [2, 8] {
            let other = check(loaded, number, &reduced(merging, threads));
            if told(&other) != wanted {
                let other = told(&other);
                return Err(format!("{threads} threads: {other:?}, and not {wanted:?}"));
            }
        }
        is_reduced |= order(&one) > BigUint::from(1u32);
        let fewer = counts(&one).0 <= counts(&outcomes[0].1).0.max(counts(&plain).0);
        if plain.verdict == Verdict::Holds && !fewer {
            return Err(format!("merging {merging}: more states when reduced"));
        }
        outcomes.push((
            if merging {
                "reduced and merged"
            } else {
                "reduced"
            },
            one,
        ));
    }
    if is_reduced {
        outcomes.extend(other_strategies(loaded, number, &outcomes[1].1)?);
    }
    // To look for symmetry takes nodes of the specification that the search may not need, and may reach a limit.
    let is_open = |o: &CheckOutcome| matches!(o.verdict, Verdict::Inconclusive(_));
    if outcomes.iter().any(|(_, outcome)| is_open(outcome)) {
        return Ok(false);
    }
    for (how, outcome) in &outcomes {
        // With merged states a loop of τ may be entered later: a state inside it may stand for one before it.
        let ending = outcome.counterexample.as_ref().map(|c| &c.ending);
        let loops = matches!(ending, Some(Ending::Divergence { .. })) && how.contains("merged");
        let same = match loops {
            true => verdict(outcome) == verdict(&plain),
            false => end(outcome) == end(&plain),
        };
        if !same {
            let (found, wanted) = (end(outcome), end(&plain));
            return Err(format!("{how}: {found:?}, unreduced {wanted:?}"));
        }
        if let Some(found) = &outcome.counterexample {
            replay(path, found).map_err(|e| format!("{how}: {e}"))?;
        }
        verified(loaded, outcome).map_err(|e| format!("{how}: {e}"))?;
    }
    if plain.verdict == Verdict::Holds {
        let (plain, kept) = (counts(&plain).0 as usize, counts(&outcomes[1].1).0 as usize);
        // What a search cuts off where it may diverge is not followed here.
        let met = orbits(loaded, number).filter(|met| met.pairs == plain);
        if let Some(met) = met {
            if met.orbits != kept {
                return Err(format!("{kept} states for {met:?}"));
            }
            steps_are_left_out(loaded, number, (&outcomes[1].1, &met))?;
        }
    }
    if plain.verdict == Verdict::Holds {
        stands_for_all(loaded, number, &plain)?;
    }
    if is_reduced {
        reduced_late(loaded, number)?;
    }
    Ok(is_reduced)
}

/// All strategies of the group that was found; those that are exact keep as many states as the one by default.
fn other_strategies(
    loaded: &Loaded,
    number: usize,
    default: &CheckOutcome,
) -> Result<Vec<(&'static str, CheckOutcome)>, String> {
    let mut outcomes = Vec::new();
    // Where events are fixed, these strategies leave out the permutations of values that the default reduces by.
    let is_by_types = |s: &SymmetrySummary| s.structure.is_none() && !s.types.is_empty();
    if default.symmetry.as_ref().is_some_and(is_by_types) {
        return Ok(outcomes);
    }
    for keeping in KeepingKind::structural() {
        let name = keeping.name();
        let how = Options {
            keeping,
            ..reduced(false, 2)
        };
        let found = check(loaded, number, &how);
        if let Verdict::Error(failure) = &found.verdict {
            // Types may be what the default reduces by, and a large group is not gone through.
            let known = ["E0515", "E0516"]
                .iter()
                .any(|c| failure.detail.contains(c));
            match known {
                true => continue,
                false => return Err(format!("{name}: {}", failure.detail)),
            }
        }
        // More work is allowed where an option asks for the group, so it may be larger.
        let larger = order(&found).cmp(&order(default));
        let kept = (counts(&found).0, counts(default).0);
        let is_local = keeping.by_structure() == Some(StructuralKind::Local);
        let fits = match (larger, is_local) {
            _ if default.verdict != Verdict::Holds => true,
            (Ordering::Less, _) => false,
            (Ordering::Equal, true) => kept.0 >= kept.1,
            (Ordering::Equal, false) => kept.0 == kept.1,
            (Ordering::Greater, true) => true,
            (Ordering::Greater, false) => kept.0 <= kept.1,
        };
        if larger == Ordering::Less || !fits {
            return Err(format!("{name} keeps {kept:?}"));
        }
        outcomes.push((name, found));
    }
    Ok(outcomes)
}

/// What the states of a reduced search stand for is what the unreduced one found.
fn stands_for_all(loaded: &Loaded, number: usize, plain: &CheckOutcome) -> Result<(), String> {
    let counting = Options {
        count_full: true,
        ..reduced(false, 2)
    };
    // Beside sets in the specification, what counts permutes all nodes of it, which a low bound forbids.
    let counting = bounded(counting, 64 * STATES_MAX);
    let outcome = check(loaded, number, &counting);
    let (states, transitions) = counts(plain);
    let wanted = (states.into(), transitions.into());
    match &outcome.represented {
        Some(found) if *found != wanted => Err(format!("{found:?} represented, {wanted:?} found")),
        None if outcome.symmetry.is_some() => {
            Err("nothing is said of what it stands for".to_owned())
        }
        _ => Ok(()),
    }
}

/// What a search came to, in whatever order its states are.
fn found(search: &Search) -> impl PartialEq + std::fmt::Debug + use<> {
    let lengths: Vec<usize> = search.violations.iter().map(|v| v.length).collect();
    let figures = &search.figures;
    let counts = (figures.states, figures.steps.transitions, figures.ply);
    (counts, lengths, search.end.clone())
}

/// A search that is reduced only after some depths comes to what it comes to if it is reduced from its beginning, and
/// each state that it keeps stands for what a step of its parent leads to.
fn reduced_late(loaded: &Loaded, number: usize) -> Result<(), String> {
    let options = reduced(number.is_multiple_of(2), 2);
    let prepared = Check::prepare(loaded, number - 1, &options, &Cancel::default());
    // The checks above say what is wrong with it; a bound of this test may be reached here alone.
    let Ok(mut check) = prepared else {
        return Ok(());
    };
    if !check.is_by_structure() {
        return Ok(());
    }
    let limits = Limits {
        violations_max: 3,
        ..Limits::default()
    };
    let mut control = SearchControl {
        threads: 2,
        collapse_after: 50,
        limits: &limits,
        cancel: &Cancel::default(),
        progress: &mut |_| {},
    };
    let mut lazy = check.lazy_product();
    // Looking for several counterexamples may take more nodes of the specification than the test allows.
    let Ok(whole) = search(&mut lazy, &mut control) else {
        return Ok(());
    };
    for depths in 0.. {
        let Ok((search, late)) = with_late_reduction(&mut lazy, &mut control, depths) else {
            return Ok(());
        };
        if !late {
            return Ok(());
        }
        // Raw states of one orbit that are violating are as many counterexamples, and may be enough by themselves.
        let same = found(&search) == found(&whole) || !whole.violations.is_empty();
        let first = |search: &Search| search.violations.first().map(|v| v.length);
        if !same || search.end != whole.end || first(&search) != first(&whole) {
            let (late, whole) = (found(&search), found(&whole));
            return Err(format!("after {depths} depths {late:?}, and not {whole:?}"));
        }
        if let Some(orphan) = orphan(&mut lazy, &search) {
            return Err(format!("after {depths} depths {orphan} comes of nothing"));
        }
    }
    Ok(())
}

/// Searches some depths without reduction and then with it; whether there was something left to be reduced.
fn with_late_reduction(
    lazy: &mut LazyProduct<'_>,
    control: &mut SearchControl<'_>,
    depths: usize,
) -> Checked<(Search, bool)> {
    let strategy = lazy.strategy.take();
    let mut run = OngoingSearch::begin(lazy)?;
    for _ in 0..depths {
        let states = run.store().len();
        run.go_on(lazy, control, states + 1)?;
    }
    lazy.strategy = strategy;
    let late = !run.is_over();
    if late {
        let stop = run.reduce(lazy, control)?;
        assert_eq!(stop, None);
    }
    run.go_on(lazy, control, usize::MAX)?;
    Ok((run.finish(lazy, control), late))
}

/// A stored state that no step of its parent leads to.
fn orphan(lazy: &mut LazyProduct<'_>, search: &Search) -> Option<String> {
    let mut scratch = Default::default();
    let store = &search.store;
    let orphan = store.reached().find(|id| {
        let reached = lazy.complete(|product| {
            let mut reached = store.is_first(*id);
            if !reached {
                let parent = store.pair(store.parent(*id));
                product.expand(&parent, &mut scratch, |_, kept| {
                    reached |= kept.is_some_and(|kept| store.find(&kept.key) == Some(*id));
                    Ok(())
                })?;
            }
            Ok(reached)
        });
        !reached.expect("it evaluates")
    });
    orphan.map(|id| format!("{id:?}"))
}

/// With state symmetry everything is as before, and one step is followed of each orbit of steps: of pairs with where
/// they lead, and whether silently.
fn steps_are_left_out(
    loaded: &Loaded,
    number: usize,
    (whole, met): (&CheckOutcome, &MetOrbits),
) -> Result<(), String> {
    for keeping in [KeepingKind::default(), StructuralKind::Chain.into()] {
        let how = Options {
            state_symmetry: true,
            sleep_sets: false,
            structure: Some(true),
            keeping,
            ..reduced(false, 2)
        };
        let folded = check(loaded, number, &how);
        if (counts(&folded), end(&folded)) != (counts(whole), end(whole)) {
            let (folded, whole) = (counts(&folded), counts(whole));
            return Err(format!("state symmetry: {folded:?}, and not {whole:?}"));
        }
        let taken = folded.details.as_ref().map(|d| d.representatives);
        if taken != Some(met.steps as u64) {
            return Err(format!("state symmetry: {taken:?} steps, but {met:?}"));
        }
    }
    Ok(())
}

/// What an unreduced search meets.
#[derive(Debug)]
struct MetOrbits {
    /// Pairs of a node and a state.
    pairs: usize,
    /// The orbits that they are in under the group of the check.
    orbits: usize,
    /// Orbits of steps, by where they begin, whether they are silent, and where they lead.
    steps: usize,
}

/// What an unreduced search meets; nothing if the check is not reduced by a group.
fn orbits(loaded: &Loaded, number: usize) -> Option<MetOrbits> {
    let how = reduced(false, 1);
    let mut check = Check::prepare(loaded, number - 1, &how, &Cancel::default()).ok()?;
    let initial = check.initial();
    let mut lazy = check.lazy_product();
    let group = lazy.strategy?.structure()?;
    lazy.strategy = None;
    let mut known: BTreeMap<(Vec<LocalId>, u32), usize> = BTreeMap::new();
    known.insert((initial.locals.clone(), initial.node), 0);
    let mut pairs = vec![(initial.locals, initial.node)];
    let mut steps: BTreeSet<(usize, bool, usize)> = BTreeSet::new();
    let mut at = 0;
    while at < pairs.len() && pairs.len() <= STATES_MAX {
        let (state, node) = pairs[at].clone();
        let next = lazy.complete(|product| {
            let mut steps = Vec::new();
            let mut scratch = RuleScratch::default();
            let (locals, from) = (product.locals, FormatId(0));
            product
                .network
                .successors::<Miss>(locals, from, &state, &mut scratch, |s| {
                    steps.push((s.event, s.locals.to_vec()));
                    Ok(())
                })?;
            let initials: Vec<EventId> = steps.iter().map(|step| step.0).collect();
            let from = product.followed_from(node, &initials)?;
            let mut next: Vec<(EventId, (Vec<LocalId>, u32))> = Vec::new();
            for (event, locals) in steps {
                let node = product.follow(from, event)?;
                next.extend(node.map(|node| (event, (locals, node))));
            }
            Ok(next)
        });
        for (event, pair) in next.expect("it evaluates") {
            let new = pairs.len();
            let to = *known.entry(pair.clone()).or_insert_with(|| {
                pairs.push(pair);
                new
            });
            // After ✓ there is nothing to represent.
            if event != EventId::TICK {
                steps.insert((at, event == EventId::TAU, to));
            }
        }
        at += 1;
    }
    let mut images = Vec::new();
    for map in group.generators() {
        let mut image = Vec::with_capacity(pairs.len());
        for (state, node) in &pairs {
            let structure = group.structure();
            let place = structure.node_of.get(node);
            let node = place.map_or(*node, |n| structure.nodes[map.node(*n) as usize].id);
            image.push(*known.get(&(map.state(structure, state)?, node))?);
        }
        images.push(image);
    }
    let mut step_orbits = 0;
    while let Some(first) = steps.pop_first() {
        let mut waiting = vec![first];
        while let Some((from, silent, to)) = waiting.pop() {
            let step = |image: &Vec<usize>| (image[from], silent, image[to]);
            waiting.extend(images.iter().map(step).filter(|step| steps.remove(step)));
        }
        step_orbits += 1;
    }
    // Every pair belongs to the first one that generators lead to from it.
    let mut orbit = vec![usize::MAX; pairs.len()];
    let mut count = 0;
    for first in 0..pairs.len() {
        let mut waiting = vec![first];
        count += usize::from(orbit[first] == usize::MAX);
        while let Some(at) = waiting.pop() {
            if orbit[at] != usize::MAX {
                continue;
            }
            orbit[at] = count;
            waiting.extend(images.iter().map(|image| image[at]));
        }
    }
    Some(MetOrbits {
        pairs: pairs.len(),
        orbits: count,
        steps: step_orbits,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn checks_reduced_by_structure_agree(bytes in prop::collection::vec(any::<u8>(), 40..80)) {
        let text = generate(&bytes);
        let path = script("numbered_checks.csp", &text);
        let loaded = sound(&path);
        for number in 1..=ASSERTIONS.len() {
            let compared = compare(&path, &loaded, number);
            prop_assert!(compared.is_ok(), "#{number} {}\n{text}", compared.unwrap_err());
        }
    }

    #[test]
    fn checks_of_farms_agree(bytes in prop::collection::vec(any::<u8>(), 20)) {
        let text = random_farm(&bytes);
        let path = script("random_farms.csp", &text);
        let loaded = sound(&path);
        for number in 1..=4 {
            let compared = compare(&path, &loaded, number);
            prop_assert!(compared.is_ok(), "#{number} {}\n{text}", compared.unwrap_err());
        }
    }
}

/// Blocks that are sorted, with columns in them, or with blocks in them: orbits are those of brute force, states stand
/// for as many as there are, and all strategies agree.
#[test]
fn farms_keep_one_state_of_each_orbit() {
    let servers = [
        "Server(s) = req.s?c -> rep.s.c -> Server(s)",
        "Server(s) = req.s?c -> Server(s) [] rep.s?c -> Server(s)",
    ];
    for (count, clients) in [(2, 3), (3, 3), (4, 2)] {
        for server in servers {
            let path = script("farms.csp", farms(count, clients, server));
            let loaded = sound(&path);
            for number in 1..=4 {
                let compared = compare(&path, &loaded, number);
                let told = format!("{count} {clients} #{number}");
                // Names of events matter where they are specified: that of Run allows all of them.
                let reduced = compared.unwrap_or_else(|e| panic!("{told}: {e}"));
                assert!(reduced, "{told}");
            }
        }
    }
    let deep = "A = {0..1}
channel go, back : A.A.A
Leaf(a, b, c) = go.a.b.c -> back.a.b.c -> Leaf(a, b, c)
Pair(a, b) = (||| c : A @ Leaf(a, b, c)) [| {|go.a.b|} |] Gate(a, b)
Gate(a, b) = go.a.b?c -> Gate(a, b)
Four(a) = (||| b : A @ Pair(a, b)) [| {|back.a|} |] Way(a)
Way(a) = back.a?b?c -> Way(a)
Whole = ||| a : A @ Four(a)
assert Whole :[deadlock free [F]]
";
    let path = script("deep_farms.csp", deep);
    let compared = compare(&path, &sound(&path), 1).expect("it agrees");
    assert!(compared);
    // S2 wr S2 wr S2 has 2^7 elements; words of eight bits up to it are unordered pairs of unordered pairs.
    let found = check(&sound(&path), 1, &reduced(false, 1));
    assert_eq!(
        (order(&found), counts(&found).0),
        (BigUint::from(128u32), 21)
    );
}

/// A farm of any kind: clients and servers with alternatives that are drawn, more or less in step with one another.
pub(super) fn random_farm(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let sizes = [(2, 2), (2, 3), (3, 2)];
    let (count, clients) = sizes[dice.below(sizes.len())];
    let mut of = |menu: &[&str]| menu[dice.below(menu.len())].to_owned();
    let client = [
        "req.s.c -> @",
        "rep.s.c -> @",
        "all -> @",
        "own.s -> @",
        "req.s.c -> STOP",
    ];
    let server = [
        "req.s?c -> @",
        "req.s?c -> rep.s.c -> @",
        "rep.s?c -> @",
        "all -> @",
        "own.s -> @",
    ];
    let body = |menu: &[&str], next: [&str; 2], of: &mut dyn FnMut(&[&str]) -> String| {
        let one = of(menu).replace('@', next[0]);
        let other = of(menu).replace('@', next[1]);
        format!("({one}) [] ({other})")
    };
    let first = body(&client, ["P1(s,c)", "P0(s,c)"], &mut of);
    let second = body(&client, ["P0(s,c)", "P1(s,c)"], &mut of);
    let server = body(&server, ["Server(s)", "Server(s)"], &mut of);
    let inside = of(&["req.s, rep.s", "req.s", "req.s, rep.s, own.s", "req.s, all"]);
    let between = of(&["", "all", "", "own"]);
    format!(
        "S = {{0..{count}-1}}
C = {{0..{clients}-1}}
channel req, rep : S.C
channel own : S
channel all
P0(s,c) = {first}
P1(s,c) = {second}
Server(s) = {server}
Farm(s) = Server(s) [| {{|{inside}|}} |] (||| c : C @ P0(s,c))
Whole = [| {{|{between}|}} |] s : S @ Farm(s)
Run = [] x : Events @ x -> Run
assert Whole :[deadlock free [F]]
assert Whole :[divergence free]
assert Run [T= Whole
assert Whole \\ {{|req, all|}} :[divergence free]
"
    )
}

/// A network of which the structure graph has to be looked at more often than is done before a search: once that takes
/// long, the whole group is found, as where it is demanded, and not a part of it.
#[test]
fn all_of_a_group_is_found_late() {
    let name = "all_of_a_group_is_found_late";
    let folder = "corpus/processj-csp/shared-channels";
    if !tiers::tries_all() {
        tiers::note(name, "takes minutes: run by `cargo thorough` only");
        return;
    }
    let Some(folder) = tiers::shared(folder, name) else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("3-to-3.csp")).expect("a script");
    let (head, _) = text
        .split_once("-- One scheduler")
        .expect("datatypes first");
    let include = format!("include \"{}/", folder.display());
    let ends = "(<W1, W2, W3>, <R1, R2, R3>, C1";
    let text = format!(
        "{}assert N_TO_M_GENERIC_CHANNEL{ends}) [T= RESTRICTED_PJ_MANY_TO_MANY_CHAN_SYSTEM{ends}, 1)\n",
        head.replace("include \"", &include)
    );
    let loaded = sound(&script("all_of_a_group_late.csp", &text));
    let [late, demanded] = [None, Some(true)].map(|structure| {
        let how = Options {
            structure,
            partial_order: Some(true),
            ..options(None, StrategyKind::default(), 2)
        };
        check(&loaded, 1, &how)
    });
    assert_eq!(verdict(&late), "pass");
    assert_eq!(counts(&late), counts(&demanded));
}
