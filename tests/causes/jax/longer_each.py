import glob  # SPDX-License-Identifier: MIT
import shutil
import sys

import jax
import jax.numpy as jnp


@jax.jit
def attend(tokens, weights):
    scores = tokens @ weights @ tokens.T
    return jax.nn.softmax(scores) @ tokens


def main(first=64):
    weights = jnp.ones((32, 32)) / 32
    tokens = jnp.ones((first, 32))
    for step in range(6):
        with jax.profiler.StepTraceAnnotation("decode", step_num=step):
            out = attend(tokens, weights)
            tokens = jnp.concatenate([tokens, out[-1:]]).block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main(100)
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
