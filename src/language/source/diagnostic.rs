//! Diagnostics: an error or warning with its place, notes and fixes. [`super::render`] renders them.

use super::kind::kind;
use super::{FileId, Kind, Span, Stop};

/// Severity: error or warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The script can be used.
    Warning,
    /// It cannot (or not the part that the span names).
    Error,
}

/// A second place that matters, with a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The place that is underlined.
    pub span: Span,
    /// Why this place matters.
    pub text: String,
}

/// A change of the text that may correct what a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The change as a command: "write `->`".
    pub title: String,
    /// The place whose text is replaced.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

/// A message about a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the script can be used in spite of it.
    pub severity: Severity,
    /// Stable code, such as `E0101`: 01xx syntax, 02xx names, 03xx types, 04xx evaluation,
    /// 05xx symmetry, 06xx not supported, 07xx checks and limits, 08xx files, 09xx families as automata.
    pub code: &'static str,
    /// Its kind, to which the program reacts.
    pub kind: Kind,
    /// One sentence without a full stop.
    pub message: String,
    /// The place itself; absent only for files that cannot be read.
    pub span: Option<Span>,
    /// A few words under the underlined place (may be empty).
    pub label: String,
    /// Further places that matter, each underlined with words of its own.
    pub labels: Vec<RelatedPlace>,
    /// Notes and hints, one sentence each.
    pub notes: Vec<String>,
    /// Edits that may help. They are not checked here: a caller that offers one tries it first.
    pub fixes: Vec<Fix>,
    /// Call trace of an evaluation error, innermost first: the name and the place of the call.
    pub trace: Vec<(String, Span)>,
}

/// The result of anything that can fail because of the script.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            kind: kind(code),
            message: shortened(message),
            span: Some(span),
            label: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            fixes: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, span, message)
        }
    }

    /// An error that has no place in a script, such as a missing file.
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            kind: kind(code),
            message: shortened(message),
            span: None,
            label: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            fixes: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// The limit that was reached, or that work was cancelled, if this says so.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.kind {
            Kind::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    /// Whether it says which work was ended ([`Diagnostic::during`]).
    #[must_use]
    pub fn tells_work(&self) -> bool {
        self.message.contains(" while ")
    }

    /// Adds which work a limit or a cancellation ended, and where, unless an inner call has added it. Other errors
    /// are unchanged.
    #[must_use]
    pub fn during(mut self, work: &str, place: Option<Span>) -> Self {
        let ended = matches!(
            self.stop(),
            Some(Stop::Time | Stop::Memory | Stop::Cancelled)
        );
        if ended {
            // Whoever was called within knows the place better.
            self.span = self.span.or(place);
            if !self.tells_work() {
                // The definition that was evaluated comes last.
                let at = self.message.find(", in `").unwrap_or(self.message.len());
                let work = shortened(format!(" while {work}"));
                self.message.insert_str(at, &work);
            }
        }
        self
    }

    /// Sets the words under the underlined place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = shortened(text);
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(RelatedPlace {
            span,
            text: shortened(text),
        });
        self
    }

    /// Adds a sentence below the drawn places.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(shortened(text));
        self
    }

    /// All that it says in words, a line each.
    #[must_use]
    pub fn full_text(&self) -> String {
        let mut lines = vec![self.message.clone()];
        lines.extend(Some(self.label.clone()).filter(|label| !label.is_empty()));
        lines.extend(self.notes.iter().map(|note| {
            let kind = if is_context(note) { "note" } else { "help" };
            format!("{kind}: {note}")
        }));
        lines.join("\n")
    }
}

/// Suggestions, which are also [`Diagnostic::fixes`] of the place itself.
impl Diagnostic {
    /// Says below the drawn places what may be meant.
    #[must_use]
    pub fn did_you_mean(self, name: &str) -> Self {
        self.fix(name).note(format!("did you mean `{name}`?"))
    }

    /// Says at the place itself what may be meant.
    #[must_use]
    pub fn did_you_mean_here(self, name: &str) -> Self {
        self.fix(name).label(format!("did you mean `{name}`?"))
    }

    /// Says at the place itself what to write there.
    #[must_use]
    pub fn write_here(self, text: &str) -> Self {
        self.fix(text).label(format!("write `{text}`"))
    }

    /// Says below the drawn places which line to add, and why.
    #[must_use]
    pub fn add_line(mut self, line: &str, why: &str) -> Self {
        // At the start of the script: declarations may stand in any order.
        self.fixes.push(Fix {
            title: format!("add the line `{line}`"),
            span: Span {
                file: FileId(0),
                start: 0,
                end: 0,
            },
            text: format!("{line}\n"),
        });
        self.note(format!("add the line `{line}`{why}"))
    }

    /// Says at the place itself that nothing is to stand there.
    #[must_use]
    pub fn leave_out(self) -> Self {
        self.fix("").label("leave this out")
    }

    /// Adds a text that can stand at the place.
    #[must_use]
    pub fn fix(mut self, text: &str) -> Self {
        if let Some(span) = self.span {
            self.fixes.push(Fix {
                title: match text.trim() {
                    "" => "leave this out".to_owned(),
                    text => format!("write `{text}`"),
                },
                span,
                text: text.to_owned(),
            });
        }
        self
    }
}

/// Whether a note says where something happens, which is no help.
pub(super) fn is_context(note: &str) -> bool {
    [
        "in the definition of ",
        "in the channel ",
        "in the datatype ",
    ]
    .iter()
    .any(|start| note.starts_with(start))
}

/// Characters kept at each end of a text that is too long to be read.
const KEPT: usize = 300;

/// Scripts can contain names and values of any length; messages should not.
fn shortened(text: impl Into<String>) -> String {
    let text: String = text.into();
    if text.len() <= 4 * KEPT {
        return text;
    }
    // Counted in characters, so that none is cut.
    let end = |n: usize| text.char_indices().nth(n).map_or(text.len(), |c| c.0);
    let start = |n: usize| text.char_indices().nth_back(n).map_or(0, |c| c.0);
    let (head, tail) = (end(KEPT), start(KEPT - 1));
    // Long in bytes, but not in characters.
    if head >= tail {
        return text;
    }
    format!("{} … {}", &text[..head], &text[tail..])
}
