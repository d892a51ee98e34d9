//! Global states as packed bytes, each with a node of the specification.
//!
//! A packed state is the node (four bytes, where there is a specification), the number of its format (two bytes, where
//! there can be more than one) and one code a component: as wide as its number of reachable local states
//! requires, or 32 bits where that number is not known. Equal states have equal bytes.
//!
//! It is read and written in words of eight bytes, and no code crosses a word boundary: a load that overlaps recent
//! stores of other sizes stalls (store forwarding fails).

use std::sync::Arc;

use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::network::Network;
use super::reach::Reach;
use super::tables::ShortImage;
use crate::source::hash::Map;
use crate::value::Atom;

/// Words of the longest state that is permuted and packed in one pass: a power of two, since word indices are
/// taken modulo it.
const WORDS_MAX: usize = 16;

/// Node and format, in the lowest bits of the first word.
#[derive(Clone, Copy, Debug, Default)]
struct PackedHead {
    /// Bits of the node: 32, or none where there is only one.
    node: u32,
    /// Bits of the format: 16, or none where there is only one.
    format: u32,
}

impl PackedHead {
    /// Number of bits.
    #[inline]
    fn bits(self) -> u32 {
        self.node + self.format
    }

    /// Mask of its bits.
    #[inline]
    fn ones(self) -> u64 {
        (1 << self.bits()) - 1
    }

    /// Its bits for a node and a format.
    #[inline]
    fn word(self, node: u32, format: FormatId) -> u64 {
        let word = u64::from(node) | u64::from(format.0) << self.node;
        debug_assert_eq!(word & !self.ones(), 0, "more of them than was said");
        word
    }

    /// The node of a state whose first word this is.
    #[inline]
    fn node_of(self, word: u64) -> u32 {
        (word & ((1 << self.node) - 1)) as u32
    }

    /// The format of a packed state.
    #[inline]
    fn format_of(self, bytes: &[u8]) -> FormatId {
        let at = self.node as usize / 8;
        FormatId(match self.format {
            0 => 0,
            _ => u16::from_le_bytes([bytes[at], bytes[at + 1]]),
        })
    }
}

/// A word from less than eight bytes, padded with zeros.
// Assembled from halves: a copy of unknown length costs a call, and a word that was just written is read faster by its
// parts than together with parts of another one.
#[inline]
#[must_use]
pub fn last_word(bytes: &[u8]) -> u64 {
    let (mut word, mut shift, mut rest) = (0, 0, bytes);
    if let Some((four, others)) = rest.split_first_chunk() {
        (word, shift, rest) = (u64::from(u32::from_le_bytes(*four)), 32, others);
    }
    if let Some((two, others)) = rest.split_first_chunk() {
        word |= u64::from(u16::from_le_bytes(*two)) << shift;
        (shift, rest) = (shift + 16, others);
    }
    match rest {
        [one] => word | u64::from(*one) << shift,
        _ => word,
    }
}

/// Bit field of a component in a packed state.
#[derive(Clone, Copy, Debug)]
struct PackedField {
    /// Index of the word.
    word: u16,
    /// First bit in the word.
    shift: u8,
    /// Number of bits; 32 means that the code is the local state's id.
    bits: u8,
    /// Mask of this many low bits.
    ones: u32,
    /// Start of its local states in [`Layout::decode`], by code.
    decode: u32,
}

impl PackedField {
    /// Mask of the field, in the lowest bits.
    #[inline]
    fn ones(self) -> u64 {
        u64::from(self.ones)
    }

    /// Extracts the code from a word.
    #[inline]
    fn code(self, word: u64) -> u32 {
        (word >> self.shift) as u32 & self.ones
    }
}

/// Unused bits of the words of a packed state.
struct FreeBits {
    /// Number of used bits of each word, from the lowest on.
    taken: Vec<u32>,
    /// By number of bits, the first word that may have this many free: no earlier one has.
    first: [usize; 33],
}

