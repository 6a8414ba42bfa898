"""s1-064, `crane`: trolley x, rope theta, load phi; the rope's length L(t) = 3 + cos(pi t / 10) is given.

With d(a) = (sin a, -cos a), e(a) = d'(a), the masses are at

    trolley (x, 0), rope (x, 0) + d(theta)/2, load (x, 0) + L d(theta) + 0.6 d(phi).

The equations are those of d'Alembert, sum of (dr/dq) . (m r'' - F) = 0 with r'' = (dr/dq) q'' + rest. The servo pulls the trolley with
2000 (5 - x) - 1500 x'.
"""

import numpy as np
from common import integrate, report

masses, moments = (500.0, 20.0, 1000.0), (100.0, 5.0, 150.0)
gravity, hook = np.array([0.0, -9.81]), 0.6


def rope(t):
    w = np.pi / 10.0
    return 3.0 + np.cos(w * t), -w * np.sin(w * t), -(w**2) * np.cos(w * t)


def d(a):
    return np.array([np.sin(a), -np.cos(a)])


def e(a):
    return np.array([np.cos(a), np.sin(a)])


def points(t, y):
    """Place, dr/dq, velocity and rest of each mass."""
    x, theta, phi, dx, dtheta, dphi = y
    length, rate, second = rope(t)
    none, axis = np.zeros(2), np.array([1.0, 0.0])
    trolley = np.array([x, 0.0])
    swing = length * d(theta) + hook * d(phi)
    coriolis = 2.0 * rate * dtheta * e(theta) + (second - length * dtheta**2) * d(theta)
    lines = [
        (trolley, [axis, none, none], none, none),
        (trolley + d(theta) / 2.0, [axis, e(theta) / 2.0, none], none, -(dtheta**2) * d(theta) / 2.0),
        (
            trolley + swing,
            [axis, length * e(theta), hook * e(phi)],
            rate * d(theta),
            coriolis - hook * dphi**2 * d(phi),
        ),
    ]
    speeds = np.array([dx, dtheta, dphi])
    return [
        (place, np.column_stack(by), np.column_stack(by) @ speeds + own, rest)
        for place, by, own, rest in lines
    ]


def rate(t, y):
    matrix = np.diag([0.0, moments[1], moments[2]])
    force = np.array([2000.0 * (5.0 - y[0]) - 1500.0 * y[3], 0.0, 0.0])
    for mass, (_, by, _, rest) in zip(masses, points(t, y)):
        matrix = matrix + mass * by.T @ by
        force = force + mass * by.T @ (gravity - rest)
    return np.concatenate([y[3:], np.linalg.solve(matrix, force)])


y = integrate(rate, np.zeros(6), 10.0)
values = {}
for name, (place, _, velocity, _), angle in zip(("trolley", "rope", "load"), points(10.0, y), (None, 1, 2)):
    values[f"{name}.x"], values[f"{name}.vx"] = place[0], velocity[0]
    if angle is not None:
        values[f"{name}.y"], values[f"{name}.vy"] = place[1], velocity[1]
        values[f"{name}.theta"], values[f"{name}.omega"] = y[angle], y[angle + 3]
report("crane", values)
