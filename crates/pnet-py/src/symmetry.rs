//! Equivalence classes of a network and its traffic, and proofs on the quotient.

use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::mcf::symmetry;
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::on_threads;

/// Kind, size and demand.
type Classes = (Py<PyArray1<i32>>, Py<PyArray1<f64>>, Py<PyArray1<f64>>);

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

    /// Products of two weights inside groups, `outside` times these between groups, and none between endpoints of one owner.
    #[staticmethod]
    fn groups(
        sends: PyReadonlyArray1<f64>,
        receives: PyReadonlyArray1<f64>,
        group: PyReadonlyArray1<i32>,
        owner: PyReadonlyArray1<i32>,
        outside: f64,
    ) -> Result<Self> {
        let (sends, receives) = (sends.as_slice()?.to_vec(), receives.as_slice()?.to_vec());
        let (group, owner) = (group.as_slice()?, owner.as_slice()?);
        Ok(Demands { inner: symmetry::Demands::groups(sends, receives, group, owner, outside)? })
    }

    /// The same groups with a list of pairs, sorted by source, that are added to them.
    fn beside(
        &self,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        demand: PyReadonlyArray1<f64>,
    ) -> Result<Self> {
        let (src, dst, demand) = (src.as_slice()?, dst.as_slice()?, demand.as_slice()?);
        Ok(Demands { inner: self.inner.clone().beside(src, dst, demand)? })
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
    #[pyo3(signature = (
        node_count, arc_ptr, tail, head, capacity, attach, access_up, access_down, demands, inside=None, partner=None
    ))]
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
        inside: Option<PyReadonlyArray1<bool>>,
        partner: Option<PyReadonlyArray1<i32>>,
    ) -> Result<Self> {
        let mut instance = symmetry::Instance::new(
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
        if let Some(inside) = inside {
            let partner = partner.as_ref().map(|partner| partner.as_slice()).transpose()?;
            instance = instance.with_servers(inside.as_slice()?, partner)?;
        }
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
        found.map(|found| Reduced::new(py, found, self.inner.nodes())).transpose()
    }

    /// The bounds of a proof on the quotient, and the load of each link at K = 1.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (link_class, length, targets, node_class, entries, flow, generators, *, time_limit_s))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        link_class: PyReadonlyArray1<i32>,
        length: PyReadonlyArray1<f64>,
        targets: PyReadonlyArray1<i32>,
        node_class: PyReadonlyArray2<i32>,
        entries: PyReadonlyArray2<i32>,
        flow: PyReadonlyArray1<f64>,
        generators: PyReadonlyArray2<i32>,
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
            generators: generators.as_slice()?,
        };
        let found = on_threads(py, 0, time_limit_s, |stop| symmetry::evaluate(&self.inner, &proof, stop))?;
        Ok((found.lower, found.upper, found.load.into_pyarray(py)))
    }
}

/// A network reduced to classes of links and, for each kind of destinations, of nodes.
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct Reduced {
    /// The class of each link, -1 where there is none.
    link_class: Py<PyArray1<i32>>,
    /// The capacity of each class of links.
    capacity: Py<PyArray1<f64>>,
    /// How many links each class has.
    links: Py<PyArray1<f64>>,
    /// The kind of each orbit of destinations.
    kind: Py<PyArray1<i32>>,
    /// An endpoint of each orbit of destinations.
    targets: Py<PyArray1<i32>>,
    /// Permutations of nodes that generate the orbits, `[generators, nodes]`.
    generators: Py<PyArray2<i32>>,
    /// How many endpoints are of each kind.
    counts: Py<PyArray1<f64>>,
    /// The class of each node as seen from an endpoint of each orbit, `[orbits, nodes]`.
    node_class: Py<PyArray2<i32>>,
    /// Kind, size, and demand of each node towards the destination, of all classes, one kind after the other.
    classes: Classes,
    /// Kind, class of tails, of heads and of links, links out of a tail and links into a head: `[entries, 6]`.
    entries: Py<PyArray2<i32>>,
}

impl Reduced {
    fn new(py: Python<'_>, found: symmetry::Reduced, nodes: usize) -> Result<Self> {
        let kinds = || found.kinds.iter().zip(0_i32..);
        let examples =
            || kinds().flat_map(|(kind, k)| kind.examples.iter().map(move |(t, class)| (k, *t as i32, class)));
        let entries = kinds().flat_map(|(kind, k)| {
            kind.entries.iter().flat_map(move |entry| {
                [k as u32, entry.tail, entry.head, entry.link, entry.out, entry.into].map(|v| v as i32)
            })
        });
        let generators = found.generators.iter().flatten().map(|node| *node as i32);
        let node_class = examples().flat_map(|(_, _, class)| class.iter().map(|class| *class as i32));
        let entries: Vec<i32> = entries.collect();
        let count = entries.len() / 6;
        Ok(Reduced {
            link_class: column(py, found.link_class.iter().map(|class| class.map_or(-1, |class| class as i32))),
            kind: column(py, examples().map(|(kind, ..)| kind)),
            targets: column(py, examples().map(|(_, target, _)| target)),
            generators: column(py, generators).bind(py).reshape([found.generators.len(), nodes])?.unbind(),
            counts: column(py, kinds().map(|(kind, _)| kind.targets as f64)),
            node_class: column(py, node_class).bind(py).reshape([examples().count(), nodes])?.unbind(),
            classes: (
                column(py, kinds().flat_map(|(kind, k)| kind.size.iter().map(move |_| k))),
                column(py, kinds().flat_map(|(kind, _)| kind.size.iter().copied())),
                column(py, kinds().flat_map(|(kind, _)| kind.demand.iter().copied())),
            ),
            entries: PyArray1::from_vec(py, entries).reshape([count, 6])?.unbind(),
            capacity: found.capacity.into_pyarray(py).unbind(),
            links: found.links.into_pyarray(py).unbind(),
        })
    }
}

fn column<T: Element>(py: Python<'_>, values: impl Iterator<Item = T>) -> Py<PyArray1<T>> {
    PyArray1::from_iter(py, values).unbind()
}
