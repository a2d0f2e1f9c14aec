//! Pauses of ports: frames that ask for them are on their way, ports are paused, and some may wait for each other for ever.

use std::collections::VecDeque;

use crate::sim::events::Events;
use crate::sim::fabric::Fabric;
use crate::sim::records::PauseRecord;
use crate::sim::time::Time;

/// What a port is asked.
#[derive(Debug, Default)]
struct Asked {
    /// Frames on their way to it, with the time at which each arrives and whether it asks for a pause.
    frames: VecDeque<(Time, bool)>,
    /// Since when it is paused.
    since: Option<Time>,
    record: PauseRecord,
}

/// All ports.
pub(super) struct Pauses {
    /// Lane of the first.
    first_lane: u32,
    ports: Vec<Asked>,
    /// Of each port, the one in the other direction of its cable.
    back: Vec<u32>,
}

impl Pauses {
    pub(super) fn new(fabric: &Fabric, first_lane: u32) -> Self {
        let ports = fabric.ports() as u32;
        let back = (0..ports).map(|port| fabric.back(port).unwrap_or(port)).collect();
        Pauses { first_lane, ports: (0..ports).map(|_| Asked::default()).collect(), back }
    }

    /// The port that sends what the far end of this one has to say.
    pub(super) fn back(&self, port: u32) -> u32 {
        self.back[port as usize]
    }

    /// A frame is on its way to a port.
    pub(super) fn ask(&mut self, port: u32, pause: bool, arrives: Time, events: &mut Events) {
        let frames = &mut self.ports[port as usize].frames;
        // Frames of a link are in order.
        let arrives = frames.back().map_or(arrives, |(last, _)| arrives.max(*last));
        if frames.is_empty() {
            events.push(self.first_lane + port, arrives);
        }
        frames.push_back((arrives, pause));
    }

    /// A frame has arrived: whether it asks for a pause.
    pub(super) fn take(&mut self, port: u32, now: Time, events: &mut Events) -> bool {
        let asked = &mut self.ports[port as usize];
        let pause = asked.frames.pop_front().is_some_and(|(_, pause)| pause);
        if let Some((next, _)) = asked.frames.front() {
            events.push(self.first_lane + port, *next);
        }
        match (pause, asked.since) {
            (true, None) => {
                asked.since = Some(now);
                asked.record.count += 1;
            }
            (false, Some(since)) => {
                asked.record.time += now - since;
                asked.since = None;
            }
            _ => {}
        }
        pause
    }

    /// Whether any port is paused.
    pub(super) fn any(&self) -> bool {
        self.ports.iter().any(|asked| asked.since.is_some())
    }

    /// The ports that are paused and will be so for ever, `to` being the node that a port leads to, and `waiting` the ports of
    /// a node where data waits: all that waits at the far end of each is to leave by others of them.
    pub(super) fn stuck(&self, to: impl Fn(u32) -> u32, waiting: impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
        let paused = |asked: &Asked| asked.since.is_some() && asked.frames.is_empty();
        let mut stuck: Vec<bool> = self.ports.iter().map(paused).collect();
        let mut left: Vec<u32> = (0..stuck.len() as u32).filter(|port| stuck[*port as usize]).collect();
        loop {
            let before = left.len();
            left.retain(|port| {
                let out = waiting(to(*port));
                let keeps = !out.is_empty() && out.iter().all(|other| stuck[*other as usize]);
                stuck[*port as usize] = keeps;
                keeps
            });
            if left.len() == before {
                return left;
            }
        }
    }

    /// What became of all ports in a run that ends at `end`.
    pub(super) fn records(&self, end: Time) -> Vec<PauseRecord> {
        let record = |asked: &Asked| {
            let open = asked.since.map_or(0, |since| end.saturating_sub(since));
            PauseRecord { time: asked.record.time + open, ..asked.record }
        };
        self.ports.iter().map(record).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, Planes};
    use crate::sim::{MICROSECOND, Rate};

    /// A ring of three switches, one way: arc `i` leads from switch `i` to the next.
    fn ring() -> Pauses {
        let graph = Graph::new(3, vec![0, 1, 2], vec![1, 2, 0]).unwrap();
        let planes = Planes::new(vec![graph], vec![vec![Some(0), Some(1), Some(2)]]).unwrap();
        let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000).unwrap(), MICROSECOND).unwrap();
        Pauses::new(&fabric, 0)
    }

    /// Three ports of a ring that are paused wait for each other, unless data waits to leave it somewhere, or a frame is on
    /// its way.
    #[test]
    fn ports_of_a_ring_wait_for_each_other() {
        let mut events = Events::new(&[0; 9], 0, 1);
        let to = |port: u32| (port + 1) % 3;
        let mut pauses = ring();
        for port in 0..3 {
            pauses.ask(port, true, 10, &mut events);
            assert!(pauses.stuck(to, |node| vec![node]).is_empty());
        }
        (0..3).for_each(|port| assert!(pauses.take(port, 10, &mut Events::new(&[0; 9], 0, 1))));
        assert_eq!(pauses.stuck(to, |node| vec![node]), [0, 1, 2]);
        // Data of switch 1 waits to leave by port 5 too.
        assert!(pauses.stuck(to, |node| if node == 1 { vec![1, 5] } else { vec![node] }).is_empty());
        pauses.ask(2, false, 20, &mut Events::new(&[0; 9], 0, 1));
        assert!(pauses.stuck(to, |node| vec![node]).is_empty());
        assert!(!pauses.take(2, 20, &mut Events::new(&[0; 9], 0, 1)));
        let records = pauses.records(40);
        assert_eq!((records[2].count, records[2].time, records[1].time), (1, 10, 30));
    }
}
