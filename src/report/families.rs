//! An assertion at several sizes of what has a size: a table, and documents of it.
//!
//! Three words are kept apart. A size that was searched is *checked*; what a theorem says of others is *PROVED*.

use serde_json::{Value, json};

use super::any_number::AnyNumber;
use super::checks;
use super::document::{Document, DocumentTable, TableColumn, Tone};
use super::family_proofs::{Proof, ProofAttempt};
use super::json::{stats, status};
use super::numbers::thousands;
use super::outcome::{CheckOutcome, Verdict};
use super::reduction::SymmetrySummary;
use super::together::{Together, TogetherAnswer};
use crate::check::Options;
use crate::check::coverability::{self, CoverabilityAnswer, CoverabilityQuestion};
use crate::script::load::Loaded;
use crate::script::sizes::{NamesWithSizes, SizeKind, SizedName, SizedScript};
use crate::source::{Bounds, Budget, Cancel, Diagnostic, Kind, SourceMap, Stop, render};
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What is asked about an assertion.
pub struct FamilyRequest<'a> {
    /// The script with its sizes.
    pub script: &'a SizedScript,
    /// The script as written.
    pub written: &'a Loaded,
    /// Names whose sizes are changed; empty for all.
    pub of: &'a [String],
    /// The sizes to search.
    pub sizes: RangeInclusive<usize>,
    /// Options of each check.
    pub options: &'a Options,
    /// The time for each size, and for what a proof needs beside.
    pub timeout: Option<Duration>,
    /// Whether to prove what can be proved of all sizes.
    pub proves: bool,
    /// Ends the search at once.
    pub cancel: &'a Cancel,
}

/// An assertion at one size.
pub struct SizeRow {
    /// The size.
    pub size: usize,
    /// The outcome.
    pub outcome: CheckOutcome,
}

/// An assertion at several sizes of one name.
pub struct NameRows {
    /// The name.
    pub name: SizedName,
    /// One row a size, in ascending order. After a limit was reached, larger sizes are not tried; sizes that a proof
    /// needs are added.
    pub rows: Vec<SizeRow>,
    /// What is known of any number of components, if the name is that of a family.
    pub any_number: Option<AnyNumber>,
    /// What is proved of all sizes.
    pub proof: Proof,
}

/// What was found of an assertion.
pub struct FamilyOutcome {
    /// Its number, from 1.
    pub number: usize,
    /// The assertion as written.
    pub text: String,
    /// What has a size.
    pub names: Vec<NameRows>,
    /// What is known of two of these at once.
    pub together: Vec<Together>,
    /// Sets of literals that have none, each with the reason.
    pub refused: Vec<(Rc<str>, Diagnostic)>,
    /// The error that keeps it from being checked at all.
    pub error: Option<Diagnostic>,
}

