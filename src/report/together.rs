//! What is proved of two sizes at once: any number of components, and of data that nobody compares.

use serde_json::{Value, json};

use super::any_number::AnyNumber;
use super::document::Tone;
use super::families::{FamilyRequest, NameRows};
use super::outcome::Verdict;
use crate::check::coverability::{CoverabilityAnswer, Coverage};
use crate::check::families::{EnoughData, FamilyWithData, Unprovable};
use crate::script::sizes::{SizeKind, SizedName};
use crate::source::{Diagnostic, SourceMap, Stop};
use std::rc::Rc;

/// A family of components with data.
#[derive(Debug)]
pub struct Together {
    /// The name of the components.
    pub components: Rc<str>,
    /// The name of the data.
    pub data: Rc<str>,
    /// The other names with sizes, which stay as they are written.
    pub others: Vec<(String, usize)>,
    /// What is known.
    pub answer: TogetherAnswer,
}

/// What is known of all numbers of components with all numbers of data.
#[derive(Debug)]
pub enum TogetherAnswer {
    /// It holds for all numbers of data, with each number of components from one on.
    Proved {
        /// That number of components.
        from: usize,
        /// What nobody compares.
        enough: EnoughData,
        /// The number of data for which any number of components was decided, with the figures.
        at: (usize, Coverage),
    },
    /// With so many data it fails for some number of components, and every larger one.
    Fails(usize),
    /// A condition is not met, or a limit came first.
    Undecided(Unprovable),
    /// An error at some size, or a contradiction.
    Error(Box<Diagnostic>),
}

impl FamilyRequest<'_> {
    /// Decides it of each family with each name of data, for a name of which something is proved or was too large.
    pub(super) fn together(
        &self,
        names: &[NameRows],
        all: &[SizedName],
        number: usize,
    ) -> Vec<Together> {
        let mut found = Vec::new();
        let components = names
            .iter()
            .filter_map(|n| Some((n, n.any_number.as_ref()?)));
        for (components, any) in components {
            for data in names.iter().filter(|n| is_data(n)) {
                if self.cancel.is_cancelled() {
                    return found;
                }
                let Some(answer) = self.answer((components, any), data, number) else {
                    continue;
                };
                let others = all.iter().filter(|other| {
                    other.name != components.name.name && other.name != data.name.name
                });
                found.push(Together {
                    components: Rc::clone(&components.name.name),
                    data: Rc::clone(&data.name.name),
                    others: others.map(|o| (o.name.to_string(), o.written)).collect(),
                    answer,
                });
            }
        }
        found
    }

    /// The answer, where that for the data as they are written leaves a question.
    fn answer(
        &self,
        (components, any): (&NameRows, &AnyNumber),
        data: &NameRows,
        number: usize,
    ) -> Option<TogetherAnswer> {
        let is_open = match any {
            AnyNumber::Proved { .. } => false,
            AnyNumber::Stopped(stop) => *stop != Stop::Cancelled,
            _ => return None,
        };
        let budget = self.budget();
        let both = FamilyWithData {
            script: self.script,
            components: &components.name,
            data: &data.name,
            assertion: number - 1,
            budget: &budget,
        };
        let enough = match both.compares_nothing() {
            Ok(enough) => enough,
            Err(reason) => return (!is_open).then_some(TogetherAnswer::Undecided(reason)),
        };
        let written = data.name.written;
        let answer = match any {
            AnyNumber::Proved { from, coverage, .. } if written >= enough.size => {
                TogetherAnswer::Proved {
                    from: *from,
                    enough,
                    at: (written, *coverage),
                }
            }
            // More data than are written, or fewer than were too many.
            _ if is_open == (written > enough.size) => {
                self.with_data((&components.name, &data.name), enough, number)
            }
            _ => return None,
        };
        Some(held_to(answer, components, data))
    }

    /// Any number of components, with as many data as are enough.
    fn with_data(
        &self,
        (components, data): (&SizedName, &SizedName),
        enough: EnoughData,
        number: usize,
    ) -> TogetherAnswer {
        let with = (data, enough.size);
        let coverage = match self.any_number_with(components, &[with], number) {
            Ok(CoverabilityAnswer::Holds(coverage)) => coverage,
            Ok(CoverabilityAnswer::Fails { .. }) => return TogetherAnswer::Fails(enough.size),
            Ok(CoverabilityAnswer::Refused(condition)) => {
                return TogetherAnswer::Undecided(Unprovable {
                    why: condition.why,
                    span: condition.span,
                });
            }
            Ok(CoverabilityAnswer::NoFamily | CoverabilityAnswer::Stopped(_)) => {
                return TogetherAnswer::Undecided(Unprovable {
                    why: format!(
                        "with {} {}, a limit came before any number of {} was decided",
                        data.name, enough.size, components.name
                    ),
                    span: None,
                });
            }
            Err(error) => return TogetherAnswer::Error(error),
        };
        // Smaller numbers of components are searched.
        let mut from = coverage.size;
        while from > 1 {
            let sizes = [(components, from - 1), with];
            match self.at(&sizes, number).verdict {
                Verdict::Holds => from -= 1,
                _ => break,
            }
        }
        TogetherAnswer::Proved {
            from,
            enough,
            at: (enough.size, coverage),
        }
    }
}

