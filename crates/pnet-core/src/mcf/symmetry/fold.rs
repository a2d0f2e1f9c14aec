//! Twins: parts of a network with the same neighbours, of which one represents all.

use std::collections::{HashMap, HashSet};

use super::instance::{Instance, Link, LinkKind};

/// A link that represents all links between the nodes that its ends represent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folded {
    pub(super) tail: u32,
    pub(super) head: u32,
    pub(super) capacity: f64,
    pub(super) kind: LinkKind,
    /// Links from one node of the tail to one of the head; where `inside`, to the one of the same unit.
    pub(super) parallel: u32,
    /// Whether each unit has its own such link; otherwise they join every node to every node.
    pub(super) inside: bool,
}

impl Folded {
    /// What no other folded link has.
    pub(super) fn key(&self) -> (u32, u32, u64, LinkKind) {
        (self.tail, self.head, self.capacity.to_bits(), self.kind)
    }
}

/// The network with twins folded.
///
/// A *unit* is an endpoint with the switches that it attaches to, or a switch without endpoints.  Units with the same
/// neighbours outside, link by link, and the same inside, are twins: exchanging two of them is an automorphism.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The network.
    pub(super) instance: Instance,
    /// How many nodes each node represents.
    pub(super) count: Vec<u32>,
    /// The first of the nodes that a node represents.
    pub(super) first: Vec<u32>,
    /// The node that represents a node of the network.
    pub(super) of: Vec<u32>,
    /// The range of nodes that belong to the same folded unit.
    pub(super) unit: Vec<(u32, u32)>,
    pub(super) links: Vec<Folded>,
    /// The folded link of each link.
    pub(super) link_of: Vec<u32>,
    /// Whether all endpoints of the group of each node are in one unit.
    pub(super) alone: Vec<bool>,
    /// The folded link that is the same link as each, itself where there is none.
    pub(super) partner: Vec<u32>,
    /// The unit of each node of the network.
    unit_of: Vec<u32>,
}

impl Fold {
    /// Folds `instance`.
    pub fn new(instance: Instance) -> Self {
        let (units, class, alone) = divided(&instance);
        let mut fold = Fold {
            count: vec![],
            first: vec![],
            of: vec![0; instance.nodes],
            unit: vec![],
            links: vec![],
            link_of: vec![0; instance.links.len()],
            alone: vec![],
            partner: vec![],
            unit_of: vec![0; instance.nodes],
            instance,
        };
        // The first unit of each class gives it its nodes.
        let mut nodes_of: Vec<Option<u32>> = vec![None; class.iter().max().map_or(0, |c| *c as usize + 1)];
        for (u, (unit, class)) in units.iter().zip(&class).enumerate() {
            let first = *nodes_of[*class as usize].get_or_insert_with(|| {
                let first = fold.first.len() as u32;
                fold.first.extend(unit);
                fold.count.resize(fold.first.len(), 0);
                fold.unit.resize(fold.first.len(), (first, first + unit.len() as u32));
                first
            });
            for (i, node) in unit.iter().enumerate() {
                fold.unit_of[*node as usize] = u as u32;
                fold.of[*node as usize] = first + i as u32;
                fold.count[first as usize + i] += 1;
            }
        }
        fold.alone = fold.first.iter().map(|node| alone[*node as usize]).collect();
        fold.fold_links();
        fold
    }

    /// Whether two nodes of the network belong to one unit.
    fn mates(&self, a: u32, b: u32) -> bool {
        self.unit_of[a as usize] == self.unit_of[b as usize]
    }

    /// Whether two nodes represent nodes of the same units.
    pub(super) fn together(&self, a: u32, b: u32) -> bool {
        self.unit[a as usize] == self.unit[b as usize]
    }

    /// Switches and endpoints of the network.
    pub fn nodes(&self) -> usize {
        self.instance.nodes
    }

    /// The values `seen` of the nodes of a view from `target`, which represents `goal`, for every node of the network.
    pub(super) fn of_network<T: Copy>(&self, target: u32, goal: u32, seen: &[T]) -> Vec<T> {
        let (begin, _) = self.unit[target as usize];
        let apart = seen.len() > self.first.len();
        let position = |(node, of): (usize, &u32)| match apart && self.mates(node as u32, goal) {
            true => seen[self.first.len() + (of - begin) as usize],
            false => seen[*of as usize],
        };
        self.of.iter().enumerate().map(position).collect()
    }

    /// The nodes of the network that each node represents, by unit.
    fn members(&self) -> Vec<Vec<u32>> {
        let mut nodes: Vec<u32> = (0..self.of.len() as u32).collect();
        nodes.sort_by_key(|node| self.unit_of[*node as usize]);
        let mut found = vec![vec![]; self.first.len()];
        nodes.into_iter().for_each(|node| found[self.of[node as usize] as usize].push(node));
        found
    }

