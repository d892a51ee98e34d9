//! Networks with their tables, as the screen is held to them: all steps of a state, and orbits by going through all
//! permutations, or by applying generators until nothing new comes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use orbitscope::animate::model::EventKind;
use orbitscope::check::look_bounds::{LookBounds, Looking};
use orbitscope::check::plan::atom_types;
use orbitscope::check::structural::{PreservedProperties, StructureFound, find, is_soon_looked_at};
use orbitscope::eval::Evaluator;
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::core::Expr;
use orbitscope::script::load::Loaded;
use orbitscope::script::symmetric::SymmetricType;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::structural::StructuralGroup;
use orbitscope::value::Atom;

/// Permutations that are gone through at most.
const GROUP_MAX: u128 = 5_040;
/// Generators times components at most, where states are permuted by a group of the structure.
const GENERATORS_MAX: usize = 10_000;
/// What the screen calls what is permuted where the symmetry is that of the structure.
const COMPONENTS: &str = "components";

pub type State = (FormatId, Vec<LocalId>);
/// Kind, event, and the texts of the components after it.
pub type Step = (EventKind, String, Vec<String>);

/// The orbit of a state.
pub struct OrbitFacts {
    /// Its least member, in words.
    pub least: Vec<String>,
    /// How many states there are.
    pub size: u128,
    pub format: FormatId,
    pub members: BTreeSet<u64>,
}

/// What bounds the exploration of a compressed process: a composition that has more becomes components.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounds {
    pub states_max: usize,
    pub memory_max: usize,
}

impl From<&Limits> for Bounds {
    fn from(limits: &Limits) -> Self {
        Self {
            states_max: limits.states_max,
            memory_max: limits.memory_max,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}

impl Bounds {
    fn limits(self) -> Limits {
        Limits {
            states_max: self.states_max,
            memory_max: self.memory_max,
            ..Limits::default()
        }
    }
}

/// Whether several states may read like this: long texts are cut.
pub fn is_cut(texts: &[String]) -> bool {
    texts.iter().any(|text| text.contains('…'))
}

/// A network with its tables.
pub struct Net {
    pub machine: Machine,
    pub network: Network,
    /// The group of its structure, if states are permuted by that.
    pub structure: Option<StructuralGroup>,
}

impl Net {
    pub fn new(
        loaded: &Loaded,
        expr: &Expr,
        (types, trusting): (&[SymmetricType], bool),
        (ahead, bounds): (usize, Bounds),
    ) -> Option<Self> {
        let limits = bounds.limits();
        let eval = Evaluator::new(Rc::clone(&loaded.script), &limits, Cancel::default());
        let mut machine = Machine::new(eval, atom_types(&loaded.script, types));
        machine.set_trusting(trusting);
        let term = machine.eval.process(expr).ok()?;
        let network = Network::new(&mut machine, term, ahead).ok()?;
        Some(Self {
            machine,
            network,
            structure: None,
        })
    }

    /// With the symmetry of its structure; none if it has none, or if to look for it takes long.
    pub fn of_structure(loaded: &Loaded, expr: &Expr, bounds: Bounds) -> Option<Self> {
        let mut net = Self::new(
            loaded,
            expr,
            (&[], false),
            (Limits::default().local_states_max, bounds),
        )?;
        if !is_soon_looked_at(&net.machine, &net.network) {
            return None;
        }
        let found = find(
            &mut net.machine,
            &net.network,
            None,
            PreservedProperties::NOTHING,
            &Looking::new(LookBounds::BY_ITSELF),
        )
        .ok()?;
        let StructureFound::Group(group) = found else {
            return None;
        };
        net.network.give_up_copies();
        // States are known by their texts here, and long ones are cut.
        let points = &group.structure().points;
        for component in 0..points.components() {
            let range = points.range(component);
            let texts = range
                .clone()
                .map(|p| net.machine.show_local(points.local(p)));
            if texts.collect::<BTreeSet<String>>().len() < range.len() {
                return None;
            }
        }
        net.structure = Some(*group);
        Some(net)
    }

    pub fn initial(&self) -> State {
        (FormatId(0), self.network.initial().to_vec())
    }

    pub fn texts(&mut self, state: &State) -> Vec<String> {
        let shown = |local: &LocalId| self.machine.show_local(*local);
        state.1.iter().map(shown).collect()
    }

    pub fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Machine, &Network) -> Result<R, Miss>,
    ) -> Option<R> {
        loop {
            match attempt(&self.machine, &self.network) {
                Ok(done) => return Some(done),
                Err(miss) => {
                    let resolved = self.machine.resolve(&mut self.network, &miss);
                    resolved
                        .or_else(|_| {
                            // Here more is evaluated than the engine did.
                            self.machine.eval.set_limits(&Limits::default());
                            self.machine.resolve(&mut self.network, &miss)
                        })
                        .ok()?;
                }
            }
        }
    }

