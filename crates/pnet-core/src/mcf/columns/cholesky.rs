//! Cholesky factor of a dense symmetric matrix, with rows below it that take part.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::mcf::lanes::{LANES, Lane, add, all, multiply, subtract as minus};

/// Columns that are eliminated together.
const PANEL: usize = 48;

/// Rows that one task updates, and rows and columns whose values stay in registers meanwhile.
const TASK: usize = 32;
const GROUP: usize = 4;
const TILE: usize = 2 * LANES;

/// Neighbouring columns of a row.
type Tile = [Lane; 2];

/// A pivot below this part of its diagonal entry belongs to a row that depends on those before it, and is skipped.
const DEPENDENT: f64 = 1e-15;

/// The pivot of a skipped row: practically infinite, so that its unknown becomes 0.
pub(super) const SKIPPED: f64 = 1e150;

/// Rows of equal width.
pub(super) struct Block {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Block {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Block { width, values: vec![0.0; rows * width] }
    }

    #[inline]
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// Factors the square on top from its column `start` on, and solves for the rows below it; returns whether it did, and
/// `stop` did not end it.
pub(super) fn eliminate(block: &mut Block, start: usize, mut stop: impl FnMut() -> bool) -> bool {
    let n = block.width;
    let diagonal: Vec<f64> = (0..n).map(|i| block.values[i * n + i]).collect();
    let mut panel = vec![];
    for first in (start..n).step_by(PANEL) {
        if stop() {
            return false;
        }
        let end = (first + PANEL).min(n);
        let (top, below) = block.values.split_at_mut(end * n);
        for i in first..end {
            let (above, row) = top.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in first..i {
                let other = &above[j * n..(j + 1) * n];
                row[j] = (row[j] - dot(&row[first..j], &other[first..j])) / other[j];
            }
            let pivot = row[i] - dot(&row[first..i], &row[first..i]);
            row[i] = if pivot > DEPENDENT * diagonal[i] { pivot.sqrt() } else { SKIPPED };
        }
        below.par_chunks_mut(n).for_each(|row| {
            for j in first..end {
                let other = &top[j * n..(j + 1) * n];
                row[j] = (row[j] - dot(&row[first..j], &other[first..j])) / other[j];
            }
        });
        // The panel within the square, transposed, so that the update runs along rows: tile by tile.
        let right = n - end;
        panel.clear();
        panel.resize(right.div_ceil(TILE) * (end - first), Tile::default());
        for i in 0..right {
            for (k, value) in below[i * n + first..i * n + end].iter().enumerate() {
                let tile = &mut panel[i / TILE * (end - first) + k];
                tile[i % TILE / LANES][i % LANES] = *value;
            }
        }
        if right > 0 {
            below.par_chunks_mut(n * TASK).enumerate().for_each(|(task, rows)| {
                let own = |i: usize| (task * TASK + i + 1).min(right);
                let mut groups = rows.chunks_exact_mut(n * GROUP);
                let mut i = 0;
                for group in &mut groups {
                    i += GROUP;
                    update::<GROUP>(group, n, first..end, own(i - 1), &panel);
                }
                for row in groups.into_remainder().chunks_mut(n) {
                    update::<1>(row, n, first..end, own(i), &panel);
                    i += 1;
                }
            });
        }
    }
    true
}

/// Subtracts, from rows of width `n`, the sum of the rows of `panel`, each times its factor in the columns `done`: up to column
/// `upto` after these, or to the end of a tile.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn update<const ROWS: usize>(rows: &mut [f64], n: usize, done: Range<usize>, upto: usize, panel: &[Tile]) {
    let depth = done.len();
    let mut factor = [[0.0; ROWS]; PANEL];
    for (r, row) in rows.chunks(n).enumerate() {
        for (k, value) in row[done.clone()].iter().enumerate() {
            factor[k][r] = *value;
        }
    }
    let (fours, rest) = factor[..depth].as_chunks::<4>();
    for (t, panel) in panel.chunks(depth).take(upto.div_ceil(TILE)).enumerate() {
        let first = done.end + t * TILE;
        let width = TILE.min(n - first);
        let mut sum = [Tile::default(); ROWS];
        for (sum, row) in sum.iter_mut().zip(rows.chunks(n)) {
            sum.as_flattened_mut()[..width].copy_from_slice(&row[first..first + width]);
        }
        let (four_columns, columns) = panel.as_chunks::<4>();
        for (f, [a, b, c, d]) in fours.iter().zip(four_columns) {
            for r in 0..ROWS {
                let factor = [all(f[0][r]), all(f[1][r]), all(f[2][r]), all(f[3][r])];
                for half in 0..2 {
                    let front = add(multiply(factor[0], a[half]), multiply(factor[1], b[half]));
                    let back = add(multiply(factor[2], c[half]), multiply(factor[3], d[half]));
                    sum[r][half] = minus(sum[r][half], add(front, back));
                }
            }
        }
        for (f, column) in rest.iter().zip(columns) {
            for r in 0..ROWS {
                for half in 0..2 {
                    sum[r][half] = minus(sum[r][half], multiply(all(f[r]), column[half]));
                }
            }
        }
        for (sum, row) in sum.iter().zip(rows.chunks_mut(n)) {
            row[first..first + width].copy_from_slice(&sum.as_flattened()[..width]);
        }
    }
}

