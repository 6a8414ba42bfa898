#!/usr/bin/env python3
"""Times of liedae beside those of other codes: one table of ratios.

    python3 benches/peers/peers.py [--fortran FOLDER ...] [--only PART ...] [--rounds 5] [--work FOLDER] [--instructions]

Builds liedae's bench `time` and the peers: Exudyn, MuJoCo and Pinocchio from the registry of Python packages, in an environment of
their own in the folder --work; diffsol as a crate of its own; SUNDIALS and Siconos where Debian's libsundials-dev and
python3-siconos are installed; Fortran codes where --fortran folders hold hem5.f, phem56.f, dopri5.f, dop853.f, radau5.f, decsol.f and
dc_decsol.f. A peer that cannot be had is a line of the table.

Runs take turns, ours and theirs, on one processor, and report the CPU time of their fastest solution. The table has the ratio of the
minima, ours / theirs, below 1 where liedae is ahead, and the median and range of the ratios of turns. --instructions adds the ratio
of instructions of one solution, counted by callgrind, which a busy machine does not change.
"""
import argparse
import csv
import math
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

from build import ROOT, Missing, Peers
from rows import rows


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fortran", action="append", default=[], metavar="FOLDER", help="where Fortran sources lie")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="rows whose names contain this")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side")
    parser.add_argument("--seconds", default="0.15", help="time for repetitions within a turn")
    parser.add_argument("--cpu", type=int, help="processor that all runs keep to")
    parser.add_argument("--profile", default="release", help="cargo's profile for liedae")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "liedae-peers")
    parser.add_argument("--instructions", action="store_true", help="ratios of instructions too, where valgrind is installed")
    return parser.parse_args()


def measure(command, seconds):
    """What a program printed as name=value, numbers where they are; `y` is a list."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    command = [str(word).replace("SECONDS", seconds) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    found = dict(re.findall(r"(\w+)= *(\S+)", done.stdout))
    if done.returncode != 0 or "us" not in found:
        lines = (done.stdout + done.stderr).strip().splitlines() or [f"status {done.returncode}"]
        raise Missing(f"failed: {lines[-1]}")
    if "y" in found:
        found["y"] = [float(value) for value in done.stdout.split("y=")[1].split()]
    return found


def end_values(problem):
    """Reference at the end, in the order of the outputs."""
    with open(ROOT / "problems/benchmarks/data/ivp_end_values.csv") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return [float(row[3]) for row in rows if row[0] == problem]


def error(found, row):
    """By the yardstick of liedae's bench: see Yardstick in problems/benchmarks/benches/rows."""
    if not row.problem or "y" not in found:
        return float(found.get("error", "nan"))
    pairs = list(zip(found["y"], end_values(row.problem)))
    if row.problem == "pleiades":
        return max(abs(a - b) for a, b in pairs[:14])
    return max(abs(a - b) / abs(b) for a, b in pairs)


def instructions(command, function):
    """Instructions of one solution by callgrind, within one function."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={function}"]
    command = [str(word).replace("SECONDS", "0") for word in command]
    done = subprocess.run([*tool, *command], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found and int(found[1]) > 0 else math.nan


def beside(row, peers, options):
    """Both sides in turns: cells of one line of the table."""
    ours = [peers.liedae("time"), "SECONDS", row.name, *([row.tolerance] if row.tolerance else [])]
    theirs = row.command(peers)
    a, b = [], []
    for _ in range(options.rounds):
        a.append(measure(ours, options.seconds))
        b.append(measure(theirs, options.seconds))
    unit = "us_per_step" if row.per_step else "us"
    x, y = [float(found[unit]) for found in a], [float(found["us"]) for found in b]
    turns = [p / q for p, q in zip(x, y)]
    counted = math.nan
    if options.instructions and row.function and not row.tolerance:
        mine = instructions([peers.liedae("counts"), "--solve", row.name], "*::callgrind::counted*")
        counted = mine / instructions(theirs, row.function)
    return [
        f"{min(x):.2f}",
        f"{min(y):.2f}",
        f"{min(x) / min(y):.3f}",
        f"{statistics.median(turns):.3f}",
        f"{min(turns):.2f} to {max(turns):.2f}",
        "" if math.isnan(counted) else f"{counted:.3f}",
        "{} / {}".format(a[0].get("steps", ""), b[0].get("steps", "")),
        "{} / {}".format(*("" if math.isnan(e) else f"{e:.1e}" for e in (error(a[0], row), error(b[0], row)))),
    ]


def at_equal_error(row, peers, options):
    """Times interpolated between tolerances to one error."""
    ladders = ([], [])
    for tolerance in row.ladder:
        sides = [peers.liedae("time"), "SECONDS", row.name, tolerance], row.command(peers, tolerance)
        for ladder, command in zip(ladders, sides):
            found = [measure(command, options.seconds) for _ in range(options.rounds)]
            fastest = min(float(one["us"]) for one in found)
            ladder.append((math.log(error(found[0], row)), math.log(fastest)))
    goal, times = math.log(row.goal), []
    for ladder in ladders:
        points = sorted(ladder)
        between = [(p, q) for p, q in zip(points, points[1:]) if p[0] <= goal <= q[0]]
        if not between:
            reached = ", ".join(f"{math.exp(e):.0e}" for e, _ in points)
            raise Missing(f"no tolerance of the ladder leads to an error of {row.goal:g}: {reached}")
        (e, t), (f, u) = between[0]
        times.append(math.exp(t + (u - t) * (goal - e) / (f - e)))
    x, y = times
    return [f"{x:.2f}", f"{y:.2f}", f"{x / y:.3f}", "", "", "", "", f"{row.goal:.0e} / {row.goal:.0e}"]


COLUMNS = ["row", "peer", "liedae / us", "peer / us", "ratio", "median", "range", "instructions", "steps", "error"]


def main():
    options = arguments()
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    peers = Peers(options.work, options.fortran, options.profile)
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for row in rows():
        if options.only and not any(part in row.name or part in row.peer for part in options.only):
            continue
        name = f"{row.name} at {row.tolerance}" if row.tolerance else row.name
        try:
            cells = (at_equal_error if row.ladder else beside)(row, peers, options)
            print("| " + " | ".join([name, row.peer, *cells]) + " |", flush=True)
        except (Missing, subprocess.TimeoutExpired) as missing:
            print(f"| {name} | {row.peer} | not measured: {missing} |" + " |" * (len(COLUMNS) - 3), flush=True)
    print()
    for name, version in peers.versions.items():
        print(f"- {name}: {version}")
    with open("/proc/cpuinfo") as file:
        models = {line.split(":")[1].strip() for line in file if line.startswith("model name")}
    print(f"- processor: {', '.join(models)}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
