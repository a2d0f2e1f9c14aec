//! Searches by metric against brute force on small random multigraphs, and by metrics of 1 against those by hops.

use crate::common::{NODES, graph, pairs, planes};
use pnet_core::Stop;
use pnet_core::graph::{FAR, Graph};
use pnet_core::hops::{Down, NONE, between};
use pnet_core::mcf::{Arrays, Problem, demand_distances};
use pnet_core::paths::{
    PathKind, PathSet, Policy, Rule, Selection, Split, count_shortest, enumerate, k_shortest, split_loads,
};
use proptest::prelude::*;

prop_compose! {
    /// Metrics so small that many paths are equally long.
    fn weighted()(graph in graph(), metric in prop::collection::vec(1..5_u32, 22)) -> Graph {
        let arcs = graph.arcs();
        graph.with_metric(metric[..arcs].to_vec()).unwrap()
    }
}

/// Every simple path from `at` to `target`, as arcs.
fn simple_paths(graph: &Graph, at: u32, target: u32, seen: &mut Vec<u32>) -> Vec<Vec<u32>> {
    if at == target {
        return vec![vec![]];
    }
    seen.push(at);
    let mut found = vec![];
    for arc in graph.out(at).filter(|arc| !seen.contains(&graph.head(*arc))).collect::<Vec<_>>() {
        let rest = simple_paths(graph, graph.head(arc), target, seen);
        found.extend(rest.into_iter().map(|path| [vec![arc], path].concat()));
    }
    seen.pop();
    found
}

fn length(graph: &Graph, path: &[u32]) -> u32 {
    path.iter().map(|arc| graph.metric(*arc)).sum()
}

/// The lengths of all simple paths over these graphs, in order.
fn lengths(graphs: &[Graph], (s, t): (u32, u32)) -> Vec<u32> {
    let each = graphs.iter().map(|graph| (graph, simple_paths(graph, s, t, &mut vec![])));
    let mut all: Vec<u32> =
        each.flat_map(|(graph, paths)| paths.into_iter().map(|path| length(graph, &path))).collect();
    all.sort_unstable();
    all
}

fn listed(graphs: &[Graph], kind: PathKind, count: usize, seed: u64) -> PathSet {
    listed_by(graphs, kind, count, Policy::Any, seed)
}

fn listed_by(graphs: &[Graph], kind: PathKind, count: usize, policy: Policy, seed: u64) -> PathSet {
    let selection = Selection { kind, count, policy, per_flow: false, seed };
    enumerate(&planes(graphs), &pairs(), &selection, &Stop::default()).unwrap()
}

/// A demand of 1 between any two nodes over the shortest paths of these graphs.
fn over_shortest(graphs: &[Graph], each_plane: bool) -> Problem {
    let ends = graphs.iter().scan(0, |sum, graph| {
        *sum += graph.arcs() as i32;
        Some(*sum)
    });
    let of_arcs = |value: fn(&Graph, u32) -> u32| -> Vec<i32> {
        graphs.iter().flat_map(|graph| (0..graph.arcs() as u32).map(move |a| value(graph, a) as i32)).collect()
    };
    let (src, dst): (Vec<i32>, Vec<i32>) = pairs().into_iter().map(|(s, t)| (s as i32, t as i32)).unzip();
    let (tail, unlimited) = (of_arcs(Graph::tail), vec![f64::INFINITY; graphs.len() * NODES as usize]);
    let problem = Problem::new(&Arrays {
        node_count: &vec![NODES as i32; graphs.len()],
        arc_ptr: &[0].into_iter().chain(ends).collect::<Vec<i32>>(),
        head: &of_arcs(Graph::head),
        capacity: &vec![1.0; tail.len()],
        tail: &tail,
        attach: &graphs.iter().flat_map(|_| 0..NODES as i32).collect::<Vec<_>>(),
        access_up: &unlimited,
        access_down: &unlimited,
        src: &src,
        dst: &dst,
        demand: &vec![1.0; src.len()],
    });
    problem.unwrap().over_shortest(Some(&of_arcs(Graph::metric)), each_plane).unwrap()
}

