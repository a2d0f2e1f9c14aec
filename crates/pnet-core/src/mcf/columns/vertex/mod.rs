//! Levels of max-min fairness by the simplex method over paths: from vertex to vertex, and from level to level.
//!
//! A vertex is as sharp a proof as numbers allow, and where demands are many and links few it is small ([`basis`]).  First-order
//! steps end near the first one: of what they send over more paths than a vertex has, as much is *pushed* towards it, path by
//! path, as t gains by (N. Megiddo, "On finding primal- and dual-optimal bases", ORSA J. Comput. 3 (1991)); the rest stays on
//! paths out of the basis, and may do so for all levels.  Paths that are shorter than those
//! in the basis under its prices enter: of some that gain most the one that gains most for the distance that the basis moves
//! (steepest edge: D. Goldfarb, J. K. Reid, "A practicable steepest-edge simplex algorithm", Math. Program. 12 (1977)), but for
//! those that proved levels have [`closed`].

mod basis;
pub(super) mod climb;
pub(super) mod closed;
pub(super) mod inverse;
pub(super) mod matrix;
mod paths;
mod rest;
mod step;

use super::fair::{FairLevel, check_fixed};
use super::in_use::{First, Steps, first, first_listed};
use super::pool::Pool;
use super::price::Path;
use super::source::{Anywhere, Source};
use crate::error::Error;
use crate::mcf::path_form::{PathProblem, normalise};
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::run::{Monitor, Options, Watch};
use basis::Basis;
use closed::Closed;
use matrix::NEGLIGIBLE;

/// Where levels begin: the closer to the first one, the fewer steps are left.
pub(super) const FIRST: Steps = Steps { gap: 1e-5, most: 6_000, unused: 1e-4, least: 0.0 };
/// All that prices may lack, as a part of t, and the part of the largest one that is noise.
pub(super) const EXACT: f64 = 1e-10;
pub(super) const NOISE: f64 = 2e-12;
/// What links may have too much by the rounding of steps: less is taken from single paths in the end.
pub(super) const OVER: f64 = 1e-11;
/// Part by which a bound may be off where its lengths close paths: what is asked, but no more and no less than so much.
pub(super) const OFF: (f64, f64) = (1e-12, 1e-9);
/// Part by which it may be off where numbers have not lost their precision altogether.
pub(super) const LOST: f64 = 1e-6;
/// See [`Vertices::patience`]: twice as many after each time that brought nothing.
const PATIENCE: usize = 100;
/// Tight links, at most: a step takes time with the square of their number.
pub(super) const MOST_TIGHT: usize = 4_000;
/// Up to so many given paths, others have programs with a sparse matrix: where more links than that may become tight, these
/// are quicker.
const SMALL: usize = 100_000;

/// Levels over any path, each at a vertex.
pub struct FairVertices(Vertices<Anywhere<Problem>>);

/// Levels over given paths, each at a vertex.
pub struct FairSplitVertices(Vertices<PathProblem>);

/// What continues from level to level.
struct Vertices<S> {
    source: S,
    /// Demands are so large that the first rate is about 1; flows are multiples of `flow`.
    unit: f64,
    flow: f64,
    basis: Basis,
    closed: Closed,
    /// How many demands were fixed in the last level, and its lengths where they prove it.
    fixed: usize,
    proof: Option<Vec<f64>>,
    /// How many links may become tight of those by which a level begins, at most.
    most_spread: usize,
    /// Steps of a level, beside one for each tight link, after which first-order steps are asked for a better point.
    patience: usize,
    iterations: usize,
}

/// The lengths that the prices of a vertex are, these with what they need of earlier levels, and the bound that proves.
pub(super) struct Bound {
    pub(super) own: Vec<f64>,
    pub(super) length: Vec<f64>,
    pub(super) upper: f64,
}

impl Bound {
    pub(super) fn proves(&self, t: f64, options: &Options) -> bool {
        (self.upper / t - 1.0).abs() <= options.tolerance.clamp(OFF.0, OFF.1)
    }
}

