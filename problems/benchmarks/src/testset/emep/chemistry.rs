//! Species, reactions, deposition and emissions.

use Rate::{Arrhenius, Constant, Hydroperoxy, Power, Sunlight, Water};
use Species::*;

macro_rules! species {
    ($($name:ident)*) => {
        /// What the air contains, in the order of the unknowns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::upper_case_acronyms, reason = "chemical formulas")]
        pub(super) enum Species {
            $($name),*
        }

        /// Names of the species.
        pub(super) const NAMES: [&str; 66] = [$(stringify!($name)),*];
    };
}

species! {
    NO NO2 SO2 CO CH4 C2H6 NC4H10 C2H4 C3H6 OXYL HCHO CH3CHO MEK O3 HO2 HNO3 H2O2 H2 CH3O2 C2H5OH SA CH3O2H C2H5O2 CH3COO
    PAN SECC4H MEKO2 R2OOH ETRO2 MGLYOX PRRO2 GLYOX OXYO2 MAL MALO2 OP OH OD NO3 N2O5 ISOPRE NITRAT ISRO2 MVK MVKO2 CH3OH
    RCO3H OXYO2H BURO2H ETRO2H PRRO2H MEKO2H MALO2H MACR ISNI ISRO2H MARO2 MAPAN CH2CCH3 ISONO3 ISNIR MVKO2H CH2CHR ISNO3H
    ISNIRH MARO2H
}

/// A rate coefficient: 1/s for one reactant, cm³/(molecule s) for two.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rate {
    Constant(f64),
    /// a exp(b / T), T in K.
    Arrhenius(f64, f64),
    /// a (T / 300 K)^b.
    Power(f64, f64),
    /// a exp(-b / cos θ) with the zenith angle θ of the sun, none at night.
    Sunlight(f64, f64),
    /// So much per molecule of water in a cm³.
    Water(f64),
    /// HO2 + HO2, alone, with a third molecule, and with water.
    Hydroperoxy,
}

/// A reaction: its rate coefficient, what reacts, and what comes out of it, so many molecules each. What is left out
/// (water, oxygen, carbon dioxide) does not change.
pub(super) type Reaction = (Rate, &'static [Species], &'static [(f64, Species)]);

/// Molecules of air and of oxygen in a cm³.
pub(super) const AIR: f64 = 2.55e19;
const OXYGEN: f64 = 5.2e18;

/// A peroxy radical with NO, for all that have no rate of their own.
const PEROXY_NO: Rate = Arrhenius(4.2e-12, 180.0);
/// A higher peroxy radical with HO2.
const PEROXY_HO2: Rate = Constant(1e-11);
/// A peroxide with OH, back to its peroxy radical, and on to an aldehyde or a ketone.
const PEROXIDE_OH: Rate = Arrhenius(1.9e-12, 190.0);
const HIGHER_PEROXIDE_OH: Rate = Arrhenius(5.8e-12, 190.0);
/// A peroxide in the sun.
const PEROXIDE_LIGHT: Rate = Sunlight(2.27e-5, 0.62);
/// Peroxyacyl nitrates come and go.
const PAN_FORMATION: Rate = Constant(1e-11);
const PAN_DECAY: Rate = Arrhenius(1.34e16, -13330.0);
/// Uptake by particles in humid air.
const AEROSOL: Rate = Constant(1e-4);

