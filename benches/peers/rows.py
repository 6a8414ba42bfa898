"""The rows of the table: a row of liedae's benches beside the command line of a peer. SECONDS stands for the time of repetitions."""
import dataclasses
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Row:
    # Of problems/benchmarks/benches/rows, with another tolerance than its name says where one is given.
    name: str
    peer: str
    # From what has been built, and the tolerance where the row has a ladder of these, the command line.
    command: typing.Callable
    tolerance: str = ""
    # What liedae needs for one step beside what the peer prints.
    per_step: bool = False
    # What callgrind counts in the peer.
    function: str = ""
    # Tolerances between which the time at the error `goal` is interpolated.
    ladder: tuple = ()
    goal: float = 0.0

    @property
    def problem(self):
        """Name of the problem among the reference values."""
        known = ("van-der-pol", "hires", "ring-modulator", "pleiades")
        return next((name for name in known if self.name.startswith(name)), "")


STIFF = {"van-der-pol": 1, "hires": 2, "ring-modulator": 3}


def absolute(problem, tolerance):
    """Absolute tolerance as in liedae's rows."""
    return f"{float(tolerance) * (1e-3 if problem == 'hires' else 1):g}"


def rows():
    yield from andrews()
    yield from stiff()
    yield from pleiades()
    yield from chain()
    yield from double_pendulum()
    yield from ball()


def andrews():
    for tolerance in ("1e-6", "1e-8"):
        for solver in ("hem5", "phem56"):

            def half_explicit(peers, solver=solver, tolerance=tolerance):
                return [peers.fortran_program(solver, "andrews.f90", "absent.f90", "half_explicit.F90"), tolerance, "SECONDS"]

            yield Row(f"andrews-{solver}-{tolerance}", f"{solver}.f", half_explicit, function=f"{solver}_")
        for solver in ("dopri5", "dop853"):

            def explicit(peers, solver=solver, tolerance=tolerance):
                return [peers.fortran_program(solver, "andrews.f90", "explicit.F90"), "andrews", tolerance, "SECONDS"]

            yield Row(f"andrews-{solver}-{tolerance}", f"{solver}.f", explicit, function=f"{solver}_")
        for number, index in enumerate(("index1", "index2", "index3", "stabilized"), 1):

            def radau(peers, number=number, tolerance=tolerance):
                return [peers.fortran_program("radau5", "andrews.f90", "radau_andrews.f90"), number, tolerance, "SECONDS"]

            yield Row(f"andrews-radau5-{index}-{tolerance}", "radau5.f", radau, function="radau5_")


def stiff():
    ladder = ("1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9")
    for problem, number in STIFF.items():
        for tolerance in ("1e-4", "1e-6", "1e-8"):
            if problem == "ring-modulator" and tolerance == "1e-8":
                continue
            name, other = (tolerance, "") if tolerance != "1e-8" else ("1e-6", tolerance)
            given = [number, tolerance, absolute(problem, tolerance), "SECONDS"]

            def radau(peers, given=given):
                return [peers.fortran_program("radau5", "stiff_problems.f90", "radau_stiff.f90"), *given]

            def cvode(peers, given=given):
                return [peers.cvode(), *given]

            yield Row(f"{problem}-radau5-{name}", "radau5.f", radau, other, function="radau5_")
            yield Row(f"{problem}-bdf-{name}", "CVODE", cvode, other, function="solve_once")
        if problem == "ring-modulator":
            continue

        def diffsol(peers, tolerance, number=number, problem=problem):
            return [peers.diffsol(), number, "bdf", tolerance, absolute(problem, tolerance), "SECONDS"]

        def cvode_ladder(peers, tolerance, number=number, problem=problem):
            return [peers.cvode(), number, tolerance, absolute(problem, tolerance), "SECONDS"]

        for goal in (1e-3, 1e-5):
            yield Row(f"{problem}-bdf-1e-6", "diffsol bdf at equal error", diffsol, ladder=ladder, goal=goal)
            yield Row(f"{problem}-bdf-1e-6", "CVODE at equal error", cvode_ladder, ladder=ladder, goal=goal)


def pleiades():
    for solver in ("dop853", "dopri5"):

        def explicit(peers, solver=solver):
            return [peers.fortran_program(solver, "andrews.f90", "explicit.F90"), "pleiades", "1e-6", "SECONDS"]

        yield Row(f"pleiades-{solver}-1e-6", f"{solver}.f", explicit, function=f"{solver}_")


def exudyn(peers, program, *arguments):
    return [peers.python("exudyn", "exudyn"), "-W", "ignore", HERE / "python" / program, *arguments]


def chain():
    for newton in ("full", "modified"):
        for links, steps in ((8, 400), (64, 100), (1024, 20)):

            def command(peers, newton=newton, links=links, steps=steps):
                return exudyn(peers, "chain_exudyn.py", newton, links, steps)

            yield Row(f"chain-{links}-generalized-alpha", f"Exudyn, {newton} Newton", command, per_step=True)
    for links, calls in ((1, 20000), (8, 4000), (64, 500), (128, 300)):

        def pinocchio(peers, links=links, calls=calls):
            return [peers.python("pin", "pinocchio"), HERE / "python/chain_pinocchio.py", links, calls]

        yield Row(f"chain-{links}-half-implicit", "Pinocchio, one ABA call", pinocchio, per_step=True)

    def mujoco(peers):
        return [peers.python("mujoco", "mujoco"), HERE / "python/chain_mujoco.py", 8, 2000]

    yield Row("chain-8-half-implicit", "MuJoCo, one Euler step", mujoco, per_step=True)


def double_pendulum():
    for method in ("generalized-alpha", "half-implicit"):
        for newton in ("full", "modified"):

            def command(peers, newton=newton):
                return exudyn(peers, "double_pendulum_exudyn.py", newton, 1)

            yield Row(f"double-pendulum-{method}", f"Exudyn, {newton} Newton", command, per_step=True)


def ball():
    for step, name in (("0.005", "Siconos, steps of 5 ms"), ("1", "Siconos, steps of 1 s")):

        def command(peers, step=step):
            return [peers.siconos(), HERE / "python/ball_siconos.py", 10, step]

        yield Row("bouncing-ball-mdop5-1e-6", name, command)
