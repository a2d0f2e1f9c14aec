//! The run: flows start, enter the network, are complete; links and paths change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::super::alone::at_most;
use super::super::engine::{Limits, Progress};
use super::super::fabric::{Fabric, NONE};
use super::super::flows::Flows;
use super::super::forwarding::{Forwarding, Pair};
use super::super::paths::Paths;
use super::super::records::{End, FluidOutcome};
use super::super::source::Flow;
use super::super::time::{NEVER, Time};
use super::classes::{Classes, key};
use super::correction::Correction;
use super::ledger::Ledger;
use super::rates::Rates;
use super::sharing::Sharing;
use super::streams::Stream;
use super::terms::{BITS, PacketSizes, Terms};
use super::windows::{Found, Window};
use super::{FluidScenario, Poll};
use crate::error::{Error, invalid, refused};

/// Polls between two looks at who watches.
const LOOK: u32 = 16;

/// A flow that has started and is not complete.
#[derive(Debug, Clone)]
struct Live {
    pair: Pair,
    /// Place of its record.
    record: u32,
    weight: f64,
    /// Bytes on the wire.
    bytes: f64,
    terms: Terms,
    /// Whether it starts with a window of its own.
    slow_start: bool,
    /// When it entered the network, if it has.
    entered: Option<Time>,
    /// Its class; none before it enters, and while it has no path.
    class: u32,
    /// The class's clock when it is complete.
    mark: f64,
    /// The clock of each of the class's streams when it joined it.
    since: Vec<f64>,
    /// None where there are none; and the bytes that it keeps in the network.
    window: Option<Window>,
    held: f64,
}

/// What happens at a time that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// A link goes down, or comes back.
    Link(u32, bool),
    /// A flow enters the network: its slot.
    Enter(u32),
    /// All of a flow has arrived: the record.
    Arrival(u32),
    /// A source knows that it has.
    End(u32),
}

/// The state of a run.
pub(super) struct Engine {
    now: Time,
    paths: Paths,
    flows: Flows<()>,
    forwarding: Arc<dyn Forwarding>,
    sharing: Sharing,
    correction: Correction,
    sizes: PacketSizes,
    weights: Option<Vec<f64>>,
    pub(super) rates: Rates,
    classes: Classes,
    live: Vec<Option<Live>>,
    known: BinaryHeap<Reverse<(Time, Known)>>,
    /// Of each link, how many reasons there are for it to carry nothing.
    dead: Vec<u16>,
    /// Of each link, how long the last flow that came or went there has found its packets to wait, in picoseconds.
    waits: Vec<f64>,
    ledger: Ledger,
    /// Bytes on the wire of the flows that have left the network.
    arrived: u64,
    events: u64,
    settled: u64,
}

