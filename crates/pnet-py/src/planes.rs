//! Planes, and where endpoints attach.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::graph;
use pyo3::prelude::*;

use crate::error::Result;

/// The links of several planes, and where endpoints attach.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Planes {
    pub(crate) inner: graph::Planes,
}

#[pymethods]
impl Planes {
    #[new]
    #[pyo3(signature = (node_count, arc_ptr, tail, head, attach, metric=None))]
    fn new(
        node_count: PyReadonlyArray1<i32>,
        arc_ptr: PyReadonlyArray1<i32>,
        tail: PyReadonlyArray1<i32>,
        head: PyReadonlyArray1<i32>,
        attach: PyReadonlyArray2<i32>,
        metric: Option<PyReadonlyArray1<i32>>,
    ) -> Result<Self> {
        let inner = graph::Planes::from_arrays(
            node_count.as_slice()?,
            arc_ptr.as_slice()?,
            tail.as_slice()?,
            head.as_slice()?,
            attach.as_slice()?,
            metric.as_ref().map(|metric| metric.as_slice()).transpose()?,
        )?;
        Ok(Planes { inner })
    }
}

impl Planes {
    /// Source and destination of each pair.
    pub(crate) fn pairs(&self, src: &PyReadonlyArray1<i32>, dst: &PyReadonlyArray1<i32>) -> Result<Vec<(u32, u32)>> {
        Ok(self.inner.pairs(src.as_slice()?, dst.as_slice()?)?)
    }
}
