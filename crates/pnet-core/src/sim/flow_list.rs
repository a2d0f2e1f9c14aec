//! Flows that are all known beforehand, and may wait for others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::source::{Flow, Source, Stage};
use super::time::{NEVER, Time};
use crate::csr::Csr;
use crate::error::{Error, invalid, refused};

/// Flows that are all known beforehand, some of which may start only when others have arrived or are acknowledged.
#[derive(Debug)]
pub struct FlowList {
    /// `start` is a time, or how long after all that is waited for.
    flows: Vec<Flow>,
    /// How many flows each one still waits for; of more than it needs, the first to come count.
    waiting: Vec<u32>,
    /// When all that each one waited for so far had come and its pauses had passed.
    met: Vec<Time>,
    /// The flows that wait for each to arrive, and for its acknowledgement, and how long after that.
    on_arrival: Csr<(u32, Time)>,
    on_acknowledgement: Csr<(u32, Time)>,
    /// Flows that wait for no other, by start.
    ready: BinaryHeap<Reverse<(Time, u32)>>,
    started: Vec<bool>,
}

impl FlowList {
    /// The flows `(src, dst, bytes, start)`, numbered as they stand here, none of which waits for another.
    pub fn new(flows: impl IntoIterator<Item = (u32, u32, u64, Time)>) -> Self {
        let numbered = (0..).zip(flows).map(|(id, (src, dst, bytes, start))| Flow::new(id, src, dst, bytes, start));
        let flows: Vec<Flow> = numbered.collect();
        FlowList {
            waiting: vec![0; flows.len()],
            met: vec![0; flows.len()],
            on_arrival: Csr::new(flows.len(), [].into_iter()),
            on_acknowledgement: Csr::new(flows.len(), [].into_iter()),
            ready: flows.iter().map(|flow| Reverse((flow.start, flow.id))).collect(),
            started: vec![false; flows.len()],
            flows,
        }
    }

    /// The same where flow `f` waits for those in `after[after_ptr[f]..after_ptr[f + 1]]` to come to a stage and for a pause
    /// after that, and its start counts from the last of these moments.
    ///
    /// ```
    /// # use pnet_core::sim::{FlowList, Stage};
    /// let flows = || FlowList::new([(0, 1, 1500, 0), (1, 0, 1500, 7)]);
    /// assert!(flows().after(&[0, 0, 1], &[(0, Stage::Arrived, 0)]).is_ok());
    /// let error = flows().after(&[0, 0, 1], &[(2, Stage::Arrived, 0)]).unwrap_err();
    /// assert_eq!(error.to_string(), "after: 2 is not in 0..2");
    /// ```
    pub fn after(mut self, after_ptr: &[usize], after: &[(u32, Stage, Time)]) -> Result<Self, Error> {
        let count = self.flows.len();
        let ordered = after_ptr.first() == Some(&0) && after_ptr.is_sorted();
        if !ordered || after_ptr.len() != count + 1 || after_ptr.last() != Some(&after.len()) {
            return invalid("after_ptr", format!("not the ranges of {count} flows in {} entries", after.len()));
        }
        if let Some((unknown, ..)) = after.iter().find(|(parent, ..)| *parent as usize >= count) {
            return invalid("after", format!("{unknown} is not in 0..{count}"));
        }
        self.waiting = after_ptr.windows(2).map(|w| (w[1] - w[0]) as u32).collect();
        let children = |awaited: Stage| {
            let pairs = (0..count).flat_map(|flow| {
                let parents = after[after_ptr[flow]..after_ptr[flow + 1]].iter();
                parents.filter(move |wait| wait.1 == awaited).map(move |wait| (wait.0, (flow as u32, wait.2)))
            });
            Csr::new(count, pairs)
        };
        (self.on_arrival, self.on_acknowledgement) = (children(Stage::Arrived), children(Stage::Acknowledged));
        self.ready.retain(|Reverse((_, flow))| self.waiting[*flow as usize] == 0);
        Ok(self)
    }

    /// The same where flow `f` needs only `enough[f]` of the flows that it waits for, whichever come first.
    ///
    /// ```
    /// # use pnet_core::sim::{FlowList, Stage};
    /// let flows = FlowList::new([(0, 1, 1500, 0), (1, 0, 1500, 7)]).after(&[0, 0, 1], &[(0, Stage::Arrived, 0)]);
    /// let error = flows.unwrap().enough(&[0, 2]).unwrap_err();
    /// assert_eq!(error.to_string(), "enough: flow 1, found 2; allowed: 1 to 1");
    /// ```
    pub fn enough(mut self, enough: &[u32]) -> Result<Self, Error> {
        if enough.len() != self.flows.len() {
            return invalid("enough", format!("{} entries for {} flows", enough.len(), self.flows.len()));
        }
        for (flow, (needed, waiting)) in enough.iter().zip(&mut self.waiting).enumerate() {
            let least = 1.min(*waiting);
            if !(least..=*waiting).contains(needed) {
                return refused("enough", format!("flow {flow}"), needed, format!("{least} to {waiting}"));
            }
            *waiting = *needed;
        }
        Ok(self)
    }

