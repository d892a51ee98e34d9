//! What holds of an assertion at every size of a datatype, from its text and its compiled networks.
//!
//! The theorems are stated in the manual, page `families`. Each function decides all conditions of one of them; what it
//! cannot decide is an [`Unprovable`], and then nothing is proved.

mod mapped;
mod remembered;
mod sides;
mod together;
mod unprovable;
mod writers;

use mapped::{ComparedAtNodes, follows_maps, held_by_nodes};
use sides::FamilySides;
pub use together::{EnoughData, FamilyWithData};
use unprovable::limit;
pub use unprovable::{Decided, Unprovable};

use crate::script::core::{AssertionKind, Expr, Model, Property, TypeId};
use crate::script::load::Loaded;
use crate::script::sizes::{SizeKind, SizedName, SizedScript};
use crate::script::symmetric::{self, Trust};
use crate::script::uniform::{Uniform, uniform};
use crate::source::{Bounds, Budget};

/// That a size is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enough {
    /// From this size on the verdict is the same.
    pub size: usize,
    /// The conditions that the kind of assertion needed, in words.
    pub conditions: Vec<&'static str>,
    /// The number of values with which the specification was compared, if there is one.
    pub of_specification: Option<usize>,
}

/// What is remembered at a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The most values that a reachable pair holds.
    pub held: usize,
    /// The most values that a step can introduce.
    pub step: usize,
}

impl Remembered {
    /// The size that is needed.
    #[must_use]
    pub fn needed(self) -> usize {
        (self.held + self.step).max(1)
    }

    /// The reason where a size is too small.
    #[must_use]
    pub fn too_few(self, size: usize) -> Unprovable {
        let Self { held, step } = self;
        let needed = held + step;
        Unprovable::nowhere(format!(
            "at size {size} a state holds {held} values, and a step can bring {step} more: at least {needed} are needed"
        ))
    }
}

/// The questions that the theorems are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FamilyQuestion {
    /// Refinement in T, F or FD.
    Refinement(Model),
    /// Deadlock.
    Deadlock,
    /// Divergence.
    Divergence,
}

/// An assertion of which something is to be proved for all sizes of a name.
pub struct FamilySubject<'a> {
    /// The script.
    pub script: &'a SizedScript,
    /// The name.
    pub name: &'a SizedName,
    /// Other names that have a size which is not the one that is written.
    pub others: &'a [(&'a SizedName, usize)],
    /// The place of the assertion, from 0.
    pub assertion: usize,
    /// Limits of the work.
    pub budget: &'a Budget,
}

/// An assertion that treats the values of a datatype uniformly.
pub struct UniformSubject<'a> {
    subject: &'a FamilySubject<'a>,
    question: FamilyQuestion,
    /// Of the specification and the implementation, or of the process alone.
    sides: Vec<Uniform>,
}

impl<'a> FamilySubject<'a> {
    fn at(&self, size: usize) -> Decided<Loaded> {
        let bounds = Bounds::new(&self.budget.limits, &self.budget.cancel);
        let mut sizes = vec![(self.name, size)];
        sizes.extend(self.others);
        let loaded = self.script.at(&sizes, &bounds);
        if let Some((stop, _)) = bounds.stopped() {
            return Err(limit(stop));
        }
        match loaded.in_the_way(&loaded.script.assertions[self.assertion]) {
            Some(error) => Err(Box::new(error).into()),
            None => Ok(loaded),
        }
    }

    fn datatype(&self, loaded: &Loaded) -> Option<TypeId> {
        let mut types = loaded.script.types.iter();
        let at = types.position(|t| t.span == self.name.span)?;
        Some(TypeId(at as u32))
    }

