//! The rows that tie a marker to its node: three of its place, and two or three of its orientation.
//!
//! With the marker's body at r, A and its axes bₖ = A eₖ:
//!
//! ```text
//! all:                 0 = rₙ - r
//! cable:               0 = b_y·r_x,   0 = b_z·r_x
//! shear-deformable:    0 = b_x·r_y,   0 = b_x·r_z,   0 = b_y·r_z
//! ```
//!
//! The latter are the axes of the element's own frame. A moment about x so acts on r_z, on which the twist depends; r_y would have to
//! pass it on through the stiffness of the section, which is that of less and less length in finer meshes.

use super::element::Formulation;
use crate::kinematics::{Kinematics, VELOCITIES};
use crate::marker_rows::MarkerRows;
use liedae::linalg::Pattern;
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// Rows of the place.
const PLACE: usize = 3;

/// A product of an axis of the marker and a vector of the node.
#[derive(Clone, Copy, Debug)]
struct Product {
    /// Row behind those of the place.
    row: usize,
    /// The axis.
    axis: Vector3<f64>,
    /// Number of the vector, of those of the node.
    vector: usize,
}

/// The rows of a marker.
#[derive(Clone, Debug)]
pub(crate) struct NodeTie {
    /// Name of the marker's body.
    name: String,
    body: usize,
    formulation: Formulation,
    products: Vec<Product>,
    first_row: usize,
    /// Where the node's vectors start in q and in v.
    starts: [usize; 2],
    /// For each row the starts of its entries by the body and by the node.
    jacobian: Vec<[usize; 2]>,
    /// For each row of the body's rotation and of the node's gradients the same by both.
    stiffness: Vec<[usize; 2]>,
}

/// Rows of a marker.
pub(crate) fn rows(formulation: Formulation) -> usize {
    PLACE
        + match formulation {
            Formulation::Cable => 2,
            Formulation::ShearDeformable => 3,
        }
}

fn products(formulation: Formulation) -> Vec<Product> {
    let product = |row: usize, axis: Vector3<f64>, vector: usize| Product { row, axis, vector };
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    match formulation {
        Formulation::Cable => vec![product(0, y, 1), product(1, z, 1)],
        Formulation::ShearDeformable => vec![product(0, x, 1), product(1, x, 2), product(2, y, 2)],
    }
}

/// The three of a list from a place on.
fn three(list: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(list[at], list[at + 1], list[at + 2])
}

fn add_three(out: &mut [f64], start: usize, part: &Vector3<f64>) {
    for (slot, part) in out[start..start + 3].iter_mut().zip(part) {
        *slot += part;
    }
}

impl NodeTie {
    pub fn new(
        name: String,
        body: usize,
        formulation: Formulation,
        first_row: usize,
        starts: [usize; 2],
    ) -> Self {
        Self {
            name,
            body,
            formulation,
            products: products(formulation),
            first_row,
            starts,
            jacobian: Vec::new(),
            stiffness: Vec::new(),
        }
    }

    /// Fixes where the rows are; `None` where the patterns do not have them.
    pub fn locate(&mut self, jacobian: &Pattern, stiffness: &Pattern) -> Option<()> {
        let (body, node) = (VELOCITIES * self.body, self.starts[1]);
        let rows = self.range();
        self.jacobian = rows
            .map(|row| Some([jacobian.position(row, body)?, jacobian.position(row, node)?]))
            .collect::<Option<_>>()?;
        let gradients = node + 3..node + 3 * self.formulation.vectors();
        self.stiffness = (body + 3..body + 6)
            .chain(gradients)
            .map(|row| {
                let spin = stiffness.position(row, body + 3)?;
                Some([spin, stiffness.position(row, node + 3)?])
            })
            .collect::<Option<_>>()?;
        Some(())
    }

    fn body(&self, q: &[f64], v: &[f64]) -> Kinematics {
        Kinematics::read(Some(self.body), q, v)
    }

    /// A vector of the node, or its rate.
    fn vector(&self, of: &[f64], start: usize, vector: usize) -> Vector3<f64> {
        three(of, start + 3 * vector)
    }

