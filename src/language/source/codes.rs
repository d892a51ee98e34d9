//! Explanations of diagnostic codes: pages for `orbitscope help E0301`.
//!
//! The pages are the files in `assets/codes`. A page is a heading with the code and a title, text, and
//! at most two scripts: one that yields the code (```` ```csp ````), and one that does not
//! (```` ```csp fixed ````).

use super::{Diagnostic, Severity};
use crate::source::hash::IndexSet;

const FILES: [&str; 10] = [
    include_str!("../../../assets/codes/syntax.md"),
    include_str!("../../../assets/codes/names.md"),
    include_str!("../../../assets/codes/types.md"),
    include_str!("../../../assets/codes/evaluation.md"),
    include_str!("../../../assets/codes/symmetry.md"),
    include_str!("../../../assets/codes/unsupported.md"),
    include_str!("../../../assets/codes/checks.md"),
    include_str!("../../../assets/codes/files.md"),
    include_str!("../../../assets/codes/patterns.md"),
    include_str!("../../../assets/codes/warnings.md"),
];

/// Whether the page of a code is in the chapter on names.
#[must_use]
pub fn is_about_names(code: &str) -> bool {
    code.starts_with("E02")
}

/// Whether the page of a code is in the chapter on types.
#[must_use]
pub fn is_about_types(code: &str) -> bool {
    code.starts_with("E03")
}

/// Codes that the hint at the end of a run names at most.
const NAMED_MAX: usize = 5;

/// The page of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The code itself, such as `E0301`.
    pub code: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// The page below its heading.
    pub body: &'static str,
}

impl Page {
    /// The script that yields the code, if there is one.
    #[must_use]
    pub fn example(&self) -> Option<&'static str> {
        self.script("```csp\n")
    }

    /// A script that shows what to write instead, if there is one.
    #[must_use]
    pub fn fixed(&self) -> Option<&'static str> {
        self.script("```csp fixed\n")
    }

    fn script(&self, opening: &str) -> Option<&'static str> {
        // The newline belongs to the opening: `csp` alone does not find `csp fixed`.
        let (_, rest) = self.body.split_once(opening)?;
        rest.split_once("```").map(|(script, _)| script)
    }

    /// The page for a terminal: heading, text, indented scripts.
    #[must_use]
    pub fn show(&self) -> String {
        let mut out = format!("{}: {}\n\n", self.code, self.title);
        let mut inside = false;
        for line in self.body.trim().lines() {
            match line.strip_prefix("```") {
                Some("csp") => out.push_str("For example:\n"),
                Some("csp fixed") => out.push_str("Better:\n"),
                _ => {}
            }
            // The fence itself is never shown; it turns indenting on or off.
            if line.starts_with("```") {
                inside = !inside;
                if inside {
                    out.push('\n');
                }
                continue;
            }
            let indent = if inside && !line.is_empty() {
                "    "
            } else {
                ""
            };
            let text = if inside {
                line.to_owned()
            } else {
                wrapped(line)
            };
            out.push_str(indent);
            out.push_str(&text);
            out.push('\n');
        }
        out
    }
}

