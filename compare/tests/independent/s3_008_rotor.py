"""s3-008, `rotor:shaft=0.1:n=1`: the disc's centre, its angle and that of the free end; small deflections, any angles.

A shaft of 1 m, clamped in its bearings, 4000 N/m in its middle, G J = E I = 4000 / 192 N m^2, in two elements. Simpson's rule gives its nodes 1/6,
4/6 and 1/6 of its 0.1 kg and of its moment of inertia, 2 (0.03 m)^2 times the mass. On the middle sits a disc of 1.6 kg and
0.15 m, whose centre of mass is e = 1e-4 m off at the angle f; it starts along y, turning at W = 25 rad/s. Oil damps the middle. The left end
turns by W t. With the masses M = 1.6 + 0.4/6, m = 1.6 and torsional stiffness k_t = 2 G J / 1 m of each half,

    M y'' + c y' + k y = m e (f'' sin f + f'^2 cos f),
    M z'' + c z' + k z = m e (-f'' cos f + f'^2 sin f),
    I f'' = m e (y'' sin f - z'' cos f) - k_t (f - W t) - k_t (f - q),   I = disc + m e^2 + node,
    J q'' = k_t (f - q).

The disc does not tilt, by symmetry. f = W t + small, and q as well, are integrated as the small parts.
"""

import numpy as np
from common import report
from scipy.integrate import solve_ivp

mass, stiffness, e, rate_of_turning, shaft, t_end = 1.6, 4000.0, 1e-4, 25.0, 0.1, 0.2
damping = 2.0 * 0.05 * np.sqrt(mass * stiffness)
total, torsion = mass + 4.0 / 6.0 * shaft, 2.0 * stiffness / 192.0
polar = 2.0 * 0.03**2 * shaft
inertia = 0.5 * mass * 0.15**2 + mass * e**2 + 4.0 / 6.0 * polar
unbalance = mass * e


def rate(t, state):
    # Micrometres and microradians: the tolerance is relative to them.
    y, z, f, q, dy, dz, df, dq = state * 1e-6
    angle, turning = rate_of_turning * t + f, rate_of_turning + df
    s, c = np.sin(angle), np.cos(angle)
    matrix = np.array([[total, 0.0, -unbalance * s], [0.0, total, unbalance * c], [-unbalance * s, unbalance * c, inertia]])
    force = [
        unbalance * turning**2 * c - damping * dy - stiffness * y,
        unbalance * turning**2 * s - damping * dz - stiffness * z,
        -torsion * f - torsion * (f - q),
    ]
    second = np.linalg.solve(matrix, force)
    last = torsion * (f - q) / (polar / 6.0)
    return np.concatenate([[dy, dz, df, dq], second, [last]]) * 1e6


# The disc turns as a whole about the shaft, which is at rest.
solution = solve_ivp(rate, (0.0, t_end), np.zeros(8), method="DOP853", rtol=1e-12, atol=1e-13)
y, z, f, q, dy, dz, df, dq = solution.y[:, -1] * 1e-6
report(
    "rotor:shaft=0.1:n=1",
    {"y": y, "z": z, "amplitude": np.hypot(y, z), "speed": rate_of_turning + df, "torque": -torsion * f},
)
