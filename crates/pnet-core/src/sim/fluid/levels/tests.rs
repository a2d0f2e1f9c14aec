//! Streams that come, go and change their weights, several at a time, on links that change their capacities.

use std::collections::HashMap;

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
fn levels_are_those_from_scratch_and_all_changes_are_told() {
    let mut compared = 0;
    for run in 0..200 {
        let mut random = SplitMix::of([run]);
        let capacity = (0..2 + random.below(12)).map(|_| [1.0, 1.0, 2.0, 0.7][random.below(4)]).collect();
        let mut levels = Levels::new(capacity, Method::Incremental);
        let (mut there, mut told) = (vec![], HashMap::new());
        for step in 0..60 {
            change(&mut random, &mut levels, &mut there, run % 3 == 0);
            let mut changed = vec![];
            levels.settle(&mut changed);
            told.extend(changed.into_iter().map(|stream| (stream, levels.level(stream))));
            let scratch = fill(&levels.streams).level;
            for stream in &there {
                let (found, right) = (levels.level(*stream), scratch[*stream as usize]);
                let place = format!("run {run}, step {step}, stream {stream}");
                assert!((found - right).abs() <= 1e-9 * right, "{place}: {found}, from scratch {right}");
                assert_eq!(told[stream], found, "{place}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}