    /// The permutation of the network's nodes that maps twins onto twins, in their order, as `image` maps nodes.
    pub(super) fn unfolded(&self, image: &[u32]) -> Vec<u32> {
        let members = self.members();
        let mut found = vec![0; self.of.len()];
        for (from, to) in members.iter().zip(image) {
            for (node, other) in from.iter().zip(&members[*to as usize]) {
                found[*node as usize] = *other;
            }
        }
        found
    }

    /// What a permutation of the network's nodes, which maps twins onto twins, does with those of the fold.
    pub(super) fn folded(&self, image: &[u32]) -> Vec<u32> {
        let to = |node: &u32| image.get(*node as usize).and_then(|to| self.of.get(*to as usize));
        self.first.iter().map(|node| to(node).copied().unwrap_or(u32::MAX)).collect()
    }

    /// The permutation that maps every unit onto the next of its twins; none where no unit has twins.
    pub(super) fn twins_rotated(&self) -> Option<Vec<u32>> {
        let mut found: Vec<u32> = (0..self.of.len() as u32).collect();
        for twins in self.members() {
            for (i, node) in twins.iter().enumerate() {
                found[*node as usize] = twins[(i + 1) % twins.len()];
            }
        }
        self.count.iter().any(|count| *count > 1).then_some(found)
    }

    fn fold_links(&mut self) {
        let mut known: HashMap<(u32, u32, u64, LinkKind), u32> = HashMap::new();
        for (i, link) in self.instance.links.iter().enumerate() {
            let (tail, head) = (self.of[link.tail as usize], self.of[link.head as usize]);
            let inside = self.together(tail, head);
            let at = *known.entry((tail, head, link.capacity.to_bits(), link.kind)).or_insert_with(|| {
                let Link { capacity, kind, .. } = *link;
                self.links.push(Folded { tail, head, capacity, kind, parallel: 0, inside });
                self.links.len() as u32 - 1
            });
            self.link_of[i] = at;
            // All pairs of nodes have equally many; those of the first pair are counted.
            let firsts = (self.first[tail as usize], self.first[head as usize]);
            self.links[at as usize].parallel += u32::from((link.tail, link.head) == firsts);
        }
        self.partner = (0..self.links.len() as u32).collect();
        if self.instance.servers.is_some() {
            let mut place = vec![u32::MAX; self.instance.link_count];
            let numbered = || self.instance.links.iter().zip(&self.link_of);
            numbered().for_each(|(link, at)| place[link.index as usize] = *at);
            for (link, at) in numbered() {
                if let Some(other) = self.instance.partner(link.index) {
                    self.partner[*at as usize] = place[other as usize];
                }
            }
        }
    }
}

/// The units of a network, their classes, and of each node whether all endpoints of its group are in one unit.
///
/// Servers are units, or these with the switches that they attach to, whichever leaves fewer links.
fn divided(instance: &Instance) -> Division {
    let inside = match &instance.servers {
        None => vec![false; instance.nodes],
        Some((inside, _)) => {
            let mut found = vec![false; instance.nodes];
            for link in instance.links.iter().filter(|link| inside.get(link.index as usize) == Some(&true)) {
                found[link.tail as usize] = true;
                found[link.head as usize] = true;
            }
            found
        }
    };
    let groups = Groups::of(instance);
    let split = |ends: usize| {
        let joins = |link: &Link| {
            let count = usize::from(inside[link.tail as usize]) + usize::from(inside[link.head as usize]);
            link.kind != LinkKind::Core || count >= ends
        };
        let units = units(instance, joins);
        let alone = groups.alone(instance, &units);
        let class = classes(instance, &units, &alone);
        (units, class, alone)
    };
    let servers = split(2);
    if instance.servers.is_none() {
        return servers;
    }
    let attached = split(1);
    let mut degree = vec![0_usize; instance.nodes];
    instance.links.iter().for_each(|link| degree[link.tail as usize] += 1);
    let links = |(units, class, _): &Division| -> usize {
        let mut counted = vec![false; units.len()];
        let first = units.iter().zip(class).filter(|(_, c)| !std::mem::replace(&mut counted[**c as usize], true));
        first.flat_map(|(unit, _)| unit).map(|node| degree[*node as usize]).sum()
    };
    if links(&attached) < links(&servers) { attached } else { servers }
}

type Division = (Vec<Vec<u32>>, Vec<u32>, Vec<bool>);

/// How many endpoints each group has.
struct Groups(HashMap<u32, usize>);

impl Groups {
    fn of(instance: &Instance) -> Self {
        let mut size = HashMap::new();
        for node in instance.switches..instance.nodes {
            let group = instance.endpoint(node as u32).and_then(|endpoint| instance.demands.group(endpoint));
            group.into_iter().for_each(|(group, _)| *size.entry(group).or_default() += 1);
        }
        Groups(size)
    }

