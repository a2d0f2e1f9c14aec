//! Which nodes can reach each other.

use super::graph::Graph;

/// The strongly connected components: nodes of one have a path to each other in both directions.
pub struct Components {
    /// Component of each node, numbered by their lowest nodes.
    pub of: Vec<u32>,
    /// Nodes of each component.
    pub members: Vec<Vec<u32>>,
}

impl Components {
    /// The components of a graph.
    ///
    /// Each is what its lowest node reaches and is reached by: simpler than one depth-first search for all, and as fast
    /// where there are few, as in a network whose cables carry both directions.
    pub fn new(graph: &Graph) -> Self {
        const NONE: u32 = u32::MAX;
        let mut of = vec![NONE; graph.nodes()];
        let mut members: Vec<Vec<u32>> = vec![];
        for first in 0..graph.nodes() as u32 {
            if of[first as usize] != NONE {
                continue;
            }
            // A path inside the component does not pass other ones.
            let open = |node: &u32| of[*node as usize] == NONE;
            let ahead = closure(graph.nodes(), first, |u| {
                graph.out(u).map(|arc| graph.head[arc as usize]).filter(open).collect()
            });
            let behind = closure(graph.nodes(), first, |u| {
                graph.into(u).iter().map(|arc| graph.tail[*arc as usize]).filter(open).collect()
            });
            let both: Vec<u32> =
                (first..graph.nodes() as u32).filter(|u| ahead[*u as usize] && behind[*u as usize]).collect();
            for u in &both {
                of[*u as usize] = members.len() as u32;
            }
            members.push(both);
        }
        Components { of, members }
    }
}

/// Which nodes are found by going to neighbours again and again.
fn closure(nodes: usize, first: u32, neighbours: impl Fn(u32) -> Vec<u32>) -> Vec<bool> {
    let mut found = vec![false; nodes];
    found[first as usize] = true;
    let mut stack = vec![first];
    while let Some(u) = stack.pop() {
        for v in neighbours(u) {
            if !found[v as usize] {
                found[v as usize] = true;
                stack.push(v);
            }
        }
    }
    found
}
