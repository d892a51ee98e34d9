//! Choice of the symmetric part: the rules left out so that the rest is symmetric.
//!
//! Rules are grouped by the channel of their event and the number of components that take part: `share.1` and `share.2`
//! are one *kind*. Single kinds, pairs and triples of kinds are left out on trial, within a bound on work, and so are
//! whole channels. The choice makes most components interchangeable, with as few rules left out as possible. Any choice
//! is sound, so the trials take no longer than a short search. If none makes more components interchangeable, no rule
//! is left out.

use std::cell::Cell;

use crate::machine::Machine;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::partial::{ALWAYS, ActingGroup, ClassedStructure};

/// Combinations of kinds tried at most, and as many of channels.
const TRIALS_MAX: usize = 100;
/// Work after which no further combination is tried, in points permuted and transitions, roughly: that of a search of
/// some ten thousand states.
const LOOKED_MAX: usize = 1 << 24;
/// Work added for each poll besides the points: the work between two polls.
const LOOK: usize = 1_000;
/// Classes of rules at most; with more, all form one.
pub(super) const CLASSES_MAX: u32 = 120;

/// Statistics of the asymmetric rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asymmetry {
    /// Channels of their events.
    pub names: Vec<String>,
    /// The number of asymmetric rules.
    pub rules: usize,
    /// The number of all rules.
    pub of: usize,
}

/// The symmetric part, with its group and that of the whole network.
pub(in super::super) struct ChosenPart {
    pub(super) classed: ClassedStructure,
    /// The name of each class but that of the symmetric part.
    pub(super) names: Vec<String>,
    pub(super) asymmetry: Asymmetry,
    /// The group of the symmetric part.
    pub(super) top: ActingGroup,
    /// The group of the whole network.
    pub(super) bottom: ActingGroup,
}

/// Rules by kind.
struct RuleKinds {
    /// The name of each kind.
    names: Vec<String>,
    /// The kind of each rule.
    of: Vec<usize>,
    /// The channel number of each label.
    labels: Vec<u32>,
}

impl RuleKinds {
    fn new(machine: &Machine, structure: &NetworkStructure) -> Self {
        let mut channels: IndexSet<String> = IndexSet::default();
        let labels = structure.events.iter();
        let labels = labels.map(|e| channels.insert_full(machine.channel_name(*e)).0 as u32);
        let labels: Vec<u32> = labels.collect();
        let mut kinds: IndexMap<(Vec<u32>, usize), usize> = IndexMap::default();
        let mut names = Vec::new();
        let mut of = Vec::with_capacity(structure.rules.len());
        for (parts, _) in &structure.rules {
            let mut used: Vec<u32> = parts.iter().map(|l| labels[*l as usize]).collect();
            used.sort_unstable();
            used.dedup();
            let name = || used.iter().map(|c| channels[*c as usize].clone());
            let name = name().collect::<Vec<_>>().join("+");
            let next = names.len();
            let kind = *kinds.entry((used, parts.len())).or_insert(next);
            if kind == next {
                names.push(name);
            }
            of.push(kind);
        }
        Self { names, of, labels }
    }

    /// Sets of kinds to leave out on trial.
    fn ways(&self) -> IndexSet<Vec<usize>> {
        let mut channels: IndexMap<&str, Vec<usize>> = IndexMap::default();
        for (kind, name) in self.names.iter().enumerate() {
            channels.entry(name).or_default().push(kind);
        }
        let of_channels = |way: Vec<usize>| {
            let kinds = way.iter().flat_map(|c| &channels[*c]);
            let mut kinds: Vec<usize> = kinds.copied().collect();
            kinds.sort_unstable();
            kinds
        };
        let by_channel = ways(channels.len()).into_iter().map(of_channels);
        by_channel.chain(ways(self.names.len())).collect()
    }

    fn classed(&self, structure: &NetworkStructure, left_out: &[usize]) -> ClassedStructure {
        let class = |kind: &usize| u32::from(left_out.contains(kind));
        let classes = self.of.iter().map(class).collect();
        ClassedStructure::new(structure.clone(), self.labels.clone(), classes)
    }
}

