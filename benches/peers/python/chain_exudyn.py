"""The chain of Fang et al. 2022, Fig. 7, by Exudyn's generalized-alpha: chain_exudyn.py full|modified N STEPS, steps of 1 ms.

CPU time per step as the difference of two runs: what is done once is not in it.
"""
import sys
import time

import exudyn as exu
import exudyn.utilities as utilities
import numpy as np

STEP, LENGTH, SPINS = 1e-3, 2.0, [5.0, -3, 8, -7, 2, -9, 6, -4]
GRAVITY = [9.81 * part for part in (0.07169162, 0.68473815, 0.72525442)]
# Body x points down: a quarter turn about y.
ROTATION = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])


def run(newton, count, steps):
    """CPU time in s, Newton iterations per step, position of the tip."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    inertia = utilities.RigidBodyInertia(mass=39.0, inertiaTensor=np.diag([0.01625, 13.008125, 13.008125]))
    before = system.AddMarker(utilities.MarkerBodyRigid(bodyNumber=system.AddObject(utilities.ObjectGround())))
    for index in range(count):
        body = system.CreateRigidBody(
            inertia=inertia,
            nodeType=exu.NodeType.RotationRotationVector,
            referencePosition=[0, 0, -LENGTH * (index + 0.5)],
            referenceRotationMatrix=ROTATION,
            initialAngularVelocity=[0, 0, -SPINS[index % 8]],
            gravity=GRAVITY,
            returnDict=True,
        )["bodyNumber"]
        top, end = (
            system.AddMarker(utilities.MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0]))
            for x in (-LENGTH / 2, LENGTH / 2)
        )
        system.AddObject(utilities.SphericalJoint(markerNumbers=[before, top]))
        before = end
    system.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, steps * STEP, 0
    integration.automaticStepSize = integration.adaptiveStep = False
    integration.newton.useModifiedNewton = newton == "modified"
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.parallel.numberOfThreads = 1
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    begin = time.process_time()
    system.SolveDynamic(
        settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False, showCausingItems=False
    )
    taken = time.process_time() - begin
    iterations = system.sys["dynamicSolver"].it.newtonStepsCount / steps
    tip = system.GetObjectOutputBody(body, exu.OutputVariableType.Position, [LENGTH / 2, 0, 0])
    return taken, iterations, tip


newton, count, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
short, long, begin = [], [], time.process_time()
while len(long) < 2 or time.process_time() - begin < 0.2:
    short.append(run(newton, count, 2)[0])
    taken, iterations, tip = run(newton, count, steps + 2)
    long.append(taken)
per_step = (min(long) - min(short)) / steps
print(f"us={per_step * 1e6:.3f} iterations={iterations:.2f} tip={tip[0]:.9f},{tip[1]:.9f},{tip[2]:.9f}")
