//! Orbits of nodes and links of a fold under automorphisms, each of which is checked to be one.

use std::collections::HashMap;

use super::fold::Fold;
use super::generators::{keeps_demands, keeps_nodes, listed};
use super::instance::LinkKind;
use crate::error::{Error, invalid};

/// The orbits under the group that some automorphisms generate.
pub(super) struct Group {
    /// Of each node of the fold, the first of its orbit.
    pub(super) node: Vec<u32>,
    /// Of each folded link, the first of its orbit.
    pub(super) link: Vec<u32>,
    /// How many nodes are in the orbit of each first one.
    size: Vec<u64>,
}

impl Group {
    /// The orbits under permutations of the nodes of the fold.
    ///
    /// # Errors
    /// One of them is no automorphism.
    pub(super) fn generated(fold: &Fold, images: impl Iterator<Item = Vec<u32>>) -> Result<Self, Error> {
        let mut node: Vec<u32> = (0..fold.first.len() as u32).collect();
        let mut link: Vec<u32> = (0..fold.links.len() as u32).collect();
        let known: HashMap<(u32, u32, u64, LinkKind), u32> =
            (0..).zip(&fold.links).map(|(i, l)| (l.key(), i)).collect();
        let demands = listed(fold);
        for image in images {
            if !keeps_nodes(fold, &image) || !keeps_demands(&demands, &image) {
                return invalid("generator", "it maps a switch or a demand onto another one");
            }
            for (from, to) in image.iter().enumerate() {
                join(&mut node, from as u32, *to);
            }
            for (i, from) in fold.links.iter().enumerate() {
                let key = (image[from.tail as usize], image[from.head as usize], from.capacity.to_bits(), from.kind);
                let to = known.get(&key).filter(|to| {
                    let onto = &fold.links[**to as usize];
                    (from.parallel, from.inside) == (onto.parallel, onto.inside)
                });
                match to {
                    Some(to) => join(&mut link, i as u32, *to),
                    None => return invalid("generator", "it maps a link onto something else"),
                }
            }
        }
        let (node, link) = (roots(node), roots(link));
        let mut size = vec![0; node.len()];
        node.iter().for_each(|root| size[*root as usize] += 1);
        Ok(Group { node, link, size })
    }

    /// How many nodes of the fold are in the orbit of one.
    pub(super) fn orbit_size(&self, node: u32) -> u64 {
        self.size[self.node[node as usize] as usize]
    }

    /// The orbits of links, those of arcs that are one link together.
    pub(super) fn joined_links(&self, fold: &Fold) -> Vec<u32> {
        let mut joined = self.link.clone();
        (0..).zip(&fold.partner).for_each(|(link, partner)| join(&mut joined, link, *partner));
        roots(joined)
    }
}

/// Puts two things into one set.
pub(super) fn join(joined: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(joined, a), root(joined, b));
    joined[a.max(b) as usize] = a.min(b);
}

/// The first of the set of a thing.
pub(super) fn root(joined: &mut [u32], mut node: u32) -> u32 {
    while joined[node as usize] != node {
        joined[node as usize] = joined[joined[node as usize] as usize];
        node = joined[node as usize];
    }
    node
}

fn roots(mut joined: Vec<u32>) -> Vec<u32> {
    (0..joined.len() as u32).map(|node| root(&mut joined, node)).collect()
}
