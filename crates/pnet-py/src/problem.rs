//! The instance.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::mcf::{Arrays, Problem, Use, even_entries};
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::in_parallel;

/// Maximum concurrent flow over several planes.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct FlowProblem {
    pub(crate) inner: Problem,
}

#[pymethods]
impl FlowProblem {
    #[new]
    #[pyo3(signature = (
        node_count, arc_ptr, tail, head, capacity, attach, access_up, access_down, src, dst, demand, partner=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        node_count: PyReadonlyArray1<i32>,
        arc_ptr: PyReadonlyArray1<i32>,
        tail: PyReadonlyArray1<i32>,
        head: PyReadonlyArray1<i32>,
        capacity: PyReadonlyArray1<f64>,
        attach: PyReadonlyArray2<i32>,
        access_up: PyReadonlyArray2<f64>,
        access_down: PyReadonlyArray2<f64>,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        demand: PyReadonlyArray1<f64>,
        partner: Option<PyReadonlyArray1<i32>>,
    ) -> Result<Self> {
        let arrays = Arrays {
            node_count: node_count.as_slice()?,
            arc_ptr: arc_ptr.as_slice()?,
            tail: tail.as_slice()?,
            head: head.as_slice()?,
            capacity: capacity.as_slice()?,
            attach: attach.as_slice()?,
            access_up: access_up.as_slice()?,
            access_down: access_down.as_slice()?,
            src: src.as_slice()?,
            dst: dst.as_slice()?,
            demand: demand.as_slice()?,
        };
        let inner = Problem::new(&arrays)?;
        Ok(FlowProblem {
            inner: match partner {
                Some(partner) => inner.with_partners(partner.as_slice()?)?,
                None => inner,
            },
        })
    }

    /// Whether each plane has a path for each demand, bool `[planes, demands]`.
    fn available<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<bool>>> {
        let flags: Vec<bool> =
            self.inner.planes.iter().flat_map(|plane| plane.demands.iter().map(|place| *place != Use::Never)).collect();
        Ok(PyArray1::from_vec(py, flags).reshape([self.inner.planes.len(), self.inner.demands()])?)
    }

    /// About how many entries a proof has in which traffic goes evenly over all shortest paths.
    fn even_entries(&self, py: Python<'_>) -> Result<usize> {
        in_parallel(py, || Ok(even_entries(&self.inner)))
    }

    /// The rows (plane, target switch), int32 `[rows, 2]`.
    fn rows<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<i32>>> {
        let planes = self.inner.planes.iter().enumerate();
        let rows: Vec<i32> = planes
            .flat_map(|(p, plane)| plane.targets.iter().flat_map(move |target| [p as i32, *target as i32]))
            .collect();
        Ok(PyArray1::from_vec(py, rows).reshape([self.inner.rows(), 2])?)
    }
}
