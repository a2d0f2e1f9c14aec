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
}
