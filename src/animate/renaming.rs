//! States renamed by hand: a permutation from the user, applied to a state (Prop. 35).

use super::cycles::GivenCycles;
use super::engine::ScriptEngine;
use super::model::{ErrorText, StateId};
use super::opened::AnimatedProcess;
use crate::machine::LocalId;
use crate::source::diagnostic::Result as Checked;
use crate::value::Atom;

impl ScriptEngine {
    /// The image of a state under a permutation of symmetric values.
    ///
    /// # Errors
    /// Why there is none: values that are not there, or not symmetric in the process.
    pub fn rename(&mut self, state: StateId, cycles: &GivenCycles) -> Result<StateId, ErrorText> {
        let renamed = self.at(state, |open| open.renamed(state, cycles))?;
        renamed.map_err(ErrorText::line)
    }
}

impl AnimatedProcess {
    fn renamed(&mut self, id: StateId, cycles: &GivenCycles) -> Checked<Result<StateId, String>> {
        let (format, state) = self.state(id);
        let obstacle = self.values_obstacle(format);
        if !obstacle.is_empty() {
            return Ok(Err(obstacle));
        }
        let image = match self.image_of_atoms(cycles) {
            Ok(image) => image,
            Err(why) => return Ok(Err(why)),
        };
        let locals = self.complete(|machine, network, _| {
            let mut locals: Vec<LocalId> = Vec::new();
            network.permute(machine.locals(), format, &state, &image, &mut locals)?;
            Ok(locals)
        })?;
        Ok(Ok(self.intern(format, &locals)))
    }

    /// The image of every atom.
    fn image_of_atoms(&self, cycles: &GivenCycles) -> Result<Vec<Atom>, String> {
        let atoms = self.machine.atoms();
        let all: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
        let mut image = all.clone();
        for cycle in cycles {
            let named = |name: &String| {
                let found = all
                    .iter()
                    .find(|atom| self.machine.atom_name(**atom) == *name);
                found.copied().ok_or_else(|| self.not_symmetric(name))
            };
            let cycle: Vec<Atom> = cycle.iter().map(named).collect::<Result<_, _>>()?;
            for (from, to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                let (a, b) = (atoms.kind(*from), atoms.kind(*to));
                if a != b {
                    return Err(format!(
                        "{} is of type {} and {} of type {}: a value is renamed within its type",
                        self.machine.atom_name(*from),
                        atoms.name(a),
                        self.machine.atom_name(*to),
                        atoms.name(b)
                    ));
                }
                image[from.0 as usize] = *to;
            }
        }
        Ok(image)
    }

    fn not_symmetric(&self, name: &str) -> String {
        let atoms = self.machine.atoms();
        let types = (0..atoms.kinds() as u8).map(|kind| {
            let members = atoms
                .atoms(kind)
                .map(|atom| self.machine.atom_name(Atom(atom)));
            let members: Vec<String> = members.collect();
            format!("{}: {}", atoms.name(kind), members.join(" "))
        });
        let types: Vec<String> = types.collect();
        if types.is_empty() {
            format!("{name} cannot be renamed: no datatype is symmetric in this process")
        } else {
            format!(
                "{name} is not a symmetric value of this process; these are ({})",
                types.join("; ")
            )
        }
    }
}
