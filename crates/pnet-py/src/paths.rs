//! Path enumeration.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::paths::enumerate;
use pyo3::prelude::*;

use crate::planes::{Planes, pool, wanted};

/// Offsets of the pairs, plane of each path, offsets of the paths, arcs.
type Arrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
);

/// The paths of each pair of endpoints; arrays as in `pnet_lp.model.PathSet`.
#[pyfunction]
#[pyo3(signature = (planes, src, dst, *, kind, count, policy, per_flow, seed, threads))]
#[allow(clippy::too_many_arguments)]
pub fn enumerate_paths<'py>(
    py: Python<'py>,
    planes: &Planes,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    kind: &str,
    count: usize,
    policy: &str,
    per_flow: bool,
    seed: u64,
    threads: usize,
) -> PyResult<Arrays<'py>> {
    let wanted = wanted(kind, count, policy, per_flow, seed)?;
    let pairs = planes.pairs(&src, &dst)?;
    let pool = pool(threads)?;
    let set = py.detach(|| pool.install(|| enumerate(&planes.graphs, &planes.attach, &pairs, &wanted)));
    // Of one size, so these conversions reuse the memory.
    let offsets = |values: Vec<usize>| values.into_iter().map(|v| v as i64).collect::<Vec<_>>();
    let indices = |values: Vec<u32>| values.into_iter().map(|v| v as i32).collect::<Vec<_>>();
    Ok((
        offsets(set.pair_ptr).into_pyarray(py),
        indices(set.paths.plane).into_pyarray(py),
        offsets(set.paths.ptr).into_pyarray(py),
        indices(set.paths.arcs).into_pyarray(py),
    ))
}
