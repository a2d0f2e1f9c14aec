//! Biconnected components, and the simple paths to one node that they allow.

use super::adjacency::Graph;
use super::reach::{FAR, Reach};

const NONE: u32 = u32::MAX;

/// The blocks of a graph, ignoring directions: its biconnected components.
///
/// A simple path that leaves a block through a cut node never returns to it, so from any node only the arcs of one block
/// lead to a target.
#[derive(Debug, Clone)]
pub struct Blocks {
    /// The order in which a depth-first search enters the nodes.
    entered: Vec<u32>,
    /// The block of each node and its parent in the search.
    above: Vec<u32>,
    /// Nodes of each block.
    size: Vec<u32>,
}

impl Blocks {
    /// The blocks of a graph, in the time of one search (Hopcroft, Tarjan, CACM 1973).
    pub fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        let mut blocks = Blocks { entered: vec![NONE; nodes], above: vec![NONE; nodes], size: vec![] };
        // The first node in this order that each one reaches from its subtree by one more arc.
        let mut low = vec![NONE; nodes];
        let mut time = 0;
        let (mut stack, mut unassigned): (Vec<(u32, usize)>, Vec<u32>) = (vec![], vec![]);
        for root in 0..nodes as u32 {
            if blocks.entered[root as usize] != NONE {
                continue;
            }
            stack.push((root, 0));
            while let Some((u, next)) = stack.last_mut() {
                let u = *u;
                if *next == 0 {
                    blocks.entered[u as usize] = time;
                    low[u as usize] = time;
                    time += 1;
                    unassigned.push(u);
                }
                let out = graph.out(u);
                let index = *next;
                *next += 1;
                let neighbour = match index.checked_sub(out.len()) {
                    None => Some(graph.head(out.start + index as u32)),
                    Some(rest) => graph.before(u).get(rest).copied(),
                };
                match neighbour {
                    Some(v) if blocks.entered[v as usize] == NONE => stack.push((v, 0)),
                    Some(v) => low[u as usize] = low[u as usize].min(blocks.entered[v as usize]),
                    None => {
                        stack.pop();
                        let Some((parent, _)) = stack.last() else { continue };
                        let parent = *parent as usize;
                        low[parent] = low[parent].min(low[u as usize]);
                        if low[u as usize] >= blocks.entered[parent] {
                            blocks.close(&mut unassigned, u);
                        }
                    }
                }
            }
            unassigned.clear();
        }
        blocks
    }

    /// Makes a block of the parent of `last` and all nodes entered since `last`.
    fn close(&mut self, unassigned: &mut Vec<u32>, last: u32) {
        let block = self.size.len() as u32;
        let mut size = 1;
        while let Some(v) = unassigned.pop() {
            self.above[v as usize] = block;
            size += 1;
            if v == last {
                break;
            }
        }
        self.size.push(size);
    }

    /// The block of an arc.
    #[inline]
    pub fn of(&self, graph: &Graph, arc: u32) -> u32 {
        let (u, v) = (graph.tail(arc) as usize, graph.head(arc) as usize);
        // Every arc joins a node and one of its ancestors; the lower end has the block of the arc.
        self.above[if self.entered[u] > self.entered[v] { u } else { v }]
    }
}

/// The arcs and lengths of simple paths to one node, as far as blocks tell.
#[derive(Debug, Clone, Default)]
pub struct SimplePaths {
    /// The block of the first arc of each node's simple paths; none for the target and for nodes without a path.
    block: Vec<u32>,
    /// An upper bound on the length of each node's simple paths.
    longest: Vec<u32>,
    /// The node where they leave that block.
    exit: Vec<u32>,
}

impl SimplePaths {
    /// Updates them for the target of `reach`, in the memory of an earlier search.
    pub fn update(&mut self, graph: &Graph, blocks: &Blocks, reach: &Reach) {
        for (values, none) in [(&mut self.block, NONE), (&mut self.longest, 0), (&mut self.exit, NONE)] {
            values.clear();
            values.resize(graph.nodes(), none);
        }
        for u in reach.order.iter().skip(1) {
            let Some(arc) = graph.next_hops(*u, reach).next() else { continue };
            let (v, block) = (graph.head(arc) as usize, blocks.of(graph, arc));
            let exit = if self.block[v] == block { self.exit[v] } else { v as u32 };
            let u = *u as usize;
            self.block[u] = block;
            self.exit[u] = exit;
            self.longest[u] = blocks.size[block as usize] - 1 + self.longest[exit as usize];
        }
    }

    /// An upper bound on the arcs of a simple path from `node` to the target.
    #[inline]
    pub fn longest(&self, node: u32) -> u32 {
        self.longest[node as usize]
    }

    /// Whether a simple path to the target can use this arc.
    #[inline]
    pub fn leads(&self, graph: &Graph, blocks: &Blocks, reach: &Reach, arc: u32) -> bool {
        let (u, v) = (graph.tail(arc) as usize, graph.head(arc) as usize);
        reach.distance[v] != FAR && blocks.of(graph, arc) == self.block[u]
    }
}
