"""s1-036, `car-axis:eps=0.001`: two coordinates in place of four with two constraints.

The left end stands across the road at the height s; the right end is 1 m from it at the angle f. With the road's left end
0 and its right end b(t) = (sqrt(1 - h^2), h), h = 0.1 sin(10 t), and k the unit vector across it,

    left = s k,   right = left + (cos f, sin f).

Both ends carry M eps^2 / 2, M = 10, under unit gravity and springs of unit stiffness, 0.5 m long, to 0 and b. The two projected
equations follow from q'' = Q s'' + R f'' + rest. Multipliers come from the forces that remain:
M eps^2/2 q'' = f(q) + grad(g1) lam1 + grad(g2) lam2 up to sign, g1 = left . b, g2 = |left - right|^2 - 1.
"""

import numpy as np
from common import integrate, report

eps = 1e-3
mass = 10.0 * eps**2 / 2.0


def road(t):
    """h, its rates; the angle a of the road, sin a = h, and its rates."""
    h, dh, ddh = 0.1 * np.sin(10 * t), np.cos(10 * t), -10.0 * np.sin(10 * t)
    c = np.sqrt(1.0 - h**2)
    a, da = np.arcsin(h), dh / c
    return a, da, (ddh + h * da**2) / c


def kinematics(t, y):
    s, f, ds, df = y
    a, da, dda = road(t)
    k, across = np.array([-np.sin(a), np.cos(a)]), np.array([-np.cos(a), -np.sin(a)])
    u, v = np.array([np.cos(f), np.sin(f)]), np.array([-np.sin(f), np.cos(f)])
    left, right = s * k, s * k + u
    dleft = ds * k + s * da * across
    dright = dleft + df * v
    # q'' = Q (s'', f'') + rest.
    rest_left = 2.0 * ds * da * across + s * dda * across - s * da**2 * k
    rest = np.concatenate([rest_left, rest_left - df**2 * u])
    by_s, by_f = np.concatenate([k, k]), np.concatenate([0.0 * v, v])
    b = np.array([np.cos(a), np.sin(a)])
    return left, right, dleft, dright, np.column_stack([by_s, by_f]), rest, b


def springs(left, right, b):
    gravity = np.array([0.0, -mass])
    spring = lambda p: (0.5 / np.linalg.norm(p) - 1.0) * p
    return np.concatenate([spring(left) + gravity, spring(right - b) + gravity])


def accelerations(t, y):
    left, right, _, _, directions, rest, b = kinematics(t, y)
    force = springs(left, right, b)
    matrix = mass * directions.T @ directions
    return np.linalg.solve(matrix, directions.T @ (force - mass * rest))


def rate(t, y):
    return np.concatenate([y[2:], accelerations(t, y)])


t_end = 3.0
y = integrate(rate, [0.5, 0.0, 0.0, 0.0], t_end)
left, right, dleft, dright, directions, rest, b = kinematics(t_end, y)
second = directions @ accelerations(t_end, y) + rest
remaining = mass * second - springs(left, right, b)
gradients = np.column_stack(
    [np.concatenate([b, [0.0, 0.0]]), np.concatenate([2 * (left - right), 2 * (right - left)])]
)
lam = np.linalg.lstsq(gradients, remaining, rcond=None)[0]
names = ["xl", "yl", "xr", "yr", "d_xl", "d_yl", "d_xr", "d_yr"]
values = dict(zip(names, np.concatenate([left, right, dleft, dright])))
values.update({"lam1": lam[0], "lam2": lam[1]})
report("car-axis:eps=0.001", values)
