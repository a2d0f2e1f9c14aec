//! A run of packets or of a fluid.

use std::sync::Arc;
use std::time::{Duration, Instant};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pnet_core::error::{indices, invalid, offsets};
use pnet_core::sim::fluid::FluidScenario;
use pnet_core::sim::{
    self, Fabric, Failures, Limits, Mixed, Model, NEVER, Outage, Progress, Rate, Scenario, Time, TransportKind, Watched,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::flows::Flows;
use super::kinds::{Forwarding, Queue, Transport, values};
use super::outcome::Outcome;
use crate::error::Result;
use crate::monitor::{self, PythonMonitor};
use crate::planes::Planes;

/// How often Python is told of the progress.
const TELL: Duration = Duration::from_millis(100);

/// What servers make of ports: see the core's; -1 is none.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Wiring<'py> {
    hosts: u32,
    size: u32,
    parts: u32,
    port: PyReadonlyArray1<'py, i32>,
    from: PyReadonlyArray1<'py, i32>,
    to: PyReadonlyArray1<'py, i32>,
    back: PyReadonlyArray1<'py, i32>,
    part: PyReadonlyArray1<'py, i32>,
}

impl Wiring<'_> {
    fn read(&self) -> Result<sim::Wiring> {
        // -1 becomes the core's number for none.
        let list = |of: &PyReadonlyArray1<i32>| Ok::<_, PyErr>(of.as_slice()?.iter().map(|i| *i as u32).collect());
        Ok(sim::Wiring {
            hosts: self.hosts,
            size: self.size,
            parts: self.parts,
            port: list(&self.port)?,
            from: list(&self.from)?,
            to: list(&self.to)?,
            back: list(&self.back)?,
            part: list(&self.part)?,
        })
    }
}

/// What both models take.  Ports are the arcs of all planes, then those from hosts into each plane, then those from each
/// plane to hosts, or with servers those of a wiring; each outage port sends into a link that is down from one time to another, never to come back where that is
/// -1, of which paths take note after `reroute_ps`.
/// `on_progress(time_ps, events, completed, arrived_bytes)` returns whether to go on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Run<'py> {
    planes: Bound<'py, Planes>,
    wiring: Option<Wiring<'py>>,
    rate: PyReadonlyArray1<'py, i64>,
    delay_ps: PyReadonlyArray1<'py, i64>,
    flows: Flows<'py>,
    forwarding: Bound<'py, Forwarding>,
    seed: u64,
    time_limit_ps: Option<u64>,
    event_limit: Option<u64>,
    outage_ports: PyReadonlyArray1<'py, i32>,
    outage_ps: PyReadonlyArray2<'py, i64>,
    reroute_ps: Option<u64>,
    on_progress: Py<PyAny>,
}

impl Run<'_> {
    fn fabric(&self) -> Result<Fabric> {
        let rates = offsets("rate", self.rate.as_slice()?)?.into_iter().map(|rate| Rate::new(rate as u64));
        let rates = rates.collect::<std::result::Result<Vec<Rate>, _>>()?;
        let delays = offsets("delay_ps", self.delay_ps.as_slice()?)?.into_iter().map(|delay| delay as Time);
        let (planes, delays) = (self.planes.get().inner.clone(), delays.collect::<Vec<Time>>());
        Ok(match &self.wiring {
            None => Fabric::new(planes, &rates, &delays)?,
            Some(wiring) => Fabric::wired(planes, wiring.read()?, &rates, &delays)?,
        })
    }

    fn limits(&self) -> Limits {
        let unlimited = Limits::default();
        Limits {
            time: self.time_limit_ps.unwrap_or(unlimited.time),
            events: self.event_limit.unwrap_or(unlimited.events),
        }
    }

    fn failures(&self, fabric: &Fabric) -> Result<Failures> {
        let ports = indices("outage_ports", self.outage_ports.as_slice()?, fabric.ports())?;
        let times = self.outage_ps.as_array();
        if times.dim() != (ports.len(), 2) {
            return Ok(invalid("outage_ps", format!("{:?} times for {} ports", times.dim(), ports.len()))?);
        }
        let time = |ps: i64| u64::try_from(ps).unwrap_or(NEVER);
        let windows = times.rows().into_iter().map(|row| (time(row[0]), time(row[1])));
        let outages =
            ports.into_iter().zip(windows).map(|(port, (from, until))| Outage { port, from, until }).collect();
        Ok(Failures { outages, repair: self.reroute_ps })
    }
}

