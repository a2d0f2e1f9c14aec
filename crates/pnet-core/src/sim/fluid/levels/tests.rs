//! Streams that come, go and change their weights, several at a time, on links that change their capacities.

use std::collections::HashMap;

use super::super::filling;
use super::*;
use crate::random::SplitMix;

/// Makes a few changes, of which some concern the same links, and keeps the numbers of the streams that there are.
fn change(random: &mut SplitMix, levels: &mut Levels, there: &mut Vec<u32>, split: bool) {
    let links = levels.links.len();
    let coefficient = |kind: usize| if split { [1.0, 0.5, 0.25][kind] } else { 1.0 };
    for _ in 0..1 + random.below(4) {
        let one = random.below(there.len().max(1));
        let weight = 1.0 + random.below(4) as f64;
        match random.below(10) {
            0..5 => {
                let mut over: Vec<u32> = (0..links as u32).collect();
                let hops = 1 + random.below(links.min(5));
                (0..hops).for_each(|i| over.swap(i, i + random.below(links - i)));
                let over: Vec<(u32, f64)> =
                    over[..hops].iter().map(|link| (*link, coefficient(random.below(3)))).collect();
                there.push(levels.add(&over, weight));
            }
            5..8 if !there.is_empty() => levels.remove(there.swap_remove(one)),
            8 if !there.is_empty() => levels.set_weight(there[one], weight),
            9 => levels.set_capacity(random.below(links) as u32, [0.0, 1.0, 2.0, 0.3][random.below(4)]),
            _ => {}
        }
    }
}

#[test]
fn levels_are_those_from_scratch_and_all_changes_are_reported() {
    let mut compared = 0;
    for run in 0..200 {
        let mut random = SplitMix::of([run]);
        let capacity = (0..2 + random.below(12)).map(|_| [1.0, 1.0, 2.0, 0.7][random.below(4)]).collect();
        let mut levels = Levels::new(capacity, Method::Incremental);
        let (mut there, mut reported) = (vec![], HashMap::new());
        for step in 0..60 {
            change(&mut random, &mut levels, &mut there, run % 3 == 0);
            let mut changed = vec![];
            levels.settle(&mut changed, &mut || Ok(())).unwrap();
            reported.extend(changed.into_iter().map(|stream| (stream, levels.level(stream))));
            let scratch = filling::levels(&levels.streams);
            for stream in &there {
                let (found, right) = (levels.level(*stream), scratch[*stream as usize]);
                let place = format!("run {run}, step {step}, stream {stream}");
                assert!((found - right).abs() <= 1e-9 * right, "{place}: {found}, from scratch {right}");
                assert_eq!(reported[stream], found, "{place}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// The levels of streams over these links, each with its weight.
fn levels_of(capacity: &[f64], streams: &[(Vec<u32>, f64)]) -> Vec<f64> {
    let mut levels = Levels::new(capacity.to_vec(), Method::Incremental);
    let over = |links: &[u32]| links.iter().map(|link| (*link, 1.0)).collect::<Vec<_>>();
    let numbers: Vec<u32> = streams.iter().map(|(links, weight)| levels.add(&over(links), *weight)).collect();
    levels.settle(&mut vec![], &mut || Ok(())).unwrap();
    numbers.into_iter().map(|stream| levels.level(stream)).collect()
}

#[test]
fn closed_forms() {
    // A parking lot: one stream over all links, and i others on the i-th.
    let last = 9;
    let mut streams = vec![((0..last).collect(), 1.0)];
    for link in 0..last {
        streams.extend((0..=link).map(|_| (vec![link], 1.0)));
    }
    let through = 1.0 / f64::from(last + 1);
    let expected = |(links, _): &(Vec<u32>, f64)| match links[..] {
        [link] => (1.0 - through) / f64::from(link + 1),
        _ => through,
    };
    for (found, stream) in levels_of(&vec![1.0; last as usize], &streams).iter().zip(&streams) {
        assert!((found - expected(stream)).abs() < 1e-12, "{found} {stream:?}");
    }
    // Incast: a link each, and one for all.
    let incast: Vec<(Vec<u32>, f64)> = (1..=8).map(|own| (vec![own, 0], 1.0)).collect();
    assert_eq!(levels_of(&[1.0; 9], &incast), [0.125; 8]);
    // Two classes: 3 streams that their own links limit; the others share what remains by their weights.
    let own = (1..=3).map(|own| (vec![own, 0], 1.0));
    let two: Vec<(Vec<u32>, f64)> = own.chain([(vec![0], 1.0), (vec![0], 4.0)]).collect();
    let found = levels_of(&[1.0, 0.1, 0.1, 0.1], &two);
    for (found, expected) in found.iter().zip([0.1, 0.1, 0.1, 0.14, 0.14]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}
