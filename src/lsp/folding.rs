//! Folding ranges: declarations and comments, also of a text that does not parse.

use lsp_types::{FoldingRange, FoldingRangeKind};

use super::analysis::Analysis;
use super::tokens::{Tokens, within};

impl Analysis {
    /// The folding ranges of the text.
    pub(super) fn folds(&self) -> Vec<FoldingRange> {
        let fold = |(from, to, comment)| FoldingRange {
            start_line: from as u32,
            end_line: to as u32,
            kind: Some(if comment {
                FoldingRangeKind::Comment
            } else {
                FoldingRangeKind::Region
            }),
            ..FoldingRange::default()
        };
        folds(self.text()).into_iter().map(fold).collect()
    }
}

/// Lines that can be folded, from and to, and whether they are comments.
pub(super) fn folds(text: &str) -> Vec<(usize, usize, bool)> {
    let words = Tokens::new(text);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(n, _)| n + 1))
        .collect();
    let line = |offset: usize| starts.partition_point(|s| *s <= offset) - 1;
    let mut found: Vec<(usize, usize, bool)> = words
        .blocks
        .iter()
        .map(|(start, end)| (line(*start), line(end.saturating_sub(1)), true))
        .collect();
    // Runs of lines that are comments.
    let mut run: Option<(usize, usize)> = None;
    for (start, _) in &words.notes {
        let here = line(*start);
        // A comment behind something else does not make its line a comment.
        if !text[starts[here]..*start].trim().is_empty() {
            continue;
        }
        match &mut run {
            Some((_, last)) if *last + 1 == here => *last = here,
            _ => {
                found.extend(run.map(|(from, to)| (from, to, true)));
                run = Some((here, here));
            }
        }
    }
    found.extend(run.map(|(from, to)| (from, to, true)));
    found.extend(declarations(text, &words, &starts));
    found.retain(|(from, to, _)| to > from);
    found.sort_unstable();
    found
}

/// Declarations: a line from the margin and those below that are not.
fn declarations(text: &str, words: &Tokens, starts: &[usize]) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (n, start) in starts.iter().enumerate() {
        let rest = text[*start..].split('\n').next().unwrap_or_default();
        // Blank lines at the end of a declaration are not folded with it.
        if rest.trim().is_empty() || within(&words.blocks, *start) {
            continue;
        }
        // A closing bracket or a bar at the margin continues the lines above.
        let at_margin = !rest.starts_with([' ', '\t', ')', '}', ']', '|']);
        if at_margin {
            found.extend(open.map(|(from, to)| (from, to, false)));
            let comment = rest.starts_with("--") || rest.starts_with("{-");
            open = (!comment).then_some((n, n));
        } else if let Some((_, last)) = &mut open {
            *last = n;
        }
    }
    found.extend(open.map(|(from, to)| (from, to, false)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_and_comments_fold() {
        let text = "-- a\n-- b\nP =\n  STOP\n\nQ = STOP\n{- x\ny -}\nR =\n  P\n";
        let expected = [(0, 1, true), (2, 3, false), (6, 7, true), (8, 9, false)];
        assert_eq!(folds(text), expected);
        assert_eq!(folds(""), []);
    }
}
