//! What is said of an assertion for any number of components, beside the sizes that were searched: a line of the table,
//! and the same as JSON.

use serde_json::{Value, json};

use super::document::Tone;
use super::families::SizeRow;
use super::numbers::thousands;
use super::outcome::Verdict;
use super::words::stop_text;
use crate::check::coverability::{CoverabilityAnswer, Coverage, UnmetCondition};
use crate::source::{Diagnostic, SourceMap, Stop};

/// The answer for any number of components.
#[derive(Debug)]
pub enum AnyNumber {
    /// It holds from some size on.
    Proved {
        /// That size.
        from: usize,
        /// The figures of the proof.
        coverage: Coverage,
        /// The other names with sizes, which stay as they are written.
        others: Vec<(String, usize)>,
    },
    /// It fails from some size on.
    Fails {
        /// That size, the least.
        from: usize,
    },
    /// It fails from some size on, which was not searched.
    FailsBeyond,
    /// A condition is not met.
    Refused(UnmetCondition),
    /// A limit came first.
    Stopped(Stop),
    /// An error at some size.
    Error(Box<Diagnostic>),
}

impl AnyNumber {
    /// Combines the answer with what was searched; `None` where the name is that of no family.
    pub(super) fn new(
        answer: CoverabilityAnswer,
        rows: &[SizeRow],
        others: Vec<(String, usize)>,
    ) -> Option<Self> {
        let verdict = |size: usize| {
            let row = rows.iter().find(|row| row.size == size)?;
            Some(&row.outcome.verdict)
        };
        // Sizes below that of the proof count where they were searched.
        let least = |mut from: usize, expected: &Verdict| {
            while from > 1 && verdict(from - 1) == Some(expected) {
                from -= 1;
            }
            from
        };
        let failing_from = |size: usize| {
            let fails = |row: &&SizeRow| row.size >= size && row.fails();
            rows.iter().find(fails).map(|row| row.size)
        };
        Some(match answer {
            CoverabilityAnswer::NoFamily => return None,
            CoverabilityAnswer::Refused(obstacle) => Self::Refused(obstacle),
            CoverabilityAnswer::Stopped(stop) => Self::Stopped(stop),
            CoverabilityAnswer::Fails { size } => match failing_from(size) {
                Some(size) => Self::Fails {
                    from: least(size, &Verdict::Fails),
                },
                None => Self::FailsBeyond,
            },
            CoverabilityAnswer::Holds(coverage) => match failing_from(coverage.size) {
                Some(_) => {
                    let message =
                        "internal error: what was proved fails at a size that was searched";
                    Self::Error(Box::new(Diagnostic::nowhere("E0799", message)))
                }
                None => Self::Proved {
                    from: least(coverage.size, &Verdict::Holds),
                    coverage,
                    others,
                },
            },
        })
    }

    /// How a row of it looks.
    pub(super) fn tone(&self) -> Tone {
        match self {
            Self::Proved { .. } => Tone::Good,
            Self::Fails { .. } | Self::FailsBeyond | Self::Error(_) => Tone::Bad,
            Self::Refused(_) | Self::Stopped(_) => Tone::Open,
        }
    }

    /// The sizes, the verdict, and how that is known.
    pub(super) fn cells(&self, sources: &SourceMap) -> [String; 3] {
        let and_more = |from: &usize| format!("{from} and more");
        let any = || "any".to_owned();
        match self {
            Self::Proved { from, .. } => [and_more(from), "holds".to_owned(), self.reason(sources)],
            Self::Fails { from } => [and_more(from), "fails".to_owned(), self.reason(sources)],
            Self::FailsBeyond => ["some".to_owned(), "fails".to_owned(), self.reason(sources)],
            Self::Refused(_) | Self::Stopped(_) | Self::Error(_) => {
                [any(), "not decided".to_owned(), self.reason(sources)]
            }
        }
    }

    fn reason(&self, sources: &SourceMap) -> String {
        match self {
            Self::Proved {
                coverage, others, ..
            } => {
                let with = others.iter().map(|(name, size)| format!("{name} {size}"));
                let with: Vec<String> = with.collect();
                let with = match &with[..] {
                    [] => String::new(),
                    all => format!("with {}, ", all.join(" and ")),
                };
                let nodes = thousands(coverage.nodes as u128);
                format!("PROVED: coverability, {with}{nodes} nodes")
            }
            Self::Fails { from } => {
                format!("PROVED: coverability, as {from} was checked and more do no less")
            }
            Self::FailsBeyond => {
                "PROVED: coverability; no size was searched from which on it fails".to_owned()
            }
            Self::Refused(UnmetCondition { why, span }) => match span {
                Some(span) => format!("{why}, at {}", sources.place(*span)),
                None => why.clone(),
            },
            Self::Stopped(stop) => stop_text(*stop).to_owned(),
            Self::Error(error) => error.message.clone(),
        }
    }

    /// The same as JSON.
    pub(super) fn json(&self, sources: &SourceMap) -> Value {
        let [_, verdict, reason] = self.cells(sources);
        let (from, coverage) = match self {
            Self::Proved { from, coverage, .. } => (Some(*from), Some(coverage)),
            Self::Fails { from } => (Some(*from), None),
            _ => (None, None),
        };
        let place = match self {
            Self::Refused(obstacle) => obstacle.span.map(|span| sources.place(span)),
            _ => None,
        };
        json!({
            "status": verdict,
            "theorem": "coverability",
            "from": from,
            "reason": reason,
            "place": place,
            "nodes": coverage.map(|c| c.nodes),
            "controls": coverage.map(|c| c.controls),
            "compiled_size": coverage.map(|c| c.size),
        })
    }
}
