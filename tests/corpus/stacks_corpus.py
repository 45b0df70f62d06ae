# SPDX-License-Identifier: MIT
"""Stacks against the figures of their own tools: totals, own weights and totals that count a stack once."""
import collections
import decimal
import functools
import gzip
import html
import itertools
import json
import os
import re
import tempfile

from corpus import CORPUS, CorpusTest, Shelf, needs, paths

FOLDED = ("wild/collapsed", "made/sampling-py315", "made/sampling-austin", "made/torch-trace")


def is_folded(path):
    name = os.path.basename(path)
    return os.path.getsize(path) and (name.endswith((".collapsed", ".collapse", ".austin")) or ".stacks_" in name
                                      or os.path.dirname(path).endswith("/collapsed"))


@functools.cache
def folded():
    return [path for path in paths(*FOLDED) if is_folded(path)]


@functools.cache
def shelf():
    filled = Shelf()
    filled.add(folded())
    return filled


def oracle(path):
    name = path + ".oracle.json"
    if not os.path.exists(name):
        return None
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def lines_of(path):
    with open(path, "rb") as file:
        raw = file.read()
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    for line in text.splitlines():
        match = re.fullmatch(r"(.*\S)\s+(-?[\d.]+)(?:,-?\d+)*\s*", line)
        if match and not line.startswith(("#", "//")) and float(match[2]) > 0:
            yield match[1], float(match[2])


# The frames that name process and thread, which are no functions.
THREADS = (re.compile(r'(?:process \d+(?::"[^"]*")?;?)*(?:thread \([0-9a-fA-FxX]+\)(?:: [^;]*)?(?:;|$))?'),
           re.compile(r"P\d+(?:;|$)(?:T[\d:a-fx]+(?:;|$))?"), re.compile(r"tid:\d+(?:;|$)"))


def functions_of(stack):
    named = max(len(match[0]) for match in (form.match(stack) for form in THREADS) if match)
    return [frame for frame in stack[named:].split(";") if frame] or ["(no frame)"]


def sums_of(path):
    """Own weight and total of each frame, read another way than the importer does."""
    own, total = collections.Counter(), collections.Counter()
    for stack, weight in lines_of(path):
        frames = functions_of(stack)
        own[frames[-1]] += weight
        for frame in set(frames):
            total[frame] += weight
    return own, total


def unit_of(run):
    """How many of the axis are one of the file: ns are 1000 of its us."""
    return 1000 if run["headline"]["unit"] == "s" else run["summary"]["value_scale"]


class Folded(CorpusTest):
    fill = staticmethod(shelf)

    def test_every_file_is_read(self):
        for path in folded():
            with self.subTest(path):
                self.assertEqual((shelf().of(path) or {}).get("kind"), "folded", shelf().refused.get(path))

    def test_own_weights(self):
        for path in folded():
            with self.subTest(path):
                own, _ = sums_of(path)
                run = shelf().show(path)
                rows = shelf().sql(path, "SELECT name, sum(self_ns) AS own FROM slices GROUP BY name HAVING own > 0")
                self.assertEqual({row["name"]: row["own"] for row in rows},
                                 {name: round(weight * unit_of(run)) for name, weight in own.items()})

    def test_totals(self):
        for path in folded():
            with self.subTest(path):
                _, total = sums_of(path)
                scale = unit_of(shelf().show(path))
                rows = shelf().sql(path, OUTERMOST)
                self.assertEqual({row["name"]: row["total"] for row in rows},
                                 {name: round(weight * scale) for name, weight in total.items()})

    def test_nodes_are_the_call_tree(self):
        for path in folded():
            with self.subTest(path):
                own, _ = sums_of(path)
                by = unit_of(shelf().show(path)) / (10**9 if shelf().show(path)["headline"]["unit"] == "s" else shelf().show(path)["summary"]["value_scale"])
                nodes = shelf().sql(path, "SELECT id, parent_id, frame, self, total FROM nodes")
                sums, below = collections.Counter(), collections.Counter()
                for node in nodes:
                    sums[node["frame"]] += node["self"]
                    below[node["parent_id"]] += node["total"]
                for frame, weight in own.items():
                    self.assertAlmostEqual(sums[frame], weight * by, 6, frame)
                for node in nodes:
                    self.assertAlmostEqual(node["total"], node["self"] + below[node["id"]], 6, "a total is its own and that of those below")

    def test_the_tools_own_figures(self):
        for path in folded():
            expected = oracle(path)
            if not expected:
                continue
            with self.subTest(path):
                run = shelf().show(path)
                if expected["negative"]:
                    continue # what was given back is not laid out: said in the ledger
                scale = unit_of(run)
                self.assertEqual(run["summary"]["weight"], expected["totals"][0] * scale)
                self.assertEqual(run["summary"]["samples"], expected["stacks"])
                names = {frame for stack, _ in lines_of(path) for frame in stack.split(";")}
                shown = {frame for stack, _ in lines_of(path) for frame in functions_of(stack)}
                self.assertEqual(len(names), expected["distinct_frames"])
                self.assertEqual(run["summary"]["frames"], len(shown))
                rows = shelf().sql(path, "SELECT name, sum(self_ns) AS own FROM slices GROUP BY name")
                own = {row["name"]: row["own"] for row in rows}
                for name, weight in expected["top_self"]:
                    if name in shown:
                        self.assertEqual(own[name], weight * scale, name)

    @needs("made/sampling-austin/mem.austin")
    def test_memory_given_back_is_told(self):
        path = next(p for p in folded() if p.endswith("mem.austin"))
        run, expected = shelf().show(path), oracle(path)
        note = next(row["what"] for row in shelf().sql(path, "SELECT what FROM notes") if "freed memory" in row["what"])
        self.assertEqual(run["ledger"]["rejected"], 0)
        self.assertEqual(int(re.search(r"freed memory: (\d+)", note)[1]), expected["negative"])
        self.assertEqual(run["summary"]["weight"] + int(re.search(r"(-\d+) bytes in total", note)[1]), expected["totals"][0])


