//! Queue disciplines, one file each: what a port does with packets that it cannot send at once.
//!
//! One object holds the queues of all ports.  There are two sorts.  A [`Fifo`] serves in order of arrival, so all that
//! it decides is who gets in, and the departure of a packet is known when it does.  A [`Scheduler`] holds the packets
//! and is asked for the next one whenever the port is free.  [`Held`] makes a scheduler of any fifo: the plain model
//! that the shortcut is tested against.
//!
//! A new discipline is a file here and a variant of [`Queue`].

mod drop_tail;
mod ecn;
mod held;
mod pfabric;
mod strict;

pub use drop_tail::DropTail;
pub use ecn::Ecn;
pub(super) use held::Held;
pub use pfabric::Pfabric;
pub use strict::Strict;

use super::packet::Packet;
use super::port::Backlog;
use crate::error::{Error, invalid};

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

/// Serves in order of arrival.
pub trait Fifo {
    /// Whether a packet gets in at a port with this backlog.
    fn admit(&mut self, port: u32, backlog: Backlog, packet: &Packet) -> Verdict;
}

/// Serves in an order of its own.
pub trait Scheduler {
    /// Takes a packet at a port with this backlog, and gives back in `dropped` what it does not keep; returns whether it
    /// has marked the packet.
    fn enqueue(&mut self, port: u32, backlog: Backlog, packet: Packet, dropped: &mut Vec<Packet>) -> bool;

    /// Gives the packet to be sent next.
    fn dequeue(&mut self, port: u32) -> Option<Packet>;

    /// How much a port holds, the packet being sent not included.
    fn backlog(&self, port: u32) -> Backlog;

    /// What a port holds, in any order.
    fn held(&self, port: u32) -> Box<dyn Iterator<Item = &Packet> + '_>;
}

/// A discipline at work.
pub(super) enum Discipline {
    Fifo(Box<dyn Fifo>),
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

    /// An error if a packet of `largest` bytes never fits.
    fn check(self, largest: u16) -> Result<(), Error> {
        match self {
            Limit::Packets(0) => invalid("queue", "0 packets; a queue takes at least one"),
            Limit::Bytes(most) if most < u64::from(largest) => {
                invalid("queue", format!("{most} bytes, but a packet has up to {largest}"))
            }
            _ => Ok(()),
        }
    }
}

/// A discipline and its parameters.
#[derive(Debug, Clone)]
pub enum Queue {
    /// Drops what does not fit.
    DropTail(DropTail),
    /// The same, and marks where the queue is long.
    Ecn(Ecn),
    /// Serves the flow with the least left.
    Pfabric(Pfabric),
    /// Serves one class before the next.
    Strict(Strict),
}

impl Queue {
    /// How much a queue takes.
    fn limit(&self) -> Limit {
        match self {
            Queue::DropTail(params) => params.limit,
            Queue::Ecn(params) => params.limit,
            Queue::Pfabric(params) => params.limit,
            Queue::Strict(params) => params.limit,
        }
    }

    /// The discipline for `ports` ports and packets of up to `largest` bytes.
    pub(super) fn build(&self, ports: usize, largest: u16, seed: u64) -> Result<Discipline, Error> {
        self.limit().check(largest)?;
        Ok(match self {
            Queue::DropTail(params) => Discipline::Fifo(Box::new(params.clone())),
            Queue::Ecn(params) => Discipline::Fifo(Box::new(params.build(ports, seed)?)),
            Queue::Pfabric(params) => Discipline::Scheduler(Box::new(params.build(ports))),
            Queue::Strict(params) => Discipline::Scheduler(Box::new(params.build(ports)?)),
        })
    }
}
