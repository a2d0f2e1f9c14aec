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
        node_count, arc_ptr, tail, head, capacity, attach, access_up, access_down, src, dst, demand, partner=None,
        metric=None, shortest=None
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
        metric: Option<PyReadonlyArray1<i32>>,
        shortest: Option<bool>,
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
        let mut inner = Problem::new(&arrays)?;
        if let Some(partner) = partner {
            inner = inner.with_partners(partner.as_slice()?)?;
        }
        if let Some(each_plane) = shortest {
            let metric = metric.as_ref().map(|metric| metric.as_slice()).transpose()?;
            inner = inner.over_shortest(metric, each_plane)?;
        }
        Ok(FlowProblem { inner })
    }

    /// Whether each plane has a path for each demand, bool `[planes, demands]`.
    fn available<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<bool>>> {
        let flags: Vec<bool> =
            self.inner.planes.iter().flat_map(|plane| plane.demands.iter().map(|place| *place != Use::Never)).collect();
        Ok(PyArray1::from_vec(py, flags).reshape([self.inner.planes.len(), self.inner.demands()])?)
    }

    /// Whether paths to the target of each row may use each arc of its plane, bool, row by row; empty where all may.
    fn leads<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let restricted = self.inner.planes.iter().filter(|plane| plane.is_restricted());
        let rows = restricted.flat_map(|plane| (0..plane.targets.len()).map(move |row| (plane, row)));
        PyArray1::from_iter(py, rows.flat_map(|(plane, row)| (0..plane.arcs()).map(move |a| plane.leads(row, a))))
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