    /// Adds rows of products by the body's rotation and by the vectors.
    fn write(&self, out: &mut [f64], mut each: impl FnMut(&Product) -> [Vector3<f64>; 2]) {
        let wide = 3 * self.formulation.vectors();
        for [on_body, on_node] in &self.jacobian {
            out[*on_body..on_body + VELOCITIES].fill(0.0);
            out[*on_node..on_node + wide].fill(0.0);
        }
        for product in &self.products {
            let [on_body, on_node] = self.jacobian[PLACE + product.row];
            let [by_spin, by_vector] = each(product);
            add_three(out, on_body + 3, &by_spin);
            add_three(out, on_node + 3 * product.vector, &by_vector);
        }
    }

    /// The angular velocity, in the body frame, with which a body of this rotation follows its node; a cable's spins at this rate about its
    /// tangent.
    pub fn spin(
        formulation: Formulation,
        rotation: &Matrix3<f64>,
        vectors: &[Vector3<f64>],
        rates: &[Vector3<f64>],
        about_tangent: f64,
    ) -> Option<Vector3<f64>> {
        let mut matrix = Matrix3::zeros();
        let mut right = Vector3::zeros();
        for product in products(formulation) {
            let seen = rotation.tr_mul(vectors.get(product.vector)?);
            let rate = rotation.tr_mul(rates.get(product.vector)?);
            let row = matrix.row(product.row).transpose() + product.axis.cross(&seen);
            matrix.set_row(product.row, &row.transpose());
            right[product.row] -= product.axis.dot(&rate);
        }
        if formulation == Formulation::Cable {
            matrix[(2, 0)] = 1.0;
            right[2] = about_tangent;
        }
        matrix.lu().solve(&right)
    }
}

impl MarkerRows for NodeTie {
    fn name(&self) -> &str {
        &self.name
    }

    fn range(&self) -> Range<usize> {
        self.first_row..self.first_row + rows(self.formulation)
    }

    fn label(&self, row: usize) -> String {
        let own = row - self.first_row;
        let axes = match self.formulation {
            // b_y·r_x turns about z.
            Formulation::Cable => ["z", "y", ""],
            // b_x·r_y turns about z, b_x·r_z about y.
            Formulation::ShearDeformable => ["z", "y", "x"],
        };
        let what = match own.checked_sub(PLACE) {
            None => format!("displacement along {}", ["x", "y", "z"][own % 3]),
            Some(turn) => format!("rotation about its {}", axes[turn % 3]),
        };
        format!("marker '{}': {what}", self.name)
    }

    fn is_opposed(&self, q: &[f64]) -> bool {
        let turn = self.body(q, &[]).rotation;
        let aligned: &[(Vector3<f64>, usize)] = match self.formulation {
            Formulation::Cable => &[(Vector3::x(), 1)],
            Formulation::ShearDeformable => &[(Vector3::y(), 1), (Vector3::z(), 2)],
        };
        let mut aligned = aligned.iter();
        aligned.any(|(axis, vector)| {
            let vector = self.vector(q, self.starts[0], *vector);
            (turn * axis).dot(&vector) < 0.0
        })
    }

    fn residual(&self, q: &[f64], out: &mut [f64]) {
        let body = self.body(q, &[]);
        let out = &mut out[self.range()];
        out.fill(0.0);
        add_three(out, 0, &(three(q, self.starts[0]) - body.position));
        for product in &self.products {
            let vector = self.vector(q, self.starts[0], product.vector);
            out[PLACE + product.row] += (body.rotation * product.axis).dot(&vector);
        }
    }

    fn jacobian(&self, q: &[f64], out: &mut [f64]) {
        let body = self.body(q, &[]);
        let wide = 3 * self.formulation.vectors();
        for (row, [on_body, on_node]) in self.jacobian.iter().enumerate() {
            out[*on_body..on_body + VELOCITIES].fill(0.0);
            out[*on_node..on_node + wide].fill(0.0);
            if row < PLACE {
                out[on_body + row] = -1.0;
                out[on_node + row] = 1.0;
            }
        }
        for product in &self.products {
            let [on_body, on_node] = self.jacobian[PLACE + product.row];
            let vector = self.vector(q, self.starts[0], product.vector);
            let seen = body.rotation.tr_mul(&vector);
            add_three(out, on_body + 3, &product.axis.cross(&seen));
            add_three(
                out,
                on_node + 3 * product.vector,
                &(body.rotation * product.axis),
            );
        }
    }

