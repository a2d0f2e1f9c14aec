//! What a proof in colours proves of the whole network.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::fold::Fold;
use super::instance::Sort;
use super::mix;
use super::reduce::targets;
use super::view::{Seen, View};
use crate::error::{Error, invalid};
use crate::stop::Stop;

/// A flow and lengths of links in colours.
#[derive(Debug, Clone, Copy)]
pub struct Coloured<'a> {
    /// The class of each link by its place, -1 where there is none.
    pub link_class: &'a [i32],
    /// The length of the links of each class.
    pub length: &'a [f64],
    /// One endpoint of each kind of destinations.
    pub targets: &'a [i32],
    /// For each kind the class of each node, as seen from that endpoint.
    pub node_class: &'a [i32],
    /// Kind, tail, head and class of links of each entry; on other links nothing flows.
    pub entries: &'a [[i32; 4]],
    /// What flows on each link of an entry towards one destination of the kind when all demands are met once.
    pub flow: &'a [f64],
}

/// The bounds of a proof and the loads of its flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The demands can be met this many times.
    pub lower: f64,
    /// They cannot be met more often than this.
    pub upper: f64,
    /// The load of each link by its place when the demands are met once.
    pub load: Vec<f64>,
}

/// How much of what passes a node may be lost to rounding.
const ROUNDING: f64 = 1e-9;

/// What views of one kind have in common.
struct Known {
    /// The class of a node by its colour.
    class: HashMap<u64, i32>,
    /// What flows on a link by the classes of its tail, its head and itself; every link that is seen has an entry.
    flow: HashMap<(i32, i32, i32), f64>,
    /// The sum of demand times distance towards one destination.
    worth: f64,
}

/// The bounds that a proof gives, from every destination's own view.
///
/// An error says that the proof is none: a destination looks like none of the kinds, or traffic is lost on the way.
pub fn evaluate(fold: &Fold, proof: &Coloured, stop: &Stop) -> Result<Found, Error> {
    let instance = &fold.instance;
    let class = folded_classes(fold, proof)?;
    let colour: Vec<u64> =
        fold.links.iter().zip(&class).map(|(link, class)| link_colour(link, *class)).collect();
    let mut by_kind: Vec<HashMap<(i32, i32, i32), f64>> = vec![HashMap::new(); proof.targets.len()];
    for ([kind, tail, head, link], flow) in proof.entries.iter().zip(proof.flow) {
        match usize::try_from(*kind).ok().and_then(|kind| by_kind.get_mut(kind)) {
            Some(known) => known.insert((*tail, *head, *link), *flow),
            None => return invalid("colours", format!("there is no kind {kind}")),
        };
    }
    let mut kinds = HashMap::new();
    for (kind, flow) in by_kind.into_iter().enumerate() {
        let (look, known) = known(fold, proof, kind, flow, &colour, &class)?;
        kinds.insert(look, known);
    }
    let targets = targets(fold);
    let (mut load, mut worth) = (vec![0.0; fold.links.len()], 0.0);
    for some in targets.chunks(32) {
        stop.check()?;
        let found: Vec<_> = some.par_iter().map(|t| carried(fold, *t, &colour, &class, &kinds)).collect();
        // One after the other, so that the sums are the same on any number of threads.
        for (target, found) in some.iter().zip(found) {
            let (of_kind, flows) = found?;
            worth += of_kind * f64::from(fold.count[*target as usize]);
            for (link, flow) in flows {
                load[link as usize] += flow;
            }
        }
    }
    let (mut lower, mut volume) = (f64::INFINITY, 0.0);
    let mut loads = vec![0.0; instance.places];
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        let (carries, length) = (load[*folded as usize], proof.length[class[*folded as usize] as usize]);
        loads[link.place as usize] = carries;
        if carries > 0.0 {
            lower = lower.min(link.capacity / carries);
        }
        if length > 0.0 {
            volume += link.capacity * length;
        }
    }
    if !(worth > 0.0 && volume.is_finite()) {
        return invalid("colours", "the lengths separate no demand, or are on links without a limit");
    }
    Ok(Found { lower, upper: volume / worth, load: loads })
}

fn link_colour(link: &super::fold::Folded, class: i32) -> u64 {
    mix(mix(link.capacity.to_bits(), link.sort as u64), class as u64)
}

