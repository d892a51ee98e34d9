//! What is proved of all sizes of a name, or why nothing is.

use serde_json::{Value, json};

use super::document::Tone;
use super::families::{FamilyRequest, SizeRow};
use super::outcome::Verdict;
use crate::check::families::{FamilySubject, UniformSubject, Unprovable};
use crate::script::sizes::SizedName;
use crate::source::SourceMap;

/// The theorems of the page `families`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// A failing trace of a part is one of the whole.
    Part,
    /// Nobody compares values.
    Uncompared,
    /// Only so many values are remembered.
    Remembered,
}

impl Theorem {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Part => "a part of the whole",
            Self::Uncompared => "nobody compares",
            Self::Remembered => "remembered values",
        }
    }
}

/// Something proved of all sizes from one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The verdict of this size, which was searched, is that of every larger one.
    pub from: usize,
    /// Whether the assertion holds at them.
    pub holds: bool,
    /// By which theorem.
    pub theorem: Theorem,
    /// The conditions that were decided.
    pub conditions: Vec<String>,
}

/// Why a theorem says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The theorem; nothing if no theorem applies.
    pub theorem: Option<Theorem>,
    /// The condition that does not hold.
    pub reason: Unprovable,
}

/// What is known of all sizes of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A proof was not asked for.
    NotAsked,
    /// It is proved.
    Proved(Proved),
    /// It is not proved, for these reasons.
    Unproved(Vec<Unproved>),
    /// A search contradicts what was proved: a fault of the program.
    Contradicted(Proved, usize),
}

/// Sizes that the theorem about remembered values may search beyond those that were asked for.
const REMEMBERED_MAX: usize = 8;

/// Whether the assertion holds at a size, if that was decided.
fn holds(row: &SizeRow) -> Option<bool> {
    match row.outcome.verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails => Some(false),
        Verdict::Approximate(_) | Verdict::Inconclusive(_) | Verdict::Error(_) => None,
    }
}

/// An attempt to prove something of a name, with the sizes that were searched.
pub(super) struct ProofAttempt<'a> {
    pub request: &'a FamilyRequest<'a>,
    pub name: &'a SizedName,
    /// From 1.
    pub number: usize,
    /// In ascending order; sizes that a proof needs are added.
    pub rows: Vec<SizeRow>,
}

impl ProofAttempt<'_> {
    /// Proves what it can. Returns the rows as well, with the sizes that the proof needed.
    pub fn run(mut self) -> (Proof, Vec<SizeRow>) {
        let budget = self.request.budget();
        let subject = FamilySubject {
            script: self.request.script,
            name: self.name,
            others: &[],
            assertion: self.number - 1,
            budget: &budget,
        };
        let proof = match subject.uniform() {
            Ok(uniform) => self.theorems(&uniform),
            Err(reason) => Proof::Unproved(vec![Unproved {
                theorem: None,
                reason,
            }]),
        };
        let proof = match proof {
            Proof::Proved(proved) => self.held_to(proved),
            other => other,
        };
        (proof, self.rows)
    }

    /// What was proved has to agree with every size that was searched.
    fn held_to(&self, proved: Proved) -> Proof {
        let larger = self.rows.iter().filter(|row| row.size >= proved.from);
        let differs = |row: &&SizeRow| holds(row).is_some_and(|holds| holds != proved.holds);
        match larger.clone().find(differs).map(|row| row.size) {
            Some(size) => Proof::Contradicted(proved, size),
            None => Proof::Proved(proved),
        }
    }

    fn theorems(&mut self, uniform: &UniformSubject<'_>) -> Proof {
        // Of a negated assertion, that it holds is what stays.
        let negated = self.request.written.script.assertions[self.number - 1].negated;
        let failing = self.rows.iter().find(|row| holds(row) == Some(negated));
        if let Some(row) = failing.filter(|_| uniform.keeps_failures()) {
            return Proof::Proved(Proved {
                from: row.size,
                holds: negated,
                theorem: Theorem::Part,
                conditions: vec![
                    "values are treated uniformly".to_owned(),
                    "the specification chooses no value that a trace does not show".to_owned(),
                ],
            });
        }
        let mut reasons = Vec::new();
        let mut missed = |theorem, reason| {
            reasons.push(Unproved {
                theorem: Some(theorem),
                reason,
            });
        };
        match self.uncompared(uniform) {
            Ok(proved) => return Proof::Proved(proved),
            Err(reason) => missed(Theorem::Uncompared, reason),
        }
        match self.remembered(uniform) {
            Ok(proved) => return Proof::Proved(proved),
            Err(reason) => missed(Theorem::Remembered, reason),
        }
        Proof::Unproved(reasons)
    }

    fn uncompared(&mut self, uniform: &UniformSubject<'_>) -> Result<Proved, Unprovable> {
        let enough = uniform.compares_nothing()?;
        let holds = self.decided_at(enough.size)?;
        let mut conditions = vec![
            "values are treated uniformly".to_owned(),
            "no two of them are compared, and no set of them is kept".to_owned(),
        ];
        conditions.extend(enough.conditions.iter().map(|c| (*c).to_owned()));
        Ok(Proved {
            from: enough.size,
            holds,
            theorem: Theorem::Uncompared,
            conditions,
        })
    }

    fn remembered(&mut self, uniform: &UniformSubject<'_>) -> Result<Proved, Unprovable> {
        let largest = (*self.request.sizes.end()).max(REMEMBERED_MAX);
        let mut size = uniform.step().max(1);
        loop {
            let found = uniform.remembered(size)?;
            if found.needed() <= size {
                let holds = self.decided_at(size)?;
                return Ok(Proved {
                    from: size,
                    holds,
                    theorem: Theorem::Remembered,
                    conditions: vec![
                        "values are treated uniformly".to_owned(),
                        format!(
                            "a state with the specification's holds at most {}, and a step brings at most {} more",
                            found.held, found.step
                        ),
                    ],
                });
            }
            if size >= largest {
                return Err(found.too_few(size));
            }
            size = found.needed().min(largest);
        }
    }

    /// The verdict at a size, which is searched if it was not.
    fn decided_at(&mut self, size: usize) -> Result<bool, Unprovable> {
        let at = match self.rows.binary_search_by_key(&size, |row| row.size) {
            Ok(at) => at,
            Err(at) => {
                let outcome = self.request.at(&[(self.name, size)], self.number);
                self.rows.insert(at, SizeRow { size, outcome });
                at
            }
        };
        holds(&self.rows[at]).ok_or_else(|| Unprovable {
            why: format!("size {size}, which is needed, is not decided"),
            span: None,
        })
    }
}

