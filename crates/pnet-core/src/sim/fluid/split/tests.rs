//! The best split against linear programs from a cold start: one for each level, solved by a tableau.

use super::*;
use crate::random::SplitMix;

/// The `x >= 0` with `A x <= b` of the largest `c x`, and the duals; `b` is at least 0.
fn linear_program(a: &[Vec<f64>], b: &[f64], c: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (m, n) = (a.len(), c.len());
    let unit = |i: usize| (0..m).map(move |k| f64::from(u8::from(k == i)));
    let row = |i: usize| a[i].iter().copied().chain(unit(i)).chain([b[i]]).collect();
    let mut rows: Vec<Vec<f64>> = (0..m).map(row).collect();
    let mut cost: Vec<f64> = c.iter().map(|value| -value).chain(vec![0.0; m + 1]).collect();
    let mut basis: Vec<usize> = (n..n + m).collect();
    while let Some(entering) = (0..n + m).find(|j| cost[*j] < -1e-10) {
        let ratio = |i: usize| rows[i][n + m].max(0.0) / rows[i][entering];
        let most = (0..m).filter(|i| rows[*i][entering] > 1e-10).map(ratio).fold(f64::INFINITY, f64::min);
        let ties = (0..m).filter(|i| rows[*i][entering] > 1e-10 && ratio(*i) <= most + 1e-14);
        let leaving = ties.min_by_key(|i| basis[*i]).unwrap();
        let mut pivot = std::mem::take(&mut rows[leaving]);
        let by = pivot[entering];
        pivot.iter_mut().for_each(|value| *value /= by);
        for row in rows.iter_mut().chain([&mut cost]).filter(|row| !row.is_empty()) {
            let factor = row[entering];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
        rows[leaving] = pivot;
        basis[leaving] = entering;
    }
    let mut found = vec![0.0; n + m];
    (0..m).for_each(|i| found[basis[i]] = rows[i][n + m]);
    found.truncate(n);
    (found, cost[n..n + m].to_vec())
}

/// A commodity: its weight and its paths.
type Offer = (f64, Vec<Vec<u32>>);

/// Max-min fair levels: all active commodities rise together as far as a program lets them, with the others where they are;
/// those with a dual price are fixed there.
fn levels(capacity: &[f64], offers: &[Offer]) -> Vec<f64> {
    let first: Vec<usize> =
        offers.iter().scan(0, |at, (_, paths)| Some(std::mem::replace(at, *at + paths.len()))).collect();
    let n = offers.iter().map(|(_, paths)| paths.len()).sum::<usize>();
    let mut level: Vec<Option<f64>> = vec![None; offers.len()];
    while level.iter().any(Option::is_none) {
        // Columns: paths, the level of the active ones, and a part that the others get of theirs, which costs most.
        let (mut a, mut b) = (vec![], vec![]);
        for (link, capacity) in (0..).zip(capacity) {
            let uses = |path: &Vec<u32>| f64::from(u8::from(path.contains(&link)));
            a.push(offers.iter().flat_map(|(_, paths)| paths.iter().map(uses)).chain([0.0; 2]).collect());
            b.push(*capacity);
        }
        for (i, (weight, paths)) in offers.iter().enumerate() {
            let mut row = vec![0.0; n + 2];
            row[first[i]..][..paths.len()].fill(-1.0);
            match level[i] {
                None => row[n] = *weight,
                Some(level) => row[n + 1] = weight * level,
            }
            a.push(row);
            b.push(0.0);
        }
        a.push([vec![0.0; n + 1], vec![1.0]].concat());
        b.push(1.0);
        let (found, price) = linear_program(&a, &b, &[vec![0.0; n], vec![1.0, 1e3]].concat());
        let before = level.clone();
        for (i, level) in level.iter_mut().enumerate().filter(|(_, level)| level.is_none()) {
            *level = (price[capacity.len() + i] > 1e-9).then_some(found[n]);
        }
        assert_ne!(level, before, "no level is fixed");
    }
    level.into_iter().flatten().collect()
}

fn offer(random: &mut SplitMix, links: usize) -> Offer {
    let path = |random: &mut SplitMix| {
        let mut links: Vec<u32> = (0..1 + random.below(4)).map(|_| random.below(links) as u32).collect();
        links.sort_unstable();
        links.dedup();
        links
    };
    let mut paths: Vec<Vec<u32>> = (0..1 + random.below(4)).map(|_| path(random)).collect();
    paths.sort();
    paths.dedup();
    ([1.0, 1.0, 0.3, 2.5][random.below(4)], paths)
}

/// Levels at every event of random runs; no link carries too much; every changed path is reported.
fn compare(runs: u64, events: usize, method: Method) {
    let mut compared = 0;
    for run in 0..runs {
        let mut random = SplitMix::of([6, run]);
        let links = 4 + random.below(8);
        let mut capacity: Vec<f64> = (0..links).map(|_| [1.0, 1.0, 2.0, 0.7][random.below(4)] * 1e-3).collect();
        let mut split = Split::new(capacity.clone(), method);
        let (mut offers, mut paths): (Vec<Offer>, Vec<Vec<u32>>) = (vec![], vec![]);
        let mut known: Vec<f64> = vec![];
        for _ in 0..events {
            for _ in 0..1 + random.below(2) {
                match random.below(20) {
                    0 => {
                        let (link, to) = (random.below(links), [0.0, 1.0, 2.0][random.below(3)] * 1e-3);
                        capacity[link] = to;
                        split.set_capacity(link as u32, to);
                    }
                    1..=3 if !offers.is_empty() => {
                        let (i, weight) = (random.below(offers.len()), [1.0, 2.0, 0.3][random.below(3)]);
                        offers[i].0 = weight;
                        split.set_weight(paths[i][0], weight);
                    }
                    4..=10 if offers.len() > 2 => {
                        let i = random.below(offers.len());
                        offers.swap_remove(i);
                        split.remove(paths.swap_remove(i)[0]);
                    }
                    _ if offers.len() < 9 => {
                        let made = offer(&mut random, links);
                        paths.push(split.add(made.1.iter().map(Vec::as_slice), made.0));
                        offers.push(made);
                    }
                    _ => {}
                }
            }
            let mut changed = vec![];
            split.settle(&mut changed, &mut || Ok(())).unwrap();
            for path in changed {
                known.resize(known.len().max(path as usize + 1), 0.0);
                known[path as usize] = split.level(path);
            }
            let expected = levels(&capacity.iter().map(|one| one * 1e3).collect::<Vec<_>>(), &offers);
            let mut load = vec![0.0; links];
            for (i, (weight, links)) in offers.iter().enumerate() {
                let found: f64 = paths[i].iter().map(|path| split.level(*path)).sum();
                let off = (found * 1e3 - expected[i]).abs();
                assert!(off <= 1e-9 * expected[i] + 1e-14, "run {run}: {i} has {found}, from scratch {}", expected[i]);
                for (path, links) in paths[i].iter().zip(links) {
                    let level = split.level(*path);
                    let reported = known[*path as usize];
                    assert!(
                        (reported - level).abs() <= 1e-9 * level + 1e-14,
                        "run {run}: {reported} was reported, {level} is"
                    );
                    links.iter().for_each(|link| load[*link as usize] += weight * level);
                }
                compared += 1;
            }
            for (load, capacity) in load.iter().zip(&capacity) {
                assert!(*load <= capacity * (1.0 + 1e-9) + 1e-14, "run {run}: {load} on a link of {capacity}");
            }
        }
    }
    assert!(compared > runs * events as u64, "{compared}");
}

#[test]
fn best_splits_at_every_event() {
    compare(200, 25, Method::Incremental);
}

#[test]
fn best_splits_from_scratch() {
    compare(20, 25, Method::FromScratch);
}

/// Two paths and a flow on one of them: the other flow takes the other path, and returns when the first flow ends.
#[test]
fn a_flow_makes_room_for_another() {
    let mut split = Split::new(vec![1.0, 1.0, 1.0], Method::Incremental);
    let both = split.add([&[0, 2][..], &[1]].into_iter(), 1.0);
    let mut changed = vec![];
    split.settle(&mut changed, &mut || Ok(())).unwrap();
    assert_eq!(both.iter().map(|path| split.level(*path)).collect::<Vec<_>>(), [1.0, 1.0]);
    let one = split.add([&[2][..]].into_iter(), 1.0);
    split.settle(&mut changed, &mut || Ok(())).unwrap();
    assert_eq!([both[0], both[1], one[0]].map(|path| split.level(path)), [0.0, 1.0, 1.0]);
    split.remove(one[0]);
    split.settle(&mut changed, &mut || Ok(())).unwrap();
    assert_eq!(both.iter().map(|path| split.level(*path)).sum::<f64>(), 2.0);
}
