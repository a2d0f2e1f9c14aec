//! Path enumeration.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::paths::{Graph, Policy, Wanted, enumerate};
use pyo3::prelude::*;

use crate::CoreError;

/// Offsets of the pairs, plane of each path, offsets of the paths, arcs.
type Arrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
);

/// The paths of each pair of endpoints; arrays as in `pnet_lp.model.PathSet`.
#[pyfunction]
#[pyo3(signature = (node_count, arc_ptr, tail, head, attach, src, dst, *, count, equal_cost, policy, seed, threads))]
#[allow(clippy::too_many_arguments)]
pub fn enumerate_paths<'py>(
    py: Python<'py>,
    node_count: PyReadonlyArray1<i32>,
    arc_ptr: PyReadonlyArray1<i32>,
    tail: PyReadonlyArray1<i32>,
    head: PyReadonlyArray1<i32>,
    attach: PyReadonlyArray2<i32>,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    count: usize,
    equal_cost: bool,
    policy: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Arrays<'py>> {
    let policy = match policy {
        "any" => Policy::Any,
        "round-robin" => Policy::RoundRobin,
        "shortest" => Policy::Shortest,
        "single" => Policy::Single,
        other => return Err(CoreError::new_err(format!("policy: {other} is unknown"))),
    };
    let (nodes, bounds) = (node_count.as_slice()?, arc_ptr.as_slice()?);
    let (tail, head) = (tail.as_slice()?, head.as_slice()?);
    if bounds.len() != nodes.len() + 1 || attach.as_array().nrows() != nodes.len() || tail.len() != head.len()
    {
        return Err(CoreError::new_err("arc_ptr: planes, arcs and attachments do not fit together"));
    }
    let mut graphs = vec![];
    let mut attached = vec![];
    for (p, n) in nodes.iter().enumerate() {
        let range =
            usize::try_from(bounds[p]).unwrap_or(usize::MAX)..usize::try_from(bounds[p + 1]).unwrap_or(0);
        let (tail, head) = match (tail.get(range.clone()), head.get(range)) {
            (Some(tail), Some(head)) => (below(tail, *n)?, below(head, *n)?),
            _ => return Err(CoreError::new_err("arc_ptr: not a range of arcs")),
        };
        if !tail.is_sorted() {
            return Err(CoreError::new_err("tail: arcs are not sorted by tail"));
        }
        graphs.push(Graph::new(*n as usize, &tail, &head));
        let switches = attach.as_array().row(p).to_vec();
        if switches.iter().any(|v| *v < -1 || v >= n) {
            return Err(CoreError::new_err("attach: no such switch"));
        }
        attached.push(switches.into_iter().map(|v| u32::try_from(v).ok()).collect::<Vec<_>>());
    }
    let endpoints = attach.as_array().ncols() as i32;
    let (src, dst) = (below(src.as_slice()?, endpoints)?, below(dst.as_slice()?, endpoints)?);
    if src.len() != dst.len() {
        return Err(CoreError::new_err("dst: another length than src"));
    }
    let pairs: Vec<(u32, u32)> = src.into_iter().zip(dst).collect();
    let wanted = Wanted { count, equal_cost, policy, seed };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CoreError::new_err(format!("cannot start {threads} threads: {error}")))?;
    let set = py.detach(|| pool.install(|| enumerate(&graphs, &attached, &pairs, &wanted)));
    let offsets = |values: &[usize]| values.iter().map(|v| *v as i64).collect::<Vec<_>>();
    let ptr = if set.paths.is_empty() { vec![0] } else { offsets(&set.paths.ptr) };
    Ok((
        offsets(&set.pair_ptr).into_pyarray(py),
        set.paths.plane.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py),
        ptr.into_pyarray(py),
        set.paths.arcs.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py),
    ))
}

/// The values as indices below `bound`.
fn below(values: &[i32], bound: i32) -> PyResult<Vec<u32>> {
    match values.iter().find(|v| **v < 0 || **v >= bound) {
        Some(v) => Err(CoreError::new_err(format!("{v} is not in 0..{bound}"))),
        None => Ok(values.iter().map(|v| *v as u32).collect()),
    }
}
