//! The solver over given paths: closed forms, properties on random instances, invalid input.

use pnet_core::mcf::path_form::{PathProblem, Solution, WarmStart, bounds, solve};
use pnet_core::mcf::run::{Options, Unwatched};
use proptest::prelude::*;

/// Demands with their paths, each a list of links.
fn problem(capacity: &[f64], demands: &[(f64, Vec<Vec<u32>>)]) -> PathProblem {
    let (mut pair_ptr, mut path_ptr, mut link) = (vec![0], vec![0], vec![]);
    for (_, paths) in demands {
        for path in paths {
            link.extend(path);
            path_ptr.push(link.len());
        }
        pair_ptr.push(path_ptr.len() - 1);
    }
    let demand = demands.iter().map(|(demand, _)| *demand).collect();
    PathProblem::new(capacity.to_vec(), demand, pair_ptr, path_ptr, link).unwrap()
}

fn run(problem: &PathProblem, start: Option<WarmStart>, tolerance: f64, threads: usize) -> Solution {
    let options = Options { tolerance, max_iterations: 100_000, time_limit_s: f64::INFINITY };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| solve(problem, start, &options, &mut Unwatched)).unwrap()
}

#[test]
fn closed_forms() {
    let infinite = f64::INFINITY;
    for (capacity, demands, optimum) in [
        (vec![3.0], vec![(2.0, vec![vec![0]])], 1.5),
        // Two paths of unequal capacity add up.
        (vec![1.0, 4.0], vec![(1.0, vec![vec![0], vec![1]])], 5.0),
        // A parking lot: the long demand shares a link with each of the short ones.
        (vec![1.0; 3], vec![(1.0, vec![vec![0, 1, 2]]), (1.0, vec![vec![0]]), (1.0, vec![vec![2]])], 0.5),
        // One demand with two paths, and one with one of them.
        (vec![1.0, 1.0], vec![(1.0, vec![vec![0], vec![1]]), (1.0, vec![vec![0]])], 1.0),
        // A link without a limit, and a path without links.
        (vec![2.0, infinite], vec![(1.0, vec![vec![0, 1]]), (9.0, vec![vec![], vec![0]])], 2.0),
    ] {
        let found = run(&problem(&capacity, &demands), None, 1e-9, 1);
        assert!((found.lower / optimum - 1.0).abs() < 1e-8, "{} is not {optimum}", found.lower);
        assert!((found.upper / optimum - 1.0).abs() < 1e-8, "{} is not {optimum}", found.upper);
    }
}

#[test]
fn a_problem_without_limits_is_an_error() {
    let free = problem(&[f64::INFINITY], &[(1.0, vec![vec![0]])]);
    let options = Options { tolerance: 1e-3, max_iterations: 10, time_limit_s: 1.0 };
    let error = solve(&free, None, &options, &mut Unwatched).unwrap_err();
    assert_eq!(error.to_string(), "capacity: no link limits the flow");
}

/// The arguments of `PathProblem::new`.
type Arrays = (Vec<f64>, Vec<f64>, Vec<usize>, Vec<usize>, Vec<u32>);

