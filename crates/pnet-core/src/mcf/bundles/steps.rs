//! The iterate of the cheapest flow, its steps and its restarts.

use rayon::prelude::*;

use super::{Bundles, Served};
use crate::csr::Csr;
use crate::mcf::path_form::simplex::project;
use crate::mcf::path_form::state::{Cut, Side, balanced, reciprocal};
use crate::mcf::run::Restarts;

/// Demands at most, or links, handled by one task; fixed, so that sums have one order.
const CHUNK: usize = 512;

/// Restarted Halpern PDHG between splits and prices.
pub(super) struct State<'a> {
    bundles: &'a Bundles,
    cost: &'a [f64],
    served: Served,
    /// 1 / capacity, 0 where a link limits nothing.
    inverse: Vec<f64>,
    over: Csr<(u32, f64)>,
    split: Side,
    price: Side,
    /// `2 stepped - split` times the demand, the split at which prices are updated.
    reflected: Vec<f64>,
    /// Price by capacity, what a unit of load pays on each link.
    toll: Vec<f64>,
    omega: f64,
    restarts: Restarts,
}

impl<'a> State<'a> {
    /// Even splits, or none where nothing has to be served, and no prices.
    pub(super) fn new(bundles: &'a Bundles, cost: &'a [f64], served: Served) -> Self {
        let inverse: Vec<f64> = bundles.capacity.iter().map(|c| 1.0 / c).collect();
        let mut weight = vec![0.0; bundles.columns()];
        let mut split_step = vec![0.0; bundles.demand.len()];
        let mut load = vec![0.0; bundles.capacity.len()];
        for (j, demand) in bundles.demand.iter().enumerate() {
            let own = bundles.pair_ptr[j]..bundles.pair_ptr[j + 1];
            if served == Served::All {
                weight[own.clone()].fill(1.0 / own.len() as f64);
            }
            let mut widest: f64 = 0.0;
            for n in own {
                widest = widest.max(bundles.column(n).map(|(l, part)| part * inverse[l]).sum());
                bundles.column(n).for_each(|(l, part)| load[l] += part * demand);
            }
            // A demand that no link limits may go where it likes at once.
            split_step[j] = if widest > 0.0 { 1.0 / (demand * widest) } else { 1.0 };
        }
        let price_step: Vec<f64> =
            load.iter().zip(&inverse).map(|(load, inverse)| reciprocal(load * inverse)).collect();
        let links = bundles.capacity.len();
        let mut state = State {
            over: bundles.over(),
            reflected: vec![0.0; bundles.columns()],
            toll: vec![0.0; links],
            omega: 1.0,
            restarts: Restarts::default(),
            split: Side::new(weight, split_step),
            price: Side::new(vec![0.0; links], price_step),
            bundles,
            cost,
            served,
            inverse,
        };
        state.omega = state.balance();
        state
    }

    /// About how far prices will move, over how far splits will: a price as high as what a column is worth.
    fn balance(&self) -> f64 {
        let (mut worth, mut splits) = (0.0, 0.0);
        for (j, step) in self.split.step.iter().enumerate() {
            let own = self.bundles.pair_ptr[j]..self.bundles.pair_ptr[j + 1];
            let most = own.map(|n| self.cost[n].abs()).fold(0.0, f64::max);
            worth += most * self.bundles.demand[j] * step;
            splits += 1.0 / step;
        }
        worth /= self.split.step.len().max(1) as f64;
        let prices: f64 = self.price.step.iter().map(|step| reciprocal(*step)).sum();
        let found = worth * (prices / splits).sqrt();
        if found.is_finite() && found > 0.0 { found } else { 1.0 }
    }

    /// Iterations done.
    pub(super) fn iterations(&self) -> usize {
        self.restarts.iterations
    }

    /// The split after the last step.
    pub(super) fn weight(&self) -> &[f64] {
        &self.split.stepped
    }

    /// The lengths after the last step.
    pub(super) fn length(&self) -> Vec<f64> {
        self.price.stepped.iter().zip(&self.inverse).map(|(y, inverse)| y * inverse).collect()
    }

    /// One iteration.
    pub(super) fn iterate(&mut self) {
        let halpern = self.restarts.weight();
        let primal = self.move_splits(halpern);
        let dual = self.move_prices(halpern);
        if self.restarts.due((self.omega * primal + dual / self.omega).sqrt()) {
            self.restart();
        }
    }

