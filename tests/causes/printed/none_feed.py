"""Turns a feed into another form."""  # SPDX-License-Identifier: MIT
import json
import random


def make_feed(count):
    rng = random.Random(21)
    return json.dumps([{"id": n, "title": f"title {n}", "tags": [f"t{rng.randrange(40)}" for _ in range(6)],
                        "score": rng.random()} for n in range(count)])


def convert(entry):
    return {"key": f"{entry['id']:08x}", "name": entry["title"].title(), "score": round(entry["score"], 2),
            "topics": sorted(set(entry["tags"]))}


def convert_feed(text):
    return json.dumps([convert(entry) for entry in json.loads(text)], indent=None)


if __name__ == "__main__":
    print(len(convert_feed(make_feed(90000))))
