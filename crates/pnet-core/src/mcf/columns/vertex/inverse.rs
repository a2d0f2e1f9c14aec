//! The dense inverse of a basis matrix that gains and loses rows and columns.

use multiversion::multiversion;

use crate::mcf::lanes::{LANES, sum};

/// Rows of storage that are added together.
const GROWTH: usize = 64;
/// A row is sparse where at most one entry in so many is not 0.
const FEW: usize = 8;

/// A row, or its entries other than 0 where these are few.
enum Row<'a> {
    All(&'a [f64]),
    Some(Vec<(u32, f64)>),
}

impl<'a> Row<'a> {
    fn of(values: &'a [f64]) -> Self {
        let few = values.len() / FEW;
        let some = (0..).zip(values).filter(|(_, value)| **value != 0.0).map(|(c, value)| (c, *value));
        let some: Vec<(u32, f64)> = some.take(few + 1).collect();
        if some.len() > few { Row::All(values) } else { Row::Some(some) }
    }

    /// `to += by * row`
    fn add(&self, to: &mut [f64], by: f64) {
        match self {
            Row::All(row) => add(to, by, row),
            Row::Some(row) => row.iter().for_each(|(c, value)| to[*c as usize] += by * value),
        }
    }

    /// The scalar product.
    fn dot(&self, other: &[f64]) -> f64 {
        match self {
            Row::All(row) => dot(row, other),
            Row::Some(row) => row.iter().map(|(c, value)| value * other[*c as usize]).sum(),
        }
    }
}

/// The inverse of a square matrix `W`: `of(r)[c]` is the entry of its column `r` in its row `c`, so that a row of `W` belongs to a
/// contiguous piece of memory.
#[derive(Default)]
pub(in crate::mcf::columns) struct Inverse {
    size: usize,
    stride: usize,
    values: Vec<f64>,
}

impl Inverse {
    /// The column of the inverse that belongs to row `r` of the matrix.
    #[inline]
    pub(in crate::mcf::columns) fn of(&self, r: usize) -> &[f64] {
        &self.values[r * self.stride..r * self.stride + self.size]
    }

    #[inline]
    fn of_mut(&mut self, r: usize) -> &mut [f64] {
        &mut self.values[r * self.stride..r * self.stride + self.size]
    }

