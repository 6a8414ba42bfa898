//! Fang, Kissel, Zhang, Negrut 2022, On the use of half-implicit numerical integration in multibody dynamics, doi:10.1115/1.4056183: Figs. 2 to 9.

mod beyond;
mod claims;
mod costs;
mod experiments;
mod figures;
mod settings;

use settings::Extent;

use super::claim::explained;
use super::{DataFile, Repetition};
use crate::error::CommandError;
use beyond::{Rotation, Stiff};
use costs::{Chains, Cost};
use experiments::{EnergyCurve, Friction, Order};

/// Pieces of work that are announced: 3 x 2 x (9 steps and a reference) for orders, 2 energies, 9 costs, 7 chains, 3 coefficients of
/// friction, 4 x 2 in other rotation coordinates, 3 stiff problems.
pub const PIECES: usize = 92;

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let extent = if quick {
        Extent::quick()
    } else {
        Extent::full()
    };
    let results = Results::new(&extent, progress);
    let mut claims = claims::claims(&results);
    explained(&mut claims, quick);
    let mut files = Vec::new();
    for (name, header, rows) in results.data() {
        files.push(DataFile::of_rows(name, &header, &rows)?);
    }
    if let Ok(costs) = &results.costs {
        files.push(DataFile::of_records("fig4_6_costs.csv", costs)?);
    }
    if let Ok(chains) = &results.chains {
        files.push(DataFile::of_records("fig8_chain.csv", &chains.costs)?);
        files.push(DataFile::of_records(
            "fig8_tolerances.csv",
            &chains.iterations,
        )?);
    }
    if let Ok(rotations) = &results.rotations {
        files.push(DataFile::of_records("section4_rotations.csv", rotations)?);
    }
    if let Ok(stiff) = &results.stiff {
        files.push(DataFile::of_records("section5_stiff.csv", stiff)?);
    }
    let failures = results
        .failures()
        .into_iter()
        .map(
            |(figure, reason)| match figure.starts_with(char::is_numeric) {
                true => format!("Fig. {figure}: {reason}"),
                false => format!("{figure}: {reason}"),
            },
        )
        .collect();
    Ok(Repetition {
        paper: "fang2022",
        page: figures::page(&results, &claims, quick)?,
        claims,
        failures,
        files,
    })
}

/// What the experiments gave; an experiment that failed says why.
struct Results {
    /// Fig. 2.
    pub orders: Result<Vec<Order>, CommandError>,
    /// Fig. 3.
    pub energies: Result<Vec<EnergyCurve>, CommandError>,
    /// Figs. 4 to 6.
    pub costs: Result<Vec<Cost>, CommandError>,
    /// Figs. 7 and 8.
    pub chains: Result<Chains, CommandError>,
    /// Fig. 9.
    pub frictions: Result<Vec<Friction>, CommandError>,
    /// Section 4.
    pub rotations: Result<Vec<Rotation>, CommandError>,
    /// Section 5.
    pub stiff: Result<Vec<Stiff>, CommandError>,
}

impl Results {
    /// Runs all experiments, one after the other: their times are compared.
    fn new(extent: &Extent, progress: &mut dyn FnMut(&str)) -> Self {
        Self {
            orders: experiments::orders(extent, progress),
            energies: experiments::energies(extent, progress),
            costs: costs::costs(extent, progress),
            chains: costs::chains(extent, progress),
            frictions: experiments::frictions(extent, progress),
            rotations: beyond::rotations(extent, progress),
            stiff: beyond::stiff(extent, progress),
        }
    }

    /// The experiments that failed, with the reason.
    fn failures(&self) -> Vec<(&'static str, String)> {
        let mut list = Vec::new();
        let mut check = |figure, error: Option<&CommandError>| {
            list.extend(error.map(|error| (figure, error.to_string())));
        };
        check("2", self.orders.as_ref().err());
        check("3", self.energies.as_ref().err());
        check("4 to 6", self.costs.as_ref().err());
        check("8", self.chains.as_ref().err());
        check("9", self.frictions.as_ref().err());
        check("rotations of section 4", self.rotations.as_ref().err());
        check("stiff problems of section 5", self.stiff.as_ref().err());
        list
    }

    /// Tables of data by file name: header and rows.
    fn data(&self) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
        let mut files = Vec::new();
        let text = |value: f64| format!("{value:?}");
        for order in self.orders.iter().flatten() {
            let header = [
                "h",
                "half_implicit_rms",
                "half_implicit_max",
                "fully_implicit_rms",
                "fully_implicit_max",
            ];
            let [half, fully] = &order.methods;
            let rows = half.points.iter().zip(&fully.points).map(|(half, fully)| {
                [
                    half.h,
                    half.error_rms,
                    half.error_max,
                    fully.error_rms,
                    fully.error_max,
                ]
                .map(text)
                .into()
            });
            files.push((
                format!("fig2_{}.csv", order.mechanism.problem),
                header.map(str::to_owned).into(),
                rows.collect(),
            ));
        }
        if let Ok([half, fully]) = self.energies.as_deref() {
            let header = ["t", "half_implicit", "fully_implicit"];
            let rows = half
                .points
                .iter()
                .zip(&fully.points)
                .map(|(a, b)| [a.0, a.1, b.1].map(text).into());
            files.push((
                "fig3_energy.csv".to_owned(),
                header.map(str::to_owned).into(),
                rows.collect(),
            ));
        }
        for friction in self.frictions.iter().flatten() {
            let header = ["t", "torque", "pivot_force_x"];
            let pairs = friction
                .torque
                .points
                .iter()
                .zip(&friction.pivot_force.points);
            let rows = pairs.map(|(torque, force)| [torque.0, torque.1, force.1].map(text).into());
            files.push((
                format!("fig9_mu{}.csv", friction.mu),
                header.map(str::to_owned).into(),
                rows.collect(),
            ));
        }
        files
    }
}
