//! Equivalence classes from outside: closed forms, properties on random graphs, invalid proofs.

use pnet_core::mcf::symmetry::{Budget, Demands, Fold, Instance, QuotientProof, Reduced, evaluate, reduce};
use pnet_core::stop::Stop;
use proptest::prelude::*;

const ALL: Budget = Budget { classes: usize::MAX, looks: usize::MAX, examples: usize::MAX };

/// One plane of cables, an endpoint on each switch, all sending to all.
fn all_to_all(nodes: usize, cables: &[(i32, i32, f64)]) -> Fold {
    let mut arcs: Vec<_> = cables.iter().flat_map(|(u, v, c)| [(*u, *v, *c), (*v, *u, *c)]).collect();
    arcs.sort_by_key(|arc| arc.0);
    let unlimited = vec![f64::INFINITY; nodes];
    let (ones, zeros) = (vec![1.0; nodes], vec![0.0; nodes]);
    let instance = Instance::new(
        &[nodes as i32],
        &[0, arcs.len() as i32],
        &arcs.iter().map(|arc| arc.0).collect::<Vec<_>>(),
        &arcs.iter().map(|arc| arc.1).collect::<Vec<_>>(),
        &arcs.iter().map(|arc| arc.2).collect::<Vec<_>>(),
        &(0..nodes as i32).collect::<Vec<_>>(),
        &unlimited,
        &unlimited,
        Demands::product(ones.clone(), ones, zeros),
    );
    Fold::new(instance.unwrap())
}

fn ring(nodes: i32) -> Vec<(i32, i32, f64)> {
    (0..nodes).map(|u| (u, (u + 1) % nodes, 1.0)).collect()
}

fn complete(nodes: i32) -> Vec<(i32, i32, f64)> {
    (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v, 1.0))).collect()
}

/// Leaves, then spines.
fn bipartite(leaves: i32, spines: i32) -> Vec<(i32, i32, f64)> {
    (0..leaves).flat_map(|u| (0..spines).map(move |v| (u, leaves + v, 1.0))).collect()
}

fn reduced(fold: &Fold) -> Reduced {
    reduce(fold, ALL, &Stop::default()).unwrap().unwrap()
}

#[test]
fn equivalent_switches_are_of_one_kind() {
    // As seen from a switch of a ring, the others are equivalent in pairs; in a complete graph, all others are.
    for (fold, classes) in [(all_to_all(8, &ring(8)), 5), (all_to_all(7, &complete(7)), 2)] {
        let found = reduced(&fold);
        assert_eq!(found.kinds.len(), 1);
        // Every switch has its endpoint.
        assert_eq!(found.kinds[0].size.len(), 2 * classes);
    }
    // Leaves are equivalent, and so are spines.
    assert_eq!(reduced(&all_to_all(7, &bipartite(5, 2))).kinds.len(), 2);
    // A path of five switches has three kinds of destinations.
    let path: Vec<_> = ring(5).into_iter().take(4).collect();
    let found = reduced(&all_to_all(5, &path));
    let kinds: Vec<_> = found.kinds.iter().map(|kind| (kind.examples[0].0, kind.targets)).collect();
    assert_eq!(kinds, [(0, 2), (1, 2), (2, 1)]);
    // Turned around, it is the same.
    assert_eq!(found.generators, [[4, 3, 2, 1, 0, 9, 8, 7, 6, 5]]);
}

#[test]
fn equal_degrees_alone_are_no_symmetry() {
    // All switches have three neighbours: equal until one is set apart.
    let mut cables = ring(10);
    cables.extend([(0, 5), (1, 3), (2, 4), (6, 8), (7, 9)].map(|(u, v)| (u, v, 1.0)));
    assert!(reduced(&all_to_all(10, &cables)).kinds.len() > 1);
}

#[test]
fn a_budget_is_kept() {
    let fold = all_to_all(8, &ring(8));
    for budget in [Budget { classes: 3, ..ALL }, Budget { looks: 3, ..ALL }, Budget { examples: 3, ..ALL }] {
        assert_eq!(reduce(&fold, budget, &Stop::default()).unwrap(), None);
    }
    let stop = Stop::default();
    stop.request();
    assert!(reduce(&fold, ALL, &stop).is_err());
}

