//! The run: event after event, from the first flow's start to the end.

use std::sync::Arc;

use super::fabric::{Fabric, PathLink};
use super::failures::Failures;
use super::flows::Flows;
use super::forwarding::{Ecmp, Forwarding};
use super::net::{CutOff, Fires, Net};
use super::network::{FlowNeeds, Needs, Network, Shape};
use super::packet::Kind;
use super::paths::Paths;
use super::queues::{Discipline, DropTail, Held, Limit, Queue};
use super::records::{End, Outcome};
use super::source::{Flow, Source};
use super::steady::Steady;
use super::time::{MICROSECOND, NEVER, Time};
use super::trace::{Recorder, Watched};
use super::transports::{Mixed, Tcp, Transport, TransportKind};
use crate::error::{Error, invalid};
use crate::paths::Policy;

/// Events between two looks at who watches.
const LOOK: u64 = 1 << 14;

/// Time between two looks for paused ports that wait for each other, or flows that are cut off.
const PERIOD: Time = 100 * MICROSECOND;

/// How ports are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// One event for each packet and link, and another where it lets others go that wait, if queues of several ports depend on
    /// each other.
    #[default]
    Fast,
    /// Always two, a departure and an arrival.  The outcome is the same but for the number of events.
    Plain,
}

/// When a run ends, complete or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Last moment that is simulated.
    pub time: Time,
    /// Events at most.
    pub events: u64,
}

impl Default for Limits {
    /// A hundred days, and events without end.
    fn default() -> Self {
        Limits { time: NEVER / 2, events: u64::MAX }
    }
}

/// All that a run is made of.
pub struct Scenario {
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// What ports do with packets that cannot be sent at once.
    pub queue: Arc<dyn Queue>,
    /// The same of the ports of hosts; none where they do what those of switches do.
    pub host_queue: Option<Arc<dyn Queue>>,
    /// How packets find their paths.
    pub forwarding: Arc<dyn Forwarding>,
    /// How flows are cut into packets, and when these are sent.
    pub transport: Arc<dyn TransportKind>,
    /// Who starts which flow when.
    pub source: Box<dyn Source>,
    /// All that is drawn is drawn from this.
    pub seed: u64,
    /// How ports are simulated.
    pub model: Model,
    /// When to end.
    pub limits: Limits,
    /// What fails.
    pub failures: Failures,
    /// What is traced.
    pub watched: Watched,
    /// Whether time jumps where flows get on at constant rates; nothing can be traced then.
    pub fast_forward: bool,
}

/// The state of a run, as whoever watches sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub time: Time,
    /// Events so far.
    pub events: u64,
    /// Flows complete.
    pub completed: usize,
    /// Bytes on the wire of the data that has reached its hosts.
    pub arrived: u64,
}

impl Scenario {
    /// NewReno over drop-tail queues of 100 packets and shortest paths, until all flows are complete.
    pub fn new(fabric: Fabric, source: impl Source + 'static) -> Self {
        Scenario {
            fabric,
            queue: Arc::new(DropTail { limit: Limit::Packets(100) }),
            host_queue: None,
            forwarding: Arc::new(Ecmp { policy: Policy::Any }),
            transport: Arc::new(Tcp::default()),
            source: Box::new(source),
            seed: 1,
            model: Model::Fast,
            limits: Limits::default(),
            failures: Failures::default(),
            watched: Watched::default(),
            fast_forward: false,
        }
    }

