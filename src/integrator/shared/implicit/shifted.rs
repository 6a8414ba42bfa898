//! Linear systems (α B - ∂F/∂y) δ = r.

use super::saddle::Saddle;
use super::small::{AroundGrouped, Parameters, Small, around_grouped, around_pair, solve_pair};
use super::{Linearization, Unknowns};
use crate::linalg::{ALWAYS_DENSE, AroundBoth, FusedSolve, Inverted, KktError, Method, Parts};
use crate::system::Layout;

/// Solves (α B - ∂F/∂y) δ = r for a real (`P = 1`) or a complex (`P = 2`) α.
///
/// Small systems are factorized as one matrix ([`Condensed`](super::newton_matrix_small::Condensed)), by groups of velocities or as it is, as
/// long as their rank is in no doubt. Others, and those in doubt, are saddle-point systems ([`Saddle`]).
pub(crate) struct ShiftedSolver<const P: usize = 1> {
    /// For small systems, tried before `saddle`.
    direct: Option<Small<P>>,
    /// Made at once for constraint rows and many unknowns, otherwise when it is needed.
    saddle: Option<Box<Saddle>>,
}

/// How a system of so many unknowns, real or complex, is solved where its own factors are in doubt: the smallest ones need no
/// estimate of what is faster.
fn method(size: usize) -> Method {
    if size <= ALWAYS_DENSE {
        Method::Dense
    } else {
        Method::Automatic
    }
}

impl<const P: usize> ShiftedSolver<P> {
    /// Memory for systems of this layout.
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Result<Self, KktError> {
        Self::with_inverses(layout, unknowns, Inverted::UpToEight)
    }

    /// The same for one of a real and a complex system, to be solved by [`solve_real_and_complex`].
    pub fn of_pair(layout: &Layout, unknowns: &Unknowns) -> Result<Self, KktError> {
        Self::with_inverses(layout, unknowns, Inverted::UpToThree)
    }

    fn with_inverses(
        layout: &Layout,
        unknowns: &Unknowns,
        inverted: Inverted,
    ) -> Result<Self, KktError> {
        let size = unknowns.matrix_size();
        // Without constraint rows the rank is hardly ever in doubt. With them it may be so in any step, which must not allocate.
        let saddle = if P * size <= ALWAYS_DENSE && layout.rows() == 0 {
            None
        } else {
            Some(Box::new(Saddle::new(layout, unknowns, P, method(size))?))
        };
        let small = saddle.as_ref().is_none_or(|saddle| saddle.is_dense());
        let direct = small
            .then(|| Small::new(layout, unknowns, inverted))
            .transpose()?;
        Ok(Self { direct, saddle })
    }

    /// Whether the system is small enough for a dense matrix, which [`Linearization::condensed`] then has to have.
    pub fn is_small(&self) -> bool {
        self.direct.is_some()
    }

    /// Whether the factors are those of groups of velocities.
    #[cfg(test)]
    pub fn is_grouped(&self) -> bool {
        self.direct.as_ref().is_some_and(Small::is_grouped)
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        let direct = self.direct.as_ref().map_or((0, 0), Small::work);
        let saddle = self.saddle.as_ref().map_or((0, 0), |saddle| saddle.work());
        (direct.0 + saddle.0, direct.1 + saddle.1)
    }

    /// Factorizes α B - ∂F/∂y.
    #[inline]
    pub fn factor(
        &mut self,
        layout: &Layout,
        unknowns: &Unknowns,
        linearization: &Linearization,
        alpha: Parts<P>,
    ) -> Result<(), KktError> {
        if let Some(direct) = &mut self.direct
            && let Some(condensed) = &linearization.condensed
            && direct.factor(condensed, alpha)
        {
            return Ok(());
        }
        self.factor_saddle(layout, unknowns, linearization, alpha)
    }

