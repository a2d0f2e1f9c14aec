//! A solver's run under Python: who watches it, and what stops it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use pnet_core::mcf::run::{Monitor, Progress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::{Failure, Result};
use crate::threads::pool;

/// Passes progress to Python, and Python's wish to stop to the solver.
pub(crate) struct PythonMonitor<'a> {
    on_progress: Py<PyAny>,
    stop: &'a AtomicBool,
    /// An exception of `on_progress`, to be raised once the solver has stopped.
    failure: Option<PyErr>,
}

impl Monitor for PythonMonitor<'_> {
    fn stop(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn progress(&mut self, progress: Progress) -> bool {
        let answer = Python::attach(|py| {
            let told = self.on_progress.call1(py, (progress.iterations, progress.lower, progress.upper));
            told.and_then(|answer| answer.extract::<bool>(py))
        });
        answer.unwrap_or_else(|error| {
            self.failure = Some(error);
            false
        })
    }
}

/// How often the calling thread looks for signals while the pool solves.
const POLL: Duration = Duration::from_millis(50);

/// Runs a solver on `threads` threads of its own; `on_progress(iterations, lower, upper)` returns whether to go on.
///
/// A pending Ctrl-C stops the run as if `on_progress` had said so: the bounds reached so far are the answer.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    on_progress: Py<PyAny>,
    solve: impl FnOnce(&mut PythonMonitor<'_>) -> std::result::Result<T, pnet_core::Error> + Send,
) -> Result<T> {
    let pool = pool(threads)?;
    let stop = AtomicBool::new(false);
    let mut monitor = PythonMonitor { on_progress, stop: &stop, failure: None };
    let (solved, signal) = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, result) = std::sync::mpsc::channel();
            let (pool, monitor) = (&pool, &mut monitor);
            scope.spawn(move || {
                let solved = pool.install(|| solve(monitor));
                // The receiver waits until it has this.
                let _ = done.send(solved);
            });
            // Signal handlers run in Python's main thread alone, which is this one if the caller is.
            let mut signal = None;
            loop {
                match result.recv_timeout(POLL) {
                    Ok(solved) => break (Some(solved), signal),
                    Err(RecvTimeoutError::Disconnected) => break (None, signal),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            signal = signal.or(Some(error));
                        }
                    }
                }
            }
        })
    });
    let mut failures = [monitor.failure, signal].into_iter().flatten();
    if let Some(error) = failures.find(|error| !error.is_instance_of::<PyKeyboardInterrupt>(py)) {
        return Err(error.into());
    }
    let solved = solved.ok_or_else(|| Failure::new("the solver panicked; this is a defect".to_owned()))?;
    Ok(solved?)
}
