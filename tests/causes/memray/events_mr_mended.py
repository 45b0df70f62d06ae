import json  # SPDX-License-Identifier: MIT


class Store:
    def __init__(self):
        self.history = []

    def apply(self, state, event):
        state = dict(state)
        state[event["k"]] = event["v"]
        self.history.append(event)
        return state


def replay(n):
    store, state = Store(), {}
    for i in range(n):
        state = store.apply(state, json.loads('{"k": "k%d", "v": %d}' % (i % 300, i)))
    return len(store.history)


print(replay(3000))
