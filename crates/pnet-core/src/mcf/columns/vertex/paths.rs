//! Paths one after the other, as all of them are looked at again and again.

use crate::mcf::columns::price::Path;

#[derive(Default)]
pub(super) struct Paths {
    place: Vec<u32>,
    /// Where the links of each end.
    end: Vec<usize>,
    links: Vec<u32>,
}

impl Paths {
    /// Number of paths.
    pub(super) fn count(&self) -> u32 {
        self.end.len() as u32
    }

    pub(super) fn push(&mut self, place: u32, links: &[u32]) {
        self.place.push(place);
        self.links.extend_from_slice(links);
        self.end.push(self.links.len());
    }

    /// Its plane; of a given path its number.
    pub(super) fn place(&self, n: u32) -> u32 {
        self.place[n as usize]
    }

    pub(super) fn links(&self, n: u32) -> &[u32] {
        let start = if n == 0 { 0 } else { self.end[n as usize - 1] };
        &self.links[start..self.end[n as usize]]
    }

    /// How long each is.
    pub(super) fn lengths(&self, length: &[f64]) -> impl Iterator<Item = f64> {
        let mut start = 0;
        self.end.iter().map(move |end| {
            let links = &self.links[std::mem::replace(&mut start, *end)..*end];
            links.iter().map(|l| length[*l as usize]).sum()
        })
    }

    pub(super) fn path(&self, n: u32) -> Path {
        Path { place: self.place(n), links: self.links(n).to_vec() }
    }

    /// Leaves out those that are not to be kept.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        let all = std::mem::take(self);
        for n in (0..all.count()).filter(|n| kept[*n as usize]) {
            self.push(all.place(n), all.links(n));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_kept_move_up() {
        let mut paths = Paths::default();
        for (place, links) in [(7, &[1, 2][..]), (8, &[]), (9, &[3])] {
            paths.push(place, links);
        }
        assert_eq!(paths.lengths(&[0.0, 1.0, 2.0, 4.0]).collect::<Vec<f64>>(), [3.0, 0.0, 4.0]);
        paths.retain(&[false, true, true]);
        assert_eq!((paths.count(), paths.place(1)), (2, 9));
        assert_eq!((paths.links(0), paths.path(1).links), (&[][..], vec![3]));
    }
}
