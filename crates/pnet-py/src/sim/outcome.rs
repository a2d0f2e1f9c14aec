//! What a run leaves behind, as columns.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pnet_core::sim::records::{self, FlowRecord, FluidOutcome, PacketCounts, PortRecord};
use pnet_core::sim::trace::{ArrivalRow, QueueRow, Traces, WindowRow};
use pnet_core::sim::{NEVER, PauseRecord, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A finished run.  Columns are int64, times in picoseconds and -1 for what never happened.
#[pyclass(frozen, get_all, module = "pnet_lp._core")]
pub(crate) struct Outcome {
    /// Why it ended.
    end: &'static str,
    /// Simulated time at its end.
    time_ps: u64,
    events: u64,
    /// Packets times the links they crossed; none of a fluid.
    packet_hops: Option<u64>,
    /// Every flow, by column, in the order of starts.
    flows: Py<PyDict>,
    /// Every port, by column.
    ports: Py<PyDict>,
    /// Bytes of data on the wire that each flow sent into each plane, `[flows, planes]`.
    plane_bytes: Py<PyArray2<i64>>,
    /// The same by each of its subflows, `[flows, subflows]`.
    subflow_bytes: Py<PyArray2<i64>>,
    /// What was traced of queues, windows and arrivals, by column; nothing of a fluid.
    traces: Py<PyDict>,
}

type Column<R> = (&'static str, fn(&R) -> i64);

const PACKET_COLUMNS: &[Column<PacketCounts>] = &[
    ("packets_sent", |r| r.sent as i64),
    ("packets_delivered", |r| r.delivered as i64),
    ("packets_dropped", |r| r.dropped as i64),
    ("data_packets", |r| r.data_packets as i64),
    ("data_bytes", |r| r.data_bytes as i64),
    ("resent", |r| r.resent as i64),
    ("fast_retransmits", |r| r.fast_retransmits as i64),
    ("timeouts", |r| r.timeouts as i64),
    ("out_of_order", |r| r.out_of_order as i64),
    ("marked", |r| r.marked as i64),
    ("trimmed", |r| r.trimmed as i64),
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

const PAUSE_COLUMNS: &[Column<PauseRecord>] = &[("pauses", |r| r.count as i64), ("paused_ps", |r| r.time as i64)];

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

/// -1 for what never happened.
fn time(value: Option<Time>) -> i64 {
    value.filter(|time| *time != NEVER).map_or(-1, |time| time as i64)
}

fn columns<'py, 'r, R: 'r>(
    py: Python<'py>,
    records: impl Iterator<Item = &'r R> + Clone,
    columns: &[Column<R>],
) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    for (name, value) in columns {
        made.set_item(name, PyArray1::from_iter(py, records.clone().map(value)))?;
    }
    Ok(made)
}

/// Flows by column: what both models know, then what one of them counts.
fn flows<'py, C>(py: Python<'py>, records: &[FlowRecord<C>], counts: &[Column<C>]) -> PyResult<Bound<'py, PyDict>> {
    let known: [Column<FlowRecord<C>>; 10] = [
        ("flow", |r| i64::from(r.id)),
        ("src", |r| i64::from(r.src)),
        ("dst", |r| i64::from(r.dst)),
        ("bytes", |r| r.bytes as i64),
        ("start_ps", |r| time(Some(r.start))),
        ("arrived_ps", |r| time(r.arrived)),
        ("end_ps", |r| time(r.end)),
        ("ideal_ps", |r| time(Some(r.ideal).filter(|_| r.hops > 0))),
        ("received_bytes", |r| r.received as i64),
        ("links", |r| i64::from(r.hops)),
    ];
    let made = columns(py, records.iter(), &known)?;
    made.update(columns(py, records.iter().map(|r| &r.counts), counts)?.as_mapping())?;
    Ok(made)
}

fn table(py: Python<'_>, values: &[u64], rows: usize) -> PyResult<Py<PyArray2<i64>>> {
    let width = values.len().checked_div(rows).unwrap_or(0);
    let values: Vec<i64> = values.iter().map(|value| *value as i64).collect();
    Ok(values.into_pyarray(py).reshape([rows, width])?.unbind())
}

fn traces<'py>(py: Python<'py>, traces: &Traces) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    made.set_item("queues", columns(py, traces.queues.iter(), QUEUE_COLUMNS)?)?;
    let windows = columns(py, traces.windows.iter(), WINDOW_COLUMNS)?;
    windows.set_item("window", PyArray1::from_iter(py, traces.windows.iter().map(|r| r.window)))?;
    made.set_item("windows", windows)?;
    made.set_item("arrivals", columns(py, traces.arrivals.iter(), ARRIVAL_COLUMNS)?)?;
    Ok(made)
}

/// Every port by column; pauses only where there can be any.
fn ports<'py>(py: Python<'py>, run: &records::Outcome) -> PyResult<Bound<'py, PyDict>> {
    let made = columns(py, run.ports.iter(), PORT_COLUMNS)?;
    if !run.pauses.is_empty() {
        made.update(columns(py, run.pauses.iter(), PAUSE_COLUMNS)?.as_mapping())?;
        let stuck = (0..run.ports.len() as u32).map(|port| i64::from(run.stuck.contains(&port)));
        made.set_item("deadlocked", PyArray1::from_iter(py, stuck))?;
    }
    Ok(made)
}

impl Outcome {
    /// Of a run of packets.
    pub(super) fn of_packets(py: Python<'_>, run: &records::Outcome) -> PyResult<Self> {
        Ok(Outcome {
            end: run.end.name(),
            time_ps: run.time,
            events: run.events,
            packet_hops: Some(run.packet_hops),
            flows: flows(py, &run.flows, PACKET_COLUMNS)?.unbind(),
            ports: ports(py, run)?.unbind(),
            plane_bytes: table(py, &run.plane_bytes, run.flows.len())?,
            subflow_bytes: table(py, &run.subflow_bytes, run.flows.len())?,
            traces: traces(py, &run.traces)?.unbind(),
        })
    }

    /// Of a run of a fluid.
    pub(super) fn of_fluid(py: Python<'_>, run: &FluidOutcome) -> PyResult<Self> {
        Ok(Outcome {
            end: run.end.name(),
            time_ps: run.time,
            events: run.events,
            packet_hops: None,
            flows: flows(py, &run.flows, &[])?.unbind(),
            ports: columns(py, run.ports.iter(), &[("bytes", |bytes| *bytes as i64)])?.unbind(),
            plane_bytes: table(py, &run.plane_bytes, run.flows.len())?,
            subflow_bytes: table(py, &run.subflow_bytes, run.flows.len())?,
            traces: PyDict::new(py).unbind(),
        })
    }
}
