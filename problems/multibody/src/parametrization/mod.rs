//! Rigid multibody systems in Euler parameters (r-p) and Euler angles (r-ε), beside rotation matrices (r-A).
//!
//! [`MultibodySystem`] states a mechanism on the Lie group R³ × SO(3) per body. [`Parametrized`] states the same
//! mechanism on a vector space, with coordinates s of each rotation instead of A:
//!
//! | [`Rotation`] | s | ω (body frame) | rows beside the joints' |
//! |---|---|---|---|
//! | r-A | none: A ∈ SO(3) | itself a velocity | none |
//! | r-p | p ∈ R⁴, Hamilton's, scalar first | 2 Ḡ(p) p' / \|p\|² | pᵀp - 1 = 0 per body |
//! | r-ε | z-x-z Euler angles φ, θ, ψ | B(φ, θ, ψ) (φ', θ', ψ') | none |
//!
//! With ω = T(s) s' and a body's part of the mechanism's own equations J ω' = n + G_ωᵀ λ, the equations are
//!
//! ```text
//! Tᵀ J T s'' = Tᵀ (n - J T' s') + (G_ω T)ᵀ λ,   G_ω T s'' + (γ + G_ω T' s') = 0
//! ```
//!
//! and those of r do not change. For r-p at |p| = 1 this is Haug, Computer-Aided Kinematics and Dynamics of Mechanical
//! Systems, 1989 (spatial kinematics in chapter 9: A from Euler parameters, ω = 2 G p'; with its dynamics the mass
//! matrix is 4 Gᵀ J G). The three are compared under these names by Taves, Kissel and Negrut, "Constrained Multibody
//! Kinematics and Dynamics in Absolute Coordinates: A Discussion of Three Approaches to Representing Rigid Body
//! Rotation", J. Comput. Nonlinear Dyn. 2022; Fang et al. 2022, doi:10.1115/1.4056183, is the source of r-A.
//!
//! Two choices differ from the books and change no motion:
//!
//! - **Away from |p| = 1**, where iterates of implicit methods are, A is that of p/|p|. Then G is the exact derivative
//!   of g at every p, and joints do not mix with the rows |p| = 1: G_p p = 0.
//! - **The mass matrix** 4 Ḡᵀ J Ḡ has rank 3 of 4. It gets c p pᵀ with c = 4/3 tr J, and the force -c p |p'|², which is
//!   what this term needs since pᵀp'' = -|p'|². Both point along p, as the gradient of pᵀp - 1 does, and cancel where
//!   the row holds: the matrix is regular, accelerations and multipliers of the index-1 form stay the same, and the
//!   multiplier of pᵀp = 1 is zero. (Equally, the kinetic energy gets c/2 (p · p')², which is zero.) Discretizations
//!   that take mass and G at one p differ in the multiplier of this row only.
//!
//! **Singularity of r-ε.** At θ = 0 and π the angles φ and ψ turn about one axis and B is singular; evaluations near it
//! are an error. Which axes the angles belong to is chosen per body, from those of the world and of the body, such that
//! the initial state and the rotation at the initial angular velocity stay away from it. A motion may still get there.
//!
//! **When to use which.** r-A: always, unless one of the others is the question; fewest unknowns, no singularity. r-p:
//! to compare with codes in Euler parameters; no singularity, but 7 unknowns and one more row per body. r-ε: to compare
//! with codes in Euler angles, for motions known to avoid the singularity; as many unknowns as r-A, but forces and
//! mass matrix depend on the angles and grow with 1/sin θ.

mod chart;
mod equations;
mod plan;
mod system;

pub use system::Parametrized;

use super::{AssemblyError, Drawing, Drawn, MultibodySystem};
use liedae::system::System;

/// How the rotations of a mechanism are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// r-A: rotation matrices on SO(3), velocities r' and ω.
    Matrices,
    /// r-p: Euler parameters with pᵀp = 1 as a position row.
    EulerParameters,
    /// r-ε: z-x-z Euler angles.
    EulerAngles,
}

impl Rotation {
    /// All three, in the order of a parameter's choices.
    pub const ALL: [Self; 3] = [Self::Matrices, Self::EulerParameters, Self::EulerAngles];

    /// The names of a parameter's choices.
    pub const NAMES: &'static [&'static str] = &[
        "r-A, rotation matrices",
        "r-p, Euler parameters",
        "r-epsilon, Euler angles",
    ];
}

impl MultibodySystem {
    /// The same mechanism with its rotations written in this way; outputs, energy and events stay the same.
    pub fn with_rotation(self, rotation: Rotation) -> Result<Box<dyn System>, AssemblyError> {
        Ok(match rotation {
            Rotation::Matrices => Box::new(self),
            _ => Box::new(Parametrized::new(self, rotation)?),
        })
    }

    /// The same with its drawing.
    pub fn with_rotation_drawn(
        self,
        rotation: Rotation,
    ) -> Result<(Box<dyn System>, Drawing), AssemblyError> {
        if rotation == Rotation::Matrices {
            let drawing = self.drawing();
            return Ok((Box::new(self), drawing));
        }
        let system = Parametrized::new(self, rotation)?;
        let drawing = system.drawing();
        Ok((Box::new(system), drawing))
    }
}
