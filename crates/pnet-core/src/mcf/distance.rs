//! Shortest distances from all nodes to the targets of a plane, eight targets at a time.

use multiversion::multiversion;
use rayon::prelude::*;

use super::lanes::{LANES, Lane};
use super::problem::Plane;
use crate::graph::Reach;
use crate::rounding::Rounding;

/// Distances to targets: block `b` holds targets `8 b .. 8 b + 8`, as `[node]` lanes.
pub(super) struct Distances {
    blocks: Vec<Vec<Lane>>,
}

impl Distances {
    /// Distances under `length >= 0` from every node to every target of `plane`; infinite where there is no path.
    ///
    /// Where only shortest paths count, they are over these.
    pub(super) fn new<R: Rounding>(plane: &Plane, length: &[f64]) -> Self {
        if let Some(near) = &plane.near {
            let blocks = near.par_chunks(LANES).map(|targets| along::<R>(plane, length, targets)).collect();
            return Distances { blocks };
        }
        let blocks = plane
            .targets
            .par_chunks(LANES)
            .map(|targets| {
                let mut dist = vec![[f64::INFINITY; LANES]; plane.nodes()];
                for (lane, target) in targets.iter().enumerate() {
                    dist[*target as usize][lane] = 0.0;
                }
                // Gauss-Seidel sweeps in alternating direction: each settles at least one more arc of every shortest path,
                // and in networks of small diameter a handful settles all.
                let mut forward = true;
                while relax::<R>(plane, length, &mut dist, forward) {
                    forward = !forward;
                }
                dist
            })
            .collect();
        Distances { blocks }
    }

    /// Distances of eight targets from every node.
    pub(super) fn block(&self, block: usize) -> &[Lane] {
        &self.blocks[block]
    }

    /// Distance from `node` to the `row`-th target.
    #[inline]
    pub(super) fn get(&self, row: usize, node: usize) -> f64 {
        self.blocks[row / LANES][node][row % LANES]
    }
}

/// Distances to some targets along next hops only, which the nearest node settles first.
fn along<R: Rounding>(plane: &Plane, length: &[f64], targets: &[Reach]) -> Vec<Lane> {
    let mut dist = vec![[f64::INFINITY; LANES]; plane.nodes()];
    for (lane, near) in targets.iter().enumerate() {
        dist[near.order[0] as usize][lane] = 0.0;
        for u in &near.order[1..] {
            let next = plane.graph.next_hops(*u, near).map(|a| a as usize);
            let through = next.map(|a| R::add(length[a], dist[plane.head(a)][lane]));
            dist[*u as usize][lane] = through.fold(f64::INFINITY, f64::min);
        }
    }
    dist
}

/// One sweep over all nodes; returns whether a distance fell.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn relax<R: Rounding>(plane: &Plane, length: &[f64], dist: &mut [Lane], forward: bool) -> bool {
    let mut changed = false;
    for step in 0..plane.nodes() {
        let u = if forward { step } else { plane.nodes() - 1 - step };
        let old = dist[u];
        let mut best = old;
        for a in plane.out(u) {
            let next = &dist[plane.head(a)];
            for i in 0..LANES {
                let through = R::add(length[a], next[i]);
                best[i] = if through < best[i] { through } else { best[i] };
            }
        }
        if best != old {
            dist[u] = best;
            changed = true;
        }
    }
    changed
}
