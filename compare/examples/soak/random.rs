//! Random numbers that are the same whenever a case is repeated.

/// A linear congruential generator (Knuth, MMIX).
pub struct Random(u64);

impl Random {
    /// The numbers of one case of a seed.
    pub fn of_case(seed: u64, case: u64) -> Self {
        let mixed =
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut random = Self(mixed);
        for _ in 0..5 {
            random.unit();
        }
        random
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// From 1/factor to factor, small and large alike.
    pub fn factor(&mut self, factor: f64) -> f64 {
        factor.powf(self.between(-1.0, 1.0))
    }

    /// A number less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A point of a box around zero.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }
}