impl Proof {
    /// The row of the table, if something is proved.
    pub(super) fn row(&self) -> Option<(Tone, Vec<String>)> {
        let Self::Proved(proved) = self else {
            return None;
        };
        let (tone, verdict) = match proved.holds {
            true => (Tone::Good, "holds"),
            false => (Tone::Bad, "fails"),
        };
        let how = format!("PROVED: {}", proved.theorem.name());
        let sizes = format!("{} and more", proved.from + 1);
        let empty = String::new;
        let cells = vec![
            empty(),
            sizes,
            verdict.to_owned(),
            empty(),
            empty(),
            empty(),
            how,
        ];
        Some((tone, cells))
    }

    /// Sentences below the table.
    pub(super) fn sentences(&self, name: &str, sources: &SourceMap) -> Vec<String> {
        match self {
            Self::NotAsked => Vec::new(),
            Self::Proved(proved) => vec![format!(
                "{name}, {} and more: PROVED by \"{}\" (orbitscope help families), as {}; size {} was searched",
                proved.from + 1,
                proved.theorem.name(),
                proved.conditions.join(", and "),
                proved.from
            )],
            Self::Unproved(reasons) => {
                let each = reasons.iter().map(|unproved| {
                    let theorem = unproved.theorem;
                    let theorem = theorem.map_or(String::new(), |t| format!("\"{}\": ", t.name()));
                    format!("{theorem}{}", shown(&unproved.reason, sources))
                });
                let each: Vec<String> = each.collect();
                vec![format!(
                    "{name}: checked at these sizes. Of others nothing is said. {}",
                    each.join("; ")
                )]
            }
            Self::Contradicted(proved, size) => vec![format!(
                "{name}: internal error: \"{}\" contradicts the search at size {size}; please report this with the script",
                proved.theorem.name()
            )],
        }
    }

    /// What is proved, or why not, as JSON.
    pub(super) fn json(&self, sources: &SourceMap) -> Value {
        let told = |proved: &Proved| {
            json!({
                "theorem": proved.theorem.name(),
                "from": proved.from,
                "status": if proved.holds { "pass" } else { "fail" },
                "conditions": proved.conditions,
            })
        };
        match self {
            Self::NotAsked => Value::Null,
            Self::Proved(proved) => json!({ "proved": told(proved) }),
            Self::Unproved(reasons) => {
                let each = reasons.iter().map(|unproved| {
                    json!({
                        "theorem": unproved.theorem.map(Theorem::name),
                        "reason": unproved.reason.why,
                        "place": unproved.reason.span.map(|span| sources.place(span)),
                    })
                });
                json!({ "unproved": each.collect::<Vec<_>>() })
            }
            Self::Contradicted(proved, size) => {
                json!({ "contradicted": told(proved), "by_size": size })
            }
        }
    }
}

fn shown(reason: &Unprovable, sources: &SourceMap) -> String {
    match reason.span {
        Some(span) => format!("{}, at {}", reason.why, sources.place(span)),
        None => reason.why.clone(),
    }
}
