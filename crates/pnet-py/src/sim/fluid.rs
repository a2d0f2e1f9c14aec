//! A run of the fluid simulator.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pnet_core::sim::{FlowRecord, fluid};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::flows::Flows;
use super::kinds::Forwarding;
use super::outcome::{Column, End, columns, table, time};
use super::run::{fabric_of, failures_of, limits_of, watch};
use crate::error::Result;
use crate::monitor;
use crate::planes::Planes;

/// What a flow does with several paths.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Sharing {
    inner: fluid::Sharing,
}

#[pymethods]
impl Sharing {
    /// It takes one path.
    #[staticmethod]
    fn single() -> Self {
        Sharing { inner: fluid::Sharing::Single }
    }

    /// Its rate is split over all of them in fixed parts.
    #[staticmethod]
    fn even() -> Self {
        Sharing { inner: fluid::Sharing::Even }
    }

    /// Each of so many subflows takes part in the sharing.
    #[staticmethod]
    fn subflows(count: u32) -> Self {
        Sharing { inner: fluid::Sharing::Subflows(count) }
    }

    /// It is split over all that it is offered as is best for fairness.
    #[staticmethod]
    fn best() -> Self {
        Sharing { inner: fluid::Sharing::Best }
    }
}

/// What is added to the times of the fluid, by term; and the sizes of packets.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Correction {
    inner: fluid::Correction,
}

#[pymethods]
impl Correction {
    #[new]
    #[pyo3(signature = (*, handshake, propagation, store_and_forward, slow_start, queueing, convergence, window, threshold))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
    fn new(
        handshake: bool,
        propagation: bool,
        store_and_forward: bool,
        slow_start: Option<u32>,
        queueing: bool,
        convergence: bool,
        window: Option<u32>,
        threshold: u32,
    ) -> Self {
        let windows = fluid::Windows { packets: window, threshold, queueing, convergence };
        let windows = (queueing || convergence).then_some(windows);
        Correction {
            inner: fluid::Correction { handshake, propagation, store_and_forward, slow_start, windows },
        }
    }
}

/// A finished run.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct FluidOutcome {
    inner: fluid::FluidOutcome,
}

const FLOW_COLUMNS: &[Column<FlowRecord>] = &[
    ("flow", |r| i64::from(r.id)),
    ("src", |r| i64::from(r.src)),
    ("dst", |r| i64::from(r.dst)),
    ("bytes", |r| r.bytes as i64),
    ("start_ps", |r| time(Some(r.start))),
    ("arrived_ps", |r| time(r.arrived)),
    ("end_ps", |r| time(r.end)),
    ("ideal_ps", |r| if r.hops > 0 { r.ideal as i64 } else { -1 }),
    ("received_bytes", |r| r.received as i64),
    ("links", |r| i64::from(r.hops)),
];

#[pymethods]
impl FluidOutcome {
    /// Why it ended.
    #[getter]
    fn end(&self) -> End {
        self.inner.end.into()
    }

    /// Simulated time at its end.
    #[getter]
    fn time_ps(&self) -> u64 {
        self.inner.time
    }

    /// Events.
    #[getter]
    fn events(&self) -> u64 {
        self.inner.events
    }

    /// Every flow, by column, in the order of starts; int64, times in picoseconds and -1 for what never happened.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.flows, FLOW_COLUMNS)
    }

    /// Every port, by column, int64.
    fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        found
            .set_item("bytes", PyArray1::from_iter(py, self.inner.ports.iter().map(|bytes| *bytes as i64)))?;
        Ok(found)
    }

    /// Bytes on the wire that each flow sent into each plane, int64 `[flows, planes]`.
    fn plane_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        table(py, &self.inner.plane_bytes, self.inner.flows.len())
    }

    /// Bytes on the wire that each flow sent by each of its subflows, int64 `[flows, subflows]`.
    fn subflow_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        table(py, &self.inner.subflow_bytes, self.inner.flows.len())
    }
}

/// Simulates flows as a fluid; ports and outages as of `simulate_packets`.
///
/// `packet`, `header` and `ack` are bytes on the wire; `weights` are positive, one for each flow, or none where all are
/// alike.  With `incremental` false everything is solved again at every change, for comparison.
#[pyfunction]
#[pyo3(signature = (planes, rate, delay_ps, flows, *, forwarding, sharing, correction, packet, header, ack, weights, seed,
    time_limit_ps, event_limit, outage_ports, outage_from_ps, outage_until_ps, reroute_ps, incremental, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn simulate_fluid(
    py: Python<'_>,
    planes: &Planes,
    rate: PyReadonlyArray1<i64>,
    delay_ps: PyReadonlyArray1<i64>,
    flows: &Flows,
    forwarding: &Forwarding,
    sharing: &Sharing,
    correction: &Correction,
    packet: u16,
    header: u16,
    ack: u16,
    weights: Option<PyReadonlyArray1<f64>>,
    seed: u64,
    time_limit_ps: Option<u64>,
    event_limit: Option<u64>,
    outage_ports: PyReadonlyArray1<i32>,
    outage_from_ps: u64,
    outage_until_ps: Option<u64>,
    reroute_ps: Option<u64>,
    incremental: bool,
    on_progress: Py<PyAny>,
) -> Result<FluidOutcome> {
    let fabric = fabric_of(planes, &rate, &delay_ps)?;
    let limits = limits_of(time_limit_ps, event_limit);
    let failures = failures_of(&fabric, &outage_ports, outage_from_ps, outage_until_ps, reroute_ps)?;
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let method = if incremental { fluid::Method::Incremental } else { fluid::Method::FromScratch };
    let (inner, _) = monitor::run(py, 1, on_progress, |monitor| {
        let scenario = fluid::FluidScenario {
            fabric,
            forwarding: forwarding.inner.clone(),
            sharing: sharing.inner,
            correction: correction.inner,
            sizes: fluid::PacketSizes { packet, header, ack },
            source: flows.source()?,
            weights,
            seed,
            limits,
            failures,
            method,
        };
        scenario.run(&mut watch(monitor))
    })?;
    Ok(FluidOutcome { inner })
}
