//! Levels of max-min fairness by column generation: the largest common rate of some demands beside which the others keep
//! what they have.
//!
//! ```text
//! maximise    t
//! subject to  load <= capacity, r_j = t d_j where demand j rises, else r_j = what it keeps
//! ```
//!
//! As for the cheapest flow ([`super::cheapest()`]) only links that were ever overloaded get a row in the restricted
//! master ([`Master`]).  It continues from level to level, with its paths and rows.

use super::in_use::{First, Steps, first, first_listed};
use super::links::Links;
use super::master::Master;
use super::pool::{self, Pool};
use super::price::{self, Limits, Priced};
use super::source::{Anywhere, Source};
use super::vertex::MOST_TIGHT;
use crate::error::{Error, invalid};
use crate::mcf::path_form::{self, PathProblem};
use crate::mcf::pdhg::split::NEW;
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::run::{Monitor, Options, Progress, Watch};
use crate::rounding::Nearest;

/// The largest common rate as far as it is known.
#[derive(Debug, Clone)]
pub struct FairLevel {
    /// The rate, per unit demand, of the flow reached.
    pub rate: f64,
    /// The part of all rates that fits.
    pub fits: f64,
    /// A bound on the rate.
    pub upper: f64,
    /// The length of each link that prove it: over any path, of arcs, then of access links into planes and out of them.
    pub length: Vec<f64>,
    /// Steps of the interior point.
    pub iterations: usize,
    /// Whether the monitor stopped it.
    pub interrupted: bool,
}

/// Paths of a demand in a plane that are added in one pricing, and on average.
const MOST_PATHS: usize = 4;
const PATHS: usize = 20;
/// The part of the gap to which a restricted master is solved, and steps between two pricings at most.
const DEEPER: f64 = 0.1;
const MOST_STEPS: usize = 6;
/// Products are at least this part of what they are to be reduced to: rows that are still missing need an iterate that is
/// away from the boundary.
const CENTRAL: f64 = 0.3;
/// Pricings after which a path is dropped that carried next to nothing at any of them, and what counts as that.
const PATIENCE: u32 = 8;
const UNUSED: f64 = 1e-7;
/// A level is central, and needs all paths that carry something.
const FIRST: Steps = Steps { unused: UNUSED, ..Steps::ROUGH };
/// Pricings without progress, which is a gap smaller by a tenth, before a level ends.
const MOST_IDLE: usize = 15;
const PROGRESS: f64 = 0.9;
const FEW_IDLE: usize = 3;
const FINE: f64 = 1e-6;
/// How often a level starts again, away from the boundary, where steps have become too short.
const RESTARTS: usize = 3;
/// What it costs if all of a demand is missing, per unit of the common rate: more than that is worth, which is at most 1 for a
/// demand that rises; and for one that does not, as a multiple of the smallest that does.
const PENALTY: f64 = 2.0;
const FIXED_PENALTY: f64 = 10.0;
const RISE: f64 = 4.0;
const MOST_PENALTY: f64 = 1e9;
/// The limit of a rate that rises, as a multiple of the bound known.
const ABOVE: f64 = 1.1;
/// A link has a row from the beginning if it is so full, or if its price is this part of a mean one.
const FULL: f64 = 0.9;
const PRICED: f64 = 1e-2;

/// Levels over any path.
pub struct FairFlow(Fair<Anywhere<Problem>>);

/// Levels over given paths.
pub struct FairSplit(Fair<PathProblem>);

/// What continues from level to level.
struct Fair<S> {
    /// Demands are so large that the first rate is about 1.
    source: S,
    unit: f64,
    pool: Pool,
    master: Master,
    load: Vec<f64>,
    iterations: usize,
}

/// Lengths, and the bound that they prove.
struct Bound {
    upper: f64,
    length: Vec<f64>,
}