/// Simulates flows packet by packet; `queues` are of switches and of hosts, whose ports have those of
/// switches where there are none.  Beside the transports is, for each flow, which one it has.  Queues of the watched ports, windows and arrivals of the watched flows are traced, up
/// to so many rows of each.  Steady state is skipped with `fast_forward`.
#[pyfunction]
#[pyo3(signature = (run, *, queues, transports, watched, fast_forward))]
pub(crate) fn simulate_packets(
    py: Python<'_>,
    run: Run<'_>,
    queues: (Bound<'_, Queue>, Option<Bound<'_, Queue>>),
    transports: (Vec<Bound<'_, Transport>>, PyReadonlyArray1<i32>),
    watched: (PyReadonlyArray1<i32>, PyReadonlyArray1<i32>, usize),
    fast_forward: bool,
) -> Result<Outcome> {
    let fabric = run.fabric()?;
    let watched = Watched {
        ports: indices("watched_ports", watched.0.as_slice()?, fabric.ports())?,
        flows: indices("watched_flows", watched.1.as_slice()?, i32::MAX as usize)?,
        rows: watched.2,
    };
    let (limits, failures, seed) = (run.limits(), run.failures(&fabric)?, run.seed);
    let queue = queues.0.get().inner.clone();
    let kinds: Vec<Arc<dyn TransportKind>> = transports.0.iter().map(|kind| kind.get().inner.clone()).collect();
    let of_flow = indices("transports", transports.1.as_slice()?, kinds.len())?;
    let transport = match <[_; 1]>::try_from(kinds) {
        Ok([only]) => only,
        Err(kinds) if of_flow.len() == run.flows.count()? => Arc::new(Mixed { kinds, of_flow }),
        Err(_) => return Ok(invalid("transports", format!("{} entries, one for each flow", of_flow.len()))?),
    };
    let host_queue = queues.1.map(|queue| queue.get().inner.clone());
    let (source, forwarding) = (run.flows.source()?, run.forwarding.get().inner.clone());
    let (outcome, _) = monitor::run(py, 1, run.on_progress, |monitor| {
        let scenario = Scenario {
            fabric,
            queue,
            host_queue,
            forwarding,
            transport,
            source,
            seed,
            model: Model::Fast,
            limits,
            failures,
            watched,
            fast_forward,
        };
        scenario.run(&mut watch(monitor))
    })?;
    Ok(Outcome::of_packets(py, &outcome)?)
}

/// Simulates flows as a fluid; `weights` are positive, one for each flow, or none where all are equal.
#[pyfunction]
#[pyo3(signature = (run, *, weights, **parameters))]
pub(crate) fn simulate_fluid(
    py: Python<'_>,
    run: Run<'_>,
    weights: Option<PyReadonlyArray1<f64>>,
    parameters: Option<&Bound<'_, PyDict>>,
) -> Result<Outcome> {
    let fabric = run.fabric()?;
    let (limits, failures, seed) = (run.limits(), run.failures(&fabric)?, run.seed);
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let (source, forwarding) = (run.flows.source()?, run.forwarding.get().inner.clone());
    let mut values = parameters.map(values).transpose()?.unwrap_or_default();
    let (sharing, correction) = (values.read("sharing")?, values.read("correction")?);
    let (sizes, method) = (values.read("sizes")?, values.read("method")?);
    values.end()?;
    let (outcome, _) = monitor::run(py, 1, run.on_progress, |monitor| {
        let scenario = FluidScenario {
            fabric,
            forwarding,
            sharing,
            correction,
            sizes,
            source,
            weights,
            seed,
            limits,
            failures,
            method,
        };
        scenario.run(&mut watch(monitor))
    })?;
    Ok(Outcome::of_fluid(py, &outcome)?)
}

/// Tells Python of the progress now and then; returns whether to go on.
fn watch<'a, 'm>(monitor: &'a mut PythonMonitor<'m>) -> impl FnMut(Progress) -> bool + use<'a, 'm> {
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
