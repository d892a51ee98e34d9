//! Data that nobody compares, beside a family of any number of components.
//!
//! Theorem B is about one number of components. All of its conditions for `[T=` but one are about the text, which is the
//! same for every number. That the specification follows maps is decided on its graph, where events may mention
//! components: here it is shown that one number of them is enough for that.
//!
//! Let the specification be uniform in the components, and show them all in its traces. At n components let a node hold
//! at most h of them, and a step bring at most l more, and let 2h + l ≤ n. Then it follows maps at every number if it
//! does so at n. *Proof.* What is compared is a node and the node after the mapped trace, for the events of one shape:
//! these mention at most 2h + l components. A smaller number is a part. For a larger one, take a run of such pairs.
//! By induction each is the image of one at n under a permutation of components: a step brings at most l others than
//! the 2h that the pair holds, and a permutation takes all of these into n; by uniformity the image is a step at n. So
//! each pair at the larger number is compared at n, and with as many data, as nodes hold no more of them either. ∎

use super::mapped::held_by_nodes;
use super::sides::FamilySides;
use super::unprovable::{Decided, Unprovable};
use super::{FamilyQuestion, FamilySubject, Remembered, SPECIFICATION_MAX, sides_of};
use crate::script::core::Model;
use crate::script::sizes::{SizedName, SizedScript};
use crate::script::uniform::uniform;
use crate::source::Budget;

/// A refinement in traces with a family of components and with data.
pub struct FamilyWithData<'a> {
    /// The script.
    pub script: &'a SizedScript,
    /// The name of the components. That the assertion is uniform in it but for families of the implementation, has to
    /// be known ([`coverability`](crate::check::coverability)).
    pub components: &'a SizedName,
    /// The name of the data.
    pub data: &'a SizedName,
    /// The place of the assertion, from 0.
    pub assertion: usize,
    /// Limits of the work.
    pub budget: &'a Budget,
}

/// That a number of data is enough for each number of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnoughData {
    /// From this number of data on the verdict is the same, at each number of components.
    pub size: usize,
    /// The number of components with which the specification was compared.
    pub components: usize,
}

impl FamilyWithData<'_> {
    /// Decides whether nobody compares data (Theorem B), at every number of components.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn compares_nothing(&self) -> Decided<EnoughData> {
        let mut components = 1;
        loop {
            let (enough, of_specification) = self.compares_nothing_at(components)?;
            let others = [(self.data, of_specification)];
            let needed = self
                .subject(self.components, &others)
                .in_specification(components)?;
            let needed = needed.held * 2 + needed.step;
            if needed <= components {
                return Ok(EnoughData {
                    size: enough,
                    components,
                });
            }
            if components == SPECIFICATION_MAX {
                return Err(Unprovable::nowhere(format!(
                    "the specification would have to be compared at more than {SPECIFICATION_MAX} values of `{}`",
                    self.components.name
                )));
            }
            components = needed.min(SPECIFICATION_MAX);
        }
    }

    /// Theorem B at one number of components: how many data are enough, and with how many the specification was compared.
    fn compares_nothing_at(&self, components: usize) -> Decided<(usize, usize)> {
        let others = [(self.components, components)];
        let subject = self.subject(self.data, &others);
        let uniform = subject.uniform()?;
        let enough = match uniform.question {
            FamilyQuestion::Refinement(Model::Traces) => uniform.compares_nothing()?,
            _ => return Err(Unprovable::nowhere("it is no refinement in traces")),
        };
        let of_specification = enough.of_specification;
        let none = || Unprovable::nowhere("there is no specification");
        Ok((enough.size, of_specification.ok_or_else(none)?))
    }

    fn subject<'b>(
        &'b self,
        name: &'b SizedName,
        others: &'b [(&'b SizedName, usize)],
    ) -> FamilySubject<'b> {
        FamilySubject {
            script: self.script,
            name,
            others,
            assertion: self.assertion,
            budget: self.budget,
        }
    }
}

impl FamilySubject<'_> {
    /// The most values that a node of the specification holds at a size, and the most that a step of it brings, where
    /// its traces show all.
    fn in_specification(&self, size: usize) -> Decided<Remembered> {
        let loaded = self.at(size)?;
        let script = &loaded.script;
        let specification = &sides_of(&script.assertions[self.assertion].kind)[..1];
        let Some(datatype) = self.datatype(&loaded) else {
            return Err(Unprovable::at(self.name.span, "it is no datatype"));
        };
        let text = uniform(script, &loaded.types, datatype, specification);
        if let Some(obstacle) = text.obstacles.iter().chain(&text.unseen).next() {
            let why = format!("in the specification {}", obstacle.why);
            return Err(Unprovable::at(obstacle.span, why));
        }
        let mut sides = FamilySides::new(&loaded, specification, datatype, false, self.budget)?;
        Ok(Remembered {
            held: held_by_nodes(&mut sides)?,
            step: text.of_event.max(text.of_choice),
        })
    }
}