/// What the sun splits. PRRO2H without OH, and CH2CCH3 in place of its peroxide CH2CHR, stand so in the test set.
#[rustfmt::skip]
pub(super) const PHOTOLYSIS: [Reaction; 24] = [
    (Sunlight(1.45e-2, 0.4), &[NO2], &[(1.0, NO), (1.0, OP)]),
    (Sunlight(5.4e-5, 0.79), &[HCHO], &[(1.0, CO), (2.0, HO2)]),
    (Sunlight(6.65e-5, 0.6), &[HCHO], &[(1.0, CO), (1.0, H2)]),
    (Sunlight(1.35e-5, 0.94), &[CH3CHO], &[(1.0, CO), (1.0, HO2), (1.0, CH3O2)]),
    (Sunlight(2.43e-5, 0.88), &[MEK], &[(1.0, C2H5O2), (1.0, CH3COO)]),
    (Sunlight(1.23e-3, 0.6), &[O3], &[(1.0, OP)]),
    (Sunlight(2e-4, 1.4), &[O3], &[(1.0, OD)]),
    (Sunlight(3e-6, 1.25), &[HNO3], &[(1.0, NO2), (1.0, OH)]),
    (Sunlight(2.2e-5, 0.75), &[H2O2], &[(2.0, OH)]),
    (PEROXIDE_LIGHT, &[CH3O2H], &[(1.0, HCHO), (1.0, HO2), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[R2OOH], &[(1.0, CH3CHO), (1.0, HO2), (1.0, OH)]),
    (Sunlight(2.16e-4, 0.79), &[MGLYOX], &[(1.0, CO), (1.0, HO2), (1.0, CH3COO)]),
    (Sunlight(2.0 * 6.65e-5, 0.6), &[GLYOX], &[(1.0, CO), (1.0, HCHO)]),
    (Sunlight(3.53e-2, 0.081), &[NO3], &[(1.0, NO)]),
    (Sunlight(8.94e-2, 0.059), &[NO3], &[(1.0, NO2), (1.0, OP)]),
    (Sunlight(3.32e-5, 0.57), &[N2O5], &[(1.0, NO2), (1.0, NO3)]),
    (PEROXIDE_LIGHT, &[RCO3H], &[(1.0, CH3O2), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[OXYO2H], &[(1.0, HO2), (1.0, MGLYOX), (1.0, MAL), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[BURO2H], &[(0.35, CH3CHO), (0.65, MEK), (0.65, HO2), (0.35, C2H5O2), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[ETRO2H], &[(1.56, HCHO), (0.22, CH3CHO), (1.0, HO2), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[PRRO2H], &[(1.0, HCHO), (1.0, CH3CHO), (1.0, HO2)]),
    (PEROXIDE_LIGHT, &[MEKO2H], &[(1.0, CH3CHO), (1.0, CH3COO), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[MALO2H], &[(1.0, HO2), (1.0, MGLYOX), (1.0, GLYOX), (1.0, OH)]),
    (PEROXIDE_LIGHT, &[CH2CCH3], &[(1.0, MEK), (1.0, CH2CCH3)]),
];

/// All other reactions.
#[rustfmt::skip]
pub(super) const REACTIONS: [Reaction; 111] = [
    (Arrhenius(1.8e-12, -1370.0), &[NO, O3], &[(1.0, NO2)]),
    (Arrhenius(3.7e-12, 240.0), &[NO, HO2], &[(1.0, NO2), (1.0, OH)]),
    (PEROXY_NO, &[NO, CH3O2], &[(1.0, NO2), (1.0, HCHO), (1.0, HO2)]),
    (Constant(8.9e-12), &[NO, C2H5O2], &[(1.0, NO2), (1.0, CH3CHO), (1.0, HO2)]),
    (Constant(2e-11), &[NO, CH3COO], &[(1.0, NO2), (1.0, CH3O2)]),
    (PEROXY_NO, &[NO, SECC4H], &[(1.0, NO2), (0.35, CH3CHO), (0.65, MEK), (0.65, HO2), (0.35, C2H5O2)]),
    (PEROXY_NO, &[NO, MEKO2], &[(1.0, NO2), (1.0, CH3CHO), (1.0, CH3COO)]),
    (PEROXY_NO, &[NO, ETRO2], &[(1.0, NO2), (2.0, HCHO), (1.0, HO2)]),
    (PEROXY_NO, &[NO, PRRO2], &[(1.0, NO2), (1.0, HCHO), (1.0, CH3CHO), (1.0, HO2)]),
    (PEROXY_NO, &[NO, OXYO2], &[(1.0, NO2), (1.0, HO2), (1.0, MGLYOX), (1.0, MAL)]),
    (PEROXY_NO, &[NO, MALO2], &[(1.0, NO2), (1.0, HO2), (1.0, MGLYOX), (1.0, GLYOX)]),
    (Power(9.6e-32 * AIR, -1.6), &[NO, OP], &[(1.0, NO2)]),
    (Arrhenius(1.8e-11, 110.0), &[NO, NO3], &[(2.0, NO2)]),
    (PEROXY_NO, &[NO, ISRO2], &[(0.86, NO2), (0.74, HCHO), (0.78, HO2), (0.12, ISRO2), (0.42, MVK), (0.32, MACR), (0.14, ISNI)]),
    (PEROXY_NO, &[NO, MVKO2],
        &[(0.95, NO2), (0.266, HCHO), (0.684, CH3CHO), (0.95, HO2), (0.684, CH3COO), (0.266, MGLYOX), (0.05, ISNI)]),
    (Constant(2e-11), &[NO, MARO2], &[(1.0, NO2), (1.0, CH2CCH3)]),
    (PEROXY_NO, &[NO, CH2CCH3], &[(1.0, NO2), (1.0, MEK), (1.0, HO2)]),
    (PEROXY_NO, &[NO, ISONO3], &[(1.1, NO2), (0.15, HCHO), (0.8, HO2), (0.05, MVK), (0.1, MACR), (0.85, ISNI)]),
    (PEROXY_NO, &[NO, ISNIR], &[(1.9, NO2), (0.95, CH3CHO), (0.95, MEK), (0.05, HO2)]),
    (Arrhenius(1.2e-13, -2450.0), &[NO2, O3], &[(1.0, NO3)]),
    (PAN_FORMATION, &[NO2, CH3COO], &[(1.0, PAN)]),
    (Constant(1.4e-11), &[NO2, OH], &[(1.0, HNO3)]),
    (Arrhenius(7.2e-14, -1414.0), &[NO2, NO3], &[(1.0, NO), (1.0, NO2)]),
    (Constant(1.4e-12), &[NO2, NO3], &[(1.0, N2O5)]),
    (PAN_FORMATION, &[NO2, MARO2], &[(1.0, MAPAN)]),
    (Constant(4e-17), &[SO2, CH3O2], &[(1.0, HCHO), (1.0, HO2), (1.0, SA)]),
    (Constant(1.35e-12), &[SO2, OH], &[(1.0, HO2), (1.0, SA)]),
    (Constant(2.4e-13), &[CO, OH], &[(1.0, HO2)]),
    (Arrhenius(3.9e-12, -1885.0), &[CH4, OH], &[(1.0, CH3O2)]),
    (Arrhenius(7.8e-12, -1020.0), &[C2H6, OH], &[(1.0, C2H5O2)]),
    (Arrhenius(1.64e-11, -559.0), &[NC4H10, OH], &[(1.0, SECC4H)]),
    (Arrhenius(1.2e-14, -2630.0), &[C2H4, O3], &[(0.44, CO), (1.0, HCHO), (0.12, HO2), (0.13, H2)]),
    (Arrhenius(1.66e-12, 474.0), &[C2H4, OH], &[(1.0, ETRO2)]),
    (Arrhenius(6.5e-15, -1880.0), &[C3H6, O3],
        &[(0.4, CO), (0.07, CH4), (0.5, HCHO), (0.5, CH3CHO), (0.28, HO2), (0.07, H2), (0.31, CH3O2), (0.15, OH)]),
    (Constant(2.86e-11), &[C3H6, OH], &[(1.0, PRRO2)]),
    (Constant(1.37e-11), &[OXYL, OH], &[(1.0, OXYO2)]),
    (Constant(9.6e-12), &[HCHO, OH], &[(1.0, CO), (1.0, HO2)]),
    (Constant(5.8e-16), &[HCHO, NO3], &[(1.0, CO), (1.0, HO2), (1.0, HNO3)]),
    (Arrhenius(5.6e-12, 310.0), &[CH3CHO, OH], &[(1.0, CH3COO)]),
    (Constant(1.15e-12), &[MEK, OH], &[(1.0, MEKO2)]),
    (Arrhenius(1.4e-14, -600.0), &[O3, HO2], &[(1.0, OH)]),
    (Arrhenius(1.9e-12, -1000.0), &[O3, OH], &[(1.0, HO2)]),
    (Arrhenius(1.23e-14, -2013.0), &[O3, ISOPRE],
        &[(0.05, CO), (0.07, C3H6), (0.8, HCHO), (0.06, HO2), (0.3, OP), (0.55, OH), (0.26, MVK), (0.67, MACR)]),
    (Arrhenius(4.32e-15, -2016.0), &[O3, MVK],
        &[(0.05, CO), (0.8, HCHO), (0.04, CH3CHO), (0.06, HO2), (0.82, MGLYOX), (0.2, OP), (0.08, OH)]),
    (Constant(8e-18), &[O3, ISRO2H], &[(0.7, HCHO)]),
    (Hydroperoxy, &[HO2, HO2], &[(1.0, H2O2)]),
    (Arrhenius(3.8e-13, 780.0), &[HO2, CH3O2], &[(1.0, CH3O2H)]),
    (Arrhenius(6.5e-13, 650.0), &[HO2, C2H5O2], &[(1.0, R2OOH)]),
    (Arrhenius(3e-13, 1040.0), &[HO2, CH3COO], &[(1.0, O3)]),
    (Arrhenius(1.3e-13, 1040.0), &[HO2, CH3COO], &[(1.0, RCO3H)]),
    (PEROXY_HO2, &[HO2, SECC4H], &[(1.0, BURO2H)]),
    (PEROXY_HO2, &[HO2, MEKO2], &[(1.0, MEKO2H)]),
    (PEROXY_HO2, &[HO2, ETRO2], &[(1.0, ETRO2H)]),
    (PEROXY_HO2, &[HO2, PRRO2], &[(1.0, PRRO2H)]),
    (PEROXY_HO2, &[HO2, OXYO2], &[(1.0, OXYO2H)]),
    (PEROXY_HO2, &[HO2, MALO2], &[(1.0, MALO2H)]),
    (Arrhenius(4.8e-11, 250.0), &[HO2, OH], &[]),
    (PEROXY_HO2, &[HO2, ISRO2], &[(1.0, ISRO2H)]),
    (PEROXY_HO2, &[HO2, MVKO2], &[(1.0, MVKO2H)]),
    (PEROXY_HO2, &[HO2, MARO2], &[(1.0, MARO2H)]),
    (PEROXY_HO2, &[HO2, CH2CCH3], &[(1.0, CH2CHR)]),
    (PEROXY_HO2, &[HO2, ISONO3], &[(1.0, ISNO3H)]),
    (PEROXY_HO2, &[HO2, ISNIR], &[(1.0, ISNIRH)]),
    (AEROSOL, &[HNO3], &[(1.0, NITRAT)]),
    (Arrhenius(1e-14, 785.0), &[HNO3, OH], &[(1.0, NO3)]),
    (AEROSOL, &[H2O2], &[]),
    (Arrhenius(2.9e-12, -160.0), &[H2O2, OH], &[(1.0, HO2)]),
    (Constant(4.1e-16), &[H2O2, NO3], &[(1.0, HO2), (1.0, HNO3)]),
    (Arrhenius(7.7e-12, -2100.0), &[H2, OH], &[(1.0, HO2)]),
    (Arrhenius(5.5e-14, 365.0), &[CH3O2, CH3O2], &[(2.0, HCHO), (2.0, HO2)]),
    (Arrhenius(5.5e-14, 365.0), &[CH3O2, CH3O2], &[(1.0, HCHO), (1.0, CH3OH)]),
    (Constant(1.1e-11), &[CH3O2, CH3COO], &[(1.0, HCHO), (0.5, HO2), (0.5, CH3O2)]),
    (Constant(3.2e-12), &[C2H5OH, OH], &[(1.0, CH3CHO), (1.0, HO2)]),
    (AEROSOL, &[CH3O2H], &[]),
    (Arrhenius(1e-12, 190.0), &[CH3O2H, OH], &[(1.0, HCHO), (1.0, OH)]),
    (PEROXIDE_OH, &[CH3O2H, OH], &[(1.0, CH3O2)]),
    (Arrhenius(2.8e-12, 530.0), &[CH3COO, CH3COO], &[(2.0, CH3O2)]),
    (PAN_DECAY, &[PAN], &[(1.0, NO2), (1.0, CH3COO)]),
    (HIGHER_PEROXIDE_OH, &[R2OOH, OH], &[(1.0, CH3CHO), (1.0, OH)]),
    (PEROXIDE_OH, &[R2OOH, OH], &[(1.0, C2H5O2)]),
    (Constant(1.7e-11), &[MGLYOX, OH], &[(1.0, CO), (1.0, CH3COO)]),
    (Constant(1.1e-11), &[GLYOX, OH], &[(2.0, CO), (1.0, HO2)]),
    (Constant(2e-11), &[MAL, OH], &[(1.0, MALO2)]),
    (Power(5.7e-34 * AIR * OXYGEN, -2.8), &[OP], &[(1.0, O3)]),
    (Arrhenius(2.54e-11, 410.0), &[OH, ISOPRE], &[(1.0, ISRO2)]),
    (Arrhenius(4.13e-12, 452.0), &[OH, MVK], &[(1.0, MVKO2)]),
    (Arrhenius(3.3e-12, -380.0), &[OH, CH3OH], &[(1.0, HCHO), (1.0, HO2)]),
    (PEROXIDE_OH, &[OH, RCO3H], &[(1.0, CH3COO)]),
    (Constant(1.7e-11), &[OH, OXYO2H], &[(1.0, OXYO2)]),
    (HIGHER_PEROXIDE_OH, &[OH, BURO2H], &[(1.0, MEK), (1.0, OH)]),
    (PEROXIDE_OH, &[OH, BURO2H], &[(1.0, SECC4H)]),
    (HIGHER_PEROXIDE_OH, &[OH, ETRO2H], &[(1.0, CH3CHO), (1.0, OH)]),
    (PEROXIDE_OH, &[OH, ETRO2H], &[(1.0, ETRO2)]),
    (HIGHER_PEROXIDE_OH, &[OH, PRRO2H], &[(1.0, MEK), (1.0, OH)]),
    (PEROXIDE_OH, &[OH, PRRO2H], &[(1.0, PRRO2)]),
    (Constant(4.8e-12), &[OH, MEKO2H], &[(1.0, MEKO2)]),
    (Constant(2.4e-11), &[OH, MALO2H], &[(1.0, MALO2)]),
    (Arrhenius(1.86e-11, 175.0), &[OH, MACR], &[(0.5, MARO2)]),
    (Constant(3.35e-11), &[OH, ISNI], &[(1.0, ISNIR)]),
    (Constant(2e-11), &[OH, ISRO2H], &[(1.0, OH), (1.0, ISRO2)]),
    (Constant(2.2e-11), &[OH, MVKO2H], &[(1.0, MVKO2)]),
    (Constant(3.2e-11), &[OH, CH2CHR], &[(1.0, CH2CCH3)]),
    (Constant(2e-11), &[OH, ISNO3H], &[(1.0, ISONO3)]),
    (Constant(3.7e-11), &[OH, ISNIRH], &[(1.0, ISNIR)]),
    (Constant(3.7e-11), &[OH, MARO2H], &[(1.0, MARO2)]),
    (Arrhenius(2e-11 * AIR, 100.0), &[OD], &[(1.0, OP)]),
    (Water(2.2e-10), &[OD], &[(2.0, OH)]),
    (Constant(7.8e-13), &[NO3, ISOPRE], &[(1.0, ISONO3)]),
    (Arrhenius(7.1e14, -11080.0), &[N2O5], &[(1.0, NO2), (1.0, NO3)]),
    (AEROSOL, &[N2O5], &[(2.0, NITRAT)]),
    (PAN_DECAY, &[MAPAN], &[(1.0, NO2), (1.0, MARO2)]),
];

/// Velocities in cm/s with which species are deposited on the ground by day; by night it is a quarter.
pub(super) const DEPOSITION: [(f64, &[Species]); 4] = [
    (
        0.5,
        &[
            SO2, O3, H2O2, R2OOH, RCO3H, OXYO2H, BURO2H, ETRO2H, PRRO2H, MEKO2H, MALO2H, ISRO2H,
            MVKO2H, CH2CHR, ISNO3H, ISNIRH, MARO2H,
        ],
    ),
    (0.3, &[HCHO, CH3CHO, MEK]),
    (0.2, &[NO2, PAN, MAPAN]),
    (0.1, &[SA, NITRAT]),
];

/// Emissions in molecules/(cm² s), volatile organic compounds apart.
pub(super) const EMISSIONS: [(f64, Species); 5] = [
    (2.5e11, NO),
    (2.5e11, SO2),
    (0.05 * 2.5e11, SA),
    (2.5e12, CO),
    (1.25e11, ISOPRE),
];

/// All volatile organic compounds in molecules/(cm² s), then their shares of the mass and their molar masses in g/mol.
pub(super) const ORGANIC: f64 = 2.5e11;
pub(super) const SHARES: [(f64, f64, Species); 6] = [
    (0.07689, 30.0, C2H6),
    (0.41444, 58.0, NC4H10),
    (0.03642, 28.0, C2H4),
    (0.03827, 42.0, C3H6),
    (0.24537, 106.0, OXYL),
    (0.13957, 46.0, C2H5OH),
];
