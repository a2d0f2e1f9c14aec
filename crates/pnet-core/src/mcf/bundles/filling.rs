//! Progressive filling (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2).
//!
//! All rates per unit demand grow together; when a link saturates, its demands are fixed, and the others continue.  A heap
//! holds the level at which each link would saturate.  It only rises as demands are fixed elsewhere, so it is updated
//! when a link comes to the top.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::problem::{Bundles, Columns};
use crate::error::{Error, invalid};
use crate::stop::Stop;

/// Links whose levels differ by less than this part, which is rounding, saturate together.
const SAME: f64 = 1e-12;

/// Max-min fair rates.
#[derive(Debug, Clone)]
pub struct Filling {
    /// The rate of each demand, per unit demand; infinite without a limit.
    pub level: Vec<f64>,
    /// The bottleneck link of each demand, saturated and without a larger rate; `u32::MAX` without a limit.
    pub link: Vec<u32>,
    /// The load of a unit of each demand on that link.
    pub part: Vec<f64>,
}

/// Returns the max-min fair rates per unit demand where each demand has one column.
///
/// ```
/// use pnet_core::Stop;
/// use pnet_core::mcf::bundles::{Bundles, fill};
/// // Two demands share a link of 1; one of them shares a link of 4 with a third.
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
        return invalid("pair_ptr", "a demand has more than one column");
    }
    let over = bundles.over();
    let mut links: Vec<Link> = (bundles.capacity.iter().enumerate())
        .map(|(l, capacity)| {
            let mut link = Link { residual: Sum::from(*capacity), ..Link::default() };
            for (j, part) in over.of(l) {
                link.growing.add(part * bundles.demand[*j as usize]);
                link.active += 1;
            }
            link
        })
        .collect();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (links.iter().enumerate())
        .filter(|(l, link)| link.active > 0 && bundles.capacity[*l].is_finite())
        .map(|(l, link)| Reverse((link.full_at(), l)))
        .collect();
    let mut found =
        Filling { level: vec![f64::INFINITY; demands], link: vec![u32::MAX; demands], part: vec![0.0; demands] };
    let mut reached: f64 = 0.0;
    let mut full = vec![];
    while let Some((first, at)) = next_full(&mut heap, &links) {
        stop.check()?;
        let together = at * (1.0 + SAME);
        // Rounding may make a later level slightly lower.
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
                    links[other].fix(part * bundles.demand[j], reached);
                }
            }
        }
    }
    Ok(found)
}

/// Removes the link that saturates first, with its level.
fn next_full(heap: &mut BinaryHeap<Reverse<(u64, usize)>>, links: &[Link]) -> Option<(usize, f64)> {
    while let Some(Reverse((key, l))) = heap.pop() {
        let now = links[l].full_at();
        if links[l].active == 0 || f64::from_bits(now).is_infinite() {
            continue;
        }
        if now <= key {
            return Some((l, f64::from_bits(now)));
        }
        heap.push(Reverse((now, l)));
    }
    None
}

/// The residual capacity of a link, and its active demands.
#[derive(Debug, Clone, Default)]
struct Link {
    residual: Sum,
    /// Their load per unit of the level.
    growing: Sum,
    active: u32,
}

impl Link {
    /// The level at which it is full, as bits, which order numbers >= 0 like their values.
    fn full_at(&self) -> u64 {
        let (residual, growing) = (self.residual.value().max(0.0), self.growing.value());
        (if growing > 0.0 { residual / growing } else { f64::INFINITY }).to_bits()
    }

    /// Fixes a demand of this load per unit of the level.
    fn fix(&mut self, load: f64, level: f64) {
        self.residual.add(-level * load);
        self.growing.add(-load);
        self.active -= 1;
    }
}

/// A compensated sum (A. Neumaier, "Rundungsfehleranalyse", ZAMM 54 (1974)): the last residual may be a millionth of the
/// capacity.
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
        self.rest += if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
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
    fn a_sum_compensates_rounding() {
        let mut sum = Sum::from(1e16);
        for _ in 0..1000 {
            sum.add(0.1);
        }
        sum.add(-1e16);
        assert!((sum.value() - 100.0).abs() < 1e-9, "{}", sum.value());
    }
}
