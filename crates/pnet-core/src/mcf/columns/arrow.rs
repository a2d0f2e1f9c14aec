//! Cholesky factor of a symmetric block-arrow matrix: a block for each plane, coupled by a border of t and the demands.
//!
//! Blocks are positive definite.  The first row of the border, t, is a constraint: its own entry is 0, and its pivot
//! negative.  Eliminated before the demands it adds to their pivots; after them it would have to fix their rank deficiency.

use rayon::prelude::*;

use super::cholesky::{Block, SKIPPED, backward, dot, eliminate, forward, subtract};

/// A symmetric matrix, rows of a block as `[row][column of the block]`, then its factor in the same place.
pub(super) struct Arrow {
    /// The rows of each block, of which the lower triangle counts, and below them those of the border.
    pub(super) blocks: Vec<Block>,
    /// The border with itself; the lower triangle counts.
    pub(super) corner: Block,
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
        self.blocks.par_iter_mut().for_each(|block| {
            eliminate(block, 0, || false);
        });
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
        eliminate(&mut self.corner, 1, || false);
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
