//! A race of strategies as a document: a row for each strategy, remarks, and states that were stored twice.

use serde_json::{Value, json};

use super::document::{Document, DocumentTable, TableColumn, Tone};
use super::numbers;
use super::outcome::Progress;
use super::race::{DoubledState, DoubledView, OrbitsView, RaceOutcome, RaceRow, RowEnd};
use super::reduction::{SymmetrySummary, in_full};
use super::words::stop_text;
use crate::source::hash::IndexMap;

/// The columns of the table: head, whether it has numbers, and when it is left out.
const COLUMNS: [(&str, bool, Option<u8>); 12] = [
    ("strategy", false, None),
    ("states", true, None),
    ("orbits", true, Some(5)),
    ("an orbit", true, Some(6)),
    ("most", true, Some(3)),
    ("transitions", true, Some(7)),
    ("representatives", true, Some(0)),
    ("a second", true, Some(2)),
    ("CPU s", true, Some(1)),
    ("wall s", true, None),
    ("memory", true, Some(4)),
    ("end", false, None),
];

/// The table of a race before its first row.
#[must_use]
pub fn race_table() -> DocumentTable {
    let column = |(head, is_number, left_out): (&'static str, _, _)| TableColumn {
        head: head.into(),
        is_number,
        left_out,
        most: None,
    };
    DocumentTable::new(COLUMNS.map(column).to_vec())
}

/// The cells of a strategy that is still searching; without progress, of one that has not begun.
#[must_use]
pub fn unfinished(strategy: &str, progress: Option<&Progress>) -> Vec<String> {
    let mut cells = vec![String::new(); COLUMNS.len()];
    strategy.clone_into(&mut cells[0]);
    if let Some(progress) = progress {
        cells[1] = numbers::thousands(progress.states.into());
        cells[5] = numbers::thousands(progress.transitions.into());
        cells[9] = format!("{:.2}", progress.seconds);
        cells[10] = numbers::bytes(progress.bytes);
        "searching".clone_into(&mut cells[11]);
    }
    cells
}

impl RaceRow {
    /// The tone of its end.
    #[must_use]
    pub fn tone(&self) -> Tone {
        match self.end {
            RowEnd::Holds | RowEnd::Fails(_) => Tone::Good,
            RowEnd::Stopped(_) | RowEnd::Unproved => Tone::Open,
            RowEnd::Refused(..) => Tone::Bad,
        }
    }

    /// The cells of the table.
    #[must_use]
    pub fn cells(&self, of_assertion: bool) -> Vec<String> {
        let none = || "-".to_owned();
        let count = |n: u64| numbers::thousands(n.into());
        let (orbits, most) = match &self.orbits {
            OrbitsView::Counted {
                orbits,
                most,
                is_certain,
            } => {
                let about = if *is_certain { "" } else { "<=" };
                (format!("{about}{}", count(*orbits)), count(*most))
            }
            OrbitsView::NotCounted(_) => ("not counted".to_owned(), none()),
        };
        vec![
            self.strategy.to_owned(),
            count(self.progress.states),
            orbits,
            self.mean().map_or_else(none, |mean| format!("{mean:.2}")),
            most,
            count(self.progress.transitions),
            count(self.representatives),
            self.per_second().map_or_else(none, |n| count(n as u64)),
            self.cpu_seconds.map_or_else(none, |s| format!("{s:.2}")),
            format!("{:.2}", self.search_seconds),
            numbers::bytes(self.progress.bytes),
            self.ended(of_assertion),
        ]
    }

