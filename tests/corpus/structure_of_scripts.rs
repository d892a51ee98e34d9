//! The symmetry in the structure of real scripts: figures that are known, groups that are given instead of found,
//! and that what is found contains the symmetry of datatypes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use num_bigint::BigUint;
use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::{Check, Options};
use orbitscope::group::{PointPermutation, StabiliserChain};
use orbitscope::machine::generators::generators;
use orbitscope::machine::{EventId, LocalId, Machine, Network};
use orbitscope::script::core::AssertionKind;
use orbitscope::script::load::{Loaded, load};
use orbitscope::search::breadth_first::{SearchControl, search};
use orbitscope::source::Cancel;
use orbitscope::structure::element::{Automorphism, PartPlaces};
use orbitscope::structure::network_structure::{NetworkStructure, Results};
use orbitscope::structure::parts::Decomposition;
use orbitscope::structure::search::{LOOKS, Symmetries, SymmetryPart, symmetries};
use orbitscope::structure::verify::verify;
use orbitscope::symmetry::StrategyKind;
use orbitscope::symmetry::structural::StructuralGroup;

use crate::support::{
    bounded, check, corpus, counts, options, repository, say, script, sound, unmerged, verdict,
};
use crate::symmetry_table::rows;

const DINING: &str = "arvinsingh/Dining Philosophers.csp";
const UCS: &str = "fdr-examples/fdr-examples/ucs";
const TPC: &str = "fdr-examples/fdr-examples/tpc";

/// The text of a script of the collection with more assertions at its end; it must include nothing.
fn with(path: &Path, assertions: &str) -> Loaded {
    let (mut text, name) = text_of(path);
    text.extend(format!("\n{assertions}\n").as_bytes());
    sound(&script(&name, text))
}

/// The text of a script, and a name for a copy of it.
fn text_of(path: &Path) -> (Vec<u8>, String) {
    let text = std::fs::read(path).expect("it can be read");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (text, format!("structure {name}"))
}

/// The order of the group of a check; 1 if it is not reduced.
fn order(outcome: &CheckOutcome) -> BigUint {
    let symmetry = outcome.symmetry.as_ref();
    symmetry.map_or(BigUint::from(1u32), |s| s.group_order.clone())
}

/// Checks an assertion that holds both ways: the order of the group, the states and transitions of the system,
/// and of the reduced search, which add up to them.
#[track_caller]
fn adds_up(loaded: &Loaded, number: usize, group: u32, full: (u64, u64), few: (u64, u64)) {
    let counting = Options {
        count_full: true,
        ..by_default(2)
    };
    let reduced = check(loaded, number, &counting);
    let about = reduced.text.clone();
    assert_eq!(verdict(&reduced), "pass", "{about}");
    assert_eq!(order(&reduced), BigUint::from(group), "{about}");
    assert_eq!(counts(&reduced), few, "{about}");
    assert_eq!(
        reduced.represented,
        Some((full.0.into(), full.1.into())),
        "{about}"
    );
    let plain = unmerged(options(Some(false), StrategyKind::default(), 2));
    assert_eq!(counts(&check(loaded, number, &plain)), full, "{about}");
}

#[test]
fn rings_of_real_scripts_are_reduced_by_their_rotations() {
    let Some(corpus) = corpus("rings_of_real_scripts_are_reduced_by_their_rotations") else {
        return;
    };
    let all = "assert DinPhils :[divergence free]\nassert DinPhilsB :[divergence free]";
    let dining = with(&corpus.join(DINING), all);
    let last = dining.script.assertions.len();
    adds_up(&dining, last - 1, 5, (16_805, 76_520), (3_365, 15_320));
    adds_up(&dining, last, 5, (14_642, 64_825), (2_930, 12_973));
    // Data can be swapped between each sender and receiver on their own.
    let ring = with(
        &corpus.join(UCS).join("chapter04/dring.csp"),
        "assert Ring :[divergence free]",
    );
    adds_up(&ring, 2, 262_144, (173_745, 572_400), (4_454, 19_464));
}

