//! The paths of a pair over several planes.

use std::ops::Range;

use super::count::count_from_all;
use super::disjoint::{Cost, DisjointFlow};
use super::level::{Ended, LevelSearch};
use super::path_set::Paths;
use super::policy::{Policy, nearest};
use super::yen::{OneByOne, Spur, Target};
use crate::error::Error;
use crate::graph::{Blocks, FAR, Graph, Reach, SimplePaths};
use crate::random::SplitMix;
use crate::stop::Stop;

/// Steps that the search of one length may take before Yen's algorithm takes over, or as many as paths are missing.
const STEPS: usize = 1 << 18;

/// Paths as long as the last one requested among which Yen's algorithm leaves the choice to the seed.
const TIES: usize = 64;

/// The kind of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// Only paths as short as the shortest.
    EqualCost,
    /// The shortest simple paths.
    KShortest,
    /// Paths that share no arc, of least total length.
    EdgeDisjoint,
}

/// The paths requested for each pair.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    /// The kind of paths.
    pub kind: PathKind,
    /// Paths per pair, at most.
    pub count: usize,
    /// The planes that they may use.
    pub policy: Policy,
    /// Whether a pair's ties are broken by its endpoints, as hashing a flow does, or by the switches they attach to.
    pub per_flow: bool,
    /// Seed that breaks ties.
    pub seed: u64,
}

/// Scratch space for the pairs of one destination.
pub(super) struct Selector<'a> {
    graphs: &'a [Graph],
    /// Of each plane the first that it is a copy of, to which what follows belongs.
    original: &'a [usize],
    /// Those of each graph, where paths may be searched one by one.
    blocks: &'a [Blocks],
    selection: &'a Selection,
    stop: &'a Stop,
    searches: Vec<LevelSearch>,
    targets: Vec<Option<u32>>,
    reach: Vec<Reach>,
    simple: Vec<SimplePaths>,
    spur: Spur,
    /// Number of shortest paths from each node, where one of them is drawn.
    counts: Vec<Vec<f64>>,
    level: Paths,
}

impl<'a> Selector<'a> {
    /// Scratch space for `graphs`.
    pub(super) fn new(
        graphs: &'a [Graph],
        original: &'a [usize],
        blocks: &'a [Blocks],
        selection: &'a Selection,
        stop: &'a Stop,
    ) -> Self {
        let largest = if blocks.is_empty() { 0 } else { graphs.iter().map(Graph::nodes).max().unwrap_or(0) };
        Selector {
            graphs,
            original,
            blocks,
            selection,
            stop,
            searches: graphs.iter().map(LevelSearch::new).collect(),
            targets: vec![],
            reach: vec![Reach::default(); graphs.len()],
            simple: vec![SimplePaths::default(); graphs.len()],
            spur: Spur::new(largest),
            counts: vec![vec![]; graphs.len()],
            level: Paths::default(),
        }
    }

    /// Prepares for pairs to this destination.
    pub(super) fn aim(&mut self, targets: &[Option<u32>]) {
        self.targets = targets.to_vec();
        for (p, target) in targets.iter().enumerate() {
            if let Some(target) = target.filter(|_| self.original[p] == p) {
                self.graphs[p].reach(target, &mut self.reach[p]);
                if self.selection.kind == PathKind::KShortest {
                    self.simple[p].update(&self.graphs[p], &self.blocks[p], &self.reach[p]);
                }
                if self.draws_one() {
                    self.counts[p] = count_from_all(&self.graphs[p], &self.reach[p]);
                }
            }
        }
    }

    fn draws_one(&self) -> bool {
        self.selection.kind == PathKind::EqualCost && self.selection.count == 1
    }

    /// Adds to `paths` those of one pair from these switches, shortest first, within a length by plane and arcs.
    pub(super) fn select(
        &mut self,
        sources: &[Option<u32>],
        mut random: SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        self.stop.check()?;
        let near = self.near(sources);
        let allowed = self.selection.policy.allowed(&near, &mut random);
        if self.selection.policy != Policy::RoundRobin {
            return self.select_from(&allowed, sources, self.selection.count, &mut random, paths);
        }
        let mut found = Paths::default();
        let planes = allowed.len();
        let first = if planes > 1 { random.below(planes) } else { 0 };
        for (i, plane) in allowed.iter().enumerate() {
            let turn = (i + planes - first) % planes;
            let share = self.selection.count / planes + usize::from(turn < self.selection.count % planes);
            self.select_from(&[*plane], sources, share, &mut random, &mut found)?;
        }
        paths.extend_sorted(&found, self.graphs)
    }

    /// The planes that connect these switches to the destination, with their hops.
    pub(super) fn near(&self, sources: &[Option<u32>]) -> Vec<(usize, u32)> {
        (0..self.graphs.len())
            .filter_map(|p| {
                self.targets[p]?;
                let hops = self.reach[self.original[p]].distance[sources[p]? as usize];
                (hops != FAR).then_some((p, hops))
            })
            .collect()
    }

