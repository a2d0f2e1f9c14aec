//! Pricing: the bound that lengths prove, and the paths that are short under them.

use rayon::prelude::*;

use super::links::Links;
use crate::mcf::distance::Distances;
use crate::mcf::lanes::LANES;
use crate::mcf::problem::{Plane, Problem, Use};
use crate::rounding::Nearest;

/// A path of a demand.
#[derive(Debug, Clone)]
pub(super) struct Path {
    /// Its plane; of a given path its number.
    pub(super) place: u32,
    pub(super) links: Vec<u32>,
}

/// In place of a length: no path is to be listed.
pub(super) const NO_PATH: f64 = -1.0;

/// Which paths to list.
pub(super) struct Limits {
    /// The largest length of each demand's paths; the shortest of all is listed in any case, but for [`NO_PATH`].
    pub(super) length: Vec<f64>,
    /// Paths of a demand in each plane, at most.
    pub(super) count: usize,
}

/// Lengths, and the bound that they prove.
pub(super) struct Priced {
    /// Length of each link.
    pub(super) length: Vec<f64>,
    /// K is at most this.
    pub(super) upper: f64,
    /// The length of each demand's shortest path, over all planes.
    pub(super) shortest: Vec<f64>,
    planes: Vec<Distances>,
}

/// Every link has at least this part of the volume, so that of paths of equal cost the one with fewer links is shortest.
pub(super) const LEAST: f64 = 1e-13;

impl Priced {
    /// Distances under lengths >= 0, which bound nothing.
    pub(super) fn under(problem: &Problem, links: &Links, length: Vec<f64>) -> Self {
        let planes: Vec<Distances> = (problem.planes.iter().enumerate())
            .map(|(p, plane)| Distances::new::<Nearest>(plane, &links.of_plane(p, &length)))
            .collect();
        let mut priced = Priced { length, upper: f64::INFINITY, shortest: vec![], planes };
        priced.shortest = (0..problem.demands())
            .into_par_iter()
            .map(|j| {
                let paths = (0..problem.planes.len()).map(|p| priced.shortest_in(problem, links, j, p));
                paths.fold(f64::INFINITY, f64::min)
            })
            .collect();
        priced
    }

    /// The length of each demand's shortest path where the paths are given.
    pub(super) fn listed(length: Vec<f64>, shortest: Vec<f64>) -> Self {
        Priced { length, upper: f64::INFINITY, shortest, planes: vec![] }
    }

    /// The length of the shortest path of demand `j` in plane `p`; infinite where there is none.
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

    /// Short paths of each demand: the shortest of each plane, and detours that leave it once.
    pub(super) fn paths(&self, problem: &Problem, links: &Links, limits: Limits) -> Vec<Vec<Path>> {
        let lengths: Vec<_> = (0..problem.planes.len()).map(|p| links.of_plane(p, &self.length)).collect();
        (0..problem.demands())
            .into_par_iter()
            .map_init(Search::default, |search, j| {
                let mut paths = vec![];
                if limits.length[j] == NO_PATH {
                    return paths;
                }
                let limit = limits.length[j].max(self.shortest[j]);
                for (p, plane) in problem.planes.iter().enumerate() {
                    let access = self.access(problem, links, j, p);
                    let (up, down) = (links.up(p, problem.src[j]), links.down(p, problem.dst[j]));
                    let mut add = |arcs: &[u32]| {
                        let arcs = arcs.iter().map(|a| links.arc(p, *a));
                        let links = up.into_iter().chain(arcs).chain(down).collect();
                        paths.push(Path { place: p as u32, links });
                    };
                    match plane.demands[j] {
                        Use::Never => {}
                        Use::Local if access <= limit => add(&[]),
                        Use::Local => {}
                        Use::Core { source, row } => {
                            let length = &lengths[p];
                            let to = Target { plane, length, distances: &self.planes[p], row: row as usize };
                            search.short(&to, source, limit - access, limits.count, &mut add);
                        }
                    }
                }
                paths
            })
            .collect()
    }
}

