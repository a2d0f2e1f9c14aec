//! Queue disciplines.

use pnet_core::sim;
use pyo3::prelude::*;

/// A discipline with its parameters.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Queue {
    pub(crate) inner: sim::Queue,
}

impl From<sim::Queue> for Queue {
    fn from(inner: sim::Queue) -> Self {
        Queue { inner }
    }
}

/// How much a queue takes: bytes if they are given, else packets.
fn limit(packets: u32, bytes: Option<u64>) -> sim::Limit {
    bytes.map_or(sim::Limit::Packets(packets), sim::Limit::Bytes)
}

#[pymethods]
impl Queue {
    /// Drops what does not fit.
    #[staticmethod]
    #[pyo3(signature = (*, most_packets, most_bytes))]
    fn drop_tail(most_packets: u32, most_bytes: Option<u64>) -> Self {
        sim::Queue::DropTail(sim::DropTail { limit: limit(most_packets, most_bytes) }).into()
    }

    /// The same, and marks data from `low` packets on ever more often, always from `high` on.
    #[staticmethod]
    #[pyo3(signature = (*, most_packets, most_bytes, low, high, chance))]
    fn ecn(most_packets: u32, most_bytes: Option<u64>, low: u32, high: u32, chance: f64) -> Self {
        sim::Queue::Ecn(sim::Ecn { limit: limit(most_packets, most_bytes), low, high, chance }).into()
    }

    /// Serves the flow with the least left, drops the packet whose flow has the most.
    #[staticmethod]
    #[pyo3(signature = (*, most_packets, most_bytes))]
    fn pfabric(most_packets: u32, most_bytes: Option<u64>) -> Self {
        sim::Queue::Pfabric(sim::Pfabric { limit: limit(most_packets, most_bytes) }).into()
    }

    /// Serves one class before the next; `bounds` are what flows have left at most in each but the last.
    #[staticmethod]
    #[pyo3(signature = (*, most_packets, most_bytes, bounds))]
    fn strict(most_packets: u32, most_bytes: Option<u64>, bounds: Vec<u32>) -> Self {
        sim::Queue::Strict(sim::Strict { limit: limit(most_packets, most_bytes), bounds }).into()
    }

    /// Cuts payload off where data finds no room; `weight` packets without data go to one with, all of them if it is None.
    #[staticmethod]
    #[pyo3(signature = (*, most_packets, most_bytes, header, headers, weight))]
    fn trim(
        most_packets: u32,
        most_bytes: Option<u64>,
        header: u16,
        headers: u64,
        weight: Option<u32>,
    ) -> Self {
        let limit = limit(most_packets, most_bytes);
        sim::Queue::Trim(sim::Trim { limit, header, headers, weight }).into()
    }

    /// Whether packets lose their payload.
    #[getter]
    fn trims(&self) -> bool {
        self.inner.trims()
    }

    /// Whether it can mark a packet at all.
    #[getter]
    fn marks(&self) -> bool {
        self.inner.marks()
    }
}
