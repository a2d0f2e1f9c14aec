//! Column generation over given paths: those that are short under prices are added, after a look through the list.

use super::cheapest::{Ended, matrix_bytes, search};
use super::goal::Terms;
use super::search::Search;
use super::{FIRST_PATHS, LARGEST_MATRIX, first_of, interior, most_paths, pool};
use crate::error::Error;
use crate::mcf::path_form::{PathProblem, Solution, even};
use crate::mcf::pdhg::Bounds;
use crate::mcf::run::{Monitor, Options, Watch};

/// The best split and the best lengths, which may come from different iterates.
#[derive(Debug, Clone)]
pub struct CheapestSplit {
    /// The part of its demand on each path, if all fits.
    pub weight: Vec<f64>,
    /// Length of each link, per unit of flow.
    pub length: Vec<f64>,
    /// The relative gap between their bounds, or the relative overload if that is larger.
    pub gap: f64,
    /// Steps of both kinds.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// Maximises K over the paths of `problem`; see [`solve`](super::solve()).
///
/// ```
/// use pnet_core::mcf::columns::solve_listed;
/// use pnet_core::mcf::path_form::PathProblem;
/// use pnet_core::mcf::run::{Options, Unwatched};
/// // Links of 1 and 4, and a demand with a path over each.
/// let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// let options = Options { tolerance: 1e-6, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let solution = solve_listed(&problem, &options, &mut Unwatched)?;
/// assert!((solution.lower - 5.0).abs() < 1e-4 && (solution.upper - 5.0).abs() < 1e-4);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn solve_listed(problem: &PathProblem, options: &Options, monitor: &mut impl Monitor) -> Result<Solution, Error> {
    let mut watch = Watch::new(options.time_limit_s);
    let mut best = Solution::first(problem, &even(problem))?;
    if best.certified(options.tolerance) || watch.late() {
        return Ok(best);
    }
    let mut search = Search::listed(problem, &best)?;
    let interrupted = search.run(0, (best.lower, best.upper), options, &mut watch, monitor, |search| {
        Ok((best.lower.max(search.lower), best.upper.min(search.upper)))
    })?;
    (best.iterations, best.interrupted) = (search.iterations(), interrupted && !watch.late());
    if search.lower > best.lower {
        best.weight.fill(0.0);
        search.pool.numbers().iter().zip(&search.split).for_each(|(n, part)| best.weight[*n as usize] = *part);
        best.lower = search.lower;
    }
    if search.upper < best.upper {
        (best.upper, best.length) = (search.upper, search.length);
    }
    Ok(best)
}

/// Finds the cheapest flow over the paths of `problem`; see [`cheapest`](super::cheapest()).  Costs are those of links.
///
/// ```
/// use pnet_core::mcf::columns::{Terms, cheapest_listed};
/// use pnet_core::mcf::path_form::PathProblem;
/// use pnet_core::mcf::run::{Options, Unwatched};
/// // A demand of 3 over a link of 1, or one of 4 that costs more.
/// let problem = PathProblem::new(vec![1.0, 4.0], vec![3.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// let options = Options { tolerance: 1e-6, max_iterations: 1_000, time_limit_s: f64::INFINITY };
/// let terms = Terms { cost: &[1.0, 2.0], worth: f64::INFINITY, floor: 1.0 };
/// let found = cheapest_listed(&problem, &terms, &options, &mut Unwatched)?;
/// assert!((found.weight[0] - 1.0 / 3.0).abs() < 1e-5);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn cheapest_listed(
    problem: &PathProblem,
    terms: &Terms,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<CheapestSplit, Error> {
    let Ended { split, length, pool, gap, iterations, interrupted } =
        search(problem, terms.cost.to_vec(), terms, options, monitor)?;
    let mut weight = vec![0.0; problem.paths()];
    pool.numbers().iter().zip(split.weight).for_each(|(n, part)| weight[*n as usize] = part);
    Ok(CheapestSplit { weight, length, gap, iterations, interrupted })
}

/// Bytes that [`solve_listed()`] will hold at its peak, beyond the problem itself.
pub fn estimate_solve_bytes(problem: &PathProblem) -> usize {
    let (paths, demands) = (problem.paths(), problem.demand.len());
    let used = most_paths(first_of(demands, FIRST_PATHS), demands).min(paths);
    let limited = problem.capacity.iter().filter(|c| c.is_finite()).count();
    let matrix = interior::bytes(&[limited], demands);
    let matrix = if matrix <= LARGEST_MATRIX { matrix } else { 0 };
    // The weights, their copy, and links of mean length.
    let links = (problem.link.len() as f64 * used as f64 / paths.max(1) as f64).ceil() as usize;
    2 * size_of::<f64>() * paths + pool::bytes_of(links, used) + matrix
}

/// Bytes that [`cheapest_listed()`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &PathProblem) -> usize {
    pool::bytes_of(problem.link.len(), problem.paths()) + matrix_bytes(problem.capacity.len())
}
