//! Column generation: first-order steps on the ways in use, and the shortest ways under their prices, until neither
//! bound has far to go.
//!
//! The path form has a variable for each way of each demand, of which an optimum uses about as many as there are links
//! and demands.  So a problem over some of them is solved ([`path_form`](super::path_form)), and the prices that its
//! iteration has reached are put on all links: the shortest ways under them are what is missing (Ford and Fulkerson
//! 1958; Dantzig and Wolfe 1960).  The distances bound K from above, any split over the ways in use bounds it from below.
//! The iteration is not begun anew: it goes on with the ways that came, and without those that have long carried nothing.
//! Averaged as its prices are, they need no other smoothing.
//!
//! Where traffic balanced over shortest paths is the end of it ([`balance`]), none of this begins.
//!
//! Where first-order steps have become dearer than an interior point would be, the problem over the ways in use is solved
//! by one instead ([`interior`]), and the ways under its prices are taken in likewise.

mod arrow;
mod interior;
mod links;
mod pool;
mod price;

use super::balance::{self, Balanced, balance};
use super::best::{Best, Solution};
use super::path_form::normalise;
use super::path_form::state::{Iterate, NEW, State};
use super::pdhg::Iteration;
use super::problem::{Problem, Use};
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
/// Ways to begin with, of a demand in one plane, where no switch that sends has more links, and how much longer than the
/// shortest, by hops, they may be.  An optimum leaves a switch by all its links: where a way is missing that is only as
/// long as those in use, no price calls for it, and steps are hundreds of times as many.
const FIRST_WAYS: usize = 24;
const FIRST_SLACK: f64 = 3.0;
/// Ways to begin with, in all: where demands are many, each needs few.
const FIRST_IN_ALL: usize = 1_000_000;
/// Looks after which a way is dropped that carried nothing at any of them.
const PATIENCE: u32 = 5;
/// Ways that one task steps.
const WAYS_PER_TASK: usize = 2048;

/// Steps, at least, before an interior point takes over.
const FIRST_STEPS: usize = 200;
/// Floating-point operations of an interior point that take as long as a step on one link of one way: a solve, of a few
/// dozen of its steps, begins when as much time has gone into first-order steps.
const WORTH: f64 = 1.0;
/// Bytes of the largest matrix that an interior point may have.
const LARGEST_MATRIX: usize = 1 << 28;
/// The part of the gap that is left at the end of an interior point's solve: over few of the ways, more is in vain.
const DEEPER: f64 = 0.05;
/// Rounds of an interior point that may bring nothing before first-order steps go on for twice as long ...
const IDLE: usize = 2;
/// ... and all in all, before what is proved is as much as can be.
const MOST_IDLE: usize = 6;
/// A round has brought something if it leaves less than this part of the gap.
const PROGRESS: f64 = 0.9;
/// Steps in which first-order steps alone must make progress: these, and as many as were done before.
const STANDSTILL: usize = 20_000;

