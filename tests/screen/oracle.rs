//! What the screen has to agree with: a network without symmetric types that is made here, and orbits
//! by going through all permutations, or by applying generators until nothing new comes, where the symmetry
//! is that of the network's structure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use orbitscope::animate::model::{EventKind, StateView};
use orbitscope::script::core::GlobalKind;
use orbitscope::script::load::load;
use orbitscope::script::symmetric::{Trust, symmetric_types};
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::strategy::Strategy;
use orbitscope::symmetry::{Representative, StrategyKind};

use super::net::{Bounds, Net, OrbitFacts, State, Step, hashed, is_cut};

/// What a process really does.
pub struct Oracle {
    pub raw: Net,
    /// With the types that the screen permutes, once these are known.
    reduced: Vec<Net>,
    /// What was worked out: texts of a state to those of its orbit's members, and its size.
    orbits: BTreeMap<Vec<String>, Option<Rc<OrbitFacts>>>,
    /// The same by what stands for the texts of a member, where the symmetry is that of the structure.
    of_member: BTreeMap<u64, Rc<OrbitFacts>>,
    /// The state of the reduced network with these texts.
    reached: BTreeMap<Vec<String>, State>,
    /// Those of them whose steps were taken, too.
    /// The states that were gone by, in their order.
    gone_by: Vec<State>,
    passed: BTreeSet<Vec<String>>,
}

impl Oracle {
    /// Opens a process by its text, as an engine does that explores so many states; none if it cannot be.
    pub fn open(path: &Path, process: &str, bounds: Bounds) -> Option<Self> {
        let plain = load(path, None).ok()?;
        let mut globals = plain.script.globals.iter();
        let defined =
            globals.any(|g| *g.name == *process && matches!(g.kind, GlobalKind::Value(_)));
        let loaded = match defined {
            true => plain,
            false => load(path, Some(process)).ok()?,
        };
        let mut globals = loaded.script.globals.iter();
        let named = globals.find_map(|g| match &g.kind {
            GlobalKind::Value(body) if *g.name == *process => Some(body),
            _ => None,
        });
        let expr = named.or(loaded.given())?;
        let raw = Net::new(&loaded, expr, (&[], false), (0, bounds))?;
        let mut reduced = Vec::new();
        for (trust, trusting) in [(Trust::Nothing, false), (Trust::Events, true)] {
            let types = symmetric_types(&loaded.script, &loaded.types, &[expr], trust);
            let types: Vec<_> = types.into_iter().filter(|t| t.members.len() > 1).collect();
            reduced.extend(Net::new(
                &loaded,
                expr,
                (&types, trusting),
                (20_000, bounds),
            ));
        }
        reduced.extend(Net::of_structure(&loaded, expr, bounds));
        Some(Self {
            raw,
            reduced,
            orbits: BTreeMap::new(),
            of_member: BTreeMap::new(),
            reached: BTreeMap::new(),
            gone_by: Vec::new(),
            passed: BTreeSet::new(),
        })
    }

    /// What is wrong with a view of a state.
    pub fn compare(&mut self, state: &State, view: &StateView) -> Result<(), String> {
        self.pass(state);
        let texts = self.raw.texts(state);
        let shown: Vec<String> = view.components.iter().map(|c| c.text.clone()).collect();
        if texts != shown {
            return Err(format!("state {texts:?} is shown as {shown:?}"));
        }
        let Some(steps) = self.raw.steps(state) else {
            return Err("the state cannot be evaluated".to_owned());
        };
        let real: BTreeSet<(EventKind, &str)> = steps
            .iter()
            .map(|((k, e, _), _)| (*k, e.as_str()))
            .collect();
        let listed: BTreeSet<(EventKind, &str)> = view
            .transitions
            .iter()
            .map(|t| (t.kind, t.event.as_str()))
            .collect();
        if real != listed {
            return Err(format!("{real:?} are shown as {listed:?}"));
        }
        let targets: BTreeSet<&Step> = steps.iter().map(|(step, _)| step).collect();
        // Targets that read alike may differ in what the operators around the components are.
        let shown = view.transitions.len();
        if view.omitted == 0 && (shown < targets.len() || shown > steps.len().max(targets.len())) {
            return Err(format!("{} transitions, {shown} are shown", targets.len()));
        }
        let dead = steps.is_empty() && !view.terminated;
        if dead != view.deadlocked {
            return Err(format!("deadlocked is {dead}"));
        }
        self.compare_symmetry(view, &texts, &targets)
    }

    fn compare_symmetry(
        &mut self,
        view: &StateView,
        texts: &[String],
        steps: &BTreeSet<&Step>,
    ) -> Result<(), String> {
        let Some(rep) = &view.representative else {
            return Ok(());
        };
        let names: Vec<&str> = rep.permutation.iter().map(|p| p.name.as_str()).collect();
        self.keep_nets_of(&names);
        let Some(size) = self.orbit_of(texts).map(|orbit| orbit.size) else {
            return Ok(());
        };
        if rep
            .orbit
            .as_ref()
            .is_some_and(|said| said.to_string() != size.to_string())
        {
            return Err(format!(
                "the orbit has {size} states, {:?} is said",
                rep.orbit
            ));
        }
        let members: Option<BTreeSet<Vec<String>>> = steps
            .iter()
            .map(|step| self.orbit_of(&step.2).map(|orbit| orbit.least.clone()))
            .collect();
        if let Some(orbits) = members
            && view.orbits_known
            && view.omitted == 0
            && view.transitions.len() == steps.len()
        {
            let said: BTreeSet<_> = view.transitions.iter().map(|t| t.orbit).collect();
            if said.len() != orbits.len() {
                let (said, real) = (said.len(), orbits.len());
                return Err(format!("targets in {real} orbits, {said} are said"));
            }
        }
        Ok(())
    }

