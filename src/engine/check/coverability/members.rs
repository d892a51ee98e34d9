//! The members of a family in a network: the components that each value of a type names, and the conditions on them.

use super::UnmetCondition;
use crate::machine::tree::Tree;
use crate::machine::{EventId, Format, LocalId, Locals, Machine, Network};
use crate::source::Diagnostic;
use crate::symmetry::counters;
use crate::value::Atom;

/// Values that a step may involve, at most.
pub(super) const INVOLVED_MAX: usize = 3;

/// A set of values of the type, by their numbers.
pub(super) type ValueSet = u64;

/// The set of these atoms.
pub(super) fn set_of(atoms: &[Atom]) -> ValueSet {
    atoms.iter().fold(0, |set, atom| set | 1 << atom.0)
}

/// The members of a family, and the rest of the network.
#[derive(Debug)]
pub(super) struct Members {
    /// For each value, its components: as many for each, in the same order of classes.
    pub of_value: Vec<Vec<usize>>,
    /// The components that no value names.
    pub rest: Vec<usize>,
    /// For each rule, the values that its participants are named by, or that its events mention.
    pub involved: Vec<ValueSet>,
    /// Most values of one rule.
    pub involved_max: usize,
}

impl Members {
    /// Finds the members in a network that was explored completely, and decides the conditions on members and rules.
    ///
    /// # Errors
    /// The condition that is not met.
    pub(super) fn find(machine: &mut Machine, network: &Network) -> Result<Self, UnmetCondition> {
        let format = network.first();
        has_one_form(machine, network)?;
        if has_priority(format.tree()) {
            let why = "a priority or `chase` acts on the whole system: what one component may do depends on all others";
            return Err(nowhere(why));
        }
        let mappable = format.mappable();
        mappable.map_err(|error| asymmetric(&error))?;
        let (of_value, rest) = parted(machine, format)?;
        let is_member = |component: usize| format.identity()[component].is_some();
        if let Some(foreign) = counters::foreign_value(machine, format, &is_member) {
            return Err(at_state(machine, foreign.local, foreign.words));
        }
        for member in of_value.iter().flatten() {
            never_ends(machine, format, *member)?;
        }
        let mut found = Self {
            of_value,
            rest,
            involved: Vec::new(),
            involved_max: 0,
        };
        found.involve(machine, format)?;
        Ok(found)
    }

    /// Computes the values of each rule.
    fn involve(&mut self, machine: &mut Machine, format: &Format) -> Result<(), UnmetCondition> {
        for rule in format.rules().list() {
            let mut all = 0;
            for (component, event) in &rule.parts {
                let own = format.identity()[usize::from(*component)];
                all |= own.map_or(0, |own| set_of(&[own]));
                all |= set_of(&machine.atoms_of_event(*event));
            }
            all |= set_of(&machine.atoms_of_event(rule.result));
            all |= set_of(&machine.atoms_of_event(rule.shown));
            let count = all.count_ones() as usize;
            if count > INVOLVED_MAX {
                return Err(too_many(machine, rule.shown, count == self.of_value.len()));
            }
            self.involved.push(all);
            self.involved_max = self.involved_max.max(count);
        }
        Ok(())
    }

    /// For each number of values, the rules with so many.
    pub(super) fn rules_by_values(&self) -> [usize; INVOLVED_MAX + 1] {
        let mut counts = [0; INVOLVED_MAX + 1];
        for set in &self.involved {
            counts[set.count_ones() as usize] += 1;
        }
        counts
    }

    /// The local states of a value's components in a state, as those of the first value.
    pub(super) fn column(
        &self,
        machine: &mut Machine,
        state: &[LocalId],
        value: usize,
    ) -> Box<[LocalId]> {
        let mut image: Vec<Atom> = (0..self.of_value.len() as u16).map(Atom).collect();
        image.swap(0, value);
        let members = self.of_value[value].iter();
        members
            .map(|component| machine.permute_local(state[*component], &image))
            .collect()
    }

    /// Puts the local states of a column, as [`Members::column`] returns it, into the components of a value.
    pub(super) fn put(
        &self,
        machine: &mut Machine,
        column: &[LocalId],
        value: usize,
        state: &mut [LocalId],
    ) {
        let mut image: Vec<Atom> = (0..self.of_value.len() as u16).map(Atom).collect();
        image.swap(0, value);
        for (component, local) in self.of_value[value].iter().zip(column) {
            state[*component] = machine.permute_local(*local, &image);
        }
    }
}

/// A step that involves too many values, possibly all of them.
fn too_many(machine: &Machine, event: EventId, all: bool) -> UnmetCondition {
    let channel = machine.channel_name(event);
    let why = if event == EventId::TICK || event == EventId::DONE {
        "the components of the family end together: that takes all of them at once".to_owned()
    } else if all {
        format!("`{channel}` takes all components of the family at once, however many there are")
    } else {
        format!("`{channel}` involves more than {INVOLVED_MAX} values of the type at once")
    };
    let channels = &machine.eval.script().channels;
    let declared = channels.iter().find(|c| *c.name == *channel);
    UnmetCondition {
        why,
        span: declared.map(|c| c.span),
    }
}

