//! Bottlenecks: what holds commodities at their level.

use super::moves::Blocking;
use super::{SAME_LENGTH, Split, State};

/// A bottleneck holds as long as its links are used, and no level is higher, but for these parts.
const FULL: f64 = 1e-11;
const FAIR: f64 = 1e-10;

/// Links that are full, with lengths by which all flow takes shortest paths.
#[derive(Debug, Clone)]
pub(super) struct Bottleneck {
    /// That of the commodities that it holds, and the highest of those that pass it.
    pub(super) level: f64,
    lengths: Vec<(u32, f64)>,
    /// Commodities without a path of length 0, and the length of their shortest.
    pub(super) passing: Vec<(u32, f64)>,
    /// Whether the rate of one has changed since it was looked at.
    pub(super) changed: bool,
}

impl Split {
    /// Nothing gives way: of what is tied, whatever has no path of length 0 is held from now on.
    pub(super) fn hold(&mut self, blocking: Blocking, mut lengths: Vec<(u32, f64)>) {
        lengths.retain(|(_, length)| *length > SAME_LENGTH);
        if let Blocking::Column(at) = blocking {
            self.drop_column(at);
        }
        self.measure(&lengths);
        let passing = self.passing();
        let (mut left, mut takes) = (self.volume(&lengths), 0.0);
        for (number, distance) in &passing {
            let found = &self.commodities[*number as usize];
            match found.state {
                State::Tied => takes += found.weight * distance,
                State::Kept | State::Yielding => left -= found.rate * distance,
            }
        }
        if takes <= 0.0 {
            self.anew = true;
            return;
        }
        // The level as the lengths prove it, not as it was reached, step by step.
        let level = left.max(0.0) / takes;
        let bottleneck = self.free_bottlenecks.pop().unwrap_or(self.bottlenecks.len() as u32);
        for (number, _) in &passing {
            let found = &mut self.commodities[*number as usize];
            found.passes.push(bottleneck);
            if found.state == State::Tied {
                let key = found.key;
                found.state = State::Kept;
                found.held_by = bottleneck;
                self.paths[key as usize].value += found.weight * level - found.rate;
                found.rate = found.weight * level;
                self.note(key);
            }
        }
        if bottleneck as usize == self.bottlenecks.len() {
            self.bottlenecks.push(None);
        }
        self.bottlenecks[bottleneck as usize] = Some(Bottleneck { level, lengths, passing, changed: false });
        let commodities = &self.commodities;
        self.tied.retain(|number| commodities[*number as usize].state == State::Tied);
        self.stalled = 0;
    }

    /// Looks at a bottleneck through which rates have changed: if it does not hold its commodities any more, they rise.
    pub(super) fn look_at(&mut self, bottleneck: u32) {
        let slot = &mut self.bottlenecks[bottleneck as usize];
        let Some(found) = slot.take_if(|found| found.changed) else { return };
        for (number, _) in &found.passing {
            self.commodities[*number as usize].passes.retain(|other| *other != bottleneck);
        }
        self.measure(&found.lengths);
        let passing = self.passing();
        let rate = |number: &u32| self.commodities[*number as usize].rate;
        let taken: f64 = passing.iter().map(|(number, distance)| rate(number) * distance).sum();
        let most = |number: &u32| self.commodities[*number as usize].weight * found.level * (1.0 + FAIR);
        let fair = passing.iter().all(|(number, _)| rate(number) <= most(number));
        let holds =
            passing.iter().any(|(number, _)| self.commodities[*number as usize].held_by == bottleneck);
        if holds && fair && taken >= self.volume(&found.lengths) * (1.0 - FULL) {
            for (number, _) in &passing {
                self.commodities[*number as usize].passes.push(bottleneck);
            }
            self.bottlenecks[bottleneck as usize] = Some(Bottleneck { passing, changed: false, ..found });
            return;
        }
        self.free_bottlenecks.push(bottleneck);
        for (number, _) in &found.passing {
            let commodity = &self.commodities[*number as usize];
            if commodity.held_by == bottleneck && commodity.state == State::Kept {
                self.tie(*number);
            }
        }
    }

    /// Commodities without a path of length 0, and the length of their shortest, as measured.
    fn passing(&self) -> Vec<(u32, f64)> {
        let shortest = |number: u32| {
            let lengths = self.commodities[number as usize].paths.iter().map(|path| self.length.get(*path));
            lengths.fold(f64::INFINITY, f64::min)
        };
        let all = self.measured.iter().map(|(number, _)| (number, shortest(number)));
        all.filter(|(_, distance)| *distance > SAME_LENGTH).collect()
    }

    /// What links of these lengths can carry, each times its length.
    fn volume(&self, lengths: &[(u32, f64)]) -> f64 {
        lengths.iter().map(|(link, length)| length * self.capacity[*link as usize]).sum()
    }
}
