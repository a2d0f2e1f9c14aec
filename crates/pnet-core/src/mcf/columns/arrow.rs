//! Cholesky factor of a symmetric block-arrow matrix: a block for each plane, coupled by a border of t and the demands.
//!
//! Blocks are positive definite.  The first row of the border, t, is a constraint: its own entry is 0, and its pivot
//! negative.  Eliminated before the demands it adds to their pivots; after them it would have to fix their rank deficiency.

use multiversion::multiversion;
use rayon::prelude::*;

/// Columns that are eliminated together.
const PANEL: usize = 48;

/// A pivot below this part of its diagonal entry belongs to a row that depends on those before it, and is skipped.
const DEPENDENT: f64 = 1e-15;

/// The pivot of a skipped row: practically infinite, so that its unknown becomes 0.
const SKIPPED: f64 = 1e150;

/// A symmetric matrix, rows of a block as `[row][column of the block]`, then its factor in the same place.
pub(super) struct Arrow {
    /// The rows of each block, of which the lower triangle counts, and below them those of the border.
    pub(super) blocks: Vec<Block>,
    /// The border with itself; the lower triangle counts.
    pub(super) corner: Block,
}

/// Rows of equal width.
pub(super) struct Block {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Block {
    fn new(rows: usize, width: usize) -> Self {
        Block { width, values: vec![0.0; rows * width] }
    }

    #[inline]
    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

impl Arrow {
    /// Zeros, for blocks of these widths.
    pub(super) fn new(widths: &[usize], border: usize) -> Self {
        let blocks = widths.iter().map(|width| Block::new(width + border, *width)).collect();
        Arrow { blocks, corner: Block::new(border, border) }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.values.fill(0.0));
        self.corner.values.fill(0.0);
    }

    /// Replaces the matrix by its factor.
    pub(super) fn factor(&mut self) {
        let border = self.corner.width;
        self.blocks.par_iter_mut().for_each(|block| eliminate(block, 0));
        for block in &self.blocks {
            let own = block.width;
            if own == 0 || border == 0 {
                continue;
            }
            let rows = &block.values[own * own..];
            self.corner.values.par_chunks_mut(border).enumerate().for_each(|(i, corner)| {
                let row = &rows[i * own..(i + 1) * own];
                for (j, value) in corner[..=i].iter_mut().enumerate() {
                    *value -= dot(row, &rows[j * own..(j + 1) * own]);
                }
            });
        }
        if let Some((pivot, root)) = self.corner.values.first_mut().map(|first| (-*first, first)) {
            let scale = if pivot > 0.0 { pivot.sqrt() } else { SKIPPED };
            *root = scale;
            for i in 1..border {
                let (above, row) = self.corner.values.split_at_mut(i * border);
                row[0] /= -scale;
                for j in 1..=i {
                    let other = if j < i { above[j * border] } else { row[0] };
                    row[j] += row[0] * other;
                }
            }
        }
        eliminate(&mut self.corner, 1);
    }

    /// Solves for `x`, the blocks after each other and then the border, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let inner: usize = self.blocks.iter().map(|block| block.width).sum();
        let (own, edge) = x.split_at_mut(inner);
        let mut rest = &mut own[..];
        for block in &self.blocks {
            let (part, others) = rest.split_at_mut(block.width);
            rest = others;
            forward(block, part);
            for (i, value) in edge.iter_mut().enumerate() {
                *value -= dot(block.row(block.width + i), part);
            }
        }
        forward(&self.corner, edge);
        edge.iter_mut().take(1).for_each(|t| *t = -*t);
        backward(&self.corner, edge);
        let mut rest = own;
        for block in &self.blocks {
            let (part, others) = rest.split_at_mut(block.width);
            rest = others;
            for (i, value) in edge.iter().enumerate() {
                subtract(part, *value, block.row(block.width + i));
            }
            backward(block, part);
        }
    }
}

