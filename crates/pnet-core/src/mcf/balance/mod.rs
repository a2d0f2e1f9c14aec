//! Traffic over shortest paths, balanced until no link is overloaded: the first step of the solvers on arcs, and often
//! the last.
//!
//! Where shortest paths attain the upper bound, it remains to split the traffic over them such that every link can carry
//! its load.  This computes the split of maximum entropy: a path's traffic is proportional to the product of one weight
//! per link, so a few numbers per switch and target represent millions of flows.  The unknowns are the link prices, minus
//! the logarithms of the weights; they are 0 where a link is not full.  Scaling the weight of one link to its capacity is
//! a step of iterative proportional fitting (Kruithof 1937; Bregman 1967; Darroch and Ratcliff 1972); here all links
//! take it at once, with Nesterov's momentum (1983) and its restarts (O'Donoghue and Candes 2015).

mod paths;
mod prices;
mod row;

use rayon::prelude::*;

use super::best::Best;
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;
use super::run::{Monitor, Options, Progress, Watch};
use crate::error::Error;
use crate::rounding::Nearest;
use paths::ShortestPaths;
use prices::{Prices, Stepped};

/// Groups of rows per plane, whatever the number of threads, so that sums have one order.
const GROUPS: usize = 32;
/// Demands handled by one task; fixed for the same reason.
const CHUNK: usize = 1024;

/// Sweeps between two checks of the progress.
const CHECK_EVERY: usize = 5;
/// Balancing ends where the sweeps so far predict that it takes more than this many in all ...
const MOST_SWEEPS: f64 = 100.0;
/// ... or twice as many where the shortfall is at most so many tolerances.
const ALMOST: f64 = 10.0;
/// A flow that falls short by more than this part of K is no better a warm start than an even split.
const NEAR: f64 = 0.03;

/// Factor on the step size where a step was too long.
const SHORTER: f64 = 0.7;
/// The longest stable step with momentum for quadratic objectives, times the largest curvature, here at most the number
/// of links of the longest path.
const SAFE: f64 = 4.0 / 3.0;
/// Relative rises of the objective below this are rounding.
const ROUNDING: f64 = 1e-12;
/// The logarithm of the smallest weight of a path.
const LEAST: f64 = -600.0;

/// How balancing ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Balanced {
    /// Sweeps done.
    pub sweeps: usize,
    /// Whether the monitor or the clock stopped it.
    pub stopped: bool,
}

/// Balances traffic at the best upper bound until it fits, or converges too slowly, and offers the flow.
pub(super) fn balance(
    problem: &Problem,
    best: &mut Best,
    options: &Options,
    watch: &mut Watch,
    monitor: &mut impl Monitor,
) -> Result<Balanced, Error> {
    let mut balanced = Balanced { stopped: watch.late(), ..Balanced::default() };
    let (k, tolerance) = (best.upper, options.tolerance);
    let possible = k.is_finite() && options.max_iterations > 0 && !balanced.stopped;
    let paths = if possible { ShortestPaths::new(problem, k * (1.0 - tolerance)) } else { None };
    let Some(paths) = paths else { return Ok(balanced) };
    let mut balance = Balance::new(problem, k, paths);
    let (mut first, mut least) = (0.0, f64::INFINITY);
    while balanced.sweeps < options.max_iterations && !balanced.stopped {
        let shortfall = balance.sweep();
        if !shortfall.is_finite() {
            return Ok(balanced);
        }
        balanced.sweeps += 1;
        first = if balanced.sweeps == 1 { shortfall } else { first };
        least = least.min(shortfall);
        balanced.stopped = watch.stop(monitor);
        if shortfall <= tolerance {
            break;
        }
        if balanced.sweeps.is_multiple_of(CHECK_EVERY) || balanced.sweeps == options.max_iterations {
            let iterations = balanced.sweeps;
            balanced.stopped |= !monitor.progress(Progress { iterations, lower: best.lower, upper: best.upper });
            let most = if least <= ALMOST * tolerance { 2.0 * MOST_SWEEPS } else { MOST_SWEEPS };
            if iterations as f64 * (first / tolerance).ln() > most * (first / least).ln() {
                break;
            }
        }
    }
    if least <= NEAR || balanced.stopped || balanced.sweeps == options.max_iterations {
        best.offer(problem, balance.proof(&best.proof))?;
    }
    Ok(balanced)
}

