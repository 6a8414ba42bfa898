"""s4-010, `pollution`: 25 reactions of 20 species by the law of mass action, Verwer 1994, doi:10.1137/0915076.

Each line: rate constant in 1/min, the numbers of what reacts, and of what comes out of it. Integrated by Radau IIA of order 5 with the
exact Jacobian.
"""

import numpy as np
from common import report
from scipy.integrate import solve_ivp

REACTIONS = """
0.35: 1 -> 2 3
26.6: 2 4 -> 1
12300: 5 2 -> 6 1
0.00086: 7 -> 5 5 8
0.00082: 7 -> 8
15000: 7 6 -> 5 8
0.00013: 9 -> 5 8 10
24000: 9 6 -> 11
16500: 11 2 -> 10 12 1
9000: 11 1 -> 13
0.022: 13 -> 11 1
12000: 10 2 -> 14 1
1.88: 14 -> 7 5
16300: 1 6 -> 15
4800000: 3 -> 4
0.00035: 4 -> 16
0.0175: 4 -> 3
1e8: 16 -> 6 6
4.44e11: 16 -> 3
1240: 17 6 -> 5 18
2.1: 19 -> 2
5.78: 19 -> 1 3
0.0474: 1 4 -> 19
1780: 19 1 -> 20
3.12: 20 -> 1 19
"""
NAMES = "NO2 NO O3P O3 HO2 OH HCHO CO ALD MEO2 C2O3 CO2 PAN CH3O HNO3 O1D SO2 SO4 NO3 N2O5".split()


def parsed():
    for line in REACTIONS.split("\n")[1:-1]:
        constant, equation = line.split(":")
        left, right = ([int(number) - 1 for number in side.split()] for side in equation.split("->"))
        change = np.zeros(20)
        np.add.at(change, left, -1.0)
        np.add.at(change, right, 1.0)
        yield float(constant), left, change


reactions = list(parsed())


def rate(t, y):
    return sum(k * np.prod(y[left]) * change for k, left, change in reactions)


def jacobian(t, y):
    matrix = np.zeros((20, 20))
    for k, left, change in reactions:
        for position, species in enumerate(left):
            others = np.delete(left, position).astype(int)
            matrix[:, species] += k * np.prod(y[others]) * change
    return matrix


start = np.zeros(20)
for species, value in {2: 0.2, 4: 0.04, 7: 0.1, 8: 0.3, 9: 0.01, 17: 0.007}.items():
    start[species - 1] = value
solution = solve_ivp(rate, (0.0, 60.0), start, method="Radau", jac=jacobian, rtol=1e-11, atol=1e-20)
report("pollution", dict(zip(NAMES, solution.y[:, -1])))
