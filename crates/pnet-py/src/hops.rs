//! Hop counts, in many trials of failures.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::hops::{self, Down};
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::on_threads;
use crate::planes::Planes;

/// Ordered pairs of endpoints by hops, int64 `[trials, hops + 1]`; `size` is the number of endpoints at each site.
///
/// `arcs_down` is bool `[trials, arcs]`, `sites_down` bool `[trials, planes * sites]`.
#[pyfunction]
#[pyo3(signature = (planes, size, arcs_down, sites_down, *, threads))]
pub(crate) fn count_hops<'py>(
    py: Python<'py>,
    planes: &Planes,
    size: PyReadonlyArray1<i32>,
    arcs_down: PyReadonlyArray2<bool>,
    sites_down: PyReadonlyArray2<bool>,
    threads: usize,
) -> Result<Bound<'py, PyArray2<i64>>> {
    let (size, trials) = (size.as_slice()?, trials(planes, &arcs_down, &sites_down)?);
    let found = on_threads(py, threads, f64::INFINITY, |stop| hops::count(&planes.inner, size, &trials, stop))?;
    let width = found.iter().map(Vec::len).max().unwrap_or(0);
    let mut table = vec![0; found.len() * width];
    for (row, pairs) in table.chunks_mut(width.max(1)).zip(&found) {
        for (place, count) in row.iter_mut().zip(pairs) {
            *place = *count as i64;
        }
    }
    Ok(table.into_pyarray(py).reshape([found.len(), width])?)
}

/// Hops between pairs of sites, int32 `[trials, pairs]`, -1 where there is no path.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, arcs_down, sites_down, *, threads))]
pub(crate) fn hops_between<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    arcs_down: PyReadonlyArray2<bool>,
    sites_down: PyReadonlyArray2<bool>,
    threads: usize,
) -> Result<Bound<'py, PyArray2<i32>>> {
    let pairs = planes.pairs(&src, &dst)?;
    let trials = trials(planes, &arcs_down, &sites_down)?;
    let found = on_threads(py, threads, f64::INFINITY, |stop| hops::between(&planes.inner, &pairs, &trials, stop))?;
    Ok(found.concat().into_pyarray(py).reshape([trials.len(), pairs.len()])?)
}

/// The failures of each trial.
fn trials<'a>(
    planes: &Planes,
    arcs_down: &'a PyReadonlyArray2<bool>,
    sites_down: &'a PyReadonlyArray2<bool>,
) -> Result<Vec<Down<'a>>> {
    let count = arcs_down.as_array().nrows();
    Ok(Down::trials(&planes.inner, count, arcs_down.as_slice()?, sites_down.as_slice()?)?)
}
