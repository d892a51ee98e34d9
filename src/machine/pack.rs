//! Global states as packed bytes.
//!
//! A state is the number of its format (two bytes) and one code a component, each as wide as the
//! number of local states that the component can reach needs, or 32 bits where that is not known.
//! Equal states have equal bytes.

use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::network::Network;
use super::permuted::first_images;
use super::reach::Reach;
use crate::value::Atom;

/// Words of the longest state that is permuted and packed at once.
const WORDS_MAX: usize = 8;

/// The widths of one format.
#[derive(Clone, Debug)]
struct Layout {
    /// Bits of each component; 32 means that the code is the local state's id.
    bits: Vec<u8>,
    /// Where the bits of each component begin.
    offsets: Vec<u32>,
    /// From code to local state; empty for components that are not known completely.
    decode: Vec<Vec<LocalId>>,
    /// From local state to code, where it is the same for all components that can be in it and all of them are known
    /// completely: nearly always.
    codes: Option<Vec<u32>>,
    /// The same for each component elsewhere.
    encode: Vec<Vec<u32>>,
    bytes: usize,
}

impl Layout {
    /// For components that can be in these local states; none for one of which that is not known completely.
    fn new<'a>(components: impl Iterator<Item = Option<&'a [LocalId]>>) -> Self {
        let mut layout = Self {
            bits: Vec::new(),
            offsets: Vec::new(),
            decode: Vec::new(),
            codes: Some(Vec::new()),
            encode: Vec::new(),
            bytes: 0,
        };
        let mut end = 0;
        for known in components {
            let bits = match known {
                Some(known) => usize::BITS - (known.len().max(2) - 1).leading_zeros(),
                None => 32,
            };
            layout.bits.push(bits as u8);
            layout.offsets.push(end);
            end += bits;
            if known.is_none() {
                layout.codes = None;
            }
            layout.decode.push(known.unwrap_or_default().to_vec());
        }
        layout.bytes = 2 + end.div_ceil(8) as usize;
        layout.find_codes();
        #[cfg(debug_assertions)]
        layout.assert_consistent();
        layout
    }

    /// From `decode`, in one table if that can be.
    fn find_codes(&mut self) {
        if let Some(codes) = &mut self.codes {
            let mut all = self.decode.iter().flat_map(|known| known.iter().zip(0..));
            let agree = all.all(|(local, code)| Self::enter(codes, *local, code));
            if agree {
                return;
            }
            self.codes = None;
        }
        let table = |known: &Vec<LocalId>| {
            let mut table = Vec::new();
            for (local, code) in known.iter().zip(0..) {
                Self::enter(&mut table, *local, code);
            }
            table
        };
        self.encode = self.decode.iter().map(table).collect();
    }

    /// Notes the code of a local state; false if it has another one.
    fn enter(table: &mut Vec<u32>, local: LocalId, code: u32) -> bool {
        let at = local.0 as usize;
        if table.len() <= at {
            table.resize(at + 1, u32::MAX);
        }
        let before = std::mem::replace(&mut table[at], code);
        before == u32::MAX || before == code
    }

    /// The code of a component's local state.
    #[inline]
    fn code(&self, component: usize, local: LocalId) -> u32 {
        match &self.codes {
            Some(codes) => codes[local.0 as usize],
            None if self.bits[component] == 32 => local.0,
            None => self.encode[component][local.0 as usize],
        }
    }

    /// Does something with the bits of a component.
    #[inline]
    fn write(
        &self,
        component: usize,
        code: u64,
        put: impl Fn(&mut u64, u64),
        words: &mut [u64; WORDS_MAX + 1],
    ) {
        let at = self.offsets[component];
        let (word, shift) = ((at / 64) as usize % WORDS_MAX, at % 64);
        put(&mut words[word], code << shift);
        // In two steps: a shift by 64 would overflow.
        put(&mut words[word + 1], code >> 1 >> (63 - shift));
    }

    /// That codes and local states are the inverse of each other, and every code fits its bits.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self) {
        for (component, decode) in self.decode.iter().enumerate() {
            let bits = self.bits[component];
            if decode.is_empty() {
                // What is not known completely is packed as the local state's own number.
                assert_eq!(bits, 32);
                continue;
            }
            // 32 bits would mean that there is no table.
            assert!(bits < 32 && decode.len() as u64 <= 1 << bits);
            for (code, local) in decode.iter().enumerate() {
                assert_eq!(self.code(component, *local) as usize, code);
            }
        }
        let bits: usize = self.bits.iter().map(|b| usize::from(*b)).sum();
        assert!((self.bytes - 2) * 8 >= bits && (self.bytes - 2) * 8 < bits + 8);
    }
}