impl FairFlow {
    /// Before the first level of `problem`, in which each demand has a path.
    ///
    /// First-order steps find the paths and links that matter, as for K alone.
    ///
    /// ```
    #[doc = include_str!("../two_cables.md")]
    /// use pnet_core::mcf::columns::FairFlow;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-8, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut fair = FairFlow::new(&problem, &options, &mut Unwatched)?;
    /// let level = fair.level(&[None], &options, &mut Unwatched)?;
    /// assert!((level.rate - 35.0).abs() < 1e-5 && (level.upper - 35.0).abs() < 1e-5);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &Problem, options: &Options, monitor: &mut impl Monitor) -> Result<Self, Error> {
        let (links, first) = first(problem, FIRST, options, monitor)?;
        let problem = Problem { demand: grown(&problem.demand, first.upper), ..problem.clone() };
        Ok(FairFlow(Fair::new(Anywhere { problem, links }, first)))
    }

    /// The largest common rate, per unit demand, of those demands that are not `fixed` at so much, to a gap of
    /// `tolerance`.
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

    /// The flow of the last level; its lengths are 0.
    pub fn proof(&self) -> Result<Proof, Error> {
        let fair = &self.0;
        let target = fair.master.targets();
        let least = target.iter().copied().fold(0.0, f64::max) * 1e-12;
        let served = target.iter().zip(fair.source.demand()).map(|(part, d)| part.max(least) * d).collect();
        Ok(fair.source.proof(served, &fair.pool, &fair.weights(), false))
    }
}

impl FairSplit {
    /// Before the first level of `problem`; see [`FairFlow::new`].
    ///
    /// ```
    /// # use pnet_core::mcf::path_form::PathProblem;
    /// # // Links of 1 and 4, and a demand with a path over each.
    /// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
    /// use pnet_core::mcf::columns::FairSplit;
    /// use pnet_core::mcf::run::{Options, Unwatched};
    ///
    /// let options = Options { tolerance: 1e-8, max_iterations: 1_000, time_limit_s: f64::INFINITY };
    /// let mut fair = FairSplit::new(&problem, &options, &mut Unwatched)?;
    /// let level = fair.level(&[None], &options, &mut Unwatched)?;
    /// assert!((level.rate - 5.0).abs() < 1e-6 && (fair.weight()[0] - 1.0).abs() < 1e-6);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(problem: &PathProblem, options: &Options, monitor: &mut impl Monitor) -> Result<Self, Error> {
        let first = first_listed(problem, FIRST, options, monitor)?;
        let source = PathProblem { demand: grown(&problem.demand, first.upper), ..problem.clone() };
        Ok(FairSplit(Fair::new(source, first)))
    }

    /// The largest common rate; see [`FairFlow::level`].
    pub fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        self.0.level(fixed, options, monitor)
    }

    /// What the last level puts on each of the paths, in proportion.
    pub fn weight(&self) -> Vec<f64> {
        let Fair { source, pool, unit, .. } = &self.0;
        let mut weight = vec![0.0; source.paths()];
        pool.numbers().iter().zip(self.0.weights()).for_each(|(n, part)| weight[*n as usize] = part * unit);
        weight
    }
}

/// Refuses what is no rate, or none, for each of so many demands.
pub(super) fn check_fixed(fixed: &[Option<f64>], demands: usize) -> Result<(), Error> {
    if fixed.len() != demands || fixed.iter().flatten().any(|rate| !(*rate > 0.0 && rate.is_finite())) {
        return invalid("fixed", "not a finite rate > 0 or none for each demand");
    }
    Ok(())
}

fn grown(demand: &[f64], by: f64) -> Vec<f64> {
    demand.iter().map(|d| d * by).collect()
}

impl<S: Source> Fair<S> {
    /// Before the first level, where demands have grown by the first bound on K.
    fn new(source: S, first: First) -> Self {
        let First { mut pool, split, lower, upper: unit, length } = first;
        let (capacity, demand) = (source.capacity(), source.demand());
        pool.problem.demand = demand.to_vec();
        let t = lower / unit;
        let load: Vec<f64> = pool.problem.load::<Nearest>(&split).iter().map(|load| t * load).collect();
        let price: Vec<f64> = length.iter().zip(capacity).map(|(l, c)| if *l > 0.0 { l * c } else { 0.0 }).collect();
        let least = price.iter().sum::<f64>() * PRICED / price.len() as f64;
        let row = |l: &usize| load[*l] >= FULL * capacity[*l] || price[*l] > least;
        let rows: Vec<u32> = (0..load.len()).filter(row).map(|l| l as u32).collect();
        let total = pool.problem.shortest::<Nearest>(&length).iter().zip(demand).map(|(l, d)| l * d).sum::<f64>();
        let price: Vec<f64> = price.iter().map(|price| price / total).collect();
        let penalty = vec![PENALTY; demand.len()];
        let master = Master::rising(&pool.problem, (t, ABOVE), &split, &rows, (&price, &load), penalty);
        let mut fair = Fair { source, unit, pool, master, load, iterations: 0 };
        fair.carry();
        fair
    }

