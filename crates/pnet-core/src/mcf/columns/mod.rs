//! Column generation: first-order steps on a restricted master problem, priced by shortest paths under its duals.
//!
//! The path form has a variable for each path of each demand, of which an optimum uses about as many as there are links
//! and demands.  So a restricted master over some of them is solved ([`path_form`](super::path_form)), and shortest paths
//! under its link prices are added to it (Ford and Fulkerson 1958; Dantzig and Wolfe 1960).  The distances bound K from
//! above, any split over the paths in use bounds it from below.  Between two pricings the iteration continues from where
//! it was, with the new paths and without those that have long carried nothing.  Its prices are averages, and need no
//! other stabilisation.
//!
//! Column generation is skipped where balancing traffic over shortest paths certifies the answer ([`balance`]).  Once
//! first-order steps have taken as long as an interior-point method would, that solves the restricted master instead
//! ([`interior`]).

mod arrow;
mod cheapest;
mod cholesky;
mod entries;
mod fair;
mod goal;
mod gradual;
mod in_use;
mod interior;
mod links;
mod listed;
mod master;
mod pool;
mod price;
mod rise;
mod source;
mod vertex;

pub use cheapest::{Cheapest, cheapest, estimate_bytes as estimate_cheapest_bytes};
pub use fair::{
    FairFlow, FairLevel, FairSplit, estimate_bytes as estimate_fair_flow_bytes,
    estimate_listed_bytes as estimate_fair_split_bytes,
};
pub use goal::Terms;
pub use in_use::{Listed, PathsInUse};
pub use listed::{CheapestSplit, cheapest_listed, estimate_bytes as estimate_listed_bytes};
pub use vertex::{FairSplitVertices, FairVertices};

use super::balance::{self, Balanced, balance};
use super::best::{Best, Solution};
use super::path_form::normalise;
use super::path_form::state::{Iterate, State};
use super::pdhg::split::NEW;
use super::pdhg::{Iteration, PROGRESS, STANDSTILL};
use super::problem::{Problem, Use};
use super::round::round;
use super::run::{Monitor, Options, Progress, Watch};
use crate::error::Error;
use crate::rounding::Nearest;
use links::Links;
use pool::Pool;
use price::{Limits, Priced};

/// Steps between two pricings, at least; exactly so many while paths are missing.
const LEAST_STEPS: usize = 40;
/// Steps between two pricings, as a part of all: once few paths are missing, pricing costs more than it gains.
const STEPS_FRACTION: usize = 20;
/// Paths are missing while the gap between the upper bounds of all paths and of those in use is more than this multiple of
/// the gap of the restricted master.
const MISSING: f64 = 0.5;
/// Paths added in one pricing, of a demand in one plane.
const MOST_PATHS: usize = 4;
/// Paths at the start, of a demand in one plane, where no sending switch has more links, and how much longer than the
/// shortest, by hops, they may be.  An optimum leaves a switch by all its links: a missing path that is only as long as
/// those in use has no negative reduced cost, and without it convergence takes hundreds of times as many steps.
const FIRST_PATHS: usize = 24;
const FIRST_SLACK: f64 = 3.0;
/// Paths at the start, in all: where demands are many, each needs few, but for these few as long as all are not too many.
const FIRST_IN_ALL: usize = 300_000;
const FEW_FIRST_PATHS: usize = 3;
const MOST_IN_ALL: usize = 1_000_000;
/// Pricings after which a path is dropped that carried nothing at any of them.
const PATIENCE: u32 = 5;
/// Paths that one task steps.
const PATHS_PER_TASK: usize = 2048;

/// First-order steps, at least, before the interior-point method is used.
const FIRST_STEPS: usize = 200;
/// Floating-point operations of the interior-point method that take as long as a first-order step on one link of one path:
/// it is used once as much time has gone into first-order steps as one of its steps takes.
const WORTH: f64 = 1.0;
/// Bytes of the largest matrix that the interior-point method may have.
const LARGEST_MATRIX: usize = 1 << 28;
/// The part of the gap to which the interior-point method solves: over few of the paths, more is in vain.
const DEEPER: f64 = 0.05;
/// Interior-point rounds without progress before first-order steps continue for twice as long ...
const IDLE: usize = 2;
/// ... and in all, before the run ends.
const MOST_IDLE: usize = 6;

