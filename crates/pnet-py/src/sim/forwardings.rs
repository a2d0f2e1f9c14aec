//! Ways to choose paths.

use numpy::PyReadonlyArray1;
use pnet_core::error::offsets;
use pnet_core::paths::{PathSet, Paths};
use pnet_core::sim;
use pyo3::prelude::*;

use crate::error::Result;
use crate::kinds::Policy;
use crate::placement::placement_of;
use crate::planes::Planes;

/// A way to choose paths with its parameters.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Forwarding {
    pub(crate) inner: sim::Forwarding,
}

impl From<sim::Forwarding> for Forwarding {
    fn from(inner: sim::Forwarding) -> Self {
        Forwarding { inner }
    }
}

/// Which paths the packets of a flow are spread over.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Over {
    /// All shortest paths.
    Paths,
    /// One shortest path in each plane.
    Planes,
}

/// Which of them comes next.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    /// One after the other.
    RoundRobin,
    /// One after the other, in an order drawn for each connection.
    Shuffled,
    /// One after the other, in an order drawn anew after each round.
    Permuted,
    /// Any.
    Random,
}

impl From<Over> for sim::Over {
    fn from(over: Over) -> Self {
        match over {
            Over::Paths => Self::Paths,
            Over::Planes => Self::Planes,
        }
    }
}

impl From<Order> for sim::Order {
    fn from(order: Order) -> Self {
        match order {
            Order::RoundRobin => Self::RoundRobin,
            Order::Shuffled => Self::Shuffled,
            Order::Permuted => Self::Permuted,
            Order::Random => Self::Random,
        }
    }
}

#[pymethods]
impl Forwarding {
    /// Any shortest way, drawn by every switch for every packet.
    #[staticmethod]
    #[pyo3(signature = (*, policy))]
    fn per_hop(policy: Policy) -> Self {
        sim::Forwarding::PerHop(sim::PerHop { policy: policy.into() }).into()
    }

    /// One of several paths, chosen by the source for every packet.
    #[staticmethod]
    #[pyo3(signature = (*, policy, over, order))]
    fn spray(policy: Policy, over: Over, order: Order) -> Self {
        let (policy, over, order) = (policy.into(), over.into(), order.into());
        sim::Forwarding::Spray(sim::Spray { policy, over, order }).into()
    }

    /// One of several paths, drawn anew when nothing was sent for `gap_ps`.
    #[staticmethod]
    #[pyo3(signature = (*, policy, over, gap_ps))]
    fn flowlets(policy: Policy, over: Over, gap_ps: u64) -> Self {
        let (policy, over, order) = (policy.into(), over.into(), sim::Order::Flowlets(gap_ps));
        sim::Forwarding::Spray(sim::Spray { policy, over, order }).into()
    }

    /// A hash of the flow at every switch.
    #[staticmethod]
    #[pyo3(signature = (*, policy))]
    fn ecmp(policy: Policy) -> Self {
        sim::Forwarding::Ecmp(sim::Ecmp { policy: policy.into() }).into()
    }

    /// The same, but connections that sent more than `share` of their host's link rate in the last `interval_ps` are placed
    /// where they have room: each on the first such path, or all by so many steps of simulated annealing.
    #[staticmethod]
    #[pyo3(signature = (*, policy, interval_ps, share, annealing))]
    fn hedera(policy: Policy, interval_ps: u64, share: f64, annealing: Option<u32>) -> Self {
        let (policy, interval, placement) = (policy.into(), interval_ps, placement_of(annealing));
        sim::Forwarding::Hedera(sim::Hedera { policy, interval, share, placement }).into()
    }

    /// Whether switches have tables toward each other, where paths are not given.
    #[getter]
    fn makes_tables(&self) -> bool {
        !matches!(self.inner, sim::Forwarding::Given(_))
    }

    /// Whether what a flow sends is spread over several paths.
    #[getter]
    fn spreads(&self) -> bool {
        self.inner.spreads()
    }

    /// How many paths it offers a flow that may use all; 1 where it offers one or spreads.
    #[getter]
    fn most_paths(&self) -> u32 {
        self.inner.most_paths()
    }

    /// Whether the source lists all shortest paths of a flow.
    #[getter]
    fn lists_paths(&self) -> bool {
        matches!(&self.inner, sim::Forwarding::Spray(spray) if spray.over == sim::Over::Paths)
    }

    /// The paths of each pair of hosts, as `(pair_ptr, plane, path_ptr, path_arc)` of `pnet_lp.model.PathSet`; `reduced`
    /// are those that flows take while paths know that something is down.
    #[staticmethod]
    #[pyo3(signature = (planes, src, dst, paths, reduced=None))]
    fn given(
        planes: &Planes,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        paths: Arrays,
        reduced: Option<Arrays>,
    ) -> Result<Self> {
        let pairs = planes.pairs(&src, &dst)?;
        let (paths, reduced) = (path_set(&paths)?, reduced.as_ref().map(path_set).transpose()?);
        Ok(sim::Forwarding::Given(sim::Given { pairs, paths, reduced }).into())
    }
}

/// The arrays of a set of paths: `pair_ptr`, `plane`, `path_ptr`, `path_arc`.
type Arrays<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i32>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i32>,
);

fn path_set((pair_ptr, plane, path_ptr, path_arc): &Arrays) -> Result<PathSet> {
    let unsigned = |what, values: &PyReadonlyArray1<i32>| -> Result<Vec<u32>> {
        Ok(offsets(what, values.as_slice()?)?.into_iter().map(|v| v as u32).collect())
    };
    let pair_ptr = offsets("pair_ptr", pair_ptr.as_slice()?)?;
    let ptr = offsets("path_ptr", path_ptr.as_slice()?)?;
    let (plane, arcs) = (unsigned("plane", plane)?, unsigned("path_arc", path_arc)?);
    check("pair_ptr", &pair_ptr, plane.len())?;
    check("path_ptr", &ptr, arcs.len())?;
    if ptr.len() != plane.len() + 1 {
        return Err(invalid("path_ptr", format!("{} entries for {} paths", ptr.len(), plane.len())));
    }
    Ok(PathSet { pair_ptr, paths: Paths { plane, ptr, arcs } })
}

/// An error unless these are ranges that cover `0..end`.
fn check(what: &'static str, ptr: &[usize], end: usize) -> Result<()> {
    let covers = ptr.first() == Some(&0) && ptr.last() == Some(&end);
    if !covers || ptr.windows(2).any(|w| w[0] > w[1]) {
        return Err(invalid(what, format!("not ranges of {end} entries")));
    }
    Ok(())
}

fn invalid(what: &'static str, why: String) -> crate::error::Failure {
    pnet_core::Error::Invalid { what, why }.into()
}
