//! Solutions for further right-hand sides, which what one solution has proven is enough for.

use super::solution::{Target, check_right_hand_side};
use super::{Active, KktSolver};
use crate::linalg::bodies::RightHandSide;
use crate::linalg::error::KktError;
use crate::linalg::schur::{AT_A_TIME, FourJobs, Job};
use crate::linalg::system::all_finite;
use crate::linalg::verify::GOOD;

impl KktSolver {
    /// As [`KktSolver::solve`], for corrections of an iteration that judges itself by what is left: once the factors
    /// have given one solution that is as good as round-off allows, further right-hand sides are not measured against the
    /// matrix any more, but for being finite. How large an elimination lets numbers grow is a property of its factors: it is
    /// backward stable for all right-hand sides or for none.
    ///
    /// # Errors
    /// As [`KktSolver::solve`].
    pub fn solve_again(
        &mut self,
        f: &[f64],
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.solve_for_again(RightHandSide { f: Some(f), c }, x, y)
    }

    /// [`KktSolver::solve_again`] with `f = 0`.
    ///
    /// # Errors
    /// As [`KktSolver::solve`].
    pub fn solve_constraints_again(
        &mut self,
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.solve_for_again(RightHandSide { f: None, c }, x, y)
    }

    /// [`KktSolver::solve_constraints_again`] for four right-hand sides at a time, by rows and by variables, if these
    /// are asked for. Rows of right-hand sides are multiplied by `scale` first, and those of y in the end. False where
    /// another way than the Schur complement is in use, or one of the solutions is not as good as round-off allows:
    /// they are then of no use. A solution without variables is not measured, and proves nothing.
    pub(crate) fn solve_four_constraints(
        &mut self,
        (c, scale): (&[[f64; AT_A_TIME]], &[f64]),
        x: Option<&mut [[f64; AT_A_TIME]]>,
        y: &mut [[f64; AT_A_TIME]],
    ) -> bool {
        let (n, m) = (self.system.n, self.system.m);
        let fits =
            [c.len(), scale.len(), y.len()] == [m; 3] && x.as_ref().is_none_or(|x| x.len() == n);
        let schur = self
            .schur
            .as_ref()
            .filter(|schur| fits && self.active == Active::Schur && schur.is_above_suspicion());
        let Some(schur) = schur else {
            return false;
        };
        // One good solution speaks for all, as in `solve_for_again`.
        let unmeasured = self.proven && self.system.one_jacobian;
        let measured = (!unmeasured).then_some(GOOD.componentwise);
        let is_whole = x.is_some();
        let good = schur.solve_four(FourJobs { c, scale, x, y }, measured);
        if good {
            // Without x nothing has been measured.
            self.proven |= is_whole;
            self.counters.solves += AT_A_TIME;
        }
        good
    }

    fn solve_for_again(
        &mut self,
        rhs: RightHandSide,
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        // Rows of a Schur complement may lose what forces cancel in them, and without symmetry its pivots do not tell everything.
        let speaks_for_all =
            self.active != Active::Schur || (rhs.f.is_none() && self.system.one_jacobian);
        let whole = self.system.idle.is_empty() && self.null_space.is_empty();
        let unmeasured = self.proven && speaks_for_all && whole;
        if !unmeasured {
            return self.solve_for(rhs, x, y);
        }
        self.check_lengths(rhs, x, y)?;
        // Straight into the caller's vectors. A solution says that its right-hand side is finite.
        let solved = match self.active {
            Active::Bodies => {
                (self.bodies.as_mut()).map(|bodies| bodies.solve(&self.system, rhs, x, y))
            }
            Active::Elimination(rule) => (self.eliminations[rule as usize].as_mut())
                .map(|elimination| elimination.solve(rhs, x, y)),
            Active::Schur => self.schur.as_mut().map(|schur| {
                schur.solve(Job { rhs, x, y });
                all_finite(x) && all_finite(y)
            }),
            _ => None,
        };
        if let Some(finite) = solved {
            if !finite {
                return self.solve_for(rhs, x, y);
            }
            self.counters.solves += 1;
            return Ok(());
        }
        check_right_hand_side(rhs)?;
        let (upper, lower) = self.rhs.split_at_mut(self.system.n);
        match rhs.f {
            None => upper.fill(0.0),
            Some(f) => upper.copy_from_slice(f),
        }
        lower.copy_from_slice(rhs.c);
        self.substitute(Target::Solution);
        if !all_finite(&self.z) {
            return self.solve_for(rhs, x, y);
        }
        self.counters.solves += 1;
        self.give_solution(x, y);
        Ok(())
    }
}
