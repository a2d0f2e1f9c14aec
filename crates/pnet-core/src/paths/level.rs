//! All simple paths of one length.

use super::Paths;
use super::graph::Graph;

/// How a search of one length ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All paths of the length were found.
    Complete,
    /// The search took more steps than it was given.
    OutOfSteps,
}

/// Scratch space for searches in one graph.
pub struct LevelSearch {
    on_path: Vec<bool>,
    /// Nodes of the path and the next arc to try at each.
    stack: Vec<(u32, u32)>,
    arcs: Vec<u32>,
}

impl LevelSearch {
    /// Scratch space for `graph`.
    pub fn new(graph: &Graph) -> Self {
        LevelSearch { on_path: vec![false; graph.nodes()], stack: vec![], arcs: vec![] }
    }

    /// Adds to `found` every simple path of `length` arcs from `source` to `target`, parallel arcs counted each.
    ///
    /// `hops` are the distances to `target`: an arc is taken only if the target can still be reached in time, so with
    /// no detour to spare every step belongs to a path.
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &mut self,
        graph: &Graph,
        hops: &[u32],
        ends: (u32, u32),
        length: u32,
        plane: u32,
        steps: usize,
        found: &mut Paths,
    ) -> Ended {
        let (source, target) = ends;
        if hops[source as usize] > length {
            return Ended::Complete;
        }
        let mut taken = 0;
        self.enter(graph, source);
        while let Some((u, next)) = self.stack.last_mut() {
            if *next == graph.out(*u).end {
                self.on_path[*u as usize] = false;
                self.stack.pop();
                self.arcs.pop();
                continue;
            }
            let arc = *next;
            *next += 1;
            taken += 1;
            if taken > steps {
                for (u, _) in self.stack.drain(..) {
                    self.on_path[u as usize] = false;
                }
                self.arcs.clear();
                return Ended::OutOfSteps;
            }
            let v = graph.head[arc as usize];
            let left = length - self.stack.len() as u32;
            if v == target {
                if left == 0 {
                    found.push(plane, self.arcs.iter().copied().chain([arc]));
                }
            } else if left > 0 && hops[v as usize] <= left && !self.on_path[v as usize] {
                self.arcs.push(arc);
                self.enter(graph, v);
            }
        }
        Ended::Complete
    }

    fn enter(&mut self, graph: &Graph, node: u32) {
        self.on_path[node as usize] = true;
        self.stack.push((node, graph.out(node).start));
    }
}
