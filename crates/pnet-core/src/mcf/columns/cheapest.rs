//! The cheapest flow by column generation: an interior point on the paths and the rows that matter so far, priced by
//! shortest paths under costs and prices.
//!
//! ```text
//! minimise    sum of cost_a load_a + worth sum of (d_j - r_j)
//! subject to  load <= capacity, floor d_j <= r_j <= d_j
//! ```
//!
//! Without a worth all of each demand is served, so that this is minimum-cost flow; without costs it is the largest sum of
//! rates.  Only links that a restricted optimum has overloaded get a row in the restricted master ([`Master`]), which is
//! solved as far as the gap over all paths is worth it, and continues from where it was.

use super::links::Links;
use super::master::Master;
use super::pool::{self, Pool};
use super::price::{self, Limits};
use super::source::{Anywhere, Source};
use crate::error::{Error, invalid};
use crate::mcf::path_form::state::NEW;
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::round::round;
use crate::mcf::run::{Monitor, Options, Progress, Watch};
use crate::rounding::Nearest;

/// What a flow costs, and what of each demand has to be served.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Cost of a unit on each arc, not negative.
    pub cost: &'a [f64],
    /// What serving a unit of demand is worth; infinite where all has to be served.
    pub worth: f64,
    /// The part of each demand that has to be served in any case.
    pub floor: f64,
}

/// The best flow and the best lengths, which may come from different iterates.
#[derive(Debug, Clone)]
pub struct Cheapest {
    /// Lengths, per unit of flow, and a flow that serves each demand in proportion to `served`.
    pub proof: Proof,
    /// The part of each demand that is served, if all fits.
    pub served: Vec<f64>,
    /// The relative gap between their bounds, or the relative overload if that is larger.
    pub gap: f64,
    /// Steps of the interior point.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// Paths added in one pricing, of a demand in one plane.
const MOST_PATHS: usize = 4;
/// The part of the gap to which a restricted master is solved.
const DEEPER: f64 = 0.1;
/// Steps between two pricings at most: with paths and rows missing, more are in vain.
const MOST_STEPS: usize = 6;
/// Pricings after which a path is dropped that carried next to nothing at any of them, and what counts as that.
const PATIENCE: u32 = 6;
const UNUSED: f64 = 1e-6;
/// Pricings without progress, which is a gap smaller by a tenth, before the run ends.
const MOST_IDLE: usize = 25;
const PROGRESS: f64 = 0.9;
/// What not serving a demand costs at first where all has to be served, as a multiple of what it costs on its shortest
/// path; the factor by which that rises where a demand is short though no path is missing; and the largest.
const PENALTY: f64 = 5.0;
const RISE: f64 = 4.0;
const MOST_PENALTY: f64 = 1e9;
/// Paths of a demand in one plane, on average; up to 20 were measured.
const PATHS: usize = 20;
/// Pricings between two checks whether all of each demand can be served at all, where some are short.
const CHECK: usize = 5;
/// The part of a demand from which it counts as short.
const SHORT: f64 = 1e-4;

/// Finds the cheapest flow of `problem`, in which each demand has a path.
///
/// It ends when the gap is proved, at a limit, or when neither bound moves any more.  The result does not depend on the
/// number of threads.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// use pnet_core::mcf::columns::{Terms, cheapest};
/// use pnet_core::mcf::run::{Options, Unwatched};
///
/// let options = Options { tolerance: 1e-6, max_iterations: 1_000, time_limit_s: f64::INFINITY };
/// let terms = Terms { cost: &[1.0; 4], worth: f64::INFINITY, floor: 1.0 };
/// let found = cheapest(&problem, &terms, &options, &mut Unwatched)?;
/// assert!(found.gap <= 1e-6 && found.served == [1.0]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn cheapest(
    problem: &Problem,
    terms: &Terms,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<Cheapest, Error> {
    if terms.cost.len() != problem.arcs() {
        return invalid("cost", "not a finite number >= 0 for each arc");
    }
    let source = Anywhere { problem, links: Links::new(problem) };
    let mut cost: Vec<f64> = source.links.of_arcs(terms.cost).collect();
    cost.resize(source.links.capacity.len(), 0.0);
    let Ended { split, length, pool, gap, iterations, interrupted } = search(&source, cost, terms, options, monitor)?;
    let (length, up, down) = source.links.lengths(&length);
    // The core knows no demands of 0.
    let least = split.served.iter().copied().fold(0.0, f64::max) * 1e-12;
    let demand = split.served.iter().zip(&problem.demand).map(|(part, d)| part.max(least) * d).collect();
    let requested = Problem { demand, ..problem.clone() };
    let flow = pool.flow(problem, &source.links, &split.weight);
    let proof = round(&requested, &flow, length, up, down);
    Ok(Cheapest { proof, served: split.served, gap, iterations, interrupted })
}

/// Where a search ended.
pub(super) struct Ended {
    pub(super) split: Split,
    /// Lengths of all links.
    pub(super) length: Vec<f64>,
    pub(super) pool: Pool,
    pub(super) gap: f64,
    pub(super) iterations: usize,
    pub(super) interrupted: bool,
}

/// Finds the cheapest flow over the paths of `source`, given the cost of each link.
pub(super) fn search(
    source: &impl Source,
    cost: Vec<f64>,
    terms: &Terms,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<Ended, Error> {
    if terms.cost.iter().any(|c| !(c.is_finite() && *c >= 0.0)) || cost.len() != source.capacity().len() {
        return invalid("cost", "not a finite number >= 0 for each link");
    }
    if terms.worth.is_nan() || terms.worth <= 0.0 || !(0.0..=1.0).contains(&terms.floor) {
        return invalid("worth", "worth is not above 0, or floor is not in 0..=1");
    }
    let mut watch = Watch::new(options.time_limit_s);
    let mut search = Search::new(source, cost, terms)?;
    let mut interrupted = false;
    while !search.done(options) && !watch.late() {
        let ended = search.advance(options, || watch.stop(monitor));
        let progress = Progress { iterations: search.iterations, lower: 0.0, upper: f64::INFINITY };
        interrupted = ended || !monitor.progress(progress);
        if interrupted {
            break;
        }
    }
    interrupted &= !watch.late();
    let Search { split, lengths, pool, gap, iterations, .. } = search;
    Ok(Ended { split, length: lengths.length, pool, gap, iterations, interrupted })
}

/// Bytes that [`cheapest()`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &Problem) -> usize {
    let links = Links::new(problem).capacity.len();
    pool::estimate_bytes(problem, PATHS * problem.demands())
        + price::estimate_bytes(problem)
        + links * links * size_of::<f64>()
}

/// A split of the demands over the paths.
pub(super) struct Split {
    /// The part of its demand on each path.
    pub(super) weight: Vec<f64>,
    /// The part of each demand on its paths.
    pub(super) served: Vec<f64>,
    /// The factor by which it fits, at most 1.
    fits: f64,
    /// What it costs, shortfalls included, and what it serves is worth.
    cost: f64,
    value: f64,
    /// The part of each demand that is served at least.
    least: f64,
}

/// Lengths of all links, costs not included, what serving the demands costs under them at least, and their volume.
struct Lengths {
    length: Vec<f64>,
    takes: f64,
    volume: f64,
}

struct Search<'a, S> {
    source: &'a S,
    terms: Terms<'a>,
    /// Cost of each link, access links included.
    cost: Vec<f64>,
    /// What is left out of costs in the restricted master.
    unit: f64,
    pool: Pool,
    master: Master,
    split: Split,
    lengths: Lengths,
    gap: f64,
    iterations: usize,
    pricings: usize,
    idle: usize,
    /// Steps before the restricted master began.
    began: usize,
    /// The gap at the last progress.
    last: f64,
}

