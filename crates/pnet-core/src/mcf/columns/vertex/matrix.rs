//! The working basis, which is left once keys carry what others leave: the tight links, and the inverse of their rows.

use super::inverse::Inverse;

/// What is in no row, or in no column.
pub(in crate::mcf::columns) const NONE: u32 = u32::MAX;
/// Errors of prices, as a part of t, and of loads that need no correction.
pub(in crate::mcf::columns) const NEGLIGIBLE: f64 = 1e-14;
/// What is slower than this part of the fastest path does not stop a step, up to a limit.
const STILL: f64 = 1e-9;
const SLOW: f64 = 1e-3;
/// How far below 0 a step may take what it does not stop at (Harris 1973): of what stops a step at about the same point the one
/// that changes fastest is the one.
const BELOW: f64 = 1e-15;

/// A square matrix with a row for each link that is tight, and a column for each path or arc in the basis that is no key,
/// and for the rate.
pub(in crate::mcf::columns) struct Matrix {
    /// The column of the rate.
    pub(in crate::mcf::columns) rate: Option<u32>,
    /// The link of each row, and the row of each link.
    pub(in crate::mcf::columns) rows: Vec<u32>,
    pub(in crate::mcf::columns) row: Vec<u32>,
    /// What is left of each link.
    pub(in crate::mcf::columns) slack: Vec<f64>,
    pub(in crate::mcf::columns) inverse: Inverse,
}

impl Matrix {
    /// No link is tight.
    pub(in crate::mcf::columns) fn new(links: usize) -> Self {
        Matrix {
            rate: None,
            rows: vec![],
            row: vec![NONE; links],
            slack: vec![1.0; links],
            inverse: Inverse::default(),
        }
    }

    /// Number of tight links.
    pub(in crate::mcf::columns) fn tight(&self) -> usize {
        self.rows.len()
    }

    /// The column of the rate, which is to leave, and the row in which it has the largest part.
    pub(in crate::mcf::columns) fn rate_leaves(&mut self) -> Option<(u32, u32)> {
        let c = self.rate.take()?;
        let part = |r: u32| self.inverse.of(r as usize)[c as usize].abs();
        let largest = (0..self.rows.len() as u32).max_by(|a, b| part(*a).total_cmp(&part(*b)).then(b.cmp(a)));
        largest.map(|r| (r, c))
    }

    /// Length of each link: how much its capacity is worth, in t, for a unit of flow, which loads it by `per`.
    ///
    /// Where that is more than the part `close` of t, they are corrected by what columns lack then, of which the largest, in t,
    /// comes with them: what the rate lacks counts `t` times, what others do as often as there are units of flow in `all`.
    pub(in crate::mcf::columns) fn lengths(
        &self,
        per: &[f64],
        (t, all): (f64, f64),
        close: f64,
        missing: impl Fn(&[f64]) -> Vec<f64>,
    ) -> (Vec<f64>, f64) {
        let mut length = vec![0.0; per.len()];
        let Some(c) = self.rate else { return (length, 0.0) };
        let add = |prices: &mut dyn Iterator<Item = f64>, length: &mut [f64]| {
            for (price, l) in prices.zip(&self.rows) {
                length[*l as usize] += price * per[*l as usize];
            }
        };
        add(&mut self.inverse.row(c as usize), &mut length);
        let error = |missing: &[f64]| {
            let lacks = |(c, missing): (u32, &f64)| if Some(c) == self.rate { missing * t } else { missing * all };
            (0..).zip(missing).map(lacks).fold(0.0, |worst: f64, lacks| worst.max(lacks.abs()))
        };
        let lacking = missing(&length);
        let before = error(&lacking);
        if before > close * t {
            let mut corrected = length.clone();
            add(&mut self.inverse.before(&lacking).into_iter(), &mut corrected);
            let after = error(&missing(&corrected));
            if after < before {
                return (corrected, after);
            }
        }
        (length, before)
    }

