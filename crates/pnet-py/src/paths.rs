//! Path enumeration, path counts, and the loads of fixed splits.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pnet_core::paths;
use pyo3::prelude::*;

use crate::error::Result;
use crate::kinds::{PathKind, Policy, Split};
use crate::monitor::on_threads;
use crate::planes::Planes;

/// Offsets of the pairs, plane of each path, offsets of the paths, arcs.
type Arrays<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>);

/// The paths of each pair of endpoints; arrays as in `pnet_lp.model.PathSet`.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, *, kind, count, policy, per_flow, seed, threads, limit_s))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn enumerate_paths<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    kind: PathKind,
    count: usize,
    policy: Policy,
    per_flow: bool,
    seed: u64,
    threads: usize,
    limit_s: f64,
) -> Result<Arrays<'py>> {
    let selection = paths::Selection { kind: kind.into(), count, policy: policy.into(), per_flow, seed };
    let pairs = planes.pairs(&src, &dst)?;
    let set = on_threads(py, threads, limit_s, |stop| paths::enumerate(&planes.inner, &pairs, &selection, stop))?;
    // These conversions keep the size of the items, so they reuse the memory.
    let offsets = |values: Vec<usize>| values.into_iter().map(|v| v as i64).collect::<Vec<_>>();
    let indices = |values: Vec<u32>| values.into_iter().map(|v| v as i32).collect::<Vec<_>>();
    Ok((
        offsets(set.pair_ptr).into_pyarray(py),
        indices(set.paths.plane).into_pyarray(py),
        offsets(set.paths.ptr).into_pyarray(py),
        indices(set.paths.arcs).into_pyarray(py),
    ))
}

/// Hops and counts.
type Counted<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<f64>>);

/// Load of each arc, and shares.
type Loaded<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Where each pair's arcs begin, the arcs, and the parts on them.
type Used<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

/// Number of shortest paths of each pair in each plane: hops int32 `[pairs, planes]`, -1 for none, and float64 counts.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, *, policy, seed, threads, limit_s))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn count_shortest<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    policy: Policy,
    seed: u64,
    threads: usize,
    limit_s: f64,
) -> Result<Counted<'py>> {
    let pairs = planes.pairs(&src, &dst)?;
    let counts = on_threads(py, threads, limit_s, |stop| {
        paths::count_shortest(&planes.inner, &pairs, policy.into(), seed, stop)
    })?;
    let shape = [pairs.len(), planes.inner.count()];
    // FAR has all bits set, as -1 has.
    let hops: Vec<i32> = counts.hops.into_iter().map(|hops| hops as i32).collect();
    Ok((hops.into_pyarray(py).reshape(shape)?, counts.count.into_pyarray(py).reshape(shape)?))
}

/// The load of a fixed split on each arc, rounded up and rounded down, float64 `[arcs]` each, and the share of each demand in
/// each plane, float64 `[planes, pairs]`.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, demand, *, split, policy, seed, threads, limit_s))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn split_loads<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    demand: PyReadonlyArray1<f64>,
    split: Split,
    policy: Policy,
    seed: u64,
    threads: usize,
    limit_s: f64,
) -> Result<Loaded<'py>> {
    let rule = paths::Rule { split: split.into(), policy: policy.into(), seed };
    let (pairs, demand) = (planes.pairs(&src, &dst)?, demand.as_slice()?);
    let loads =
        on_threads(py, threads, limit_s, |stop| paths::split_loads(&planes.inner, &pairs, demand, &rule, stop))?;
    let shape = [planes.inner.count(), pairs.len()];
    let [load, least] = [loads.load, loads.least].map(|values| values.concat().into_pyarray(py));
    Ok((load, least, loads.share.concat().into_pyarray(py).reshape(shape)?))
}

/// What a unit of each demand puts on arcs under a fixed split: int64 `[pairs + 1]`, where each pair begins, int32 arcs,
/// ascending, numbered through all planes, and float64 parts, rounded up.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, *, split, policy, seed, threads, limit_s))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn split_usage<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    split: Split,
    policy: Policy,
    seed: u64,
    threads: usize,
    limit_s: f64,
) -> Result<Used<'py>> {
    let rule = paths::Rule { split: split.into(), policy: policy.into(), seed };
    let pairs = planes.pairs(&src, &dst)?;
    let usage = on_threads(py, threads, limit_s, |stop| paths::split_usage(&planes.inner, &pairs, &rule, stop))?;
    let ptr: Vec<i64> = usage.ptr.into_iter().map(|at| at as i64).collect();
    let arc: Vec<i32> = usage.arc.into_iter().map(|arc| arc as i32).collect();
    Ok((ptr.into_pyarray(py), arc.into_pyarray(py), usage.part.into_pyarray(py)))
}
