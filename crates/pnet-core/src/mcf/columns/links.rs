//! The links of a problem under one numbering: arcs, two of which may be one link, and the access links that limit.

use std::borrow::Cow;

use crate::mcf::problem::{Plane, Problem};

/// Number of an access link without a limit.
const UNLIMITED: u32 = u32::MAX;

/// Links of the arcs of all planes after each other, then the access links of finite speed.
pub(super) struct Links {
    /// Capacity of each link.
    pub(super) capacity: Vec<f64>,
    /// Plane of each link.
    pub(super) plane: Vec<u32>,
    /// Number of each plane's first arc, and of all arcs at the end.
    first: Vec<u32>,
    /// The link of each arc; empty where each is a link of its own.
    of_arc: Vec<u32>,
    endpoints: usize,
    /// Number of each access link into and out of a plane, `[planes][endpoints]`.
    up: Vec<u32>,
    down: Vec<u32>,
}

impl Links {
    pub(super) fn new(problem: &Problem) -> Self {
        let mut capacity: Vec<f64> = vec![];
        let mut of_plane = vec![];
        let mut first = vec![0];
        let paired = problem.planes.iter().any(|plane| !plane.partner.is_empty());
        let mut of_arc: Vec<u32> = vec![];
        for (plane, p) in problem.planes.iter().zip(0..) {
            let begin = of_arc.len();
            for (a, c) in plane.capacity.iter().enumerate().filter(|_| paired) {
                match plane.partner.get(a).map_or(a, |b| *b as usize) {
                    b if b < a => of_arc.push(of_arc[begin + b]),
                    b => {
                        of_arc.push(capacity.len() as u32);
                        capacity.push(if a == b { *c } else { 2.0 * c });
                    }
                }
            }
            if !paired {
                capacity.extend(&plane.capacity);
            }
            of_plane.resize(capacity.len(), p);
            first.push(first[first.len() - 1] + plane.arcs() as u32);
        }
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
        Links { capacity, plane: of_plane, first, of_arc, endpoints: problem.endpoints, up, down }
    }

    /// The number of the link that an arc of a plane is.
    #[inline]
    pub(super) fn arc(&self, plane: usize, arc: u32) -> u32 {
        let number = self.first[plane] + arc;
        self.of_arc.get(number as usize).copied().unwrap_or(number)
    }

    /// Calls `visit` with each arc of a plane on a path from `source`, given by its links.
    pub(super) fn for_each_arc(
        &self,
        p: usize,
        plane: &Plane,
        source: u32,
        path: &[u32],
        mut visit: impl FnMut(usize),
    ) {
        let arcs = self.first[self.first.len() - 1];
        if self.of_arc.is_empty() {
            let own = path.iter().filter(|link| **link < arcs);
            return own.for_each(|link| visit((link - self.first[p]) as usize));
        }
        // Of two arcs that are one link, the path takes the one that begins where it is.
        let mut at = source as usize;
        for link in path {
            if let Some(arc) = plane.out(at).find(|a| self.arc(p, *a as u32) == *link) {
                visit(arc);
                at = plane.head(arc);
            }
        }
    }

    /// The lengths of a plane's arcs.
    pub(super) fn of_plane<'a>(&self, plane: usize, length: &'a [f64]) -> Cow<'a, [f64]> {
        let arcs = self.first[plane] as usize..self.first[plane + 1] as usize;
        match self.of_arc.is_empty() {
            true => Cow::Borrowed(&length[arcs]),
            false => Cow::Owned(self.of_arc[arcs].iter().map(|link| length[*link as usize]).collect()),
        }
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
        let mut counts = vec![0; self.first.len() - 1];
        self.plane.iter().for_each(|p| counts[*p as usize] += 1);
        counts
    }

    /// Lengths in the order of a proof: of arcs, of access links into planes, and out of them.
    pub(super) fn lengths(&self, length: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let access =
            |links: &[u32]| links.iter().map(|link| limited(*link).map_or(0.0, |link| length[link as usize])).collect();
        let planes = 0..self.first.len() - 1;
        let arcs = planes.flat_map(|p| self.of_plane(p, length).into_owned()).collect();
        (arcs, access(&self.up), access(&self.down))
    }

    /// The lengths of all links, from those of arcs and of access links into planes and out of them.
    pub(super) fn joined(&self, length: &[f64], up: &[f64], down: &[f64]) -> Vec<f64> {
        let access = (self.up.iter().zip(up)).chain(self.down.iter().zip(down));
        let limited = access.filter(|(link, _)| **link != UNLIMITED).map(|(_, length)| *length);
        self.of_arcs(length).chain(limited).collect()
    }

    /// The values of links that arcs are, from those of arcs: of two that are one link, that of the first.
    pub(super) fn of_arcs<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let mut seen = 0;
        values.iter().enumerate().filter_map(move |(a, value)| {
            // Links are numbered in the order of the first of their arcs.
            let new = self.of_arc.get(a).is_none_or(|link| *link == seen);
            seen += u32::from(new);
            new.then_some(*value)
        })
    }
}

fn limited(link: u32) -> Option<u32> {
    (link != UNLIMITED).then_some(link)
}
