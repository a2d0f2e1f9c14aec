//! How a flow uses the paths that its forwarding offers.

use super::super::forwarding::Forwarding;
use super::super::values::names;
use crate::error::{Error, invalid, refused};

/// What a flow's rate is, where it has several paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// It takes one path.
    Single,
    /// Its rate is split over all of them in fixed parts: evenly over paths, or over next hops where every switch draws.
    Even,
    /// Each of so many subflows takes part in the sharing, as if it were a flow; the flow's rate is their sum.
    Subflows(u32),
    /// It is split over all that it is offered as is best for fairness: what flows get altogether is max-min fair.
    Best,
}

names!(Sharing, values:
    "single" => Sharing::Single,
    "even" => Sharing::Even,
    "subflows" => Sharing::Subflows(values.read("subflows")?),
    "best" => Sharing::Best,
);

impl Sharing {
    /// How many paths a forwarding that offers one at a time is asked for.
    pub(super) fn paths(self, forwarding: &dyn Forwarding) -> u32 {
        match self {
            Sharing::Single | Sharing::Even => 1,
            Sharing::Subflows(count) => count,
            Sharing::Best => forwarding.most_paths(),
        }
    }

    /// How many subflows have records of their own.
    pub(super) fn subflows(self) -> u32 {
        match self {
            Sharing::Single | Sharing::Even | Sharing::Best => 1,
            Sharing::Subflows(count) => count,
        }
    }

    /// An error unless it makes sense with a forwarding.
    pub(super) fn check(self, forwarding: &dyn Forwarding) -> Result<(), Error> {
        if let Some(why) = forwarding.no_fluid() {
            return invalid("forwarding", why);
        }
        match self {
            Sharing::Subflows(0) => refused("sharing", "too few subflows", 0, "at least 1"),
            Sharing::Best if !forwarding.makes_tables() => Ok(()),
            Sharing::Even | Sharing::Best if !forwarding.spreads() => {
                invalid("sharing", "a forwarding that chooses one path has none to split over")
            }
            Sharing::Single | Sharing::Subflows(_) if forwarding.spreads() => {
                invalid("sharing", "a forwarding that spreads packets gives a flow no path of its own")
            }
            _ => Ok(()),
        }
    }

    /// The links of each stream of a flow with these paths, and what they carry when it sends one unit.
    pub(super) fn streams(self, paths: &[Vec<u32>], forwarding: &dyn Forwarding) -> Vec<Vec<(u32, f64)>> {
        if self != Sharing::Even {
            return paths.iter().map(|path| path.iter().map(|port| (*port, 1.0)).collect()).collect();
        }
        let mut loads = forwarding.loads(paths);
        loads.sort_unstable_by_key(|(port, _)| *port);
        loads.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        vec![loads]
    }
}
