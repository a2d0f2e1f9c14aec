//! The network as seen from one destination, and its colour refinement.

use super::fold::Fold;
use super::hash::{distinct, mix};
use super::instance::LinkKind;
use super::partition::{Neighbours, Partition};
use crate::rounding::{Down, Rounding};

/// Rounds of refinement in which every link is visited, enough where paths are short: each is cheap.
const ROUNDS: usize = 16;

/// The folded network with one destination set apart.
///
/// Where the destination has twins, its unit has its own nodes, after all others.
pub(super) struct View {
    /// How many nodes of the network each node represents.
    pub(super) count: Vec<f64>,
    /// Tail, head, the folded link, and how many links leave one node of the tail and enter one of the head.
    pub(super) links: Vec<Seen>,
    /// Demand of each endpoint to the destination; 0 for switches.
    pub(super) demand: Vec<f64>,
    /// The destination; none in a view from nowhere.
    pub(super) target: Option<u32>,
    /// Initial colour of each node.
    initial: Vec<u64>,
}

/// A link in a view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) tail: u32,
    pub(super) head: u32,
    pub(super) link: u32,
    pub(super) out: u32,
    pub(super) into: u32,
}

impl View {
    /// The view from `target`, a node of the fold, or from nowhere.
    pub(super) fn new(fold: &Fold, target: Option<u32>) -> Self {
        let instance = &fold.instance;
        let mut count = fold.count.clone();
        let nodes = count.len() as u32;
        // The destination's unit, apart from its twins.
        let apart = target.map(|t| fold.unit[t as usize]).filter(|(first, _)| count[*first as usize] > 1);
        let (mut first, mut target) = (fold.first.clone(), target);
        if let Some((begin, end)) = apart {
            (begin..end).for_each(|node| count[node as usize] -= 1);
            count.extend((begin..end).map(|_| 1));
            first.extend_from_within(begin as usize..end as usize);
            target = target.map(|t| t - begin + nodes);
        }
        let copy = |node: u32| match apart {
            Some((begin, end)) if (begin..end).contains(&node) => Some(node - begin + nodes),
            _ => None,
        };
        let mut links = Vec::with_capacity(fold.links.len());
        let mut add = |tail: u32, head: u32, link: usize| {
            let folded = &fold.links[link];
            let (out, into) = if folded.inside {
                (folded.parallel, folded.parallel)
            } else {
                (folded.parallel * count[head as usize], folded.parallel * count[tail as usize])
            };
            links.push(Seen { tail, head, link: link as u32, out, into });
        };
        for (i, link) in fold.links.iter().enumerate() {
            add(link.tail, link.head, i);
            match (copy(link.tail), copy(link.head)) {
                (None, None) => {}
                (tail, head) => add(tail.unwrap_or(link.tail), head.unwrap_or(link.head), i),
            }
        }
        let goal = target.and_then(|t| instance.endpoint(first[t as usize]));
        let mut demand = vec![0.0; first.len()];
        let mut initial = Vec::with_capacity(first.len());
        for (node, origin) in first.iter().enumerate() {
            let here = target == Some(node as u32);
            initial.push(match (instance.endpoint(*origin), goal) {
                (None, _) => 1,
                (Some(endpoint), None) => instance.demands.first_signature(endpoint).into_iter().fold(2, mix),
                (Some(endpoint), Some(goal)) => {
                    let twin = apart.is_some_and(|(begin, end)| (begin..end).contains(&(node as u32)));
                    demand[node] = match twin {
                        true => instance.demands.between_twins(endpoint, goal, fold.alone[node]),
                        false => instance.demands.between(endpoint, goal, here),
                    };
                    mix(if here { 3 } else { 4 }, demand[node].to_bits())
                }
            });
        }
        View { count: count.into_iter().map(f64::from).collect(), links, demand, target, initial }
    }

    /// The stable colour of each node, given those of folded links.
    pub(super) fn colours(&self, link_colour: &[u64]) -> Vec<u64> {
        let mut colour = self.initial.clone();
        let mut different = distinct(&colour);
        for _ in 0..ROUNDS {
            let mut seen = vec![0_u64; colour.len()];
            for link in &self.links {
                let (tail, head) = (link.tail as usize, link.head as usize);
                let own = link_colour[link.link as usize];
                let there = mix(own, colour[head]).wrapping_mul(link.out.into());
                let back = mix(!own, colour[tail]).wrapping_mul(link.into.into());
                seen[tail] = seen[tail].wrapping_add(there);
                seen[head] = seen[head].wrapping_add(back);
            }
            for (colour, seen) in colour.iter_mut().zip(&seen) {
                *colour = mix(*colour, *seen);
            }
            let now = distinct(&colour);
            if now == different {
                return colour;
            }
            different = now;
        }
        self.refined(&colour, link_colour)
    }

