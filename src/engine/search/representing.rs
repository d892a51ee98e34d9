//! Representatives of pairs (Def. 17), as local states or packed.
//!
//! Most permutations that a search finds move little: stored states are representatives, so their successors nearly
//! are. So a representative is packed by its difference from the state that it was reached from
//! ([`crate::symmetry::twins::NearState`]), where that is known.

use super::keeping::Kept;
use super::product::{Product, ProductMiss};
use crate::machine::{FormatId, LocalId};
use crate::reductions::steps::RawPair;
use crate::specification::NodeId;
use crate::symmetry::Representative;
use crate::symmetry::strategy::Strategy;

impl Product<'_> {
    /// `rep(p, q) = (π(p), rep(q))` (Def. 17) after bisimilar local states were merged; `π` is left in `out`. Without a
    /// strategy, the pair.
    ///
    /// # Errors
    /// A missing table entry.
    pub fn representative(
        &self,
        node: u32,
        format: FormatId,
        state: &[LocalId],
        out: &mut Representative,
    ) -> Result<u32, ProductMiss> {
        let node = self.class_of(node);
        self.once_merged(format, state, out, |state, out| {
            let Some(strategy) = self.strategy else {
                out.locals.clear();
                out.locals.extend_from_slice(state);
                return Ok(node);
            };
            strategy.representative(&self.context(node, format, state), out)?;
            self.image_of_node(strategy, node, out)
        })
    }

    /// Applies a function to a state after bisimilar local states were merged. For equal pairs the strategy gives equal
    /// representatives; for pairs that are only bisimilar it would give several.
    #[inline]
    fn once_merged<R>(
        &self,
        format: FormatId,
        state: &[LocalId],
        out: &mut Representative,
        work: impl FnOnce(&[LocalId], &mut Representative) -> R,
    ) -> R {
        let merged = self.network.format(format).merged();
        if merged.is_empty() {
            return work(state, out);
        }
        // Taken out while it is read: the strategy writes to the rest of `out`.
        let mut buffer = std::mem::take(&mut out.merged);
        buffer.clear();
        buffer.extend_from_slice(state);
        merged.apply(&mut buffer);
        let done = work(&buffer, out);
        out.merged = buffer;
        done
    }

    /// `π(p)` for the `π` that a strategy has left.
    #[inline]
    fn image_of_node(
        &self,
        strategy: &dyn Strategy,
        node: u32,
        out: &Representative,
    ) -> Result<u32, ProductMiss> {
        if strategy.structure().is_some() {
            return Ok(out.structural.node);
        }
        match self.specification {
            Some(specification) => Ok(specification
                .permute(self.locals, NodeId(node), &out.image)?
                .0),
            None => Ok(node),
        }
    }

    /// Appends the bytes of the representative of a pair, which need not be left in `out`.
    fn pack_representative(
        &self,
        strategy: &dyn Strategy,
        RawPair {
            node,
            format,
            locals,
        }: RawPair<'_>,
        out: &mut Representative,
        key: &mut Vec<u8>,
    ) -> Result<(), ProductMiss> {
        let node = self.class_of(node);
        self.once_merged(format, locals, out, |state, out| {
            let context = self.context(node, format, state);
            let only_named = strategy.permutation(&context, out)?;
            let stays = only_named && out.near.moves_nothing();
            debug_assert!(
                !stays || self.image_of_node(strategy, node, out).unwrap_or(node) == node
            );
            let node = match stays {
                true => node,
                false => self.image_of_node(strategy, node, out)?,
            };
            if only_named {
                if self.pack_near(node, format, state, out, key)? {
                    #[cfg(debug_assertions)]
                    {
                        let image = context.image(&out.image, &mut out.locals);
                        assert!(image.is_ok(), "the tables held it before");
                        self.assert_packed(node, format, &out.locals, key);
                    }
                    return Ok(());
                }
                context.image(&out.image, &mut out.locals)?;
            }
            self.packer.pack(node, format, &out.locals, key);
            Ok(())
        })
    }

    /// Appends the bytes of the image of a state by its difference from the state that it was reached from. Returns
    /// false if that is impossible.
    #[inline]
    fn pack_near(
        &self,
        node: u32,
        format: FormatId,
        state: &[LocalId],
        out: &Representative,
        key: &mut Vec<u8>,
    ) -> Result<bool, ProductMiss> {
        // Copies are sorted once all components are permuted.
        let has_copies = !self.network.format(format).copies().is_empty();
        let Some((before, changed, names_move)) = out.near.named_step().filter(|_| !has_copies)
        else {
            return Ok(false);
        };
        let near = (before, changed);
        if names_move {
            let tables = (self.network, self.locals);
            let packed =
                self.packer
                    .pack_image(tables, (node, format, state), out.named_image(), near, key);
            return Ok(packed?);
        }
        let as_it_is = |component: usize| Ok((component, state[component]));
        self.packer
            .pack_changed((node, format), near, as_it_is, key)
    }

    /// Asserts that packing by difference equals plain packing, for one key of four, to keep tests short.
    #[cfg(debug_assertions)]
    fn assert_packed(&self, node: u32, format: FormatId, state: &[LocalId], key: &[u8]) {
        if key.iter().fold(0, |all, byte| all ^ byte) % 4 == 0 {
            let mut whole = Vec::new();
            self.packer.pack(node, format, state, &mut whole);
            assert_eq!(key, whole, "packed as a whole");
        }
    }

    /// Packs a pair without permutation, up to bisimilar local states, which are left in `out`. Returns the class of
    /// its node.
    pub(super) fn pack_as_met(
        &self,
        pair: RawPair<'_>,
        out: &mut Representative,
        packed: &mut Vec<u8>,
    ) -> u32 {
        let node = self.class_of(pair.node);
        out.locals.clear();
        out.locals.extend_from_slice(pair.locals);
        let format = self.network.format(pair.format);
        format.merged().apply(&mut out.locals);
        packed.clear();
        self.pack(node, pair.format, &out.locals, packed);
        node
    }

    /// Leaves the representative of a pair in `kept`, or without reduction the pair. Returns whether the strategy used
    /// its fallback.
    ///
    /// # Errors
    /// A missing table entry.
    #[inline]
    pub(super) fn remember_representative(
        &self,
        pair: RawPair<'_>,
        out: &mut Representative,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        kept.key.clear();
        let RawPair {
            node,
            format,
            locals,
        } = pair;
        if let Some(strategy) = self.strategy {
            self.pack_representative(strategy, pair, out, &mut kept.key)?;
            return Ok(out.fell_back);
        }
        let merged = self.network.format(format).merged();
        if let Some(near) = out.near.take_step() {
            let node = self.class_of(node);
            let now = |component: usize| {
                let local = merged.stands_for(component, locals[component]);
                Ok::<_, ProductMiss>((component, local))
            };
            let key = &mut kept.key;
            if self.packer.pack_changed((node, format), near, now, key)? {
                #[cfg(debug_assertions)]
                {
                    let mut state = locals.to_vec();
                    merged.apply(&mut state);
                    self.assert_packed(node, format, &state, key);
                }
                return Ok(false);
            }
        }
        // Local states are merged in the first format only. If none is merged there and there is no strategy, the
        // successor is stored as it is, without a copy.
        if self.network.first().merged().is_empty() {
            self.pack(self.class_of(node), format, locals, &mut kept.key);
            return Ok(false);
        }
        let node = self.representative(node, format, locals, out)?;
        self.pack(node, format, &out.locals, &mut kept.key);
        Ok(out.fell_back)
    }
}
