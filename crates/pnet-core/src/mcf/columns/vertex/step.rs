//! The step from a vertex to a neighbouring one: what enters, how far it goes, what stops it and leaves.

use super::basis::{Basis, Entering, RATE, put};
use super::matrix::{NONE, Stops};

/// What stops it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Block {
    /// It is back at 0.
    Own,
    Column(u32),
    /// The key path of a demand.
    Key(u32),
    Link(u32),
}

/// What changes with one unit of what enters.
struct Direction {
    /// What the inverse makes of the entering column: as it is, by which the inverse changes, so that it makes a unit vector
    /// of this column however inexact it is otherwise; and as it is with what it misses, by which flows change.
    product: Vec<f64>,
    column: Vec<f64>,
    rate: f64,
    /// Of the key paths of demands that have others in what changes, beside what they rise by.
    key: Vec<(u32, f64)>,
    /// Of the load of each link.
    load: Vec<f64>,
}

impl Basis {
    /// Moves what enters up, or down where `sign` is -1, until something stops it, which leaves the basis; returns the step,
    /// and None where nothing does, or what does is slower than the part `slowest` of the fastest path.
    pub(super) fn step(&mut self, entering: Entering, sign: f64, slowest: f64) -> Option<f64> {
        let direction = self.direction(entering, sign);
        let (step, block) = self.block(entering, sign, slowest, &direction)?;
        self.t += step * direction.rate;
        for (c, n) in self.columns.iter().enumerate().filter(|(_, n)| **n != RATE) {
            self.x[*n as usize] -= sign * step * direction.column[c];
        }
        for (j, change) in &direction.key {
            self.x[self.key[*j as usize] as usize] += step * change;
        }
        for l in (0..self.matrix.slack.len()).filter(|l| self.matrix.row[*l] == NONE) {
            self.matrix.slack[l] -= step * direction.load[l];
        }
        match entering {
            Entering::Path(n) => self.x[n as usize] += sign * step,
            Entering::Slack(r) => self.matrix.slack[self.matrix.rows[r as usize] as usize] += step,
            Entering::Rate => {}
        }
        self.pivot(entering, direction.product, block);
        Some(step)
    }

    fn direction(&self, entering: Entering, sign: f64) -> Direction {
        let product = self.product(entering);
        let column = self.corrected(entering, &product);
        let rate = match self.matrix.rate {
            Some(c) => -sign * column[c as usize],
            None => f64::from(u8::from(entering == Entering::Rate)),
        };
        let mut load: Vec<f64> = self.rising.iter().map(|by| by * rate).collect();
        let mut others: Vec<(u32, f64)> = vec![];
        let mut change = |n: u32, by: f64| {
            others.push((self.demand[n as usize], -by));
            put(&mut load, &self.per, self.paths.links(n), by);
        };
        let columns = self.columns.iter().zip(&column).filter(|(n, by)| **n != RATE && **by != 0.0);
        columns.for_each(|(n, by)| change(*n, -sign * by));
        if let Entering::Path(n) = entering {
            change(n, sign);
        }
        others.sort_by_key(|(j, _)| *j);
        let of_demand = |some: &[(u32, f64)]| (some[0].0, some.iter().map(|(_, by)| by).sum());
        let key: Vec<(u32, f64)> = others.chunk_by(|a, b| a.0 == b.0).map(of_demand).collect();
        for (j, by) in &key {
            put(&mut load, &self.per, self.paths.links(self.key[*j as usize]), *by);
        }
        Direction { product, column, rate, key, load }
    }

    /// What the inverse makes of the column of what enters, corrected by what the matrix does not make of that.
    fn corrected(&self, entering: Entering, product: &[f64]) -> Vec<f64> {
        let mut missing = vec![0.0; self.matrix.rows.len()];
        self.for_each_entry(entering, |r, value| missing[r as usize] += value);
        for (n, by) in self.columns.iter().zip(product).filter(|(_, by)| **by != 0.0) {
            let column = if *n == RATE { Entering::Rate } else { Entering::Path(*n) };
            self.for_each_entry(column, |r, value| missing[r as usize] -= by * value);
        }
        self.matrix.corrected(product, missing)
    }

    /// How far it can go, and what stops it.
    fn block(&self, entering: Entering, sign: f64, slowest: f64, direction: &Direction) -> Option<(f64, Block)> {
        let paths = self.columns.iter().zip(&direction.column).filter(|(n, _)| **n != RATE);
        let entered = if entering == Entering::Rate { self.steepest } else { 1.0 };
        let fastest = paths.fold(entered, |most: f64, (_, by)| most.max(by.abs()));
        let mut stops = Stops::new(fastest, slowest);
        let mut own = NONE;
        if let Entering::Path(n) = entering {
            own = self.demand[n as usize];
            stops.consider(self.x[n as usize], -sign, Block::Own);
        }
        for ((c, n), by) in (0..).zip(&self.columns).zip(&direction.column).filter(|((_, n), _)| **n != RATE) {
            stops.consider(self.x[*n as usize], sign * by, Block::Column(c));
        }
        let still = stops.still();
        // A path that carries all of a demand ends with the demand alone.
        let mut of_key = |j: u32, by: f64| {
            if by < 0.0 && (j == own || !self.others[j as usize].is_empty()) {
                stops.consider(self.carries(self.key[j as usize]), -by, Block::Key(j));
            }
        };
        let rises = |j: u32| self.slope[j as usize] * direction.rate;
        direction.key.iter().for_each(|(j, by)| of_key(*j, rises(*j) + by));
        if -direction.rate * self.steepest > still {
            let still_rises = |j: &u32| direction.key.binary_search_by_key(j, |(j, _)| *j).is_err();
            (0..self.key.len() as u32).filter(still_rises).for_each(|j| of_key(j, rises(j)));
        }
        for (l, by) in (0..).zip(&direction.load).filter(|(l, by)| **by > 0.0 && self.matrix.row[*l as usize] == NONE) {
            stops.consider(self.matrix.slack[l as usize], *by, Block::Link(l));
        }
        stops.first()
    }