    /// Decides whether instances with fewer values are parts of larger ones, for a question that theorems are about.
    ///
    /// # Errors
    /// The first obstacle.
    pub fn uniform(&'a self) -> Decided<UniformSubject<'a>> {
        let name = self.name;
        match &name.kind {
            SizeKind::Number => {
                let why = "a number can be computed with: only sizes that were checked are known";
                return Err(Unprovable::at(name.span, why));
            }
            SizeKind::Datatype { is_part: true, .. } => {
                let why = "some of its values are named, so it is not the same in all of them";
                return Err(Unprovable::at(name.span, why));
            }
            SizeKind::Datatype { .. } | SizeKind::Set => {}
        }
        let loaded = self.at(2)?;
        let script = &loaded.script;
        let assertion = &script.assertions[self.assertion];
        let question = question_of(&assertion.kind);
        let Some(question) = question.filter(|_| assertion.tau_priority.is_none()) else {
            let why = "no theorem here is about this kind of assertion";
            return Err(Unprovable::at(assertion.span, why));
        };
        let Some(datatype) = self.datatype(&loaded) else {
            return Err(Unprovable::at(name.span, "it is no datatype"));
        };
        if script.types[datatype.0 as usize]
            .clauses
            .iter()
            .any(|(_, fields)| fields.is_some())
        {
            return Err(Unprovable::at(name.span, "some of its values have fields"));
        }
        let types = symmetric::of_assertion(script, &loaded.types, assertion, Trust::Nothing);
        let found = types.iter().find(|t| t.datatype == datatype);
        let all = script.types[datatype.0 as usize].clauses.len();
        if found.is_none_or(|t| t.members.len() != all || !t.told_apart().is_empty()) {
            let told = found.and_then(|t| t.told_apart().first());
            let named = found.and_then(|t| t.named().next().map(|(_, reason)| reason));
            return Err(match told.or(named) {
                Some(reason) => {
                    Unprovable::at(reason.span, format!("its values are {}", reason.why))
                }
                None => Unprovable::at(name.span, "its values are not interchangeable"),
            });
        }
        let sides = sides_of(&assertion.kind);
        let sides: Vec<Uniform> = sides
            .iter()
            .map(|side| uniform(script, &loaded.types, datatype, &[*side]))
            .collect();
        if let Some(obstacle) = sides.iter().flat_map(|s| &s.obstacles).next() {
            return Err(obstacle.into());
        }
        Ok(UniformSubject {
            subject: self,
            question,
            sides,
        })
    }
}

fn question_of(kind: &AssertionKind) -> Option<FamilyQuestion> {
    match kind {
        AssertionKind::Refinement { model, .. } => match model {
            Model::Traces | Model::Failures | Model::FailuresDivergences => {
                Some(FamilyQuestion::Refinement(*model))
            }
            _ => None,
        },
        AssertionKind::Property {
            property, model, ..
        } if model.is_none_or(|m| !m.is_of_refinement_alone()) => match property {
            Property::DeadlockFree => Some(FamilyQuestion::Deadlock),
            Property::DivergenceFree => Some(FamilyQuestion::Divergence),
            Property::Deterministic => None,
        },
        _ => None,
    }
}

/// The processes of an assertion, the specification first.
fn sides_of(kind: &AssertionKind) -> Vec<&Expr> {
    match kind {
        AssertionKind::Refinement { spec, imp, .. } => vec![spec, imp],
        AssertionKind::Property { process, .. } => vec![process],
        AssertionKind::HasTrace { .. } | AssertionKind::Symmetric { .. } => Vec::new(),
    }
}

impl UniformSubject<'_> {
    /// Whether a specification introduces no values that a trace does not show: then after a trace it is in the same
    /// states, however many values there are.
    fn shows_all(&self) -> Decided<()> {
        if !matches!(self.question, FamilyQuestion::Refinement(_)) {
            return Ok(());
        }
        match self.sides[0].unseen.first() {
            Some(obstacle) => Err(Unprovable::at(
                obstacle.span,
                format!("in the specification {}", obstacle.why),
            )),
            None => Ok(()),
        }
    }

    /// Whether a failure at a size is one at every larger size: a trace of the part is one of the whole, and the
    /// specification is in the same states after it.
    #[must_use]
    pub fn keeps_failures(&self) -> bool {
        self.question == FamilyQuestion::Refinement(Model::Traces) && self.shows_all().is_ok()
    }

