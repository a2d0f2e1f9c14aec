//! Pricing: what lengths prove, and the ways that are short under them.

use rayon::prelude::*;

use super::links::Links;
use crate::mcf::distance::Distances;
use crate::mcf::lanes::LANES;
use crate::mcf::problem::{Plane, Problem, Use};

/// A way of a demand.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) plane: u32,
    pub(super) links: Vec<u32>,
}

/// Which ways to look for.
pub(super) struct Wanted {
    /// The longest way worth having, of each demand; the shortest of all is wanted in any case.
    pub(super) most: Vec<f64>,
    /// At most so many of a demand in each plane.
    pub(super) count: usize,
}

/// Lengths, and what they prove.
pub(super) struct Priced {
    /// Length of each link.
    pub(super) length: Vec<f64>,
    /// K is at most this.
    pub(super) upper: f64,
    /// The length of each demand's shortest way, over all planes.
    pub(super) shortest: Vec<f64>,
    planes: Vec<Distances>,
}

/// No link adds less than this part of the whole, so that of ways that cost the same the one by fewer links is shortest.
const LEAST: f64 = 1e-13;

impl Priced {
    /// Distances under lengths >= 0 of any scale.
    pub(super) fn new(problem: &Problem, links: &Links, mut length: Vec<f64>) -> Self {
        let volume: f64 = links.capacity.iter().zip(&length).map(|(c, l)| c * l).sum();
        let scale = if volume > 0.0 { 1.0 / volume } else { 0.0 };
        let least = LEAST / links.capacity.len() as f64;
        length.iter_mut().zip(&links.capacity).for_each(|(l, c)| *l = (*l * scale).max(least / c));
        let planes: Vec<Distances> = (problem.planes.iter().enumerate())
            .map(|(p, plane)| Distances::new(plane, links.of_plane(p, &length)))
            .collect();
        let volume: f64 = links.capacity.iter().zip(&length).map(|(c, l)| c * l).sum();
        let mut priced = Priced { length, upper: f64::INFINITY, shortest: vec![], planes };
        priced.shortest = (0..problem.demands())
            .into_par_iter()
            .map(|j| {
                let ways = (0..problem.planes.len()).map(|p| priced.shortest_in(problem, links, j, p));
                ways.fold(f64::INFINITY, f64::min)
            })
            .collect();
        let carried: f64 = priced.shortest.iter().zip(&problem.demand).map(|(dist, d)| dist * d).sum();
        if carried > 0.0 {
            priced.upper = volume / carried;
        }
        priced
    }

    /// The length of the shortest way of demand `j` in plane `p`; infinite where there is none.
    fn shortest_in(&self, problem: &Problem, links: &Links, j: usize, p: usize) -> f64 {
        let core = match problem.planes[p].demands[j] {
            Use::Never => return f64::INFINITY,
            Use::Local => 0.0,
            Use::Core { source, row } => self.planes[p].get(row as usize, source as usize),
        };
        core + self.access(problem, links, j, p)
    }

    fn access(&self, problem: &Problem, links: &Links, j: usize, p: usize) -> f64 {
        let ends = [links.up(p, problem.src[j]), links.down(p, problem.dst[j])];
        ends.into_iter().flatten().map(|link| self.length[link as usize]).sum()
    }

    /// Short ways of each demand: the shortest of each plane, and those that leave it once.
    pub(super) fn ways(&self, problem: &Problem, links: &Links, wanted: Wanted) -> Vec<Vec<Way>> {
        (0..problem.demands())
            .into_par_iter()
            .map_init(Search::default, |search, j| {
                let limit = wanted.most[j].max(self.shortest[j]);
                let mut ways = vec![];
                for (p, plane) in problem.planes.iter().enumerate() {
                    let access = self.access(problem, links, j, p);
                    let (up, down) = (links.up(p, problem.src[j]), links.down(p, problem.dst[j]));
                    let mut add = |arcs: &[u32]| {
                        let arcs = arcs.iter().map(|a| links.arc(p, *a));
                        let links = up.into_iter().chain(arcs).chain(down).collect();
                        ways.push(Way { plane: p as u32, links });
                    };
                    match plane.demands[j] {
                        Use::Never => {}
                        Use::Local if access <= limit => add(&[]),
                        Use::Local => {}
                        Use::Core { source, row } => {
                            let length = links.of_plane(p, &self.length);
                            let to = Target { plane, length, distances: &self.planes[p], row: row as usize };
                            search.short(&to, source, limit - access, wanted.count, &mut add);
                        }
                    }
                }
                ways
            })
            .collect()
    }
}

