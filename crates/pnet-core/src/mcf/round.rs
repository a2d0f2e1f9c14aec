//! From the flow of any solver, which is feasible only to its tolerance, to splitting fractions, which are exact.
//!
//! A row's fractions are restricted to arcs that lead closer to its target, so that they cannot form a cycle, and the
//! plane shares of a demand are normalised.

use rayon::prelude::*;

use super::distance::Distances;
use super::evaluate::Injection;
use super::lanes::LANES;
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;

/// Fractions and shares below this are dropped: they are noise, and carry no more than that.
const NEGLIGIBLE: f64 = 1e-10;

/// A solver's flow.
pub trait Flow: Sync {
    /// Writes the flow of the `row`-th target of `plane` on each of its arcs; small negative values count as zero.
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]);
    /// What the solver sends of demand `j` over `plane`, up to a factor common to all planes.
    fn share(&self, plane: usize, demand: usize) -> f64;
}

/// Splitting fractions and shares of `flow`, with the given lengths.
pub fn round(problem: &Problem, flow: &impl Flow, length: Vec<f64>, up: Vec<f64>, down: Vec<f64>) -> Proof {
    let mut first = 0;
    let order: Vec<Vec<f64>> = problem
        .planes
        .iter()
        .map(|plane| {
            let length = &length[first..first + plane.arcs()];
            first += plane.arcs();
            ordering_lengths(length)
        })
        .collect();
    let distances: Vec<Distances> =
        problem.planes.iter().zip(&order).map(|(plane, length)| Distances::new(plane, length)).collect();
    let share = shares(problem, flow, &distances);
    let mut proof = Proof { length, up_length: up, down_length: down, share, split_ptr: vec![0], ..Proof::default() };
    for (p, plane) in problem.planes.iter().enumerate() {
        let part = &proof.share[p * problem.demands()..(p + 1) * problem.demands()];
        let sources = Injection::new(plane, part, &problem.demand);
        let rows: Vec<Vec<(u32, f64)>> = (0..plane.targets.len())
            .into_par_iter()
            .map_init(
                || (vec![0.0; plane.arcs()], vec![0.0; plane.nodes]),
                |(buffer, amount), row| {
                    flow.row(p, row, buffer);
                    split_row(plane, row, &distances[p], &order[p], sources.of(row), buffer, amount)
                },
            )
            .collect();
        for row in rows {
            for (arc, fraction) in row {
                proof.split_arc.push(arc);
                proof.split_fraction.push(fraction);
            }
            proof.split_ptr.push(proof.split_arc.len());
        }
    }
    proof
}

/// Lengths that order nodes: the dual lengths, with a little added to each arc so that none is zero.
///
/// Where the dual is zero (links that do not bind) the order is then by hops.
fn ordering_lengths(length: &[f64]) -> Vec<f64> {
    let mean = length.iter().sum::<f64>() / length.len().max(1) as f64;
    let least = if mean > 0.0 { 1e-3 * mean } else { 1.0 };
    length.iter().map(|l| l + least).collect()
}

/// Parts of each demand on each plane, `[planes][demands]`, summing to 1 over the planes.
fn shares(problem: &Problem, flow: &impl Flow, distances: &[Distances]) -> Vec<f64> {
    let (planes, demands) = (problem.planes.len(), problem.demands());
    let mut share = vec![0.0; planes * demands];
    let mut part = vec![0.0; planes];
    for j in 0..demands {
        for (p, plane) in problem.planes.iter().enumerate() {
            part[p] = if plane.demands[j] == Use::Never { 0.0 } else { flow.share(p, j).max(0.0) };
        }
        let total: f64 = part.iter().sum();
        part.iter_mut().for_each(|x| *x = if *x <= NEGLIGIBLE * total { 0.0 } else { *x });
        let total: f64 = part.iter().sum();
        if total > 0.0 {
            (0..planes).for_each(|p| share[p * demands + j] = part[p] / total);
        } else {
            share[nearest_plane(problem, distances, j) * demands + j] = 1.0;
        }
    }
    share
}

fn nearest_plane(problem: &Problem, distances: &[Distances], j: usize) -> usize {
    let cost = |p: usize| match problem.planes[p].demands[j] {
        Use::Never => f64::INFINITY,
        Use::Local => 0.0,
        Use::Core { source, row } => distances[p].get(row as usize, source as usize),
    };
    (0..problem.planes.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(0)
}

/// The (arc, fraction) pairs of one row, at the nodes that carry its traffic, sorted by arc.
fn split_row(
    plane: &Plane,
    row: usize,
    distances: &Distances,
    length: &[f64],
    sources: &[(u32, f64)],
    flow: &[f64],
    amount: &mut [f64],
) -> Vec<(u32, f64)> {
    let block = distances.block(row / LANES);
    let dist = |u: usize| block[u][row % LANES];
    let target = plane.targets[row] as usize;
    amount.fill(0.0);
    for (node, x) in sources {
        amount[*node as usize] += x;
    }
    let mut order: Vec<u32> = (0..plane.nodes as u32).filter(|u| dist(*u as usize).is_finite()).collect();
    order.sort_by(|a, b| dist(*b as usize).total_cmp(&dist(*a as usize)));
    let mut split = vec![];
    for u in order {
        let u = u as usize;
        if amount[u] <= 0.0 || u == target {
            continue;
        }
        let downhill = |a: &usize| dist(plane.head[*a] as usize) < dist(u);
        let total: f64 = plane.out(u).filter(downhill).map(|a| flow[a].max(0.0)).sum();
        let kept = |a: &usize| downhill(a) && flow[*a] > NEGLIGIBLE * total;
        let sum: f64 = plane.out(u).filter(kept).map(|a| flow[a]).sum();
        let begin = split.len();
        if sum > 0.0 {
            split.extend(plane.out(u).filter(kept).map(|a| (a as u32, flow[a] / sum)));
        } else {
            // No flow to go by: split evenly over the shortest paths.
            let shortest = |a: &usize| length[*a] + dist(plane.head[*a] as usize) <= dist(u) * (1.0 + 1e-12);
            let count = plane.out(u).filter(|a| downhill(a) && shortest(a)).count();
            let even = plane.out(u).filter(|a| downhill(a) && shortest(a));
            split.extend(even.map(|a| (a as u32, 1.0 / count as f64)));
        }
        for (a, fraction) in &split[begin..] {
            amount[plane.head[*a as usize] as usize] += fraction * amount[u];
        }
    }
    split.sort_unstable_by_key(|entry| entry.0);
    split
}