    /// The same where flow `f` that waits for others counts its start from `earliest[f]` at the earliest.
    ///
    /// ```
    /// # use pnet_core::sim::FlowList;
    /// let error = FlowList::new([(0, 1, 1500, 0)]).not_before(vec![]).unwrap_err();
    /// assert_eq!(error.to_string(), "earliest: 0 entries for 1 flows");
    /// ```
    pub fn not_before(mut self, earliest: Vec<Time>) -> Result<Self, Error> {
        if earliest.len() != self.flows.len() {
            return invalid("earliest", format!("{} entries for {} flows", earliest.len(), self.flows.len()));
        }
        self.met = earliest;
        Ok(self)
    }

    /// The same flows over connections that they share: flow `f` is sent over that which flow `connection[f]` is the
    /// first on, and begins with a handshake where `opens[f]`.
    ///
    /// ```
    /// # use pnet_core::sim::FlowList;
    /// let flows = FlowList::new([(0, 1, 1500, 0), (1, 0, 1500, 7)]);
    /// let error = flows.over(&[0], &[true, false]).unwrap_err();
    /// assert_eq!(error.to_string(), "connection: 1 entries for 2 flows");
    /// ```
    pub fn over(mut self, connection: &[u32], opens: &[bool]) -> Result<Self, Error> {
        for (what, found) in [("connection", connection.len()), ("opens", opens.len())] {
            if found != self.flows.len() {
                return invalid(what, format!("{found} entries for {} flows", self.flows.len()));
            }
        }
        if opens.iter().all(|opens| *opens) && connection.iter().zip(0..).all(|(first, flow)| *first == flow) {
            return Ok(self);
        }
        let mut last: HashMap<(u32, bool), u32> = HashMap::new();
        for i in 0..self.flows.len() {
            let Flow { id, src, dst, .. } = self.flows[i];
            let follows = last.insert((connection[i], src < dst), id);
            if let Some(before) = follows {
                self.flows[before as usize].session.followed = true;
            }
            let session = &mut self.flows[i].session;
            (session.connection, session.opens, session.follows) = (connection[i], opens[i], follows);
        }
        Ok(self)
    }
}

impl Source for FlowList {
    fn next(&self) -> Time {
        self.ready.peek().map_or(NEVER, |Reverse((time, _))| *time)
    }

    fn start(&mut self, now: Time, flows: &mut Vec<Flow>) {
        while let Some(Reverse((start, id))) = self.ready.peek().copied().filter(|first| first.0.0 <= now) {
            self.ready.pop();
            self.started[id as usize] = true;
            flows.push(Flow { start, ..self.flows[id as usize] });
        }
    }

    fn reached(&mut self, id: u32, stage: Stage, now: Time) {
        let children = match stage {
            Stage::Arrived => &self.on_arrival,
            Stage::Acknowledged => &self.on_acknowledgement,
        };
        for (child, pause) in children.of(id as usize) {
            let (waiting, met) = (&mut self.waiting[*child as usize], &mut self.met[*child as usize]);
            if *waiting == 0 {
                continue;
            }
            *waiting -= 1;
            *met = now.saturating_add(*pause).max(*met);
            if *waiting == 0 {
                let start = met.saturating_add(self.flows[*child as usize].start);
                self.ready.push(Reverse((start, *child)));
            }
        }
    }

    /// Of flows that still wait, the start is [`NEVER`].
    fn unstarted(&self) -> Vec<Flow> {
        let mut left: Vec<Flow> = self.flows.iter().filter(|flow| !self.started[flow.id as usize]).copied().collect();
        left.iter_mut().for_each(|flow| flow.start = NEVER);
        for Reverse((start, id)) in &self.ready {
            if let Ok(place) = left.binary_search_by_key(id, |flow| flow.id) {
                left[place].start = *start;
            }
        }
        left
    }