    /// Adds `count` paths from `planes` together.
    fn select_from(
        &mut self,
        planes: &[(usize, u32)],
        sources: &[Option<u32>],
        count: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        let ends: Vec<(usize, u32, u32)> =
            planes.iter().filter_map(|(p, _)| Some((*p, sources[*p]?, self.targets[*p]?))).collect();
        if ends.is_empty() || count == 0 {
            return Ok(());
        }
        match self.selection.kind {
            PathKind::EqualCost if self.draws_one() => self.one_of(&nearest(planes), sources, random, paths),
            PathKind::EqualCost | PathKind::KShortest => self.shortest_of(&ends, count, random, paths),
            PathKind::EdgeDisjoint => self.disjoint_of(&ends, count, random, paths),
        }
    }

    /// Adds one of the shortest paths, uniformly at random.
    fn one_of(
        &mut self,
        planes: &[(usize, u32)],
        sources: &[Option<u32>],
        random: &mut SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        let source = |p: usize| sources[p].unwrap_or_default();
        let drawn = random.weighted(planes.iter().map(|(p, _)| self.counts[self.original[*p]][source(*p) as usize]));
        let p = planes[drawn].0;
        let first = self.original[p];
        let (graph, reach, counts) = (&self.graphs[first], &self.reach[first], &self.counts[first]);
        let mut at = source(p);
        let mut arcs = vec![];
        while reach.distance[at as usize] > 0 {
            let mut next = graph.next_hops(at, reach);
            let drawn = random.weighted(next.clone().map(|arc| counts[graph.head(arc) as usize]));
            let arc = next.nth(drawn).expect("an index of the weights");
            arcs.push(arc);
            at = graph.head(arc);
        }
        paths.push(p as u32, arcs)
    }

    /// Adds the `count` shortest.
    fn shortest_of(
        &mut self,
        ends: &[(usize, u32, u32)],
        count: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        let far = |p: usize, s: u32| self.reach[self.original[p]].distance[s as usize];
        let least = ends.iter().map(|(p, s, _)| far(*p, *s)).min().unwrap_or(0);
        let by_metric = ends.iter().any(|(p, ..)| self.graphs[*p].has_metric());
        let longest = match self.selection.kind {
            PathKind::KShortest if by_metric => u32::MAX - 1,
            PathKind::KShortest => {
                ends.iter().map(|(p, s, _)| self.simple[self.original[*p]].longest(*s)).max().unwrap_or(0)
            }
            _ => least,
        };
        let known = paths.len();
        let (mut missing, mut length) = (count, least);
        // Lengths without a path since the last path, and the steps of their searches.
        let (mut empty, mut steps) = (0, 0);
        let patience: usize = ends.iter().map(|(p, ..)| self.graphs[*p].nodes() + self.graphs[*p].arcs()).sum();
        while missing > 0 && length <= longest {
            self.stop.check()?;
            if by_metric && length > least {
                // Lengths are far apart.
                return self.one_by_one(ends, length, missing, known, random, paths);
            }
            self.level.clear();
            let mut before: Option<(usize, Range<usize>)> = None;
            for (p, s, t) in ends {
                if s == t {
                    // On one switch: the empty path only, as a simple path does not return.
                    if length == 0 {
                        self.level.push(*p as u32, [])?;
                    }
                    continue;
                }
                let (first, begin) = (self.original[*p], self.level.len());
                if let Some((_, same)) = before.take().filter(|(other, _)| *other == first) {
                    self.level.repeat(same, *p as u32)?;
                } else {
                    let (graph, distance) = (&self.graphs[first], &self.reach[first].distance);
                    let (search, most, level) = (&mut self.searches[first], STEPS.max(missing), &mut self.level);
                    let ended = search.run(graph, distance, (*s, *t), length, *p as u32, most, self.stop, level)?;
                    if ended == Ended::OutOfSteps {
                        return self.one_by_one(ends, length, missing, known, random, paths);
                    }
                }
                steps += self.searches[first].steps();
                before = Some((first, begin..self.level.len()));
            }
            length += 1;
            if self.level.is_empty() {
                // In a bipartite graph every other length is empty.  Skipping lengths changes no result: a longer search
                // takes no fewer steps, so none of those skipped would have run out of steps if the next one does not.
                empty += 1;
                if empty > 1 && steps > patience {
                    let Some(next) = self.next_length(ends, known, paths)? else { break };
                    (length, empty, steps) = (next, 0, 0);
                }
            } else {
                missing -= take(&self.level, missing, random, paths)?;
                (empty, steps) = (0, 0);
            }
        }
        Ok(())
    }