/// Bytes that [`balance()`] holds at its peak, beyond the problem itself.
pub(super) fn estimate_bytes(problem: &Problem) -> usize {
    let float = size_of::<f64>();
    let of_plane = |plane: &Plane| {
        let row = (float + 8) * plane.nodes() + 4 * plane.arcs();
        plane.targets.len() * row + (GROUPS + 8) * float * plane.arcs() + 3 * float * problem.demands()
    };
    problem.planes.iter().map(of_plane).sum()
}

/// The balance of all traffic at one K.
struct Balance<'a> {
    problem: &'a Problem,
    k: f64,
    paths: ShortestPaths,
    /// Part of each demand that each plane carries, `[demands][planes]`.
    share: Vec<f64>,
    /// Prices of the links of each plane.
    links: Vec<Prices>,
    /// Prices of access links up and down, by plane; empty where they never limit.
    access: Vec<[Prices; 2]>,
    /// Step size, and its minimum.
    size: f64,
    safe: f64,
    /// Steps since the momentum was reset.
    since: usize,
    /// The dual objective: the weighted logarithms of the sums over paths, and capacity times price.
    objective: f64,
}

impl<'a> Balance<'a> {
    fn new(problem: &'a Problem, k: f64, paths: ShortestPaths) -> Self {
        let speeds = |plane: &'a Plane| [&plane.up, &plane.down];
        let limited = problem.planes.iter().flat_map(speeds).flatten().any(|speed| speed.is_finite());
        let constraints = f64::from(paths.most_hops) + if limited { 2.0 } else { 0.0 };
        let least = LEAST / constraints.max(1.0);
        // At price 0 a path has the geometric mean of its relative capacities as its weight.
        let mean = problem.planes.iter().flat_map(|plane| &plane.capacity).sum::<f64>() / problem.arcs() as f64;
        let width = |c: &f64| (c / mean).powf(1.0 / f64::from(paths.most_hops.max(1)));
        let links = problem
            .planes
            .iter()
            .map(|plane| Prices::new(&plane.capacity, plane.capacity.iter().map(width).collect(), least));
        let access = problem.planes.iter().map(|plane| {
            speeds(plane).map(|speeds| {
                let speeds = if limited { &speeds[..] } else { &[] };
                Prices::new(speeds, vec![1.0; speeds.len()], least)
            })
        });
        Balance {
            problem,
            k,
            share: vec![0.0; paths.carries.len()],
            links: links.collect(),
            access: access.collect(),
            paths,
            size: 1.0,
            safe: SAFE / constraints,
            since: 0,
            objective: f64::INFINITY,
        }
    }

    /// One step; returns by what part of K the flow before it falls short, NaN where weights have left the range.
    fn sweep(&mut self) -> f64 {
        let momentum = self.since as f64 / (self.since as f64 + 3.0);
        let prices = self.links.iter_mut().chain(self.access.iter_mut().flatten());
        let mut objective = prices.map(|prices| prices.extrapolate(momentum)).sum::<f64>();
        for (p, plane) in self.problem.planes.iter().enumerate() {
            let weight = self.links[p].weight();
            self.paths.rows[p].par_iter_mut().for_each(|row| row.sum_paths(plane, weight));
        }
        objective += self.k * self.divide();
        let mut stepped = Stepped::default();
        for p in 0..self.problem.planes.len() {
            let load = self.load(p);
            stepped = stepped.and(self.links[p].step(&load, self.size));
            let loads = self.access_load(p);
            for (access, load) in self.access[p].iter_mut().zip(&loads) {
                stepped = stepped.and(access.step(load, self.size));
            }
        }
        self.since += 1;
        if objective > self.objective + ROUNDING * self.objective.abs() {
            self.since = 0;
            self.size = (SHORTER * self.size).max(self.safe);
        } else if stepped.slope > 0.0 {
            self.since = 0;
        }
        self.objective = objective;
        if objective.is_finite() { 1.0 - 1.0 / stepped.utilisation } else { f64::NAN }
    }

