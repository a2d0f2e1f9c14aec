//! Hop counts, in many trials of what is down.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::hops::{self, Down};
use pyo3::prelude::*;

use crate::CoreError;
use crate::planes::{Planes, pool};

/// Ordered pairs of endpoints by hops, int64 `[trials, hops + 1]`; `size` are the endpoints at each site.
///
/// `arcs_down` is bool `[trials, arcs]`, `sites_down` bool `[trials, planes * sites]`.
#[pyfunction]
#[pyo3(signature = (planes, size, arcs_down, sites_down, *, threads))]
pub fn count_hops<'py>(
    py: Python<'py>,
    planes: &Planes,
    size: PyReadonlyArray1<i32>,
    arcs_down: PyReadonlyArray2<bool>,
    sites_down: PyReadonlyArray2<bool>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let size: Vec<u64> = size
        .as_slice()?
        .iter()
        .map(|n| u64::try_from(*n).ok().filter(|n| *n > 0))
        .collect::<Option<_>>()
        .ok_or_else(|| CoreError::new_err("size: a site without endpoints"))?;
    if size.len() != planes.attach.first().map_or(0, Vec::len) {
        return Err(CoreError::new_err("size: another number of sites than attach has"));
    }
    let trials = trials(planes, &arcs_down, &sites_down)?;
    let pool = pool(threads)?;
    let found = py.detach(|| pool.install(|| hops::count(&planes.graphs, &planes.attach, &size, &trials)));
    let width = found.iter().map(Vec::len).max().unwrap_or(0);
    let mut table = vec![0; found.len() * width];
    for (row, pairs) in table.chunks_mut(width.max(1)).zip(&found) {
        for (place, count) in row.iter_mut().zip(pairs) {
            *place = *count as i64;
        }
    }
    table.into_pyarray(py).reshape([found.len(), width])
}

/// Hops between pairs of sites, int32 `[trials, pairs]`, -1 where there is no path.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, arcs_down, sites_down, *, threads))]
pub fn hops_between<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    arcs_down: PyReadonlyArray2<bool>,
    sites_down: PyReadonlyArray2<bool>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<i32>>> {
    let pairs = planes.pairs(&src, &dst)?;
    let trials = trials(planes, &arcs_down, &sites_down)?;
    let pool = pool(threads)?;
    let found = py.detach(|| pool.install(|| hops::between(&planes.graphs, &planes.attach, &pairs, &trials)));
    found.concat().into_pyarray(py).reshape([trials.len(), pairs.len()])
}

/// What is down in each trial.
fn trials<'a>(
    planes: &Planes,
    arcs_down: &'a PyReadonlyArray2<bool>,
    sites_down: &'a PyReadonlyArray2<bool>,
) -> PyResult<Vec<Down<'a>>> {
    let (arcs, sites) = (arcs_down.as_array().dim(), sites_down.as_array().dim());
    let all_arcs: usize = planes.graphs.iter().map(|graph| graph.head.len()).sum();
    let all_sites: usize = planes.attach.iter().map(Vec::len).sum();
    if arcs.0 != sites.0 || arcs.1 != all_arcs || sites.1 != all_sites {
        return Err(CoreError::new_err("arcs_down: masks and planes do not fit together"));
    }
    let (arcs_down, sites_down) = (arcs_down.as_slice()?, sites_down.as_slice()?);
    Ok((0..arcs.0)
        .map(|trial| Down {
            arcs: &arcs_down[trial * all_arcs..(trial + 1) * all_arcs],
            sites: &sites_down[trial * all_sites..(trial + 1) * all_sites],
        })
        .collect())
}