impl FreeBits {
    /// Allocates bits in the first word with room for them: word and shift.
    fn take(&mut self, bits: u32) -> (usize, u32) {
        let first = &mut self.first[bits as usize];
        let has_room = |taken: &u32| taken + bits <= 64;
        *first += self.taken[*first..]
            .iter()
            .take_while(|t| !has_room(t))
            .count();
        if *first == self.taken.len() {
            self.taken.push(0);
        }
        let shift = self.taken[*first];
        self.taken[*first] += bits;
        (*first, shift)
    }

    /// Number of bytes up to the last used bit.
    fn bytes(&self) -> usize {
        let last = self.taken.last().map_or(0, |taken| taken.div_ceil(8));
        // At least one, so that a state is never empty.
        ((self.taken.len() - 1) * 8 + last as usize).max(1)
    }
}

/// Codes of local states, by the local states of a component: of a thousand formats most share these.
type CodeTables = Map<Box<[LocalId]>, Arc<[u32]>>;

/// Entries of a table that one format alone uses, at most: as a multiple of its codes, and in any case.
const SPARSE_MAX: usize = 8;
const SPARSE_ANYWAY: usize = 1 << 12;

/// Layout of the packed states of one format.
#[derive(Clone, Debug)]
struct Layout {
    fields: Vec<PackedField>,
    /// From code to local state, component by component; empty for incomplete components.
    decode: Vec<LocalId>,
    /// From local state to code, where all components are complete and agree on each code:
    /// nearly always.
    codes: Option<Vec<u32>>,
    /// Otherwise the same for each component.
    encode: Vec<Arc<[u32]>>,
    bytes: usize,
}

impl Layout {
    /// A layout for components with these local states; `None` for an incomplete component.
    fn new<'a>(
        head: PackedHead,
        components: impl Iterator<Item = Option<&'a [LocalId]>>,
        tables: &mut CodeTables,
    ) -> Self {
        let mut layout = Self {
            fields: Vec::new(),
            decode: Vec::new(),
            codes: Some(Vec::new()),
            encode: Vec::new(),
            bytes: 0,
        };
        let mut free = FreeBits {
            taken: vec![head.bits()],
            first: [0; 33],
        };
        for known in components {
            let bits = match known {
                Some(known) => usize::BITS - (known.len().max(2) - 1).leading_zeros(),
                None => 32,
            };
            let (word, shift) = free.take(bits);
            layout.fields.push(PackedField {
                word: word as u16,
                shift: shift as u8,
                bits: bits as u8,
                ones: u32::MAX >> (32 - bits),
                decode: layout.decode.len() as u32,
            });
            if known.is_none() {
                layout.codes = None;
            }
            layout.decode.extend(known.unwrap_or_default());
        }
        layout.bytes = free.bytes();
        layout.find_codes(tables);
        #[cfg(debug_assertions)]
        layout.assert_consistent(head);
        layout
    }

    /// The local states of a component by their codes.
    fn known(&self, component: usize) -> &[LocalId] {
        let end = self.fields.get(component + 1);
        let end = end.map_or(self.decode.len(), |next| next.decode as usize);
        &self.decode[self.fields[component].decode as usize..end]
    }

    /// Inverts `decode`, in one table if possible.
    fn find_codes(&mut self, tables: &mut CodeTables) {
        let components = 0..self.fields.len();
        if let Some(mut codes) = self.codes.take() {
            let mut all = components
                .clone()
                .flat_map(|c| self.known(c).iter().zip(0..));
            let agree = all.all(|(local, code)| Self::enter(&mut codes, *local, code));
            // A network of few formats may have sparse tables; many would take too much memory.
            if agree && codes.len() <= SPARSE_MAX * self.decode.len() + SPARSE_ANYWAY {
                self.codes = Some(codes);
                return;
            }
        }
        let table = |component| {
            let known = self.known(component);
            if let Some(table) = tables.get(known) {
                return table.clone();
            }
            let mut table = Vec::new();
            for (local, code) in known.iter().zip(0..) {
                Self::enter(&mut table, *local, code);
            }
            let table: Arc<[u32]> = table.into();
            tables.insert(known.into(), table.clone());
            table
        };
        self.encode = components.map(table).collect();
    }

    /// Enters the code of a local state; false if it has a different one.
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
            None if self.fields[component].bits == 32 => local.0,
            None => self.encode[component][local.0 as usize],
        }
    }

    /// Decodes the local states of the components from the words of a packed state.
    #[inline]
    fn read(&self, word: impl Fn(usize) -> u64, out: &mut Vec<LocalId>) {
        out.clear();
        out.extend(self.fields.iter().map(|field| {
            let code = field.code(word(usize::from(field.word)));
            match field.bits {
                32 => LocalId(code),
                _ => self.decode[(field.decode + code) as usize],
            }
        }));
    }

    /// Checks that coding and decoding are inverse, and that every code fits its bits.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, head: PackedHead) {
        for (component, field) in self.fields.iter().enumerate() {
            let decode = self.known(component);
            if decode.is_empty() {
                // An incomplete component is packed by the ids of its local states.
                assert_eq!(field.bits, 32);
                continue;
            }
            // 32 bits would mean that there is no table.
            assert!(field.bits < 32 && decode.len() as u64 <= 1 << field.bits);
            for (code, local) in decode.iter().enumerate() {
                assert_eq!(self.code(component, *local) as usize, code);
            }
        }
        // Fields are disjoint, and none overlaps the head or exceeds the end.
        let mut taken = vec![0; self.bytes.div_ceil(8)];
        taken[0] = head.ones();
        for field in &self.fields {
            let bits = field.ones() << field.shift;
            assert_eq!(bits >> field.shift, field.ones());
            assert_eq!(taken[usize::from(field.word)] & bits, 0);
            taken[usize::from(field.word)] |= bits;
        }
        let beyond = (taken.len() * 8 - self.bytes) as u32 * 8;
        assert!(
            taken
                .last()
                .is_some_and(|last| last.leading_zeros() >= beyond)
        );
    }
}