impl FamilyRequest<'_> {
    /// Checks assertion `number` (from 1), which has to exist, at all sizes; `report` gets each row as it is found.
    pub fn run(
        &self,
        number: usize,
        report: &mut dyn FnMut(&SizedName, &SizeRow),
    ) -> FamilyOutcome {
        let assertion = &self.written.script.assertions[number - 1];
        let error = self.written.in_the_way(assertion);
        let bounds = Bounds::new(&self.options.limits, self.cancel);
        let NamesWithSizes { names, refused } = match error {
            None => self.script.sizes(self.written, number - 1, &bounds),
            Some(_) => NamesWithSizes::default(),
        };
        let is_wanted = |name: &str| self.of.is_empty() || self.of.iter().any(|n| n == name);
        let wanted = names.iter().filter(|n| is_wanted(&n.name));
        let found: Vec<NameRows> = wanted
            .map(|name| self.rows(name, &names, number, report))
            .collect();
        FamilyOutcome {
            number,
            text: assertion.text.to_string(),
            together: self.together(&found, &names, number),
            names: found,
            refused: refused.into_iter().filter(|r| is_wanted(&r.0)).collect(),
            error,
        }
    }

    fn rows(
        &self,
        name: &SizedName,
        all: &[SizedName],
        number: usize,
        report: &mut dyn FnMut(&SizedName, &SizeRow),
    ) -> NameRows {
        let mut found = NameRows {
            name: name.clone(),
            rows: Vec::new(),
            any_number: None,
            proof: Proof::NotAsked,
        };
        for size in self.sizes.clone() {
            if self.add(&mut found, (size, number), report) {
                break;
            }
        }
        if !self.proves || self.cancel.is_cancelled() {
            return found;
        }
        let answer = self.any_number(name, number);
        // A number that fails as every larger one does, with its run.
        if let Some(Ok(CoverabilityAnswer::Fails { size: least })) = answer {
            for size in self.sizes.end() + 1.. {
                let fails = |row: &SizeRow| row.size >= least && row.fails();
                if found.rows.iter().any(fails) || self.add(&mut found, (size, number), report) {
                    break;
                }
            }
        }
        let others = all.iter().filter(|other| other.name != name.name);
        let others = others.map(|other| (other.name.to_string(), other.written));
        found.any_number = answer.and_then(|answer| match answer {
            Ok(answer) => AnyNumber::new(answer, &found.rows, others.collect()),
            Err(error) => Some(AnyNumber::Error(error)),
        });
        let attempt = ProofAttempt {
            request: self,
            name,
            number,
            rows: found.rows,
        };
        (found.proof, found.rows) = attempt.run();
        found
    }

    /// Checks one more size. Returns whether it is the last, as larger ones take more than a limit allows.
    fn add(
        &self,
        found: &mut NameRows,
        (size, number): (usize, usize),
        report: &mut dyn FnMut(&SizedName, &SizeRow),
    ) -> bool {
        let outcome = self.at(&[(&found.name, size)], number);
        let is_last = outcome.stopped.is_some() || self.cancel.is_cancelled();
        let row = SizeRow { size, outcome };
        report(&found.name, &row);
        found.rows.push(row);
        is_last
    }

    /// The answer for any number of components; `None` for a number or a part of a datatype, which are no family.
    fn any_number(
        &self,
        name: &SizedName,
        number: usize,
    ) -> Option<Result<CoverabilityAnswer, Box<Diagnostic>>> {
        let is_number = match &name.kind {
            SizeKind::Datatype { is_part, .. } => *is_part,
            SizeKind::Set => false,
            SizeKind::Number => true,
        };
        if is_number || self.cancel.is_cancelled() {
            return None;
        }
        Some(self.any_number_with(name, &[], number))
    }

    /// The answer for any number of components, where other names have these sizes.
    pub(super) fn any_number_with(
        &self,
        name: &SizedName,
        others: &[(&SizedName, usize)],
        number: usize,
    ) -> Result<CoverabilityAnswer, Box<Diagnostic>> {
        let options = self.limited();
        let question = CoverabilityQuestion {
            index: number - 1,
            type_name: &name.name,
            options: &options,
            cancel: self.cancel,
        };
        let bounds = Bounds::new(&options.limits, self.cancel);
        coverability::decide(&question, &mut |size| {
            let mut sizes = vec![(name, size)];
            sizes.extend(others);
            let loaded = self.script.at(&sizes, &bounds);
            match loaded.in_the_way(&loaded.script.assertions[number - 1]) {
                Some(error) => Err(Box::new(error)),
                None => Ok(loaded),
            }
        })
    }

    /// The options with the time for one search.
    fn limited(&self) -> Options {
        let mut options = self.options.clone();
        if let Some(timeout) = self.timeout {
            options.limits.deadline = Instant::now().checked_add(timeout);
        }
        options
    }

    /// Limits of what a proof needs.
    pub(super) fn budget(&self) -> Budget {
        Budget {
            limits: self.limited().limits,
            cancel: self.cancel.clone(),
        }
    }

    /// The assertion where names have these sizes.
    pub(super) fn at(&self, sizes: &[(&SizedName, usize)], number: usize) -> CheckOutcome {
        let options = self.limited();
        let bounds = Bounds::new(&options.limits, self.cancel);
        let loaded = self.script.at(sizes, &bounds);
        checks::run(&loaded, number, &options, self.cancel, &mut |_| {})
    }
}

