//! The cheapest flow by column generation, priced by shortest paths under costs and prices.
//!
//! ```text
//! minimise    sum of cost_a load_a + worth sum of (d_j - r_j)
//! subject to  load <= capacity, floor d_j <= r_j <= d_j
//! ```
//!
//! Without a worth all of each demand is served, so that this is minimum-cost flow; without costs it is the largest sum of
//! rates.  First-order steps on the restricted master ([`gradual`]) are first, unless all has to be served and an interior
//! point takes hardly longer than a few of them.  Once they have taken as long as it would, that has its turn, here: only
//! links that a restricted optimum has overloaded get a row in its restricted master ([`Master`]), which is solved as far as
//! the gap over all paths is worth it, and continues from where it was.

use super::goal::{Goal, Lengths, Split, Terms};
use super::gradual;
use super::links::Links;
use super::master::Master;
use super::pool::{self, Pool};
use super::price::{self, Limits, Path};
use super::source::{Anywhere, Source};
use super::{FIRST_PATHS, LEAST_STEPS, first_of};
use crate::error::{Error, invalid};
use crate::mcf::path_form::PathProblem;
use crate::mcf::pdhg::split::NEW;
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::round::round;
use crate::mcf::run::{Monitor, Options, Progress, Watch};
use crate::rounding::Nearest;

/// The best flow and the best lengths, which may come from different iterates.
#[derive(Debug, Clone)]
pub struct Cheapest {
    /// Lengths, per unit of flow, and a flow that serves each demand in proportion to `served`.
    pub proof: Proof,
    /// The part of each demand that is served, if all fits.
    pub served: Vec<f64>,
    /// The relative gap between their bounds, or the relative overload if that is larger.
    pub gap: f64,
    /// Steps of both kinds.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// The part of the gap to which a restricted master is solved.
const DEEPER: f64 = 0.1;
/// Steps between two pricings at most: with paths and rows missing, more are in vain.
const MOST_STEPS: usize = 4;
/// Paths added in one pricing, of a demand in one plane; and of all, where that is more than one of each: a step visits all
/// pairs of links of a path.
const MOST_PATHS: usize = 4;
const MOST_ADDED: usize = 1000;
/// Pricings after which a path is dropped that was no use at any of them, and what it carries if it is.
const PATIENCE: u32 = 3;
const UNUSED: f64 = 1e-2;
/// Pricings without progress, which is a gap smaller by a tenth, before the run ends.
const MOST_IDLE: usize = 25;
const PROGRESS: f64 = 0.9;
/// What not serving a demand costs at first where all has to be served, as a multiple of what it costs on its shortest
/// path; the factor by which that rises where a demand is short though no path is missing; and the largest.
const PENALTY: f64 = 5.0;
const RISE: f64 = 4.0;
const MOST_PENALTY: f64 = 1e9;
/// Links that limit, at most, where the interior point has its turn: a step of it takes a second or two then.
const MOST_ROWS: usize = 3000;
/// The part of all links from which on it is in vain where all has to be served: hardly any flow is away from all of them.
const CROWDED: f64 = 0.6;
/// Its steps, more where demands are few; the links that a demand comes to use, as a multiple of those of its shortest path;
/// and the floating-point operations that take as long as a first-order step on one link of one path.
const STEPS: f64 = 40.0;
const SPREAD: f64 = 4.0;
const PER_VISIT: f64 = 8.0;
/// The part of its work after which first-order steps end, where all is served; where any part may be, they need fewer, and
/// the interior point more.
const SHARE: f64 = 0.5;
/// It is first where all is served and its work is at most so many times that of first-order steps until they first price.
const FIRST: f64 = 10.0;
/// Paths of a demand in one plane, on average; up to 20 were measured.
const PATHS: usize = 20;
/// Pricings between two checks whether all of each demand can be served at all, where some are short.
pub(super) const CHECK: usize = 5;
/// The part of a demand from which it counts as short.
pub(super) const SHORT: f64 = 1e-4;

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
    let goal = Goal { source, terms: *terms, cost };
    let mut run = Run { options, watch: Watch::new(options.time_limit_s), monitor, done: 0, interrupted: false };
    let shortest = cheapest_paths(&goal);
    let pool = Pool::new(source.capacity(), source.demand(), &shortest)?;
    let rows = goal.overloaded(&goal.everything(&pool.problem).1).len();
    if rows == 0 {
        return Ok(run.ended(Search::new(&goal, pool).release()));
    }
    if rows > MOST_ROWS {
        return run.gradually(&goal);
    }
    let work = if terms.worth.is_finite() { f64::INFINITY } else { work(rows, &pool.problem) };
    let first = (LEAST_STEPS * first_of(source.demand().len(), FIRST_PATHS) * pool.problem.link.len()) as f64;
    if work <= FIRST * first {
        let mut search = Search::new(&goal, pool);
        run.until(&mut search, |_| false);
        if !run.goes_on(&search) {
            return Ok(run.ended(search.release()));
        }
        let other = run.gradually(&goal)?;
        return Ok(if search.gap < other.gap { run.ended(search.release()) } else { other });
    }
    let mut gradual = gradual::Search::new(&goal)?;
    run.until(&mut gradual, |search| search.spent() > SHARE * work);
    if !run.goes_on(&gradual) {
        return Ok(run.ended(gradual.release()));
    }
    let mut search = Search::new(&goal, gradual.carrying(UNUSED, &shortest));
    run.until(&mut search, |_| false);
    if run.goes_on(&search) {
        run.until(&mut gradual, |_| false);
    }
    Ok(run.ended(if search.gap < gradual.gap() { search.release() } else { gradual.release() }))
}