    /// The row of the inverse that belongs to column `c` of the matrix.
    pub(in crate::mcf::columns) fn row(&self, c: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.size).map(move |r| self.values[r * self.stride + c])
    }

    /// The inverse times a column, of which the entries in some rows are given.
    pub(in crate::mcf::columns) fn times(&self, column: &[(u32, f64)]) -> Vec<f64> {
        let mut product = vec![0.0; self.size];
        column.iter().for_each(|(r, value)| add(&mut product, *value, self.of(*r as usize)));
        product
    }

    /// A row times the inverse.
    pub(in crate::mcf::columns) fn before(&self, row: &[f64]) -> Vec<f64> {
        let row = Row::of(row);
        (0..self.size).map(|r| row.dot(self.of(r))).collect()
    }

    /// Column `c` is replaced by one that the inverse makes `product` of.
    pub(in crate::mcf::columns) fn replace_column(&mut self, c: usize, product: &[f64]) {
        let mut by = product.to_vec();
        by[c] -= 1.0;
        let (by, pivot) = (Row::of(&by), product[c]);
        for r in 0..self.size {
            let of = self.of_mut(r);
            let part = of[c] / pivot;
            if part != 0.0 {
                by.add(of, -part);
            }
        }
    }

    /// Row `r` is replaced by one that is `product` before the inverse.
    pub(in crate::mcf::columns) fn replace_row(&mut self, r: usize, product: &[f64]) {
        let pivot = product[r];
        let old = self.of(r).to_vec();
        let old = Row::of(&old);
        for (q, value) in product.iter().enumerate() {
            let by = if q == r { 1.0 / pivot - 1.0 } else { -value / pivot };
            if by != 0.0 {
                old.add(self.of_mut(q), by);
            }
        }
    }

    /// To each column is added `column` times its entry in `row`; the inverse makes `product` of `column`.
    pub(in crate::mcf::columns) fn add_outer(&mut self, product: &[f64], row: &[f64]) {
        let (row, by) = (Row::of(row), Row::of(product));
        let pivot = 1.0 + row.dot(product);
        for r in 0..self.size {
            let part = row.dot(self.of(r)) / pivot;
            if part != 0.0 {
                by.add(self.of_mut(r), -part);
            }
        }
    }

    /// A last row, and a last column, are added: the inverse makes `product` of the column without its `last` entry.
    pub(in crate::mcf::columns) fn append(&mut self, product: &[f64], row: &[f64], last: f64) {
        let size = self.size;
        if size == self.stride {
            let stride = self.stride + GROWTH;
            let mut values = vec![0.0; stride * stride];
            (0..size).for_each(|r| values[r * stride..r * stride + size].copy_from_slice(self.of(r)));
            (self.stride, self.values) = (stride, values);
        }
        let (row, by) = (Row::of(row), Row::of(product));
        let pivot = last - row.dot(product);
        for r in 0..size {
            let part = row.dot(self.of(r)) / pivot;
            if part != 0.0 {
                by.add(self.of_mut(r), part);
            }
            self.values[r * self.stride + size] = -part;
        }
        self.size += 1;
        let of = self.of_mut(size);
        of[..size].iter_mut().zip(product).for_each(|(of, product)| *of = -product / pivot);
        of[size] = 1.0 / pivot;
    }

    /// Row `r` and column `c` are removed; the last row and the last column take their places.
    pub(in crate::mcf::columns) fn remove(&mut self, r: usize, c: usize) {
        let old = self.of(r).to_vec();
        let (by, pivot) = (Row::of(&old), old[c]);
        for q in 0..self.size {
            let of = self.of_mut(q);
            let part = of[c] / pivot;
            if q != r && part != 0.0 {
                by.add(of, -part);
            }
        }
        let last = self.size - 1;
        self.values.copy_within(last * self.stride..last * self.stride + self.size, r * self.stride);
        for q in 0..last {
            let of = self.of_mut(q);
            of[c] = of[last];
        }
        self.size = last;
    }

    /// The row of column `c` is replaced by a sum of rows, each times its factor.
    pub(in crate::mcf::columns) fn combine(&mut self, c: usize, factors: &[(u32, f64)]) {
        for r in 0..self.size {
            let of = self.of_mut(r);
            of[c] = factors.iter().map(|(q, by)| by * of[*q as usize]).sum();
        }
    }

    /// The inverse of a matrix of so many rows, of which `column(c)` gives the entries; None where it has none.
    pub(in crate::mcf::columns) fn new(size: usize, column: impl Fn(usize) -> Vec<(u32, f64)>) -> Option<Self> {
        // Row by row of (W transposed, identity), which becomes (identity, W transposed inverted).
        let width = 2 * size;
        let mut rows = vec![0.0; size * width];
        for c in 0..size {
            column(c).into_iter().for_each(|(r, value)| rows[c * width + r as usize] += value);
            rows[c * width + size + c] = 1.0;
        }
        let mut place: Vec<usize> = (0..size).collect();
        for r in 0..size {
            let at = |p: usize| rows[place[p] * width + r].abs();
            let best = (r..size).max_by(|a, b| at(*a).total_cmp(&at(*b)).then(b.cmp(a)))?;
            if at(best) < SINGULAR {
                return None;
            }
            place.swap(r, best);
            let own = place[r] * width;
            let by = 1.0 / rows[own + r];
            rows[own..own + width].iter_mut().for_each(|value| *value *= by);
            let pivot = rows[own..own + width].to_vec();
            for other in (0..size).filter(|other| *other != place[r]) {
                let row = &mut rows[other * width..(other + 1) * width];
                let factor = row[r];
                if factor != 0.0 {
                    add(&mut row[r..], -factor, &pivot[r..]);
                }
            }
        }
        let stride = size + GROWTH;
        let mut values = vec![0.0; stride * stride];
        for (r, place) in place.iter().enumerate() {
            let from = place * width + size;
            values[r * stride..r * stride + size].copy_from_slice(&rows[from..from + size]);
        }
        Some(Inverse { size, stride, values })
    }
}

/// A pivot below this makes a matrix singular.
const SINGULAR: f64 = 1e-11;

