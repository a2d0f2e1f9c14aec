//! Column generation on the arc form.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::mcf::columns::{self, Terms};
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::run;
use crate::problem::FlowProblem;
use crate::proof::Proof;
use crate::structured::Solution;

/// Solves `problem` by column generation.
#[pyfunction]
#[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
pub(crate) fn solve_columns(
    py: Python<'_>,
    problem: &FlowProblem,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<Solution> {
    let options = Options { tolerance, max_iterations, time_limit_s };
    let found = run(py, threads, on_progress, |monitor| columns::solve(&problem.inner, &options, monitor))?;
    Solution::new(py, problem, found)
}

/// Bytes that column generation will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_columns_bytes(problem: &FlowProblem) -> usize {
    columns::estimate_bytes(&problem.inner)
}

/// The result of [`solve_cheapest_flow`].
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct CheapestFlow {
    proof: Py<Proof>,
    /// The part of each demand that is served.
    served: Py<PyArray1<f64>>,
    iterations: usize,
    interrupted: bool,
}

/// Finds the cheapest flow by column generation, where a unit on each arc costs `cost`.
#[pyfunction]
#[pyo3(signature = (problem, cost, *, worth, floor, tolerance, max_iterations, time_limit_s, threads, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_cheapest_flow(
    py: Python<'_>,
    problem: &FlowProblem,
    cost: PyReadonlyArray1<f64>,
    worth: f64,
    floor: f64,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<CheapestFlow> {
    let terms = Terms { cost: cost.as_slice()?, worth, floor };
    let options = Options { tolerance, max_iterations, time_limit_s };
    let (found, interrupted) =
        run(py, threads, on_progress, |monitor| columns::cheapest(&problem.inner, &terms, &options, monitor))?;
    Ok(CheapestFlow {
        proof: Py::new(py, Proof { inner: found.proof, planes: problem.inner.planes.len() })?,
        served: found.served.into_pyarray(py).unbind(),
        iterations: found.iterations,
        interrupted: found.interrupted || interrupted,
    })
}

/// Bytes that [`solve_cheapest_flow`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_cheapest_flow_bytes(problem: &FlowProblem) -> usize {
    columns::estimate_cheapest_bytes(&problem.inner)
}
