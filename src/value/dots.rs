//! Dotted values: constructed data, events, and their completion field by field.

use super::{Data, LazySet, Store, Value, ValueError, ValueResult};
use crate::script::core::ChannelId;

impl Store {
    /// How many fields a constructor or channel takes; 0 for any other value.
    #[must_use]
    pub fn arity(&self, head: Value) -> usize {
        self.fields_of(head).len()
    }

    fn fields_of(&self, head: Value) -> &[Value] {
        let fields = match self.data(head) {
            Data::Ctor(id) => self.signature().ctor(*id),
            Data::Channel(id) => self.signature().channel(*id),
            _ => None,
        };
        fields.map_or(&[], |f| f)
    }

    /// The parts of a dotted value; any other value is its own only part.
    #[must_use]
    pub fn parts(&self, v: Value) -> Vec<Value> {
        match self.data(v) {
            Data::Dot(parts) => parts.to_vec(),
            _ => vec![v],
        }
    }

    /// The channel at the head of an event or partial event.
    #[must_use]
    pub fn channel_of(&self, v: Value) -> Option<ChannelId> {
        match self.data(v) {
            Data::Channel(id) => Some(*id),
            Data::Dot(parts) => match self.data(parts[0]) {
                Data::Channel(id) => Some(*id),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is a constructor or channel that takes fields, with or without some of them.
    fn is_constructed(&self, v: Value) -> bool {
        match self.data(v) {
            Data::Dot(parts) => self.arity(parts[0]) > 0,
            _ => self.arity(v) > 0,
        }
    }

    /// The field sets that a constructor, channel or event still lacks, in order: first those of an
    /// incomplete last field. Empty for every other value.
    #[must_use]
    pub fn missing(&self, v: Value) -> Vec<Value> {
        let Data::Dot(parts) = self.data(v) else {
            return self.fields_of(v).to_vec();
        };
        let last = parts[parts.len() - 1];
        // The last part may be a constructor that is still being filled: `c.Pair.1` lacks the
        // second field of `Pair` before it lacks the second field of `c`.
        let mut missing = self.missing(last);
        // The head is no field.
        let given = parts.len() - 1;
        missing.extend(self.fields_of(parts[0]).iter().skip(given));
        missing
    }

    /// How many fields are lacking altogether: not those of a field that is begun.
    fn own_missing(&self, v: Value) -> usize {
        match self.data(v) {
            // The head counts as a part, hence the 1. A value may have more parts than its head
            // takes fields (a plain number dotted on has arity 0), so the difference is cut at 0.
            Data::Dot(parts) => (self.arity(parts[0]) + 1).saturating_sub(parts.len()),
            _ => self.arity(v),
        }
    }

    /// Whether its last field is begun and lacks fields of its own.
    #[must_use]
    pub fn is_begun(&self, v: Value) -> bool {
        self.missing(v).len() > self.own_missing(v)
    }

    /// Whether nothing can be appended to it.
    #[must_use]
    pub fn is_complete(&self, v: Value) -> bool {
        self.missing(v).is_empty()
    }

    /// Whether it is an event with all its fields.
    #[must_use]
    pub fn is_event(&self, v: Value) -> bool {
        self.channel_of(v).is_some() && self.is_complete(v)
    }

    /// `a.b`. If the last field of `a` is a constructor that lacks fields, `b` goes into it;
    /// otherwise it is appended.
    pub fn extend(&mut self, a: Value, b: Value) -> Value {
        if let Data::Dot(parts) = self.data(b)
            && !self.is_constructed(b)
        {
            let parts = parts.clone();
            // A dot that is not constructed has no meaning as a whole: `c.(1.2)` is `c.1.2`, and
            // each part goes where it belongs. A constructed one below stays a single field.
            return parts.iter().fold(a, |dot, part| self.extend(dot, *part));
        }
        let mut parts = self.parts(a);
        let last = parts[parts.len() - 1];
        if parts.len() > 1 && !self.missing(last).is_empty() {
            // The open field takes what comes, however deep: `extend` finds the innermost one.
            let filled = self.extend(last, b);
            let end = parts.len() - 1;
            parts[end] = filled;
            return self.dot(parts);
        }
        // A complete constructed value is one part of whatever it is dotted into.
        let full = parts.len() > 1 && parts.len() > self.arity(parts[0]);
        if full && self.is_constructed(a) {
            return self.dot(vec![a, b]);
        }
        parts.push(b);
        self.dot(parts)
    }

    /// What `prefix.…` may stand for: whether `v` extends `prefix`.
    #[must_use]
    pub fn is_extension(&self, prefix: Value, v: Value) -> bool {
        if prefix == v {
            return true;
        }
        let Data::Dot(whole) = self.data(v) else {
            return false;
        };
        let Data::Dot(start) = self.data(prefix) else {
            return whole[0] == prefix;
        };
        let last = start.len() - 1;
        // All parts but the last must be the same. The last of the prefix may be a constructor that
        // is filled further in `v`, so it is asked in its turn.
        start.len() <= whole.len()
            && start[..last] == whole[..last]
            && self.is_extension(start[last], whole[last])
    }

    /// The part of `v` that follows `prefix`, if `v` extends it: one value, or a dotted one.
    pub fn suffix(&mut self, prefix: Value, v: Value) -> Option<Value> {
        let rest = self.suffix_parts(prefix, v)?;
        if rest.is_empty() {
            None
        } else {
            Some(self.dot(rest))
        }
    }

    fn suffix_parts(&self, prefix: Value, v: Value) -> Option<Vec<Value>> {
        if prefix == v {
            return Some(Vec::new());
        }
        let Data::Dot(whole) = self.data(v) else {
            return None;
        };
        let Data::Dot(start) = self.data(prefix) else {
            return (whole[0] == prefix).then(|| whole[1..].to_vec());
        };
        let last = start.len() - 1;
        if start.len() > whole.len() || start[..last] != whole[..last] {
            return None;
        }
        // First what completes the begun field, then the fields behind it: the order of `missing`.
        let mut rest = self.suffix_parts(start[last], whole[last])?;
        rest.extend(&whole[start.len()..]);
        Some(rest)
    }

    /// The first field of an event that is outside the set declared for it: its number from 0, the
    /// field and the set.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn misfit(&mut self, v: Value) -> ValueResult<Option<(usize, Value, Value)>> {
        let Data::Dot(parts) = self.data(v) else {
            return Ok(None);
        };
        let parts = parts.clone();
        let sets = self.fields_of(parts[0]).to_vec();
        // `zip` ends with the shorter: fields that are not given are not judged.
        for (i, (part, set)) in parts[1..].iter().zip(&sets).enumerate() {
            if !self.contains(*set, *part)? {
                return Ok(Some((i, *part, *set)));
            }
        }
        Ok(None)
    }

    /// [`Store::misfit`] for the fields that are given, of a value that may lack others. A set that
    /// is still being declared is not asked.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn given_misfit(&mut self, v: Value) -> ValueResult<Option<(usize, Value, Value)>> {
        let Data::Dot(parts) = self.data(v) else {
            return Ok(None);
        };
        let parts = parts.clone();
        let sets = self.fields_of(parts[0]).to_vec();
        for (i, (part, set)) in parts[1..].iter().zip(&sets).enumerate() {
            let declared = match self.data(*set) {
                // A recursive datatype names itself in its own fields while its constructors are
                // evaluated. Until it is declared, it would seem to have no members at all.
                Data::Lazy(LazySet::Datatype(id)) => self.signature().datatype(*id).is_some(),
                _ => true,
            };
            if declared && self.is_complete(*part) && !self.contains(*set, *part)? {
                return Ok(Some((i, *part, *set)));
            }
        }
        Ok(None)
    }

    /// All complete extensions of a value, in order.
    ///
    /// # Errors
    /// If there are infinitely or too many.
    pub fn completions(&mut self, v: Value) -> ValueResult<Vec<Value>> {
        let sets = self.missing(v);
        // A field begun already may be held to less than what its constructor takes.
        let begun = self.is_begun(v);
        let mut all = vec![v];
        for set in sets {
            let elements = self.elements(set)?;
            // Before the product is built: the limit is there to save the memory.
            if all.len().saturating_mul(elements.len()) > self.limits.elements_max {
                let what = self.lazy(LazySet::Productions([v].into()));
                return Err(ValueError::TooLarge(what));
            }
            let mut longer = Vec::with_capacity(all.len() * elements.len());
            for base in &all {
                for element in elements.iter() {
                    self.look()?;
                    longer.push(self.extend(*base, *element));
                }
            }
            all = longer;
        }
        // Every field was taken from its declared set, so nothing is left to be checked.
        if self.joint.is_empty() && !begun {
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
        let missing = self.missing(v);
        // The product can stay unlisted only where the fields are independent of each other.
        // Otherwise what fits has to be found among the complete values.
        if !missing.is_empty() && self.joint.is_empty() && !self.is_begun(v) {
            let all = match *missing {
                [one] => one,
                _ => self.lazy(LazySet::Product(missing.into())),
            };
            return self.settle_set(all);
        }
        let whole = self.completions(v)?;
        let mut rest = Vec::with_capacity(whole.len());
        for longer in whole {
            self.look()?;
            rest.extend(self.suffix(v, longer));
        }
        self.set_of(rest)
    }

    /// Whether fields that depend on each other fit together.
    ///
    /// # Errors
    /// If a membership cannot be decided.
    pub fn fits_jointly(&mut self, v: Value) -> ValueResult<bool> {
        if self.joint.is_empty() {
            return Ok(true);
        }
        let parts = self.parts(v);
        for joint in self.joint.get(&parts[0]).cloned().unwrap_or_default() {
            let Some(fields) = parts.get(joint.start + 1..joint.start + 1 + joint.width) else {
                return Ok(false);
            };
            let together = self.dot(fields);
            if !self.contains(joint.set, together)? {
                return Ok(false);
            }
        }
        // Fields that are constructed values have joint fields of their own.
        for part in &parts[1..] {
            if matches!(self.data(*part), Data::Dot(_)) && !self.fits_jointly(*part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The columns of a finite set whose elements are dotted values that are not constructed, if it
    /// is one: the sets of their first, second, … parts.
    pub fn columns(&mut self, set: Value) -> Option<Vec<Value>> {
        let Data::Set(items) = self.data(set) else {
            return None;
        };
        let items = items.clone();
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for item in items.iter() {
            let Data::Dot(parts) = self.data(*item) else {
                return None;
            };
            // A constructed element is a single field, and columns of different length would not be
            // columns.
            if self.is_constructed(*item) || !(columns.is_empty() || columns.len() == parts.len()) {
                return None;
            }
            columns.resize(parts.len(), Vec::new());
            for (column, part) in columns.iter_mut().zip(parts) {
                column.push(*part);
            }
        }
        let columns: Vec<Value> = columns.into_iter().map(|c| self.set(c)).collect();
        (!columns.is_empty()).then_some(columns)
    }

    /// Reads a value as a set: sets are sets, a dotted value of sets is their product, a tuple of
    /// sets is the set of tuples (as in channel declarations and `?x:A.B`).
    pub fn as_set(&mut self, v: Value) -> Option<Value> {
        match self.data(v).clone() {
            Data::Set(_) | Data::Lazy(_) => Some(v),
            Data::Dot(parts) => {
                let sets = self.all_sets(&parts)?;
                // A product within a product is flattened: dots are associative, and one form makes
                // equal products equal handles.
                let factors = sets.iter().flat_map(|s| self.factors(*s)).collect();
                Some(self.lazy(LazySet::Product(factors)))
            }
            Data::Tuple(parts) => {
                let sets = self.all_sets(&parts)?;
                Some(self.lazy(LazySet::Tuples(sets.into())))
            }
            _ => None,
        }
    }

    fn all_sets(&mut self, parts: &[Value]) -> Option<Vec<Value>> {
        parts.iter().map(|p| self.as_set(*p)).collect()
    }

    /// The sets that a product is made of; any other set is its own only factor.
    #[must_use]
    pub fn factors(&self, set: Value) -> Vec<Value> {
        match self.data(set) {
            Data::Lazy(LazySet::Product(sets)) => sets.to_vec(),
            _ => vec![set],
        }
    }
}
