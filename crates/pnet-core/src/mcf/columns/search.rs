//! The restricted master of K, and how it grows: first-order steps, or those of an interior point, and prices.

use super::interior;
use super::pool::Pool;
use super::price::{Limits, Priced};
use super::source::{Anywhere, Source};
use super::{
    FIRST_PATHS, FIRST_SLACK, LARGEST_MATRIX, LEAST_STEPS, MISSING, MOST_PATHS, PATHS_PER_TASK, PATIENCE,
    STEPS_FRACTION, first_of, first_paths, most_paths,
};
use crate::error::Error;
use crate::mcf::best::Best;
use crate::mcf::path_form::state::{Iterate, State};
use crate::mcf::path_form::{PathProblem, Solution, normalise};
use crate::mcf::pdhg::split::NEW;
use crate::mcf::pdhg::{Iteration, PROGRESS, STANDSTILL};
use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;
use crate::mcf::run::{Monitor, Options, Progress, Watch};
use crate::rounding::Nearest;

/// First-order steps, at least, before the interior-point method is used.
const FIRST_STEPS: usize = 200;
/// Floating-point operations of the interior-point method that take as long as a first-order step on one link of one path:
/// it is used once as much time has gone into first-order steps as one of its steps takes.
const WORTH: f64 = 1.0;
/// The part of the gap to which the interior-point method solves: over few of the paths, more is in vain.
const DEEPER: f64 = 0.05;
/// Interior-point rounds without progress before first-order steps continue for twice as long ...
const IDLE: usize = 2;
/// ... and in all, before the run ends.
const MOST_IDLE: usize = 6;

/// The restricted master, the iterate on it, and the best bounds.
pub(super) struct Search<'a, S> {
    source: &'a S,
    pub(super) pool: Pool,
    /// Paths in use, at most, before fewer are kept.
    most: usize,
    /// None only while it moves.
    at: Option<Iterate>,
    /// K of the first split.
    scale: f64,
    pub(super) lower: f64,
    /// The split over the paths in use that attains `lower`.
    pub(super) split: Vec<f64>,
    pub(super) upper: f64,
    /// The link lengths that prove `upper`.
    pub(super) length: Vec<f64>,
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

impl<'a, S: Source> Search<'a, S> {
    /// Starts with even splits over so many paths of each demand, in a plane, that are short by hops, and with lengths and the
    /// bound that they prove.
    pub(super) fn new(source: &'a S, first: usize, upper: f64, length: Vec<f64>) -> Result<Self, Error> {
        let (capacity, demand) = (source.capacity(), source.demand());
        let hops = source.bound(vec![1.0; capacity.len()]);
        let most = hops.shortest.iter().map(|length| length * (1.0 + FIRST_SLACK)).collect();
        let paths = source.paths(&hops, Limits { length: most, count: first });
        let pool = Pool::new(capacity, demand, &paths)?;
        let mut split = vec![0.0; pool.len()];
        normalise(&pool.problem, &mut split);
        let lower = pool.problem.lower_bound::<Nearest>(&pool.problem.load::<Nearest>(&split));
        let at = State::new(&pool.problem, lower, split.clone(), &hops.length).release();
        let planes = source.plane();
        let mut counts = vec![0; planes.iter().max().map_or(0, |plane| *plane as usize + 1)];
        let limited = planes.iter().zip(capacity).filter(|(_, c)| c.is_finite());
        limited.for_each(|(plane, _)| counts[*plane as usize] += 1);
        Ok(Search {
            source,
            length,
            pool,
            most: most_paths(first, demand.len()) * counts.len(),
            at: Some(at),
            scale: lower,
            lower,
            split,
            upper,
            missing: true,
            interior_work: (interior::bytes(&counts, demand.len()) <= LARGEST_MATRIX)
                .then(|| interior::work(&counts, demand.len())),
            interior_steps: 0,
            spent: 0.0,
            patience: 1.0,
            idle: 0,
            last: (1.0, 0),
        })
    }
}

impl<'a> Search<'a, Anywhere<&'a Problem>> {
    /// Starts over any path, with the lengths of a proof.
    pub(super) fn anywhere(source: &'a Anywhere<&'a Problem>, best: &Best) -> Result<Self, Error> {
        let Proof { length, up_length, down_length, .. } = &best.proof;
        let length = source.links.joined(length, up_length, down_length);
        Search::new(source, first_paths(source.problem), best.upper, length)
    }
}

