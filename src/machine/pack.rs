//! Global states as packed bytes.
//!
//! A state is the number of its format (two bytes) and one code a component, each as wide as the
//! number of local states that the component can reach needs, or 32 bits where that is not known.
//! Equal states have equal bytes.

use super::ids::{FormatId, LocalId};
use super::network::Network;

/// The widths of one format.
#[derive(Clone, Debug)]
struct Layout {
    /// Bits of each component; 32 means that the code is the local state's id.
    bits: Vec<u8>,
    /// From local state to code, for components that are known completely.
    encode: Vec<Vec<u32>>,
    /// From code to local state.
    decode: Vec<Vec<LocalId>>,
    bytes: usize,
}

impl Layout {
    /// That codes and local states are the inverse of each other, and every code fits its bits.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self) {
        let all = self.bits.iter().zip(&self.encode).zip(&self.decode);
        for ((bits, encode), decode) in all {
            if decode.is_empty() {
                // What is not known completely is packed as the local state's own number.
                assert_eq!(*bits, 32);
                continue;
            }
            // 32 bits would mean that there is no table.
            assert!(*bits < 32 && decode.len() as u64 <= 1 << bits);
            for (code, local) in decode.iter().enumerate() {
                assert_eq!(encode[local.0 as usize] as usize, code);
            }
        }
        let bits: usize = self.bits.iter().map(|b| usize::from(*b)).sum();
        assert!((self.bytes - 2) * 8 >= bits && (self.bytes - 2) * 8 < bits + 8);
    }
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
            let mut layout = Layout {
                bits: Vec::new(),
                encode: Vec::new(),
                decode: Vec::new(),
                bytes: 0,
            };
            for reach in format.reach() {
                if reach.complete {
                    let codes = reach.locals.len().max(2) - 1;
                    layout
                        .bits
                        .push((usize::BITS - codes.leading_zeros()) as u8);
                    let size = reach
                        .locals
                        .iter()
                        .map(|l| l.0 as usize + 1)
                        .max()
                        .unwrap_or(0);
                    let mut encode = vec![u32::MAX; size];
                    for (code, local) in reach.locals.iter().enumerate() {
                        encode[local.0 as usize] = code as u32;
                    }
                    layout.encode.push(encode);
                    layout.decode.push(reach.locals.clone());
                } else {
                    layout.bits.push(32);
                    layout.encode.push(Vec::new());
                    layout.decode.push(Vec::new());
                }
            }
            let bits: usize = layout.bits.iter().map(|b| usize::from(*b)).sum();
            layout.bytes = 2 + bits.div_ceil(8);
            #[cfg(debug_assertions)]
            layout.assert_consistent();
            self.layouts.push(layout);
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
            let code = if bits == 32 {
                local.0
            } else {
                layout.encode[component][local.0 as usize]
            };
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
