//! Column generation: first-order steps on a restricted master problem, priced by shortest paths under its duals.
//!
//! The path form has a variable for each path of each demand, of which an optimum uses about as many as there are links
//! and demands.  So a restricted master over some of them is solved ([`path_form`](super::path_form)), and shortest paths
//! under its link prices are added to it (Ford and Fulkerson 1958; Dantzig and Wolfe 1960).  The distances bound K from
//! above, any split over the paths in use bounds it from below.  Between two pricings the iteration continues from where
//! it was, with the new paths and without those that have long carried nothing.  Its prices are averages, and need no
//! other stabilisation.  Where paths are given, short ones are found in the list ([`listed`]).
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
mod search;
mod source;
mod trees;
mod vertex;

pub use cheapest::{Cheapest, cheapest, estimate_bytes as estimate_cheapest_bytes};
pub use fair::{
    FairFlow, FairLevel, FairSplit, estimate_bytes as estimate_fair_flow_bytes,
    estimate_listed_bytes as estimate_fair_split_bytes,
};
pub use goal::Terms;
pub use in_use::{Listed, PathsInUse};
pub use listed::{
    CheapestSplit, cheapest_listed, estimate_bytes as estimate_listed_bytes,
    estimate_solve_bytes as estimate_split_bytes, solve_listed,
};
pub use trees::{FairTrees, estimate_bytes as estimate_fair_trees_bytes};
pub use vertex::{FairSplitVertices, FairVertices};

use super::balance::{self, Balanced, balance};
use super::best::{Best, Solution};
use super::problem::{Problem, Use};
use super::round::round;
use super::run::{Monitor, Options, Watch};
use crate::error::Error;
use links::Links;
use search::Search;
use source::Anywhere;

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

/// Bytes of the largest matrix that the interior-point method may have.
const LARGEST_MATRIX: usize = 1 << 28;

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
        let source = Anywhere { problem, links: Links::new(problem) };
        let mut search = Search::anywhere(&source, &best)?;
        let known = (best.lower, best.upper);
        interrupted = search.run(balanced.sweeps, known, options, &mut watch, monitor, |search| {
            let (arcs, up, down) = source.links.lengths(&search.length);
            let flow = search.pool.flow(problem, &source.links, &search.split);
            best.offer(problem, round(problem, &flow, arcs, up, down))?;
            Ok((best.lower, best.upper))
        })?;
        iterations += search.iterations();
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
    let paths = most_paths(first_paths(problem), problem.demands());
    let search = pool::estimate_bytes(problem, paths) + price::estimate_bytes(problem) + matrix;
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

/// The most paths in use, of all of so many demands in one plane: up to 1.6 times the `first` ones were measured.
fn most_paths(first: usize, demands: usize) -> usize {
    2 * first.max(MOST_PATHS) * demands
}
