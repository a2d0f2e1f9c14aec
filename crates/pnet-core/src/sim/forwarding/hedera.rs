//! Hedera (Al-Fares et al., NSDI 2010): flows take hashed paths until a poll finds that they send much; these are placed.
//!
//! Every interval a controller counts what each connection has sent.  Those that sent more than a share of their host's
//! link rate are elephants, which [`placement`](crate::placement) finds paths for.  All others stay where they are.

use std::collections::HashMap;

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::super::time::{SECOND, Time};
use super::super::values::{Parameter, Values, parameters};
use super::ecmp::{Ecmp, Hashed};
use super::per_flow::PerFlow;
use super::{Forwarder, Forwarding, Ground, MOST, Pair, Sent};
use crate::error::{Error, refused};
use crate::paths::Policy;
use crate::placement::{Elephant, Placement, anneal, estimate, first_fit};
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct Hedera {
    /// Which planes a flow may use, as for ECMP.
    pub policy: Policy,
    /// Time from one poll to the next.
    pub interval: Time,
    /// Part of its host's link rate above which a connection is an elephant.
    pub share: f64,
    /// How elephants are placed.
    pub placement: Placement,
}

parameters!(Hedera: policy, interval, share, placement);

/// Steps of annealing where they are given, else first fit.
impl Parameter for Placement {
    fn read(values: &mut Values, _: &'static str) -> Result<Self, Error> {
        let annealing = values.read::<Option<u32>>("annealing")?;
        Ok(annealing.map_or(Placement::FirstFit, |iterations| Placement::Annealing { iterations }))
    }
}

impl Forwarding for Hedera {
    fn no_fluid(&self) -> Option<&'static str> {
        Some("a fluid has no controller that places flows")
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        if self.interval == 0 {
            return refused("interval", "no time between polls", 0, "at least 1 ps");
        }
        if !(0.0..1.0).contains(&self.share) {
            return refused("share", "no share of a link's rate", self.share, "0 to 1, without 1");
        }
        Ok(Box::new(Controller {
            params: self.clone(),
            flows: Ecmp { policy: self.policy }.hashed(fabric, seed),
            next: self.interval,
            polls: 0,
            seen: vec![],
            placed: HashMap::new(),
            choices: (0..fabric.hosts() as u32).collect(),
            seed,
        }))
    }
}

/// The controller, and the paths of all flows.
pub(super) struct Controller {
    params: Hedera,
    flows: PerFlow<Hashed>,
    next: Time,
    polls: u64,
    /// By connection: whose it was at the last poll, and what that had sent.
    seen: Vec<(u32, u64)>,
    /// By connection: the flow that was placed, and its path.
    placed: HashMap<u32, (u32, Vec<u32>)>,
    /// Which of its paths a flow to a host takes: what annealing has found so far.
    choices: Vec<u32>,
    seed: u64,
}

impl Controller {
    /// The connections that have sent enough since the last poll, in the order of flows.
    fn elephants(&mut self, sent: &[Sent], fabric: &Fabric, routes: &Routes) -> Vec<(Pair, u32)> {
        let interval = self.params.interval as f64 / SECOND as f64;
        let mut found = vec![];
        for Sent { pair, subflow, bytes } in sent {
            let connection = (pair.connection + subflow) as usize;
            if connection >= self.seen.len() {
                self.seen.resize(connection + 1, (u32::MAX, 0));
            }
            let (flow, before) = std::mem::replace(&mut self.seen[connection], (pair.flow, *bytes));
            let new = if flow == pair.flow { bytes - before } else { *bytes };
            let access = self.flows.first(connection as u32, routes);
            let rate = fabric.link(access).rate.bits_per_second() as f64;
            if new as f64 * 8.0 > self.params.share * rate * interval {
                found.push((*pair, *subflow));
            }
        }
        found.sort_unstable_by_key(|(pair, subflow)| (pair.flow, *subflow));
        found
    }

