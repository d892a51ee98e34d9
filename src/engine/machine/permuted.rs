//! Permutations of global states (Prop. 35).

use super::format::Format;
use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::network::Network;
use super::tables::ShortImage;
use crate::value::Atom;

impl Network {
    /// The images `α_π(i)` and `π(σ_i)` of a component and its local state; `names` are those of the first atoms.
    ///
    /// # Errors
    /// An image that is not interned yet.
    #[inline]
    pub(super) fn image_of(
        &self,
        locals: &Locals,
        entry: &Format,
        component: usize,
        local: LocalId,
        image: &[Atom],
        names: &ShortImage,
    ) -> Result<(usize, LocalId), Miss> {
        // The table is nearly always enough.
        let to = match entry.images().image(component, image) {
            Some(to) => to,
            None => entry
                .component_image(locals, component, image)?
                .unwrap_or(component),
        };
        // An array access if a local state has few atoms, and a longer look-up if it has many.
        let moved = match locals.image(local, names) {
            Some(found) => found,
            None => locals.permute(local, image)?,
        };
        Ok((to, moved))
    }

    /// The image `π(σ)` (Prop. 35): `out[α_π(i)] = π(σ_i)`.
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
    ) -> Result<(), Miss> {
        out.clear();
        out.resize(state.len(), LocalId(0));
        let entry = self.format(format);
        let names = first_images(image);
        for (at, local) in state.iter().copied().enumerate() {
            let (to, moved) = self.image_of(locals, entry, at, local, image, &names)?;
            out[to] = moved;
        }
        Ok(())
    }

    /// The image of a state in a format that has the images of its components, by label and `inst`: the
    /// same format, or one entered by the image of the step that entered this. `None` if it has other
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
    ) -> Result<Option<Vec<LocalId>>, Miss> {
        let (from, to) = (self.format(from), self.format(to));
        // It is not the image then.
        if from.components().len() != to.components().len() {
            return Ok(None);
        }
        let mut out = vec![None; to.components().len()];
        for (component, local) in from.components().iter().zip(state) {
            let label = locals.permute(component.initial, image)?;
            let Some(place) = to.labelled(label, component.inst) else {
                return Ok(None);
            };
            out[place] = Some(locals.permute(*local, image)?);
        }
        Ok(out.into_iter().collect())
    }
}

/// The images of the first values.
#[inline]
fn first_images(image: &[Atom]) -> ShortImage {
    let mut names = [Atom(0); 64];
    let count = image.len().min(names.len());
    names[..count].copy_from_slice(&image[..count]);
    names
}
