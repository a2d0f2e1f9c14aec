//! Maximum concurrent flow over given paths, as a game.
//!
//! One player splits each demand over its paths, the other puts prices on the links that sum to 1:
//!
//! ```text
//! 1 / K  =  min over splits w   max over prices m   sum over links r of m_r load_r(w) / c_r
//! ```
//!
//! w is a point of one simplex per demand, m of a simplex of links.  Restarted Halpern PDHG with exact projections onto
//! both, and the diagonal steps of Pock and Chambolle (2011), one for all paths of a demand.  Demands need no dual
//! variable and every iterate is feasible, so both bounds follow from it directly; this takes a tenth of the iterations
//! of the linear program with demand rows.

mod problem;
pub(super) mod state;

use super::pdhg::{self, Bounds};
use super::run::{Monitor, Options, Progress, Watch};
use crate::error::{Error, invalid};
use crate::rounding::{Down, Nearest, Up};
pub use problem::PathProblem;
pub(super) use problem::{check_demands, normalise};
use state::State;

/// The best split and the best lengths, which may come from different iterates.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Fraction of its demand on each path.
    pub weight: Vec<f64>,
    /// Length of each link.
    pub length: Vec<f64>,
    /// The lower bound of the split.
    pub lower: f64,
    /// The upper bound of the lengths.
    pub upper: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// The answer to a similar problem, of any scale.
#[derive(Debug, Clone)]
pub struct WarmStart {
    /// A weight for each path.
    pub weight: Vec<f64>,
    /// A length for each link.
    pub length: Vec<f64>,
}

/// Solves `problem`, with a warm start from the answer to a similar one if there is one.
///
/// The result depends on the arguments alone (but for the time limit and the monitor), never on the number of threads.
///
/// ```
/// # use pnet_core::mcf::path_form::PathProblem;
/// # // Links of 1 and 4, and a demand with a path over each.
/// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// use pnet_core::mcf::path_form::solve;
/// use pnet_core::mcf::run::{Options, Unwatched};
///
/// let options = Options { tolerance: 1e-6, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let solution = solve(&problem, None, &options, &mut Unwatched)?;
/// assert!((solution.lower - 5.0).abs() < 1e-4 && (solution.upper - 5.0).abs() < 1e-4);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn solve(
    problem: &PathProblem,
    start: Option<WarmStart>,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<Solution, Error> {
    let mut watch = Watch::new(options.time_limit_s);
    let start = match start {
        None => even(problem),
        Some(start) => checked(problem, start)?,
    };
    let mut best = Solution::first(problem, &start)?;
    let mut state = State::new(problem, best.lower, start.weight, &start.length);
    best.interrupted = pdhg::solve(&mut state, &mut best, 1, options, &mut watch, monitor)?;
    best.iterations = state.halpern.iterations;
    Ok(best)
}

/// The bounds of a split and of lengths, of any scale, rounded outwards: they hold to the last bit.
///
/// Returns the lower and the upper bound, the load of each link at K = 1, rounded up, and the split, normalised: it stands
/// for itself over its exact sum.
///
/// ```
/// # use pnet_core::mcf::path_form::PathProblem;
/// # // Links of 1 and 4, and a demand with a path over each.
/// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// let (lower, upper, load, weight) = pnet_core::mcf::path_form::bounds(&problem, &[1.0, 3.0], &[1.0, 1.0])?;
/// assert_eq!((lower, upper), (4.0, 5.0));
/// assert_eq!((load, weight), (vec![0.25, 0.75], vec![0.25, 0.75]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn bounds(problem: &PathProblem, weight: &[f64], length: &[f64]) -> Result<(f64, f64, Vec<f64>, Vec<f64>), Error> {
    let mut weight = non_negative("weight", weight, problem.paths())?;
    let length = non_negative("length", length, problem.capacity.len())?;
    if length.iter().zip(&problem.capacity).any(|(l, c)| *l > 0.0 && c.is_infinite()) {
        return invalid("length", "positive on a link without a limit");
    }
    normalise(problem, &mut weight);
    let load = problem.load::<Up>(&weight);
    Ok((problem.lower_bound::<Up>(&load), problem.upper_bound::<Up>(&length), load, weight))
}

