//! The dependencies between the definitions of one `let`: which are lifted, what those capture, and
//! in which order the others can be bound.

use super::canon::Canons;
use super::patterns::variables_of;
use crate::script::core::{LocalDef, VariableId};

/// The definitions of a `let`, analysed.
pub(super) struct LetGroup {
    names: Vec<Vec<VariableId>>,
    free: Vec<Vec<VariableId>>,
    /// `needs[i]`: the definitions that `i` mentions.
    needs: Vec<Vec<usize>>,
    lifted: Vec<bool>,
}

impl LetGroup {
    pub fn new(defs: &[LocalDef], canons: &mut Canons) -> Self {
        let mut group = Self {
            names: Vec::new(),
            free: Vec::new(),
            needs: Vec::new(),
            lifted: Vec::new(),
        };
        for def in defs {
            let (names, canon) = match def {
                LocalDef::Function(id, f, _) => (vec![*id], canons.function(f)),
                LocalDef::Value(p, e) => (variables_of(p), canons.expr(e)),
            };
            group.names.push(names);
            group.free.push(canon.free.to_vec());
        }
        for i in 0..defs.len() {
            let mentions = |j: &usize| group.names[*j].iter().any(|v| group.free[i].contains(v));
            group.needs.push((0..defs.len()).filter(mentions).collect());
        }
        for (i, def) in defs.iter().enumerate() {
            // A value that refers to itself cannot be bound to a place in a frame: its environment
            // would contain itself.
            let recursive = group.reachable(i).contains(&i);
            let function = matches!(def, LocalDef::Function(..));
            group.lifted.push(function || recursive);
        }
        group
    }

    /// The definitions that `i` reaches, in a fixed order.
    fn reachable(&self, i: usize) -> Vec<usize> {
        let mut reached = Vec::new();
        let mut open = self.needs[i].clone();
        while let Some(j) = open.pop() {
            if !reached.contains(&j) {
                reached.push(j);
                open.extend(&self.needs[j]);
            }
        }
        reached
    }

    pub fn lifted(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|i| self.lifted[*i]).collect()
    }

    pub fn names(&self, i: usize) -> &[VariableId] {
        &self.names[i]
    }

    /// The variables that a lifted definition captures: its own free variables and those of the
    /// lifted definitions that it reaches through lifted ones, but no lifted ones of this group.
    pub fn captures(&self, i: usize) -> Vec<VariableId> {
        let mut members = vec![i];
        let mut next = 0;
        while next < members.len() {
            // A lifted definition is called with what it captures, so its caller has to capture
            // that too.
            let more = self.needs[members[next]].iter().copied();
            let more: Vec<usize> = more
                .filter(|j| self.lifted[*j] && !members.contains(j))
                .collect();
            members.extend(more);
            next += 1;
        }
        let here: Vec<VariableId> = self
            .lifted()
            .into_iter()
            .flat_map(|j| self.names[j].clone())
            .collect();
        let mut captures = Vec::new();
        for member in members {
            for v in &self.free[member] {
                if !here.contains(v) && !captures.contains(v) {
                    captures.push(*v);
                }
            }
        }
        captures
    }

    /// The definitions that are not lifted, each after those it needs.
    pub fn values_in_order(&self) -> Vec<usize> {
        let mut done = vec![false; self.names.len()];
        let mut order = Vec::new();
        for i in 0..self.names.len() {
            self.visit(i, &mut done, &mut order);
        }
        order.retain(|i| !self.lifted[*i]);
        order
    }

    fn visit(&self, i: usize, done: &mut [bool], order: &mut Vec<usize>) {
        // There is no cycle among those that are not lifted, so depth first gives an order.
        if std::mem::replace(&mut done[i], true) {
            return;
        }
        crate::source::stack::deep(|| {
            for j in &self.needs[i] {
                self.visit(*j, done, order);
            }
        });
        order.push(i);
    }
}
