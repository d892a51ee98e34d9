//! Places as editors name them: positions from 0, usually in UTF-16 units, files as URIs. This is how the
//! Language Server Protocol counts.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{FileId, SourceFile, SourceMap};

/// The unit in which columns of a line are counted. Editor and server agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Bytes.
    Utf8,
    /// The default of the protocol.
    Utf16,
    /// Characters.
    Utf32,
}

impl Units {
    /// As the protocol calls them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The units of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Utf8, Self::Utf16, Self::Utf32];
        all.into_iter().find(|units| units.name() == name)
    }

    /// Units of a character.
    #[must_use]
    pub const fn of(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Units of a text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            // Most scripts are ASCII, which is quicker to see than to count.
            _ if text.is_ascii() => text.len(),
            _ => text.chars().map(|c| self.of(c)).sum(),
        }
    }

    /// The byte of a line that stands behind so many units; its end if it has fewer. In the middle of a
    /// character means the place after it.
    #[must_use]
    pub fn byte(self, line: &str, wanted: usize) -> usize {
        let mut units = 0;
        for (n, c) in line.char_indices() {
            if units >= wanted {
                return n;
            }
            units += self.of(c);
        }
        line.len()
    }
}

/// A line and a distance from its start, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The units before the place in its line.
    pub character: u32,
}

/// Finds positions of places one after the other: those in the order of the text are found by one walk through
/// it, also where a line is as long as the text.
pub struct Ruler<'a> {
    file: &'a SourceFile,
    units: Units,
    /// The offset that was converted last.
    at: usize,
    position: Position,
}

impl<'a> Ruler<'a> {
    /// Begins at the start of a file.
    #[must_use]
    pub fn new(file: &'a SourceFile, units: Units) -> Self {
        let (at, position) = (0, Position::default());
        Self {
            file,
            units,
            at,
            position,
        }
    }

    /// The position of a byte.
    pub fn position(&mut self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.file.text.len());
        // Never below 0: the first line starts at 0.
        let starts = &self.file.line_starts;
        let line = starts.partition_point(|s| *s as usize <= offset) - 1;
        if line as u32 != self.position.line || offset < self.at {
            self.at = starts[line] as usize;
            self.position = Position {
                line: line as u32,
                character: 0,
            };
        }
        // An offset in the middle of a character gives no text; spans are not made so.
        if let Some(text) = self.file.text.get(self.at..offset) {
            self.position.character += self.units.count(text) as u32;
            self.at = offset;
        }
        self.position
    }
}

/// The position of a byte in a file.
#[must_use]
pub fn position(file: &SourceFile, offset: u32, units: Units) -> Position {
    Ruler::new(file, units).position(offset)
}

/// The byte at a position; the end of the line if it has fewer units.
#[must_use]
pub fn offset(file: &SourceFile, at: Position, units: Units) -> u32 {
    let Some(start) = file.line_starts.get(at.line as usize) else {
        return file.text.len() as u32;
    };
    let rest = &file.text[*start as usize..];
    // The newline is not part of the line: no position leads behind it.
    let line = rest.split('\n').next().unwrap_or_default();
    // Nor is what Windows puts before it.
    let line = line.strip_suffix('\r').unwrap_or(line);
    start + units.byte(line, at.character as usize) as u32
}

/// The URI of a file.
#[must_use]
pub fn file_uri(sources: &SourceMap, file: FileId) -> String {
    sources
        .files()
        .get(file.0 as usize)
        .map_or_else(String::new, |f| uri(&f.path))
}

/// The `file:` URI of a path, which is made absolute.
#[must_use]
pub fn uri(path: &Path) -> String {
    // Without looking at the disk: links stay as the editor knows them.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = String::from("file://");
    let shown = absolute.to_string_lossy().replace('\\', "/");
    // `C:/…`, which stands behind a slash in a URI.
    if !shown.starts_with('/') {
        out.push('/');
    }
    out + &escaped(&shown, b"/-_.~:")
}

/// Percent-encodes a text as in URIs: all bytes but ASCII letters, digits and a few others are escaped.
#[must_use]
pub fn escaped(text: &str, kept: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The path of a `file:` URI.
#[must_use]
pub fn local_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // The machine may be named.
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = rest.bytes();
    while let Some(byte) = at.next() {
        if byte == b'%' {
            // Bytes, not characters: one character may take several escapes.
            let hex = [at.next()?, at.next()?];
            let text = std::str::from_utf8(&hex).ok()?;
            bytes.push(u8::from_str_radix(text, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/scripts/a.csp`
    let drive = text.len() > 3 && text.as_bytes()[2] == b':';
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> SourceMap {
        let mut sources = SourceMap::default();
        sources.add(Path::new("a.csp"), text);
        sources
    }

    #[test]
    fn positions_count_utf16_units() {
        let sources = sources("x\n-- 𝔸é\nP = STOP");
        let file = sources.file(FileId(0));
        for at in [0, 1, 2, 5, 9, 11, 12, 20] {
            for units in [Units::Utf8, Units::Utf16, Units::Utf32] {
                let there = position(file, at, units);
                assert_eq!(offset(file, there, units), at, "{there:?}");
            }
        }
        let after = Position {
            line: 1,
            character: 6,
        };
        assert_eq!(position(file, 11, Units::Utf16), after);
        let others = [Units::Utf8, Units::Utf32].map(|u| position(file, 11, u).character);
        assert_eq!(others, [9, 5]);
        let mut ruler = Ruler::new(file, Units::Utf16);
        for at in [0, 9, 11, 9, 12, 20, 2] {
            assert_eq!(ruler.position(at), position(file, at, Units::Utf16));
        }
        assert_eq!(
            offset(
                file,
                Position {
                    line: 9,
                    character: 0
                },
                Units::Utf16
            ),
            20
        );
        assert_eq!(
            offset(
                file,
                Position {
                    line: 0,
                    character: 99
                },
                Units::Utf16
            ),
            1
        );
    }

    #[test]
    fn uris_lead_back() {
        for name in ["/a/b c.csp", "/ü/100%.csp", "/plain.csp"] {
            let path = Path::new(name);
            assert_eq!(local_path(&uri(path)).as_deref(), Some(path), "{name}");
        }
        assert_eq!(uri(Path::new("/b c")), "file:///b%20c");
        let local = local_path("file://localhost/a");
        assert_eq!(local.as_deref(), Some(Path::new("/a")));
        assert_eq!(local_path("untitled:1"), None);
        assert_eq!(local_path("file:///%zz"), None);
    }
}