#[test]
fn what_is_nearly_a_ring_has_no_symmetry() {
    let Some(corpus) = corpus("what_is_nearly_a_ring_has_no_symmetry") else {
        return;
    };
    let trivial = [
        (UCS, "chapter04/tokring.csp", "assert Ring :[deadlock free]"),
        (UCS, "chapter14/tringm.csp", "assert TOCKS [FD="),
        (TPC, "appendixC/scheduler.csp", "assert ABSpec [T= System"),
        (UCS, "chapter08/philsc.csp", "assert ListPar(ASNetwork)"),
    ];
    let few = bounded(by_default(2), 20_000);
    for (folder, name, assertion) in trivial {
        let loaded = sound(&corpus.join(folder).join(name));
        let number = numbered(&loaded, assertion);
        let outcome = check(&loaded, number, &few);
        assert_eq!(
            order(&outcome),
            BigUint::from(1u32),
            "{name}: {}",
            outcome.text
        );
    }
    let loaded = sound(&corpus.join(UCS).join("chapter08/philsc.csp"));
    let number = numbered(&loaded, "assert ListPar(Network)");
    let outcome = check(&loaded, number, &few);
    assert_eq!(verdict(&outcome), "fail");
    assert_eq!(order(&outcome), BigUint::from(5u32));
}

/// The number of the first assertion that begins like that.
#[track_caller]
fn numbered(loaded: &Loaded, assertion: &str) -> usize {
    let begins = |a: &orbitscope::script::core::Assertion| {
        let text = loaded.sources.text(a.span);
        text.starts_with(assertion)
    };
    let number = loaded.script.assertions.iter().position(begins);
    number.unwrap_or_else(|| panic!("no {assertion}")) + 1
}

/// A network, all of whose local states are told apart, and what a symmetry of it has to keep.
fn drawn(check: &Check) -> Option<NetworkStructure> {
    let format = check.network.first();
    if check.network.formats().len() != 1 {
        return None;
    }
    let drawn = NetworkStructure::new(&check.machine, format, Results::Free, Vec::new());
    drawn.ok()?.ok()
}

/// The chain of the group that symmetries of a network generate, for telling its elements from others.
fn chain(structure: &NetworkStructure, generators: &[Automorphism]) -> StabiliserChain {
    let places = PartPlaces::new(structure);
    let maps: Vec<PointPermutation> = generators.iter().map(|g| g.map().clone()).collect();
    let acting: Vec<u32> = (0..places.labels).collect();
    let chain = StabiliserChain::new(places.end, &maps, &acting, None, &|_| Ok(()));
    chain.expect("there is time").expect("it is small")
}

/// The symmetry that maps components, local states and events as told; nothing if some part has no image.
fn given(
    structure: &NetworkStructure,
    alpha: &[usize],
    local: &mut dyn FnMut(usize, LocalId) -> Option<LocalId>,
    event: &mut dyn FnMut(EventId) -> Option<EventId>,
) -> Option<Automorphism> {
    let places = PartPlaces::new(structure);
    let mut images: Vec<u32> = (0..places.end).collect();
    for (component, to) in alpha.iter().enumerate() {
        images[component] = *to as u32;
        for point in structure.points.range(component) {
            let image = local(component, structure.points.local(point))?;
            let image = structure.points.point(*to, image)?;
            images[(places.points + point) as usize] = places.points + image;
        }
    }
    let of: BTreeMap<(usize, EventId), usize> = (0..structure.labels.len())
        .map(|n| ((usize::from(structure.labels[n]), structure.events[n]), n))
        .collect();
    for ((component, performed), n) in &of {
        let image = of.get(&(alpha[*component], event(*performed)?))?;
        images[places.labels as usize + n] = places.labels + *image as u32;
    }
    for (n, result) in structure.results.iter().enumerate() {
        let image = structure.results.get_index_of(&event(*result)?)?;
        images[places.results as usize + n] = places.results + image as u32;
    }
    Some(Automorphism::new(places, PointPermutation::new(&images)?))
}

