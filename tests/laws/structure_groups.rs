//! The symmetry that is found in the structure of networks, held to its definition on small random networks: the
//! group has the elements that trying finds ([`crate::every_symmetry`]) and no others, each of them takes
//! transitions to transitions, and representatives are one for each orbit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use num_bigint::BigUint;
use orbitscope::check::{Check, Options};
use orbitscope::group::{PointPermutation, StabiliserChain};
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::load::load_text;
use orbitscope::source::Cancel;
use orbitscope::structure::element::{Automorphism, PartPlaces};
use orbitscope::structure::network_structure::{NetworkStructure as Structure, Results, TiedNode};
use orbitscope::structure::parts::{Decomposition, GroupFactor, GroupFactors};
use orbitscope::structure::search::{LOOKS, Symmetries, symmetries};
use orbitscope::structure::verify::verify;
use orbitscope::symmetry::Representative;
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::strategy::Strategy;
use orbitscope::symmetry::structural::StructuralGroup;
use proptest::prelude::*;

use crate::every_symmetry::Plain;
use crate::numbered::{farms, generate};
use crate::random_scripts::Dice;
use crate::support::{options, tiers};
use orbitscope::symmetry::{StrategyKind, StructuralKind};

/// Networks of one run.
const CASES: u32 = 160;
/// States that are looked at.
const STATES_MAX: usize = 250;
/// Images of states that are computed for a network.
const IMAGES_MAX: usize = 20_000;

/// A network with the ways in which its local states may be merged and its events permuted.
struct Examined {
    machine: Machine,
    network: Network,
    merging: bool,
    results: Results,
    nodes: Vec<TiedNode>,
}

/// The initial state and what can be reached from it, as far as it is looked at.
struct Reached {
    states: Vec<Vec<LocalId>>,
    /// Whether these are all.
    complete: bool,
}

impl Examined {
    fn new(text: &str, number: usize, merging: bool, results: Results) -> Self {
        let how = Options {
            merging,
            ..options(Some(false), StrategyKind::default(), 1)
        };
        // From memory: other tests write scripts of their own at the same time.
        let loaded = load_text(Path::new("numbered.csp"), text);
        assert!(!loaded.has_errors(), "{text}");
        let check = Check::prepare(&loaded, number - 1, &how, &Cancel::default());
        let Check {
            machine, network, ..
        } = check.expect("it compiles");
        Self {
            machine,
            network,
            merging,
            results,
            nodes: Vec::new(),
        }
    }

    /// Ties events to nodes that are made up.
    fn tied(mut self, dice: &mut Dice<'_>) -> Self {
        let events = self.network.first().rules().list().iter().map(|r| r.result);
        let mut events: Vec<EventId> = events.filter(|e| e.is_visible()).collect();
        events.sort_unstable();
        events.dedup();
        let count = 1 + dice.below(3);
        for id in 0..count {
            let mut node = TiedNode {
                // What nodes are called is not where they stand.
                id: 10 - id as u32,
                colour: dice.below(8) as u32 / 6,
                ..TiedNode::default()
            };
            let all = dice.below(3) > 0;
            for event in &events {
                if all || dice.below(4) > 0 {
                    let to = if dice.below(3) > 0 {
                        (id + 1) % count
                    } else {
                        dice.below(count)
                    };
                    node.edges.push((*event, to as u32));
                }
            }
            if dice.below(2) == 0 {
                let kept = |_: &&EventId| all || dice.below(3) > 0;
                node.sets
                    .push(events.iter().filter(kept).copied().collect());
            }
            self.nodes.push(node);
        }
        self
    }

    fn complete<R>(&mut self, mut f: impl FnMut(&Machine, &Network) -> Result<R, Miss>) -> R {
        loop {
            match f(&self.machine, &self.network) {
                Ok(done) => return done,
                Err(miss) => {
                    let filled = self.machine.resolve(&mut self.network, &miss);
                    filled.expect("it evaluates");
                }
            }
        }
    }

    /// Events and where they lead, by local states that stand for others.
    fn successors(&mut self, state: &[LocalId]) -> Vec<(EventId, Vec<LocalId>)> {
        self.complete(|machine, network| {
            let mut found = Vec::new();
            let mut scratch = RuleScratch::default();
            let merged = network.first().merged();
            network.successors::<Miss>(
                machine.locals(),
                FormatId(0),
                state,
                &mut scratch,
                |s| {
                    let mut to = s.locals.to_vec();
                    merged.apply(&mut to);
                    found.push((s.event, to));
                    Ok(())
                },
            )?;
            Ok(found)
        })
    }

