//! Fields and the sets declared for them: whether they fit, and what completes a dotted value.

use super::dots::{extend, is_extension, suffix};
use super::sets::Sets;
use super::{Data, LazySet, Value, ValueError, ValueResult};

/// A dotted value that its channel or constructor is not declared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A field that is outside its set.
    Field {
        /// The dotted value.
        of: Value,
        /// The number of the field, from 0.
        field: usize,
        /// The field.
        part: Value,
        /// The set that is declared for it.
        set: Value,
    },
    /// It has more fields than are declared.
    TooMany {
        /// The dotted value.
        of: Value,
    },
}

impl Misfit {
    fn field(of: Value, field: usize, part: Value, set: Value) -> Self {
        Self::Field {
            of,
            field,
            part,
            set,
        }
    }
}

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

    /// The first field that `longer` adds to `event` and that is outside the set declared for it, or, where `longer`
    /// lacks fields, that nothing can complete to an element of that set.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn added_misfit(&mut self, event: Value, longer: Value) -> ValueResult<Option<Misfit>> {
        let Data::Dot(parts) = self.values.data(longer).clone() else {
            return Ok(None);
        };
        // A field that was begun changes, too.
        let begun = usize::from(self.dotted().is_begun(event));
        let before = self.dotted().parts(event);
        for field in before.len() - 1 - begun..parts.len() - 1 {
            let part = parts[field + 1];
            let Some(&set) = self.dotted().fields_of(parts[0]).get(field) else {
                let of = longer;
                return Ok(Some(Misfit::TooMany { of }));
            };
            if self.dotted().is_complete(part) {
                if !self.contains(set, part)? {
                    return Ok(Some(Misfit::field(longer, field, part, set)));
                }
                continue;
            }
            let start = match before.get(field + 1) {
                Some(start) => *start,
                None => self.dotted().parts(part)[0],
            };
            if let Some(inner) = self.added_misfit(start, part)? {
                return Ok(Some(inner));
            }
            if !self.can_become_element(part, set)? {
                return Ok(Some(Misfit::field(longer, field, part, set)));
            }
        }
        self.joint_misfit(before.len() - 1 - begun, longer)
    }

    /// Whether some element of a set extends a constructor that lacks fields. True where the set has too many to look.
    fn can_become_element(&mut self, part: Value, set: Value) -> ValueResult<bool> {
        if matches!(self.values.data(set), Data::Lazy(LazySet::Datatype(_))) {
            let first = self.dotted().parts(part)[0];
            return Ok(self.declares(set, first));
        }
        let elements = match self.elements(set) {
            Err(ValueError::Infinite(_) | ValueError::TooLarge(_)) => return Ok(true),
            elements => elements?,
        };
        for element in elements.iter() {
            self.look()?;
            if is_extension(self.values, part, *element) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a datatype or subtype has a constructor.
    fn declares(&self, set: Value, ctor: Value) -> bool {
        let (Data::Lazy(LazySet::Datatype(id)), Data::Ctor(ctor)) =
            (self.values.data(set), self.values.data(ctor))
        else {
            return false;
        };
        let clauses = self.declared.datatype(*id);
        clauses.is_none_or(|clauses| clauses.iter().any(|(declared, _)| declared == ctor))
    }

    /// The first fields that depend on each other, are all there, are not all among the first `known` ones, and do not fit
    /// together.
    fn joint_misfit(&mut self, known: usize, v: Value) -> ValueResult<Option<Misfit>> {
        if self.declared.are_independent() {
            return Ok(None);
        }
        let parts = self.dotted().parts(v);
        for joint in self.declared.joint(parts[0]).to_vec() {
            let end = joint.start + joint.width;
            let Some(fields) = parts.get(joint.start + 1..end + 1) else {
                continue;
            };
            let whole = fields.iter().all(|part| self.dotted().is_complete(*part));
            if end <= known || !whole {
                continue;
            }
            let together = self.values.dot(fields);
            if !self.contains(joint.set, together)? {
                let misfit = Misfit::field(v, joint.start, together, joint.set);
                return Ok(Some(misfit));
            }
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

    /// The completions of a value: what can be dotted after it.
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
