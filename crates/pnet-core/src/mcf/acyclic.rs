//! Makes a row's flow acyclic, by cancelling it around cycles.
//!
//! Flow around a cycle serves no demand, and a linear-programming solver may leave it in wherever links do not bind
//! (interior-point methods always do).  The acyclic rest defines splitting fractions.

use super::problem::Plane;

/// Scratch space for one plane.
pub(super) struct Canceller {
    state: Vec<Visit>,
    /// The next arc to try at each node.
    next: Vec<usize>,
    /// Nodes and the arc by which each was entered.
    path: Vec<(u32, u32)>,
    /// Position of each node on the path.
    depth: Vec<u32>,
    /// Nodes in the order in which they were finished: heads before tails.
    finished: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnPath,
    Finished,
}

impl Canceller {
    /// Scratch space for rows of `plane`.
    pub(super) fn new(plane: &Plane) -> Self {
        Canceller {
            state: vec![Visit::New; plane.nodes()],
            next: vec![0; plane.nodes()],
            path: vec![],
            depth: vec![0; plane.nodes()],
            finished: vec![],
        }
    }

    /// Reduces `flow >= 0` until it has no cycle; returns the nodes, heads before tails.
    ///
    /// A depth-first search follows arcs with flow.  Where it closes a cycle it subtracts the smallest flow on it and
    /// continues from the tail of the first arc that this empties, so each cycle found empties an arc.
    pub(super) fn cancel(&mut self, plane: &Plane, flow: &mut [f64]) -> &[u32] {
        self.state.fill(Visit::New);
        self.finished.clear();
        for u in 0..plane.nodes() {
            self.next[u] = plane.out(u).start;
        }
        for root in 0..plane.nodes() {
            if self.state[root] == Visit::New {
                self.search(plane, flow, root);
            }
        }
        &self.finished
    }

    fn search(&mut self, plane: &Plane, flow: &mut [f64], root: usize) {
        self.enter(root as u32, u32::MAX);
        while let Some((u, _)) = self.path.last().copied() {
            let u = u as usize;
            let arc = self.next[u];
            if arc == plane.out(u).end {
                self.state[u] = Visit::Finished;
                self.finished.push(u as u32);
                self.path.pop();
                continue;
            }
            let v = plane.graph.head(arc as u32);
            match self.state[v as usize] {
                _ if flow[arc] <= 0.0 => self.next[u] += 1,
                Visit::Finished => self.next[u] += 1,
                Visit::New => self.enter(v, arc as u32),
                Visit::OnPath => self.empty_cycle(flow, arc, self.depth[v as usize] as usize),
            }
        }
    }

    fn enter(&mut self, node: u32, by: u32) {
        self.state[node as usize] = Visit::OnPath;
        self.depth[node as usize] = self.path.len() as u32;
        self.path.push((node, by));
    }

    /// Subtracts the smallest flow from the cycle that `closing` closes with the path from position `first` on.
    fn empty_cycle(&mut self, flow: &mut [f64], closing: usize, first: usize) {
        let on_cycle = &self.path[first + 1..];
        let least = on_cycle.iter().map(|(_, arc)| flow[*arc as usize]).fold(flow[closing], f64::min);
        flow[closing] -= least;
        let mut keep = self.path.len();
        for (position, (_, arc)) in self.path.iter().enumerate().skip(first + 1).rev() {
            let rest = flow[*arc as usize] - least;
            flow[*arc as usize] = rest;
            if rest <= 0.0 {
                keep = position;
            }
        }
        for (node, _) in self.path.drain(keep..) {
            self.state[node as usize] = Visit::New;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Graph;

    /// A plane of 8 switches with these arcs, without endpoints.
    fn plane(arcs: impl Iterator<Item = (u32, u32)>) -> Plane {
        let (tail, head): (Vec<u32>, Vec<u32>) = arcs.unzip();
        Plane {
            capacity: vec![1.0; tail.len()],
            graph: Graph::new(8, tail, head).unwrap(),
            attach: vec![],
            partner: vec![],
            near: None,
            up: vec![],
            down: vec![],
            targets: vec![],
            demands: vec![],
        }
    }

    proptest! {
        #[test]
        fn leaves_no_cycle_and_keeps_every_balance(
            arcs in prop::collection::vec((0..8_u32, 0..8_u32, 0.0..1.0_f64), 0..60)
        ) {
            let mut arcs: Vec<_> = arcs.into_iter().filter(|(u, v, _)| u != v).collect();
            arcs.sort_by_key(|arc| arc.0);
            let pairs: Vec<(u32, u32)> = arcs.iter().map(|(u, v, _)| (*u, *v)).collect();
            let plane = plane(pairs.iter().copied());
            let before: Vec<f64> = arcs.iter().map(|arc| arc.2).collect();
            let mut after = before.clone();
            let mut canceller = Canceller::new(&plane);
            let order = canceller.cancel(&plane, &mut after).to_vec();
            let rank: Vec<usize> =
                (0..8).map(|u| order.iter().position(|v| *v == u).unwrap()).collect();
            let balance = |flow: &[f64], node: u32| -> f64 {
                pairs.iter().zip(flow).map(|((u, v), f)| {
                    if *u == node { *f } else if *v == node { -*f } else { 0.0 }
                }).sum()
            };
            for node in 0..8 {
                prop_assert!((balance(&before, node) - balance(&after, node)).abs() < 1e-9);
            }
            for (a, (u, v)) in pairs.iter().enumerate() {
                prop_assert!((0.0..=before[a]).contains(&after[a]));
                prop_assert!(after[a] == 0.0 || rank[*u as usize] > rank[*v as usize]);
            }
        }
    }
}
