//! Every switch chooses one of its shortest paths for every packet: any (random packet spraying; Dixit et al., INFOCOM 2013), or
//! the one whose queue is shortest, of all or of some that it draws (DRILL without its memory; Ghorbani et al., SIGCOMM 2017).

use super::super::fabric::Fabric;
use super::super::packet::Packet;
use super::super::routes::Routes;
use super::super::time::NEVER;
use super::super::values::parameters;
use super::per_flow::no_path;
use super::tables::Tables;
use super::{Forwarder, Forwarding, Ground, MOST, PER_HOP, Pair, Shares};
use crate::error::{Error, invalid};
use crate::paths::Policy;
use crate::random::SplitMix;

/// Its parameters.
#[derive(Debug, Clone)]
pub struct PerHop {
    /// Which planes a flow may use; the host chooses one for every packet.  With [`Policy::RoundRobin`] all that connect the
    /// flow, otherwise the nearest of those allowed.
    pub policy: Policy,
    /// How many ports are drawn, of which the packet takes the one that would send it first; none where all are compared.
    pub drawn: Option<u32>,
}

parameters!(PerHop: policy, drawn);

impl Forwarding for PerHop {
    fn spreads(&self) -> bool {
        true
    }

    fn shares(&self) -> Shares {
        Shares::Ports
    }

    fn compares_queues(&self) -> bool {
        self.drawn != Some(1)
    }

    fn no_fluid(&self) -> Option<&'static str> {
        self.compares_queues().then_some("a fluid has no queues of single packets to choose by")
    }

    fn loads(&self, paths: &[Vec<u32>]) -> Vec<(u32, f64)> {
        let mut sorted: Vec<&[u32]> = paths.iter().map(Vec::as_slice).collect();
        sorted.sort_unstable();
        let mut loads = vec![];
        split(&sorted, 0, 1.0, &mut loads);
        loads
    }

    fn build(&self, fabric: &Fabric, seed: u64) -> Result<Box<dyn Forwarder>, Error> {
        if fabric.relays() {
            return invalid(
                "forwarding",
                "switches that choose for every packet do not know which accelerators forward; allowed: paths that the source chooses, such as ecmp or sopa",
            );
        }
        let random = SplitMix::of([seed, 0x0073_7072_6179]);
        if self.drawn == Some(0) {
            return invalid("drawn", "no port is drawn; at least 1 is needed");
        }
        let choice = Choice { drawn: self.drawn, random };
        Ok(Box::new(Chooser { policy: self.policy, tables: Tables::new(fabric), ends: vec![], seed, choice }))
    }
}

/// Adds what `part` of a flow puts on the ports of these paths, sorted and identical before `depth`, with equal parts over
/// those that come next.
fn split(paths: &[&[u32]], depth: usize, part: f64, loads: &mut Vec<(u32, f64)>) {
    let next = || paths.chunk_by(|a, b| a[depth] == b[depth]);
    let each = part / next().count() as f64;
    for group in next() {
        loads.push((group[0][depth], each));
        if group[0].len() > depth + 1 {
            split(group, depth + 1, each, loads);
        }
    }
}

/// Where a connection leads, and the planes it may use.
#[derive(Debug, Clone, Default)]
struct Ends {
    src: u32,
    dst: u32,
    planes: Vec<usize>,
}

/// All switches and connections.
struct Chooser {
    policy: Policy,
    tables: Tables,
    ends: Vec<Ends>,
    seed: u64,
    choice: Choice,
}

/// How one of several ports is chosen.
struct Choice {
    drawn: Option<u32>,
    random: SplitMix,
}

impl Choice {
    /// One of so many ports.
    #[inline]
    fn of(&mut self, count: usize, port: impl Fn(usize) -> u32, ground: &Ground) -> u32 {
        if self.drawn == Some(1) {
            return port(self.random.below(count));
        }
        let drawn = self.drawn.map_or(count, |drawn| (drawn as usize).min(count));
        let (mut best, mut least, mut equal) = (0, NEVER, 0);
        for i in 0..drawn {
            // Of fewer than there are, two may be the same.
            let each = port(if drawn < count { self.random.below(count) } else { i });
            let wait = ground.queues.wait(each, ground.now);
            equal = if wait < least { 1 } else { equal + usize::from(wait == least) };
            // Each of several equal ones is as likely.
            if wait < least || (wait == least && self.random.below(equal) == 0) {
                (best, least) = (each, wait);
            }
        }
        best
    }
}

