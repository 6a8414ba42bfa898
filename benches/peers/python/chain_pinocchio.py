"""One call of Pinocchio's articulated-body algorithm on the chain: chain_pinocchio.py N CALLS. Accelerations, not a step."""
import sys
import time

import numpy as np
import pinocchio

count, calls = int(sys.argv[1]), int(sys.argv[2])
model = pinocchio.Model()
model.gravity.linear = np.array([0, 0, -9.81])
joint = 0
inertia = pinocchio.Inertia(39.0, np.array([1.0, 0, 0]), np.diag([0.01625, 13.008125, 13.008125]))
for index in range(count):
    place = pinocchio.SE3(np.eye(3), np.array([2.0 if index else 0.0, 0, 0]))
    joint = model.addJoint(joint, pinocchio.JointModelSpherical(), place, f"joint {index}")
    model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
data, q = model.createData(), pinocchio.neutral(model)
v, force = 0.1 * np.ones(model.nv), np.zeros(model.nv)
best = float("inf")
for _ in range(7):
    begin = time.process_time()
    for _ in range(calls):
        pinocchio.aba(model, data, q, v, force)
    best = min(best, (time.process_time() - begin) / calls)
print(f"us={best * 1e6:.3f}")