impl<'a, S: Source> Search<'a, S> {
    fn new(source: &'a S, cost: Vec<f64>, terms: &Terms<'a>) -> Result<Self, Error> {
        let requested = source.demand();
        let mean = terms.cost.iter().sum::<f64>() / terms.cost.len().max(1) as f64;
        // Of paths of equal cost the one with fewer links.
        let hop = if mean > 0.0 { 1e-9 * mean } else { 1.0 };
        let priced = source.under(cost.iter().map(|c| c + hop).collect());
        let paths = source.paths(&priced, Limits { length: vec![0.0; requested.len()], count: 1 });
        let pool = Pool::new(source.capacity(), requested, &paths)?;
        let shortest = pool.problem.shortest::<Nearest>(&cost);
        let dots = |values: &[f64]| values.iter().zip(requested).map(|(value, d)| value * d).sum::<f64>();
        let demand: f64 = requested.iter().sum();
        let whole = if terms.worth.is_finite() { terms.worth * demand } else { dots(&shortest) };
        let unit = if whole > 0.0 { whole } else { demand };
        let mean = (if whole > 0.0 { whole } else { demand }) / demand;
        let mut short = vec![];
        if terms.worth.is_finite() && terms.floor < 1.0 {
            let most = if terms.floor > 0.0 { 1.0 - terms.floor } else { f64::INFINITY };
            short.push((requested.iter().map(|d| d * terms.worth / unit).collect(), most));
        }
        if terms.worth.is_infinite() || terms.floor > 0.0 {
            let penalty = requested.iter().zip(&shortest).map(|(d, far)| PENALTY * d * (far + mean) / unit);
            short.push((penalty.collect(), f64::INFINITY));
        }
        let costs = (0..requested.len())
            .flat_map(|j| (pool.problem.pair_ptr[j]..pool.problem.pair_ptr[j + 1]).map(move |n| (j, n)))
            .map(|(j, n)| requested[j] * pool.problem.path(n).iter().map(|l| cost[*l as usize]).sum::<f64>() / unit);
        let master = Master::new(&pool.problem, costs.collect(), short);
        let lengths = Lengths { length: vec![0.0; cost.len()], takes: 0.0, volume: 0.0 };
        let nothing = Split { weight: vec![], served: vec![], fits: 0.0, cost: 0.0, value: 0.0, least: 0.0 };
        let mut search = Search {
            source,
            terms: *terms,
            cost,
            unit,
            pool,
            master,
            split: nothing,
            lengths,
            gap: f64::INFINITY,
            iterations: 0,
            pricings: 0,
            idle: 0,
            began: 0,
            last: f64::INFINITY,
        };
        search.lengths = search.lengths_of(vec![0.0; search.cost.len()], &shortest);
        let all = search.split_of(&vec![1.0; search.pool.len()], &vec![1.0; requested.len()]);
        let overloaded = search.overloaded(&all.1);
        search.offer(all.0);
        search.master.extend(&search.pool.problem, &overloaded, &all.1);
        Ok(search)
    }

