//! A long run under Python: who watches it, and what stops it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use pnet_core::mcf::run::{Monitor, Progress};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::{Failure, Result};
use crate::threads::pool;

/// Passes progress to Python, and Python's wish to stop to the run.
pub(crate) struct PythonMonitor<'a> {
    on_progress: Py<PyAny>,
    stop: &'a AtomicBool,
    /// An exception of `on_progress`, to be raised once the run has stopped.
    failure: Option<PyErr>,
}

impl PythonMonitor<'_> {
    /// Whether a signal has asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Calls `on_progress`; returns whether to go on.
    pub(crate) fn tell(&mut self, arguments: impl for<'py> PyCallArgs<'py>) -> bool {
        let answer = Python::attach(|py| {
            let told = self.on_progress.call1(py, arguments);
            told.and_then(|answer| answer.extract::<bool>(py))
        });
        answer.unwrap_or_else(|error| {
            self.failure = Some(error);
            false
        })
    }
}

impl Monitor for PythonMonitor<'_> {
    fn stop(&mut self) -> bool {
        self.stopped()
    }

    fn progress(&mut self, progress: Progress) -> bool {
        self.tell((progress.iterations, progress.lower, progress.upper))
    }
}

/// How often the calling thread looks for signals while the pool works.
const POLL: Duration = Duration::from_millis(50);

/// Does `work` on `threads` threads of its own; `on_progress`, which it calls, returns whether to go on.
///
/// A pending Ctrl-C stops the run as if `on_progress` had said so: what is reached so far is the answer.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    on_progress: Py<PyAny>,
    work: impl FnOnce(&mut PythonMonitor<'_>) -> std::result::Result<T, pnet_core::Error> + Send,
) -> Result<T> {
    let pool = pool(threads)?;
    let stop = AtomicBool::new(false);
    let mut monitor = PythonMonitor { on_progress, stop: &stop, failure: None };
    let (done, signal) = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, result) = std::sync::mpsc::channel();
            let (pool, monitor) = (&pool, &mut monitor);
            scope.spawn(move || {
                let done = pool.install(|| work(monitor));
                // The receiver waits until it has this.
                let _ = sender.send(done);
            });
            // Signal handlers run in Python's main thread alone, which is this one if the caller is.
            let mut signal = None;
            loop {
                match result.recv_timeout(POLL) {
                    Ok(done) => break (Some(done), signal),
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
    let done = done.ok_or_else(|| Failure::new("the core panicked; this is a defect".to_owned()))?;
    Ok(done?)
}