    /// The same as a saddle-point system.
    #[cold]
    fn factor_saddle(
        &mut self,
        layout: &Layout,
        unknowns: &Unknowns,
        linearization: &Linearization,
        alpha: Parts<P>,
    ) -> Result<(), KktError> {
        let mut complex = [0.0; 2];
        complex[..P].copy_from_slice(&alpha);
        let saddle = match &mut self.saddle {
            Some(saddle) => saddle,
            missing => {
                let saddle = Saddle::new(layout, unknowns, P, method(unknowns.matrix_size()))?;
                missing.insert(Box::new(saddle))
            }
        };
        saddle.factor(unknowns, linearization, complex)
    }

    /// The small system, if it has factors that can be used.
    #[inline]
    fn usable<'a>(
        &'a mut self,
        unknowns: &'a Unknowns,
        linearization: &'a Linearization,
    ) -> Option<(&'a mut Small<P>, Parameters<'a>)> {
        let condensed = linearization.condensed.as_ref()?;
        let direct = self.direct.as_mut().filter(|direct| direct.is_usable())?;
        let parameters = Parameters {
            condensed,
            unknowns,
            kinematics: &linearization.kinematics,
        };
        Some((direct, parameters))
    }

    /// Runs a job that contains a solution, where all unknowns are states, if the system is small and factorized.
    #[inline]
    pub fn around<J: FusedSolve<P>>(&mut self, job: J) -> Option<J::Output> {
        let direct = self.direct.as_mut().filter(|direct| direct.is_usable());
        direct.map(|direct| direct.around(job))
    }

    /// Overwrites r, one vector for each part (real and imaginary), with δ.
    pub fn solve(
        &mut self,
        layout: &Layout,
        unknowns: &Unknowns,
        linearization: &Linearization,
        mut r: [&mut [f64]; P],
    ) -> Result<(), KktError> {
        if let Some((direct, parameters)) = self.usable(unknowns, linearization) {
            direct.solve(parameters, r);
            return Ok(());
        }
        match &mut self.saddle {
            Some(saddle) => saddle.solve(layout, unknowns, linearization, &mut r),
            None => Err(KktError::NotFactored),
        }
    }
}

/// Runs a job that contains a solution with a real and a complex system, where all unknowns are states, if both are small and
/// factorized.
#[inline]
pub(crate) fn around_real_and_complex<J: AroundBoth>(
    real: &mut ShiftedSolver<1>,
    complex: &mut ShiftedSolver<2>,
    job: J,
) -> Option<J::Output> {
    let real = real.direct.as_mut().filter(|direct| direct.is_usable())?;
    let complex = (complex.direct.as_mut()).filter(|direct| direct.is_usable())?;
    Some(around_pair(real, complex, job))
}

/// Runs a job that contains a solution with a real and a complex system with the same derivatives, if both are factorized by groups of
/// velocities.
#[inline]
pub(crate) fn around_groups<J: AroundGrouped>(
    real: &mut ShiftedSolver<1>,
    complex: &mut ShiftedSolver<2>,
    unknowns: &Unknowns,
    linearization: &Linearization,
    job: J,
) -> Option<J::Output> {
    let (real, parameters) = real.usable(unknowns, linearization)?;
    let (complex, _) = complex.usable(unknowns, linearization)?;
    around_grouped(real, complex, parameters, job)
}

/// Solves a real system and a complex one with the same derivatives: r of the first, and the parts of that of the second.
#[inline]
pub(crate) fn solve_real_and_complex(
    real: &mut ShiftedSolver<1>,
    complex: &mut ShiftedSolver<2>,
    layout: &Layout,
    unknowns: &Unknowns,
    linearization: &Linearization,
    r: [&mut [f64]; 3],
) -> Result<(), KktError> {
    if let Some((one, parameters)) = real.usable(unknowns, linearization)
        && let Some((two, _)) = complex.usable(unknowns, linearization)
    {
        solve_pair(one, two, parameters, r);
        return Ok(());
    }
    let [first, second, third] = r;
    real.solve(layout, unknowns, linearization, [first])?;
    complex.solve(layout, unknowns, linearization, [second, third])
}
