//! Selective acknowledgements: the blocks that a receiver reports (RFC 2018), and what a sender makes of them (RFC 6675).
//!
//! An acknowledgement has room for two blocks where RFC 2018 has three.  After a timeout the sender forgets what it was told
//! (RFC 2018, section 8).

use super::super::arrived::Arrived;

/// Writes a block of segments as seen from the first segment missing, in 16 bits each for the gap before it and its length;
/// what is farther away is not reported, and 0 stands for no block.
pub(super) fn pack((start, end): (u32, u32), expected: u32) -> u32 {
    let (gap, length) = (start - expected, (end - start).min(u32::from(u16::MAX)));
    if gap > u32::from(u16::MAX) { 0 } else { gap << 16 | length }
}

/// Reads it.
pub(super) fn unpack(block: u32, expected: u32) -> Option<(u32, u32)> {
    let start = expected + (block >> 16);
    (block != 0).then_some((start, start + (block & 0xffff)))
}

/// What a sender knows of the segments that it has sent beyond the first not acknowledged (RFC 6675, section 3: the
/// scoreboard).
#[derive(Debug, Default)]
pub(super) struct Board {
    sacked: Arrived,
    /// First segment not sent again in this recovery (`HighRxt` and one).
    resent: u32,
    /// Up to where no rescue is tried again (`RescueRxt`).
    rescued: u32,
}

/// What to send in a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A segment that is taken for lost, or may be.
    Again(u32),
    /// A segment that was never sent.
    New,
}

impl Board {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.sacked.reset();
        (self.resent, self.rescued) = (0, 0);
    }

    /// Forgets what has come beyond `unacked`, the first segment not acknowledged.
    pub(super) fn forget(&mut self, unacked: u32) {
        self.sacked.reset();
        self.sacked.advance(unacked);
    }

    /// Takes an acknowledgement of all segments below `seq` with these blocks; returns whether they say anything new.
    pub(super) fn update(&mut self, seq: u32, blocks: [u32; 2]) -> bool {
        self.sacked.advance(seq);
        let known = blocks.into_iter().filter_map(|block| unpack(block, seq));
        known.fold(false, |news, (start, end)| self.sacked.add(start, end) | news)
    }

    /// All segments below this that have not come are taken for lost: those with `threshold` that have come after them.
    fn lost_below(&self, threshold: u32) -> u32 {
        self.sacked.nth_last(threshold).unwrap_or(0)
    }

    /// Whether the first segment not acknowledged is taken for lost.
    pub(super) fn shows_loss(&self, threshold: u32) -> bool {
        self.lost_below(threshold) > self.sacked.expected
    }

    /// A recovery begins, by sending the first segment not acknowledged again.
    pub(super) fn recover(&mut self) {
        self.resent = self.sacked.expected + 1;
    }

    /// Segments taken to be on their way, where `end` is the first never sent (`SetPipe`).
    pub(super) fn pipe(&self, end: u32, threshold: u32) -> u32 {
        let first = self.sacked.expected;
        let missing = |from: u32, to: u32| to.saturating_sub(from) - self.sacked.count(from, to);
        missing(self.lost_below(threshold).max(first), end) + missing(first, self.resent)
    }

    /// What to send next (`NextSeg`), where `end` is the first segment never sent and `new` says whether one such may be.
    pub(super) fn next(&self, end: u32, threshold: u32, new: bool) -> Option<Next> {
        let candidate = self.sacked.missing(self.resent.max(self.sacked.expected));
        if candidate < self.lost_below(threshold) {
            return Some(Next::Again(candidate));
        }
        if new {
            return Some(Next::New);
        }
        let last = self.sacked.nth_last(1).unwrap_or(0);
        if candidate < last {
            return Some(Next::Again(candidate));
        }
        let highest = (self.sacked.expected..end).rev().find(|seq| self.sacked.range_of(*seq).is_none());
        highest.filter(|_| self.sacked.expected >= self.rescued).map(Next::Again)
    }

    /// A segment has been sent again; `recover` is where the recovery ends.
    pub(super) fn sent_again(&mut self, seq: u32, recover: u32) {
        if seq < self.sacked.nth_last(1).unwrap_or(0) {
            self.resent = seq + 1;
        } else {
            // The rescue does not count as having sent again what is before it.
            self.rescued = recover;
        }
    }

    /// The first segment from `seq` on that is not known to have come.
    pub(super) fn missing(&self, seq: u32) -> u32 {
        self.sacked.missing(seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_written_as_they_are_read() {
        assert_eq!(unpack(pack((7, 9), 5), 5), Some((7, 9)));
        assert_eq!(unpack(pack((65_541, 65_550), 5), 5), None);
        assert_eq!(unpack(pack((6, 100_000), 5), 5), Some((6, 6 + 65_535)));
        assert_eq!(unpack(0, 5), None);
    }

    /// Segments 10 to 29 are out, and three later ones show a loss.
    #[test]
    fn the_scoreboard_by_hand() {
        let mut board = Board::default();
        assert!(board.update(10, [pack((12, 14), 10), 0]));
        assert!(!board.update(10, [pack((12, 14), 10), 0]));
        // Two above 10 and 11 are too few; all but 12 and 13 are on their way.
        assert!(!board.shows_loss(3));
        assert_eq!(board.pipe(30, 3), 18);
        assert!(board.update(10, [pack((20, 21), 10), pack((12, 14), 10)]));
        // 10 and 11 are lost; 14 to 19 have one after them, 21 to 29 none.
        assert!(board.shows_loss(3));
        assert_eq!(board.pipe(30, 3), 15);
        board.recover();
        assert_eq!(board.pipe(30, 3), 16);
        assert_eq!(board.next(30, 3, true), Some(Next::Again(11)));
        board.sent_again(11, 30);
        assert_eq!(board.pipe(30, 3), 17);
        // What may be lost comes after what is new, and the last one out after that, once.
        assert_eq!(board.next(30, 3, true), Some(Next::New));
        assert_eq!(board.next(30, 3, false), Some(Next::Again(14)));
        for seq in 14..20 {
            board.sent_again(seq, 30);
        }
        assert_eq!(board.next(30, 3, false), Some(Next::Again(29)));
        board.sent_again(29, 30);
        assert_eq!(board.next(30, 3, false), None);
        // 10 and 11 arrive, and with them all up to 13.
        board.update(14, [0, 0]);
        assert_eq!(board.pipe(30, 3), 6 + 15);
    }
}