/// Solves `problem`, in which each demand has a path.
///
/// It ends when the gap is certified, at a limit, or when neither kind of step makes progress.
///
/// The result depends on the problem and the options alone (but for the time limit and the monitor), never on the
/// number of threads.  Iterations are the steps on the restricted master.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// use pnet_core::mcf::columns::solve;
/// use pnet_core::mcf::evaluate;
/// use pnet_core::mcf::run::{Options, Unwatched};
///
/// let options = Options { tolerance: 1e-3, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let solution = solve(&problem, &options, &mut Unwatched)?;
/// let found = evaluate(&problem, &solution.proof)?;
/// assert!(found.lower > 34.9 && found.lower <= 35.0 + 1e-9 && found.upper >= 35.0 - 1e-9);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn solve(problem: &Problem, options: &Options, monitor: &mut impl Monitor) -> Result<Solution, Error> {
    let mut watch = Watch::new(options.time_limit_s);
    let mut best = Best::new(problem)?;
    if !watch.late() {
        best.offer_narrowest_switch(problem)?;
    }
    let balanced = match best.certified(options.tolerance) {
        true => Balanced::default(),
        false => balance(problem, &mut best, options, &mut watch, monitor)?,
    };
    let (mut iterations, mut interrupted) = (balanced.sweeps, balanced.stopped);
    // Where no link limits anything there is nothing to solve.
    let unsolved = !balanced.stopped && !best.certified(options.tolerance) && best.lower.is_finite();
    if unsolved && iterations < options.max_iterations {
        let most = options.max_iterations - balanced.sweeps;
        let mut search = Search::new(problem, &best)?;
        let mut stop = false;
        while !stop {
            let remaining = most - search.iterations();
            let ended = match search.prefers_interior() {
                true => search.solve_interior(remaining, options.tolerance, || watch.stop(monitor)),
                false => search.advance(search.steps().min(remaining), || watch.stop(monitor)),
            };
            let (lower, upper) = (best.lower.max(search.lower), best.upper.min(search.upper));
            iterations = balanced.sweeps + search.iterations();
            interrupted = !monitor.progress(Progress { iterations, lower, upper }) || ended;
            stop = interrupted || watch.late() || iterations >= options.max_iterations || search.stalled();
            if stop || upper - lower <= options.tolerance * upper {
                search.prove(&mut best)?;
                stop |= best.certified(options.tolerance);
            }
        }
    }
    interrupted &= !watch.late();
    Ok(Solution { proof: best.proof, iterations, interrupted })
}

/// Bytes that [`solve()`] will hold at its peak, beyond the problem itself.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// assert!(pnet_core::mcf::columns::estimate_bytes(&problem) > 0);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn estimate_bytes(problem: &Problem) -> usize {
    let matrix = interior::bytes(&Links::new(problem).counts(), problem.demands());
    let matrix = if matrix <= LARGEST_MATRIX { matrix } else { 0 };
    let search = pool::estimate_bytes(problem, most_paths(problem)) + price::estimate_bytes(problem) + matrix;
    // The two never hold memory at the same time.
    search.max(balance::estimate_bytes(problem))
}

/// Paths at the start, of a demand in one plane.
fn first_paths(problem: &Problem) -> usize {
    let leaving = problem.planes.iter().flat_map(|plane| {
        plane.demands.iter().map(|at| match at {
            Use::Core { source, .. } => plane.out(*source as usize).len(),
            Use::Local | Use::Never => 0,
        })
    });
    let largest = leaving.max().unwrap_or(0).max(FIRST_PATHS);
    first_of(problem.demands() * problem.planes.len(), largest)
}

/// Paths at the start, of each of so many demands, and at most `largest`.
fn first_of(demands: usize, largest: usize) -> usize {
    (FIRST_IN_ALL / demands).max(FEW_FIRST_PATHS.min(MOST_IN_ALL / demands)).clamp(1, largest)
}

/// The most paths in use, of all demands in one plane: up to 1.6 times those at the start were measured.
fn most_paths(problem: &Problem) -> usize {
    2 * first_paths(problem).max(MOST_PATHS) * problem.demands()
}

