//! Drop-tail that marks data where the queue is long: from a threshold on (DCTCP, SIGCOMM 2010, section 3.1), or between
//! two thresholds ever more often (RED on the queue as it is, not on its average).  The queue is looked at as data comes, or as
//! it leaves, whose mark then has not waited in the queue that it tells of.

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
    /// Bytes in the queue, the packet's own included, above which it is marked, in place of all these.
    pub threshold_bytes: Option<u64>,
    /// Whether the queue counts that a packet leaves, at its last bit and with it, not that which it comes to.
    pub leaving: bool,
}

impl Ecn {
    /// All data is marked that finds `threshold` packets or more.
    pub fn threshold(limit: Limit, threshold: u32) -> Self {
        Ecn { limit, low: threshold, high: threshold, chance: 1.0, threshold_bytes: None, leaving: false }
    }

    /// The most that leaves a packet without a mark, itself included, wherever the queue is looked at; chance aside.
    fn most(&self) -> Limit {
        self.threshold_bytes.map_or(Limit::Packets(self.low), Limit::Bytes)
    }
}

parameters!(Ecn: limit, low, high, chance, threshold_bytes, leaving);

impl Queue for Ecn {
    fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether a packet that is let in can find so many that it is marked.
    fn marks(&self) -> bool {
        let least = if self.chance > 0.0 && self.low < self.high { self.low.saturating_add(1) } else { self.high };
        match (self.limit, self.threshold_bytes) {
            (Limit::Packets(most), None) => least < most,
            (Limit::Bytes(most), Some(bytes)) => bytes < most,
            _ => true,
        }
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Discipline, Error> {
        if self.low > self.high {
            return invalid("queue", format!("marks from {} packets on, but always from {}", self.low, self.high));
        }
        if self.low < self.high && (self.leaving || self.threshold_bytes.is_some()) {
            return invalid("queue", "chance marks what comes to so many packets, not what leaves, and not by bytes");
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
        let Ecn { limit, low, high, chance, leaving, .. } = self.params;
        if !limit.fits(backlog, packet) {
            return Verdict::Drop;
        }
        let most = self.params.most();
        if leaving || packet.kind != Kind::Data || !most.exceeded(most.of(backlog + packet.into())) {
            return Verdict::Admit;
        }
        if self.params.threshold_bytes.is_some() {
            return Verdict::Mark;
        }
        if backlog.packets >= high {
            return Verdict::Mark;
        }
        let chance = chance * f64::from(backlog.packets - low) / f64::from(high - low);
        let drawn = (self.random[port as usize].word() >> 11) as f64 / (1_u64 << 53) as f64;
        if drawn < chance { Verdict::Mark } else { Verdict::Admit }
    }

    fn admits_up_to(&self) -> Backlog {
        self.params.most().covered()
    }

    fn unmarked(&self) -> Option<Limit> {
        self.params.leaving.then(|| self.params.most())
    }
}