/// The length of each demand's shortest path, rounded down.
///
/// ```
/// # use pnet_core::mcf::path_form::PathProblem;
/// # // Links of 1 and 4, and a demand with a path over each.
/// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// assert_eq!(pnet_core::mcf::path_form::distances(&problem, &[3.0, 2.0])?, [2.0]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn distances(problem: &PathProblem, length: &[f64]) -> Result<Vec<f64>, Error> {
    let length = non_negative("length", length, problem.capacity.len())?;
    Ok(problem.shortest::<Down>(&length))
}

/// Bytes that [`solve()`] will hold at its peak, beyond the problem itself.
///
/// ```
/// # use pnet_core::mcf::path_form::PathProblem;
/// # // Links of 1 and 4, and a demand with a path over each.
/// # let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
/// assert!(pnet_core::mcf::path_form::estimate_bytes(&problem) > 0);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn estimate_bytes(problem: &PathProblem) -> usize {
    let float = size_of::<f64>();
    // Splits: three in the state, their reflection, the best and its copy; prices likewise, and their constants.
    6 * float * problem.paths()
        + 10 * float * problem.capacity.len()
        + size_of::<u32>() * problem.link.len()
        + float * problem.demand.len()
}

impl Bounds<State<'_>> for Solution {
    fn certified(&self, tolerance: f64) -> bool {
        self.upper - self.lower <= tolerance * self.upper
    }

    fn offer(&mut self, state: &State<'_>) -> Result<(), Error> {
        self.offer_split(state.problem, state.weight());
        self.offer_lengths(state.problem, state.length());
        Ok(())
    }

    fn progress(&self, iterations: usize) -> Progress {
        Progress { iterations, lower: self.lower, upper: self.upper }
    }
}

impl Solution {
    /// The bounds of a start, and of equal lengths.
    pub(super) fn first(problem: &PathProblem, start: &WarmStart) -> Result<Self, Error> {
        let mut best = Solution {
            weight: vec![],
            length: vec![],
            lower: 0.0,
            upper: f64::INFINITY,
            iterations: 0,
            interrupted: false,
        };
        best.offer_lengths(problem, vec![1.0; problem.capacity.len()]);
        best.offer_lengths(problem, start.length.clone());
        best.offer_split(problem, &start.weight);
        if best.lower.is_infinite() || best.upper.is_infinite() {
            return invalid("capacity", "no link limits the flow");
        }
        Ok(best)
    }

    fn offer_split(&mut self, problem: &PathProblem, weight: &[f64]) {
        let mut weight = weight.to_vec();
        normalise(problem, &mut weight);
        let lower = problem.lower_bound::<Nearest>(&problem.load::<Nearest>(&weight));
        if lower > self.lower || self.weight.is_empty() {
            self.lower = lower;
            self.weight = weight;
        }
    }

    fn offer_lengths(&mut self, problem: &PathProblem, mut length: Vec<f64>) {
        // A link without a limit has length 0.
        for (l, c) in length.iter_mut().zip(&problem.capacity) {
            *l = if c.is_finite() { *l } else { 0.0 };
        }
        let upper = problem.upper_bound::<Nearest>(&length);
        if upper < self.upper || self.length.is_empty() {
            self.upper = upper;
            self.length = length;
        }
    }
}

/// Even splits, and lengths such that all links cost the same.
pub(super) fn even(problem: &PathProblem) -> WarmStart {
    let mut weight = vec![0.0; problem.paths()];
    normalise(problem, &mut weight);
    WarmStart { weight, length: problem.capacity.iter().map(|c| 1.0 / c).collect() }
}

/// The warm start, made feasible.
fn checked(problem: &PathProblem, start: WarmStart) -> Result<WarmStart, Error> {
    let mut weight = non_negative("weight", &start.weight, problem.paths())?;
    let mut length = non_negative("length", &start.length, problem.capacity.len())?;
    normalise(problem, &mut weight);
    if problem.upper_bound::<Nearest>(&length).is_infinite() {
        length = even(problem).length;
    }
    Ok(WarmStart { weight, length })
}

fn non_negative(what: &'static str, values: &[f64], count: usize) -> Result<Vec<f64>, Error> {
    if values.len() != count {
        return invalid(what, format!("{} entries, not {count}", values.len()));
    }
    match values.iter().find(|v| !v.is_finite() || **v < 0.0) {
        Some(v) => invalid(what, format!("{v} is not a finite number >= 0")),
        None => Ok(values.to_vec()),
    }
}