/// The restricted master, the iterate on it, and the best bounds.
struct Search<'a> {
    problem: &'a Problem,
    links: Links,
    pool: Pool,
    /// None only while it moves.
    at: Option<Iterate>,
    /// K of the first split.
    scale: f64,
    lower: f64,
    /// The split over the paths in use that attains `lower`.
    split: Vec<f64>,
    upper: f64,
    /// The link lengths that prove `upper`.
    length: Vec<f64>,
    /// Whether paths are missing.
    missing: bool,
    /// Work of an interior-point step; None where its matrix would be too large.
    interior_work: Option<f64>,
    interior_steps: usize,
    /// Work of first-order steps since the last reset, by links of paths, and how many times that of an interior-point step it
    /// takes to switch.
    spent: f64,
    patience: f64,
    /// Interior-point rounds without progress since the last progress of any kind.
    idle: usize,
    /// The gap at the last progress, and the steps done then.
    last: (f64, usize),
}

impl<'a> Search<'a> {
    /// Starts with even splits over paths that are short by hops, and the lengths of a proof.
    fn new(problem: &'a Problem, best: &Best) -> Result<Self, Error> {
        let links = Links::new(problem);
        let hops = Priced::new(problem, &links, vec![1.0; links.capacity.len()]);
        let most = hops.shortest.iter().map(|length| length * (1.0 + FIRST_SLACK)).collect();
        let paths = hops.paths(problem, &links, Limits { length: most, count: first_paths(problem) });
        let pool = Pool::new(&links.capacity, &problem.demand, &paths)?;
        let mut split = vec![0.0; pool.len()];
        normalise(&pool.problem, &mut split);
        let lower = pool.problem.lower_bound::<Nearest>(&pool.problem.load::<Nearest>(&split));
        let at = State::new(&pool.problem, lower, split.clone(), &hops.length).release();
        let counts = links.counts();
        Ok(Search {
            problem,
            length: links.joined(&best.proof.length, &best.proof.up_length, &best.proof.down_length),
            links,
            pool,
            at: Some(at),
            scale: lower,
            lower,
            split,
            upper: best.upper,
            missing: true,
            interior_work: (interior::bytes(&counts, problem.demands()) <= LARGEST_MATRIX)
                .then(|| interior::work(&counts, problem.demands())),
            interior_steps: 0,
            spent: 0.0,
            patience: 1.0,
            idle: 0,
            last: (1.0, 0),
        })
    }
}

