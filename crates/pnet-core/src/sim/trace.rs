//! What is written down while a run goes on, of the ports and flows that are watched, up to a number of rows.

use std::collections::HashMap;

use super::port::Backlog;
use super::time::Time;
use crate::error::{Error, refused};

/// What to trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Ports whose queues are traced.
    pub ports: Vec<u32>,
    /// Flows, by the source's numbers, whose windows and arrivals are traced.
    pub flows: Vec<u32>,
    /// Rows of each sort at most; what happens afterwards is not traced.
    pub rows: usize,
}

/// A queue that a packet has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueRow {
    /// When.
    pub time: Time,
    /// Whose queue.
    pub port: u32,
    /// Packets in it, the one being sent and the new one included, if it got in.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
}

/// A window that may have changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowRow {
    /// When.
    pub time: Time,
    /// Whose.
    pub flow: u32,
    /// Which of its subflows.
    pub subflow: u32,
    /// Segments.
    pub window: f64,
}

/// A data packet that has come to its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivalRow {
    /// When.
    pub time: Time,
    /// Whose.
    pub flow: u32,
    /// Which of its subflows.
    pub subflow: u32,
    /// Number of the segment.
    pub seq: u32,
    /// Time since it was sent.
    pub delay: Time,
    /// Its bytes on the wire.
    pub size: u16,
    /// Plane that it came through.
    pub plane: u32,
    /// Number of its path: paths, from port to port, are numbered from 0 as their first packets of a flow arrive.
    pub path: u32,
}

/// What was traced, in the order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traces {
    /// Queues.
    pub queues: Vec<QueueRow>,
    /// Windows.
    pub windows: Vec<WindowRow>,
    /// Arrivals.
    pub arrivals: Vec<ArrivalRow>,
}

/// Writes traces.
#[derive(Debug)]
pub(super) struct Recorder {
    ports: Vec<bool>,
    flows: Vec<u32>,
    rows: usize,
    /// Ports that traced packets have crossed; those of lost ones stay until there are as many as rows.
    under_way: HashMap<Sending, Vec<u32>>,
    /// Paths of each flow, in the order of their numbers.
    paths: HashMap<(u32, Vec<u32>), u32>,
    known: HashMap<u32, u32>,
    pub(super) traces: Traces,
}

/// What tells a packet under way from all others: connection, segment, and when it was sent.
pub(super) type Sending = (u32, u32, Time);

impl Recorder {
    /// A recorder of what is watched, if that is anything.
    pub(super) fn new(watched: &Watched, ports: usize) -> Result<Option<Self>, Error> {
        if let Some(unknown) = watched.ports.iter().find(|port| **port as usize >= ports) {
            return refused("trace", "unknown port", unknown, format!("0..{ports}"));
        }
        let mut flows = watched.flows.clone();
        flows.sort_unstable();
        let mut watched_ports = vec![false; ports];
        for port in &watched.ports {
            watched_ports[*port as usize] = true;
        }
        let any = watched.rows > 0 && !(watched.ports.is_empty() && flows.is_empty());
        Ok(any.then(|| Recorder {
            ports: watched_ports,
            flows,
            rows: watched.rows,
            under_way: HashMap::new(),
            paths: HashMap::new(),
            known: HashMap::new(),
            traces: Traces::default(),
        }))
    }

    /// Whether a flow is watched.
    pub(super) fn watches(&self, flow: u32) -> bool {
        self.flows.binary_search(&flow).is_ok()
    }

    pub(super) fn queue(&mut self, time: Time, port: u32, Backlog { packets, bytes }: Backlog) {
        if self.ports[port as usize] && self.traces.queues.len() < self.rows {
            self.traces.queues.push(QueueRow { time, port, packets, bytes });
        }
    }

    pub(super) fn window(&mut self, row: WindowRow) {
        if self.traces.windows.len() < self.rows {
            self.traces.windows.push(row);
        }
    }

    /// A packet has crossed the link of a port.
    pub(super) fn cross(&mut self, sending: Sending, port: u32) {
        if self.traces.arrivals.len() >= self.rows {
            return;
        }
        if let Some(crossed) = self.under_way.get_mut(&sending) {
            crossed.push(port);
        } else {
            if self.under_way.len() >= self.rows {
                self.under_way.clear();
            }
            self.under_way.insert(sending, vec![port]);
        }
    }

    /// Number of the path of a packet of a flow that has arrived.
    pub(super) fn path(&mut self, sending: Sending, flow: u32) -> u32 {
        let crossed = self.under_way.remove(&sending).unwrap_or_default();
        let known = self.known.entry(flow).or_insert(0);
        *self.paths.entry((flow, crossed)).or_insert_with(|| {
            *known += 1;
            *known - 1
        })
    }

    pub(super) fn arrival(&mut self, row: ArrivalRow) {
        if self.traces.arrivals.len() < self.rows {
            self.traces.arrivals.push(row);
        }
    }
}