/// The words of a packed state, to be modified; empty if it is too long.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackedBits {
    words: [u64; WORDS_MAX],
    known: bool,
}

/// Packs and unpacks the states of a network, for the formats known so far ([`Packer::update`]).
#[derive(Clone, Debug)]
pub struct Packer {
    head: PackedHead,
    layouts: Vec<Layout>,
    tables: CodeTables,
}

impl Packer {
    /// A packer for the present formats of a network, and for specification nodes if `has_nodes`.
    #[must_use]
    pub fn new(network: &Network, has_nodes: bool) -> Self {
        let head = PackedHead {
            node: if has_nodes { 32 } else { 0 },
            format: if network.is_fixed() { 0 } else { 16 },
        };
        let mut packer = Self {
            head,
            layouts: Vec::new(),
            tables: CodeTables::default(),
        };
        packer.update(network);
        packer
    }

    /// Adds new formats.
    pub fn update(&mut self, network: &Network) {
        // It cannot grow: no step out of a fixed format requests another one, and fixedness never changes.
        // Otherwise states of two formats would be confused.
        assert!(
            network.formats().len() == 1 || self.head.format > 0,
            "a network that was fixed has taken on a format"
        );
        // The reach of a component is fixed when its format is made, so layouts never change.
        for format in &network.formats()[self.layouts.len()..] {
            let known = format.reach().iter().map(Reach::all);
            let layout = Layout::new(self.head, known, &mut self.tables);
            self.layouts.push(layout);
        }
    }

