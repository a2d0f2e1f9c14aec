//! Transports, one file or folder each: how a flow is cut into packets, and when they are sent.
//!
//! One object holds the state of all flows, by connection.  It is told of a flow's start, of packets that reach either
//! host, and of timers; it sends through a [`Network`].  A flow has one connection for each subflow, and each connection the same
//! number of timers.
//!
//! A new transport is a file here and a line in the list of [`kinds`]; one that differs from TCP only in its window is a
//! file in `tcp/congestion`, one that differs from others of network cards only in window and pace a file in
//! `paced/control`.

mod arrived;
mod cbr;
mod flight;
pub(super) mod ideal;
mod mixed;
mod ndp;
pub mod paced;
pub mod tcp;

use std::fmt::Debug;

pub use mixed::Mixed;

use super::fabric::PathLink;
use super::forwarding::Shares;
use super::net::Net;
use super::network::{Network, Shape};
use super::packet::Packet;
use super::source::Flow;
use super::time::Time;
use super::values::kinds;
use crate::error::Error;

/// A transport at work.
pub trait Transport<N: Network> {
    /// A flow starts; `connection` is its first, `paths` are those open to it.  What others have left to it
    /// [`Network::session`] tells.
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut N);

    /// A packet has come to its host by a port.
    fn receive(&mut self, packet: Packet, port: u32, net: &mut N);

    /// The `which`-th timer of a connection has fired.
    fn timer(&mut self, connection: u32, which: u32, net: &mut N);

    /// The time has come that [`Network::await_pull`] named for a port into a host.
    fn pull(&mut self, port: u32, _net: &mut N) {
        unreachable!("nothing is asked for by port {port}")
    }

    /// Segments that the flow of a connection has left and that nothing is known of in the network; of a transport that
    /// [`TransportKind::skips`].
    fn unsent(&self, _connection: u32) -> u32 {
        0
    }

    /// The flow of a connection has so many segments less than that.
    fn skip(&mut self, _connection: u32, _segments: u32) {}

    /// The least time that a flow can take, alone in the network, over these paths.
    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time;
}

/// A transport and its parameters: what it can do, and how it is made.
pub trait TransportKind: Debug + Send + Sync {
    /// Its shape, once its parameters are checked.
    fn shape(&self) -> Result<Shape, Error>;

    /// The transports that it is made of; none where it is one.
    fn mixed(&self) -> Option<&Mixed> {
        None
    }

    /// Whether it knows what to do with packets that have lost their payload.
    fn takes_trimmed(&self) -> bool {
        false
    }

    /// Whether it reacts to marks of packets.
    fn reacts_to_marks(&self) -> bool {
        false
    }

    /// Whether its connections look for room in the ports of their hosts.
    fn waits_for_room(&self) -> bool {
        false
    }

    /// Whether flows can be shortened while they are under way.
    fn skips(&self) -> bool {
        false
    }

    /// Where the host's card takes packets from connections as its ports send them: those of one that wait in each port at
    /// most, the one being sent included.
    fn nic_packets(&self) -> Option<u32> {
        None
    }

    /// The transport, with no flow yet, for a forwarding that divides packets so.
    fn build(&self, shares: Shares) -> Box<dyn Transport<Net>>;
}

kinds!(TransportKind, "transport":
    "tcp" => tcp::Tcp,
    "ndp" => ndp::Ndp,
    "cbr" => cbr::Cbr,
    "paced" => paced::Paced,
);
