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

/// Iterations before the bounds are looked at first, and at least between two looks.
pub(crate) const FIRST_CHECK: usize = 20;

/// After that they are looked at each time the iterations have grown by this part: an evaluation costs several
/// iterations, and this way never more than a fraction of the whole run.
const CHECK_FRACTION: usize = 8;

/// The iteration at which to look at the bounds after having done so at `iterations`.
pub(crate) fn next_check(iterations: usize) -> usize {
    iterations + (iterations / CHECK_FRACTION).max(FIRST_CHECK)
}

/// A restart of Halpern's iteration happens when the fixed-point residual has fallen to this part of its value at the
/// last one ...
const SUFFICIENT: f64 = 0.2;
/// ... or to this part and begins to rise ...
const NECESSARY: f64 = 0.8;
/// ... or when the stretch since is this part of all iterations.
const ARTIFICIAL: f64 = 0.36;

/// When an iteration restarts (Applegate et al. 2021; Lu and Yang 2024).
#[derive(Debug, Clone, Default)]
pub(crate) struct Restarts {
    /// Iterations done.
    pub(crate) iterations: usize,
    /// Iterations since the last restart.
    pub(crate) since: usize,
    /// Restarts among them.
    pub(crate) count: usize,
    first: f64,
    last: f64,
}

impl Restarts {
    /// The weight of the reflected step against the anchor, in the next iteration.
    pub(crate) fn weight(&self) -> f64 {
        (self.since + 1) as f64 / (self.since + 2) as f64
    }

    /// Counts an iteration with this fixed-point residual; returns whether to restart after it.
    pub(crate) fn due(&mut self, residual: f64) -> bool {
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

    /// Notes a restart.
    pub(crate) fn done(&mut self) {
        self.since = 0;
        self.count += 1;
    }
}
