import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def update(w, x):
    return w - 0.01 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - x) ** 2))(w)


def load_batch(rng):
    return rng.random((400, 400), dtype=np.float32)


def main():
    rng = np.random.default_rng(1)
    w = jnp.ones((400, 400)) / 400
    for step in range(6):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            with jax.profiler.TraceAnnotation("load_batch"):
                x = load_batch(rng)
            w = update(w, x)
    w.block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