    /// All steps of a state, each with where it leads; none where something cannot be evaluated.
    pub fn steps(&mut self, state: &State) -> Option<Vec<(Step, State)>> {
        let found = self.complete(|machine, network| {
            let mut found = Vec::new();
            let mut scratch = RuleScratch::default();
            network.successors::<Miss>(machine.locals(), state.0, &state.1, &mut scratch, |s| {
                let shown = network.format(state.0).rules().rule(s.rule).shown;
                found.push((s.event, shown, (s.format, s.locals.to_vec())));
                Ok(())
            })?;
            Ok(found)
        })?;
        let mut steps = Vec::new();
        for (event, shown, target) in found {
            let kind = match event {
                EventId::TAU => EventKind::Tau,
                EventId::TICK => EventKind::Tick,
                _ => EventKind::Visible,
            };
            let event = match shown {
                EventId::TAU => String::new(),
                shown => self.machine.show_event(shown),
            };
            let texts = self.texts(&target);
            steps.push(((kind, event, texts), target));
        }
        Some(steps)
    }

    /// The names of the types that are permuted.
    pub fn types(&self) -> Vec<String> {
        if self.structure.is_some() {
            return vec![COMPONENTS.to_owned()];
        }
        let kinds = 0..self.machine.atoms().kinds() as u8;
        kinds
            .map(|k| self.machine.atoms().name(k).to_owned())
            .collect()
    }

    /// The orbit of a state, with the copies of each member sorted; none if the group is large.
    pub fn orbit(&mut self, state: &State) -> Option<BTreeSet<Vec<LocalId>>> {
        let mut orbit = BTreeSet::new();
        if let Some(group) = &self.structure {
            return closed(group, &state.1);
        }
        for image in permutations(&self.machine)? {
            let permuted = self.complete(|machine, network| {
                let mut out = Vec::new();
                network.permute(machine.locals(), state.0, &state.1, &image, &mut out)?;
                Ok(out)
            })?;
            orbit.insert(self.settled(state.0, permuted));
        }
        Some(orbit)
    }

    /// Copies are told apart by their places alone.
    fn settled(&self, format: FormatId, mut state: Vec<LocalId>) -> Vec<LocalId> {
        for set in self.network.format(format).copies().sets() {
            let mut locals: Vec<LocalId> = set.iter().map(|c| state[*c as usize]).collect();
            locals.sort_unstable();
            for (place, local) in set.iter().zip(locals) {
                state[*place as usize] = local;
            }
        }
        state
    }

    /// The same for texts: those of copies in ascending order.
    pub fn arranged(&self, format: FormatId, mut texts: Vec<String>) -> Vec<String> {
        for set in self.network.format(format).copies().sets() {
            let mut of_set: Vec<String> = set.iter().map(|c| texts[*c as usize].clone()).collect();
            of_set.sort_unstable();
            for (place, text) in set.iter().zip(of_set) {
                texts[*place as usize] = text;
            }
        }
        texts
    }

    /// How many states the copies of a state can be arranged to.
    pub fn arrangements(&self, format: FormatId, state: &[LocalId]) -> u128 {
        let factorial = |n: usize| (1..=n as u128).product::<u128>();
        let sets = self.network.format(format).copies().sets().iter();
        sets.map(|set| {
            let mut counts: BTreeMap<LocalId, usize> = BTreeMap::new();
            for place in set {
                *counts.entry(state[*place as usize]).or_default() += 1;
            }
            factorial(set.len()) / counts.values().map(|n| factorial(*n)).product::<u128>()
        })
        .product()
    }
}

/// All states that the generators of a group lead to; none if there are too many, or too many generators.
fn closed(group: &StructuralGroup, state: &[LocalId]) -> Option<BTreeSet<Vec<LocalId>>> {
    if group.generators().len() * state.len() > GENERATORS_MAX {
        return None;
    }
    let mut orbit = BTreeSet::from([state.to_vec()]);
    let mut waiting = vec![state.to_vec()];
    while let Some(next) = waiting.pop() {
        for generator in group.generators() {
            let image = generator.state(group.structure(), &next)?;
            if orbit.insert(image.clone()) {
                waiting.push(image);
            }
        }
        if orbit.len() as u128 > GROUP_MAX {
            return None;
        }
    }
    Some(orbit)
}

/// All permutations of the atoms, type by type; none if there are too many.
fn permutations(machine: &Machine) -> Option<Vec<Vec<Atom>>> {
    let kinds = 0..machine.atoms().kinds() as u8;
    let sizes = kinds
        .clone()
        .map(|k| machine.atoms().atoms(k).len() as u128);
    let order = sizes
        .map(|n| (1..=n).product::<u128>())
        .fold(1, u128::saturating_mul);
    if order > GROUP_MAX {
        return None;
    }
    let mut all: Vec<Vec<Atom>> = vec![Vec::new()];
    for kind in kinds {
        let values: Vec<u16> = machine.atoms().atoms(kind).collect();
        let orders = orders(&values);
        all = all
            .iter()
            .flat_map(|start| {
                orders.iter().map(|order| {
                    let rest = order.iter().map(|a| Atom(*a));
                    start.iter().copied().chain(rest).collect()
                })
            })
            .collect();
    }
    Some(all)
}

pub fn hashed(texts: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}

fn orders(values: &[u16]) -> Vec<Vec<u16>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..values.len() {
        let mut rest = values.to_vec();
        let first = rest.remove(at);
        for mut order in orders(&rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}
