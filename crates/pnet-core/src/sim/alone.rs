//! What a flow can get alone in the network: the smallest cut of the paths open to it.
//!
//! However packets or a fluid are divided between the paths, all of a flow crosses every cut of them, so no flow is
//! faster than what the links of a cut carry together (L. Ford, D. Fulkerson, "Maximal flow through a network", Canadian
//! Journal of Mathematics 8 (1956); flows are augmented as by J. Edmonds, R. Karp, Journal of the ACM 19 (1972)).

use std::collections::{HashMap, HashSet, VecDeque};

use super::fabric::PathLink;
use super::forwarding::MOST;
use super::time::Rate;

/// A link of a cut: its port and rate.
pub(super) type Crossed = (u32, Rate);

/// The ports by which paths leave their host, in their order.
pub(super) fn leaving(paths: &[Vec<PathLink>]) -> Vec<Crossed> {
    let mut ports: Vec<Crossed> = paths.iter().map(|path| (path[0].port, path[0].link.rate)).collect();
    ports.sort_unstable_by_key(|(port, _)| *port);
    ports.dedup();
    ports
}

/// Links that together carry as little as any that all paths cross; the ports of the host where these are such.
///
/// Paths that leave by different ports are in different planes and meet nowhere, so each plane has a cut of its own.
/// Where a plane has more paths than are listed, it is the host's port, as the others are not known.
pub(super) fn narrowest(paths: &[Vec<PathLink>]) -> Vec<Crossed> {
    let of_port = |(port, rate): Crossed| {
        let own: Vec<&[PathLink]> = paths.iter().filter(|path| path[0].port == port).map(Vec::as_slice).collect();
        let bits = rate.bits_per_second();
        let fills = |path: &&[PathLink]| path.iter().all(|hop| hop.link.rate.bits_per_second() >= bits);
        if own.len() >= MOST || own.iter().any(fills) { vec![(port, rate)] } else { cut(&own) }
    };
    leaving(paths).into_iter().flat_map(of_port).collect()
}

/// Bits a second that a flow can get at most alone.
pub(super) fn at_most(paths: &[Vec<PathLink>]) -> u64 {
    narrowest(paths).into_iter().map(|(_, rate)| rate.bits_per_second()).sum()
}

/// The links that all paths are joined from; arc `2 i` is the `i`-th link, `2 i + 1` takes back what it carries.
#[derive(Default)]
struct Joined {
    links: Vec<Crossed>,
    /// Where each arc ends, and what it has left.
    arcs: Vec<(usize, u64)>,
    /// Arcs out of each node.
    out: Vec<Vec<usize>>,
    sink: usize,
}

impl Joined {
    /// The source is node 0.
    fn of(paths: &[&[PathLink]]) -> Self {
        let (mut places, mut seen) = (HashMap::new(), HashSet::new());
        let mut joined = Joined { out: vec![vec![]], ..Joined::default() };
        for path in paths {
            let mut at = 0;
            for PathLink { port, link, .. } in *path {
                let to = *places.entry(link.to).or_insert(joined.out.len());
                joined.out.resize(joined.out.len().max(to + 1), vec![]);
                if seen.insert(*port) {
                    joined.links.push((*port, link.rate));
                    for (from, to, left) in [(at, to, link.rate.bits_per_second()), (to, at, 0)] {
                        joined.out[from].push(joined.arcs.len());
                        joined.arcs.push((to, left));
                    }
                }
                at = to;
            }
            joined.sink = at;
        }
        joined
    }

    /// The arc by which each node is reached from the source over arcs that have something left.
    fn reached(&self) -> Vec<Option<usize>> {
        let mut by = vec![None; self.out.len()];
        let mut next = VecDeque::from([0]);
        while let Some(node) = next.pop_front() {
            for arc in &self.out[node] {
                let (to, left) = self.arcs[*arc];
                if left > 0 && to != 0 && by[to].is_none() {
                    by[to] = Some(*arc);
                    next.push_back(to);
                }
            }
        }
        by
    }

    /// The arcs by which a node is reached, from it to the source.
    fn path(&self, by: &[Option<usize>], node: usize) -> Vec<usize> {
        let before = |arc: &usize| by[self.arcs[arc ^ 1].0];
        std::iter::successors(by[node], before).collect()
    }
}

/// The smallest cut of paths with one source and one sink.
fn cut(paths: &[&[PathLink]]) -> Vec<Crossed> {
    let mut joined = Joined::of(paths);
    loop {
        let by = joined.reached();
        if by[joined.sink].is_none() {
            let within = |node: usize| node == 0 || by[node].is_some();
            let crosses = |i: &usize| within(joined.arcs[2 * i + 1].0) && !within(joined.arcs[2 * i].0);
            return (0..joined.links.len()).filter(crosses).map(|i| joined.links[i]).collect();
        }
        let path = joined.path(&by, joined.sink);
        let more = path.iter().map(|arc| joined.arcs[*arc].1).min().unwrap_or(0);
        for arc in path {
            joined.arcs[arc].1 -= more;
            joined.arcs[arc ^ 1].1 += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fabric::Link;
    use super::*;

    /// Paths as lists of (port, node that it leads to, Gb/s).
    fn paths(given: &[&[(u32, u32, u64)]]) -> Vec<Vec<PathLink>> {
        let hop = |(port, to, rate): &(u32, u32, u64)| {
            let link = Link { rate: Rate::new(rate * 1_000_000_000).unwrap(), delay: 0, to: *to };
            PathLink { port: *port, link, back: link }
        };
        given.iter().map(|path| path.iter().map(hop).collect()).collect()
    }

    fn ports(given: &[&[(u32, u32, u64)]]) -> Vec<u32> {
        narrowest(&paths(given)).into_iter().map(|(port, _)| port).collect()
    }

    #[test]
    fn one_path_is_cut_at_its_slowest_link() {
        assert_eq!(ports(&[&[(0, 5, 10), (1, 6, 3), (2, 7, 10)]]), [1]);
        assert_eq!(ports(&[&[(0, 5, 3), (1, 6, 3), (2, 7, 3)]]), [0]);
    }

    #[test]
    fn parallel_cables_count_together_and_planes_apart() {
        let cable = |port| [(0, 5, 10), (port, 6, 1), (9, 7, 10)];
        assert_eq!(ports(&[&cable(1), &cable(2)]), [1, 2]);
        assert_eq!(at_most(&paths(&[&cable(1), &cable(2), &cable(1)])), 2_000_000_000);
        // A second plane, limited by its port.
        let other = [(20, 8, 2), (21, 7, 4)];
        assert_eq!(ports(&[&cable(1), &cable(2), &other]), [1, 2, 20]);
    }

    /// Two paths over one link in the middle, and one around it: 2 + 3, though the links in carry 4 + 4 and those out 4 + 3.
    #[test]
    fn a_cut_goes_through_the_middle() {
        let given: [&[(u32, u32, u64)]; 3] = [
            &[(0, 1, 20), (1, 2, 4), (3, 4, 2), (4, 9, 20)],
            &[(0, 1, 20), (2, 3, 4), (5, 2, 4), (3, 4, 2), (4, 9, 20)],
            &[(0, 1, 20), (2, 3, 4), (6, 4, 3), (4, 9, 20)],
        ];
        assert_eq!(ports(&given), [3, 6]);
    }
}
