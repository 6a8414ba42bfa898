"""Two steel bars of 4 m and 2 m from rest, level, by Exudyn's generalized-alpha: double_pendulum_exudyn.py full|modified SECONDS.

Steps of 1 ms; CPU time per step of the fastest of three runs.
"""
import sys
import time

import exudyn as exu
import exudyn.utilities as utilities
import numpy as np

STEP, DENSITY, WIDTH, GRAVITY = 1e-3, 7800.0, 0.05, 9.81


def run(newton, duration):
    """CPU time per step in s, Newton iterations per step, energy gained in J."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    before = system.AddMarker(utilities.MarkerBodyRigid(bodyNumber=system.AddObject(utilities.ObjectGround())))
    bars, start = [], 0.0
    # The joints' local z is the axis y.
    axis = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    for length in (4.0, 2.0):
        mass = DENSITY * WIDTH * WIDTH * length
        across = mass * (length**2 + WIDTH**2) / 12
        moments = np.diag([mass * WIDTH**2 / 6, across, across])
        body = system.CreateRigidBody(
            inertia=utilities.RigidBodyInertia(mass=mass, inertiaTensor=moments),
            nodeType=exu.NodeType.RotationRotationVector,
            referencePosition=[start + length / 2, 0, 0],
            gravity=[0, 0, -GRAVITY],
            returnDict=True,
        )["bodyNumber"]
        near, far = (
            system.AddMarker(utilities.MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0]))
            for x in (-length / 2, length / 2)
        )
        joint = utilities.ObjectJointRevoluteZ(markerNumbers=[before, near], rotationMarker0=axis, rotationMarker1=axis)
        system.AddObject(joint)
        bars.append((body, mass, moments))
        before, start = far, start + length
    system.Assemble()

    def energy():
        total = 0.0
        for body, mass, moments in bars:
            place, velocity, spin = (
                system.GetObjectOutputBody(body, quantity, [0, 0, 0])
                for quantity in (
                    exu.OutputVariableType.Position,
                    exu.OutputVariableType.Velocity,
                    exu.OutputVariableType.AngularVelocityLocal,
                )
            )
            total += 0.5 * mass * velocity @ velocity + 0.5 * spin @ moments @ spin + mass * GRAVITY * place[2]
        return total

    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    steps = round(duration / STEP)
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, duration, 0
    integration.automaticStepSize = integration.adaptiveStep = False
    integration.newton.useModifiedNewton = newton == "modified"
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EXUdense
    at_first, begin = energy(), time.process_time()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False)
    taken = time.process_time() - begin
    return taken / steps, system.sys["dynamicSolver"].it.newtonStepsCount / steps, energy() - at_first


newton, duration = sys.argv[1], float(sys.argv[2])
run(newton, 0.01)
per_step, iterations, gained = min(run(newton, duration) for _ in range(3))
print(f"us={per_step * 1e6:.3f} iterations={iterations:.2f} error={abs(gained):.2e}")
