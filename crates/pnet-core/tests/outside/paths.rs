//! Path enumeration against brute force on small random multigraphs.

use std::collections::BTreeSet;

use crate::common::{graph, graph_of, pairs, planes};
use pnet_core::Stop;
use pnet_core::graph::{Graph, Planes};
use pnet_core::paths::{PathKind, PathSet, Policy, Selection, enumerate, k_shortest};
use proptest::prelude::*;

/// Every simple path from `at` to `target`, as arcs.
fn brute_force(graph: &Graph, at: u32, target: u32, seen: &mut Vec<u32>, path: &mut Vec<u32>) -> Vec<Vec<u32>> {
    if at == target {
        return vec![path.clone()];
    }
    seen.push(at);
    let mut found = vec![];
    for arc in graph.out(at) {
        if !seen.contains(&graph.head(arc)) {
            path.push(arc);
            found.extend(brute_force(graph, graph.head(arc), target, seen, path));
            path.pop();
        }
    }
    seen.pop();
    found
}

fn all_paths(graph: &Graph, source: u32, target: u32) -> Vec<Vec<u32>> {
    let mut found = brute_force(graph, source, target, &mut vec![], &mut vec![]);
    found.sort_by_key(|path| (path.len(), path.clone()));
    found
}

fn selection(count: usize, policy: Policy, seed: u64) -> Selection {
    Selection { kind: PathKind::KShortest, count, policy, per_flow: false, seed }
}

/// The (plane, arcs) of each path of the `j`-th pair.
fn of(set: &PathSet, j: usize) -> Vec<(u32, Vec<u32>)> {
    (set.pair_ptr[j]..set.pair_ptr[j + 1]).map(|i| (set.paths.plane[i], set.paths.get(i).to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn yen_finds_the_shortest_paths(graph in graph(), k in 1..12_usize) {
        for (s, t) in pairs() {
            let found = k_shortest(&graph, s, t, k);
            let all = all_paths(&graph, s, t);
            let lengths = |paths: &[Vec<u32>]| paths.iter().map(Vec::len).collect::<Vec<_>>();
            prop_assert_eq!(lengths(&found), lengths(&all[..all.len().min(k)]));
            let distinct: BTreeSet<_> = found.iter().collect();
            prop_assert_eq!(distinct.len(), found.len());
            prop_assert!(found.iter().all(|path| all.contains(path)));
        }
    }

    #[test]
    fn the_union_of_planes_gives_the_shortest_of_all(
        graphs in prop::collection::vec(graph(), 1..4), k in 1..12_usize, seed in any::<u64>()
    ) {
        let set = enumerate(&planes(&graphs), &pairs(), &selection(k, Policy::Any, seed), &Stop::default()).unwrap();
        for (j, (s, t)) in pairs().into_iter().enumerate() {
            let mut all: Vec<(usize, u32, Vec<u32>)> = vec![];
            for (p, graph) in graphs.iter().enumerate() {
                all.extend(all_paths(graph, s, t).into_iter().map(|path| (path.len(), p as u32, path)));
            }
            all.sort();
            let found = of(&set, j);
            let lengths: Vec<usize> = found.iter().map(|(_, path)| path.len()).collect();
            prop_assert_eq!(lengths, all.iter().take(k).map(|path| path.0).collect::<Vec<_>>());
            let distinct: BTreeSet<_> = found.iter().collect();
            prop_assert_eq!(distinct.len(), found.len());
            for (p, path) in found {
                prop_assert!(all.contains(&(path.len(), p, path)));
            }
        }
    }

    #[test]
    fn policies_keep_to_their_planes(
        graphs in prop::collection::vec(graph(), 2..4), k in 1..9_usize, seed in any::<u64>()
    ) {
        let planes = planes(&graphs);
        let sets = [Policy::RoundRobin, Policy::Shortest, Policy::Single]
            .map(|policy| enumerate(&planes, &pairs(), &selection(k, policy, seed), &Stop::default()).unwrap());
        for (j, (s, t)) in pairs().into_iter().enumerate() {
            let hops: Vec<u32> = graphs.iter().map(|graph| graph.distances_to(t)[s as usize]).collect();
            let connected: Vec<usize> = (0..graphs.len()).filter(|p| hops[*p] != u32::MAX).collect();
            let [round, nearest, single] = [0, 1, 2].map(|i| of(&sets[i], j));
            // The remainder of k / planes is dealt round-robin from one of the planes.
            let planes = connected.len();
            let here = |p: usize| round.iter().filter(|path| path.0 as usize == p).count();
            let there: Vec<usize> = connected.iter().map(|p| all_paths(&graphs[*p], s, t).len()).collect();
            let fits = (0..planes).any(|first| (0..planes).all(|i| {
                let turn = (i + planes - first) % planes;
                here(connected[i]) == there[i].min(k / planes + usize::from(turn < k % planes))
            }));
            prop_assert!(fits || (connected.is_empty() && round.is_empty()));
            let least = hops.iter().min();
            prop_assert!(nearest.iter().all(|path| hops.get(path.0 as usize) == least));
            let used: BTreeSet<u32> = single.iter().map(|path| path.0).collect();
            prop_assert_eq!(used.len(), usize::from(!connected.is_empty()));
        }
    }

    #[test]
    fn equal_cost_paths_are_all_as_short_as_the_shortest(
        graphs in prop::collection::vec(graph(), 1..3), seed in any::<u64>()
    ) {
        let selection = Selection { kind: PathKind::EqualCost, ..selection(usize::MAX, Policy::Any, seed) };
        let set = enumerate(&planes(&graphs), &pairs(), &selection, &Stop::default()).unwrap();
        for (j, (s, t)) in pairs().into_iter().enumerate() {
            let all: Vec<usize> =
                graphs.iter().flat_map(|graph| all_paths(graph, s, t)).map(|path| path.len()).collect();
            let least = all.iter().min().copied().unwrap_or(0);
            let expected = all.iter().filter(|length| **length == least).count();
            prop_assert_eq!(of(&set, j).len(), expected);
        }
    }
}

/// Two cliques joined by one cable: no detour avoids it, however long.
#[test]
fn a_bridge_does_not_slow_the_search() {
    let half = 14;
    let mut arcs = vec![(0, half), (half, 0)];
    for side in [0, half] {
        for u in side..side + half {
            arcs.extend((side..side + half).filter(|v| *v != u).map(|v| (u, v)));
        }
    }
    let planes = planes(&[graph_of(2 * half, arcs)]);
    let set = enumerate(&planes, &[(0, half), (1, half + 1)], &selection(4, Policy::Any, 1), &Stop::default()).unwrap();
    assert_eq!(of(&set, 0).len(), 1);
    let lengths: Vec<usize> = of(&set, 1).iter().map(|(_, path)| path.len()).collect();
    assert_eq!(lengths, [3, 4, 4, 4]);
}

#[test]
fn ties_are_broken_evenly_and_by_seed() {
    // Twelve parallel cables, of which three are taken.
    let planes = planes(&[graph_of(2, vec![(0, 1); 12])]);
    let mut taken = [0; 12];
    for seed in 0..2000 {
        let set = enumerate(&planes, &[(0, 1)], &selection(3, Policy::Any, seed), &Stop::default()).unwrap();
        for (_, path) in of(&set, 0) {
            taken[path[0] as usize] += 1;
        }
    }
    assert!(taken.iter().all(|count| (400..600).contains(count)), "{taken:?}");
}

#[test]
fn one_switch_gives_the_empty_path_and_a_missing_link_none() {
    let graph = graph_of(2, vec![(0, 1), (1, 0)]);
    let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(0), None]]).unwrap();
    let set = enumerate(&planes, &[(0, 1), (0, 2)], &selection(4, Policy::Any, 0), &Stop::default()).unwrap();
    assert_eq!(of(&set, 0), [(0, vec![])]);
    assert_eq!(of(&set, 1), []);
}

