//! Several transports in one run: each flow is sent by one of them.
//!
//! Each transport holds its own flows, as if it were alone.  Connections are numbered so that each finds the subflows of its
//! flows where it looks for them: a flow has as many numbers as the least common multiple of all subflows.

use std::sync::Arc;

use super::super::fabric::PathLink;
use super::super::forwarding::Shares;
use super::super::net::Net;
use super::super::network::{Network, Shape};
use super::super::packet::Packet;
use super::super::source::Flow;
use super::super::time::Time;
use super::{Transport, TransportKind};
use crate::error::{Error, invalid};

/// Some transports, and which of them each flow has.
#[derive(Debug, Clone)]
pub struct Mixed {
    /// The transports, at least one.
    pub kinds: Vec<Arc<dyn TransportKind>>,
    /// Which of them a flow has, by the source's number of it.
    pub of_flow: Vec<u32>,
}

impl Mixed {
    fn shapes(&self) -> Result<Vec<Shape>, Error> {
        self.kinds.iter().map(|kind| kind.shape()).collect()
    }
}

impl TransportKind for Mixed {
    /// What all of it needs; a card only where each has one.
    fn shape(&self) -> Result<Shape, Error> {
        let shapes = self.shapes()?;
        let Some(mut all) = shapes.first().copied() else { return invalid("transport", "none of several") };
        if self.of_flow.iter().any(|kind| *kind as usize >= shapes.len()) {
            return invalid("transport", format!("a flow has none of {}", shapes.len()));
        }
        if shapes.iter().filter(|shape| shape.pulls).count() > 1 {
            return invalid("transport", "receivers ask for the packets of one transport at most, such as one ndp");
        }
        for shape in &shapes[1..] {
            if shape.payload != all.payload {
                return invalid("transport", "packets of several sizes");
            }
            all = Shape {
                subflows: least_common_multiple(all.subflows, shape.subflows)?,
                timers: all.timers.max(shape.timers),
                largest: all.largest.max(shape.largest),
                payload: all.payload,
                pulls: all.pulls || shape.pulls,
                nic: all.nic.zip(shape.nic).map(|(one, other)| one.max(other)),
                telemetry: all.telemetry || shape.telemetry,
            };
        }
        Ok(all)
    }

    fn mixed(&self) -> Option<&Mixed> {
        Some(self)
    }

    fn takes_trimmed(&self) -> bool {
        self.kinds.iter().all(|kind| kind.takes_trimmed())
    }

    fn reacts_to_marks(&self) -> bool {
        self.kinds.iter().any(|kind| kind.reacts_to_marks())
    }

    fn skips(&self) -> bool {
        self.kinds.iter().all(|kind| kind.skips())
    }

    fn waits_for_room(&self) -> bool {
        self.kinds.iter().any(|kind| kind.waits_for_room())
    }

    fn build(&self, shares: Shares) -> Box<dyn Transport<Net>> {
        let (Ok(all), Ok(shapes)) = (self.shape(), self.shapes()) else {
            unreachable!("a run asks for the shape before it builds anything")
        };
        let parts = self.kinds.iter().zip(shapes).map(|(kind, Shape { timers, pulls, .. })| Part {
            transport: kind.build(shares),
            timers,
            pulls,
        });
        Box::new(Parts {
            parts: parts.collect(),
            subflows: all.subflows,
            timers: all.timers,
            of_flow: self.of_flow.clone(),
            of_slot: vec![],
        })
    }
}

/// The least number that both divide.
fn least_common_multiple(one: u32, other: u32) -> Result<u32, Error> {
    let (mut divisor, mut rest) = (one, other);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    match (one / divisor).checked_mul(other) {
        Some(multiple) => Ok(multiple),
        None => invalid("transport", "too many subflows"),
    }
}

/// One of them at work.
struct Part {
    transport: Box<dyn Transport<Net>>,
    timers: u32,
    pulls: bool,
}

/// All of them.
struct Parts {
    parts: Vec<Part>,
    /// Numbers of connections that a flow has.
    subflows: u32,
    /// Timers that a connection has; the one after them is that of room in its host's port, whatever the transport.
    timers: u32,
    of_flow: Vec<u32>,
    of_slot: Vec<u32>,
}

impl Parts {
    fn of(&mut self, connection: u32) -> &mut Part {
        let slot = (connection / self.subflows) as usize;
        &mut self.parts[self.of_slot[slot] as usize]
    }
}

impl Transport<Net> for Parts {
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut Net) {
        let (slot, flow) = ((connection / self.subflows) as usize, net.record(connection).id);
        self.of_slot.resize(self.of_slot.len().max(slot + 1), 0);
        self.of_slot[slot] = self.of_flow[flow as usize];
        self.of(connection).transport.start(connection, bytes, paths, net);
    }

    fn receive(&mut self, packet: Packet, port: u32, net: &mut Net) {
        self.of(packet.connection).transport.receive(packet, port, net);
    }

    fn timer(&mut self, connection: u32, which: u32, net: &mut Net) {
        let room = which == self.timers;
        let part = self.of(connection);
        part.transport.timer(connection, if room { part.timers } else { which }, net);
    }

    fn pull(&mut self, port: u32, net: &mut Net) {
        if let Some(part) = self.parts.iter_mut().find(|part| part.pulls) {
            part.transport.pull(port, net);
        }
    }

    fn unsent(&self, connection: u32) -> u32 {
        let slot = (connection / self.subflows) as usize;
        self.parts[self.of_slot[slot] as usize].transport.unsent(connection)
    }

    fn skip(&mut self, connection: u32, segments: u32) {
        self.of(connection).transport.skip(connection, segments);
    }

    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time {
        self.parts[self.of_flow[flow.id as usize] as usize].transport.ideal(flow, paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_flow_are_a_multiple_of_all_subflows() {
        let found = |one, other| least_common_multiple(one, other).ok();
        assert_eq!((found(1, 1), found(8, 1), found(4, 6), found(1 << 31, 3)), (Some(1), Some(8), Some(12), None));
    }
}
