//! The cheapest flow over given paths, of which those are looked at that are short.

use super::cheapest::{Ended, search};
use super::goal::Terms;
use super::pool;
use crate::error::Error;
use crate::mcf::path_form::PathProblem;
use crate::mcf::run::{Monitor, Options};

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

/// Bytes that [`cheapest_listed()`] will hold at its peak, beyond the problem itself, if every link limits.
pub fn estimate_bytes(problem: &PathProblem) -> usize {
    let links = problem.capacity.len();
    pool::bytes_of(problem.link.len(), problem.paths()) + links * links * size_of::<f64>()
}
