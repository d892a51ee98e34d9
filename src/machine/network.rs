//! Networks: the supercombinator of one process, with its formats (Defs. 26 and 27, App. C).

use super::ahead::Place;
use super::bisimilar::{Merged, Visible};
use super::copies::Copies;
use super::format::{
    COMPONENTS_MAX, Format, FormatId, Tree, by_label, components, identities, map_leaves,
};
use super::homes::Homes;
use super::mappable;
use super::priority::Held;
use super::rules::{Fire, Rules};
use super::turns::{Left, Turn, is_at_root};
use super::{EventId, LocalId, Locals, Machine, Miss};
use crate::process::term::Term;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Map};
use crate::value::Atom;

/// How often a network may grow, besides once for each component that it begins with.
const GROWTH_MAX: usize = 512;
/// From this many formats on, operators that end stay inside of components that reach them.
const ENDING_FORMATS_MAX: usize = 256;

/// The supercombinator of one process.
#[derive(Debug)]
pub struct Network {
    /// All formats met; the first is that of the initial state.
    pub formats: Vec<Format>,
    format_of: IndexMap<(Tree, Vec<LocalId>), FormatId>,
    /// For a component that reached a parallel composition: what the network becomes.
    changes: Map<(FormatId, u16, LocalId), Option<Change>>,
    /// For operators that end: what the network becomes.
    turned: Map<FormatId, Map<Box<[Turn]>, Turned>>,
    /// The initial vector.
    pub initial: Vec<LocalId>,
    /// How far components are explored ahead.
    explore_max: usize,
    /// Why permutations do not map some format that has states to itself, if there is one.
    asymmetry: Option<Box<Diagnostic>>,
}

/// A change of format: component `i` is replaced by several.
#[derive(Clone, Debug)]
struct Change {
    format: FormatId,
    locals: Vec<LocalId>,
}

/// A change of format: operators end.
#[derive(Clone, Debug)]
struct Turned {
    format: FormatId,
    leaves: Vec<Left>,
}

/// A transition of a global state.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'a> {
    /// What the network performs.
    pub event: EventId,
    /// Index of the rule in its format.
    pub rule: u32,
    /// The format afterwards.
    pub format: FormatId,
    /// The local states afterwards.
    pub locals: &'a [LocalId],
    /// The components that move, with their possible targets.
    choices: &'a [(u16, (u32, u32))],
}

impl Successor<'_> {
    /// The components that move, by their places before.
    pub fn movers(&self) -> impl Iterator<Item = u16> + Clone {
        self.choices.iter().map(|(component, _)| *component)
    }
}

/// Buffers that successor generation reuses.
#[derive(Debug, Default)]
pub struct Scratch {
    next: Vec<LocalId>,
    /// Where the rules that each component leads stand.
    led: Vec<(u32, u32)>,
    choices: Vec<(u16, (u32, u32))>,
    changed: Vec<LocalId>,
    held: Held,
}

impl Network {
    /// The network of a term.
    ///
    /// # Errors
    /// An evaluation error while the components are explored ahead is not one: it is reported when a
    /// search reaches the place. Errors are limits and sets whose members cannot be decided.
    pub fn new(machine: &mut Machine, term: Term, explore_max: usize) -> Result<Self> {
        let unrolled = machine.unroll_at_root(term)?;
        let mut network = Self {
            formats: Vec::new(),
            format_of: IndexMap::default(),
            changes: Map::default(),
            turned: Map::default(),
            initial: unrolled.leaves.clone(),
            explore_max,
            asymmetry: None,
        };
        network.format(machine, unrolled.tree, &unrolled.leaves)?;
        network.note_asymmetry(FormatId(0));
        Ok(network)
    }

    /// Why permutations do not map some format that has states to itself, if there is one.
    #[must_use]
    pub fn asymmetry(&self) -> Option<&Diagnostic> {
        self.asymmetry.as_deref()
    }

