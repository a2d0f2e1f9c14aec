//! Levels of max-min fairness by the simplex method over trees, one for each destination.
//!
//! Where most pairs have demands, a vertex over paths takes a step for each pair of which the traffic moves.  Over trees
//! ([`basis`]) all that goes through a switch to a destination moves at once, and one pass
//! over trees and arcs prices all paths, not only those known.  Levels follow each other, and are closed, as where keys are paths
//! ([`vertex`](super::vertex)).

mod basis;
mod climb;
mod flow;
mod network;
mod step;
mod tree;

use super::fair::{FairLevel, check_fixed, matrix_bytes};
use super::links::Links;
use super::price;
use super::source::{Anywhere, Source};
use super::vertex::closed::{AMPLE, Closed, LONGER};
use super::vertex::matrix::NEGLIGIBLE;
use super::vertex::{Bound, LOST, MOST_TIGHT, NOISE, OVER, targets, upper};
use crate::error::{Error, invalid};
use crate::mcf::best::Best;
use crate::mcf::problem::{Plane, Problem};
use crate::mcf::proof::Proof;
use crate::mcf::round::round;
use crate::mcf::run::{Monitor, Options, Watch};
use basis::Basis;
use flow::TreeFlow;
use network::Network;
use tree::Tree;

/// How often lengths of closed levels are added to those of a bound.
const MOST_LIFTS: usize = 100;

/// Levels over any path, each at a vertex of flows by destination.
pub struct FairTrees {
    source: Anywhere<Problem>,
    /// Demands are so large that the first rate is about 1; flows are multiples of `flow`.
    unit: f64,
    flow: f64,
    basis: Basis,
    closed: Closed,
    /// How many demands were fixed in the last level, and its lengths where they prove it.
    fixed: usize,
    proof: Option<Vec<f64>>,
    iterations: usize,
    /// After how many of them the matrix was inverted anew.
    refactored: usize,
}

