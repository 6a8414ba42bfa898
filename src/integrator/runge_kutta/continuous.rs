//! Dense output of Runge-Kutta methods: nested polynomials in local coordinates of the group.

use crate::manifold::Manifold;
use crate::system::State;

/// The polynomials of one step, q(θ) = q_n · exp(u(θ)), v(θ) and x(θ).
///
/// With the change Δ over the step, the rates r_0 and r_1 at its ends and further coefficients of the method,
///
/// ```text
/// y(θ) = y_n + θ (Δ + (1-θ) (c_2 + θ (c_3 + (1-θ) (c_4 + θ (c_5 + ...)))))
/// c_2 = h r_0 - Δ,   c_3 = Δ - h r_1 - c_2
/// ```
///
/// which matches values and rates at both ends whatever the further coefficients are (Hairer, Nørsett, Wanner, Solving
/// Ordinary Differential Equations I, II.6). Multipliers and algebraic variables are Lagrange polynomials through the
/// moments at which the method knows them.
pub(in crate::integrator) struct Continuous {
    start: f64,
    step: f64,
    from: State,
    to: State,
    /// Coefficients of u, v and x.
    terms: [Vec<Vec<f64>>; 3],
    nodes: Vec<Node>,
    weights: Vec<f64>,
    local: Vec<f64>,
    /// u' at the end.
    end_rate: Vec<f64>,
}

/// A moment at which multipliers and algebraic variables are known.
struct Node {
    theta: f64,
    lambda: Vec<f64>,
    z: Vec<f64>,
}

/// Coefficients that the values and rates at both ends determine.
const HERMITE_TERMS: usize = 3;

impl Continuous {
    /// Allocates for states of this shape, `further` coefficients of the method and `nodes` moments.
    pub fn new(state: &State, further: usize, nodes: usize) -> Self {
        let terms = |size: usize| vec![vec![0.0; size]; HERMITE_TERMS + further];
        Self {
            start: 0.0,
            step: 1.0,
            from: state.clone(),
            to: state.clone(),
            terms: [
                terms(state.v.len()),
                terms(state.v.len()),
                terms(state.x.len()),
            ],
            nodes: (0..nodes)
                .map(|_| Node {
                    theta: 0.0,
                    lambda: state.lambda.clone(),
                    z: state.z.clone(),
                })
                .collect(),
            weights: vec![0.0; nodes],
            local: vec![0.0; state.v.len()],
            end_rate: vec![0.0; state.v.len()],
        }
    }

    /// Takes the ends of a step with their rates u', v', x' at its start and v', x' at its end. Further coefficients are zero until
    /// they are given.
    pub fn load(
        &mut self,
        space: &Manifold,
        (from, to): (&State, &State),
        start: [&[f64]; 3],
        end: [&[f64]; 2],
    ) {
        (self.start, self.step) = (from.t, to.t - from.t);
        self.from.copy_from(from);
        self.to.copy_from(to);
        space.lift(&from.q, &to.q, &mut self.local);
        // The polynomial of u needs u' = dexp⁻¹(u) v at the end, too.
        space.dexp_inverse(&self.local, &to.v, &mut self.end_rate);
        let step = self.step;
        let mut fill = |quantity: usize, index: usize, change: f64, rates: [f64; 2]| {
            let terms = &mut self.terms[quantity];
            // c_2 = h r_0 - Δ.
            let second = step * rates[0] - change;
            terms[0][index] = change;
            terms[1][index] = second;
            // c_3 = Δ - h r_1 - c_2.
            terms[2][index] = change - step * rates[1] - second;
            for term in &mut terms[HERMITE_TERMS..] {
                term[index] = 0.0;
            }
        };
        for index in 0..to.v.len() {
            fill(
                0,
                index,
                self.local[index],
                [start[0][index], self.end_rate[index]],
            );
            fill(
                1,
                index,
                to.v[index] - from.v[index],
                [start[1][index], end[0][index]],
            );
        }
        for index in 0..to.x.len() {
            fill(
                2,
                index,
                to.x[index] - from.x[index],
                [start[2][index], end[1][index]],
            );
        }
    }