/// Which local state each one becomes, if events become others: what follows from what the first ones become.
fn followed(
    machine: &Machine,
    network: &Network,
    alpha: &[usize],
    event: &dyn Fn(EventId) -> Option<EventId>,
) -> Option<BTreeMap<(usize, LocalId), LocalId>> {
    let components = network.first().components();
    let mut known = BTreeMap::new();
    let initial = |c: usize| components[c].initial;
    let mut waiting: Vec<(usize, LocalId, LocalId)> = (0..alpha.len())
        .map(|c| (c, initial(c), initial(alpha[c])))
        .collect();
    while let Some((component, local, image)) = waiting.pop() {
        if known.insert((component, local), image).is_some() {
            continue;
        }
        let there = machine.locals().transitions(image)?;
        for (performed, to) in machine.locals().transitions(local)? {
            // What no rule names never happens.
            let Some(performed) = event(*performed) else {
                continue;
            };
            let image = there.iter().find(|(event, _)| *event == performed)?;
            waiting.push((component, *to, image.1));
        }
    }
    Some(known)
}

/// The numbers in a name, with what stands between them.
fn renumbered(name: &str, new: &dyn Fn(usize, usize, u32) -> u32) -> String {
    let digits = |c: char| c.is_ascii_digit();
    let all = name.chars().filter(|c| digits(*c)).count();
    let mut at = 0;
    let renumber = |c: char| {
        let Some(digit) = c.to_digit(10) else {
            return c;
        };
        at += 1;
        char::from_digit(new(at - 1, all, digit), 10).unwrap_or(c)
    };
    name.chars().map(renumber).collect()
}

/// In a ring that carries data, the rotation and the exchange of all data at once make a group of eight.
#[test]
fn a_group_that_is_given_reduces_as_far_as_it_goes() {
    let Some(corpus) = corpus("a_group_that_is_given_reduces_as_far_as_it_goes") else {
        return;
    };
    let ring = with(
        &corpus.join(UCS).join("chapter04/dring.csp"),
        "assert Ring :[divergence free]",
    );
    let how = unmerged(options(Some(false), StrategyKind::default(), 2));
    let mut check = Check::prepare(&ring, 1, &how, &Cancel::default()).expect("it compiles");
    let structure = drawn(&check).expect("its structure is known");
    let names: Vec<(EventId, String)> = structure
        .results
        .iter()
        .map(|event| (*event, check.machine.show_event(*event)))
        .collect();
    let named = |name: &str| {
        names
            .iter()
            .find(|(_, n)| n == name)
            .map(|(event, _)| *event)
    };
    // The last number is the datum, and those before are nodes.
    let turned = |at: usize, all: usize, n: u32| if at + 1 < all { (n + 1) % 4 } else { n };
    let swapped = |at: usize, all: usize, n: u32| if at + 1 < all { n } else { 1 - n };
    let mut maps = Vec::new();
    for (by, new) in [
        (1, &turned as &dyn Fn(usize, usize, u32) -> u32),
        (0, &swapped),
    ] {
        let alpha: Vec<usize> = (0..4).map(|c| (c + by) % 4).collect();
        let event = |e: EventId| {
            let name = check.machine.show_event(e);
            named(&renumbered(&name, new))
        };
        let (machine, network) = (&check.machine, &check.network);
        let locals = followed(machine, network, &alpha, &event).expect("all has an image");
        let mut local = |component, local| locals.get(&(component, local)).copied();
        let map = given(&structure, &alpha, &mut local, &mut |e| event(e));
        let map = map.expect("it is a map");
        assert_eq!(verify(&structure, &map), Ok(()));
        maps.push(map);
    }
    let poll = |_| Ok(());
    let found = symmetries(&structure, LOOKS, &poll).expect("there is time");
    let whole = chain(&structure, &found.generators);
    assert!(
        maps.iter().all(|map| whole.contains(map.map())),
        "a part of what is found"
    );
    let chain = chain(&structure, &maps);
    assert_eq!(*chain.order(), BigUint::from(8u32));
    let part = Symmetries {
        generators: maps.clone(),
        parts: vec![SymmetryPart {
            maps: maps.iter().map(|map| map.map().clone()).collect(),
            order: Some(chain.order().clone()),
        }],
        complete: true,
        order: chain.order().clone(),
        size: found.size,
    };
    let factors = part.factors(&structure, &poll).expect("there is time");
    let Decomposition::Factors(factors) = factors else {
        panic!("it is small, and moves states");
    };
    let group = StructuralGroup::new(structure, maps, factors);
    let limits = Options::default().limits;
    let mut lazy = check.lazy_product();
    lazy.strategy = Some(&group);
    let mut control = SearchControl {
        threads: 2,
        collapse_after: usize::MAX,
        limits: &limits,
        cancel: &Cancel::default(),
        progress: &mut |_| {},
    };
    let figures = search(&mut lazy, &mut control)
        .expect("it evaluates")
        .figures;
    assert_eq!(
        (figures.states, figures.steps.transitions),
        (21_797, 71_850)
    );
}

