//! Ordered partitions of nodes, refined until the nodes of each cell have as many links of each sort to each cell.

use std::collections::VecDeque;

use super::hash::mix;

/// Labelled links from each node to others.
pub(super) type Neighbours = Vec<Vec<(u32, u64)>>;

/// An ordered partition.  What is done to it depends on positions and labels alone, never on the numbers of nodes, so
/// equal graphs go through equal partitions (McKay, Piperno: "Practical graph isomorphism, II", 2014).
#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// The nodes, cell by cell.
    pub(super) order: Vec<u32>,
    /// Where each node is in the order.
    position: Vec<u32>,
    /// Where the cell of each node begins.
    cell: Vec<u32>,
    /// How many nodes the cell that begins at each position has.
    size: Vec<u32>,
    /// No cell before this position has more than one node.
    scanned: usize,
    /// Of each node, all 0 but during a refinement.
    sum: Vec<u64>,
    /// Whether the cell that begins at each position is yet to divide others.
    queued: Vec<bool>,
    /// Links visited so far.
    pub(super) visited: usize,
    /// A hash of the colours that it began with and of all that followed from them.
    pub(super) trace: u64,
}

impl Partition {
    /// The coarsest partition that divides nodes of different colours and is stable.
    pub(super) fn new(colour: &[u64], links: &Neighbours) -> Self {
        let nodes = colour.len();
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.sort_by_key(|node| colour[*node as usize]);
        let mut found = Partition {
            position: vec![0; nodes],
            cell: vec![0; nodes],
            size: vec![0; nodes],
            scanned: 0,
            sum: vec![0; nodes],
            queued: vec![false; nodes],
            visited: 0,
            trace: 0,
            order,
        };
        let mut starts = VecDeque::new();
        for place in 0..nodes {
            let node = found.order[place] as usize;
            let joins = place > 0 && colour[found.order[place - 1] as usize] == colour[node];
            if !joins {
                starts.push_back(place as u32);
                found.trace = mix(found.trace, mix(colour[node], place as u64));
            }
            let start = starts[starts.len() - 1];
            found.position[node] = place as u32;
            found.cell[node] = start;
            found.size[start as usize] += 1;
        }
        found.trace = mix(found.trace, found.refine(links, starts));
        found
    }

    /// A colour of each node, equal for the nodes of a cell and for equal partitions of equal graphs.
    pub(super) fn colours(&self) -> Vec<u64> {
        self.cell.iter().map(|start| mix(self.trace, u64::from(*start))).collect()
    }

    /// The first cell of several nodes.
    pub(super) fn open_cell(&mut self) -> Option<std::ops::Range<usize>> {
        while self.scanned < self.order.len() && self.size[self.scanned] == 1 {
            self.scanned += 1;
        }
        let size = *self.size.get(self.scanned)? as usize;
        Some(self.scanned..self.scanned + size)
    }

    /// Sets `node` apart from its cell and refines; returns a hash of all that followed.
    pub(super) fn set_apart(&mut self, node: u32, links: &Neighbours) -> u64 {
        let start = self.cell[node as usize];
        let size = self.size[start as usize];
        if size == 1 {
            return mix(u64::from(start), 0);
        }
        let own = start + size - 1;
        self.put(node, own);
        self.size[start as usize] -= 1;
        self.size[own as usize] = 1;
        self.cell[node as usize] = own;
        mix(u64::from(start), self.refine(links, VecDeque::from([own])))
    }

    fn put(&mut self, node: u32, place: u32) {
        let (from, other) = (self.position[node as usize], self.order[place as usize]);
        self.order.swap(from as usize, place as usize);
        self.position[other as usize] = from;
        self.position[node as usize] = place;
    }

    /// Divides cells by their links to each cell of `queue`, and to those that come of it.
    fn refine(&mut self, links: &Neighbours, mut queue: VecDeque<u32>) -> u64 {
        let mut trace = 0;
        queue.iter().for_each(|start| self.queued[*start as usize] = true);
        let mut touched: Vec<u32> = vec![];
        while let Some(splitter) = queue.pop_front() {
            self.queued[splitter as usize] = false;
            let begin = splitter as usize;
            for place in begin..begin + self.size[begin] as usize {
                let near = &links[self.order[place] as usize];
                self.visited += near.len();
                for (other, label) in near {
                    let sum = &mut self.sum[*other as usize];
                    if *sum == 0 {
                        touched.push(*other);
                    }
                    *sum = sum.wrapping_add(*label);
                }
            }
            trace = mix(trace, u64::from(splitter));
            touched.sort_unstable_by_key(|node| (self.cell[*node as usize], self.sum[*node as usize], *node));
            touched.dedup();
            // Dividing a cell changes nothing about the nodes of those that follow.
            let mut rest = &touched[..];
            while let Some(first) = rest.first() {
                let cell = self.cell[*first as usize];
                let (some, others) = rest.split_at(rest.partition_point(|n| self.cell[*n as usize] == cell));
                trace = self.divide(some, trace, &mut queue);
                rest = others;
            }
            touched.drain(..).for_each(|node| self.sum[node as usize] = 0);
        }
        trace
    }

    /// Divides the cell of the `touched`, sorted by their sums; the others of the cell come first.
    fn divide(&mut self, touched: &[u32], mut trace: u64, queue: &mut VecDeque<u32>) -> u64 {
        let start = self.cell[touched[0] as usize];
        let end = start + self.size[start as usize];
        for (i, node) in touched.iter().rev().enumerate() {
            self.put(*node, end - 1 - i as u32);
        }
        let mut next = end - touched.len() as u32;
        let mut parts = if next > start { vec![(start, next - start)] } else { vec![] };
        for part in touched.chunk_by(|a, b| self.sum[*a as usize] == self.sum[*b as usize]) {
            trace = mix(trace, mix(u64::from(next), mix(self.sum[part[0] as usize], part.len() as u64)));
            parts.push((next, part.len() as u32));
            next += part.len() as u32;
        }
        for (first, size) in parts.iter().copied() {
            self.size[first as usize] = size;
            for place in first..first + size {
                self.cell[self.order[place as usize] as usize] = first;
            }
        }
        // Of the parts of a cell that needs no look itself, all but one suffice (Hopcroft 1971).
        let most = parts.iter().map(|part| part.1).max();
        let spared = match self.queued[start as usize] {
            true => Some(start),
            false => parts.iter().find(|part| Some(part.1) == most).map(|part| part.0),
        };
        for (first, _) in parts {
            if Some(first) != spared && !self.queued[first as usize] {
                self.queued[first as usize] = true;
                queue.push_back(first);
            }
        }
        trace
    }
}
