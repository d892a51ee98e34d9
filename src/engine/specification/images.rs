//! Images of nodes under permutations (Def. 15).

use super::{NodeId, POLL_EVERY, SpecMiss, Specification, UNMADE};
use crate::machine::{LocalId, Locals, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::value::Atom;

/// Images of a node by those of its atoms.
pub(super) type NodeImages = Map<Box<[Atom]>, NodeId>;

/// Members of a node above which its images are remembered.
const DIRECT_MAX: usize = 8;
/// Images remembered of all nodes together.
const IMAGES_MAX: usize = 1 << 20;

impl Specification {
    /// `π(p)` (Def. 15), or the representative of its class.
    ///
    /// # Errors
    /// The image was not made yet.
    pub fn permute(
        &self,
        locals: &Locals,
        node: NodeId,
        image: &[Atom],
    ) -> std::result::Result<NodeId, SpecMiss> {
        let atoms = self.atoms(node);
        // Then it fixes the whole class, and no look-up is needed.
        if atoms.iter().all(|atom| image[atom.0 as usize] == *atom) {
            return Ok(self.class_of(node));
        }
        let via = self.via.get(node.0 as usize);
        let member = via.map_or(node, |via| NodeId(*via));
        Ok(self.class_of(self.image_of(locals, member, image)?))
    }

    /// `π(p)`, before merging.
    pub(super) fn image_of(
        &self,
        locals: &Locals,
        node: NodeId,
        image: &[Atom],
    ) -> std::result::Result<NodeId, SpecMiss> {
        let miss = || SpecMiss::Image(node, image.into());
        // The cheapest case: the image of one local state, and its node.
        if let Some((format, local)) = self.single(node) {
            let to = locals.permute(local, image).map_err(|_| miss())?;
            let found = self.of_local.get(to.0 as usize);
            let found = found.filter(|(found, node)| *found == format && *node != UNMADE);
            if let Some((_, node)) = found {
                return Ok(*node);
            }
        }
        if self.members(node).len() > DIRECT_MAX {
            let own = self.shown.own(node).iter();
            let key: Vec<Atom> = own.map(|atom| image[atom.0 as usize]).collect();
            let images = self.images.get(&node);
            if let Some(found) = images.and_then(|images| images.get(&key[..])) {
                return Ok(*found);
            }
            // While there is room, a miss makes the image, which is then remembered. After that it is computed here
            // each time.
            if self.images_made < IMAGES_MAX {
                return Err(miss());
            }
        }
        let mut members = Vec::with_capacity(self.members(node).len());
        let mut out = Vec::new();
        for (format, state) in self.members(node) {
            out.clear();
            self.network
                .permute(locals, format, state, image, &mut out)
                .map_err(|_| miss())?;
            members.push(self.states.find((format, &out)).ok_or_else(miss)?);
        }
        // A permutation changes the order of the numbers, and nodes are looked up by ascending ones.
        members.sort_unstable();
        self.nodes.find((), &members).map(NodeId).ok_or_else(miss)
    }

    pub(super) fn make_image(
        &mut self,
        machine: &mut Machine,
        node: NodeId,
        image: &[Atom],
    ) -> Result<NodeId> {
        let mut members = Vec::new();
        for n in 0..self.nodes.list(node.0).len() {
            let member = self.nodes.list(node.0)[n];
            if n % POLL_EVERY == 0 {
                machine.eval.check_time()?;
            }
            let (format, state) = self.states.get(member);
            let mut out = vec![LocalId(0); state.len()];
            for (component, local) in state.iter().enumerate() {
                let entry = self.network.format(format);
                let to = entry
                    .find_image(machine, component, image)
                    .unwrap_or(component);
                out[to] = machine.permute_local(*local, image);
            }
            members.push(self.states.intern((format, &out)));
        }
        machine.rank_shapes()?;
        // The image is closed, too; but its members may not have been explored.
        let members = self.close(machine, members)?;
        let many = members.len() > DIRECT_MAX;
        let found = self.intern(machine, &members);
        if many && self.images_made < IMAGES_MAX {
            // Images of other atoms do not matter, so they are not part of the key.
            let own = self.shown.own(node).iter();
            let key = own.map(|atom| image[atom.0 as usize]).collect();
            let new = self.images.entry(node).or_default().insert(key, found);
            self.images_made += usize::from(new.is_none());
        }
        Ok(found)
    }
}
