//! Objectives other than K over given columns: progressive filling, and the cheapest flow.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::error::{indices, offsets};
use pnet_core::mcf::bundles::{self, Served};
use pnet_core::mcf::run::Options;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::{in_parallel, on_threads, run};

/// Demands with their columns, each a bundle of links.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Bundles {
    inner: bundles::Bundles,
}

/// Level, bottleneck link and load of a unit on it, of each demand.
type Filled<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Bundles {
    #[new]
    fn new(
        py: Python<'_>,
        capacity: PyReadonlyArray1<f64>,
        demand: PyReadonlyArray1<f64>,
        pair_ptr: PyReadonlyArray1<i64>,
        ptr: PyReadonlyArray1<i64>,
        link: PyReadonlyArray1<i32>,
        part: PyReadonlyArray1<f64>,
    ) -> Result<Self> {
        let (capacity, demand) = (capacity.as_slice()?.to_vec(), demand.as_slice()?.to_vec());
        let pair_ptr = offsets("pair_ptr", pair_ptr.as_slice()?)?;
        let ptr = offsets("ptr", ptr.as_slice()?)?;
        let link = indices("link", link.as_slice()?, capacity.len())?;
        let part = part.as_slice()?.to_vec();
        let inner = bundles::Bundles { capacity, demand, pair_ptr, ptr, link, part };
        Ok(Bundles { inner: in_parallel(py, || inner.checked())? })
    }

    /// Max-min fair rates where each demand has one column: level, bottleneck link (-1 for none) and part.
    fn fill<'py>(&self, py: Python<'py>) -> Result<Filled<'py>> {
        let found = on_threads(py, 1, f64::INFINITY, |stop| bundles::fill(&self.inner, stop))?;
        let link: Vec<i64> = found.link.iter().map(|l| if *l == u32::MAX { -1 } else { i64::from(*l) }).collect();
        Ok((found.level.into_pyarray(py), link.into_pyarray(py), found.part.into_pyarray(py)))
    }
}

/// The result of [`solve_cheapest`].
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct Cheapest {
    /// Fraction of its demand on each column.
    weight: Py<PyArray1<f64>>,
    /// Length of each link.
    length: Py<PyArray1<f64>>,
    iterations: usize,
    interrupted: bool,
}

/// Finds the cheapest flow that serves the `whole` of each demand, or any part of it.
#[pyfunction]
#[pyo3(signature = (bundles, cost, *, whole, tolerance, max_iterations, time_limit_s, threads, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_cheapest(
    py: Python<'_>,
    bundles: &Bundles,
    cost: PyReadonlyArray1<f64>,
    whole: bool,
    tolerance: f64,
    max_iterations: usize,
    time_limit_s: f64,
    threads: usize,
    on_progress: Py<PyAny>,
) -> Result<Cheapest> {
    let (cost, served) = (cost.as_slice()?, if whole { Served::All } else { Served::Any });
    let options = Options { tolerance, max_iterations, time_limit_s };
    let (found, interrupted) =
        run(py, threads, on_progress, |monitor| bundles::cheapest(&bundles.inner, cost, served, &options, monitor))?;
    Ok(Cheapest {
        weight: found.weight.into_pyarray(py).unbind(),
        length: found.length.into_pyarray(py).unbind(),
        iterations: found.iterations,
        interrupted: found.interrupted || interrupted,
    })
}

/// Bytes that [`solve_cheapest`] will hold at its peak, beyond the instance.
#[pyfunction]
pub(crate) fn estimate_cheapest_bytes(columns: usize, entries: usize, links: usize) -> usize {
    bundles::estimate_bytes(columns, entries, links)
}