    fn total(&self) -> Option<usize> {
        Some(self.flows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn started(source: &mut FlowList, now: Time) -> Vec<(u32, Time)> {
        let mut flows = vec![];
        source.start(now, &mut flows);
        flows.iter().map(|flow| (flow.id, flow.start)).collect()
    }

    /// Three flows one after the other, and one that waits for the first two.
    #[test]
    fn flows_start_when_what_they_wait_for_is_done() {
        let flows = [(0, 1, 1, 5), (1, 0, 1, 10), (0, 1, 1, 0), (1, 2, 1, 3)];
        let after = [0, 1, 0, 1].map(|parent| (parent, Stage::Acknowledged, 0));
        let mut source = FlowList::new(flows).after(&[0, 0, 1, 2, 4], &after).unwrap();
        assert_eq!((source.next(), source.total()), (5, Some(4)));
        assert_eq!(started(&mut source, 5), [(0, 5)]);
        assert_eq!(source.next(), NEVER);
        source.reached(0, Stage::Arrived, 90);
        assert_eq!(source.next(), NEVER);
        source.reached(0, Stage::Acknowledged, 100);
        assert_eq!(source.next(), 110);
        assert_eq!(source.unstarted().iter().map(|flow| flow.start).collect::<Vec<_>>(), [110, NEVER, NEVER]);
        assert_eq!(started(&mut source, 110), [(1, 110)]);
        source.reached(1, Stage::Acknowledged, 200);
        assert_eq!(started(&mut source, 203), [(2, 200), (3, 203)]);
        assert_eq!((source.next(), source.unstarted()), (NEVER, vec![]));
    }

    /// One flow waits for another to arrive, one for its acknowledgement, one for both.
    #[test]
    fn arrival_and_acknowledgement_are_told_apart() {
        let after = [0, 1, 0, 1].map(|known| (0, if known == 1 { Stage::Acknowledged } else { Stage::Arrived }, 0));
        let mut source = FlowList::new([(0, 1, 1, 0); 4]).after(&[0, 0, 1, 2, 4], &after).unwrap();
        assert_eq!(started(&mut source, 0), [(0, 0)]);
        source.reached(0, Stage::Arrived, 10);
        assert_eq!(started(&mut source, 10), [(1, 10)]);
        source.reached(0, Stage::Acknowledged, 20);
        assert_eq!(started(&mut source, 20), [(2, 20), (3, 20)]);
    }

    /// Two of three are enough for the last flow; what comes later changes nothing.
    #[test]
    fn the_first_of_those_waited_for_count() {
        let after = [0, 1, 2].map(|parent| (parent, Stage::Arrived, 0));
        let list = FlowList::new([(0, 1, 1, 0); 4]).after(&[0, 0, 0, 0, 3], &after).unwrap();
        let mut source = list.enough(&[0, 0, 0, 2]).unwrap();
        started(&mut source, 0);
        for (flow, at) in [(2, 5), (0, 8), (1, 9)] {
            source.reached(flow, Stage::Arrived, at);
            source.reached(flow, Stage::Acknowledged, at);
        }
        assert_eq!(source.next(), 8);
        assert_eq!(started(&mut source, 9), [(3, 8)]);
        assert_eq!(source.next(), NEVER);
    }

    /// The pause after an earlier flow may be what holds a flow up longest, or its earliest time, or neither.
    #[test]
    fn pauses_count_from_what_each_is_after() {
        let flows = [(0, 1, 1, 0), (0, 1, 1, 0), (1, 2, 1, 0), (1, 2, 1, 2)];
        let after = [(0, Stage::Arrived, 50), (1, Stage::Arrived, 0), (0, Stage::Arrived, 1)];
        for (second, earliest, expected) in [(20, 0, 60), (90, 0, 90), (20, 75, 75)] {
            let source = FlowList::new(flows).after(&[0, 0, 0, 2, 3], &after).unwrap();
            let mut source = source.not_before(vec![0, 0, earliest, 0]).unwrap();
            assert_eq!(started(&mut source, 0).len(), 2);
            source.reached(0, Stage::Arrived, 10);
            assert_eq!(started(&mut source, 13), [(3, 13)]);
            source.reached(1, Stage::Arrived, second);
            assert_eq!(source.next(), expected);
        }
    }

    /// A flow takes over from the one before it in its direction.
    #[test]
    fn flows_of_a_connection_follow_each_other() {
        let flows = [(0, 1, 1, 0), (1, 0, 1, 0), (0, 1, 1, 0), (0, 1, 1, 0)];
        let source = FlowList::new(flows);
        let source = source.over(&[0, 0, 0, 3], &[true, false, false, true]).unwrap();
        let sessions: Vec<_> = source.flows.iter().map(|flow| flow.session).collect();
        let found: Vec<_> = sessions.iter().map(|s| (s.connection, s.opens, s.follows, s.followed)).collect();
        assert_eq!(
            found,
            [(0, true, None, true), (0, false, None, false), (0, false, Some(0), false), (3, true, None, false)]
        );
    }

    proptest! {
        /// Every flow starts once, not before what it waits for, whatever waits for what.
        #[test]
        fn every_flow_starts_once(parents in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..30)) {
            let mut ptr = vec![0];
            let mut after = vec![];
            for (flow, chosen) in parents.iter().enumerate() {
                if flow > 0 {
                    let stage = |odd| if odd { Stage::Arrived } else { Stage::Acknowledged };
                    after.extend(chosen.iter().map(|index| (index.index(flow) as u32, stage(flow % 2 == 1), flow as Time)));
                }
                ptr.push(after.len());
            }
            let flows = (0..parents.len()).map(|i| (0, 1, 1, i as Time));
            let mut source = FlowList::new(flows).after(&ptr, &after).unwrap();
            let mut ends = vec![None; parents.len()];
            while source.next() != NEVER {
                let (now, mut flows) = (source.next(), vec![]);
                source.start(now, &mut flows);
                for flow in flows {
                    let id = flow.id as usize;
                    prop_assert_eq!(ends[id], None);
                    for (parent, _, pause) in &after[ptr[id]..ptr[id + 1]] {
                        prop_assert!(ends[*parent as usize].unwrap() + pause <= now);
                    }
                    ends[id] = Some(now);
                    source.reached(flow.id, Stage::Arrived, now);
                    source.reached(flow.id, Stage::Acknowledged, now);
                }
            }
            prop_assert!(ends.iter().all(Option::is_some));
        }
    }
}
