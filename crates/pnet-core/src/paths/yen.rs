//! K shortest simple paths one by one (Yen, Management Science 1971), by hops.
//!
//! Slower than searching whole levels, but its time is bounded by the number of paths found, not by the number of
//! partial ones: where few paths exist and detours lead nowhere, it ends soon.

use std::collections::BTreeSet;

use crate::graph::Graph;

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
    let mut search = Spur::new(graph);
    let mut found: Vec<Vec<u32>> = vec![];
    // Sorted by length first; a set, as the same candidate can come from several paths.
    let mut candidates: BTreeSet<(usize, Vec<u32>)> = BTreeSet::new();
    candidates.extend(search.shortest(source, target).map(|path| (path.len(), path)));
    while found.len() < k {
        let Some((_, path)) = candidates.pop_first() else { break };
        for at in 0..path.len() {
            let root = &path[..at];
            search.clear();
            for arc in root {
                search.closed[graph.tail(*arc) as usize] = true;
            }
            for other in found.iter().chain([&path]) {
                if other.len() > at && other[..at] == *root {
                    search.banned.push(other[at]);
                }
            }
            let spur = graph.tail(path[at]);
            if let Some(rest) = search.shortest(spur, target) {
                let whole: Vec<u32> = root.iter().copied().chain(rest).collect();
                candidates.insert((whole.len(), whole));
            }
        }
        found.push(path);
    }
    found
}

/// Breadth-first search around closed nodes and banned arcs.
struct Spur<'a> {
    graph: &'a Graph,
    closed: Vec<bool>,
    banned: Vec<u32>,
    by: Vec<u32>,
}

impl<'a> Spur<'a> {
    fn new(graph: &'a Graph) -> Self {
        Spur { graph, closed: vec![false; graph.nodes()], banned: vec![], by: vec![] }
    }

    fn clear(&mut self) {
        self.closed.fill(false);
        self.banned.clear();
    }

    fn shortest(&mut self, source: u32, target: u32) -> Option<Vec<u32>> {
        const NONE: u32 = u32::MAX;
        self.by.clear();
        self.by.resize(self.graph.nodes(), NONE);
        let mut queue = vec![source];
        let mut next = 0;
        while let Some(u) = queue.get(next).copied() {
            next += 1;
            for arc in self.graph.out(u) {
                let v = self.graph.head(arc);
                if v == source || self.closed[v as usize] || self.by[v as usize] != NONE {
                    continue;
                }
                if u == source && self.banned.contains(&arc) {
                    continue;
                }
                self.by[v as usize] = arc;
                if v == target {
                    let mut path = vec![];
                    let mut at = target;
                    while at != source {
                        path.push(self.by[at as usize]);
                        at = self.graph.tail(self.by[at as usize]);
                    }
                    path.reverse();
                    return Some(path);
                }
                queue.push(v);
            }
        }
        None
    }
}
