//! Timers of connections, each in a lane of the events.

use super::Clock;
use crate::sim::events::Events;
use crate::sim::time::{NEVER, Time};

/// All timers, `i` of a connection `c` being `c * each + i`.
pub(super) struct Timers {
    /// How many a connection has.
    each: u32,
    /// Lane of the first.
    first_lane: u32,
    deadlines: Vec<Time>,
}

impl Timers {
    pub(super) fn new(each: u32, first_lane: u32) -> Self {
        Timers { each, first_lane, deadlines: vec![] }
    }

    /// Makes room for those of so many connections.
    pub(super) fn grow(&mut self, connections: u32, events: &mut Events) {
        let timers = (connections * self.each) as usize;
        self.deadlines.resize(self.deadlines.len().max(timers), NEVER);
        events.grow(self.first_lane as usize + timers);
    }

    /// Lets a timer fire at `time`.  Only an earlier time touches the calendar: a later one is seen when the timer fires too
    /// early.
    #[inline]
    pub(super) fn arm(&mut self, connection: u32, which: u32, time: Time, events: &mut Events) {
        let timer = connection * self.each + which;
        self.deadlines[timer as usize] = time;
        let lane = self.first_lane + timer;
        if time < events.pending(lane) {
            events.reschedule_earlier(lane, time);
        }
    }

    #[inline]
    pub(super) fn disarm(&mut self, connection: u32, which: u32) {
        self.deadlines[(connection * self.each + which) as usize] = NEVER;
    }

    #[inline]
    pub(super) fn armed(&self, connection: u32, which: u32) -> bool {
        self.deadlines[(connection * self.each + which) as usize] != NEVER
    }

    /// Disarms those of so many connections from one on.
    pub(super) fn disarm_all(&mut self, connection: u32, connections: u32) {
        self.deadlines[(connection * self.each) as usize..][..(connections * self.each) as usize].fill(NEVER);
    }

    /// The connection of a timer that fires and is due, and which of its timers it is; if it is due later, it will fire
    /// again.
    #[inline]
    pub(super) fn due(&mut self, timer: u32, clock: &mut Clock) -> Option<(u32, u32)> {
        let deadline = std::mem::replace(&mut self.deadlines[timer as usize], NEVER);
        if deadline > clock.now {
            self.deadlines[timer as usize] = deadline;
            clock.events.push(self.first_lane + timer, deadline);
            return None;
        }
        Some((timer / self.each, timer % self.each))
    }
}