/// Combinations to leave out, the smallest first.
fn ways(kinds: usize) -> Vec<Vec<usize>> {
    let mut ways: Vec<Vec<usize>> = (0..kinds).map(|a| vec![a]).collect();
    for length in 2..=3 {
        let longer = |way: &Vec<usize>| {
            let after = way.last().map_or(0, |last| last + 1);
            let with = |kind| way.iter().copied().chain([kind]).collect::<Vec<_>>();
            (after..kinds).map(with).collect::<Vec<_>>()
        };
        let longest = ways.iter().filter(|way| way.len() + 1 == length);
        let next: Vec<Vec<usize>> = longest.flat_map(longer).collect();
        // At least one kind has to remain.
        if length >= kinds || ways.len() + next.len() > TRIALS_MAX {
            break;
        }
        ways.extend(next);
    }
    ways.truncate(TRIALS_MAX);
    ways
}

/// The number of distinct values.
fn distinct(orbits: &[usize]) -> usize {
    let heads = orbits.iter().enumerate();
    heads.filter(|(at, least)| at == *least).count()
}

/// Chooses the symmetric part; `None` if no choice has any symmetry.
///
/// # Errors
/// A limit.
pub(in super::super) fn choose(
    machine: &Machine,
    structure: NetworkStructure,
) -> Result<Option<ChosenPart>> {
    let components = structure.points.components();
    let looked = Cell::new(0usize);
    let (points, size) = (structure.points.count(), structure.steps.len());
    let poll = |_: usize| {
        looked.set(looked.get() + points + LOOK);
        machine.eval.check_time()
    };
    let kinds = RuleKinds::new(machine, &structure);
    let whole = kinds.classed(&structure, &[]);
    let Some((bottom, _)) = whole.whole_group(&poll)? else {
        return Ok(None);
    };
    // Fewest orbits of components, then fewest rules left out.
    let mut best = (
        distinct(&bottom.component_orbits(components)),
        0,
        Vec::new(),
    );
    for way in kinds.ways() {
        looked.set(looked.get() + size);
        poll(0)?;
        // Any choice is sound, so use the best one so far.
        if looked.get() > LOOKED_MAX {
            break;
        }
        let rules = kinds.of.iter().filter(|kind| way.contains(kind)).count();
        let classed = kinds.classed(&structure, &way);
        let Some(group) = classed.group(&|class| class == ALWAYS, &poll)? else {
            continue;
        };
        let orbits = distinct(&group.component_orbits(components));
        if (orbits, rules) < (best.0, best.1) && orbits < components {
            best = (orbits, rules, way);
        }
    }
    finish(machine, &kinds, structure, &best.2)
}

/// Divides the rules left out into classes, and computes both groups.
fn finish(
    machine: &Machine,
    kinds: &RuleKinds,
    structure: NetworkStructure,
    left_out: &[usize],
) -> Result<Option<ChosenPart>> {
    let poll = |_: usize| machine.eval.check_time();
    let flat = kinds.classed(&structure, left_out);
    let Some((bottom, least)) = flat.whole_group(&poll)? else {
        return Ok(None);
    };
    // A class is an orbit of rules under the symmetry of the whole.
    let mut numbers: IndexMap<usize, u32> = IndexMap::default();
    let mut names: Vec<String> = Vec::new();
    let mut classes = flat.classes().to_vec();
    for (rule, class) in classes.iter_mut().enumerate() {
        if *class != ALWAYS {
            let next = names.len() as u32 + 1;
            *class = *numbers.entry(least[rule]).or_insert(next);
            if *class == next {
                let event = structure.rules.get_index(rule).and_then(|r| r.0.first());
                let event = event.map(|label| structure.events[*label as usize]);
                names.push(event.map_or_else(String::new, |e| machine.show_event(e)));
            }
        }
    }
    for (number, name) in (1..).zip(&mut names) {
        match classes.iter().filter(|class| **class == number).count() {
            1 => {}
            more => name.push_str(&format!(" and {} like it", more - 1)),
        }
    }
    if names.len() as u32 > CLASSES_MAX {
        classes
            .iter_mut()
            .for_each(|class| *class = (*class).min(1));
        names = vec![left_out_names(kinds, left_out).join(", ")];
    }
    let asymmetry = Asymmetry {
        names: left_out_names(kinds, left_out),
        rules: classes.iter().filter(|class| **class != ALWAYS).count(),
        of: classes.len(),
    };
    let classed = ClassedStructure::new(structure, kinds.labels.clone(), classes);
    let Some(top) = classed.group(&|class| class == ALWAYS, &poll)? else {
        return Ok(None);
    };
    if top.generators.is_empty() {
        return Ok(None);
    }
    Ok(Some(ChosenPart {
        classed,
        names,
        asymmetry,
        top,
        bottom,
    }))
}

fn left_out_names(kinds: &RuleKinds, left_out: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = left_out.iter().map(|k| kinds.names[*k].clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