    /// Runs it; `watch` is told of the progress now and then, and returns whether to go on.
    ///
    /// ```
    /// # use pnet_core::graph::{Graph, Planes};
    /// # use pnet_core::sim::*;
    /// // Two hosts at the two ends of a cable: three links of 1 us and 10 Gb/s.
    /// let cable = Graph::new(2, vec![0, 1], vec![1, 0])?;
    /// let planes = Planes::new(vec![cable], vec![vec![Some(0), Some(1)]])?;
    /// let fabric = Fabric::uniform(planes, Rate::new(10_000_000_000)?, MICROSECOND)?;
    /// let outcome = Scenario::new(fabric, FlowList::new([(0, 1, 1500, 0)])).run(&mut |_| true)?;
    /// // There and back twice, and (1 + 40 + 1500 + 40) bytes over each link.
    /// assert_eq!(outcome.flows[0].end, Some(4 * 3 * MICROSECOND + 3 * 1581 * 800));
    /// assert_eq!(outcome.flows[0].end, Some(outcome.flows[0].ideal));
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn run(self, watch: &mut dyn FnMut(Progress) -> bool) -> Result<Outcome, Error> {
        if self.limits.time == NEVER {
            return invalid("limits", "a time limit is below 2^64 - 1 ps");
        }
        let shape = self.transport.shape()?;
        if self.forwarding.learns() && shape.nic.is_none() {
            return invalid("forwarding", "it goes by answers to every packet, which the transport does not give");
        }
        if self.forwarding.learns() && shape.telemetry {
            return invalid(
                "forwarding",
                "it changes paths from packet to packet, and the transport measures the links of one",
            );
        }
        if self.fast_forward {
            self.check_fast_forward()?;
        }
        let switches = self.discipline(&*self.queue, shape)?;
        let mut hosts = self.host_queue.as_deref().map(|queue| self.discipline(queue, shape)).transpose()?;
        if self.queue.pauses() {
            hosts = hosts.map(|hosts| self.pausable(hosts)).transpose()?;
        }
        self.run_with((switches, hosts), shape, watch)
    }

    /// An error where the steady state of this run cannot be skipped.
    fn check_fast_forward(&self) -> Result<(), Error> {
        if !self.transport.skips() {
            return invalid("fast_forward", "flows of this transport cannot be shortened while they are under way");
        }
        if !self.watched.ports.is_empty() || !self.watched.flows.is_empty() {
            return invalid("fast_forward", "what is skipped cannot be traced");
        }
        Ok(())
    }

    /// A queue at work, once it is checked.
    fn discipline(&self, queue: &dyn Queue, shape: Shape) -> Result<Discipline, Error> {
        if queue.trims() && !self.transport.takes_trimmed() {
            return invalid("queue", "it cuts payload off packets, of which the transport can make nothing");
        }
        queue.limit().check(shape.largest)?;
        Ok(match (queue.build(&self.fabric, self.seed)?, self.model) {
            // What waits in a port as a packet leaves is only known then, if switches are to note it.
            (Discipline::Fifo(fifo), model) if model == Model::Plain || shape.telemetry => {
                Discipline::Scheduler(Box::new(Held::new(fifo, self.fabric.ports())))
            }
            (discipline, _) => discipline,
        })
    }

    /// The queues of hosts where switches pause these.
    fn pausable(&self, hosts: Discipline) -> Result<Discipline, Error> {
        match hosts {
            Discipline::Fifo(fifo) => Ok(Discipline::Scheduler(Box::new(Held::new(fifo, self.fabric.ports())))),
            Discipline::Scheduler(held) if held.can_pause() => Ok(Discipline::Scheduler(held)),
            Discipline::Scheduler(_) => invalid("host_queue", "switches pause hosts, and it cannot be paused"),
        }
    }

