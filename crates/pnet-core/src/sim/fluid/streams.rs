//! Who uses what: streams, the links they load, and how much.
//!
//! A *stream* is what takes part in the sharing: the flows of one class on one path, or on all paths of a fixed split.
//! At the level `x` it puts `weight * coefficient * x` on each of its links.

/// A link of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    pub(super) link: u32,
    /// Place of the stream among the link's members.
    place: u32,
    /// Load on the link when the stream sends one unit.
    pub(super) coefficient: f64,
}

/// A stream of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) stream: u32,
    /// Place of the link among the stream's hops.
    hop: u32,
    pub(super) coefficient: f64,
}

/// Links and streams.  A stream's number is used again when it is gone.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) capacity: Vec<f64>,
    pub(super) members: Vec<Vec<Member>>,
    /// 0 for a number that is free.
    pub(super) weight: Vec<f64>,
    pub(super) hops: Vec<Vec<Hop>>,
    free: Vec<u32>,
}

impl Streams {
    /// Links of these capacities, and no stream.
    pub(super) fn new(capacity: Vec<f64>) -> Self {
        let members = vec![vec![]; capacity.len()];
        Streams { capacity, members, weight: vec![], hops: vec![], free: vec![] }
    }

    /// Adds a stream over these links, each of which it uses once.
    pub(super) fn add(&mut self, links: &[(u32, f64)], weight: f64) -> u32 {
        let stream = self.free.pop().unwrap_or(self.hops.len() as u32);
        if stream as usize == self.hops.len() {
            self.hops.push(vec![]);
            self.weight.push(0.0);
        }
        self.weight[stream as usize] = weight;
        let hops = &mut self.hops[stream as usize];
        for (hop, (link, coefficient)) in links.iter().enumerate() {
            let members = &mut self.members[*link as usize];
            hops.push(Hop { link: *link, place: members.len() as u32, coefficient: *coefficient });
            members.push(Member { stream, hop: hop as u32, coefficient: *coefficient });
        }
        stream
    }

    /// Takes a stream away.
    pub(super) fn remove(&mut self, stream: u32) {
        // The room is kept for the stream that has the number next.
        let mut hops = std::mem::take(&mut self.hops[stream as usize]);
        for Hop { link, place, .. } in hops.drain(..) {
            let members = &mut self.members[link as usize];
            members.swap_remove(place as usize);
            if let Some(moved) = members.get(place as usize) {
                self.hops[moved.stream as usize][moved.hop as usize].place = place;
            }
        }
        self.hops[stream as usize] = hops;
        self.weight[stream as usize] = 0.0;
        self.free.push(stream);
    }
}
