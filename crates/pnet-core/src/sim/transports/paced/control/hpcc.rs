//! HPCC (Li et al., SIGCOMM 2019, section 3 and algorithm 1): the window follows what switches note of their links.
//!
//! Of every link, between two answers: how much of its rate was sent, and how much of what it carries in a base round trip
//! `T` waits in its queue.  The sum of both at the busiest link, averaged over `T`, is its use `U`.
//!
//! - Where `U` is `target` or more, or after `stages` round trips without that, the window is the reference window times
//!   `target / U`; otherwise it is the reference window.  `additive` bytes are added to either.
//! - The reference window becomes the window once a round trip, with the first answer to what was sent after it last did; so
//!   each answer moves the window, and none of them twice for the same.
//!
//! The pace is the window over `T`.  The first window is what the host sends in `T`, which no window exceeds.
//!
//! Deviations: `T` is a flow's own idle round trip unless it is given; the paper has one for all.  As in the authors' program,
//! the first answer only begins the measurement, with `U` at 1, and so does one by other ports than the last: the paper
//! compares a path's identity.  Losses do not change the window.

use super::super::super::super::telemetry::Hop;
use super::super::super::super::time::{NEVER, Time};
use super::super::super::super::values::parameters;
use super::{Control, Idle, Pace, Pacing, States};
use crate::error::{Error, invalid};

/// Parameters.
#[derive(Debug, Clone)]
pub struct Hpcc {
    /// Use of the busiest link that is aimed at.
    pub target: f64,
    /// Round trips of additive growth alone, at most.
    pub stages: u32,
    /// Bytes that the window grows by.
    pub additive: u64,
    /// The base round trip; none where it is each flow's own.
    pub rtt: Option<Time>,
}

parameters!(Hpcc: target, stages, additive, rtt);

impl Pacing for Hpcc {
    fn check(&self) -> Result<(), Error> {
        if !(self.target > 0.0 && self.target <= 1.0) || self.additive == 0 || self.rtt == Some(0) {
            return invalid("hpcc", "a part of a link is aimed at, windows grow, and round trips last");
        }
        Ok(())
    }

    fn reads_telemetry(&self) -> bool {
        true
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Windows { params: self.clone(), states: States::default() })
    }
}

/// A connection; windows are in bytes.
#[derive(Debug, Clone, Default)]
struct State {
    size: f64,
    base: f64,
    most: f64,
    window: f64,
    reference: f64,
    /// Use of the busiest link.
    used: f64,
    stage: u32,
    /// When the reference last became the window.
    updated: Option<Time>,
    /// What the last answer bore.
    hops: Vec<Hop>,
}

impl State {
    /// Takes what an answer bears into the use of the busiest link; returns false where it has nothing to be compared with.
    fn measure(&mut self, hops: &[Hop]) -> bool {
        let same = hops.len() == self.hops.len() && hops.iter().zip(&self.hops).all(|(new, old)| new.port == old.port);
        let mut busiest = (0.0, self.base);
        for (new, old) in hops.iter().zip(&self.hops).filter(|_| same) {
            if new.time <= old.time {
                // It was sent before what was answered last.
                return false;
            }
            let time = (new.time - old.time) as f64;
            let bytes = new.rate.bits_per_second() as f64 / 8e12;
            let used =
                new.queue.min(old.queue) as f64 / (bytes * self.base) + (new.sent - old.sent) as f64 / time / bytes;
            if used > busiest.0 {
                busiest = (used, time);
            }
        }
        self.hops.clear();
        self.hops.extend_from_slice(hops);
        if same {
            let weight = busiest.1.min(self.base) / self.base;
            self.used += weight * (busiest.0 - self.used);
        }
        same
    }
}

/// All connections.
struct Windows {
    params: Hpcc,
    states: States<State>,
}

impl Control for Windows {
    fn open(&mut self, connection: u32, idle: &Idle) {
        let base = self.params.rtt.unwrap_or(idle.rtt) as f64;
        let most = idle.bits as f64 / 8e12 * base;
        let size = f64::from(idle.size);
        let state = State { size, base, most, window: most, reference: most, used: 1.0, ..State::default() };
        self.states.open(connection, state);
    }

    fn pace(&self, connection: u32) -> Pace {
        let State { size, base, window, .. } = *self.states.of(connection);
        let packets = window / size;
        // A packet goes while less than the window is under way.
        Pace {
            window: packets.ceil(),
            gap: (base / packets) as Time,
            in_a_round_trip: packets,
            wakes: NEVER,
            credits: u32::MAX,
        }
    }

