//! Files, spans, diagnostics and their rendering; limits, cancellation, progress; hashing.
//!
//! In: text. Out: places in it, and messages about them. Nothing here knows CSPm.

mod bounds;
pub mod codes;
pub mod components;
pub mod control;
pub mod cpu;
pub mod diagnostic;
pub mod disjoint_sets;
pub mod encoding;
pub mod glossary;
pub mod hash;
mod kind;
pub mod list_set;
pub mod manual;
pub mod markdown;
pub mod memory;
pub mod models;
mod nearest;
mod ordinal;
pub mod positions;
pub mod read;
pub mod render;
pub mod stack;
pub mod thousands;
pub mod threads;
mod visible;
mod watchdog;
pub mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use bounds::{Bounds, Budget};
pub use control::{Cancel, Limits, Stop, WorkStage};
pub use diagnostic::{Diagnostic, RelatedPlace, Severity};
pub use kind::{Kind, kind};
pub use nearest::{alternatives, distance, edit_distance, nearest};
pub use ordinal::ordinal;
pub use visible::{visible, visible_line};

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u16);

/// A range of bytes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file that both offsets are in.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both (which lie in one file; otherwise `self`).
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file == other.file {
            Self {
                file: self.file,
                start: self.start.min(other.start),
                end: self.end.max(other.end),
            }
        } else {
            self
        }
    }
}

/// One source file: its path as the user gave it, and its text.
#[derive(Debug)]
pub struct SourceFile {
    /// As shown to the user.
    pub path: PathBuf,
    /// The whole text, comments included.
    pub text: Arc<str>,
    /// Byte offset at which each line starts.
    line_starts: Vec<u32>,
}

/// A place as people name it: both numbers count from 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// All files of one script (the main file is file 0, includes follow).
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    missing: Vec<PathBuf>,
}

impl SourceMap {
    /// Adds a file behind those that are there.
    pub fn add(&mut self, path: &Path, text: impl Into<Arc<str>>) -> FileId {
        let text: Arc<str> = text.into();
        // There is a first line even without any text, so every offset has a line.
        let line_starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, b)| *b == b'\n')
                    .map(|(i, _)| i as u32 + 1),
            )
            .collect();
        self.files.push(SourceFile {
            path: path.to_path_buf(),
            text,
            line_starts,
        });
        FileId((self.files.len() - 1) as u16)
    }

    /// Takes note of a file that could not be read.
    pub fn miss(&mut self, path: &Path) {
        self.missing.push(path.to_path_buf());
    }

    /// Files that were asked for and could not be read.
    #[must_use]
    pub fn missing(&self) -> &[PathBuf] {
        &self.missing
    }

    /// The file with this index.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were added.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The text under a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file)
            .text
            // A span that does not fit the text gives nothing.
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Line and column of the start of a span.
    #[must_use]
    pub fn line_col(&self, span: Span) -> LineCol {
        let file = self.file(span.file);
        // The last line that starts at or before the place. Never below 0: the first starts at 0.
        let line = file.line_starts.partition_point(|s| *s <= span.start) - 1;
        let from = file.line_starts[line] as usize;
        let column = file
            .text
            .get(from..span.start as usize)
            .map_or(0, |s| s.chars().count());
        LineCol {
            line: line as u32 + 1,
            column: column as u32 + 1,
        }
    }

    /// `path:line:column` of the start of a span.
    #[must_use]
    pub fn place(&self, span: Span) -> String {
        let at = self.line_col(span);
        format!(
            "{}:{}:{}",
            self.file(span.file).path.display(),
            at.line,
            at.column
        )
    }
}
