//! Paths of one pair or of many, in flat arrays.

use std::ops::Range;

use crate::error::{Error, room_for};
use crate::graph::Graph;

/// Paths after each other, as arcs; each belongs to a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Paths {
    /// Plane of each path.
    pub plane: Vec<u32>,
    /// Arcs of path `i` are `arcs[ptr[i]..ptr[i + 1]]`.
    pub ptr: Vec<usize>,
    /// Arcs, local to the path's plane.
    pub arcs: Vec<u32>,
}

impl Default for Paths {
    fn default() -> Self {
        Paths { plane: vec![], ptr: vec![0], arcs: vec![] }
    }
}

impl Paths {
    /// Number of paths.
    pub fn len(&self) -> usize {
        self.plane.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.plane.is_empty()
    }

    /// Arcs of the `i`-th path.
    pub fn get(&self, i: usize) -> &[u32] {
        &self.arcs[self.ptr[i]..self.ptr[i + 1]]
    }

    /// Adds a path.
    pub(crate) fn push(&mut self, plane: u32, arcs: impl IntoIterator<Item = u32>) -> Result<(), Error> {
        let arcs = arcs.into_iter();
        self.room(arcs.size_hint().0)?;
        self.plane.push(plane);
        self.arcs.extend(arcs);
        self.ptr.push(self.arcs.len());
        Ok(())
    }

    /// Adds a range of its own paths again, in another plane.
    pub(crate) fn repeat(&mut self, range: Range<usize>, plane: u32) -> Result<(), Error> {
        let (first, last) = (self.ptr[range.start], self.ptr[range.end]);
        self.room(last - first)?;
        let before = self.arcs.len();
        self.arcs.extend_from_within(first..last);
        self.plane.extend(range.clone().map(|_| plane));
        self.ptr.extend_from_within(range.start + 1..range.end + 1);
        let added = self.ptr.len() - range.len();
        self.ptr[added..].iter_mut().for_each(|end| *end += before - first);
        Ok(())
    }

    /// Doubles the capacity where so many arcs more do not fit, as a vector does, but returns an error instead of an abort
    /// when out of memory.
    fn room(&mut self, more: usize) -> Result<(), Error> {
        let len = self.arcs.len();
        if self.arcs.capacity() - len < more {
            room_for("arcs of paths", &mut self.arcs, more.max(len))
        } else {
            Ok(())
        }
    }

    /// Reserves capacity for exactly so many more.
    pub(crate) fn reserve(&mut self, paths: usize, arcs: usize) -> Result<(), Error> {
        room_for("planes of paths", &mut self.plane, paths)?;
        room_for("offsets of paths", &mut self.ptr, paths)?;
        room_for("arcs of paths", &mut self.arcs, arcs)
    }

    /// Adds a range of another's paths.
    pub(crate) fn extend(&mut self, other: &Paths, range: Range<usize>) {
        let (first, last) = (other.ptr[range.start], other.ptr[range.end]);
        let before = self.arcs.len();
        self.arcs.extend_from_slice(&other.arcs[first..last]);
        self.ptr.extend(other.ptr[range.start + 1..range.end + 1].iter().map(|end| end - first + before));
        self.plane.extend_from_slice(&other.plane[range]);
    }

    /// Adds another's paths in these graphs, shortest first, within a length by plane and arcs.
    pub(crate) fn extend_sorted(&mut self, other: &Paths, graphs: &[Graph]) -> Result<(), Error> {
        let mut order: Vec<usize> = (0..other.len()).collect();
        let length = |i: usize| graphs[other.plane[i] as usize].length(other.get(i));
        order.sort_by_key(|i| (length(*i), other.plane[*i], other.get(*i)));
        for i in order {
            self.push(other.plane[i], other.get(i).iter().copied())?;
        }
        Ok(())
    }

    /// Keeps the first `count` paths.
    pub(crate) fn truncate(&mut self, count: usize) {
        if count < self.len() {
            self.plane.truncate(count);
            self.ptr.truncate(count + 1);
            self.arcs.truncate(self.ptr[count]);
        }
    }

    /// Removes all paths.
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }
}

/// The paths of each pair: those of pair `j` are `paths` `pair_ptr[j]..pair_ptr[j + 1]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathSet {
    /// Offsets of the pairs.
    pub pair_ptr: Vec<usize>,
    /// All paths.
    pub paths: Paths,
}
