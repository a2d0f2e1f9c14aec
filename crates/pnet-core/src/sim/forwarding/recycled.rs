//! Recycled entropies (REPS, arXiv 2407.21625, sections 3.2 and 3.3): a path whose packet came through without a mark is
//! taken again, once for each such packet; without one of these the next path is tried.  Planes are taken in turn, so each
//! has a memory of its own.
//!
//! While a failure is suspected, which a timeout is the sign of, paths known to be good are taken again and again, and no
//! others are tried.

use super::super::time::Time;

/// What a connection knows of its paths in a plane.
#[derive(Debug, Clone, Default)]
pub(super) struct Recycled {
    /// All, by number, in the order in which they are tried, and the next one.
    all: Vec<u32>,
    next: usize,
    /// How many are remembered.
    most: usize,
    /// The last paths that packets came through, as a ring.
    known: Vec<u32>,
    /// Where the next goes.
    head: usize,
    /// How many of them are not taken yet, the last ones.
    fresh: usize,
    frozen_until: Time,
}

impl Recycled {
    /// Nothing is known of these paths; so many are remembered.
    pub(super) fn new(all: Vec<u32>, most: usize) -> Self {
        Recycled { all, most, ..Recycled::default() }
    }

    /// The path of the next packet.
    pub(super) fn next(&mut self, now: Time) -> u32 {
        self.take(now).unwrap_or_else(|| {
            self.next = (self.next + 1) % self.all.len();
            self.all[self.next]
        })
    }

    /// A packet came through by a path.
    pub(super) fn came(&mut self, path: u32) {
        if self.known.len() < self.most {
            self.known.insert(self.head, path);
        } else {
            self.known[self.head] = path;
        }
        self.head = (self.head + 1) % self.most;
        self.fresh = (self.fresh + 1).min(self.known.len());
    }

    /// A failure is suspected, until this time.
    pub(super) fn freeze(&mut self, until: Time) {
        self.frozen_until = until;
    }

    /// The path to take again, if there is one.
    fn take(&mut self, now: Time) -> Option<u32> {
        let count = self.known.len();
        if now < self.frozen_until && count > 0 {
            self.head %= count;
            let path = self.known[self.head];
            self.head = (self.head + 1) % count;
            self.fresh = self.fresh.saturating_sub(1);
            return Some(path);
        }
        if self.fresh == 0 {
            return None;
        }
        let place = (self.head + count - self.fresh) % count;
        self.fresh -= 1;
        Some(self.known[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_paths_are_taken_once_in_their_order() {
        let mut recycled = Recycled::new((0..8).collect(), 4);
        assert_eq!(recycled.take(0), None);
        for path in [7, 3, 7] {
            recycled.came(path);
        }
        let taken: Vec<Option<u32>> = (0..4).map(|_| recycled.take(0)).collect();
        assert_eq!(taken, [Some(7), Some(3), Some(7), None]);
        // Of six the last four are remembered.
        (1..=6).for_each(|path| recycled.came(path));
        let taken: Vec<Option<u32>> = (0..5).map(|_| recycled.take(0)).collect();
        assert_eq!(taken, [Some(3), Some(4), Some(5), Some(6), None]);
    }

    #[test]
    fn while_a_failure_is_suspected_nothing_else_is_tried() {
        let mut recycled = Recycled::new(vec![5, 6, 8], 2);
        [5, 6].into_iter().for_each(|path| recycled.came(path));
        // What is tried beside them is what comes next.
        assert_eq!([0; 4].map(|now| recycled.next(now)), [5, 6, 6, 8]);
        recycled.freeze(100);
        let taken: Vec<Option<u32>> = (0..3).map(|_| recycled.take(50)).collect();
        assert_eq!(taken, [Some(5), Some(6), Some(5)]);
        assert_eq!(recycled.take(100), None);
    }
}
