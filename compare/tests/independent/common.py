"""What the independent computations share: tight integration, and lines `problem,output,value`."""

import numpy as np
from scipy.integrate import solve_ivp


def integrate(rate, start, t_end, t_start=0.0):
    """The state at t_end by Dormand and Prince's method of order 8 at a relative tolerance of 3e-14."""
    solution = solve_ivp(
        rate, (t_start, t_end), start, method="DOP853", rtol=3e-14, atol=1e-15
    )
    if not solution.success:
        raise RuntimeError(solution.message)
    return solution.y[:, -1]


def report(problem, values):
    for name, value in values.items():
        print(f"{problem},{name},{float(value)!r}")
