//! Column generation: first-order steps on the ways in use, and the shortest ways under their prices, until neither
//! bound has far to go.
//!
//! The path form has a variable for each way of each demand, of which an optimum uses about as many as there are links
//! and demands.  So a problem over some of them is solved ([`path_form`](super::path_form)), and the prices that its
//! iteration has reached are put on all links: the shortest ways under them are what is missing (Ford and Fulkerson
//! 1958; Dantzig and Wolfe 1960).  The distances bound K from above, any split over the ways in use bounds it from below.
//! The iteration is not begun anew: it goes on with the ways that came, and without those that have long carried nothing.
//! Averaged as its prices are, they need no other smoothing.

mod links;
mod pool;
mod price;

use super::best::{Best, Solution};
use super::path_form::normalise;
use super::path_form::state::{Carried, NEW, State};
use super::problem::Problem;
use super::round::round;
use super::run::{Monitor, Options, Progress, Watch};
use crate::error::Error;
use links::Links;
use pool::Pool;
use price::{Priced, Wanted};

/// Steps between two looks at the prices, at least; so many while what is missing is ways.
const LEAST_STEPS: usize = 40;
/// Steps between two looks, as a part of all: once few ways are missing, looking costs more than it brings.
const STEPS_FRACTION: usize = 20;
/// Ways are what is missing while the prices of the ways in use prove so much more than those of all, as a multiple of
/// what the split still lacks.
const MISSING: f64 = 0.5;
/// Ways taken at a look, of a demand in one plane.
const MOST_WAYS: usize = 4;
/// Ways to begin with, of a demand in one plane, and how much longer than the shortest, by hops, they may be.  An optimum
/// leaves a switch by all its links.
const FIRST_WAYS: usize = 24;
const FIRST_SLACK: f64 = 3.0;
/// Ways to begin with, in all: where demands are many, each needs few.
const FIRST_IN_ALL: usize = 1_000_000;
/// Looks after which a way is dropped that carried nothing at any of them.
const PATIENCE: u32 = 5;
/// Ways that one task steps.
const WAYS_PER_TASK: usize = 2048;

/// Solves `problem`, in which each demand has a way.
///
/// The result depends on the problem and the options alone (but for the time limit and the monitor), never on the
/// number of threads.  Iterations are the steps on the ways in use.
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
    best.offer_narrowest_switch(problem)?;
    let (mut iterations, mut restarts, mut interrupted) = (0, 0, false);
    // Where no link limits anything there is nothing to look for.
    let open = !best.certified(options.tolerance) && best.lower.is_finite();
    if open && options.max_iterations > 0 {
        let mut search = Search::new(problem, &best)?;
        let mut stop = false;
        while !stop {
            let steps = search.steps().min(options.max_iterations - search.iterations());
            let ended = search.advance(steps, || watch.stop(monitor));
            let (lower, upper) = (best.lower.max(search.lower), best.upper.min(search.upper));
            iterations = search.iterations();
            interrupted = !monitor.progress(Progress { iterations, lower, upper }) || ended;
            stop = interrupted || watch.late() || iterations >= options.max_iterations;
            if stop || upper - lower <= options.tolerance * upper {
                search.prove(&mut best)?;
                stop |= best.certified(options.tolerance);
            }
        }
        restarts = search.restarts;
    }
    interrupted &= !watch.late();
    Ok(Solution { proof: best.proof, iterations, restarts, interrupted })
}

/// Bytes that [`solve()`] will hold at its peak, beyond the problem itself.
///
/// ```
#[doc = include_str!("../two_cables.md")]
/// assert!(pnet_core::mcf::columns::estimate_bytes(&problem) > 0);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn estimate_bytes(problem: &Problem) -> usize {
    pool::estimate_bytes(problem, room(problem)) + price::estimate_bytes(problem)
}

/// Ways to begin with, of a demand in one plane.
fn first_ways(problem: &Problem) -> usize {
    (FIRST_IN_ALL / (problem.demands() * problem.planes.len())).clamp(1, FIRST_WAYS)
}

/// Ways in use at the most, of all demands in one plane: measured are up to 1.6 times those to begin with.
fn room(problem: &Problem) -> usize {
    2 * first_ways(problem).max(MOST_WAYS) * problem.demands()
}

