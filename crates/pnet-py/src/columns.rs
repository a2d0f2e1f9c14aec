//! Column generation on the arc form.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pnet_core::mcf::columns::{self, Terms};
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::{in_parallel, run};
use crate::path_form::PathProblem;
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

/// The result of `level` of [`FairFlow`], [`FairVertices`], [`FairTrees`], [`FairSplit`] and [`FairSplitVertices`].
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct FairLevel {
    /// The largest common rate found, per unit demand, and the part of all rates that fits.
    rate: f64,
    fits: f64,
    upper: f64,
    /// Of all links: arcs, access links into planes, access links out of them.
    length: Py<PyArray1<f64>>,
    iterations: usize,
    interrupted: bool,
}

/// Paths over which programs are written.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct PathsInUse {
    inner: Mutex<columns::PathsInUse>,
    planes: usize,
}

/// Where the paths of each demand begin, int64; the plane of each, int32; where its arcs begin, int64; and the arcs, int32.
type Listed<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>);

#[pymethods]
impl PathsInUse {
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
            run(py, threads, on_progress, |monitor| columns::PathsInUse::new(&problem.inner, &options, monitor))?;
        Ok(PathsInUse { inner: Mutex::new(inner), planes: problem.inner.planes.len() })
    }

    /// The paths, those of a demand after each other; arcs are numbered within their plane.
    fn listed<'py>(&self, py: Python<'py>) -> Result<Listed<'py>> {
        let found = in_parallel(py, || Ok(unlocked(&self.inner).listed()))?;
        let places = |values: &[usize]| values.iter().map(|v| *v as i64).collect::<Vec<_>>().into_pyarray(py);
        let narrow = |values: &[u32]| values.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py);
        Ok((places(&found.pair_ptr), narrow(&found.plane), places(&found.path_ptr), narrow(&found.arc)))
    }

    /// Adds short paths under these lengths; returns how many demands had no shortest one.
    fn add(
        &self,
        py: Python<'_>,
        length: PyReadonlyArray1<f64>,
        up_length: PyReadonlyArray2<f64>,
        down_length: PyReadonlyArray2<f64>,
    ) -> Result<usize> {
        let (length, up, down) = (length.as_slice()?, up_length.as_slice()?, down_length.as_slice()?);
        in_parallel(py, || unlocked(&self.inner).add(length, up, down))
    }

    /// The flow in which each demand has such a part of its `rate` on each of its paths.
    fn proof(&self, py: Python<'_>, weight: PyReadonlyArray1<f64>, rate: PyReadonlyArray1<f64>) -> Result<Proof> {
        let (weight, rate) = (weight.as_slice()?, rate.as_slice()?);
        let inner = in_parallel(py, || unlocked(&self.inner).proof(weight, rate))?;
        Ok(Proof { inner, planes: self.planes })
    }
}

/// What each demand keeps, none where that is 0.
fn fixed(kept: &[f64]) -> Vec<Option<f64>> {
    kept.iter().map(|rate| (*rate > 0.0).then_some(*rate)).collect()
}

fn unlocked<T>(search: &Mutex<T>) -> MutexGuard<'_, T> {
    search.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Levels of max-min fairness, and what else is known of them.
macro_rules! fair_levels {
    ($name:ident, $problem:ty, $what:literal, $($more:item),+) => {
        #[doc = $what]
        #[pyclass(frozen, module = "pnet_lp._core")]
        pub(crate) struct $name {
            inner: Mutex<columns::$name>,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (problem, *, tolerance, max_iterations, time_limit_s, threads, on_progress))]
            fn new(
                py: Python<'_>,
                problem: &$problem,
                tolerance: f64,
                max_iterations: usize,
                time_limit_s: f64,
                threads: usize,
                on_progress: Py<PyAny>,
            ) -> Result<Self> {
                let options = Options { tolerance, max_iterations, time_limit_s };
                let (inner, _) =
                    run(py, threads, on_progress, |monitor| columns::$name::new(&problem.inner, &options, monitor))?;
                Ok($name { inner: Mutex::new(inner) })
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
                let fixed = fixed(kept.as_slice()?);
                let options = Options { tolerance, max_iterations, time_limit_s };
                let (found, interrupted) =
                    run(py, threads, on_progress, |monitor| unlocked(&self.inner).level(&fixed, &options, monitor))?;
                Ok(FairLevel {
                    rate: found.rate,
                    fits: found.fits,
                    upper: found.upper,
                    length: found.length.into_pyarray(py).unbind(),
                    iterations: found.iterations,
                    interrupted: found.interrupted || interrupted,
                })
            }

            $($more)+
        }
    };
}

fair_levels!(
    FairFlow,
    FlowProblem,
    "Levels of max-min fairness over any path, by column generation.",
    /// The flow of the last level.
    fn proof(&self, py: Python<'_>) -> Result<Proof> {
        in_parallel(py, || {
            let fair = unlocked(&self.inner);
            Ok(Proof { inner: fair.proof()?, planes: fair.planes() })
        })
    }
);
/// Levels over any path, each at a vertex.
macro_rules! fair_vertices {
    ($name:ident, $doc:literal) => {
        fair_levels!(
            $name,
            FlowProblem,
            $doc,
            /// The flow of the last level.
            fn proof(&self, py: Python<'_>) -> Result<Proof> {
                in_parallel(py, || {
                    let fair = unlocked(&self.inner);
                    Ok(Proof { inner: fair.proof()?, planes: fair.planes() })
                })
            },
            /// What each demand gets by that flow, in which no link carries more than it can.
            fn served<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
                Ok(in_parallel(py, || Ok(unlocked(&self.inner).served()))?.into_pyarray(py))
            }
        );
    };
}

fair_vertices!(FairVertices, "The same by the simplex method, each at a vertex.");
fair_vertices!(FairTrees, "The same over a tree for each destination.");
fair_levels!(
    FairSplit,
    PathProblem,
    "Levels of max-min fairness over given paths, by column generation.",
    /// What the last level puts on each path, as a part of its demand.
    fn weight<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(in_parallel(py, || Ok(unlocked(&self.inner).weight()))?.into_pyarray(py))
    }
);
fair_levels!(
    FairSplitVertices,
    PathProblem,
    "The same by the simplex method, each at a vertex.",
    /// What each path carries by the flow of the last level, in which no link carries more than it can.
    fn carried<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(in_parallel(py, || Ok(unlocked(&self.inner).carried()))?.into_pyarray(py))
    }
);

/// Bytes that [`FairFlow`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_fair_flow_bytes(problem: &FlowProblem) -> usize {
    columns::estimate_fair_flow_bytes(&problem.inner)
}

/// Bytes that [`FairTrees`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_fair_trees_bytes(problem: &FlowProblem) -> usize {
    columns::estimate_fair_trees_bytes(&problem.inner)
}

/// Bytes that [`FairSplit`] will hold at its peak.
#[pyfunction]
pub(crate) fn estimate_fair_split_bytes(problem: &PathProblem) -> usize {
    columns::estimate_fair_split_bytes(&problem.inner)
}
