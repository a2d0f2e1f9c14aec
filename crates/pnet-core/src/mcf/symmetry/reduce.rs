//! The classes of a network's links, and the quotient as seen by destinations of each kind.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::fold::Fold;
use super::generators::{Orbits, orbits};
use super::group::Group;
use super::hash::{distinct, mix};
use super::view::View;
use crate::error::Error;
use crate::stop::Stop;

/// Links between two classes of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Class of the tails.
    pub tail: u32,
    /// Class of the heads.
    pub head: u32,
    /// Class of the links.
    pub link: u32,
    /// How many leave each node of the tails.
    pub out: u32,
    /// How many enter each node of the heads.
    pub into: u32,
}

/// The quotient for destinations of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// How many endpoints are of the kind.
    pub targets: u64,
    /// An endpoint of each orbit of the kind, and the class of each node as seen from it.
    pub examples: Vec<(u32, Vec<u32>)>,
    /// How many nodes each class has.
    pub size: Vec<f64>,
    /// Demand of each node of a class to the destination.
    pub demand: Vec<f64>,
    /// The links.
    pub entries: Vec<Entry>,
}

/// A network reduced to equivalence classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// The class of each link by its index; None where there is no link.
    pub link_class: Vec<Option<u32>>,
    /// The capacity of each class of links.
    pub capacity: Vec<f64>,
    /// How many links each class has.
    pub links: Vec<f64>,
    /// The kinds of destinations.
    pub kinds: Vec<Kind>,
    /// Permutations of nodes that preserve links, their classes and demands; they generate the orbits.
    pub generators: Vec<Vec<u32>>,
}

/// Destinations whose views are refined before the classes found so far are counted.
const AT_ONCE: usize = 32;

/// A refined view: its hash, and for each folded link a hash of its colours in the views of all twins of the destination.
struct Refined {
    signature: u64,
    seen: Vec<u64>,
}

/// Limits of the reduction.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Classes of links in the views, summed over kinds.
    pub classes: usize,
    /// Links in the views of one round of refinement, summed over all destinations but twins.
    pub looks: usize,
    /// Links of the network, summed over orbits of destinations.
    pub examples: usize,
}

/// The classes of a network, or None where they exceed the budget.
pub fn reduce(fold: &Fold, budget: Budget, stop: &Stop) -> Result<Option<Reduced>, Error> {
    if fold.instance.servers.is_some() {
        return by_orbits(fold, budget, stop);
    }
    let targets: Vec<u32> = targets(fold);
    if targets.len().saturating_mul(fold.links.len()) > budget.looks {
        return Ok(None);
    }
    let mut link_colour = first_colours(fold);
    let mut different = distinct(&link_colour);
    loop {
        let mut kinds: HashMap<u64, (u32, u64)> = HashMap::new();
        let mut signature_of = vec![None; fold.first.len()];
        let mut together = vec![0_u64; fold.links.len()];
        let mut classes = 0;
        // Spread, so that a network without symmetry shows it early.
        for some in spread(&targets).chunks(AT_ONCE) {
            stop.check()?;
            let views: Vec<Refined> = some.par_iter().map(|t| refine(fold, *t, &link_colour)).collect();
            for (target, view) in some.iter().zip(views) {
                signature_of[*target as usize] = Some(view.signature);
                let (first, targets) = kinds.entry(view.signature).or_insert((*target, 0));
                if *targets == 0 {
                    classes += view_classes(fold, *target, &link_colour);
                }
                *first = (*first).min(*target);
                *targets += u64::from(fold.count[*target as usize]);
                for (sum, seen) in together.iter_mut().zip(&view.seen) {
                    *sum = sum.wrapping_add(*seen);
                }
            }
            if classes > budget.classes {
                return Ok(None);
            }
        }
        link_colour.iter_mut().zip(&together).for_each(|(colour, seen)| *colour = mix(*colour, *seen));
        let now = distinct(&link_colour);
        if now == different {
            let mut sorted: Vec<(u32, u64)> = kinds.values().copied().collect();
            sorted.sort_unstable();
            let (class, classes) = numbered(link_colour.iter().copied());
            let mut by_kind = vec![vec![]; sorted.len()];
            for target in &targets {
                let kind = signature_of[*target as usize].and_then(|s| sorted.binary_search(&kinds[&s]).ok());
                kind.into_iter().for_each(|kind| by_kind[kind].push(*target));
            }
            let orbits = orbits(fold, &class, &by_kind, stop)?;
            let examples: usize = orbits.examples.iter().map(Vec::len).sum();
            if examples.saturating_mul(fold.instance.links.len()) > budget.examples {
                return Ok(None);
            }
            return Ok(Some(reduced(fold, &link_colour, (&class, classes), &sorted, orbits)));
        }
        different = now;
    }
}

