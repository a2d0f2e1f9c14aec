//! Transports.

use pnet_core::sim;
use pyo3::prelude::*;

use crate::error::Result;

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

/// How the windows of a flow's subflows grow together.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Coupling {
    /// RFC 6356.
    Lia,
    /// The same without its cap.
    Linked,
    /// Not at all.
    Uncoupled,
}

impl From<Coupling> for sim::Coupling {
    fn from(coupling: Coupling) -> Self {
        match coupling {
            Coupling::Lia => Self::Lia,
            Coupling::Linked => Self::Linked,
            Coupling::Uncoupled => Self::Uncoupled,
        }
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
        duplicate_threshold, sack, ack_every, ack_delay, resequence, rto_initial, rto_min, rto_max, timer_granularity))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        payload: u16,
        header: u16,
        ack: u16,
        syn: Option<u16>,
        initial_window: u32,
        initial_threshold: Option<u32>,
        receive_window: Option<u32>,
        duplicate_threshold: Option<u32>,
        sack: bool,
        ack_every: u32,
        ack_delay: u64,
        resequence: Option<u64>,
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
                sack,
                resequence,
                acks: sim::Acks { every: ack_every, delay: ack_delay },
                rto: sim::Rto {
                    initial: rto_initial,
                    least: rto_min,
                    most: rto_max,
                    granularity: timer_granularity,
                },
                congestion: sim::Congestion::Reno,
                subflows: 1,
                probe_after: None,
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

    /// TCP whose window shrinks by the part of packets that were marked.
    #[staticmethod]
    #[pyo3(signature = (base, *, gain, alpha))]
    fn dctcp(base: &TcpBase, gain: f64, alpha: f64) -> Self {
        let congestion = sim::Congestion::Dctcp(sim::Dctcp { gain, alpha });
        sim::TransportKind::Tcp(sim::Tcp { congestion, ..base.inner.clone() }).into()
    }

    /// Several TCP connections for each flow, whose windows grow together.
    #[staticmethod]
    #[pyo3(signature = (base, *, subflows, coupling))]
    fn mptcp(base: &TcpBase, subflows: u32, coupling: Coupling) -> Self {
        let congestion = sim::Congestion::Coupled(coupling.into());
        sim::TransportKind::Tcp(sim::Tcp { congestion, subflows, ..base.inner.clone() }).into()
    }

    /// TCP that only probes for a way through after timeouts in a row.
    #[staticmethod]
    #[pyo3(signature = (base, *, probe_after))]
    fn min_tcp(base: &TcpBase, probe_after: u32) -> Self {
        sim::TransportKind::Tcp(sim::Tcp { probe_after: Some(probe_after), ..base.inner.clone() }).into()
    }

    /// The receiver asks for what is sent.
    #[staticmethod]
    #[pyo3(signature = (*, payload, header, ack, window, timeout))]
    fn ndp(payload: u16, header: u16, ack: u16, window: Option<u32>, timeout: u64) -> Self {
        sim::TransportKind::Ndp(sim::Ndp { payload, header, ack, window, timeout }).into()
    }

    /// An even stream without answers, at a rate in bit/s or, without one, that of the links that it leaves by.
    #[staticmethod]
    #[pyo3(signature = (*, payload, header, rate))]
    fn cbr(payload: u16, header: u16, rate: Option<u64>) -> Result<Self> {
        let rate = rate.map(sim::Rate::new).transpose()?;
        Ok(sim::TransportKind::Cbr(sim::Cbr { payload, header, rate }).into())
    }

    /// Whether it knows what to do with packets that have lost their payload.
    #[getter]
    fn takes_trimmed(&self) -> bool {
        self.inner.takes_trimmed()
    }

    /// Whether its window goes by marks of packets.
    #[getter]
    fn goes_by_marks(&self) -> bool {
        self.inner.goes_by_marks()
    }
}
