//! Queue disciplines, one file each: what a port does with packets that it cannot send at once.
//!
//! One object holds the queues of all ports.  There are two sorts.  A [`Fifo`] serves in order of arrival, so all that
//! it decides is who gets in, and the departure of a packet is known when it does.  A [`Scheduler`] holds the packets
//! and is asked for the next one whenever the port is free.  [`Held`] makes a scheduler of any fifo: the plain model
//! that the shortcut is tested against.
//!
//! A new discipline is a file here and a line in the list of [`kinds`].

mod drop_tail;
mod ecn;
mod held;
mod pfabric;
mod shared;
mod strict;
mod trim;
mod unbounded;

pub(super) use held::Held;
pub(super) use shared::FRAME;

use std::fmt::Debug;

use super::fabric::Fabric;
use super::packet::Packet;
use super::port::Backlog;
use super::values::{Parameter, Values, kinds};
use crate::error::{Error, invalid, refused};

/// What becomes of a packet at a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It gets in.
    Admit,
    /// It gets in and is marked.
    Mark,
    /// It does not get in.
    Drop,
}

/// What a scheduler does beside keeping packets and dropping them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Nothing.
    Nothing,
    /// The packet that came is marked.
    Marked,
    /// A packet has lost its payload and goes on.
    Trimmed,
}

/// Serves in order of arrival.
pub trait Fifo {
    /// Whether a packet gets in at a port with this backlog.
    fn admit(&mut self, port: u32, backlog: Backlog, packet: &Packet) -> Verdict;

    /// Up to how much in a queue, with the packet that comes, it need not decide: it admits whatever leaves the queue no
    /// longer, in packets and in bytes, than it has been.
    fn admits_up_to(&self) -> Backlog {
        Backlog::default()
    }

    /// How much may be in a queue as a packet of data has been sent, itself included, without a mark on that packet; none
    /// where packets are only marked as they come.
    fn unmarked(&self) -> Option<Limit> {
        None
    }
}

/// Serves in an order of its own.
pub trait Scheduler {
    /// Takes a packet at a port with this backlog, and gives back in `dropped` what it does not keep; returns what else
    /// it has done.
    fn enqueue(&mut self, port: u32, backlog: Backlog, packet: Packet, dropped: &mut Vec<Packet>) -> Touch;

    /// Lets a packet pass that comes to a port which sends nothing and holds nothing, as if it was taken and given at once, and
    /// returns whether it does; if not, it is to be taken.
    fn pass(&mut self, _port: u32, _packet: &Packet) -> bool {
        false
    }

    /// Gives the packet to be sent next; the one before has been sent.
    fn dequeue(&mut self, port: u32) -> Option<Packet>;

    /// How much a port holds, the packet being sent not included.
    fn backlog(&self, port: u32) -> Backlog;

    /// See [`Fifo::unmarked`].
    fn unmarked(&self) -> Option<Limit> {
        None
    }

    /// The link by which the next packet has come that is put into a queue, which the port at its other end numbers.
    fn comes_by(&mut self, _link: u32) {}

    /// Whether what one port sends makes room at others.
    fn shares_room(&self) -> bool {
        false
    }

    /// Whether a port can be paused.
    fn can_pause(&self) -> bool {
        false
    }

    /// A port is to send no data, or may again.
    fn pause(&mut self, port: u32, _paused: bool) {
        unreachable!("port {port} is paused, and its queue cannot be")
    }

    /// The next port that is to be paused, or to go on, by what has just been put into a queue or sent.
    fn signal(&mut self) -> Option<(u32, bool)> {
        None
    }

    /// What a port holds, in any order.
    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_>;
}

/// Bytes where they are given, else packets.
impl Parameter for Limit {
    fn read(values: &mut Values, _: &'static str) -> Result<Self, Error> {
        let (packets, bytes) = (values.read::<Option<u32>>("packets")?, values.read::<Option<u64>>("bytes")?);
        match (packets, bytes) {
            (_, Some(bytes)) => Ok(Limit::Bytes(bytes)),
            (Some(packets), None) => Ok(Limit::Packets(packets)),
            (None, None) => invalid("queue", "neither packets nor bytes"),
        }
    }
}

/// A discipline at work.
pub enum Discipline {
    /// It serves in order of arrival.
    Fifo(Box<dyn Fifo>),
    /// It serves in an order of its own.
    Scheduler(Box<dyn Scheduler>),
}

/// How much a queue takes, the packet being sent included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// So many packets of any size.
    Packets(u32),
    /// So many bytes.
    Bytes(u64),
}

impl Limit {
    /// Whether another packet fits.
    #[inline]
    pub fn fits(self, backlog: Backlog, packet: &Packet) -> bool {
        match self {
            Limit::Packets(most) => backlog.packets < most,
            Limit::Bytes(most) => backlog.bytes + u64::from(packet.size) <= most,
        }
    }

    /// How much of it that is.
    #[inline]
    pub(super) fn of(self, backlog: Backlog) -> u64 {
        match self {
            Limit::Packets(_) => u64::from(backlog.packets),
            Limit::Bytes(_) => backlog.bytes,
        }
    }

    /// Whether that is more than it.
    #[inline]
    pub(super) fn exceeded(self, found: u64) -> bool {
        match self {
            Limit::Packets(most) => found > u64::from(most),
            Limit::Bytes(most) => found > most,
        }
    }

    /// The longest queue that does not exceed it, whatever packets are in it.
    pub(super) fn covered(self) -> Backlog {
        match self {
            Limit::Packets(packets) => Backlog { packets, bytes: u64::MAX },
            Limit::Bytes(bytes) => Backlog { packets: u32::MAX, bytes },
        }
    }

    /// An error if a packet of `largest` bytes never fits.
    pub(super) fn check(self, largest: u16) -> Result<(), Error> {
        match self {
            Limit::Packets(0) => refused("queue", "no room for a packet", 0, "at least 1 packet"),
            Limit::Bytes(most) if most < u64::from(largest) => {
                refused("queue", "no room for a packet", most, format!("at least {largest} bytes"))
            }
            _ => Ok(()),
        }
    }
}

/// A discipline and its parameters: what it can do, and how it is made.
pub trait Queue: Debug + Send + Sync {
    /// How much a queue takes.
    fn limit(&self) -> Limit;

    /// Whether packets lose their payload, which not every transport understands.
    fn trims(&self) -> bool {
        false
    }

    /// Whether it can mark a packet at all: not where the queue is full before it is long enough.
    fn marks(&self) -> bool {
        false
    }

    /// Whether it pauses the ports that feed a switch.
    fn pauses(&self) -> bool {
        false
    }

    /// How many bytes of its data a connection puts into its host's ports before it waits; none where it never waits.
    fn small_queue(&self) -> Option<u64> {
        None
    }

    /// The queues of all ports of `fabric`.
    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Discipline, Error>;
}

kinds!(Queue, "queue":
    "drop-tail" => drop_tail::DropTail,
    "ecn" => ecn::Ecn,
    "pfabric" => pfabric::Pfabric,
    "shared" => shared::Shared,
    "strict" => strict::Strict,
    "trim" => trim::Trim,
    "unbounded" => unbounded::Unbounded,
);