impl Forwarder for Chooser {
    fn open(&mut self, pair: Pair, fabric: &Fabric, _: &mut Routes) -> Result<(), Error> {
        let Pair { src, dst, .. } = pair;
        let planes = self.tables.planes(fabric, self.policy, pair, self.seed);
        if planes.is_empty() {
            return no_path(pair);
        }
        for plane in &planes {
            // Answers need the tables toward the source.
            if let Some(switch) = fabric.attached(*plane, src) {
                self.tables.toward(fabric, *plane, switch);
            }
        }
        for connection in pair.connections() {
            self.ends.resize(self.ends.len().max(connection as usize + 1), Ends::default());
            self.ends[connection as usize] = Ends { src, dst, planes: planes.clone() };
        }
        Ok(())
    }

    fn adapt(&mut self, pairs: &[Pair], fabric: &Fabric, routes: &mut Routes) {
        // Switches forward what is under way by the new tables, too.
        self.tables.renew(fabric);
        for pair in pairs {
            // Without a path its packets stay where they are sent from, or are lost on the way.
            let _ = self.open(*pair, fabric, routes);
        }
    }

    fn close(&mut self, _: Pair, _: &mut Routes) {}

    fn depart(&mut self, packet: &mut Packet, ground: &Ground) -> (u32, u32) {
        let ends = &self.ends[packet.connection as usize];
        let (from, to) = if packet.kind.forward() { (ends.src, ends.dst) } else { (ends.dst, ends.src) };
        let up = |plane: usize| ground.fabric.up(plane, from);
        let port = match ends.planes[..] {
            [plane] => up(plane),
            ref planes => self.choice.of(planes.len(), |i| up(planes[i]), ground),
        };
        (port, PER_HOP | to)
    }

    fn next(&mut self, packet: &Packet, node: u32, ground: &Ground) -> Option<(u32, u32)> {
        let (plane, switch) = ground.fabric.place(node);
        let host = packet.route & !PER_HOP;
        let fabric = ground.fabric;
        let port = match fabric.attached(plane, host) {
            Some(to) if to != switch => {
                let next = self.tables.known(plane, to)?.next(switch);
                if next.is_empty() {
                    return None;
                }
                self.choice.of(next.len(), |i| fabric.arc(plane, next[i]), ground)
            }
            _ => fabric.down(plane, host),
        };
        Some((port, packet.route))
    }

    fn paths(&self, pair: Pair, ground: &Ground) -> Vec<Vec<u32>> {
        let planes = &self.ends[pair.connection as usize].planes;
        planes.iter().flat_map(|plane| self.tables.paths(ground.fabric, *plane, pair, MOST)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::time::Time;
    use super::super::Queues;
    use super::*;
    use crate::graph::{Graph, Planes};

    /// Waits of the ports by their number.
    struct Waits([Time; 4]);

    impl Queues for Waits {
        fn wait(&self, port: u32, _: Time) -> Time {
            self.0[port as usize]
        }
    }

    /// How often each of four ports is chosen out of 4,000 times.
    fn counts(drawn: Option<u32>, waits: [Time; 4]) -> [u32; 4] {
        let graph = Graph::new(1, vec![], vec![]).unwrap();
        let planes = Planes::new(vec![graph], vec![vec![Some(0)]]).unwrap();
        let fabric = Fabric::new(planes, &[crate::sim::Rate::new(1).unwrap(); 2], &[0; 2]).unwrap();
        let ground = Ground { fabric: &fabric, routes: &Routes::default(), queues: &Waits(waits), now: 0 };
        let mut choice = Choice { drawn, random: SplitMix::of([1]) };
        let mut found = [0; 4];
        (0..4000).for_each(|_| found[choice.of(4, |i| i as u32, &ground) as usize] += 1);
        found
    }

    #[test]
    fn the_shortest_queue_is_chosen_and_of_equal_ones_any() {
        assert_eq!(counts(None, [5, 3, 9, 4]), [0, 4000, 0, 0]);
        assert_eq!(counts(Some(9), [5, 3, 9, NEVER]), [0, 4000, 0, 0]);
        let found = counts(None, [2, 7, 2, 2]);
        assert!(found[1] == 0 && [0, 2, 3].iter().all(|i| found[*i].abs_diff(1333) < 120), "{found:?}");
        let found = counts(None, [NEVER; 4]);
        assert!(found.iter().all(|count| count.abs_diff(1000) < 120), "{found:?}");
    }

    /// Of two draws with repetition the best is the k-th of four in 7, 5, 3 and 1 cases of 16.
    #[test]
    fn of_those_drawn_the_shortest_is_chosen() {
        let found = counts(Some(2), [1, 2, 3, 4]);
        for (count, part) in found.iter().zip([7, 5, 3, 1]) {
            assert!(count.abs_diff(4000 * part / 16) < 120, "{found:?}");
        }
    }
}