    /// All paths a flow could take.
    fn paths(&mut self, pair: Pair, fabric: &Fabric) -> Vec<Vec<u32>> {
        let hashed = self.flows.choice();
        let planes = hashed.tables.planes(fabric, self.params.policy, pair, self.seed);
        planes.into_iter().flat_map(|plane| hashed.tables.paths(fabric, plane, pair, MOST)).collect()
    }
}

impl Forwarder for Controller {
    fn open(&mut self, pair: Pair, fabric: &Fabric, routes: &mut Routes) -> Result<(), Error> {
        self.flows.open(pair, fabric, routes)
    }

    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes) {
        self.placed.clear();
        self.flows.adapt(pairs, fabric, routes);
    }

    fn close(&mut self, pair: Pair, routes: &mut Routes) {
        self.flows.close(pair, routes);
    }

    #[inline]
    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32) {
        self.flows.depart(packet, ground)
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        self.flows.paths(pair, ground)
    }

    fn possible(&mut self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        let all = Controller::paths(self, pair, ground.fabric);
        self.flows.paths(pair, ground).into_iter().chain(all).collect()
    }

    fn next_poll(&self) -> Time {
        self.next
    }

    fn poll(&mut self, sent: &[Sent], fabric: &Fabric, routes: &mut Routes) {
        self.next = self.next.saturating_add(self.params.interval);
        self.polls += 1;
        let found = self.elephants(sent, fabric, routes);
        let pairs: Vec<(u32, u32)> = found.iter().map(|(pair, _)| (pair.src, pair.dst)).collect();
        let demands = estimate(&pairs, &fabric.host_rates());
        let mut elephants: Vec<Elephant> = vec![];
        let mut before = std::mem::take(&mut self.placed);
        for ((pair, subflow), demand) in found.iter().zip(demands) {
            let connection = pair.connection + subflow;
            let path = before.remove(&connection).filter(|(flow, _)| *flow == pair.flow).map(|(_, path)| path);
            elephants.push(Elephant { dst: pair.dst, demand, paths: self.paths(*pair, fabric), path });
        }
        let rate = |port: u32| fabric.link(port).rate.bits_per_second() as f64;
        match self.params.placement {
            Placement::FirstFit => first_fit(&mut elephants, rate),
            Placement::Annealing { iterations } => {
                let random = SplitMix::of([self.seed, 0x0000_6865_6465_7261, self.polls]);
                anneal(&mut elephants, &mut self.choices, iterations, rate, random);
            }
        }
        for ((pair, subflow), elephant) in found.into_iter().zip(elephants) {
            let Some(path) = elephant.path else { continue };
            let connection = pair.connection + subflow;
            self.flows.reroute(pair, connection, &path, fabric, routes);
            self.placed.insert(connection, (pair.flow, path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Empty;
    use super::*;
    use crate::graph::{Graph, Planes};
    use crate::sim::{MICROSECOND, Rate};

    /// Four hosts at each of two switches, which two others join.
    fn two_paths(gbps: u64) -> Fabric {
        let cables = [(0, 2), (0, 3), (1, 2), (1, 3)];
        let mut arcs: Vec<(u32, u32)> = cables.iter().flat_map(|(u, v)| [(*u, *v), (*v, *u)]).collect();
        arcs.sort_unstable();
        let (tail, head) = arcs.into_iter().unzip();
        let graph = Graph::new(4, tail, head).unwrap();
        let hosts = (0..8).map(|host| Some(host / 4)).collect();
        let planes = Planes::new(vec![graph], vec![hosts]).unwrap();
        Fabric::uniform(planes, Rate::new(gbps * 1_000_000_000).unwrap(), MICROSECOND).unwrap()
    }

    fn pair(flow: u32) -> Pair {
        Pair { flow, key: flow, connection: flow, subflows: 1, src: flow, dst: 4 + flow }
    }

    /// Flows `i` from host `i` to host `4 + i`, each of which has sent so many bytes by the first poll, after 1 ms at
    /// 1 Gb/s (125,000 bytes at most); returns the middle switch of each before and after.
    fn middles(sent: &[u64], placement: Placement, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let fabric = two_paths(1);
        let mut routes = Routes::default();
        let params = Hedera { policy: Policy::Any, interval: 1000 * MICROSECOND, share: 0.1, placement };
        let mut controller = params.build(&fabric, seed).unwrap();
        assert_eq!(controller.next_poll(), 1000 * MICROSECOND);
        let flows = 0..sent.len() as u32;
        for flow in flows.clone() {
            controller.open(pair(flow), &fabric, &mut routes).unwrap();
        }
        let middle = |controller: &dyn Forwarder, routes: &Routes| -> Vec<u32> {
            let ground = Ground { fabric: &fabric, routes, queues: &Empty, now: 0 };
            let of = |flow| fabric.place(fabric.link(controller.paths(pair(flow), &ground)[0][1]).to).1;
            flows.clone().map(of).collect()
        };
        let before = middle(&*controller, &routes);
        let counts: Vec<Sent> =
            flows.clone().map(|flow| Sent { pair: pair(flow), subflow: 0, bytes: sent[flow as usize] }).collect();
        controller.poll(&counts, &fabric, &mut routes);
        assert_eq!(controller.next_poll(), 2000 * MICROSECOND);
        (before, middle(&*controller, &routes))
    }

    /// Seeds whose hashes lead all flows over one switch.
    fn colliding(sent: &[u64], placement: Placement) -> impl Iterator<Item = (u64, Vec<u32>, Vec<u32>)> {
        let results = (0..40).map(move |seed| (seed, middles(sent, placement, seed)));
        results
            .map(|(seed, (before, after))| (seed, before, after))
            .filter(|(_, before, _)| before.iter().all(|m| *m == before[0]))
            .collect::<Vec<_>>()
            .into_iter()
    }

    const BOTH: [Placement; 2] = [Placement::FirstFit, Placement::Annealing { iterations: 1000 }];

    #[test]
    fn elephants_that_collide_are_apart_after_the_first_poll() {
        for placement in BOTH {
            let mut found = 0;
            for (seed, _, after) in colliding(&[60_000, 60_000], placement) {
                found += 1;
                assert_ne!(after[0], after[1], "{placement:?}, seed {seed}");
            }
            assert!(found > 5);
        }
    }

    /// 12,500 bytes are 10 per cent of what a host can send in that time.
    #[test]
    fn mice_stay_on_their_hashed_paths() {
        for placement in BOTH {
            for (_, before, after) in colliding(&[12_500, 60_000], placement) {
                assert_eq!(before[0], after[0]);
            }
            for seed in 0..10 {
                let (before, after) = middles(&[12_500, 12_499, 0], placement, seed);
                assert_eq!(before, after);
            }
        }
    }

    /// Three of 1 Gb/s over two paths of 1 Gb/s: the third stays where it is.
    #[test]
    fn what_fits_nowhere_stays() {
        for (_, before, after) in colliding(&[60_000, 60_000, 60_000], Placement::FirstFit) {
            assert_ne!(after[0], after[1]);
            assert_eq!(before[2], after[2]);
        }
    }

    #[test]
    fn annealing_depends_on_the_seed_alone() {
        let anneal = |seed| middles(&[60_000; 4], BOTH[1], seed);
        for seed in 0..10 {
            let (_, after) = anneal(seed);
            assert_eq!(anneal(seed).1, after);
            // Four over two paths: two each.
            assert_eq!(after.iter().filter(|m| **m == after[0]).count(), 2, "seed {seed}");
        }
    }

    #[test]
    fn parameters_are_checked() {
        let params = Hedera { policy: Policy::Any, interval: 0, share: 0.1, placement: Placement::FirstFit };
        let error = |params: Hedera| params.build(&two_paths(1), 1).err().unwrap().to_string();
        assert_eq!(error(params.clone()), "interval: no time between polls, found 0; allowed: at least 1 ps");
        let share = Hedera { interval: 1, share: 1.0, ..params };
        assert_eq!(error(share), "share: no share of a link's rate, found 1; allowed: 0 to 1, without 1");
    }
}
