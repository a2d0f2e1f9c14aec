//! Automorphisms that join the destinations of a kind into orbits.
//!
//! Two destinations are set apart, each in a partition of its own, and further nodes at equal positions, until every cell
//! has one node: then positions give a permutation.  It is kept if it maps links onto equal links and demands onto equal
//! demands, which is checked; that colours are equal proves nothing.  The nodes that follow are drawn, and few random
//! automorphisms generate a group that is transitive on all destinations of the kind.
//!
//! Groups of endpoints and their owners are nodes of the search, after those of the fold, and so are joined to their own.

use std::collections::{HashMap, HashSet};

use super::fold::Fold;
use super::group::{join, root};
use super::hash::mix;
use super::instance::LinkKind;
use super::partition::{Neighbours, Partition};
use crate::error::Error;
use crate::random::SplitMix;
use crate::stop::Stop;

/// Draws of the nodes that follow a destination, before it is taken for one of another orbit.
const DRAWS: usize = 8;

/// Links visited while automorphisms are searched; some seconds.
const MOST_VISITS: usize = 300_000_000;

/// Automorphisms, and the orbits of destinations under the group that they and the exchange of twins generate.
pub(super) struct Orbits {
    /// Permutations of the nodes of the network.
    pub(super) generators: Vec<Vec<u32>>,
    /// Of each kind, a destination of each orbit, by their nodes of the fold.
    pub(super) examples: Vec<Vec<u32>>,
}

/// Finds automorphisms that preserve `link_class`, of folded links.
pub(super) fn orbits(fold: &Fold, link_class: &[u32], kinds: &[Vec<u32>], stop: &Stop) -> Result<Orbits, Error> {
    let mut joined: Vec<u32> = (0..fold.first.len() as u32).collect();
    let mut generators = vec![];
    let mut examples = vec![];
    let mut search: Option<Search<'_>> = None;
    for targets in kinds {
        let mut known: Vec<Sequence> = vec![];
        let mut found: Vec<u32> = vec![];
        for target in targets {
            stop.check()?;
            if found.iter().any(|example| root(&mut joined, *example) == root(&mut joined, *target)) {
                continue;
            }
            if targets.len() > 1 {
                let search = search.get_or_insert_with(|| Search::new(fold, link_class));
                if let Some(image) = known.iter().find_map(|sequence| search.onto(sequence, *target)) {
                    (0..).zip(&image).for_each(|(from, to)| join(&mut joined, from, *to));
                    generators.push(fold.unfolded(&image));
                    continue;
                }
                known.extend(search.sequence(*target));
            }
            found.push(*target);
        }
        examples.push(found);
    }
    // What a later automorphism joins is one orbit, too.
    let mut seen = HashSet::new();
    examples.iter_mut().for_each(|found| found.retain(|target| seen.insert(root(&mut joined, *target))));
    generators.extend(fold.twins_rotated());
    Ok(Orbits { generators, examples })
}

/// A destination, and all that is set apart after it.
struct Sequence {
    /// What follows from each node set apart.
    traces: Vec<u64>,
    /// The nodes in the order of the last partition.
    order: Vec<u32>,
}

struct Search<'a> {
    fold: &'a Fold,
    link_class: &'a [u32],
    links: Neighbours,
    /// Without anything set apart.
    initial: Partition,
    /// Of each folded link, and its number.
    known: HashMap<(u32, u32, u64, LinkKind), u32>,
    /// Of listed demands.
    demands: HashMap<(u32, u32), u64>,
    /// Nodes of the fold; those after them are groups and owners.
    nodes: usize,
    random: SplitMix,
    visited: usize,
}

impl<'a> Search<'a> {
    fn new(fold: &'a Fold, link_class: &'a [u32]) -> Self {
        let nodes = fold.first.len();
        let memberships = memberships(fold);
        let extra = memberships.iter().map(|(_, group)| *group as usize + 1).max().unwrap_or(0);
        let mut links: Neighbours = vec![vec![]; nodes.max(extra)];
        let mut known = HashMap::with_capacity(fold.links.len());
        let mut add = |tail: u32, head: u32, label: u64| {
            // Odd, so that no label is 0; sums of few labels hardly ever are.
            links[tail as usize].push((head, mix(label, 11) | 1));
            links[head as usize].push((tail, mix(label, 12) | 1));
        };
        for (i, link) in fold.links.iter().enumerate() {
            add(link.tail, link.head, mix(u64::from(link_class[i]), u64::from(link.parallel)));
            known.insert((link.tail, link.head, link.capacity.to_bits(), link.kind), i as u32);
        }
        let demands = listed(fold);
        // Where a ring leaves a server shows by this alone: its endpoints have equal links and demands otherwise.
        demands.iter().for_each(|((src, dst), size)| {
            let label = if fold.together(*src, *dst) { mix(13, 1) } else { 13 };
            add(*src, *dst, mix(*size, label));
        });
        memberships.iter().for_each(|(node, group)| add(*node, *group, 14));
        let mut colour: Vec<u64> = (0..nodes).map(|node| look(fold, node)).collect();
        colour.resize(links.len(), 0);
        let initial = Partition::new(&colour, &links);
        let random = SplitMix::of([fold.first.len() as u64]);
        Search { fold, link_class, links, initial, known, demands, nodes, random, visited: 0 }
    }