    /// Number of bytes of the longest state, with its node.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        let bytes = self.layouts.iter().map(|l| l.bytes);
        bytes.max().unwrap_or(1)
    }

    /// Number of formats that it knows.
    #[must_use]
    pub fn formats(&self) -> usize {
        self.layouts.len()
    }

    /// Packs a state beside a node, and appends its bytes.
    pub fn pack(&self, node: u32, format: FormatId, state: &[LocalId], out: &mut Vec<u8>) {
        let layout = &self.layouts[format.0 as usize];
        let start = out.len();
        out.resize(start + layout.bytes.next_multiple_of(8), 0);
        let words = out[start..].as_chunks_mut().0;
        words[0] = self.head.word(node, format).to_le_bytes();
        for ((component, local), field) in state.iter().enumerate().zip(&layout.fields) {
            let code = u64::from(layout.code(component, *local));
            let word = &mut words[usize::from(field.word)];
            *word = (u64::from_le_bytes(*word) | code << field.shift).to_le_bytes();
        }
        out.truncate(start + layout.bytes);
    }

    /// Reads the bits of a packed state.
    pub fn bits(&self, bytes: &[u8], bits: &mut PackedBits) {
        let format = self.head.format_of(bytes);
        let length = self.layouts[usize::from(format.0)].bytes;
        bits.known = length <= WORDS_MAX * 8;
        if bits.known {
            let (words, rest) = bytes[..length].as_chunks();
            for (word, read) in bits.words.iter_mut().zip(words) {
                *word = u64::from_le_bytes(*read);
            }
            if let Some(last) = bits.words.get_mut(words.len()) {
                *last = last_word(rest);
            }
        }
    }

    /// The bytes of a packed state without those of the node.
    #[must_use]
    pub fn without_node<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        // The node is whole bytes at the front.
        &bytes[self.head.node as usize / 8..]
    }

    /// Packs a state beside a node that differs from another one of its format in these
    /// components only, and appends its bytes. False, with nothing appended, if it is too long for that.
    ///
    /// `now` returns the place and the local state of each of them in the new state. The places have to be those of
    /// the same components.
    ///
    /// # Errors
    /// The error of `now`; then nothing was appended, either.
    #[inline]
    pub fn pack_changed<E>(
        &self,
        (node, format): (u32, FormatId),
        (before, changed): (&PackedBits, &[u16]),
        mut now: impl FnMut(usize) -> Result<(usize, LocalId), E>,
        out: &mut Vec<u8>,
    ) -> Result<bool, E> {
        let layout = &self.layouts[format.0 as usize];
        if !before.known {
            return Ok(false);
        }
        let mut words = before.words;
        words[0] = words[0] & !self.head.ones() | self.head.word(node, format);
        for component in changed {
            let field = layout.fields[usize::from(*component)];
            words[usize::from(field.word) % WORDS_MAX] &= !(field.ones() << field.shift);
        }
        for component in changed {
            let (to, local) = now(usize::from(*component))?;
            let (field, code) = (layout.fields[to], layout.code(to, local));
            words[usize::from(field.word) % WORDS_MAX] |= u64::from(code) << field.shift;
        }
        let end = out.len() + layout.bytes;
        // Whole words, and less again.
        for word in &words[..layout.bytes.div_ceil(8)] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.truncate(end);
        Ok(true)
    }

    /// The same for the representative `π(σ)` of a state; `names` are the images of the first atoms.
    ///
    /// # Errors
    /// An image that is not interned yet; then nothing was appended.
    pub fn pack_image(
        &self,
        (network, locals): (&Network, &Locals),
        (node, format, state): (u32, FormatId, &[LocalId]),
        (image, names): (&[Atom], &ShortImage),
        near: (&PackedBits, &[u16]),
        out: &mut Vec<u8>,
    ) -> Result<bool, Miss> {
        let entry = network.format(format);
        let now = |component: usize| {
            network.image_of(locals, entry, component, state[component], image, names)
        };
        self.pack_changed((node, format), near, now, out)
    }

    /// Unpacks a state, its node and its format; `out` is overwritten.
    pub fn unpack(&self, bytes: &[u8], out: &mut Vec<LocalId>) -> (u32, FormatId) {
        let format = self.head.format_of(bytes);
        let (words, rest) = bytes.as_chunks();
        // Of the longest state of the store, the word that is not whole; of this one it may be whole.
        let last = last_word(rest);
        let word = |at: usize| words.get(at).map_or(last, |word| u64::from_le_bytes(*word));
        self.layouts[usize::from(format.0)].read(word, out);
        (self.head.node_of(word(0)), format)
    }

    /// The same for a state whose bits were read from these bytes ([`Packer::bits`]).
    #[inline]
    pub fn unpack_bits(
        &self,
        bits: &PackedBits,
        bytes: &[u8],
        out: &mut Vec<LocalId>,
    ) -> (u32, FormatId) {
        if !bits.known {
            return self.unpack(bytes, out);
        }
        let format = self.head.format_of(bytes);
        let word = |at: usize| bits.words[at % WORDS_MAX];
        self.layouts[usize::from(format.0)].read(word, out);
        (self.head.node_of(word(0)), format)
    }
}