    /// The stable colours that follow from `colour`, in n log n steps however long the paths are.
    fn refined(&self, colour: &[u64], link_colour: &[u64]) -> Vec<u64> {
        let mut near: Neighbours = vec![vec![]; colour.len()];
        for link in self.links.iter().filter(|link| link.out > 0 && link.into > 0) {
            let own = link_colour[link.link as usize];
            near[link.head as usize].push((link.tail, mix(own, 14).wrapping_mul(link.out.into())));
            near[link.tail as usize].push((link.head, mix(own, 15).wrapping_mul(link.into.into())));
        }
        Partition::new(colour, &near).colours()
    }

    /// The colour of a link.
    pub(super) fn link_colour(&self, seen: &Seen, colour: &[u64], link_colour: &[u64]) -> u64 {
        let ends = mix(colour[seen.tail as usize], colour[seen.head as usize]);
        mix(link_colour[seen.link as usize], ends)
    }

    /// A hash of all colours, equal for equal views.
    pub(super) fn signature(&self, colour: &[u64], link_colour: &[u64]) -> u64 {
        let nodes = colour.iter().zip(&self.count).map(|(c, n)| mix(*c, 5).wrapping_mul(*n as u64));
        let links = self.links.iter().map(|seen| {
            let many = self.count[seen.tail as usize] as u64 * u64::from(seen.out);
            mix(self.link_colour(seen, colour, link_colour), 6).wrapping_mul(many)
        });
        nodes.chain(links).fold(0, u64::wrapping_add)
    }

    /// How many of the destinations that `target` represents see one link of a folded link as `seen`.
    pub(super) fn seen_by(&self, fold: &Fold, target: u32, seen: &Seen) -> u64 {
        let nodes = fold.count.len() as u32;
        let twins = u64::from(fold.count[target as usize]);
        let link = &fold.links[seen.link as usize];
        let touches = fold.together(link.tail, target) || fold.together(link.head, target);
        match (touches && twins > 1, seen.tail >= nodes || seen.head >= nodes) {
            (false, _) => twins,
            (true, true) => 1,
            (true, false) => twins - 1,
        }
    }

    /// The distance of each node to the destination by lengths of folded links, and that of the destination to itself
    /// over its own access links, rounded down; infinite where there is no path.
    pub(super) fn distances(&self, length: impl Fn(u32) -> f64, kind: impl Fn(u32) -> LinkKind) -> (Vec<f64>, f64) {
        use std::cmp::Reverse;
        use std::collections::BinaryHeap;
        let nodes = self.count.len();
        let mut into: Vec<Vec<u32>> = vec![vec![]; nodes];
        for (i, seen) in self.links.iter().enumerate() {
            let down_elsewhere = kind(seen.link) == LinkKind::Down && Some(seen.head) != self.target;
            if seen.out > 0 && !down_elsewhere && self.count[seen.tail as usize] > 0.0 {
                into[seen.head as usize].push(i as u32);
            }
        }
        let (mut found, mut own) = (vec![f64::INFINITY; nodes], f64::INFINITY);
        let Some(target) = self.target else { return (found, own) };
        found[target as usize] = 0.0;
        // Lengths are not negative, so their bits sort as they do.
        let mut queue = BinaryHeap::from([(Reverse(0.0_f64.to_bits()), target)]);
        while let Some((Reverse(bits), node)) = queue.pop() {
            let here = f64::from_bits(bits);
            if here > found[node as usize] {
                continue;
            }
            for seen in into[node as usize].iter().map(|i| &self.links[*i as usize]) {
                let through = Down::add(here, length(seen.link));
                if seen.tail == target {
                    own = own.min(through);
                } else if through < found[seen.tail as usize] {
                    found[seen.tail as usize] = through;
                    if kind(seen.link) != LinkKind::Up {
                        queue.push((Reverse(through.to_bits()), seen.tail));
                    }
                }
            }
        }
        (found, own)
    }
}
