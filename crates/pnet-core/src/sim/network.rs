//! What transports and the network know of each other.

use super::fabric::Fabric;
use super::packet::Packet;
use super::records::{FlowRecord, PacketCounts};
use super::source::Session;
use super::telemetry::Hop;
use super::time::Time;
use crate::error::{Error, invalid, refused};

/// The network as a transport sees it.
pub trait Network {
    /// The time.
    fn now(&self) -> Time;

    /// Sends a packet of a connection, from the flow's source or, if it is an answer, from its destination.  Where the card
    /// stamps data, its time stamp becomes that of its first bit.
    fn send(&mut self, packet: Packet);

    /// Whether a connection may put more data into the ports of its source; if not, the timer after its last one
    /// fires when it may.
    fn has_room(&mut self, connection: u32) -> bool;

    /// Lets a timer of a connection fire at `time`, and not at the time it had.
    fn arm(&mut self, connection: u32, which: u32, time: Time);

    /// Lets a timer not fire.
    fn disarm(&mut self, connection: u32, which: u32);

    /// Whether a timer is to fire.
    fn armed(&self, connection: u32, which: u32) -> bool;

    /// Lets [`super::transports::Transport::pull`] be asked at `time` for a port into a host, unless it will be asked before.
    fn await_pull(&mut self, port: u32, time: Time);

    /// The hosts, switches and links.
    fn fabric(&self) -> &Fabric;

    /// The record of the flow that a connection belongs to.
    fn record(&mut self, connection: u32) -> &mut FlowRecord<PacketCounts>;

    /// Nothing has been heard for too long of a packet of a connection: a path may have failed.
    fn suspect(&mut self, connection: u32);

    /// These segments of a connection are taken for lost, each of them as it was last sent; not those that are known to have
    /// come without their payload.
    fn lost(&mut self, connection: u32, segments: &[u32]);

    /// Sends probes of so many bytes over the paths of a connection that are to be probed now.
    fn probe(&mut self, connection: u32, size: u16);

    /// What ports have noted on the data that an answer is to, where the transport reads telemetry: it replaces `hops`.  To be
    /// asked once for each answer.
    fn read_telemetry(&mut self, answer: &Packet, hops: &mut Vec<Hop>);

    /// What the flow of a connection is sent over.
    fn session(&self, connection: u32) -> Session;

    /// The flow of a connection is complete.
    fn complete(&mut self, connection: u32);

    /// Notes the window of a connection, in segments, where that is traced.
    fn trace_window(&mut self, connection: u32, window: f64);
}

/// What a transport wants of hosts and switches for each of its flows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// Connections of a flow.
    pub(super) subflows: u32,
    /// Bytes of data that a connection puts into the ports of its host before it waits; none where it never does.
    pub(super) room: Option<u64>,
    /// Whether its packets are stamped as their first bit leaves.
    pub(super) stamped: bool,
    /// Whether switches note on its data what they know.
    pub(super) telemetry: bool,
}

/// The same of all flows of a run, which may have different transports.
#[derive(Debug)]
pub(super) struct FlowNeeds {
    /// Of each transport.
    pub(super) each: Vec<Needs>,
    /// Which transport a flow has; empty where all have the first.
    pub(super) of_flow: Vec<u32>,
}

impl FlowNeeds {
    /// Of a flow, by the source's number.
    pub(super) fn of(&self, flow: u32) -> Needs {
        self.each[self.of_flow.get(flow as usize).map_or(0, |transport| *transport as usize)]
    }
}

/// What the rest of a run must know of a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Connections of a flow.
    pub subflows: u32,
    /// Timers of a connection.
    pub timers: u32,
    /// Bytes of the largest packet on the wire.
    pub largest: u16,
    /// Payload of a full packet.
    pub payload: u16,
    /// Whether receivers ask for packets, port by port.
    pub pulls: bool,
    /// Where the host's card takes packets from connections as its ports send them: bytes of one that wait in each port of
    /// the host at most, the packet being sent included.  Packets are then stamped as their first bit leaves.
    pub nic: Option<u64>,
    /// Whether switches note on data what they know of the ports that it leaves by.
    pub telemetry: bool,
}

impl Shape {
    /// One connection with one timer, and packets of so much payload and header.
    pub(super) fn of(payload: u16, header: u16) -> Result<Self, Error> {
        if payload == 0 {
            return refused("payload", "no size of a packet", payload, "at least 1 byte");
        }
        match payload.checked_add(header) {
            Some(largest) => {
                Ok(Shape { subflows: 1, timers: 1, largest, payload, pulls: false, nic: None, telemetry: false })
            }
            None => invalid("payload", "with the header more than 65535 bytes"),
        }
    }
}
