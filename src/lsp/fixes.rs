//! Corrections. Each is tried before it is offered: the script that it leads to has the fault no more, and no
//! other in its place.

use std::ops::Range;

use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, TextEdit};

use super::analysis::{Analysis, MAIN};
use super::context::bare;
use super::diagnostics::range_by;
use super::questions::outdated;
use super::tokens::words;
use super::wire::Refusal;
use crate::script::core::{Clause, Expr, ExprKind, Function, LocalDef};
use crate::script::load::Loaded;
use crate::script::reach::everything;
use crate::script::visit::{Mention, Visit};
use crate::source::hash::Map;
use crate::source::positions::Ruler;
use crate::source::{Diagnostic, Kind, Severity, Span};

/// Largest number of corrections tried for a request: each takes an analysis of the script.
const TRIED_MAX: usize = 8;

/// A correction that may be one.
struct Correction {
    title: String,
    place: Range<usize>,
    text: String,
}

impl Analysis {
    /// Corrections of the diagnostics in a part of the text.
    pub(super) fn corrections(
        &self,
        part: lsp_types::Range,
        only: Option<&[CodeActionKind]>,
    ) -> Result<Vec<CodeActionOrCommand>, Refusal> {
        let own = [CodeActionKind::QUICKFIX, CodeActionKind::EMPTY];
        let wanted = only.is_none_or(|kinds| kinds.iter().any(|kind| own.contains(kind)));
        let Some(file) = self.file().filter(|_| wanted) else {
            return Ok(Vec::new());
        };
        let (from, to) = (self.offset(part.start) as u32, self.offset(part.end) as u32);
        let here = self.loaded.diagnostics.iter().filter(|d| {
            let touches = |s: Span| s.file == MAIN && s.start <= to && from <= s.end;
            d.span.is_some_and(touches)
        });
        let mut ruler = Ruler::new(file, self.client.units);
        let mut found = Vec::new();
        let mut tried = 0;
        for diagnostic in here {
            for correction in self.candidates(diagnostic) {
                tried += 1;
                if tried > TRIED_MAX {
                    return Ok(found);
                }
                if !self.helps(diagnostic, &correction)? {
                    continue;
                }
                let place = Span {
                    file: MAIN,
                    start: correction.place.start as u32,
                    end: correction.place.end as u32,
                };
                let edit = TextEdit::new(range_by(&mut ruler, place), correction.text);
                let action = CodeAction {
                    title: correction.title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![self.diagnostic(diagnostic)]),
                    // The use of an unused name may have been forgotten, so its removal is not preferred.
                    is_preferred: Some(diagnostic.severity == Severity::Error),
                    edit: Some(self.changes(vec![edit])),
                    ..CodeAction::default()
                };
                found.push(action.into());
            }
        }
        Ok(found)
    }

    /// The corrections that may help.
    fn candidates(&self, diagnostic: &Diagnostic) -> Vec<Correction> {
        let mut found = Vec::new();
        for fix in &diagnostic.fixes {
            if fix.span.file != MAIN {
                continue;
            }
            let mut place = fix.span.start as usize..fix.span.end as usize;
            if place == (0..0) && fix.text.ends_with('\n') {
                // A line to add: before the first declaration, behind the comment that heads the script.
                let first = words(self.text()).next().map_or(0, |(start, _)| start);
                let line = self.text()[..first].rfind('\n').map_or(0, |n| n + 1);
                place = line..line;
            }
            found.push(Correction {
                title: fix.title.clone(),
                place,
                text: fix.text.clone(),
            });
        }
        found.extend(self.removal(diagnostic));
        found
    }

    /// The removal of an unused part.
    fn removal(&self, diagnostic: &Diagnostic) -> Option<Correction> {
        let span = diagnostic.span?;
        let name = self.text().get(span.start as usize..span.end as usize)?;
        let (title, place) = match diagnostic.kind {
            Kind::UnusedLocal => (format!("remove `{name}`"), self.unused_local(span)?),
            Kind::UnusedChannel => (
                format!("remove the channel `{name}`"),
                self.unused_channel(span)?,
            ),
            Kind::HiddenClause => ("remove this clause".to_owned(), self.hidden_clause(span)?),
            _ => return None,
        };
        Some(Correction {
            title,
            place: whole_lines(self.text(), place),
            text: String::new(),
        })
    }

    fn unused_local(&self, name: Span) -> Option<Range<usize>> {
        let mut search = LocalSearch { name, found: None };
        everything(&self.loaded.script, &mut search);
        search.found
    }

    fn hidden_clause(&self, head: Span) -> Option<Range<usize>> {
        let mut search = ClauseSearch { head, found: None };
        everything(&self.loaded.script, &mut search);
        search.found
    }

    /// A channel of a list, with its comma, or its whole declaration.
    fn unused_channel(&self, name: Span) -> Option<Range<usize>> {
        let channels = &self.loaded.script.channels;
        let channel = channels.iter().find(|channel| channel.span == name)?;
        let (start, end) = (name.start as usize, name.end as usize);
        let around = super::tokens::declaration(self.text(), start);
        let code = bare(&self.text()[around.0..around.1]);
        let before = code.get(..start - around.0)?.trim_end();
        let after = code.get(end - around.0..)?;
        if let Some(rest) = after.trim_start().strip_prefix(',') {
            let next = rest.len() - rest.trim_start().len();
            let gone = after.len() - rest.len() + next;
            return Some(start..end + gone);
        }
        if before.ends_with(',') {
            return Some(around.0 + before.len() - 1..end);
        }
        let begin = before.strip_suffix("channel")?.len();
        let fields = channel.fields.as_ref().map(|fields| fields.span.end);
        Some(around.0 + begin..fields.map_or(end, |end| end as usize))
    }

    /// Whether a correction removes a diagnostic and adds no other. Diagnostics that errors had hidden do not count.
    fn helps(&self, diagnostic: &Diagnostic, correction: &Correction) -> Result<bool, Refusal> {
        let mut text = self.text().to_owned();
        if text.get(correction.place.clone()).is_none() {
            return Ok(false);
        }
        text.replace_range(correction.place.clone(), &correction.text);
        let Some((loaded, _)) = self.of.analysed(&text, &self.outdated) else {
            return Err(outdated());
        };
        let errors = self.loaded.has_errors();
        let mut left = messages(&self.loaded, errors);
        let this = (diagnostic.code, diagnostic.message.as_str());
        if let Some(times) = left.get_mut(&this) {
            *times -= 1;
        }
        let now = messages(&loaded, errors);
        let known = |(what, times): (&(&str, &str), &usize)| {
            left.get(what).is_some_and(|before| times <= before)
        };
        Ok(now.iter().all(known))
    }
}