/// A search in rounds of some steps and a pricing.
pub(super) trait Rounds {
    fn gap(&self) -> f64;
    /// Steps so far.
    fn iterations(&self) -> usize;
    /// Whether neither bound moves any more.
    fn stalled(&self) -> bool;
    /// Whether it is proved that not all fits that has to be served.
    fn impossible(&self) -> bool;
    /// Does a round of `most` steps at most, towards a gap; returns whether `stop` ended it.
    fn advance(&mut self, tolerance: f64, most: usize, stop: impl FnMut() -> bool) -> bool;
}

/// A split and lengths, the paths, and the gap.
pub(super) type Found = (Split, Lengths, Pool, f64);

/// One search after the other, within the same limits.
struct Run<'a, M> {
    options: &'a Options,
    watch: Watch,
    monitor: &'a mut M,
    /// Steps so far.
    done: usize,
    interrupted: bool,
}

impl<M: Monitor> Run<'_, M> {
    fn goes_on(&self, search: &impl Rounds) -> bool {
        let left = self.done < self.options.max_iterations && !self.watch.late() && !self.interrupted;
        left && !search.impossible() && (search.gap() > self.options.tolerance || search.gap().is_nan())
    }

    /// Where the last search ended.
    fn ended(&self, (split, Lengths { length, .. }, pool, gap): Found) -> Ended {
        Ended { split, length, pool, gap, iterations: self.done, interrupted: self.interrupted && !self.watch.late() }
    }

    /// First-order steps alone.
    fn gradually(&mut self, goal: &Goal<impl Source>) -> Result<Ended, Error> {
        let mut gradual = gradual::Search::new(goal)?;
        self.until(&mut gradual, |_| false);
        Ok(self.ended(gradual.release()))
    }

    /// Continues a search until it is `enough`, stalled or certified, or a limit ends it.
    fn until<S: Rounds>(&mut self, search: &mut S, enough: impl Fn(&S) -> bool) {
        while self.goes_on(search) && !search.stalled() && !enough(search) {
            let (before, most) = (search.iterations(), self.options.max_iterations - self.done);
            let stopped = search.advance(self.options.tolerance, most, || self.watch.stop(self.monitor));
            self.done += search.iterations() - before;
            let progress = Progress { iterations: self.done, lower: 0.0, upper: f64::INFINITY };
            self.interrupted = !self.monitor.progress(progress) || stopped;
        }
    }
}

