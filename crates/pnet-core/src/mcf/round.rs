//! From the flow of any solver, which is feasible only within a tolerance, to splitting fractions, which are exact.
//!
//! A row's fractions are those of its flow once cycles are cancelled; a node with traffic but without flow uses shortest
//! paths.  The plane shares of a demand are normalised.

use rayon::prelude::*;

use super::acyclic::Canceller;
use super::distance::Distances;
use super::evaluate::injection;
use super::lanes::LANES;
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;
use crate::error::{Error, invalid};
use crate::rounding::Nearest;

/// Fractions and shares below this are numerical noise.
pub(crate) const NOISE: f64 = 1e-10;

/// A solver's flow.
pub(crate) trait Flow: Sync {
    /// Writes the flow of the `row`-th target of `plane` on each of its arcs; small negative values count as zero.
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]);
    /// The solver's flow of a demand in `plane`, up to a factor common to all planes.
    fn share(&self, plane: usize, demand: usize) -> f64;
    /// Fractions and shares up to this are dropped.
    fn noise(&self) -> f64 {
        NOISE
    }
}

/// A flow in flat arrays: rows after each other, each with its plane's arcs.
struct Arrays<'a> {
    flow: &'a [f64],
    injection: &'a [f64],
    demands: usize,
    /// The offset of each plane's rows, and the length of one.
    planes: Vec<(usize, usize)>,
}

impl Flow for Arrays<'_> {
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]) {
        let (first, arcs) = self.planes[plane];
        flow.copy_from_slice(&self.flow[first + row * arcs..first + (row + 1) * arcs]);
    }

    fn share(&self, plane: usize, demand: usize) -> f64 {
        self.injection[plane * self.demands + demand]
    }
}

/// The proof that a solver's flow and lengths give.
///
/// `flow` holds the rows of all planes after each other, each with its plane's arcs; `injection` is `[planes, demands]`,
/// the flow of each demand in each plane; `up` and `down` are `[planes, endpoints]`.
///
/// ```
#[doc = include_str!("two_cables.md")]
/// // A row for each plane, with a cycle in the first; the units are arbitrary.
/// let flow = [3.0, 1.0, 5.0, 0.0];
/// let proof = pnet_core::mcf::round_flow(&problem, &flow, &[2.0, 6.0], &[1.0; 4], &[0.0; 4], &[0.0; 4])?;
/// assert_eq!(proof.share, [0.25, 0.75]);
/// assert_eq!((proof.split_arc, proof.split_fraction), (vec![0, 0], vec![1.0, 1.0]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn round_flow(
    problem: &Problem,
    flow: &[f64],
    injection: &[f64],
    length: &[f64],
    up: &[f64],
    down: &[f64],
) -> Result<Proof, Error> {
    let mut planes = vec![];
    let mut first = 0;
    for plane in &problem.planes {
        planes.push((first, plane.arcs()));
        first += plane.targets.len() * plane.arcs();
    }
    let access = problem.planes.len() * problem.endpoints;
    if flow.len() != first
        || injection.len() != problem.planes.len() * problem.demands()
        || length.len() != problem.arcs()
        || up.len() != access
        || down.len() != access
    {
        return invalid("flow", "flow, injection or lengths do not have the problem's shape");
    }
    let arrays = Arrays { flow, injection, demands: problem.demands(), planes };
    Ok(round(problem, &arrays, length.to_vec(), up.to_vec(), down.to_vec()))
}

