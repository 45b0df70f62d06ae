import pytest

from units import celsius, miles, pounds

VALUES = [v / 3 for v in range(-600, 1200)]


@pytest.mark.parametrize("convert", [celsius, miles, pounds], ids=lambda f: f.__name__)
def test_convert(benchmark, convert):
    benchmark(lambda: [convert(v) for v in VALUES])
