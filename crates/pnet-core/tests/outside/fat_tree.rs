//! Fat trees.

use pnet_core::graph::Planes;

use crate::common::graph_of;

/// A fat tree of switches with `k` ports: edges, aggregations and cores are numbered in this order, hosts by edge.
pub(crate) fn fat_tree(k: u32) -> Planes {
    let half = k / 2;
    let (edges, hosts) = (k * half, k * half * half);
    let mut cables = vec![];
    for pod in 0..k {
        for i in 0..half {
            for j in 0..half {
                let aggregation = edges + pod * half + j;
                cables.push((pod * half + i, aggregation));
                cables.push((aggregation, 2 * edges + j * half + i));
            }
        }
    }
    let graph = graph_of(2 * edges + half * half, cables.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect());
    Planes::new(vec![graph], vec![(0..hosts).map(|host| Some(host / half)).collect()]).unwrap()
}