/// By datatypes alone, all local states told apart.
fn by_types() -> Options {
    Options {
        structure: Some(false),
        ..unmerged(options(Some(true), StrategyKind::default(), 1))
    }
}

/// Local states of all components of the networks of which a chain of the group is made anew. Of others what is
/// given is held to the definition, and what is found has all that the definition allows.
const POINTS_MAX: usize = 1_200;
/// The same for what is found.
const ORDER_MAX: u64 = 1_000_000_000;

/// What came of comparing the symmetry of datatypes with that of the structure.
enum Contained {
    /// It is a part of what was found: the order of what it does, and that of all.
    Yes(BigUint, BigUint),
    /// The same, where the orders are not worked out.
    Judged,
    /// Nothing is known of the structure, or nothing was found by types.
    Unknown,
}

/// Holds every generator of the symmetry of datatypes and every exchange of copies to the definition, and to what
/// is found in the structure of the same network.
fn contains(check: &mut Check, about: &str) -> Contained {
    let Some(structure) = drawn(check) else {
        return Contained::Unknown;
    };
    let Some(known) = check.reduction().map(|r| r.group_order.clone()) else {
        return Contained::Unknown;
    };
    let mut maps = Vec::new();
    let components = check.network.first().components().to_vec();
    for generator in generators(check.machine.atoms()) {
        let machine = std::cell::RefCell::new(&mut check.machine);
        let mut alpha = Vec::new();
        for component in &components {
            let image = machine
                .borrow_mut()
                .permute_local(component.initial, &generator.image);
            let mut same = components.iter();
            let same = same.position(|c| c.initial == image && c.inst == component.inst);
            alpha.push(same.expect("every component has an image"));
        }
        let map = given(
            &structure,
            &alpha,
            &mut |_, local| Some(machine.borrow_mut().permute_local(local, &generator.image)),
            &mut |event| Some(machine.borrow_mut().permute_event(event, &generator.image)),
        );
        maps.push(map.unwrap_or_else(|| panic!("{about}: a part has no image")));
    }
    for set in check.network.first().copies().sets() {
        for pair in set.windows(2) {
            let mut alpha: Vec<usize> = (0..components.len()).collect();
            alpha.swap(usize::from(pair[0]), usize::from(pair[1]));
            let map = given(&structure, &alpha, &mut |_, l| Some(l), &mut |e| Some(e));
            maps.push(map.unwrap_or_else(|| panic!("{about}: copies differ")));
        }
    }
    let poll = |_| Ok(());
    let found = symmetries(&structure, 50 * LOOKS, &poll).expect("there is time");
    assert!(found.complete, "{about}");
    let is_large = found.order > BigUint::from(ORDER_MAX);
    if structure.points.count() > POINTS_MAX || is_large {
        for map in maps {
            assert_eq!(verify(&structure, &map), Ok(()), "{about}");
        }
        return Contained::Judged;
    }
    let given = chain(&structure, &maps).order().clone();
    let chain = chain(&structure, &found.generators);
    for map in maps {
        assert_eq!(verify(&structure, &map), Ok(()), "{about}");
        assert!(chain.contains(map.map()), "{about}: {map:?}");
    }
    // Values that no component has are permuted by types, too, and that does nothing.
    assert!(
        given <= known && given <= found.order,
        "{about}: {given} of {known}"
    );
    Contained::Yes(given, found.order)
}

/// A script of the collection with an assertion that needs a network for each of its assertions about the text
/// alone.
fn with_networks(path: &Path) -> Loaded {
    let loaded = sound(path);
    let about_text = loaded.script.assertions.iter().filter_map(|a| {
        let AssertionKind::Symmetric { process, .. } = &a.kind else {
            return None;
        };
        let process = loaded.sources.text(process.span);
        Some(format!("assert {process} :[divergence free]"))
    });
    let more: Vec<String> = about_text.collect();
    match more.is_empty() {
        true => loaded,
        // What is symmetric may be no process.
        false => {
            let (mut text, name) = text_of(path);
            text.extend(format!("\n{}\n", more.join("\n")).as_bytes());
            load(&script(&name, text), None).expect("no expression was given")
        }
    }
}

