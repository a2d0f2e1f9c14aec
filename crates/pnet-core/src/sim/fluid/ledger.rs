//! What is written down while a run goes on: of flows, planes, subflows and links.

use super::super::records::End;
use super::super::source::Flow;
use super::super::time::Time;
use super::classes::Class;
use super::records::{FlowRecord, Outcome};

/// Records, flow by flow in the order of starts, and what links have carried.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) flows: Vec<FlowRecord>,
    planes: usize,
    subflows: usize,
    plane_bytes: Vec<u64>,
    subflow_bytes: Vec<u64>,
    /// Bytes by link, of the flows that send no more.
    carried: Vec<f64>,
}

impl Ledger {
    /// Without a flow.
    pub(super) fn new(planes: usize, subflows: usize, links: usize) -> Self {
        let carried = vec![0.0; links];
        Ledger { flows: vec![], planes, subflows, plane_bytes: vec![], subflow_bytes: vec![], carried }
    }

    /// Adds a flow; returns the place of its record.
    pub(super) fn add(&mut self, flow: &Flow) -> u32 {
        let Flow { id, src, dst, bytes, start, .. } = *flow;
        self.flows.push(FlowRecord { id, src, dst, bytes, start, ..FlowRecord::default() });
        self.plane_bytes.resize(self.flows.len() * self.planes, 0);
        self.subflow_bytes.resize(self.flows.len() * self.subflows, 0);
        self.flows.len() as u32 - 1
    }

    /// Writes down what a flow of so much weight has sent in a class that it joined when the clocks of its streams were
    /// `since`; `up` tells the link into each plane.
    pub(super) fn count(
        &mut self,
        record: u32,
        class: &Class,
        since: &[f64],
        weight: f64,
        up: impl Fn(usize) -> u32,
    ) {
        let of_planes = &mut self.plane_bytes[record as usize * self.planes..][..self.planes];
        let of_subflows = &mut self.subflow_bytes[record as usize * self.subflows..][..self.subflows];
        for (place, (stream, (clock, since))) in
            class.streams.iter().zip(class.clocks().zip(since)).enumerate()
        {
            let sent = ((clock - since) * weight).max(0.0);
            of_subflows[place.min(self.subflows - 1)] += sent.round() as u64;
            for (link, part) in &stream.links {
                self.carried[*link as usize] += part * sent;
            }
            for (plane, into) in of_planes.iter_mut().enumerate() {
                let up = up(plane);
                let part = stream.links.iter().find(|(port, _)| *port == up).map_or(0.0, |(_, part)| *part);
                *into += (part * sent).round() as u64;
            }
        }
    }

    /// Closes the books of a run that ended so.
    pub(super) fn close(self, end: End, time: Time, events: u64, settled: u64) -> Outcome {
        Outcome {
            end,
            time,
            events,
            settled,
            flows: self.flows,
            ports: self.carried.into_iter().map(|bytes| bytes.round() as u64).collect(),
            plane_bytes: self.plane_bytes,
            subflow_bytes: self.subflow_bytes,
        }
    }
}
