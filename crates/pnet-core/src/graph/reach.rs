//! Hops to one node.

use super::adjacency::Graph;

/// Distance of a node that cannot reach the target.
pub const FAR: u32 = u32::MAX;

/// Distances to one node.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Hops from every node, [`FAR`] where there is no path.
    pub hops: Vec<u32>,
    /// The nodes that have a path, nearest first.
    pub order: Vec<u32>,
}

impl Graph {
    /// Computes the distances to `target`, in the memory of an earlier search.
    ///
    /// ```
    /// # use pnet_core::graph::{FAR, Graph, Reach};
    /// let path = Graph::new(3, vec![0, 1], vec![1, 2])?;
    /// let mut reach = Reach::default();
    /// path.reach(1, &mut reach);
    /// assert_eq!((reach.hops, reach.order), (vec![1, 0, FAR], vec![1, 0]));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn reach(&self, target: u32, found: &mut Reach) {
        found.hops.clear();
        found.hops.resize(self.nodes(), FAR);
        found.hops[target as usize] = 0;
        found.order.clear();
        found.order.push(target);
        let mut next = 0;
        while let Some(v) = found.order.get(next).copied() {
            next += 1;
            let hops = found.hops[v as usize] + 1;
            for u in self.before(v) {
                if found.hops[*u as usize] == FAR {
                    found.hops[*u as usize] = hops;
                    found.order.push(*u);
                }
            }
        }
    }

    /// Hops from every node to `target`, [`FAR`] where there is no path.
    ///
    /// ```
    /// # use pnet_core::graph::{FAR, Graph};
    /// let path = Graph::new(3, vec![0, 1], vec![1, 2])?;
    /// assert_eq!(path.hops_to(1), [1, 0, FAR]);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn hops_to(&self, target: u32) -> Vec<u32> {
        let mut found = Reach::default();
        self.reach(target, &mut found);
        found.hops
    }

    /// Arcs out of `node` on shortest paths to the target of `reach`.
    ///
    /// ```
    /// # use pnet_core::graph::{Graph, Reach};
    /// // From 0 to 2 over 1 by either of two parallel arcs.
    /// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 1, 2])?;
    /// let mut reach = Reach::default();
    /// graph.reach(2, &mut reach);
    /// assert!(graph.next_hops(0, &reach).eq([0, 1]));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    #[inline]
    pub fn next_hops<'a>(&'a self, node: u32, reach: &'a Reach) -> impl Iterator<Item = u32> + Clone + 'a {
        let hops = reach.hops[node as usize];
        // No head has fewer hops than the target's 0; FAR is above all hops, but has no next hop.
        let near = move |arc: &u32| hops != FAR && reach.hops[self.head(*arc) as usize] < hops;
        self.out(node).filter(near)
    }
}
