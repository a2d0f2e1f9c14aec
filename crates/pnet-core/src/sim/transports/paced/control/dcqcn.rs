//! DCQCN (Zhu et al., SIGCOMM 2015, section 3): senders reduce their rate where receivers notify them of marks.
//!
//! A notification keeps the rate as the target and takes half of `alpha` off it; `alpha` estimates how often notifications
//! come (equations 1 and 2).  A timer and a counter of bytes count steps from then on.  For `recovery_steps` steps of both the
//! rate moves halfway to the target; then the target grows by `additive` a step, and once both are past `recovery_steps` by
//! multiples of `hyper` (equations 3 to 5, figure 7).
//!
//! A flow starts at the rate of its host's ports, and no rate is above it.

use super::super::super::super::time::{NEVER, Time};
use super::super::super::super::values::parameters;
use super::{Control, Idle, Pace, Pacing, States};
use crate::error::{Error, invalid};

/// Parameters.
#[derive(Debug, Clone)]
pub struct Dcqcn {
    /// Weight of a notification, or of its absence, in the estimate.
    pub gain: f64,
    /// After how long without a notification the estimate falls; again every such time.
    pub estimate_timer: Time,
    /// Length of a step in time and in bytes.
    pub rate_timer: Time,
    /// See `rate_timer`.
    pub byte_counter: u64,
    /// Steps of fast recovery.
    pub recovery_steps: u32,
    /// Bits a second that the target grows by in a step, first and later.
    pub additive: u64,
    /// See `additive`.
    pub hyper: u64,
    /// Least rate in bits a second.
    pub least: u64,
    /// Whether notifications change the rate at all.
    pub reacts: bool,
}

parameters!(Dcqcn: gain, estimate_timer, rate_timer, byte_counter, recovery_steps, additive, hyper, least, reacts);

impl Pacing for Dcqcn {
    fn check(&self) -> Result<(), Error> {
        if !(self.gain > 0.0 && self.gain <= 1.0) {
            return invalid("dcqcn", "the gain is a part of 1");
        }
        if self.estimate_timer == 0 || self.rate_timer == 0 || self.byte_counter == 0 || self.least == 0 {
            return invalid("dcqcn", "0; steps take time and bytes, and a rate is positive");
        }
        Ok(())
    }

    fn reacts_to_marks(&self) -> bool {
        self.reacts
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Rates { params: self.clone(), states: States::default() })
    }
}

/// A connection; rates are in bits a second.
#[derive(Debug, Clone, Default)]
struct State {
    idle: Idle,
    rate: f64,
    target: f64,
    alpha: f64,
    /// When the estimate was last right, once there was a notification.
    estimated: Option<Time>,
    /// Steps by the timer and by bytes since the last notification, and what there is of the next.
    times: u32,
    counts: u32,
    bytes: u64,
    /// When the next step by the timer is; never at full rate.
    wakes: Time,
}

impl State {
    fn line(&self) -> f64 {
        self.idle.bits as f64
    }

    /// A step by one of the two counters has been counted.
    fn step(&mut self, params: &Dcqcn) {
        let (most, least) = (self.times.max(self.counts), self.times.min(self.counts));
        if least > params.recovery_steps {
            self.target += f64::from(least - params.recovery_steps) * params.hyper as f64;
        } else if most > params.recovery_steps {
            self.target += params.additive as f64;
        }
        self.target = self.target.min(self.line());
        self.rate = f64::midpoint(self.rate, self.target);
        if self.line() - self.rate < 1.0 {
            self.rate = self.line();
            self.wakes = NEVER;
        }
    }
}

/// All connections.
struct Rates {
    params: Dcqcn,
    states: States<State>,
}

impl Control for Rates {
    fn open(&mut self, connection: u32, idle: &Idle) {
        let rate = idle.bits as f64;
        let state = State { idle: *idle, rate, target: rate, alpha: 1.0, wakes: NEVER, ..State::default() };
        self.states.open(connection, state);
    }

    fn pace(&self, connection: u32) -> Pace {
        let state = self.states.of(connection);
        let gap = state.idle.gap(state.rate);
        let in_a_round_trip = state.idle.rtt as f64 / gap;
        Pace { window: f64::INFINITY, gap: gap as Time, in_a_round_trip, wakes: state.wakes, credits: u32::MAX }
    }

    fn sent(&mut self, connection: u32, size: u16) {
        let state = self.states.of_mut(connection);
        if state.wakes == NEVER {
            return;
        }
        state.bytes += u64::from(size);
        if state.bytes >= self.params.byte_counter {
            state.bytes -= self.params.byte_counter;
            state.counts += 1;
            state.step(&self.params);
        }
    }

