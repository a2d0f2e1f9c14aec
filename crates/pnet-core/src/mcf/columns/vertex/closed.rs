//! What earlier levels leave to later ones.
//!
//! Where lengths prove a level, all their volume is taken from then on: links with a length stay full, and nothing uses a path
//! that is longer under them than another one of its demand (complementary slackness).  Such paths are *closed*: steps along
//! them would lead nowhere.  They may be short under the prices of a later level, of which the bound then needs lengths of
//! earlier levels as well, as much as makes closed paths long.

/// What is longer than another path by this part of a level's longest link is closed by it.
pub(in crate::mcf::columns) const LONGER: f64 = 1e-3;
/// Less than this part of the longest link is rounding.
const ROUNDING: f64 = 1e-9;
/// How much of what a closed path, or a link with a price below 0, needs of a level is added.
pub(in crate::mcf::columns) const AMPLE: f64 = 1.1;
/// How often levels are added until no link has a length below 0.
const LIFTS: usize = 10;

/// A level that is proved.
struct Level {
    /// Of each link, the longest of which has 1.
    length: Vec<f64>,
    /// How many times it is added, and how many more are needed.
    times: f64,
    more: f64,
}

/// Levels that are proved, lowest first.
#[derive(Default)]
pub(in crate::mcf::columns) struct Closed(Vec<Level>);

impl Closed {
    /// One level more, proved by `length` and what is added to it.
    pub(in crate::mcf::columns) fn add(&mut self, mut length: Vec<f64>) {
        let longest = length.iter().fold(0.0, |longest: f64, l| longest.max(l.abs()));
        if longest > 0.0 {
            length.iter_mut().for_each(|l| *l = if l.abs() > ROUNDING * longest { *l / longest } else { 0.0 });
            self.0.push(Level { length, times: 0.0, more: 0.0 });
        }
    }

    pub(in crate::mcf::columns) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds nothing to the lengths of the next level.
    pub(in crate::mcf::columns) fn reset(&mut self) {
        self.0.iter_mut().for_each(|level| level.times = 0.0);
    }

    /// Whether a link stays full.
    pub(in crate::mcf::columns) fn full(&self, link: u32) -> bool {
        self.0.iter().any(|level| level.length[link as usize] > LONGER)
    }

    /// The number of the last level, and its lengths.
    pub(in crate::mcf::columns) fn last(&self) -> Option<(usize, &[f64])> {
        self.0.last().map(|level| (self.0.len() - 1, &level.length[..]))
    }

    /// A level is to be added so often, if it was not.
    pub(in crate::mcf::columns) fn need(&mut self, level: usize, times: f64) {
        self.0[level].more = self.0[level].more.max(times);
    }

    /// Whether the last level closes a path of a demand with such a key path.
    pub(in crate::mcf::columns) fn closes(&self, path: &[u32], key: &[u32]) -> bool {
        self.0.last().is_some_and(|level| level.beyond(path, key) > LONGER)
    }

    /// `length` with those of earlier levels, as much of these as leaves none below 0.
    pub(in crate::mcf::columns) fn with(&mut self, length: &[f64]) -> Vec<f64> {
        let mut all = self.sum(length);
        for _ in 0..LIFTS {
            for (link, length) in all.iter().enumerate().filter(|(_, length)| **length < 0.0) {
                if let Some(level) = self.0.iter_mut().find(|level| level.length[link] > LONGER) {
                    level.more = level.more.max(-AMPLE * length / level.length[link]);
                }
            }
            if !self.lift() {
                break;
            }
            all = self.sum(length);
        }
        all.iter_mut().for_each(|length| *length = length.max(0.0));
        all
    }

    fn sum(&self, length: &[f64]) -> Vec<f64> {
        let mut all = length.to_vec();
        for level in self.0.iter().filter(|level| level.times > 0.0) {
            all.iter_mut().zip(&level.length).for_each(|(all, l)| *all += level.times * l);
        }
        all
    }

    /// Whether a path is open; if it is not, and is shorter by `gain` than the key path with what is added, more is needed.
    pub(in crate::mcf::columns) fn opens(&mut self, path: &[u32], key: &[u32], gain: f64) -> bool {
        for level in &mut self.0 {
            let beyond = level.beyond(path, key);
            if beyond > LONGER {
                level.more = level.more.max(AMPLE * gain / beyond);
                return false;
            }
        }
        true
    }

    /// Adds levels as often as is needed; whether that is more than before.
    pub(in crate::mcf::columns) fn lift(&mut self) -> bool {
        let mut more = false;
        for level in &mut self.0 {
            more |= level.times + level.more > level.times;
            level.times += std::mem::take(&mut level.more);
        }
        more
    }
}

impl Level {
    fn beyond(&self, path: &[u32], key: &[u32]) -> f64 {
        let sum = |links: &[u32]| links.iter().map(|l| self.length[*l as usize]).sum::<f64>();
        sum(path) - sum(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_long_in_a_level_stays_closed() {
        let mut closed = Closed::default();
        assert!(closed.opens(&[0], &[1], 1.0));
        closed.add(vec![4.0, 0.0, 1e-12]);
        assert!(closed.full(0) && !closed.full(1) && !closed.full(2));
        assert!(closed.closes(&[0], &[1]) && !closed.closes(&[2], &[1]) && !closed.closes(&[0], &[0]));
        assert_eq!(closed.with(&[0.0, 2.0, 0.0]), vec![0.0, 2.0, 0.0]);
        // It is shorter than the key by 2, and needs as much, and a little.
        assert!(closed.opens(&[2], &[1], 2.0) && !closed.opens(&[0], &[1], 2.0));
        assert!(closed.lift() && !closed.lift());
        let with = closed.with(&[0.0, 2.0, 0.0]);
        assert!(with[0] > with[1] && with[1] == 2.0 && with[2] == 0.0, "{with:?}");
    }

    #[test]
    fn full_links_may_have_a_price_below_zero() {
        let mut closed = Closed::default();
        closed.add(vec![2.0, 1.0]);
        assert!(closed.with(&[-3.0, 1.0])[0] > 0.0);
        // A link that no level has filled has none.
        let mut none = Closed::default();
        assert_eq!(none.with(&[-1e-17, 1.0]), vec![0.0, 1.0]);
    }

    #[test]
    fn the_lowest_level_closes_first() {
        let mut closed = Closed::default();
        closed.add(vec![1.0, 0.0, 0.0]);
        closed.add(vec![-0.5, 1.0, 0.0]);
        assert!(!closed.opens(&[0], &[2], 1.0));
        closed.lift();
        assert!(closed.with(&[0.0, 0.0, 1.0])[0] > 1.0 && closed.with(&[0.0, 0.0, 1.0])[1] == 0.0);
        closed.reset();
        assert_eq!(closed.with(&[0.0, 0.0, 1.0]), vec![0.0, 0.0, 1.0]);
    }
}
