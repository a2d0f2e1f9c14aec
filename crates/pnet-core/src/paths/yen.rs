//! K shortest simple paths one by one (Yen, Management Science 1971; Lawler, Management Science 1972).
//!
//! Slower than searching whole levels, but its time is bounded by the number of paths found, not by the number of
//! partial ones: where few paths exist and detours lead nowhere, it ends soon.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::error::Error;
use crate::graph::{Blocks, FAR, Graph, Reach, SimplePaths};
use crate::stop::Stop;

/// At most `k` shortest simple paths from `source` to `target`, as arcs, by length, then by arcs.
///
/// ```
/// # use pnet_core::graph::Graph;
/// # use pnet_core::paths::k_shortest;
/// let graph = Graph::new(3, vec![0, 0, 1], vec![1, 2, 2])?;
/// assert_eq!(k_shortest(&graph, 0, 2, 5), [vec![1], vec![0, 2]]);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn k_shortest(graph: &Graph, source: u32, target: u32, k: usize) -> Vec<Vec<u32>> {
    let (blocks, mut reach, mut simple) = (Blocks::new(graph), Reach::default(), SimplePaths::default());
    graph.reach(target, &mut reach);
    simple.update(graph, &blocks, &reach);
    let mut spur = Spur::new(graph.nodes());
    let stop = Stop::default();
    let mut paths = OneByOne::new(Target { graph, blocks: &blocks, reach: &reach, simple: &simple }, source, target);
    // This stop is never requested.
    std::iter::from_fn(|| paths.next(&mut spur, &stop).ok().flatten()).take(k).collect()
}

/// A graph, and the simple paths to one node of it.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) graph: &'a Graph,
    pub(super) blocks: &'a Blocks,
    pub(super) reach: &'a Reach,
    pub(super) simple: &'a SimplePaths,
}

/// The simple paths of one pair, shortest first.
pub(super) struct OneByOne<'a> {
    to: Target<'a>,
    source: u32,
    target: u32,
    found: Vec<Vec<u32>>,
    /// By length, then by arcs; each with the position where it leaves the path that it was found from.
    candidates: BTreeSet<(u32, Vec<u32>, usize)>,
    /// The position where the last path left another one.
    left_at: usize,
}

impl<'a> OneByOne<'a> {
    /// The paths between two different nodes.
    pub(super) fn new(to: Target<'a>, source: u32, target: u32) -> Self {
        OneByOne { to, source, target, found: vec![], candidates: BTreeSet::new(), left_at: 0 }
    }

    /// The next path.
    pub(super) fn next(&mut self, spur: &mut Spur, stop: &Stop) -> Result<Option<Vec<u32>>, Error> {
        match self.found.pop() {
            None => {
                stop.check()?;
                let first = spur.shortest(self.to, self.source, self.target, &[]);
                self.candidates.extend(first.map(|path| (self.to.graph.length(&path), path, 0)));
            }
            Some(last) => {
                self.leave(&last, spur, stop)?;
                self.found.push(last);
            }
        }
        let Some((_, path, left_at)) = self.candidates.pop_first() else { return Ok(None) };
        self.left_at = left_at;
        self.found.push(path.clone());
        Ok(Some(path))
    }

    /// Adds the shortest paths that leave `path` by an arc that no path in `found` takes there.
    fn leave(&mut self, path: &[u32], spur: &mut Spur, stop: &Stop) -> Result<(), Error> {
        let graph = self.to.graph;
        // The paths with the same prefix.
        let mut same: Vec<usize> = (0..self.found.len()).collect();
        let mut banned = vec![];
        for at in 0..path.len() {
            if at >= self.left_at {
                stop.check()?;
                banned.clear();
                banned.push(path[at]);
                banned.extend(same.iter().map(|i| self.found[*i][at]));
                if let Some(rest) = spur.shortest(self.to, graph.tail(path[at]), self.target, &banned) {
                    let whole: Vec<u32> = path[..at].iter().copied().chain(rest).collect();
                    self.candidates.insert((graph.length(&whole), whole, at));
                }
            }
            spur.closed[graph.tail(path[at]) as usize] = true;
            same.retain(|i| self.found[*i][at] == path[at]);
        }
        for arc in path {
            spur.closed[graph.tail(*arc) as usize] = false;
        }
        Ok(())
    }
}