    /// Runs it with these disciplines of switches and hosts, whatever its queues say.
    pub(super) fn run_with(
        self,
        disciplines: (Discipline, Option<Discipline>),
        shape: Shape,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Outcome, Error> {
        let recorder = Recorder::new(&self.watched, self.fabric.ports())?;
        let paths = Paths::new(self.fabric, &*self.forwarding, &self.failures, self.seed)?;
        let flows = Flows::new(self.source, paths.fabric.parts(), shape.subflows as usize);
        let small_queue = self.host_queue.as_ref().unwrap_or(&self.queue).small_queue();
        let needs = needs(&*self.transport, paths.fabric.slots() as u64, small_queue)?;
        let steady = self.fast_forward.then(Steady::new);
        let payload = shape.payload;
        let service = (self.queue.pauses(), self.forwarding.compares_queues(), self.model == Model::Plain);
        let net = Net::new(paths, disciplines, service, flows, (shape, needs), recorder, self.seed);
        let transport = self.transport.build(self.forwarding.shares());
        let stuck_look = if self.queue.pauses() { PERIOD } else { NEVER };
        let cut_look = if self.failures.outages.is_empty() { NEVER } else { PERIOD };
        let look = stuck_look.min(cut_look);
        let mut engine = Engine { net, transport, events: 0, steady, stuck_look, cut_look, cut: None, look, payload };
        let end = engine.run(self.limits, watch)?;
        let skipped = engine.net.outside(0);
        let time = engine.net.now().min(self.limits.time - skipped).min(engine.stuck_look).min(engine.cut_look);
        engine.net.finish(end, time, engine.events)
    }
}

/// What differs between the flows of these transports, whose hosts have so many ports, where a connection may put so many bytes into the
/// ports of its host.
fn needs(transport: &dyn TransportKind, ports: u64, small_queue: Option<u64>) -> Result<FlowNeeds, Error> {
    let of = |kind: &dyn TransportKind| -> Result<Needs, Error> {
        let Shape { subflows, nic, telemetry, .. } = kind.shape()?;
        let room = nic.map(|bytes| bytes * ports).or(small_queue.filter(|_| kind.waits_for_room()));
        Ok(Needs { subflows, room, stamped: nic.is_some(), telemetry })
    };
    let Some(Mixed { kinds, of_flow }) = transport.mixed() else {
        return Ok(FlowNeeds { each: vec![of(transport)?], of_flow: vec![] });
    };
    let each = kinds.iter().map(|kind| of(&**kind)).collect::<Result<Vec<Needs>, Error>>()?;
    Ok(FlowNeeds { each, of_flow: of_flow.clone() })
}

struct Engine {
    net: Net,
    transport: Box<dyn Transport<Net>>,
    events: u64,
    /// Who looks for a steady state.
    steady: Option<Steady>,
    /// When to look next for ports that wait for each other, and for flows that are cut off; nothing has happened since when
    /// they are found.
    stuck_look: Time,
    cut_look: Time,
    /// What was found of those that are cut off.
    cut: Option<CutOff>,
    /// When to look next for any of this.
    look: Time,
    payload: u16,
}

impl Engine {
    fn run(&mut self, limits: Limits, watch: &mut dyn FnMut(Progress) -> bool) -> Result<End, Error> {
        loop {
            if self.events.is_multiple_of(LOOK) && !watch(self.progress()) {
                return Ok(End::Stopped);
            }
            if self.events == limits.events {
                return Ok(End::EventLimit);
            }
            let Some(fires) = self.net.pop() else {
                let end = self.net.flows().at_rest();
                return Ok(if end == End::Idle && self.net.is_stuck() { End::Deadlock } else { end });
            };
            if self.net.now() >= self.look
                && let Some(end) = self.look(limits.time, matches!(fires, Fires::Free(_)))
            {
                return Ok(end);
            }
            if self.net.outside(self.net.now()) > limits.time {
                return Ok(End::TimeLimit);
            }
            self.events += 1;
            match fires {
                Fires::Arrival(port) => {
                    let Some(packet) = self.net.arrive(port) else { continue };
                    self.transport.receive(packet, port, &mut self.net);
                    if packet.kind == Kind::Data {
                        self.net.note_arrival(packet.connection);
                    }
                    self.net.settle(packet.connection);
                }
                Fires::Free(port) => {
                    self.net.serve(port);
                    continue;
                }
                Fires::Timer(timer) => {
                    if let Some((connection, which)) = self.net.due(timer) {
                        self.transport.timer(connection, which, &mut self.net);
                        self.net.settle(connection);
                    }
                }
                Fires::Pause(port) => {
                    self.net.pause(port);
                    continue;
                }
                Fires::Pull(port) => self.transport.pull(port, &mut self.net),
                Fires::Source => {
                    let released = self.net.release()?;
                    self.open(released)?;
                    self.disturb();
                }
                Fires::Change => {
                    let stranded = self.net.change();
                    self.open(stranded)?;
                    self.disturb();
                }
            }
            if self.net.take_news() {
                if self.net.flows().all_complete() {
                    return Ok(End::Complete);
                }
                self.disturb();
            }
        }
    }

