//! Automorphisms that join the destinations of a kind into orbits.
//!
//! Two destinations are set apart, each in a partition of its own, and further nodes at equal positions, until every cell
//! has one node: then positions give a permutation.  It is kept if it maps links onto equal links and demands onto equal
//! demands, which is checked; that colours are equal proves nothing.  The nodes that follow are drawn, and few random
//! automorphisms generate a group that is transitive on all destinations of the kind.
//!
//! Cells may hold more than an orbit, as of the members of rings some of which leave a leaf.  A node that does not fit is
//! drawn again in its place, from then on among those that show the same where they alone are set apart.
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

/// Nodes drawn again in their places, in all these draws.
const REDRAWS: usize = 16;

/// Further automorphisms that are drawn where cells hold several orbits: two planes may be equivalent, and those drawn for
/// destinations map both onto themselves.
const FURTHER: usize = 8;

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
    let mut last = None;
    for targets in kinds {
        let mut known: Vec<(u32, Option<Sequence>)> = vec![];
        let mut found: Vec<u32> = vec![];
        for target in targets {
            stop.check()?;
            if found.iter().any(|example| root(&mut joined, *example) == root(&mut joined, *target)) {
                continue;
            }
            if targets.len() > 1 {
                let search = search.get_or_insert_with(|| Search::new(fold, link_class));
                if let Some(image) = known.iter_mut().find_map(|(example, from)| search.onto(*example, from, *target)) {
                    (0..).zip(&image).for_each(|(from, to)| join(&mut joined, from, *to));
                    generators.push(fold.unfolded(&image));
                    continue;
                }
                known.push((*target, None));
            }
            found.push(*target);
        }
        examples.push(found);
        last = known.into_iter().find_map(|(_, sequence)| sequence).or(last);
    }
    if let (true, Some(search), Some(sequence)) = (fold.instance.servers.is_some(), &mut search, last) {
        let mut count = orbit_count(&mut joined);
        for _ in 0..FURTHER {
            stop.check()?;
            if count == search.cells {
                break;
            }
            let Some(image) = search.image(&sequence, sequence.nodes[0]) else { break };
            (0..).zip(&image).for_each(|(from, to)| join(&mut joined, from, *to));
            let now = orbit_count(&mut joined);
            if now < count {
                generators.push(fold.unfolded(&image));
                count = now;
            }
        }
    }
    // What a later automorphism joins is one orbit, too.
    let mut seen = HashSet::new();
    examples.iter_mut().for_each(|found| found.retain(|target| seen.insert(root(&mut joined, *target))));
    generators.extend(fold.twins_rotated());
    Ok(Orbits { generators, examples })
}

/// How many sets there are.
fn orbit_count(joined: &mut [u32]) -> usize {
    (0..joined.len() as u32).filter(|node| root(joined, *node) == *node).count()
}

/// A destination, and what is set apart after it.
struct Sequence {
    /// The nodes set apart.
    nodes: Vec<u32>,
    /// What follows from each.
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
    /// How many of its cells have nodes of the fold.
    cells: usize,
    /// Of each folded link, and its number.
    known: HashMap<(u32, u32, u64, LinkKind), u32>,
    /// Of listed demands.
    demands: HashMap<(u32, u32), u64>,
    /// Nodes of the fold; those after them are groups and owners.
    nodes: usize,
    random: SplitMix,
    visited: usize,
    /// What follows from a node that alone is set apart.
    alone: HashMap<u32, u64>,
    /// Whether a node did not fit that had been drawn from a cell.
    mixed: bool,
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
        let cells = initial.colours()[..nodes].iter().collect::<HashSet<_>>().len();
        let random = SplitMix::of([fold.first.len() as u64]);
        Search {
            fold,
            link_class,
            links,
            initial,
            cells,
            known,
            demands,
            nodes,
            random,
            visited: 0,
            alone: HashMap::new(),
            mixed: false,
        }
    }

    /// The partitions that follow from `target`; None where the search has taken long enough.
    fn sequence(&mut self, target: u32) -> Option<Sequence> {
        let mut partition = self.initial.clone();
        let (mut nodes, mut traces) = (vec![target], vec![partition.set_apart(target, &self.links)]);
        while let Some(cell) = partition.open_cell() {
            if self.visited + partition.visited > MOST_VISITS {
                return None;
            }
            let node = partition.order[cell.start];
            nodes.push(node);
            traces.push(partition.set_apart(node, &self.links));
        }
        self.visited += partition.visited - self.initial.visited;
        Some(Sequence { nodes, traces, order: partition.order })
    }

    /// An automorphism of the fold that maps `example` onto `target`; `from` is what follows from it, once it is known.
    fn onto(&mut self, example: u32, from: &mut Option<Sequence>, target: u32) -> Option<Vec<u32>> {
        if self.alone(target) != self.alone(example) {
            return None;
        }
        if from.is_none() {
            *from = self.sequence(example);
        }
        self.image(from.as_ref()?, target)
    }

    /// An automorphism of the fold that maps the destination of `sequence` onto `target`.
    fn image(&mut self, sequence: &Sequence, target: u32) -> Option<Vec<u32>> {
        let mut redraws = REDRAWS;
        for _ in 0..DRAWS {
            if self.visited > MOST_VISITS {
                return None;
            }
            let Some(order) = self.follow(sequence, target, &mut redraws) else { continue };
            let mut image = vec![0; order.len()];
            for (from, to) in sequence.order.iter().zip(&order) {
                image[*from as usize] = *to;
            }
            image.truncate(self.nodes);
            if self.is_automorphism(&image) {
                return Some(image);
            }
        }
        None
    }

    /// The nodes in an order as that of `sequence`, if the nodes drawn after `target` lead to one.
    fn follow(&mut self, sequence: &Sequence, target: u32, redraws: &mut usize) -> Option<Vec<u32>> {
        let mut chosen = vec![target];
        loop {
            let mut partition = self.initial.clone();
            chosen.iter().for_each(|node| _ = partition.set_apart(*node, &self.links));
            let fits = loop {
                let Some(cell) = partition.open_cell() else { break true };
                let Some(model) = sequence.nodes.get(chosen.len()) else { break false };
                let Some(node) = self.draw(&partition.order[cell], *model) else { break false };
                if partition.set_apart(node, &self.links) != sequence.traces[chosen.len()] {
                    break false;
                }
                chosen.push(node);
            };
            self.visited += partition.visited - self.initial.visited;
            if fits {
                return (chosen.len() == sequence.nodes.len()).then_some(partition.order);
            }
            self.mixed = true;
            *redraws = redraws.checked_sub(1)?;
            if self.visited > MOST_VISITS {
                return None;
            }
        }
    }

    /// A node of a cell; where cells hold more than an orbit, one from which follows what does from `model`.
    fn draw(&mut self, cell: &[u32], model: u32) -> Option<u32> {
        let begin = self.random.below(cell.len());
        if !self.mixed {
            return Some(cell[begin]);
        }
        let expected = self.alone(model);
        cell[begin..].iter().chain(&cell[..begin]).copied().find(|node| self.alone(*node) == expected)
    }

    /// What follows from a node that alone is set apart; 0 where the search has taken long enough.
    fn alone(&mut self, node: u32) -> u64 {
        if let Some(known) = self.alone.get(&node) {
            return *known;
        }
        if self.visited > MOST_VISITS {
            return 0;
        }
        let mut partition = self.initial.clone();
        let trace = partition.set_apart(node, &self.links);
        self.visited += partition.visited - self.initial.visited;
        self.alone.insert(node, trace);
        trace
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
