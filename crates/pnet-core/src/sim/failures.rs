//! Links that are down for a while, or for good.
//!
//! A packet is lost if its link is down at any moment from the first bit's departure to the last bit's arrival; a port goes
//! on sending into a link that is down.  Paths that are chosen avoid what is down from the start; what fails or comes back
//! later they take note of after a while.  Where they never do, flows under way keep their paths, but those that start later
//! may use what was down at the start and is back.

use super::fabric::Fabric;
use super::time::{NEVER, Time};
use crate::error::{Error, invalid, refused};

/// A time in which a link is down, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The port that sends into it.
    pub port: u32,
    /// First moment.
    pub from: Time,
    /// First moment after it; [`NEVER`] where it does not come back.
    pub until: Time,
}

/// What fails in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failures {
    /// When which link is down.  A failed cable is two of them, a failed switch those of all its cables.
    pub outages: Vec<Outage>,
    /// How long paths need to take note of a change; none where those of flows under way never do.
    pub repair: Option<Time>,
}

/// The same, as a run needs it.
#[derive(Debug, Default)]
pub(super) struct Down {
    /// Of each port, if any fails at all.
    outages: Vec<Vec<(Time, Time)>>,
    /// When paths learn that a port can or cannot be used; the next one last.
    changes: Vec<(Time, u32, bool)>,
    /// Whether flows under way learn of it, too.
    adapts: bool,
    /// Time by which these times are ahead of the clock, as the run has skipped it.
    pub(super) skipped: Time,
}

impl Failures {
    /// Checks what fails, and excludes from the paths of `fabric` what is down from the start.
    pub(super) fn build(&self, fabric: &mut Fabric) -> Result<Down, Error> {
        if self.outages.is_empty() {
            return Ok(Down::default());
        }
        let mut outages = vec![vec![]; fabric.ports()];
        for Outage { port, from, until } in self.outages.iter().copied() {
            if port as usize >= fabric.ports() {
                return refused("failures", "unknown port", port, format!("0..{}", fabric.ports()));
            }
            if from >= until {
                return invalid("failures", format!("port {port} is down from {from} ps to {until} ps"));
            }
            outages[port as usize].push((from, until));
        }
        let mut changes = vec![];
        for (port, outages) in (0..).zip(&mut outages) {
            *outages = joined(std::mem::take(outages));
            for (from, until) in outages.iter().copied() {
                if from == 0 {
                    fabric.set_usable(port, false, 0);
                }
                if let (Some(repair), true) = (self.repair, from > 0) {
                    changes.push((from.saturating_add(repair), port, false));
                }
                if self.repair.is_some() || from == 0 {
                    changes.push((until.saturating_add(self.repair.unwrap_or(0)), port, true));
                }
            }
        }
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Down { outages, changes, adapts: self.repair.is_some(), skipped: 0 })
    }
}

/// The times in which a link is down, in order and without overlap.
fn joined(mut times: Vec<(Time, Time)>) -> Vec<(Time, Time)> {
    times.sort_unstable();
    let mut found: Vec<(Time, Time)> = vec![];
    for (from, until) in times {
        match found.last_mut() {
            Some((_, end)) if from <= *end => *end = until.max(*end),
            _ => found.push((from, until)),
        }
    }
    found
}

impl Down {
    /// Whether a link was down at any moment between two.
    #[inline]
    pub(super) fn between(&self, port: u32, first: Time, last: Time) -> bool {
        let outages = self.outages.get(port as usize).map_or(&[][..], Vec::as_slice);
        let (first, last) = (first + self.skipped, last + self.skipped);
        let next = outages.partition_point(|(_, until)| *until <= first);
        outages.get(next).is_some_and(|(from, _)| *from <= last)
    }

    /// Whether a link fails, and is not back any more.
    pub(super) fn for_good(&self, port: u32) -> bool {
        self.outages.get(port as usize).and_then(|outages| outages.last()).is_some_and(|(_, until)| *until == NEVER)
    }

    /// Whether anything fails.
    pub(super) fn fails(&self) -> bool {
        !self.outages.is_empty()
    }

    /// When paths learn of the next change.
    pub(super) fn next(&self) -> Time {
        self.changes.last().map_or(NEVER, |(time, ..)| self.inside(*time))
    }

    /// A time as the clock has it.
    fn inside(&self, time: Time) -> Time {
        if time == NEVER { NEVER } else { time.saturating_sub(self.skipped) }
    }

    /// When the next link fails or is back after `now`, or paths learn of it.
    pub(super) fn boundary(&self, now: Time) -> Time {
        let times = self.outages.iter().flatten().flat_map(|(from, until)| [*from, *until]);
        times.map(|time| self.inside(time)).filter(|time| *time > now).min().unwrap_or(NEVER).min(self.next())
    }

    /// Whether flows under way learn of changes; otherwise only those that start later do.
    pub(super) fn adapts(&self) -> bool {
        self.adapts
    }

    /// Tells the paths what they learn by `now`.
    pub(super) fn apply(&mut self, now: Time, fabric: &mut Fabric) {
        let now = now + self.skipped;
        while let Some((time, port, usable)) = self.changes.pop_if(|(time, ..)| *time <= now) {
            fabric.set_usable(port, usable, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_overlap_or_touch_are_one() {
        assert_eq!(joined(vec![(7, 9), (0, 3), (3, 4), (8, NEVER), (1, 2)]), [(0, 4), (7, NEVER)]);
        assert_eq!(joined(vec![(5, 6), (0, 3)]), [(0, 3), (5, 6)]);
    }
}