/// The ways in use, where the iteration over them stands, and the best that it has found.
struct Search<'a> {
    problem: &'a Problem,
    links: Links,
    pool: Pool,
    /// Taken only while it advances.
    at: Option<Carried>,
    /// K of the first split.
    scale: f64,
    lower: f64,
    /// The split, over the ways in use, that attains `lower`.
    split: Vec<f64>,
    upper: f64,
    /// The lengths, of all links, that prove `upper`.
    length: Vec<f64>,
    /// Whether ways are missing.
    missing: bool,
    restarts: usize,
}

impl<'a> Search<'a> {
    /// Begins with ways that are short by hops, split evenly, and with the lengths of a proof.
    fn new(problem: &'a Problem, best: &Best) -> Result<Self, Error> {
        let links = Links::new(problem);
        let hops = Priced::new(problem, &links, vec![1.0; links.capacity.len()]);
        let most = hops.shortest.iter().map(|length| length * (1.0 + FIRST_SLACK)).collect();
        let ways = hops.ways(problem, &links, Wanted { most, count: first_ways(problem) });
        let pool = Pool::new(problem, &links, &ways)?;
        let mut split = vec![0.0; pool.len()];
        normalise(&pool.problem, &mut split);
        let lower = pool.problem.lower_bound(&pool.problem.load(&split));
        let at = State::new(&pool.problem, lower, split.clone(), &hops.length).release();
        Ok(Search {
            problem,
            length: links.joined(&best.proof),
            links,
            pool,
            at: Some(at),
            scale: lower,
            lower,
            split,
            upper: best.upper,
            missing: true,
            restarts: 0,
        })
    }
}

impl Search<'_> {
    fn iterations(&self) -> usize {
        self.at.as_ref().map_or(0, Carried::iterations)
    }

    /// Steps until the next look.
    fn steps(&self) -> usize {
        match self.missing {
            true => LEAST_STEPS,
            false => (self.iterations() / STEPS_FRACTION).max(LEAST_STEPS),
        }
    }

    /// Does `steps` steps, or fewer where `stop` says so, and looks at what they have reached; returns whether it did.
    fn advance(&mut self, steps: usize, mut stop: impl FnMut() -> bool) -> bool {
        let Some(at) = self.at.take() else { return true };
        let mut state = State::resume(&self.pool.problem, self.scale, at, WAYS_PER_TASK);
        let stopped = (0..steps).any(|_| {
            state.iterate();
            stop()
        });
        let mut split = state.weight().to_vec();
        let length = state.length();
        self.restarts = state.restarts();
        let at = state.release();
        normalise(&self.pool.problem, &mut split);
        let lower = self.pool.problem.lower_bound(&self.pool.problem.load(&split));
        let restricted = self.pool.problem.upper_bound(&length);
        if lower > self.lower {
            self.lower = lower;
            self.split = split;
        }
        let priced = Priced::new(self.problem, &self.links, length);
        if priced.upper < self.upper {
            self.upper = priced.upper;
            self.length.clone_from(&priced.length);
        }
        self.missing = self.upper - restricted > MISSING * (restricted - lower);
        self.exchange(&priced, at);
        stopped
    }

    /// Takes the ways in that are shorter than those in use, and those out that are of no use.
    fn exchange(&mut self, priced: &Priced, mut at: Carried) {
        let most = self.pool.problem.shortest(&priced.length);
        let full = self.pool.len() > room(self.problem) * self.problem.planes.len();
        let (count, patience) = if full { (1, 1) } else { (MOST_WAYS, PATIENCE) };
        let ways = priced.ways(self.problem, &self.links, Wanted { most, count });
        let kept = self.pool.look(patience, |n| self.split[n] > 0.0 || at.used(n));
        let from = self.pool.admit(&ways, &kept);
        at.choose(&from);
        self.split = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split[*n as usize] }).collect();
        self.at = Some(at);
    }

    /// Offers what it has found, as flow on arcs.
    fn prove(&self, best: &mut Best) -> Result<(), Error> {
        let (arcs, up, down) = self.links.lengths(&self.length);
        let flow = self.pool.flow(self.problem, &self.links, &self.split);
        best.offer(self.problem, round(self.problem, &flow, arcs, up, down))
    }
}
