//! How many shortest paths there are, without listing them.

use super::graph::{Graph, Reach};

/// Counts do not grow beyond this, so that sums of them stay finite.
pub const MOST: f64 = 1e300;

/// Number of shortest paths from every node to the node that `reach` was searched for, parallel arcs counted each.
///
/// Exact up to 2^53, rounded above.
pub fn count_shortest(graph: &Graph, reach: &Reach) -> Vec<f64> {
    let mut count = vec![0.0; graph.nodes()];
    for (i, u) in reach.order.iter().enumerate() {
        let over: f64 = graph.next_hops(*u, reach).map(|arc| count[graph.head[arc as usize] as usize]).sum();
        count[*u as usize] = if i == 0 { 1.0 } else { over.min(MOST) };
    }
    count
}
