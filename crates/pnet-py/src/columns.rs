//! Column generation on the arc form.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use std::sync::Mutex;

use pnet_core::mcf::columns::{self, Terms};
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::{in_parallel, run};
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

/// Levels of max-min fairness by column generation.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct FairFlow {
    inner: Mutex<columns::Fair>,
    planes: usize,
}

/// The result of [`FairFlow::level`].
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct FairLevel {
    /// The largest common rate found, per unit demand, and the part of all rates that fits.
    rate: f64,
    fits: f64,
    upper: f64,
    length: Py<PyArray1<f64>>,
    up_length: Py<PyArray2<f64>>,
    down_length: Py<PyArray2<f64>>,
    iterations: usize,
    interrupted: bool,
}

#[pymethods]
impl FairFlow {
    #[new]
    #[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
    fn new(
        py: Python<'_>,
        problem: &FlowProblem,
        tolerance: f64,
        max_iterations: usize,
        time_limit_s: f64,
        threads: usize,
        on_progress: Py<PyAny>,
    ) -> Result<Self> {
        let options = Options { tolerance, max_iterations, time_limit_s };
        let (inner, _) =
            run(py, threads, on_progress, |monitor| columns::Fair::new(&problem.inner, &options, monitor))?;
        Ok(FairFlow { inner: Mutex::new(inner), planes: problem.inner.planes.len() })
    }

    /// The largest common rate of the demands whose `kept` is 0, beside which the others keep that.
    #[pyo3(signature = (kept, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
    #[allow(clippy::too_many_arguments)]
    fn level(
        &self,
        py: Python<'_>,
        kept: PyReadonlyArray1<f64>,
        tolerance: f64,
        max_iterations: usize,
        time_limit_s: f64,
        threads: usize,
        on_progress: Py<PyAny>,
    ) -> Result<FairLevel> {
        let fixed: Vec<Option<f64>> = kept.as_slice()?.iter().map(|rate| (*rate > 0.0).then_some(*rate)).collect();
        let options = Options { tolerance, max_iterations, time_limit_s };
        let (found, interrupted) = run(py, threads, on_progress, |monitor| {
            let mut fair = self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            fair.level(&fixed, &options, monitor)
        })?;
        let [length, up, down] = found.lengths;
        let access = |length: Vec<f64>| -> Result<Py<PyArray2<f64>>> {
            let endpoints = length.len() / self.planes;
            Ok(PyArray1::from_vec(py, length).reshape([self.planes, endpoints])?.unbind())
        };
        Ok(FairLevel {
            rate: found.rate,
            fits: found.fits,
            upper: found.upper,
            length: length.into_pyarray(py).unbind(),
            up_length: access(up)?,
            down_length: access(down)?,
            iterations: found.iterations,
            interrupted: found.interrupted || interrupted,
        })
    }

    /// The flow of the last level.
    fn proof(&self, py: Python<'_>) -> Result<Proof> {
        let inner =
            in_parallel(py, || Ok(self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner).proof()))?;
        Ok(Proof { inner, planes: self.planes })
    }
}

/// Bytes that [`FairFlow`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_fair_flow_bytes(problem: &FlowProblem) -> usize {
    columns::estimate_fair_bytes(&problem.inner)
}
