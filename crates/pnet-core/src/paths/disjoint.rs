//! Paths of one pair that share no arc, of least total length.
//!
//! A flow of unit capacities and least cost by metric, grown one path at a time by the shortest augmenting path (Suurballe,
//! Networks 1974; Bhandari, Survivable Networks, 1999).  Parallel arcs are different arcs, and so are the two
//! directions of a cable; a flow of least length never uses both.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::{FAR, Graph};
use crate::random::SplitMix;

/// Bits of the random part of an arc's cost.
const NOISE_BITS: u32 = 16;

const NONE: u32 = u32::MAX;

/// Costs of arcs: a unit for each of their metric, and a random part that breaks ties and sums to less than a unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    unit: i64,
    salt: u64,
}

impl Cost {
    /// Costs for flows of at most `arcs` arcs.
    pub(super) fn new(arcs: usize, salt: u64) -> Self {
        Cost { unit: (arcs as i64 + 1) << NOISE_BITS, salt }
    }

    fn noise(self, arc: u32) -> i64 {
        (SplitMix::of([self.salt, u64::from(arc)]).word() >> (64 - NOISE_BITS)) as i64
    }
}

/// The flow of one pair in one plane.
pub(super) struct DisjointFlow<'a> {
    graph: &'a Graph,
    ahead: &'a [u32],
    ends: (u32, u32),
    cost: Cost,
    used: Vec<bool>,
    /// How much the cost to the target in the residual graph exceeds that of the distance.
    raised: Vec<i64>,
    distance: Vec<i64>,
    /// The arc by which the search reached each node; used arcs are traversed backwards.
    by: Vec<u32>,
}

impl<'a> DisjointFlow<'a> {
    /// An empty flow between two different nodes; `ahead` are the distances to the second.
    pub(super) fn new(graph: &'a Graph, ahead: &'a [u32], ends: (u32, u32), cost: Cost) -> Self {
        let nodes = graph.nodes();
        DisjointFlow {
            graph,
            ahead,
            ends,
            cost,
            used: vec![false; graph.arcs()],
            raised: vec![0; nodes],
            distance: vec![i64::MAX; nodes],
            by: vec![NONE; nodes],
        }
    }

    /// A lower bound on the cost from `node` to the target, exact along the flow.
    fn potential(&self, node: u32) -> i64 {
        i64::from(self.ahead[node as usize]) * self.cost.unit + self.raised[node as usize]
    }

    /// The cost of an arc but for its random part.
    fn units(&self, arc: u32) -> i64 {
        i64::from(self.graph.metric(arc)) * self.cost.unit
    }

    /// Finds the cheapest augmenting path and returns what it adds to the cost of the flow.
    ///
    /// The potentials make all residual costs at least 0 and steer the search to the target (Edmonds, Karp, JACM 1972).
    pub(super) fn search(&mut self) -> Option<i64> {
        let graph = self.graph;
        let (source, target) = self.ends;
        self.distance.fill(i64::MAX);
        self.distance[source as usize] = 0;
        let mut settled = vec![];
        let mut heap = BinaryHeap::from([Reverse((0, source))]);
        while let Some(Reverse((distance, u))) = heap.pop() {
            if distance > self.distance[u as usize] {
                continue;
            }
            if u == target {
                // The distances of nodes that were not settled do not change: they are at least the target's.
                for (node, at) in settled {
                    self.raised[node as usize] += distance - at;
                }
                return Some(self.potential(source));
            }
            settled.push((u, distance));
            let base = distance - self.potential(u);
            for arc in graph.out(u) {
                let v = graph.head(arc);
                if self.used[arc as usize] || self.ahead[v as usize] == FAR {
                    continue;
                }
                // The random part is drawn only for arcs that can still be on a shortest path.
                let least = base + self.units(arc) + self.potential(v);
                if least < self.distance[v as usize].min(self.distance[target as usize]) {
                    self.relax(v, least + self.cost.noise(arc), arc, &mut heap);
                }
            }
            for arc in graph.incoming(u) {
                if self.used[*arc as usize] {
                    let v = graph.tail(*arc);
                    self.relax(v, base - self.units(*arc) - self.cost.noise(*arc) + self.potential(v), *arc, &mut heap);
                }
            }
        }
        None
    }

    fn relax(&mut self, v: u32, distance: i64, arc: u32, heap: &mut BinaryHeap<Reverse<(i64, u32)>>) {
        if distance < self.distance[v as usize] {
            self.distance[v as usize] = distance;
            self.by[v as usize] = arc;
            heap.push(Reverse((distance, v)));
        }
    }

    /// Sends one more unit along the path that the last search found.
    pub(super) fn augment(&mut self) {
        let (source, target) = self.ends;
        let mut at = target;
        while at != source {
            let arc = self.by[at as usize];
            let backwards = self.used[arc as usize];
            self.used[arc as usize] = !backwards;
            at = if backwards { self.graph.head(arc) } else { self.graph.tail(arc) };
        }
    }

    /// Decomposes the flow: its shortest path first, then the shortest of the rest.
    ///
    /// They are simple, as a flow of least length has no cycle.
    pub(super) fn paths(mut self) -> Vec<Vec<u32>> {
        let (source, target) = self.ends;
        let mut paths = vec![];
        loop {
            self.by.fill(NONE);
            let mut queue = vec![source];
            let mut next = 0;
            while self.by[target as usize] == NONE {
                let Some(u) = queue.get(next).copied() else { return paths };
                next += 1;
                for arc in self.graph.out(u).filter(|arc| self.used[*arc as usize]) {
                    let v = self.graph.head(arc);
                    if self.by[v as usize] == NONE {
                        self.by[v as usize] = arc;
                        queue.push(v);
                    }
                }
            }
            let mut path = vec![];
            let mut at = target;
            while at != source {
                let arc = self.by[at as usize];
                self.used[arc as usize] = false;
                path.push(arc);
                at = self.graph.tail(arc);
            }
            path.reverse();
            paths.push(path);
        }
    }
}