/// The bits of a packed state, at hand to be changed; nothing if it is too long.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackedBits {
    /// One word more than states have, so that the last code may end there.
    words: [u64; WORDS_MAX + 1],
    known: bool,
}

/// Packs and unpacks the states of a network. Made from the formats known so far; made again when
/// there are more.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    layouts: Vec<Layout>,
}

impl Packer {
    /// For the formats that a network has now.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let mut packer = Self::default();
        packer.update(network);
        packer
    }

    /// Adds the formats that are new.
    pub fn update(&mut self, network: &Network) {
        // What a component can reach is fixed when its format is made, so layouts never change.
        for format in &network.formats()[self.layouts.len()..] {
            let known = format.reach().iter().map(Reach::all);
            self.layouts.push(Layout::new(known));
        }
    }

    /// Bytes of the longest state.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.layouts.iter().map(|l| l.bytes).max().unwrap_or(2)
    }

    /// How many formats it knows.
    #[must_use]
    pub fn formats(&self) -> usize {
        self.layouts.len()
    }

    /// Appends the bytes of a state.
    pub fn pack(&self, format: FormatId, state: &[LocalId], out: &mut Vec<u8>) {
        let layout = &self.layouts[format.0 as usize];
        out.extend_from_slice(&format.0.to_le_bytes());
        let (mut held, mut count) = (0u64, 0u32);
        for (component, local) in state.iter().enumerate() {
            let bits = u32::from(layout.bits[component]);
            let code = layout.code(component, *local);
            held |= u64::from(code) << count;
            count += bits;
            // At most 32 bits are added at once, so 64 always hold them.
            if count >= 32 {
                out.extend_from_slice(&(held as u32).to_le_bytes());
                held >>= 32;
                count -= 32;
            }
        }
        // All of it, and less again: a copy of unknown length costs a call.
        let end = out.len() + count.div_ceil(8) as usize;
        out.extend_from_slice(&held.to_le_bytes());
        out.truncate(end);
    }

    /// Reads the bits of a packed state.
    pub fn bits(&self, bytes: &[u8]) -> PackedBits {
        let format = u16::from_le_bytes([bytes[0], bytes[1]]);
        let length = self.layouts[usize::from(format)].bytes - 2;
        let mut bits = PackedBits::default();
        if length <= WORDS_MAX * 8 {
            bits.known = true;
            for (word, bytes) in bits.words.iter_mut().zip(bytes[2..][..length].chunks(8)) {
                // Byte by byte: a copy of unknown length costs a call.
                let bytes = bytes.iter().rev();
                *word = bytes.fold(0, |word, byte| word << 8 | u64::from(*byte));
            }
        }
        bits
    }

    /// Appends the bytes of a state that differs from another one of its format in these components. False if it is
    /// too long for that: then nothing was appended.
    ///
    /// `now` tells the place and the local state of each of them in the new state. The places have to be those of
    /// the same components.
    ///
    /// # Errors
    /// What `now` reports; then nothing was appended, either.
    #[inline]
    pub fn pack_changed<E>(
        &self,
        format: FormatId,
        (before, changed): (&PackedBits, &[u16]),
        mut now: impl FnMut(usize) -> Result<(usize, LocalId), E>,
        out: &mut Vec<u8>,
    ) -> Result<bool, E> {
        let layout = &self.layouts[format.0 as usize];
        let length = layout.bytes - 2;
        if !before.known {
            return Ok(false);
        }
        let mut words = before.words;
        for component in changed {
            let component = usize::from(*component);
            let all = u64::MAX >> (64 - u32::from(layout.bits[component]));
            layout.write(component, all, |word, bits| *word &= !bits, &mut words);
        }
        for component in changed {
            let (to, local) = now(usize::from(*component))?;
            let code = u64::from(layout.code(to, local));
            layout.write(to, code, |word, bits| *word |= bits, &mut words);
        }
        out.extend_from_slice(&format.0.to_le_bytes());
        let end = out.len() + length;
        // Whole words, and less again.
        for word in &words[..length.div_ceil(8)] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.truncate(end);
        Ok(true)
    }

    /// The same, of the representative `π(σ)` of a state.
    ///
    /// # Errors
    /// An image that is not interned yet; then nothing was appended.
    pub fn pack_image(
        &self,
        (network, locals): (&Network, &Locals),
        (format, state): (FormatId, &[LocalId]),
        image: &[Atom],
        near: (&PackedBits, &[u16]),
        out: &mut Vec<u8>,
    ) -> Result<bool, Miss> {
        let entry = network.format(format);
        let names = first_images(image);
        let now = |component: usize| {
            let at = (component, state[component]);
            network.image_of((locals, entry), at, (image, &names))
        };
        self.pack_changed(format, near, now, out)
    }

    /// Reads a state back; `out` is overwritten.
    pub fn unpack(&self, bytes: &[u8], out: &mut Vec<LocalId>) -> FormatId {
        let format = FormatId(u16::from_le_bytes([bytes[0], bytes[1]]));
        let layout = &self.layouts[format.0 as usize];
        out.clear();
        let (mut held, mut count, mut at) = (0u64, 0u32, 2);
        for (component, bits) in layout.bits.iter().enumerate() {
            let bits = u32::from(*bits);
            while count < bits {
                held |= u64::from(bytes[at]) << count;
                at += 1;
                count += 8;
            }
            let code = (held & ((1u64 << bits) - 1)) as u32;
            held >>= bits;
            count -= bits;
            out.push(if bits == 32 {
                LocalId(code)
            } else {
                layout.decode[component][code as usize]
            });
        }
        format
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a component can be in: local states of its own, or some that others can be in as well, or nobody knows.
    fn component() -> impl Strategy<Value = (Vec<LocalId>, bool)> {
        (1..40u32, 0..3u32, any::<bool>()).prop_map(|(count, first, known)| {
            let locals = (0..count).map(|n| LocalId(first * 17 + n));
            (locals.collect(), known)
        })
    }

    fn packed(packer: &Packer, state: &[LocalId]) -> Vec<u8> {
        let mut bytes = Vec::new();
        packer.pack(FormatId(0), state, &mut bytes);
        bytes
    }

    proptest! {
        /// Packing what has changed is packing the whole, and both can be read back; states may be too long for it.
        #[test]
        fn what_has_changed_is_packed_as_the_whole(
            components in prop::collection::vec(component(), 1..40),
            picks in prop::collection::vec((any::<u32>(), any::<u32>(), 0..3u8), 40),
        ) {
            let known = components.iter().map(|(locals, known)| known.then_some(&locals[..]));
            let packer = Packer { layouts: vec![Layout::new(known)] };
            let pick = |locals: &[LocalId], n: u32| locals[n as usize % locals.len()];
            let all = || components.iter().map(|c| &c.0[..]).zip(&picks);
            let before: Vec<LocalId> = all().map(|(r, (n, ..))| pick(r, *n)).collect();
            let after: Vec<LocalId> = all()
                .map(|(r, (n, m, moves))| pick(r, if *moves == 0 { *m } else { *n }))
                .collect();
            let changed = (0..).zip(&picks).take(components.len());
            let changed: Vec<u16> = changed.filter(|(_, p)| p.2 == 0).map(|(c, _)| c).collect();
            let bits = packer.bits(&packed(&packer, &before));
            let now = |component: usize| Ok::<_, ()>((component, after[component]));
            let mut bytes = Vec::new();
            let done = packer.pack_changed(FormatId(0), (&bits, &changed), now, &mut bytes);
            let whole = packed(&packer, &after);
            prop_assert_eq!(done, Ok(whole.len() - 2 <= WORDS_MAX * 8));
            if done == Ok(true) {
                prop_assert_eq!(&bytes, &whole);
            }
            let mut read = Vec::new();
            packer.unpack(&whole, &mut read);
            prop_assert_eq!(read, after);
        }
    }
}
