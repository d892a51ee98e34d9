//! Strongly connected components, dependencies first.

use crate::source::stack::deep;

/// Tarjan's algorithm. `edges[i]` are what node `i` depends on; the components come out in an order
/// in which everything is preceded by what it depends on.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut state = State {
        edges,
        index: vec![None; edges.len()],
        low: vec![0; edges.len()],
        on_stack: vec![false; edges.len()],
        stack: Vec::new(),
        next: 0,
        out: Vec::new(),
    };
    for node in 0..edges.len() {
        if state.index[node].is_none() {
            state.visit(node);
        }
    }
    state.out
}

struct State<'a> {
    edges: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    out: Vec<Vec<usize>>,
}

impl State<'_> {
    fn visit(&mut self, node: usize) {
        deep(|| {
            self.index[node] = Some(self.next);
            self.low[node] = self.next;
            self.next += 1;
            self.stack.push(node);
            self.on_stack[node] = true;
            for &to in &self.edges[node] {
                match self.index[to] {
                    None => {
                        self.visit(to);
                        self.low[node] = self.low[node].min(self.low[to]);
                    }
                    Some(i) if self.on_stack[to] => self.low[node] = self.low[node].min(i),
                    Some(_) => {}
                }
            }
            if self.index[node] == Some(self.low[node]) {
                let mut component = Vec::new();
                while let Some(top) = self.stack.pop() {
                    self.on_stack[top] = false;
                    component.push(top);
                    if top == node {
                        break;
                    }
                }
                component.sort_unstable();
                self.out.push(component);
            }
        });
    }
}
