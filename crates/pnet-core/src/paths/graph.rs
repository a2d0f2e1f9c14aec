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
    in_arc: Vec<u32>,
    in_tail: Vec<u32>,
}

/// Distances to one node.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Hops from every node, [`FAR`] where there is no path.
    pub hops: Vec<u32>,
    /// The nodes that have a path, nearest first.
    pub order: Vec<u32>,
}

impl Graph {
    /// The graph with these arcs, which are sorted by tail.
    pub fn new(nodes: usize, tail: &[u32], head: &[u32]) -> Self {
        let out_ptr = (0..=nodes).map(|u| tail.partition_point(|t| (*t as usize) < u) as u32).collect();
        let mut in_arc: Vec<u32> = (0..head.len() as u32).collect();
        in_arc.sort_by_key(|arc| head[*arc as usize]);
        let in_ptr = (0..=nodes)
            .map(|v| in_arc.partition_point(|arc| (head[*arc as usize] as usize) < v) as u32)
            .collect();
        let in_tail = in_arc.iter().map(|arc| tail[*arc as usize]).collect();
        Graph { head: head.to_vec(), tail: tail.to_vec(), out_ptr, in_ptr, in_arc, in_tail }
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

    /// Arcs into `node`, in their order.
    #[inline]
    pub fn into(&self, node: u32) -> &[u32] {
        &self.in_arc[self.in_range(node)]
    }

    /// Arcs out of `node` on the shortest paths to the node that `reach` was searched for.
    #[inline]
    pub fn next_hops<'a>(&'a self, node: u32, reach: &'a Reach) -> impl Iterator<Item = u32> + Clone + 'a {
        let hops = reach.hops[node as usize];
        // The target itself has 0 hops, which no head exceeds; FAR + 1 would wrap to 0, but FAR has no next hop.
        let near = move |arc: &u32| hops != FAR && reach.hops[self.head[*arc as usize] as usize] < hops;
        self.out(node).filter(near)
    }

    /// Searches the distances to `target`.
    pub fn reach(&self, target: u32, found: &mut Reach) {
        found.hops.clear();
        found.hops.resize(self.nodes(), FAR);
        found.hops[target as usize] = 0;
        found.order.clear();
        found.order.push(target);
        let mut next = 0;
        while let Some(v) = found.order.get(next).copied() {
            next += 1;
            let hops = found.hops[v as usize] + 1;
            for u in &self.in_tail[self.in_range(v)] {
                if found.hops[*u as usize] == FAR {
                    found.hops[*u as usize] = hops;
                    found.order.push(*u);
                }
            }
        }
    }

    /// Hops from every node to `target`, [`FAR`] where there is no path.
    pub fn hops_to(&self, target: u32) -> Vec<u32> {
        let mut found = Reach::default();
        self.reach(target, &mut found);
        found.hops
    }

    #[inline]
    fn in_range(&self, node: u32) -> std::ops::Range<usize> {
        self.in_ptr[node as usize] as usize..self.in_ptr[node as usize + 1] as usize
    }
}