    /// u' at the end of the step.
    pub fn end_rate(&self) -> &[f64] {
        &self.end_rate
    }

    /// The further coefficient number `index` of u, v and x.
    pub fn further(&mut self, index: usize) -> [&mut [f64]; 3] {
        self.terms
            .each_mut()
            .map(|terms| terms[HERMITE_TERMS + index].as_mut_slice())
    }

    /// Fixes the only further coefficient so that the increments since the start have these values at θ.
    pub fn pass_through(&mut self, theta: f64, increments: [&[f64]; 3]) {
        for (terms, increments) in self.terms.iter_mut().zip(increments) {
            for (index, wanted) in increments.iter().enumerate() {
                terms[HERMITE_TERMS][index] = 0.0;
                let [value, _] = polynomial(terms, index, theta);
                // The further term is c θ² (1-θ)²: it vanishes with its slope at both ends.
                terms[HERMITE_TERMS][index] = (wanted - value) / (theta * (1.0 - theta)).powi(2);
            }
        }
    }

    /// Multipliers and algebraic variables at θ.
    pub fn load_node(&mut self, index: usize, theta: f64, lambda: &[f64], z: &[f64]) {
        let node = &mut self.nodes[index];
        node.theta = theta;
        node.lambda.copy_from_slice(lambda);
        node.z.copy_from_slice(z);
    }

    /// Writes the state at time `t` but for its modes; its acceleration is the slope of the polynomial of v.
    pub fn at(&mut self, space: &Manifold, t: f64, out: &mut State) {
        out.t = t;
        // The end exactly, whatever round-off (t - t_n) / h has.
        if t == self.to.t {
            out.q.copy_from_slice(&self.to.q);
            out.v.copy_from_slice(&self.to.v);
            out.x.copy_from_slice(&self.to.x);
            out.z.copy_from_slice(&self.to.z);
            out.lambda.copy_from_slice(&self.to.lambda);
            out.acceleration.copy_from_slice(&self.to.acceleration);
            return;
        }
        let theta = (t - self.start) / self.step;
        for (index, local) in self.local.iter_mut().enumerate() {
            [*local, _] = polynomial(&self.terms[0], index, theta);
        }
        space.retract(&self.from.q, &self.local, &mut out.q);
        for (index, start) in self.from.v.iter().enumerate() {
            let [change, slope] = polynomial(&self.terms[1], index, theta);
            out.v[index] = start + change;
            out.acceleration[index] = slope / self.step;
        }
        for (index, start) in self.from.x.iter().enumerate() {
            let [change, _] = polynomial(&self.terms[2], index, theta);
            out.x[index] = start + change;
        }
        // Lagrange weights of the moments at which multipliers are known.
        for (index, weight) in self.weights.iter_mut().enumerate() {
            let own = self.nodes[index].theta;
            *weight = (self.nodes.iter().enumerate())
                .filter(|(other, _)| *other != index)
                .map(|(_, node)| (theta - node.theta) / (own - node.theta))
                .product();
        }
        out.lambda.fill(0.0);
        out.z.fill(0.0);
        for (weight, node) in self.weights.iter().zip(&self.nodes) {
            for (slot, value) in out.lambda.iter_mut().zip(&node.lambda) {
                *slot += weight * value;
            }
            for (slot, value) in out.z.iter_mut().zip(&node.z) {
                *slot += weight * value;
            }
        }
    }
}

/// Value and derivative at θ of the nested polynomial of component `index`, without the value at the start.
fn polynomial(terms: &[Vec<f64>], index: usize, theta: f64) -> [f64; 2] {
    let (mut value, mut slope) = (0.0, 0.0);
    for (number, term) in terms.iter().enumerate().rev() {
        // The first factor is θ; from there on 1 - θ and θ take turns.
        let (factor, sign) = if number % 2 == 0 {
            (theta, 1.0)
        } else {
            (1.0 - theta, -1.0)
        };
        // Horner from inside: y ← factor · (c + y), slopes by the product rule.
        value += term[index];
        slope = factor * slope + sign * value;
        value *= factor;
    }
    [value, slope]
}