/// Counts the messages on a script; those of errors alone, if there were any: only then are others searched for.
fn messages(loaded: &Loaded, errors: bool) -> Map<(&str, &str), usize> {
    let mut found = Map::default();
    for diagnostic in &loaded.diagnostics {
        if !errors || diagnostic.severity == Severity::Error {
            let what = (diagnostic.code, diagnostic.message.as_str());
            *found.entry(what).or_insert(0) += 1;
        }
    }
    found
}

/// A part of a text with the rest of its lines, if nothing else is in them.
fn whole_lines(text: &str, part: Range<usize>) -> Range<usize> {
    let start = text[..part.start].rfind('\n').map_or(0, |n| n + 1);
    let end = text[part.end..].find('\n').map(|n| part.end + n + 1);
    let blank = |part: Range<usize>| text[part].trim().is_empty();
    match end {
        Some(end) if blank(start..part.start) && blank(part.end..end) => start..end,
        _ => part,
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Looks for a definition of a `let` by the place of its name.
struct LocalSearch {
    name: Span,
    found: Option<Range<usize>>,
}

impl Visit for LocalSearch {
    fn mention(&mut self, _: Mention, _: Span) {}

    fn expression(&mut self, e: &Expr) {
        let ExprKind::Let(defs, body) = &e.kind else {
            return;
        };
        let name = |def: &LocalDef| match def {
            LocalDef::Function(_, _, span) => *span,
            LocalDef::Value(p, _) => p.span,
        };
        let whole = |def: &LocalDef| match def {
            LocalDef::Function(_, function, span) => function
                .clauses
                .iter()
                .fold(*span, |all, clause| all.to(clause.span)),
            LocalDef::Value(p, e) => p.span.to(e.span),
        };
        let Some(at) = defs.iter().position(|def| name(def) == self.name) else {
            return;
        };
        // Without definitions it is no `let` any more.
        self.found = match defs.as_slice() {
            [_] => Some(e.span.start as usize..body.span.start as usize),
            _ => Some(bytes(whole(&defs[at]))),
        };
    }
}

/// Looks for a clause by the place of its parameters.
struct ClauseSearch {
    head: Span,
    found: Option<Range<usize>>,
}

impl Visit for ClauseSearch {
    fn mention(&mut self, _: Mention, _: Span) {}

    fn function(&mut self, function: &Function) {
        let here =
            |clause: &&Clause| clause.span.start == self.head.start && clause.span.file == MAIN;
        if let Some(clause) = function.clauses.iter().find(here) {
            self.found = Some(bytes(clause.span));
        }
    }
}
