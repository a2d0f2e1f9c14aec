//! Planes as the path searches want them.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::paths::{Graph, Kind, Policy, Wanted};
use pyo3::prelude::*;

use crate::CoreError;

/// The links of several planes, and where endpoints attach.
#[pyclass(frozen)]
pub struct Planes {
    pub(crate) graphs: Vec<Graph>,
    /// Switch of each endpoint in each plane.
    pub(crate) attach: Vec<Vec<Option<u32>>>,
}

#[pymethods]
impl Planes {
    #[new]
    fn new(
        node_count: PyReadonlyArray1<i32>,
        arc_ptr: PyReadonlyArray1<i32>,
        tail: PyReadonlyArray1<i32>,
        head: PyReadonlyArray1<i32>,
        attach: PyReadonlyArray2<i32>,
    ) -> PyResult<Self> {
        let (nodes, bounds) = (node_count.as_slice()?, arc_ptr.as_slice()?);
        let (tail, head) = (tail.as_slice()?, head.as_slice()?);
        let fits = bounds.len() == nodes.len() + 1 && attach.as_array().nrows() == nodes.len();
        if !fits || tail.len() != head.len() {
            return Err(CoreError::new_err("arc_ptr: planes, arcs and attachments do not fit together"));
        }
        let mut planes = Planes { graphs: vec![], attach: vec![] };
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
            planes.graphs.push(Graph::new(*n as usize, &tail, &head));
            let switches = attach.as_array().row(p).to_vec();
            if switches.iter().any(|v| *v < -1 || v >= n) {
                return Err(CoreError::new_err("attach: no such switch"));
            }
            planes.attach.push(switches.into_iter().map(|v| u32::try_from(v).ok()).collect());
        }
        Ok(planes)
    }
}

impl Planes {
    /// Source and destination of each pair.
    pub(crate) fn pairs(
        &self,
        src: &PyReadonlyArray1<i32>,
        dst: &PyReadonlyArray1<i32>,
    ) -> PyResult<Vec<(u32, u32)>> {
        let endpoints = self.attach.first().map_or(0, Vec::len) as i32;
        let (src, dst) = (below(src.as_slice()?, endpoints)?, below(dst.as_slice()?, endpoints)?);
        if src.len() != dst.len() {
            return Err(CoreError::new_err("dst: another length than src"));
        }
        Ok(src.into_iter().zip(dst).collect())
    }
}

/// What a routing asks for, from the names that Python uses.
pub(crate) fn wanted(kind: &str, count: usize, policy: &str, per_flow: bool, seed: u64) -> PyResult<Wanted> {
    let kind = match kind {
        "equal-cost" => Kind::EqualCost,
        "shortest" => Kind::Shortest,
        "edge-disjoint" => Kind::EdgeDisjoint,
        other => return Err(CoreError::new_err(format!("kind: {other} is unknown"))),
    };
    Ok(Wanted { kind, count, policy: policy_of(policy)?, per_flow, seed })
}

/// The plane policy of this name.
pub(crate) fn policy_of(name: &str) -> PyResult<Policy> {
    Ok(match name {
        "any" => Policy::Any,
        "round-robin" => Policy::RoundRobin,
        "shortest" => Policy::Shortest,
        "single" => Policy::Single,
        other => return Err(CoreError::new_err(format!("policy: {other} is unknown"))),
    })
}

/// A pool of this many threads, 0 for all cores.
pub(crate) fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CoreError::new_err(format!("cannot start {threads} threads: {error}")))
}

/// The values as indices below `bound`.
fn below(values: &[i32], bound: i32) -> PyResult<Vec<u32>> {
    match values.iter().find(|v| **v < 0 || **v >= bound) {
        Some(v) => Err(CoreError::new_err(format!("{v} is not in 0..{bound}"))),
        None => Ok(values.iter().map(|v| *v as u32).collect()),
    }
}
