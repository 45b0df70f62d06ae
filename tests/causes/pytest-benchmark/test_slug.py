import re  # SPDX-License-Identifier: MIT
import pytest


def by_regex(s):
    return re.sub(r"[^a-z0-9]+", "-", s.lower())


def by_loop(s):
    out = ""
    for c in s.lower():
        out = out + (c if c.isalnum() else "-")
        out = out.replace("--", "-")
    return out


@pytest.mark.parametrize("n", [50, 200, 800])
@pytest.mark.parametrize("f", [by_regex, by_loop], ids=["regex", "loop"])
def test_slug(benchmark, f, n):
    benchmark(f, "Hello, World! " * n)