    fn note_asymmetry(&mut self, format: FormatId) {
        let entry = &self.formats[format.0 as usize];
        if entry.entered && self.asymmetry.is_none() {
            self.asymmetry = entry.mappable.as_ref().err().cloned();
        }
    }

    /// Merges bisimilar local states of the initial format.
    ///
    /// # Errors
    /// A limit.
    pub fn merge_bisimilar(&mut self, machine: &mut Machine, visible: Visible) -> Result<()> {
        machine.merge_bisimilar(&mut self.formats[0], visible)
    }

    /// Whether the first format is the only one that there can be, and its components were explored to
    /// the end: nothing is left to evaluate.
    #[must_use]
    pub fn is_explored(&self, machine: &Machine) -> bool {
        let locals = &machine.locals;
        let known =
            |l: &LocalId| locals.transitions(*l).is_some() && !locals.outline(*l).is_parallel();
        self.formats.len() == 1
            && self.formats.iter().all(|format| {
                format.rules.list.iter().all(|rule| rule.turns.is_empty())
                    && format
                        .reach
                        .iter()
                        .all(|reach| reach.complete && reach.locals.iter().all(known))
            })
    }

    /// The format with these operators and components.
    fn format(
        &mut self,
        machine: &mut Machine,
        tree: Tree,
        leaves: &[LocalId],
    ) -> Result<FormatId> {
        let key = (tree, leaves.to_vec());
        if let Some(found) = self.format_of.get(&key) {
            return Ok(*found);
        }
        machine.eval.check_time()?;
        let id = u16::try_from(self.formats.len())
            .map(FormatId)
            .map_err(|_| {
                Box::new(
                    Diagnostic::nowhere("E0706", "the network takes more than 65,536 forms")
                        .note("a recursion through a parallel operator grows without bound"),
                )
            })?;
        let components = components(machine, leaves);
        let mut rules = Rules::new(components.len());
        let mut reach = Vec::with_capacity(components.len());
        for (index, component) in components.iter().enumerate() {
            let place = Place {
                tree: &key.0,
                components: &components,
                component: index,
                most: self.explore_max,
            };
            reach.push(machine.explore_ahead(&place, component.initial, &mut rules));
            let ended = machine.eval.check_time();
            machine.during_component("compiling", component.initial, ended)?;
        }
        let by_label = by_label(&components);
        let homes = Homes::new(&machine.locals, &components, &machine.atoms);
        let identity = identities(&machine.locals, &components);
        let mut format = Format {
            tree: key.0.clone(),
            components,
            reach,
            rules,
            by_label,
            homes,
            identity,
            copies: Copies::default(),
            merged: Merged::default(),
            entered: id.0 == 0,
            grown: 0,
            mappable: Ok(()),
        };
        let derived = mappable::close_events(machine, &mut format)
            .and_then(|()| machine.derive_rules(&format.tree, &mut format.rules));
        machine.during("deriving the rules", None, derived)?;
        let verified = mappable::verify(machine, &format);
        format.mappable = machine.during("verifying the symmetry", None, verified);
        if id.0 == 0 && machine.exchanging {
            format.find_copies(&machine.locals, &machine.atoms);
        }
        machine.rank_shapes();
        self.formats.push(format);
        self.format_of.insert(key, id);
        Ok(id)
    }

    /// Fills in [`Miss::Fire`].
    ///
    /// # Errors
    /// An evaluation error of the local state.
    pub fn build_fires(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        component: usize,
        local: LocalId,
    ) -> Result<()> {
        let expanded = machine.expand(local);
        let entry = &mut self.formats[format.0 as usize];
        let of = entry.components[component].initial;
        machine.during_component("exploring", of, expanded)?;
        if machine.note_events(&mut entry.rules, component, local)? {
            // More are likely to come, and each makes rules anew.
            let place = Place {
                tree: &entry.tree,
                components: &entry.components,
                component,
                most: self.explore_max,
            };
            machine.explore_further(&place, &mut entry.reach[component], &mut entry.rules);
            let ended = machine.eval.check_time();
            machine.during_component("exploring", of, ended)?;
            mappable::close_events(machine, entry)?;
            machine.derive_rules(&entry.tree, &mut entry.rules)?;
            if entry.mappable.is_ok() {
                let verified = mappable::verify(machine, entry);
                entry.mappable = machine.during("verifying the symmetry", None, verified);
            }
        }
        entry.rules.build(component, local, machine)?;
        self.note_asymmetry(format);
        Ok(())
    }