pub(super) fn forward(block: &Block, x: &mut [f64]) {
    for i in 0..block.width {
        let row = block.row(i);
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
}

pub(super) fn backward(block: &Block, x: &mut [f64]) {
    for i in (0..block.width).rev() {
        let row = block.row(i);
        x[i] /= row[i];
        let (before, value) = (&row[..i], x[i]);
        subtract(&mut x[..i], value, before);
    }
}

/// Subtracts `factor` times `row` from `x`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
pub(super) fn subtract(x: &mut [f64], factor: f64, row: &[f64]) {
    for (x, value) in x.iter_mut().zip(row) {
        *x -= factor * value;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sum[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sum.iter().sum::<f64>() + rest
}

/// A symmetric positive definite matrix, of which the lower triangle counts, then its factor in the same place.
pub(super) struct Square(Block);

impl Square {
    /// Zeros.
    pub(super) fn new(width: usize) -> Self {
        Square(Block::new(width, width))
    }

    pub(super) fn clear(&mut self) {
        self.0.values.fill(0.0);
    }

    /// The entries of row `i` up to the diagonal.
    #[inline]
    pub(super) fn row(&mut self, i: usize) -> &mut [f64] {
        let first = i * self.0.width;
        &mut self.0.values[first..=first + i]
    }

    /// Adds `by` times the product of `x` with itself.
    pub(super) fn add(&mut self, x: &[f64], by: f64) {
        for i in 0..x.len() {
            subtract(self.row(i), -by * x[i], &x[..=i]);
        }
    }

    /// Replaces the matrix by its factor; returns whether it did, and `stop` did not end it.
    pub(super) fn factor(&mut self, stop: impl FnMut() -> bool) -> bool {
        eliminate(&mut self.0, 0, stop)
    }

    /// Solves for `x` in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        forward(&self.0, x);
        backward(&self.0, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_ends_where_it_is_stopped() {
        let n = 3 * PANEL;
        let mut matrix = Square::new(n);
        (0..n).for_each(|i| matrix.row(i)[i] = 2.0);
        let mut panels = 0;
        assert!(!matrix.factor(|| {
            panels += 1;
            panels == 2
        }));
        assert_eq!(panels, 2);
        matrix.clear();
        (0..n).for_each(|i| matrix.row(i)[i] = 4.0);
        assert!(matrix.factor(|| false));
        let mut x = vec![8.0; n];
        matrix.solve(&mut x);
        assert!(x.iter().all(|x| *x == 2.0));
    }
}
