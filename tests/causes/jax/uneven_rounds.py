import glob  # SPDX-License-Identifier: MIT
import os
import shutil
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def work(x):
    def body(_, x):
        return jnp.tanh(x @ x) / 200

    rounds = jnp.where(jax.lax.axis_index("d") == 0, 24, 3)
    x = jax.lax.fori_loop(0, rounds, body, x[0])
    return jax.lax.psum(x, "d")[None]


mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
spec = jax.sharding.PartitionSpec("d")
step_of = jax.jit(jax.shard_map(work, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))


def main():
    x = jnp.ones((2, 200, 200)) / 200
    for step in range(4):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            x = step_of(x).block_until_ready()


if __name__ == "__main__":
    main()
    if len(sys.argv) > 1:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with jax.profiler.trace("log", profiler_options=options):
            main()
        shutil.copy(glob.glob("log/plugins/profile/*/*.trace.json.gz")[0], sys.argv[1])
