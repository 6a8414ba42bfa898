//! Random numbers that are the same in every run.
#![allow(dead_code)] // each test program uses some of them

/// A linear congruential generator (Knuth, MMIX), from any state.
pub struct Random(pub u64);

impl Random {
    /// Seeds that are close to each other give numbers that are not.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
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

    /// A number less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