    /// The partitions that follow from `target`; None where the search has taken long enough.
    fn sequence(&mut self, target: u32) -> Option<Sequence> {
        let mut partition = self.initial.clone();
        let mut traces = vec![partition.set_apart(target, &self.links)];
        while let Some(cell) = partition.open_cell() {
            if self.visited + partition.visited > MOST_VISITS {
                return None;
            }
            let node = partition.order[cell.start];
            traces.push(partition.set_apart(node, &self.links));
        }
        self.visited += partition.visited - self.initial.visited;
        Some(Sequence { traces, order: partition.order })
    }

    /// An automorphism of the fold that maps the destination of `sequence` onto `target`.
    fn onto(&mut self, sequence: &Sequence, target: u32) -> Option<Vec<u32>> {
        for _ in 0..DRAWS {
            if self.visited > MOST_VISITS {
                return None;
            }
            let mut partition = self.initial.clone();
            let mut traces = sequence.traces.iter();
            let mut node = target;
            let mut level = 0;
            let followed = loop {
                if Some(&partition.set_apart(node, &self.links)) != traces.next() {
                    break false;
                }
                let Some(cell) = partition.open_cell() else { break true };
                level += 1;
                node = partition.order[cell.start + self.random.below(cell.len())];
            };
            self.visited += partition.visited - self.initial.visited;
            if followed && traces.next().is_none() {
                let mut image = vec![0; partition.order.len()];
                for (from, to) in sequence.order.iter().zip(&partition.order) {
                    image[*from as usize] = *to;
                }
                image.truncate(self.nodes);
                if self.is_automorphism(&image) {
                    return Some(image);
                }
            } else if level == 0 {
                break;
            }
        }
        None
    }

    /// Whether a permutation maps every node, link and demand onto an equal one.
    fn is_automorphism(&self, image: &[u32]) -> bool {
        let fold = self.fold;
        keeps_nodes(fold, image)
            && fold.links.iter().enumerate().all(|(i, link)| {
                let to = (image[link.tail as usize], image[link.head as usize], link.capacity.to_bits(), link.kind);
                self.known.get(&to).is_some_and(|other| {
                    let twin = &fold.links[*other as usize];
                    self.link_class[i] == self.link_class[*other as usize]
                        && (link.parallel, link.inside) == (twin.parallel, twin.inside)
                })
            })
            && keeps_demands(&self.demands, image)
    }
}

/// What a node of the fold is, by itself.
fn look(fold: &Fold, node: usize) -> u64 {
    let own = match fold.instance.endpoint(fold.first[node]) {
        None => 1,
        Some(endpoint) => fold.instance.demands.first_signature(endpoint).into_iter().fold(2, mix),
    };
    mix(own, fold.count[node].into())
}

/// Nodes of endpoints, each with the number of its group, and with that of its owner; these follow those of the nodes.
fn memberships(fold: &Fold) -> Vec<(u32, u32)> {
    let (mut number, mut found) = (HashMap::new(), vec![]);
    for (node, (group, owner)) in grouped(fold) {
        for what in [(0, group), (1, owner)] {
            let next = (fold.first.len() + number.len()) as u32;
            found.push((node as u32, *number.entry(what).or_insert(next)));
        }
    }
    found
}

/// The nodes of endpoints with their group and their owner.
fn grouped(fold: &Fold) -> impl Iterator<Item = (usize, (u32, u32))> + '_ {
    let instance = &fold.instance;
    let of = |node: &u32| instance.endpoint(*node).and_then(|endpoint| instance.demands.group(endpoint));
    fold.first.iter().enumerate().filter_map(move |(node, first)| Some((node, of(first)?)))
}

/// Whether a permutation maps nodes onto equal nodes, groups onto groups that are in one unit where they are, and owners
/// onto owners.
pub(super) fn keeps_nodes(fold: &Fold, image: &[u32]) -> bool {
    let mut onto = vec![false; fold.first.len()];
    for to in image {
        if let Some(hit) = onto.get_mut(*to as usize) {
            *hit = true;
        }
    }
    if image.len() != onto.len() || onto.contains(&false) {
        return false;
    }
    let group = |node: usize| {
        let endpoint = fold.instance.endpoint(fold.first[node]);
        endpoint.and_then(|endpoint| fold.instance.demands.group(endpoint))
    };
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let mut pairs = |what: u8, from: u32, to: u32| {
        *there.entry((what, from)).or_insert(to) == to && *back.entry((what, to)).or_insert(from) == from
    };
    image.iter().enumerate().all(|(node, to)| {
        let to = *to as usize;
        fold.count[node] == fold.count[to]
            && look(fold, node) == look(fold, to)
            && fold.alone[node] == fold.alone[to]
            && match (group(node), group(to)) {
                (Some((g, o)), Some((group, owner))) => pairs(0, g, group) && pairs(1, o, owner),
                (from, to) => from == to,
            }
    })
}

/// Listed demands between nodes of the fold.
pub(super) fn listed(fold: &Fold) -> HashMap<(u32, u32), u64> {
    let first = fold.instance.switches as u32;
    let node = |endpoint: u32| fold.of[(first + endpoint) as usize];
    fold.instance.demands.listed().map(|(src, dst, size)| ((node(src), node(dst)), size.to_bits())).collect()
}

/// Whether a permutation maps every listed demand onto an equal one.
pub(super) fn keeps_demands(demands: &HashMap<(u32, u32), u64>, image: &[u32]) -> bool {
    let onto = |(src, dst): &(u32, u32)| demands.get(&(image[*src as usize], image[*dst as usize]));
    demands.iter().all(|(pair, size)| onto(pair) == Some(size))
}
