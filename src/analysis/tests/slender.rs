//! Soft and very stiff springs in one mechanism, as bending and stretching of slender beams.

use super::assert_close;
use crate::analysis::*;
use crate::manifold::Manifold;
use crate::scalar::Scalar;
use crate::system::{Automatic, Evaluator, Layout, MatrixMut, Model, Point, State, System};

/// Point masses of 1 kg on stiff springs of 1 m, in a row from the origin along x, with soft springs against bending:
///
/// ```text
/// E = sum of k (|d_i| - 1)²/2 + c |d_i - d_(i-1)|²/2,   d_0 = (1, 0),   a force P down at the last mass
/// ```
struct Row {
    masses: usize,
    stiffness: f64,
    load: f64,
}

const BENDING: f64 = 1.0;

impl Model for Row {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2 * self.masses))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        for (index, x) in state.q.iter_mut().step_by(2).enumerate() {
            *x = index as f64 + 1.0;
        }
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..2 * self.masses {
            mass[(i, i)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let place = |index: usize| match index.checked_sub(1) {
            Some(mass) => [at.q[2 * mass], at.q[2 * mass + 1]],
            None => [S::constant(0.0); 2],
        };
        let link = |index: usize| match index.checked_sub(1) {
            Some(from) => {
                let ([x, y], [a, b]) = (place(from), place(index));
                [a - x, b - y]
            }
            None => [S::constant(1.0), S::constant(0.0)],
        };
        force.fill(S::constant(0.0));
        force[2 * self.masses - 1] = S::constant(-self.load);
        for index in 1..=self.masses {
            let [x, y] = link(index);
            let length = (x * x + y * y).sqrt();
            let pull = (length - 1.0) / length * self.stiffness;
            let before = link(index - 1);
            for (axis, link) in [x, y].into_iter().enumerate() {
                let bend = (link - before[axis]) * BENDING;
                // The link pulls at its ends; bending acts at the ends of this link and of the one before.
                let mut add = |mass: usize, value: S| {
                    if let Some(mass) = mass.checked_sub(1) {
                        let slot = 2 * mass + axis;
                        force[slot] += value;
                    }
                };
                add(index, -(link * pull) - bend);
                add(index - 1, link * pull + bend * 2.0);
                if index > 1 {
                    add(index - 2, -bend);
                }
            }
        }
    }
}

fn rest(row: Row) -> Equilibrium {
    let mut row = Automatic::new(row);
    let start = row.initial_state();
    let mut system = Evaluator::new(&mut row);
    let found = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    found.expect("an equilibrium")
}

#[test]
fn one_stiff_bar_turns_to_where_its_soft_spring_holds_it() {
    for stiffness in [1e3, 1e5, 1e7, 1e9] {
        let load = 3.0;
        let found = rest(Row {
            masses: 1,
            stiffness,
            load,
        });
        // k (1 - 1/r) d + c (d - (1, 0)) = (0, -P): with s = k (1 - 1/r), d = (c, -P) / (s + c).
        let resultant = BENDING.hypot(load);
        // r (k + c) - k = |(c, -P)|.
        let length = (resultant + stiffness) / (stiffness + BENDING);
        let expected = [length * BENDING / resultant, -length * load / resultant];
        // Forces are known to a few roundings of k.
        let floor = 8.0 * f64::EPSILON * stiffness;
        assert_close(&found.state.q, &expected, 1e-10 + floor);
        assert!(
            found.iterations <= 40,
            "{stiffness:e}: {}",
            found.iterations
        );
        assert!(found.unbalanced <= floor + 1e-11 * load, "{found:?}");
    }
}

/// The last of ten masses where links are rigid, by a minimization over their angles.
const RIGID: [f64; 2] = [3.928_544_116_045_306, -8.600_340_416_404_178];

#[test]
fn iterations_do_not_grow_with_the_stiffness_of_a_row() {
    for stiffness in [1e3, 1e5, 1e7] {
        let found = rest(Row {
            masses: 10,
            stiffness,
            load: 0.1,
        });
        assert!(
            found.iterations <= 80,
            "{stiffness:e}: {}",
            found.iterations
        );
        // Links are 0.1 / k longer, and forces are known to a few roundings of k.
        let off = (found.state.q[18] - RIGID[0]).hypot(found.state.q[19] - RIGID[1]);
        assert!(off < 1.0 / stiffness + 1e-12 * stiffness, "{found:?}");
        assert!(found.unbalanced < 1e-12 + 2e-15 * stiffness, "{found:?}");
    }
}
