import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


def step_of(x, rate):
    return jax.jit(lambda x: jnp.tanh(x) * rate + jnp.cos(x) * x)(x)


def main():
    x = jnp.ones((300, 300))
    for step in range(8):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            x = step_of(x, 0.5).block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
