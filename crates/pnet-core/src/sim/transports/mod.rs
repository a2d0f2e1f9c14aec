//! Transports, one file or folder each: how a flow is cut into packets, and when they are sent.
//!
//! One object holds the state of all flows, by connection.  It is told of a flow's start, of packets that reach either
//! host, and of timers; it sends through a [`Network`].  A flow has one connection for each subflow, and each connection the same
//! number of timers.
//!
//! A new transport is a file here and a line in the list of [`kinds`]; one that differs from TCP only in its window is a
//! file in `tcp/congestion`.

mod arrived;
mod cbr;
pub(super) mod ideal;
mod ndp;
pub mod tcp;

use std::fmt::Debug;

use super::fabric::{Fabric, PathLink};
use super::forwarding::Shares;
use super::packet::Packet;
use super::records::{FlowRecord, PacketCounts};
use super::source::Session;
use super::time::Time;
use super::values::kinds;
use crate::error::Error;

/// The network as a transport sees it.
pub trait Network {
    /// The time.
    fn now(&self) -> Time;

    /// Sends a packet of a connection, from the flow's source or, if it is an answer, from its destination.
    fn send(&mut self, packet: Packet);

    /// Lets a timer fire at `time`, and not at the time it had.
    fn arm(&mut self, timer: u32, time: Time);

    /// Lets a timer not fire.
    fn disarm(&mut self, timer: u32);

    /// Whether a timer is to fire.
    fn armed(&self, timer: u32) -> bool;

    /// Lets [`Transport::pull`] be asked at `time` for a port into a host, unless it will be asked before.
    fn await_pull(&mut self, port: u32, time: Time);

    /// The hosts, switches and links.
    fn fabric(&self) -> &Fabric;

    /// The record of the flow that a connection belongs to.
    fn record(&mut self, connection: u32) -> &mut FlowRecord<PacketCounts>;

    /// What the flow of a connection is sent over.
    fn session(&self, connection: u32) -> Session;

    /// The flow of a connection is complete.
    fn complete(&mut self, connection: u32);

    /// Notes the window of a connection, in segments, where that is traced.
    fn trace_window(&mut self, connection: u32, window: f64);
}

/// A transport at work.
pub trait Transport {
    /// A flow starts; `connection` is its first, `paths` are those open to it.  What others have left to it
    /// [`Network::session`] tells.
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut dyn Network);

    /// A packet has come to its host by a port.
    fn receive(&mut self, packet: Packet, port: u32, net: &mut dyn Network);

    /// The `which`-th timer of a connection has fired.
    fn timer(&mut self, connection: u32, which: u32, net: &mut dyn Network);

    /// The time has come that [`Network::await_pull`] named for a port into a host.
    fn pull(&mut self, port: u32, _net: &mut dyn Network) {
        unreachable!("nothing is asked for by port {port}")
    }

    /// The least time that a flow can take, alone in the network, over these paths; `opens` if it begins with a handshake.
    fn ideal(&self, bytes: u64, opens: bool, paths: &[Vec<PathLink>]) -> Time;
}

/// What the rest of a run must know of a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Connections of a flow.
    pub subflows: u32,
    /// Timers of a connection; timer `i` of connection `c` is `c * timers + i`.
    pub timers: u32,
    /// Bytes of the largest packet on the wire.
    pub largest: u16,
    /// Payload of a full packet.
    pub payload: u16,
    /// Whether receivers ask for packets, port by port.
    pub pulls: bool,
}

/// A transport and its parameters: what it can do, and how it is made.
pub trait TransportKind: Debug + Send + Sync {
    /// Its shape, once its parameters are checked.
    fn shape(&self) -> Result<Shape, Error>;

    /// Whether it knows what to do with packets that have lost their payload.
    fn takes_trimmed(&self) -> bool {
        false
    }

    /// Whether it reacts to marks of packets.
    fn reacts_to_marks(&self) -> bool {
        false
    }

    /// The transport, with no flow yet, for a forwarding that divides packets so.
    fn build(&self, shares: Shares) -> Box<dyn Transport>;
}

kinds!(TransportKind, "transport":
    "tcp" => tcp::Tcp,
    "ndp" => ndp::Ndp,
    "cbr" => cbr::Cbr,
);
