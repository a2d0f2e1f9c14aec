//! Seeded choices: the only source of randomness of the core, keyed on their purpose, never on the order of calls.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, and good enough to break ties.
#[derive(Debug, Clone, Copy)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of these words.
    ///
    /// ```
    /// # use pnet_core::random::SplitMix;
    /// let (mut one, mut again) = (SplitMix::of([1, 2]), SplitMix::of([1, 2]));
    /// assert_eq!((one.word(), one.below(10)), (again.word(), again.below(10)));
    /// // The generator's own sequence from 0.
    /// assert_eq!(SplitMix::of([]).word(), 0xe220_a839_7b1d_cdaf);
    /// ```
    pub fn of(words: impl IntoIterator<Item = u64>) -> Self {
        words.into_iter().fold(SplitMix(0), |mut mixed, word| SplitMix(mixed.word() ^ word))
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias of the multiplication is below `bound / 2^64`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// A number from 0, included, to 1, excluded.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The index of one of the weights, each as likely as its share; they are at least 0, and one is positive.
    ///
    /// ```
    /// # use pnet_core::random::SplitMix;
    /// assert_eq!(SplitMix::of([7]).weighted([0.0, 2.0, 0.0].into_iter()), 1);
    /// ```
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let total: f64 = weights.clone().sum();
        let mut rest = self.unit() * total;
        let mut last = 0;
        for (i, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
            if rest < weight {
                return i;
            }
            rest -= weight;
            last = i;
        }
        // Reached only by rounding.
        last
    }
}
