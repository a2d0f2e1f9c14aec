//! Proofs and their evaluation.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::error::{indices, offsets};
use pnet_core::mcf;
use pyo3::prelude::*;

use crate::error::{Failure, Result};
use crate::monitor::in_parallel;
use crate::problem::FlowProblem;

/// Splitting fractions, plane shares and lengths: the contents of a certificate.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Proof {
    pub(crate) inner: mcf::Proof,
    pub(crate) planes: usize,
}

#[pymethods]
impl Proof {
    #[new]
    fn new(
        length: PyReadonlyArray1<f64>,
        up_length: PyReadonlyArray2<f64>,
        down_length: PyReadonlyArray2<f64>,
        share: PyReadonlyArray2<f64>,
        split_ptr: PyReadonlyArray1<i32>,
        split_arc: PyReadonlyArray1<i32>,
        split_fraction: PyReadonlyArray1<f64>,
    ) -> Result<Self> {
        let planes = share.as_array().shape()[0];
        if planes == 0 {
            return Err(Failure::new("share: a proof needs at least one plane".to_owned()));
        }
        let inner = mcf::Proof {
            length: length.as_slice()?.to_vec(),
            up_length: up_length.as_slice()?.to_vec(),
            down_length: down_length.as_slice()?.to_vec(),
            share: share.as_slice()?.to_vec(),
            split_ptr: offsets("split_ptr", split_ptr.as_slice()?)?,
            split_arc: indices("split_arc", split_arc.as_slice()?, i32::MAX as usize)?,
            split_fraction: split_fraction.as_slice()?.to_vec(),
        };
        Ok(Proof { inner, planes })
    }

    #[getter]
    fn length<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.length.clone().into_pyarray(py)
    }

    #[getter]
    fn up_length<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.up_length, self.planes)
    }

    #[getter]
    fn down_length<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.down_length, self.planes)
    }

    #[getter]
    fn share<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.share, self.planes)
    }

    #[getter]
    fn split_ptr<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.inner.split_ptr.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py)
    }

    #[getter]
    fn split_arc<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.inner.split_arc.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py)
    }

    #[getter]
    fn split_fraction<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.split_fraction.clone().into_pyarray(py)
    }
}

fn by_plane<'py>(py: Python<'py>, values: &[f64], planes: usize) -> Result<Bound<'py, PyArray2<f64>>> {
    Ok(PyArray1::from_slice(py, values).reshape([planes, values.len() / planes])?)
}

/// The bounds of a proof, and the loads of its flow at K = lower.
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct Evaluation {
    lower: f64,
    upper: f64,
    load: Py<PyArray1<f64>>,
    up_load: Py<PyArray2<f64>>,
    down_load: Py<PyArray2<f64>>,
    hops: u32,
}

/// Checks `proof` and returns its bounds.
#[pyfunction]
pub(crate) fn evaluate(py: Python<'_>, problem: &FlowProblem, proof: &Proof) -> Result<Evaluation> {
    let found = in_parallel(py, || mcf::evaluate(&problem.inner, &proof.inner))?;
    Ok(Evaluation {
        lower: found.lower,
        upper: found.upper,
        load: found.load.into_pyarray(py).unbind(),
        up_load: by_plane(py, &found.up_load, proof.planes)?.unbind(),
        down_load: by_plane(py, &found.down_load, proof.planes)?.unbind(),
        hops: found.hops,
    })
}

/// The paths of a proof's flow: demand, plane, share of the demand, offsets of the arcs, arcs local to the plane.
type FlowPaths<'py> = (
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
);

/// Decomposes the flow of each demand into paths.
#[pyfunction]
pub(crate) fn decompose<'py>(py: Python<'py>, problem: &FlowProblem, proof: &Proof) -> Result<FlowPaths<'py>> {
    let found = in_parallel(py, || mcf::decompose(&problem.inner, &proof.inner))?;
    let narrow = |values: &[u32]| values.iter().map(|v| *v as i32).collect::<Vec<_>>().into_pyarray(py);
    let ptr: Vec<i64> = found.ptr.iter().map(|v| *v as i64).collect();
    Ok((
        narrow(&found.demand),
        narrow(&found.plane),
        found.part.into_pyarray(py),
        ptr.into_pyarray(py),
        narrow(&found.arc),
    ))
}

/// The length of each demand's shortest path over all planes, access links included, float64 `[demands]`.
#[pyfunction]
pub(crate) fn demand_distances<'py>(
    py: Python<'py>,
    problem: &FlowProblem,
    length: PyReadonlyArray1<f64>,
    up_length: PyReadonlyArray2<f64>,
    down_length: PyReadonlyArray2<f64>,
) -> Result<Bound<'py, PyArray1<f64>>> {
    let (length, up, down) = (length.as_slice()?, up_length.as_slice()?, down_length.as_slice()?);
    let found = in_parallel(py, || mcf::demand_distances(&problem.inner, length, up, down))?;
    Ok(found.into_pyarray(py))
}

/// Turns a solver's flow into splitting fractions, which are exactly feasible.
#[pyfunction]
pub(crate) fn round_flow(
    py: Python<'_>,
    problem: &FlowProblem,
    flow: PyReadonlyArray1<f64>,
    injection: PyReadonlyArray2<f64>,
    length: PyReadonlyArray1<f64>,
    up_length: PyReadonlyArray2<f64>,
    down_length: PyReadonlyArray2<f64>,
) -> Result<Proof> {
    let (flow, injection) = (flow.as_slice()?, injection.as_slice()?);
    let (length, up, down) = (length.as_slice()?, up_length.as_slice()?, down_length.as_slice()?);
    let inner = in_parallel(py, || mcf::round_flow(&problem.inner, flow, injection, length, up, down))?;
    Ok(Proof { inner, planes: problem.inner.planes.len() })
}
