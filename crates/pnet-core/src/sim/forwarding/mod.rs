//! Forwardings, one file each: how paths are chosen.
//!
//! One object decides for all flows and switches.  When a packet leaves its host it is given either a route, which it
//! follows without asking again, or [`PER_HOP`] and its destination, and then every switch asks for the next port.
//! Plane and first port are decided at the host; no switch has ports into another plane.
//!
//! A new forwarding is a file here and a line in the list of [`kinds`].

mod ecmp;
mod entropies;
mod given;
mod hedera;
mod per_flow;
mod per_hop;
mod recycled;
mod spray;
mod tables;

pub use spray::{Numbering, Order, Over, Recycling};

use std::fmt::{self, Debug};
use std::ops::Range;

use super::fabric::Fabric;
use super::packet::Packet;
use super::routes::Routes;
use super::time::{NEVER, Time};
use super::values::kinds;
use crate::error::Error;

/// Set in [`Packet::route`] where the rest of it is the destination host.
pub const PER_HOP: u32 = 1 << 31;

/// Paths of a pair that are listed at most.
pub(super) const MOST: usize = 1 << 12;

/// The flow that begins, as far as paths depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Number of the flow in the run.
    pub flow: u32,
    /// What is drawn for the flow, and hashes of it, depend on: the same for all flows of a connection.
    pub key: u32,
    /// Its first connection; those of its subflows follow.
    pub connection: u32,
    /// Number of subflows.
    pub subflows: u32,
    /// Host that it comes from.
    pub src: u32,
    /// Host that it goes to.
    pub dst: u32,
}

impl Pair {
    /// The flow's connections.
    pub(super) fn connections(&self) -> Range<u32> {
        self.connection..self.connection + self.subflows
    }
}

/// The queues of all ports.
pub trait Queues {
    /// How long a port takes from `now` on to send all that waits in it.
    fn wait(&self, port: u32, now: Time) -> Time;
}

impl Debug for dyn Queues + '_ {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Queues")
    }
}

/// No packet waits anywhere.
#[derive(Debug)]
pub struct Empty;

impl Queues for Empty {
    fn wait(&self, _: u32, _: Time) -> Time {
        0
    }
}

/// What a choice may look at.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The network.
    pub fabric: &'a Fabric,
    /// Routes in use.
    pub routes: &'a Routes,
    /// Its queues.
    pub queues: &'a dyn Queues,
    /// The time.
    pub now: Time,
}

/// What a connection has sent so far.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// Its flow.
    pub pair: Pair,
    /// Which of the flow's connections it is.
    pub subflow: u32,
    /// Bytes of data on the wire.
    pub bytes: u64,
}

/// Chooses paths.
pub trait Forwarder {
    /// Prepares for a flow's packets.
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error>;

    /// Something has failed or come back: paths of these flows under way are chosen again, and those of flows to come on
    /// the network as it is now.  A flow that is left without a path keeps those it has.  Routes are not removed, as packets
    /// follow them still.
    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes);

    /// The flow is over, and none of its packets is on its way.
    fn close(&mut self, pair: Pair, routes: &mut Routes);

    /// The port by which a packet leaves its host, and its route from there.  What learns from answers notes the path in the
    /// second note of data, which the answer bears too.
    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32);

    /// The same at a switch, asked where the route is [`PER_HOP`]; none where no next hop is known.
    fn next(&mut self, packet: &Packet, switch: u32, _ground: &Ground) -> Option<(u32, u32)> {
        unreachable!("{packet:?} has no route at node {switch}")
    }

    /// An answer has come to the source of its flow; asked where [`Forwarding::learns`].
    fn learn(&mut self, _answer: &Packet) {}

    /// Nothing has been heard of a packet for too long; asked where [`Forwarding::learns`].
    fn suspect(&mut self, _connection: u32, _now: Time) {}

    /// These segments are taken for lost, each as it was last sent; asked where [`Forwarding::learns`].
    fn lost(&mut self, _connection: u32, _segments: &[u32], _now: Time) {}

    /// What the second note of a packet is to be that probes a path now, if one is to; asked where [`Forwarding::learns`].
    fn probe(&mut self, _connection: u32, _now: Time) -> Option<u32> {
        None
    }

    /// When it wants to know next what has been sent; [`NEVER`] where it does not.
    fn next_poll(&self) -> Time {
        NEVER
    }

    /// It is that time: this is what the flows under way have sent.
    fn poll(&mut self, _sent: &[Sent], _fabric: &Fabric, _routes: &mut Routes) {}

    /// Ports of the paths open to a flow's connections, from source to destination.
    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>>;

    /// The same of all paths that it may still lead them along while nothing fails or comes back.
    fn possible(&mut self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        self.paths(pair, ground)
    }
}

/// How a flow's packets are divided between the paths open to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shares {
    /// Evenly between the paths, or there is one.
    Paths,
    /// Evenly between the ports of the host.
    Ports,
    /// All of those that follow closely take the same.
    Turns,
}

/// A forwarding and its parameters: what it can do, and how it is made.
pub trait Forwarding: Debug + Send + Sync {
    /// Whether what a flow sends is spread over several paths, not sent over one.
    fn spreads(&self) -> bool {
        false
    }

    /// Whether switches have tables toward each other; otherwise paths are given.
    fn makes_tables(&self) -> bool {
        true
    }

    /// Whether the source lists all shortest paths of a flow.
    fn lists_paths(&self) -> bool {
        false
    }

    /// Whether it chooses paths by what answers say of them, which not every transport tells.
    fn learns(&self) -> bool {
        false
    }

    /// Whether it compares what waits in ports.
    fn compares_queues(&self) -> bool {
        false
    }

    /// How many paths it offers a flow that may use all, one for each connection; 1 where it offers one or spreads.
    fn most_paths(&self) -> u32 {
        1
    }

    /// How it divides packets.
    fn shares(&self) -> Shares {
        Shares::Paths
    }

    /// Why a fluid cannot follow it, where that is so.
    fn no_fluid(&self) -> Option<&'static str> {
        None
    }

    /// What a fluid of one unit that is spread over these paths puts on each port, in any order: as much on every path.
    fn loads(&self, paths: &[Vec<u32>]) -> Vec<(u32, f64)> {
        let part = 1.0 / paths.len() as f64;
        paths.iter().flatten().map(|port| (*port, part)).collect()
    }

    /// The forwarder for a run with this seed.
    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error>;
}

kinds!(Forwarding, "forwarding":
    "given" => given::Given,
    "ecmp" => ecmp::Ecmp,
    "hedera" => hedera::Hedera,
    "per-hop" => per_hop::PerHop,
    "spray" => spray::Spray,
);