    /// What the whole of each tight link is worth, in t.
    pub(in crate::mcf::columns) fn prices(&self, per: &[f64], length: &[f64]) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|l| length[*l as usize] / per[*l as usize])
    }

    /// What the inverse makes of a column, corrected by what the matrix does not make of that: `missing` in each row.
    pub(in crate::mcf::columns) fn corrected(&self, product: &[f64], missing: Vec<f64>) -> Vec<f64> {
        let missing: Vec<(u32, f64)> = (0..).zip(missing).filter(|(_, missing)| missing.abs() > NEGLIGIBLE).collect();
        product.iter().zip(self.inverse.times(&missing)).map(|(product, more)| product + more).collect()
    }

    /// What columns are to change by so that tight links carry what they did, where some do not by more than `uneven`; what is
    /// left of the others is clear then.
    pub(in crate::mcf::columns) fn settle(&mut self, load: &[f64], uneven: f64) -> Option<Vec<f64>> {
        let missing = self.rows.iter().zip(0..).map(|(l, r)| (r, 1.0 - self.slack[*l as usize] - load[*l as usize]));
        let missing: Vec<(u32, f64)> = missing.collect();
        let even = missing.iter().all(|(_, missing)| missing.abs() <= uneven);
        for l in (0..load.len()).filter(|l| even || self.row[*l] == NONE) {
            self.slack[l] = 1.0 - load[l];
        }
        (!even).then(|| self.inverse.times(&missing))
    }

    /// A link is tight, of which columns have the entries of `row`: its row takes the place of that of another one.
    pub(in crate::mcf::columns) fn replace_row(&mut self, r: u32, l: u32, row: &[f64]) {
        let product = self.inverse.before(row);
        self.inverse.replace_row(r as usize, &product);
        self.row[self.rows[r as usize] as usize] = NONE;
        self.rows[r as usize] = l;
        self.row[l as usize] = r;
    }

    /// A link is tight, and a column is added, of which the inverse makes `product` without its `last` entry.
    pub(in crate::mcf::columns) fn append(&mut self, l: u32, product: &[f64], row: &[f64], last: f64) {
        self.inverse.append(product, row, last);
        self.row[l as usize] = self.rows.len() as u32;
        self.rows.push(l);
    }

    /// A row and a column, of which neither is in use any more; the last ones take their places.
    pub(in crate::mcf::columns) fn remove(&mut self, r: u32, c: u32) {
        self.inverse.remove(r as usize, c as usize);
        self.row[self.rows.swap_remove(r as usize) as usize] = NONE;
        if let Some(l) = self.rows.get(r as usize) {
            self.row[*l as usize] = r;
        }
        if self.rate == Some(self.rows.len() as u32) {
            self.rate = Some(c);
        }
    }
}

/// What may stop a step: how much is left until then, and how fast that gets less.
pub(in crate::mcf::columns) struct Stops<B> {
    still: f64,
    slowest: f64,
    found: Vec<(f64, f64, B)>,
}

impl<B> Stops<B> {
    /// None yet; what stops it is to be as fast as the part `slowest` of the fastest change.
    pub(in crate::mcf::columns) fn new(fastest: f64, slowest: f64) -> Self {
        Stops { still: (STILL * fastest).min(SLOW), slowest: slowest * fastest, found: vec![] }
    }

    /// What is slower does not count.
    pub(in crate::mcf::columns) fn still(&self) -> f64 {
        self.still
    }

    pub(in crate::mcf::columns) fn consider(&mut self, left: f64, speed: f64, block: B) {
        if speed > self.still {
            self.found.push((left, speed, block));
        }
    }

    /// How far a step can go, and what stops it.
    pub(in crate::mcf::columns) fn first(self) -> Option<(f64, B)> {
        let most = self.found.iter().map(|(left, speed, _)| (left.max(0.0) + BELOW) / speed);
        let most = most.fold(f64::INFINITY, f64::min);
        let near = self.found.into_iter().filter(|(left, speed, _)| left.max(0.0) / speed <= most);
        let best = near.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let best = best.filter(|(_, speed, _)| *speed >= self.slowest);
        best.map(|(left, speed, block)| (left.max(0.0) / speed, block))
    }
}
