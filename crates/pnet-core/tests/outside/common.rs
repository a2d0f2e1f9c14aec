//! Small random multigraphs, and planes with an endpoint at every node.

use pnet_core::graph::{Graph, Planes};
use proptest::prelude::*;

pub(crate) const NODES: u32 = 6;

/// The graph of these arcs, in any order.
pub(crate) fn graph_of(nodes: u32, mut arcs: Vec<(u32, u32)>) -> Graph {
    arcs.sort_unstable();
    let (tail, head) = arcs.into_iter().unzip();
    Graph::new(nodes as usize, tail, head).unwrap()
}

/// Planes with an endpoint at every node of each.
pub(crate) fn planes(graphs: &[Graph]) -> Planes {
    let attach = graphs.iter().map(|graph| (0..graph.nodes() as u32).map(Some).collect()).collect();
    Planes::new(graphs.to_vec(), attach).unwrap()
}

/// All pairs of distinct nodes.
pub(crate) fn pairs() -> Vec<(u32, u32)> {
    (0..NODES).flat_map(|s| (0..NODES).filter(move |t| *t != s).map(move |t| (s, t))).collect()
}

prop_compose! {
    pub(crate) fn graph()(arcs in prop::collection::vec((0..NODES, 0..NODES), 0..22)) -> Graph {
        graph_of(NODES, arcs.into_iter().filter(|(u, v)| u != v).collect())
    }
}
