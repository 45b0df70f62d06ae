import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def step_of(w, x):
    return w - 0.01 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - x) ** 2))(w)


def main():
    w = jnp.ones((700, 700)) / 700
    x = jnp.ones((700, 700))
    for step in range(4):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            w = step_of(w, x)
            w.block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        with jax.profiler.trace("log"):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
