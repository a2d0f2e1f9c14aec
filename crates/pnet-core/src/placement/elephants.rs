//! Placement of elephants: Global First Fit and simulated annealing (Hedera, sections IV.B and IV.C).

use std::collections::HashMap;

use crate::random::SplitMix;

/// How elephants are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Each on the first path with room for it, which it keeps while it is an elephant.
    FirstFit,
    /// All at each poll, from the last placement: every host is reached by one of the equal paths, hosts swap these, and
    /// swaps that reduce the excess over the links' rates are kept.
    Annealing {
        /// Steps of a poll.
        iterations: u32,
    },
}

/// A flow to be placed.
#[derive(Debug)]
pub(crate) struct Elephant {
    pub(crate) dst: u32,
    /// Bits per second.
    pub(crate) demand: f64,
    /// Ports of all its paths.
    pub(crate) paths: Vec<Vec<u32>>,
    /// The path it is placed on, if any.
    pub(crate) path: Option<Vec<u32>>,
}

/// Reserved rates of ports.
#[derive(Default)]
struct Loads {
    loads: HashMap<u32, f64>,
}

impl Loads {
    fn add(&mut self, path: &[u32], demand: f64) {
        for port in path {
            *self.loads.entry(*port).or_insert(0.0) += demand;
        }
    }

    fn fits(&self, path: &[u32], demand: f64, rate: impl Fn(u32) -> f64) -> bool {
        let room = |port: &u32| rate(*port) * (1.0 + 1e-9) - self.loads.get(port).copied().unwrap_or(0.0);
        path.iter().all(|port| room(port) >= demand)
    }

    /// The relative overload of a port.
    fn excess(&self, port: u32, rate: impl Fn(u32) -> f64) -> f64 {
        (self.loads.get(&port).copied().unwrap_or(0.0) / rate(port) - 1.0).max(0.0)
    }
}

/// Places each elephant without a path on the first one with room, if there is one.
pub(crate) fn first_fit(elephants: &mut [Elephant], rate: impl Fn(u32) -> f64 + Copy) {
    let mut reserved = Loads::default();
    for elephant in elephants.iter() {
        if let Some(path) = &elephant.path {
            reserved.add(path, elephant.demand);
        }
    }
    for elephant in elephants.iter_mut().filter(|elephant| elephant.path.is_none()) {
        let demand = elephant.demand;
        if let Some(path) = elephant.paths.iter().find(|path| reserved.fits(path, demand, rate)) {
            reserved.add(path, demand);
            elephant.path = Some(path.clone());
        }
    }
}

/// Weight of an excess against the temperature, as a part of the first temperature (the paper's value for 16 hosts).
const WEIGHT: f64 = 0.5;

/// Places all elephants; `choices`, the path by which each host is reached, is improved.
pub(crate) fn anneal(
    elephants: &mut [Elephant],
    choices: &mut Vec<u32>,
    iterations: u32,
    rate: impl Fn(u32) -> f64 + Copy,
    mut random: SplitMix,
) {
    let mut to: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, elephant) in elephants.iter().enumerate().filter(|(_, elephant)| !elephant.paths.is_empty()) {
        to.entry(elephant.dst).or_default().push(i);
    }
    let mut receivers: Vec<u32> = to.keys().copied().collect();
    receivers.sort_unstable();
    let path =
        |elephant: &Elephant, choices: &[u32]| choices[elephant.dst as usize] as usize % elephant.paths.len().max(1);
    if !receivers.is_empty() {
        let mut loads = Loads::default();
        let mut energy = 0.0;
        let shift = |loads: &mut Loads, choices: &[u32], host: u32, sign: f64| {
            let mut change = 0.0;
            for elephant in to.get(&host).into_iter().flatten().map(|i| &elephants[*i]) {
                for port in &elephant.paths[path(elephant, choices)] {
                    change -= loads.excess(*port, rate);
                    loads.add(&[*port], sign * elephant.demand);
                    change += loads.excess(*port, rate);
                }
            }
            change
        };
        for host in &receivers {
            energy += shift(&mut loads, choices, *host, 1.0);
        }
        let (mut best, mut least) = (choices.clone(), energy);
        for left in (1..=iterations).rev() {
            if least <= 1e-9 {
                break;
            }
            let (a, b) = (receivers[random.below(receivers.len())], random.below(choices.len()) as u32);
            if a == b {
                continue;
            }
            let swap = |loads: &mut Loads, choices: &mut Vec<u32>| {
                let mut change = shift(loads, choices, a, -1.0) + shift(loads, choices, b, -1.0);
                choices.swap(a as usize, b as usize);
                change += shift(loads, choices, a, 1.0) + shift(loads, choices, b, 1.0);
                change
            };
            let change = swap(&mut loads, choices);
            let temperature = f64::from(left) / f64::from(iterations);
            if change > 0.0 && random.unit() >= (-WEIGHT * change / temperature).exp() {
                swap(&mut loads, choices);
                continue;
            }
            energy += change;
            if energy < least {
                best.clone_from(choices);
                least = energy;
            }
        }
        *choices = best;
    }
    for elephant in elephants.iter_mut() {
        let chosen = path(elephant, choices);
        elephant.path = elephant.paths.get(chosen).cloned();
    }
}
