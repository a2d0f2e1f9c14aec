//! Path enumeration: which paths a demand may take, over one plane or several.
//!
//! - [`graph`]: a plane as the searches see it;
//! - [`level`]: all simple paths of one length, by depth-first search that never leaves the reach of the target;
//! - [`yen`]: the same paths one by one, where a level is too large to search;
//! - [`select`]: the K shortest over several planes, ties broken by seed.

pub mod graph;
pub mod level;
pub mod select;
pub mod yen;

use rayon::prelude::*;

pub use graph::Graph;
pub use select::{Policy, Wanted};

/// Paths after each other, as arcs; each belongs to a plane.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    /// Plane of each path.
    pub plane: Vec<u32>,
    /// Arcs of path `i` are `arcs[ptr[i]..ptr[i + 1]]`; empty before the first path is added.
    pub ptr: Vec<usize>,
    /// Arcs, local to the path's plane.
    pub arcs: Vec<u32>,
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
    pub fn push(&mut self, plane: u32, arcs: impl IntoIterator<Item = u32>) {
        if self.ptr.is_empty() {
            self.ptr.push(0);
        }
        self.plane.push(plane);
        self.arcs.extend(arcs);
        self.ptr.push(self.arcs.len());
    }

    /// Forgets all paths.
    pub fn clear(&mut self) {
        self.plane.clear();
        self.ptr.clear();
        self.arcs.clear();
    }
}

/// The paths of each pair: those of pair `j` are `paths` `pair_ptr[j]..pair_ptr[j + 1]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathSet {
    /// Where each pair's paths begin.
    pub pair_ptr: Vec<usize>,
    /// All paths.
    pub paths: Paths,
}

/// The paths of every pair, the same on any number of threads.
///
/// `attach[p][e]` is the switch of endpoint `e` in plane `p`; a pair is a source and a destination endpoint.  A pair on
/// one switch of a plane has the empty path there.
pub fn enumerate(
    graphs: &[Graph],
    attach: &[Vec<Option<u32>>],
    pairs: &[(u32, u32)],
    wanted: &Wanted,
) -> PathSet {
    // Pairs with one destination share its distances.
    let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
    order.sort_by_key(|j| pairs[*j as usize].1);
    let groups: Vec<&[u32]> = order.chunk_by(|a, b| pairs[*a as usize].1 == pairs[*b as usize].1).collect();
    let found: Vec<Vec<(u32, Paths)>> = groups
        .par_iter()
        .map_init(
            || select::Selector::new(graphs),
            |selector, group| {
                let to = pairs[group[0] as usize].1 as usize;
                let targets: Vec<Option<u32>> = attach.iter().map(|switch| switch[to]).collect();
                selector.aim(&targets);
                group
                    .iter()
                    .map(|j| {
                        let (from, to) = pairs[*j as usize];
                        let sources: Vec<Option<u32>> = attach.iter().map(|at| at[from as usize]).collect();
                        (*j, selector.select(&sources, wanted, (from, to)))
                    })
                    .collect()
            },
        )
        .collect();
    let mut by_pair: Vec<Option<Paths>> = vec![None; pairs.len()];
    for (j, paths) in found.into_iter().flatten() {
        by_pair[j as usize] = Some(paths);
    }
    let mut set = PathSet { pair_ptr: vec![0], paths: Paths::default() };
    for paths in by_pair.into_iter().flatten() {
        for i in 0..paths.len() {
            set.paths.push(paths.plane[i], paths.get(i).iter().copied());
        }
        set.pair_ptr.push(set.paths.len());
    }
    set
}
