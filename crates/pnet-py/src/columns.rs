//! Column generation on the arc form.

use pnet_core::mcf::columns;
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::run;
use crate::problem::FlowProblem;
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