impl FamilyOutcome {
    /// Whether a search contradicts what was proved, or something else is a fault of the program.
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        let mut all = self.names.iter();
        let mut pairs = self.together.iter();
        let is_bug = |error: &Diagnostic| error.kind == Kind::Bug;
        all.any(|n| {
            let in_any = matches!(&n.any_number, Some(AnyNumber::Error(error)) if is_bug(error));
            in_any || matches!(n.proof, Proof::Contradicted(..))
        }) || pairs.any(|t| matches!(&t.answer, TogetherAnswer::Error(error) if is_bug(error)))
    }

    /// Whether it fails at a size that no row is about.
    #[must_use]
    pub fn fails_together(&self) -> bool {
        let mut pairs = self.together.iter();
        pairs.any(|t| matches!(t.answer, TogetherAnswer::Fails(_)))
    }

    /// All outcomes of checks.
    pub fn outcomes(&self) -> impl Iterator<Item = &CheckOutcome> {
        let rows = self.names.iter().flat_map(|n| &n.rows);
        rows.map(|row| &row.outcome)
    }

    /// What was found, in words and as facts: those of [`FamilyOutcome::json`] are not in it.
    #[must_use]
    pub fn document(&self, sources: &SourceMap) -> Document {
        let mut document = Document::default();
        let head = format!("{}  {}", self.number, self.text);
        document.section("assertion").say(Tone::Strong, head);
        if let Some(error) = &self.error {
            document.deeper(1, Tone::Bad, format!("error: {}", at(error, sources)));
        }
        if !self.names.is_empty() {
            document.table(self.table(sources));
        }
        // A family is not uniform, which is no reason beside the answer for any number.
        let others = self.names.iter().filter(|n| n.any_number.is_none());
        for NameRows { name, proof, .. } in others {
            for sentence in proof.sentences(&name.name, sources) {
                document.deeper(1, Tone::Plain, sentence);
            }
        }
        for (name, why) in &self.refused {
            let text = format!(
                "{name}: no size, as it cannot be made a datatype: {}. Advice: a value that is no datum needs a \
                 type of its own, as in `datatype Slot = Empty | Full.{name}`",
                at(why, sources)
            );
            document.deeper(1, Tone::Dim, text);
        }
        if self.error.is_none() && self.names.is_empty() && self.refused.is_empty() {
            document.deeper(1, Tone::Dim, NO_SIZE);
        }
        document
    }

    /// What is known of each name in a sentence: the size as written, and what is proved of others; then of components and data
    /// together.
    #[must_use]
    pub fn summary(&self, sources: &SourceMap) -> Vec<(Tone, String)> {
        let names = self.names.iter().map(|n| n.summary(sources));
        let pairs = self.together.iter().map(|pair| {
            let [verdict, why] = pair.cells(sources);
            (pair.tone(), format!("together: {verdict}. {why}"))
        });
        names.chain(pairs).collect()
    }

    fn table(&self, sources: &SourceMap) -> DocumentTable {
        let mut table = size_table();
        for NameRows {
            name,
            rows,
            any_number,
            proof,
        } in &self.names
        {
            for (n, row) in rows.iter().enumerate() {
                table.row(row.tone(), row.cells(name, n == 0));
            }
            if let Some(any) = any_number {
                let [sizes, verdict, why] = any.cells(sources);
                let none = String::new;
                let cells = vec![none(), sizes, verdict, none(), none(), none(), why];
                table.row(any.tone(), cells);
            }
            if let Some((tone, cells)) = proof.row() {
                table.row(tone, cells);
            }
        }
        for pair in &self.together {
            let [verdict, why] = pair.cells(sources);
            let none = String::new;
            let cells = vec![
                "together".to_owned(),
                none(),
                verdict,
                none(),
                none(),
                none(),
                why,
            ];
            table.row(pair.tone(), cells);
        }
        table
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self, sources: &SourceMap) -> Value {
        let names = self.names.iter().map(|n| n.json(sources));
        let together = self.together.iter().map(|pair| pair.json(sources));
        let refused = self.refused.iter().map(
            |(name, why)| json!({ "name": &**name, "diagnostic": render::to_json(why, sources) }),
        );
        json!({
            "index": self.number,
            "assertion": self.text,
            "diagnostic": self.error.as_ref().map(|d| render::to_json(d, sources)),
            "names": names.collect::<Vec<_>>(),
            "together": together.collect::<Vec<_>>(),
            "without_size": refused.collect::<Vec<_>>(),
        })
    }
}

/// The table of sizes, without rows.
#[must_use]
pub fn size_table() -> DocumentTable {
    let number = |head: &'static str| TableColumn {
        is_number: true,
        ..TableColumn::headed(head)
    };
    DocumentTable::new(vec![
        TableColumn::headed("name"),
        number("size"),
        TableColumn::headed("verdict"),
        number("states"),
        TableColumn::headed("reduced by"),
        number("time"),
        TableColumn::headed(""),
    ])
}

/// Said of an assertion without sizes.
const NO_SIZE: &str = "nothing in it has a size: no datatype with interchangeable values, no set of literals with a name, \
                       no number with a name";

