//! A text by lines and columns, for showing any part of it at once: however long the text is and however
//! long its lines are, drawing a screen of it looks at little more than what is on the screen.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use unicode_width::UnicodeWidthChar;

use crate::source::visible_line;
use crate::syntax::{Lexeme, lexemes};

/// Columns between two stops of tabs.
const TAB: u32 = 4;
/// About so many bytes lie between two places where reading can begin.
const STRIDE: usize = 4096;
/// A lexeme that was begun by what is on the screen is looked at so far beyond it, so that short ones are
/// seen whole.
const BEYOND: usize = 16;

/// A place where reading can begin.
#[derive(Clone, Copy, Debug)]
struct ReadStart {
    /// The byte.
    offset: u32,
    /// Columns of its line before it.
    column: u32,
    /// The comment or string that it is in, and where that ends.
    inside: Option<(Lexeme, u32)>,
}

/// A character on the screen: some columns of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextCell {
    /// The byte at which it begins.
    pub offset: u32,
    /// The drawn character; a blank for a tab, `?` for a control character.
    pub shown: char,
    /// The first column.
    pub column: u32,
    /// Its width in columns: 0 if it combines with the character before.
    pub width: u32,
}

/// A text with what it takes to show parts of it.
#[derive(Debug)]
pub struct ListedText {
    text: Arc<str>,
    /// The offsets at which lines begin.
    lines: Vec<u32>,
    starts: Vec<ReadStart>,
}

impl ListedText {
    /// Goes through a text once.
    #[must_use]
    pub fn new(text: Arc<str>) -> Self {
        let mut lines = vec![0];
        let mut starts = Vec::new();
        let mut parts = lexemes(&text).peekable();
        let (mut column, mut last) = (0, 0);
        for (offset, c) in text.char_indices() {
            if offset >= last + STRIDE {
                while parts.next_if(|(_, part)| part.end <= offset).is_some() {}
                let inside = match parts.peek() {
                    Some((lexeme, part)) if part.start < offset => Some((*lexeme, part.end as u32)),
                    _ => None,
                };
                starts.push(ReadStart {
                    offset: offset as u32,
                    column,
                    inside,
                });
                last = offset;
            }
            if c == '\n' {
                lines.push(offset as u32 + 1);
                column = 0;
            } else {
                column += width(c, column);
            }
        }
        drop(parts);
        Self {
            text,
            lines,
            starts,
        }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines, one more than newlines.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The bytes of a line (from 0) without what ends it; nothing of the text if there is no such line.
    #[must_use]
    pub fn line(&self, line: usize) -> Range<usize> {
        let end = self.text.len();
        let Some(start) = self.lines.get(line).map(|start| *start as usize) else {
            return end..end;
        };
        let next = self.lines.get(line + 1);
        let mut end = next.map_or(end, |next| *next as usize - 1);
        // Windows ends lines with two characters.
        if end > start && next.is_some() && self.text.as_bytes()[end - 1] == b'\r' {
            end -= 1;
        }
        start..end
    }

    /// The line (from 0) that a byte is in.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        // Never below 0: the first line starts at 0.
        self.lines
            .partition_point(|start| *start as usize <= offset)
            - 1
    }

    /// The column at which a byte stands in its line.
    #[must_use]
    pub fn column(&self, offset: usize) -> u32 {
        let line = self.line(self.line_of(offset));
        let offset = offset.min(line.end);
        let after = self.starts.partition_point(|s| s.offset as usize <= offset);
        let (mut at, mut column) = self.begin(&line, after);
        for c in self.text.get(at..).unwrap_or_default().chars() {
            if at >= offset {
                break;
            }
            column += width(c, column);
            at += c.len_utf8();
        }
        column
    }

    /// The byte of a line that stands at a column, or the last one of the line before it.
    #[must_use]
    pub fn offset(&self, line: usize, column: u32) -> usize {
        let cells = self.cells(line, column, column.saturating_add(1));
        let end = self.line(line).end;
        cells.first().map_or(end, |cell| cell.offset as usize)
    }

    /// The place to begin at in a line, given the number of checkpoints that are not too far.
    fn begin(&self, line: &Range<usize>, after: usize) -> (usize, u32) {
        let start = after.checked_sub(1).map(|n| self.starts[n]);
        match start.filter(|s| s.offset as usize > line.start) {
            Some(start) => (start.offset as usize, start.column),
            None => (line.start, 0),
        }
    }

    /// The characters of a line that take some of the columns from one to (without) another.
    #[must_use]
    pub fn cells(&self, line: usize, from: u32, to: u32) -> Vec<TextCell> {
        let bytes = self.line(line);
        // The places to read from in this line, in the order of their columns.
        let first = self
            .starts
            .partition_point(|s| (s.offset as usize) < bytes.start);
        let within = self.starts[first..]
            .partition_point(|s| (s.offset as usize) < bytes.end && s.column <= from);
        let (mut at, mut column) = self.begin(&bytes, first + within);
        let mut cells = Vec::new();
        for c in self.text.get(at..bytes.end).unwrap_or_default().chars() {
            let width = width(c, column);
            if column >= to {
                break;
            }
            // Of what is drawn over another character, only with that.
            if column + width > from && (width > 0 || !cells.is_empty()) {
                cells.push(TextCell {
                    offset: at as u32,
                    shown: shown(c),
                    column,
                    width,
                });
            }
            column += width;
            at += c.len_utf8();
        }
        cells
    }