/// Whether a name may be that of data: a family of components has an answer of its own.
fn is_data(name: &NameRows) -> bool {
    let is_whole = match name.name.kind {
        SizeKind::Datatype { is_part, .. } => !is_part,
        SizeKind::Set => true,
        SizeKind::Number => false,
    };
    is_whole && name.any_number.is_none()
}

/// What was proved has to agree with every size that was searched.
fn held_to(answer: TogetherAnswer, components: &NameRows, data: &NameRows) -> TogetherAnswer {
    let TogetherAnswer::Proved { from, .. } = answer else {
        return answer;
    };
    let of_components = components.rows.iter().filter(|row| row.size >= from);
    let of_data = data.rows.iter();
    let of_data = of_data.filter(|_| components.name.written >= from);
    if of_components.chain(of_data).any(|row| row.fails()) {
        let message = "internal error: what was proved of components and data fails at a size that was searched";
        return TogetherAnswer::Error(Box::new(Diagnostic::nowhere("E0799", message)));
    }
    answer
}

impl Together {
    /// How a row of it looks.
    pub(super) fn tone(&self) -> Tone {
        match self.answer {
            TogetherAnswer::Proved { .. } => Tone::Good,
            TogetherAnswer::Fails(_) | TogetherAnswer::Error(_) => Tone::Bad,
            TogetherAnswer::Undecided(_) => Tone::Open,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.answer {
            TogetherAnswer::Proved { .. } => "holds",
            TogetherAnswer::Fails(_) => "fails",
            TogetherAnswer::Undecided(_) | TogetherAnswer::Error(_) => "not decided",
        }
    }

    fn reason(&self, sources: &SourceMap) -> String {
        let Self {
            components,
            data,
            others,
            answer,
        } = self;
        match answer {
            TogetherAnswer::Proved { from, at, .. } => {
                let least = match from {
                    1 => String::new(),
                    from => format!(" from {from} on"),
                };
                let with = others.iter().map(|(name, size)| format!("{name} {size}"));
                let with: Vec<String> = with.collect();
                let with = match &with[..] {
                    [] => String::new(),
                    all => format!(", with {}", all.join(" and ")),
                };
                format!(
                    "PROVED: any number of {components}{least} and of {data}{with}, by coverability with {data} {}, \
                     and as nobody compares {data}",
                    at.0
                )
            }
            TogetherAnswer::Fails(size) => {
                format!("PROVED: coverability, for some number of {components} with {data} {size}")
            }
            TogetherAnswer::Undecided(reason) => {
                let told = match reason.span {
                    Some(span) => format!("{}, at {}", reason.why, sources.place(span)),
                    None => reason.why.clone(),
                };
                format!("{components} and {data}: {told}")
            }
            TogetherAnswer::Error(error) => error.message.clone(),
        }
    }

    /// The verdict, and how that is known.
    pub(super) fn cells(&self, sources: &SourceMap) -> [String; 2] {
        [self.verdict().to_owned(), self.reason(sources)]
    }

    /// The same as JSON.
    pub(super) fn json(&self, sources: &SourceMap) -> Value {
        let (mut from, mut at, mut compared_at, mut place) = (None, None, None, None);
        match &self.answer {
            TogetherAnswer::Proved {
                from: least,
                enough,
                at: (size, _),
            } => {
                from = Some(*least);
                at = Some(*size);
                compared_at = Some(enough.components);
            }
            TogetherAnswer::Fails(size) => at = Some(*size),
            TogetherAnswer::Undecided(reason) => {
                place = reason.span.map(|span| sources.place(span));
            }
            TogetherAnswer::Error(_) => {}
        }
        json!({
            "components": &*self.components,
            "data": &*self.data,
            "status": self.verdict(),
            "from": from,
            "data_size": at,
            "compared_at": compared_at,
            "reason": self.reason(sources),
            "place": place,
        })
    }
}
