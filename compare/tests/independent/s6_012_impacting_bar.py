"""s6-012, `impacting-bar`: 51 masses on a line with springs, phase by phase in eigenmodes, without any time step.

A bar of 10 m, 900 N and 1 kg/m in 50 elements, half an element's mass at its ends, flies at 10 m/s against a wall that it touches. The
first mass comes to rest (e = 0) and stays until the wall would have to pull; then the bar is free until the mass returns.
"""

import numpy as np
from common import report
from scipy.optimize import brentq

n, length, t_end = 50, 10.0, 1.0
h = length / n
spring = 900.0 / h
masses = np.full(n + 1, h)
masses[[0, n]] /= 2.0
stiffness = spring * (2.0 * np.eye(n + 1) - np.eye(n + 1, k=1) - np.eye(n + 1, k=-1))
stiffness[0, 0] = stiffness[n, n] = spring
rest = h * np.arange(n + 1)
scale = np.sqrt(masses)


class Phase:
    """Displacements from rest in the modes of the masses from number `first` on."""

    def __init__(self, first, t, displacement, velocity):
        self.first, self.t = first, t
        part, self.scale = slice(first, None), scale[first:]
        squares, self.modes = np.linalg.eigh(stiffness[part, part] / np.outer(self.scale, self.scale))
        self.omega = np.sqrt(np.abs(squares))
        self.rigid = self.omega < 1e-6 * self.omega[-1]
        self.a = self.modes.T @ (self.scale * displacement[part])
        self.b = self.modes.T @ (self.scale * velocity[part])

    def state(self, t):
        time, omega = t - self.t, np.where(self.rigid, 1.0, self.omega)
        cosine, sine = np.cos(omega * time), np.sin(omega * time)
        place = np.where(self.rigid, self.a + self.b * time, self.a * cosine + self.b / omega * sine)
        speed = np.where(self.rigid, self.b, self.b * cosine - self.a * omega * sine)
        back = lambda x: np.concatenate([np.zeros(self.first), self.modes @ x / self.scale])
        return back(place), back(speed)

    def ending(self, t):
        """Positive as long as the phase lasts: the wall's pressure, or the gap."""
        place, _ = self.state(t)
        return -spring * place[1] if self.first else place[0]


t, displacement, velocity, contact = 0.0, np.zeros(n + 1), np.full(n + 1, -10.0), True
velocity[0] = 0.0
while True:
    phase = Phase(1 if contact else 0, t, displacement, velocity)
    grid = np.linspace(t, t_end, 40001)[1:]
    after = next((i for i in range(1, len(grid)) if phase.ending(grid[i]) < 0.0), None)
    if after is None:
        break
    t = brentq(phase.ending, grid[after - 1], grid[after], xtol=1e-15)
    displacement, velocity = phase.state(t)
    contact = not contact
    if contact:
        velocity[0] = 0.0
displacement, velocity = phase.state(t_end)
place = rest + displacement
report(
    "impacting-bar",
    {
        "front": place[0],
        "back": place[n],
        "front_v": velocity[0],
        "back_v": velocity[n],
        "mean_v": masses @ velocity / length,
        "wall.gap": place[0],
    },
)