impl Engine {
    pub(super) fn new(scenario: FluidScenario) -> Result<Self, Error> {
        let FluidScenario { fabric, forwarding, sharing, sizes, failures, .. } = scenario;
        sharing.check(&*forwarding)?;
        if scenario.correction.windows.is_some() && sharing != Sharing::Single {
            return invalid("correction", "queues are found on one path, and flows have several");
        }
        if sizes.header >= sizes.packet {
            return invalid("sizes", format!("{sizes:?} leave no room for payload"));
        }
        if let Some(wrong) = scenario.weights.iter().flatten().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
            return refused("weights", "invalid weight", wrong, "positive numbers");
        }
        let paths = Paths::new(fabric, &*forwarding, &failures, scenario.seed)?;
        let (ports, planes) = (paths.fabric.ports(), paths.fabric.parts());
        let mut known = BinaryHeap::new();
        for outage in &failures.outages {
            known.push(Reverse((outage.from, Known::Link(outage.port, true))));
            if outage.until != NEVER {
                known.push(Reverse((outage.until, Known::Link(outage.port, false))));
            }
        }
        let capacity = (0..ports as u32).map(|port| rate(&paths.fabric, port)).collect();
        Ok(Engine {
            now: 0,
            paths,
            flows: Flows::new(scenario.source, planes, sharing.subflows() as usize),
            forwarding,
            sharing,
            correction: scenario.correction,
            sizes,
            weights: scenario.weights,
            rates: Rates::new(sharing, capacity, scenario.method),
            classes: Classes::default(),
            live: vec![],
            known,
            ledger: Ledger { carried: vec![0.0; ports] },
            dead: vec![0; ports],
            waits: vec![0.0; ports],
            arrived: 0,
            events: 0,
            settled: 0,
        })
    }

    pub(super) fn run(&mut self, limits: Limits, watch: &mut dyn FnMut(Progress) -> bool) -> Result<End, Error> {
        let mut polls = 0_u32;
        loop {
            if self.events >= limits.events {
                return Ok(End::EventLimit);
            }
            let next = self.next();
            if next == NEVER {
                break;
            }
            if next > limits.time {
                return Ok(End::TimeLimit);
            }
            let progress = self.progress();
            let mut poll = || {
                let looks = polls.is_multiple_of(LOOK);
                polls = polls.wrapping_add(1);
                if looks && !watch(progress) { Err(Error::Stopped) } else { Ok(()) }
            };
            match self.step(next, &mut poll) {
                Err(Error::Stopped) => return Ok(End::Stopped),
                done => done?,
            }
            if self.flows.all_complete() {
                break;
            }
        }
        Ok(self.flows.at_rest())
    }

    /// When something happens next.
    pub(super) fn next(&self) -> Time {
        let known = self.known.peek().map_or(NEVER, |Reverse((time, _))| *time);
        let release = self.flows.next_release().max(self.now);
        self.classes.next().min(known).min(self.paths.down.next()).min(release)
    }

    /// Lets everything happen that happens at `now`.
    pub(super) fn step(&mut self, now: Time, poll: &mut Poll) -> Result<(), Error> {
        poll()?;
        self.now = now;
        let mut done = vec![];
        let live = &self.live;
        let of = |slot: u32| live[slot as usize].as_ref().map_or((0.0, 0.0), |flow| (flow.weight, flow.held));
        self.classes.complete(now, of, &mut done);
        for slot in done {
            self.complete(slot);
        }
        if self.paths.down.next() <= now {
            self.events += 1;
            self.adapt();
            for (flow, record) in std::mem::take(&mut self.flows.stranded) {
                self.open(flow, record)?;
            }
        }
        loop {
            if let Some(Reverse((_, known))) = self.known.peek().copied().filter(|first| first.0.0 <= now) {
                self.known.pop();
                match known {
                    Known::Link(port, fails) => self.change_link(port, fails),
                    Known::Enter(slot) => self.enter(slot),
                    Known::Arrival(record) => self.flows.arrive(record, now),
                    Known::End(record) => self.flows.complete(record, now),
                }
            } else if self.flows.next_release() <= now {
                let payload = self.sizes.packet - self.sizes.header;
                for (flow, record) in self.flows.release(now, &self.paths.fabric, payload)? {
                    poll()?;
                    self.events += 1;
                    self.open(flow, record)?;
                }
            } else {
                break;
            }
        }
        self.settled += 1;
        self.classes.settle(&mut self.rates, now, poll)
    }

    /// Lets a flow send, or, where a failure has left it no path, wait for one.
    fn open(&mut self, flow: Flow, record: u32) -> Result<(), Error> {
        let slot = self.flows.take_slot();
        if slot as usize == self.live.len() {
            self.live.push(None);
        }
        let Flow { id, src, dst, bytes, session, .. } = flow;
        let subflows = self.sharing.paths(&*self.forwarding);
        let (key, connection) = (session.connection, slot * subflows);
        let pair = Pair { flow: id, key, connection, subflows, src, dst };
        if !self.paths.open(pair)? {
            self.flows.free.push(slot);
            self.flows.stranded.push((flow, record));
            return Ok(());
        }
        let weight = match &self.weights {
            None => 1.0,
            Some(weights) => match weights.get(id as usize) {
                Some(weight) => *weight,
                None => return invalid("weights", format!("none for flow {id}")),
            },
        };
        let paths = self.paths(pair);
        let links = self.paths.links(&paths);
        let terms = self.correction.terms(bytes, session.opens, &links, self.sizes);
        let wire = self.sizes.on_the_wire(bytes);
        let windows = self.correction.windows;
        let window = windows.zip(links.first()).map(|(all, path)| all.of(path, wire, &terms, self.sizes));
        let least = (wire / (at_most(&links) as f64 / BITS)).ceil() as Time;
        let ideal = terms.opening + least + terms.arriving + terms.returning;
        self.flows.begin(record, &links, ideal);
        let live = Live {
            pair,
            record,
            weight,
            bytes: wire,
            terms,
            slow_start: session.follows.is_none(),
            entered: None,
            class: NONE,
            mark: 0.0,
            since: vec![],
            window,
            held: window.map_or(0.0, |window| window.held),
        };
        self.live[slot as usize] = Some(live);
        if terms.opening == 0 {
            self.enter(slot);
        } else {
            let waits = match (windows, paths.first()) {
                (Some(windows), Some(path)) => windows.around(self.find(slot, path)),
                _ => 0,
            };
            self.known.push(Reverse((self.now.saturating_add(terms.opening + waits), Known::Enter(slot))));
        }
        Ok(())
    }

    /// A flow enters the network.
    fn enter(&mut self, slot: u32) {
        let Some(flow) = &mut self.live[slot as usize] else { return };
        flow.entered = Some(self.now);
        let (pair, left) = (flow.pair, flow.bytes);
        let paths = self.paths(pair);
        if let Some(path) = paths.first() {
            let found = self.find(slot, path);
            if let Some(window) = self.live[slot as usize].as_mut().and_then(|flow| flow.window.as_mut()) {
                window.found = found;
            }
            self.join(slot, &paths, left);
        }
    }

    /// Puts a flow that has so much left into the class of these paths.
    fn join(&mut self, slot: u32, paths: &[Vec<u32>], left: f64) {
        let Some(flow) = &mut self.live[slot as usize] else { return };
        let streams = || {
            let links = self.sharing.streams(paths, &*self.forwarding);
            links.into_iter().map(Stream::over).collect()
        };
        let held = (flow.held, flow.terms.round_trip);
        (flow.class, flow.mark) = self.classes.join(key(paths), streams, (slot, flow.weight, left), held, self.now);
        flow.since = self.classes.get(flow.class).clocks().collect();
    }

    /// Takes a flow out of its class; returns what it has left.
    fn leave(&mut self, slot: u32) -> f64 {
        let Some(flow) = self.live[slot as usize].clone() else { return 0.0 };
        self.classes.leave(flow.class, slot, (flow.weight, flow.held), self.now);
        self.count(&flow);
        (flow.mark - self.classes.get(flow.class).clock).max(0.0) * flow.weight
    }

    /// The last of a flow has left the network.
    fn complete(&mut self, slot: u32) {
        self.events += 1;
        let last = match &self.live[slot as usize] {
            Some(flow) if flow.window.is_some() => {
                let path = self.classes.get(flow.class).ports();
                self.find(slot, &path)
            }
            _ => Found::default(),
        };
        let Some(flow) = self.live[slot as usize].take() else { return };
        self.paths.close(flow.pair);
        self.flows.free.push(slot);
        self.count(&flow);
        let record = &mut self.flows.records[flow.record as usize];
        record.received = record.bytes;
        self.arrived += flow.bytes as u64;
        let sharing = (self.now - flow.entered.unwrap_or(self.now)).max(1) as f64;
        let rate = flow.bytes / sharing;
        let stalls = match flow.slow_start {
            true => self.correction.stalls(&flow.terms, record.bytes, rate, self.sizes),
            false => 0,
        };
        let (ahead, back) = match self.correction.windows.zip(flow.window) {
            Some((windows, window)) => windows.added(window, last, flow.bytes, sharing),
            None => (0, 0),
        };
        let arrival = self.now.saturating_add(flow.terms.arriving).saturating_add(stalls).saturating_add(ahead);
        self.known.push(Reverse((arrival, Known::Arrival(flow.record))));
        let end = arrival.saturating_add(flow.terms.returning).saturating_add(back);
        self.known.push(Reverse((end, Known::End(flow.record))));
    }

    /// What a flow finds on a path, where it has a window.
    fn find(&mut self, slot: u32, path: &[u32]) -> Found {
        let flow = self.live[slot as usize].as_ref();
        let window = flow.and_then(|flow| Some((self.correction.windows?, flow.window?, &flow.terms)));
        let Some(((windows, own, terms), levels)) = window.zip(self.rates.levels()) else {
            return Found::default();
        };
        let sharing = (levels, &self.classes);
        let queue = |port| {
            let queue = windows.queue(port, sharing, &self.paths.fabric, &self.waits, self.sizes);
            self.waits[port as usize] = queue.wait;
            queue
        };
        windows.find(path, &self.paths.fabric, queue, own.held, terms, self.sizes)
    }

    fn change_link(&mut self, port: u32, fails: bool) {
        self.events += 1;
        let dead = &mut self.dead[port as usize];
        *dead = if fails { *dead + 1 } else { *dead - 1 };
        let capacity = if *dead == 0 { rate(&self.paths.fabric, port) } else { 0.0 };
        self.rates.set_capacity(port, capacity);
    }

    /// Paths have changed: flows go on by those that they have now.
    fn adapt(&mut self) {
        self.paths.change(self.now, self.live.iter().flatten().map(|flow| flow.pair));
        for slot in 0..self.live.len() as u32 {
            let Some(flow) = self.live[slot as usize].as_ref().filter(|flow| flow.entered.is_some()) else {
                continue;
            };
            // What is left without a path keeps those it has.
            let paths = self.paths(flow.pair);
            let stays = flow.class != NONE && self.classes.get(flow.class).key == key(&paths);
            if paths.is_empty() || stays {
                continue;
            }
            let left = if flow.class == NONE { flow.bytes } else { self.leave(slot) };
            self.join(slot, &paths, left);
        }
    }

    fn paths(&self, pair: Pair) -> Vec<Vec<u32>> {
        let mut paths = self.paths.ports(pair, self.now);
        if self.sharing == Sharing::Best {
            // The same ones in the same order for all flows that have them, and each once; the shortest first.
            paths.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            paths.dedup();
        }
        paths
    }

    /// Writes down what a flow has sent.
    fn count(&mut self, flow: &Live) {
        if flow.class != NONE {
            let into = |port| self.paths.fabric.leaves(flow.pair.src, port);
            let class = self.classes.get(flow.class);
            self.ledger.count(&mut self.flows, flow.record, class, &flow.since, flow.weight, into);
        }
    }

    pub(super) fn progress(&self) -> Progress {
        Progress { time: self.now, events: self.events, completed: self.flows.completed, arrived: self.arrived }
    }

    pub(super) fn finish(mut self, end: End, limits: Limits) -> FluidOutcome {
        let time = if end == End::TimeLimit { limits.time } else { self.now };
        self.classes.advance(time);
        let live = std::mem::take(&mut self.live);
        for flow in live.iter().flatten().filter(|flow| flow.class != NONE) {
            self.count(flow);
            let left = (flow.mark - self.classes.get(flow.class).clock).max(0.0) * flow.weight;
            let record = &mut self.flows.records[flow.record as usize];
            record.received = (record.bytes as f64 * (1.0 - left / flow.bytes)).floor().max(0.0) as u64;
        }
        self.flows.end();
        let Flows { records: flows, plane_bytes, subflow_bytes, .. } = self.flows;
        let ports = self.ledger.carried.into_iter().map(|bytes| bytes.round() as u64).collect();
        let (events, settled) = (self.events, self.settled);
        FluidOutcome { end, time, events, settled, flows, ports, plane_bytes, subflow_bytes }
    }
}

/// Bytes a picosecond that a port sends.
fn rate(fabric: &Fabric, port: u32) -> f64 {
    fabric.link(port).rate.bits_per_second() as f64 / BITS
}
