//! The paths of one destination's traffic: a spanning tree, and what it carries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::network::Network;
use crate::csr::Csr;
use crate::mcf::columns::vertex::matrix::NONE;

/// A spanning tree of the nodes from which a destination can be reached.  Its arcs may point either way.
pub(super) struct Tree {
    /// The root first, and each node after its parent.
    pub(super) order: Vec<u32>,
    pub(super) parent: Vec<u32>,
    depth: Vec<u32>,
    /// The arc between each node and its parent, and whether it leads to the parent.
    pub(super) arc: Vec<u32>,
    pub(super) up: Vec<bool>,
    /// What such an arc carries by what is fixed, by a unit of the rate, and by arcs that are not of the tree.
    pub(super) fixed: Vec<f64>,
    pub(super) rising: Vec<f64>,
    pub(super) moved: Vec<f64>,
    /// Whether some arc carries less as the rate rises.
    pub(super) sinks: bool,
    /// How far each node is along the tree.
    pub(super) potential: Vec<f64>,
    /// Arcs that may be used.
    pub(super) open: Vec<u32>,
    /// Those that may not any more, which level closed them, and how much longer they are there than the shortest path.
    pub(super) closed: Vec<(u32, u32, f64)>,
    /// The number and the first node of each demand.
    pub(super) demands: Vec<(u32, u32)>,
    /// The columns of arcs in the basis that are not of the tree.
    pub(super) columns: Vec<u32>,
    /// Superbasic arcs: neither in the basis nor empty, with what they carry.
    pub(super) superbasic: Vec<(u32, f64)>,
}

/// Tree arcs, by their lower nodes, each with what a unit on an arc that closes a cycle with them adds to it.
pub(super) type Cycle = Vec<(u32, f64)>;

impl Tree {
    /// What is kept of a node, and of an arc, which may be open or closed, and superbasic.
    pub(super) const BYTES_PER_NODE: usize = 4 * size_of::<u32>() + size_of::<bool>() + 4 * size_of::<f64>();
    pub(super) const BYTES_PER_ARC: usize = size_of::<(u32, u32, f64)>() + size_of::<(u32, f64)>();

    /// A tree of paths with as few links as there may be.
    pub(super) fn new(
        network: &Network,
        into: &Csr<u32>,
        root: u32,
        usable: &[bool],
        demands: Vec<(u32, u32)>,
    ) -> Self {
        let nodes = network.nodes;
        let mut tree = Tree {
            order: vec![root],
            parent: vec![NONE; nodes],
            depth: vec![0; nodes],
            arc: vec![NONE; nodes],
            up: vec![true; nodes],
            fixed: vec![0.0; nodes],
            rising: vec![0.0; nodes],
            moved: vec![0.0; nodes],
            sinks: false,
            potential: vec![0.0; nodes],
            open: vec![],
            closed: vec![],
            demands,
            columns: vec![],
            superbasic: vec![],
        };
        let mut next = 0;
        while let Some(at) = tree.order.get(next).copied() {
            next += 1;
            for a in into.of(at as usize).iter().filter(|a| usable[**a as usize]) {
                let tail = network.tail[*a as usize];
                tree.open.push(*a);
                if tail != root && tree.arc[tail as usize] == NONE {
                    (tree.arc[tail as usize], tree.parent[tail as usize]) = (*a, at);
                    tree.depth[tail as usize] = tree.depth[at as usize] + 1;
                    tree.order.push(tail);
                }
            }
        }
        tree.open.sort_unstable();
        tree
    }

    pub(super) fn root(&self) -> u32 {
        self.order[0]
    }

    /// The flow of arcs is that of the tree, which follows the fullest of them, and of others.
    pub(super) fn take(&mut self, network: &Network, into: &Csr<u32>, flow: &[f64]) {
        // Numbers of at least 0 have the order of their bits.
        let fullest = |a: u32| (flow[a as usize].to_bits(), Reverse(a));
        let mut usable = vec![false; flow.len()];
        self.open.iter().for_each(|a| usable[*a as usize] = true);
        let (root, mut reached) = (self.root(), vec![false; self.parent.len()]);
        reached[root as usize] = true;
        let mut next = BinaryHeap::new();
        let mut at = root;
        loop {
            next.extend(into.of(at as usize).iter().filter(|a| usable[**a as usize]).map(|a| fullest(*a)));
            let new =
                std::iter::from_fn(|| next.pop()).find(|(_, Reverse(a))| !reached[network.tail[*a as usize] as usize]);
            let Some((_, Reverse(a))) = new else { break };
            at = network.tail[a as usize];
            reached[at as usize] = true;
            (self.arc[at as usize], self.parent[at as usize]) = (a, network.head[a as usize]);
            self.up[at as usize] = true;
        }
        self.sort();
        let others = self.open.iter().filter(|a| flow[**a as usize] > 0.0 && !self.has(network, **a));
        self.superbasic = others.map(|a| (*a, flow[*a as usize])).collect();
    }

