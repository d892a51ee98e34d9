//! Strongly connected components: what can be reached from each other.

/// A graph whose nodes are the numbers from 0 on.
pub trait Digraph {
    /// The number of nodes.
    fn nodes(&self) -> usize;
    /// The target of an edge; the edges of a node are numbered from 0.
    fn edge(&self, node: usize, number: usize) -> Option<usize>;
}

impl Digraph for Vec<Vec<usize>> {
    fn nodes(&self) -> usize {
        self.len()
    }

    fn edge(&self, node: usize, number: usize) -> Option<usize> {
        self[node].get(number).copied()
    }
}

/// The components as lists of nodes in ascending order. Each comes after those that edges lead to from
/// it: if edges lead to what something depends on, everything is preceded by what it depends on.
#[must_use]
pub fn components(graph: &impl Digraph) -> Vec<Vec<usize>> {
    let Numbered { component, count } = numbered(graph);
    let mut lists = vec![Vec::new(); count as usize];
    for (node, of) in component.into_iter().enumerate() {
        lists[of as usize].push(node);
    }
    lists
}

/// The components by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The component of each node. An edge leads to a component with a lower number, or stays in its own.
    pub component: Vec<u32>,
    /// The number of components.
    pub count: u32,
}

/// Tarjan's algorithm, on a path of its own instead of the native stack.
///
/// A component is complete when all that leads out of it is; its nodes are then the last ones that were
/// entered and belong to none. So the first one to be complete depends on nothing, and so on.
#[must_use]
pub fn numbered(graph: &impl Digraph) -> Numbered {
    const NONE: u32 = u32::MAX;
    // In which order nodes were entered, and the earliest of them that is known to be in the component.
    let mut entered = vec![NONE; graph.nodes()];
    let mut earliest = vec![0; graph.nodes()];
    let mut component = vec![NONE; graph.nodes()];
    // What was entered and belongs to no component yet, and the path, with the next edge of each node.
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    let (mut next, mut count) = (0, 0);
    for root in 0..graph.nodes() {
        if entered[root] == NONE {
            path.push((root, 0));
        }
        while let Some((node, number)) = path.last_mut() {
            let (node, edge) = (*node, graph.edge(*node, *number));
            if *number == 0 {
                entered[node] = next;
                earliest[node] = next;
                next += 1;
                open.push(node);
            }
            *number += 1;
            if let Some(to) = edge {
                if entered[to] == NONE {
                    path.push((to, 0));
                } else if component[to] == NONE {
                    earliest[node] = earliest[node].min(entered[to]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                earliest[*before] = earliest[*before].min(earliest[node]);
            }
            if earliest[node] == entered[node] {
                while let Some(member) = open.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Numbered { component, count }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_depended_on_comes_first() {
        let edges = vec![vec![1], vec![2, 3], vec![0], vec![4, 4], vec![], vec![5, 0]];
        let all = components(&edges);
        assert_eq!(all, [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
        assert!(components(&Vec::new()).is_empty());
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let mut edges: Vec<Vec<usize>> = (1..300_000).map(|to| vec![to]).collect();
        edges.push(Vec::new());
        let all = numbered(&edges);
        assert_eq!((all.count, all.component[0]), (300_000, 299_999));
        edges[299_999].push(0);
        assert_eq!(numbered(&edges).count, 1);
    }

    /// Which nodes can be reached from each.
    fn reached(edges: &[Vec<usize>]) -> Vec<Vec<bool>> {
        let mut all = vec![vec![false; edges.len()]; edges.len()];
        for (from, row) in all.iter_mut().enumerate() {
            let mut todo = vec![from];
            while let Some(at) = todo.pop() {
                if !std::mem::replace(&mut row[at], true) {
                    todo.extend(&edges[at]);
                }
            }
        }
        all
    }

    proptest! {
        #[test]
        fn components_are_what_reaches_each_other(
            edges in (1usize..9).prop_flat_map(|n| {
                prop::collection::vec(prop::collection::vec(0..n, 0..4), n)
            })
        ) {
            let Numbered { component, count } = numbered(&edges);
            let reached = reached(&edges);
            for (a, row) in reached.iter().enumerate() {
                prop_assert!(component[a] < count);
                for (b, there) in row.iter().enumerate() {
                    let back = reached[b][a];
                    prop_assert_eq!(component[a] == component[b], *there && back);
                    prop_assert!(!there || component[b] <= component[a]);
                }
            }
        }
    }
}
