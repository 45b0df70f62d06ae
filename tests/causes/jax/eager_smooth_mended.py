import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def smooth(x):
    for _ in range(12):
        x = x * 0.9 + jnp.roll(x, 1) * 0.1
        x = jnp.where(x > 1, 1, x)
        x = x - jnp.mean(x)
    return x


def main():
    x = jnp.linspace(0.0, 1.0, 500)
    for step in range(3):
        with jax.profiler.StepTraceAnnotation("smooth", step_num=step):
            x = smooth(x)
            x.block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