    /// Finds what the tree carries by superbasic arcs.
    pub(super) fn fill(&mut self, network: &Network) {
        self.moved.fill(0.0);
        if self.superbasic.is_empty() {
            return;
        }
        let mut amount = vec![0.0; self.parent.len()];
        for (arc, x) in &self.superbasic {
            amount[network.tail[*arc as usize] as usize] -= x;
            amount[network.head[*arc as usize] as usize] += x;
        }
        for v in self.order[1..].iter().rev().map(|v| *v as usize) {
            amount[self.parent[v] as usize] += amount[v];
            self.moved[v] = self.sign(v) * amount[v];
        }
    }

    /// All nodes but the root, each after its parent.
    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        self.order[1..].iter().map(|v| *v as usize)
    }

    #[inline]
    fn sign(&self, v: usize) -> f64 {
        if self.up[v] { 1.0 } else { -1.0 }
    }

    /// What the arc of a node carries at a rate.
    #[inline]
    pub(super) fn carries(&self, v: usize, t: f64) -> f64 {
        self.fixed[v] + self.rising[v] * t + self.moved[v]
    }

    /// Sends what is fixed, and what rises, along the tree.
    pub(super) fn send(&mut self, base: &[f64], slope: &[f64]) {
        let mut amount = vec![(0.0, 0.0); self.parent.len()];
        for (j, v) in &self.demands {
            amount[*v as usize].0 += base[*j as usize];
            amount[*v as usize].1 += slope[*j as usize];
        }
        for v in self.order[1..].iter().rev().map(|v| *v as usize) {
            let (fixed, rising) = amount[v];
            let parent = self.parent[v] as usize;
            amount[parent].0 += fixed;
            amount[parent].1 += rising;
            (self.fixed[v], self.rising[v]) = (self.sign(v) * fixed, self.sign(v) * rising);
        }
        self.sinks = self.rising.iter().any(|rising| *rising < 0.0);
    }

    /// Finds how far nodes are along the tree where arcs have these lengths; returns how far the farthest is.
    pub(super) fn measure(&mut self, length: &[f64]) -> f64 {
        let mut longest: f64 = 0.0;
        for i in 1..self.order.len() {
            let v = self.order[i] as usize;
            let signed = self.sign(v) * length[self.arc[v] as usize];
            self.potential[v] = self.potential[self.parent[v] as usize] + signed;
            longest = longest.max(self.potential[v].abs());
        }
        longest
    }

    /// Closes what is longer than the tree by so much, under lengths at which it has been measured.
    pub(super) fn close(&mut self, network: &Network, length: &[f64], level: u32, longer: f64) {
        let open = std::mem::take(&mut self.open);
        for arc in open {
            let beyond = -self.gain(network, arc, length);
            if beyond > longer {
                self.closed.push((arc, level, beyond));
            } else {
                self.open.push(arc);
            }
        }
    }

    /// Which levels have to be added to lengths at which the tree has been measured, and how often, so that no demand is
    /// nearer, by more than `noise`, over closed arcs: the lowest that closes such a path.
    pub(super) fn shortcuts(&self, network: &Network, length: &[f64], noise: f64) -> Vec<(u32, f64)> {
        if self.closed.iter().all(|(arc, ..)| self.gain(network, *arc, length) <= noise) {
            return vec![];
        }
        let mut distance = self.potential.clone();
        let mut next: Vec<u32> = self.arc.iter().zip(&self.up).map(|(arc, up)| if *up { *arc } else { NONE }).collect();
        for _ in 0..self.order.len() {
            let mut nearer = false;
            for arc in self.open.iter().chain(self.closed.iter().map(|(arc, ..)| arc)) {
                let [tail, head] = [network.tail[*arc as usize], network.head[*arc as usize]].map(|v| v as usize);
                let over = length[*arc as usize] + distance[head];
                if over < distance[tail] - noise {
                    (distance[tail], next[tail], nearer) = (over, *arc, true);
                }
            }
            if !nearer {
                break;
            }
        }
        let mut place = vec![self.closed.len(); network.tail.len()];
        self.closed.iter().enumerate().for_each(|(n, (arc, ..))| place[*arc as usize] = n);
        let mut needs = vec![];
        for v in self.demands.iter().map(|(_, v)| *v as usize).filter(|v| distance[*v] < self.potential[*v] - noise) {
            let from = |v: usize| Some(next[v]).filter(|arc| *arc != NONE);
            let arcs = std::iter::successors(from(v), |arc| from(network.head[*arc as usize] as usize));
            let arcs = arcs.take(self.order.len());
            let beyond =
                arcs.filter_map(|arc| self.closed.get(place[arc as usize])).map(|(_, level, by)| (*level, *by));
            if let Some(lowest) = beyond.clone().map(|(level, _)| level).min() {
                let beyond: f64 = beyond.filter(|(level, _)| *level == lowest).map(|(_, by)| by).sum();
                needs.push((lowest, (self.potential[v] - distance[v]) / beyond));
            }
        }
        needs
    }

    /// Opens all again.
    pub(super) fn reopen(&mut self) {
        self.open.extend(self.closed.drain(..).map(|(arc, _, _)| arc));
        self.open.sort_unstable();
    }

    /// How much shorter it is to take an arc than to follow the tree.
    #[inline]
    pub(super) fn gain(&self, network: &Network, arc: u32, length: &[f64]) -> f64 {
        let [tail, head] = [network.tail[arc as usize], network.head[arc as usize]];
        self.potential[tail as usize] - length[arc as usize] - self.potential[head as usize]
    }

    #[inline]
    pub(super) fn has(&self, network: &Network, arc: u32) -> bool {
        let [tail, head] = [network.tail[arc as usize], network.head[arc as usize]];
        self.arc[tail as usize] == arc || self.arc[head as usize] == arc
    }

    /// What a unit on an arc that is not of the tree adds to those that are.
    pub(super) fn cycle(&self, network: &Network, arc: u32) -> Cycle {
        let mut cycle = vec![];
        let [mut from, mut to] = [network.tail[arc as usize], network.head[arc as usize]];
        while from != to {
            if self.depth[from as usize] >= self.depth[to as usize] {
                cycle.push((from, -self.sign(from as usize)));
                from = self.parent[from as usize];
            } else {
                cycle.push((to, self.sign(to as usize)));
                to = self.parent[to as usize];
            }
        }
        cycle
    }

    /// An arc takes the place of that between `lower` and its parent.
    pub(super) fn exchange(&mut self, network: &Network, lower: u32, arc: u32) {
        let [tail, head] = [network.tail[arc as usize], network.head[arc as usize]];
        let below = |mut v: u32| {
            while self.depth[v as usize] > self.depth[lower as usize] {
                v = self.parent[v as usize];
            }
            v == lower
        };
        let (mut at, mut to, mut by, mut up) =
            if below(tail) { (tail, head, arc, true) } else { (head, tail, arc, false) };
        loop {
            let v = at as usize;
            let (parent, old, was_up) = (self.parent[v], self.arc[v], self.up[v]);
            (self.parent[v], self.arc[v], self.up[v]) = (to, by, up);
            if at == lower {
                break;
            }
            (at, to, by, up) = (parent, at, old, !was_up);
        }
        self.sort();
    }

    /// Puts nodes after their parents again.
    fn sort(&mut self) {
        let children = Csr::new(self.parent.len(), self.order[1..].iter().map(|v| (self.parent[*v as usize], *v)));
        let root = self.root();
        self.order.clear();
        self.order.push(root);
        let mut next = 0;
        while let Some(at) = self.order.get(next).copied() {
            next += 1;
            for v in children.of(at as usize) {
                self.depth[*v as usize] = self.depth[at as usize] + 1;
                self.order.push(*v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mcf::columns::links::Links;
    use crate::mcf::problem::{Arrays, Problem};

    const NODES: i32 = 7;

    /// A ring of switches both ways, with chords; all send to the first.
    fn problem(chords: &[(i32, i32)]) -> Problem {
        let ring = (0..NODES).flat_map(|v| [(v, (v + 1) % NODES), ((v + 1) % NODES, v)]);
        let mut arcs: Vec<(i32, i32)> = ring.chain(chords.iter().copied().filter(|(u, v)| u != v)).collect();
        arcs.sort_unstable();
        let (tail, head): (Vec<i32>, Vec<i32>) = arcs.into_iter().unzip();
        let free = vec![f64::INFINITY; NODES as usize];
        Problem::new(&Arrays {
            node_count: &[NODES],
            arc_ptr: &[0, tail.len() as i32],
            tail: &tail,
            head: &head,
            capacity: &vec![1.0; tail.len()],
            attach: &(0..NODES).collect::<Vec<i32>>(),
            access_up: &free,
            access_down: &free,
            src: &(1..NODES).collect::<Vec<i32>>(),
            dst: &vec![0; NODES as usize - 1],
            demand: &vec![1.0; NODES as usize - 1],
        })
        .unwrap()
    }

    proptest! {
        #[test]
        fn a_tree_carries_all_whatever_takes_the_place_of_its_arcs(
            chords in prop::collection::vec((0..NODES, 0..NODES), 0..8),
            turns in prop::collection::vec((0..100_usize, 0..100_usize), 0..30),
        ) {
            let problem = problem(&chords);
            let (network, mut trees) = Network::new(&problem, &Links::new(&problem));
            let tree = &mut trees[0];
            let (base, slope): (Vec<f64>, Vec<f64>) = (0..6).map(|j| (1.0 + f64::from(j), 0.5)).unzip();
            for (arc, lower) in turns {
                let arc = tree.open[arc % tree.open.len()];
                let cycle = tree.cycle(&network, arc);
                if tree.has(&network, arc) || cycle.is_empty() {
                    continue;
                }
                let (lower, _) = cycle[lower % cycle.len()];
                tree.exchange(&network, lower, arc);
                prop_assert!(tree.has(&network, arc));
                prop_assert_eq!(tree.order.len(), network.nodes - 1 - NODES as usize);
            }
            tree.superbasic = tree.open.iter().filter(|arc| !tree.has(&network, **arc)).map(|arc| (*arc, 0.25)).collect();
            tree.send(&base, &slope);
            tree.fill(&network);
            let mut left = vec![0.0; network.nodes];
            let of_tree = tree.nodes().map(|v| (tree.arc[v], tree.carries(v, 2.0)));
            for (arc, x) in of_tree.chain(tree.superbasic.iter().copied()) {
                left[network.tail[arc as usize] as usize] += x;
                left[network.head[arc as usize] as usize] -= x;
            }
            for (v, left) in left.iter().enumerate().take(NODES as usize).skip(1) {
                prop_assert!((left - (v as f64 + 1.0)).abs() < 1e-12, "{v} {left}");
            }
        }

        #[test]
        fn a_cycle_leaves_nothing_anywhere(chords in prop::collection::vec((0..NODES, 0..NODES), 0..8)) {
            let problem = problem(&chords);
            let (network, trees) = Network::new(&problem, &Links::new(&problem));
            let tree = &trees[0];
            for arc in tree.open.iter().filter(|arc| !tree.has(&network, **arc)) {
                let mut left = vec![0.0; network.nodes];
                let arcs = tree.cycle(&network, *arc).into_iter().map(|(v, by)| (tree.arc[v as usize], by));
                for (arc, by) in arcs.chain([(*arc, 1.0)]) {
                    left[network.tail[arc as usize] as usize] += by;
                    left[network.head[arc as usize] as usize] -= by;
                }
                prop_assert!(left.iter().all(|left| *left == 0.0));
            }
        }
    }

    #[test]
    fn the_fullest_arcs_are_the_tree() {
        let problem = problem(&[]);
        let (network, mut trees) = Network::new(&problem, &Links::new(&problem));
        let into = Csr::new(network.nodes, network.head.iter().copied().zip(0..));
        // All goes round one way, but for a little from the fourth.
        let arc = |u: u32, v: u32| {
            (0..).zip(&network.tail).zip(&network.head).find(|((_, t), h)| (**t, **h) == (u, v)).unwrap().0.0
        };
        let mut flow = vec![0.0; network.tail.len()];
        (1..7_u32).for_each(|v| flow[arc(v, (v + 1) % 7) as usize] = f64::from(v));
        flow[arc(4, 3) as usize] = 0.5;
        trees[0].take(&network, &into, &flow);
        assert!((1..7_u32).all(|v| trees[0].arc[v as usize] == arc(v, (v + 1) % 7)));
        assert_eq!(trees[0].superbasic, [(arc(4, 3), 0.5)]);
    }
    #[test]
    fn closed_arcs_that_are_short_ask_for_the_level_that_closed_them() {
        let problem = problem(&[(3, 0)]);
        let (network, mut trees) = Network::new(&problem, &Links::new(&problem));
        let tree = &mut trees[0];
        let arc =
            |u: u32, v: u32| (0..).zip(network.tail.iter().zip(&network.head)).find(|(_, e)| *e == (&u, &v)).unwrap().0;
        let (chord, ring) = (arc(3, 0), arc(3, 2));
        tree.exchange(&network, 3, ring);
        // By way of 2 and 1 it is 3 from there; the chord was longer by 0.5 in level 7, and has no length now.
        tree.open.retain(|open| *open != chord);
        tree.closed.push((chord, 7, 0.5));
        let mut length = vec![1.0; network.tail.len()];
        length[chord as usize] = 4.0;
        tree.measure(&length);
        assert!(tree.shortcuts(&network, &length, 1e-9).is_empty());
        length[chord as usize] = 0.0;
        tree.measure(&length);
        // From 2 it is 1 that way, not 2, and from 3 it is 0, not 3.
        let needs = tree.shortcuts(&network, &length, 1e-9);
        assert_eq!(needs.first(), Some(&(7, 2.0)), "{needs:?}");
        assert!(needs.contains(&(7, 6.0)) && needs.iter().all(|(level, _)| *level == 7), "{needs:?}");
    }
}