/// The arrays of a proof, in the order of its fields.
type Arrays = (Vec<i32>, Vec<f64>, Vec<i32>, Vec<i32>, Vec<[i32; 4]>, Vec<f64>);

/// A proof for the complete graph: all traffic takes direct links, and all links have length 1.
fn straight(found: &Reduced) -> Arrays {
    let kind = &found.kinds[0];
    let link_class = found.link_class.iter().map(|class| class.map_or(-1, |class| class as i32)).collect();
    let length = found.capacity.iter().map(|c| if c.is_finite() { 1.0 } else { 0.0 }).collect();
    let (endpoint, seen) = &kind.examples[0];
    let target = seen[7 + *endpoint as usize];
    let home = seen[*endpoint as usize];
    let flows = kind.entries.iter().filter_map(|entry| {
        let up = kind.demand[entry.tail as usize] > 0.0;
        let straight = entry.head == home && entry.tail != target;
        let flow = if entry.head == target { 6.0 } else { 1.0 };
        let used = up || straight || (entry.tail == home && entry.head == target);
        used.then_some(([0, entry.tail as i32, entry.head as i32, entry.link as i32], flow))
    });
    let (entries, flow) = flows.unzip();
    let class = seen.iter().map(|class| *class as i32).collect();
    (link_class, length, vec![*endpoint as i32], class, entries, flow)
}

#[test]
fn a_proof_holds_for_the_whole_network_or_is_refused() {
    let fold = all_to_all(7, &complete(7));
    let (link_class, length, targets, node_class, entries, flow) = straight(&reduced(&fold));
    let proof = QuotientProof {
        link_class: &link_class,
        length: &length,
        targets: &targets,
        node_class: &node_class,
        entries: &entries,
        flow: &flow,
        generators: &[],
    };
    let stop = Stop::default();
    let found = evaluate(&fold, &proof, &stop).unwrap();
    assert_eq!((found.lower, found.upper), (1.0, 1.0));
    assert!(found.load[..42].iter().all(|load| *load == 1.0));

    let message = |proof: &QuotientProof| evaluate(&fold, proof, &stop).unwrap_err().to_string();
    let half: Vec<f64> = flow.iter().enumerate().map(|(i, f)| if i == 0 { f / 2.0 } else { *f }).collect();
    assert_eq!(message(&QuotientProof { flow: &half, ..proof }), "quotient: a node does not conserve flow");
    let nothing = vec![0.0; length.len()];
    assert!(message(&QuotientProof { length: &nothing, ..proof }).contains("bound nothing"));
    let short = &link_class[1..];
    assert!(message(&QuotientProof { link_class: short, ..proof }).contains("the network's shape"));
    let mut other = node_class.clone();
    other.swap(0, 1);
    let wrong = message(&QuotientProof { node_class: &other, ..proof });
    assert!(wrong.contains("different classes") || wrong.contains("no links"), "{wrong}");
    // The same proof is invalid for a network in which a link is slower.
    let mut cables = complete(7);
    cables[5].2 = 0.5;
    assert!(evaluate(&all_to_all(7, &cables), &proof, &stop).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Every node of a class has equally many links of each class: those that leave one class enter the other.
    #[test]
    fn classes_are_equitable(nodes in 3_usize..9, drawn in prop::collection::vec((0_usize..9, 0_usize..9, 1_u8..3), 1..14)) {
        let mut cables = ring(nodes as i32);
        cables.extend(
            drawn
                .iter()
                .map(|(u, v, c)| ((u % nodes) as i32, (v % nodes) as i32, f64::from(*c)))
                .filter(|(u, v, _)| u != v),
        );
        let found = reduced(&all_to_all(nodes, &cables));
        prop_assert_eq!(found.kinds.iter().map(|kind| kind.targets).sum::<u64>(), nodes as u64);
        for kind in &found.kinds {
            prop_assert_eq!(kind.size.iter().sum::<f64>(), 2.0 * nodes as f64);
            for entry in &kind.entries {
                let leaving = kind.size[entry.tail as usize] * f64::from(entry.out);
                prop_assert_eq!(leaving, kind.size[entry.head as usize] * f64::from(entry.into));
            }
            let links: f64 =
                kind.entries.iter().map(|e| kind.size[e.tail as usize] * f64::from(e.out)).sum();
            prop_assert_eq!(links, (2 * cables.len() + 2 * nodes) as f64);
        }
    }

    /// The numbers of switches do not matter.
    #[test]
    fn numbers_do_not_matter(nodes in 4_usize..9, shift in 1_usize..4, drawn in prop::collection::vec((0_usize..9, 0_usize..9), 1..8)) {
        let more = drawn.iter().map(|(u, v)| (u % nodes, v % nodes)).filter(|(u, v)| u != v);
        let cables: Vec<_> = (0..nodes).map(|u| (u, (u + 1) % nodes)).chain(more).collect();
        let named = |shift: usize| -> Vec<(i32, i32, f64)> {
            let name = |u: usize| ((nodes - 1 - u + shift) % nodes) as i32;
            cables.iter().map(|(u, v)| (name(*u), name(*v), 1.0)).collect()
        };
        let sizes = |found: Reduced| {
            let mut kinds: Vec<_> = found.kinds.iter().map(|k| (k.targets, k.size.len(), k.entries.len())).collect();
            kinds.sort_unstable();
            (found.capacity.len(), kinds)
        };
        prop_assert_eq!(
            sizes(reduced(&all_to_all(nodes, &named(0)))),
            sizes(reduced(&all_to_all(nodes, &named(shift))))
        );
    }
}

/// Two servers of two endpoints on one switch, which are joined inside by arcs in both directions.
fn servers(demands: Demands, partner: Option<&[i32]>) -> Result<Fold, String> {
    // A switch, then the endpoints' own.
    let arcs = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 2), (2, 0), (2, 1), (3, 0), (3, 4), (4, 0), (4, 3)];
    let inside: Vec<bool> = arcs.iter().map(|(u, v)| *u > 0 && *v > 0).collect();
    let unlimited = [f64::INFINITY; 4];
    let instance = Instance::new(
        &[5],
        &[0, 12],
        &arcs.map(|arc| arc.0),
        &arcs.map(|arc| arc.1),
        &[1.0; 12],
        &[1, 2, 3, 4],
        &unlimited,
        &unlimited,
        demands,
    );
    instance.and_then(|found| found.with_servers(&inside, partner)).map(Fold::new).map_err(|error| error.to_string())
}

