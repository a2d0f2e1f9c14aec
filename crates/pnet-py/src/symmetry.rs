//! Equivalence classes of a network and its traffic, and proofs on the quotient.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::mcf::symmetry;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::on_threads;

/// Kind, size and demand.
type Classes<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Demands between endpoints: a rule, or a list.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Demands {
    inner: symmetry::Demands,
}

#[pymethods]
impl Demands {
    /// Products of two weights, and the demand of each endpoint to itself.
    #[staticmethod]
    fn product(
        sends: PyReadonlyArray1<f64>,
        receives: PyReadonlyArray1<f64>,
        own: PyReadonlyArray1<f64>,
    ) -> Result<Self> {
        let [sends, receives, own] = [sends.as_slice()?, receives.as_slice()?, own.as_slice()?];
        Ok(Demands { inner: symmetry::Demands::product(sends.to_vec(), receives.to_vec(), own.to_vec()) })
    }

    /// Pairs of endpoints, sorted by source.
    #[staticmethod]
    fn pairs(
        endpoints: usize,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        demand: PyReadonlyArray1<f64>,
    ) -> Result<Self> {
        let (src, dst, demand) = (src.as_slice()?, dst.as_slice()?, demand.as_slice()?);
        Ok(Demands { inner: symmetry::Demands::pairs(endpoints, src, dst, demand)? })
    }
}

/// Planes, endpoints and demands as one graph, with its symmetry.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Symmetry {
    inner: symmetry::Fold,
}

#[pymethods]
impl Symmetry {
    #[new]
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
        demands: &Demands,
    ) -> Result<Self> {
        let instance = symmetry::Instance::new(
            node_count.as_slice()?,
            arc_ptr.as_slice()?,
            tail.as_slice()?,
            head.as_slice()?,
            capacity.as_slice()?,
            attach.as_slice()?,
            access_up.as_slice()?,
            access_down.as_slice()?,
            demands.inner.clone(),
        )?;
        Ok(Symmetry { inner: symmetry::Fold::new(instance) })
    }

    /// The network reduced to equivalence classes; None where views have more classes of links, or more links, in all, or
    /// the network more links times orbits of destinations.
    #[pyo3(signature = (*, classes, looks, examples, time_limit_s))]
    fn reduce(
        &self,
        py: Python<'_>,
        classes: usize,
        looks: usize,
        examples: usize,
        time_limit_s: f64,
    ) -> Result<Option<Reduced>> {
        let budget = symmetry::Budget { classes, looks, examples };
        let found = on_threads(py, 0, time_limit_s, |stop| symmetry::reduce(&self.inner, budget, stop))?;
        Ok(found.map(|inner| Reduced { inner, nodes: self.inner.nodes() }))
    }

    /// The bounds of a proof on the quotient, and the load of each link at K = 1.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (link_class, length, targets, node_class, entries, flow, *, time_limit_s))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        link_class: PyReadonlyArray1<i32>,
        length: PyReadonlyArray1<f64>,
        targets: PyReadonlyArray1<i32>,
        node_class: PyReadonlyArray2<i32>,
        entries: PyReadonlyArray2<i32>,
        flow: PyReadonlyArray1<f64>,
        time_limit_s: f64,
    ) -> Result<(f64, f64, Bound<'py, PyArray1<f64>>)> {
        let rows: Vec<[i32; 4]> =
            entries.as_slice()?.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect();
        let proof = symmetry::QuotientProof {
            link_class: link_class.as_slice()?,
            length: length.as_slice()?,
            targets: targets.as_slice()?,
            node_class: node_class.as_slice()?,
            entries: &rows,
            flow: flow.as_slice()?,
        };
        let found = on_threads(py, 0, time_limit_s, |stop| symmetry::evaluate(&self.inner, &proof, stop))?;
        Ok((found.lower, found.upper, found.load.into_pyarray(py)))
    }
}

/// A network reduced to classes of links and, for each kind of destinations, of nodes.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Reduced {
    inner: symmetry::Reduced,
    nodes: usize,
}

#[pymethods]
impl Reduced {
    /// The class of each link, -1 where there is none, int32.
    #[getter]
    fn link_class<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let classes = self.inner.link_class.iter().map(|class| class.map_or(-1, |class| class as i32));
        classes.collect::<Vec<_>>().into_pyarray(py)
    }

    /// The capacity of each class of links, float64.
    #[getter]
    fn capacity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.capacity.clone().into_pyarray(py)
    }

    /// How many links each class has, float64.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.links.clone().into_pyarray(py)
    }

    /// The kind of each orbit of destinations, int32.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.examples().map(|(kind, _, _)| kind).collect::<Vec<_>>().into_pyarray(py)
    }

    /// An endpoint of each orbit of destinations, int32.
    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.examples().map(|(_, target, _)| target).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Permutations of nodes that generate the orbits, int32 `[generators, nodes]`.
    #[getter]
    fn generators<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<i32>>> {
        let images = self.inner.generators.iter().flatten().map(|node| *node as i32);
        Ok(PyArray1::from_iter(py, images).reshape([self.inner.generators.len(), self.nodes])?)
    }

    /// How many endpoints are of each kind, float64.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.kinds.iter().map(|kind| kind.targets as f64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The class of each node as seen from an endpoint of each orbit, int32 `[orbits, nodes]`.
    #[getter]
    fn node_class<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<i32>>> {
        let classes = self.examples().flat_map(|(_, _, class)| class.iter().map(|class| *class as i32));
        Ok(PyArray1::from_iter(py, classes).reshape([self.examples().count(), self.nodes])?)
    }

    /// Kind, size, and demand of each node towards the destination, of all classes, one kind after the other.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> Classes<'py> {
        let kinds = &self.inner.kinds;
        let of = kinds.iter().enumerate().flat_map(|(k, kind)| kind.size.iter().map(move |_| k as i32));
        let size = kinds.iter().flat_map(|kind| kind.size.iter().copied());
        let demand = kinds.iter().flat_map(|kind| kind.demand.iter().copied());
        (
            of.collect::<Vec<_>>().into_pyarray(py),
            size.collect::<Vec<_>>().into_pyarray(py),
            demand.collect::<Vec<_>>().into_pyarray(py),
        )
    }

    /// Kind, class of tails, of heads and of links, links out of a tail and links into a head: int32 `[entries, 6]`.
    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<i32>>> {
        let kinds = self.inner.kinds.iter().enumerate();
        let rows: Vec<i32> = kinds
            .flat_map(|(k, kind)| {
                kind.entries.iter().flat_map(move |entry| {
                    [k as u32, entry.tail, entry.head, entry.link, entry.out, entry.into].map(|v| v as i32)
                })
            })
            .collect();
        let count = rows.len() / 6;
        Ok(PyArray1::from_vec(py, rows).reshape([count, 6])?)
    }
}

impl Reduced {
    /// The kind of each orbit, an endpoint of it, and the classes of nodes as seen from there.
    fn examples(&self) -> impl Iterator<Item = (i32, i32, &Vec<u32>)> {
        let kinds = self.inner.kinds.iter().enumerate();
        kinds.flat_map(|(k, kind)| kind.examples.iter().map(move |(t, class)| (k as i32, *t as i32, class)))
    }
}
