//! The run: event after event, from the first flow's start to the end.

use std::sync::Arc;

use super::fabric::Fabric;
use super::failures::Failures;
use super::forwarding::{Forwarding, Pair};
use super::net::{Fires, Net};
use super::packet::Kind;
use super::queues::{Discipline, Held, Queue};
use super::records::{End, Outcome};
use super::source::{Flow, Source};
use super::time::{NEVER, Time};
use super::trace::{Recorder, Watched};
use super::transports::{Shape, Transport, TransportKind};
use crate::error::{Error, invalid};

/// Events between two looks at who watches.
const LOOK: u64 = 1 << 14;

/// How ports are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// One event for each packet and link where the discipline allows it.
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
    /// Runs it; `watch` is told of the progress now and then, and returns whether to go on.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pnet_core::graph::{Graph, Planes};
    /// # use pnet_core::paths::Policy;
    /// # use pnet_core::sim::*;
    /// // Two hosts at the two ends of a cable: three links of 1 us and 10 Gb/s.
    /// let cable = Graph::new(2, vec![0, 1], vec![1, 0])?;
    /// let planes = Planes::new(vec![cable], vec![vec![Some(0), Some(1)]])?;
    /// let scenario = Scenario {
    ///     fabric: Fabric::uniform(planes, Rate::new(10_000_000_000)?, MICROSECOND)?,
    ///     queue: Arc::new(DropTail { limit: Limit::Packets(100) }),
    ///     forwarding: Arc::new(Ecmp { policy: Policy::Any }),
    ///     transport: Arc::new(Tcp::default()),
    ///     source: Box::new(FlowList::new([(0, 1, 1500, 0)])),
    ///     seed: 1,
    ///     model: Model::Fast,
    ///     limits: Limits::default(),
    ///     failures: Failures::default(),
    ///     watched: Watched::default(),
    /// };
    /// let outcome = scenario.run(&mut |_| true)?;
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
        if self.queue.trims() && !self.transport.takes_trimmed() {
            return invalid("queue", "it cuts payload off packets, of which the transport can make nothing");
        }
        self.queue.limit().check(shape.largest)?;
        let discipline = match (self.queue.build(&self.fabric, self.seed)?, self.model) {
            (Discipline::Fifo(fifo), Model::Plain) => {
                Discipline::Scheduler(Box::new(Held::new(fifo, self.fabric.ports())))
            }
            (discipline, _) => discipline,
        };
        self.run_with(discipline, shape, watch)
    }

    /// Runs it with this discipline, whatever its queue says.
    pub(super) fn run_with(
        mut self,
        discipline: Discipline,
        shape: Shape,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Outcome, Error> {
        let down = self.failures.build(&mut self.fabric)?;
        let recorder = Recorder::new(&self.watched, self.fabric.ports())?;
        let forwarder = self.forwarding.build(&self.fabric, self.seed)?;
        let net = Net::new(self.fabric, discipline, forwarder, shape, recorder, down, self.seed);
        let transport = self.transport.build(self.forwarding.shares());
        let mut engine = Engine { net, transport, source: self.source, events: 0 };
        let end = engine.run(self.limits, watch)?;
        engine.finish(end, self.limits)
    }
}

struct Engine {
    net: Net,
    transport: Box<dyn Transport>,
    source: Box<dyn Source>,
    events: u64,
}

impl Engine {
    fn run(&mut self, limits: Limits, watch: &mut dyn FnMut(Progress) -> bool) -> Result<End, Error> {
        self.net.wake_source(self.source.next());
        self.net.await_change();
        let total = self.source.total();
        loop {
            if self.events.is_multiple_of(LOOK) && !watch(self.progress()) {
                return Ok(End::Stopped);
            }
            if self.events == limits.events {
                return Ok(End::EventLimit);
            }
            let Some(fires) = self.net.pop() else { return Ok(self.at_rest()) };
            if self.net.now() > limits.time {
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
                    if self.net.due(timer) {
                        let (connection, which) = self.net.timer(timer);
                        self.transport.timer(connection, which, &mut self.net);
                        self.net.settle(connection);
                    }
                }
                Fires::Pull(port) => self.transport.pull(port, &mut self.net),
                Fires::Source => self.start_flows()?,
                Fires::Change => {
                    self.net.change();
                    for (flow, record) in self.net.take_waiting() {
                        let opened = self.net.open_as(flow, record)?;
                        self.begin(flow, opened);
                    }
                }
            }
            if self.net.has_news() {
                for (id, stage) in self.net.take_news() {
                    self.source.reached(id, stage, self.net.now());
                }
                self.net.wake_source(self.source.next());
                if total == Some(self.net.completions()) {
                    return Ok(End::Complete);
                }
            }
        }
    }

    fn start_flows(&mut self) -> Result<(), Error> {
        let mut flows = vec![];
        self.source.start(self.net.now(), &mut flows);
        for flow in flows {
            let opened = self.net.open(flow)?;
            self.begin(flow, opened);
        }
        self.net.wake_source(self.source.next());
        Ok(())
    }

    /// Lets a flow send, if it has a path.
    fn begin(&mut self, flow: Flow, opened: Option<Pair>) {
        let Some(pair) = opened else { return };
        let paths = self.net.paths(pair);
        let record = self.net.record(pair.connection);
        record.hops = paths.first().map_or(0, Vec::len) as u32;
        record.ideal = self.transport.ideal(flow.bytes, flow.session.opens, &paths);
        self.transport.start(pair.connection, flow.bytes, &paths, &mut self.net);
    }

    /// Why it ends when no event is left.
    fn at_rest(&self) -> End {
        let flows = self.source.total().unwrap_or(self.net.flows());
        if self.net.completions() < flows { End::Idle } else { End::Complete }
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.net.now(),
            events: self.events,
            completed: self.net.completions(),
            arrived: self.net.arrived(),
        }
    }

    fn finish(mut self, end: End, limits: Limits) -> Result<Outcome, Error> {
        for flow in self.source.unstarted() {
            self.net.add_record(flow);
        }
        let time = self.net.now().min(limits.time);
        let left = self.net.finish(time)?;
        Ok(Outcome {
            end,
            time,
            events: self.events,
            packet_hops: left.packet_hops,
            flows: left.flows,
            ports: left.ports,
            plane_bytes: left.plane_bytes,
            subflow_bytes: left.subflow_bytes,
            traces: left.traces,
        })
    }
}
