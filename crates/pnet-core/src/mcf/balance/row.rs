//! The shortest paths by hops to one target, and sums over them.

use crate::graph::Reach;
use crate::mcf::problem::Plane;

/// The shortest paths from some switches to one target.
pub(super) struct Row {
    target: u32,
    /// Switches that they pass, each after all that are farther from the target.
    tails: Vec<u32>,
    /// Where the arcs of each begin, and where those of the last end.
    begin: Vec<u32>,
    /// Arcs that lead one hop nearer.
    arcs: Vec<u32>,
    /// For each switch the sum over its paths of the product of their arcs' weights.
    paths: Vec<f64>,
}

impl Row {
    /// The paths from `sources` to `target`, to which `reach` holds the hops.
    pub(super) fn new(plane: &Plane, target: u32, sources: impl Iterator<Item = u32>, reach: &Reach) -> Self {
        let mut passed = vec![false; plane.nodes()];
        sources.for_each(|source| passed[source as usize] = true);
        let (mut tails, mut begin, mut arcs) = (vec![], vec![0], vec![]);
        for u in reach.order.iter().rev().filter(|u| **u != target) {
            if !passed[*u as usize] {
                continue;
            }
            for a in plane.out(*u as usize) {
                let v = plane.head(a);
                if reach.hops[*u as usize].checked_sub(1) == Some(reach.hops[v]) {
                    passed[v] = true;
                    arcs.push(a as u32);
                }
            }
            tails.push(*u);
            begin.push(arcs.len() as u32);
        }
        Row { target, tails, begin, arcs, paths: vec![0.0; plane.nodes()] }
    }

    /// The sum over the paths from `source`.
    pub(super) fn paths(&self, source: u32) -> f64 {
        self.paths[source as usize]
    }

    /// The switches passed and their arcs, those farther from the target before those nearer.
    fn farthest_first(&self) -> impl DoubleEndedIterator<Item = (usize, &[u32])> {
        let arcs = self.begin.windows(2).map(|range| &self.arcs[range[0] as usize..range[1] as usize]);
        self.tails.iter().map(|u| *u as usize).zip(arcs)
    }

    /// Sums over all paths anew.
    pub(super) fn sum_paths(&mut self, plane: &Plane, weight: &[f64]) {
        let heads = plane.graph.heads();
        let mut paths = std::mem::take(&mut self.paths);
        paths[self.target as usize] = 1.0;
        for (u, arcs) in self.farthest_first().rev() {
            paths[u] = arcs.iter().map(|a| weight[*a as usize] * paths[heads[*a as usize] as usize]).sum();
        }
        self.paths = paths;
    }

    /// Adds the flow of each arc to `load`.  `sent` holds what enters at each switch over a path of weight 1; it is all 0
    /// afterwards.
    pub(super) fn add_load(&self, plane: &Plane, weight: &[f64], sent: &mut [f64], load: &mut [f64]) {
        let heads = plane.graph.heads();
        for (u, arcs) in self.farthest_first() {
            let here = std::mem::take(&mut sent[u]);
            for a in arcs {
                let (a, v) = (*a as usize, heads[*a as usize] as usize);
                let over = weight[a] * here;
                load[a] += over * self.paths[v];
                sent[v] += over;
            }
        }
        sent[self.target as usize] = 0.0;
    }

    /// The (arc, fraction) pairs of the switches passed, sorted by arc.
    pub(super) fn split(&self, plane: &Plane, weight: &[f64]) -> Vec<(u32, f64)> {
        let mut split = Vec::with_capacity(self.arcs.len());
        for (u, arcs) in self.farthest_first() {
            let part = |a: &u32| weight[*a as usize] * self.paths[plane.head(*a as usize)] / self.paths[u];
            split.extend(arcs.iter().map(|a| (*a, part(a))));
        }
        split.sort_unstable_by_key(|entry| entry.0);
        split
    }
}