/// The lengths of the paths of the `j`-th pair, as listed.
fn lengths_of(graphs: &[Graph], set: &PathSet, j: usize) -> Vec<u32> {
    let range = set.pair_ptr[j]..set.pair_ptr[j + 1];
    range.map(|i| length(&graphs[set.paths.plane[i] as usize], set.paths.get(i))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_shortest_paths_are_listed_in_order(
        graphs in prop::collection::vec(weighted(), 1..3), k in 1..12_usize, seed in any::<u64>()
    ) {
        let set = listed(&graphs, PathKind::KShortest, k, seed);
        let equal = listed(&graphs, PathKind::EqualCost, usize::MAX, seed);
        let one = listed(&graphs, PathKind::EqualCost, 1, seed);
        let counts = count_shortest(&planes(&graphs), &pairs(), Policy::Any, seed, &Stop::default()).unwrap();
        for (j, pair) in pairs().into_iter().enumerate() {
            let all = lengths(&graphs, pair);
            prop_assert_eq!(lengths_of(&graphs, &set, j), &all[..all.len().min(k)]);
            let shortest: Vec<u32> = all.iter().copied().filter(|length| *length == all[0]).collect();
            prop_assert_eq!(lengths_of(&graphs, &equal, j), &shortest[..]);
            prop_assert_eq!(lengths_of(&graphs, &one, j), &shortest[..shortest.len().min(1)]);
            let counted: f64 = counts.count[j * graphs.len()..(j + 1) * graphs.len()].iter().sum();
            prop_assert_eq!(counted, shortest.len() as f64);
            let first = &k_shortest(&graphs[0], pair.0, pair.1, k);
            let found: Vec<u32> = first.iter().map(|path| length(&graphs[0], path)).collect();
            let all = lengths(&graphs[..1], pair);
            prop_assert_eq!(found, &all[..all.len().min(k)]);
        }
    }

    #[test]
    fn two_disjoint_paths_are_the_shortest_two(graph in weighted(), seed in any::<u64>()) {
        let set = listed(std::slice::from_ref(&graph), PathKind::EdgeDisjoint, 2, seed);
        for (j, (s, t)) in pairs().into_iter().enumerate() {
            let paths = simple_paths(&graph, s, t, &mut vec![]);
            let disjoint = |a: &[u32], b: &[u32]| a.iter().all(|arc| !b.contains(arc));
            let both = |a: &Vec<u32>| paths.iter().filter(|b| disjoint(a, b)).map(|b| length(&graph, b)).min();
            let least = paths.iter().filter_map(|a| Some(length(&graph, a) + both(a)?)).min();
            let found = lengths_of(std::slice::from_ref(&graph), &set, j);
            prop_assert!(found.is_sorted());
            match least {
                Some(least) => prop_assert_eq!((found.len(), found.iter().sum::<u32>()), (2, least)),
                None => prop_assert_eq!(found.len(), paths.len().min(1)),
            }
        }
    }

    #[test]
    fn hops_are_the_fewest_of_the_shortest_paths(graphs in prop::collection::vec(weighted(), 1..3)) {
        let found = between(&planes(&graphs), &pairs(), &[Down::default()], &Stop::default()).unwrap();
        for (pair, found) in pairs().into_iter().zip(&found[0]) {
            let each = graphs.iter().flat_map(|graph| {
                let paths = simple_paths(graph, pair.0, pair.1, &mut vec![]);
                paths.into_iter().map(|path| (length(graph, &path), path.len() as i32))
            });
            prop_assert_eq!(*found, each.min().map_or(NONE, |(_, hops)| hops));
        }
    }

    #[test]
    fn distances_over_shortest_paths_are_those_of_lists(
        graphs in prop::collection::vec(weighted(), 1..3), lengths in prop::collection::vec(0..9_u8, 44)
    ) {
        let arcs: usize = graphs.iter().map(Graph::arcs).sum();
        let none = vec![0.0; graphs.len() * NODES as usize];
        let length: Vec<f64> = lengths[..arcs].iter().map(|length| f64::from(*length)).collect();
        for (each_plane, policy) in [(false, Policy::Any), (true, Policy::RoundRobin)] {
            let set = listed_by(&graphs, PathKind::EqualCost, usize::MAX, policy, 0);
            let problem = over_shortest(&graphs, each_plane);
            let found = demand_distances(&problem, &length, &none, &none).unwrap();
            for (j, found) in found.into_iter().enumerate() {
                let first = |p: u32| graphs[..p as usize].iter().map(Graph::arcs).sum::<usize>();
                let far = (set.pair_ptr[j]..set.pair_ptr[j + 1]).map(|i| {
                    let begin = first(set.paths.plane[i]);
                    set.paths.get(i).iter().map(|a| length[begin + *a as usize]).sum()
                });
                prop_assert_eq!(found, far.fold(f64::INFINITY, f64::min));
            }
        }
    }

    #[test]
    fn metrics_of_one_are_hops(graph in graph(), k in 1..9_usize, seed in any::<u64>()) {
        let ones = graph.clone().with_metric(vec![1; graph.arcs()]).unwrap();
        let graphs = [[graph], [ones]];
        for t in 0..6 {
            prop_assert_eq!(graphs[0][0].distances_to(t), graphs[1][0].distances_to(t));
        }
        let [by_hops, by_metric] = graphs.each_ref().map(|graphs| {
            let kinds = [(PathKind::EqualCost, usize::MAX), (PathKind::EdgeDisjoint, k)];
            kinds.map(|(kind, count)| listed(graphs, kind, count, seed))
        });
        prop_assert_eq!(by_hops, by_metric);
        let demand: Vec<f64> = (0..pairs().len()).map(|j| j as f64).collect();
        for split in [Split::Ecmp, Split::Vlb] {
            let rule = Rule { split, policy: Policy::Any, seed };
            let loads = graphs.each_ref().map(|graphs| {
                split_loads(&planes(graphs), &pairs(), &demand, &rule, &Stop::default()).unwrap().load.concat()
            });
            for (a, b) in loads[0].iter().zip(&loads[1]) {
                prop_assert!((a - b).abs() <= 1e-9 * a.max(1.0));
            }
        }
    }
}

#[test]
fn metrics_that_do_not_fit_are_refused() {
    let cable = || Graph::new(2, vec![0, 1], vec![1, 0]).unwrap();
    assert_eq!(cable().with_metric(vec![1]).unwrap_err().to_string(), "metric: 1 entries for 2 arcs");
    assert_eq!(cable().with_metric(vec![1, 0]).unwrap_err().to_string(), "metric: 0 is not at least 1");
    let error = cable().with_metric(vec![1 << 30, 1 << 30]).unwrap_err().to_string();
    assert_eq!(error, "metric: a path of length 2147483648 is too long");
    assert_eq!(cable().with_metric(vec![1 << 29, 1]).unwrap().distances_to(1), [1 << 29, 0]);
    assert_eq!(Graph::new(2, vec![0], vec![1]).unwrap().with_metric(vec![7]).unwrap().distances_to(0), [0, FAR]);
}
