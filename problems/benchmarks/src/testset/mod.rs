//! The Test Set for IVP Solvers (CWI Amsterdam 1998, University of Bari 2008): stiff ordinary equations, electrical
//! circuits with index 1, and mechanical systems with index 2 and 3.
//!
//! F. Mazzia and C. Magherini, Test Set for Initial Value Problem Solvers, release 2.4, University of Bari 2008, after
//! W. M. Lioen and J. J. B. de Swart, CWI report MAS-R9832, 1998; many of its problems are those of Hairer and Wanner,
//! Solving Ordinary Differential Equations II. Equations, parameters, initial and end values are those of the test set.
//! What is a mechanical system is stated as one, so that methods for mechanical systems run it at the index they need.
//!
//! The references hold initial values and the published end values, each with the number of significant digits in
//! which it agrees with an independent computation ([`Reference::digits`](crate::Reference::digits)).

mod published;

mod beam;
mod car_axis;
mod charge_pump;
mod e5;
mod emep;
mod fekete;
mod flexible_slider_crank;
mod hires;
mod nand_gate;
pub(crate) mod nonsmooth;
mod oregonator;
mod pleiades;
mod pollution;
mod ring_modulator;
mod robertson;
mod shichman_hodges;
mod transistor_amplifier;
mod two_bit_adder;
mod van_der_pol;
mod water_tube;
mod wheelset;

pub(crate) use beam::BEAM;
pub(crate) use car_axis::CAR_AXIS;
pub(crate) use charge_pump::CHARGE_PUMP;
pub(crate) use e5::E5;
pub(crate) use emep::EMEP;
pub(crate) use fekete::FEKETE;
pub(crate) use flexible_slider_crank::FLEXIBLE_SLIDER_CRANK;
pub(crate) use hires::HIRES;
pub(crate) use nand_gate::NAND_GATE;
pub(crate) use oregonator::OREGONATOR;
pub(crate) use pleiades::PLEIADES;
pub(crate) use pollution::POLLUTION;
pub(crate) use ring_modulator::RING_MODULATOR;
pub(crate) use robertson::ROBERTSON;
pub(crate) use transistor_amplifier::TRANSISTOR_AMPLIFIER;
pub(crate) use two_bit_adder::TWO_BIT_ADDER;
pub(crate) use van_der_pol::VAN_DER_POL;
pub(crate) use water_tube::WATER_TUBE;
pub(crate) use wheelset::WHEELSET;
