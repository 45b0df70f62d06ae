# SPDX-License-Identifier: MIT
"""Every trace of the corpus that is JSON: what the reader keeps of each event is what Python's json reads, digit for digit.

Asks trace_records, which the build leaves beside the unit tests; the same in blocks of a size that cuts everywhere.
"""
import decimal
import gzip
import json
import os
import subprocess
import unittest

from corpus import PROGRAM, has, paths

READER = os.path.join(os.path.dirname(PROGRAM), "tests", "trace_records")
FOLDERS = ("made/torch-trace", "wild/torch-trace", "wild/chrome-trace")
FIELDS = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"}


def number(word):
    return decimal.Decimal(word)


def events_of(path):
    """None: the file is no JSON, or no trace."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        raw = file.read().decode("utf-8", "replace")
    try:
        doc = json.loads(raw, strict=False, parse_float=number)
    except ValueError:
        return None
    events = doc.get("traceEvents") if isinstance(doc, dict) else doc
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        return None
    return events


def thread(event):
    return tuple("0" if event.get(key) is None else str(event[key]) for key in ("pid", "tid"))


def nanoseconds(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def same(value):
    return json.dumps(value, sort_keys=True, default=str)


def known(event):
    """The event as trace_records prints it; times as they stand in the file."""
    args = event.get("args")
    args = {} if args is None else args if isinstance(args, dict) else {"args": args}
    rest = {k: v for k, v in event.items() if k not in FIELDS and (k != "id" or event["ph"] == "X")}
    out = {"ph": event["ph"], "cat": event.get("cat") or None, "name": event.get("name"), "args": same(args), "rest": same(rest)}
    if event["ph"] != "M":
        out["ts"] = nanoseconds(event["ts"])
    if event["ph"] == "X" and "dur" in event:
        out["dur"] = max(0, nanoseconds(event["dur"]))
    return out


def read(path, *options):
    """{thread: records} in the order of the file, and the origin."""
    done = subprocess.run([READER, *options, path], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    origin = int(lines[-1].split("origin=")[1].split()[0]) * 1000
    threads = {}
    for line in lines:
        if line.startswith('{"ph"'):
            record = json.loads(line, parse_float=number)
            threads.setdefault((record["pid"], record["tid"]), []).append(record)
    return threads, origin


def shown(record, origin, want):
    out = dict(record, ts=record["ts"] + origin, args=same(record["args"]), rest=same(record["rest"]))
    return {key: out.get(key) for key in want}


@unittest.skipUnless(os.path.exists(READER), "trace_records is not built")
class RecordsTest(unittest.TestCase):
    maxDiff = 2000

    def check(self, path, events, *options):
        threads, origin = read(path, *options)
        want = {}
        for event in events:
            want.setdefault(thread(event), []).append(event)
        self.assertEqual(list(threads), list(want))
        for key, rows in want.items():
            self.assertEqual(len(threads[key]), len(rows))
            for event, record in zip(rows, threads[key]):
                self.assertEqual(shown(record, origin, known(event)), known(event))

    def test_records(self):
        checked = 0
        for path in paths(*FOLDERS):
            events = events_of(path) if ".json" in path else None
            if not events or "ph" not in events[0]:
                continue
            with self.subTest(os.path.basename(path)):
                self.check(path, events)
                if os.path.getsize(path) < 200_000:
                    self.check(path, events, "-b997")
            checked += 1
        self.assertGreater(checked, 60 if has("wild/torch-trace") else 20)


if __name__ == "__main__":
    unittest.main()
