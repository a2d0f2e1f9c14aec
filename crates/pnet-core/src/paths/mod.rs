//! Path enumeration: which paths a demand may take, over one plane or several, and what a fixed split puts on links.
//!
//! - [`graph`]: a plane as the searches see it; [`endpoints`]: where demands enter it;
//! - [`policy`]: which planes a pair may use; [`random`]: seeded choices;
//! - [`level`]: all simple paths of one length, by depth-first search that never leaves the reach of the target;
//! - [`yen`]: the same paths one by one, where a level is too large to search;
//! - [`disjoint`]: paths without a common arc;
//! - [`count`]: how many shortest paths there are;
//! - [`select`]: the paths of a pair over several planes, ties broken by seed;
//! - [`loads`]: what a fixed split puts on links; [`components`]: which switches can reach each other.

pub mod components;
pub mod count;
pub mod disjoint;
pub mod endpoints;
pub mod graph;
pub mod level;
pub mod loads;
pub mod policy;
pub mod random;
pub mod select;
pub mod yen;

use std::ops::Range;

use rayon::prelude::*;

pub use count::{Counts, count_shortest};
pub use endpoints::Endpoints;
pub use graph::Graph;
pub use loads::{Loads, Split, split_loads};
pub use policy::Policy;
pub use select::{Kind, Wanted};

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
    pub fn push(&mut self, plane: u32, arcs: impl IntoIterator<Item = u32>) {
        self.plane.push(plane);
        self.arcs.extend(arcs);
        self.ptr.push(self.arcs.len());
    }

    /// Adds a range of another's paths.
    pub fn extend(&mut self, other: &Paths, range: Range<usize>) {
        let (first, last) = (other.ptr[range.start], other.ptr[range.end]);
        let before = self.arcs.len();
        self.arcs.extend_from_slice(&other.arcs[first..last]);
        self.ptr.extend(other.ptr[range.start + 1..range.end + 1].iter().map(|end| end - first + before));
        self.plane.extend_from_slice(&other.plane[range]);
    }

    /// Adds another's paths, shortest first, within a length by plane and arcs.
    pub fn extend_sorted(&mut self, other: &Paths) {
        let mut order: Vec<usize> = (0..other.len()).collect();
        order.sort_by_key(|i| (other.get(*i).len(), other.plane[*i], other.get(*i)));
        for i in order {
            self.extend(other, i..i + 1);
        }
    }

    /// Keeps the first `count` paths.
    pub fn truncate(&mut self, count: usize) {
        if count < self.len() {
            self.plane.truncate(count);
            self.ptr.truncate(count + 1);
            self.arcs.truncate(self.ptr[count]);
        }
    }

    /// Forgets all paths.
    pub fn clear(&mut self) {
        self.truncate(0);
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

/// In how many parts the pairs are searched: while a part is put into order, its paths are held twice.
const PARTS: usize = 8;

/// Pairs of a part at least.
const LEAST: usize = 1 << 14;

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
    let endpoints = Endpoints::new(attach);
    let mut set = PathSet { pair_ptr: Vec::with_capacity(pairs.len() + 1), paths: Paths::default() };
    set.pair_ptr.push(0);
    for part in pairs.chunks(pairs.len().div_ceil(PARTS).max(LEAST)) {
        enumerate_part(graphs, &endpoints, part, wanted, &mut set);
    }
    set
}

fn enumerate_part(
    graphs: &[Graph],
    endpoints: &Endpoints,
    pairs: &[(u32, u32)],
    wanted: &Wanted,
    set: &mut PathSet,
) {
    let order = endpoints.by_destination(pairs);
    let groups: Vec<&[u32]> = endpoints.groups(pairs, &order).collect();
    // For each group its paths, and which of them belong to each of its pairs.
    let found: Vec<(Paths, Vec<Range<usize>>)> = groups
        .par_iter()
        .map_init(
            || select::Selector::new(graphs, wanted),
            |selector, group| {
                selector.aim(endpoints.switches(pairs[group[0] as usize].1));
                let mut paths = Paths::default();
                let mut spans: Vec<Range<usize>> = Vec::with_capacity(group.len());
                for (i, j) in group.iter().enumerate() {
                    let (from, to) = pairs[*j as usize];
                    let previous = i.checked_sub(1).map(|i| (pairs[group[i] as usize].0, spans[i].clone()));
                    let span = match previous {
                        Some((other, span)) if !wanted.per_flow && endpoints.alike(from, other) => span,
                        _ => {
                            let first = paths.len();
                            let stream = endpoints.stream(wanted.seed, wanted.per_flow, (from, to));
                            selector.select(endpoints.switches(from), stream, &mut paths);
                            first..paths.len()
                        }
                    };
                    spans.push(span);
                }
                (paths, spans)
            },
        )
        .collect();
    let mut place = vec![(0, 0); pairs.len()];
    for (g, group) in groups.iter().enumerate() {
        for (i, j) in group.iter().enumerate() {
            place[*j as usize] = (g as u32, i as u32);
        }
    }
    for (g, i) in place {
        let (paths, spans) = &found[g as usize];
        set.paths.extend(paths, spans[i as usize].clone());
        set.pair_ptr.push(set.paths.len());
    }
}