/// The symmetry of datatypes is a part of what is found in the structure, in every model and every script with
/// symmetric types whose components are known to their ends.
#[test]
fn the_structure_has_the_symmetry_of_datatypes() {
    let mut scripts: BTreeSet<PathBuf> = BTreeSet::new();
    for model in std::fs::read_dir(repository("models"))
        .expect("there are models")
        .flatten()
    {
        let path = model.path();
        if path.extension().is_some_and(|e| e == "csp") {
            scripts.insert(path);
        }
    }
    if let Some(corpus) = corpus("the_structure_has_the_symmetry_of_datatypes") {
        scripts.extend(
            rows(&corpus, "SYMMETRY.tsv")
                .iter()
                .map(|row| corpus.join(&row[0])),
        );
    }
    let (mut compared, mut unknown, mut failed) = (0, 0, 0);
    for path in scripts {
        let loaded = with_networks(&path);
        for number in 1..=loaded.script.assertions.len() {
            let about = format!("{} #{number}", path.display());
            let how = bounded(by_types(), 100_000);
            let Ok(mut check) = Check::prepare(&loaded, number - 1, &how, &Cancel::default())
            else {
                failed += 1;
                continue;
            };
            match contains(&mut check, &about) {
                Contained::Yes(..) | Contained::Judged => compared += 1,
                Contained::Unknown => unknown += 1,
            }
        }
    }
    say(&format!(
        "symmetry of datatypes found in the structure of {compared} assertions; of {unknown} it is not known, large, or \
         there is none, {failed} do not compile"
    ));
    assert!(compared >= 17, "{compared}");
}

/// On the list that implements a stack both are the same, and leave the components that there is one of in their
/// places.
#[test]
fn the_structure_of_a_stack_is_that_of_its_datatypes() {
    let loaded = sound(&repository("models/list_stack.csp"));
    let how = by_types();
    let mut check = Check::prepare(&loaded, 0, &how, &Cancel::default()).expect("it compiles");
    let Contained::Yes(types, structure) = contains(&mut check, "list_stack") else {
        panic!("its structure is not known");
    };
    assert_eq!(
        (types, structure),
        (BigUint::from(103_680u32), BigUint::from(103_680u32))
    );
    let structure = drawn(&check).expect("its structure is known");
    let found = symmetries(&structure, LOOKS, &|_| Ok(())).expect("there is time");
    let components = check.network.first().components().to_vec();
    let stays = |c: &usize| found.generators.iter().all(|g| g.component(*c) == *c);
    let fixed: Vec<String> = (0..components.len())
        .filter(stays)
        .map(|c| check.machine.show_local(components[c].initial))
        .collect();
    // The list ends with the value `Null`, which is no component.
    assert_eq!(fixed, ["Top(Null)", "Lock"]);
}

/// Copies of a scheduler are two or three of the processes that the structure permutes.
#[test]
fn copies_do_not_keep_the_structure_from_reducing() {
    let Some(corpus) = corpus("copies_do_not_keep_the_structure_from_reducing") else {
        return;
    };
    for (name, number, group, states) in [
        ("1-to-3.csp", 18, 36_u32, 7_366),
        ("2-to-2.csp", 15, 24, 6_131),
    ] {
        let path = corpus.join("processj-csp/shared-channels").join(name);
        let loaded = load(&path, None).expect("it loads");
        let outcome = check(&loaded, number, &by_default(2));
        assert_eq!(verdict(&outcome), "pass", "{name}: {}", outcome.text);
        assert_eq!(order(&outcome), BigUint::from(group), "{name}");
        assert_eq!(counts(&outcome).0, states, "{name}");
    }
}

/// As checks are reduced unless told otherwise: by structure where no datatype is symmetric.
fn by_default(threads: usize) -> Options {
    Options {
        structure: None,
        ..options(None, StrategyKind::default(), threads)
    }
}