    /// Fills in [`Miss::Change`].
    ///
    /// # Errors
    /// A limit.
    pub fn decide_change(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        component: usize,
        local: LocalId,
    ) -> Result<()> {
        let term = machine.term_of(local);
        let old = &self.formats[format.0 as usize];
        // Each of these has its own format for every value of a parameter.
        let few = self.formats.len() < ENDING_FORMATS_MAX;
        let unrolled = if few && is_at_root(&old.tree, component as u16) {
            machine.unroll_at_root(term)?
        } else {
            machine.kept_together |= !few;
            machine.unroll(term)?
        };
        if let Tree::Leaf(_) = unrolled.tree {
            self.changes.insert((format, component as u16, local), None);
            return Ok(());
        }
        let mut leaves: Vec<LocalId> = old.components.iter().map(|c| c.initial).collect();
        let inserted = unrolled.leaves.len();
        leaves.splice(component..=component, unrolled.leaves.iter().copied());
        // Every component may come to be several; but to grow again and again means to grow for ever.
        let grown = old.grown + 1;
        let most = self.formats[0].components.len() + GROWTH_MAX;
        if leaves.len() > COMPONENTS_MAX || grown > most {
            return Err(Box::new(
                Diagnostic::nowhere("E0705", "the network keeps growing parallel components")
                    .note("a recursion through a parallel operator grows without bound"),
            ));
        }
        let tree = graft(&old.tree, component as u16, &unrolled.tree, inserted as u16);
        let known = self.formats.len();
        let next = self.format(machine, tree, &leaves)?;
        if next.0 as usize == known {
            self.formats[known].grown = grown;
        }
        // A format that permutations do not map to itself would need its image under each of them;
        // kept inside the component, the same term is permuted as a local state.
        let kept_inside =
            !machine.atoms.is_empty() && self.formats[next.0 as usize].mappable.is_err();
        self.formats[next.0 as usize].entered |= !kept_inside;
        machine.kept_together |= kept_inside;
        self.note_asymmetry(next);
        let change = (!kept_inside).then_some(Change {
            format: next,
            locals: unrolled.leaves,
        });
        self.changes
            .insert((format, component as u16, local), change);
        Ok(())
    }

    /// Fills in [`Miss::Turn`].
    ///
    /// # Errors
    /// A limit, or what the evaluation of the next process reports.
    pub fn decide_turn(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        rule: u32,
    ) -> Result<()> {
        let old = &self.formats[format.0 as usize];
        let turns = old.rules.list[rule as usize].turns.clone();
        let (tree, leaves) = machine.turn(&old.tree, &turns)?;
        let first = |left: &Left| match left {
            Left::Old(component) => old.components[*component as usize].initial,
            Left::New(local) => *local,
        };
        let labels: Vec<LocalId> = leaves.iter().map(first).collect();
        let next = self.format(machine, tree, &labels)?;
        self.formats[next.0 as usize].entered = true;
        self.note_asymmetry(next);
        let turned = Turned {
            format: next,
            leaves,
        };
        self.turned.entry(format).or_default().insert(turns, turned);
        Ok(())
    }

