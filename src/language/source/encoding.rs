//! The bytes of a file, as text.

/// The decoded contents of a file.
#[derive(Debug)]
pub struct Text {
    /// Its characters.
    pub text: String,
    /// The encoding that was assumed.
    pub encoding: Encoding,
}

/// An encoding, or the reason why there is none.
#[derive(Debug)]
pub enum Encoding {
    /// As it should be.
    Utf8,
    /// Not in UTF-8, as the byte here shows; taken for Latin-1.
    Latin1 {
        /// The offset of the byte in the decoded text.
        at: usize,
        /// Its offset in the file.
        offset: usize,
    },
    /// With its mark.
    Utf16,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            encoding: Encoding::Utf8,
        }
    }
}

/// UTF-8, or UTF-16 with its mark; what is neither is taken for Latin-1, which old scripts are
/// written in.
#[must_use]
pub fn decode(bytes: Vec<u8>) -> Text {
    // UTF-16 only with its mark: without, it can hardly be told from other encodings, and its NULs
    // are reported by `strange`.
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Option<Vec<u16>> = match bytes.get(..2) {
        Some(b"\xFF\xFE") => Some(pairs.iter().map(|b| u16::from_le_bytes(*b)).collect()),
        Some(b"\xFE\xFF") => Some(pairs.iter().map(|b| u16::from_be_bytes(*b)).collect()),
        _ => None,
    };
    // An odd number of bytes is no UTF-16, whatever its first two bytes say.
    if let Some(units) = units.filter(|_| rest.is_empty()) {
        return Text {
            text: String::from_utf16_lossy(&units),
            encoding: Encoding::Utf16,
        };
    }
    match String::from_utf8(bytes) {
        Ok(text) => Text {
            text,
            encoding: Encoding::Utf8,
        },
        Err(e) => {
            let offset = e.utf8_error().valid_up_to();
            // Latin-1 is the first 256 characters of Unicode, so a byte is its own code.
            let text = e.as_bytes().iter().map(|b| char::from(*b)).collect();
            // Before the first odd byte all bytes beyond ASCII have become two.
            let shift = e.as_bytes()[..offset]
                .iter()
                .filter(|b| !b.is_ascii())
                .count();
            Text {
                text,
                encoding: Encoding::Latin1 {
                    at: offset + shift,
                    offset,
                },
            }
        }
    }
}

/// Line ends of old systems (a carriage return alone) become newlines.
#[must_use]
pub fn normal_newlines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // `\r\n` stays as it is: the grammar takes `\r` for a blank.
        let alone = c == '\r' && chars.peek() != Some(&'\n');
        out.push(if alone { '\n' } else { c });
    }
    out
}
