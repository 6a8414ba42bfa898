"""s1-042, `slider-crank:mu=0.2`: position, by derivatives of 50-digit numbers, and the forces of one moment by Newton and Euler.

The crank of 0.08 m turns at 2 pi rad/s about x, its pin being at B = (0, 0.1, 0.12) + 0.08 (0, sin, cos)(2 pi t). A rod of 0.3 m leads
from B to the slider (s, 0, 0). The universal joint at the slider keeps the rod's y-axis across x. Data are those of Fang et al. 2022,
Table 1.

Unknowns: the forces of the crank and of the slider on the rod, the couple of the universal joint across both of its axes, and
the friction along x, -mu |Nz| against the motion. The end is 7.3 s, after 7.3 turns.
"""

import mpmath as mp
import numpy as np
from common import report

mp.mp.dps = 50
g, mu, end = mp.mpf("9.81"), mp.mpf("0.2"), mp.mpf("7.3")
rod, slider = mp.mpf("0.5"), mp.mpf(2)
inertia = mp.diag([mp.mpf("4e-3"), mp.mpf("4e-4"), mp.mpf("4e-3")])
x = mp.matrix([1, 0, 0])


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def unit(a):
    return a / mp.norm(a)


def pin(t):
    turn = 2 * mp.pi * t
    return mp.matrix([0, "0.1", "0.12"]) + mp.mpf("0.08") * mp.matrix([0, mp.sin(turn), mp.cos(turn)])


def place(t):
    b = pin(t)
    return mp.sqrt(mp.mpf("0.09") - b[1] ** 2 - b[2] ** 2)


def axes(t):
    along = unit(place(t) * x - pin(t))
    across = unit(cross(x, along))
    third = cross(along, across)
    return mp.matrix([[along[i], across[i], third[i]] for i in range(3)])


def centre(t):
    return (pin(t) + place(t) * x) / 2


def derivative(function, t, order):
    """Of a matrix, entry by entry."""
    rows, columns = function(t).rows, function(t).cols
    entry = lambda i, j: mp.diff(lambda s: function(s)[i, j], t, order)
    return mp.matrix([[entry(i, j) for j in range(columns)] for i in range(rows)])


def omega(t):
    spin = derivative(axes, t, 1) * axes(t).T
    return mp.matrix([spin[2, 1], spin[0, 2], spin[1, 0]])


R, w, alpha = axes(end), omega(end), derivative(omega, end, 1)
B, S, G = pin(end), place(end) * x, centre(end)
velocity, acceleration = (mp.diff(place, end, order) for order in (1, 2))
J = R * inertia * R.T
momentum = J * alpha + cross(w, J * w)
second = derivative(centre, end, 2)
couple = cross(x, R[:, 1])

# Columns: the force of the crank (3), of the slider (3), the couple, the friction. Rows: forces, moments, slider, friction.
unknowns, known = mp.matrix(8, 8), mp.matrix(8, 1)
for i in range(3):
    unknowns[i, i] = unknowns[i, 3 + i] = 1
    known[i] = rod * (second[i] + (g if i == 2 else 0))
    known[3 + i] = momentum[i]
    unknowns[3 + i, 6] = couple[i]
for first, arm in ((0, B - G), (3, S - G)):
    for j in range(3):
        direction = mp.matrix([1 if k == j else 0 for k in range(3)])
        moment = cross(arm, direction)
        for i in range(3):
            unknowns[3 + i, first + j] = moment[i]
unknowns[6, 3], unknowns[6, 7], known[6] = -1, 1, slider * acceleration
# Nz = m g + force of the slider on the rod along z; it is positive here.
unknowns[7, 7], unknowns[7, 5], known[7] = 1, mp.sign(velocity) * mu, -mp.sign(velocity) * mu * slider * g
forces = mp.lu_solve(unknowns, known)
crank, on_rod, friction = forces[0:3], forces[3:6], forces[7]
lift = slider * g + on_rod[2]
assert lift > 0

values = {"x_slider": S[0], "v_slider": velocity, "a_slider": acceleration}
arm = B - mp.matrix([0, "0.1", "0.12"])
torque = cross(arm, mp.matrix(crank))[0]
for name, vector in (
    ("B", B),
    ("G", G),
    ("Gv", derivative(centre, end, 1)),
    ("Ga", second),
    ("om_", w),
    ("al_", alpha),
    ("u_", R[:, 0]),
    ("yb_", R[:, 1]),
):
    values.update({name + letter: vector[i] for i, letter in enumerate("xyz")})
values.update({"T": torque, "Nz": lift, "Ny": on_rod[1], "fric": friction, "FAx": crank[0]})
report("slider-crank:mu=0.2", values)