    /// Calls `emit` for every transition of a global state (Def. 27), in a fixed order.
    ///
    /// # Errors
    /// What the tables do not hold yet. `emit` may have been called by then: start again.
    pub fn successors<E: From<Miss>>(
        &self,
        locals: &Locals,
        format: FormatId,
        state: &[LocalId],
        scratch: &mut Scratch,
        mut emit: impl FnMut(Successor<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let rules = &self.formats[format.0 as usize].rules;
        let Scratch {
            next,
            led,
            choices,
            changed,
            held,
        } = scratch;
        let priorities = &rules.priorities;
        let some_wait = !priorities.is_empty();
        if some_wait {
            priorities.begin(held);
        }
        led.clear();
        for (component, local) in state.iter().enumerate() {
            let Some(range) = rules.led_by(component, *local) else {
                return Err(Miss::Fire(format, component as u16, *local).into());
            };
            led.push(range);
        }
        next.clear();
        next.extend_from_slice(state);
        for (component, range) in led.iter().enumerate() {
            for fire in rules.fires(*range) {
                let parts = rules.participants(fire);
                if !collect_choices(locals, state, component, fire.targets, parts, choices) {
                    continue;
                }
                if some_wait {
                    if priorities.hold_back(fire.rule, locals, state, held) {
                        continue;
                    }
                    if priorities.takes_first(fire.rule) {
                        for (_, range) in &mut *choices {
                            range.1 = range.0 + 1;
                        }
                    }
                }
                let mut visit = |next: &[LocalId]| {
                    let (format, after) =
                        self.after_change(locals, (format, fire), choices, next, changed)?;
                    emit(Successor {
                        event: fire.result,
                        rule: fire.rule,
                        format,
                        locals: after,
                        choices,
                    })
                };
                if choices.iter().all(|(_, range)| range.1 - range.0 == 1) {
                    for (component, range) in &*choices {
                        next[*component as usize] = locals.range(*range)[0].1;
                    }
                    visit(next)?;
                } else {
                    each_combination(locals, choices, next, &mut visit)?;
                }
                for (component, _) in &*choices {
                    next[*component as usize] = state[*component as usize];
                }
            }
        }
        Ok(())
    }

    /// The format and vector after operators ended and components that became parallel compositions
    /// were unrolled.
    fn after_change<'a, E: From<Miss>>(
        &self,
        locals: &Locals,
        (format, fire): (FormatId, &Fire),
        choices: &[(u16, (u32, u32))],
        next: &'a [LocalId],
        changed: &'a mut Vec<LocalId>,
    ) -> std::result::Result<(FormatId, &'a [LocalId]), E> {
        let is_parallel = |c: u16| locals.outline(next[c as usize]).is_parallel();
        let mut moved = choices.iter().map(|(c, _)| *c).filter(|c| is_parallel(*c));
        if !fire.turns && moved.clone().next().is_none() {
            return Ok((format, next));
        }
        changed.clear();
        let mut format = format;
        // Places of the components that are to be unrolled.
        let mut places: Vec<u16> = Vec::new();
        if fire.turns {
            let turns = &self.formats[format.0 as usize].rules.list[fire.rule as usize].turns;
            let known = self.turned.get(&format).and_then(|t| t.get(turns));
            let Some(turned) = known else {
                return Err(Miss::Turn(format, fire.rule).into());
            };
            for left in &turned.leaves {
                changed.push(match left {
                    Left::New(local) => *local,
                    Left::Old(component) => {
                        if moved.clone().any(|c| c == *component) {
                            places.push(changed.len() as u16);
                        }
                        next[*component as usize]
                    }
                });
            }
            format = turned.format;
        } else {
            changed.extend_from_slice(next);
            places.extend(&mut moved);
        }
        // From the right, so that the positions of the components still to do stay as they are.
        places.sort_unstable_by(|a, b| b.cmp(a));
        for component in places {
            let local = changed[component as usize];
            match self.changes.get(&(format, component, local)) {
                None => return Err(Miss::Change(format, component, local).into()),
                Some(None) => {}
                Some(Some(change)) => {
                    format = change.format;
                    let at = component as usize;
                    changed.splice(at..=at, change.locals.iter().copied());
                }
            }
        }
        Ok((format, changed))
    }

