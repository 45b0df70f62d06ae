from memory_profiler import profile  # SPDX-License-Identifier: MIT
def lines(n):
    for i in range(n):
        yield f"{i} {'x' * 8000} GET /page/{i % 97} 200 {i % 1000}"
@profile
def count_bytes(n):
    rows = list(lines(n))
    pages = {}
    sizes = [int(row.rsplit(" ", 1)[1]) for row in rows]
    total = sum(sizes)
    pages["all"] = total
    return pages
@profile
def main():
    done = count_bytes(4_000)
    print(done)
main()