impl FairVertices {
    /// Before the first level of `problem`, in which each demand has a path.
    ///
    /// ```
    #[doc = include_str!("../../two_cables.md")]
    /// use pnet_core::mcf::columns::FairVertices;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-8, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut fair = FairVertices::new(&problem, &options, &mut Unwatched)?;
    /// let level = fair.level(&[None], &options, &mut Unwatched)?;
    /// assert!((level.rate - 35.0).abs() < 1e-12 && (level.upper - 35.0).abs() < 1e-12);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &Problem, options: &Options, monitor: &mut impl Monitor) -> Result<Self, Error> {
        let (links, first) = first(problem, FIRST, options, monitor)?;
        Ok(FairVertices(Vertices::new(Anywhere { problem: problem.clone(), links }, first, usize::MAX)))
    }

    /// The largest common rate, per unit demand, of those demands that are not `fixed` at so much, which is no more than they
    /// got before; its bound is far away where the vertex was not found.
    pub fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        self.0.level(fixed, options, monitor)
    }

    /// Number of planes.
    pub fn planes(&self) -> usize {
        self.0.source.problem.planes.len()
    }

    /// What each demand gets by the flow of the last level, in which links carry no more than they can.
    pub fn served(&self) -> Vec<f64> {
        self.0.served()
    }

    /// The flow of the last level; its lengths are 0.
    pub fn proof(&self) -> Result<Proof, Error> {
        let Vertices { source, basis, .. } = &self.0;
        let (mut paths, mut parts) = (vec![], vec![]);
        for (j, flows) in self.0.fitting().into_iter().enumerate() {
            let carrying = basis.split(j).map(|(n, _)| basis.paths.path(n)).zip(flows).filter(|(_, x)| *x > 0.0);
            let (own, part): (Vec<Path>, Vec<f64>) = carrying.unzip();
            paths.push(own);
            parts.push(part);
        }
        let served: Vec<f64> = parts.iter().map(|flows| flows.iter().sum()).collect();
        let pool = Pool::new(source.capacity(), &served, &paths)?;
        let mut weight = parts.concat();
        normalise(&pool.problem, &mut weight);
        Ok(source.proof(served, &pool, &weight, true))
    }
}

impl FairSplitVertices {
    /// Before the first level of `problem`; see [`FairVertices::new`].
    ///
    /// ```
    /// # use pnet_core::mcf::path_form::PathProblem;
    /// # // Links of 1 and 4, and a demand with a path over each.
    /// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
    /// use pnet_core::mcf::columns::FairSplitVertices;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-8, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut fair = FairSplitVertices::new(&problem, &options, &mut Unwatched)?;
    /// let level = fair.level(&[None], &options, &mut Unwatched)?;
    /// assert!((level.rate - 5.0).abs() < 1e-12 && (fair.carried()[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &PathProblem, options: &Options, monitor: &mut impl Monitor) -> Result<Self, Error> {
        let first = first_listed(problem, FIRST, options, monitor)?;
        let most = if problem.paths() <= SMALL { MOST_TIGHT } else { usize::MAX };
        Ok(FairSplitVertices(Vertices::new(problem.clone(), first, most)))
    }

    /// The largest common rate; see [`FairVertices::level`].
    pub fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        self.0.level(fixed, options, monitor)
    }

    /// What each of the paths carries by the flow of the last level, in which links carry no more than they can.
    pub fn carried(&self) -> Vec<f64> {
        let Vertices { source, basis, .. } = &self.0;
        let mut carried = vec![0.0; source.paths()];
        for (j, flows) in self.0.fitting().into_iter().enumerate() {
            basis.split(j).zip(flows).for_each(|((n, _), x)| carried[basis.paths.place(n) as usize] = x);
        }
        carried
    }
}

