"""A ball with restitution 0.9 that falls 1 m, event-driven by Siconos: ball_siconos.py T STEP. Its largest step is the cheapest."""
import math
import sys
import time

import numpy as np
import siconos.kernel as kernel

GRAVITY, RESTITUTION = 9.81, 0.9


def run(t_end, step):
    """CPU time in s, impacts, the largest error of the first forty impact times in s."""
    system = kernel.NonSmoothDynamicalSystem(0, t_end)
    ball = kernel.LagrangianLinearTIDS([1.0, 0, 0], [0, 0, 0], np.eye(3))
    ball.setFExtPtr([-GRAVITY, 0, 0])
    relation = kernel.LagrangianLinearTIR(np.array([[1.0, 0, 0]]))
    floor = kernel.Interaction(kernel.NewtonImpactNSL(RESTITUTION), relation)
    system.insertDynamicalSystem(ball)
    system.link(floor, ball)
    simulation = kernel.EventDriven(system, kernel.TimeDiscretisation(0, step))
    simulation.insertIntegrator(kernel.LsodarOSI())
    for kind in (kernel.SICONOS_OSNSP_ED_IMPACT, kernel.SICONOS_OSNSP_ED_SMOOTH_ACC):
        simulation.insertNonSmoothProblem(kernel.LCP(), kind)
    manager, impacts, begin = simulation.eventsManager(), [], time.process_time()
    while simulation.hasNextEvent():
        simulation.advanceToEvent()
        impact = manager.nextEvent().getType() == 2
        simulation.processEvents()
        if impact:
            impacts.append(simulation.startingTime())
    taken = time.process_time() - begin
    expected = math.sqrt(2 / GRAVITY)
    speed, error = GRAVITY * expected, 0.0
    for impact in impacts[:40]:
        error = max(error, abs(impact - expected))
        speed *= RESTITUTION
        expected += 2 * speed / GRAVITY
    return taken, len(impacts), error


taken, impacts, error = min(run(float(sys.argv[1]), float(sys.argv[2])) for _ in range(3))
print(f"us={taken * 1e6:.1f} impacts={impacts} error={error:.2e}")
