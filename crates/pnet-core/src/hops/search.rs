//! A breadth-first search from many sites at once, over all planes in step.
//!
//! Each switch holds one bit for each source that has reached it.  A step propagates the new bits of a switch to its
//! neighbours; a site is reached when the first of its switches is.

use crate::csr::Csr;
use crate::error::{Error, invalid};
use crate::graph::{FAR, Graph, Planes, Reach};

const WORDS: usize = 4;

/// Most sources of one search.
pub(super) const SOURCES: usize = 64 * WORDS;

/// The failures of one trial; an empty slice means none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Down<'a> {
    /// Whether each arc is down, plane after plane.
    pub arcs: &'a [bool],
    /// Whether each site is cut off from each plane (`plane * sites + site`).
    pub sites: &'a [bool],
}

impl<'a> Down<'a> {
    /// The trials of two masks, `[trials, arcs]` and `[trials, planes * sites]`, row by row.
    ///
    /// ```
    /// # use pnet_core::graph::Planes;
    /// # use pnet_core::hops::Down;
    /// let planes = Planes::from_arrays(&[2], &[0, 1], &[0], &[1], &[0, 1], None)?;
    /// let trials = Down::trials(&planes, 2, &[true, false], &[false; 4])?;
    /// assert_eq!(trials[0].arcs, [true]);
    /// assert!(Down::trials(&planes, 2, &[true], &[false; 4]).is_err());
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn trials(planes: &Planes, count: usize, arcs: &'a [bool], sites: &'a [bool]) -> Result<Vec<Self>, Error> {
        let each: (usize, usize) = (planes.graphs.iter().map(Graph::arcs).sum(), planes.count() * planes.endpoints());
        for (what, mask, each) in [("arcs_down", arcs, each.0), ("sites_down", sites, each.1)] {
            if mask.len() != count * each {
                return invalid(what, format!("{} entries for {count} trials of {each}", mask.len()));
            }
        }
        let row = |mask: &'a [bool], trial, each| &mask[trial * each..(trial + 1) * each];
        let trials = 0..count;
        Ok(trials.map(|t| Down { arcs: row(arcs, t, each.0), sites: row(sites, t, each.1) }).collect())
    }
}

/// One bit for each source.
pub(super) type Row = [u64; WORDS];

/// The memory of a search, reused by the next one.
pub(super) struct Search<'a> {
    planes: Vec<PlaneSearch<'a>>,
    /// For each site the sources that have reached it in any plane.
    reached: Vec<Row>,
}

struct PlaneSearch<'a> {
    graph: &'a Graph,
    attach: &'a [Option<u32>],
    /// Index of the plane's first arc among those of all planes.
    first_arc: usize,
    /// The sites at each switch.
    sites: Csr<u32>,
    /// For each switch the sources that have reached it, and those that arrive in the last step and in this one.
    reached: Vec<Row>,
    fresh: Vec<Row>,
    next: Vec<Row>,
    /// The switches whose row in `fresh` is not 0.
    front: Vec<u32>,
}

impl<'a> Search<'a> {
    /// A search on these planes, whose endpoints are the sites.
    pub(super) fn new(planes: &'a Planes) -> Self {
        let mut first_arc = 0;
        let searches = (planes.graphs.iter().zip(&planes.attach)).map(|(graph, attach)| {
            let plane = PlaneSearch::new(graph, attach, first_arc);
            first_arc += graph.arcs();
            plane
        });
        Search { planes: searches.collect(), reached: vec![Row::default(); planes.endpoints()] }
    }

    /// Calls `visit(hops, site, new)` when sources reach a site: bit `i` of `new` is `sources[i]`.
    ///
    /// `sources` are at most [`SOURCES`] distinct sites.  Each pair of a source and a site is visited at most once, with
    /// its fewest hops over all planes, and not at all where it has no path; each source reaches itself with 0 hops if
    /// it is attached.
    pub(super) fn run(&mut self, sources: &[u32], down: Down, mut visit: impl FnMut(usize, usize, &Row)) {
        assert!(sources.len() <= SOURCES, "too many sources for one search");
        if self.planes.iter().any(|plane| plane.graph.has_metric()) {
            return self.run_by_metric(sources, down, visit);
        }
        let sites = self.reached.len();
        self.reached.fill(Row::default());
        for (p, plane) in self.planes.iter_mut().enumerate() {
            plane.start(sources, |site| cut(down, p * sites + site));
        }
        let mut hops = 0;
        while self.planes.iter().any(|plane| !plane.front.is_empty()) {
            for (p, plane) in self.planes.iter().enumerate() {
                for v in &plane.front {
                    for site in plane.sites.of(*v as usize) {
                        let site = *site as usize;
                        if cut(down, p * sites + site) {
                            continue;
                        }
                        let new = minus(&plane.fresh[*v as usize], &self.reached[site]);
                        if new != Row::default() {
                            add(&mut self.reached[site], &new);
                            visit(hops, site, &new);
                        }
                    }
                }
            }
            for plane in &mut self.planes {
                plane.step(down.arcs);
            }
            hops += 1;
        }
    }

