import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def energy(x):
    return jnp.sqrt(jnp.sum(jnp.exp(x) * 0.5 + x * x))


def main():
    for n in range(300, 309):
        energy(jnp.ones((320, 32))).block_until_ready()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
    else:
        main()
