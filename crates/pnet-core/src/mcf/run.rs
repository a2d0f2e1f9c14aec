//! What the iterative solvers have in common: when to stop, and who watches.

use web_time::{Duration, Instant};

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Relative gap between the bounds at which the answer counts as certified.
    pub tolerance: f64,
    /// Iterations at most.
    pub max_iterations: usize,
    /// Wall time at most, in seconds; checked where the bounds are.
    pub time_limit_s: f64,
}

/// The state of a run, as the caller sees it.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Iterations done.
    pub iterations: usize,
    /// Best lower bound so far.
    pub lower: f64,
    /// Best upper bound so far.
    pub upper: f64,
}

/// Who watches a run.
pub trait Monitor {
    /// Whether the run should stop now; asked about ten times a second.
    fn stop(&mut self) -> bool {
        false
    }
    /// The bounds so far, now and then; returns whether to go on.
    fn progress(&mut self, progress: Progress) -> bool;
}

/// Nobody watches: the run goes on to its end.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Monitor for Unwatched {
    fn progress(&mut self, _: Progress) -> bool {
        true
    }
}

/// How often the monitor is asked whether to stop.
const POLL: Duration = Duration::from_millis(100);

/// Keeps an eye on the clock and on the monitor.
pub(crate) struct Watch {
    started: Instant,
    polled: Instant,
    limit_s: f64,
}

impl Watch {
    /// A watch that starts now.
    pub(crate) fn new(limit_s: f64) -> Self {
        Watch { started: Instant::now(), polled: Instant::now(), limit_s }
    }

    /// Whether the time is up.
    pub(crate) fn late(&self) -> bool {
        self.started.elapsed().as_secs_f64() > self.limit_s
    }

    /// Whether to stop, for the time or for the monitor; cheap enough to ask every iteration.
    pub(crate) fn stop(&mut self, monitor: &mut impl Monitor) -> bool {
        if self.polled.elapsed() < POLL {
            return false;
        }
        self.polled = Instant::now();
        self.late() || monitor.stop()
    }
}
