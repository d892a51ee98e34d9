//! Reading files and their includes, and going on after an error.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use pest::Parser;

use super::ast::{Decl, Ident};
use super::errors;
use super::grammar::{Cspm, Pair, Rule};
use super::lower::Lower;
use super::read;
use super::scan::{Brackets, Problem, blank_comments};
use super::words::{code, looks_like_declaration};
use crate::source::diagnostic::Result;
use crate::source::encoding::{Text, normal_newlines};
use crate::source::{Bounds, Diagnostic, FileId, SourceMap, Span, WorkStage};

/// Includes of one script, also repeated ones.
const INCLUDES_MAX: usize = 1_000;
/// Errors reported for one file.
const ERRORS_MAX: usize = 100;
/// Maximum nesting of brackets: the parser recurses over them.
const NESTING_MAX: usize = 10_000;
/// Native stack that pest may need for one level of brackets, generously.
// Held by the tests that nest thousands of levels of each kind of bracket. Too little, and pest refuses
// the declaration where it finds the stack short; too much is address space that is never touched.
const STACK_PER_LEVEL: usize = 24 * 1024;
/// Bytes that are parsed at once; more only where one declaration is longer.
const CHUNK: usize = 64 * 1024;
/// The name of this phase, for messages about limits.
pub(crate) const PHASE: &str = "the script was read";

/// One script that is being read.
#[derive(Default)]
pub(crate) struct ScriptReader {
    pub(crate) sources: RefCell<SourceMap>,
    pub(crate) diagnostics: RefCell<Vec<Diagnostic>>,
    /// Names declared where the text could not be read.
    pub(crate) lost: RefCell<Vec<Ident>>,
    /// Whether any name may be among those that could not be read.
    pub(crate) incomplete: Cell<bool>,
    /// The files whose includes are being read, outermost first.
    stack: RefCell<Vec<PathBuf>>,
    includes: Cell<usize>,
    /// Bytes of all files so far.
    bytes: Cell<u64>,
    /// Lines that were read so far.
    lines: Cell<usize>,
    pub(crate) bounds: Bounds,
    /// The files of a script that is not read from disk, in the order in which they are read.
    sent: RefCell<Option<VecDeque<(PathBuf, String)>>>,
}

impl ScriptReader {
    pub(crate) fn within(bounds: &Bounds) -> Self {
        Self {
            bounds: bounds.clone(),
            ..Self::default()
        }
    }

    /// A reader of these files, and of nothing on disk.
    pub(crate) fn of_sent(files: VecDeque<(PathBuf, String)>, bounds: &Bounds) -> Self {
        Self {
            sent: RefCell::new(Some(files)),
            ..Self::within(bounds)
        }
    }

    /// The text of a file.
    fn read(&self, path: &Path, included: bool) -> Result<Text> {
        let Some(files) = &mut *self.sent.borrow_mut() else {
            return read::read(path, included, self.bytes.get());
        };
        let next = files.pop_front().filter(|(sent, _)| sent == path);
        let shown = path.display();
        let missing = || {
            let message = format!("`{shown}` was not sent with the script");
            Box::new(Diagnostic::nowhere(code::UNREADABLE, message))
        };
        next.map(|(_, text)| Text::from(&*text)).ok_or_else(missing)
    }

    /// A name of a file that all of its other names lead to.
    fn canonical(&self, path: &Path) -> PathBuf {
        match &*self.sent.borrow() {
            Some(_) => path.to_path_buf(),
            None => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
        }
    }

