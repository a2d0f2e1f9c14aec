//! Restarted Halpern PDHG on the destination-aggregated linear program, matrix-free.
//!
//! Variables: the flow `x` of each row (plane, target) on each arc, the part `i` of each demand injected into each
//! plane, and K.  Duals: a potential `y` per row and switch, `z` per demand, `l` per arc and access link.  One
//! iteration is two parallel passes: over blocks of eight rows (flow, injection, potential), then over the coupling
//! constraints (`l`, `z`).  It starts from the flow of `balance`, unless that is certified already.

mod block;
mod coupling;
mod flows;
mod init;
mod scale;
mod state;

use super::balance::{Balanced, balance};
use super::best::{Best, Solution};
use super::pdhg::{self, Bounds, FIRST_CHECK};
use super::problem::Problem;
use super::proof::Proof;
use super::round::round;
use super::run::{Monitor, Options, Progress, Watch};
use crate::error::Error;
use flows::Precision;
use init::Lengths;
use state::State;

/// From this many flow variables on they are stored in single precision at first: fewer fit into the caches anyway.
const LARGE: usize = 1_000_000;
/// Single precision is used for tolerances from here on; it certifies gaps down to a tenth of this.
const COARSE: f64 = 1e-5;

/// A warm start whose gap is below this is not balanced again.
const NEAR: f64 = 0.03;

/// The bounds are evaluated first after this part of the iterations of the similar problem.
const SIMILAR: f64 = 0.75;

/// Solves `problem`.
///
/// The result depends on the problem and the options alone (but for the time limit and the monitor), never on the
/// number of threads.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// use pnet_core::mcf::evaluate;
/// use pnet_core::mcf::run::{Options, Unwatched};
/// use pnet_core::mcf::structured::solve;
///
/// let options = Options { tolerance: 1e-3, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let solution = solve(&problem, &options, &mut Unwatched)?;
/// let found = evaluate(&problem, &solution.proof)?;
/// assert!(found.lower > 34.9 && found.lower <= 35.0 + 1e-9 && found.upper >= 35.0 - 1e-9);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn solve(problem: &Problem, options: &Options, monitor: &mut impl Monitor) -> Result<Solution, Error> {
    solve_from(problem, None, options, monitor)
}

/// The answer to a similar problem.
#[derive(Debug, Clone, Copy)]
pub struct WarmStart<'a> {
    /// Flow and lengths, in the shape of the problem.
    pub proof: &'a Proof,
    /// Iterations that the similar problem took; 0 if unknown.
    pub iterations: usize,
}

/// Solves `problem`, with a warm start from the answer to a similar one if there is one.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// use pnet_core::mcf::run::{Options, Unwatched};
/// use pnet_core::mcf::structured::{WarmStart, solve, solve_from};
///
/// let options = Options { tolerance: 1e-3, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let first = solve(&problem, &options, &mut Unwatched)?;
/// let start = WarmStart { proof: &first.proof, iterations: first.iterations };
/// assert_eq!(solve_from(&problem, Some(start), &options, &mut Unwatched)?.iterations, 0);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn solve_from(
    problem: &Problem,
    start: Option<WarmStart>,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<Solution, Error> {
    let mut watch = Watch::new(options.time_limit_s);
    let mut best = Best::new(problem)?;
    if !watch.late() {
        best.offer_narrowest_switch(problem)?;
    }
    let mut sufficient = options.tolerance;
    if let Some(WarmStart { proof, .. }) = start {
        best.offer(problem, proof.clone())?;
        sufficient = sufficient.max(NEAR);
    }
    let balanced = match best.certified(sufficient) {
        true => Balanced::default(),
        false => balance(problem, &mut best, options, &mut watch, monitor)?,
    };
    if balanced.stopped || best.certified(options.tolerance) {
        let interrupted = balanced.stopped && !watch.late();
        return Ok(Solution { proof: best.proof, iterations: balanced.sweeps, interrupted });
    }
    let precision = precision(problem, options.tolerance);
    let mut check = FIRST_CHECK;
    let mut state = match start {
        Some(WarmStart { proof, iterations }) => {
            check = check.max((SIMILAR * iterations as f64) as usize);
            State::new(problem, best.upper, proof, Lengths::of(problem, proof), precision)?
        }
        None => State::new(problem, best.upper, &best.proof, Lengths::even(problem), precision)?,
    };
    let sweeps = balanced.sweeps;
    let mut bounds = Search { best, sweeps };
    let options = Options { max_iterations: options.max_iterations - sweeps, ..*options };
    let interrupted = pdhg::solve(&mut state, &mut bounds, check, &options, &mut watch, monitor)?;
    Ok(Solution { proof: bounds.best.proof, iterations: sweeps + state.halpern.iterations, interrupted })
}

/// The best bounds, and the sweeps of balancing before the first iteration.
struct Search {
    best: Best,
    sweeps: usize,
}

impl Bounds<State<'_>> for Search {
    fn certified(&self, tolerance: f64) -> bool {
        self.best.certified(tolerance)
    }

    fn offer(&mut self, state: &State<'_>) -> Result<(), Error> {
        let (length, up, down) = state.lengths();
        self.best.offer(state.problem, round(state.problem, state, length, up, down))
    }

    fn progress(&self, iterations: usize) -> Progress {
        let iterations = self.sweeps + iterations;
        Progress { iterations, lower: self.best.lower, upper: self.best.upper }
    }
}

fn precision(problem: &Problem, tolerance: f64) -> Precision {
    let flows: usize = problem.planes.iter().map(|plane| plane.arcs() * plane.targets.len()).sum();
    match flows >= LARGE && tolerance >= COARSE {
        true => Precision::Single,
        false => Precision::Double,
    }
}

/// Bytes that [`solve()`] will hold at its peak, beyond the problem itself.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// assert!(pnet_core::mcf::structured::estimate_bytes(&problem) > 0);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn estimate_bytes(problem: &Problem) -> usize {
    init::estimate_bytes(problem)
}