/// The class that a proof gives each folded link.
fn folded_classes(fold: &Fold, proof: &Coloured) -> Result<Vec<i32>, Error> {
    let instance = &fold.instance;
    if proof.link_class.len() != instance.places
        || proof.node_class.len() != proof.targets.len() * instance.nodes
        || proof.entries.len() != proof.flow.len()
    {
        return invalid("colours", "arrays of other lengths than the network's");
    }
    if proof.length.iter().chain(proof.flow).any(|value| !(value.is_finite() && *value >= 0.0)) {
        return invalid("colours", "a length or a flow is negative or not finite");
    }
    let mut class = vec![-1; fold.links.len()];
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        let given = proof.link_class[link.place as usize];
        let known = &mut class[*folded as usize];
        if given < 0 || given as usize >= proof.length.len() || (*known >= 0 && *known != given) {
            return invalid("colours", "links of twins have different classes, or one has none");
        }
        *known = given;
    }
    Ok(class)
}

fn known(
    fold: &Fold,
    proof: &Coloured,
    kind: usize,
    mut flow: HashMap<(i32, i32, i32), f64>,
    colour: &[u64],
    link_class: &[i32],
) -> Result<(u64, Known), Error> {
    let instance = &fold.instance;
    let endpoint = u32::try_from(proof.targets[kind]).unwrap_or(u32::MAX);
    let node = instance.switches as u64 + u64::from(endpoint);
    if node >= instance.nodes as u64 {
        return invalid("colours", format!("there is no destination {endpoint}"));
    }
    let target = fold.of[node as usize];
    let view = View::new(fold, Some(target));
    let seen = view.colours(colour);
    let given = &proof.node_class[kind * instance.nodes..(kind + 1) * instance.nodes];
    let mut class: HashMap<u64, i32> = HashMap::new();
    for (colour, given) in fold.of_network(target, node as u32, &seen).into_iter().zip(given) {
        if *class.entry(colour).or_insert(*given) != *given {
            return invalid("colours", "nodes that look alike have different classes");
        }
    }
    let length = |link: u32| proof.length[link_class[link as usize] as usize];
    let links = |link: &Seen| (class[&seen[link.tail as usize]], class[&seen[link.head as usize]]);
    let known: HashSet<(i32, i32, i32)> = view
        .links
        .iter()
        .map(|link| {
            let (tail, head) = links(link);
            (tail, head, link_class[link.link as usize])
        })
        .collect();
    if flow.keys().any(|entry| !known.contains(entry)) {
        return invalid("colours", "a flow is on links that there are not");
    }
    for entry in known {
        flow.entry(entry).or_insert(0.0);
    }
    let (distance, own) = view.distances(length, |link| fold.links[link as usize].sort);
    let mut worth = 0.0;
    for (node, demand) in view.demand.iter().enumerate().filter(|(_, demand)| **demand > 0.0) {
        let far = if view.target == Some(node as u32) { own } else { distance[node] };
        worth += view.count[node] * demand * far;
    }
    Ok((view.look(&seen, colour), Known { class, flow, worth }))
}

/// What lengths are worth towards one destination like `target`, and what all of its twins put on each folded link.
fn carried(
    fold: &Fold,
    target: u32,
    colour: &[u64],
    link_class: &[i32],
    kinds: &HashMap<u64, Known>,
) -> Result<(f64, Vec<(u32, f64)>), Error> {
    let view = View::new(fold, Some(target));
    let seen = view.colours(colour);
    let Some(known) = kinds.get(&view.look(&seen, colour)) else {
        return invalid("colours", "a destination looks like none of the kinds");
    };
    let mut class = Vec::with_capacity(seen.len());
    for colour in &seen {
        match known.class.get(colour) {
            Some(of) => class.push(*of),
            None => return invalid("colours", "a node looks like none of its kind"),
        }
    }
    let (mut out, mut into) = (vec![0.0; seen.len()], view.demand.clone());
    let mut flows = vec![];
    for link in &view.links {
        let (tail, head) = (link.tail as usize, link.head as usize);
        let of = (class[tail], class[head], link_class[link.link as usize]);
        let Some(flow) = known.flow.get(&of) else {
            return invalid("colours", "a link looks like none of its kind");
        };
        if *flow == 0.0 {
            continue;
        }
        if fold.links[link.link as usize].sort == Sort::Down && Some(link.head) != view.target {
            return invalid("colours", "traffic goes through an endpoint");
        }
        out[tail] += flow * f64::from(link.out);
        if Some(link.head) != view.target {
            into[head] += flow * f64::from(link.into);
        }
        flows.push((link.link, flow * view.seen_by(fold, target, link) as f64));
    }
    if into.iter().zip(&out).any(|(into, out)| (into - out).abs() > ROUNDING * into.max(*out)) {
        return invalid("colours", "what enters a node does not leave it");
    }
    Ok((known.worth, flows))
}
