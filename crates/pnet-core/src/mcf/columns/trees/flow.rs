//! The flow of trees, as others read it.

use super::basis::Basis;
use crate::csr::Csr;
use crate::mcf::columns::vertex::matrix::NONE;
use crate::mcf::problem::Problem;
use crate::mcf::round::Flow;

/// Calls `visit` with each arc that carries something to a tree's destination, and how much.
fn for_each_arc(basis: &Basis, d: usize, mut visit: impl FnMut(u32, f64)) {
    let tree = &basis.trees[d];
    let of_tree = tree.nodes().map(|v| (tree.arc[v], tree.carries(v, basis.t)));
    let columns = tree.columns.iter().filter_map(|c| basis.columns[*c as usize].as_ref());
    let others = columns.map(|column| (column.arc, column.x)).chain(tree.superbasic.iter().copied());
    of_tree.chain(others).filter(|(_, x)| *x > 0.0).for_each(|(a, x)| visit(a, x));
}

/// The load of each link.
pub(super) fn loads(basis: &Basis) -> Vec<f64> {
    let mut load = vec![0.0; basis.per.len()];
    for d in 0..basis.trees.len() {
        for_each_arc(basis, d, |arc, x| {
            let link = basis.network.link[arc as usize] as usize;
            if let Some(per) = basis.per.get(link) {
                load[link] += per * x;
            }
        });
    }
    load
}

/// The least part of any arc that what begins at each node to a destination goes over.
pub(super) fn narrowest(basis: &Basis, d: usize, part: &[f64]) -> Vec<f64> {
    let mut least = vec![1.0; basis.network.nodes];
    // Tree arcs come nearest to the destination first, so that few rounds are enough.
    loop {
        let mut changed = false;
        for_each_arc(basis, d, |arc, _| {
            let [tail, head] = [basis.network.tail[arc as usize], basis.network.head[arc as usize]].map(|v| v as usize);
            let through = part[arc as usize].min(least[head]);
            if through < least[tail] {
                (least[tail], changed) = (through, true);
            }
        });
        if !changed {
            return least;
        }
    }
}

/// The flow of all trees.
pub(super) struct TreeFlow<'a> {
    problem: &'a Problem,
    basis: &'a Basis,
    /// The trees of each row, by plane.
    rows: Vec<Csr<u32>>,
    /// `[planes][demands]`
    share: Vec<f64>,
}

impl<'a> TreeFlow<'a> {
    pub(super) fn new(problem: &'a Problem, basis: &'a Basis) -> Self {
        let mut share = vec![1.0; problem.planes.len() * problem.demands()];
        let mut rows = vec![];
        for plane in &problem.planes {
            let of_tree = |tree: &super::tree::Tree| {
                let (j, _) = tree.demands.first()?;
                let at = plane.attach[problem.dst[*j as usize] as usize]?;
                plane.targets.binary_search(&at).ok()
            };
            let of_rows = (0..).zip(&basis.trees).filter_map(|(d, tree)| of_tree(tree).map(|row| (row as u32, d)));
            rows.push(Csr::new(plane.targets.len(), of_rows));
        }
        for d in 0..basis.trees.len() {
            let mut flow = vec![0.0; basis.network.tail.len()];
            for_each_arc(basis, d, |arc, x| flow[arc as usize] = x);
            for p in 0..problem.planes.len() {
                for (j, _) in &basis.trees[d].demands {
                    let up = basis.network.up[p * problem.endpoints + problem.src[*j as usize] as usize];
                    if up != NONE {
                        share[p * problem.demands() + *j as usize] = flow[up as usize];
                    }
                }
            }
        }
        TreeFlow { problem, basis, rows, share }
    }
}

impl Flow for TreeFlow<'_> {
    fn row(&self, plane: usize, row: usize, flow: &mut [f64]) {
        flow.fill(0.0);
        let first = self.basis.network.first[plane];
        for d in self.rows[plane].of(row) {
            for_each_arc(self.basis, *d as usize, |arc, x| {
                if let Some(flow) = (arc as usize).checked_sub(first).and_then(|arc| flow.get_mut(arc)) {
                    *flow += x;
                }
            });
        }
    }

    fn share(&self, plane: usize, demand: usize) -> f64 {
        self.share[plane * self.problem.demands() + demand]
    }

    fn noise(&self) -> f64 {
        0.0
    }
}