    fn pivot(&mut self, entering: Entering, product: Vec<f64>, block: Block) {
        match block {
            Block::Own => self.empty(entering),
            Block::Column(c) => self.replace(entering, &product, c),
            Block::Link(l) => {
                let row = self.row_of(l);
                self.matrix.slack[l as usize] = 0.0;
                if let Entering::Slack(r) = entering {
                    self.matrix.replace_row(r, l, &row);
                } else {
                    let n = if let Entering::Path(n) = entering { n } else { RATE };
                    self.matrix.append(l, &product, &row, self.entry(n, l));
                    self.columns.push(RATE);
                    self.install(entering, self.columns.len() as u32 - 1);
                }
            }
            Block::Key(j) => {
                if let Entering::Path(n) = entering
                    && self.demand[n as usize] == j
                {
                    // The columns of its demand are measured from the key path.
                    let mut row = vec![0.0; self.columns.len()];
                    self.others[j as usize].iter().for_each(|n| row[self.column[*n as usize] as usize] = -1.0);
                    if let Some(c) = self.matrix.rate {
                        row[c as usize] = self.slope[j as usize];
                    }
                    self.matrix.inverse.add_outer(&product, &row);
                    let old = self.make_key(j, n);
                    self.x[old as usize] = 0.0;
                } else if let Some(c) = self.swap(j) {
                    let product = self.product(entering);
                    self.replace(entering, &product, c);
                }
            }
        }
    }

    /// The key path of a demand changes places with the fullest of its others; returns the column in which it is then.
    fn swap(&mut self, j: u32) -> Option<u32> {
        let others = &self.others[j as usize];
        let fullest = |a: &u32, b: &u32| self.carries(*a).total_cmp(&self.carries(*b)).then(b.cmp(a));
        let new = others.iter().copied().max_by(fullest)?;
        let c = self.column[new as usize];
        let mut factors: Vec<(u32, f64)> = others.iter().map(|n| (self.column[*n as usize], -1.0)).collect();
        factors.extend(self.matrix.rate.map(|rate| (rate, self.slope[j as usize])));
        self.matrix.inverse.combine(c as usize, &factors);
        let old = self.make_key(j, new);
        self.others[j as usize].iter_mut().filter(|n| **n == new).for_each(|n| *n = old);
        (self.column[new as usize], self.column[old as usize]) = (NONE, c);
        self.columns[c as usize] = old;
        Some(c)
    }

    /// What enters takes the place of the path in a column.
    fn replace(&mut self, entering: Entering, product: &[f64], c: u32) {
        self.empty(Entering::Path(self.columns[c as usize]));
        if let Entering::Slack(r) = entering {
            self.remove(r, c);
        } else {
            self.matrix.inverse.replace_column(c as usize, product);
            self.install(entering, c);
        }
    }

    /// A path is out of the basis, with no flow.
    fn empty(&mut self, leaving: Entering) {
        if let Entering::Path(n) = leaving {
            self.x[n as usize] = 0.0;
            self.column[n as usize] = NONE;
            self.others[self.demand[n as usize] as usize].retain(|other| *other != n);
        }
    }

    fn install(&mut self, entering: Entering, c: u32) {
        match entering {
            Entering::Path(n) => {
                self.columns[c as usize] = n;
                self.column[n as usize] = c;
                self.others[self.demand[n as usize] as usize].push(n);
            }
            Entering::Rate => {
                self.columns[c as usize] = RATE;
                self.matrix.rate = Some(c);
            }
            Entering::Slack(_) => {}
        }
    }

    /// A row and a column, of which neither is in use any more.
    pub(super) fn remove(&mut self, r: u32, c: u32) {
        self.matrix.remove(r, c);
        self.columns.swap_remove(c as usize);
        if let Some(n) = self.columns.get(c as usize).filter(|n| **n != RATE) {
            self.column[*n as usize] = c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcf::columns::price::Path;

    #[test]
    fn a_small_pivot_can_be_refused() {
        // Links of 1 and 1e8, of which a second demand fills the larger one.
        let path = |link: u32, flow: f64| (Path { place: link, links: vec![link] }, flow);
        let paths = vec![vec![path(0, 0.5), path(1, 0.0)], vec![path(1, 1e8)]];
        let mut basis = Basis::new(vec![1.0, 1e-8], vec![1.0, 2e8], 0.5, paths);
        assert!(basis.step(Entering::Path(1), 1.0, 1e-6).is_none() && basis.tight() == 0);
        assert!(basis.step(Entering::Path(1), 1.0, 0.0) == Some(0.0) && basis.tight() == 1);
    }
}
