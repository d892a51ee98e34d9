//! Fields and the sets declared for them: whether they fit, and what completes a dotted value.

use super::dots::{extend, suffix};
use super::sets::Sets;
use super::{Data, LazySet, Value, ValueError, ValueResult};

impl Sets<'_> {
    /// The first field of an event that is outside the set declared for it: its number from 0, the
    /// field and the set.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn misfit(&mut self, v: Value) -> ValueResult<Option<(usize, Value, Value)>> {
        let mut i = 0;
        while let Some((part, set)) = self.field_with_set(v, i) {
            if !self.contains(set, part)? {
                return Ok(Some((i, part, set)));
            }
            i += 1;
        }
        Ok(None)
    }

    /// A field by its number, the head being none, and the set that it has to be of; none if there is no such field, or
    /// the head takes no more.
    fn field_with_set(&self, v: Value, i: usize) -> Option<(Value, Value)> {
        let Data::Dot(parts) = self.values.data(v) else {
            return None;
        };
        let set = self.dotted().fields_of(parts[0]).get(i)?;
        Some((*parts.get(i + 1)?, *set))
    }

    /// [`Sets::misfit`] for the fields that are given, of a value that may lack others. A set that
    /// is still being declared is not asked.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn given_misfit(&mut self, v: Value) -> ValueResult<Option<(usize, Value, Value)>> {
        let mut i = 0;
        while let Some((part, set)) = self.field_with_set(v, i) {
            let declared = match self.values.data(set) {
                // A recursive datatype names itself in its own fields while its constructors are
                // evaluated. Until it is declared, it would seem to have no members at all.
                Data::Lazy(LazySet::Datatype(id)) => self.declared.datatype(*id).is_some(),
                _ => true,
            };
            if declared && self.dotted().is_complete(part) && !self.contains(set, part)? {
                return Ok(Some((i, part, set)));
            }
            i += 1;
        }
        Ok(None)
    }

    /// All complete extensions of a value, in order.
    ///
    /// # Errors
    /// If there are infinitely or too many.
    pub fn completions(&mut self, v: Value) -> ValueResult<Vec<Value>> {
        let sets = self.dotted().missing(v);
        // A field begun already may be held to less than what its constructor takes.
        let begun = self.dotted().is_begun(v);
        let mut all = vec![v];
        for set in sets {
            let elements = self.elements(set)?;
            // Before the product is built: the limit is there to save the memory.
            if all.len().saturating_mul(elements.len()) > self.limits.elements_max() {
                let what = self.values.lazy(LazySet::Productions([v].into()));
                return Err(ValueError::TooLarge(what));
            }
            let mut longer = Vec::with_capacity(all.len() * elements.len());
            for base in &all {
                for element in elements.iter() {
                    self.look()?;
                    longer.push(extend(self.values, self.declared, *base, *element));
                }
            }
            all = longer;
        }
        // Every field was taken from its declared set, so nothing is left to be checked.
        if self.declared.are_independent() && !begun {
            return Ok(all);
        }
        let mut fitting = Vec::with_capacity(all.len());
        for v in all {
            if (!begun || self.misfit(v)?.is_none()) && self.fits_jointly(v)? {
                fitting.push(v);
            }
        }
        Ok(fitting)
    }

    /// What completes a value when it is dotted after it.
    ///
    /// # Errors
    /// If there are too many that depend on each other.
    pub fn extensions(&mut self, v: Value) -> ValueResult<Value> {
        let missing = self.dotted().missing(v);
        // The product can stay unlisted only where the fields are independent of each other.
        // Otherwise what fits has to be found among the complete values.
        if !missing.is_empty() && self.declared.are_independent() && !self.dotted().is_begun(v) {
            let all = match *missing {
                [one] => one,
                _ => self.values.lazy(LazySet::Product(missing.into())),
            };
            return self.settle(all);
        }
        let whole = self.completions(v)?;
        let mut rest = Vec::with_capacity(whole.len());
        for longer in whole {
            self.look()?;
            rest.extend(suffix(self.values, v, longer));
        }
        self.of(rest)
    }

    /// Whether fields that depend on each other fit together.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn fits_jointly(&mut self, v: Value) -> ValueResult<bool> {
        if self.declared.are_independent() {
            return Ok(true);
        }
        let parts = self.dotted().parts(v);
        for joint in self.declared.joint(parts[0]) {
            let Some(fields) = parts.get(joint.start + 1..joint.start + 1 + joint.width) else {
                return Ok(false);
            };
            let together = self.values.dot(fields);
            if !self.contains(joint.set, together)? {
                return Ok(false);
            }
        }
        // Fields that are constructed values have joint fields of their own.
        for part in &parts[1..] {
            if matches!(self.values.data(*part), Data::Dot(_)) && !self.fits_jointly(*part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