    /// The same where lengths are metrics: the fewest hops among the shortest paths of all planes, site by site.
    fn run_by_metric(&self, sources: &[u32], down: Down, mut visit: impl FnMut(usize, usize, &Row)) {
        let sites = self.reached.len();
        let mut reach = Reach::default();
        for site in 0..sites {
            // Distance and hops of each source.
            let mut nearest = vec![(FAR, FAR); sources.len()];
            for (p, plane) in self.planes.iter().enumerate() {
                let attached = |site: usize| plane.attach[site].filter(|_| !cut(down, p * sites + site));
                let usable = |arc: u32| down.arcs.get(plane.first_arc + arc as usize) != Some(&true);
                let Some(target) = attached(site) else { continue };
                plane.graph.reach_over(target, usable, &mut reach);
                let hops = plane.graph.hops(&reach, usable);
                for (source, nearest) in sources.iter().zip(&mut nearest) {
                    if let Some(v) = attached(*source as usize) {
                        *nearest = (*nearest).min((reach.distance[v as usize], hops[v as usize]));
                    }
                }
            }
            for (i, (distance, hops)) in nearest.into_iter().enumerate() {
                if distance != FAR {
                    let mut new = Row::default();
                    new[i / 64] |= 1 << (i % 64);
                    visit(hops as usize, site, &new);
                }
            }
        }
    }
}

impl<'a> PlaneSearch<'a> {
    fn new(graph: &'a Graph, attach: &'a [Option<u32>], first_arc: usize) -> Self {
        let attached = attach.iter().zip(0..).filter_map(|(switch, site)| Some(((*switch)?, site)));
        let sites = Csr::new(graph.nodes(), attached);
        let rows = vec![Row::default(); graph.nodes()];
        PlaneSearch {
            graph,
            attach,
            first_arc,
            sites,
            reached: rows.clone(),
            fresh: rows.clone(),
            next: rows,
            front: vec![],
        }
    }

    /// Sets each source's bit at its switch; `fresh` and `next` are all 0 after a search.
    fn start(&mut self, sources: &[u32], is_cut: impl Fn(usize) -> bool) {
        self.reached.fill(Row::default());
        for (i, site) in sources.iter().enumerate() {
            if let Some(v) = self.attach[*site as usize].filter(|_| !is_cut(*site as usize)) {
                if self.fresh[v as usize] == Row::default() {
                    self.front.push(v);
                }
                self.fresh[v as usize][i / 64] |= 1 << (i % 64);
                self.reached[v as usize][i / 64] |= 1 << (i % 64);
            }
        }
    }

    /// Propagates the new bits of each switch to its neighbours.
    fn step(&mut self, down: &[bool]) {
        let mut ahead = vec![];
        for v in &self.front {
            let fresh = self.fresh[*v as usize];
            for arc in self.graph.out(*v) {
                if down.get(self.first_arc + arc as usize) == Some(&true) {
                    continue;
                }
                let w = self.graph.head(arc) as usize;
                let new = minus(&fresh, &self.reached[w]);
                if new != Row::default() {
                    if self.next[w] == Row::default() {
                        ahead.push(w as u32);
                    }
                    add(&mut self.next[w], &new);
                }
            }
        }
        for v in &self.front {
            self.fresh[*v as usize] = Row::default();
        }
        for w in &ahead {
            let w = *w as usize;
            self.fresh[w] = std::mem::take(&mut self.next[w]);
            add(&mut self.reached[w], &self.fresh[w]);
        }
        self.front = ahead;
    }
}

#[inline]
fn cut(down: Down, index: usize) -> bool {
    down.sites.get(index) == Some(&true)
}

#[inline]
fn minus(row: &Row, other: &Row) -> Row {
    std::array::from_fn(|word| row[word] & !other[word])
}

#[inline]
fn add(row: &mut Row, other: &Row) {
    for (word, bits) in row.iter_mut().zip(other) {
        *word |= bits;
    }
}
