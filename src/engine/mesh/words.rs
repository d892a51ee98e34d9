//! Numbers and texts in messages.

/// Appends a number: seven bits a byte, the lowest first.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends bytes after their number.
pub fn put_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    put(bytes, part.len() as u64);
    bytes.extend_from_slice(part);
}

/// A message that is read from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Words<'m>(pub &'m [u8]);

impl<'m> Words<'m> {
    /// Whether all is read.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// The next number; `None` if the message ends before, or if it is none.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if *byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The next number, as a place or a size.
    #[inline]
    pub fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// The next bytes after their number.
    #[inline]
    pub fn bytes(&mut self) -> Option<&'m [u8]> {
        let length = self.size()?;
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }
}
