//! The academic example of Haddouni, Acary, Garreau, Beley and Brogliato, "Comparison of several formulations and
//! integration methods for the resolution of DAEs formulations in event-driven simulation of nonsmooth frictionless
//! multibody dynamics", Multibody Syst. Dyn. 41 (2017) 201, doi:10.1007/s11044-017-9570-y.

mod slider_crank;

pub(crate) use slider_crank::SLIDER_CRANK;
pub use slider_crank::SliderCrank;