#[test]
fn invalid_arrays_are_errors() {
    let good = || -> Arrays { (vec![1.0, 2.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1]) };
    let error = |change: &dyn Fn(&mut Arrays)| {
        let mut arrays = good();
        change(&mut arrays);
        PathProblem::new(arrays.0, arrays.1, arrays.2, arrays.3, arrays.4).unwrap_err().to_string()
    };
    assert!(PathProblem::new(good().0, good().1, good().2, good().3, good().4).is_ok());
    assert_eq!(error(&|a| a.0[1] = 0.0), "capacity: not above 0 on every link");
    assert_eq!(error(&|a| a.1[0] = f64::NAN), "demand: not finite and above 0 for every demand");
    assert_eq!(error(&|a| a.2 = vec![0, 0]), "pair_ptr: a demand has no path");
    assert_eq!(error(&|a| a.3 = vec![0, 2]), "path_ptr: does not divide the links into paths");
    assert_eq!(error(&|a| a.4[0] = 2), "link: 2 is not in 0..2");
    let problem = problem(&[1.0, f64::INFINITY], &[(1.0, vec![vec![0]])]);
    for (weight, length, message) in [
        (vec![1.0], vec![0.0], "length: 1 entries, not 2"),
        (vec![-1.0], vec![0.0; 2], "weight: -1 is not a finite number >= 0"),
        (vec![1.0], vec![1.0; 2], "length: positive on a link without a limit"),
    ] {
        assert_eq!(bounds(&problem, &weight, &length).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_warm_start_from_the_answer_takes_no_iteration() {
    let given = problem(&[1.0, 4.0, 2.0], &[(1.0, vec![vec![0], vec![1]]), (2.0, vec![vec![1], vec![2]])]);
    let first = run(&given, None, 1e-7, 1);
    let start = WarmStart { weight: first.weight.clone(), length: first.length.clone() };
    let second = run(&given, Some(start), 1e-7, 1);
    assert!(first.iterations > 0);
    assert_eq!(second.iterations, 0);
    assert_eq!((second.lower, second.upper), (first.lower, first.upper));
}

const LINKS: usize = 8;

prop_compose! {
    fn path()(links in prop::collection::btree_set(0..LINKS as u32, 1..4)) -> Vec<u32> {
        links.into_iter().collect()
    }
}

prop_compose! {
    fn instance()(
        capacity in prop::collection::vec(0.1..10.0_f64, LINKS),
        demands in prop::collection::vec((0.1..5.0_f64, prop::collection::vec(path(), 1..5)), 1..12),
    ) -> (Vec<f64>, Vec<(f64, Vec<Vec<u32>>)>) {
        (capacity, demands)
    }
}

proptest! {
    #[test]
    fn bounds_meet_and_are_those_of_the_proof((capacity, demands) in instance()) {
        let problem = problem(&capacity, &demands);
        let found = run(&problem, None, 1e-6, 1);
        prop_assert!(found.upper - found.lower <= 1e-6 * found.upper);
        let (lower, upper, load, weight) = bounds(&problem, &found.weight, &found.length).unwrap();
        // Weights that are normalised once more may differ in the last bit.
        prop_assert!((lower / found.lower - 1.0).abs() < 1e-12);
        // The solver rounds to the nearest, the proof up.
        prop_assert!(upper >= found.upper && upper / found.upper - 1.0 < 1e-12);
        prop_assert!(load.iter().zip(&capacity).all(|(load, c)| lower * load <= c * (1.0 + 1e-12)));
        for ends in problem.pair_ptr.windows(2) {
            prop_assert!((weight[ends[0]..ends[1]].iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn threads_do_not_change_a_bit((capacity, demands) in instance()) {
        let problem = problem(&capacity, &demands);
        let [one, three] = [1, 3].map(|threads| run(&problem, None, 1e-6, threads));
        prop_assert_eq!(one.weight, three.weight);
        prop_assert_eq!(one.length, three.length);
        prop_assert_eq!(one.iterations, three.iterations);
    }

    #[test]
    fn one_more_path_never_hurts((capacity, demands) in instance(), extra in path()) {
        let before = run(&problem(&capacity, &demands), None, 1e-6, 1);
        let mut more = demands;
        more[0].1.push(extra);
        let after = run(&problem(&capacity, &more), None, 1e-6, 1);
        prop_assert!(after.upper >= before.lower * (1.0 - 1e-9));
    }

    #[test]
    fn capacity_and_demand_scale((capacity, demands) in instance(), factor in 0.01..100.0_f64) {
        let before = run(&problem(&capacity, &demands), None, 1e-6, 1);
        let scaled: Vec<f64> = capacity.iter().map(|c| factor * c).collect();
        let after = run(&problem(&scaled, &demands), None, 1e-6, 1);
        prop_assert!((after.lower / (factor * before.lower) - 1.0).abs() < 3e-6);
    }
}