    fn reached(&mut self) -> Reached {
        let mut initial = self.network.initial().to_vec();
        self.network.first().merged().apply(&mut initial);
        let mut known: BTreeSet<Vec<LocalId>> = [initial.clone()].into();
        let mut states = vec![initial];
        let mut at = 0;
        while at < states.len() && states.len() < STATES_MAX {
            for (_, to) in self.successors(&states[at].clone()) {
                if known.insert(to.clone()) {
                    states.push(to);
                }
            }
            at += 1;
        }
        Reached {
            complete: at == states.len(),
            states,
        }
    }
}

/// What came of a network.
#[derive(Default)]
struct Compared {
    /// Elements of its group.
    elements: usize,
    /// States whose representatives were compared.
    states: usize,
}

/// How many elements a group has, as far as states tell them apart.
fn order_on_states(structure: &Structure, generators: &[Automorphism]) -> BigUint {
    let chain = chain_of(structure, generators).expect("it is small");
    chain.order_on(chain.preferred_levels())
}

/// The chain of a group: how it acts on states comes first.
fn chain(structure: &Structure, found: &Symmetries) -> Result<StabiliserChain, String> {
    chain_of(structure, &found.generators)
}

fn chain_of(structure: &Structure, generators: &[Automorphism]) -> Result<StabiliserChain, String> {
    let places = PartPlaces::new(structure);
    let maps: Vec<PointPermutation> = generators.iter().map(|g| g.map().clone()).collect();
    let acting: Vec<u32> = (0..places.labels).chain(places.nodes..places.end).collect();
    let chain = StabiliserChain::new(places.end, &maps, &acting, None, &|_| Ok(()));
    chain
        .expect("there is time")
        .ok_or_else(|| "the chain is too large".to_owned())
}

/// The group that is found has the elements that trying finds.
fn elements_agree(
    structure: &Structure,
    (found, chain): (&Symmetries, &StabiliserChain),
    maps: &[Automorphism],
) -> Result<(), String> {
    if !found.complete {
        return Err("the search was not complete".to_owned());
    }
    let acting = PartPlaces::new(structure);
    let on_states = |map: &Automorphism| {
        let images = map.map().images();
        let (labels, nodes) = (acting.labels as usize, acting.nodes as usize);
        (images[..labels].to_vec(), images[nodes..].to_vec())
    };
    let distinct: BTreeSet<_> = maps.iter().map(on_states).collect();
    let orders = (
        found.order.clone(),
        chain.order_on(chain.preferred_levels()),
    );
    let expected = (BigUint::from(maps.len()), BigUint::from(distinct.len()));
    if orders != expected || *chain.order() != orders.0 {
        let order = chain.order();
        return Err(format!(
            "orders {orders:?} and {order}, but there are {expected:?}"
        ));
    }
    for map in maps {
        verify(structure, map).map_err(|broken| format!("{broken:?} by {map:?}"))?;
        if !chain.contains(map.map()) {
            return Err(format!("not found: {map:?}"));
        }
    }
    Ok(())
}

/// Maps that were made up are let through if they are elements, and not otherwise.
fn judged(structure: &Structure, maps: &[Automorphism], dice: &mut Dice<'_>) -> Result<(), String> {
    let places = PartPlaces::new(structure);
    let kinds = [
        0,
        places.points,
        places.labels,
        places.results,
        places.nodes,
        places.end,
    ];
    let known: BTreeSet<Vec<u32>> = maps.iter().map(|map| map.map().images()).collect();
    for _ in 0..12 {
        let map = &maps[dice.below(256) % maps.len()];
        let kind = dice.below(kinds.len() - 1);
        let size = kinds[kind + 1] - kinds[kind];
        if size < 2 {
            continue;
        }
        let one = kinds[kind] + dice.below(256) as u32 % size;
        let other = kinds[kind] + dice.below(256) as u32 % size;
        let swap = [(one, other), (other, one)];
        let swap = PointPermutation::of_moves(places.end, swap).expect("it is a swap");
        let made = Automorphism::new(places, map.map().then(&swap));
        let is_known = known.contains(&made.map().images());
        if verify(structure, &made).is_ok() != is_known {
            return Err(format!("judged {:?}: {made:?}", verify(structure, &made)));
        }
    }
    Ok(())
}