    /// Divides each demand among its planes; returns the sum of size times logarithm of the sum over paths.
    fn divide(&mut self) -> f64 {
        let (problem, shortest, access) = (self.problem, &self.paths, &self.access);
        let planes = problem.planes.len();
        let part = |j: usize, p: usize| {
            if !shortest.carries[j * planes + p] {
                return 0.0;
            }
            let paths = match problem.planes[p].demands[j] {
                Use::Core { source, row } => shortest.rows[p][row as usize].paths(source),
                Use::Local => 1.0,
                Use::Never => 0.0,
            };
            let [up, down] = &access[p];
            let ends = [(up, problem.src[j]), (down, problem.dst[j])];
            ends.iter().filter_map(|(links, end)| links.weight().get(*end as usize)).fold(paths, |x, w| x * w)
        };
        let chunks = self.share.par_chunks_mut(CHUNK * planes).enumerate();
        let values: Vec<f64> = chunks
            .map(|(chunk, share)| {
                let mut value = 0.0;
                for (j, share) in (chunk * CHUNK..).zip(share.chunks_mut(planes)) {
                    share.iter_mut().enumerate().for_each(|(p, share)| *share = part(j, p));
                    let total: f64 = share.iter().sum();
                    share.iter_mut().for_each(|share| *share /= total);
                    value += problem.demand[j] * total.ln();
                }
                value
            })
            .collect();
        values.iter().sum()
    }

    /// Load of each arc of plane `p`.
    fn load(&self, p: usize) -> Vec<f64> {
        let (plane, rows, weight) = (&self.problem.planes[p], &self.paths.rows[p], self.links[p].weight());
        let group = rows.len().div_ceil(GROUPS).max(1);
        let groups = rows.par_chunks(group).enumerate();
        let loads: Vec<Vec<f64>> = groups
            .map(|(g, rows)| {
                let (mut load, mut sent) = (vec![0.0; plane.arcs()], vec![0.0; plane.nodes()]);
                for (row, of_row) in (g * group..).zip(rows) {
                    for (source, j) in self.paths.entering[p].of(row) {
                        sent[*source as usize] += self.amount(*j as usize, p) / of_row.paths(*source);
                    }
                    of_row.add_load(plane, weight, &mut sent, &mut load);
                }
                load
            })
            .collect();
        let mut total = vec![0.0; plane.arcs()];
        for load in &loads {
            total.iter_mut().zip(load).for_each(|(total, load)| *total += load);
        }
        plane.tie::<Nearest>(&mut total);
        total
    }

    /// Load of each access link of plane `p`, up and down; empty where they never limit.
    fn access_load(&self, p: usize) -> [Vec<f64>; 2] {
        let mut loads = self.access[p].each_ref().map(|access| vec![0.0; access.weight().len()]);
        if !loads[0].is_empty() {
            for j in 0..self.problem.demands() {
                loads[0][self.problem.src[j] as usize] += self.amount(j, p);
                loads[1][self.problem.dst[j] as usize] += self.amount(j, p);
            }
        }
        loads
    }

    /// The flow of demand `j` in plane `p`.
    fn amount(&self, j: usize, p: usize) -> f64 {
        self.k * self.problem.demand[j] * self.share[j * self.problem.planes.len() + p]
    }

