//! Transports.

use pnet_core::sim;
use pyo3::prelude::*;

/// A transport with its parameters.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Transport {
    pub(crate) inner: sim::TransportKind,
}

impl From<sim::TransportKind> for Transport {
    fn from(inner: sim::TransportKind) -> Self {
        Transport { inner }
    }
}

/// What TCP and all that is built on it have in common; sizes in bytes, times in picoseconds.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct TcpBase {
    pub(crate) inner: sim::Tcp,
}

#[pymethods]
impl TcpBase {
    #[new]
    #[pyo3(signature = (*, payload, header, ack, syn, initial_window, initial_threshold, receive_window,
        duplicate_threshold, ack_every, ack_delay, rto_initial, rto_min, rto_max, timer_granularity))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        payload: u16,
        header: u16,
        ack: u16,
        syn: Option<u16>,
        initial_window: u32,
        initial_threshold: Option<u32>,
        receive_window: Option<u32>,
        duplicate_threshold: u32,
        ack_every: u32,
        ack_delay: u64,
        rto_initial: u64,
        rto_min: u64,
        rto_max: u64,
        timer_granularity: u64,
    ) -> Self {
        TcpBase {
            inner: sim::Tcp {
                payload,
                header,
                ack,
                syn,
                initial_window,
                initial_threshold,
                receive_window,
                duplicate_threshold,
                acks: sim::Acks { every: ack_every, delay: ack_delay },
                rto: sim::Rto {
                    initial: rto_initial,
                    least: rto_min,
                    most: rto_max,
                    granularity: timer_granularity,
                },
            },
        }
    }
}

#[pymethods]
impl Transport {
    /// TCP NewReno.
    #[staticmethod]
    fn tcp(base: &TcpBase) -> Self {
        sim::TransportKind::Tcp(base.inner.clone()).into()
    }
}
