import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def clip(w, x):
    out = x @ w
    limit = jnp.max(jnp.abs(out))
    return w * 0.99, jnp.sum(out / limit)


def main():
    w = jnp.ones((256, 256)) / 256
    x = jax.random.normal(jax.random.key(1), (1024, 256))
    for step in range(5):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            w, loss = clip(w, x)
            loss.block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