/// `to += by * row`
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn add(to: &mut [f64], by: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, value)| *to += by * value);
}

/// The scalar product.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
pub(in crate::mcf::columns) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (heads, rest) = a.as_chunks::<LANES>();
    let (others, more) = b[..a.len()].as_chunks::<LANES>();
    let mut total = [0.0; LANES];
    for (a, b) in heads.iter().zip(others) {
        for i in 0..LANES {
            total[i] += a[i] * b[i];
        }
    }
    sum(&total) + rest.iter().zip(more).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// A matrix, column by column.
    type Matrix = Vec<Vec<f64>>;

    fn inverse(matrix: &Matrix) -> Inverse {
        let column = |c: usize| matrix[c].iter().zip(0..).map(|(value, r)| (r, *value)).collect();
        Inverse::new(matrix.len(), column).unwrap()
    }

    fn sparse(column: &[f64]) -> Vec<(u32, f64)> {
        column.iter().zip(0..).map(|(value, r)| (r, *value)).collect()
    }

    fn check(matrix: &Matrix, inverse: &Inverse) {
        for (c, column) in matrix.iter().enumerate() {
            let product = inverse.times(&sparse(column));
            assert_eq!(product.len(), matrix.len());
            for (q, value) in product.iter().enumerate() {
                assert!((value - f64::from(u8::from(q == c))).abs() < 1e-8, "{product:?}");
            }
        }
    }

    #[test]
    fn every_change_of_the_matrix_is_one_of_its_inverse() {
        let mut random = SplitMix::of([7]);
        for size in 1..=12 {
            let mut number = || random.unit() - 0.5;
            let mut matrix: Matrix = (0..size).map(|_| (0..size).map(|_| number()).collect()).collect();
            let mut inverted = inverse(&matrix);
            check(&matrix, &inverted);

            let (column, row): (Vec<f64>, Vec<f64>) = (0..size).map(|_| (number(), number())).unzip();
            let (last, c) = (number(), size / 2);
            let product = inverted.times(&sparse(&column));
            inverted.append(&product, &row, last);
            matrix.iter_mut().zip(&row).for_each(|(own, value)| own.push(*value));
            matrix.push([column, vec![last]].concat());
            check(&matrix, &inverted);

            let column: Vec<f64> = (0..=size).map(|_| number()).collect();
            let product = inverted.times(&sparse(&column));
            inverted.replace_column(c, &product);
            matrix[c] = column;
            check(&matrix, &inverted);

            let row: Vec<f64> = (0..=size).map(|_| number()).collect();
            let product = inverted.before(&row);
            inverted.replace_row(c, &product);
            matrix.iter_mut().zip(&row).for_each(|(own, value)| own[c] = *value);
            check(&matrix, &inverted);

            let (column, row): (Vec<f64>, Vec<f64>) = (0..=size).map(|_| (number(), number())).unzip();
            inverted.add_outer(&inverted.times(&sparse(&column)), &row);
            for (own, by) in matrix.iter_mut().zip(&row) {
                own.iter_mut().zip(&column).for_each(|(own, value)| *own += by * value);
            }
            check(&matrix, &inverted);

            let r = size / 3;
            inverted.remove(r, c);
            matrix.swap_remove(c);
            for own in &mut matrix {
                own.swap_remove(r);
            }
            check(&matrix, &inverted);
        }
    }

    #[test]
    fn a_sparse_row_is_the_same_as_all_of_it() {
        let mut values = vec![0.0; 4 * FEW];
        (values[3], values[17]) = (2.0, -0.5);
        let other: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
        let row = Row::of(&values);
        assert!(matches!(&row, Row::Some(some) if some[..] == [(3, 2.0), (17, -0.5)]));
        assert_eq!(row.dot(&other), dot(&values, &other));
        let (mut some, mut all) = (other.clone(), other);
        row.add(&mut some, 3.0);
        add(&mut all, 3.0, &values);
        assert_eq!(some, all);
        assert!(matches!(Row::of(&[1.0, 2.0]), Row::All(_)));
    }

    #[test]
    fn a_singular_matrix_has_none() {
        assert!(Inverse::new(2, |_| vec![(0, 1.0), (1, 2.0)]).is_none());
    }
}
