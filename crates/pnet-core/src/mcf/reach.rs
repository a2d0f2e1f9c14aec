//! Which switches have a path to a target at all.

use std::rc::Rc;

use super::problem::Plane;

/// Which nodes can reach a target.
pub enum Reach {
    /// Every arc has a reverse arc, so reaching is being in the same component.
    Symmetric(Rc<Vec<u32>>),
    /// Arcs into each node, for a search from each target.
    Directed {
        /// Arcs into node `v` are `ptr[v]..ptr[v + 1]`.
        ptr: Vec<usize>,
        /// Their tails.
        tail: Vec<u32>,
    },
}

/// The nodes that reach one target.
pub enum ReachSet {
    /// Those of one component.
    Component(Rc<Vec<u32>>, u32),
    /// Those marked.
    Nodes(Vec<bool>),
}

impl ReachSet {
    /// Whether `node` reaches the target.
    pub fn contains(&self, node: u32) -> bool {
        match self {
            ReachSet::Component(component, wanted) => component[node as usize] == *wanted,
            ReachSet::Nodes(nodes) => nodes[node as usize],
        }
    }
}

impl Reach {
    /// Prepares for the nodes of `plane`.
    pub fn new(plane: &Plane) -> Self {
        let mut pairs: Vec<(u32, u32)> = plane.tail.iter().copied().zip(plane.head.iter().copied()).collect();
        pairs.sort_unstable();
        let symmetric = pairs.iter().all(|(u, v)| pairs.binary_search(&(*v, *u)).is_ok());
        let mut ptr = vec![0; plane.nodes + 1];
        for v in &plane.head {
            ptr[*v as usize + 1] += 1;
        }
        for u in 0..plane.nodes {
            ptr[u + 1] += ptr[u];
        }
        let mut fill = ptr.clone();
        let mut tail = vec![0; plane.arcs()];
        for (u, v) in plane.tail.iter().zip(&plane.head) {
            tail[fill[*v as usize]] = *u;
            fill[*v as usize] += 1;
        }
        let directed = Reach::Directed { ptr, tail };
        if !symmetric {
            return directed;
        }
        let mut component = vec![u32::MAX; plane.nodes];
        for t in 0..plane.nodes {
            if component[t] == u32::MAX {
                directed.search(t, |u| std::mem::replace(&mut component[u], t as u32) == u32::MAX);
            }
        }
        Reach::Symmetric(Rc::new(component))
    }

    /// The nodes that reach `target`.
    pub fn to(&self, target: usize) -> ReachSet {
        match self {
            Reach::Symmetric(component) => ReachSet::Component(component.clone(), component[target]),
            Reach::Directed { ptr, .. } => {
                let mut seen = vec![false; ptr.len() - 1];
                self.search(target, |u| !std::mem::replace(&mut seen[u], true));
                ReachSet::Nodes(seen)
            }
        }
    }

    /// Visits every node that reaches `target`; `visit` returns whether it saw the node for the first time.
    fn search(&self, target: usize, mut visit: impl FnMut(usize) -> bool) {
        let Reach::Directed { ptr, tail } = self else { unreachable!("a search needs the arcs") };
        let mut stack = vec![target];
        visit(target);
        while let Some(v) = stack.pop() {
            for u in &tail[ptr[v]..ptr[v + 1]] {
                if visit(*u as usize) {
                    stack.push(*u as usize);
                }
            }
        }
    }
}
