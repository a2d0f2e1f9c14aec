//! Strongly connected components.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::graph::{Components, Graph};
use pyo3::prelude::*;

use crate::error::Result;

/// The strongly connected component of each node, int32 `[nodes]`, numbered by their lowest nodes; arcs by tail.
#[pyfunction]
pub(crate) fn strong_components<'py>(
    py: Python<'py>,
    nodes: usize,
    tail: PyReadonlyArray1<u32>,
    head: PyReadonlyArray1<u32>,
) -> Result<Bound<'py, PyArray1<i32>>> {
    let graph = Graph::new(nodes, tail.as_slice()?.to_vec(), head.as_slice()?.to_vec())?;
    let of: Vec<i32> = Components::new(&graph).of.into_iter().map(|component| component as i32).collect();
    Ok(of.into_pyarray(py))
}
