//! Restarted Halpern PDHG (Applegate et al. 2021; Lu and Yang 2024): the driver of every solver that uses it.
//!
//! A solver implements an [`Iteration`], one primal and dual step and the restart of its variables, and [`Bounds`], the
//! evaluation of its iterates.  The driver decides on weights, restarts, evaluations and termination.
//! `split` has the variables of the two solvers over given columns, `simplex` the projections onto simplices.

pub(super) mod simplex;
pub(super) mod split;

use super::run::{Monitor, Options, Progress, Watch};
use crate::error::Error;

/// Iterations before the bounds are evaluated first, and at least between two evaluations.
pub(super) const FIRST_CHECK: usize = 20;
/// After that they are evaluated each time the iterations have grown by this fraction: an evaluation costs as much as
/// several iterations, and all together take no more than a fraction of the run.
const CHECK_FRACTION: usize = 8;

/// A restart is due when the fixed-point residual has fallen to this part of its value after the last one ...
const SUFFICIENT: f64 = 0.2;
/// ... or to this part, and rises ...
const NECESSARY: f64 = 0.8;
/// ... or when the iterations since make up this part of all.
const ARTIFICIAL: f64 = 0.36;

/// Progress leaves less than this part of the gap.
pub(super) const PROGRESS: f64 = 0.9;
/// Iterations in which progress must be made: these, and as many as were done before.
pub(super) const STANDSTILL: usize = 20_000;

/// How much of the new primal weight enters at a restart, on a logarithmic scale.
const SMOOTHING: f64 = 0.7;
/// How much its logarithm may change at a restart.
const LARGEST_CHANGE: f64 = 1.5;

/// The step sizes of one iteration, and how far it is drawn back to the anchor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Scale of all primal steps.
    pub(super) tau: f64,
    /// Scale of all dual steps.
    pub(super) sigma: f64,
    /// Weight of the reflected step; the anchor has the rest.
    pub(super) weight: f64,
}

/// The primal weight of an iteration, and what decides on restarts.
#[derive(Debug, Clone)]
pub(super) struct Halpern {
    /// Primal weight.
    pub(super) omega: f64,
    /// Iterations done.
    pub(super) iterations: usize,
    /// Iterations since the last restart.
    since: usize,
    /// Fixed-point residual of the first iteration since, and of the last.
    first: f64,
    last: f64,
}

impl Halpern {
    pub(super) fn new(omega: f64) -> Self {
        Halpern { omega, iterations: 0, since: 0, first: 0.0, last: 0.0 }
    }

    fn step(&self) -> Step {
        let weight = (self.since + 1) as f64 / (self.since + 2) as f64;
        Step { tau: 1.0 / self.omega, sigma: self.omega, weight }
    }

    /// Counts an iteration with this fixed-point residual; returns whether to restart after it.
    fn due(&mut self, residual: f64) -> bool {
        self.iterations += 1;
        self.since += 1;
        if self.since == 1 {
            self.first = residual;
        }
        let rising = residual > self.last;
        self.last = residual;
        let due = residual <= SUFFICIENT * self.first
            || (residual <= NECESSARY * self.first && rising)
            || self.since as f64 >= ARTIFICIAL * self.iterations as f64;
        due && self.since > 1
    }
}

/// The iterate of a problem, and how it moves.  Distances are squared and weighted by the inverse step sizes, without the
/// primal weight: primal, then dual.
pub(super) trait Iteration {
    /// Its weight and restarts.
    fn halpern(&mut self) -> &mut Halpern;

    /// Moves all variables once; returns the distances moved.
    fn step(&mut self, step: Step) -> (f64, f64);

    /// Makes the iterate the next anchor; returns its distances from the last one.
    fn restart(&mut self) -> (f64, f64);

    /// The primal weight after a restart over these distances; `last` are those of the last step, with the weight.
    fn balanced(omega: f64, (primal, dual): (f64, f64), _last: (f64, f64)) -> f64 {
        if primal > 0.0 || dual > 0.0 {
            // Where one side does not move, as at a vertex, the ratio is noise, and may change the weight only a little.
            let target = 0.5 * (dual / primal).ln() - omega.ln();
            omega * (SMOOTHING * target).clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp()
        } else {
            omega
        }
    }

    /// One iteration, and a restart where one is due.
    fn iterate(&mut self) {
        let step = self.halpern().step();
        let (primal, dual) = self.step(step);
        let last = (step.sigma * primal, dual / step.sigma);
        if self.halpern().due((last.0 + last.1).sqrt()) {
            let moved = self.restart();
            let halpern = self.halpern();
            halpern.omega = Self::balanced(halpern.omega, moved, last);
            halpern.since = 0;
        }
    }
}

/// The best bounds so far, with their proof.
pub(super) trait Bounds<I> {
    /// Whether they are this close.
    fn certified(&self, tolerance: f64) -> bool;
    /// Evaluates an iterate, and keeps what is better.
    fn offer(&mut self, iterate: &I) -> Result<(), Error>;
    /// The report to the monitor after these iterations.
    fn progress(&self, iterations: usize) -> Progress;
}

/// Iterates until the bounds are certified, at a limit, or without progress, as where capacities are so far apart that the
/// steps of some links round to nothing; returns whether the monitor stopped it.
///
/// Bounds are evaluated after `check` iterations first.
pub(super) fn solve<I: Iteration>(
    iteration: &mut I,
    bounds: &mut impl Bounds<I>,
    mut check: usize,
    options: &Options,
    watch: &mut Watch,
    monitor: &mut impl Monitor,
) -> Result<bool, Error> {
    let (mut iterations, mut interrupted) = (0, false);
    // A gap that is certified, and since when.
    let mut progress = (1.0, 0);
    while !bounds.certified(options.tolerance) && iterations < options.max_iterations {
        iteration.iterate();
        iterations += 1;
        let stop = watch.stop(monitor);
        if !stop && iterations < check && iterations < options.max_iterations {
            continue;
        }
        // The evaluation after the first iteration does not delay the next.
        let last = if check == 1 { 0 } else { iterations };
        check = last + (last / CHECK_FRACTION).max(FIRST_CHECK);
        bounds.offer(iteration)?;
        interrupted = !monitor.progress(bounds.progress(iterations)) || stop;
        while progress.0 > f64::EPSILON && bounds.certified(PROGRESS * progress.0) {
            progress = (PROGRESS * progress.0, iterations);
        }
        if interrupted || watch.late() || iterations >= STANDSTILL + 2 * progress.1 {
            break;
        }
    }
    Ok(interrupted && !watch.late())
}
