//! The solvers on arcs and the certificate from outside: closed forms, properties on random instances, invalid proofs.

use pnet_core::mcf::run::{Monitor, Options, Progress, Unwatched};
use pnet_core::mcf::{Arrays, Problem, Proof, Solution, columns, evaluate, structured};
use proptest::prelude::*;

/// Cables `(u, v, capacity)` of each plane, demands `(source, destination, size)` between `nodes` switches.
fn problem(nodes: usize, planes: &[Vec<(i32, i32, f64)>], demands: &[(i32, i32, f64)]) -> Problem {
    let (mut arc_ptr, mut arcs) = (vec![0], vec![]);
    for cables in planes {
        let mut plane: Vec<_> = cables.iter().flat_map(|(u, v, c)| [(*u, *v, *c), (*v, *u, *c)]).collect();
        plane.sort_by_key(|arc| arc.0);
        arcs.extend(plane);
        arc_ptr.push(arcs.len() as i32);
    }
    let unlimited = vec![f64::INFINITY; planes.len() * nodes];
    Problem::new(&Arrays {
        node_count: &vec![nodes as i32; planes.len()],
        arc_ptr: &arc_ptr,
        tail: &arcs.iter().map(|arc| arc.0).collect::<Vec<_>>(),
        head: &arcs.iter().map(|arc| arc.1).collect::<Vec<_>>(),
        capacity: &arcs.iter().map(|arc| arc.2).collect::<Vec<_>>(),
        attach: &(0..planes.len()).flat_map(|_| 0..nodes as i32).collect::<Vec<_>>(),
        access_up: &unlimited,
        access_down: &unlimited,
        src: &demands.iter().map(|d| d.0).collect::<Vec<_>>(),
        dst: &demands.iter().map(|d| d.1).collect::<Vec<_>>(),
        demand: &demands.iter().map(|d| d.2).collect::<Vec<_>>(),
    })
    .unwrap()
}

fn all_to_all(nodes: i32) -> Vec<(i32, i32, f64)> {
    (0..nodes).flat_map(|s| (0..nodes).filter(move |t| *t != s).map(move |t| (s, t, 1.0))).collect()
}

fn ring(nodes: i32) -> Vec<(i32, i32, f64)> {
    (0..nodes).map(|u| (u, (u + 1) % nodes, 1.0)).collect()
}

type Solver = fn(&Problem, &Options, &mut Unwatched) -> Result<Solution, pnet_core::Error>;

const SOLVERS: [Solver; 2] = [structured::solve, columns::solve];

fn run(solve: Solver, problem: &Problem, tolerance: f64, threads: usize) -> Solution {
    let options = Options { tolerance, max_iterations: 200_000, time_limit_s: f64::INFINITY };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| solve(problem, &options, &mut Unwatched)).unwrap()
}

#[test]
fn closed_forms() {
    // K of an even ring is 8 / n^2, and of two planes the sum.
    let even = ring(8);
    for (planes, k) in [(vec![even.clone()], 1.0 / 8.0), (vec![even.clone(), even], 1.0 / 4.0)] {
        let problem = problem(8, &planes, &all_to_all(8));
        for solve in SOLVERS {
            let found = evaluate(&problem, &run(solve, &problem, 1e-7, 2).proof).unwrap();
            assert!((found.lower - k).abs() < 1e-6 * k, "{} instead of {k}", found.lower);
            assert!(found.upper >= found.lower * (1.0 - 1e-12));
        }
    }
}

/// In a ring of five the path around is none of the shortest paths.
#[test]
fn arcs_off_shortest_paths_carry_nothing() {
    let problem = problem(5, &[ring(5)], &[(0, 2, 1.0)]).over_shortest(None, false).unwrap();
    // Sorted by tail: 0>1, 0>4, 1>0, 1>2, 2>1, 2>3, 3>2, 3>4, 4>3, 4>0.
    let proof = |split_arc: Vec<u32>| Proof {
        length: vec![1.0; 10],
        up_length: vec![0.0; 5],
        down_length: vec![0.0; 5],
        share: vec![1.0],
        split_ptr: vec![0, split_arc.len()],
        split_fraction: vec![1.0; split_arc.len()],
        split_arc,
    };
    let found = evaluate(&problem, &proof(vec![0, 3])).unwrap();
    assert!((found.lower - 1.0).abs() < 1e-12 && (found.upper - 5.0).abs() < 1e-9);
    let error = evaluate(&problem, &proof(vec![1, 6, 8])).unwrap_err().to_string();
    assert_eq!(error, "split_arc: row 0 has arc 1, which is on none of its shortest paths");
}

/// On the line 0 - 1 - 2 - 3 the first and the last cable are one link of capacity 2, which a demand from end to end passes
/// twice; the demands 0 -> 1 and 2 -> 3 share it.
#[test]
fn arcs_that_are_one_link_share_its_capacity() {
    let line = || vec![(0, 1, 1.0), (1, 2, 10.0), (2, 3, 1.0)];
    // Sorted by tail: 0>1, 1>0, 1>2, 2>1, 2>3, 3>2.
    let partner = [4, 5, 2, 3, 0, 1];
    for (demands, k) in [(vec![(0, 3, 1.0)], 1.0), (vec![(0, 1, 1.0), (2, 3, 3.0)], 0.5), (vec![(0, 1, 1.0)], 2.0)] {
        let paired = problem(4, &[line()], &demands).with_partners(&partner).unwrap();
        for solve in SOLVERS {
            let found = evaluate(&paired, &run(solve, &paired, 1e-7, 1).proof).unwrap();
            assert!((found.lower - k).abs() < 1e-6 && (found.upper - k).abs() < 1e-6, "{found:?} instead of {k}");
            assert_eq!(found.load[0], found.load[4]);
        }
    }
    for wrong in [&[4, 5, 2, 3, 0][..], &[4, 5, 2, 3, 1, 0], &[2, 5, 0, 3, 4, 1], &[6, 5, 2, 3, 0, 1]] {
        assert!(problem(4, &[line()], &[(0, 3, 1.0)]).with_partners(wrong).is_err());
    }
}

