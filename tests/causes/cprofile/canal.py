def depth(x): return sum((x * k) % 13 for k in range(30))  # SPDX-License-Identifier: MIT
def survey(points): return [max(depth(x), depth(x + 1), depth(x + 2)) for x in range(points)]
def bank(points): return [sum(divmod(x * k, 7)[1] for k in range(20)) for x in range(points)]
def main():
    survey(20000); bank(20000)
    print(sum(sorted(str(i)[0] == "1" for i in range(400000))))
main()
