"""s4-016, `pleiades`: seven bodies of masses 1 to 7 in the plane, x_i'' = sum over j of m_j (x_j - x_i) / r_ij^3.

Initial values: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.10.
"""

import numpy as np
from common import integrate, report

masses = np.arange(1.0, 8.0)
x = [3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0]
y = [3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0]
vx = [0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5]
vy = [0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0]


def rate(t, state):
    x, y, vx, vy = state.reshape(4, 7)
    dx, dy = x - x[:, None], y - y[:, None]
    squares = dx**2 + dy**2
    np.fill_diagonal(squares, 1.0)
    pull = masses / squares**1.5
    return np.concatenate([vx, vy, (pull * dx).sum(axis=1), (pull * dy).sum(axis=1)])


end = integrate(rate, np.array(x + y + vx + vy), 3.0).reshape(4, 7)
values = {}
for part, numbers in zip(("x", "y", "d_x", "d_y"), end):
    values.update({f"{part}{body}": value for body, value in enumerate(numbers, 1)})
report("pleiades", values)
