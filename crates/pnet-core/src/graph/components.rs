//! Strongly connected components.

use super::adjacency::Graph;

/// The strongly connected components of a graph.
#[derive(Debug, Clone)]
pub struct Components {
    /// Component of each node, numbered by their lowest nodes.
    pub of: Vec<u32>,
    /// Nodes of each component, ascending.
    pub members: Vec<Vec<u32>>,
    /// Whether no arc joins two components, as where all cables are bidirectional: a node then reaches exactly its
    /// component.
    pub closed: bool,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// The components of a graph, in the time of two searches (Kosaraju; Sharir, 1981).
    ///
    /// ```
    /// # use pnet_core::graph::{Components, Graph};
    /// // A cable between 0 and 2, and an arc that leads away from it.
    /// let graph = Graph::new(3, vec![0, 0, 2], vec![1, 2, 0])?;
    /// let components = Components::new(&graph);
    /// assert_eq!(components.members, [vec![0, 2], vec![1]]);
    /// assert!(!components.closed);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        // The last node to finish is not reachable from any later component.
        let mut root = vec![NONE; nodes];
        for first in finished(graph).into_iter().rev() {
            if root[first as usize] != NONE {
                continue;
            }
            root[first as usize] = first;
            let mut stack = vec![first];
            while let Some(v) = stack.pop() {
                for u in graph.before(v) {
                    if root[*u as usize] == NONE {
                        root[*u as usize] = first;
                        stack.push(*u);
                    }
                }
            }
        }
        let mut number = vec![NONE; nodes];
        let mut members: Vec<Vec<u32>> = vec![];
        let of: Vec<u32> = (0..nodes as u32)
            .map(|u| {
                let number = &mut number[root[u as usize] as usize];
                if *number == NONE {
                    *number = members.len() as u32;
                    members.push(vec![]);
                }
                members[*number as usize].push(u);
                *number
            })
            .collect();
        let closed = graph.tails().iter().zip(graph.heads()).all(|(u, v)| of[*u as usize] == of[*v as usize]);
        Components { of, members, closed }
    }

    /// The nodes of a node's component, itself among them.
    pub(crate) fn around(&self, node: u32) -> &[u32] {
        &self.members[self.of[node as usize] as usize]
    }
}

/// All nodes in the order in which a depth-first search leaves them.
fn finished(graph: &Graph) -> Vec<u32> {
    let nodes = graph.nodes() as u32;
    let mut entered = vec![false; nodes as usize];
    let mut finished = Vec::with_capacity(nodes as usize);
    for root in 0..nodes {
        if std::mem::replace(&mut entered[root as usize], true) {
            continue;
        }
        let mut stack = vec![(root, graph.out(root))];
        while let Some((u, arcs)) = stack.last_mut() {
            match arcs.next().map(|arc| graph.head(arc)) {
                None => {
                    finished.push(*u);
                    stack.pop();
                }
                Some(v) if !std::mem::replace(&mut entered[v as usize], true) => stack.push((v, graph.out(v))),
                Some(_) => {}
            }
        }
    }
    finished
}