#[test]
fn stops_on_request_with_the_bounds_so_far() {
    struct Impatient;
    impl Monitor for Impatient {
        fn progress(&mut self, _: Progress) -> bool {
            false
        }
    }
    // On a path the bound by path length is not tight, so nothing is certified before the first evaluation.
    let cables: Vec<_> = (0..5).map(|u| (u, u + 1, 1.0)).collect();
    let problem = problem(6, &[cables], &all_to_all(6));
    let options = Options { tolerance: 1e-12, max_iterations: 1_000_000, time_limit_s: f64::INFINITY };
    for solve in [structured::solve, columns::solve] {
        let solution = solve(&problem, &options, &mut Impatient).unwrap();
        assert!(solution.interrupted);
        let found = evaluate(&problem, &solution.proof).unwrap();
        assert!(found.lower > 0.0 && found.lower <= 1.0 / 9.0 + 1e-12 && found.upper >= 1.0 / 9.0 - 1e-12);
    }
}

fn broken(change: impl FnOnce(&mut Proof)) -> String {
    let problem = problem(4, &[ring(4)], &all_to_all(4));
    let mut proof = run(structured::solve, &problem, 1e-6, 1).proof;
    evaluate(&problem, &proof).unwrap();
    change(&mut proof);
    evaluate(&problem, &proof).unwrap_err().to_string()
}

#[test]
fn invalid_proofs_are_refused() {
    assert!(broken(|proof| proof.length[0] = -1.0).contains("not finite and at least 0"));
    assert!(broken(|proof| proof.length[0] = f64::NAN).contains("not finite and at least 0"));
    assert!(broken(|proof| proof.share[0] = 0.5).contains("sum to 0.5"));
    assert!(broken(|proof| proof.split_fraction[0] += 0.5).contains("fractions at switch"));
    assert!(broken(|proof| proof.split_fraction[0] = -1.0).contains("negative"));
    assert!(broken(|proof| proof.split_arc[0] = 99).contains("unknown arc"));
    assert!(broken(|proof| *proof.split_ptr.last_mut().unwrap() -= 1).contains("split_ptr"));
}

#[test]
fn a_cycle_is_refused() {
    // 0 -> 1 -> 2 -> 0 with the target 3 hanging off 2.
    let problem = problem(4, &[vec![(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 3, 1.0)]], &[(0, 3, 1.0)]);
    let plane = &problem.planes[0];
    let graph = &plane.graph;
    let arc = |u, v| graph.out(u).find(|a| graph.head(*a) == v).unwrap();
    let mut split = [(arc(0, 1), 1.0), (arc(1, 2), 1.0), (arc(2, 0), 0.5), (arc(2, 3), 0.5)];
    split.sort_by_key(|entry| entry.0);
    let proof = Proof {
        length: vec![1.0; plane.arcs()],
        up_length: vec![0.0; 4],
        down_length: vec![0.0; 4],
        share: vec![1.0],
        split_ptr: vec![0, 4],
        split_arc: split.iter().map(|entry| entry.0).collect(),
        split_fraction: split.iter().map(|entry| entry.1).collect(),
    };
    assert!(evaluate(&problem, &proof).unwrap_err().to_string().contains("cycle"));
}

prop_compose! {
    /// One to three connected planes on seven switches, some with parallel cables, and up to a dozen demands.
    fn instance()(
        planes in prop::collection::vec(
            prop::collection::vec((0..7_i32, 0..7_i32, 0.5..8.0_f64), 0..12), 1..4),
        demands in prop::collection::vec((0..7_i32, 0..7_i32, 0.1..5.0_f64), 1..12),
        first in 0..6_i32,
    ) -> Problem {
        let planes: Vec<Vec<_>> = planes
            .into_iter()
            .map(|extra| ring(7).into_iter().chain(extra.into_iter().filter(|c| c.0 != c.1)).collect())
            .collect();
        let mut demands: Vec<_> = demands.into_iter().filter(|d| d.0 != d.1).collect();
        demands.push((first, 6, 1.0));
        problem(7, &planes, &demands)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn certificates_of_random_instances_do_not_depend_on_the_number_of_threads(problem in instance()) {
        let mut bounds = vec![];
        for solve in SOLVERS {
            let one = run(solve, &problem, 1e-5, 1);
            let found = evaluate(&problem, &one.proof).unwrap();
            prop_assert!(found.upper >= found.lower * (1.0 - 1e-12));
            prop_assert!(found.upper - found.lower <= 1e-5 * found.upper, "{} .. {}", found.lower, found.upper);
            let three = run(solve, &problem, 1e-5, 3);
            prop_assert_eq!(one.iterations, three.iterations);
            prop_assert_eq!(one.proof, three.proof);
            bounds.push((found.lower, found.upper));
        }
        prop_assert!(bounds[0].0 <= bounds[1].1 * (1.0 + 1e-12) && bounds[1].0 <= bounds[0].1 * (1.0 + 1e-12));
    }
}
