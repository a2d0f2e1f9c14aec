//! The basis of a split: the links that stay full while rates move between paths, and the basic variables.
//!
//! Each column is the value of a path beside its commodity's key, at the cost of the key, or the rate of a commodity on its
//! key.  Rows are links.  The inverse is dense; it has no more rows than links are shared by flows that split.

use super::super::super::fabric::NONE;

/// A smaller pivot makes a matrix singular.
const SINGULAR: f64 = 1e-9;

/// A basic variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The value of a path that is not its commodity's key.
    Path(u32),
    /// The rate of a commodity, on its key.
    Rate(u32),
}

/// Rows, columns, and the inverse of the matrix that they form.
#[derive(Debug, Default)]
pub(super) struct Basis {
    /// Link of each row.
    pub(super) tight: Vec<u32>,
    pub(super) columns: Vec<Column>,
    /// By column, then by row.
    pub(super) inverse: Vec<Vec<f64>>,
    /// Row of each link.
    pub(super) row: Vec<u32>,
}

/// Adds `factor` times the one to the other.
fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    if factor != 0.0 {
        to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
    }
}

impl Basis {
    pub(super) fn new(links: usize) -> Self {
        Basis { row: vec![NONE; links], ..Basis::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.tight.len()
    }

    pub(super) fn clear(&mut self) {
        for link in self.tight.drain(..) {
            self.row[link as usize] = NONE;
        }
        self.columns.clear();
        self.inverse.clear();
    }

    /// By column: its change where the rows' loads change by these.
    pub(super) fn solve(&self, load: &[(u32, f64)]) -> Vec<f64> {
        let part = |row: &Vec<f64>| load.iter().map(|(at, load)| row[*at as usize] * load).sum();
        self.inverse.iter().map(part).collect()
    }

    /// By row: the prices by which columns have these lengths.
    pub(super) fn prices(&self, of_columns: &[(u32, f64)]) -> Vec<f64> {
        let mut found = vec![0.0; self.len()];
        for (column, length) in of_columns {
            add(&mut found, *length, &self.inverse[*column as usize]);
        }
        found
    }

    /// Adds a link, by which prices of the rows are `prices` where its own is 1, and a column that solves to `solved` and has
    /// the length `pivot`.
    pub(super) fn grow(&mut self, link: u32, column: Column, solved: &[f64], prices: &[f64], pivot: f64) {
        for (row, part) in self.inverse.iter_mut().zip(solved) {
            add(row, -part / pivot, prices);
            row.push(-part / pivot);
        }
        let mut last: Vec<f64> = prices.iter().map(|price| price / pivot).collect();
        last.push(1.0 / pivot);
        self.inverse.push(last);
        self.row[link as usize] = self.len() as u32;
        self.tight.push(link);
        self.columns.push(column);
    }

    /// Removes a column and a row.
    pub(super) fn shrink(&mut self, column: u32, row: u32) {
        let (column, at) = (column as usize, row as usize);
        let gone = self.inverse.swap_remove(column);
        self.columns.swap_remove(column);
        for other in &mut self.inverse {
            let factor = -other[at] / gone[at];
            add(other, factor, &gone);
            other.swap_remove(at);
        }
        self.row[self.tight.swap_remove(at) as usize] = NONE;
        if let Some(moved) = self.tight.get(at) {
            self.row[*moved as usize] = row;
        }
    }

    /// Puts another column, which solves to `solved`, in the place of one.
    pub(super) fn replace_column(&mut self, at: u32, column: Column, solved: &[f64]) {
        let at = at as usize;
        let mut pivot = std::mem::take(&mut self.inverse[at]);
        pivot.iter_mut().for_each(|value| *value /= solved[at]);
        for (i, row) in self.inverse.iter_mut().enumerate() {
            if i != at {
                add(row, -solved[i], &pivot);
            }
        }
        self.inverse[at] = pivot;
        self.columns[at] = column;
    }

    /// Puts another link, by which prices of the rows are `prices` where its own is 1, in the place of one.
    pub(super) fn replace_row(&mut self, at: u32, link: u32, prices: &[f64]) {
        let place = at as usize;
        for row in &mut self.inverse {
            let own = -row[place] / prices[place];
            add(row, own, prices);
            row[place] = own;
        }
        self.row[std::mem::replace(&mut self.tight[place], link) as usize] = NONE;
        self.row[link as usize] = at;
    }

    /// Makes the path of column `at` its commodity's key: the column is now that of `old`, which was.  `others` are the
    /// commodity's other columns of paths, `rate` that of its rate.
    pub(super) fn exchange_key(&mut self, at: u32, old: u32, others: &[u32], rate: Option<u32>) {
        let mut row: Vec<f64> = self.inverse[at as usize].iter().map(|value| -value).collect();
        for other in others {
            add(&mut row, -1.0, &self.inverse[*other as usize]);
        }
        if let Some(rate) = rate {
            add(&mut row, 1.0, &self.inverse[rate as usize]);
        }
        self.inverse[at as usize] = row;
        self.columns[at as usize] = Column::Path(old);
    }

    /// Inverts the matrix, by row and column; returns whether it has an inverse.
    pub(super) fn invert(&mut self, mut matrix: Vec<Vec<f64>>) -> bool {
        let n = matrix.len();
        for (i, row) in matrix.iter_mut().enumerate() {
            row.extend((0..n).map(|k| f64::from(u8::from(k == i))));
        }
        for at in 0..n {
            let size = |row: &usize| matrix[*row][at].abs();
            let Some(best) = (at..n).max_by(|a, b| size(a).total_cmp(&size(b))) else { return false };
            if size(&best) < SINGULAR {
                return false;
            }
            matrix.swap(at, best);
            let mut pivot = std::mem::take(&mut matrix[at]);
            let first = pivot[at];
            pivot.iter_mut().for_each(|value| *value /= first);
            for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
                let factor = -row[at];
                add(row, factor, &pivot);
            }
            matrix[at] = pivot;
        }
        self.inverse = matrix.into_iter().map(|row| row[n..].to_vec()).collect();
        true
    }
}
