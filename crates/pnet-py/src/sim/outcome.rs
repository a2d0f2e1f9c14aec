//! What a run leaves behind, as columns.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pnet_core::sim::records::{self, FlowRecord, PacketCounts, PortRecord};
use pnet_core::sim::trace::{ArrivalRow, QueueRow, WindowRow};
use pnet_core::sim::{NEVER, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Why a run ended.
#[pyclass(frozen, eq, hash, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// Every flow is complete.
    Complete,
    /// No event is left, and flows are not complete.
    Idle,
    /// The time limit.
    TimeLimit,
    /// The limit of events.
    EventLimit,
    /// Ctrl-C, or `on_progress`.
    Stopped,
}

impl From<records::End> for End {
    fn from(end: records::End) -> Self {
        match end {
            records::End::Complete => End::Complete,
            records::End::Idle => End::Idle,
            records::End::TimeLimit => End::TimeLimit,
            records::End::EventLimit => End::EventLimit,
            records::End::Stopped => End::Stopped,
        }
    }
}

/// A finished run.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Outcome {
    inner: records::Outcome,
    planes: usize,
}

impl Outcome {
    pub(crate) fn new(inner: records::Outcome, planes: usize) -> Self {
        Outcome { inner, planes }
    }
}

/// -1 for what never happened.
pub(super) fn time(value: Option<Time>) -> i64 {
    value.filter(|time| *time != NEVER).map_or(-1, |time| time as i64)
}

pub(super) type Column<R> = (&'static str, fn(&R) -> i64);

const FLOW_COLUMNS: &[Column<FlowRecord<PacketCounts>>] = &[
    ("flow", |r| i64::from(r.id)),
    ("src", |r| i64::from(r.src)),
    ("dst", |r| i64::from(r.dst)),
    ("bytes", |r| r.bytes as i64),
    ("start_ps", |r| time(Some(r.start))),
    ("arrived_ps", |r| time(r.arrived)),
    ("end_ps", |r| time(r.end)),
    ("ideal_ps", |r| r.ideal as i64),
    ("received_bytes", |r| r.received as i64),
    ("links", |r| i64::from(r.hops)),
    ("packets_sent", |r| r.counts.sent as i64),
    ("packets_delivered", |r| r.counts.delivered as i64),
    ("packets_dropped", |r| r.counts.dropped as i64),
    ("data_packets", |r| r.counts.data_packets as i64),
    ("data_bytes", |r| r.counts.data_bytes as i64),
    ("resent", |r| r.counts.resent as i64),
    ("fast_retransmits", |r| r.counts.fast_retransmits as i64),
    ("timeouts", |r| r.counts.timeouts as i64),
    ("out_of_order", |r| r.counts.out_of_order as i64),
    ("marked", |r| r.counts.marked as i64),
    ("trimmed", |r| r.counts.trimmed as i64),
];

const PORT_COLUMNS: &[Column<PortRecord>] = &[
    ("packets", |r| r.packets as i64),
    ("bytes", |r| r.bytes as i64),
    ("dropped", |r| r.dropped as i64),
    ("lost", |r| r.lost as i64),
    ("marked", |r| r.marked as i64),
    ("trimmed", |r| r.trimmed as i64),
    ("queued_ps", |r| r.spent as i64),
    ("longest_packets", |r| i64::from(r.longest_packets)),
    ("longest_bytes", |r| r.longest_bytes as i64),
];

const QUEUE_COLUMNS: &[Column<QueueRow>] = &[
    ("time_ps", |r| r.time as i64),
    ("port", |r| i64::from(r.port)),
    ("packets", |r| i64::from(r.packets)),
    ("bytes", |r| r.bytes as i64),
];

const WINDOW_COLUMNS: &[Column<WindowRow>] =
    &[("time_ps", |r| r.time as i64), ("flow", |r| i64::from(r.flow)), ("subflow", |r| i64::from(r.subflow))];

const ARRIVAL_COLUMNS: &[Column<ArrivalRow>] = &[
    ("time_ps", |r| r.time as i64),
    ("flow", |r| i64::from(r.flow)),
    ("subflow", |r| i64::from(r.subflow)),
    ("segment", |r| i64::from(r.seq)),
    ("delay_ps", |r| r.delay as i64),
    ("bytes", |r| i64::from(r.size)),
    ("plane", |r| i64::from(r.plane)),
    ("path", |r| i64::from(r.path)),
];

pub(super) fn columns<'py, R>(
    py: Python<'py>,
    records: &[R],
    wanted: &[Column<R>],
) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (name, value) in wanted {
        found.set_item(name, PyArray1::from_iter(py, records.iter().map(value)))?;
    }
    Ok(found)
}

pub(super) fn table<'py>(
    py: Python<'py>,
    values: &[u64],
    rows: usize,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let width = values.len().checked_div(rows).unwrap_or(0);
    let values: Vec<i64> = values.iter().map(|value| *value as i64).collect();
    values.into_pyarray(py).reshape([rows, width])
}

#[pymethods]
impl Outcome {
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

    /// Packets times the links they crossed.
    #[getter]
    fn packet_hops(&self) -> u64 {
        self.inner.packet_hops
    }

    /// Every flow, by column, in the order of starts; int64, times in picoseconds and -1 for what never happened.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.flows, FLOW_COLUMNS)
    }

    /// Every port, by column, int64.
    fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.ports, PORT_COLUMNS)
    }

    /// Bytes of data that each flow sent into each plane, int64 `[flows, planes]`.
    fn plane_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let found = &self.inner.plane_bytes;
        debug_assert_eq!(found.len(), self.inner.flows.len() * self.planes);
        table(py, found, self.inner.flows.len())
    }

    /// Bytes of data that each flow sent by each of its subflows, int64 `[flows, subflows]`.
    fn subflow_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        table(py, &self.inner.subflow_bytes, self.inner.flows.len())
    }

    /// The queues traced, by column, int64.
    fn queue_trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.traces.queues, QUEUE_COLUMNS)
    }

    /// The windows traced, by column, int64, but for `window` in segments, float64.
    fn window_trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = &self.inner.traces.windows;
        let found = columns(py, rows, WINDOW_COLUMNS)?;
        found.set_item("window", PyArray1::from_iter(py, rows.iter().map(|r| r.window)))?;
        Ok(found)
    }

    /// The arrivals traced, by column, int64.
    fn arrival_trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.traces.arrivals, ARRIVAL_COLUMNS)
    }
}
