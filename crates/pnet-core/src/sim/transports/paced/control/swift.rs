//! Swift (Kumar et al., SIGCOMM 2020, section 3 and algorithm 1): the window follows the round-trip time.
//!
//! Below a target it grows by a packet a round trip, above it shrinks in proportion to the excess, once a round trip.  The
//! target grows with the path, and with the number of flows that share a link, of which a small window is the sign
//! (section 3.5).  Windows below one packet become a pause between packets.
//!
//! What the paper calls the round-trip time, between two decreases and for the pause, is the last one measured.
//!
//! Deviations: hosts take no time for a packet, so there is no window for what the far end needs (section 3.3); the paper
//! has numbers for few parameters.

use super::super::super::super::time::{NEVER, Time};
use super::super::super::super::values::parameters;
use super::{Acked, Control, Idle, Loss, Pace, Pacing, States};
use crate::error::{Error, invalid};

/// Parameters.
#[derive(Debug, Clone)]
pub struct Swift {
    /// First window in packets.
    pub initial_window: f64,
    /// Target of a flow alone on a path without switches.
    pub base_target: Time,
    /// What each switch on the path adds.
    pub per_hop: Time,
    /// What small windows add at most, and the windows in packets between which that falls to nothing.
    pub flow_range: Time,
    /// See `flow_range`.
    pub flow_least: f64,
    /// See `flow_range`.
    pub flow_most: f64,
    /// Packets that the window grows by in a round trip.
    pub additive: f64,
    /// Part of the excess over the target, relative to the round-trip time, that the window shrinks by.
    pub beta: f64,
    /// Part of the window that it shrinks by at most.
    pub most_decrease: f64,
    /// Windows in packets.
    pub least_window: f64,
    /// See `least_window`.
    pub most_window: f64,
    /// Timeouts in a row after which the window is the least.
    pub reset_after: u32,
}

parameters!(Swift:
    initial_window, base_target, per_hop, flow_range, flow_least, flow_most, additive, beta, most_decrease, least_window,
    most_window, reset_after,
);

impl Pacing for Swift {
    fn check(&self) -> Result<(), Error> {
        let ordered = |low: f64, high: f64| low > 0.0 && low < high && high.is_finite();
        if !ordered(self.flow_least, self.flow_most) || !ordered(self.least_window, self.most_window) {
            return invalid("swift", "windows are positive, and the least is below the most");
        }
        if !((0.0..1.0).contains(&self.most_decrease) && self.beta > 0.0 && self.additive > 0.0) {
            return invalid("swift", "a window grows, and shrinks by a part of it");
        }
        Ok(())
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Windows { params: self.clone(), states: States::default() })
    }
}

impl Swift {
    /// The target of a flow with this window over so many links.
    pub(super) fn target(&self, window: f64, links: u32) -> Time {
        let root = |window: f64| 1.0 / window.sqrt();
        let slope = self.flow_range as f64 / (root(self.flow_least) - root(self.flow_most));
        let flows = slope * (root(window) - root(self.flow_most));
        let flows = flows.clamp(0.0, self.flow_range as f64) as Time;
        self.base_target + self.per_hop * Time::from(links.saturating_sub(1)) + flows
    }
}

/// A connection.
#[derive(Debug, Clone, Default)]
struct State {
    window: f64,
    links: u32,
    /// The last round-trip time.
    rtt: Time,
    /// When the window last shrank.
    shrunk: Option<Time>,
    timeouts: u32,
}

impl State {
    fn can_shrink(&self, now: Time) -> bool {
        self.shrunk.is_none_or(|time| now - time >= self.rtt)
    }

    fn set(&mut self, window: f64, params: &Swift, now: Time) {
        let window = window.clamp(params.least_window, params.most_window);
        if window < self.window {
            self.shrunk = Some(now);
        }
        self.window = window;
    }
}

/// All connections.
struct Windows {
    params: Swift,
    states: States<State>,
}

impl Control for Windows {
    fn open(&mut self, connection: u32, idle: &Idle) {
        let window = self.params.initial_window.clamp(self.params.least_window, self.params.most_window);
        let state = State { window, links: idle.links, rtt: idle.rtt, shrunk: None, timeouts: 0 };
        self.states.open(connection, state);
    }

