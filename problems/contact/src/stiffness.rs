//! How long a step of an explicit method may be while sliding in space is slow.
//!
//! Friction μ N against v / |v| turns v to where forces draw it at a rate of about r = μ N w / |v|, with the mobility w of the contact. Steps h of
//! explicit methods are unstable where h r > 3 or so. A velocity below the tolerances lets error estimates see nothing of it. Stages of
//! a step then lie on both sides of rest, and with negative weights their mean friction may hold what slides. Only sliding that turns needs such
//! short steps: what slides straight on does so in long ones.

use crate::NonsmoothSystem;
use crate::equations::Equations;
use crate::equations::slides::Pace;
use liedae::linalg::KktError;
use liedae::system::{EvaluationError, Point};

/// The largest product of a step and the rate: real eigenvalues have 2.5 with HEM5, 3.3 with Dormand and Prince's methods.
const STABLE: f64 = 2.0;

/// A direction that turns by less than this angle in rad, at the rate at which it begins to, is straight but for round-off: what it turns by grows by
/// as much as a thousandfold in a step that is far too long for stability.
const STRAIGHT: f64 = 1e-8;

/// A contact that slides slowly in space.
struct SlowSlide {
    /// Its row across friction, of the length of the velocity.
    across: Vec<f64>,
    /// By how much friction along the row grows with the velocity there, in N s/m.
    stiffness: f64,
    /// How fast its direction turns, in rad/s.
    turning: f64,
}

impl NonsmoothSystem {
    /// The longest step of explicit methods at a point with this acceleration; infinity where nothing slides slowly and turns.
    pub(crate) fn longest_explicit_step(
        &mut self,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<f64, EvaluationError> {
        let slides = self.equations.slow_slides(at, acceleration)?;
        let turning = slides.iter().map(|slide| slide.turning);
        let turning = turning.fold(0.0, f64::max);
        if turning == 0.0 {
            return Ok(f64::INFINITY);
        }
        let accelerations = self.equations.with_mobility(at, |mobility| {
            let responses = slides.iter().map(|slide| {
                let mut acceleration = vec![0.0; slide.across.len()];
                mobility.accelerate(&slide.across, &mut acceleration)?;
                Ok(acceleration)
            });
            responses.collect::<Result<Vec<Vec<f64>>, KktError>>()
        })?;
        // The rates are eigenvalues of a symmetric matrix, below its largest sum of a row.
        let rates = slides.iter().map(|one| -> f64 {
            let others = slides.iter().zip(&accelerations);
            let coupled = others.map(|(other, acceleration)| {
                let entries = one.across.iter().zip(acceleration);
                let mobility: f64 = entries.map(|(entry, a)| entry * a).sum();
                (one.stiffness * other.stiffness).sqrt() * mobility.abs()
            });
            coupled.sum()
        });
        Ok((STABLE / rates.fold(0.0, f64::max)).max(STRAIGHT / turning))
    }
}

impl Equations {
    fn slow_slides(
        &mut self,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<Vec<SlowSlide>, EvaluationError> {
        let mut found = Vec::new();
        for index in 0..self.structure.pressed.len() {
            let pressed = &self.structure.pressed[index];
            let (contact, slides) = (pressed.contact, pressed.sliding.is_some());
            let slow = matches!(self.slides[contact].pace, Pace::Slow { .. });
            if !slides || !slow || !self.contacts[contact].is_spatial() {
                continue;
            }
            let place = self.structure.inner_algebraic + index;
            let normal = at.z.get(place).copied().unwrap_or(0.0);
            let slide = self.slide_of(contact, at, acceleration)?;
            let (v, a) = (slide.velocity, slide.acceleration);
            let [along, beside] = self.slides[contact].against(v);
            let slope = self.slides[contact].slope(v);
            let change = [0, 1].map(|l| along * slope[1][l] - beside * slope[0][l]);
            let rows = slide.rows.split_at(acceleration.len());
            let across = rows.0.iter().zip(rows.1);
            let across = across.map(|(first, second)| along * second - beside * first);
            found.push(SlowSlide {
                across: across.collect(),
                stiffness: self.contacts[contact].friction
                    * normal.abs()
                    * change[0].hypot(change[1]),
                turning: (v[0] * a[1] - v[1] * a[0]).abs() / (v[0] * v[0] + v[1] * v[1]),
            });
        }
        Ok(found)
    }
}