    /// The orbit of the state with these texts; none where the group is too large or the reduced network does
    /// not come to such a state.
    pub fn orbit_of(&mut self, texts: &[String]) -> Option<Rc<OrbitFacts>> {
        if let Some(known) = self.orbits.get(texts) {
            return known.clone();
        }
        if let Some(known) = self.of_member.get(&hashed(texts)) {
            return Some(Rc::clone(known));
        }
        // It may be met later.
        let state = self.state_with(texts)?;
        let found = self.work_out(&state).map(Rc::new);
        if let Some(orbit) = &found
            && self.reduced.first().is_some_and(|n| n.structure.is_some())
        {
            // Among hundreds of components it takes long to work out.
            let members = orbit.members.iter();
            self.of_member
                .extend(members.map(|member| (*member, Rc::clone(orbit))));
        }
        self.orbits.insert(texts.to_vec(), found.clone());
        found
    }

    fn work_out(&mut self, state: &State) -> Option<OrbitFacts> {
        let net = self.reduced.first_mut()?;
        let orbit = net.orbit(state)?;
        let size = orbit.iter().map(|s| net.arrangements(state.0, s)).sum();
        let mut least: Option<Vec<String>> = None;
        let mut members = BTreeSet::new();
        for locals in &orbit {
            let texts = net.texts(&(state.0, locals.clone()));
            let texts = net.arranged(state.0, texts);
            members.insert(hashed(&texts));
            least = least.into_iter().chain([texts]).min();
        }
        Some(OrbitFacts {
            least: least?,
            size,
            format: state.0,
            members,
        })
    }

    /// Whether another state is in the orbit of one; none where that is not known.
    pub fn is_in_orbit(&mut self, texts: &[String], other: &[String]) -> Option<bool> {
        let orbit = self.orbit_of(texts)?;
        let net = self.reduced.first()?;
        if texts.len() != other.len() {
            return Some(false);
        }
        let other = net.arranged(orbit.format, other.to_vec());
        Some(orbit.members.contains(&hashed(&other)))
    }

    /// Goes by a state, so that the reduced network knows what comes after it.
    pub fn pass(&mut self, state: &State) {
        let texts = self.raw.texts(state);
        let Some(reached) = self.state_with(&texts) else {
            return;
        };
        if !self.passed.insert(texts) {
            return;
        }
        self.gone_by.push(state.clone());
        let steps = self.reduced.first_mut().and_then(|net| net.steps(&reached));
        for ((_, _, after), target) in steps.unwrap_or_default() {
            self.reached.entry(after).or_insert(target);
        }
    }

    /// Only the reduced networks with these types are needed. Numbers of states belong to one of them, so where
    /// another one comes to be used, the person's way is gone again.
    fn keep_nets_of(&mut self, types: &[&str]) {
        let before = self.reduced.len();
        self.reduced.retain(|net| net.types() == types);
        if self.reduced.len() == before {
            return;
        }
        self.reached.clear();
        self.orbits.clear();
        self.of_member.clear();
        self.passed.clear();
        for state in std::mem::take(&mut self.gone_by) {
            self.pass(&state);
        }
    }

    /// Whether a component in a local state can become another one in another, by an element of the group of
    /// the structure; none where states are not permuted by that.
    pub fn can_become(&mut self, from: (usize, &str), to: (usize, &str)) -> Option<bool> {
        let Net {
            machine, structure, ..
        } = self.reduced.first_mut()?;
        let group = structure.as_ref()?;
        let points = &group.structure().points;
        let mut reading = |(component, text): (usize, &str)| -> BTreeSet<u32> {
            let reads = |p: &u32| machine.show_local(points.local(*p)) == text;
            points.range(component).filter(reads).collect()
        };
        let (mut met, there) = (reading(from), reading(to));
        let mut waiting: Vec<u32> = met.iter().copied().collect();
        while let Some(point) = waiting.pop() {
            let images = group.generators().iter().map(|g| g.point(point));
            waiting.extend(images.filter(|image| met.insert(*image)));
        }
        Some(!met.is_disjoint(&there))
    }

    /// The state of the reduced network that reads like this, among those that were met; none where several may.
    fn state_with(&mut self, texts: &[String]) -> Option<State> {
        if is_cut(texts) {
            return None;
        }
        let net = self.reduced.first_mut()?;
        if self.reached.is_empty() {
            let initial = net.initial();
            self.reached.insert(net.texts(&initial), initial);
        }
        self.reached.get(texts).cloned()
    }
}

impl Oracle {
    /// Whether the ordering of the paper gives two members of an orbit different representatives.
    pub fn several_representatives(&mut self, texts: &[String]) -> bool {
        let Some(state) = self.state_with(texts) else {
            return false;
        };
        let Some(net) = self.reduced.first_mut() else {
            return false;
        };
        let Some(orbit) = net.orbit(&state) else {
            return false;
        };
        let mut found = BTreeSet::new();
        let mut out = Representative::default();
        let structure = net.structure.take();
        for member in orbit {
            let done = net.complete(|machine, network| {
                let context = StateContext {
                    atoms: machine.atoms(),
                    locals: machine.locals(),
                    network,
                    format: state.0,
                    state: &member,
                    node: 0,
                    spec_atoms: &[],
                    spec_atoms_ordered: true,
                };
                let ordering = StrategyKind::Ordering.strategy();
                let asked: &dyn Strategy = structure.as_ref().map_or(ordering, |group| group);
                asked.representative(&context, &mut out)?;
                Ok(out.locals.clone())
            });
            found.extend(done);
        }
        net.structure = structure;
        found.len() > 1
    }
}
