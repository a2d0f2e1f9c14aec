//! The planes that a pair may use.

use crate::random::SplitMix;

/// The planes that a pair's paths may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The union of all planes, shortest first.
    Any,
    /// K divided equally among the planes; the remainder round-robin from a plane drawn for the pair.
    RoundRobin,
    /// Only the planes in which the pair is nearest.
    Shortest,
    /// One plane for each pair, drawn by seed from those that connect it.
    Single,
}

impl Policy {
    /// The planes allowed to a pair, among the `near` ones that connect it, given with their hops.
    ///
    /// It is the first draw from the pair's stream, so that all queries of a pair get the same plane.
    pub(crate) fn allowed(self, near: &[(usize, u32)], random: &mut SplitMix) -> Vec<(usize, u32)> {
        match self {
            Policy::Any | Policy::RoundRobin => near.to_vec(),
            Policy::Shortest => nearest(near),
            Policy::Single if near.is_empty() => vec![],
            Policy::Single => vec![near[random.below(near.len())]],
        }
    }
}

/// The planes with the fewest hops.
pub(super) fn nearest(planes: &[(usize, u32)]) -> Vec<(usize, u32)> {
    let least = planes.iter().map(|(_, hops)| *hops).min();
    planes.iter().copied().filter(|(_, hops)| Some(*hops) == least).collect()
}