@functools.cache
def scopes():
    filled = Shelf()
    filled.add(paths("wild/speedscope"))
    return filled


NS = {"nanoseconds": 1, "microseconds": 10**3, "milliseconds": 10**6, "seconds": 10**9}


def frame_name(frame):
    place = frame.get("file")
    if not place:
        return frame["name"]
    return f"{frame['name']} ({place}:{frame['line']})" if frame.get("line") else f"{frame['name']} ({place})"


def sums_of_scope(path):
    """Own weight of each frame, sampled profiles alone, in units of the axis."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    names = [frame_name(frame) for frame in document["shared"]["frames"]]
    own = collections.Counter()
    for profile in document["profiles"]:
        if profile["type"] == "sampled":
            for stack, weight in zip(profile["samples"], profile["weights"]):
                # a real file has lists where numbers should be
                leaf = "(no frame)" if not stack else names[stack[-1]] if isinstance(stack[-1], int) else "(unknown frame)"
                if weight:
                    own[leaf] += int((weight * NS.get(profile["unit"], 1)).to_integral_value()
                                                 if isinstance(weight, decimal.Decimal) else weight * NS.get(profile["unit"], 1))
        else:
            spans(profile, names, own)
    return own


def spans(profile, names, own):
    """The same of an evented profile whose events are in order."""
    scale, open_frames, last = NS.get(profile["unit"], 1), [], None
    for event in profile["events"]:
        at = decimal.Decimal(event["at"]) * scale
        if open_frames:
            own[open_frames[-1]] += at - last
        last = at
        if event["type"] == "O":
            open_frames.append(names[event["frame"]])
        else:
            open_frames.pop()


class Speedscope(CorpusTest):
    fill = staticmethod(scopes)

    def test_every_file_is_read(self):
        for path in paths("wild/speedscope"):
            with self.subTest(path):
                self.assertEqual((scopes().of(path) or {}).get("kind"), "speedscope", scopes().refused.get(path))

    def test_own_weights(self):
        for path in paths("wild/speedscope"):
            if "invalid" in path or "pyinstrument" in path:  # the latter gives own time to callees
                continue
            with self.subTest(path):
                own = {name: round(float(weight)) for name, weight in sums_of_scope(path).items() if round(float(weight))}
                rows = scopes().sql(path, "SELECT name, sum(self_ns) AS own FROM slices GROUP BY name HAVING own <> 0")
                got = {row["name"]: row["own"] for row in rows}
                self.assertEqual(got.keys(), own.keys())
                for name, weight in own.items(): # each time of an event is rounded to a whole ns
                    self.assertAlmostEqual(got[name], weight, delta=20)

    def test_what_is_wrong_is_told(self):
        for name, words in (("spec-invalid-incomplete.json", "never closed"), ("spec-invalid-order.json", "not open")):
            path = next(p for p in paths("wild/speedscope") if p.endswith(name))
            said = [row["what"] for row in scopes().sql(path, "SELECT what FROM notes")]
            self.assertTrue(any(words in what for what in said), said)


TITLE = re.compile(r"<title>(.*) \(([\d,]+) samples, [\d.]+%\)</title>")


@functools.cache
def pictures():
    filled = Shelf()
    filled.add(paths("wild/py-spy-svg"))
    return filled


def drawn(path):
    """Weight of each name over all its frames, without the root."""
    weights = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for title in re.findall(r"<title>.*?</title>", file.read()):
            name, count = TITLE.fullmatch(title).groups()
            weights[html.unescape(name)] += int(count.replace(",", ""))
    return weights


def picture_of(stacks, inverted):
    """A flame graph as flamegraph.pl lays it out: stacks sorted, a level 16 pixels, places with one decimal."""
    total, frames, left = sum(stacks.values()), [], 0
    scale = 1180 / total

    def draw(name, depth, start, weight):
        y = 36 + 16 * depth if inverted else 2000 - 16 * depth
        frames.append(f'<g class="func_g"><title>{html.escape(name)} ({weight:,} samples, {100 * weight / total:.2f}%)</title>'
                      f'<rect x="{10 + start * scale:.1f}" y="{y}" width="{weight * scale:.1f}" height="15.0"/></g>')

    def level(stacks, depth, start):
        for first, group in itertools.groupby(sorted(stacks), key=lambda pair: pair[0][:1]):
            group = list(group)
            weight = sum(count for _, count in group)
            if first:
                draw(first[0], depth, start, weight)
                level([(stack[1:], count) for stack, count in group], depth + 1, start)
            start += weight

    draw("all", 0, left, total)
    level([(tuple(stack.split(";")), count) for stack, count in stacks.items()], 1, 0)
    return '<svg xmlns="http://www.w3.org/2000/svg">' + "\n".join(frames) + "</svg>"


class Pictures(CorpusTest):
    fill = staticmethod(pictures)

    def test_weights_are_those_of_the_titles(self):
        for path in paths("wild/py-spy-svg"):
            with self.subTest(path):
                weights = drawn(path)
                self.assertEqual(pictures().show(path)["summary"]["weight"], weights.pop("all"))
                rows = pictures().sql(path, "SELECT name, sum(duration_ns) AS total FROM slices GROUP BY name")
                got = {row["name"]: row["total"] for row in rows if row["name"] != "(not in file)"}
                self.assertEqual(got, dict(weights))

    def test_stacks_drawn_and_read_are_the_same(self):
        for source in folded():
            stacks = collections.Counter()
            for stack, weight in lines_of(source):
                stacks[";".join(frame for frame in stack.split(";") if frame)] += int(weight)
            if not stacks or min(stacks.values()) * 1180 / sum(stacks.values()) < 0.3: # too narrow to be drawn
                continue
            for inverted in (False, True):
                with self.subTest(source, inverted=inverted), tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "flame.svg")
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(picture_of(stacks, inverted))
                    shelf = Shelf()
                    shelf.add([path])
                    own = collections.Counter()
                    for stack, weight in stacks.items():
                        own[stack.split(";")[-1]] += weight
                    rows = shelf.sql(path, "SELECT name, sum(self_ns) AS own FROM slices GROUP BY name HAVING own > 0")
                    self.assertEqual({row["name"]: row["own"] for row in rows}, dict(own))


def gecko_files():
    return [path for path in paths("made/sampling-py315") if path.endswith(".gecko.json")]


@functools.cache
def geckos():
    filled = Shelf()
    filled.add(gecko_files())
    return filled


def sums_of_gecko(path):
    """Samples by their innermost frame, name and line."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    strings, own = document["shared"]["stringArray"], collections.Counter()
    for thread in document["threads"]:
        frames, funcs = thread["frameTable"], thread["funcTable"]
        for stack in thread["samples"]["stack"]:
            frame = thread["stackTable"]["frame"][stack]
            func, line = frames["func"][frame], frames["line"][frame]
            name, place = strings[funcs["name"][func]], funcs["fileName"][func]
            if place is not None:
                name += f" ({strings[place]}:{line})" if line else f" ({strings[place]})"
            own[name] += 1
    return own


