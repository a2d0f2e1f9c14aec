//! The path form: its instance, its bounds and its solver.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::error::{indices, offsets};
use pnet_core::mcf::columns::{self, Terms};
use pnet_core::mcf::path_form::{self, WarmStart};
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::{in_parallel, run};

/// Maximum concurrent flow over given paths.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct PathProblem {
    pub(crate) inner: path_form::PathProblem,
}

/// Bounds, loads at K = 1, and the weights, normalised.
type Bounds<'py> = (f64, f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl PathProblem {
    #[new]
    fn new(
        py: Python<'_>,
        capacity: PyReadonlyArray1<f64>,
        demand: PyReadonlyArray1<f64>,
        pair_ptr: PyReadonlyArray1<i64>,
        path_ptr: PyReadonlyArray1<i64>,
        link: PyReadonlyArray1<i32>,
    ) -> Result<Self> {
        let (capacity, demand) = (capacity.as_slice()?.to_vec(), demand.as_slice()?.to_vec());
        let pair_ptr = offsets("pair_ptr", pair_ptr.as_slice()?)?;
        let path_ptr = offsets("path_ptr", path_ptr.as_slice()?)?;
        let link = indices("link", link.as_slice()?, capacity.len())?;
        let inner = in_parallel(py, || path_form::PathProblem::new(capacity, demand, pair_ptr, path_ptr, link))?;
        Ok(PathProblem { inner })
    }

    /// The bounds of a split and of lengths: `(lower, upper, load, weight)`.
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        weight: PyReadonlyArray1<f64>,
        length: PyReadonlyArray1<f64>,
    ) -> Result<Bounds<'py>> {
        let (weight, length) = (weight.as_slice()?, length.as_slice()?);
        let (lower, upper, load, weight) = in_parallel(py, || path_form::bounds(&self.inner, weight, length))?;
        Ok((lower, upper, load.into_pyarray(py), weight.into_pyarray(py)))
    }

    /// The length of each demand's shortest path, rounded down.
    fn distances<'py>(&self, py: Python<'py>, length: PyReadonlyArray1<f64>) -> Result<Bound<'py, PyArray1<f64>>> {
        let length = length.as_slice()?;
        Ok(in_parallel(py, || path_form::distances(&self.inner, length))?.into_pyarray(py))
    }

    /// Bytes that the solver will hold at its peak.
    fn estimate_bytes(&self) -> usize {
        path_form::estimate_bytes(&self.inner)
    }
}

/// The result of the solvers over given paths.
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct PathSolution {
    /// Fraction of its demand on each path.
    weight: Py<PyArray1<f64>>,
    /// Length of each link.
    length: Py<PyArray1<f64>>,
    iterations: usize,
    interrupted: bool,
}

impl PathSolution {
    fn new(py: Python<'_>, solution: path_form::Solution, interrupted: bool) -> Self {
        PathSolution {
            weight: solution.weight.into_pyarray(py).unbind(),
            length: solution.length.into_pyarray(py).unbind(),
            iterations: solution.iterations,
            interrupted: solution.interrupted || interrupted,
        }
    }
}

/// Solves `problem`, from the weights and lengths `warm_start` of a similar one if given.
#[pyfunction]
#[pyo3(signature = (problem, *, warm_start, tolerance, max_iterations, time_limit_s, threads, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_path_form(
    py: Python<'_>,
    problem: &PathProblem,
    warm_start: Option<(PyReadonlyArray1<f64>, PyReadonlyArray1<f64>)>,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<PathSolution> {
    let given = match warm_start {
        None => None,
        Some((weight, length)) => {
            Some(WarmStart { weight: weight.as_slice()?.to_vec(), length: length.as_slice()?.to_vec() })
        }
    };
    let options = Options { tolerance, max_iterations, time_limit_s };
    let (solution, interrupted) =
        run(py, threads, on_progress, |monitor| path_form::solve(&problem.inner, given, &options, monitor))?;
    Ok(PathSolution::new(py, solution, interrupted))
}

/// Solves `problem` by column generation.
#[pyfunction]
#[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
pub(crate) fn solve_split(
    py: Python<'_>,
    problem: &PathProblem,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<PathSolution> {
    let options = Options { tolerance, max_iterations, time_limit_s };
    let (solution, interrupted) =
        run(py, threads, on_progress, |monitor| columns::solve_listed(&problem.inner, &options, monitor))?;
    Ok(PathSolution::new(py, solution, interrupted))
}

/// Bytes that [`solve_split`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_split_bytes(problem: &PathProblem) -> usize {
    columns::estimate_split_bytes(&problem.inner)
}

/// The result of [`solve_cheapest_split`].
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct CheapestSplit {
    /// Fraction of its demand on each path.
    weight: Py<PyArray1<f64>>,
    /// Length of each link.
    length: Py<PyArray1<f64>>,
    iterations: usize,
    interrupted: bool,
}

/// Finds the cheapest flow over given paths by column generation, where a unit on each link costs `cost`.
#[pyfunction]
#[pyo3(signature = (problem, cost, *, worth, floor, tolerance, max_iterations, time_limit_s, threads, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_cheapest_split(
    py: Python<'_>,
    problem: &PathProblem,
    cost: PyReadonlyArray1<f64>,
    worth: f64,
    floor: f64,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<CheapestSplit> {
    let terms = Terms { cost: cost.as_slice()?, worth, floor };
    let options = Options { tolerance, max_iterations, time_limit_s };
    let (found, interrupted) =
        run(py, threads, on_progress, |monitor| columns::cheapest_listed(&problem.inner, &terms, &options, monitor))?;
    Ok(CheapestSplit {
        weight: found.weight.into_pyarray(py).unbind(),
        length: found.length.into_pyarray(py).unbind(),
        iterations: found.iterations,
        interrupted: found.interrupted || interrupted,
    })
}

/// Bytes that [`solve_cheapest_split`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_cheapest_split_bytes(problem: &PathProblem) -> usize {
    columns::estimate_listed_bytes(&problem.inner)
}
