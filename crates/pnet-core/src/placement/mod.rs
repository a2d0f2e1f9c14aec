//! Paths for large flows, as chosen by the controller of Hedera (Al-Fares et al., NSDI 2010).
//!
//! `demand` estimates the rate of each flow if only host links limited it (section IV.A of the paper), `elephants` finds
//! paths with room for that, and [`place`] does both for a set of concurrent flows.

mod demand;
mod elephants;

pub(crate) use demand::estimate;
pub use elephants::Placement;
pub(crate) use elephants::{Elephant, anneal, first_fit};

use crate::error::{Error, invalid};
use crate::random::SplitMix;

/// `J` flows and their `N` paths.
#[derive(Debug, Clone)]
pub struct Flows {
    /// Source and destination of each flow.
    pub ends: Vec<(u32, u32)>,
    /// The rates at which each host sends and receives.
    pub rates: Vec<(f64, f64)>,
    /// Offsets of each flow's paths, `J + 1`.
    pub pair_ptr: Vec<usize>,
    /// Offsets of each path's links, `N + 1`.
    pub ptr: Vec<usize>,
    /// Links of all paths, one path after the other.
    pub links: Vec<u32>,
    /// Capacity of each link, in the unit of `rates`.
    pub capacity: Vec<f64>,
}

impl Flows {
    fn check(&self) -> Result<(), Error> {
        let hosts = self.rates.len() as u32;
        if let Some((src, dst)) = self.ends.iter().find(|(src, dst)| *src >= hosts || *dst >= hosts) {
            return invalid("ends", format!("{src} -> {dst} is not a pair of 0..{hosts}"));
        }
        let rises =
            |ptr: &[usize], last: usize| ptr.first() == Some(&0) && ptr.last() == Some(&last) && ptr.is_sorted();
        if self.pair_ptr.len() != self.ends.len() + 1
            || self.ptr.is_empty()
            || !rises(&self.pair_ptr, self.ptr.len() - 1)
            || !rises(&self.ptr, self.links.len())
        {
            return invalid("pair_ptr", "offsets do not fit the flows, paths and links");
        }
        let rates = self.rates.iter().flat_map(|(send, receive)| [send, receive]);
        // With a NaN among them demands would never settle.
        if let Some(rate) = rates.chain(&self.capacity).find(|rate| !(**rate >= 0.0 && rate.is_finite())) {
            return invalid("rates", format!("{rate} is not finite and >= 0"));
        }
        match self.links.iter().find(|link| **link as usize >= self.capacity.len()) {
            Some(link) => invalid("links", format!("{link} is not in 0..{}", self.capacity.len())),
            None => Ok(()),
        }
    }

    /// The paths of a flow, sorted by links, so that hosts on the same switches have them in the same order.
    fn order(&self, flow: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (self.pair_ptr[flow]..self.pair_ptr[flow + 1]).collect();
        order.sort_by_key(|path| self.path(*path));
        order
    }

    fn path(&self, path: usize) -> &[u32] {
        &self.links[self.ptr[path]..self.ptr[path + 1]]
    }
}

