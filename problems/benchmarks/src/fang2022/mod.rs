//! The mechanisms of Fang, Kissel, Zhang and Negrut, "On the Use of Half-Implicit Numerical Integration in Multibody
//! Dynamics", J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183.
//!
//! The paper's slider-crank and four-link are driven mechanisms: their motion is a closed form, and so are the forces
//! that it needs. [`SliderCrankMotion`] and [`FourLinkMotion`] compute both without any integrator.

mod chain;
mod closed_form;
mod double_pendulum;
mod double_pendulum_reference;
mod four_link;
mod four_link_motion;
mod slider_crank;
mod slider_crank_motion;

pub(crate) use chain::CHAIN;
pub(crate) use double_pendulum::DOUBLE_PENDULUM;
pub(crate) use double_pendulum_reference::reference as double_pendulum_reference;
pub(crate) use four_link::FOUR_LINK;
pub use four_link_motion::FourLinkMotion;
pub(crate) use slider_crank::SLIDER_CRANK;
pub use slider_crank_motion::SliderCrankMotion;
pub(crate) use slider_crank_motion::{
    KINEMATICS as SLIDER_CRANK_KINEMATICS, PIVOT as SLIDER_CRANK_PIVOT,
};
