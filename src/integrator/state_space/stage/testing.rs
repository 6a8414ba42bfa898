//! What the tests of the Newton matrix look at.

use super::super::law::Law;
use super::ImplicitStage;
use crate::system::Evaluator;

impl ImplicitStage {
    /// The Newton matrix at the current unknowns, row-major.
    pub fn matrix_at(&mut self, system: &mut Evaluator, law: Law) -> Vec<f64> {
        self.predict(law);
        self.evaluate(system, law).unwrap();
        let direct = Self::is_direct(system.layout());
        self.linearization
            .evaluate(system, &mut self.space, &self.here, law, direct, &self.mass)
            .unwrap();
        self.linearization.matrix().to_vec()
    }

    /// The residual when one unknown is changed, which is then changed back.
    pub fn residual_after(
        &mut self,
        system: &mut Evaluator,
        law: Law,
        unknown: usize,
        change: f64,
    ) -> Vec<f64> {
        self.correction.fill(0.0);
        self.correction[unknown] = change;
        let u = self.space.local().to_vec();
        self.apply(system.layout(), law, 1.0);
        self.evaluate(system, law).unwrap();
        self.load_residual(system.layout(), law);
        self.apply(system.layout(), law, -1.0);
        self.space.local_mut().copy_from_slice(&u);
        self.residual[..self.linearization.unknowns()].to_vec()
    }
}