impl<S: Source> Vertices<S> {
    /// Before the first level.
    fn new(source: S, first: First, most_spread: usize) -> Self {
        let unit = first.upper;
        let limited = source.capacity().iter().filter(|c| c.is_finite());
        let flow = limited.clone().sum::<f64>() / limited.count().max(1) as f64;
        let per = source.capacity().iter().map(|c| flow / c).collect();
        let slope: Vec<f64> = source.demand().iter().map(|d| d * unit / flow).collect();
        let (t, paths) = first.flows(unit, &slope);
        let basis = Basis::new(per, slope, t, paths);
        Vertices {
            source,
            unit,
            flow,
            basis,
            closed: Closed::default(),
            fixed: 0,
            proof: None,
            most_spread,
            patience: PATIENCE,
            iterations: 0,
        }
    }

    /// See [`FairVertices::level`].
    fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        let demand = self.source.demand();
        check_fixed(fixed, demand.len())?;
        let fixed_before = std::mem::replace(&mut self.fixed, fixed.iter().flatten().count());
        if let Some(length) = self.proof.take().filter(|_| fixed_before < self.fixed) {
            self.closed.add(length);
            self.basis.close(&self.closed);
        }
        self.closed.reset();
        let (base, rising) = targets(fixed, demand, self.unit, self.flow);
        let start: Vec<_> = (0..demand.len()).map(|j| self.basis.carrying(j)).collect();
        let lowest = self.basis.t;
        self.basis.rise(base, rising);
        let (mut watch, before) = (Watch::new(options.time_limit_s), self.iterations);
        let last = before.saturating_add(options.max_iterations);
        let mut stopped = self.ascend(last, &mut watch, monitor);
        self.basis.refresh();
        if !stopped && self.fits() < 1.0 - OVER && self.basis.refactor() {
            stopped = self.ascend(last, &mut watch, monitor);
            self.basis.refresh();
        }
        let mut bound = self.bound();
        if !stopped && !bound.proves(self.basis.t, options) && !self.closed.is_empty() {
            // Prices that need nothing of earlier levels may lose fewer digits.
            self.closed = Closed::default();
            stopped = self.ascend(last, &mut watch, monitor);
            self.basis.refresh();
            bound = self.bound();
        }
        let mut fits = self.fits();
        let lost = fits < 1.0 - OVER || (bound.upper / self.basis.t - 1.0).abs() > LOST;
        if !stopped && lost && self.iterations < last && !self.is_large() {
            // Precision is lost in a matrix that is nearly singular: other steps may lead to another one.
            let (base, slope) = (self.basis.base.clone(), self.basis.slope.clone());
            self.begin(lowest, start, base, slope);
            stopped = self.ascend(last, &mut watch, monitor);
            self.basis.refresh();
            bound = self.bound();
            fits = self.fits();
        }
        self.proof = (fits >= 1.0 - OVER && bound.proves(self.basis.t, options)).then_some(bound.own);
        Ok(FairLevel {
            rate: self.basis.t * self.unit,
            fits: if fits < 1.0 - OVER { fits } else { 1.0 },
            upper: bound.upper * self.unit,
            length: self.source.outside(bound.length),
            iterations: self.iterations - before,
            interrupted: stopped && !watch.late(),
        })
    }

    /// Whether too many links are tight, or will be.
    fn is_large(&self) -> bool {
        self.basis.is_large() || (self.basis.tight() == 0 && self.basis.spread() > self.most_spread)
    }

    /// Begins at such flows of each demand, where no link is tight.
    fn begin(&mut self, t: f64, paths: Vec<Vec<(Path, f64)>>, base: Vec<f64>, slope: Vec<f64>) {
        self.basis = Basis::new(std::mem::take(&mut self.basis.per), slope.clone(), t, paths);
        self.basis.rise(base, slope);
    }

    /// The bound on t by the prices of the vertex.
    fn bound(&mut self) -> Bound {
        let own = self.basis.lengths(NEGLIGIBLE).0;
        let length = self.closed.with(&own);
        let takes = |distance: &[f64]| self.basis.takes(distance);
        Bound { upper: upper(&self.source, self.flow, &length, takes), own, length }
    }

    /// What each demand gets.
    fn served(&self) -> Vec<f64> {
        self.fitting().iter().map(|flows| flows.iter().sum()).collect()
    }

    /// The part that fits of what each demand is to get, at least, and at most 1.
    fn fits(&self) -> f64 {
        let served = self.served().into_iter().enumerate().filter(|(j, _)| self.basis.target(*j) > 0.0);
        served.map(|(j, served)| served / (self.basis.target(j) * self.flow)).fold(1.0, f64::min)
    }

    /// What each path of each demand carries, less what its links have too much.
    ///
    /// Few links have: what one lower level loses in the last digits, small demands of later ones feel.
    fn fitting(&self) -> Vec<Vec<f64>> {
        let capacity = self.source.capacity();
        let whole = |j: usize| {
            let all: f64 = self.basis.split(j).map(|(_, x)| x).sum();
            self.basis.split(j).map(move |(n, x)| (n, x / all * self.basis.target(j) * self.flow))
        };
        let mut load = vec![0.0; capacity.len()];
        for (n, x) in (0..self.source.demand().len()).flat_map(whole) {
            self.basis.paths.links(n).iter().for_each(|l| load[*l as usize] += x);
        }
        let part: Vec<f64> = load.iter().zip(capacity).map(|(load, c)| (c / load).min(1.0)).collect();
        let fits =
            |(n, x): (u32, f64)| x * self.basis.paths.links(n).iter().map(|l| part[*l as usize]).fold(1.0, f64::min);
        (0..self.source.demand().len()).map(|j| whole(j).map(fits).collect()).collect()
    }
}