/// Splitting fractions and shares of `flow`, with the given lengths.
pub(crate) fn round(problem: &Problem, flow: &impl Flow, length: Vec<f64>, up: Vec<f64>, down: Vec<f64>) -> Proof {
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
        problem.planes.iter().zip(&order).map(|(plane, length)| Distances::new::<Nearest>(plane, length)).collect();
    let share = shares(problem, flow, &distances);
    let mut proof = Proof { length, up_length: up, down_length: down, share, split_ptr: vec![0], ..Proof::default() };
    for (p, plane) in problem.planes.iter().enumerate() {
        let part = &proof.share[p * problem.demands()..(p + 1) * problem.demands()];
        let sources = injection::<Nearest>(plane, part, &problem.demand);
        let rows: Vec<Vec<(u32, f64)>> = (0..plane.targets.len())
            .into_par_iter()
            .map_init(
                || Scratch::new(plane),
                |scratch, row| {
                    flow.row(p, row, &mut scratch.flow);
                    split_row((plane, row), flow.noise(), &distances[p], &order[p], sources.of(row), scratch)
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

struct Scratch {
    flow: Vec<f64>,
    amount: Vec<f64>,
    alive: Vec<bool>,
    canceller: Canceller,
}

impl Scratch {
    fn new(plane: &Plane) -> Self {
        Scratch {
            flow: vec![0.0; plane.arcs()],
            amount: vec![0.0; plane.nodes()],
            alive: vec![false; plane.nodes()],
            canceller: Canceller::new(plane),
        }
    }
}

/// The dual lengths plus a small constant, so that none is zero: links that do not bind are then ordered by hops.
fn ordering_lengths(length: &[f64]) -> Vec<f64> {
    let mean = length.iter().sum::<f64>() / length.len().max(1) as f64;
    let least = if mean > 0.0 { 1e-3 * mean } else { 1.0 };
    length.iter().map(|l| l + least).collect()
}

/// Shares of each demand in each plane, `[planes][demands]`, which sum to 1 over the planes.
fn shares(problem: &Problem, flow: &impl Flow, distances: &[Distances]) -> Vec<f64> {
    let (planes, demands) = (problem.planes.len(), problem.demands());
    let mut share = vec![0.0; planes * demands];
    let mut part = vec![0.0; planes];
    for j in 0..demands {
        for (p, plane) in problem.planes.iter().enumerate() {
            part[p] = if plane.demands[j] == Use::Never { 0.0 } else { flow.share(p, j).max(0.0) };
        }
        let total: f64 = part.iter().sum();
        part.iter_mut().for_each(|x| *x = if *x <= flow.noise() * total { 0.0 } else { *x });
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

/// The (arc, fraction) pairs of one row at the nodes with traffic, sorted by arc.
fn split_row(
    (plane, row): (&Plane, usize),
    noise: f64,
    distances: &Distances,
    length: &[f64],
    sources: &[(u32, f64)],
    scratch: &mut Scratch,
) -> Vec<(u32, f64)> {
    let Scratch { flow, amount, alive, canceller } = scratch;
    let target = plane.targets[row] as usize;
    let block = distances.block(row / LANES);
    let dist = |u: usize| block[u][row % LANES];
    let least = noise * flow.iter().fold(0.0, |a: f64, b| a.max(*b));
    flow.iter_mut().for_each(|x| *x = if *x > least { *x } else { 0.0 });
    plane.out(target).for_each(|a| flow[a] = 0.0);
    let finished = canceller.cancel(plane, flow);

    // A node is alive if its flow ends at the target; arcs to other nodes are dropped.
    for u in finished {
        let u = *u as usize;
        alive[u] = u == target || plane.out(u).any(|a| flow[a] > 0.0 && alive[plane.head(a)]);
    }
    amount.fill(0.0);
    for (node, x) in sources {
        amount[*node as usize] += x;
    }
    let mut split = vec![];
    // Nodes without flow send their traffic towards the target by shortest paths, which end there or at a node with flow.
    // No flow leads back to them, so no cycle arises.
    let dead = (0..plane.nodes()).filter(|u| !alive[*u]);
    if dead.clone().any(|u| amount[u] > 0.0) {
        let mut farthest_first: Vec<(f64, usize)> = dead.map(|u| (dist(u), u)).collect();
        farthest_first.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, u) in farthest_first {
            if amount[u] > 0.0 {
                let nearer = |a: &usize| dist(plane.head(*a)) < dist(u);
                let shortest = |a: &usize| length[*a] + dist(plane.head(*a)) <= dist(u) * (1.0 + 1e-12);
                divide(plane, u, |a| plane.leads(row, a) && nearer(&a) && shortest(&a), |_| 1.0, amount, &mut split);
            }
        }
    }
    for u in finished.iter().rev() {
        let u = *u as usize;
        if amount[u] > 0.0 && alive[u] && u != target {
            divide(plane, u, |a| alive[plane.head(a)], |a| flow[a], amount, &mut split);
        }
    }
    split.sort_unstable_by_key(|entry| entry.0);
    split
}

/// Divides the traffic at `u` among the arcs that are `kept`, in proportion to their weights.
fn divide(
    plane: &Plane,
    u: usize,
    kept: impl Fn(usize) -> bool,
    weight: impl Fn(usize) -> f64,
    amount: &mut [f64],
    split: &mut Vec<(u32, f64)>,
) {
    let first = split.len();
    split.extend(plane.out(u).filter(|a| kept(*a) && weight(*a) > 0.0).map(|a| (a as u32, weight(a))));
    let total: f64 = split[first..].iter().map(|entry| entry.1).sum();
    for (arc, fraction) in &mut split[first..] {
        *fraction /= total;
        amount[plane.head(*arc as usize)] += *fraction * amount[u];
    }
}
