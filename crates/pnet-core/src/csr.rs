//! Items grouped by row, in two arrays.

/// The items of each row, in their original order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Csr<T> {
    ptr: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Csr<T> {
    /// Groups `(row, item)` entries, in two passes.
    pub(crate) fn new(rows: usize, entries: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut ptr = vec![0; rows + 1];
        for (row, _) in entries.clone() {
            ptr[row as usize + 1] += 1;
        }
        for row in 0..rows {
            ptr[row + 1] += ptr[row];
        }
        let mut next = ptr.clone();
        let mut items = vec![T::default(); ptr[rows]];
        for (row, item) in entries {
            items[next[row as usize]] = item;
            next[row as usize] += 1;
        }
        Csr { ptr, items }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.ptr.len() - 1
    }

    /// The items of one row.
    #[inline]
    pub(crate) fn of(&self, row: usize) -> &[T] {
        &self.items[self.ptr[row]..self.ptr[row + 1]]
    }
}
