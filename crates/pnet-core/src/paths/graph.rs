//! A plane as the path searches see it.

/// Distance of a node that cannot reach the target.
pub const FAR: u32 = u32::MAX;

/// A directed multigraph with its arcs sorted by tail.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Head of each arc.
    pub head: Vec<u32>,
    /// Tail of each arc.
    pub tail: Vec<u32>,
    out_ptr: Vec<u32>,
    in_ptr: Vec<u32>,
    in_tail: Vec<u32>,
}

impl Graph {
    /// The graph with these arcs, which are sorted by tail.
    pub fn new(nodes: usize, tail: &[u32], head: &[u32]) -> Self {
        let out_ptr = (0..=nodes).map(|u| tail.partition_point(|t| (*t as usize) < u) as u32).collect();
        let mut reversed: Vec<(u32, u32)> = head.iter().copied().zip(tail.iter().copied()).collect();
        reversed.sort_unstable();
        let in_ptr =
            (0..=nodes).map(|v| reversed.partition_point(|arc| (arc.0 as usize) < v) as u32).collect();
        let in_tail = reversed.into_iter().map(|arc| arc.1).collect();
        Graph { head: head.to_vec(), tail: tail.to_vec(), out_ptr, in_ptr, in_tail }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.out_ptr.len() - 1
    }

    /// Arcs out of `node`.
    #[inline]
    pub fn out(&self, node: u32) -> std::ops::Range<u32> {
        self.out_ptr[node as usize]..self.out_ptr[node as usize + 1]
    }

    /// Hops from every node to `target`, [`FAR`] where there is no path.
    pub fn hops_to(&self, target: u32) -> Vec<u32> {
        let mut hops = vec![FAR; self.nodes()];
        hops[target as usize] = 0;
        let mut queue = vec![target];
        let mut next = 0;
        while let Some(v) = queue.get(next).copied() {
            next += 1;
            let range = self.in_ptr[v as usize] as usize..self.in_ptr[v as usize + 1] as usize;
            for u in &self.in_tail[range] {
                if hops[*u as usize] == FAR {
                    hops[*u as usize] = hops[v as usize] + 1;
                    queue.push(*u);
                }
            }
        }
        hops
    }
}
