//! The shortest paths to one target, by hops or by metric, and sums over them.

use crate::graph::Reach;
use crate::mcf::problem::Plane;

/// The shortest paths from some switches to one target.
pub(super) struct Row {
    target: u32,
    /// Switches on them, each after all that are farther from the target.
    tails: Vec<u32>,
    /// Offsets into `arcs` by switch.
    ptr: Vec<u32>,
    /// Arcs that lead closer.
    arcs: Vec<u32>,
    /// The largest number of arcs on a path.
    hops: u32,
    /// For each switch the sum over its paths of the product of their arcs' weights.
    paths: Vec<f64>,
}

impl Row {
    /// The paths from `sources` to `target`, to which `reach` holds the distances.
    pub(super) fn new(plane: &Plane, target: u32, sources: impl Iterator<Item = u32>, reach: &Reach) -> Self {
        let mut used = vec![false; plane.nodes()];
        sources.for_each(|source| used[source as usize] = true);
        let (mut tails, mut ptr, mut arcs) = (vec![], vec![0], vec![]);
        for u in reach.order.iter().rev().filter(|u| **u != target) {
            if !used[*u as usize] {
                continue;
            }
            for a in plane.graph.next_hops(*u, reach) {
                used[plane.graph.head(a) as usize] = true;
                arcs.push(a);
            }
            tails.push(*u);
            ptr.push(arcs.len() as u32);
        }
        let mut row = Row { target, tails, ptr, arcs, hops: 0, paths: vec![0.0; plane.nodes()] };
        let mut hops = vec![0; plane.nodes()];
        for (u, arcs) in row.farthest_first().rev() {
            hops[u] = 1 + arcs.iter().map(|a| hops[plane.head(*a as usize)]).fold(0, u32::max);
        }
        row.hops = hops.into_iter().fold(0, u32::max);
        row
    }

    /// The largest number of arcs on a path.
    pub(super) fn hops(&self) -> u32 {
        self.hops
    }

    /// The sum over the paths from `source`.
    pub(super) fn paths(&self, source: u32) -> f64 {
        self.paths[source as usize]
    }

    /// The switches on the paths and their arcs, farthest from the target first.
    fn farthest_first(&self) -> impl DoubleEndedIterator<Item = (usize, &[u32])> {
        let arcs = self.ptr.windows(2).map(|range| &self.arcs[range[0] as usize..range[1] as usize]);
        self.tails.iter().map(|u| *u as usize).zip(arcs)
    }

    /// Updates the sums over paths.
    pub(super) fn sum_paths(&mut self, plane: &Plane, weight: &[f64]) {
        let heads = plane.graph.heads();
        let mut paths = std::mem::take(&mut self.paths);
        paths[self.target as usize] = 1.0;
        for (u, arcs) in self.farthest_first().rev() {
            paths[u] = arcs.iter().map(|a| weight[*a as usize] * paths[heads[*a as usize] as usize]).sum();
        }
        self.paths = paths;
    }

    /// Adds the flow of each arc to `load`.  `sent` holds the traffic that enters at each switch per path of weight 1, and
    /// is 0 afterwards.
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

    /// The (arc, fraction) pairs of the switches on the paths, sorted by arc.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::{FAR, Graph};

    /// The arcs of every path of so many hops, by exhaustive search.
    fn walks(plane: &Plane, from: usize, to: usize, hops: u32) -> Vec<Vec<usize>> {
        if hops == 0 {
            return if from == to { vec![vec![]] } else { vec![] };
        }
        let onward =
            |a: usize| walks(plane, plane.head(a), to, hops - 1).into_iter().map(move |rest| [vec![a], rest].concat());
        plane.out(from).flat_map(onward).collect()
    }

    proptest! {
        #[test]
        fn sums_over_paths_are_those_over_all_of_them(
            arcs in prop::collection::vec((0..6_u32, 0..6_u32, 0.1..2.0_f64), 1..30)
        ) {
            let mut arcs: Vec<_> = arcs.into_iter().filter(|(u, v, _)| u != v).collect();
            arcs.sort_by_key(|arc| arc.0);
            let weight: Vec<f64> = arcs.iter().map(|arc| arc.2).collect();
            let (tail, head) = arcs.iter().map(|arc| (arc.0, arc.1)).unzip();
            let plane = Plane {
                capacity: weight.clone(),
                graph: Graph::new(6, tail, head).unwrap(),
                attach: vec![],
                partner: vec![],
                near: None,
                up: vec![],
                down: vec![],
                targets: vec![],
                demands: vec![],
            };
            let mut reach = Reach::default();
            plane.graph.reach(0, &mut reach);
            let sources: Vec<u32> = (1..6).filter(|u| reach.distance[*u as usize] != FAR).collect();
            let mut row = Row::new(&plane, 0, sources.iter().copied(), &reach);
            row.sum_paths(&plane, &weight);
            let (mut expected, mut sent) = (vec![0.0; weight.len()], vec![0.0; 6]);
            for source in &sources {
                sent[*source as usize] = f64::from(*source);
                let mut total = 0.0;
                for walk in walks(&plane, *source as usize, 0, reach.distance[*source as usize]) {
                    let product: f64 = walk.iter().map(|a| weight[*a]).product();
                    total += product;
                    walk.iter().for_each(|a| expected[*a] += f64::from(*source) * product);
                }
                prop_assert!((row.paths(*source) - total).abs() <= 1e-12 * total);
            }
            let mut load = vec![0.0; weight.len()];
            row.add_load(&plane, &weight, &mut sent, &mut load);
            prop_assert_eq!(sent, vec![0.0; 6]);
            for (load, expected) in load.iter().zip(&expected) {
                prop_assert!((load - expected).abs() <= 1e-12 * (1.0 + expected), "{} and {}", load, expected);
            }
            for source in sources {
                let of_source = row.split(&plane, &weight);
                let parts = of_source.iter().filter(|(a, _)| plane.graph.tail(*a) == source);
                prop_assert!((parts.map(|entry| entry.1).sum::<f64>() - 1.0).abs() <= 1e-12);
            }
        }
    }
}
