"""s1-045, `gimbal`: a rotor in two rings, one freedom left by two conserved momenta.

Angles: the outer ring psi about the vertical z, the inner ring theta about its y-axis, the rotor about x of the inner ring. The rotor's
spin n about its axis and the angular momentum about z are conserved. With s = sin(theta), c = cos(theta) and moments about the
centre (rings J, rotor A along its axis and B across, weight m g d)

    I(theta) psi' - A n s = 0,   I = J_outer + J_x s^2 + (J_z + B) c^2,
    (J_y + B) theta'' = psi'^2 I'/2 - A n psi' c + m g d c.
"""

from common import integrate, report
from numpy import cos, sin

g, n = 9.81, 150.0
outer = 0.5 * 0.8 * 0.15**2  # a thin ring of 0.8 kg and 0.15 m about a diameter
# The inner ring of 0.5 kg and 0.12 m, with a weight of 0.1 kg at 0.12 m on x.
ring, weight = 0.5 * 0.5 * 0.12**2, 0.1 * 0.12**2
jx, jy, jz = ring, ring + weight, 2.0 * ring + weight
moment = 0.1 * g * 0.12
a, b = 0.5 * 2.0 * 0.08**2, 0.25 * 2.0 * 0.08**2  # a disc of 2 kg and 0.08 m


def inertia(theta):
    return outer + jx * sin(theta) ** 2 + (jz + b) * cos(theta) ** 2


def precession(theta):
    return a * n * sin(theta) / inertia(theta)


def rate(t, y):
    theta, omega, psi = y
    turn = precession(theta)
    by_angle = 2.0 * (jx - jz - b) * sin(theta) * cos(theta)
    torque = 0.5 * turn**2 * by_angle - a * n * turn * cos(theta) + moment * cos(theta)
    return [omega, torque / (jy + b), turn]


theta, omega, psi = integrate(rate, [0.0, 0.0, 0.0], 2.0)
turn = precession(theta)
energy = 0.5 * (inertia(theta) * turn**2 + (jy + b) * omega**2 + a * n**2)
report(
    "gimbal",
    {
        "axis.x": cos(psi) * cos(theta),
        "axis.y": sin(psi) * cos(theta),
        "axis.z": -sin(theta),
        "outer.omega": turn,
        "inner.omega": omega,
        "spin": n,
        "energy": energy - moment * sin(theta),
    },
)
