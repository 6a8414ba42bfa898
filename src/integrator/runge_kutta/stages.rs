//! Stages of a Runge-Kutta method in local coordinates of the group.

use crate::manifold::Manifold;
use crate::system::State;

/// Values and rates of the stages: u' in local coordinates around the start of the step, v' and x'.
pub(in crate::integrator) struct Stages<const S: usize> {
    /// u' = dexp⁻¹(u) v of each stage.
    pub u_rate: [Vec<f64>; S],
    /// v' of each stage.
    pub v_rate: [Vec<f64>; S],
    /// x' of each stage.
    pub x_rate: [Vec<f64>; S],
    /// The current stage.
    pub q: Vec<f64>,
    /// Its velocity.
    pub v: Vec<f64>,
    /// Its differential states.
    pub x: Vec<f64>,
    /// The configuration of the next stage.
    pub next_q: Vec<f64>,
    local: Vec<f64>,
    next_local: Vec<f64>,
}

impl<const S: usize> Stages<S> {
    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        let free = || vec![0.0; state.v.len()];
        Self {
            u_rate: std::array::from_fn(|_| free()),
            v_rate: std::array::from_fn(|_| free()),
            x_rate: std::array::from_fn(|_| vec![0.0; state.x.len()]),
            q: state.q.clone(),
            v: free(),
            x: vec![0.0; state.x.len()],
            next_q: state.q.clone(),
            local: free(),
            next_local: free(),
        }
    }

    /// The first stage is the start of the step.
    pub fn load_start(&mut self, from: &State) {
        self.q.copy_from_slice(&from.q);
        self.v.copy_from_slice(&from.v);
        self.x.copy_from_slice(&from.x);
        self.local.fill(0.0);
    }

    /// u' of the current stage.
    pub fn configuration_rate(&mut self, space: &Manifold, stage: usize) {
        space.dexp_inverse(&self.local, &self.v, &mut self.u_rate[stage]);
    }

    /// The configuration h Σ row_j u'_j over the first `count` stages, kept as the next one.
    pub fn next_configuration(
        &mut self,
        space: &Manifold,
        from: &State,
        h: f64,
        row: &[f64; S],
        count: usize,
    ) {
        self.next_local.fill(0.0);
        accumulate(h, row, count, &self.u_rate, &mut self.next_local);
        space.retract(&from.q, &self.next_local, &mut self.next_q);
    }

    /// As [`advance`](Self::advance), with a velocity that lacks the acceleration of the last of these stages only.
    pub fn advance_from(
        &mut self,
        velocity: &[f64],
        from: &State,
        h: f64,
        row: &[f64; S],
        count: usize,
    ) {
        std::mem::swap(&mut self.q, &mut self.next_q);
        std::mem::swap(&mut self.local, &mut self.next_local);
        let factor = h * row[count - 1];
        let known = velocity.iter().zip(&self.v_rate[count - 1]);
        for (v, (known, rate)) in self.v.iter_mut().zip(known) {
            *v = known + factor * rate;
        }
        self.x.copy_from_slice(&from.x);
        accumulate(h, row, count, &self.x_rate, &mut self.x);
    }

    /// Adds h Σ row_j v'_j over the first `count` stages.
    pub fn add_accelerations(&self, h: f64, row: &[f64; S], count: usize, out: &mut [f64]) {
        accumulate(h, row, count, &self.v_rate, out);
    }

    /// Moves on to the next stage, whose configuration has been computed, with velocity and differential states from
    /// the first `count` stages.
    pub fn advance(&mut self, from: &State, h: f64, row: &[f64; S], count: usize) {
        std::mem::swap(&mut self.q, &mut self.next_q);
        std::mem::swap(&mut self.local, &mut self.next_local);
        self.v.copy_from_slice(&from.v);
        accumulate(h, row, count, &self.v_rate, &mut self.v);
        self.x.copy_from_slice(&from.x);
        accumulate(h, row, count, &self.x_rate, &mut self.x);
    }

    /// h Σ weight_j (u'_j, v'_j, x'_j) over all stages.
    pub fn combine(&self, h: f64, weights: &[f64; S], out: &mut [Vec<f64>; 3]) {
        let rates = [&self.u_rate, &self.v_rate, &self.x_rate];
        for (out, rates) in out.iter_mut().zip(rates) {
            for out in out.iter_mut() {
                *out = 0.0;
            }
            accumulate(h, weights, S, rates, out);
        }
    }

    /// The configuration that the current stage would have with `less` taken off its local coordinates.
    pub fn embedded_configuration(
        &mut self,
        space: &Manifold,
        from: &State,
        less: &[f64],
        out: &mut [f64],
    ) {
        for (slot, (local, less)) in self.next_local.iter_mut().zip(self.local.iter().zip(less)) {
            *slot = local - less;
        }
        space.retract(&from.q, &self.next_local, out);
    }

    /// Increments of the current stage since the start: local coordinates, velocity, differential states.
    pub fn increments(&self, from: &State, out: &mut [Vec<f64>; 3]) {
        let [u, v, x] = out;
        u.copy_from_slice(&self.local);
        for (slot, (now, start)) in v.iter_mut().zip(self.v.iter().zip(&from.v)) {
            *slot = now - start;
        }
        for (slot, (now, start)) in x.iter_mut().zip(self.x.iter().zip(&from.x)) {
            *slot = now - start;
        }
    }
}

/// out += h Σ row_j rates_j over the first `count` stages.
pub(in crate::integrator) fn accumulate<const S: usize>(
    h: f64,
    row: &[f64; S],
    count: usize,
    rates: &[Vec<f64>; S],
    out: &mut [f64],
) {
    if out.is_empty() {
        return;
    }
    // Tableaus are sparse: zeros are not worth a pass over the state.
    let (mut order, mut left) = ([0; S], 0);
    for (stage, &weight) in row.iter().enumerate().take(count) {
        order[left] = stage;
        left += usize::from(weight != 0.0);
    }
    let term = |stage: usize| (h * row[stage], &rates[stage][..]);
    // Four at a time: sums stay in registers.
    let (fours, rest) = order[..left].as_chunks::<4>();
    for &[a, b, c, d] in fours {
        add([term(a), term(b), term(c), term(d)], out);
    }
    match *rest {
        [a, b, c] => add([term(a), term(b), term(c)], out),
        [a, b] => add([term(a), term(b)], out),
        [a] => add([term(a)], out),
        _ => {}
    }
}

/// out += Σ factor_k rate_k, in this order.
fn add<const K: usize>(terms: [(f64, &[f64]); K], out: &mut [f64]) {
    let (pairs, last) = out.as_chunks_mut::<2>();
    let mut lists = [&[][..]; K];
    for (list, (_, rate)) in lists.iter_mut().zip(&terms) {
        *list = &rate.as_chunks::<2>().0[..pairs.len()];
    }
    for (index, pair) in pairs.iter_mut().enumerate() {
        let mut sum = *pair;
        for k in 0..K {
            for lane in 0..2 {
                sum[lane] += terms[k].0 * lists[k][index][lane];
            }
        }
        *pair = sum;
    }
    if let [last] = last {
        for (factor, rate) in terms {
            *last += factor * rate[rate.len() - 1];
        }
    }
}