    /// Of each node whether all endpoints of its group are in its unit.
    fn alone(&self, instance: &Instance, units: &[Vec<u32>]) -> Vec<bool> {
        let mut found = vec![false; instance.nodes];
        let group = |node: &u32| instance.endpoint(*node).and_then(|endpoint| instance.demands.group(endpoint));
        for unit in units {
            let mut here: HashMap<u32, usize> = HashMap::new();
            unit.iter().filter_map(group).for_each(|(group, _)| *here.entry(group).or_default() += 1);
            for node in unit {
                found[*node as usize] = group(node).is_some_and(|(group, _)| here[&group] == self.0[&group]);
            }
        }
        found
    }
}

/// The units, each as its switches by plane and then its endpoints, in the same order for twins.
fn units(instance: &Instance, joins: impl Fn(&Link) -> bool) -> Vec<Vec<u32>> {
    let mut root: Vec<u32> = (0..instance.nodes as u32).collect();
    fn find(root: &mut [u32], mut node: u32) -> u32 {
        while root[node as usize] != node {
            root[node as usize] = root[root[node as usize] as usize];
            node = root[node as usize];
        }
        node
    }
    for link in instance.links.iter().filter(|link| joins(link)) {
        let (a, b) = (find(&mut root, link.tail), find(&mut root, link.head));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut position = vec![u32::MAX; instance.nodes];
    let mut units: Vec<Vec<u32>> = vec![];
    for node in 0..instance.nodes as u32 {
        let own = find(&mut root, node) as usize;
        if position[own] == u32::MAX {
            position[own] = units.len() as u32;
            units.push(vec![]);
        }
        units[position[own] as usize].push(node);
    }
    units
}

/// The class of each unit: twins have the same.
fn classes(instance: &Instance, units: &[Vec<u32>], alone: &[bool]) -> Vec<u32> {
    let mut around: Vec<Vec<(u8, u32, u64)>> = vec![vec![]; instance.nodes];
    for link in &instance.links {
        let bits = link.capacity.to_bits();
        let kind = link.kind as u8;
        around[link.tail as usize].push((2 * kind, link.head, bits));
        around[link.head as usize].push((2 * kind + 1, link.tail, bits));
    }
    let mut position = vec![(0, 0); instance.nodes];
    for (u, unit) in units.iter().enumerate() {
        for (i, node) in unit.iter().enumerate() {
            position[*node as usize] = (u, i);
        }
    }
    let scattered = scattered(instance, units);
    let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut found = Vec::with_capacity(units.len());
    for (u, unit) in units.iter().enumerate() {
        let planes = unit.iter().filter(|node| instance.endpoint(**node).is_none());
        let planes: Vec<u32> = planes.map(|node| instance.plane[*node as usize]).collect();
        let mut signature = vec![];
        // Two switches of one plane may have a link between them; such a unit is not folded.
        if instance.servers.is_none() && planes.windows(2).any(|two| two[0] == two[1]) {
            signature.push(u as u64);
        }
        signature.extend(scattered.contains(&u).then_some(u as u64));
        // Owners, and groups that are in this unit alone, are identified by the order in which it has them.
        let (mut owners, mut groups) = (HashMap::new(), HashMap::new());
        for node in unit {
            match instance.endpoint(*node) {
                Some(endpoint) => {
                    signature.extend(instance.demands.signature(endpoint));
                    if let Some((group, owner)) = instance.demands.group(endpoint) {
                        let (next, next_group) = (owners.len() as u64, groups.len() as u64);
                        signature.push(*owners.entry(owner).or_insert(next));
                        let own = alone[*node as usize];
                        signature.push(u64::from(own));
                        signature.push(if own { *groups.entry(group).or_insert(next_group) } else { group.into() });
                    }
                }
                None => signature.push(u64::from(instance.plane[*node as usize])),
            }
            let near = &mut around[*node as usize];
            signature.push(near.len() as u64);
            // Neighbours inside are identified by their position in the unit, which twins share.
            let mut seen: Vec<[u64; 3]> = near
                .iter()
                .map(|(direction, other, bits)| match position[*other as usize] {
                    (own, i) if own == u => [u64::from(*direction), i as u64, *bits],
                    _ => [u64::from(*direction) + 8, u64::from(*other), *bits],
                })
                .collect();
            seen.sort_unstable();
            signature.extend(seen.into_iter().flatten());
            *near = vec![];
        }
        let next = known.len() as u32;
        found.push(*known.entry(signature).or_insert(next));
    }
    found
}

/// The units with an endpoint whose owner has another one in another unit.
fn scattered(instance: &Instance, units: &[Vec<u32>]) -> HashSet<usize> {
    let (mut home, mut found) = (HashMap::new(), HashSet::new());
    for (u, unit) in units.iter().enumerate() {
        let owners = unit.iter().filter_map(|node| instance.demands.group(instance.endpoint(*node)?));
        for (_, owner) in owners {
            let first = *home.entry(owner).or_insert(u);
            found.extend((first != u).then_some([first, u]).into_iter().flatten());
        }
    }
    found
}
