//! The chain of n links of the paper's Fig. 7.

use crate::error::TableError;
use crate::mechanisms::space::assembly::{
    ROTATION, assemble, output_vector, probe_vector, quaternion_part,
};
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::reference::Table;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output, RigidBody};
use nalgebra::{Matrix3, Vector3};
use std::sync::LazyLock;

pub(crate) const CHAIN: ProblemEntry = ProblemEntry {
    name: "chain",
    title: "chain of n spinning bars on spherical joints",
    description: "Bars of 2 m hang from the origin along -z and spin about their own axes; gravity acts in another \
                  direction. The scaling problem: up to 65,536 links. Outputs are the tip, the energy and the force F0 \
                  on the chain at the origin; up to 16 links also direction n, its rate nd and quaternion q (with \
                  qw >= 0) of each. References for n = 1, 2 and 8 reach to 1 s.",
    source: "Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183",
    parameters: &[
        ParameterInfo::new("n", 8.0, "1", Range::Integer(1, 65536), "number of links"),
        ParameterInfo::new(
            "g",
            9.81,
            "m/s^2",
            Range::NonNegative,
            "magnitude of gravity",
        ),
        ParameterInfo::new("spin", 1.0, "1", Range::Finite, "factor of all spins"),
        ParameterInfo::new(
            "hangs",
            0.0,
            "1",
            Range::Integer(0, 1),
            "1: gravity's part along the chain pulls it apart; 0, as in the paper: pushes it together",
        ),
        ROTATION,
    ],
    build,
};

const LENGTH: f64 = 2.0;
const MASS: f64 = 39.0;
const INERTIA: [f64; 3] = [0.01625, 13.008125, 13.008125];
const DIRECTION: [f64; 3] = [0.071_691_62, 0.684_738_15, 0.725_254_42];

/// Spins about the own axis in rad/s, repeated for longer chains.
const SPINS: [f64; 8] = [5.0, -3.0, 8.0, -7.0, 2.0, -9.0, 6.0, -4.0];

