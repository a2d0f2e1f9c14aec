//! NSCC, the congestion control of senders in Ultra Ethernet (specification 1.0, section 3.6.13): a window set by the delay
//! and the mark of every answer.
//!
//! | mark | delay | window |
//! |---|---|---|
//! | no | below the target | grows in proportion to what is left to the target; fast where there has been no delay for a window |
//! | no | above it | grows by a fair share, the same for all flows |
//! | yes | below it | stays: queues are uneven, and paths are to change |
//! | yes | above it | shrinks by the excess of the mean delay, once a round trip |
//!
//! After a loss or a very long delay, if little has arrived in the last round trip, the window becomes what has: quick
//! adaptation.  Growth is collected and applied every few packets, and a small constant is added every round trip.
//!
//! The delay is what a round trip takes longer than in the idle network.  Constants of growth scale with the window that
//! fills the path, relative to that of 100 Gb/s and 12 us.

use super::super::super::super::time::{MICROSECOND, NEVER, Time};
use super::super::super::super::values::parameters;
use super::{Acked, Control, Idle, Loss, Pace, Pacing, States};
use crate::error::{Error, invalid};

/// The window, in bytes, that constants refer to: 100 Gb/s for 12 us.
const REFERENCE_BYTES: f64 = 150_000.0;
const REFERENCE_RTT: Time = 12 * MICROSECOND;

/// Answers between two applications of what the window grows by.
const ADJUST: u32 = 8;

/// Delay below which queues count as empty.
const NO_DELAY: Time = MICROSECOND;

/// Parameters.
#[derive(Debug, Clone)]
pub struct Nscc {
    /// Target of the delay, as a part of the idle round trip.
    pub target: f64,
    /// Most window, and the first, as a part of what fills the path.
    pub most_window: f64,
    /// Part of the relative excess of the delay that the window shrinks by.
    pub gamma: f64,
    /// Weight of an answer in the mean delay.
    pub gain: f64,
    /// Packets for each, beside the scale: of proportional growth, of fair growth, of the constant, of fast growth.
    pub proportional: f64,
    /// See `proportional`.
    pub fair: f64,
    /// See `proportional`.
    pub constant: f64,
    /// See `proportional`.
    pub fast: f64,
    /// Quick adaptation where less than the most window over 2 to this has arrived.
    pub quick_gate: u32,
    /// And where the delay is above so many targets, or something was lost.
    pub quick_delay: f64,
}

parameters!(Nscc:
    target, most_window, gamma, gain, proportional, fair, constant, fast, quick_gate, quick_delay,
);

impl Pacing for Nscc {
    fn check(&self) -> Result<(), Error> {
        let positive = [self.target, self.most_window, self.gamma, self.quick_delay];
        if positive.iter().any(|value| *value <= 0.0 || !value.is_finite()) || !(self.gain > 0.0 && self.gain <= 1.0) {
            return invalid("nscc", "targets, windows and decreases are positive, and the gain is a part of 1");
        }
        Ok(())
    }

    fn reacts_to_marks(&self) -> bool {
        true
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Windows { params: self.clone(), states: States::default() })
    }
}

/// A connection; windows are in packets.
#[derive(Debug, Clone, Default)]
struct State {
    window: f64,
    most: f64,
    /// What fills the path over the reference.
    scale: f64,
    base: Time,
    target: Time,
    mean: f64,
    /// What the window grows by, times the window.
    grown: f64,
    /// Answers since that was applied, and when the constant was added.
    answers: u32,
    adjusted: Time,
    /// Packets without any delay, and whether the window grows fast.
    undelayed: f64,
    fast: bool,
    shrunk: Option<Time>,
    /// What has arrived in this round, and when it ends.
    achieved: u32,
    ends: Option<Time>,
    lost: bool,
    /// Answers to packets of before a quick adaptation, which are yet to come.
    ignored: u32,
}

impl State {
    fn bound(&mut self) {
        self.window = self.window.clamp(1.0, self.most);
    }