class Gecko(CorpusTest):
    fill = staticmethod(geckos)

    def test_samples(self):
        for path in gecko_files():
            with self.subTest(path):
                rows = geckos().sql(path, "SELECT name, sum(self_ns) AS own FROM slices GROUP BY name HAVING own > 0")
                self.assertEqual({row["name"]: row["own"] for row in rows}, dict(sums_of_gecko(path)))


SESSION = "wild2/pyinstrument/session.pyisession"


@functools.cache
def session():
    filled = Shelf()
    filled.add([os.path.join(CORPUS, SESSION)])
    return filled


@needs(SESSION)
class Pyinstrument(CorpusTest):
    fill = staticmethod(session)

    def test_own_times_are_those_of_the_session(self):
        path = os.path.join(CORPUS, SESSION)
        with gzip.open(path + ".oracle.json.gz") as file:
            want = json.load(file)
        rows = self.shelf.sql(path, "SELECT name, sum(self_ns) / 1e9 AS own FROM slices GROUP BY name HAVING own > 0")
        own = {row["name"].removesuffix(")").replace(" (", " ").replace(":", " "): row["own"] for row in rows}
        self.assertEqual(self.shelf.of(path)["rejected"], 0)
        for name, seconds in want["self"]:
            self.assertAlmostEqual(own[name.removesuffix(" 0").replace(":", " ")], seconds, 6, name)


# A frame counts where no frame above it has the same name.
OUTERMOST = """
WITH RECURSIVE above(id, name, up) AS (
    SELECT id, name, parent_id FROM slices
    UNION ALL
    SELECT a.id, a.name, s.parent_id FROM above a JOIN slices s ON s.id = a.up WHERE s.name <> a.name
)
SELECT s.name, sum(s.duration_ns) AS total FROM slices s
WHERE s.id IN (SELECT id FROM above WHERE up IS NULL) GROUP BY s.name
"""