    fn passed(&mut self, connection: u32, hops: &[Hop], sent: Time, now: Time) {
        let (params, state) = (&self.params, self.states.of_mut(connection));
        if !state.measure(hops) {
            state.updated.get_or_insert(now);
            return;
        }
        let multiplies = state.used >= params.target || state.stage >= params.stages;
        let base = if multiplies { state.reference / (state.used / params.target) } else { state.reference };
        state.window = (base + params.additive as f64).min(state.most);
        if state.updated.is_none_or(|time| sent >= time) {
            state.stage = if multiplies { 0 } else { state.stage + 1 };
            (state.reference, state.updated) = (state.window, Some(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::super::time::{MICROSECOND, Rate};
    use super::*;

    const US: Time = MICROSECOND;

    /// 100 Gb/s and 10 us: 125,000 bytes fill the path, and 12,500 pass in a microsecond.
    fn opened() -> Windows {
        let params = Hpcc { target: 0.95, stages: 5, additive: 80, rtt: None };
        let mut control = Windows { params, states: States::default() };
        control.open(0, &Idle { rtt: 10 * US, links: 2, bits: 100_000_000_000, size: 1000 });
        control
    }

    /// Answers at the end of round trips in which a link has sent so many bytes, with so many in its queue; the window after
    /// each.  The first begins the measurement.
    fn after(control: &mut Windows, rounds: u64, sent: u64, queue: u64) -> Vec<f64> {
        let rate = Rate::new(100_000_000_000).unwrap();
        let hop = |round: u64| Hop { port: 7, queue, sent: round * sent, time: round * 10 * US, rate };
        let mut windows = vec![];
        for round in 0..=rounds {
            let now = (10 * round + 5) * US;
            control.passed(0, &[hop(round)], now - 10 * US.min(now / 10), now);
            windows.push(control.states.of(0).window);
        }
        windows
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} and not {expected}");
    }

    #[test]
    fn the_window_is_first_what_the_host_sends_in_a_round_trip() {
        let pace = opened().pace(0);
        assert_eq!((pace.window, pace.gap), (125.0, 80_000));
    }

    /// The link is full and its queue empty, U = 1: each round trip 0.95 of the window and 80 bytes.
    #[test]
    fn at_full_load_the_window_shrinks_to_the_target() {
        let windows = after(&mut opened(), 2, 125_000, 0);
        assert_eq!(windows[0], 125_000.0);
        near(windows[1], 125_000.0 * 0.95 + 80.0);
        near(windows[2], windows[1] * 0.95 + 80.0);
    }

    /// A round trip's worth of bytes waits too, U = 2.
    #[test]
    fn what_waits_counts_as_what_is_sent() {
        near(after(&mut opened(), 1, 125_000, 125_000)[1], 125_000.0 * 0.95 / 2.0 + 80.0);
    }

    /// U = 1/2 from the second answer on: 80 bytes a round trip for five of them, then 0.95 / (1/2) of the window and 80.
    #[test]
    fn at_half_load_the_window_grows_and_then_multiplies() {
        let mut control = opened();
        let state = control.states.of_mut(0);
        (state.window, state.reference) = (50_000.0, 50_000.0);
        let windows = after(&mut control, 7, 62_500, 0);
        for (round, window) in windows[1..=5].iter().enumerate() {
            near(*window, 50_000.0 + 80.0 * (round + 1) as f64);
        }
        near(windows[6], 50_400.0 * 1.9 + 80.0);
        near(windows[7], windows[6] + 80.0);
    }

    /// Answers of the same round trip: each of a tenth of it moves U by a tenth, and the window is always of the same
    /// reference.
    #[test]
    fn answers_of_one_round_trip_do_not_add_up() {
        let mut control = opened();
        let rate = Rate::new(100_000_000_000).unwrap();
        let hop = |time: Time, sent| Hop { port: 7, queue: 0, sent, time, rate };
        control.passed(0, &[hop(0, 0)], 0, 20 * US);
        // What is answered was sent before 20 us: U = 1, and then 0.9 + 0.1 * 2.
        control.passed(0, &[hop(US, 12_500)], 11 * US, 21 * US);
        near(control.states.of(0).window, 125_000.0 * 0.95 + 80.0);
        control.passed(0, &[hop(2 * US, 37_500)], 12 * US, 22 * US);
        near(control.states.of(0).window, 125_000.0 * 0.95 / 1.1 + 80.0);
        assert_eq!(control.states.of(0).reference, 125_000.0);
        // By another port there is nothing to compare with.
        control.passed(0, &[Hop { port: 8, ..hop(3 * US, 0) }], 23 * US, 33 * US);
        near(control.states.of(0).window, 125_000.0 * 0.95 / 1.1 + 80.0);
    }
}