    fn pace(&self, connection: u32) -> Pace {
        let State { window, rtt, .. } = *self.states.of(connection);
        let gap = if window < 1.0 { (rtt as f64 / window) as Time } else { 0 };
        Pace { window, gap, in_a_round_trip: window, wakes: NEVER, credits: u32::MAX }
    }

    fn acked(&mut self, connection: u32, Acked { segments, rtt, now, .. }: Acked) {
        let state = self.states.of_mut(connection);
        let target = self.params.target(state.window, state.links);
        state.rtt = rtt;
        let can_shrink = state.can_shrink(now);
        state.timeouts = 0;
        let window = state.window;
        if rtt < target {
            let grown = self.params.additive * f64::from(segments) / window.max(1.0);
            state.set(window + grown, &self.params, now);
        } else if can_shrink {
            let excess = self.params.beta * (rtt - target) as f64 / rtt as f64;
            state.set(window * (1.0 - excess.min(self.params.most_decrease)), &self.params, now);
        }
    }

    fn lost(&mut self, connection: u32, loss: Loss, now: Time) {
        let state = self.states.of_mut(connection);
        state.timeouts = if loss == Loss::Timeout { state.timeouts + 1 } else { 0 };
        let window = state.window;
        if state.timeouts >= self.params.reset_after {
            state.set(self.params.least_window, &self.params, now);
        } else if state.can_shrink(now) {
            state.set(window * (1.0 - self.params.most_decrease), &self.params, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::super::time::MICROSECOND;
    use super::*;

    const US: Time = MICROSECOND;

    fn swift() -> Swift {
        Swift {
            initial_window: 10.0,
            base_target: 25 * US,
            per_hop: US,
            flow_range: 100 * US,
            flow_least: 0.25,
            flow_most: 100.0,
            additive: 1.0,
            beta: 0.8,
            most_decrease: 0.5,
            least_window: 0.01,
            most_window: 1000.0,
            reset_after: 2,
        }
    }

    fn opened() -> Box<dyn Control> {
        let mut control = swift().build();
        control.open(0, &Idle { rtt: 20 * US, links: 6, bits: 10_000_000_000, size: 1500 });
        control
    }

    fn ack(rtt: Time, now: Time) -> Acked {
        Acked { segments: 1, marked: false, rtt, now, unacked: 0, under_way: 1 }
    }

    /// Five switches; from 100 packets on the window adds nothing, at a quarter of one it adds all, at one packet
    /// (1 - 0.1) / (2 - 0.1) of it.
    #[test]
    fn the_target_grows_with_hops_and_with_small_windows() {
        let target = |window| swift().target(window, 6);
        assert_eq!((target(100.0), target(1000.0)), (30 * US, 30 * US));
        assert_eq!((target(0.25), target(0.01)), (130 * US, 130 * US));
        assert_eq!(target(1.0), 30 * US + (100e6 * 0.9 / 1.9) as Time);
    }

    /// Below the target a packet a round trip; at twice the target 0.8 / 2 of the window, and nothing more for a round trip.
    #[test]
    fn the_window_follows_the_delay() {
        let mut control = opened();
        control.acked(0, ack(20 * US, 100 * US));
        assert_eq!(control.pace(0).window, 10.1);
        let target = swift().target(10.1, 6);
        control.acked(0, ack(2 * target, 101 * US));
        assert!((control.pace(0).window - 10.1 * 0.6).abs() < 1e-9);
        control.acked(0, ack(2 * target, 102 * US));
        assert!((control.pace(0).window - 10.1 * 0.6).abs() < 1e-9);
        // However long the round trip, a half at most.
        control.acked(0, ack(90 * target, 100_000 * US));
        assert!((control.pace(0).window - 10.1 * 0.3).abs() < 1e-9);
    }

    /// Half a window is a packet every other round trip.
    #[test]
    fn windows_below_a_packet_are_pauses() {
        let mut control = opened();
        for i in 1..=4 {
            control.lost(0, Loss::Gap, i * 100 * US);
        }
        let pace = control.pace(0);
        assert_eq!((pace.window, pace.gap), (0.625, 32 * US));
        // The second timeout in a row makes it the least.
        control.lost(0, Loss::Timeout, 500 * US);
        assert_eq!(control.pace(0).window, 0.3125);
        control.lost(0, Loss::Timeout, 501 * US);
        assert_eq!(control.pace(0).window, 0.01);
    }
}