impl FairTrees {
    /// Before the first level of `problem`, in which each demand has a path.
    ///
    /// ```
    #[doc = include_str!("../../two_cables.md")]
    /// use pnet_core::mcf::columns::FairTrees;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-8, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut fair = FairTrees::new(&problem, &options, &mut Unwatched)?;
    /// let level = fair.level(&[None], &options, &mut Unwatched)?;
    /// assert!((level.rate - 35.0).abs() < 1e-12 && (level.upper - 35.0).abs() < 1e-12);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &Problem, _: &Options, _: &mut impl Monitor) -> Result<Self, Error> {
        let best = Best::new(problem)?;
        if !best.lower.is_finite() {
            return invalid("capacity", "no link limits any demand");
        }
        let links = Links::new(problem);
        let flow = links.capacity.iter().sum::<f64>() / links.capacity.len().max(1) as f64;
        let per = links.capacity.iter().map(|c| flow / c).collect();
        let slope = problem.demand.iter().map(|d| d * best.upper / flow).collect();
        let (network, trees) = Network::new(problem, &links);
        let basis = Basis::new(network, trees, per, slope);
        Ok(FairTrees {
            source: Anywhere { problem: problem.clone(), links },
            unit: best.upper,
            flow,
            basis,
            closed: Closed::default(),
            fixed: 0,
            proof: None,
            iterations: 0,
            refactored: 0,
        })
    }

    /// The largest common rate, per unit demand, of those demands that are not `fixed` at so much, which is no more than they
    /// got before; its bound is far away where the vertex was not found.
    pub fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        check_fixed(fixed, self.source.demand().len())?;
        let fixed_before = std::mem::replace(&mut self.fixed, fixed.iter().flatten().count());
        if let Some(length) = self.proof.take().filter(|_| fixed_before < self.fixed) {
            self.close(length);
        }
        self.closed.reset();
        let (base, rising) = targets(fixed, self.source.demand(), self.unit, self.flow);
        self.basis.rise(base, rising);
        let (mut watch, before) = (Watch::new(options.time_limit_s), self.iterations);
        let last = before.saturating_add(options.max_iterations);
        let mut stopped = self.ascend(last, &mut watch, monitor);
        self.basis.refresh();
        if !stopped && self.fits() < 1.0 && self.basis.refactor() {
            stopped = self.ascend(last, &mut watch, monitor);
            self.basis.refresh();
        }
        let mut bound = self.bound();
        if !stopped && !bound.proves(self.basis.t, options) && !self.closed.is_empty() {
            // Prices that need nothing of earlier levels may lose fewer digits.
            self.closed = Closed::default();
            self.basis.trees.iter_mut().for_each(|tree| tree.reopen());
            stopped = self.ascend(last, &mut watch, monitor);
            self.basis.refresh();
            bound = self.bound();
        }
        let fits = self.fits();
        let lost = fits < 1.0 || (bound.upper / self.basis.t - 1.0).abs() > LOST;
        self.proof = (!lost && bound.proves(self.basis.t, options)).then_some(bound.own);
        Ok(FairLevel {
            rate: self.basis.t * self.unit,
            fits,
            upper: bound.upper * self.unit,
            length: self.source.outside(bound.length),
            iterations: self.iterations - before,
            interrupted: stopped && !watch.late(),
        })
    }

    /// Number of planes.
    pub fn planes(&self) -> usize {
        self.source.problem.planes.len()
    }

    /// What each demand gets by the flow of the last level, in which links carry no more than they can.
    pub fn served(&self) -> Vec<f64> {
        self.fitting().into_iter().enumerate().map(|(j, part)| part * self.basis.target(j) * self.flow).collect()
    }

    /// The flow of the last level; its lengths are 0.
    pub fn proof(&self) -> Result<Proof, Error> {
        let served = Problem { demand: self.served(), ..self.source.problem.clone() };
        let (length, up, down) = self.source.links.lengths(&vec![0.0; self.basis.per.len()]);
        Ok(round(&served, &TreeFlow::new(&served, &self.basis), length, up, down))
    }

    /// The part that fits of what each demand is to get, at least; 1 where next to nothing is missing.
    fn fits(&self) -> f64 {
        let fullest = flow::loads(&self.basis).into_iter().fold(1.0, f64::max);
        if 1.0 / fullest >= 1.0 - OVER {
            return 1.0;
        }
        let fitting = self.fitting().into_iter().enumerate().filter(|(j, _)| self.basis.target(*j) > 0.0);
        let least = fitting.map(|(_, part)| part).fold(1.0, f64::min);
        if least < 1.0 - OVER { least } else { 1.0 }
    }

    /// The part of what each demand is to get that links have room for.
    fn fitting(&self) -> Vec<f64> {
        let load = flow::loads(&self.basis);
        let part: Vec<f64> = load.iter().map(|load| (1.0 / load).min(1.0)).collect();
        let of_arc = self.basis.network.link.iter().map(|l| part.get(*l as usize).copied().unwrap_or(1.0));
        let of_arc: Vec<f64> = of_arc.collect();
        let mut fits = vec![1.0; self.basis.slope.len()];
        for d in 0..self.basis.trees.len() {
            let from = flow::narrowest(&self.basis, d, &of_arc);
            self.basis.trees[d].demands.iter().for_each(|(j, v)| fits[*j as usize] = from[*v as usize]);
        }
        fits
    }

    /// What a proved level closes.
    fn close(&mut self, length: Vec<f64>) {
        self.closed.add(length);
        let Some((number, length)) = self.closed.last() else { return };
        let length = self.basis.of_arcs(length);
        for tree in &mut self.basis.trees {
            tree.measure(&length);
            tree.close(&self.basis.network, &length, number as u32, LONGER);
        }
    }

    /// The bound on t by the prices of the vertex: closed arcs may be short under these, and lengths of the levels that closed
    /// them are added until none is.
    fn bound(&mut self) -> Bound {
        let own = self.basis.lengths(NEGLIGIBLE).0;
        let mut length = self.closed.with(&own);
        for _ in 0..MOST_LIFTS {
            let of_arcs = self.basis.of_arcs(&length);
            for tree in &mut self.basis.trees {
                let noise = NOISE * tree.measure(&of_arcs);
                for (level, times) in tree.shortcuts(&self.basis.network, &of_arcs, noise) {
                    self.closed.need(level as usize, AMPLE * times);
                }
            }
            if !self.closed.lift() {
                break;
            }
            length = self.closed.with(&own);
        }
        let takes = |distance: &[f64]| self.basis.takes(distance);
        Bound { upper: upper(&self.source, self.flow, &length, takes), own, length }
    }
}

/// Bytes that [`FairTrees`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &Problem) -> usize {
    let nodes = problem.planes.iter().map(Plane::nodes).sum::<usize>() + problem.endpoints + 1;
    let arcs = problem.arcs() + 2 * problem.planes.len() * problem.endpoints;
    let mut destinations = vec![false; problem.endpoints];
    problem.dst.iter().for_each(|d| destinations[*d as usize] = true);
    let trees = destinations.iter().filter(|has| **has).count();
    let links = Links::new(problem).capacity.len();
    trees * (Tree::BYTES_PER_NODE * nodes + Tree::BYTES_PER_ARC * arcs)
        + price::estimate_bytes(problem)
        + matrix_bytes(links)
}