impl Search<'_> {
    fn iterations(&self) -> usize {
        self.first_order_steps() + self.interior_steps
    }

    fn first_order_steps(&self) -> usize {
        self.at.as_ref().map_or(0, |at| at.halpern.iterations)
    }

    /// Whether first-order steps have cost as much as the interior-point method would.
    fn prefers_interior(&self) -> bool {
        let least = (FIRST_STEPS * self.pool.problem.link.len()) as f64;
        let due = |work: f64| self.spent * WORTH >= self.patience * (work + least);
        self.interior_work.is_some_and(due)
    }

    /// Whether neither kind of step makes progress.
    fn stalled(&self) -> bool {
        let steps = self.iterations() - self.last.1;
        let first_order = self.interior_work.is_none() && steps >= STANDSTILL + self.last.1;
        self.idle >= MOST_IDLE || first_order
    }

    /// Records the gap; returns whether it has become much smaller.
    fn progress(&mut self) -> bool {
        let gap = 1.0 - self.lower / self.upper;
        let made = gap < PROGRESS * self.last.0;
        if made {
            (self.last, self.idle) = ((gap, self.iterations()), 0);
        }
        made
    }

    /// Steps until the next pricing.
    fn steps(&self) -> usize {
        match self.missing {
            true => LEAST_STEPS,
            false => (self.first_order_steps() / STEPS_FRACTION).max(LEAST_STEPS),
        }
    }

    /// Takes `steps` first-order steps, or fewer where `stop` says so, and prices; returns whether it did.
    fn advance(&mut self, steps: usize, mut stop: impl FnMut() -> bool) -> bool {
        let Some(at) = self.at.take() else { return true };
        let mut state = State::resume(&self.pool.problem, self.scale, at, PATHS_PER_TASK);
        let stopped = (0..steps).any(|_| {
            state.iterate();
            stop()
        });
        let mut split = state.weight().to_vec();
        let length = state.length();
        let at = state.release();
        self.spent += (steps * self.pool.problem.link.len()) as f64;
        normalise(&self.pool.problem, &mut split);
        let lower = self.pool.problem.lower_bound::<Nearest>(&self.pool.problem.load::<Nearest>(&split));
        let restricted = self.pool.problem.upper_bound::<Nearest>(&length);
        if lower > self.lower {
            self.lower = lower;
            self.split = split;
        }
        let priced = self.price(length);
        self.missing = self.upper - restricted > MISSING * (restricted - lower);
        self.exchange(&priced, at);
        self.progress();
        stopped
    }

    /// Solves the restricted master by the interior-point method, in `remaining` steps at most, and prices; returns whether
    /// `stop` ended it.
    fn solve_interior(&mut self, remaining: usize, tolerance: f64, stop: impl FnMut() -> bool) -> bool {
        let Some(at) = self.at.take() else { return true };
        let gap = 1.0 - self.lower / self.upper;
        let goal = interior::Goal {
            split: &self.split,
            length: &self.length,
            lower: self.lower,
            upper: self.upper,
            gap: (DEEPER * gap).max(0.1 * tolerance),
            steps: remaining,
        };
        let reached = interior::solve(&self.pool.problem, &self.links.plane, goal, stop);
        self.interior_steps += reached.steps;
        if reached.lower > self.lower {
            (self.lower, self.split) = (reached.lower, reached.split);
        }
        let best = std::mem::take(&mut self.length);
        let halfway = self.halfway(&reached.length, &best);
        self.length = best;
        self.at = Some(at);
        for length in [halfway, reached.length] {
            let priced = self.price(length);
            if let Some(at) = self.at.take() {
                self.exchange(&priced, at);
            }
        }
        if !self.progress() {
            self.idle += 1;
            if self.idle.is_multiple_of(IDLE) {
                (self.spent, self.patience) = (0.0, 2.0 * self.patience);
            }
        }
        reached.stopped
    }

    /// The mean of two lengths of equal volume: the duals of a restricted master oscillate (Wentges 1997).
    fn halfway(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let volume = |length: &[f64]| -> f64 { self.links.capacity.iter().zip(length).map(|(c, l)| c * l).sum() };
        let (of_a, of_b) = (volume(a), volume(b));
        a.iter().zip(b).map(|(a, b)| a / of_a + b / of_b).collect()
    }

    /// Distances under these lengths, which become the best where their bound is.
    fn price(&mut self, length: Vec<f64>) -> Priced {
        let priced = Priced::new(self.problem, &self.links, length);
        if priced.upper < self.upper {
            self.upper = priced.upper;
            self.length.clone_from(&priced.length);
        }
        priced
    }

    /// Adds the paths of negative reduced cost, and drops those that have long carried nothing.
    fn exchange(&mut self, priced: &Priced, mut at: Iterate) {
        let most = self.pool.problem.shortest::<Nearest>(&priced.length);
        let full = self.pool.len() > most_paths(self.problem) * self.problem.planes.len();
        let (count, patience) = match (full, self.interior_steps > 0) {
            (true, _) => (1, 1),
            (false, false) => (MOST_PATHS, PATIENCE),
            // The interior-point method sends traffic over every path, and its rounds are few.
            (false, true) => (MOST_PATHS, u32::MAX),
        };
        let paths = priced.paths(self.problem, &self.links, Limits { length: most, count });
        let kept = self.pool.keep(patience, |n| self.split[n] > 0.0 || at.used(n));
        let from = self.pool.exchange(&paths, &kept);
        at.choose(&from);
        self.split = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split[*n as usize] }).collect();
        self.at = Some(at);
    }

    /// Offers the best split, as flow on arcs, and the best lengths.
    fn prove(&self, best: &mut Best) -> Result<(), Error> {
        let (arcs, up, down) = self.links.lengths(&self.length);
        let flow = self.pool.flow(self.problem, &self.links, &self.split);
        best.offer(self.problem, round(self.problem, &flow, arcs, up, down))
    }
}