    /// Remarks that have no room in the table.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let (times, instead) = self.fallbacks;
        if times > 0 {
            let of = numbers::thousands(self.representatives.into());
            let times = numbers::thousands(times.into());
            remarks.push(format!("fell back {times} times of {of}: {instead}"));
        }
        match (&self.end, &self.orbits) {
            (RowEnd::Refused(_, why), _) => remarks.push(why.summary.clone()),
            (_, OrbitsView::NotCounted(why)) => {
                remarks.push(format!("orbits are not counted: {why}"));
            }
            (
                _,
                OrbitsView::Counted {
                    is_certain: false, ..
                },
            ) => remarks.push(
                "so many orbits at most: of some states it is not certain that they are not of one"
                    .to_owned(),
            ),
            _ => {}
        }
        remarks
    }

    /// What is to be said of this strategy beside its row. The facts are a row in a document of the schema
    /// `orbitscope.race/1`; `command` compares the states that were stored twice.
    #[must_use]
    pub fn document(&self, of_assertion: bool, command: Option<&str>) -> Document {
        let mut document = Document::default();
        self.facts(of_assertion, &mut document);
        document.section("doubled");
        match &self.doubled {
            Some(found) => doubled(self.strategy, found, command, &mut document),
            None => {
                document.fact("doubled", Value::Null);
            }
        }
        if let OrbitsView::Counted { orbits, .. } = self.orbits {
            let states = numbers::counted(self.progress.states, "state");
            let orbits = numbers::counted(orbits, "orbit");
            document
                .section("kept")
                .say(Tone::Plain, format!("keeps {states}, of {orbits}"));
        }
        document.section("remarks");
        for remark in self.remarks() {
            document.say(Tone::Dim, remark);
        }
        document
    }

    fn facts(&self, of_assertion: bool, document: &mut Document) {
        let (status, reason) = match &self.end {
            RowEnd::Holds if of_assertion => ("pass", None),
            RowEnd::Holds => ("explored", None),
            RowEnd::Fails(_) => ("fail", None),
            RowEnd::Unproved => ("approximate", None),
            RowEnd::Stopped(stop) => ("inconclusive", Some(stop_text(*stop))),
            RowEnd::Refused(_, why) => ("error", Some(why.summary.as_str())),
        };
        let steps = match self.end {
            RowEnd::Fails(steps) => steps,
            _ => None,
        };
        let orbits = match &self.orbits {
            OrbitsView::Counted {
                orbits,
                most,
                is_certain,
            } => {
                json!({ "count": orbits, "certain": is_certain, "mean": self.mean(), "most": most })
            }
            OrbitsView::NotCounted(why) => json!({ "not_counted": why }),
        };
        document
            .fact("strategy", self.strategy)
            .fact("status", status)
            .fact("reason", reason)
            .fact("steps", steps)
            .fact("states", self.progress.states)
            .fact("plies", self.progress.ply)
            .fact("orbits", orbits)
            .fact("transitions", self.progress.transitions)
            .fact("representatives", self.representatives)
            .fact("representatives_per_second", self.per_second())
            .fact("fallbacks", self.fallbacks.0)
            .fact("instead", self.fallbacks.1)
            .fact("cpu_seconds", self.cpu_seconds)
            .fact("search_seconds", self.search_seconds)
            .fact("compile_seconds", self.compile_seconds)
            .fact("bytes", self.progress.bytes);
    }
}