/// The classes of a network with servers: automorphisms come first, and links are of one class if these map them onto
/// each other, or are one link.  No two accelerators are twins, so looking at each as a destination would take too long.
fn by_orbits(fold: &Fold, budget: Budget, stop: &Stop) -> Result<Option<Reduced>, Error> {
    let initial = first_colours(fold);
    let colour = View::new(fold, None).colours(&initial);
    let mut alike: HashMap<u64, usize> = HashMap::new();
    let mut by_colour: Vec<Vec<u32>> = vec![];
    for target in targets(fold) {
        let at = *alike.entry(colour[target as usize]).or_insert(by_colour.len());
        if at == by_colour.len() {
            by_colour.push(vec![]);
        }
        by_colour[at].push(target);
    }
    let too_many = |orbits: usize| orbits.saturating_mul(fold.instance.links.len()) > budget.examples;
    if too_many(by_colour.len()) {
        return Ok(None);
    }
    let orbits = orbits(fold, &numbered(initial.iter().copied()).0, &by_colour, stop)?;
    let examples: Vec<u32> = orbits.examples.into_iter().flatten().collect();
    if too_many(examples.len()) {
        return Ok(None);
    }
    let group = Group::generated(fold, orbits.generators.iter().map(|image| fold.folded(image)))?;
    let (class, classes) = numbered(group.joined_links(fold).into_iter().map(u64::from));
    let link_colour: Vec<u64> = class.iter().map(|class| mix(15, u64::from(*class))).collect();
    let mut kinds: Vec<(u32, u64)> = vec![];
    let mut of_kind: Vec<Vec<u32>> = vec![];
    let mut known: HashMap<u64, usize> = HashMap::new();
    let mut all = 0;
    for some in examples.chunks(AT_ONCE) {
        stop.check()?;
        let views: Vec<u64> = some.par_iter().map(|target| refine(fold, *target, &link_colour).signature).collect();
        for (target, signature) in some.iter().zip(views) {
            let at = *known.entry(signature).or_insert(kinds.len());
            if at == kinds.len() {
                all += view_classes(fold, *target, &link_colour);
                kinds.push((*target, 0));
                of_kind.push(vec![]);
            }
            kinds[at].1 += group.orbit_size(*target) * u64::from(fold.count[*target as usize]);
            of_kind[at].push(*target);
        }
        if all > budget.classes {
            return Ok(None);
        }
    }
    let orbits = Orbits { generators: orbits.generators, examples: of_kind };
    Ok(Some(reduced(fold, &link_colour, (&class, classes), &kinds, orbits)))
}

/// The nodes of the fold that are destinations.
pub(super) fn targets(fold: &Fold) -> Vec<u32> {
    let goal = |node: &u32| fold.instance.endpoint(fold.first[*node as usize]);
    let receives = |node: &u32| goal(node).is_some_and(|endpoint| fold.instance.demands.is_destination(endpoint));
    (0..fold.first.len() as u32).filter(receives).collect()
}

/// The same values in strides, to sample all of the network early.
fn spread(values: &[u32]) -> Vec<u32> {
    let step = values.len().isqrt().max(1);
    (0..step).flat_map(|first| values[first..].iter().step_by(step).copied()).collect()
}

/// The colours of links without a destination set apart.
fn first_colours(fold: &Fold) -> Vec<u64> {
    let initial: Vec<u64> = fold.links.iter().map(|link| mix(link.capacity.to_bits(), link.kind as u64)).collect();
    let view = View::new(fold, None);
    let colour = view.colours(&initial);
    view.links.iter().map(|seen| view.link_colour(seen, &colour, &initial)).collect()
}