    /// The length of the next path, where `paths` has all shorter ones from its `before`-th on.
    fn next_length(&mut self, ends: &[(usize, u32, u32)], before: usize, paths: &Paths) -> Result<Option<u32>, Error> {
        let mut least = None;
        for (p, s, t) in ends.iter().filter(|(_, s, t)| s != t) {
            let taken = (before..paths.len()).filter(|i| paths.plane[*i] as usize == *p).count();
            let next =
                self.first(*p, *s, *t, taken + 1)?.into_iter().nth(taken).map(|path| self.graphs[*p].length(&path));
            least = least.into_iter().chain(next).min();
        }
        Ok(least)
    }

    /// The `count` shortest paths in one plane, by Yen's algorithm; by a metric also some as long as the last.
    fn first(&mut self, p: usize, source: u32, target: u32, count: usize) -> Result<Vec<Vec<u32>>, Error> {
        let p = self.original[p];
        if self.selection.kind != PathKind::KShortest {
            self.simple[p].update(&self.graphs[p], &self.blocks[p], &self.reach[p]);
        }
        let to =
            Target { graph: &self.graphs[p], blocks: &self.blocks[p], reach: &self.reach[p], simple: &self.simple[p] };
        let mut search = OneByOne::new(to, source, target);
        let most = if to.graph.has_metric() { count.saturating_add(TIES) } else { count };
        let mut found: Vec<Vec<u32>> = vec![];
        while found.len() < most {
            let Some(path) = search.next(&mut self.spur, self.stop)? else { break };
            if found.len() >= count && to.graph.length(&path) > to.graph.length(&found[count - 1]) {
                break;
            }
            found.push(path);
        }
        Ok(found)
    }

    /// Adds the `missing` shortest paths of at least this length by Yen's algorithm; `paths` has the shorter ones from its
    /// `before`-th on.
    fn one_by_one(
        &mut self,
        ends: &[(usize, u32, u32)],
        length: u32,
        missing: usize,
        before: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        let mut found: Vec<(u32, usize, Vec<u32>)> = vec![];
        let (mut searched, mut all) = (None, vec![]);
        for (p, s, t) in ends.iter().filter(|(_, s, t)| s != t) {
            // The shorter ones are found again, first.
            let taken = (before..paths.len()).filter(|i| paths.plane[*i] as usize == *p).count();
            let search = Some((self.original[*p], taken));
            if searched != search {
                all = self.first(*p, *s, *t, taken.saturating_add(missing))?;
                searched = search;
            }
            let graph = &self.graphs[*p];
            let long = all.iter().map(|path| (graph.length(path), *p, path.clone()));
            found.extend(long.filter(|found| found.0 >= length));
        }
        found.sort();
        let mut missing = missing;
        for level in found.chunk_by(|a, b| a.0 == b.0) {
            self.level.clear();
            for (_, p, path) in level {
                self.level.push(*p as u32, path.iter().copied())?;
            }
            missing -= take(&self.level, missing, random, paths)?;
            if missing == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Adds `count` paths that share no arc.  Planes share none either, so the cheapest flow over all of them augments, unit
    /// by unit, in the plane where one more costs least.
    fn disjoint_of(
        &mut self,
        ends: &[(usize, u32, u32)],
        count: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) -> Result<(), Error> {
        let arcs = ends.iter().map(|(p, ..)| self.graphs[*p].arcs()).max().unwrap_or(0);
        let mut found = Paths::default();
        let mut flows = vec![];
        for (p, s, t) in ends {
            let cost = Cost::new(arcs, random.word());
            if s == t {
                // On one switch: the empty path, and no other.
                found.push(*p as u32, [])?;
            } else {
                flows.push((
                    *p,
                    DisjointFlow::new(&self.graphs[*p], &self.reach[self.original[*p]].distance, (*s, *t), cost),
                ));
            }
        }
        let empty = found.len().min(count);
        found.truncate(empty);
        let mut next: Vec<Option<i64>> =
            if empty < count { flows.iter_mut().map(|(_, flow)| flow.search()).collect() } else { vec![] };
        for found in empty + 1..=count {
            self.stop.check()?;
            let cheapest = (0..next.len()).filter_map(|i| Some((next[i]?, i))).min();
            let Some((_, i)) = cheapest else { break };
            flows[i].1.augment();
            next[i] = if found < count { flows[i].1.search() } else { None };
        }
        for (p, flow) in flows {
            for path in flow.paths() {
                found.push(p as u32, path)?;
            }
        }
        paths.extend_sorted(&found, self.graphs)
    }
}

/// Adds `level`, or `missing` of its paths drawn at random, in their order; returns their number.
fn take(level: &Paths, missing: usize, random: &mut SplitMix, paths: &mut Paths) -> Result<usize, Error> {
    let mut chosen: Vec<usize> = (0..level.len()).collect();
    if level.len() > missing {
        for i in 0..missing {
            let j = i + random.below(level.len() - i);
            chosen.swap(i, j);
        }
        chosen.truncate(missing);
        chosen.sort_unstable();
    }
    for i in &chosen {
        paths.push(level.plane[*i], level.get(*i).iter().copied())?;
    }
    Ok(chosen.len())
}
