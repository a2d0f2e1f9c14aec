//! A run.

use std::time::{Duration, Instant};

use numpy::PyReadonlyArray1;
use pnet_core::error::{indices, offsets};
use pnet_core::sim::{
    Fabric, Failures, Limits, Model, NEVER, Outage, Progress, Rate, Scenario, Time, Watched,
};
use pyo3::prelude::*;

use super::flows::Flows;
use super::kinds::{Forwarding, Queue, Transport};
use super::outcome::Outcome;
use crate::error::Result;
use crate::monitor::{self, PythonMonitor};
use crate::planes::Planes;

/// How often Python is told of the progress.
const TELL: Duration = Duration::from_millis(100);

/// Simulates flows packet by packet; ports are the arcs of all planes, then those from hosts into each plane, then those
/// from each plane to hosts.
///
/// The outage ports send into links that are down for a time, of which paths take note after `reroute_ps`.
/// Queues of the watched ports, windows and arrivals of the watched flows are traced, up to `watched_rows` rows of each.
/// `on_progress(time_ps, events, completed, arrived_bytes)` returns whether to go on.
#[pyfunction]
#[pyo3(signature = (planes, rate, delay_ps, flows, *, queue, transport, forwarding, seed, time_limit_ps, event_limit,
    outage_ports, outage_from_ps, outage_until_ps, reroute_ps, watched_ports, watched_flows, watched_rows, on_progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn simulate_packets(
    py: Python<'_>,
    planes: &Planes,
    rate: PyReadonlyArray1<i64>,
    delay_ps: PyReadonlyArray1<i64>,
    flows: &Flows,
    queue: &Queue,
    transport: &Transport,
    forwarding: &Forwarding,
    seed: u64,
    time_limit_ps: Option<u64>,
    event_limit: Option<u64>,
    outage_ports: PyReadonlyArray1<i32>,
    outage_from_ps: u64,
    outage_until_ps: Option<u64>,
    reroute_ps: Option<u64>,
    watched_ports: PyReadonlyArray1<i32>,
    watched_flows: PyReadonlyArray1<i32>,
    watched_rows: usize,
    on_progress: Py<PyAny>,
) -> Result<Outcome> {
    let fabric = fabric_of(planes, &rate, &delay_ps)?;
    let limits = limits_of(time_limit_ps, event_limit);
    let failures = failures_of(&fabric, &outage_ports, outage_from_ps, outage_until_ps, reroute_ps)?;
    let watched = Watched {
        ports: indices("watched_ports", watched_ports.as_slice()?, fabric.ports())?,
        flows: indices("watched_flows", watched_flows.as_slice()?, i32::MAX as usize)?,
        rows: watched_rows,
    };
    let (outcome, _) = monitor::run(py, 1, on_progress, |monitor| {
        let scenario = Scenario {
            fabric,
            queue: queue.inner.clone(),
            forwarding: forwarding.inner.clone(),
            transport: transport.inner.clone(),
            source: flows.source()?,
            seed,
            model: Model::Fast,
            limits,
            watched,
            failures,
        };
        scenario.run(&mut watch(monitor))
    })?;
    Ok(Outcome::new(outcome, planes.inner.count()))
}

/// The fabric over `planes` with these rates and delays.
pub(super) fn fabric_of(
    planes: &Planes,
    rate: &PyReadonlyArray1<i64>,
    delay_ps: &PyReadonlyArray1<i64>,
) -> Result<Fabric> {
    let rates = offsets("rate", rate.as_slice()?)?.into_iter().map(|rate| Rate::new(rate as u64));
    let rates = rates.collect::<std::result::Result<Vec<Rate>, _>>()?;
    let delays = offsets("delay_ps", delay_ps.as_slice()?)?.into_iter().map(|delay| delay as Time);
    Ok(Fabric::new(planes.inner.clone(), &rates, &delays.collect::<Vec<Time>>())?)
}

/// When a run ends.
pub(super) fn limits_of(time_ps: Option<u64>, events: Option<u64>) -> Limits {
    let unlimited = Limits::default();
    Limits { time: time_ps.unwrap_or(unlimited.time), events: events.unwrap_or(unlimited.events) }
}

/// What fails: these ports, from one time until another.
pub(super) fn failures_of(
    fabric: &Fabric,
    ports: &PyReadonlyArray1<i32>,
    from: u64,
    until: Option<u64>,
    repair: Option<u64>,
) -> Result<Failures> {
    let ports = indices("outage_ports", ports.as_slice()?, fabric.ports())?;
    let until = until.unwrap_or(NEVER);
    Ok(Failures { outages: ports.into_iter().map(|port| Outage { port, from, until }).collect(), repair })
}

/// Tells Python of the progress now and then; returns whether to go on.
pub(super) fn watch<'a, 'm>(
    monitor: &'a mut PythonMonitor<'m>,
) -> impl FnMut(Progress) -> bool + use<'a, 'm> {
    let mut told = Instant::now();
    move |progress| {
        if monitor.stopped() {
            return false;
        }
        if told.elapsed() < TELL {
            return true;
        }
        told = Instant::now();
        monitor.tell((progress.time, progress.events, progress.completed, progress.arrived))
    }
}
