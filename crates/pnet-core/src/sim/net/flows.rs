//! Flows as they begin, arrive and end.

use super::{Live, Net, State};
use crate::error::Error;
use crate::sim::fabric::PathLink;
use crate::sim::forwarding::{Ground, Pair};
use crate::sim::records::FlowRecord;
use crate::sim::source::{Flow, Session, Stage};
use crate::sim::time::NEVER;

impl Net {
    /// The record of the flow that a connection belongs to.
    #[inline]
    pub fn record(&mut self, connection: u32) -> &mut FlowRecord {
        &mut self.records[self.live[(connection / self.subflows) as usize].record as usize]
    }

    /// What the flow of a connection is sent over.
    pub fn session(&self, connection: u32) -> Session {
        self.live[(connection / self.subflows) as usize].session
    }

    /// The flow of a connection is complete.
    pub fn complete(&mut self, connection: u32) {
        let flow = &mut self.live[(connection / self.subflows) as usize];
        debug_assert_eq!(flow.state, State::Open);
        flow.state = State::Done;
        let record = &mut self.records[flow.record as usize];
        record.end = Some(self.now);
        if record.arrived.is_none() {
            // Its source is content with less, or asks nobody.
            record.arrived = Some(self.now);
            self.reached.push((flow.pair.flow, Stage::Arrived));
        }
        self.reached.push((flow.pair.flow, Stage::Acknowledged));
        self.completions += 1;
    }

    /// Makes a record for a flow and opens it.
    pub(in crate::sim) fn open(&mut self, flow: Flow) -> Result<Option<Pair>, Error> {
        flow.check(&self.fabric, self.payload)?;
        let record = self.records.len() as u32;
        self.add_record(flow);
        self.open_as(flow, record)
    }

    /// Flows that wait for a path, each with the place of its record; they wait no more.
    pub(in crate::sim) fn take_waiting(&mut self) -> Vec<(Flow, u32)> {
        std::mem::take(&mut self.waiting)
    }

    /// Makes a slot for a flow, and finds its paths; where a failure has left it none, it waits for one.
    pub(in crate::sim) fn open_as(&mut self, flow: Flow, record: u32) -> Result<Option<Pair>, Error> {
        let slot = self.free.pop().unwrap_or(self.live.len() as u32);
        let Flow { id, src, dst, session, .. } = flow;
        let (connection, subflows) = (slot * self.subflows, self.subflows);
        let pair = Pair { flow: id, key: session.connection, connection, subflows, src, dst };
        let traced = self.recorder.as_ref().is_some_and(|recorder| recorder.watches(id));
        let live = Live { pair, record, in_flight: 0, state: State::Open, traced, session };
        if slot as usize == self.live.len() {
            self.live.push(live);
            let timers = self.live.len() * (self.subflows * self.timers) as usize;
            self.deadlines.resize(timers, NEVER);
            self.events.grow(self.first_timer as usize + timers);
        } else {
            self.live[slot as usize] = live;
        }
        match self.forwarder.open(pair, &self.fabric, &mut self.routes) {
            Ok(()) => Ok(Some(pair)),
            Err(Error::NoPath { .. }) if self.failing => {
                self.live[slot as usize].state = State::Free;
                self.free.push(slot);
                self.waiting.push((flow, record));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Adds the record of a flow.
    pub(in crate::sim) fn add_record(&mut self, flow: Flow) {
        let Flow { id, src, dst, bytes, start, .. } = flow;
        self.records.push(FlowRecord { id, src, dst, bytes, start, ..FlowRecord::default() });
        self.plane_bytes.resize(self.records.len() * self.fabric.planes().count(), 0);
        self.subflow_bytes.resize(self.records.len() * self.subflows as usize, 0);
    }

    /// Links of the paths open to a flow.
    pub(in crate::sim) fn paths(&self, pair: Pair) -> Vec<Vec<PathLink>> {
        let link = |port: u32| {
            let link = *self.fabric.link(port);
            PathLink { port, link, back: self.fabric.back(port).map_or(link, |back| *self.fabric.link(back)) }
        };
        let paths =
            self.forwarder.paths(pair, &Ground { fabric: &self.fabric, routes: &self.routes, now: self.now });
        paths.into_iter().map(|ports| ports.into_iter().map(link).collect()).collect()
    }

    /// Notes whether all bytes of a connection's flow have arrived; to be asked whenever data has.
    #[inline]
    pub(in crate::sim) fn note_arrival(&mut self, connection: u32) {
        let flow = &self.live[(connection / self.subflows) as usize];
        let record = &mut self.records[flow.record as usize];
        if record.received == record.bytes && record.arrived.is_none() {
            record.arrived = Some(self.now);
            self.reached.push((flow.pair.flow, Stage::Arrived));
        }
    }

    /// Gives the slot of a connection free if its flow is complete and nothing of it is on its way.
    #[inline]
    pub(in crate::sim) fn settle(&mut self, connection: u32) {
        let slot = connection / self.subflows;
        let flow = &mut self.live[slot as usize];
        if flow.state != State::Done || flow.in_flight > 0 {
            return;
        }
        flow.state = State::Free;
        self.forwarder.close(flow.pair, &mut self.routes);
        let each = (self.subflows * self.timers) as usize;
        self.deadlines[slot as usize * each..][..each].fill(NEVER);
        self.free.push(slot);
    }

    /// Whether flows have come to a stage since they were last taken.
    #[inline]
    pub(in crate::sim) fn has_news(&self) -> bool {
        !self.reached.is_empty()
    }

    /// Flows that have come to a stage since the last call.
    #[inline]
    pub(in crate::sim) fn take_news(&mut self) -> Vec<(u32, Stage)> {
        std::mem::take(&mut self.reached)
    }

    /// How many flows have been opened, or wait to be.
    pub(in crate::sim) fn flows(&self) -> usize {
        self.records.len()
    }

    /// How many flows have completed.
    pub(in crate::sim) fn completions(&self) -> usize {
        self.completions
    }
}
