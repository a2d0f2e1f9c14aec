//! The receiving end: what has arrived, and when it is acknowledged.

use super::super::super::time::Time;
use super::super::super::values::{Parameter, Values};
use super::super::arrived::{Arrived, Comes};
use super::sack;
use crate::error::Error;

/// When data is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acks {
    /// In-order packets to one acknowledgement; 1 acknowledges each.
    pub every: u32,
    /// How long an acknowledgement is put off.
    pub delay: Time,
}

impl Parameter for Acks {
    fn read(values: &mut Values, _: &'static str) -> Result<Self, Error> {
        Ok(Acks { every: values.read("ack_every")?, delay: values.read("ack_delay")? })
    }
}

/// What a data packet leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// It had not been received before.
    pub(super) new: bool,
    /// One before it is missing.
    pub(super) early: bool,
    pub(super) reply: Reply,
}

/// Whether an acknowledgement is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Now,
    /// Unless more data comes first.
    Later,
}

/// The receiver of a connection.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    pub(super) arrived: Arrived,
    /// In-order packets not acknowledged yet.
    pub(super) waiting: u32,
    /// When the first of them was sent.
    pub(super) stamp: Time,
    /// Whether the last packet was marked.
    pub(super) marked: bool,
    /// Early packets not acknowledged yet.
    pub(super) held_back: u32,
    /// Segments of the two ranges beyond the first missing one that something came to last, the latest first.
    recent: [u32; 2],
}

impl Receiver {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.arrived.reset();
        *self = Receiver { arrived: std::mem::take(&mut self.arrived), ..Receiver::default() };
    }

    /// Takes a segment.
    #[inline]
    pub(super) fn take(&mut self, seq: u32, acks: &Acks) -> Arrival {
        let comes = self.arrived.take(seq);
        self.waiting += u32::from(matches!(comes, Comes::Next | Comes::Filling));
        // What is early, fills a gap or comes again is acknowledged at once (RFC 5681, section 4.2).
        let later = comes == Comes::Next && self.waiting < acks.every;
        if seq > self.arrived.expected {
            self.note(seq);
        }
        let reply = if later { Reply::Later } else { Reply::Now };
        Arrival { new: comes.is_new(), early: comes == Comes::Early, reply }
    }

    /// Remembers where something came last beyond the first missing segment.
    fn note(&mut self, seq: u32) {
        if self.arrived.range_of(self.recent[0]) != self.arrived.range_of(seq) {
            self.recent[1] = self.recent[0];
        }
        self.recent[0] = seq;
    }

    /// The blocks that an acknowledgement reports, the one with the segment that came last first (RFC 2018, section 4).
    pub(super) fn blocks(&self) -> [u32; 2] {
        let range = |seq: u32| self.arrived.range_of(seq);
        let packed = |range: Option<(u32, u32)>| range.map_or(0, |range| sack::pack(range, self.arrived.expected));
        let [first, second] = self.recent.map(range);
        [packed(first), packed(second.filter(|_| second != first))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range that something came to last goes first, what has been joined is reported once, and what has come in order
    /// not at all.
    #[test]
    fn blocks_are_the_most_recent() {
        let (mut receiver, acks) = (Receiver::default(), Acks { every: 1, delay: 0 });
        let mut blocks = |seq: u32| {
            receiver.take(seq, &acks);
            receiver.blocks().map(|block| sack::unpack(block, receiver.arrived.expected))
        };
        assert_eq!(blocks(0), [None, None]);
        assert_eq!(blocks(2), [Some((2, 3)), None]);
        assert_eq!(blocks(3), [Some((2, 4)), None]);
        assert_eq!(blocks(6), [Some((6, 7)), Some((2, 4))]);
        assert_eq!(blocks(9), [Some((9, 10)), Some((6, 7))]);
        assert_eq!(blocks(2), [Some((2, 4)), Some((9, 10))]);
        assert_eq!(blocks(1), [None, Some((9, 10))]);
        assert_eq!(blocks(8), [Some((8, 10)), None]);
    }
}
