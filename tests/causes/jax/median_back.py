# SPDX-License-Identifier: MIT
"""A compiled function calls NumPy back for the median of each row."""

import glob
import gzip
import shutil
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np


def row_medians(rows):
    return np.array([np.median(row) for row in np.asarray(rows)], dtype=np.float32)


@jax.jit
def score(x):
    y = jnp.tanh(x @ x.T)
    medians = jax.pure_callback(row_medians, jax.ShapeDtypeStruct((len(x),), x.dtype), y)
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