    /// The flow of the last sweep, with these lengths.
    fn proof(&self, lengths: &Proof) -> Proof {
        let planes = self.problem.planes.len();
        let mut proof = Proof {
            length: lengths.length.clone(),
            up_length: lengths.up_length.clone(),
            down_length: lengths.down_length.clone(),
            share: (0..planes).flat_map(|p| self.share.iter().skip(p).step_by(planes).copied()).collect(),
            split_ptr: vec![0],
            ..Proof::default()
        };
        for (p, plane) in self.problem.planes.iter().enumerate() {
            let weight = self.links[p].weight();
            let rows: Vec<_> = self.paths.rows[p].par_iter().map(|row| row.split(plane, weight)).collect();
            for (arc, fraction) in rows.iter().map(|row| row.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>()) {
                proof.split_arc.extend(arc);
                proof.split_fraction.extend(fraction);
                proof.split_ptr.push(proof.split_arc.len());
            }
        }
        proof
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::problem::Arrays;
    use crate::mcf::run::Unwatched;

    /// Two planes of 6 leaves and 4 spines, links of speed 1 both ways, where all leaves send 1 to each other; without the
    /// cables (plane, leaf, spine) that failed.
    fn leaf_spine(failed: &[(i32, i32, i32)], access: f64) -> Problem {
        let mut arcs = vec![];
        for plane in 0..2 {
            let cables = (0..24).map(|i| (i / 4, i % 4)).filter(|(l, s)| !failed.contains(&(plane, *l, *s)));
            let both = cables.flat_map(|(l, s)| [(plane, l, 6 + s), (plane, 6 + s, l)]);
            arcs.extend(both);
        }
        arcs.sort_unstable();
        let of_first = arcs.iter().filter(|arc| arc.0 == 0).count() as i32;
        let (tail, head): (Vec<i32>, Vec<i32>) = arcs.iter().map(|arc| (arc.1, arc.2)).unzip();
        let leaves = [0, 1, 2, 3, 4, 5];
        let pairs = leaves.iter().flat_map(|s| leaves.iter().map(move |d| (*s, *d))).filter(|(s, d)| s != d);
        let (src, dst): (Vec<i32>, Vec<i32>) = pairs.unzip();
        Problem::new(&Arrays {
            node_count: &[10, 10],
            arc_ptr: &[0, of_first, arcs.len() as i32],
            tail: &tail,
            head: &head,
            capacity: &vec![1.0; arcs.len()],
            attach: &[leaves, leaves].concat(),
            access_up: &[access; 12],
            access_down: &[access; 12],
            demand: &vec![1.0; src.len()],
            src: &src,
            dst: &dst,
        })
        .unwrap()
    }

    /// The best bounds after balancing to 1e-6, and how it ended.
    fn balanced(problem: &Problem) -> (Best, Balanced) {
        let mut best = Best::new(problem).unwrap();
        best.offer_narrowest_switch(problem).unwrap();
        let options = Options { tolerance: 1e-6, max_iterations: 200, time_limit_s: f64::INFINITY };
        let mut watch = Watch::new(f64::INFINITY);
        let balanced = balance(problem, &mut best, &options, &mut watch, &mut Unwatched).unwrap();
        (best, balanced)
    }

    #[test]
    fn fills_the_narrowest_switch() {
        // Leaf 2 keeps 6 of its 8 cables, all others more, and sends to 5 others.
        let problem = leaf_spine(&[(0, 2, 0), (1, 2, 3), (1, 4, 1)], f64::INFINITY);
        let (best, balanced) = balanced(&problem);
        assert!((best.upper - 6.0 / 5.0).abs() < 1e-9, "{}", best.upper);
        assert!(best.certified(1e-6) && balanced.sweeps > 1, "{} after {}", best.lower, balanced.sweeps);
    }

    #[test]
    fn fills_access_links_evenly() {
        // Both access links of each leaf have to be full, whatever failed in one plane.
        let problem = leaf_spine(&[(0, 0, 0), (0, 1, 1), (0, 1, 2)], 0.9);
        let (best, balanced) = balanced(&problem);
        assert!((best.upper - 1.8 / 5.0).abs() < 1e-9, "{}", best.upper);
        assert!(best.certified(1e-6) && balanced.sweeps > 1, "{} after {}", best.lower, balanced.sweeps);
    }

    /// Three switches in a ring; only the first sends, and all to the second.
    fn ring(demand: f64, speeds: [f64; 2]) -> Problem {
        let [short, long] = speeds;
        Problem::new(&Arrays {
            node_count: &[3],
            arc_ptr: &[0, 6],
            tail: &[0, 0, 1, 1, 2, 2],
            head: &[1, 2, 0, 2, 0, 1],
            capacity: &[short, long, short, long, long, long],
            attach: &[0, 1],
            access_up: &[f64::INFINITY; 2],
            access_down: &[f64::INFINITY; 2],
            src: &[0],
            dst: &[1],
            demand: &[demand],
        })
        .unwrap()
    }

    #[test]
    fn does_nothing_where_the_cables_between_two_switches_are_too_slow() {
        let (best, balanced) = balanced(&ring(1.0, [1.0, 1.0]));
        assert_eq!((balanced.sweeps, best.lower), (0, 1.0));
        assert!(best.upper > 1.5);
    }

    #[test]
    fn ends_early_where_longer_paths_are_needed() {
        // A ring of six and a demand over two hops: half of it takes the four hops in the other direction.
        let tail: Vec<i32> = (0..6).flat_map(|u| [u, u]).collect();
        let head: Vec<i32> = (0..6).flat_map(|u| [(u + 1) % 6, (u + 5) % 6]).collect();
        let problem = Problem::new(&Arrays {
            node_count: &[6],
            arc_ptr: &[0, 12],
            tail: &tail,
            head: &head,
            capacity: &[1.0; 12],
            attach: &[0, 2],
            access_up: &[f64::INFINITY; 2],
            access_down: &[f64::INFINITY; 2],
            src: &[0],
            dst: &[1],
            demand: &[1.0],
        })
        .unwrap();
        let (best, balanced) = balanced(&problem);
        assert_eq!((balanced.sweeps, best.lower), (CHECK_EVERY, 1.0));
        assert!((best.upper - 2.0).abs() < 1e-9, "{}", best.upper);
    }
}