    /// Notes that a part of the text was read.
    fn passed(&self, text: &str) {
        let lines = self.lines.get() + text.matches('\n').count();
        self.lines.set(lines);
        self.bounds.reach(WorkStage::Reading, lines);
    }

    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Reads a file from disk. `at` is the place of the `include`, if there is one.
    pub(crate) fn file(&self, path: &Path, at: Option<Span>) -> Vec<Decl> {
        // Only for includes: a script always has a main file, so that one is tried.
        if at.is_some() && self.bounds.over_now(PHASE, at) {
            return Vec::new();
        }
        let read = match self.read(path, at.is_some()) {
            Ok(read) => read,
            Err(mut diagnostic) => {
                diagnostic.span = at;
                self.report(*diagnostic);
                // What the file would have declared is unknown: no name may be called undefined
                // now.
                self.incomplete.set(true);
                self.sources.borrow_mut().miss(path);
                // A script always has a main file, even if it is empty.
                if at.is_none() {
                    self.sources.borrow_mut().add(path, "");
                }
                return Vec::new();
            }
        };
        self.bytes.set(self.bytes.get() + read.text.len() as u64);
        // Standard input has no path that an include could lead back to.
        if at.is_none() && read::is_stdin(path) {
            return self.text(Path::new("<stdin>"), read);
        }
        let canonical = self.canonical(path);
        // Canonical, as links and `..` give one file many names.
        self.stack.borrow_mut().push(canonical);
        let decls = self.text(path, read);
        self.stack.borrow_mut().pop();
        decls
    }

    /// The declarations of the file that `include "target"` names.
    pub(crate) fn include(&self, from: FileId, at: Span, target: &str) -> Vec<Decl> {
        self.includes.set(self.includes.get() + 1);
        if self.includes.get() > INCLUDES_MAX {
            // Once, not for every include that follows.
            if self.includes.get() == INCLUDES_MAX + 1 {
                self.report(
                    Diagnostic::error(code::INCLUDES, at, "too many includes")
                        .label(format!("more than {INCLUDES_MAX}")),
                );
            }
            self.incomplete.set(true);
            return Vec::new();
        }
        let path = {
            // A block of its own: reading the file below borrows the sources mutably.
            let sources = self.sources.borrow();
            let base = sources.file(from).path.parent();
            base.map_or_else(|| PathBuf::from(target), |b| b.join(target))
        };
        let canonical = self.canonical(&path);
        // The stack holds the files that are being read now, not all that were: to include a file
        // twice is no cycle.
        if self.stack.borrow().contains(&canonical) {
            self.report(
                Diagnostic::error(code::CYCLE, at, "this include leads back to itself")
                    .label(format!("`{}` is being read already", path.display())),
            );
            return Vec::new();
        }
        // Includes nest as deep as a script likes, below the limit on their number.
        crate::source::stack::deep(|| self.file(&path, Some(at)))
    }

    /// The declarations of a text.
    pub(crate) fn text(&self, path: &Path, read: Text) -> Vec<Decl> {
        let place = || path.display().to_string();
        self.bounds.unwatched(place, || self.text_of(path, read))
    }

    fn text_of(&self, path: &Path, read: Text) -> Vec<Decl> {
        // Before anything counts bytes: all spans are about this text, which is also the one that
        // is shown.
        let text = normal_newlines(read.text);
        let file = self.sources.borrow_mut().add(path, text.as_str());
        if let Some(diagnostic) = read::strange(file, &text) {
            self.report(diagnostic);
            self.incomplete.set(true);
            return Vec::new();
        }
        if let Some(diagnostic) = read.encoding.warning(file) {
            self.report(diagnostic);
        }
        // The parser sees the text without comments; offsets are the same in both.
        let Some((blanked, lost)) = self.scan(file, &text) else {
            return Vec::new();
        };
        FileReader {
            script: self,
            file,
            original: &text,
            text: &blanked,
            lost,
        }
        .all()
    }

    /// The text without comments, and the ranges that mean nothing because of an open comment or
    /// string. Nothing if it nests too deeply to be parsed.
    pub(crate) fn scan(&self, file: FileId, text: &str) -> Option<(String, Vec<Lost>)> {
        let scan = blank_comments(text);
        let mut lost = Vec::new();
        for problem in &scan.problems {
            self.incomplete.set(true);
            lost.push(match *problem {
                // All that follows is in the comment.
                Problem::OpenComment { start } => start..usize::MAX,
                Problem::OpenString { start, end } => start..end + 1,
            });
            self.report(errors::lexical(file, problem, text));
        }
        let brackets = Brackets::run(&scan.text, 0, scan.text.len());
        // The parser recurses and cannot be stopped from within: such a text must not reach it.
        if brackets.deepest > NESTING_MAX {
            self.report(errors::nesting(file, &brackets, NESTING_MAX));
            self.incomplete.set(true);
            return None;
        }
        Some((scan.text, lost))
    }
}