    fn notified(&mut self, connection: u32, now: Time) {
        if !self.params.reacts {
            return;
        }
        let Dcqcn { gain, estimate_timer, rate_timer, least, .. } = self.params;
        let state = self.states.of_mut(connection);
        if let Some(before) = state.estimated {
            let quiet = (now - before) / estimate_timer;
            state.alpha *= (1.0 - gain).powi(quiet.min(1 << 20) as i32);
        }
        state.target = state.rate;
        state.rate = (state.rate * (1.0 - state.alpha / 2.0)).max((least as f64).min(state.line()));
        state.alpha += gain * (1.0 - state.alpha);
        (state.estimated, state.times, state.counts, state.bytes) = (Some(now), 0, 0, 0);
        state.wakes = now.saturating_add(rate_timer);
    }

    fn wake(&mut self, connection: u32, now: Time) {
        let state = self.states.of_mut(connection);
        state.wakes = now.saturating_add(self.params.rate_timer);
        state.times += 1;
        state.step(&self.params);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::super::time::MICROSECOND;
    use super::*;

    const GBPS: f64 = 1e9;

    fn dcqcn() -> Dcqcn {
        Dcqcn {
            gain: 1.0 / 16.0,
            estimate_timer: 55 * MICROSECOND,
            rate_timer: 50 * MICROSECOND,
            byte_counter: 15_000,
            recovery_steps: 3,
            additive: 40_000_000,
            hyper: 400_000_000,
            least: 100_000_000,
            reacts: true,
        }
    }

    fn opened(params: Dcqcn) -> Box<dyn Control> {
        let mut control = params.build();
        control.open(0, &Idle { rtt: 12 * MICROSECOND, links: 6, bits: 40_000_000_000, size: 1500 });
        control
    }

    /// Bits a second, from the packets in a round trip of 12 us.
    fn rate(control: &dyn Control) -> f64 {
        control.pace(0).in_a_round_trip * 12_000.0 / 12e-6
    }

    fn is(control: &dyn Control, gbps: f64) {
        let found = rate(control) / GBPS;
        assert!((found - gbps).abs() < 1e-6, "{found} Gb/s, not {gbps}");
    }

    /// The first notification halves the rate; the second one finds an estimate of 1 still, and the third, 110 us later,
    /// one of (15/16)^2, the estimate having grown by nothing.
    #[test]
    fn a_notification_takes_half_of_alpha_off() {
        let mut control = opened(dcqcn());
        is(&*control, 40.0);
        control.notified(0, 100 * MICROSECOND);
        is(&*control, 20.0);
        assert_eq!(control.pace(0).gap, 600_000);
        control.notified(0, 150 * MICROSECOND);
        is(&*control, 10.0);
        control.notified(0, 260 * MICROSECOND);
        is(&*control, 10.0 * (1.0 - (15.0_f64 / 16.0).powi(2) / 2.0));
    }

    /// Three steps halfway back to 40, then 40 Mb/s on the target, which is the rate of the port already.
    #[test]
    fn fast_recovery_comes_before_additive_increase() {
        let mut control = opened(dcqcn());
        control.notified(0, 100 * MICROSECOND);
        control.notified(0, 100 * MICROSECOND);
        // 10 Gb/s, target 20.
        for (i, gbps) in [15.0, 17.5, 18.75].into_iter().enumerate() {
            let time = control.pace(0).wakes;
            assert_eq!(time, (150 + 50 * i as Time) * MICROSECOND);
            control.wake(0, time);
            is(&*control, gbps);
        }
        control.wake(0, 300 * MICROSECOND);
        is(&*control, f64::midpoint(18.75, 20.04));
    }

    /// The fourth step of both counters adds 400 Mb/s, the fifth twice that.
    #[test]
    fn hyper_increase_needs_both_counters() {
        let mut control = opened(dcqcn());
        control.notified(0, 0);
        control.notified(0, 0);
        (0..30).for_each(|_| control.sent(0, 1500));
        (0..3).for_each(|i| control.wake(0, 50 * i * MICROSECOND));
        let mut expected = 20.0 - 10.0 / 64.0;
        is(&*control, expected);
        control.wake(0, 200 * MICROSECOND);
        expected = f64::midpoint(expected, 20.04);
        is(&*control, expected);
        (0..10).for_each(|_| control.sent(0, 1500));
        expected = f64::midpoint(expected, 20.44);
        is(&*control, expected);
    }

    /// At full rate nothing has to be counted.
    #[test]
    fn a_rate_is_between_the_least_and_the_line() {
        let mut control = opened(dcqcn());
        assert_eq!(control.pace(0).wakes, NEVER);
        (0..100).for_each(|_| control.notified(0, 0));
        is(&*control, 0.1);
        let mut steps = 0;
        while control.pace(0).wakes != NEVER {
            (0..10).for_each(|_| control.sent(0, 1500));
            control.wake(0, control.pace(0).wakes);
            steps += 1;
            assert!(steps < 200 && rate(&*control) <= 40.0 * GBPS);
        }
        is(&*control, 40.0);
        let mut deaf = opened(Dcqcn { reacts: false, ..dcqcn() });
        deaf.notified(0, 0);
        is(&*deaf, 40.0);
    }
}
