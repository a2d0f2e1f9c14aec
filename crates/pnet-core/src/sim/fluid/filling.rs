//! Max-min fair levels from scratch, by progressive filling (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992,
//! section 6.5.2): all levels rise together, a link that is full stops its streams, the others go on.
//!
//! What [`super::levels`] keeps up to date is compared with this; it also says what a class can get alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::streams::Streams;

/// The level of each stream, 0 for numbers that are free.
pub(super) fn fill(streams: &Streams) -> Vec<f64> {
    let mut level = vec![0.0; streams.hops.len()];
    let mut stopped: Vec<bool> = streams.weight.iter().map(|weight| *weight == 0.0).collect();
    let mut left = streams.capacity.clone();
    // What rises on each link, and how many streams that is: sums may be rounded away from 0, numbers are not.
    let mut rising = vec![(0.0, 0_u32); left.len()];
    for (link, members) in streams.members.iter().enumerate() {
        let load = |stream: u32, coefficient: f64| streams.weight[stream as usize] * coefficient;
        rising[link].0 = members.iter().map(|member| load(member.stream, member.coefficient)).sum();
        rising[link].1 = members.len() as u32;
    }
    let full_at = |left: f64, rising: f64| (left.max(0.0) / rising).to_bits();
    let mut order: BinaryHeap<Reverse<(u64, u32)>> = (0_u32..)
        .zip(&rising)
        .filter(|(_, (_, count))| *count > 0)
        .map(|(link, (rate, _))| Reverse((full_at(left[link as usize], *rate), link)))
        .collect();
    let mut reached = 0.0_f64;
    while let Some(Reverse((key, link))) = order.pop() {
        let (rate, count) = rising[link as usize];
        if count == 0 {
            continue;
        }
        // Links become full later than they seem to at first, never earlier.
        let now = full_at(left[link as usize], rate);
        if now > key {
            order.push(Reverse((now, link)));
            continue;
        }
        reached = reached.max(f64::from_bits(key));
        for member in &streams.members[link as usize] {
            let stream = member.stream as usize;
            if std::mem::replace(&mut stopped[stream], true) {
                continue;
            }
            level[stream] = reached;
            for hop in &streams.hops[stream] {
                let load = streams.weight[stream] * hop.coefficient;
                let (rate, count) = &mut rising[hop.link as usize];
                *rate -= load;
                *count -= 1;
                left[hop.link as usize] -= load * reached;
            }
        }
    }
    level
}
