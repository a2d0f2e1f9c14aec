//! The best bounds so far, for the solvers on arcs: their first bounds, and their result.

use super::evaluate::{estimate, upper_bound};
use super::problem::{Plane, Problem, Use};
use super::proof::Proof;
use super::round::{Flow, round};
use crate::error::Error;
use crate::graph::Reach;
use crate::rounding::Nearest;

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The best lengths and the best flow.
    pub proof: Proof,
    /// Iterations done.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// The best bounds so far and their proof, whose two halves may come from different iterates.
pub(super) struct Best {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) proof: Proof,
}

/// No flow at all: rounding then splits evenly over shortest paths.
struct NoFlow;

impl Flow for NoFlow {
    fn row(&self, _: usize, _: usize, flow: &mut [f64]) {
        flow.fill(0.0);
    }
    fn share(&self, _: usize, _: usize) -> f64 {
        1.0
    }
}

/// Targets of a plane for which shortest paths are counted.
const SAMPLE: usize = 16;

/// About how many entries the splits of [`NoFlow`] have, after those of some targets in each plane.
///
/// ```
#[doc = include_str!("two_cables.md")]
/// assert_eq!(pnet_core::mcf::even_entries(&problem), 2);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn even_entries(problem: &Problem) -> usize {
    let mut reach = Reach::default();
    let of_plane = |plane: &Plane| {
        let every = plane.targets.len().div_ceil(SAMPLE).max(1);
        let mut open: Vec<Vec<u32>> = vec![vec![]; plane.targets.len().div_ceil(every)];
        for at in &plane.demands {
            if let Use::Core { source, row } = at
                && (*row as usize).is_multiple_of(every)
            {
                open[*row as usize / every].push(*source);
            }
        }
        let mut entries = 0;
        for (target, open) in plane.targets.iter().step_by(every).zip(&mut open) {
            plane.graph.reach(*target, &mut reach);
            let mut seen = vec![false; plane.nodes()];
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut seen[at as usize], true) {
                    for arc in plane.graph.next_hops(at, &reach) {
                        entries += 1;
                        open.push(plane.graph.head(arc));
                    }
                }
            }
        }
        entries * plane.targets.len() / open.len().max(1)
    };
    problem.planes.iter().map(of_plane).sum()
}

impl Best {
    /// Bounds without solving: shortest paths from below; from above, path length and the access links of each endpoint.
    pub(super) fn new(problem: &Problem) -> Result<Self, Error> {
        let access = problem.planes.len() * problem.endpoints;
        let none = vec![0.0; access];
        let inverse: Vec<f64> =
            problem.planes.iter().flat_map(|plane| plane.capacity.iter().map(|c| 1.0 / c)).collect();
        let even = vec![1.0; problem.arcs()];
        let mut lengths = (even, none.clone(), none.clone());
        let mut upper = upper_bound::<Nearest>(problem, &lengths.0, &lengths.1, &lengths.2)?;
        let by_speed = upper_bound::<Nearest>(problem, &inverse, &none, &none)?;
        if by_speed < upper {
            (upper, lengths.0) = (by_speed, inverse);
        }
        let by_access = narrowest_access(problem);
        if by_access.0 < upper {
            upper = by_access.0;
            lengths = (vec![0.0; problem.arcs()], by_access.1, by_access.2);
        }
        let proof = round(problem, &NoFlow, lengths.0, lengths.1, lengths.2);
        let lower = estimate(problem, &proof)?.lower;
        Ok(Best { lower, upper, proof })
    }

    pub(super) fn certified(&self, tolerance: f64) -> bool {
        self.upper - self.lower <= tolerance * self.upper
    }

