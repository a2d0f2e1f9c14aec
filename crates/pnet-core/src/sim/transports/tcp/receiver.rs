//! The receiving end: what has arrived, and when it is acknowledged.

use super::super::super::time::Time;

/// When data is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acks {
    /// In-order packets to one acknowledgement; 1 acknowledges each.
    pub every: u32,
    /// How long an acknowledgement is put off.
    pub delay: Time,
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
    /// First segment not received.
    pub(super) expected: u32,
    /// In-order packets not acknowledged yet.
    pub(super) waiting: u32,
    /// When the first of them was sent.
    pub(super) stamp: Time,
    /// Whether the last packet was marked.
    pub(super) marked: bool,
    /// Segments received beyond `expected`: disjoint ranges with gaps between them, in order.
    beyond: Vec<(u32, u32)>,
    /// Early packets not acknowledged yet.
    pub(super) held_back: u32,
    /// The range that the last early packet is in.
    pub(super) latest: [u32; 2],
}

impl Receiver {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.beyond.clear();
        *self = Receiver { beyond: std::mem::take(&mut self.beyond), ..Receiver::default() };
    }

    /// Whether no segment is missing before one that has come.
    pub(super) fn complete(&self) -> bool {
        self.beyond.is_empty()
    }

    /// Takes a segment.
    #[inline]
    pub(super) fn take(&mut self, seq: u32, acks: &Acks) -> Arrival {
        if seq != self.expected {
            return self.take_unexpected(seq);
        }
        self.expected += 1;
        self.waiting += 1;
        // A packet that fills a gap is acknowledged at once (RFC 5681, section 4.2).
        let filling = !self.beyond.is_empty();
        if filling && self.beyond[0].0 == self.expected {
            self.expected = self.beyond.remove(0).1;
        }
        let reply = if filling || self.waiting >= acks.every { Reply::Now } else { Reply::Later };
        Arrival { new: true, early: false, reply }
    }

    /// One that is early, or was received before; it is acknowledged at once.
    fn take_unexpected(&mut self, seq: u32) -> Arrival {
        let early = seq > self.expected;
        let i = self.beyond.partition_point(|(_, end)| *end < seq);
        let known = !early || self.beyond.get(i).is_some_and(|(start, end)| *start <= seq && seq < *end);
        if !known {
            match self.beyond.get_mut(i) {
                Some(range) if range.1 == seq => range.1 += 1,
                Some(range) if range.0 == seq + 1 => range.0 = seq,
                _ => self.beyond.insert(i, (seq, seq + 1)),
            }
            if i + 1 < self.beyond.len() && self.beyond[i].1 == self.beyond[i + 1].0 {
                self.beyond[i].1 = self.beyond.remove(i + 1).1;
            }
        }
        if early {
            self.latest = [self.beyond[i].0, self.beyond[i].1];
        }
        Arrival { new: !known, early: early && !known, reply: Reply::Now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set of numbers.
        #[test]
        fn ranges_are_a_set(arrivals in prop::collection::vec(0..30_u32, 0..80)) {
            let (mut receiver, mut set) = (Receiver::default(), BTreeSet::new());
            let acks = Acks { every: 1, delay: 0 };
            for seq in arrivals {
                let expected = (0..).find(|n| !set.contains(n)).unwrap();
                let found = receiver.take(seq, &acks);
                prop_assert_eq!(found.new, set.insert(seq));
                prop_assert_eq!(found.early, found.new && seq > expected);
                prop_assert_eq!(receiver.expected, (0..).find(|n| !set.contains(n)).unwrap());
                if found.early {
                    let low = (0..=seq).rev().find(|n| !set.contains(n)).unwrap() + 1;
                    let high = (seq..).find(|n| !set.contains(n)).unwrap();
                    prop_assert_eq!(receiver.latest, [low, high]);
                }
            }
        }
    }
}
