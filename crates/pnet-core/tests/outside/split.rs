//! Edge-disjoint paths, path counts and the loads of fixed splits, on small random multigraphs.

use std::collections::BTreeSet;

use crate::common::{NODES, graph, graph_of, pairs, planes};
use pnet_core::Stop;
use pnet_core::graph::Graph;
use pnet_core::paths::{PathKind, Policy, Rule, Selection, Split, count_shortest, enumerate, split_loads, split_usage};
use proptest::prelude::*;

/// The smallest number of arcs from a set of nodes with `s` to the others with `t`, over all such sets.
fn smallest_cut(graph: &Graph, s: u32, t: u32) -> usize {
    (0..1_u32 << NODES)
        .filter(|side| side >> s & 1 == 1 && side >> t & 1 == 0)
        .map(|side| {
            let crosses = |a: &u32| side >> graph.tail(*a) & 1 == 1 && side >> graph.head(*a) & 1 == 0;
            (0..graph.arcs() as u32).filter(crosses).count()
        })
        .min()
        .unwrap_or(0)
}

/// The load of a unit from `at`, by recursion over all shortest paths.
fn spread(graph: &Graph, at: u32, target: u32, part: f64, load: &mut [f64]) {
    let hops = graph.distances_to(target);
    let next: Vec<u32> =
        (graph.out(at)).filter(|arc| at != target && hops[graph.head(*arc) as usize] < hops[at as usize]).collect();
    for arc in &next {
        let part = part / next.len() as f64;
        load[*arc as usize] += part;
        spread(graph, graph.head(*arc), target, part, load);
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_are_as_many_edge_disjoint_paths_as_the_cut_has_arcs(
        graphs in prop::collection::vec(graph(), 1..4), count in 1..9_usize, seed in any::<u64>()
    ) {
        let selection = Selection { kind: PathKind::EdgeDisjoint, count, policy: Policy::Any, per_flow: false, seed };
        let set = enumerate(&planes(&graphs), &pairs(), &selection, &Stop::default()).unwrap();
        for (j, (s, t)) in pairs().into_iter().enumerate() {
            let found = set.pair_ptr[j]..set.pair_ptr[j + 1];
            let cut: usize = graphs.iter().map(|graph| smallest_cut(graph, s, t)).sum();
            prop_assert_eq!(found.len(), cut.min(count));
            let mut used = BTreeSet::new();
            for i in found {
                let p = set.paths.plane[i];
                let graph = &graphs[p as usize];
                let mut at = s;
                for arc in set.paths.get(i) {
                    prop_assert_eq!(graph.tail(*arc), at);
                    prop_assert!(used.insert((p, *arc)));
                    at = graph.head(*arc);
                }
                prop_assert_eq!(at, t);
            }
        }
    }

    #[test]
    fn counts_are_those_of_the_paths(
        graphs in prop::collection::vec(graph(), 1..4), policy in 0..4_usize, seed in any::<u64>()
    ) {
        let policy = [Policy::Any, Policy::RoundRobin, Policy::Shortest, Policy::Single][policy];
        let per_flow = policy == Policy::Single;
        let selection = Selection { kind: PathKind::EqualCost, count: 1 << 20, policy, per_flow, seed };
        let planes = planes(&graphs);
        let set = enumerate(&planes, &pairs(), &selection, &Stop::default()).unwrap();
        let counts = count_shortest(&planes, &pairs(), policy, seed, &Stop::default()).unwrap();
        for j in 0..pairs().len() {
            for p in 0..graphs.len() {
                let found = set.pair_ptr[j]..set.pair_ptr[j + 1];
                let here = found.filter(|i| set.paths.plane[*i] as usize == p).count();
                prop_assert_eq!(counts.count[j * graphs.len() + p], here as f64);
            }
        }
    }

    #[test]
    fn ecmp_splits_equally_at_every_hop(
        graph in graph(), demand in prop::collection::vec(0.0..9.0, 30)
    ) {
        let rule = Rule { split: Split::Ecmp, policy: Policy::Any, seed: 0 };
        let mut expected = vec![0.0; graph.arcs()];
        for ((s, t), amount) in pairs().into_iter().zip(&demand) {
            spread(&graph, s, t, *amount, &mut expected);
        }
        let loads = split_loads(&planes(std::slice::from_ref(&graph)), &pairs(), &demand, &rule, &Stop::default()).unwrap();
        prop_assert!(loads.load[0].iter().zip(&expected).all(|(found, load)| close(*found, *load)));
    }

    /// To the last bit, and in the order of the arcs of all planes.
    #[test]
    fn each_demand_uses_what_it_loads_alone(
        graphs in prop::collection::vec(graph(), 1..4),
        vlb in any::<bool>(),
        policy in 0..4_usize,
        seed in any::<u64>(),
    ) {
        let policy = [Policy::Any, Policy::RoundRobin, Policy::Shortest, Policy::Single][policy];
        let rule = Rule { split: if vlb { Split::Vlb } else { Split::Ecmp }, policy, seed };
        let (planes, stop) = (planes(&graphs), Stop::default());
        let usage = split_usage(&planes, &pairs(), &rule, &stop).unwrap();
        prop_assert_eq!(usage.ptr.len(), pairs().len() + 1);
        for (j, pair) in pairs().into_iter().enumerate() {
            let load = split_loads(&planes, &[pair], &[1.0], &rule, &stop).unwrap().load.concat();
            let expected: Vec<(u32, f64)> = (0..).zip(load).filter(|(_, part)| *part > 0.0).collect();
            let here = usage.ptr[j]..usage.ptr[j + 1];
            let found: Vec<(u32, f64)> =
                usage.arc[here.clone()].iter().copied().zip(usage.part[here].iter().copied()).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn nodes_conserve_flow(
        graphs in prop::collection::vec(graph(), 1..4),
        demand in prop::collection::vec(0.0..9.0, 30),
        vlb in any::<bool>(),
        policy in 0..4_usize,
        seed in any::<u64>(),
    ) {
        let policy = [Policy::Any, Policy::RoundRobin, Policy::Shortest, Policy::Single][policy];
        let rule = Rule { split: if vlb { Split::Vlb } else { Split::Ecmp }, policy, seed };
        let loads = split_loads(&planes(&graphs), &pairs(), &demand, &rule, &Stop::default()).unwrap();
        for (p, graph) in graphs.iter().enumerate() {
            let mut surplus = vec![0.0; NODES as usize];
            for (a, load) in loads.load[p].iter().enumerate() {
                let least = loads.least[p][a];
                prop_assert!(0.0 <= least && least <= *load && close(least, *load));
                surplus[graph.tail(a as u32) as usize] += load;
                surplus[graph.head(a as u32) as usize] -= load;
            }
            for (j, (s, t)) in pairs().into_iter().enumerate() {
                surplus[s as usize] -= demand[j] * loads.share[p][j];
                surplus[t as usize] += demand[j] * loads.share[p][j];
            }
            prop_assert!(surplus.iter().all(|rest| close(*rest, 0.0)), "{surplus:?}");
        }
        for j in 0..pairs().len() {
            let sum: f64 = loads.share.iter().map(|share| share[j]).sum();
            prop_assert!(close(sum, 0.0) || close(sum, 1.0));
        }
    }
}

/// Valiant's routing on a directed cycle of n nodes: both legs together go around once on average, whatever the pair.
#[test]
fn vlb_on_a_cycle() {
    let n = 5_u32;
    let graph = graph_of(n, (0..n).map(|u| (u, (u + 1) % n)).collect());
    let rule = Rule { split: Split::Vlb, policy: Policy::Any, seed: 0 };
    let loads = split_loads(&planes(&[graph]), &[(0, 2)], &[1.0], &rule, &Stop::default()).unwrap();
    // Legs 0 to w have w links; legs w to 2 have (2 - w) mod 5.
    let total: f64 = (0..n).map(|w| f64::from(w + (2 + n - w) % n)).sum::<f64>() / f64::from(n);
    assert!(close(loads.load[0].iter().sum(), total));
    // Link 0 to 1 is crossed by all first legs but that to 0, and by second legs from 3, 4 and 0.
    assert!(close(loads.load[0][0], 4.0 / 5.0 + 3.0 / 5.0), "{:?}", loads.load);
}

/// On a grid there are binomially many shortest paths; their number is exact where a float holds it.
#[test]
fn paths_of_a_grid_are_counted_exactly() {
    let side = 26_u32;
    let mut arcs = vec![];
    for x in 0..side {
        for y in 0..side {
            if x + 1 < side {
                arcs.push((x * side + y, (x + 1) * side + y));
            }
            if y + 1 < side {
                arcs.push((x * side + y, x * side + y + 1));
            }
        }
    }
    let planes = planes(&[graph_of(side * side, arcs)]);
    let counts = count_shortest(&planes, &[(0, side * side - 1)], Policy::Any, 0, &Stop::default()).unwrap();
    // 50 choose 25.
    assert_eq!(counts.count, [126_410_606_437_752.0]);
    assert_eq!(counts.hops, [50]);
}
