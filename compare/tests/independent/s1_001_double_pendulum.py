"""s1-001, `double-pendulum`: two bars in the y-z plane by Lagrange's equations in their angles from -z.

With d = theta1 - theta2, bars of lengths l, masses m and moments J = m (w^2 + l^2) / 12 about their centres,

    (J1 + m1 l1^2/4 + m2 l1^2) theta1'' + m2 l1 l2/2 (cos d theta2'' + sin d theta2'^2) = -(m1/2 + m2) g l1 sin theta1,
    (J2 + m2 l2^2/4) theta2'' + m2 l1 l2/2 (cos d theta1'' - sin d theta1'^2) = -m2 g l2/2 sin theta2.
"""

import numpy as np
from common import integrate, report

g, width, density = 9.81, 0.05, 7800.0
l1, l2 = 4.0, 2.0
m1, m2 = density * width**2 * l1, density * width**2 * l2
j1, j2 = m1 * (width**2 + l1**2) / 12.0, m2 * (width**2 + l2**2) / 12.0


def accelerations(y):
    one, two, omega1, omega2 = y
    d, coupling = one - two, 0.5 * m2 * l1 * l2
    mass = [
        [j1 + m1 * l1**2 / 4.0 + m2 * l1**2, coupling * np.cos(d)],
        [coupling * np.cos(d), j2 + m2 * l2**2 / 4.0],
    ]
    force = [
        -coupling * np.sin(d) * omega2**2 - (0.5 * m1 + m2) * g * l1 * np.sin(one),
        coupling * np.sin(d) * omega1**2 - 0.5 * m2 * g * l2 * np.sin(two),
    ]
    return np.linalg.solve(mass, force)


def rate(t, y):
    return np.concatenate([y[2:], accelerations(y)])


y = integrate(rate, [np.pi / 2.0, 0.0, 0.0, 0.0], 8.0)
angles, omegas, alphas = y[:2], y[2:], accelerations(y)
along = [np.array([np.sin(angle), -np.cos(angle)]) for angle in angles]
across = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles]
# Position, velocity and acceleration of a point at this part of both bars.
def point(first, second):
    parts = list(zip((first * l1, second * l2), along, across, omegas, alphas))
    return (
        sum(length * u for length, u, *_ in parts),
        sum(length * omega * v for length, _, v, omega, _ in parts),
        sum(length * (alpha * v - omega**2 * u) for length, u, v, omega, alpha in parts),
    )


centres = [point(0.5, 0.0), point(1.0, 0.5)]
weight = np.array([0.0, -g])
on_second = m2 * (centres[1][2] - weight)
on_first = m1 * (centres[0][2] - weight) + on_second
values = {}
for bar in (1, 2):
    angle = angles[bar - 1]
    values[f"theta{bar}"] = np.arctan2(np.sin(angle), np.cos(angle))
    values[f"omega{bar}"], values[f"alpha{bar}"] = omegas[bar - 1], alphas[bar - 1]
    for prefix, vector in zip(("", "v", "a"), centres[bar - 1]):
        values[f"{prefix}y{bar}"], values[f"{prefix}z{bar}"] = vector
for name, force in (("ground_on_1", on_first), ("1_on_2", on_second)):
    values[f"Fy_{name}"], values[f"Fz_{name}"] = force
report("double-pendulum", values)
