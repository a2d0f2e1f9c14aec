//! The iterate of the cheapest flow.

use rayon::prelude::*;

use super::problem::{Bundles, Served};
use crate::csr::Csr;
use crate::mcf::pdhg::split::{CHUNK, Prices, Side, Splits, reciprocal};
use crate::mcf::pdhg::{Halpern, Iteration, Step};

/// Splits and prices.
pub(super) struct State<'a> {
    bundles: &'a Bundles,
    cost: &'a [f64],
    served: Served,
    over: Csr<(u32, f64)>,
    splits: Splits<'a>,
    prices: Prices,
    pub(super) halpern: Halpern,
}

impl<'a> State<'a> {
    /// Even splits, or no traffic where none has to be served, and no prices.
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
            // A demand that no link limits may move at once.
            split_step[j] = if widest > 0.0 { 1.0 / (demand * widest) } else { 1.0 };
        }
        let price_step: Vec<f64> =
            load.iter().zip(&inverse).map(|(load, inverse)| reciprocal(load * inverse)).collect();
        let halpern = Halpern::new(first_weight(bundles, cost, &split_step, &price_step));
        let prices = Prices::new(Side::new(vec![0.0; load.len()]), price_step, inverse);
        let splits = Splits::new(Side::new(weight), split_step, &bundles.pair_ptr, CHUNK);
        State { bundles, cost, served, over: bundles.over(), splits, prices, halpern }
    }

    /// The split after the last step.
    pub(super) fn weight(&self) -> &[f64] {
        &self.splits.side.stepped
    }

    /// The lengths after the last step.
    pub(super) fn length(&self) -> Vec<f64> {
        self.prices.stepped_lengths()
    }

    /// Moves every price with the load of its link; returns the squared, weighted distance.
    fn move_prices(&mut self, by: Step) -> f64 {
        let Prices { side, step, inverse, length } = &mut self.prices;
        let (step, inverse) = (&step[..], &inverse[..]);
        let (over, reflected) = (&self.over, &self.splits.reflected[..]);
        let links = side.at.par_chunks_mut(CHUNK).zip(side.stepped.par_chunks_mut(CHUNK));
        let links = links.zip(side.anchor.par_chunks(CHUNK)).zip(length.par_chunks_mut(CHUNK));
        let moved: Vec<f64> = links
            .enumerate()
            .map(move |(chunk, (((at, stepped), anchor), length))| {
                let mut moved = 0.0;
                for i in 0..at.len() {
                    let l = chunk * CHUNK + i;
                    if step[l] == 0.0 {
                        continue;
                    }
                    let load: f64 = over.of(l).iter().map(|(n, part)| part * reflected[*n as usize]).sum();
                    let old = at[i];
                    let new = (old + by.sigma * step[l] * (load * inverse[l] - 1.0)).max(0.0);
                    moved += (new - old) * (new - old) / step[l];
                    stepped[i] = new;
                    at[i] = by.weight * (2.0 * new - old) + (1.0 - by.weight) * anchor[i];
                    length[i] = at[i] * inverse[l];
                }
                moved
            })
            .collect();
        moved.iter().sum()
    }
}

impl Iteration for State<'_> {
    fn halpern(&mut self) -> &mut Halpern {
        &mut self.halpern
    }

    fn step(&mut self, by: Step) -> (f64, f64) {
        let (bundles, cost, length) = (self.bundles, self.cost, &self.prices.length[..]);
        let price = move |n: usize| cost[n] + bundles.column(n).map(|(l, part)| part * length[l]).sum::<f64>();
        let primal = self.splits.step(by, self.served == Served::Any, move |j| bundles.demand[j], price);
        (primal, self.move_prices(by))
    }

    fn restart(&mut self) -> (f64, f64) {
        (self.splits.restart(), self.prices.restart())
    }
}

/// An estimate of the distance that prices move over that of splits: a price as high as the cost of a column.
fn first_weight(bundles: &Bundles, cost: &[f64], split_step: &[f64], price_step: &[f64]) -> f64 {
    let (mut worth, mut splits) = (0.0, 0.0);
    for (j, step) in split_step.iter().enumerate() {
        let own = bundles.pair_ptr[j]..bundles.pair_ptr[j + 1];
        let most = own.map(|n| cost[n].abs()).fold(0.0, f64::max);
        worth += most * bundles.demand[j] * step;
        splits += 1.0 / step;
    }
    worth /= split_step.len().max(1) as f64;
    let prices: f64 = price_step.iter().map(|step| reciprocal(*step)).sum();
    let weight = worth * (prices / splits).sqrt();
    if weight.is_finite() && weight > 0.0 { weight } else { 1.0 }
}