    /// Lets flows send, as far as they have paths.
    fn open(&mut self, flows: Vec<(Flow, u32)>) -> Result<(), Error> {
        for (flow, record) in flows {
            let Some(pair) = self.net.open(flow, record)? else { continue };
            let paths = self.net.paths(pair);
            let ideal = self.transport.ideal(&flow, &paths);
            self.net.flows().begin(record, &paths, ideal);
            self.transport.start(pair.connection, flow.bytes, &paths, &mut self.net);
            if let Some(steady) = &mut self.steady {
                let round = |path: &Vec<PathLink>| -> Time {
                    path.iter()
                        .map(|hop| hop.link.delay + hop.back.delay + hop.link.rate.serialisation(self.payload))
                        .sum()
                };
                steady.widen(paths.iter().map(round).max().unwrap_or(0));
            }
        }
        Ok(())
    }

    /// Flows, links or paths have changed, so that rates will too.
    fn disturb(&mut self) {
        if let Some(steady) = &mut self.steady {
            steady.disturb(self.net.now());
            self.look = self.next_look();
        }
    }

    /// Looks for ports that wait for each other, for flows that are cut off, and for a steady state; returns why the run ends,
    /// if it does.
    ///
    /// What ports have done is not known while one is `free` and has not sent its next packet.
    #[cold]
    fn look(&mut self, limit: Time, free: bool) -> Option<End> {
        let now = self.net.now();
        if now >= self.stuck_look {
            if self.net.is_stuck() {
                return Some(End::Deadlock);
            }
            self.stuck_look = (now / PERIOD + 1) * PERIOD;
        }
        while now >= self.cut_look {
            let before = std::mem::replace(&mut self.cut, self.net.cut_off());
            match (self.cut, before) {
                (Some(cut), Some(before)) if cut.settled(before) => return Some(End::CutOff),
                (Some(_), _) => self.cut_look += PERIOD,
                // The longer a run, the rarer are looks.
                (None, _) => self.cut_look += PERIOD.max(self.cut_look / 8),
            }
        }
        self.look = self.next_look();
        if !free && self.steady.as_ref().is_some_and(|steady| now >= steady.next) && self.net.outside(now) <= limit {
            self.look_for_steady(limit);
        }
        None
    }

    fn next_look(&self) -> Time {
        self.stuck_look.min(self.cut_look).min(self.steady.as_ref().map_or(NEVER, |steady| steady.next))
    }

    /// Notes what flows and ports have done, and lets time jump where rates are constant.
    fn look_for_steady(&mut self, limit: Time) {
        let Some(note) = self.net.note() else { return self.disturb() };
        let Some(steady) = &mut self.steady else { return };
        let found = steady.look(note);
        self.look = self.next_look();
        let (Some((first, last)), Some(steady)) = (found, &self.steady) else { return };
        let unsent: Vec<u32> = last.flows.iter().map(|flow| self.transport.unsent(flow.connection)).collect();
        let left = self.net.undisturbed().min(limit.saturating_sub(self.net.outside(self.net.now())));
        let Some(jump) = steady.jump(&first, &last, &unsent, self.payload, left) else { return };
        for (flow, segments) in last.flows.iter().zip(&jump.segments) {
            self.transport.skip(flow.connection, *segments);
        }
        self.net.skip(&first, &last, &jump);
        self.disturb();
    }

    fn progress(&mut self) -> Progress {
        let (time, events, arrived) = (self.net.outside(self.net.now()), self.events, self.net.arrived());
        Progress { time, events, completed: self.net.flows().completed, arrived }
    }
}