/// A paragraph in lines of at most 80 characters.
fn wrapped(paragraph: &str) -> String {
    // A row of a table has to stay on its line.
    if paragraph.starts_with('|') {
        return paragraph.to_owned();
    }
    let mut out = String::new();
    let mut width = 0;
    for word in paragraph.split(' ') {
        let len = word.chars().count();
        // A word that is longer than a line stands on one of its own.
        if width > 0 && width + 1 + len > 80 {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += len;
    }
    out
}

/// All pages, in the order of the files.
pub fn pages() -> impl Iterator<Item = Page> {
    FILES.iter().flat_map(|file| {
        // The first section of a file still has its `## `; the others lost theirs when the file was
        // split.
        file.split("\n## ").filter_map(|section| {
            let section = section.trim_start_matches("## ");
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            let (code, title) = heading.split_once(' ')?;
            Some(Page { code, title, body })
        })
    })
}

/// The page of a code; case is ignored.
#[must_use]
pub fn page(code: &str) -> Option<Page> {
    pages().find(|page| page.code.eq_ignore_ascii_case(code))
}

/// The last line of a run with diagnostics: where to read more.
#[must_use]
pub fn hint<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Option<String> {
    let mut all: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    // Errors first: with any of them, warnings are not named.
    all.sort_by_key(|d| std::cmp::Reverse(d.severity));
    let errors = all.first()?.severity;
    let codes: IndexSet<&str> = all
        .iter()
        .filter(|d| d.severity == errors || errors == Severity::Warning)
        .map(|d| d.code)
        .collect();
    let mut codes: Vec<&str> = codes.into_iter().collect();
    codes.sort_unstable();
    codes.truncate(NAMED_MAX);
    Some(format!("for more: orbitscope help {}", codes.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Kind, kind};

    #[test]
    fn pages_are_found_and_shown() {
        let page = page("e0103").unwrap();
        assert_eq!(page.title, "brackets do not fit together");
        assert!(page.example().unwrap().contains("P = (a -> STOP"));
        insta::assert_snapshot!(page.show());
        assert!(super::page("E9999").is_none());
    }

    #[test]
    fn pages_are_in_order_and_unique() {
        let codes: Vec<&str> = pages().map(|p| p.code).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
        assert!(pages().all(|p| p.code.len() == 5 && !p.title.is_empty()));
    }

    /// Every code of a kind of its own has a page, and the pages of a chapter are of the kinds that the
    /// chapter is about.
    #[test]
    fn kinds_fit_the_pages() {
        let all: Vec<&str> = pages().map(|p| p.code).collect();
        for n in 0..10_000 {
            for letter in ["E", "W"] {
                let code = format!("{letter}{n:04}");
                assert!(
                    kind(&code) == Kind::Fault || all.contains(&code.as_str()),
                    "{code} has no page"
                );
            }
        }
        for code in all {
            let kind = kind(code);
            let fits = match &code[..3] {
                "E02" => matches!(
                    kind,
                    Kind::Fault | Kind::Undefined | Kind::Taken | Kind::Clauses | Kind::Consequence
                ),
                "W01" => matches!(
                    kind,
                    Kind::Fault
                        | Kind::HidesBuiltin
                        | Kind::UnusedLocal
                        | Kind::UnusedChannel
                        | Kind::HiddenClause
                ),
                "E03" => matches!(kind, Kind::Fault | Kind::Annotation),
                "E04" => matches!(
                    kind,
                    Kind::Fault | Kind::Endless | Kind::TooDeep | Kind::GivenUp | Kind::Bug
                ),
                "E05" => {
                    matches!(kind, Kind::Asymmetric | Kind::Costly)
                        || matches!(code, "E0502" | "E0515" | "E0516" | "E0517" | "E0518")
                }
                "E06" => kind == Kind::Unsupported,
                "E07" => matches!(kind, Kind::Stopped(_) | Kind::Usage | Kind::Bug),
                "E08" => matches!(kind, Kind::Usage | Kind::Differs),
                _ => kind == Kind::Fault,
            };
            assert!(fits, "{code} is {kind:?}");
        }
    }

    #[test]
    fn the_hint_names_each_code_once() {
        let d = |code| Diagnostic::nowhere(code, "x");
        let mut all = vec![d("E0301"), d("E0201"), d("E0301")];
        all.push(Diagnostic {
            severity: Severity::Warning,
            ..d("E0605")
        });
        assert_eq!(hint(&all).unwrap(), "for more: orbitscope help E0201 E0301");
        assert_eq!(hint(&all[3..]).unwrap(), "for more: orbitscope help E0605");
        assert_eq!(hint(&[]), None);
    }
}