/// What demands get that are `fixed`, and what others rise by with t, as multiples of `flow`.
pub(super) fn targets(fixed: &[Option<f64>], demand: &[f64], unit: f64, flow: f64) -> (Vec<f64>, Vec<f64>) {
    let target = |(rate, d): (&Option<f64>, &f64)| rate.map_or((0.0, d * unit / flow), |rate| (rate / flow, 0.0));
    fixed.iter().zip(demand).map(target).unzip()
}

/// The bound on t that lengths prove, where flows are multiples of `flow`; `takes` says what fixed demands take of the volume
/// at such distances, and those that rise for a unit of t.
pub(super) fn upper(source: &impl Source, flow: f64, length: &[f64], takes: impl Fn(&[f64]) -> (f64, f64)) -> f64 {
    let shortest = source.under(length.to_vec()).shortest;
    let long = source.capacity().iter().zip(length).filter(|(_, l)| **l > 0.0);
    let volume: f64 = long.map(|(c, l)| c / flow * l).sum();
    let (kept, takes) = takes(&shortest);
    if takes > 0.0 { (volume - kept) / takes } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::run::Unwatched;

    /// Links of 1 and 4, and a demand with a path over each.
    fn two_paths() -> PathProblem {
        PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1]).unwrap()
    }

    #[test]
    fn a_level_does_not_begin_where_too_many_links_may_become_tight() {
        let options = Options { tolerance: 1e-8, max_iterations: 100, time_limit_s: f64::INFINITY };
        for (most_spread, found) in [(0, false), (1, true)] {
            let first = first_listed(&two_paths(), FIRST, &options, &mut Unwatched).unwrap();
            let mut vertices = Vertices::new(two_paths(), first, most_spread);
            assert_eq!(vertices.basis.spread(), 1);
            let level = vertices.level(&[None], &options, &mut Unwatched).unwrap();
            assert_eq!(level.upper.is_finite() && level.iterations > 0, found, "{level:?}");
        }
    }

    #[test]
    fn nearly_full_links_will_be_tight() {
        let path = |l: u32, flow: f64| vec![(Path { place: l, links: vec![l] }, flow)];
        for (links, flow, large) in [(MOST_TIGHT + 1, 0.9995, true), (MOST_TIGHT + 1, 0.99, false), (9, 0.9995, false)]
        {
            let paths = (0..links as u32).map(|l| path(l, flow)).collect();
            let mut basis = Basis::new(vec![1.0; links], vec![1.0; links], flow, paths);
            basis.rise(vec![0.0; links], vec![1.0; links]);
            assert_eq!(basis.is_large(), large, "{links} {flow}");
        }
    }
}