/// What the interior point takes, in links of paths that first-order steps visit.
fn work(rows: usize, problem: &PathProblem) -> f64 {
    let (rows, demands) = (rows as f64, problem.demand.len() as f64);
    let links = problem.link.len() as f64 / demands;
    let steps = STEPS * (1.0 + rows / demands);
    steps * (rows.powi(3) / 3.0 + demands * (SPREAD * links).powi(2)) / PER_VISIT
}

/// Bytes that [`cheapest()`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &Problem) -> usize {
    let links = Links::new(problem).capacity.len();
    let demands = problem.demands();
    let paths = PATHS.max(2 * first_of(demands.max(1), FIRST_PATHS));
    pool::estimate_bytes(problem, paths * demands) + price::estimate_bytes(problem) + matrix_bytes(links)
}

/// Bytes of the matrix of those of so many links that limit, at most.
pub(super) fn matrix_bytes(links: usize) -> usize {
    links.min(MOST_ROWS).pow(2) * size_of::<f64>()
}

/// A path of least cost of each demand.
fn cheapest_paths(goal: &Goal<impl Source>) -> Vec<Vec<Path>> {
    let priced = goal.source.under(goal.lengthened());
    goal.source.paths(&priced, Limits { length: vec![0.0; goal.source.demand().len()], count: 1 })
}

struct Search<'a, S> {
    goal: &'a Goal<'a, S>,
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
    impossible: bool,
    /// Steps before the restricted master began.
    began: usize,
    /// The gap at the last progress.
    last: f64,
}

impl<'a, S: Source> Search<'a, S> {
    fn new(goal: &'a Goal<'a, S>, pool: Pool) -> Self {
        let (requested, terms) = (goal.source.demand(), goal.terms);
        let shortest = pool.problem.shortest::<Nearest>(&goal.cost);
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
            .map(|(j, n)| requested[j] * goal.cost_of(&pool.problem, n) / unit);
        let master = Master::new(&pool.problem, costs.collect(), short);
        let lengths = goal.lengths(vec![0.0; goal.cost.len()], &shortest);
        let mut search = Search {
            goal,
            unit,
            pool,
            master,
            split: Split::nothing(),
            lengths,
            gap: f64::INFINITY,
            iterations: 0,
            pricings: 0,
            idle: 0,
            impossible: false,
            began: 0,
            last: f64::INFINITY,
        };
        let (all, load) = goal.everything(&search.pool.problem);
        let rows = goal.overloaded(&load);
        search.offer(all);
        search.master.extend(&search.pool.problem, &rows, &load);
        search
    }

    fn release(self) -> Found {
        (self.split, self.lengths, self.pool, self.gap)
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
        let load = self.goal.split(&self.pool.problem, &self.master.w, &self.master.served()).1;
        self.master.extend(&self.pool.problem, &rows, &load);
        true
    }

    /// The price of a unit of capacity of each link.
    fn prices(&self) -> Vec<f64> {
        let mut length = vec![0.0; self.goal.cost.len()];
        for (link, m) in self.master.entries.link.iter().zip(&self.master.m) {
            length[*link as usize] = m * self.unit / self.goal.source.capacity()[*link as usize];
        }
        length
    }

    /// Whether each path carries more than little of its demand, or more than its reduced cost is of the demand's price: one of
    /// the two goes to 0.
    fn used(&self) -> Vec<bool> {
        let Master { entries, w, y, z, .. } = &self.master;
        let of = |j: usize| entries.own(j).map(move |n| w[n] > UNUSED || w[n] * y[j].abs() > z[n]);
        (0..entries.demands()).flat_map(of).collect()
    }

    /// Whether so many links limit that the interior point is no use.
    fn too_many_rows(&self) -> bool {
        let (rows, links) = (self.master.m.len(), self.goal.cost.len() as f64);
        rows > MOST_ROWS || (self.goal.terms.worth.is_infinite() && rows as f64 > CROWDED * links)
    }

    /// Whether the prices alone prove that not all of what has to be served fits.
    fn too_much(&self) -> bool {
        self.goal.source.bound(self.prices()).upper < self.goal.terms.least()
    }

    /// Keeps a split where it is better.
    fn offer(&mut self, split: Split) {
        let gap = self.goal.gap(&split, &self.lengths);
        if self.split.weight.is_empty() || gap < self.gap {
            (self.split, self.gap) = (split, gap);
        }
    }
}

