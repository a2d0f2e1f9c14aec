//! Bottlenecks: what limits the levels of commodities.

use super::moves::Blocking;
use super::{SAME_PRICE, Split, State};

/// A bottleneck stays one as long as its links are full, and no level is higher, within these parts.
const FULL: f64 = 1e-11;
const FAIR: f64 = 1e-10;

/// Full links, with dual prices by which all flow takes shortest paths.
#[derive(Debug, Clone)]
pub(super) struct Bottleneck {
    /// That of the commodities that it limits, and the highest of those that cross it.
    pub(super) level: f64,
    prices: Vec<(u32, f64)>,
    /// Commodities without a path of length 0, and the length of their shortest.
    pub(super) crossing: Vec<(u32, f64)>,
    /// Whether the rate of one has changed since the last check.
    pub(super) changed: bool,
}

impl Split {
    /// No variable can enter: the rising commodities without a path of length 0 are saturated.
    pub(super) fn add_bottleneck(&mut self, blocking: Blocking, mut prices: Vec<(u32, f64)>) {
        prices.retain(|(_, price)| *price > SAME_PRICE);
        if let Blocking::Column(at) = blocking {
            self.drop_column(at);
        }
        self.measure_paths(&prices);
        let crossing = self.crossing();
        let (mut remaining, mut takes) = (self.volume(&prices), 0.0);
        for (number, distance) in &crossing {
            let found = &self.commodities[*number as usize];
            match found.state {
                State::Rising => takes += found.weight * distance,
                State::Fixed | State::Basic => remaining -= found.rate * distance,
            }
        }
        if takes <= 0.0 {
            self.needs_cold_start = true;
            return;
        }
        // The level that the prices prove, without the rounding of the steps to it.
        let level = remaining.max(0.0) / takes;
        let bottleneck = self.free_bottlenecks.pop().unwrap_or(self.bottlenecks.len() as u32);
        for (number, _) in &crossing {
            let found = &mut self.commodities[*number as usize];
            found.crosses.push(bottleneck);
            if found.state == State::Rising {
                let key = found.key;
                found.state = State::Fixed;
                found.limited_by = bottleneck;
                self.paths[key as usize].value += found.weight * level - found.rate;
                found.rate = found.weight * level;
                self.mark_moved(key);
            }
        }
        if bottleneck as usize == self.bottlenecks.len() {
            self.bottlenecks.push(None);
        }
        self.bottlenecks[bottleneck as usize] = Some(Bottleneck { level, prices, crossing, changed: false });
        let commodities = &self.commodities;
        self.rising.retain(|number| commodities[*number as usize].state == State::Rising);
        self.stalled = 0;
    }

    /// Checks a bottleneck that changed rates cross: if it does not limit its commodities any more, they rise.
    pub(super) fn recheck(&mut self, bottleneck: u32) {
        let slot = &mut self.bottlenecks[bottleneck as usize];
        let Some(found) = slot.take_if(|found| found.changed) else { return };
        for (number, _) in &found.crossing {
            self.commodities[*number as usize].crosses.retain(|other| *other != bottleneck);
        }
        self.measure_paths(&found.prices);
        let crossing = self.crossing();
        let rate = |number: &u32| self.commodities[*number as usize].rate;
        let taken: f64 = crossing.iter().map(|(number, distance)| rate(number) * distance).sum();
        let most = |number: &u32| self.commodities[*number as usize].weight * found.level * (1.0 + FAIR);
        let fair = crossing.iter().all(|(number, _)| rate(number) <= most(number));
        let limits = crossing.iter().any(|(number, _)| self.commodities[*number as usize].limited_by == bottleneck);
        if limits && fair && taken >= self.volume(&found.prices) * (1.0 - FULL) {
            for (number, _) in &crossing {
                self.commodities[*number as usize].crosses.push(bottleneck);
            }
            self.bottlenecks[bottleneck as usize] = Some(Bottleneck { crossing, changed: false, ..found });
            return;
        }
        self.free_bottlenecks.push(bottleneck);
        for (number, _) in &found.crossing {
            let commodity = &self.commodities[*number as usize];
            if commodity.limited_by == bottleneck && commodity.state == State::Fixed {
                self.let_rise(*number);
            }
        }
    }

    /// Commodities without a path of length 0, and the length of their shortest, as measured.
    fn crossing(&self) -> Vec<(u32, f64)> {
        let shortest = |number: u32| {
            let lengths = self.commodities[number as usize].paths.iter().map(|path| self.length.get(*path));
            lengths.fold(f64::INFINITY, f64::min)
        };
        let all = self.measured.iter().map(|(number, _)| (number, shortest(number)));
        all.filter(|(_, distance)| *distance > SAME_PRICE).collect()
    }

    /// Sum of capacity times price.
    fn volume(&self, prices: &[(u32, f64)]) -> f64 {
        prices.iter().map(|(link, price)| price * self.capacity[*link as usize]).sum()
    }
}
