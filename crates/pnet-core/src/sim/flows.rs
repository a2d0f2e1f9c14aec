//! The flows of a run, of packets or a fluid: one record and one life cycle.
//!
//! A flow *waits* for those that it depends on and for its time, as the [`Source`] says.  Then it is *released*: it gets its
//! record and asks for paths; where a failure has left it none it is *stranded* until paths change.  With paths it is
//! *active*, has a slot, and sends; all its bytes *arrive*, and it is *complete* when its source knows that they have.  What
//! is not complete at the end of the run is unfinished, and its record says how far it has come.

use super::fabric::{Fabric, PathLink};
use super::records::{End, FlowRecord};
use super::source::{Flow, Source, Stage};
use super::time::{NEVER, Time};
use crate::error::Error;

/// All flows; of each, `C` is counted beside what both models know.
pub(super) struct Flows<C> {
    source: Box<dyn Source>,
    /// How many the source starts in all, if it knows.
    total: Option<usize>,
    /// In the order of releases.
    pub(super) records: Vec<FlowRecord<C>>,
    /// Released without a path, each with the place of its record.
    pub(super) stranded: Vec<(Flow, u32)>,
    slots: u32,
    /// Slots that are used no more.
    pub(super) free: Vec<u32>,
    pub(super) completed: usize,
    /// Whether the source has been told of anything since that was last asked.
    news: bool,
    planes: usize,
    subflows: usize,
    /// Time by which the source is ahead of the clock, as the run has skipped it.
    pub(super) skipped: Time,
    /// Bytes sent into each plane, and by each subflow, flow by flow.
    pub(super) plane_bytes: Vec<u64>,
    pub(super) subflow_bytes: Vec<u64>,
}

impl<C: Default> Flows<C> {
    /// Those of a source, over so many planes and with so many subflows each.
    pub(super) fn new(source: Box<dyn Source>, planes: usize, subflows: usize) -> Self {
        Flows {
            total: source.total(),
            source,
            records: vec![],
            stranded: vec![],
            slots: 0,
            free: vec![],
            completed: 0,
            news: false,
            planes,
            subflows,
            skipped: 0,
            plane_bytes: vec![],
            subflow_bytes: vec![],
        }
    }

    /// When the next are released.
    pub(super) fn next_release(&self) -> Time {
        match self.source.next() {
            NEVER => NEVER,
            next => next.saturating_sub(self.skipped),
        }
    }

    /// Releases those whose time has come; returns each with the place of its record.
    pub(super) fn release(&mut self, now: Time, fabric: &Fabric, payload: u16) -> Result<Vec<(Flow, u32)>, Error> {
        let mut due = vec![];
        self.source.start(now + self.skipped, &mut due);
        due.into_iter().map(|flow| flow.check(fabric, payload).map(|()| (flow, self.add(flow)))).collect()
    }

    fn add(&mut self, flow: Flow) -> u32 {
        let Flow { id, src, dst, bytes, start, .. } = flow;
        self.records.push(FlowRecord { id, src, dst, bytes, start, ..FlowRecord::default() });
        self.plane_bytes.resize(self.records.len() * self.planes, 0);
        self.subflow_bytes.resize(self.records.len() * self.subflows, 0);
        self.records.len() as u32 - 1
    }

    /// The bytes that a flow has sent into each plane, and by each subflow.
    pub(super) fn sent(&mut self, record: u32) -> (&mut [u64], &mut [u64]) {
        let (planes, subflows) = (&mut self.plane_bytes, &mut self.subflow_bytes);
        let (of_planes, of_subflows) = (record as usize * self.planes, record as usize * self.subflows);
        (&mut planes[of_planes..][..self.planes], &mut subflows[of_subflows..][..self.subflows])
    }

    /// A slot for a flow that is active, the least that never was used where none has become free.
    pub(super) fn take_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// A flow is active on these paths, on which it takes at least so long.
    pub(super) fn begin(&mut self, record: u32, paths: &[Vec<PathLink>], ideal: Time) {
        let record = &mut self.records[record as usize];
        record.hops = paths.first().map_or(0, Vec::len) as u32;
        record.ideal = ideal;
    }

    /// All bytes of a flow are at its destination.
    pub(super) fn arrive(&mut self, record: u32, now: Time) {
        let now = now + self.skipped;
        let record = &mut self.records[record as usize];
        record.arrived = Some(now);
        self.source.reached(record.id, Stage::Arrived, now);
        self.news = true;
    }

    /// A flow is complete; a source that is content with less, or asks nobody, takes all for arrived.
    pub(super) fn complete(&mut self, record: u32, now: Time) {
        if self.records[record as usize].arrived.is_none() {
            self.arrive(record, now);
        }
        let now = now + self.skipped;
        let record = &mut self.records[record as usize];
        record.end = Some(now);
        self.completed += 1;
        self.source.reached(record.id, Stage::Acknowledged, now);
        self.news = true;
    }

    /// Whether flows have arrived or completed since the last call.
    #[inline]
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Whether all that will ever be are complete.
    pub(super) fn all_complete(&self) -> bool {
        self.total == Some(self.completed)
    }

    /// Why a run ends in which nothing is left to happen.
    pub(super) fn at_rest(&self) -> End {
        let flows = self.total.unwrap_or(self.records.len());
        if self.completed < flows { End::Idle } else { End::Complete }
    }

    /// The run is over: those that still wait get their records.
    pub(super) fn end(&mut self) {
        for flow in self.source.unstarted() {
            self.add(flow);
        }
    }
}
