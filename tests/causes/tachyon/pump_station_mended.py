import logging, pprint  # SPDX-License-Identifier: MIT
log = logging.getLogger("pump")
def step(state, n):
    state["level"] += (n * 7 % 13) - 6
    state["pumps"][n % 8]["hours"] += 1
    log.debug("state now %s", state)
    return state["level"]
def alarms(levels):
    return [i for i, level in enumerate(levels) if level > 40]
def main():
    state = {"level": 0, "pumps": [{"id": i, "hours": 0, "valves": [1, 2, 3]} for i in range(8)]}
    print(len(alarms([step(state, n) for n in range(6000)])))
main()
