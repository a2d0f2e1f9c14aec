//! The structured solver of the arc form, and what every solver needs to run under Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use pnet_core::mcf::run::{Monitor, Options, Progress};
use pnet_core::mcf::structured;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::{Failure, Result};
use crate::problem::FlowProblem;
use crate::proof::Proof;
use crate::threads::pool;

/// What a run of the structured solver returns.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Solution {
    #[pyo3(get)]
    proof: Py<Proof>,
    #[pyo3(get)]
    iterations: usize,
    #[pyo3(get)]
    restarts: usize,
    #[pyo3(get)]
    interrupted: bool,
}

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

/// Solves `problem` by the structured method.
#[pyfunction]
#[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
pub(crate) fn solve_structured(
    py: Python<'_>,
    problem: &FlowProblem,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<Solution> {
    let options = Options { tolerance, max_iterations, time_limit_s };
    let solution =
        run(py, threads, on_progress, |monitor| structured::solve(&problem.inner, &options, monitor))?;
    let proof = Proof { inner: solution.proof, planes: problem.inner.planes.len() };
    Ok(Solution {
        proof: Py::new(py, proof)?,
        iterations: solution.iterations,
        restarts: solution.restarts,
        interrupted: solution.interrupted,
    })
}

/// Bytes that the structured solver will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_structured_bytes(problem: &FlowProblem) -> usize {
    structured::estimate_bytes(&problem.inner)
}