    /// Decides whether nobody compares values (Theorem B), and which size is enough.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn compares_nothing(&self) -> Decided<Enough> {
        let FamilySubject {
            script,
            name,
            assertion,
            budget,
            ..
        } = self.subject;
        let bounds = Bounds::new(&budget.limits, &budget.cancel);
        if let Some(found) = script.comparison(name, *assertion, &bounds) {
            return Err(match (found.stop(), found.span) {
                (Some(stop), _) => limit(stop),
                (None, Some(span)) => Unprovable::at(span, "values are compared, or kept in a set"),
                (None, None) => Unprovable::nowhere(found.message),
            });
        }
        if let Some(obstacle) = self.sides.iter().flat_map(|s| &s.tells_apart).next() {
            return Err(obstacle.into());
        }
        self.shows_all()?;
        let mut conditions = Vec::new();
        let needs_writer = match self.question {
            FamilyQuestion::Divergence | FamilyQuestion::Refinement(Model::Traces) => false,
            FamilyQuestion::Deadlock | FamilyQuestion::Refinement(_) => true,
        };
        if needs_writer {
            self.one_writer()?;
            conditions.push("at most one process writes each value of an event");
        }
        let (mut size, mut of_specification) = (1, None);
        if let FamilyQuestion::Refinement(model) = self.question {
            let (with, writes_nothing) = self.follows_maps(model)?;
            of_specification = Some(with);
            conditions.push("the specification follows every map of values");
            if writes_nothing && model == Model::Traces {
                conditions.push("it writes none itself");
            } else {
                size = 2;
            }
        }
        Ok(Enough {
            size,
            conditions,
            of_specification,
        })
    }

    /// That at most one process writes each value of an event, decided on the network of two values.
    fn one_writer(&self) -> Decided<()> {
        let implementation = self.sides.last();
        if let Some(obstacle) = implementation.and_then(|s| s.relabels.first()) {
            return Err(obstacle.into());
        }
        let loaded = self.subject.at(2)?;
        let kind = &loaded.script.assertions[self.subject.assertion].kind;
        let exprs = sides_of(kind);
        let exprs = &exprs[exprs.len() - 1..];
        let mut sides = self.compiled(&loaded, exprs, false)?;
        writers::one_writer(&mut sides)
    }

    /// Norm, decided on the specification with as many values as its nodes hold and an event adds. Returns that number,
    /// and whether the specification writes no value.
    fn follows_maps(&self, model: Model) -> Decided<(usize, bool)> {
        let step = self.sides[0].of_event;
        let mut size = (step + 1).max(2);
        loop {
            let loaded = self.subject.at(size)?;
            let kind = &loaded.script.assertions[self.subject.assertion].kind;
            let exprs = &sides_of(kind)[..1];
            let mut sides = self.compiled(&loaded, exprs, false)?;
            let held = held_by_nodes(&mut sides)?;
            if held + step <= size {
                let compared = ComparedAtNodes {
                    acceptances: model != Model::Traces,
                    divergence: model == Model::FailuresDivergences,
                };
                return Ok((size, follows_maps(&mut sides, compared)?));
            }
            if size == SPECIFICATION_MAX {
                return Err(Unprovable::nowhere(format!(
                    "the specification remembers {held} values or more"
                )));
            }
            size = (held + step).min(SPECIFICATION_MAX);
        }
    }

    /// The most values that a step can introduce.
    #[must_use]
    pub fn step(&self) -> usize {
        let each = self.sides.iter().map(|s| s.of_event.max(s.of_choice));
        each.max().unwrap_or(0)
    }

    /// What is remembered at a size (Theorem A).
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn remembered(&self, size: usize) -> Decided<Remembered> {
        self.shows_all()?;
        for side in &self.sides {
            let renamed = side.relabels.first();
            if let Some(obstacle) = side.hidden_choices.first().or(renamed) {
                return Err(obstacle.into());
            }
        }
        let step = self.step();
        let loaded = self.subject.at(size)?;
        let kind = &loaded.script.assertions[self.subject.assertion].kind;
        let exprs = sides_of(kind);
        // Other symmetric datatypes make the search smaller, if they can be used.
        let held = self
            .compiled(&loaded, &exprs, true)
            .and_then(|mut sides| remembered::remembered(&mut sides));
        let held = match held {
            Ok(held) => held,
            Err(_) => remembered::remembered(&mut self.compiled(&loaded, &exprs, false)?)?,
        };
        Ok(Remembered { held, step })
    }

    fn compiled<'b>(
        &'b self,
        loaded: &Loaded,
        exprs: &[&Expr],
        with_others: bool,
    ) -> Decided<FamilySides<'b>> {
        let Some(datatype) = self.subject.datatype(loaded) else {
            return Err(Unprovable::nowhere("it is no datatype"));
        };
        FamilySides::new(loaded, exprs, datatype, with_others, self.subject.budget)
    }
}

/// The largest size at which a specification is looked at.
const SPECIFICATION_MAX: usize = 8;
