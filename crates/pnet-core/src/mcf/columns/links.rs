//! The links of a problem under one numbering: arcs, and the access links that limit.

use crate::mcf::problem::Problem;
use crate::mcf::proof::Proof;

/// Number of an access link without a limit.
const UNLIMITED: u32 = u32::MAX;

/// Arcs of all planes after each other, then the access links of finite speed.
pub(super) struct Links {
    /// Capacity of each link.
    pub(super) capacity: Vec<f64>,
    /// Plane of each link.
    pub(super) plane: Vec<u32>,
    /// Number of each plane's first arc.
    first: Vec<u32>,
    arcs: usize,
    endpoints: usize,
    /// Number of each access link into and out of a plane, `[planes][endpoints]`.
    up: Vec<u32>,
    down: Vec<u32>,
}

impl Links {
    pub(super) fn new(problem: &Problem) -> Self {
        let mut capacity: Vec<f64> = vec![];
        let mut of_plane = vec![];
        let mut first = vec![];
        for (plane, p) in problem.planes.iter().zip(0..) {
            first.push(capacity.len() as u32);
            capacity.extend(&plane.capacity);
            of_plane.resize(capacity.len(), p);
        }
        let arcs = capacity.len();
        let mut number = |p: u32, speed: f64| {
            if speed > 0.0 && speed.is_finite() {
                capacity.push(speed);
                of_plane.push(p);
                capacity.len() as u32 - 1
            } else {
                UNLIMITED
            }
        };
        let (mut up, mut down) = (vec![], vec![]);
        for (plane, p) in problem.planes.iter().zip(0..) {
            up.extend(plane.up.iter().map(|c| number(p, *c)));
        }
        for (plane, p) in problem.planes.iter().zip(0..) {
            down.extend(plane.down.iter().map(|c| number(p, *c)));
        }
        Links { capacity, plane: of_plane, first, arcs, endpoints: problem.endpoints, up, down }
    }

    /// The number of an arc of a plane.
    #[inline]
    pub(super) fn arc(&self, plane: usize, arc: u32) -> u32 {
        self.first[plane] + arc
    }

    /// The arc, local to its plane, that a link is; None for an access link.
    #[inline]
    pub(super) fn local(&self, plane: usize, link: u32) -> Option<usize> {
        ((link as usize) < self.arcs).then(|| (link - self.first[plane]) as usize)
    }

    /// The lengths of a plane's arcs.
    pub(super) fn of_plane<'a>(&self, plane: usize, length: &'a [f64]) -> &'a [f64] {
        let end = self.first.get(plane + 1).map_or(self.arcs, |first| *first as usize);
        &length[self.first[plane] as usize..end]
    }

    /// The link of an endpoint into a plane, where it has a limit.
    #[inline]
    pub(super) fn up(&self, plane: usize, endpoint: u32) -> Option<u32> {
        limited(self.up[plane * self.endpoints + endpoint as usize])
    }

    /// The link of an endpoint out of a plane, where it has a limit.
    #[inline]
    pub(super) fn down(&self, plane: usize, endpoint: u32) -> Option<u32> {
        limited(self.down[plane * self.endpoints + endpoint as usize])
    }

    /// Links of each plane.
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.first.len()];
        self.plane.iter().for_each(|p| counts[*p as usize] += 1);
        counts
    }

    /// Lengths in the order of a proof: of arcs, of access links into planes, and out of them.
    pub(super) fn lengths(&self, length: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let access =
            |links: &[u32]| links.iter().map(|link| limited(*link).map_or(0.0, |link| length[link as usize])).collect();
        (length[..self.arcs].to_vec(), access(&self.up), access(&self.down))
    }

    /// The lengths of all links, from those of a proof.
    pub(super) fn joined(&self, proof: &Proof) -> Vec<f64> {
        let access = (self.up.iter().zip(&proof.up_length)).chain(self.down.iter().zip(&proof.down_length));
        let limited = access.filter(|(link, _)| **link != UNLIMITED).map(|(_, length)| *length);
        proof.length.iter().copied().chain(limited).collect()
    }
}

fn limited(link: u32) -> Option<u32> {
    (link != UNLIMITED).then_some(link)
}