/// Solves `problem`, in which each demand has a way.
///
/// It ends when the gap is certified, at a limit, or when neither kind of step brings the bounds any closer.
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
    let begun = match best.certified(options.tolerance) {
        true => Balanced::default(),
        false => balance(problem, &mut best, options, &mut watch, monitor)?,
    };
    let (mut iterations, mut restarts, mut interrupted) = (begun.sweeps, 0, begun.stopped);
    // Where no link limits anything there is nothing to look for.
    let open = !begun.stopped && !best.certified(options.tolerance) && best.lower.is_finite();
    if open && iterations < options.max_iterations {
        let most = options.max_iterations - begun.sweeps;
        let mut search = Search::new(problem, &best)?;
        let mut stop = false;
        while !stop {
            let left = most - search.iterations();
            let ended = match search.begins_interior() {
                true => search.solve_interior(left, options.tolerance, || watch.stop(monitor)),
                false => search.advance(search.steps().min(left), || watch.stop(monitor)),
            };
            let (lower, upper) = (best.lower.max(search.lower), best.upper.min(search.upper));
            iterations = begun.sweeps + search.iterations();
            interrupted = !monitor.progress(Progress { iterations, lower, upper }) || ended;
            stop = interrupted || watch.late() || iterations >= options.max_iterations || search.stands();
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
    let matrix = interior::bytes(&Links::new(problem).counts(), problem.demands());
    let matrix = if matrix <= LARGEST_MATRIX { matrix } else { 0 };
    let search = pool::estimate_bytes(problem, room(problem)) + price::estimate_bytes(problem) + matrix;
    // One after the other.
    search.max(balance::estimate_bytes(problem))
}

/// Ways to begin with, of a demand in one plane.
fn first_ways(problem: &Problem) -> usize {
    let leaving = problem.planes.iter().flat_map(|plane| {
        plane.demands.iter().map(|at| match at {
            Use::Core { source, .. } => plane.out(*source as usize).len(),
            Use::Local | Use::Never => 0,
        })
    });
    let wanted = leaving.max().unwrap_or(0).max(FIRST_WAYS);
    (FIRST_IN_ALL / (problem.demands() * problem.planes.len())).clamp(1, wanted)
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
    at: Option<Iterate>,
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
    /// Work of a step of an interior point; nothing where its matrix would be too large.
    interior_work: Option<f64>,
    interior_steps: usize,
    /// Work of first-order steps since the last interior point, by links of ways, and the least before the next one.
    spent: f64,
    patience: f64,
    /// Rounds of an interior point that brought nothing since one of any kind did.
    idle: usize,
    /// The gap at the last progress, and the steps done then.
    last: (f64, usize),
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
        let counts = links.counts();
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

    /// Whether so much has gone into first-order steps that an interior point is worth its price.
    fn begins_interior(&self) -> bool {
        let least = (FIRST_STEPS * self.pool.problem.link.len()) as f64;
        let due = |work: f64| self.spent * WORTH >= self.patience * (work + least);
        self.interior_work.is_some_and(due)
    }

    /// Whether nothing brings the bounds closer.
    fn stands(&self) -> bool {
        let steps = self.iterations() - self.last.1;
        let first_order = self.interior_work.is_none() && steps >= STANDSTILL + self.last.1;
        self.idle >= MOST_IDLE || first_order
    }

    /// Notes the gap; returns whether it has become much smaller.
    fn progress(&mut self) -> bool {
        let gap = 1.0 - self.lower / self.upper;
        let made = gap < PROGRESS * self.last.0;
        if made {
            (self.last, self.idle) = ((gap, self.iterations()), 0);
        }
        made
    }

    /// Steps until the next look.
    fn steps(&self) -> usize {
        match self.missing {
            true => LEAST_STEPS,
            false => (self.first_order_steps() / STEPS_FRACTION).max(LEAST_STEPS),
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
        self.restarts = state.halpern.restarts;
        let at = state.release();
        self.spent += (steps * self.pool.problem.link.len()) as f64;
        normalise(&self.pool.problem, &mut split);
        let lower = self.pool.problem.lower_bound(&self.pool.problem.load(&split));
        let restricted = self.pool.problem.upper_bound(&length);
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

    /// Solves the problem over the ways in use by an interior point, in `left` steps at most, and looks at what it has
    /// reached; returns whether `stop` said so.
    fn solve_interior(&mut self, left: usize, tolerance: f64, stop: impl FnMut() -> bool) -> bool {
        let Some(at) = self.at.take() else { return true };
        let gap = 1.0 - self.lower / self.upper;
        let goal = interior::Goal {
            split: &self.split,
            length: &self.length,
            lower: self.lower,
            upper: self.upper,
            gap: (DEEPER * gap).max(0.1 * tolerance),
            steps: left,
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

    /// Lengths between two, each of which counts as much: prices of few ways leap from round to round (Wentges 1997).
    fn halfway(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let volume =
            |length: &[f64]| -> f64 { self.links.capacity.iter().zip(length).map(|(c, l)| c * l).sum() };
        let (of_a, of_b) = (volume(a), volume(b));
        a.iter().zip(b).map(|(a, b)| a / of_a + b / of_b).collect()
    }

    /// What lengths prove.
    fn price(&mut self, length: Vec<f64>) -> Priced {
        let priced = Priced::new(self.problem, &self.links, length);
        if priced.upper < self.upper {
            self.upper = priced.upper;
            self.length.clone_from(&priced.length);
        }
        priced
    }

    /// Takes the ways in that are shorter than those in use, and those out that are of no use.
    fn exchange(&mut self, priced: &Priced, mut at: Iterate) {
        let most = self.pool.problem.shortest(&priced.length);
        let full = self.pool.len() > room(self.problem) * self.problem.planes.len();
        let (count, patience) = match (full, self.interior_steps > 0) {
            (true, _) => (1, 1),
            (false, false) => (MOST_WAYS, PATIENCE),
            // An interior point sends something over each way, and its rounds are few.
            (false, true) => (MOST_WAYS, u32::MAX),
        };
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