    /// `π(σ)` (Prop. 35): `out[α_π(i)] = π(σ_i)`.
    ///
    /// # Errors
    /// An image that is not interned yet.
    pub fn permute(
        &self,
        locals: &Locals,
        format: FormatId,
        state: &[LocalId],
        image: &[Atom],
        out: &mut Vec<LocalId>,
    ) -> std::result::Result<(), Miss> {
        let entry = &self.formats[format.0 as usize];
        let mut names = [0; 64];
        for (name, atom) in names.iter_mut().zip(image) {
            *name = atom.0;
        }
        out.clear();
        out.resize(state.len(), LocalId(0));
        for (component, local) in state.iter().enumerate() {
            let to = match entry.homes.image(component, image) {
                Some(to) => to,
                None => entry
                    .component_image(locals, component, image)?
                    .unwrap_or(component),
            };
            out[to] = match locals.image(*local, &names) {
                Some(found) => found,
                None => locals.permute(*local, image)?,
            };
        }
        Ok(())
    }
}

impl Network {
    /// The image of a state in a format that has the images of its components, by label and `inst`: the
    /// same one, or one that is entered by the image of what entered this. None if it has other
    /// components.
    ///
    /// # Errors
    /// An image that is not interned yet.
    pub fn image_in(
        &self,
        locals: &Locals,
        (from, state): (FormatId, &[LocalId]),
        image: &[Atom],
        to: FormatId,
    ) -> std::result::Result<Option<Vec<LocalId>>, Miss> {
        let (from, to) = (&self.formats[from.0 as usize], &self.formats[to.0 as usize]);
        if from.components.len() != to.components.len() {
            return Ok(None);
        }
        let mut out = vec![None; to.components.len()];
        for (component, local) in from.components.iter().zip(state) {
            let label = locals.permute(component.initial, image)?;
            let row = to.by_label.get(usize::from(component.inst));
            let place = row.and_then(|row| *row.get(label.0 as usize)?);
            let Some(place) = place else {
                return Ok(None);
            };
            out[usize::from(place)] = Some(locals.permute(*local, image)?);
        }
        Ok(out.into_iter().collect())
    }
}

/// Every choice of targets, the last participant fastest.
fn each_combination<E>(
    locals: &Locals,
    choices: &[(u16, (u32, u32))],
    next: &mut Vec<LocalId>,
    visit: &mut impl FnMut(&[LocalId]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let Some(((component, range), rest)) = choices.split_first() else {
        return visit(next);
    };
    for (_, target) in locals.range(*range) {
        next[*component as usize] = *target;
        each_combination(locals, rest, next, visit)?;
    }
    Ok(())
}

/// Finds, for each participant, the range of its possible targets; the leader's is known. False if
/// some participant cannot move.
fn collect_choices(
    locals: &Locals,
    state: &[LocalId],
    leader: usize,
    targets: (u32, u32),
    parts: &[(u16, EventId)],
    choices: &mut Vec<(u16, (u32, u32))>,
) -> bool {
    choices.clear();
    for (component, event) in parts {
        let range = if *component as usize == leader {
            targets
        } else {
            locals.range_on(state[*component as usize], *event)
        };
        if range.0 == range.1 {
            return false;
        }
        choices.push((*component, range));
    }
    true
}

/// Puts `inner` (with `inserted` leaves) in the place of leaf `at`; later leaves move up.
fn graft(tree: &Tree, at: u16, inner: &Tree, inserted: u16) -> Tree {
    map_leaves(tree, &mut |leaf| match leaf.cmp(&at) {
        std::cmp::Ordering::Less => Tree::Leaf(leaf),
        std::cmp::Ordering::Equal => map_leaves(inner, &mut |l| Tree::Leaf(l + at)),
        std::cmp::Ordering::Greater => Tree::Leaf(leaf + inserted - 1),
    })
}
