//! The structured solver.

use pnet_core::mcf::structured::{self, Monitor, Options, Progress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::problem::FlowProblem;
use crate::proof::Proof;
use crate::{CoreError, to_python};

/// What a run of the structured solver returns.
#[pyclass(frozen, module = "pnet_lp._core")]
pub struct Solution {
    #[pyo3(get)]
    proof: Py<Proof>,
    #[pyo3(get)]
    iterations: usize,
    #[pyo3(get)]
    restarts: usize,
    #[pyo3(get)]
    interrupted: bool,
}

/// Passes progress to Python, and Python's Ctrl-C to the solver.
struct PythonMonitor {
    on_progress: Py<PyAny>,
    /// An exception of a handler or of `on_progress`, to be raised once the solver has stopped.
    failure: Option<PyErr>,
}

impl PythonMonitor {
    /// Stops on an exception; all but Ctrl-C are kept to be raised.
    fn go_on(&mut self, py: Python<'_>, outcome: PyResult<bool>) -> bool {
        outcome.unwrap_or_else(|error| {
            if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                self.failure = Some(error);
            }
            false
        })
    }
}

impl Monitor for PythonMonitor {
    fn stop(&mut self) -> bool {
        Python::attach(|py| !self.go_on(py, py.check_signals().map(|()| true)))
    }

    fn progress(&mut self, progress: Progress) -> bool {
        Python::attach(|py| {
            let told = self.on_progress.call1(py, (progress.iterations, progress.lower, progress.upper));
            let answer = told.and_then(|answer| answer.extract::<bool>(py));
            self.go_on(py, answer)
        })
    }
}

/// Solves `problem`; `on_progress(iterations, lower, upper)` returns whether to go on.
///
/// A pending Ctrl-C stops the run as if `on_progress` had said so.
#[pyfunction]
#[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
pub fn solve_structured(
    py: Python<'_>,
    problem: &FlowProblem,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> PyResult<Solution> {
    let options = Options { tolerance, max_iterations, time_limit_s };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CoreError::new_err(format!("cannot start {threads} threads: {error}")))?;
    let mut monitor = PythonMonitor { on_progress, failure: None };
    let solved = py.detach(|| pool.install(|| structured::solve(&problem.inner, &options, &mut monitor)));
    if let Some(error) = monitor.failure {
        return Err(error);
    }
    let solution = solved.map_err(to_python)?;
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
pub fn estimate_structured_bytes(problem: &FlowProblem) -> usize {
    structured::estimate_bytes(&problem.inner)
}
