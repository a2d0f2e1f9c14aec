//! Max-min fair levels from scratch, by progressive filling (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992,
//! section 6.5.2): all levels rise together, a link that is full stops its streams, the others go on.
//!
//! What [`super::levels`] keeps up to date is compared with this;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Poll;
use super::streams::Streams;
use crate::error::Error;

/// The level at which each link stops streams; infinite where it stops none.
pub(super) fn fill(streams: &Streams, poll: &mut Poll) -> Result<Vec<f64>, Error> {
    let mut stops_at = vec![f64::INFINITY; streams.capacity.len()];
    let mut stopped: Vec<bool> = streams.weight.iter().map(|weight| *weight == 0.0).collect();
    let mut left = streams.capacity.clone();
    // What rises on each link, and how many streams that is: sums may be rounded away from 0, numbers are not.
    let mut rising = vec![(0.0, 0_u32); left.len()];
    for (link, rising) in rising.iter_mut().enumerate() {
        *rising = streams.loads_on(link).fold((0.0, 0), |(sum, count), (_, load)| (sum + load, count + 1));
    }
    let full_at = |left: f64, rising: f64| (left.max(0.0) / rising).to_bits();
    let mut order: BinaryHeap<Reverse<(u64, u32)>> = (0_u32..)
        .zip(&rising)
        .filter(|(_, (_, count))| *count > 0)
        .map(|(link, (rate, _))| Reverse((full_at(left[link as usize], *rate), link)))
        .collect();
    let mut reached = 0.0_f64;
    while let Some(Reverse((key, link))) = order.pop() {
        poll()?;
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
        stops_at[link as usize] = reached;
        for member in &streams.members[link as usize] {
            let stream = member.stream as usize;
            if std::mem::replace(&mut stopped[stream], true) {
                continue;
            }
            for (link, load) in streams.loads(stream) {
                let (rate, count) = &mut rising[link as usize];
                *rate -= load;
                *count -= 1;
                left[link as usize] -= load * reached;
            }
        }
    }
    Ok(stops_at)
}

/// The level of each stream: the least at which one of its links is full; 0 for numbers that are free.
#[cfg(test)]
pub(super) fn levels(streams: &Streams) -> Vec<f64> {
    let full_at = fill(streams, &mut || Ok(())).unwrap();
    let level = |stream| streams.loads(stream).map(|(link, _)| full_at[link as usize]).fold(f64::INFINITY, f64::min);
    (0..streams.hops.len()).map(|i| if streams.weight[i] > 0.0 { level(i) } else { 0.0 }).collect()
}
