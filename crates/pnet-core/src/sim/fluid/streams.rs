//! Who uses what: streams, the links they load, and how much.
//!
//! A *stream* is what takes part in the sharing: the flows of one class on one path, or on all paths of a fixed split.
//! At the level `x` it puts `weight * coefficient * x` on each of its links.

use smallvec::SmallVec;

use super::super::fabric::NONE;

/// A stream of a class.
#[derive(Debug)]
pub(super) struct Stream {
    /// Its number in the sharing.
    pub(super) number: u32,
    /// Bytes a picosecond for each unit of weight, and its part of the clock; neither is kept of a class's only stream.
    pub(super) level: f64,
    pub(super) clock: f64,
    /// Its links, and what they carry of it.
    pub(super) links: Vec<(u32, f64)>,
}

impl Stream {
    /// A stream of a new class.
    pub(super) fn over(links: Vec<(u32, f64)>) -> Self {
        Stream { number: NONE, level: 0.0, clock: 0.0, links }
    }

    /// Its links.
    pub(super) fn ports(&self) -> Vec<u32> {
        self.links.iter().map(|(port, _)| *port).collect()
    }
}

/// A link of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    pub(super) link: u32,
    /// Place of the stream among the link's members.
    place: u32,
}

/// A stream of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) stream: u32,
    /// Place of the link among the stream's hops.
    pub(super) hop: u32,
}

/// Rows of up to so many lie in one line of the processor's cache.
type Row<T> = SmallVec<[T; 7]>;

/// Links and streams.  A stream's number is used again when it is gone.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) capacity: Vec<f64>,
    pub(super) members: Vec<Row<Member>>,
    /// 0 for a number that is free.
    pub(super) weight: Vec<f64>,
    pub(super) hops: Vec<Row<Hop>>,
    /// By stream and hop; none where all are 1.
    coefficients: Vec<Box<[f64]>>,
    /// Hops of all streams.
    pub(super) all_hops: usize,
    free: Vec<u32>,
}

impl Streams {
    /// Links of these capacities, and no stream.
    pub(super) fn new(capacity: Vec<f64>) -> Self {
        let members = vec![Row::new(); capacity.len()];
        let (weight, hops, coefficients, free) = (vec![], vec![], vec![], vec![]);
        Streams { capacity, members, weight, hops, coefficients, all_hops: 0, free }
    }

    /// Adds a stream over these links, each of which it uses once, and the load on each when it sends one unit.
    pub(super) fn add(&mut self, links: &[(u32, f64)], weight: f64) -> u32 {
        let stream = self.free.pop().unwrap_or(self.hops.len() as u32);
        let i = stream as usize;
        if i == self.hops.len() {
            self.hops.push(Row::new());
            self.weight.push(0.0);
            self.coefficients.push(Box::default());
        }
        self.weight[i] = weight;
        self.all_hops += links.len();
        if links.iter().any(|(_, coefficient)| *coefficient != 1.0) {
            self.coefficients[i] = links.iter().map(|(_, coefficient)| *coefficient).collect();
        }
        for (hop, (link, _)) in (0..).zip(links) {
            let members = &mut self.members[*link as usize];
            self.hops[i].push(Hop { link: *link, place: members.len() as u32 });
            members.push(Member { stream, hop });
        }
        stream
    }

    /// Takes a stream away.
    pub(super) fn remove(&mut self, stream: u32) {
        let i = stream as usize;
        self.all_hops -= self.hops[i].len();
        for Hop { link, place } in std::mem::take(&mut self.hops[i]) {
            let members = &mut self.members[link as usize];
            members.swap_remove(place as usize);
            if let Some(moved) = members.get(place as usize) {
                self.hops[moved.stream as usize][moved.hop as usize].place = place;
            }
            if members.spilled() && members.len() < members.inline_size() / 2 {
                members.shrink_to_fit();
            }
        }
        self.coefficients[i] = Box::default();
        self.weight[i] = 0.0;
        self.free.push(stream);
    }

    /// What a stream puts on all of its links when its level is 1; none where that is not the same on all.
    pub(super) fn even_load(&self, stream: usize) -> Option<f64> {
        self.coefficients[stream].is_empty().then(|| self.weight[stream])
    }

    /// What a stream puts on a link of its own when its level is 1.
    pub(super) fn load(&self, stream: usize, hop: usize) -> f64 {
        self.weight[stream] * self.coefficients[stream].get(hop).unwrap_or(&1.0)
    }

    /// The links of a stream, with what it puts on them when its level is 1.
    pub(super) fn loads(&self, stream: usize) -> impl Iterator<Item = (u32, f64)> {
        self.hops[stream].iter().enumerate().map(move |(hop, at)| (at.link, self.load(stream, hop)))
    }

    /// The streams of a link, with what they put on it when their levels are 1.
    pub(super) fn loads_on(&self, link: usize) -> impl Iterator<Item = (u32, f64)> {
        let load = |member: &Member| self.load(member.stream as usize, member.hop as usize);
        self.members[link].iter().map(move |member| (member.stream, load(member)))
    }
}