    /// The lexemes of a part of the text ([`lexemes`]), cut to the part.
    #[must_use]
    pub fn lexemes(&self, part: Range<usize>) -> Vec<(Lexeme, Range<usize>)> {
        let after = self
            .starts
            .partition_point(|s| s.offset as usize <= part.start);
        let start = after.checked_sub(1).map(|n| self.starts[n]);
        let mut found = Vec::new();
        let mut from = start.map_or(0, |s| s.offset as usize);
        if let Some((lexeme, end)) = start.and_then(|s| s.inside) {
            found.push((lexeme, from..end as usize));
            from = end as usize;
        }
        let mut end = part.end.saturating_add(BEYOND).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let rest = self.text.get(from..end).unwrap_or_default();
        found.extend(lexemes(rest).map(|(lexeme, p)| (lexeme, p.start + from..p.end + from)));
        found.retain(|(_, p)| p.start < part.end && part.start < p.end);
        for (_, p) in &mut found {
            *p = p.start.max(part.start)..p.end.min(part.end);
        }
        found
    }
}

/// Columns that a character takes, at a column of its line.
fn width(c: char, column: u32) -> u32 {
    match c {
        '\t' => TAB - column % TAB,
        // What is made harmless takes one.
        c if shown(c) != c => 1,
        c => c.width().unwrap_or(1) as u32,
    }
}

/// The character that is drawn for a character.
fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        // Nearly all text is this, and asking costs more than drawing it.
        ' '..='~' => c,
        c if matches!(visible_line(c.encode_utf8(&mut [0; 4])), Cow::Owned(_)) => '?',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> ListedText {
        ListedText::new(text.into())
    }

    fn drawn(text: &ListedText, line: usize, from: u32, to: u32) -> String {
        let cells = text.cells(line, from, to);
        cells.iter().map(|cell| cell.shown).collect()
    }

    #[test]
    fn lines_end_as_they_do_anywhere() {
        let text = listed("a\r\nb\n\nc\r");
        assert_eq!(text.count(), 4);
        let lines: Vec<&str> = (0..5).map(|n| &text.text()[text.line(n)]).collect();
        assert_eq!(lines, ["a", "b", "", "c\r", ""]);
        assert_eq!(
            (text.line_of(0), text.line_of(3), text.line_of(100)),
            (0, 1, 3)
        );
    }

    #[test]
    fn tabs_and_wide_characters_take_their_columns() {
        let text = listed("\tx日y\u{1b}\u{202e}e\u{301}!");
        assert_eq!(drawn(&text, 0, 0, 40), " x日y??e\u{301}!");
        assert_eq!((text.column(1), text.column(2), text.column(5)), (4, 5, 7));
        // The second half of a wide character is the character.
        assert_eq!(text.offset(0, 6), 2);
        assert_eq!(
            (text.offset(0, 2), text.offset(0, 99)),
            (0, text.text().len())
        );
    }

    #[test]
    fn parts_of_long_lines_are_those_of_the_whole() {
        let line = "ab\t日 {- x -} \"s\" ".repeat(3_000);
        let text = listed(&format!("{line}\n{{- {line} -}} y"));
        let all = text.cells(0, 0, u32::MAX);
        for from in (0..30_000).step_by(977) {
            let part = text.cells(0, from, from + 50);
            let same = |c: &&TextCell| c.column + c.width > from && c.column < from + 50;
            let expected: Vec<TextCell> = all.iter().filter(same).copied().collect();
            assert_eq!(part, expected);
            for cell in &part {
                assert_eq!(text.column(cell.offset as usize), cell.column);
            }
        }
        let whole: Vec<_> = lexemes(text.text()).collect();
        for from in (0..text.text().len() - 100).step_by(977) {
            if !text.text().is_char_boundary(from) || !text.text().is_char_boundary(from + 80) {
                continue;
            }
            let expected: Vec<_> = whole
                .iter()
                .filter(|(_, p)| p.start < from + 80 && from < p.end)
                .map(|(l, p)| (*l, p.start.max(from)..p.end.min(from + 80)))
                .collect();
            let found = text.lexemes(from..from + 80);
            // Whether something ends is known of the whole alone.
            let kinds = |list: &[(Lexeme, Range<usize>)]| {
                let kind = |l: &Lexeme| std::mem::discriminant(l);
                list.iter()
                    .map(|(l, p)| (kind(l), p.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(kinds(&found), kinds(&expected), "{from}");
        }
    }

    #[test]
    fn a_text_without_anything_has_a_line() {
        let text = listed("");
        assert_eq!((text.count(), text.line(0), text.column(7)), (1, 0..0, 0));
        assert_eq!(text.cells(0, 0, 10), []);
        assert_eq!(text.lexemes(0..0), []);
    }
}