    /// See [`FairFlow::level`].
    fn level(
        &mut self,
        fixed: &[Option<f64>],
        options: &Options,
        monitor: &mut impl Monitor,
    ) -> Result<FairLevel, Error> {
        check_fixed(fixed, self.source.demand().len())?;
        let base: Vec<f64> =
            fixed.iter().zip(self.source.demand()).map(|(rate, d)| rate.map_or(0.0, |rate| rate / d)).collect();
        let slope: Vec<f64> = fixed.iter().map(|rate| f64::from(u8::from(rate.is_none()))).collect();
        let mut watch = Watch::new(options.time_limit_s);
        let first = self.iterations;
        let known = self.bound(&base, &slope, self.source.capacity().iter().map(|c| 1.0 / c).collect());
        let mut best = known;
        let rising = slope.iter().zip(self.source.demand()).filter(|(slope, _)| **slope > 0.0);
        let least = rising.map(|(_, d)| *d).fold(f64::INFINITY, f64::min);
        let costs = slope.iter().zip(self.source.demand()).map(|(slope, d)| match *slope > 0.0 {
            true => PENALTY,
            false => FIXED_PENALTY * d / least,
        });
        let penalty: Vec<f64> = costs.collect();
        let (mut restarts, mut deeper) = (0, DEEPER);
        if fixed.iter().any(Option::is_some) {
            self.master.restart(base.clone(), slope.clone(), ABOVE * best.upper, penalty.clone());
        }
        let (mut gap, mut last, mut idle) = (f64::INFINITY, f64::INFINITY, 0);
        let mut interrupted = false;
        while gap > options.tolerance && idle < most_idle(gap) && self.iterations - first < options.max_iterations {
            let mut moves = true;
            let before = self.iterations;
            let goal = deeper * gap.min(1.0).max(options.tolerance) * self.master.t().abs();
            for _ in 0..MOST_STEPS {
                let state = self.master.state();
                if state.gap.max(state.dual) <= goal && state.primal <= goal {
                    break;
                }
                interrupted = watch.stop(monitor);
                if interrupted {
                    break;
                }
                self.iterations += 1;
                moves = self.master.step(CENTRAL * goal, || watch.late());
                if !moves {
                    break;
                }
            }
            // The bound over all paths may be further away than the restricted master says.
            if self.iterations == before && !interrupted {
                deeper *= DEEPER;
            }
            self.carry();
            let mut length = vec![0.0; self.source.capacity().len()];
            for (link, m) in self.master.entries.link.iter().zip(&self.master.m) {
                length[*link as usize] = m / self.source.capacity()[*link as usize];
            }
            let priced = self.source.under(length);
            let upper = self.upper(&base, &slope, &priced);
            let known = self.pool.problem.shortest::<Nearest>(&priced.length);
            if upper <= best.upper {
                best = Bound { upper, length: priced.length.clone() };
            }
            let reached = self.master.t();
            gap = ((best.upper - reached) / best.upper).abs().max(1.0 - self.fits());
            idle = if gap < PROGRESS * last { 0 } else { idle + 1 };
            if idle == 0 {
                last = gap;
            }
            if gap <= options.tolerance {
                break;
            }
            self.master.raise(RISE, MOST_PENALTY);
            let paths = self.source.paths(&priced, Limits { length: known, count: MOST_PATHS });
            let w = &self.master.w;
            let kept = self.pool.keep(PATIENCE, |n| w[n] > UNUSED);
            let from = self.pool.exchange(&paths, &kept);
            self.master.exchange(&self.pool.problem, &from, |_, _| 0.0);
            let rows = self.extend();
            let report =
                Progress { iterations: self.iterations, lower: reached * self.unit, upper: best.upper * self.unit };
            interrupted |= !monitor.progress(report) || watch.late();
            if interrupted {
                break;
            }
            if !moves && rows == 0 && !from.contains(&NEW) {
                if restarts == RESTARTS {
                    break;
                }
                restarts += 1;
                self.master.restart(base.clone(), slope.clone(), ABOVE * best.upper, penalty.clone());
            }
        }
        Ok(FairLevel {
            rate: self.master.t() * self.unit,
            fits: self.fits(),
            upper: best.upper * self.unit,
            length: self.source.outside(best.length),
            iterations: self.iterations - first,
            interrupted: interrupted && !watch.late(),
        })
    }

