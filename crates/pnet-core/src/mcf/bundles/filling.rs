//! Progressive filling (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2).
//!
//! All rates per unit demand grow together; at the first full link its demands stop, the others go on.  Links wait in a
//! heap for the level at which they would be full, which only rises as demands stop elsewhere: so it is looked at again
//! when a link comes to the top, and nowhere else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Bundles;
use crate::error::{Error, invalid};
use crate::stop::Stop;

/// Links that fill within this part of each other fill together: their levels differ by rounding only.
const SAME: f64 = 1e-12;

/// Max-min fair rates.
#[derive(Debug, Clone)]
pub struct Filling {
    /// The rate of each demand, per unit demand; infinite where no link limits it.
    pub level: Vec<f64>,
    /// A full link of each demand on which no other gets more; `u32::MAX` where no link limits it.
    pub link: Vec<u32>,
    /// What a unit of each demand puts on that link.
    pub part: Vec<f64>,
}

/// Returns the max-min fair rates per unit demand where each demand has one column.
///
/// ```
/// use pnet_core::Stop;
/// use pnet_core::mcf::bundles::{Bundles, fill};
/// // Two demands share a link of 1; one of them goes on over a link of 4 with a third.
/// let bundles = Bundles {
///     capacity: vec![1.0, 4.0],
///     demand: vec![1.0; 3],
///     pair_ptr: vec![0, 1, 2, 3],
///     ptr: vec![0, 1, 3, 4],
///     link: vec![0, 0, 1, 1],
///     part: vec![1.0; 4],
/// };
/// let found = fill(&bundles, &Stop::default())?;
/// assert_eq!((found.level, found.link), (vec![0.5, 0.5, 3.5], vec![0, 0, 1]));
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn fill(bundles: &Bundles, stop: &Stop) -> Result<Filling, Error> {
    let demands = bundles.demand.len();
    if bundles.columns() != demands {
        return invalid("pair_ptr", "a demand has several columns");
    }
    let over = bundles.over();
    let mut links: Vec<Link> = (bundles.capacity.iter().enumerate())
        .map(|(l, capacity)| {
            let mut link = Link { left: Sum::from(*capacity), ..Link::default() };
            for (j, part) in over.of(l) {
                link.growing.add(part * bundles.demand[*j as usize]);
                link.waiting += 1;
            }
            link
        })
        .collect();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (links.iter().enumerate())
        .filter(|(l, link)| link.waiting > 0 && bundles.capacity[*l].is_finite())
        .map(|(l, link)| Reverse((link.full_at(), l)))
        .collect();
    let mut found = Filling {
        level: vec![f64::INFINITY; demands],
        link: vec![u32::MAX; demands],
        part: vec![0.0; demands],
    };
    let mut reached: f64 = 0.0;
    let mut full = vec![];
    while let Some((first, at)) = next_full(&mut heap, &links) {
        stop.check()?;
        let together = at * (1.0 + SAME);
        // Rounding may make a later level come out lower by a hair.
        reached = reached.max(at);
        full.clear();
        full.push(first);
        while let Some((l, at)) = next_full(&mut heap, &links) {
            if at > together {
                heap.push(Reverse((at.to_bits(), l)));
                break;
            }
            full.push(l);
        }
        full.sort_unstable();
        for l in &full {
            for (j, part) in over.of(*l) {
                let j = *j as usize;
                if found.link[j] != u32::MAX {
                    continue;
                }
                (found.level[j], found.link[j], found.part[j]) = (reached, *l as u32, *part);
                for (other, part) in bundles.column(j) {
                    links[other].settle(part * bundles.demand[j], reached);
                }
            }
        }
    }
    Ok(found)
}

/// Takes the link that is full first, and the level at which it is.
fn next_full(heap: &mut BinaryHeap<Reverse<(u64, usize)>>, links: &[Link]) -> Option<(usize, f64)> {
    while let Some(Reverse((key, l))) = heap.pop() {
        let now = links[l].full_at();
        if links[l].waiting == 0 || f64::from_bits(now).is_infinite() {
            continue;
        }
        if now <= key {
            return Some((l, f64::from_bits(now)));
        }
        heap.push(Reverse((now, l)));
    }
    None
}

/// What is left of a link for the demands that have not stopped.
#[derive(Debug, Clone, Default)]
struct Link {
    left: Sum,
    /// What they put on it together, per unit of the level.
    growing: Sum,
    waiting: u32,
}

impl Link {
    /// The level at which it is full, as bits, which order numbers >= 0 as their values do.
    fn full_at(&self) -> u64 {
        let (left, growing) = (self.left.value().max(0.0), self.growing.value());
        (if growing > 0.0 { left / growing } else { f64::INFINITY }).to_bits()
    }

    /// A demand of this load per unit of the level stops.
    fn settle(&mut self, load: f64, level: f64) {
        self.left.add(-level * load);
        self.growing.add(-load);
        self.waiting -= 1;
    }
}

/// A sum that keeps what rounding would take (A. Neumaier, "Rundungsfehleranalyse", ZAMM 54 (1974)): what is left in the
/// end may be a millionth of what was there.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    fn from(value: f64) -> Self {
        Sum { sum: value, rest: 0.0 }
    }

    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.rest +=
            if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        self.sum + self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn a_sum_keeps_what_rounding_would_take() {
        let mut sum = Sum::from(1e16);
        for _ in 0..1000 {
            sum.add(0.1);
        }
        sum.add(-1e16);
        assert!((sum.value() - 100.0).abs() < 1e-9, "{}", sum.value());
    }
}