/// Returns the path each flow is placed on, `None` where it has none, or none has room.
///
/// ```
/// # use pnet_core::placement::{Flows, Placement, place};
/// // Hosts 0 and 1 send to 2 and 3 over link 0 or 1, each with room for one flow.
/// let flows = Flows {
///     ends: vec![(0, 2), (1, 3)],
///     rates: vec![(1.0, 1.0); 4],
///     pair_ptr: vec![0, 2, 4],
///     ptr: vec![0, 1, 2, 3, 4],
///     links: vec![0, 1, 0, 1],
///     capacity: vec![1.0, 1.0],
/// };
/// assert_eq!(place(&flows, Placement::FirstFit, 1).unwrap(), [Some(0), Some(3)]);
/// ```
///
/// # Errors
/// Inconsistent arrays.
pub fn place(flows: &Flows, placement: Placement, seed: u64) -> Result<Vec<Option<usize>>, Error> {
    flows.check()?;
    let demands = estimate(&flows.ends, &flows.rates);
    let orders: Vec<Vec<usize>> = (0..flows.ends.len()).map(|flow| flows.order(flow)).collect();
    let mut elephants: Vec<Elephant> = orders
        .iter()
        .zip(flows.ends.iter().zip(demands))
        .map(|(order, (ends, demand))| {
            let paths = order.iter().map(|path| flows.path(*path).to_vec()).collect();
            Elephant { dst: ends.1, demand, paths, path: None }
        })
        .collect();
    let rate = |link: u32| flows.capacity[link as usize];
    match placement {
        Placement::FirstFit => first_fit(&mut elephants, rate),
        Placement::Annealing { iterations } => {
            let mut choices = (0..flows.rates.len() as u32).collect();
            let random = SplitMix::of([seed, 0x0000_6865_6465_7261]);
            anneal(&mut elephants, &mut choices, iterations, rate, random);
        }
    }
    let found = |(elephant, order): (&Elephant, &Vec<usize>)| {
        let at = elephant.paths.iter().position(|path| Some(path) == elephant.path.as_ref())?;
        Some(order[at])
    };
    Ok(elephants.iter().zip(&orders).map(found).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts 0 to `n - 1` send to hosts `n` to `2 n - 1`, each over any of `width` links of capacity 1.
    fn across(n: u32, width: u32) -> Flows {
        let paths = (n * width) as usize;
        Flows {
            ends: (0..n).map(|host| (host, n + host)).collect(),
            rates: vec![(1.0, 1.0); 2 * n as usize],
            pair_ptr: (0..=paths).step_by(width as usize).collect(),
            ptr: (0..=paths).collect(),
            links: (0..n).flat_map(|_| (0..width).rev()).collect(),
            capacity: vec![1.0; width as usize],
        }
    }

    fn links(flows: &Flows, placement: Placement, seed: u64) -> Vec<Option<u32>> {
        let placed = place(flows, placement, seed).unwrap();
        placed.into_iter().map(|path| path.map(|path| flows.links[path])).collect()
    }

    #[test]
    fn first_fit_takes_links_in_order_and_skips_flows_without_room() {
        let found = links(&across(3, 2), Placement::FirstFit, 1);
        assert_eq!(found, [Some(0), Some(1), None]);
    }

    #[test]
    fn annealing_separates_all_flows_where_links_suffice() {
        for seed in 0..10 {
            let mut found = links(&across(8, 8), Placement::Annealing { iterations: 1000 }, seed);
            found.sort_unstable();
            assert_eq!(found, (0..8).map(Some).collect::<Vec<_>>(), "seed {seed}");
        }
    }

    #[test]
    fn a_flow_without_a_path_is_not_placed() {
        let mut flows = across(2, 1);
        (flows.pair_ptr, flows.ptr, flows.links) = (vec![0, 0, 1], vec![0, 1], vec![0]);
        for placement in [Placement::FirstFit, Placement::Annealing { iterations: 10 }] {
            assert_eq!(links(&flows, placement, 1), [None, Some(0)]);
        }
    }

    #[test]
    fn inconsistent_arrays_are_refused() {
        let error = |change: fn(&mut Flows)| {
            let mut flows = across(2, 1);
            change(&mut flows);
            place(&flows, Placement::FirstFit, 1).unwrap_err().to_string()
        };
        assert_eq!(error(|flows| flows.ends[0] = (4, 0)), "ends: 4 -> 0 is not a pair of 0..4");
        assert_eq!(error(|flows| flows.rates[0].1 = f64::NAN), "rates: NaN is not finite and >= 0");
        assert_eq!(error(|flows| flows.links[0] = 7), "links: 7 is not in 0..1");
        let offsets = "pair_ptr: offsets do not fit the flows, paths and links";
        assert_eq!(error(|flows| flows.pair_ptr[2] = 1), offsets);
        assert_eq!(error(|flows| flows.ptr = vec![]), offsets);
    }
}