/// What every element does to transitions of the whole network: it makes others of them.
fn steps_agree(
    subject: &mut Examined,
    structure: &Structure,
    maps: &[Automorphism],
    reached: &Reached,
) -> Result<(), String> {
    for map in maps.iter().take(50) {
        for state in reached.states.iter().take(40) {
            let image = map
                .state(structure, state)
                .expect("its local states are points");
            let mut steps = Vec::new();
            for (event, to) in subject.successors(state) {
                let to = map
                    .state(structure, &to)
                    .expect("its local states are points");
                steps.push((map.event(structure, event), to));
            }
            let mut there = subject.successors(&image);
            let merging = subject.network.first().merged();
            for (event, _) in steps.iter_mut().chain(&mut there) {
                if merging.is_same(*event, EventId(u32::MAX)) {
                    *event = EventId(u32::MAX);
                }
            }
            steps.sort_unstable();
            there.sort_unstable();
            // Where events count as one, several rules are one.
            if subject.merging {
                steps.dedup();
                there.dedup();
            }
            if steps != there {
                return Err(format!("{state:?} and {image:?} differ: {map:?}"));
            }
        }
    }
    Ok(())
}

/// Representatives are images, one for each orbit if the strategy is exact, and what is told of them is so. The number
/// of states.
fn representatives_agree(
    subject: &mut Examined,
    group: &StructuralGroup,
    maps: &[Automorphism],
    reached: &Reached,
) -> Result<usize, String> {
    let nodes: Vec<u32> = match &subject.nodes[..] {
        [] => vec![0],
        nodes => nodes.iter().map(|node| node.id).collect(),
    };
    let structure = group.structure();
    // Local search may end in several images of an orbit.
    let is_exact = group.kind() != StructuralKind::Local;
    // Events move nothing, so of those that differ in events alone one is enough.
    let acting = |map: &&Automorphism| {
        let places = PartPlaces::new(structure);
        let images = map.map().images();
        let states = images[..places.labels as usize].to_vec();
        (states, images[places.nodes as usize..].to_vec())
    };
    let mut seen = BTreeSet::new();
    let maps: Vec<&Automorphism> = maps.iter().filter(|map| seen.insert(acting(map))).collect();
    let known: BTreeSet<&Vec<LocalId>> = reached.states.iter().collect();
    let image = |map: &Automorphism, (state, node): &(Vec<LocalId>, u32)| {
        let state = map
            .state(structure, state)
            .expect("its local states are points");
        let place = structure.node_of.get(node);
        let node = place.map_or(*node, |at| structure.nodes[map.node(*at) as usize].id);
        (state, node)
    };
    let mut compared = 0;
    let mut of: BTreeMap<(Vec<LocalId>, u32), (Vec<LocalId>, u32)> = BTreeMap::new();
    let states = reached.states.iter();
    let pairs = states.flat_map(|s| nodes.iter().map(|n| (s.clone(), *n)));
    for pair in pairs.take(IMAGES_MAX / maps.len()) {
        let mut out = Representative::default();
        out.counting = true;
        subject.complete(|machine, network| {
            let context = StateContext {
                node: pair.1,
                ..crate::exact::context(machine, network, &pair.0, &[])
            };
            group.representative(&context, &mut out)
        });
        let representative = (out.locals.clone(), out.structural.node);
        let images: Vec<_> = maps.iter().map(|map| image(map, &pair)).collect();
        if out.fell_back {
            return Err(format!("{pair:?} has no certain representative"));
        }
        let fixing = images.iter().filter(|image| **image == pair).count();
        let told = out.stabiliser.map(|order| order.to_big());
        let wanted = is_exact.then(|| BigUint::from(fixing));
        if told != wanted {
            return Err(format!(
                "{pair:?}: a stabiliser of {told:?}, and not {fixing}"
            ));
        }
        let element = group.found(&out.structural);
        let is_told = |component: usize| {
            // Only the default tells it.
            let told = group.component(&out.structural, component as u16);
            told.is_none_or(|to| usize::from(to) == element.component(component))
        };
        assert!((0..pair.0.len()).all(is_told), "{pair:?} by {element:?}");
        let led = image(&element, &pair);
        if led != representative {
            return Err(format!(
                "{pair:?} goes to {led:?}, and not to {representative:?}"
            ));
        }
        if !images.contains(&representative) {
            return Err(format!("{pair:?} does not go to {representative:?}"));
        }
        if reached.complete && !known.contains(&representative.0) {
            return Err(format!("{representative:?} is not reached"));
        }
        if !is_exact {
            compared += 1;
            continue;
        }
        if compared % 10 == 0 {
            let found = group.fixing(&pair.0, pair.1, &|| false);
            if let Some(other) = found.iter().find(|map| image(map, &pair) != pair) {
                return Err(format!("{other:?} does not leave {pair:?} alone"));
            }
            let order = order_on_states(structure, &found);
            if order != BigUint::from(fixing) {
                return Err(format!("{order} leave {pair:?} alone, and not {fixing}"));
            }
        }
        // Everything of the orbit leads there, and no other state does.
        for image in images {
            let before = of.entry(image).or_insert_with(|| representative.clone());
            if *before != representative {
                return Err(format!("{pair:?}: {before:?} and {representative:?}"));
            }
        }
        compared += 1;
    }
    // Two orbits with one representative would have met in it.
    for (at, representative) in &of {
        if of[representative] != *representative {
            return Err(format!(
                "{at:?} leads to {representative:?}, which leads elsewhere"
            ));
        }
    }
    Ok(compared)
}