/// Factors the square on top from its column `start` on, and solves for the rows below it.
fn eliminate(block: &mut Block, start: usize) {
    let n = block.width;
    if n == 0 {
        return;
    }
    let diagonal: Vec<f64> = (0..n).map(|i| block.values[i * n + i]).collect();
    let mut panel = vec![];
    for first in (start..n).step_by(PANEL) {
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
        // The panel within the square, transposed, so that the update runs along rows.
        let right = n - end;
        panel.clear();
        panel.resize((end - first) * right, 0.0);
        for i in 0..right {
            for (k, value) in below[i * n + first..i * n + end].iter().enumerate() {
                panel[k * right + i] = *value;
            }
        }
        if right > 0 {
            below.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                let (done, rest) = row.split_at_mut(end);
                let upto = (i + 1).min(right);
                update(&mut rest[..upto], &done[first..], &panel, right);
            });
        }
    }
}

/// Subtracts the sum of the rows of `panel`, each times its factor, from `row`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn update(row: &mut [f64], factor: &[f64], panel: &[f64], width: usize) {
    let (whole, rest) = factor.as_chunks::<4>();
    for (f, four) in whole.iter().zip(panel.chunks(4 * width)) {
        let (a, b) = four.split_at(2 * width);
        let ((a, b), (c, d)) = (a.split_at(width), b.split_at(width));
        let terms = a.iter().zip(b).zip(c.iter().zip(d));
        for (x, ((a, b), (c, d))) in row.iter_mut().zip(terms) {
            *x -= (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d);
        }
    }
    for (f, column) in rest.iter().zip(panel[whole.len() * 4 * width..].chunks(width)) {
        for (x, a) in row.iter_mut().zip(column) {
            *x -= f * a;
        }
    }
}

fn forward(block: &Block, x: &mut [f64]) {
    for i in 0..block.width {
        let row = block.row(i);
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
}

fn backward(block: &Block, x: &mut [f64]) {
    for i in (0..block.width).rev() {
        let row = block.row(i);
        x[i] /= row[i];
        let (before, value) = (&row[..i], x[i]);
        subtract(&mut x[..i], value, before);
    }
}

/// Subtracts `factor` times `row` from `x`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn subtract(x: &mut [f64], factor: f64, row: &[f64]) {
    for (x, value) in x.iter_mut().zip(row) {
        *x -= factor * value;
    }
}

/// Sums are accumulated in this many lanes.
const LANES: usize = 8;

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn dot(a: &[f64], b: &[f64]) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_has_factored() {
        for (widths, border) in [(vec![3, 0, 2], 2), (vec![120, 61], 55), (vec![7], 1), (vec![0, 4], 3)] {
            let inner: usize = widths.iter().sum();
            let size = inner + border;
            let block_of = |i: usize| {
                let mut ends = widths.iter().scan(0, |end, width| {
                    *end += width;
                    Some(*end)
                });
                ends.position(|end| i < end)
            };
            let mut dense = vec![vec![0.0; size]; size];
            for i in 0..size {
                for j in 0..=i {
                    if block_of(i).is_none() || block_of(i) == block_of(j) {
                        let value = match (i == j, i == inner) {
                            (true, true) => 0.0,
                            (true, false) => 60.0 + i as f64,
                            _ => ((i * 7 + j * 13) % 11) as f64 / 11.0,
                        };
                        (dense[i][j], dense[j][i]) = (value, value);
                    }
                }
            }
            let mut arrow = Arrow::new(&widths, border);
            let mut first = 0;
            for block in &mut arrow.blocks {
                let n = block.width;
                let rows = (first..first + n).chain(inner..size);
                for (i, row) in rows.enumerate() {
                    block.values[i * n..(i + 1) * n].copy_from_slice(&dense[row][first..first + n]);
                }
                first += n;
            }
            for i in 0..border {
                arrow.corner.values[i * border..(i + 1) * border].copy_from_slice(&dense[inner + i][inner..]);
            }
            let expected: Vec<f64> = (0..size).map(|i| 1.0 - i as f64 / 3.0).collect();
            let mut x: Vec<f64> = dense.iter().map(|row| row.iter().zip(&expected).map(|(a, b)| a * b).sum()).collect();
            arrow.factor();
            arrow.solve(&mut x);
            for (x, expected) in x.iter().zip(&expected) {
                assert!((x - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{x} instead of {expected}");
            }
        }
    }
}