/// The hash of a packed state. Trailing zeros, and so padding, make no difference: a zero word
/// adds nothing to the sum. The finisher spreads every bit over tag, shard and slot.
#[must_use]
pub fn state_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks();
    let last = last_word(rest);
    let (mut sum, mut factor) = (0u64, FACTOR);
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    for word in words.chain(std::iter::once(last)) {
        let product = u128::from(word) * u128::from(factor);
        sum = sum.wrapping_add(product as u64 ^ (product >> 64) as u64);
        // Each word has a factor of its own: otherwise exchanged words would have the same
        // sum.
        factor = factor.wrapping_add(FACTOR << 1);
    }
    let hash = (sum ^ (sum >> 32)).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The reach of a component: local states of its own, or shared with others, or unknown.
    fn component() -> impl Strategy<Value = (Vec<LocalId>, bool)> {
        (1..40u32, 0..3u32, any::<bool>()).prop_map(|(count, first, known)| {
            let locals = (0..count).map(|n| LocalId(first * 17 + n));
            (locals.collect(), known)
        })
    }

    fn packed(packer: &Packer, node: u32, state: &[LocalId]) -> Vec<u8> {
        let mut bytes = Vec::new();
        packer.pack(node, FormatId(0), state, &mut bytes);
        bytes
    }

    proptest! {
        /// Packing the changes equals packing the whole, and both can be read back; states may be too long for it.
        #[test]
        fn what_has_changed_is_packed_as_the_whole(
            components in prop::collection::vec(component(), 1..40),
            picks in prop::collection::vec((any::<u32>(), any::<u32>(), 0..3u8), 40),
            (has_nodes, has_formats) in any::<(bool, bool)>(),
        ) {
            // With bits at both ends.
            let node = if has_nodes { 0x8000_0301 } else { 0 };
            let other_node = if has_nodes { !node } else { 0 };
            let head = PackedHead {
                node: if has_nodes { 32 } else { 0 },
                format: if has_formats { 16 } else { 0 },
            };
            let known = components.iter().map(|(locals, known)| known.then_some(&locals[..]));
            let mut tables = CodeTables::default();
            let layouts = vec![Layout::new(head, known, &mut tables)];
            let packer = Packer { head, layouts, tables };
            let pick = |locals: &[LocalId], n: u32| locals[n as usize % locals.len()];
            let all = || components.iter().map(|c| &c.0[..]).zip(&picks);
            let before: Vec<LocalId> = all().map(|(r, (n, ..))| pick(r, *n)).collect();
            let after: Vec<LocalId> = all()
                .map(|(r, (n, m, moves))| pick(r, if *moves == 0 { *m } else { *n }))
                .collect();
            let changed = (0..).zip(&picks).take(components.len());
            let changed: Vec<u16> = changed.filter(|(_, p)| p.2 == 0).map(|(c, _)| c).collect();
            let other = packed(&packer, other_node, &before);
            let mut bits = PackedBits::default();
            packer.bits(&other, &mut bits);
            let now = |component: usize| Ok::<_, ()>((component, after[component]));
            let mut bytes = Vec::new();
            let done = packer.pack_changed((node, FormatId(0)), (&bits, &changed), now, &mut bytes);
            let whole = packed(&packer, node, &after);
            prop_assert_eq!(done, Ok(whole.len() <= WORDS_MAX * 8));
            if done == Ok(true) {
                prop_assert_eq!(&bytes, &whole);
            }
            let mut read = Vec::new();
            prop_assert_eq!(packer.unpack(&whole, &mut read), (node, FormatId(0)));
            prop_assert_eq!(&read, &after);
            // A record is as long as the longest one of the store.
            let padded: Vec<u8> = whole.iter().copied().chain([0; 11]).collect();
            packer.unpack(&padded, &mut read);
            prop_assert_eq!(read, after);
        }
    }
}