/// Holds one network to all of it; none if that would take too long.
fn holds(subject: &mut Examined, dice: &mut Dice<'_>) -> Result<Option<Compared>, String> {
    let format = subject.network.first();
    let nodes = subject.nodes.clone();
    let structure = Structure::new(&subject.machine, format, subject.results, nodes);
    let Ok(structure) = structure.expect("there is time") else {
        return Ok(None);
    };
    // The definition by which maps are tried here knows nothing of them.
    if structure.has_priorities {
        return Ok(None);
    }
    let plain = Plain::new(
        &subject.machine,
        &subject.network,
        subject.results,
        &subject.nodes,
    );
    let poll = |_| Ok(());
    let found = symmetries(&structure, LOOKS, &poll).map_err(|e| e.message.clone())?;
    let chain = chain(&structure, &found)?;
    let Some(maps) = plain.all() else {
        return Ok(None);
    };
    let maps: Vec<Automorphism> = maps.iter().map(|m| plain.element(&structure, m)).collect();
    elements_agree(&structure, (&found, &chain), &maps)?;
    judged(&structure, &maps, dice)?;
    let reached = subject.reached();
    steps_agree(subject, &structure, &maps, &reached)?;
    let factors = found.factors(&structure, &poll).expect("there is time");
    let factors = match factors {
        Decomposition::Factors(factors) => factors,
        Decomposition::EventsAlone => GroupFactors {
            factors: Vec::new(),
            order: BigUint::from(1u32),
        },
        Decomposition::TooLarge => return Err("it is small".to_owned()),
    };
    let order = found
        .acting_order(&structure, &poll)
        .expect("there is time");
    if order.as_ref() != Some(&factors.order) {
        return Err(format!("{order:?} elements, and not {}", factors.order));
    }
    let acting = chain.order_on(chain.preferred_levels());
    if factors.order != acting {
        let order = factors.order;
        return Err(format!("factors of {order} elements, and not {acting}"));
    }
    let group = StructuralGroup::new(structure, found.generators, factors);
    let mut states = 0;
    for kind in StructuralKind::ALL {
        let told = |e| format!("{}: {e}", kind.name());
        let group = match group.by(kind) {
            Ok(group) => group,
            // Tried below: more elements than are gone through.
            Err(_) if kind == StructuralKind::Enumerate && maps.len() > 4_096 => continue,
            Err(why) => return Err(told(why)),
        };
        states = representatives_agree(subject, &group, &maps, &reached).map_err(told)?;
    }
    Ok(Some(Compared {
        elements: maps.len(),
        states,
    }))
}