impl<'a> Search<'a, PathProblem> {
    /// Starts over given paths.
    pub(super) fn listed(problem: &'a PathProblem, best: &Solution) -> Result<Self, Error> {
        let first = first_of(problem.demand.len(), FIRST_PATHS);
        Search::new(problem, first, best.upper, best.length.clone())
    }
}

impl<S: Source> Search<'_, S> {
    pub(super) fn iterations(&self) -> usize {
        self.first_order_steps() + self.interior_steps
    }

    /// Steps until `prove` returns bounds that meet, or to a limit; returns whether it was stopped.
    ///
    /// `prove` is called where the bounds have met, and at the end.  `known` are bounds found in so many steps `before`.
    pub(super) fn run(
        &mut self,
        before: usize,
        mut known: (f64, f64),
        options: &Options,
        watch: &mut Watch,
        monitor: &mut impl Monitor,
        mut prove: impl FnMut(&Self) -> Result<(f64, f64), Error>,
    ) -> Result<bool, Error> {
        let met = |(lower, upper): (f64, f64)| upper - lower <= options.tolerance * upper;
        let most = options.max_iterations - before;
        loop {
            let remaining = most - self.iterations();
            let ended = match self.prefers_interior() {
                true => self.solve_interior(remaining, options.tolerance, || watch.stop(monitor)),
                false => self.advance(self.steps().min(remaining), || watch.stop(monitor)),
            };
            let (lower, upper) = (known.0.max(self.lower), known.1.min(self.upper));
            let iterations = before + self.iterations();
            let interrupted = !monitor.progress(Progress { iterations, lower, upper }) || ended;
            let stop = interrupted || watch.late() || iterations >= options.max_iterations || self.stalled();
            if stop || met((lower, upper)) {
                known = prove(self)?;
                if stop || met(known) {
                    return Ok(interrupted);
                }
            }
        }
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
    pub(super) fn steps(&self) -> usize {
        match self.missing {
            true => LEAST_STEPS,
            false => (self.first_order_steps() / STEPS_FRACTION).max(LEAST_STEPS),
        }
    }

    /// Takes `steps` first-order steps, or fewer where `stop` says so, and prices; returns whether it did.
    pub(super) fn advance(&mut self, steps: usize, mut stop: impl FnMut() -> bool) -> bool {
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
        let reached = interior::solve(&self.pool.problem, &self.source.plane(), goal, stop);
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
        let (of_a, of_b) = (self.source.volume(a), self.source.volume(b));
        a.iter().zip(b).map(|(a, b)| a / of_a + b / of_b).collect()
    }

    /// Distances under these lengths, which become the best where their bound is.
    fn price(&mut self, length: Vec<f64>) -> Priced {
        let priced = self.source.bound(length);
        if priced.upper < self.upper {
            self.upper = priced.upper;
            self.length.clone_from(&priced.length);
        }
        priced
    }

    /// Adds the paths of negative reduced cost, and drops those that have long carried nothing.
    fn exchange(&mut self, priced: &Priced, mut at: Iterate) {
        let most = self.pool.problem.shortest::<Nearest>(&priced.length);
        let full = self.pool.len() > self.most;
        let (count, patience) = match (full, self.interior_steps > 0) {
            (true, _) => (1, 1),
            (false, false) => (MOST_PATHS, PATIENCE),
            // The interior-point method sends traffic over every path, and its rounds are few.
            (false, true) => (MOST_PATHS, u32::MAX),
        };
        let paths = self.source.paths(priced, Limits { length: most, count });
        let kept = self.pool.keep(patience, |n| self.split[n] > 0.0 || at.used(n));
        let from = self.pool.exchange(&paths, &kept);
        at.choose(&from);
        self.split = from.iter().map(|n| if *n == NEW { 0.0 } else { self.split[*n as usize] }).collect();
        self.at = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::path_form::even;

    /// A demand over a link without a limit, and one of 1 or one of 4 behind it.
    #[test]
    fn links_without_a_limit_have_no_volume() {
        let capacity = vec![f64::INFINITY, 1.0, 4.0];
        let problem = PathProblem::new(capacity, vec![1.0], vec![0, 2], vec![0, 2, 4], vec![0, 1, 0, 2]).unwrap();
        let best = Solution::first(&problem, &even(&problem)).unwrap();
        let search = Search::listed(&problem, &best).unwrap();
        assert_eq!(search.halfway(&[0.0, 4.0, 1.0], &[0.0, 0.0, 1.0]), [0.0, 0.5, 0.375]);
    }
}