    /// The part of its demand on each path, in which each demand gets what it is to get.
    fn weights(&self) -> Vec<f64> {
        let (target, mut weight) = (self.master.targets(), self.master.w.clone());
        for (j, target) in target.iter().enumerate() {
            let own = self.master.entries.own(j);
            let total: f64 = weight[own.clone()].iter().sum();
            weight[own].iter_mut().for_each(|w| *w *= target / total);
        }
        weight
    }

    /// Records the load of the links.
    fn carry(&mut self) {
        self.load = self.pool.problem.load_of(&self.weights());
    }

    /// The part of the loads that fits, at most 1.
    fn fits(&self) -> f64 {
        self.load.iter().zip(self.source.capacity()).map(|(load, c)| c / load).fold(1.0, f64::min)
    }

    /// Gives a row to the links that are overloaded; returns how many.
    fn extend(&mut self) -> usize {
        let links = self.load.iter().zip(self.source.capacity()).enumerate();
        let new = links.filter(|(l, (load, c))| load > c && !self.master.entries.has(*l)).map(|(l, _)| l as u32);
        let new: Vec<u32> = new.collect();
        if !new.is_empty() {
            self.master.extend(&self.pool.problem, &new, &self.load);
        }
        new.len()
    }

    fn bound(&self, base: &[f64], slope: &[f64], length: Vec<f64>) -> Bound {
        let priced = self.source.under(length);
        Bound { upper: self.upper(base, slope, &priced), length: priced.length }
    }

    /// The bound on t that lengths prove.
    fn upper(&self, base: &[f64], slope: &[f64], priced: &Priced) -> f64 {
        let long = self.source.capacity().iter().zip(&priced.length).filter(|(_, l)| **l > 0.0);
        let volume: f64 = long.map(|(c, l)| c * l).sum();
        let (mut kept, mut takes) = (0.0, 0.0);
        for (j, d) in self.source.demand().iter().enumerate() {
            kept += base[j] * d * priced.shortest[j];
            takes += slope[j] * d * priced.shortest[j];
        }
        if takes > 0.0 { (volume - kept) / takes } else { f64::INFINITY }
    }
}

/// Pricings without progress before a level ends: near the limit of double precision few are enough.
fn most_idle(gap: f64) -> usize {
    if gap < FINE { FEW_IDLE } else { MOST_IDLE }
}

/// Bytes that [`FairSplit`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_listed_bytes(problem: &PathProblem) -> usize {
    let links = problem.capacity.len();
    let levels = pool::bytes_of(problem.link.len(), problem.paths()) + matrix_bytes(links);
    levels.max(path_form::estimate_bytes(problem))
}

/// Bytes that [`FairFlow`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &Problem) -> usize {
    let links = Links::new(problem).capacity.len();
    pool::estimate_bytes(problem, PATHS * problem.demands()) + price::estimate_bytes(problem) + matrix_bytes(links)
}

/// Bytes of a matrix of the links that limit; at vertices there may be two beside it while it is inverted.
pub(super) fn matrix_bytes(links: usize) -> usize {
    size_of::<f64>() * links.pow(2).max(3 * links.min(MOST_TIGHT).pow(2))
}