/// Where few paths exist, and the next is much longer or missing, no pair takes long: the star has 16,000,000 pairs of
/// nodes and arcs, the ring 8,000,000 hops on the requested paths.
#[test]
fn trees_and_rings_need_no_search_of_all_lengths() {
    let n = 2000;
    let cables = |ends: Vec<(u32, u32)>| {
        let mut arcs: Vec<(u32, u32)> = ends.iter().flat_map(|(u, v)| [(*u, *v), (*v, *u)]).collect();
        arcs.sort_unstable();
        let (tail, head) = arcs.into_iter().unzip();
        Graph::new(n as usize + 1, tail, head).unwrap()
    };
    let star = cables((1..=n).map(|v| (0, v)).collect());
    let binary = cables((1..=n).map(|v| ((v - 1) / 2, v)).collect());
    let path = cables((1..=n).map(|v| (v - 1, v)).collect());
    let ring = cables((1..=n).map(|v| (v - 1, v)).chain([(n, 0)]).collect());
    for (graph, most) in [(star, 1), (binary, 1), (path, 1), (ring, 2)] {
        let attach = (0..=n).map(Some).collect();
        let planes = Planes::new(vec![graph], vec![attach]).unwrap();
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|u| [(u, n - u), (u, (u * 7 + 1) % n)]).collect();
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(u, v)| u != v).collect();
        let set = enumerate(&planes, &pairs, &selection(4, Policy::Any, 0), &Stop::default()).unwrap();
        assert!(set.pair_ptr.windows(2).all(|ends| ends[1] - ends[0] == most));
    }
}

#[test]
fn a_request_to_stop_ends_a_search() {
    let (stop, planes) = (Stop::default(), planes(&[Graph::new(2, vec![0], vec![1]).unwrap()]));
    stop.request();
    let found = enumerate(&planes, &[(0, 1)], &selection(1, Policy::Any, 0), &stop);
    assert_eq!(found, Err(pnet_core::Error::Stopped));
}
