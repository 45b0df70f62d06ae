import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def shrink(x, target):
    return x - 0.1 * (x - target)


@jax.jit
def distance(x, target):
    return jnp.sqrt(jnp.sum((x - target) ** 2))


def main():
    x, target = jnp.zeros((30, 30)), jnp.ones((30, 30))
    for step in range(3):
        with jax.profiler.StepTraceAnnotation("fit", step_num=step):
            x = jnp.zeros((30, 30))
            while float(distance(x, target)) > 0.02:
                x = shrink(x, target)


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
