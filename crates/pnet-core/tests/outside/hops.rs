//! Hop counts under masks against the distances of the path searches, plane by plane.

use pnet_core::Stop;
use pnet_core::graph::{FAR, Graph, Planes};
use pnet_core::hops::{Down, NONE, between, count};
use proptest::prelude::*;

const NODES: u32 = 6;

type Arcs = Vec<(u32, u32)>;

/// A plane's arcs, each with whether it is down, and where its sites attach, each with whether it is cut off.
type Plane = (Vec<((u32, u32), bool)>, Vec<(Option<u32>, bool)>);

fn graph(mut arcs: Arcs) -> Graph {
    arcs.sort_unstable();
    let (tail, head): (Vec<u32>, Vec<u32>) = arcs.into_iter().unzip();
    Graph::new(NODES as usize, tail, head).unwrap()
}

prop_compose! {
    fn planes(sites: usize)(
        planes in prop::collection::vec(
            (
                prop::collection::vec(((0..NODES, 1..NODES).prop_map(|(u, d)| (u, (u + d) % NODES)), any::<bool>()), 0..20),
                prop::collection::vec((prop::option::weighted(0.9, 0..NODES), prop::bool::weighted(0.1)), sites),
            ),
            1..4,
        ),
    ) -> Vec<Plane> {
        planes
    }
}

/// Fewest hops over graphs without failed arcs and sites.
fn expected(planes: &[Plane], source: usize, target: usize) -> i32 {
    planes
        .iter()
        .filter_map(|(arcs, ends)| {
            let rest = graph(arcs.iter().filter(|(_, down)| !down).map(|(arc, _)| *arc).collect());
            let at = |site: usize| ends[site].0.filter(|_| !ends[site].1);
            let hops = rest.distances_to(at(target)?)[at(source)? as usize];
            (hops != FAR).then_some(hops as i32)
        })
        .min()
        .unwrap_or(NONE)
}

proptest! {
    #[test]
    fn masks_equal_graphs_without_the_failures(mut planes in planes(5), sizes in prop::collection::vec(1..4_i32, 5)) {
        for (arcs, _) in &mut planes {
            arcs.sort_unstable();
        }
        let graphs = planes.iter().map(|(arcs, _)| graph(arcs.iter().map(|(arc, _)| *arc).collect())).collect();
        let attach = planes.iter().map(|(_, ends)| ends.iter().map(|(at, _)| *at).collect()).collect();
        let whole = Planes::new(graphs, attach).unwrap();
        let arcs_down: Vec<bool> = planes.iter().flat_map(|(arcs, _)| arcs.iter().map(|(_, down)| *down)).collect();
        let cut: Vec<bool> = planes.iter().flat_map(|(_, ends)| ends.iter().map(|(_, cut)| *cut)).collect();
        let down = Down { arcs: &arcs_down, sites: &cut };

        let pairs: Vec<(u32, u32)> = (0..5).flat_map(|s| (0..5).map(move |t| (s, t))).collect();
        let hops: Vec<i32> = pairs.iter().map(|(s, t)| expected(&planes, *s as usize, *t as usize)).collect();
        prop_assert_eq!(&between(&whole, &pairs, &[down], &Stop::default()).unwrap()[0], &hops);

        let mut histogram = vec![0];
        for ((s, t), hops) in pairs.iter().zip(&hops) {
            let pairs = sizes[*s as usize] * (sizes[*t as usize] - i32::from(s == t));
            if *hops != NONE && pairs > 0 {
                histogram.resize(histogram.len().max(*hops as usize + 1), 0);
                histogram[*hops as usize] += pairs as u64;
            }
        }
        prop_assert_eq!(&count(&whole, &sizes, &[down], &Stop::default()).unwrap()[0], &histogram);

        // With and without masks in one call: no trial affects the next.
        let both = count(&whole, &sizes, &[down, Down::default(), down], &Stop::default()).unwrap();
        prop_assert_eq!(&both[0], &histogram);
        prop_assert_eq!(&both[2], &histogram);
        prop_assert_eq!(&both[1], &count(&whole, &sizes, &[Down::default()], &Stop::default()).unwrap()[0]);
    }
}

/// A bidirectional ring of more switches than one search has sources.
#[test]
fn sources_of_several_blocks_add_up() {
    let n = 600_u32;
    let mut arcs: Arcs = (0..n).flat_map(|u| [(u, (u + 1) % n), ((u + 1) % n, u)]).collect();
    arcs.sort_unstable();
    let (tail, head): (Vec<u32>, Vec<u32>) = arcs.into_iter().unzip();
    let graph = Graph::new(n as usize, tail, head).unwrap();
    let planes = Planes::new(vec![graph], vec![(0..n).map(Some).collect()]).unwrap();
    let found = &count(&planes, &vec![1; n as usize], &[Down::default()], &Stop::default()).unwrap()[0];
    let mut ring = vec![2 * u64::from(n); n as usize / 2 + 1];
    ring[0] = 0;
    ring[n as usize / 2] = u64::from(n);
    assert_eq!(found, &ring);
    assert_eq!(
        between(&planes, &[(n - 1, 0), (0, n / 2)], &[Down::default()], &Stop::default()).unwrap(),
        [[1, n as i32 / 2]]
    );
}
