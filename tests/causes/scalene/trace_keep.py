TRACE = []  # SPDX-License-Identifier: MIT
def simulate(step):
    state = [(step * k) % 97 for k in range(40_000)]
    return state
def run(n):
    for step in range(n):
        state = simulate(step)
        TRACE.append(list(state))
run(250)