/// All ways to look at a script; how many networks had a group of more than one element.
fn all_ways(text: &str, bytes: &[u8]) -> Result<(usize, usize), String> {
    let dice = &mut Dice(bytes.iter());
    // Assertion 2 tells events apart by nothing, assertion 4 by their names.
    let ways = [
        (4, false, Results::Fixed, false),
        (4, false, Results::Free, false),
        (4, false, Results::Free, true),
        (4, true, Results::Fixed, false),
        (4, true, Results::Free, false),
        (4, true, Results::Free, true),
        (2, true, Results::Free, false),
    ];
    let (mut groups, mut looked) = (0, 0);
    for (number, merging, results, ties) in ways {
        let mut subject = Examined::new(text, number, merging, results);
        if ties {
            subject = subject.tied(dice);
        }
        let compared = holds(&mut subject, dice)
            .map_err(|e| format!("#{number} merging {merging} {results:?} tied {ties}: {e}"))?;
        looked += usize::from(compared.is_some());
        let compared = compared.unwrap_or_default();
        groups += usize::from(compared.elements > 1 && compared.states > 1);
    }
    Ok((groups, looked))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn groups_of_networks_are_those_of_the_definition(
        bytes in prop::collection::vec(any::<u8>(), 40..80),
        ties in prop::collection::vec(any::<u8>(), 200),
    ) {
        let text = generate(&bytes);
        let ways = all_ways(&text, &ties);
        prop_assert!(ways.is_ok(), "{}\n{text}", ways.unwrap_err());
    }
}

/// Where components wait for each other for ever, what they would reach is no part of the symmetry: neither
/// of its order, nor of where it may take anything.
#[test]
fn what_no_rule_leads_to_is_not_permuted() {
    let text = "channel a, b : {0..3}
P(i) = a.i -> P(i) [] a.i -> b.i -> STOP
Pair = || i : {0..1} @ [{|a, b|}] P(i)
Whole = Pair [| {|b|} |] Pair
Run = [] x : Events @ x -> Run
assert STOP [T= Whole
assert Whole :[deadlock free [F]]
assert Whole :[deadlock free [F]]
assert Run [T= Whole
";
    let (groups, looked) = all_ways(text, &[]).expect("it agrees");
    assert_eq!(groups, 0, "there is one state");
    assert!(looked >= 6, "{looked}");
    let subject = &mut Examined::new(text, 4, false, Results::Fixed);
    let found = holds(subject, &mut Dice([].iter())).expect("it agrees");
    assert_eq!(
        found.expect("it is small").elements,
        24,
        "exchanges of four components"
    );
}

/// What is found in each way is held to brute force, also where blocks are sorted.
#[test]
fn farms_are_wreath_products() {
    let servers = [
        "Server(s) = req.s?c -> rep.s.c -> Server(s)",
        // Any number at a time, so that blocks differ in more than one client.
        "Server(s) = req.s?c -> Server(s) [] rep.s?c -> Server(s)",
    ];
    for (count, clients) in [(2, 2), (3, 2), (2, 3)] {
        for server in servers {
            let text = farms(count, clients, server);
            let (groups, looked) = all_ways(&text, &[]).expect("it agrees");
            // Of six clients there are too many maps to be tried.
            let enough = groups >= 4 && looked >= 4 || count * clients == 6 && clients == 3;
            assert!(enough, "{count} {clients}: {groups} {looked}");
            let subject = Examined::new(&text, 4, false, Results::Free);
            let format = subject.network.first();
            let structure = Structure::new(&subject.machine, format, Results::Free, Vec::new());
            let structure = structure.expect("there is time").expect("it is known");
            let poll = |_| Ok(());
            let found = symmetries(&structure, LOOKS, &poll).expect("there is time");
            let factors = found.factors(&structure, &poll).expect("there is time");
            let Decomposition::Factors(GroupFactors { factors, .. }) = factors else {
                panic!("there is a group");
            };
            let is_columns =
                |f: &GroupFactor| matches!(f, GroupFactor::Columns(c) if c.len() == clients);
            let [GroupFactor::Wreath { blocks, bottom, .. }] = &factors[..] else {
                panic!("{count} {clients}: {factors:?}");
            };
            assert_eq!((blocks.len(), bottom.len()), (count, 1));
            assert!(is_columns(&bottom[0]), "{count} {clients}: {factors:?}");
        }
    }
}
