//! The wheelset's equations and data.

use super::{
    C11, C22, C23, CONE, ELLIPSE_E, ELLIPSE_G, FRICTION, GRAVITY, HALF_GAUGE, MASS, MULTIPLIER, PI,
    POISSON, RADIUS, RAIL_RADIUS, SHEAR_MODULUS, SPEED, SPIN_INERTIA, SPRING_ARM, SPRING_X,
    SPRING_Z, YAW_INERTIA,
};
use crate::Formulation;

const EQUATIONS: [&str; 41] = [
    "Lateral x, vertical y and longitudinal z displacement, yaw theta, roll phi; d_ their rates; deviation beta of the spin; contact \
     points psiR, xiR of the right wheel and psiL, xiL of the left one; multipliers lam1 (left) and lam2 (right). SI units.",
    "For each wheel with its (psi, xi):",
    "R = r0 + tan(delta0) (a0 - |xi|), R' = tan(delta0) if xi < 0, else -tan(delta0)",
    "X = x + xi cos(theta) cos(phi) + R (cos(theta) sin(phi) cos(psi) - sin(theta) sin(psi))",
    "o = |X| - (a0 + sin(delta0) Rr), h = sqrt(Rr^2 - o^2)",
    "F' = -sign(X) o / h, F'' = -Rr^2 / h^3",
    "u = R' sin(phi) + cos(phi) cos(psi), w = (R' cos(phi) - sin(phi) cos(psi)) cos(theta) + sin(psi) sin(theta)",
    "delta = -atan(w / u) for the left wheel, atan(w / u) for the right one",
    "G_1 = F', G_2 = -1, G_3 = 0",
    "G_4 = -F' (R (cos(theta) sin(psi) + cos(psi) sin(phi) sin(theta)) + cos(phi) sin(theta) xi)",
    "G_5 = F' cos(theta) (cos(phi) cos(psi) R - sin(phi) xi) - cos(psi) R sin(phi) - cos(phi) xi",
    "P_1 = F' u + w, P_2 = sin(theta) (R' cos(phi) - sin(phi) cos(psi)) - cos(theta) sin(psi)",
    "Forces of the constraints and normal forces N, with L and R for the wheels:",
    "Q_i = U (lam1 GL_i + lam2 GR_i), i = 1 to 5",
    "Det = -(sin(deltaL) cos(deltaR) + sin(deltaR) cos(deltaL))",
    "NL = (Q_1 cos(deltaR) - Q_2 sin(deltaR)) / Det, NR = -(Q_1 cos(deltaL) + Q_2 sin(deltaL)) / Det",
    "Creep force of each wheel, with chi = theta / cos(delta), S = sin(chi), C = cos(chi), om = v0 / r0 + beta, and \
     tilt = sin(delta) for the left wheel, -sin(delta) for the right one:",
    "A = R (C sin(phi) cos(psi) - S sin(psi)) + xi C cos(phi), B = R (S sin(phi) cos(psi) + C sin(psi)) + xi S cos(phi), \
     l = xi sin(phi) - R cos(phi) cos(psi)",
    "w_1 = d_x - om R (S cos(psi) + C sin(phi) sin(psi)) - d_theta B - d_phi C l",
    "w_2 = d_y + om R cos(phi) sin(psi) + d_phi (xi cos(phi) + R sin(phi) cos(psi))",
    "w_3 = d_z + v0 - om R (C cos(psi) - S sin(phi) sin(psi)) - d_theta A + d_phi S l",
    "vr = |(w_1 - 2 d_x, w_2 - 2 d_y, w_3 - 2 d_z - 2 v0)| / 2",
    "nu_1 = (S w_1 + C w_3) / vr, nu_2 = (cos(delta) (C w_1 - S w_3) + tilt w_2) / vr, nu_3 = (cos(delta) d_theta - tilt om) / vr",
    "K = 1 / (2 R sqrt(1 + R'^2)) - F'' / (2 (1 + F'^2)^(3/2))",
    "c = (3 (1 - sigma) E |N| / (2 pi K Gs sqrt(g_ell)))^(1/3)",
    "b = mu N, T_1 = -b tanh(c^2 Gs C11 nu_1 / b), T_2 = -b tanh(c^2 Gs (C22 nu_2 + c C23 nu_3) / b)",
    "If T_1^2 + T_2^2 > b^2, both are multiplied by |b| / sqrt(T_1^2 + T_2^2).",
    "Tx = S T_1 + C cos(delta) T_2, Ty = tilt T_2, Tz = C T_1 - S cos(delta) T_2",
    "Mt = -(xi sin(theta) + R sin(psi) cos(theta) cos(phi)) Tx - R sin(psi) sin(phi) Ty + (R sin(psi) sin(theta) cos(phi) - xi cos(theta)) Tz",
    "Mp = -cos(theta) (xi sin(phi) - R cos(psi) cos(phi)) Tx + (xi cos(phi) + R cos(psi) sin(phi)) Ty + sin(theta) (xi sin(phi) - R cos(psi) cos(phi)) Tz",
    "Mb = -(R cos(psi) sin(theta) + R sin(psi) cos(theta) sin(phi)) Tx + R sin(psi) cos(phi) Ty - (R cos(psi) cos(theta) - R sin(psi) sin(theta) sin(phi)) Tz",
    "Equations, in which Tx to Mb are the sums over both wheels and H = I1 om + d_theta sin(phi) (I1 - I2), Y = -2 xl^2 cz theta:",
    "x' = d_x, y' = d_y, z' = d_z, theta' = d_theta, phi' = d_phi",
    "m d_x' = Tx + Q_1 - 2 cx x",
    "m d_y' = Ty + Q_2 - m g",
    "m d_z' = Tz + Q_3 - 2 cz z",
    "I2 cos(phi) d_theta' = I2 d_theta d_phi sin(phi) - H d_phi + Mt + cos(phi) Y + Q_4",
    "I2 d_phi' = H d_theta cos(phi) + Mp + Q_5",
    "I1 (beta' + sin(phi) d_theta') = -I1 d_theta d_phi cos(phi) + Mb + sin(phi) Y",
    "0 = PR_1, 0 = PR_2, 0 = PL_1, 0 = PL_2",
    "0 = GL_1 d_x + GL_2 d_y + GL_3 d_z + GL_4 d_theta + GL_5 d_phi, the same with GR",
];

pub(super) fn formulation() -> Formulation {
    Formulation::new(EQUATIONS).with_constants([
        ("m", MASS, "kg"),
        ("g", GRAVITY, "m/s^2"),
        ("v0", SPEED, "m/s"),
        ("r0", RADIUS, "m"),
        ("I1", SPIN_INERTIA, "kg m^2"),
        ("I2", YAW_INERTIA, "kg m^2"),
        ("mu", FRICTION, "1"),
        ("xl", SPRING_ARM, "m"),
        ("cx", SPRING_X, "N/m"),
        ("cz", SPRING_Z, "N/m"),
        ("E", ELLIPSE_E, "1"),
        ("g_ell", ELLIPSE_G, "1"),
        ("sigma", POISSON, "1"),
        ("Gs", SHEAR_MODULUS, "N/m^2"),
        ("C11", C11, "1"),
        ("C22", C22, "1"),
        ("C23", C23, "1"),
        ("delta0", CONE, "rad"),
        ("a0", HALF_GAUGE, "m"),
        ("Rr", RAIL_RADIUS, "m"),
        ("pi", PI, "1"),
        ("U", MULTIPLIER, "N"),
    ])
}
