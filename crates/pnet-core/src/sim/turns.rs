//! Who goes first of links that bring packets to one node at one time.
//!
//! They take turns, as at the arbiter of a switch: the link whose last packet got in longest ago goes first.  So streams
//! in step keep their order, and none is favoured.  Packets of one connection keep theirs whatever links they are on.

use crate::random::SplitMix;

/// When each link last had its turn.
#[derive(Debug)]
pub(super) struct Turns {
    /// Number of its last turn.
    last: Vec<u32>,
    /// The last turn of all; numbers count on and wrap.
    count: u32,
    random: SplitMix,
}

impl Turns {
    /// Links that had no turn yet, in an order that is drawn.
    pub(super) fn new(links: usize, seed: u64) -> Self {
        let mut random = SplitMix::of([seed, 0x006f_7264_6572]);
        Turns { last: (0..links).map(|_| random.word() as u32 >> 1).collect(), count: 1 << 31, random }
    }

    /// How many links there are.
    pub(super) fn links(&self) -> usize {
        self.last.len()
    }

    /// The index of the one among `links` that goes first; `before` says of two whether they bring packets of one
    /// connection, the first one the earlier.
    pub(super) fn first<L>(&self, links: L, before: impl Fn(u32, u32) -> bool) -> usize
    where
        L: Iterator<Item = u32> + Clone,
    {
        let waited = |link: u32| self.count.wrapping_sub(self.last[link as usize]);
        let all = links.enumerate();
        let longest = all.clone().max_by_key(|(_, link)| waited(*link)).expect("one link at least");
        all.fold(longest, |first, other| if before(other.1, first.1) { other } else { first }).0
    }

    /// A link has had its turn.
    #[inline]
    pub(super) fn end(&mut self, link: u32) {
        self.count = self.count.wrapping_add(1);
        self.last[link as usize] = self.count;
    }

    /// The packet of a link met a full queue: whether that was its turn is drawn.
    ///
    /// If it never were, links in step would get in in a fixed order, and of two flows in turn on a link always the same.
    pub(super) fn draw(&mut self, link: u32) {
        if self.random.below(2) == 0 {
            self.end(link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(turns: &Turns, links: &[u32]) -> usize {
        turns.first(links.iter().copied(), |_, _| false)
    }

    #[test]
    fn who_waited_longest_goes_first() {
        let mut turns = Turns::new(4, 1);
        for link in [2, 0, 3, 1, 0] {
            turns.end(link);
        }
        assert_eq!(first(&turns, &[0, 1, 2, 3]), 2);
        assert_eq!(first(&turns, &[1, 0, 3]), 2);
        // A packet of the same connection before it goes before it.
        assert_eq!(turns.first([0, 1, 2, 3].into_iter(), |one, other| (one, other) == (1, 2)), 1);
        // Numbers wrap.
        turns.count = u32::MAX;
        turns.end(0);
        turns.end(1);
        assert_eq!(first(&turns, &[1, 0]), 1);
    }

    #[test]
    fn the_order_at_first_and_at_full_queues_is_drawn() {
        let firsts: Vec<usize> = (0..300).map(|seed| first(&Turns::new(3, seed), &[0, 1, 2])).collect();
        let mut turns = Turns::new(2, 1);
        let mut kept = 0;
        for _ in 0..300 {
            turns.end(0);
            turns.end(1);
            turns.draw(0);
            kept += usize::from(first(&turns, &[0, 1]) == 0);
        }
        for count in [0, 1, 2].map(|link| firsts.iter().filter(|first| **first == link).count()) {
            assert!((70..=130).contains(&count), "{count} of 300");
        }
        assert!((115..=185).contains(&kept), "{kept} of 300");
    }
}