#[test]
fn accelerators_are_of_one_orbit_within_their_groups() {
    let groups = |group: &[i32]| Demands::groups(vec![1.0; 4], vec![1.0; 4], group, &[0, 1, 2, 3], 0.0).unwrap();
    let expected: [(_, &[u64]); 4] =
        [([0, 0, 0, 0], &[4]), ([0, 0, 1, 1], &[4]), ([0, 1, 0, 1], &[4]), ([0, 0, 0, 1], &[2, 1, 1])];
    for (group, sizes) in expected {
        let found = reduced(&servers(groups(&group), None).unwrap());
        assert_eq!(found.kinds.iter().map(|kind| kind.targets).collect::<Vec<_>>(), sizes, "{group:?}");
    }
    // A link and its partner are of one class, whatever they look like.
    let partner = [0, 1, 2, 3, 4, 7, 6, 5, 8, 11, 10, 9];
    let found = reduced(&servers(groups(&[0, 0, 0, 0]), Some(&partner)).unwrap());
    assert_eq!(found.link_class[5], found.link_class[7]);
}

#[test]
fn servers_and_groups_are_checked() {
    let all = || Demands::product(vec![1.0; 4], vec![1.0; 4], vec![0.0; 4]);
    assert!(servers(all(), Some(&[0; 12])).unwrap_err().contains("it is not in pairs"));
    assert!(servers(all(), Some(&[0; 3])).unwrap_err().contains("it is not in pairs"));
    assert!(Demands::groups(vec![1.0], vec![], &[0], &[0], 0.0).unwrap_err().to_string().contains("a length is not 1"));
    assert!(Demands::groups(vec![1.0], vec![1.0], &[1], &[0], 0.0).is_err());
}