impl<S: Source> Rounds for Search<'_, S> {
    fn gap(&self) -> f64 {
        self.gap
    }

    fn iterations(&self) -> usize {
        self.iterations
    }

    fn impossible(&self) -> bool {
        self.impossible
    }

    fn stalled(&self) -> bool {
        self.idle >= MOST_IDLE
    }

    /// Solves the restricted master, and prices; returns whether `stop` ended it.
    fn advance(&mut self, tolerance: f64, most: usize, mut stop: impl FnMut() -> bool) -> bool {
        let whole = self.split.value.max(self.split.cost) / self.unit;
        let goal = DEEPER * self.gap.min(1.0).max(tolerance) * whole.min(1.0);
        let (mut stopped, mut moves) = (false, true);
        for _ in 0..most.min(MOST_STEPS) {
            let state = self.master.state();
            if state.gap.max(state.dual) <= goal && state.primal <= goal {
                break;
            }
            stopped = stop();
            if stopped {
                break;
            }
            self.iterations += 1;
            moves = self.master.step(0.0, &mut stop);
            if !moves {
                break;
            }
        }
        let short = self.master.served();
        let (split, load) = self.goal.split(&self.pool.problem, &self.master.w, &short);
        self.offer(split);
        let length = self.prices();
        let priced = self.goal.under(&length);
        let lengths = self.goal.lengths(length, &priced.shortest);
        if lengths.bound() > self.lengths.bound() {
            self.lengths = lengths;
            self.gap = self.goal.gap(&self.split, &self.lengths);
        }
        self.pricings += 1;
        let known = self.pool.problem.shortest::<Nearest>(&priced.length);
        let penalised = self.goal.terms.least() > 0.0;
        if penalised {
            let missing = |j: usize| priced.shortest[j] < known[j] * (1.0 - 1e-9);
            self.master.penalise(SHORT, RISE, MOST_PENALTY, missing);
        }
        let count = (MOST_ADDED / known.len().max(1)).clamp(1, MOST_PATHS);
        let paths = self.goal.source.paths(&priced, Limits { length: known, count });
        let (weight, used) = (&self.split.weight, self.used());
        let mut kept = self.pool.keep(PATIENCE, |n| weight[n] > UNUSED || used[n]);
        for own in self.pool.problem.pair_ptr.windows(2) {
            // What is served of a demand may be on many paths with little each.
            if !(own[0]..own[1]).any(|n| kept[n] && weight[n] > 0.0) {
                (own[0]..own[1]).for_each(|n| kept[n] |= weight[n] > 0.0);
            }
        }
        let dropped = kept.iter().zip(weight).any(|(kept, weight)| !kept && *weight > 0.0);
        let from = self.pool.exchange(&paths, &kept);
        let pool = &self.pool.problem;
        let (goal, unit) = (&self.goal, self.unit);
        self.master.exchange(pool, &from, |j, n| pool.demand[j] * goal.cost_of(pool, n) / unit);
        self.split.weight = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split.weight[*n as usize] }).collect();
        if dropped {
            self.split = goal.split(pool, &self.split.weight, &self.split.served).0;
            self.gap = goal.gap(&self.split, &self.lengths);
        }
        let mut rows = self.goal.overloaded(&load);
        rows.retain(|link| !self.master.entries.has(*link as usize));
        if !rows.is_empty() {
            self.master.extend(&self.pool.problem, &rows, &load);
        }
        let changed = from.contains(&NEW) || !rows.is_empty() || self.restarted(moves);
        self.idle = if self.gap < PROGRESS * self.last { 0 } else { self.idle + 1 };
        if self.idle == 0 {
            self.last = self.gap;
        }
        let least = short.iter().copied().fold(1.0, f64::min);
        let check = penalised && least < 1.0 - SHORT && self.pricings.is_multiple_of(CHECK);
        self.impossible = check && self.too_much();
        if (!moves && !changed) || self.impossible || self.too_many_rows() {
            self.idle = MOST_IDLE;
        }
        stopped
    }
}