/// Bytes that mean nothing.
pub(crate) type Lost = std::ops::Range<usize>;

/// Reads one file declaration by declaration.
struct FileReader<'a> {
    script: &'a ScriptReader,
    file: FileId,
    original: &'a str,
    /// The same with blanks for comments, at the same offsets.
    text: &'a str,
    /// An error in here has been explained already.
    lost: Vec<Lost>,
}

impl FileReader<'_> {
    fn all(&self) -> Vec<Decl> {
        // The depth of the whole file, though it is parsed in pieces: one stack serves them all.
        let depth = Brackets::run(self.text, 0, self.text.len()).deepest;
        on_stack_for(depth, || self.declarations())
    }

    fn declarations(&self) -> Vec<Decl> {
        let mut decls = Vec::new();
        let mut at = 0;
        let mut errors = 0;
        loop {
            // Good declarations as far as they go, then one bad one, and again. Each round ends
            // further on, since `bad` gives a place behind `at`.
            at = self.good(at, &mut decls);
            if self.is_over(at) {
                return decls;
            }
            // Blanks and blanked comments before the declaration do not belong to it.
            at += self.text[at..].len() - self.text[at..].trim_start().len();
            if at >= self.text.len() {
                return decls;
            }
            let (diagnostic, next) = self.bad(at);
            self.lose(at, next);
            // Only after another error: an `endmodule` without a module is an error of its own.
            if !(errors > 0 && self.is_debris(at)) {
                errors += 1;
                self.script.diagnostics.borrow_mut().extend(diagnostic);
            }
            // So many errors are mostly one: it is no CSPm at all.
            if errors >= ERRORS_MAX {
                self.script.incomplete.set(true);
                return decls;
            }
            at = next;
        }
    }

    /// Whether a bound is reached; the place is the line there.
    fn is_over(&self, at: usize) -> bool {
        let line = self.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let span = Span {
            file: self.file,
            start: line as u32,
            end: at.max(line) as u32,
        };
        self.script.bounds.over_now(PHASE, Some(span))
    }

    /// Reads as many declarations as are right, and says where the next one begins. The text is read
    /// in pieces, so that reading can be ended. The last declaration of a piece is read again with the
    /// next, since what follows may belong to it.
    fn good(&self, at: usize, decls: &mut Vec<Decl>) -> usize {
        // A piece may end inside a declaration, which is then missing from what is found. If
        // nothing else is in the piece, `next` stays where it was and the piece is doubled: so a
        // long declaration costs a few attempts, not one for each line.
        let (mut at, mut size) = (at, CHUNK);
        loop {
            let end = next_line(self.text.as_bytes(), at.saturating_add(size));
            let whole = end >= self.text.len();
            // A piece of usual size is parsed too quickly for anybody to wait for it. A larger one
            // is announced, so that a watching thread can say where the program is.
            let next = if end - at <= 2 * CHUNK {
                self.piece(at, end, whole, decls)
            } else {
                // One declaration is parsed at one go.
                let bounds = &self.script.bounds;
                bounds.unwatched(|| self.line(at), || self.piece(at, end, whole, decls))
            };
            self.script.passed(&self.text[at..next]);
            // At the end of the text, `next` is where an error stands, if there is one.
            if whole || self.is_over(next) {
                return next;
            }
            size = if next == at { size * 2 } else { CHUNK };
            at = next;
        }
    }

    /// The file and the line of the declaration that comes next, in words.
    fn line(&self, at: usize) -> String {
        let sources = self.script.sources.borrow();
        let rest = &self.text[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let line = self.text[..start].matches('\n').count() + 1;
        format!("{}:{line}", sources.file(self.file).path.display())
    }

    /// The declarations from `at` to `to`, without the last one if it is not the `whole` rest.
    fn piece(&self, at: usize, to: usize, whole: bool, decls: &mut Vec<Decl>) -> usize {
        // The rule takes as many right declarations as there are, perhaps none. An error after them
        // is not its business: `bad` asks again for a single declaration, which gives the error. So it
        // does where this fails, for want of stack.
        let Ok(mut pairs) = Cspm::parse(Rule::script, &self.text[at..to]) else {
            return at;
        };
        let lower = Lower::new(self.script, self.file, at);
        let mut end = at;
        let inner = pairs.next().into_iter().flat_map(Pair::into_inner);
        let found: Vec<Pair<'_>> = inner
            .filter(|p| !matches!(p.as_rule(), Rule::decl_end | Rule::EOI))
            .collect();
        // The last one may go on in the next piece: `P = Q` is a whole declaration, and yet a line
        // `[] R` below belongs to it.
        let kept = found.len().saturating_sub(usize::from(!whole));
        for pair in found.into_iter().take(kept) {
            end = at + pair.as_span().end();
            decls.extend(lower.decl(pair));
        }
        self.script
            .diagnostics
            .borrow_mut()
            .extend(lower.into_diagnostics());
        end
    }

    /// The syntax error in the declaration at `at`, and the offset at which to continue.
    fn bad(&self, at: usize) -> (Option<Diagnostic>, usize) {
        // `one` is a single declaration with its end. Its error is the furthest place that any
        // reading of the text reached.
        let Err(error) = Cspm::parse(Rule::one, &self.text[at..]) else {
            // It is right after all but is no whole declaration of `script`: cannot happen.
            return (None, self.text.len());
        };
        let context = errors::Context {
            file: self.file,
            original: self.original,
            text: self.text,
            start: at,
        };
        let place = at + errors::position(&error);
        let diagnostic = errors::syntax(&context, &error);
        // The open comment or string has been reported; that nothing makes sense behind it is its
        // consequence.
        let told = !self.lost.iter().any(|lost| lost.contains(&place));
        (told.then_some(diagnostic), self.resume(at, place))
    }

    /// The next line that looks like a declaration, from the line of the error on.
    fn resume(&self, start: usize, place: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut line = self.text[..place].rfind('\n').map_or(0, |n| n + 1);
        // An error after the `=` of a line is an error of that line, not of what stands before it.
        if line <= start || self.text[line..place].contains('=') {
            line = next_line(bytes, place);
        }
        // By the look of lines, not by the grammar: inside a broken declaration the grammar has
        // lost its way. Reading on too early would give errors about the rest of the same
        // declaration.
        while line < self.text.len() && !looks_like_declaration(&self.text[line..]) {
            line = next_line(bytes, line);
        }
        line
    }

    /// Remembers what the text up to `next` would have declared.
    fn lose(&self, at: usize, next: usize) {
        let names = super::lost::names(&self.text[at..next]);
        let mut lost = self.script.lost.borrow_mut();
        lost.extend(names.map(|(start, name)| Ident {
            text: name.into(),
            span: Span {
                file: self.file,
                start: (at + start) as u32,
                end: (at + start + name.len()) as u32,
            },
        }));
    }

    /// After an error inside a module, its remaining lines are read as if they stood outside.
    fn is_debris(&self, at: usize) -> bool {
        ["exports", "endmodule", "within", "}", ")"]
            .iter()
            .any(|word| self.text[at..].starts_with(word))
    }
}

fn next_line(bytes: &[u8], from: usize) -> usize {
    bytes[from.min(bytes.len())..]
        .iter()
        .position(|b| *b == b'\n')
        .map_or(bytes.len(), |n| from + n + 1)
}

/// Runs on a stack that is large enough to parse brackets of this depth.
pub(crate) fn on_stack_for<R>(depth: usize, run: impl FnOnce() -> R) -> R {
    // The new segment has 1 MiB more than is needed, so that what uses some of it before the parser
    // begins takes nothing from the parser.
    let need = 512 * 1024 + depth * STACK_PER_LEVEL;
    stacker::maybe_grow(need, need + 1024 * 1024, run)
}