    pub(super) fn offer(&mut self, problem: &Problem, candidate: Proof) -> Result<(), Error> {
        let bounds = estimate(problem, &candidate)?;
        if bounds.upper < self.upper {
            self.upper = bounds.upper;
            self.proof.length = candidate.length;
            self.proof.up_length = candidate.up_length;
            self.proof.down_length = candidate.down_length;
        }
        if bounds.lower > self.lower {
            self.lower = bounds.lower;
            self.proof.share = candidate.share;
            self.proof.split_ptr = candidate.split_ptr;
            self.proof.split_arc = candidate.split_arc;
            self.proof.split_fraction = candidate.split_fraction;
        }
        Ok(())
    }

    /// Bounds K by the links of one endpoint's switches, the tightest such cut: in a tree nothing else binds a permutation.
    pub(super) fn offer_narrowest_switch(&mut self, problem: &Problem) -> Result<(), Error> {
        let (out, inn) = endpoint_demands(problem);
        let mut speeds = vec![[0.0; 2]; problem.endpoints];
        for plane in &problem.planes {
            let mut of_switch = vec![[0.0; 2]; plane.nodes()];
            for (a, c) in plane.capacity.iter().enumerate() {
                of_switch[plane.graph.tail(a as u32) as usize][0] += c;
                of_switch[plane.head(a)][1] += c;
            }
            for (speeds, switch) in speeds.iter_mut().zip(&plane.attach) {
                let own = switch.map_or([0.0; 2], |switch| of_switch[switch as usize]);
                speeds.iter_mut().zip(own).for_each(|(speed, own)| *speed += own);
            }
        }
        let bounds = speeds.iter().zip(out.iter().zip(&inn)).enumerate();
        let bounds = bounds.flat_map(|(e, (speeds, (out, inn)))| {
            [(speeds[0] / out, e, 0), (speeds[1] / inn, e, 1)].into_iter().filter(|bound| bound.0.is_finite())
        });
        let Some((_, endpoint, direction)) = bounds.min_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
        let length = problem.planes.iter().flat_map(|plane| {
            let switch = plane.attach[endpoint];
            (0..plane.arcs()).map(move |a| {
                let end = if direction == 0 { plane.graph.tail(a as u32) } else { plane.graph.head(a as u32) };
                f64::from(u8::from(Some(end) == switch))
            })
        });
        let length: Vec<f64> = length.collect();
        let none = vec![0.0; problem.planes.len() * problem.endpoints];
        let upper = upper_bound::<Nearest>(problem, &length, &none, &none)?;
        if upper < self.upper {
            self.upper = upper;
            (self.proof.length, self.proof.up_length, self.proof.down_length) = (length, none.clone(), none);
        }
        Ok(())
    }
}

/// Total demand from each endpoint, and to it.
fn endpoint_demands(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let (mut out, mut inn) = (vec![0.0; problem.endpoints], vec![0.0; problem.endpoints]);
    for (j, d) in problem.demand.iter().enumerate() {
        out[problem.src[j] as usize] += d;
        inn[problem.dst[j] as usize] += d;
    }
    (out, inn)
}

/// The endpoint whose access links, all planes together, bound K most: the bound and its lengths.
fn narrowest_access(problem: &Problem) -> (f64, Vec<f64>, Vec<f64>) {
    let (out, inn) = endpoint_demands(problem);
    let total = |e: usize, up: bool| -> f64 {
        problem.planes.iter().map(|plane| if up { plane.up[e] } else { plane.down[e] }).sum()
    };
    let mut best = (f64::INFINITY, 0, true);
    for e in 0..problem.endpoints {
        for (sum, up) in [(out[e], true), (inn[e], false)] {
            let bound = total(e, up) / sum;
            if sum > 0.0 && bound < best.0 {
                best = (bound, e, up);
            }
        }
    }
    let mut lengths = [vec![], vec![]];
    for up in [true, false] {
        lengths[usize::from(!up)] = (0..problem.planes.len() * problem.endpoints)
            .map(|i| f64::from(u8::from(best.2 == up && i % problem.endpoints == best.1)))
            .collect();
    }
    let [up, down] = lengths;
    (best.0, up, down)
}