    /// Adapts the window at the end of a round where it is far too large; returns whether this answer has had its effect.
    fn quick(&mut self, params: &Nscc, delay: Time, segments: u32, under_way: u32, now: Time) -> bool {
        let ignored = self.ignored > 0;
        self.ignored = self.ignored.saturating_sub(segments);
        if ignored {
            return true;
        }
        if self.ends.is_none_or(|ends| now <= ends) {
            self.ends.get_or_insert(now + self.base + self.target);
            return false;
        }
        let far = self.lost || delay as f64 > params.quick_delay * self.target as f64;
        let little = f64::from(self.achieved) < self.most / f64::from(1_u32 << params.quick_gate.min(31));
        let adapts = far && little;
        if adapts {
            self.window = f64::from(self.achieved).max(1.0);
            self.ignored = under_way;
            (self.lost, self.grown, self.answers) = (false, 0.0, 0);
        }
        self.achieved = 0;
        self.ends = Some(now + self.base + self.target);
        adapts
    }

    fn grow_fast(&mut self, params: &Nscc, delay: Time, segments: f64) -> bool {
        if delay >= NO_DELAY {
            (self.undelayed, self.fast) = (0.0, false);
            return false;
        }
        self.undelayed += segments;
        self.fast |= self.undelayed > self.window;
        if self.fast {
            self.window += segments * params.fast * self.scale;
        }
        self.fast
    }

    fn shrink(&mut self, params: &Nscc, now: Time) {
        (self.undelayed, self.fast) = (0.0, false);
        let target = self.target as f64;
        if self.mean > target && self.shrunk.is_none_or(|time| now - time > self.base) {
            let excess = params.gamma * (self.mean - target) / self.mean;
            self.window *= (1.0 - excess).max(0.5);
            self.shrunk = Some(now);
        }
    }
}

/// All connections.
struct Windows {
    params: Nscc,
    states: States<State>,
}

impl Control for Windows {
    fn open(&mut self, connection: u32, idle: &Idle) {
        let fills = idle.rtt as f64 / idle.gap(idle.bits as f64);
        let most = (self.params.most_window * fills).max(1.0);
        let state = State {
            window: most,
            most,
            scale: fills * f64::from(idle.size) / REFERENCE_BYTES,
            base: idle.rtt,
            target: ((self.params.target * idle.rtt as f64) as Time).max(1),
            ..State::default()
        };
        self.states.open(connection, state);
    }

    fn pace(&self, connection: u32) -> Pace {
        let window = self.states.of(connection).window;
        Pace { window, gap: 0, in_a_round_trip: window, wakes: NEVER, credits: u32::MAX }
    }

    fn acked(&mut self, connection: u32, Acked { segments, marked, rtt, now, under_way, .. }: Acked) {
        let (params, state) = (&self.params, self.states.of_mut(connection));
        let delay = rtt.saturating_sub(state.base);
        let high = delay >= state.target;
        // A long delay without a mark is that of one path, and says little of the others.
        let counts = if high && !marked { state.base as f64 / 4.0 } else { delay as f64 };
        state.mean += params.gain * (counts - state.mean);
        state.achieved += segments;
        if state.quick(params, delay, segments, under_way, now) {
            return;
        }
        let acked = f64::from(segments);
        match (marked, high) {
            (false, true) => state.grown += params.fair * state.scale * acked,
            (false, false) => {
                if !state.grow_fast(params, delay, acked) {
                    let left = (state.target - delay) as f64 / REFERENCE_RTT as f64;
                    state.grown += params.proportional * state.scale * acked * left;
                }
            }
            (true, true) => state.shrink(params, now),
            (true, false) => {}
        }
        state.bound();
        state.answers += segments;
        let round = now - state.adjusted >= state.base;
        if state.answers > ADJUST || round {
            state.window += state.grown / state.window;
            if round {
                state.window += params.constant * state.scale;
                state.adjusted = now;
            }
            (state.grown, state.answers) = (0.0, 0);
            state.bound();
        }
    }