fn refine(fold: &Fold, target: u32, link_colour: &[u64]) -> Refined {
    let view = View::new(fold, Some(target));
    let colour = view.colours(link_colour);
    let signature = view.signature(&colour, link_colour);
    let mut seen = vec![0_u64; fold.links.len()];
    for link in &view.links {
        let what = mix(view.link_colour(link, &colour, link_colour), signature);
        let sum = &mut seen[link.link as usize];
        *sum = sum.wrapping_add(what.wrapping_mul(view.seen_by(fold, target, link)));
    }
    Refined { signature, seen }
}

/// The number of classes of links in the view of a destination.
fn view_classes(fold: &Fold, target: u32, link_colour: &[u64]) -> usize {
    let view = View::new(fold, Some(target));
    let colour = view.colours(link_colour);
    let seen: HashSet<u64> = view.links.iter().map(|link| view.link_colour(link, &colour, link_colour)).collect();
    seen.len()
}

/// Numbers the distinct values in the order of their first occurrence.
fn numbered(values: impl Iterator<Item = u64>) -> (Vec<u32>, usize) {
    let mut known = HashMap::new();
    let numbers = values
        .map(|value| {
            let next = known.len() as u32;
            *known.entry(value).or_insert(next)
        })
        .collect();
    (numbers, known.len())
}

fn reduced(
    fold: &Fold,
    link_colour: &[u64],
    (folded_class, classes): (&[u32], usize),
    kinds: &[(u32, u64)],
    orbits: Orbits,
) -> Reduced {
    let instance = &fold.instance;
    let mut link_class = vec![None; instance.link_count];
    let (mut capacity, mut links) = (vec![0.0; classes], vec![0.0; classes]);
    for (link, folded) in instance.links.iter().zip(&fold.link_of) {
        let class = folded_class[*folded as usize];
        link_class[link.index as usize] = Some(class);
        capacity[class as usize] = link.capacity;
        links[class as usize] += 1.0;
    }
    let kinds = kinds
        .par_iter()
        .zip(&orbits.examples)
        .map(|((_, targets), examples)| kind(fold, examples, *targets, link_colour, folded_class))
        .collect();
    Reduced { link_class, capacity, links, kinds, generators: orbits.generators }
}

fn kind(fold: &Fold, examples: &[u32], targets: u64, link_colour: &[u64], folded_class: &[u32]) -> Kind {
    let view = View::new(fold, Some(examples[0]));
    let colours = view.colours(link_colour);
    let (class_of, classes) = numbered(colours.iter().copied());
    let numbers: HashMap<u64, u32> = colours.into_iter().zip(class_of.iter().copied()).collect();
    let (mut size, mut demand) = (vec![0.0; classes], vec![0.0; classes]);
    let mut example = vec![u32::MAX; classes];
    for (node, class) in class_of.iter().enumerate() {
        size[*class as usize] += view.count[node];
        demand[*class as usize] = view.demand[node];
        example[*class as usize] = example[*class as usize].min(node as u32);
    }
    let mut known = HashMap::new();
    let mut entries: Vec<Entry> = vec![];
    for seen in &view.links {
        let (tail, head) = (class_of[seen.tail as usize], class_of[seen.head as usize]);
        let link = folded_class[seen.link as usize];
        let at = *known.entry((tail, head, link)).or_insert_with(|| {
            entries.push(Entry { tail, head, link, out: 0, into: 0 });
            entries.len() - 1
        });
        // Every node of a class has equally many; those of one are counted.
        if example[tail as usize] == seen.tail {
            entries[at].out += seen.out;
        }
        if example[head as usize] == seen.head {
            entries[at].into += seen.into;
        }
    }
    let seen_from = |target: &u32| {
        let colours = View::new(fold, Some(*target)).colours(link_colour);
        let class: Vec<u32> = colours.iter().map(|c| numbers.get(c).copied().unwrap_or_default()).collect();
        let first = fold.first[*target as usize];
        (fold.instance.endpoint(first).unwrap_or_default(), fold.of_network(*target, first, &class))
    };
    Kind { targets, examples: examples.iter().map(seen_from).collect(), size, demand, entries }
}
