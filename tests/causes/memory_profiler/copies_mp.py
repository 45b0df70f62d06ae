import copy  # SPDX-License-Identifier: MIT
from memory_profiler import profile


@profile
def undo_stack(document, edits):
    history = []
    for key, text in edits:
        history.append(copy.deepcopy(document))
        document[key] = text
    return history


@profile
def make(n):
    document = {i: f"paragraph {i} " * 5 for i in range(n)}
    edits = [(i % n, f"edit {i}") for i in range(60)]
    return document, edits


if __name__ == "__main__":
    document, edits = make(3000)
    print(len(undo_stack(document, edits)))
