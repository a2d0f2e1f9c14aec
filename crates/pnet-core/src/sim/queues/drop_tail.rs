//! Drop-tail: what does not fit is lost.

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Fifo, Limit, Queue, Verdict};
use crate::error::Error;

/// Its parameters, and all of its state.
#[derive(Debug, Clone)]
pub struct DropTail {
    /// How much a queue takes.
    pub limit: Limit,
}

parameters!(DropTail: limit);

impl Queue for DropTail {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn build(&self, _: &Fabric, _: u64) -> Result<Discipline, Error> {
        Ok(Discipline::Fifo(Box::new(self.clone())))
    }
}

impl Fifo for DropTail {
    #[inline]
    fn admit(&mut self, _: u32, backlog: Backlog, packet: &Packet) -> Verdict {
        if self.limit.fits(backlog, packet) { Verdict::Admit } else { Verdict::Drop }
    }

    fn admits_up_to(&self) -> Backlog {
        Backlog::ALL
    }
}
