//! The mechanisms of Fang, Kissel, Zhang and Negrut, "On the Use of Half-Implicit Numerical Integration in Multibody
//! Dynamics", J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183.
//!
//! The paper's slider-crank and four-link are driven mechanisms: their motion is a closed form, and so are the forces
//! that it needs. [`SliderCrankMotion`] and [`FourLinkMotion`] compute both without any integrator.

mod closed_form;
mod four_link_motion;
mod slider_crank_motion;

pub use four_link_motion::FourLinkMotion;
pub use slider_crank_motion::SliderCrankMotion;
