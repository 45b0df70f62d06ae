import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def fit(x, target):
    def far(x):
        return jnp.sqrt(jnp.sum((x - target) ** 2)) > 0.02

    return jax.lax.while_loop(far, lambda x: x - 0.1 * (x - target), x)


def main():
    x, target = jnp.zeros((30, 30)), jnp.ones((30, 30))
    for step in range(3):
        with jax.profiler.StepTraceAnnotation("fit", step_num=step):
            x = fit(jnp.zeros((30, 30)), target).block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
