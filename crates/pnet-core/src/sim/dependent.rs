//! Flows that wait for others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::source::{Flow, Source};
use super::time::{NEVER, Time};
use crate::csr::Csr;
use crate::error::{Error, invalid};

/// Flows that are all known beforehand, some of which start only when others are complete.
#[derive(Debug)]
pub struct DependentFlows {
    /// `start` is a time, or how long after the last flow waited for.
    flows: Vec<Flow>,
    /// How many flows each one still waits for.
    waiting: Vec<u32>,
    /// The flows that wait for each.
    children: Csr<u32>,
    /// Flows that nothing holds back, by start.
    ready: BinaryHeap<Reverse<(Time, u32)>>,
    started: Vec<bool>,
}

impl DependentFlows {
    /// The flows `(src, dst, bytes, start)`, numbered as they stand here; flow `f` waits for
    /// `after[after_ptr[f]..after_ptr[f + 1]]`, and its start counts from the end of the last of them.
    ///
    /// ```
    /// # use pnet_core::sim::DependentFlows;
    /// let flows = || [(0, 1, 1500, 0), (1, 0, 1500, 7)];
    /// assert!(DependentFlows::new(flows(), &[0, 0, 1], &[0]).is_ok());
    /// let error = DependentFlows::new(flows(), &[0, 0, 1], &[2]).unwrap_err();
    /// assert_eq!(error.to_string(), "after: 2 is not in 0..2");
    /// ```
    pub fn new(
        flows: impl IntoIterator<Item = (u32, u32, u64, Time)>,
        after_ptr: &[usize],
        after: &[u32],
    ) -> Result<Self, Error> {
        let numbered =
            (0..).zip(flows).map(|(id, (src, dst, bytes, start))| Flow { id, src, dst, bytes, start });
        let flows: Vec<Flow> = numbered.collect();
        let count = flows.len();
        let ordered = after_ptr.first() == Some(&0) && after_ptr.windows(2).all(|w| w[0] <= w[1]);
        if !ordered || after_ptr.len() != count + 1 || after_ptr.last() != Some(&after.len()) {
            return invalid(
                "after_ptr",
                format!("not the ranges of {count} flows in {} entries", after.len()),
            );
        }
        if let Some(unknown) = after.iter().find(|parent| **parent as usize >= count) {
            return invalid("after", format!("{unknown} is not in 0..{count}"));
        }
        let waiting: Vec<u32> = after_ptr.windows(2).map(|w| (w[1] - w[0]) as u32).collect();
        let pairs = (0..count).flat_map(|flow| {
            after[after_ptr[flow]..after_ptr[flow + 1]].iter().map(move |parent| (*parent, flow as u32))
        });
        let children = Csr::new(count, pairs);
        let free = flows.iter().filter(|flow| waiting[flow.id as usize] == 0);
        let ready = free.map(|flow| Reverse((flow.start, flow.id))).collect();
        Ok(DependentFlows { started: vec![false; count], flows, waiting, children, ready })
    }
}

impl Source for DependentFlows {
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

    fn completed(&mut self, id: u32, now: Time) {
        for child in self.children.of(id as usize) {
            let waiting = &mut self.waiting[*child as usize];
            *waiting -= 1;
            if *waiting == 0 {
                let start = now.saturating_add(self.flows[*child as usize].start);
                self.ready.push(Reverse((start, *child)));
            }
        }
    }

    /// Of flows that still wait, the start is [`NEVER`].
    fn unstarted(&self) -> Vec<Flow> {
        let mut left: Vec<Flow> =
            self.flows.iter().filter(|flow| !self.started[flow.id as usize]).copied().collect();
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

    /// Three flows one after the other, and one that waits for the first two.
    #[test]
    fn flows_start_when_what_they_wait_for_is_done() {
        let flows = [(0, 1, 1, 5), (1, 0, 1, 10), (0, 1, 1, 0), (1, 2, 1, 3)];
        let mut source = DependentFlows::new(flows, &[0, 0, 1, 2, 4], &[0, 1, 0, 1]).unwrap();
        let started = |source: &mut DependentFlows, now| {
            let mut flows = vec![];
            source.start(now, &mut flows);
            flows.iter().map(|flow| (flow.id, flow.start)).collect::<Vec<_>>()
        };
        assert_eq!((source.next(), source.total()), (5, Some(4)));
        assert_eq!(started(&mut source, 5), [(0, 5)]);
        assert_eq!(source.next(), NEVER);
        source.completed(0, 100);
        assert_eq!(source.next(), 110);
        assert_eq!(source.unstarted().iter().map(|flow| flow.start).collect::<Vec<_>>(), [110, NEVER, NEVER]);
        assert_eq!(started(&mut source, 110), [(1, 110)]);
        source.completed(1, 200);
        assert_eq!(started(&mut source, 203), [(2, 200), (3, 203)]);
        assert_eq!((source.next(), source.unstarted()), (NEVER, vec![]));
    }

    proptest! {
        /// Every flow starts once, not before what it waits for, whatever waits for what.
        #[test]
        fn every_flow_starts_once(parents in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..30)) {
            let mut ptr = vec![0];
            let mut after = vec![];
            for (flow, chosen) in parents.iter().enumerate() {
                if flow > 0 {
                    after.extend(chosen.iter().map(|index| index.index(flow) as u32));
                }
                ptr.push(after.len());
            }
            let flows = (0..parents.len()).map(|i| (0, 1, 1, i as Time));
            let mut source = DependentFlows::new(flows, &ptr, &after).unwrap();
            let mut ends = vec![None; parents.len()];
            while source.next() != NEVER {
                let (now, mut flows) = (source.next(), vec![]);
                source.start(now, &mut flows);
                for flow in flows {
                    let id = flow.id as usize;
                    prop_assert_eq!(ends[id], None);
                    for parent in &after[ptr[id]..ptr[id + 1]] {
                        prop_assert!(ends[*parent as usize].unwrap() <= now);
                    }
                    ends[id] = Some(now);
                    source.completed(flow.id, now);
                }
            }
            prop_assert!(ends.iter().all(Option::is_some));
        }
    }
}