/// What leads to one switch.
struct Target<'a> {
    plane: &'a Plane,
    length: &'a [f64],
    distances: &'a Distances,
    row: usize,
}

impl Target<'_> {
    #[inline]
    fn dist(&self, node: usize) -> f64 {
        self.distances.get(self.row, node)
    }

    /// Adds the arcs of a shortest path from `node` to `arcs`; false where it comes by a node in `closed`.
    ///
    /// A length may be lost in the rounding of a distance, and arcs that lead no nearer then look as if they did.  What
    /// made a distance fall last leads to the target; so, of those arcs, does one that comes by no node twice.
    fn descend(&self, node: usize, arcs: &mut Vec<u32>, closed: &[u32], walk: &mut Walk) -> bool {
        let target = self.plane.targets[self.row] as usize;
        if closed.contains(&(node as u32)) {
            return false;
        }
        walk.begin(self.plane.nodes(), closed);
        walk.enter(node, self.plane.out(node).start);
        let first = arcs.len();
        while let Some((at, next)) = walk.path.last_mut() {
            let at = *at;
            if at == target {
                return true;
            }
            let tight = |a: &usize| self.length[*a] + self.dist(self.plane.head(*a)) <= self.dist(at);
            let new = |a: &usize| walk.seen[self.plane.head(*a)] != walk.round;
            let Some(arc) = (*next..self.plane.out(at).end).find(|a| tight(a) && new(a)) else {
                // Dead ends come of nodes that are closed, or seen: with none closed another arc leads on.
                if closed.is_empty() {
                    walk.path.pop();
                    arcs.truncate((first + walk.path.len()).saturating_sub(1).max(first));
                    continue;
                }
                return false;
            };
            *next = arc + 1;
            arcs.push(arc as u32);
            let head = self.plane.head(arc);
            walk.enter(head, self.plane.out(head).start);
        }
        false
    }
}

/// A search along arcs that may lead nearer: nodes on the way, with the next arc to try at each, and which were seen.
#[derive(Default)]
struct Walk {
    path: Vec<(usize, usize)>,
    seen: Vec<u32>,
    round: u32,
}

impl Walk {
    fn begin(&mut self, nodes: usize, closed: &[u32]) {
        if self.seen.len() != nodes || self.round == u32::MAX {
            (self.seen, self.round) = (vec![0; nodes], 0);
        }
        self.path.clear();
        self.round += 1;
        closed.iter().for_each(|node| self.seen[*node as usize] = self.round);
    }

    fn enter(&mut self, node: usize, next: usize) {
        self.seen[node] = self.round;
        self.path.push((node, next));
    }
}

/// Scratch space of one thread.
#[derive(Default)]
struct Search {
    path: Vec<u32>,
    nodes: Vec<u32>,
    /// Length, where the way leaves the shortest one, and by which arc.
    detours: Vec<(f64, usize, u32)>,
    way: Vec<u32>,
    walk: Walk,
}

impl Search {
    /// Calls `add` with the shortest path from `source` and the shortest that leave it once, no longer than `limit`.
    fn short(&mut self, to: &Target, source: u32, limit: f64, most: usize, add: &mut impl FnMut(&[u32])) {
        let plane = to.plane;
        if to.dist(source as usize) > limit {
            return;
        }
        self.path.clear();
        to.descend(source as usize, &mut self.path, &[], &mut self.walk);
        add(&self.path);
        if most <= 1 {
            return;
        }
        self.detours.clear();
        self.nodes.clear();
        let (mut at, mut gone) = (source as usize, 0.0);
        for (i, arc) in self.path.iter().enumerate() {
            self.nodes.push(at as u32);
            for a in plane.out(at).filter(|a| *a != *arc as usize) {
                let whole = gone + to.length[a] + to.dist(plane.head(a));
                if whole <= limit {
                    self.detours.push((whole, i, a as u32));
                }
            }
            gone += to.length[*arc as usize];
            at = plane.head(*arc as usize);
        }
        self.detours.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut left = most - 1;
        for (_, i, arc) in &self.detours {
            if left == 0 {
                break;
            }
            self.way.clear();
            self.way.extend(&self.path[..*i]);
            self.way.push(*arc);
            if to.descend(plane.head(*arc as usize), &mut self.way, &self.nodes[..=*i], &mut self.walk) {
                add(&self.way);
                left -= 1;
            }
        }
    }
}

/// Bytes that distances take.
pub(super) fn estimate_bytes(problem: &Problem) -> usize {
    let entries = |plane: &Plane| plane.targets.len().next_multiple_of(LANES) * plane.nodes();
    size_of::<f64>() * problem.planes.iter().map(entries).sum::<usize>()
}
