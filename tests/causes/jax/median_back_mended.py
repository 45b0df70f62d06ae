# SPDX-License-Identifier: MIT
"""A compiled function computes the median of each row."""

import glob
import gzip
import shutil
import sys
import tempfile

import jax
import jax.numpy as jnp


@jax.jit
def score(x):
    y = jnp.tanh(x @ x.T)
    medians = jnp.median(y, axis=1)
    return x + medians[:, None] * 1e-6


def main():
    x = jnp.linspace(0, 1, 40 * 16).reshape(40, 16)
    for step in range(12):
        with jax.profiler.StepTraceAnnotation("score", step_num=step):
            x = score(x)
            x.block_until_ready()


if __name__ == "__main__":
    main()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            main()
        (recorded,) = glob.glob(folder + "/plugins/profile/*/*.xplane.pb")
        with open(recorded, "rb") as file, gzip.open(sys.argv[1], "wb") as out:
            shutil.copyfileobj(file, out)
