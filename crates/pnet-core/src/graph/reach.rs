//! Distances to one node, by hops or by metric.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::adjacency::Graph;

/// Distance of a node that cannot reach the target.
pub const FAR: u32 = u32::MAX;

/// Distances to one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Length of the shortest path from every node, [`FAR`] where there is no path.
    pub distance: Vec<u32>,
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
    /// assert_eq!((reach.distance, reach.order), (vec![1, 0, FAR], vec![1, 0]));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn reach(&self, target: u32, found: &mut Reach) {
        if self.has_metric() {
            return self.reach_over(target, |_| true, found);
        }
        found.reset(self.nodes(), target);
        found.by_hops(target, |v| self.before(v).iter().copied());
    }

    /// Computes the distances over `usable` arcs only.
    pub(crate) fn reach_over(&self, target: u32, usable: impl Fn(u32) -> bool, found: &mut Reach) {
        found.reset(self.nodes(), target);
        if !self.has_metric() {
            let into = |v| self.incoming(v).iter().filter(|arc| usable(**arc)).map(|arc| self.tail(*arc));
            return found.by_hops(target, into);
        }
        let mut open = BinaryHeap::from([Reverse((0, target))]);
        while let Some(Reverse((distance, v))) = open.pop() {
            if distance > found.distance[v as usize] {
                continue;
            }
            found.order.push(v);
            for arc in self.incoming(v).iter().filter(|arc| usable(**arc)) {
                let (u, through) = (self.tail(*arc), distance + self.metric(*arc));
                if through < found.distance[u as usize] {
                    found.distance[u as usize] = through;
                    open.push(Reverse((through, u)));
                }
            }
        }
    }

    /// Length of the shortest path from every node to `target`, [`FAR`] where there is none.
    ///
    /// ```
    /// # use pnet_core::graph::{FAR, Graph};
    /// let path = Graph::new(3, vec![0, 1], vec![1, 2])?;
    /// assert_eq!(path.distances_to(1), [1, 0, FAR]);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn distances_to(&self, target: u32) -> Vec<u32> {
        let mut found = Reach::default();
        self.reach(target, &mut found);
        found.distance
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
        let from = reach.distance[node as usize];
        self.out(node).filter(move |arc| self.is_next(*arc, from, reach))
    }

    /// Leaves in the order those nodes only that are on shortest paths from `starts`.
    pub(crate) fn keep_between(&self, starts: &[u32], reach: &mut Reach) {
        let mut passed = vec![false; self.nodes()];
        starts.iter().for_each(|u| passed[*u as usize] = true);
        for u in reach.order.iter().rev().filter(|u| reach.distance[**u as usize] > 0) {
            if passed[*u as usize] {
                self.next_hops(*u, reach).for_each(|arc| passed[self.head(arc) as usize] = true);
            }
        }
        reach.order.retain(|u| passed[*u as usize]);
    }

    /// Whether an arc, out of a node so far from the target, is on a shortest path to it.
    #[inline]
    pub(crate) fn is_next(&self, arc: u32, from: u32, reach: &Reach) -> bool {
        let to = reach.distance[self.head(arc) as usize];
        // No head is nearer than the target; FAR is above all distances, but has no next hop.  By hops, no head is
        // nearer by more than one.
        from != FAR && to < from && (!self.has_metric() || from - to == self.metric(arc))
    }
}

impl Graph {
    /// The fewest hops among the shortest paths from each node over `usable` arcs, as `reach` has them; [`FAR`] without one.
    pub(crate) fn hops(&self, reach: &Reach, usable: impl Fn(u32) -> bool) -> Vec<u32> {
        if !self.has_metric() {
            return reach.distance.clone();
        }
        let mut hops = vec![FAR; self.nodes()];
        for (i, u) in reach.order.iter().enumerate() {
            let next = self.next_hops(*u, reach).filter(|arc| usable(*arc));
            let least = next.map(|arc| hops[self.head(arc) as usize]).min();
            hops[*u as usize] = if i == 0 { 0 } else { least.map_or(FAR, |least| least + 1) };
        }
        hops
    }
}

impl Reach {
    fn reset(&mut self, nodes: usize, target: u32) {
        self.distance.clear();
        self.distance.resize(nodes, FAR);
        self.distance[target as usize] = 0;
        self.order.clear();
    }

    /// Breadth-first search; `before` gives the nodes with an arc into one.
    fn by_hops<I: Iterator<Item = u32>>(&mut self, target: u32, before: impl Fn(u32) -> I) {
        self.order.push(target);
        let mut next = 0;
        while let Some(v) = self.order.get(next).copied() {
            next += 1;
            let distance = self.distance[v as usize] + 1;
            for u in before(v) {
                if self.distance[u as usize] == FAR {
                    self.distance[u as usize] = distance;
                    self.order.push(u);
                }
            }
        }
    }
}
