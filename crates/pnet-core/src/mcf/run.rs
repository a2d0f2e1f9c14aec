//! Limits of an iterative solve, and its monitor.

use web_time::{Duration, Instant};

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Relative gap between the bounds at which the answer counts as certified.
    pub tolerance: f64,
    /// Limit on the iterations.
    pub max_iterations: usize,
    /// Limit on the wall time, in seconds; checked whenever the bounds are.
    pub time_limit_s: f64,
}

/// The state of a run, as reported to the caller.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Iterations done.
    pub iterations: usize,
    /// Best lower bound so far.
    pub lower: f64,
    /// Best upper bound so far.
    pub upper: f64,
}

/// Observes a run, and may stop it.
pub trait Monitor {
    /// Whether the run should stop now; called about ten times a second.
    fn stop(&mut self) -> bool {
        false
    }
    /// Receives the bounds so far; returns whether to continue.
    fn progress(&mut self, progress: Progress) -> bool;
}

/// No monitor: the run continues to its end.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Monitor for Unwatched {
    fn progress(&mut self, _: Progress) -> bool {
        true
    }
}

/// How often the monitor may stop the run.
const POLL: Duration = Duration::from_millis(100);

/// Polls the clock and the monitor.
pub(crate) struct Watch {
    started: Instant,
    polled: Instant,
    limit_s: f64,
}

impl Watch {
    /// A clock that starts now.
    pub(crate) fn new(limit_s: f64) -> Self {
        Watch { started: Instant::now(), polled: Instant::now(), limit_s }
    }

    /// Whether the time limit is over.
    pub(crate) fn late(&self) -> bool {
        self.started.elapsed().as_secs_f64() > self.limit_s
    }

    /// Seconds until then, at least 0.
    pub(crate) fn left_s(&self) -> f64 {
        (self.limit_s - self.started.elapsed().as_secs_f64()).max(0.0)
    }

    /// Whether the time limit or the monitor ends the run; cheap enough to call in every iteration.
    pub(crate) fn stop(&mut self, monitor: &mut impl Monitor) -> bool {
        if self.polled.elapsed() < POLL {
            return false;
        }
        self.polled = Instant::now();
        self.late() || monitor.stop()
    }
}
