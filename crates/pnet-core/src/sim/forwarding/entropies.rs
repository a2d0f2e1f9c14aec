//! Entropies of a connection that sprays, and what answers tell of their paths (MRC).
//!
//! The entropies are dealt to planes in turn, in each plane to its paths in turn, and packets take them in turn.
//!
//! - A mark moves load: its entropy is passed over once for each.
//! - A lost packet retires its entropy, which is assumed to be bad.  Probes are sent over it, and one that is answered
//!   brings it back.  Where all are retired all are used.
//! - A packet that comes without its payload says nothing of its path: a queue was full for a moment.

use std::collections::VecDeque;

use super::super::time::Time;

/// Turns that an entropy is yet to be passed over, at most.
const MOST_TURNS: u32 = 15;

/// An entropy.
#[derive(Debug, Clone, Copy)]
struct Entropy {
    /// Its path, by number.
    path: u32,
    /// Turns that it is yet to be passed over.
    passed_over: u32,
    /// Where it is retired, when the next probe is due.
    retired: Option<Time>,
}

/// Those of a connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Entropies {
    all: Vec<Entropy>,
    next: usize,
    retired: usize,
    /// Time between two probes.
    probe: Time,
    /// The entropies of the last transmissions of segments, from the first one on that has not arrived.
    sent: VecDeque<u32>,
    first: u32,
}

impl Entropies {
    /// So many, over the paths of each plane, from the one numbered `start` on, modulo their number.
    pub(super) fn new(planes: &[Vec<u32>], count: u16, start: usize, probe: Time) -> Self {
        let path = |i: usize| {
            let paths = &planes[i % planes.len()];
            paths[i / planes.len() % paths.len()]
        };
        let entropy = |i: usize| Entropy { path: path(i), passed_over: 0, retired: None };
        let all: Vec<Entropy> = (0..usize::from(count)).map(entropy).collect();
        Entropies { next: start % all.len(), all, probe, ..Entropies::default() }
    }

    /// The path of an entropy; of one that is no more, that of another.
    pub(super) fn path(&self, entropy: u32) -> u32 {
        self.all[entropy as usize % self.all.len()].path
    }

    /// The entropy of the next packet, which bears this segment.
    pub(super) fn next(&mut self, seq: u32) -> u32 {
        let usable = self.retired < self.all.len();
        let found = loop {
            self.next = (self.next + 1) % self.all.len();
            let entropy = &mut self.all[self.next];
            if usable && entropy.retired.is_some() {
                continue;
            }
            if entropy.passed_over == 0 {
                break self.next as u32;
            }
            entropy.passed_over -= 1;
        };
        match seq.checked_sub(self.first).map(|place| place as usize) {
            Some(place) if place < self.sent.len() => self.sent[place] = found,
            Some(place) if place == self.sent.len() => self.sent.push_back(found),
            // Paths were chosen anew, and what came before is not known.
            _ => (self.first, self.sent) = (seq, VecDeque::from([found])),
        }
        found
    }

    /// All segments below this one have arrived.
    pub(super) fn came_below(&mut self, seq: u32) {
        while self.first < seq && self.sent.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// A packet has come by an entropy.
    pub(super) fn came(&mut self, entropy: u32, marked: bool) {
        if let Some(entropy) = self.all.get_mut(entropy as usize) {
            entropy.passed_over = (entropy.passed_over + u32::from(marked)).min(MOST_TURNS);
        }
    }

    /// The last transmission of a segment is lost.
    pub(super) fn lost(&mut self, seq: u32, now: Time) {
        let place = seq.checked_sub(self.first).map(|place| place as usize);
        let Some(entropy) = place.and_then(|place| self.sent.get(place)) else { return };
        let entropy = &mut self.all[*entropy as usize];
        if entropy.retired.is_none() {
            entropy.retired = Some(now);
            self.retired += 1;
        }
    }

    /// An entropy that is to be probed now.
    pub(super) fn probe(&mut self, now: Time) -> Option<u32> {
        if self.retired == 0 {
            return None;
        }
        let due = |entropy: &Entropy| entropy.retired.is_some_and(|time| time <= now);
        let place = self.all.iter().position(due)?;
        self.all[place].retired = Some(now.saturating_add(self.probe));
        Some(place as u32)
    }

    /// A probe has come by an entropy.
    pub(super) fn probed(&mut self, entropy: u32) {
        if let Some(entropy) = self.all.get_mut(entropy as usize)
            && entropy.retired.take().is_some()
        {
            entropy.passed_over = 0;
            self.retired -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two planes, of three paths and of one.
    fn six() -> Entropies {
        Entropies::new(&[vec![10, 11, 12], vec![20]], 6, 5, 100)
    }

    /// The entropies of the next packets, which bear segments from `seq` on.
    fn take(entropies: &mut Entropies, seq: u32, count: u32) -> Vec<u32> {
        (seq..seq + count).map(|seq| entropies.next(seq)).collect()
    }

    #[test]
    fn planes_have_as_many_each_and_paths_share_them() {
        let entropies = six();
        let paths: Vec<u32> = (0..6).map(|entropy| entropies.path(entropy)).collect();
        assert_eq!(paths, [10, 20, 11, 20, 12, 20]);
    }

    /// Two marks: passed over twice.
    #[test]
    fn a_mark_moves_load() {
        let mut entropies = six();
        [2, 2, 4].into_iter().for_each(|entropy| entropies.came(entropy, true));
        entropies.came(0, false);
        assert_eq!(take(&mut entropies, 0, 14), [0, 1, 3, 5, 0, 1, 3, 4, 5, 0, 1, 2, 3, 4]);
    }

    /// Segment 1 went by entropy 1: it is retired from then on, and probed at once and every 100 until a probe is answered.
    #[test]
    fn a_loss_retires_an_entropy_until_a_probe_comes_through() {
        let mut entropies = six();
        assert_eq!(take(&mut entropies, 0, 6), [0, 1, 2, 3, 4, 5]);
        entropies.came_below(1);
        assert_eq!(entropies.probe(50), None);
        entropies.lost(1, 50);
        // What was sent again is what counts, and what has arrived is not lost.
        entropies.lost(0, 50);
        assert_eq!((entropies.probe(50), entropies.probe(50)), (Some(1), None));
        assert_eq!(take(&mut entropies, 6, 6), [0, 2, 3, 4, 5, 0]);
        assert_eq!((entropies.probe(149), entropies.probe(150)), (None, Some(1)));
        entropies.probed(1);
        assert_eq!(entropies.probe(1000), None);
        assert_eq!(take(&mut entropies, 12, 6), [1, 2, 3, 4, 5, 0]);
    }

    /// With all of them retired packets go on, and so does probing.
    #[test]
    fn where_all_are_retired_all_are_used() {
        let mut entropies = six();
        take(&mut entropies, 0, 6);
        (0..6).for_each(|seq| entropies.lost(seq, 7));
        assert_eq!(take(&mut entropies, 6, 3), [0, 1, 2]);
        let probed: Vec<Option<u32>> = (0..7).map(|_| entropies.probe(7)).collect();
        assert_eq!(probed, [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None]);
    }
}