/// The distances to one switch.
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

    /// Whether paths may use an arc.
    #[inline]
    fn leads(&self, arc: usize) -> bool {
        self.plane.leads(self.row, arc)
    }

    /// Adds the arcs of a shortest path from `node` to `arcs`; false where it passes a node in `closed`.
    ///
    /// A length may be lost in the rounding of a distance, so that arcs which lead no closer seem tight.  Among the tight
    /// arcs there is always a path to the target that visits no node twice.
    fn descend(&self, node: usize, arcs: &mut Vec<u32>, closed: &[u32], walk: &mut Walk) -> bool {
        let target = self.plane.targets[self.row] as usize;
        if closed.contains(&(node as u32)) {
            return false;
        }
        walk.reset(self.plane.nodes(), closed);
        walk.enter(node, self.plane.out(node).start);
        let first = arcs.len();
        while let Some((at, next)) = walk.path.last_mut() {
            let at = *at;
            if at == target {
                return true;
            }
            let tight = |a: &usize| self.leads(*a) && self.length[*a] + self.dist(self.plane.head(*a)) <= self.dist(at);
            let new = |a: &usize| walk.seen[self.plane.head(*a)] != walk.round;
            let Some(arc) = (*next..self.plane.out(at).end).find(|a| tight(a) && new(a)) else {
                // With no node closed, another tight arc leads on from a dead end.
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

/// A depth-first search along tight arcs: the nodes on the path, with the next arc to try at each, and those visited.
#[derive(Default)]
struct Walk {
    path: Vec<(usize, usize)>,
    seen: Vec<u32>,
    round: u32,
}

impl Walk {
    fn reset(&mut self, nodes: usize, closed: &[u32]) {
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
    shortest: Vec<u32>,
    nodes: Vec<u32>,
    /// Length, position where the detour leaves the shortest path, and by which arc.
    detours: Vec<(f64, usize, u32)>,
    detour: Vec<u32>,
    walk: Walk,
}

impl Search {
    /// Calls `add` with the shortest path from `source` and the shortest that leave it once, no longer than `limit`.
    fn short(&mut self, to: &Target, source: u32, limit: f64, most: usize, add: &mut impl FnMut(&[u32])) {
        let plane = to.plane;
        if to.dist(source as usize) > limit {
            return;
        }
        self.shortest.clear();
        to.descend(source as usize, &mut self.shortest, &[], &mut self.walk);
        add(&self.shortest);
        if most <= 1 {
            return;
        }
        self.detours.clear();
        self.nodes.clear();
        let (mut at, mut length) = (source as usize, 0.0);
        for (i, arc) in self.shortest.iter().enumerate() {
            self.nodes.push(at as u32);
            for a in plane.out(at).filter(|a| *a != *arc as usize && to.leads(*a)) {
                let whole = length + to.length[a] + to.dist(plane.head(a));
                if whole <= limit {
                    self.detours.push((whole, i, a as u32));
                }
            }
            length += to.length[*arc as usize];
            at = plane.head(*arc as usize);
        }
        self.detours.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut remaining = most - 1;
        for (_, i, arc) in &self.detours {
            if remaining == 0 {
                break;
            }
            self.detour.clear();
            self.detour.extend(&self.shortest[..*i]);
            self.detour.push(*arc);
            if to.descend(plane.head(*arc as usize), &mut self.detour, &self.nodes[..=*i], &mut self.walk) {
                add(&self.detour);
                remaining -= 1;
            }
        }
    }
}

/// Bytes of the distances.
pub(super) fn estimate_bytes(problem: &Problem) -> usize {
    let entries = |plane: &Plane| plane.targets.len().next_multiple_of(LANES) * plane.nodes();
    size_of::<f64>() * problem.planes.iter().map(entries).sum::<usize>()
}
