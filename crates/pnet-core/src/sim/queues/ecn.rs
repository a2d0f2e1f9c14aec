//! Drop-tail that marks data where the queue is long: from a threshold on (DCTCP, SIGCOMM 2010, section 3.1), or between
//! two thresholds ever more often (RED on the queue as it is, not on its average).

use super::super::fabric::Fabric;
use super::super::packet::{Kind, Packet};
use super::super::port::Backlog;
use super::super::values::parameters;
use super::{Discipline, Fifo, Limit, Queue, Verdict};
use crate::error::{Error, invalid, refused};
use crate::random::SplitMix;

/// Parameters.
#[derive(Debug, Clone)]
pub struct Ecn {
    /// How much a queue takes.
    pub limit: Limit,
    /// Packets in the queue, the one being sent included, from which some data that comes is marked.
    pub low: u32,
    /// From which all of it is.  The chance grows in a straight line between the two.
    pub high: u32,
    /// The chance that it has just below `high`.
    pub chance: f64,
}

impl Ecn {
    /// All data is marked that finds `threshold` packets or more.
    pub fn threshold(limit: Limit, threshold: u32) -> Self {
        Ecn { limit, low: threshold, high: threshold, chance: 1.0 }
    }
}

parameters!(Ecn: limit, low, high, chance);

impl Queue for Ecn {
    fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether a packet that is let in can find so many that it is marked.
    fn marks(&self) -> bool {
        let least = if self.chance > 0.0 && self.low < self.high { self.low.saturating_add(1) } else { self.high };
        match self.limit {
            Limit::Packets(most) => least < most,
            Limit::Bytes(_) => true,
        }
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Discipline, Error> {
        if self.low > self.high {
            return invalid("queue", format!("marks from {} packets on, but always from {}", self.low, self.high));
        }
        if !(0.0..=1.0).contains(&self.chance) {
            return refused("queue", "not a probability", self.chance, "0 to 1");
        }
        let random = if self.low < self.high { fabric.ports() } else { 0 };
        let random = (0..random as u64).map(|port| SplitMix::of([seed, 0x0065_636e, port])).collect();
        Ok(Discipline::Fifo(Box::new(Marking { params: self.clone(), random })))
    }
}

/// The queues of all ports.
pub(super) struct Marking {
    params: Ecn,
    /// Of each port, if chance has a say.
    random: Vec<SplitMix>,
}

impl Fifo for Marking {
    #[inline]
    fn admit(&mut self, port: u32, backlog: Backlog, packet: &Packet) -> Verdict {
        let Ecn { limit, low, high, chance } = self.params;
        if !limit.fits(backlog, packet) {
            return Verdict::Drop;
        }
        if packet.kind != Kind::Data || backlog.packets < low {
            return Verdict::Admit;
        }
        if backlog.packets >= high {
            return Verdict::Mark;
        }
        let chance = chance * f64::from(backlog.packets - low) / f64::from(high - low);
        let drawn = (self.random[port as usize].word() >> 11) as f64 / (1_u64 << 53) as f64;
        if drawn < chance { Verdict::Mark } else { Verdict::Admit }
    }

    fn decides_from(&self) -> u32 {
        self.params.low
    }
}
