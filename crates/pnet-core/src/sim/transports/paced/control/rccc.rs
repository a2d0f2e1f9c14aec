//! RCCC, the congestion control of receivers in Ultra Ethernet (specification 1.0, section 3.6): a packet is sent for a
//! credit, which the receiver gives ([`super::super::credits`]).
//!
//! A flow begins with credits of its own, so that it need not wait a round trip.  Each credit is for one packet, sent for
//! the first time or again.  What the receiver cannot know to be lost goes again without a credit; and if none comes for a
//! timeout, one packet goes, for which the receiver answers.

use super::super::super::super::time::{NEVER, Time};
use super::super::super::super::values::parameters;
use super::{Acked, Control, Idle, Loss, Pace, Pacing, States};
use crate::error::{Error, invalid};

/// Parameters.
#[derive(Debug, Clone)]
pub struct Rccc {
    /// Credits that a flow begins with, and those of a flow that the receiver has given and that have not come back as
    /// packets at most, each as a part of what fills the path.
    pub initial: f64,
    /// See `initial`.
    pub outstanding: f64,
    /// Rate of credits, as a part of the rate of the link that packets come by.
    pub share: f64,
    /// Time without credits and answers after which a packet goes without one, doubled while none comes.
    pub patience: Time,
}

parameters!(Rccc: initial, outstanding, share, patience);

impl Pacing for Rccc {
    fn check(&self) -> Result<(), Error> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if [self.initial, self.outstanding, self.share].iter().any(|value| !positive(*value)) || self.share > 1.0 {
            return invalid("rccc", "credits are positive, and their rate is a part of that of a link");
        }
        if self.outstanding < self.initial || self.patience == 0 {
            return invalid("rccc", "at least the first credits are outstanding, and a timeout lasts");
        }
        Ok(())
    }

    fn credits(&self) -> Option<f64> {
        Some(self.share)
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Purses { params: self.clone(), states: States::default() })
    }
}

/// A connection.
#[derive(Debug, Clone, Default)]
struct State {
    /// Packets that may be sent.
    credits: u32,
    /// Credits that have been given or overtaken by later ones.
    given: u32,
    /// When the receiver was last heard of, and how often the patience has been doubled since.
    heard: Time,
    backed_off: u32,
}

/// All connections.
struct Purses {
    params: Rccc,
    states: States<State>,
}

impl Control for Purses {
    fn open(&mut self, connection: u32, idle: &Idle) {
        let credits = idle.packets(self.params.initial);
        self.states.open(connection, State { credits, ..State::default() });
    }

    fn initial(&self, idle: &Idle) -> (u32, u32) {
        (idle.packets(self.params.initial), idle.packets(self.params.outstanding))
    }

    fn pace(&self, connection: u32) -> Pace {
        let State { credits, heard, backed_off, .. } = *self.states.of(connection);
        let patience = self.params.patience.saturating_mul(1 << backed_off.min(16));
        let wakes = if credits == 0 { heard.saturating_add(patience) } else { NEVER };
        Pace { window: f64::INFINITY, gap: 0, in_a_round_trip: f64::from(credits), wakes, credits }
    }

    fn sent(&mut self, connection: u32, _: u16) {
        self.states.of_mut(connection).credits -= 1;
    }

    fn acked(&mut self, connection: u32, Acked { now, .. }: Acked) {
        let state = self.states.of_mut(connection);
        (state.heard, state.backed_off) = (now, 0);
    }

    fn credited(&mut self, connection: u32, given: u32, now: Time) {
        let state = self.states.of_mut(connection);
        let more = given.saturating_sub(state.given);
        state.given += more;
        state.credits += more;
        (state.heard, state.backed_off) = (now, 0);
    }

    fn gone(&mut self, connection: u32, packets: u32) {
        self.states.of_mut(connection).credits += packets;
    }

    fn lost(&mut self, _: u32, _: Loss, _: Time) {}

    fn wake(&mut self, connection: u32, now: Time) {
        let state = self.states.of_mut(connection);
        state.credits += u32::from(state.credits == 0);
        (state.heard, state.backed_off) = (now, state.backed_off + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::super::time::MICROSECOND;
    use super::*;

    const US: Time = MICROSECOND;

    /// 10 Gb/s for 12 us are ten packets of 1,500 bytes.
    fn opened() -> Box<dyn Control> {
        let params = Rccc { initial: 1.0, outstanding: 2.0, share: 1.0, patience: 100 * US };
        let mut control = params.build();
        let idle = Idle { rtt: 12 * US, links: 2, bits: 10_000_000_000, size: 1500 };
        assert_eq!(control.initial(&idle), (10, 20));
        control.open(0, &idle);
        control
    }

    #[test]
    fn a_credit_is_for_one_packet() {
        let mut control = opened();
        assert_eq!((control.pace(0).credits, control.pace(0).wakes), (10, NEVER));
        (0..10).for_each(|_| control.sent(0, 1500));
        assert_eq!(control.pace(0).credits, 0);
        // One that does not come is made up for by the next, and one that is late is nothing new.
        control.credited(0, 1, 20 * US);
        control.credited(0, 4, 30 * US);
        control.credited(0, 3, 31 * US);
        assert_eq!(control.pace(0).credits, 4);
        // What the receiver cannot know to be lost needs none.
        control.gone(0, 2);
        assert_eq!(control.pace(0).credits, 6);
    }

    #[test]
    fn without_credits_one_packet_goes_after_each_timeout() {
        let mut control = opened();
        (0..10).for_each(|_| control.sent(0, 1500));
        assert_eq!(control.pace(0).wakes, 100 * US);
        control.wake(0, 100 * US);
        assert_eq!((control.pace(0).credits, control.pace(0).wakes), (1, NEVER));
        control.sent(0, 1500);
        assert_eq!(control.pace(0).wakes, 300 * US);
        control.credited(0, 0, 150 * US);
        assert_eq!(control.pace(0).wakes, 250 * US);
    }

    #[test]
    fn parameters_are_checked() {
        let given = Rccc { initial: 1.0, outstanding: 2.0, share: 1.0, patience: US };
        for wrong in [
            Rccc { initial: 0.0, ..given.clone() },
            Rccc { outstanding: 0.5, ..given.clone() },
            Rccc { share: 1.5, ..given.clone() },
            Rccc { patience: 0, ..given.clone() },
        ] {
            assert!(wrong.check().is_err());
        }
        assert!(given.check().is_ok());
    }
}