/// Longest chain whose links are all among the outputs.
const SHOWN: usize = 16;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    // An integer from 1 to 65,536 by its range.
    let count = parameters.get("n")? as usize;
    let factor = parameters.get("spin")?;
    let mut mechanism = MultibodyBuilder::new();
    let mut gravity = Vector3::from(DIRECTION) * parameters.get("g")?;
    if parameters.get("hangs")? == 1.0 {
        gravity.z = -gravity.z;
    }
    mechanism.gravity(gravity);
    // Body x points down: a quarter turn about y.
    let rotation = Matrix3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0);
    let (mut bodies, mut before, mut support) = (Vec::with_capacity(count), BodyId::GROUND, None);
    for index in 0..count {
        let top = Vector3::z() * (-LENGTH * index as f64);
        let body = RigidBody::new(format!("link {}", index + 1), MASS, INERTIA)
            .at(top - Vector3::z() * (0.5 * LENGTH))
            .rotated(rotation)
            .moving([0.0; 3], [factor * SPINS[index % SPINS.len()], 0.0, 0.0]);
        let body = mechanism.add_body(body);
        let joint = mechanism.add_joint(Joint::spherical(
            format!("joint {}", index + 1),
            before,
            body,
            top,
        ));
        support.get_or_insert(joint);
        bodies.push(body);
        before = body;
    }

    let last = before;
    output_vector(&mut mechanism, "tip", |axis| {
        Output::Position(last, [0.5 * LENGTH, 0.0, 0.0], axis)
    });
    probe_energy(&mut mechanism);
    if let Some(support) = support {
        output_vector(&mut mechanism, "F0", |axis| Output::Force(support, axis));
    }
    if count <= SHOWN {
        for (index, &body) in bodies.iter().enumerate() {
            let link = index + 1;
            probe_vector(
                &mut mechanism,
                &format!("n{link}"),
                "link's x-axis, 1",
                move |now| now.rotation(body).column(0).into_owned(),
            );
            probe_vector(
                &mut mechanism,
                &format!("nd{link}"),
                "rate of the link's x-axis, 1/s",
                move |now| {
                    now.angular_velocity(body)
                        .cross(&now.rotation(body).column(0))
                },
            );
            for (part, letter) in ["w", "x", "y", "z"].into_iter().enumerate() {
                let name = format!("q{link}{letter}");
                mechanism.probe(&name, move |now| now.quaternion(body)[part]);
                mechanism.define_output(&name, quaternion_part(letter));
            }
        }
    }
    let (system, drawing) = assemble(mechanism, parameters)?;
    Ok(Problem {
        formulation: None,
        name: CHAIN.name,
        system,
        t_end: 3.0,
        default_step: 1e-3,
        reference: reference(parameters, count)?,
        main_output: "tipz".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}

static N1: LazyLock<Result<Table, TableError>> =
    LazyLock::new(|| table("chain_N1", include_str!("../../data/chain_N1.csv"), 1));
static N2: LazyLock<Result<Table, TableError>> =
    LazyLock::new(|| table("chain_N2", include_str!("../../data/chain_N2.csv"), 2));
static N8: LazyLock<Result<Table, TableError>> =
    LazyLock::new(|| table("chain_N8", include_str!("../../data/chain_N8.csv"), 8));

/// Prepares interpolation. A link turns with n x n' + spin n: no moment acts about its own axis.
fn table(name: &str, text: &str, count: usize) -> Result<Table, TableError> {
    let mut table = Table::parse(name, text)?;
    let parts = |prefix: &str, link: usize, letters: &[&str]| -> Vec<String> {
        letters
            .iter()
            .map(|letter| format!("{prefix}{link}{letter}"))
            .collect()
    };
    for link in 1..=count {
        let spin = SPINS[(link - 1) % SPINS.len()];
        let [n, nd] = ["n", "nd"].map(|prefix| parts(prefix, link, &["x", "y", "z"]));
        let [q, qd] = ["q", "qd"].map(|prefix| parts(prefix, link, &["w", "x", "y", "z"]));
        let to: Vec<&str> = qd.iter().map(String::as_str).collect();
        let from: Vec<&str> = n.iter().chain(&nd).chain(&q).map(String::as_str).collect();
        table = table.derive(&to, &from, |_, row, out| {
            let along = Vector3::new(row[0], row[1], row[2]);
            let turning = along.cross(&Vector3::new(row[3], row[4], row[5])) + along * spin;
            let (scalar, vector) = (row[6], Vector3::new(row[7], row[8], row[9]));
            out[0] = -0.5 * turning.dot(&vector);
            let rest = (turning * scalar + turning.cross(&vector)) * 0.5;
            out[1..].copy_from_slice(rest.as_slice());
        })?;
        for (value, rate) in n.iter().zip(&nd).chain(q.iter().zip(&qd)) {
            table = table.chain(&[value, rate])?;
        }
    }
    Ok(table)
}

fn reference(parameters: &Parameters, count: usize) -> Result<Option<Reference>, ProblemError> {
    let table = match count {
        1 => &N1,
        2 => &N2,
        8 => &N8,
        _ => return Ok(None),
    };
    if !parameters.are_default_except(&["n", ROTATION.name]) {
        return Ok(None);
    }
    let table = table.as_ref().map_err(Clone::clone)?;
    let source = "extrapolation in 80-bit arithmetic on minimal coordinates to 1e-14, independent code agrees to 2e-13; \
                  101 samples";
    let mut reference = Reference::new(source, 0.0, 1.0, false).with_whole_table(table);
    let mut directions = Vec::with_capacity(count);
    for link in 1..=count {
        let [x, y, z] = ["x", "y", "z"].map(|axis| table.require(&format!("n{link}{axis}")));
        directions.push([x?, y?, z?]);
        let [w, x, y, z] =
            ["w", "x", "y", "z"].map(|part| table.require(&format!("q{link}{part}")));
        let columns = [w?, x?, y?, z?];
        let names = ["w", "x", "y", "z"].map(|part| format!("q{link}{part}"));
        reference = reference.with_closed_form(names, move |t, out| {
            for (slot, &column) in out.iter_mut().zip(&columns) {
                *slot = table.value(column, t).unwrap_or(f64::NAN);
            }
            // Outputs are normalized to a non-negative scalar part, which a rotation matrix cannot tell.
            if out[0] < 0.0 {
                out.iter_mut().for_each(|part| *part = -*part);
            }
        });
    }
    let energy = table.require("energy")?;
    reference = reference.with_closed_form(["tipx", "tipy", "tipz"], move |t, out| {
        for (axis, slot) in out.iter_mut().enumerate() {
            let along = |columns: &[usize; 3]| table.value(columns[axis], t).unwrap_or(f64::NAN);
            *slot = LENGTH * directions.iter().map(along).sum::<f64>();
        }
    });
    Ok(Some(reference.with_closed_form(
        ["energy"],
        move |_, out| {
            out[0] = table.value(energy, 0.0).unwrap_or(f64::NAN);
        },
    )))
}
