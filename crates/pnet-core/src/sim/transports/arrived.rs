//! Which segments of a connection have come.

/// Numbers from 0 on: all below the first that is missing, and ranges beyond it.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    /// First segment that has not come.
    pub(super) expected: u32,
    /// Segments beyond it: disjoint ranges with gaps between them, in order.
    beyond: Vec<(u32, u32)>,
}

/// How a segment comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comes {
    /// As the one expected, and none has come before its turn.
    Next,
    /// As the one expected, where others have come before their turn.
    Filling,
    /// Before its turn.
    Early,
    /// Again.
    Again,
}

impl Comes {
    /// Whether it comes for the first time.
    #[inline]
    pub(super) fn is_new(self) -> bool {
        self != Comes::Again
    }
}

impl Arrived {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.expected = 0;
        self.beyond.clear();
    }

    /// Whether no segment is missing before one that has come.
    #[inline]
    pub(super) fn complete(&self) -> bool {
        self.beyond.is_empty()
    }

    /// Takes a segment.
    #[inline]
    pub(super) fn take(&mut self, seq: u32) -> Comes {
        if seq != self.expected {
            return self.take_unexpected(seq);
        }
        self.expected += 1;
        if self.beyond.is_empty() {
            return Comes::Next;
        }
        if self.beyond[0].0 == self.expected {
            self.expected = self.beyond.remove(0).1;
        }
        Comes::Filling
    }

    fn take_unexpected(&mut self, seq: u32) -> Comes {
        if seq < self.expected || self.range_of(seq).is_some() {
            return Comes::Again;
        }
        self.add(seq, seq + 1);
        Comes::Early
    }

    /// The range beyond the first missing segment that holds this one.
    pub(super) fn range_of(&self, seq: u32) -> Option<(u32, u32)> {
        let i = self.beyond.partition_point(|(_, end)| *end <= seq);
        self.beyond.get(i).copied().filter(|(start, _)| *start <= seq)
    }

    /// Adds the segments from `start` to before `end`, which lie beyond the first missing one; returns whether that is news.
    pub(super) fn add(&mut self, start: u32, end: u32) -> bool {
        if self.range_of(start).is_some_and(|range| end <= range.1) {
            return false;
        }
        let first = self.beyond.partition_point(|(_, other)| *other < start);
        let last = self.beyond.partition_point(|(other, _)| *other <= end);
        let joined = self.beyond[first..last].iter();
        let range = joined.fold((start, end), |all, other| (all.0.min(other.0), all.1.max(other.1)));
        self.beyond.splice(first..last, [range]);
        true
    }

    /// All segments below `seq` have come.
    pub(super) fn advance(&mut self, seq: u32) {
        self.expected = seq;
        let past = self.beyond.partition_point(|(_, end)| *end <= seq);
        self.beyond.drain(..past);
    }

    /// How many segments have come of those from `start` to before `end`, beyond the first that is missing.
    pub(super) fn count(&self, start: u32, end: u32) -> u32 {
        self.beyond.iter().map(|range| range.1.min(end).saturating_sub(range.0.max(start))).sum()
    }

    /// The first segment from `seq` on that has not come.
    pub(super) fn missing(&self, seq: u32) -> u32 {
        self.range_of(seq).map_or(seq, |(_, end)| end)
    }

    /// The `n`-th from the last of the segments that have come beyond the first that is missing.
    pub(super) fn nth_last(&self, n: u32) -> Option<u32> {
        let mut left = n;
        for (start, end) in self.beyond.iter().rev() {
            if left <= end - start {
                return Some(end - left);
            }
            left -= end - start;
        }
        None
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
            let (mut arrived, mut set) = (Arrived::default(), BTreeSet::new());
            for seq in arrivals {
                let expected = (0..).find(|n| !set.contains(n)).unwrap();
                let found = arrived.take(seq);
                prop_assert_eq!(found.is_new(), set.insert(seq));
                prop_assert_eq!(found == Comes::Early, found.is_new() && seq > expected);
                prop_assert_eq!(arrived.expected, (0..).find(|n| !set.contains(n)).unwrap());
                prop_assert_eq!(arrived.complete(), set.len() as u32 == arrived.expected);
                if found == Comes::Early {
                    let low = (0..=seq).rev().find(|n| !set.contains(n)).unwrap() + 1;
                    let high = (seq..).find(|n| !set.contains(n)).unwrap();
                    prop_assert_eq!(arrived.range_of(seq), Some((low, high)));
                }
            }
        }

        /// What a sender asks of the segments that it is told have come.
        #[test]
        fn ranges_are_counted(
            blocks in prop::collection::vec((1..30_u32, 1..5_u32), 0..12), up_to in 0..30_u32, n in 1..6_usize,
        ) {
            let (mut arrived, mut set) = (Arrived::default(), BTreeSet::new());
            for (start, length) in blocks {
                let known = (start..start + length).all(|seq| set.contains(&seq));
                prop_assert_eq!(arrived.add(start, start + length), !known);
                set.extend(start..start + length);
            }
            arrived.advance(up_to);
            set.retain(|seq| *seq >= up_to);
            // What has come in order is no longer beyond anything.
            if !set.contains(&up_to) {
                for from in up_to..36 {
                    prop_assert_eq!(arrived.missing(from), (from..).find(|seq| !set.contains(seq)).unwrap());
                    prop_assert_eq!(arrived.count(from, 40), set.range(from..).count() as u32);
                }
                prop_assert_eq!(arrived.nth_last(n as u32), set.iter().rev().nth(n - 1).copied());
            }
        }
    }
}
