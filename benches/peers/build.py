"""Builds or installs the peers. Each function returns what a command line needs, or raises Missing with the remedy."""
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FORTRAN = ["gfortran", "-O2", "-w"]


class Missing(Exception):
    """A peer that cannot be had here, with the reason."""


def run(command, **options):
    """Output of a command that must succeed."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
        cause = next((line for line in lines if "error" in line or "undefined" in line), lines[-1])
        raise Missing(f"{command[0]} ... {pathlib.Path(command[-1]).name}: {cause}")
    return done.stdout


class Peers:
    """What there is, built at most once each in the folder `work`. `versions` says what was measured."""

    def __init__(self, work, fortran, profile):
        self.work, self.fortran, self.profile = work, fortran, profile
        self.versions = {}
        work.mkdir(parents=True, exist_ok=True)

    @functools.cache
    def liedae(self, bench):
        """The program of one of liedae's benches, and its version."""
        arguments = ["--profile", self.profile, "--locked", "-p", "liedae-problems", "--bench", bench]
        output = run(["cargo", "build", *arguments, "--message-format", "json"], cwd=ROOT)
        messages = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        programs = [message["executable"] for message in messages if message.get("executable")]
        commit = run(["git", "describe", "--always", "--dirty"], cwd=ROOT).strip()
        self.versions["liedae"] = f"{commit}, profile {self.profile}, {run(['rustc', '--version']).strip()}"
        return programs[-1]

    def source(self, name):
        """A Fortran file out of the folders that the user points to."""
        for folder in self.fortran:
            for found in sorted(pathlib.Path(folder).rglob(name)):
                text = found.read_text(errors="replace")
                version = re.search(r"VERSION OF +([A-Z0-9, ]+\d{4})", text)
                digest = hashlib.sha256(found.read_bytes()).hexdigest()[:12]
                self.versions[name] = f"version of {version[1].title() if version else '?'}, sha256 {digest}"
                return found, text
        raise Missing(f"{name} is in none of the folders given by --fortran")

    @functools.cache
    def compiled(self, name):
        """An object file of one Fortran source."""
        found, text = self.source(name)
        built = self.work / (name + ".o")
        legacy = ["-std=legacy"]
        if "\n#define" in "\n" + text:
            # Names that the preprocessor lengthens push lines over column 72.
            legacy += ["-cpp", "-ffixed-line-length-none"]
        run([*FORTRAN, *legacy, "-c", found, "-o", built])
        self.versions["gfortran"] = run(["gfortran", "--version"]).splitlines()[0] + ", -O2"
        return built

    @functools.cache
    def fortran_program(self, solver, *drivers):
        """A driver of ours with a solver of theirs and the dense elimination that it calls."""
        files = {"radau5": ["radau5.f", "dc_decsol.f", "decsol.f"]}.get(solver, [f"{solver}.f", "decsol.f"])
        objects = [self.compiled(name) for name in files]
        program = self.work / "-".join([solver, *(pathlib.Path(driver).stem for driver in drivers)])
        sources = [HERE / "fortran" / driver for driver in ("clock.f90", *drivers)]
        modules = self.work / (program.name + ".modules")
        modules.mkdir(exist_ok=True)
        run([*FORTRAN, "-ffree-line-length-none", f"-DSOLVER={solver}", "-J", modules, *sources, *objects, "-o", program])
        return program

    @functools.cache
    def cvode(self):
        """CVODE of Debian's libsundials-dev."""
        problems, program = self.work / "stiff_problems.o", self.work / "cvode_stiff"
        modules = self.work / "cvode.modules"
        modules.mkdir(exist_ok=True)
        source = HERE / "fortran" / "stiff_problems.f90"
        run([*FORTRAN, "-ffree-line-length-none", "-J", modules, "-c", source, "-o", problems])
        libraries = [f"sundials_{name}" for name in ("cvode", "nvecserial", "sunmatrixdense", "sunlinsoldense")]
        libraries = ["-l" + name for name in (*libraries, "gfortran", "m")]
        try:
            run(["cc", "-O2", HERE / "sundials" / "cvode_stiff.c", problems, *libraries, "-o", program])
        except Missing as missing:
            raise Missing(f"{missing}; Debian has it as libsundials-dev") from None
        self.versions["CVODE"] = run([program]).strip()
        return program

    @functools.cache
    def diffsol(self):
        """A crate of its own outside the workspace."""
        folder = HERE / "diffsol"
        environment = dict(os.environ, CARGO_TARGET_DIR=str(self.work / "diffsol"))
        run(["cargo", "build", "--release", "--locked"], cwd=folder, env=environment)
        lock = (folder / "Cargo.lock").read_text()
        self.versions["diffsol"] = re.search(r'name = "diffsol"\nversion = "(.+)"', lock)[1]
        return self.work / "diffsol" / "release" / "diffsol-peer"

    @functools.cache
    def python(self, package, module):
        """A Python in an environment of its own that has a package."""
        environment = self.work / "python"
        python = environment / "bin" / "python"
        if not python.exists():
            run([sys.executable, "-m", "venv", environment])
        if not self.version_of(python, module):
            run([python, "-m", "pip", "install", "--quiet", package])
        version = self.version_of(python, module)
        if not version:
            raise Missing(f"{package} is installed but {module} does not load")
        self.versions[package] = version
        return python

    @functools.cache
    def siconos(self):
        """Siconos of Debian, which its registry of Python packages does not have."""
        python = shutil.which("python3", path="/usr/bin")
        if not python or not self.version_of(python, "siconos.kernel", "1"):
            raise Missing("Siconos is not installed; Debian has it as python3-siconos")
        version = run(["dpkg-query", "--show", "--showformat", "${Version}", "python3-siconos"])
        self.versions["Siconos"] = version
        return python

    @staticmethod
    def version_of(python, module, expression=None):
        """Version of a Python module, or nothing."""
        code = f"import {module}; print({expression or module + '.__version__'})"
        done = subprocess.run([str(python), "-W", "ignore", "-c", code], capture_output=True, text=True)
        return done.stdout.strip().splitlines()[-1] if done.returncode == 0 and done.stdout.strip() else None
