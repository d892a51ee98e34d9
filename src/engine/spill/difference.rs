//! Which bytes of two keys differ, as a mask of eight bits for each eight bytes.

/// Bytes to a mask.
pub(super) const MASKED: usize = 8;

/// Up to eight bytes as a number, the first one lowest.
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let mut eight = [0; MASKED];
            eight[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(eight)
        }
    }
}

/// Which of up to eight bytes differ: the first one is the lowest bit.
pub(super) fn mask(one: &[u8], other: &[u8]) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let differ = word(one) ^ word(other);
    // The highest bit of each byte that is not zero: the sum carries into it, and never beyond.
    let high = ((differ & LOW) + LOW) | differ;
    let bits = (high >> 7) & 0x0101_0101_0101_0101;
    // The bit of byte n is moved from 8n to 56 + n. All products lie at different bits, so nothing is carried.
    (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The places of the bits of a mask, ascending.
pub(super) fn places(mask: u8) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let place = left.trailing_zeros() as usize;
        let is_there = left != 0;
        left &= left.wrapping_sub(1);
        is_there.then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masks_tell_which_bytes_differ(bytes in proptest::collection::vec((0u8..4, 0u8..4, any::<u8>()), 0..=8)) {
            // Equal bytes, bytes that differ in one bit of any place, and others.
            let one: Vec<u8> = bytes.iter().map(|(_, _, byte)| *byte).collect();
            let other: Vec<u8> = bytes.iter().map(|(a, b, byte)| byte ^ (u8::from(*a > 1) << (b * 2 + a % 2))).collect();
            let by_definition: Vec<usize> = (0..one.len()).filter(|at| one[*at] != other[*at]).collect();
            prop_assert_eq!(places(mask(&one, &other)).collect::<Vec<_>>(), by_definition);
        }
    }
}
