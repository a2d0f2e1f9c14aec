//! Arcs by tail and head, distances and components against brute force on small random multigraphs; invalid input.

use crate::common::{NODES, graph, graph_of, pairs, planes};
use pnet_core::graph::{Components, FAR, Graph, Planes, Reach};
use proptest::prelude::*;

/// Fewest hops between all nodes (Floyd, Warshall), by source and target.
fn all_hops(graph: &Graph) -> Vec<Vec<u32>> {
    let mut hops = vec![vec![FAR; NODES as usize]; NODES as usize];
    for u in 0..NODES {
        graph.out(u).for_each(|arc| hops[u as usize][graph.head(arc) as usize] = 1);
        hops[u as usize][u as usize] = 0;
    }
    for over in 0..NODES as usize {
        for u in 0..NODES as usize {
            for v in 0..NODES as usize {
                hops[u][v] = hops[u][v].min(hops[u][over].saturating_add(hops[over][v]));
            }
        }
    }
    hops
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arcs_are_found_from_both_ends(graph in graph()) {
        for v in 0..NODES {
            let out: Vec<u32> = (0..graph.arcs() as u32).filter(|arc| graph.tail(*arc) == v).collect();
            let into: Vec<u32> = (0..graph.arcs() as u32).filter(|arc| graph.head(*arc) == v).collect();
            prop_assert!(graph.out(v).eq(out));
            prop_assert_eq!(graph.incoming(v), into);
        }
    }

    #[test]
    fn distances_and_components_match_brute_force(graph in graph()) {
        let hops = all_hops(&graph);
        let mut reach = Reach::default();
        let components = Components::new(&graph);
        for (s, t) in pairs() {
            graph.reach(t, &mut reach);
            prop_assert_eq!(reach.distance[s as usize], hops[s as usize][t as usize]);
            let both = hops[s as usize][t as usize] != FAR && hops[t as usize][s as usize] != FAR;
            prop_assert_eq!(components.of[s as usize] == components.of[t as usize], both);
        }
        prop_assert!(reach.order.is_sorted_by_key(|u| reach.distance[*u as usize]));
        let one_way = pairs().into_iter().any(|(s, t)| {
            hops[s as usize][t as usize] != FAR && hops[t as usize][s as usize] == FAR
        });
        prop_assert_eq!(components.closed, !one_way);
        prop_assert!(components.members.is_sorted_by_key(|members| members[0]));
        for (c, members) in components.members.iter().enumerate() {
            let expected: Vec<u32> = (0..NODES).filter(|u| components.of[*u as usize] as usize == c).collect();
            prop_assert_eq!(members, &expected);
        }
    }
}

/// A recursive search would overflow the stack.
#[test]
fn a_long_path_has_as_many_components_as_nodes() {
    let nodes = 200_000;
    let path = graph_of(nodes, (1..nodes).map(|v| (v - 1, v)).collect());
    assert_eq!(Components::new(&path).members.len(), nodes as usize);
    assert_eq!(planes(&[path]).endpoints(), nodes as usize);
}

#[test]
fn invalid_arrays_are_errors() {
    let error = |nodes: &[i32], arcs: &[i32], tail: &[i32], head: &[i32], attach: &[i32]| {
        Planes::from_arrays(nodes, arcs, tail, head, attach, None).unwrap_err().to_string()
    };
    assert_eq!(error(&[], &[0], &[], &[], &[]), "arc_ptr: 1 entries for 0 planes");
    assert_eq!(error(&[2], &[0], &[], &[], &[]), "arc_ptr: 1 entries for 1 planes");
    assert_eq!(error(&[2], &[0, 1], &[], &[], &[0]), "arc_ptr: 0..1 is not a range of arcs");
    assert_eq!(error(&[2], &[1, 0], &[0], &[1], &[0]), "arc_ptr: 1..0 is not a range of arcs");
    assert_eq!(error(&[0], &[0, 0], &[], &[], &[-1]), "node_count: a plane needs at least one switch");
    assert_eq!(error(&[2], &[0, 1], &[0], &[], &[0]), "head: its length is not that of tail");
    assert_eq!(error(&[2], &[0, 1], &[0], &[2], &[0]), "head: 2 is not in 0..2");
    assert_eq!(error(&[2], &[0, 1], &[-1], &[1], &[0]), "tail: -1 is not in 0..2");
    assert_eq!(error(&[2], &[0, 2], &[1, 0], &[0, 1], &[0]), "tail: arcs are not sorted by tail");
    assert_eq!(error(&[2, 2], &[0, 0, 0], &[], &[], &[0]), "attach: 1 entries for 2 planes");
    assert_eq!(error(&[2], &[0, 0], &[], &[], &[2]), "attach: 2 is not in -1..2");
    assert_eq!(error(&[2], &[0, 0], &[], &[], &[-2]), "attach: -2 is neither a switch nor -1");
}
