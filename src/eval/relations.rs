//! The built-in functions on relations, which are sets of pairs.

use super::Evaluator;
use crate::script::core::Builtin;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;
use crate::value::{Data, Value};

impl Evaluator {
    pub(super) fn relation_builtin(
        &mut self,
        b: Builtin,
        args: &[Value],
        span: Span,
    ) -> Result<Option<Value>> {
        Ok(Some(match (b, args) {
            (Builtin::Transpose, [relation]) => {
                let pairs = self.relation(*relation, span)?;
                let swapped = pairs.into_iter().map(|(a, b)| self.store.tuple(vec![b, a]));
                let swapped = swapped.collect();
                self.store.set(swapped)
            }
            (Builtin::RelationalImage | Builtin::RelationalInverseImage, [relation]) => {
                self.relation(*relation, span)?;
                self.store.intern(Data::Applied(b, [*relation].into()))
            }
            (Builtin::MTransClose, [relation, set]) => {
                self.representatives(*relation, *set, span)?
            }
            _ => return Ok(None),
        }))
    }

    /// Calls a curried built-in function with its last group of arguments.
    pub(super) fn applied(
        &mut self,
        b: Builtin,
        first: &[Value],
        args: &[Value],
        span: Span,
    ) -> Result<Value> {
        let ([relation], [from]) = (first, args) else {
            let text = format!("`{}` does not take {} arguments", b.name(), args.len());
            return Err(self.fail_at("E0412", text, span));
        };
        let inverse = b == Builtin::RelationalInverseImage;
        let pairs = self.relation(*relation, span)?;
        let image = pairs.into_iter().filter_map(|(a, b)| match inverse {
            false => (a == *from).then_some(b),
            true => (b == *from).then_some(a),
        });
        let image = image.collect();
        Ok(self.store.set(image))
    }

    /// The pairs of a relation, in order.
    fn relation(&mut self, relation: Value, span: Span) -> Result<Vec<(Value, Value)>> {
        let elements = self.store.elements(relation);
        let elements = self.at(elements, span)?;
        let pairs = elements.iter().map(|pair| self.pair(*pair));
        let pairs: crate::value::ValueResult<Vec<(Value, Value)>> = pairs.collect();
        self.at(pairs, span)
    }

    /// `mtransclose(r, s)`: for each class of the least equivalence that contains `r`, the pairs
    /// of its representative with its other elements, where both belong to `s`. The representative
    /// is the least element that is the first of a pair.
    fn representatives(&mut self, relation: Value, set: Value, span: Span) -> Result<Value> {
        let pairs = self.relation(relation, span)?;
        // The elements in the order in which they may represent their class.
        let mut known: IndexMap<Value, usize> = IndexMap::default();
        let all = pairs.iter().map(|p| p.0).chain(pairs.iter().map(|p| p.1));
        for v in all {
            let next = known.len();
            known.entry(v).or_insert(next);
        }
        let number = |v: &Value| known.get(v).copied().unwrap_or(0);
        let mut parent: Vec<usize> = (0..known.len()).collect();
        for (a, b) in &pairs {
            let (a, b) = (root(&mut parent, number(a)), root(&mut parent, number(b)));
            // The lower number is the representative.
            parent[a.max(b)] = a.min(b);
        }
        let mut closed = Vec::new();
        for (i, v) in known.keys().enumerate() {
            let Some((representative, _)) = known.get_index(root(&mut parent, i)) else {
                continue;
            };
            if representative == v {
                continue;
            }
            let inside = self.store.contains(set, *representative);
            let inside = self.at(inside, span)? && {
                let inside = self.store.contains(set, *v);
                self.at(inside, span)?
            };
            if inside {
                closed.push(self.store.tuple(vec![*representative, *v]));
            }
        }
        Ok(self.store.set(closed))
    }
}

/// The root of a tree of a forest of parents; the paths to it are made shorter.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
