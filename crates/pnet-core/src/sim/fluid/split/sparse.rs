//! Sparse vectors.

/// Numbers by place; all are 0 but those that were added to.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    value: Vec<f64>,
    known: Vec<bool>,
    places: Vec<u32>,
}

impl Sparse {
    pub(super) fn add(&mut self, place: u32, more: f64) {
        let i = place as usize;
        if i >= self.value.len() {
            self.value.resize(i + 1, 0.0);
            self.known.resize(i + 1, false);
        }
        if !std::mem::replace(&mut self.known[i], true) {
            self.places.push(place);
        }
        self.value[i] += more;
    }

    pub(super) fn get(&self, place: u32) -> f64 {
        self.value.get(place as usize).copied().unwrap_or(0.0)
    }

    pub(super) fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.value[place as usize] = 0.0;
            self.known[place as usize] = false;
        }
    }

    /// The entries, in the order in which they were first added to.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.places.iter().map(|place| (*place, self.value[*place as usize]))
    }
}