    fn done(&self, options: &Options) -> bool {
        self.gap <= options.tolerance || self.iterations >= options.max_iterations || self.idle >= MOST_IDLE
    }

    /// Solves the restricted master, and prices; returns whether `stop` ended it.
    fn advance(&mut self, options: &Options, mut stop: impl FnMut() -> bool) -> bool {
        let goal = DEEPER * self.gap.min(1.0).max(options.tolerance) * self.split.value.max(self.split.cost).min(1.0);
        let most = MOST_STEPS.min(options.max_iterations - self.iterations);
        let (mut stopped, mut moves) = (false, true);
        for _ in 0..most {
            let state = self.master.state();
            if state.gap.max(state.dual) <= goal && state.primal <= goal {
                break;
            }
            stopped = stop();
            if stopped {
                break;
            }
            self.iterations += 1;
            moves = self.master.step(0.0);
            if !moves {
                break;
            }
        }
        let short = self.master.served();
        let (split, load) = self.split_of(&self.master.w, &short);
        self.offer(split);
        let length = self.prices();
        let through: Vec<f64> = length.iter().zip(&self.cost).map(|(length, cost)| length + cost).collect();
        let priced = self.source.under(through);
        let lengths = self.lengths_of(length, &priced.shortest);
        if lengths.takes - lengths.volume > self.lengths.takes - self.lengths.volume {
            self.lengths = lengths;
            self.gap = self.gap_of(&self.split);
        }
        self.pricings += 1;
        let known = self.pool.problem.shortest::<Nearest>(&priced.length);
        let penalised = self.terms.worth.is_infinite() || self.terms.floor > 0.0;
        if penalised {
            let missing = |j: usize| priced.shortest[j] < known[j] * (1.0 - 1e-9);
            self.master.penalise(SHORT, RISE, MOST_PENALTY, missing);
        }
        let paths = self.source.paths(&priced, Limits { length: known, count: MOST_PATHS });
        let (weight, cost) = (&self.split.weight, &self.cost);
        let kept = self.pool.keep(PATIENCE, |n| weight[n] > UNUSED || self.master.w[n] > UNUSED);
        let from = self.pool.exchange(&paths, &kept);
        let pool = &self.pool.problem;
        self.master.exchange(pool, &from, |j, n| {
            pool.demand[j] * pool.path(n).iter().map(|l| cost[*l as usize]).sum::<f64>() / self.unit
        });
        self.split.weight = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split.weight[*n as usize] }).collect();
        let overloaded = self.overloaded(&load);
        if !overloaded.is_empty() {
            self.master.extend(&self.pool.problem, &overloaded, &load);
        }
        let changed = from.contains(&NEW) || !overloaded.is_empty() || self.restarted(moves);
        self.idle = if self.gap < PROGRESS * self.last { 0 } else { self.idle + 1 };
        if self.idle == 0 {
            self.last = self.gap;
        }
        let least = short.iter().copied().fold(1.0, f64::min);
        let check = penalised && least < 1.0 - SHORT && self.pricings.is_multiple_of(CHECK);
        if (!moves && !changed) || (check && self.too_much()) {
            self.idle = MOST_IDLE;
        }
        stopped
    }

    /// Whether the restricted master began anew, since it does not move and did so when it began: what is added late can leave
    /// it at the boundary.
    fn restarted(&mut self, moves: bool) -> bool {
        if moves || self.iterations <= self.began + 1 {
            return false;
        }
        self.began = self.iterations;
        let rows = self.master.entries.link.clone();
        let short = self.master.short.iter().map(|short| (short.cost.clone(), short.most)).collect();
        self.master = Master::new(&self.pool.problem, self.master.cost.clone(), short);
        let load = self.split_of(&self.master.w, &self.master.served()).1;
        self.master.extend(&self.pool.problem, &rows, &load);
        true
    }

    /// The price of a unit of capacity of each link.
    fn prices(&self) -> Vec<f64> {
        let mut length = vec![0.0; self.cost.len()];
        for (link, m) in self.master.entries.link.iter().zip(&self.master.m) {
            length[*link as usize] = m * self.unit / self.source.capacity()[*link as usize];
        }
        length
    }

    /// Whether the prices alone prove that not all of what has to be served fits.
    fn too_much(&self) -> bool {
        let required = if self.terms.worth.is_infinite() { 1.0 } else { self.terms.floor };
        self.source.upper(self.prices()) < required
    }

    /// The links without a row on which a load exceeds the capacity.
    fn overloaded(&self, load: &[f64]) -> Vec<u32> {
        let links = load.iter().zip(self.source.capacity()).enumerate();
        links.filter(|(l, (load, c))| load > c && !self.master.entries.has(*l)).map(|(l, _)| l as u32).collect()
    }

    /// The split by these weights, which serves these parts of the demands, and its loads.
    fn split_of(&self, weight: &[f64], served: &[f64]) -> (Split, Vec<f64>) {
        let paths = &self.pool.problem;
        let mut load = vec![0.0; paths.capacity.len()];
        let mut normal = vec![0.0; weight.len()];
        let all = self.terms.worth.is_infinite();
        let served: Vec<f64> = served.iter().map(|part| if all { 1.0 } else { part.clamp(0.0, 1.0) }).collect();
        let (mut cost, mut value) = (0.0, 0.0);
        for (j, demand) in paths.demand.iter().enumerate() {
            let own = paths.pair_ptr[j]..paths.pair_ptr[j + 1];
            let total: f64 = weight[own.clone()].iter().sum();
            for n in own {
                normal[n] = served[j] * weight[n] / total;
                let amount = normal[n] * demand;
                paths.path(n).iter().for_each(|l| load[*l as usize] += amount);
                cost += normal[n] * self.master.cost[n];
            }
            if !all {
                value += served[j] * demand * self.terms.worth / self.unit;
            }
        }
        let fits = load.iter().zip(&paths.capacity).map(|(load, c)| c / load).fold(1.0, f64::min);
        let least = served.iter().copied().fold(1.0, f64::min);
        (Split { weight: normal, served, fits, cost, value, least }, load)
    }

    /// Lengths under which, costs included, the shortest paths of the demands are so long.
    fn lengths_of(&self, length: Vec<f64>, shortest: &[f64]) -> Lengths {
        let Terms { worth, floor, .. } = self.terms;
        let takes = self.source.demand().iter().zip(shortest).map(|(d, far)| match worth.is_finite() {
            true => d * (floor * far + (1.0 - floor) * far.min(worth)),
            false => d * far,
        });
        let priced = self.source.capacity().iter().zip(&length).filter(|(_, l)| **l > 0.0);
        let volume = priced.map(|(c, l)| c * l).sum();
        Lengths { takes: takes.sum(), volume, length }
    }

    /// The relative gap between what a split costs, or is worth, where it is scaled down until it fits, and the bound.
    fn gap_of(&self, split: &Split) -> f64 {
        let Terms { worth, floor, .. } = self.terms;
        let (takes, volume) = (self.lengths.takes / self.unit, self.lengths.volume / self.unit);
        if worth.is_infinite() {
            let (cost, least) = (split.fits * split.cost, split.fits * takes - volume);
            let between = if cost > 0.0 { (cost - least) / cost } else { 0.0 };
            return between.max(1.0 - split.fits);
        }
        let all = worth * self.source.demand().iter().sum::<f64>() / self.unit;
        let (value, most) = (split.fits * (split.value - split.cost), all - takes + volume);
        let between = if most > 0.0 { (most - value) / most } else { 0.0 };
        let lacking = if floor > 0.0 { 1.0 - split.fits * split.least / floor } else { 0.0 };
        between.max(lacking)
    }

    /// Keeps a split where it is better.
    fn offer(&mut self, split: Split) {
        let gap = self.gap_of(&split);
        if self.split.weight.is_empty() || gap < self.gap {
            (self.split, self.gap) = (split, gap);
        }
    }
}
