"""One step of MuJoCo (Euler, no contact) of the chain on ball joints: chain_mujoco.py N STEPS. Joint coordinates, no constraints."""
import sys
import time

import mujoco

count, steps = int(sys.argv[1]), int(sys.argv[2])
model = mujoco.MjSpec()
model.option.gravity = [0, 0, -9.81]
model.option.timestep = 1e-3
model.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
model.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
body = model.worldbody
for index in range(count):
    inertia = {"mass": 39.0, "ipos": [1.0, 0, 0], "inertia": [0.01625, 13.008125, 13.008125], "explicitinertial": True}
    body = body.add_body(pos=[2.0 if index else 0.0, 0, 0], **inertia)
    body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
compiled = model.compile()
data = mujoco.MjData(compiled)
mujoco.mj_step(compiled, data)
best = float("inf")
for _ in range(5):
    begin = time.process_time()
    mujoco.mj_step(compiled, data, nstep=steps)
    best = min(best, (time.process_time() - begin) / steps)
print(f"us={best * 1e6:.3f}")