    /// Every demand moves towards cheap columns; returns the squared, weighted distance.
    fn move_splits(&mut self, halpern: f64) -> f64 {
        let (bundles, cost, toll, served) = (self.bundles, self.cost, &self.toll, self.served);
        let tau = 1.0 / self.omega;
        let step = &self.split.step;
        let mut at = Cut(&mut self.split.at);
        let mut stepped = Cut(&mut self.split.stepped);
        let mut reflected = Cut(&mut self.reflected);
        let mut anchor = &self.split.anchor[..];
        let mut tasks = vec![];
        for first in (0..step.len()).step_by(CHUNK) {
            let demands = first..(first + CHUNK).min(step.len());
            let columns = bundles.pair_ptr[demands.end] - bundles.pair_ptr[demands.start];
            let (own, rest) = anchor.split_at(columns);
            anchor = rest;
            tasks.push((demands, at.take(columns), stepped.take(columns), reflected.take(columns), own));
        }
        let moved: Vec<f64> = tasks
            .into_par_iter()
            .map(|(demands, at, stepped, reflected, anchor)| {
                let first = bundles.pair_ptr[demands.start];
                let mut moved = 0.0;
                for j in demands {
                    let own = bundles.pair_ptr[j] - first..bundles.pair_ptr[j + 1] - first;
                    let size = bundles.demand[j];
                    let pace = tau * step[j] * size;
                    for i in own.clone() {
                        let n = first + i;
                        let tolls: f64 = bundles.column(n).map(|(l, part)| part * toll[l]).sum();
                        stepped[i] = at[i] - pace * (cost[n] + tolls);
                    }
                    let part = &mut stepped[own.clone()];
                    if served == Served::All || part.iter().map(|w| w.max(0.0)).sum::<f64>() > 1.0 {
                        project(part);
                    } else {
                        part.iter_mut().for_each(|w| *w = w.max(0.0));
                    }
                    let mut squares = 0.0;
                    for i in own {
                        let (old, new) = (at[i], stepped[i]);
                        let bar = 2.0 * new - old;
                        squares += (new - old) * (new - old);
                        reflected[i] = size * bar;
                        at[i] = halpern * bar + (1.0 - halpern) * anchor[i];
                    }
                    moved += squares / step[j];
                }
                moved
            })
            .collect();
        moved.iter().sum()
    }

    /// Every link moves its price with its load; returns the squared, weighted distance.
    fn move_prices(&mut self, halpern: f64) -> f64 {
        let (inverse, step, omega) = (&self.inverse, &self.price.step, self.omega);
        let (over, reflected) = (&self.over, &self.reflected);
        let links = self.price.at.par_chunks_mut(CHUNK).zip(self.price.stepped.par_chunks_mut(CHUNK));
        let links = links.zip(self.price.anchor.par_chunks(CHUNK)).zip(self.toll.par_chunks_mut(CHUNK));
        let moved: Vec<f64> = links
            .enumerate()
            .map(|(chunk, (((at, stepped), anchor), toll))| {
                let mut moved = 0.0;
                for i in 0..at.len() {
                    let l = chunk * CHUNK + i;
                    if step[l] == 0.0 {
                        continue;
                    }
                    let load: f64 = over.of(l).iter().map(|(n, part)| part * reflected[*n as usize]).sum();
                    let old = at[i];
                    let new = (old + omega * step[l] * (load * inverse[l] - 1.0)).max(0.0);
                    moved += (new - old) * (new - old) / step[l];
                    stepped[i] = new;
                    at[i] = halpern * (2.0 * new - old) + (1.0 - halpern) * anchor[i];
                    toll[i] = at[i] * inverse[l];
                }
                moved
            })
            .collect();
        moved.iter().sum()
    }

    /// Starts afresh from the last step, and balances the primal weight.
    fn restart(&mut self) {
        let mut primal = 0.0;
        for (j, step) in self.split.step.iter().enumerate() {
            let own = self.bundles.pair_ptr[j]..self.bundles.pair_ptr[j + 1];
            let moved = own.map(|n| (self.split.stepped[n] - self.split.anchor[n]).powi(2));
            primal += moved.sum::<f64>() / step;
        }
        let prices = self.price.stepped.iter().zip(&self.price.anchor).zip(&self.price.step);
        let dual: f64 = prices.map(|((new, old), step)| (new - old) * (new - old) * reciprocal(*step)).sum();
        self.omega = balanced(self.omega, primal, dual);
        for side in [&mut self.split, &mut self.price] {
            side.at.copy_from_slice(&side.stepped);
            side.anchor.copy_from_slice(&side.stepped);
        }
        for (toll, (y, inverse)) in self.toll.iter_mut().zip(self.price.at.iter().zip(&self.inverse)) {
            *toll = y * inverse;
        }
        self.restarts.done();
    }
}
