//! Systems with a flaw that a run must report.

use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Automatic, EvaluationError, Function, Layout, MatrixMut, Model, Point, State, Wrapper,
};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) enum Flaw {
    /// The force is NaN everywhere.
    NanForce,
    /// The force is NaN behind [`Faulty::WALL`].
    LaterNanForce,
    /// The force fails behind [`Faulty::WALL`].
    FailingForce,
    /// A row is NaN behind [`Faulty::WALL`].
    LaterNanRow,
    /// One mass is zero.
    SingularMass,
}

/// A particle in the plane, on a circle where the flaw is in a row.
struct Particle(Flaw);

impl Particle {
    fn has_row(&self) -> bool {
        self.0 == Flaw::LaterNanRow
    }
}

impl Model for Particle {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(usize::from(self.has_row()))
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            v: vec![0.0, 0.5],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        let singular = self.0 == Flaw::SingularMass;
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(if singular { 0.0 } else { 1.0 });
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let nan = match self.0 {
            Flaw::NanForce => true,
            Flaw::LaterNanForce => at.t.value() > Faulty::WALL,
            _ => false,
        };
        force[0] = -at.q[0];
        force[1] = if nan {
            S::constant(f64::NAN)
        } else {
            -at.q[1] * 2.0
        };
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        if self.has_row() {
            g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
            if at.t.value() > Faulty::WALL {
                g[0] *= f64::NAN;
            }
        }
    }
}

/// A particle with a flaw.
pub(in crate::conformance) struct Faulty {
    inner: Automatic<Particle>,
}

impl Faulty {
    /// From when on it cannot be evaluated, in s.
    pub const WALL: f64 = 0.3;

    pub fn new(flaw: Flaw) -> Self {
        Self {
            inner: Automatic::new(Particle(flaw)),
        }
    }
}

impl Wrapper for Faulty {
    type Inner = dyn liedae::system::System;

    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        if self.inner.model().0 == Flaw::FailingForce && at.t > Self::WALL {
            return Err(EvaluationError::Failed {
                function: Function::Rates,
                t: at.t,
                reason: "beyond the range of its table".to_owned(),
            });
        }
        self.inner_mut().rates(at, out)
    }
}
