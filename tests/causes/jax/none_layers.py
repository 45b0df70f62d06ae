import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def update(params, x, y):
    def loss(params):
        a, b, c = params
        hidden = jnp.tanh(x @ a)
        hidden = jax.nn.softmax(hidden @ b)
        return jnp.mean((hidden @ c - y) ** 2)

    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def main():
    params = [jnp.ones((500, 500)) / 500, jnp.ones((500, 500)) / 500, jnp.ones((500, 10)) / 500]
    x, y = jnp.ones((300, 500)), jnp.ones((300, 10))
    for step in range(5):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            params = update(params, x, y)
            jax.block_until_ready(params)


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