impl NameRows {
    fn summary(&self, sources: &SourceMap) -> (Tone, String) {
        let SizedName { name, written, .. } = &self.name;
        let row = self.rows.iter().find(|row| row.size == *written);
        let here = match row.map(|row| &row.outcome.verdict) {
            Some(Verdict::Holds) => format!("{name}: holds at {written}, as written"),
            Some(Verdict::Fails) => format!("{name}: fails at {written}, as written"),
            _ => format!("{name}: not decided at {written}, as written"),
        };
        let (tone, sizes, verdict, why) = match (&self.any_number, self.proof.row()) {
            (Some(any), _) => {
                let [sizes, verdict, why] = any.cells(sources);
                (any.tone(), sizes, verdict, why)
            }
            (None, Some((tone, cells))) => {
                let cell = |at: usize| cells.get(at).cloned().unwrap_or_default();
                (tone, cell(1), cell(2), cell(6))
            }
            (None, None) => {
                return (
                    Tone::Open,
                    format!("{here}; of other sizes nothing is proved"),
                );
            }
        };
        (tone, format!("{here}; {sizes}: {verdict}. {why}"))
    }

    fn json(&self, sources: &SourceMap) -> Value {
        let kind = match self.name.kind {
            SizeKind::Datatype { .. } => "datatype",
            SizeKind::Set => "set",
            SizeKind::Number => "number",
        };
        let rows = self.rows.iter().map(|row| row.json(sources));
        json!({
            "name": &*self.name.name,
            "kind": kind,
            "written": self.name.written,
            "place": sources.place(self.name.span),
            "sizes": rows.collect::<Vec<_>>(),
            "any_number": self.any_number.as_ref().map(|any| any.json(sources)),
            "proof": self.proof.json(sources),
        })
    }
}

impl SizeRow {
    /// Whether the assertion fails at this size.
    pub(super) fn fails(&self) -> bool {
        self.outcome.verdict == Verdict::Fails
    }

    /// How the row looks.
    #[must_use]
    pub fn tone(&self) -> Tone {
        match self.outcome.verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Fails | Verdict::Error(_) => Tone::Bad,
            Verdict::Approximate(_) | Verdict::Inconclusive(_) => Tone::Open,
        }
    }

    /// The row of a [`size_table`]; the name stands in the first of its rows.
    #[must_use]
    pub fn cells(&self, name: &SizedName, is_first: bool) -> Vec<String> {
        let outcome = &self.outcome;
        let (verdict, how) = match &outcome.verdict {
            Verdict::Holds => ("holds", "checked".to_owned()),
            Verdict::Fails => ("fails", "checked".to_owned()),
            Verdict::Error(why) => ("error", why.summary.clone()),
            Verdict::Approximate(why) => ("not decided", why.clone()),
            Verdict::Inconclusive(why) => {
                let larger = match outcome.stopped {
                    Some(Stop::Cancelled) => "",
                    _ => "; larger sizes are not tried",
                };
                ("not decided", format!("{why}{larger}"))
            }
        };
        let states = match outcome.details {
            Some(_) => thousands(outcome.progress.states.into()),
            None => String::new(),
        };
        let group = outcome.symmetry.as_ref().map(group);
        let time = format!("{:.2} s", outcome.progress.seconds);
        vec![
            if is_first { shown(name) } else { String::new() },
            self.size.to_string(),
            verdict.to_owned(),
            states,
            group.unwrap_or_default(),
            time,
            how,
        ]
    }

    fn json(&self, sources: &SourceMap) -> Value {
        let outcome = &self.outcome;
        let (status, why) = status(&outcome.verdict);
        json!({
            "size": self.size,
            "status": status,
            "reason": why,
            "diagnostic": outcome.diagnostic.as_ref().map(|d| render::to_json(d, sources)),
            "symmetry": outcome.symmetry.as_ref().map(SymmetrySummary::json),
            "stats": stats(outcome),
        })
    }
}

/// A name, with the part of it that is counted.
fn shown(name: &SizedName) -> String {
    match &name.kind {
        SizeKind::Datatype {
            members,
            is_part: true,
        } => format!("{} (of {})", name.name, members.join(", ")),
        _ => name.name.to_string(),
    }
}

/// The group of a reduction: what it exchanges, and how many permutations there are.
fn group(used: &SymmetrySummary) -> String {
    let sets = used.types.iter().chain(&used.copies);
    let mut parts: Vec<String> = sets.map(|(name, n)| format!("{name}({n})")).collect();
    if let Some(structure) = &used.structure {
        parts.push(structure.action.clone().unwrap_or("structure".to_owned()));
    }
    format!("{}: {}", parts.join(" x "), used.group_order)
}

/// A message with its place.
fn at(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    match diagnostic.span {
        Some(span) => format!("{}, at {}", diagnostic.message, sources.place(span)),
        None => diagnostic.message.clone(),
    }
}
