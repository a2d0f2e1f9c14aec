//! The iterate of the cheapest flow.

use rayon::prelude::*;

use super::problem::Columns;
use crate::csr::Csr;
use crate::mcf::pdhg::split::{CHUNK, Prices, Side, Splits, reciprocal};
use crate::mcf::pdhg::{Halpern, Iteration, Step};

/// Splits and prices.
pub(in crate::mcf) struct State<'a, C: Columns> {
    columns: &'a C,
    cost: &'a [f64],
    least: f64,
    over: Csr<C::Entry>,
    splits: Splits<'a>,
    prices: Prices,
    halpern: Halpern,
}

/// The iterate without the problem, whose columns may change.
pub(in crate::mcf) struct Iterate {
    split: Side,
    price: Side,
    halpern: Halpern,
}

impl Iterate {
    /// Iterations done.
    pub(in crate::mcf) fn iterations(&self) -> usize {
        self.halpern.iterations
    }

    /// Whether column `n` carries traffic.
    pub(in crate::mcf) fn used(&self, n: usize) -> bool {
        self.split.at[n] > 0.0 || self.split.anchor[n] > 0.0
    }

    /// Continues on these columns of the problem, and new ones without traffic.
    pub(in crate::mcf) fn choose(&mut self, from: &[u32]) {
        self.split.choose(from);
    }
}

impl<'a, C: Columns> State<'a, C> {
    /// Even splits of the `least` part of each demand, and no prices; a unit of each column costs `cost`.
    pub(in crate::mcf) fn new(columns: &'a C, cost: &'a [f64], least: f64) -> Self {
        let mut weight = vec![0.0; cost.len()];
        for own in columns.pair_ptr().windows(2) {
            weight[own[0]..own[1]].fill(least / (own[1] - own[0]) as f64);
        }
        let price = Side::new(vec![0.0; columns.capacity().len()]);
        let iterate = Iterate { split: Side::new(weight), price, halpern: Halpern::new(1.0) };
        let mut state = State::resume(columns, cost, least, iterate, usize::MAX);
        state.halpern = Halpern::new(first_weight(columns, cost, state.splits.steps(), &state.prices.step));
        state
    }

    /// Continues from an iterate, with about `grain` columns for a task.
    pub(in crate::mcf) fn resume(columns: &'a C, cost: &'a [f64], least: f64, from: Iterate, grain: usize) -> Self {
        let inverse: Vec<f64> = columns.capacity().iter().map(|c| 1.0 / c).collect();
        let mut split_step = vec![0.0; columns.demand().len()];
        let mut load = vec![0.0; inverse.len()];
        for (j, demand) in columns.demand().iter().enumerate() {
            let mut widest: f64 = 0.0;
            for n in columns.pair_ptr()[j]..columns.pair_ptr()[j + 1] {
                widest = widest.max(columns.column(n).map(|(l, part)| part * inverse[l]).sum());
                columns.column(n).for_each(|(l, part)| load[l] += part * demand);
            }
            // A demand that no link limits may move at once.
            split_step[j] = if widest > 0.0 { 1.0 / (demand * widest) } else { 1.0 };
        }
        let price_step: Vec<f64> =
            load.iter().zip(&inverse).map(|(load, inverse)| reciprocal(load * inverse)).collect();
        let Iterate { split, price, halpern } = from;
        let each = cost.len().div_ceil(split_step.len().max(1)).max(1);
        let demands = (grain / each).clamp(1, CHUNK);
        let splits = Splits::new(split, split_step, columns.pair_ptr(), demands);
        let prices = Prices::new(price, price_step, inverse);
        State { columns, cost, least, over: columns.over(), splits, prices, halpern }
    }

    /// The iterate alone.
    pub(in crate::mcf) fn release(self) -> Iterate {
        Iterate { split: self.splits.side, price: self.prices.side, halpern: self.halpern }
    }

    /// Iterations done.
    pub(in crate::mcf) fn iterations(&self) -> usize {
        self.halpern.iterations
    }

    /// The split after the last step.
    pub(in crate::mcf) fn weight(&self) -> &[f64] {
        &self.splits.side.stepped
    }

    /// The lengths after the last step.
    pub(in crate::mcf) fn length(&self) -> Vec<f64> {
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
                    let load = over.of(l).iter().map(|entry| {
                        let (n, part) = C::parts(*entry);
                        part * reflected[n]
                    });
                    let old = at[i];
                    let new = (old + by.sigma * step[l] * (load.sum::<f64>() * inverse[l] - 1.0)).max(0.0);
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

impl<C: Columns> Iteration for State<'_, C> {
    fn halpern(&mut self) -> &mut Halpern {
        &mut self.halpern
    }

    fn step(&mut self, by: Step) -> (f64, f64) {
        let (columns, cost, length) = (self.columns, self.cost, &self.prices.length[..]);
        let price = move |n: usize| cost[n] + columns.column(n).map(|(l, part)| part * length[l]).sum::<f64>();
        let primal = self.splits.step(by, self.least, move |j| columns.demand()[j], price);
        (primal, self.move_prices(by))
    }

    fn restart(&mut self) -> (f64, f64) {
        (self.splits.restart(), self.prices.restart())
    }
}

/// An estimate of the distance that prices move over that of splits: a price as high as the cost of a column.
fn first_weight(columns: &impl Columns, cost: &[f64], split_step: &[f64], price_step: &[f64]) -> f64 {
    let (mut worth, mut splits) = (0.0, 0.0);
    for (j, step) in split_step.iter().enumerate() {
        let own = columns.pair_ptr()[j]..columns.pair_ptr()[j + 1];
        let most = own.map(|n| cost[n].abs()).fold(0.0, f64::max);
        worth += most * columns.demand()[j] * step;
        splits += 1.0 / step;
    }
    worth /= split_step.len().max(1) as f64;
    let prices: f64 = price_step.iter().map(|step| reciprocal(*step)).sum();
    let weight = worth * (prices / splits).sqrt();
    if weight.is_finite() && weight > 0.0 { weight } else { 1.0 }
}
