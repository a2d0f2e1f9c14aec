//! In the restricted master: a common rate, the restart where other demands rise, and what shortfalls cost.

use super::cholesky::Square;
use super::entries::{Entries, Scaling};
use super::master::{Master, Shortfall};
use crate::mcf::path_form::PathProblem;

/// What is kept of an iterate where other demands rise; the rest is an even split.
const KEEP: f64 = 0.9;
/// The sum of all products there, as a multiple of the rate.
const MEAN: f64 = 1.0;

/// A rate that is common to some demands, as a part of each, and as large as possible.
pub(super) struct Rise {
    /// 1 for each of these demands, 0 for the others.
    pub(super) slope: Vec<f64>,
    pub(super) t: f64,
    /// The limit of the rate, the distance to it, and the price of that.
    pub(super) most: f64,
    pub(super) room: f64,
    pub(super) at: f64,
}

impl Master {
    /// An iterate in which all demands get the part `t`, at most `most`, near such weights of paths, which sum to 1 over the
    /// paths of a demand, and such prices of links, which carry `load`.
    pub(super) fn rising(
        problem: &PathProblem,
        (t, most): (f64, f64),
        weight: &[f64],
        rows: &[u32],
        (price, load): (&[f64], &[f64]),
        penalty: Vec<f64>,
    ) -> Self {
        let (demands, paths) = (problem.demand.len(), problem.paths());
        let one = 1.0 / demands as f64;
        let rise = Rise { slope: vec![1.0; demands], t, most, room: most - t, at: one };
        let mut master = Master {
            entries: Entries::new(problem),
            cost: vec![0.0; paths],
            w: weight.iter().map(|w| t * w).collect(),
            z: vec![],
            s: vec![],
            m: vec![],
            y: vec![],
            short: vec![],
            base: vec![0.0; demands],
            rise: Some(rise),
            matrix: Square::new(0),
        };
        master.extend(problem, rows, load);
        master.m = rows.iter().map(|l| price[*l as usize]).collect();
        master.s = rows.iter().map(|l| (1.0 - load[*l as usize] / problem.capacity[*l as usize]).max(0.0)).collect();
        let lengths = master.entries.costs(&master.m);
        let shortest = |j: usize| master.entries.own(j).map(|n| lengths[n]).fold(f64::INFINITY, f64::min);
        master.y = (0..demands).map(shortest).collect();
        for (j, y) in master.y.iter().enumerate() {
            master.z.extend(master.entries.own(j).map(|n| lengths[n] - y));
        }
        master.restart(vec![0.0; demands], vec![1.0; demands], most, penalty);
        master
    }

    /// Other demands rise, the others get `base`; the iterate is moved away from the boundary, towards an even split.
    ///
    /// What a demand lacks costs `penalty`.
    pub(super) fn restart(&mut self, base: Vec<f64>, slope: Vec<f64>, most: f64, penalty: Vec<f64>) {
        let Some(rise) = &mut self.rise else { return };
        let price = 1.0 / slope.iter().sum::<f64>().max(1.0);
        rise.t = rise.t.min(KEEP * most);
        (rise.room, rise.at, rise.most) = (most - rise.t, MEAN * price, most);
        let (rest, t) = (1.0 - KEEP, rise.t);
        let mean = MEAN * t / (self.w.len() + self.m.len()) as f64;
        let mut short = Shortfall { most: f64::INFINITY, x: vec![], z: vec![], room: vec![], at: vec![], cost: vec![] };
        for j in 0..base.len() {
            let own = self.entries.own(j);
            let target = base[j] + slope[j] * t;
            let part = rest * target / own.len() as f64;
            for n in own {
                self.w[n] = KEEP * self.w[n] + part;
                self.z[n] = KEEP * self.z[n] + rest * mean / (part + self.w[n]);
            }
            let above = (penalty[j] - self.y[j]).max(0.5 * penalty[j]);
            short.z.push(above);
            short.x.push((mean / above).min(rest * target));
        }
        for (s, m) in self.s.iter_mut().zip(&mut self.m) {
            *s = KEEP * *s + rest;
            *m = KEEP * *m + rest * mean / *s;
        }
        short.cost = penalty;
        self.short = vec![short];
        rise.slope = slope;
        self.base = base;
    }

    /// The rate that rises.
    pub(super) fn t(&self) -> f64 {
        self.rise.as_ref().map_or(0.0, |rise| rise.t)
    }

    /// The part of each demand that it is to get.
    pub(super) fn targets(&self) -> Vec<f64> {
        match &self.rise {
            Some(rise) => self.base.iter().zip(&rise.slope).map(|(base, slope)| base + slope * rise.t).collect(),
            None => self.base.clone(),
        }
    }

    /// Raises the cost of the last kind of shortfall, by a factor and up to a limit, of the demands of which more than
    /// `least` falls short though no path is `missing`.
    pub(super) fn penalise(&mut self, least: f64, by: f64, limit: f64, missing: impl Fn(usize) -> bool) {
        let Some(short) = self.short.last_mut() else { return };
        for j in (0..short.x.len()).filter(|j| short.x[*j] > least && !missing(*j)) {
            let more = short.cost[j] * (by - 1.0);
            if short.cost[j] + more <= limit {
                short.cost[j] += more;
                short.z[j] += more;
            }
        }
    }

    /// Raises the cost of a shortfall where the price of its demand comes near: it is to be more than any is worth.
    pub(super) fn raise(&mut self, by: f64, limit: f64) {
        let Some(short) = self.short.last_mut() else { return };
        for (j, y) in self.y.iter().enumerate() {
            let more = short.cost[j] * (by - 1.0);
            if *y > 0.5 * short.cost[j] && short.cost[j] + more <= limit {
                short.cost[j] += more;
                short.z[j] += more;
            }
        }
    }

    /// What a unit more of the common rate puts on the rows, and by how much more of its own price it is priced.
    pub(super) fn border(&self, scaling: &Scaling) -> Option<(Vec<f64>, f64)> {
        let rise = self.rise.as_ref()?;
        let mut w = vec![0.0; self.w.len()];
        for (j, slope) in rise.slope.iter().enumerate() {
            self.entries.own(j).for_each(|n| w[n] = scaling.paths[n] * slope / scaling.demand[j]);
        }
        let own: f64 = rise.slope.iter().zip(&scaling.demand).map(|(slope, by)| slope * slope / by).sum();
        Some((self.entries.loads(&w), own + rise.at / rise.room))
    }
}
