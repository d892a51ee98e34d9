//! Text to tree with spans, and tree to text.
//!
//! In: the files of a script. Out: [`ast`], or every syntax error at once.
//! Nothing here knows values or processes.

pub mod ast;
mod errors;
mod files;
mod grammar;
mod lost;
mod lower;
mod precedence;
pub mod print;
mod read;
mod scan;
mod slips;
#[cfg(test)]
mod tests;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pest::Parser;

use crate::source::encoding::{Text, decode};
use crate::source::{Bounds, Diagnostic, Severity, SourceMap};
use ast::{Decl, DeclKind, Expr, File, Pattern, PatternKind};
use errors::Context;
use files::ScriptReader;
use grammar::{Cspm, Rule};
use lower::Lower;
use scan::Brackets;
pub use scan::{Lexeme, lexemes};
pub use words::KEYWORDS;

/// The result of reading a script.
#[derive(Debug)]
pub struct Parsed {
    /// Everything that could be understood, also if there are errors.
    pub file: File,
    /// The main file and its includes.
    pub sources: Arc<SourceMap>,
    /// All errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the script cannot be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// Reads a script and all that it includes.
#[must_use]
pub fn parse_file(path: &Path) -> Parsed {
    parse_file_within(path, &Bounds::default())
}

/// The same within bounds. If one is reached, what was read so far is all there is, and the last
/// diagnostic says so.
#[must_use]
pub fn parse_file_within(path: &Path, bounds: &Bounds) -> Parsed {
    let script = ScriptReader::within(bounds);
    let decls = script.file(path, None);
    finish(script, decls)
}

/// The same with one more definition at the end, of an expression in a file of its own, to which its diagnostics
/// refer.
///
/// # Errors
///
/// All syntax errors in the expression.
pub fn parse_file_and(
    path: &Path,
    name: &str,
    expression: &str,
    bounds: &Bounds,
) -> Result<Parsed, ExprErrors> {
    // By itself first: its errors are not to stand among those of the script.
    parse_expression(expression)?;
    let script = ScriptReader::within(bounds);
    let mut decls = script.file(path, None);
    // After the script, whose main file has to be file 0.
    if let Some(body) = given(&script, expression) {
        let span = body.span;
        let pattern = Pattern {
            kind: PatternKind::Name(name.into()),
            span,
        };
        let kind = DeclKind::Pattern { pattern, body };
        decls.push(Decl { kind, span });
    }
    Ok(finish(script, decls))
}

/// Reads a script that is not on disk; includes are relative to the directory of `name`.
#[must_use]
pub fn parse_text(name: &Path, text: &str) -> Parsed {
    parse_text_within(name, text, &Bounds::default())
}

/// The same within bounds, as in [`parse_file_within`].
#[must_use]
pub fn parse_text_within(name: &Path, text: &str, bounds: &Bounds) -> Parsed {
    let script = ScriptReader::within(bounds);
    let decls = script.text(name, Text::from(text));
    finish(script, decls)
}

/// Reads a script whose files were sent, the main file first and includes in the order in which they are read. Nothing is
/// read from disk.
#[must_use]
pub fn parse_sent(files: Vec<(PathBuf, String)>, bounds: &Bounds) -> Parsed {
    let main = files.first().map(|(path, _)| path.clone());
    let script = ScriptReader::of_sent(files.into(), bounds);
    let decls = script.file(&main.unwrap_or_default(), None);
    finish(script, decls)
}

/// The most bytes that a script may have.
pub const BYTES_MAX: u64 = read::BYTES_MAX;

/// Reads a script from the bytes of its main file, read by the caller: `path` may be a pipe.
#[must_use]
pub fn parse_bytes(path: &Path, bytes: Vec<u8>, bounds: &Bounds) -> Parsed {
    let script = ScriptReader::within(bounds);
    let name = match read::is_stdin(path) {
        // Its folder is empty, so includes are relative to the working directory.
        true => Path::new("<stdin>"),
        false => path,
    };
    if bytes.len() as u64 > BYTES_MAX {
        // A script always has a main file, even if nothing of it is kept.
        script.sources.borrow_mut().add(name, "");
        let shown = format!("`{}`", path.display());
        script.report(*read::too_large(&shown, 0));
        return finish(script, Vec::new());
    }
    let decls = script.text(name, decode(bytes));
    finish(script, decls)
}

fn finish(script: ScriptReader, decls: Vec<Decl>) -> Parsed {
    if let Some((_, stopped)) = script.bounds.stopped() {
        script.incomplete.set(true);
        // Last, as `parse_file_within` promises.
        script.report(stopped);
    }
    Parsed {
        file: File {
            decls,
            lost: script.lost.into_inner(),
            incomplete: script.incomplete.get(),
        },
        sources: Arc::new(script.sources.into_inner()),
        diagnostics: script.diagnostics.into_inner(),
    }
}

/// An expression that does not come from a file, and its source.
#[derive(Debug)]
pub struct ParsedExpr {
    /// The tree, whose spans are places in that text.
    pub expr: Expr,
    /// Its text as the only file.
    pub sources: Arc<SourceMap>,
}

/// Why an expression could not be read.
#[derive(Debug)]
pub struct ExprErrors {
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The text as the only file.
    pub sources: Arc<SourceMap>,
}

/// Reads one expression, for prompts and tests.
///
/// # Errors
///
/// All that is wrong with it.
pub fn parse_expression(text: &str) -> Result<ParsedExpr, ExprErrors> {
    let script = ScriptReader::default();
    let expr = given(&script, text);
    let diagnostics = script.diagnostics.into_inner();
    let sources = Arc::new(script.sources.into_inner());
    match expr {
        // A warning is a reason as well.
        Some(expr) if diagnostics.is_empty() => Ok(ParsedExpr { expr, sources }),
        _ => Err(ExprErrors {
            diagnostics,
            sources,
        }),
    }
}

/// Reads an expression as a file of its own.
fn given(script: &ScriptReader, text: &str) -> Option<Expr> {
    let file = script
        .sources
        .borrow_mut()
        .add(Path::new("<expression>"), text);
    // Whatever is lost has been reported, and any report refuses the expression.
    let (blanked, _) = script.scan(file, text)?;
    let depth = Brackets::run(&blanked, 0, blanked.len()).deepest;
    files::on_stack_for(depth, || prompt(script, file, text, &blanked))
}

fn prompt(
    script: &ScriptReader,
    file: crate::source::FileId,
    original: &str,
    text: &str,
) -> Option<Expr> {
    match Cspm::parse(Rule::prompt, text) {
        Ok(mut pairs) => {
            let lower = Lower::new(script, file, 0);
            // `prompt` wraps an expression and the end of the text.
            let whole = pairs.next()?.into_inner().next()?;
            let expr = lower.expr(whole);
            script
                .diagnostics
                .borrow_mut()
                .extend(lower.into_diagnostics());
            Some(expr)
        }
        Err(error) => {
            let context = Context {
                file,
                original,
                text,
                start: 0,
            };
            script.report(errors::syntax(&context, &error));
            None
        }
    }
}