/// That the network certainly keeps its components and operators, and all local states are known.
fn has_one_form(machine: &mut Machine, network: &Network) -> Result<(), UnmetCondition> {
    if network.is_explored(machine) {
        return Ok(());
    }
    let format = network.first();
    let mut reach = format.reach().iter().zip(format.components());
    let Some((_, component)) = reach.find(|(reach, _)| !reach.complete) else {
        let why =
            "the system does not keep its form: an operator ends, or a component becomes several";
        return Err(nowhere(why));
    };
    let initial = component.initial;
    let (name, _) = machine.describe_local(initial);
    let why = format!(
        "{name} was not explored to its end: it becomes several components, has too many states, or has an error in one"
    );
    Err(at_state(machine, initial, why))
}

fn has_priority(tree: &Tree) -> bool {
    match tree {
        Tree::Leaf(_) => false,
        Tree::Priority(..) => true,
        Tree::Interleave(parts) | Tree::Sharing(_, parts) => parts.iter().any(has_priority),
        Tree::Alphabetised(parts) => parts.iter().any(|(_, part)| has_priority(part)),
        Tree::Link(left, _, right) => has_priority(left) || has_priority(right),
        Tree::Hide(inner, ..) | Tree::Rename(inner, _) => has_priority(inner),
        Tree::Ending(ending) => ending.operands().into_iter().any(has_priority),
    }
}

/// The components of each value, and those of none.
fn parted(
    machine: &mut Machine,
    format: &Format,
) -> Result<(Vec<Vec<usize>>, Vec<usize>), UnmetCondition> {
    let mut of_value = vec![Vec::new(); machine.atoms().len()];
    let mut rest = Vec::new();
    let mut by_class: Vec<usize> = (0..format.components().len()).collect();
    by_class.sort_by_key(|component| format.components()[*component].class);
    for component in by_class {
        let initial = format.components()[component].initial;
        if machine.is_compressed(initial) {
            let why =
                "a compressed process is a part of it: its states are those of one size".to_owned();
            return Err(at_state(machine, initial, why));
        }
        match (
            machine.locals().atoms_of(initial),
            format.identity()[component],
        ) {
            ([], _) => rest.push(component),
            ([own], Some(identity)) if *own == identity => {
                of_value[usize::from(own.0)].push(component);
            }
            _ => {
                let (name, _) = machine.describe_local(initial);
                let why = format!(
                    "{name} is named by several values, or by one as the only such component"
                );
                return Err(at_state(machine, initial, why));
            }
        }
    }
    let count = of_value.first().map_or(0, Vec::len);
    if count == 0 {
        return Err(nowhere(
            "no component is named by a value of the type: a family is `||| x : T @ P(x)`, or the same with `||`, at the \
             top of the system",
        ));
    }
    let classes = |members: &[usize]| -> Vec<u16> {
        let components = members.iter().map(|m| format.components()[*m].class);
        components.collect()
    };
    let first = classes(&of_value[0]);
    if of_value.iter().any(|members| classes(members) != first) {
        return Err(nowhere(
            "not all values of the type name the same components",
        ));
    }
    Ok((of_value, rest))
}

/// That a member never terminates: with the others it would end the system.
fn never_ends(machine: &mut Machine, format: &Format, member: usize) -> Result<(), UnmetCondition> {
    let locals: &Locals = machine.locals();
    let ends = |local: &&LocalId| {
        let steps = locals.transitions(**local).unwrap_or(&[]);
        steps.iter().any(|(event, _)| *event == EventId::TICK)
    };
    let Some(local) = format.reach()[member].locals.iter().find(ends).copied() else {
        return Ok(());
    };
    let (name, _) = machine.describe_local(format.components()[member].initial);
    let why = format!(
        "{name} may terminate (`SKIP`): the system ends with the last of them, which takes all at once"
    );
    // The state itself may have no place.
    let initial = format.components()[member].initial;
    let own = at_state(machine, local, why);
    Err(match own.span {
        Some(_) => own,
        None => at_state(machine, initial, own.why),
    })
}

/// A condition on the system as a whole.
pub(super) fn nowhere(why: &str) -> UnmetCondition {
    UnmetCondition {
        why: why.to_owned(),
        span: None,
    }
}

/// That permutations of values do not carry over to a network.
pub(super) fn asymmetric(error: &Diagnostic) -> UnmetCondition {
    UnmetCondition {
        why: format!("permutations do not carry over: {}", error.message),
        span: error.span,
    }
}

/// A condition that a local state does not meet.
pub(super) fn at_state(machine: &mut Machine, local: LocalId, why: String) -> UnmetCondition {
    let place = machine.places_of(local).first().map(|place| place.span);
    UnmetCondition { why, span: place }
}
