//! The structured solver of the arc form.

use pnet_core::mcf;
use pnet_core::mcf::run::Options;
use pnet_core::mcf::structured::{self, WarmStart};
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::run;
use crate::problem::FlowProblem;
use crate::proof::Proof;

/// The result of a solver on arcs.
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct Solution {
    proof: Py<Proof>,
    iterations: usize,
    interrupted: bool,
}

impl Solution {
    /// The result of a run on `problem`, and whether the user interrupted it.
    pub(crate) fn new(
        py: Python<'_>,
        problem: &FlowProblem,
        (solution, interrupted): (mcf::Solution, bool),
    ) -> Result<Self> {
        let proof = Proof { inner: solution.proof, planes: problem.inner.planes.len() };
        Ok(Solution {
            proof: Py::new(py, proof)?,
            iterations: solution.iterations,
            interrupted: solution.interrupted || interrupted,
        })
    }
}

/// Solves `problem` by the structured method; `warm_start` is a proof for it, with the iterations of the problem that it
/// answered.
#[pyfunction]
#[pyo3(signature = (problem, *, warm_start, tolerance, max_iterations, time_limit_s, threads, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_structured(
    py: Python<'_>,
    problem: &FlowProblem,
    warm_start: Option<(PyRef<'_, Proof>, usize)>,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<Solution> {
    let options = Options { tolerance, max_iterations, time_limit_s };
    let given = warm_start.as_ref();
    let given = given.map(|(proof, iterations)| WarmStart { proof: &proof.inner, iterations: *iterations });
    let found =
        run(py, threads, on_progress, |monitor| structured::solve_from(&problem.inner, given, &options, monitor))?;
    Solution::new(py, problem, found)
}

/// Bytes that the structured solver will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_structured_bytes(problem: &FlowProblem) -> usize {
    structured::estimate_bytes(&problem.inner)
}
