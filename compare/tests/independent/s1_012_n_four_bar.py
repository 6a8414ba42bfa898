"""s1-012, `n-four-bar:n=1`: a parallelogram of two cranks and a coupler, 1 m and 1 kg each, is one pendulum.

With the angle b of the cranks from upright, clockwise, T = (2/3 + 1) b'^2 / 2 and V = (2/2 + 1) g cos b, so that

    b'' = (6/5) g sin b,   b(0) = 0, b'(0) = 1.

The cranks' own angles begin at pi / 2, upright.
"""

import numpy as np
from common import integrate, report

g = 9.81
b, omega = integrate(lambda t, y: [y[1], 1.2 * g * np.sin(y[0])], [0.0, 1.0], 10.0)
tip = np.array([np.sin(b), np.cos(b)])
speed = omega * np.array([np.cos(b), -np.sin(b)])
values = {}
for crank in (0, 1):
    name, place = f"crank{crank}", tip / 2.0 + [crank, 0.0]
    values[f"{name}.x"], values[f"{name}.y"] = place
    values[f"{name}.theta"] = np.pi / 2.0 - b
    values[f"{name}.vx"], values[f"{name}.vy"] = speed / 2.0
    values[f"{name}.omega"] = -omega
values["coupler1.x"], values["coupler1.y"] = tip + [0.5, 0.0]
values["coupler1.vx"], values["coupler1.vy"] = speed
values["coupler1.theta"] = values["coupler1.omega"] = 0.0
report("n-four-bar:n=1", values)
