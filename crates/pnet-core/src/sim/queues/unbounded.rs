//! Unbounded: whatever comes waits, first come, first served.
//!
//! So does what a host's operating system holds for its port, where a connection sees to it that little of its own stands
//! there.

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Fifo, Limit, Queue, Verdict};
use crate::error::Error;

/// Its parameters, and all of its state.
#[derive(Debug, Clone, Copy)]
pub struct Unbounded {
    /// A connection puts so many bytes of its data into its host's ports, and waits until half of that is left there; none
    /// where it never waits.
    pub small_queue: Option<u64>,
}

parameters!(Unbounded: small_queue);

impl Queue for Unbounded {
    fn limit(&self) -> Limit {
        Limit::Packets(u32::MAX)
    }

    fn small_queue(&self) -> Option<u64> {
        self.small_queue
    }

    fn build(&self, _: &Fabric, _: u64) -> Result<Discipline, Error> {
        Ok(Discipline::Fifo(Box::new(*self)))
    }
}

impl Fifo for Unbounded {
    fn admit(&mut self, _: u32, _: Backlog, _: &Packet) -> Verdict {
        Verdict::Admit
    }

    fn admits_up_to(&self) -> Backlog {
        Backlog::ALL
    }
}