/// Shortest paths without closed nodes and banned arcs, in one memory for all searches.
pub(super) struct Spur {
    closed: Vec<bool>,
    /// The arc by which the search reached each node of the queue.
    by: Vec<u32>,
    queue: Vec<u32>,
    /// By metric: length from the source, of the nodes in the queue.
    length: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Spur {
    /// Scratch space for graphs of up to `nodes` nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Spur { closed: vec![false; nodes], by: vec![NONE; nodes], queue: vec![], length: vec![FAR; nodes] }
    }

    fn shortest(&mut self, to: Target, source: u32, target: u32, banned: &[u32]) -> Option<Vec<u32>> {
        self.queue.clear();
        self.queue.push(source);
        let found = if to.graph.has_metric() {
            self.nearest_first(to, source, target, banned)
        } else {
            self.search(to, source, target, banned)
        };
        for u in &self.queue {
            self.by[*u as usize] = NONE;
            self.length[*u as usize] = FAR;
        }
        self.by[target as usize] = NONE;
        found
    }

    fn search(&mut self, to: Target, source: u32, target: u32, banned: &[u32]) -> Option<Vec<u32>> {
        let graph = to.graph;
        let mut next = 0;
        while let Some(u) = self.queue.get(next).copied() {
            next += 1;
            for arc in graph.out(u) {
                let v = graph.head(arc);
                if self.by[v as usize] != NONE || !self.may_take(to, source, banned, arc) {
                    continue;
                }
                self.by[v as usize] = arc;
                if v == target {
                    return Some(self.back(graph, source, target));
                }
                self.queue.push(v);
            }
        }
        None
    }

    /// The same by metric: the search of Hart, Nilsson and Raphael (1968), led by the distances without closed nodes.
    fn nearest_first(&mut self, to: Target, source: u32, target: u32, banned: &[u32]) -> Option<Vec<u32>> {
        let (graph, ahead) = (to.graph, &to.reach.distance);
        self.length[source as usize] = 0;
        let mut open = BinaryHeap::from([Reverse((ahead[source as usize], source))]);
        while let Some(Reverse((least, u))) = open.pop() {
            let length = self.length[u as usize];
            if u == target {
                return Some(self.back(graph, source, target));
            }
            if least > length + ahead[u as usize] {
                continue;
            }
            for arc in graph.out(u) {
                let (v, through) = (graph.head(arc), length + graph.metric(arc));
                if through < self.length[v as usize] && self.may_take(to, source, banned, arc) {
                    if self.length[v as usize] == FAR {
                        self.queue.push(v);
                    }
                    self.length[v as usize] = through;
                    self.by[v as usize] = arc;
                    open.push(Reverse((through + ahead[v as usize], v)));
                }
            }
        }
        None
    }

    /// Whether a path from `source` may use an arc.
    fn may_take(&self, to: Target, source: u32, banned: &[u32], arc: u32) -> bool {
        let v = to.graph.head(arc);
        v != source
            && !self.closed[v as usize]
            && to.simple.leads(to.graph, to.blocks, to.reach, arc)
            && !(to.graph.tail(arc) == source && banned.contains(&arc))
    }

    /// The path by which the search reached the target.
    fn back(&self, graph: &Graph, source: u32, target: u32) -> Vec<u32> {
        let mut path = vec![];
        let mut at = target;
        while at != source {
            path.push(self.by[at as usize]);
            at = graph.tail(self.by[at as usize]);
        }
        path.reverse();
        path
    }
}
