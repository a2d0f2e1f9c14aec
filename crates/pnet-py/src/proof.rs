//! Proofs, and what they prove.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::mcf::{evaluate as core, proof, round};
use pyo3::prelude::*;

use crate::problem::FlowProblem;
use crate::{CoreError, to_python};

/// Splitting fractions, plane shares and lengths: what a certificate holds.
#[pyclass(frozen, module = "pnet_lp._core")]
pub struct Proof {
    pub inner: proof::Proof,
    pub planes: usize,
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
    ) -> PyResult<Self> {
        let pointers = split_ptr.as_slice()?.iter().map(|v| usize::try_from(*v));
        let arcs = split_arc.as_slice()?.iter().map(|v| u32::try_from(*v));
        let negative = |_| CoreError::new_err("split_ptr, split_arc: a negative entry");
        let inner = proof::Proof {
            length: length.as_slice()?.to_vec(),
            up_length: up_length.as_slice()?.to_vec(),
            down_length: down_length.as_slice()?.to_vec(),
            share: share.as_slice()?.to_vec(),
            split_ptr: pointers.collect::<Result<_, _>>().map_err(negative)?,
            split_arc: arcs.collect::<Result<_, _>>().map_err(negative)?,
            split_fraction: split_fraction.as_slice()?.to_vec(),
        };
        Ok(Proof { inner, planes: share.as_array().shape()[0] })
    }

    #[getter]
    fn length<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.length.clone().into_pyarray(py)
    }

    #[getter]
    fn up_length<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.up_length, self.planes)
    }

    #[getter]
    fn down_length<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.down_length, self.planes)
    }

    #[getter]
    fn share<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
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

fn by_plane<'py>(py: Python<'py>, values: &[f64], planes: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, values).reshape([planes, values.len() / planes])
}

/// The bounds that a proof gives, and the loads of its flow at K = lower.
#[pyclass(frozen, module = "pnet_lp._core")]
pub struct Evaluation {
    inner: core::Evaluation,
    planes: usize,
}

#[pymethods]
impl Evaluation {
    #[getter]
    fn lower(&self) -> f64 {
        self.inner.lower
    }

    #[getter]
    fn upper(&self) -> f64 {
        self.inner.upper
    }

    #[getter]
    fn load<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.load.clone().into_pyarray(py)
    }

    #[getter]
    fn up_load<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.up_load, self.planes)
    }

    #[getter]
    fn down_load<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        by_plane(py, &self.inner.down_load, self.planes)
    }
}

/// Recomputes the bounds that `proof` gives, checking it.
#[pyfunction]
pub fn evaluate(py: Python<'_>, problem: &FlowProblem, proof: &Proof) -> PyResult<Evaluation> {
    let inner = py.detach(|| core::evaluate(&problem.inner, &proof.inner)).map_err(to_python)?;
    Ok(Evaluation { inner, planes: proof.planes })
}

/// The length of each demand's shortest way over all planes, access links included, float64 `[demands]`.
#[pyfunction]
pub fn demand_distances<'py>(
    py: Python<'py>,
    problem: &FlowProblem,
    length: PyReadonlyArray1<f64>,
    up_length: PyReadonlyArray2<f64>,
    down_length: PyReadonlyArray2<f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (length, up, down) = (length.as_slice()?, up_length.as_slice()?, down_length.as_slice()?);
    let found = py.detach(|| core::demand_distances(&problem.inner, length, up, down)).map_err(to_python)?;
    Ok(found.into_pyarray(py))
}

/// A solver's flow in flat arrays: rows after each other, each with its plane's arcs.
struct Arrays<'a> {
    flow: &'a [f64],
    injection: &'a [f64],
    demands: usize,
    /// Where each plane's rows begin, and how long one is.
    planes: Vec<(usize, usize)>,
}

impl round::Flow for Arrays<'_> {
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]) {
        let (first, arcs) = self.planes[plane];
        flow.copy_from_slice(&self.flow[first + row * arcs..first + (row + 1) * arcs]);
    }

    fn share(&self, plane: usize, demand: usize) -> f64 {
        self.injection[plane * self.demands + demand]
    }
}

/// Turns a solver's flow into splitting fractions, which are feasible exactly.
#[pyfunction]
pub fn round_flow(
    py: Python<'_>,
    problem: &FlowProblem,
    flow: PyReadonlyArray1<f64>,
    injection: PyReadonlyArray2<f64>,
    length: PyReadonlyArray1<f64>,
    up_length: PyReadonlyArray2<f64>,
    down_length: PyReadonlyArray2<f64>,
) -> PyResult<Proof> {
    let instance = &problem.inner;
    let (flow, injection) = (flow.as_slice()?, injection.as_slice()?);
    let mut planes = vec![];
    let mut first = 0;
    for plane in &instance.planes {
        planes.push((first, plane.arcs()));
        first += plane.targets.len() * plane.arcs();
    }
    let access = instance.planes.len() * instance.endpoints;
    let (length, up, down) = (length.as_slice()?, up_length.as_slice()?, down_length.as_slice()?);
    if flow.len() != first
        || injection.len() != instance.planes.len() * instance.demands()
        || length.len() != instance.arcs()
        || up.len() != access
        || down.len() != access
    {
        return Err(CoreError::new_err("flow, injection or lengths do not have the problem's shape"));
    }
    let arrays = Arrays { flow, injection, demands: instance.demands(), planes };
    let (length, up, down) = (length.to_vec(), up.to_vec(), down.to_vec());
    let inner = py.detach(|| round::round(instance, &arrays, length, up, down));
    Ok(Proof { inner, planes: instance.planes.len() })
}
