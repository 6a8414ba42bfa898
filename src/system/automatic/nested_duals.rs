//! Nested duals: gradients of gradients, and gradients along a curve.

use crate::scalar::{Dual, Scalar, Taylor2};
use crate::system::automatic::arguments::{Arguments, CHUNK};
use crate::system::{Layout, Point};

/// A gradient along [`CHUNK`] directions.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae::system::derivatives::Gradient;
///
/// // The area of a rectangle, along its sides.
/// let (a, b) = (Gradient::variable(2.0, 0), Gradient::variable(3.0, 1));
/// let area = a * b;
/// assert_eq!((area.value, &area.gradient[..2]), (6.0, &[3.0, 2.0][..]));
/// ```
pub type Gradient = Dual<CHUNK>;

/// Memory for second derivatives of functions of a point, generic over the scalar.
///
/// Directions are pairs of a velocity component and the place of its derivative in the gradient. First
/// [`displace`](Self::displace) the configuration along inner directions, then either [`nest`](Self::nest) an outer gradient into
/// [`mixed`](Self::mixed), or [`follow`](Self::follow) the motion in [`curve`](Self::curve).
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::system::derivatives::NestedDuals;
/// use liedae::system::{Layout, State};
///
/// // The second derivatives of x² y at (3, 2): 2 y, 2 x and 0.
/// let layout = Layout::dense(Manifold::euclidean(2));
/// let state = State { q: vec![3.0, 2.0], ..layout.state() };
/// let (mut nested, directions) = (NestedDuals::new(&layout), [(0, 0), (1, 1)]);
/// nested.displace(&layout, &state.point(), &directions);
/// nested.nest();
/// nested.displace_nested(&layout, &directions);
/// let [x, y] = nested.mixed.q[..] else { panic!("two coordinates") };
/// let [by_x, by_y, ..] = (x * x * y).gradient;
/// assert_eq!((by_x.gradient[0], by_x.gradient[1], by_y.gradient[1]), (4.0, 6.0, 0.0));
/// ```
pub struct NestedDuals {
    /// The displaced point.
    pub first: Arguments<Gradient>,
    /// Outer gradient: a small displacement from a configuration that the inner one has displaced.
    pub mixed: Arguments<Dual<CHUNK, Gradient>>,
    /// The displaced configuration along the motion.
    pub curve: Arguments<Taylor2<Gradient>>,
    curve_base: Vec<Taylor2<Gradient>>,
}

impl NestedDuals {
    /// Memory for points of a layout.
    pub fn new(layout: &Layout) -> Self {
        let coordinates = layout.space.coordinates();
        Self {
            first: Arguments::new(layout),
            mixed: Arguments::new(layout),
            curve: Arguments::new(layout),
            curve_base: vec![Taylor2::constant(0.0); coordinates],
        }
    }

    /// Loads a point whose configuration is displaced in these directions.
    ///
    /// # Panics
    /// If a column is no velocity of the layout, or a direction not below [`CHUNK`]; so do the functions that follow.
    pub fn displace(&mut self, layout: &Layout, at: &Point, seeds: &[(usize, usize)]) {
        let seeds = seeds.iter().copied();
        self.first.displace_along(&layout.space, at, seeds);
    }

    /// The displaced configuration of `first`, without an outer gradient.
    pub fn nest(&mut self) {
        for (nested, plain) in self.mixed.q.iter_mut().zip(&self.first.q) {
            *nested = Dual::from_value(*plain);
        }
    }

    /// The outer gradient of the nested configuration, by small displacements of these columns.
    pub fn displace_nested(&mut self, layout: &Layout, seeds: &[(usize, usize)]) {
        for &(column, direction) in seeds {
            let (space, mixed) = (&layout.space, &mut self.mixed.q);
            space.tangent(&self.first.q, column, |coordinate, rate| {
                mixed[coordinate].gradient[direction] += rate;
            });
        }
    }

    /// The outer gradient by these velocities.
    pub fn move_nested(&mut self, at: &Point, seeds: &[(usize, usize)]) {
        for &(column, direction) in seeds {
            self.mixed.v[column] = Dual::variable(Gradient::constant(at.v[column]), direction);
        }
    }

    /// Takes the outer gradient by these velocities away.
    pub fn stop_nested(&mut self, at: &Point, seeds: &[(usize, usize)]) {
        for &(column, _) in seeds {
            self.mixed.v[column] = Dual::constant(at.v[column]);
        }
    }

    /// Moves the displaced configuration of `first` along the curve with these velocities and accelerations.
    pub fn follow(&mut self, layout: &Layout, at: &Point, v: &[Gradient], acceleration: &[f64]) {
        let curve = &mut self.curve;
        curve.load(at);
        curve.t = Taylor2::variable(Gradient::constant(at.t));
        for (nested, plain) in self.curve_base.iter_mut().zip(&self.first.q) {
            *nested = Taylor2::from_value(*plain);
        }
        for (index, velocity) in v.iter().enumerate() {
            let acceleration =
                Gradient::constant(acceleration.get(index).copied().unwrap_or_default());
            let zero = Gradient::constant(0.0);
            curve.displacement[index] = Taylor2::new(zero, *velocity, acceleration);
            curve.v[index] = Taylor2::new(*velocity, acceleration, zero);
        }
        layout
            .space
            .retract(&self.curve_base, &curve.displacement, &mut curve.q);
    }
}

/// Adds a force times the mixed derivatives of what it acts along: `slopes[outer][inner]`.
pub fn add_product(g: &Dual<CHUNK, Gradient>, force: f64, slopes: &mut [[f64; CHUNK]; CHUNK]) {
    for (slopes, by_row) in slopes.iter_mut().zip(&g.gradient) {
        for (slope, part) in slopes.iter_mut().zip(&by_row.gradient) {
            *slope += part * force;
        }
    }
}
