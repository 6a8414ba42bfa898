//! Derivatives of a model's contact rows, by nested duals.

use super::contacts::TANGENTS;
use crate::ContactModel;
use liedae::scalar::{Dual, Scalar, Taylor2};
use liedae::system::derivatives::{CHUNK, Gradient, NestedDuals, add_product};
use liedae::system::{Automatic, Layout, Point, System};

/// A contact of a model, with the velocities that its rows act on.
pub(super) struct Touching<'a, M> {
    model: &'a M,
    layout: &'a Layout,
    contact: usize,
    velocities: &'a [usize],
}

/// Columns with the directions that they are differentiated along.
struct Seeds {
    list: [(usize, usize); CHUNK],
    count: usize,
    /// Number of the first column among those of the contact.
    first: usize,
}

impl Seeds {
    fn list(&self) -> &[(usize, usize)] {
        &self.list[..self.count]
    }
}

impl<'a, M: ContactModel> Touching<'a, M> {
    /// A contact by its number, with its velocities.
    pub fn new(smooth: &'a Automatic<M>, contact: usize, velocities: &'a [usize]) -> Self {
        Self {
            model: smooth.model(),
            layout: smooth.layout(),
            contact,
            velocities,
        }
    }

    fn seeds(&self) -> impl Iterator<Item = Seeds> + '_ {
        let chunks = self.velocities.chunks(CHUNK).enumerate();
        chunks.map(|(index, columns)| Seeds {
            list: std::array::from_fn(|direction| {
                (columns.get(direction).copied().unwrap_or(0), direction)
            }),
            count: columns.len(),
            first: index * CHUNK,
        })
    }

    /// ∂(G_Nᵀ λ_N + G_Tᵀ λ_T)/∂q.
    pub fn force_stiffness(
        &self,
        work: &mut NestedDuals,
        at: &Point,
        forces: &[f64],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let Some((&normal, tangential)) = forces.split_first() else {
            return;
        };
        let tangential = &tangential[..tangential.len().min(TANGENTS)];
        let slides = tangential.iter().any(|force| *force != 0.0);
        let count = self.velocities.len();
        if slides {
            work.mixed.load(at);
        } else {
            // A gap depends on the configuration, which follows, and on time.
            work.mixed.t = Dual::constant(at.t);
        }
        for columns in self.seeds() {
            work.displace(self.layout, at, columns.list());
            for rows in self.seeds() {
                let mut slopes = [[0.0; CHUNK]; CHUNK];
                work.nest();
                if slides {
                    work.move_nested(at, rows.list());
                    let mut sliding = [Dual::constant(0.0); TANGENTS];
                    let point = work.mixed.point(at.mode);
                    let sliding = &mut sliding[..tangential.len()];
                    self.model.sliding_velocity(self.contact, &point, sliding);
                    for (velocity, force) in sliding.iter().zip(tangential) {
                        add_product(velocity, *force, &mut slopes);
                    }
                    work.stop_nested(at, rows.list());
                }
                if normal != 0.0 {
                    work.displace_nested(self.layout, rows.list());
                    let point = work.mixed.point(at.mode);
                    let gap = self.model.gap(self.contact, &point);
                    add_product(&gap, normal, &mut slopes);
                }
                for (row, slopes) in slopes.iter().enumerate().take(rows.count) {
                    let start = (rows.first + row) * count + columns.first;
                    out[start..start + columns.count].copy_from_slice(&slopes[..columns.count]);
                }
            }
        }
    }

    /// ∂(G_N v + ∂g_N/∂t)/∂q and ∂g_T'/∂q.
    pub fn velocity_gradients(&self, work: &mut NestedDuals, at: &Point, out: &mut [f64]) {
        for columns in self.seeds() {
            work.displace(self.layout, at, columns.list());
            self.follow(work, at, &[]);
            self.write(work, at, &columns, [Level::First, Level::Value], out);
        }
    }

    /// ∂(G a + γ)/∂q and ∂γ/∂v.
    pub fn acceleration_gradients(
        &self,
        work: &mut NestedDuals,
        at: &Point,
        acceleration: &[f64],
        [by_position, by_velocity]: [&mut [f64]; 2],
    ) {
        let levels = [Level::Second, Level::First];
        for columns in self.seeds() {
            work.displace(self.layout, at, columns.list());
            self.follow(work, at, acceleration);
            self.write(work, at, &columns, levels, by_position);
            work.displace(self.layout, at, &[]);
            for &(column, direction) in columns.list() {
                work.first.v[column] = Dual::variable(at.v[column], direction);
            }
            self.follow(work, at, acceleration);
            self.write(work, at, &columns, levels, by_velocity);
        }
    }

    fn follow(&self, work: &mut NestedDuals, at: &Point, acceleration: &[f64]) {
        let v = std::mem::take(&mut work.first.v);
        work.follow(self.layout, at, &v, acceleration);
        work.first.v = v;
    }

    /// Writes the gradients of the gap and the sliding velocities at their levels along the curve.
    fn write(
        &self,
        work: &mut NestedDuals,
        at: &Point,
        columns: &Seeds,
        [gap_level, sliding_level]: [Level; 2],
        out: &mut [f64],
    ) {
        let count = self.velocities.len();
        let tangents = (out.len() / count).saturating_sub(1).min(TANGENTS);
        let point = work.curve.point(at.mode);
        let gap = self.model.gap(self.contact, &point);
        let mut sliding = [Taylor2::constant(0.0); TANGENTS];
        if tangents > 0 {
            let sliding = &mut sliding[..tangents];
            self.model.sliding_velocity(self.contact, &point, sliding);
        }
        let values = sliding.iter().take(tangents);
        let values = values.map(|velocity| sliding_level.of(velocity));
        let values = std::iter::once(gap_level.of(&gap)).chain(values);
        for (row, value) in out.chunks_exact_mut(count).zip(values) {
            row[columns.first..columns.first + columns.count]
                .copy_from_slice(&value.gradient[..columns.count]);
        }
    }
}

/// A derivative along the curve.
#[derive(Clone, Copy)]
enum Level {
    Value,
    First,
    Second,
}

impl Level {
    fn of(self, number: &Taylor2<Gradient>) -> Gradient {
        match self {
            Self::Value => number.value,
            Self::First => number.first,
            Self::Second => number.second,
        }
    }
}
