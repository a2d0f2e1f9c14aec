//! Drop-tail: what does not fit is lost.

use super::super::packet::Packet;
use super::super::port::Backlog;
use super::{Fifo, Limit, Verdict};

/// Its parameters, and all of its state.
#[derive(Debug, Clone)]
pub struct DropTail {
    /// How much a queue takes.
    pub limit: Limit,
}

impl Fifo for DropTail {
    #[inline]
    fn admit(&mut self, _: u32, backlog: Backlog, packet: &Packet) -> Verdict {
        if self.limit.fits(backlog, packet) { Verdict::Admit } else { Verdict::Drop }
    }

    fn asked_from(&self) -> u32 {
        u32::MAX
    }
}