    fn rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let body = self.body(q, v);
        let out = &mut out[self.range()];
        out.fill(0.0);
        add_three(out, 0, &(three(v, self.starts[1]) - body.velocity));
        for product in &self.products {
            let [vector, rate] = [(q, 0), (v, 1)]
                .map(|(of, which)| self.vector(of, self.starts[which], product.vector));
            let [seen, seen_rate] = [vector, rate].map(|vector| body.rotation.tr_mul(&vector));
            let turning = body.omega.cross(&product.axis);
            out[PLACE + product.row] += turning.dot(&seen) + product.axis.dot(&seen_rate);
        }
    }

    fn bias(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let body = self.body(q, v);
        let out = &mut out[self.range()];
        out.fill(0.0);
        for product in &self.products {
            let [vector, rate] = [(q, 0), (v, 1)]
                .map(|(of, which)| self.vector(of, self.starts[which], product.vector));
            let [seen, seen_rate] = [vector, rate].map(|vector| body.rotation.tr_mul(&vector));
            let turning = body.omega.cross(&product.axis);
            out[PLACE + product.row] +=
                body.omega.cross(&turning).dot(&seen) + 2.0 * turning.dot(&seen_rate);
        }
    }

    fn subtract_stiffness(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let turn = self.body(q, &[]).rotation;
        for product in &self.products {
            let multiplier = lambda[self.first_row + PLACE + product.row];
            let vector = self.vector(q, self.starts[0], product.vector);
            let hat = product.axis.cross_matrix() * multiplier;
            // The torque e × Aᵀ d by rotations and by d, and the force A e by rotations.
            let by_spin = hat * turn.tr_mul(&vector).cross_matrix();
            let crossed = hat * turn.transpose();
            let column = 3 * (product.vector - 1);
            for axis in 0..3 {
                let [spin, gradients] = self.stiffness[axis];
                add_three(out, spin, &-by_spin.row(axis).transpose());
                add_three(out, gradients + column, &-crossed.row(axis).transpose());
                let [spin, _] = self.stiffness[3 + column + axis];
                // -A hat(e) = (hat(e) Aᵀ)ᵀ.
                add_three(out, spin, &-crossed.column(axis));
            }
        }
    }

    fn rate_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let body = self.body(q, v);
        let turn = &body.rotation;
        self.write(out, |product| {
            let [vector, rate] = [(q, 0), (v, 1)]
                .map(|(of, which)| self.vector(of, self.starts[which], product.vector));
            let [seen, seen_rate] = [vector, rate].map(|vector| turn.tr_mul(&vector));
            let turning = body.omega.cross(&product.axis);
            let by_spin = turning.cross(&seen) + product.axis.cross(&seen_rate);
            [by_spin, turn * turning]
        });
    }

    fn acceleration_jacobian(
        &self,
        [q, v, acceleration]: [&[f64]; 3],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        let body = self.body(q, v);
        let spun = self.body(q, acceleration).omega;
        let (turn, omega): (&Matrix3<f64>, &Vector3<f64>) = (&body.rotation, &body.omega);
        let seen = |product: &Product| {
            [(q, 0), (v, 1), (acceleration, 1)].map(|(of, which)| {
                turn.tr_mul(&self.vector(of, self.starts[which], product.vector))
            })
        };
        self.write(by_position, |product| {
            let [vector, rate, second] = seen(product);
            let turning = omega.cross(&product.axis);
            let bend = spun.cross(&product.axis) + omega.cross(&turning);
            let by_spin =
                bend.cross(&vector) + turning.cross(&rate) * 2.0 + product.axis.cross(&second);
            [by_spin, turn * bend]
        });
        self.write(by_velocity, |product| {
            let [vector, rate, _] = seen(product);
            let turning = omega.cross(&product.axis);
            let by_spin = turning.cross(&vector)
                + product.axis.cross(&vector.cross(omega))
                + product.axis.cross(&rate) * 2.0;
            [by_spin, turn * turning * 2.0]
        });
    }
}