/// Says of two states of one orbit that they have different representatives.
fn doubled(strategy: &str, found: &DoubledView, command: Option<&str>, document: &mut Document) {
    let [a, b] = &found.states;
    let steps = |state: &DoubledState| numbers::counted(state.run.steps.len() as u64, "step");
    // The empty column keeps the states apart.
    let mut table = DocumentTable::new(vec![TableColumn::default(); 3]);
    let head = |of: &str, state: &DoubledState| format!("that of {of}, after {}", steps(state));
    table.row(
        Tone::Strong,
        vec![head("A", a), String::new(), head("B", b)],
    );
    for pair in a.representative.iter().zip(&b.representative) {
        let tone = if pair.0 == pair.1 {
            Tone::Plain
        } else {
            Tone::Changed
        };
        let [a, b] = [pair.0, pair.1].map(|c| format!("{}  {}", c.label(), c.text));
        table.row(tone, vec![a, String::new(), b]);
    }
    let heading =
        format!("{strategy} gives one orbit two representatives, first those of states A and B:");
    document.say(Tone::Strong, heading).table(table);
    if let Some(rest) = found.rest() {
        document.deeper(1, Tone::Dim, rest);
    }
    let by = format!("{} takes the one to the other", found.by());
    document.deeper(1, Tone::Plain, by);
    if let Some(command) = command {
        document.deeper(1, Tone::Plain, command);
    }
    let state = |state: &DoubledState| {
        let events = state.run.steps.iter().map(|step| match &*step.event {
            "" => "tau",
            event => event,
        });
        json!({
            "path": events.collect::<Vec<_>>(),
            "representative": super::words::components_json(&state.representative),
        })
    };
    let permutation = found
        .permutation
        .iter()
        .map(|(name, cycles, map)| json!({ "type": name, "cycles": cycles, "map": map }));
    document
        .fact("doubled.a", state(a))
        .fact("doubled.b", state(b))
        .fact("doubled.permutation", permutation.collect::<Vec<_>>())
        .fact("doubled.components", found.components.clone())
        .fact("doubled.left_out", found.left_out)
        .fact("doubled.command", command);
}

impl RaceOutcome {
    /// The whole race, with the documents of its rows. The facts are a document of the schema `orbitscope.race/1` but
    /// for its origin.
    #[must_use]
    pub fn document(&self, rows: &[Document], threads: usize) -> Document {
        let mut document = Document::default();
        let heading = match &self.assertion {
            Some((number, assertion)) => format!("Race of assertion {number}: {assertion}"),
            None => format!("Race through all states of {}", self.process),
        };
        document.section("heading").say(Tone::Strong, heading);
        let used = self.rows.iter().find_map(|row| row.symmetry.as_ref());
        if let Some(used) = used {
            let text = format!(
                "reduced over {}: group of order {}; bisimilar local states are not merged; {}",
                in_full(used),
                numbers::grouped(&used.group_order),
                numbers::counted(threads as u64, "thread"),
            );
            document.say(Tone::Dim, text);
        }
        let mut table = race_table();
        for row in &self.rows {
            table.row(row.tone(), row.cells(self.assertion.is_some()));
        }
        document.gap().section("table").table(table);
        for (remark, names) in self.shared_remarks() {
            document.say(Tone::Plain, format!("{}: {remark}", names.join(", ")));
        }
        for part in rows
            .iter()
            .filter(|row| row.parts(&["doubled"]).next().is_some())
        {
            document.gap().append(part, &["doubled"]);
        }
        if !self.disagreement.is_empty() {
            document.gap().say(Tone::Bad, self.disagreement_text());
        }
        let assertion = self.assertion.as_ref();
        let assertion = assertion.map(|(index, text)| json!({ "index": index, "text": text }));
        document
            .fact("assertion", assertion)
            .fact("process", self.process.as_str())
            .fact("symmetry", used.map(SymmetrySummary::json))
            .fact("threads", threads)
            .fact("merging", false)
            .fact("rows", rows.iter().map(Document::json).collect::<Vec<_>>())
            .fact(
                "disagreement",
                (!self.disagreement.is_empty()).then(|| self.disagreement.clone()),
            );
        document
    }

    /// Remarks, each with the strategies that it is about.
    fn shared_remarks(&self) -> IndexMap<String, Vec<&'static str>> {
        let mut all: IndexMap<String, Vec<&str>> = IndexMap::default();
        for row in &self.rows {
            for remark in row.remarks() {
                all.entry(remark).or_default().push(row.strategy);
            }
        }
        all
    }

    /// The disagreement in a sentence that calls it a fault.
    #[must_use]
    pub fn disagreement_text(&self) -> String {
        let disagreement = &self.disagreement;
        format!("INTERNAL ERROR: the strategies disagree: {disagreement}")
    }
}
