from bank.statement import balance, parse_statement, render, sort_by_amount

TEXT = "\n".join(f"2024-{i % 12 + 1:02}-{i % 28 + 1:02};DE{i:05};{i * 7 % 1000}.{i % 90 + 10}" for i in range(300))
ENTRIES = parse_statement(TEXT)


def test_parse_statement(benchmark):
    assert len(benchmark(parse_statement, TEXT)) == 300


def test_balance(benchmark):
    assert benchmark(balance, ENTRIES) > 0


def test_sort_by_amount(benchmark):
    benchmark(sort_by_amount, ENTRIES)


def test_render(benchmark):
    assert "DE00001" in benchmark(render, ENTRIES)