    fn lost(&mut self, connection: u32, loss: Loss, _: Time) {
        let state = self.states.of_mut(connection);
        state.lost = true;
        if loss == Loss::Trimmed {
            // The queue was full: the delay is taken to be an idle round trip.
            state.mean += self.params.gain * (state.base as f64 - state.mean);
        }
        if state.ignored > 0 {
            state.ignored -= 1;
        } else {
            state.window -= 1.0;
            state.bound();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Time = MICROSECOND;

    fn nscc() -> Nscc {
        Nscc {
            target: 0.75,
            most_window: 1.5,
            gamma: 0.8,
            gain: 0.5,
            proportional: 4.0,
            fair: 5.0,
            constant: 0.15,
            fast: 0.25,
            quick_gate: 3,
            quick_delay: 4.0,
        }
    }

    /// 100 Gb/s and 12 us: 100 packets of 1,500 bytes fill the path, the scale is 1, the target 9 us, the first window 150;
    /// a fifth of it has arrived, which is no reason to adapt.
    fn opened() -> Windows {
        let mut control = Windows { params: nscc(), states: States::default() };
        control.open(0, &Idle { rtt: 12 * US, links: 6, bits: 100_000_000_000, size: 1500 });
        let state = control.states.of_mut(0);
        (state.window, state.achieved, state.adjusted) = (100.0, 30, 1000 * US);
        control
    }

    fn ack(delay: Time, marked: bool, now: Time) -> Acked {
        Acked { segments: 1, marked, rtt: 12 * US + delay, now, unacked: 0, under_way: 50 }
    }

    /// The window after 16 equal answers, of which 9 and the rest are applied together.
    fn after(delay: Time, marked: bool) -> f64 {
        let mut control = opened();
        (0..9).for_each(|_| control.acked(0, ack(delay, marked, 1001 * US)));
        control.pace(0).window
    }

    #[test]
    fn the_four_cases() {
        assert_eq!(opened().pace(0).window, 100.0);
        // No mark, 3 of 9 us: 4 packets for every 12 us left, over the window: nine times 4 * 6 / 12 / 100.
        assert!((after(3 * US, false) - 100.18).abs() < 1e-9);
        // No mark, above the target: nine times 5 / 100.
        assert!((after(12 * US, false) - 100.45).abs() < 1e-9);
        // A mark below the target changes nothing.
        assert_eq!(after(3 * US, true), 100.0);
        // A mark above it: the mean of 0 and 18 us is the target still, that with the next answer 13.5, a third above it; once.
        assert!((after(18 * US, true) - 100.0 * (1.0 - 0.8 / 3.0)).abs() < 1e-9);
    }

    /// The first window is the most, and a trimmed packet takes one off; so little has arrived at the end of the round that
    /// the window becomes that, and what was under way then changes nothing any more.
    #[test]
    fn quick_adaptation() {
        let mut control = opened();
        let state = control.states.of_mut(0);
        (state.window, state.achieved) = (150.0, 0);
        control.lost(0, Loss::Trimmed, 1000 * US);
        assert_eq!(control.pace(0).window, 149.0);
        (0..10).for_each(|i| control.acked(0, ack(50 * US, true, (1000 + i) * US)));
        assert!(control.pace(0).window > 70.0);
        // The round lasts 12 us and the target of 9, from 1000 us on; this is the eleventh packet.
        control.acked(0, ack(50 * US, true, 1022 * US));
        assert_eq!(control.pace(0).window, 11.0);
        (0..50).for_each(|_| control.acked(0, ack(50 * US, true, 1040 * US)));
        assert_eq!(control.pace(0).window, 11.0);
    }

    /// A window without any delay, and then a quarter of a packet for each that arrives.
    #[test]
    fn fast_growth_after_a_window_without_delay() {
        let mut control = opened();
        control.states.of_mut(0).window = 20.0;
        for i in 0..20 {
            control.acked(0, ack(0, false, (1001 * 1000 + i) * US / 1000));
        }
        let before = control.pace(0).window;
        assert!(before < 24.0);
        (0..40).for_each(|i| control.acked(0, ack(0, false, (1001 * 1000 + 30 + i) * US / 1000)));
        let after = control.pace(0).window;
        assert!((after - before) > 30.0 * 0.25 && (after - before) <= 40.0 * 0.25 + 0.3, "{before} {after}");
        // It never exceeds the most.
        (0..1000).for_each(|i| control.acked(0, ack(0, false, (1001 * 1000 + 100 + i) * US / 1000)));
        assert_eq!(control.pace(0).window, 150.0);
    }
}
