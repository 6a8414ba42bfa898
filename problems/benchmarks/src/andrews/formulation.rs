//! The equations of both formulations of Andrews' mechanism and its data.

use super::geometry::{
    A, B, C, D, DA, E, EA, FA, RA, RR, SA, SB, SC, SD, SS, TA, TB, U, UA, UB, ZF, ZT,
};
use super::{Andrews, CartesianAndrews, Properties};
use crate::formulation::initial_outputs;
use crate::planar;
use crate::{Cell, Formulation};

const LENGTHS: [(&str, f64, &str); 25] = [
    ("xa", A[0], "m"),
    ("ya", A[1], "m"),
    ("xb", B[0], "m"),
    ("yb", B[1], "m"),
    ("xc", C[0], "m"),
    ("yc", C[1], "m"),
    ("d", D, "m"),
    ("da", DA, "m"),
    ("e", E, "m"),
    ("ea", EA, "m"),
    ("rr", RR, "m"),
    ("ra", RA, "m"),
    ("ss", SS, "m"),
    ("sa", SA, "m"),
    ("sb", SB, "m"),
    ("sc", SC, "m"),
    ("sd", SD, "m"),
    ("ta", TA, "m"),
    ("tb", TB, "m"),
    ("u", U, "m"),
    ("ua", UA, "m"),
    ("ub", UB, "m"),
    ("zf", ZF, "m"),
    ("zt", ZT, "m"),
    ("fa", FA, "m"),
];

pub(super) fn minimal(model: &Andrews) -> Formulation {
    Formulation::new([
        "Angles q = (beta, theta, gamma, phi, delta, Omega, epsilon) in rad, their rates d_ and accelerations dd_, multipliers lam1 to lam6. \
         Masses m1 to m7, moments of inertia I1 to I7, c0, l0, damping and mom are parameters.",
        "M(q) q'' = f(q, q') - G^T lam, 0 = g(q), G = dg/dq",
        "M_11 = m1 ra^2 + m2 (rr^2 - 2 da rr cos(theta) + da^2) + I1 + I2",
        "M_12 = M_21 = m2 (da^2 - da rr cos(theta)) + I2",
        "M_22 = m2 da^2 + I2",
        "M_33 = m3 (sa^2 + sb^2) + I3",
        "M_44 = m4 (e - ea)^2 + I4",
        "M_45 = M_54 = m4 ((e - ea)^2 + zt (e - ea) sin(phi)) + I4",
        "M_55 = m4 (zt^2 + 2 zt (e - ea) sin(phi) + (e - ea)^2) + m5 (ta^2 + tb^2) + I4 + I5",
        "M_66 = m6 (zf - fa)^2 + I6",
        "M_67 = M_76 = m6 ((zf - fa)^2 - u (zf - fa) sin(Omega)) + I6",
        "M_77 = m6 ((zf - fa)^2 - 2 u (zf - fa) sin(Omega) + u^2) + m7 (ua^2 + ub^2) + I6 + I7; all other entries are 0",
        "f_1 = mom - m2 da rr theta' (theta' + 2 beta') sin(theta)",
        "f_2 = m2 da rr beta'^2 sin(theta)",
        "f_3 = -P (ey ax - ex ay) / L",
        "f_4 = m4 zt (e - ea) delta'^2 cos(phi)",
        "f_5 = -m4 zt (e - ea) phi' (phi' + 2 delta') cos(phi)",
        "f_6 = -m6 u (zf - fa) epsilon'^2 cos(Omega)",
        "f_7 = m6 u (zf - fa) Omega' (Omega' + 2 epsilon') cos(Omega)",
        "Spring: ax = sd cos(gamma) + sc sin(gamma), ay = sd sin(gamma) - sc cos(gamma), ex = xb + ax - xc, ey = yb + ay - yc, \
         L = sqrt(ex^2 + ey^2) = spring_len, L' = (ey ax - ex ay) gamma' / L = spring_len_d, P = c0 (L - l0) + damping L'",
        "g_1 = rr cos(beta) - d cos(beta + theta) - ss sin(gamma) - xb",
        "g_2 = rr sin(beta) - d sin(beta + theta) + ss cos(gamma) - yb",
        "g_3 = rr cos(beta) - d cos(beta + theta) - e sin(phi + delta) - zt cos(delta) - xa",
        "g_4 = rr sin(beta) - d sin(beta + theta) + e cos(phi + delta) - zt sin(delta) - ya",
        "g_5 = rr cos(beta) - d cos(beta + theta) - zf cos(Omega + epsilon) - u sin(epsilon) - xa",
        "g_6 = rr sin(beta) - d sin(beta + theta) - zf sin(Omega + epsilon) + u cos(epsilon) - ya",
    ])
    .with_constants(LENGTHS)
    .with_initial_values("rad, rad/s for d_, m for spring_len", initial_outputs(model))
}

pub(super) fn cartesian(model: &CartesianAndrews, properties: &Properties) -> Formulation {
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    let bodies = names.iter().zip(properties.mass).zip(properties.inertia);
    let bodies =
        bodies.map(|((&name, mass), inertia)| [Cell::from(name), mass.into(), inertia.into()]);
    let [px, py] = super::cartesian::SPRING_END;
    Formulation::new([
        "Bodies b = 1 to 7 with centres of mass (x_b, y_b) and orientations phi_b; vx, vy and w are their rates. c0, l0, damping and mom are parameters.",
        "m_b x_b'', m_b y_b'' and I_b phi_b'' are the forces and moments of joints, spring and drive.",
        planar::JOINT_LAW,
        "Drive: the moment mom on body 1.",
        "Spring from (xc, yc) on the ground to the point (px, py) of body 3, relative to its centre of mass, in its frame: it pulls its ends together with \
         P = c0 (L - l0) + damping L', where L is its length.",
        "beta = phi1, theta = phi2 - phi1, gamma = phi3, phi = phi4 - phi5, delta = phi5, Omega = phi6 - phi7, epsilon = phi7; d_ and dd_ are derivatives.",
    ])
    .with_constants([
        ("xc", C[0], "m"),
        ("yc", C[1], "m"),
        ("px", px, "m"),
        ("py", py, "m"),
    ])
    .with_table("bodies", ["body", "m_b (kg)", "I_b (kg m^2)"], bodies)
    .with_table("joints", planar::COLUMNS, planar::rows(&super::cartesian::JOINTS, &names))
    .with_initial_values("SI units", initial_outputs(model))
}
