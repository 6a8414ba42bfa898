"""Runs all independent computations and writes results.csv: row, problem, output, value, digits in which the reference table agrees.

Digits are relative to the value; where it is zero, absolute. Needs numpy, scipy and mpmath: python3 collect.py
"""

import csv
import math
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
table = here / "../../../problems/benchmarks/data/references.csv"
lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
known = {(line["problem"], line["output"]): float(line["value"]) for line in csv.DictReader(lines)}


def digits(value, reference):
    size = max(abs(value), abs(reference)) if abs(value) > 1e-15 else 1.0
    return min(15.9, -math.log10(max(abs(value - reference) / size, 1e-16)))


rows = []
for script in sorted(here.glob("s[0-9]_*.py")):
    print(script.name, file=sys.stderr)
    output = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    row = "-".join(script.name.split("_")[:2])
    for line in output.splitlines():
        problem, name, value = line.split(",")
        agree = math.floor(10.0 * digits(float(value), known[problem, name])) / 10.0
        rows.append(f"{row},{problem},{name},{value},{agree}")
(here / "results.csv").write_text("\n".join(["row,problem,output,value,digits", *rows]) + "\n")
