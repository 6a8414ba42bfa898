//! Samples of the start-up phase, for dense output.

use crate::system::State;

/// Differential states and algebraic variables at the ends of the small steps between two moments, for dense output: a transient that the
/// small steps have followed is seen by no polynomial through the moments alone.
#[derive(Default)]
pub(super) struct Record {
    times: Vec<f64>,
    /// x and z of each time, one after another.
    values: Vec<f64>,
    width: usize,
    /// So many small steps belong to one entry, and so many have passed since the last.
    stride: usize,
    passed: usize,
}

impl Record {
    /// Entries at most: beyond, every other one is given up.
    const ENTRIES: usize = 256;

    /// Entries that a polynomial goes through.
    const NODES: usize = 4;

    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        let width = state.x.len() + state.z.len();
        let entries = if width == 0 { 0 } else { Self::ENTRIES + 1 };
        Self {
            times: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries * width),
            width,
            stride: 1,
            passed: 0,
        }
    }

    /// Begins at a state.
    pub fn begin(&mut self, state: &State) {
        self.times.clear();
        self.values.clear();
        (self.stride, self.passed) = (1, 0);
        self.put(state);
    }

    /// A small step has ended in this state, perhaps the last one.
    pub fn add(&mut self, state: &State, last: bool) {
        self.passed += 1;
        if last || self.passed >= self.stride {
            self.passed = 0;
            self.put(state);
        }
    }

    fn put(&mut self, state: &State) {
        if self.width == 0 {
            return;
        }
        if self.times.len() == Self::ENTRIES {
            self.stride *= 2;
            let kept = self.times.len() / 2;
            for entry in 1..kept {
                self.times[entry] = self.times[2 * entry];
                let from = 2 * entry * self.width;
                (self.values).copy_within(from..from + self.width, entry * self.width);
            }
            self.times.truncate(kept);
            self.values.truncate(kept * self.width);
        }
        self.times.push(state.t);
        self.values.extend(state.x.iter().chain(&state.z));
    }

    /// Puts x and z at `t` into a state, from the polynomial through the nearest entries.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        let behind = self.times.partition_point(|&time| time <= t);
        let count = Self::NODES.min(self.times.len());
        let first = (behind.saturating_sub(count / 2)).min(self.times.len() - count);
        let nodes = &self.times[first..first + count];
        if self.width == 0 {
            return;
        }
        out.x.fill(0.0);
        out.z.fill(0.0);
        for (index, node) in nodes.iter().enumerate() {
            let others = nodes
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            let weight: f64 = others
                .map(|(_, other)| (t - other) / (node - other))
                .product();
            let values = &self.values[(first + index) * self.width..][..self.width];
            let slots = out.x.iter_mut().chain(&mut out.z);
            for (slot, value) in slots.zip(values) {
                *slot += weight * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;
    use crate::system::Layout;

    /// With all entries kept, and with many given up.
    #[test]
    fn cubics_are_reproduced() {
        let layout = Layout::dense(Manifold::euclidean(0)).with_differential_states(2);
        let at = |t: f64| State {
            t,
            x: vec![t, t * t * t - t],
            ..layout.state()
        };
        for steps in [1, 3, 20, 256, 3000] {
            let mut record = Record::new(&layout.state());
            record.begin(&at(0.0));
            // Ever longer ones, as behind a transient.
            let times = (1..=steps).map(|step| (f64::from(step) / f64::from(steps)).powi(2));
            let times: Vec<f64> = times.collect();
            for (step, &t) in times.iter().enumerate() {
                record.add(&at(t), step + 1 == times.len());
            }
            let mut found = layout.state();
            for part in 0..=10 {
                let t = f64::from(part) / 10.0;
                record.interpolate(t, &mut found);
                assert!(
                    (found.x[0] - t).abs() < 1e-12,
                    "{steps}: {} at {t}",
                    found.x[0]
                );
                let exact = at(t).x[1];
                assert!(
                    steps < 3 || (found.x[1] - exact).abs() < 1e-11,
                    "{steps} at {t}"
                );
            }
        }
    }
}
