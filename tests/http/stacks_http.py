# SPDX-License-Identifier: MIT
"""The trees of a profile of many different stacks, against trees made here from the same stacks."""
import json
import random
from collections import Counter
from urllib.parse import quote

from server import RUNS, ServerTest

STACKS = 120_000
LIMIT = 20_000


def stacks():
    """Different stacks, some of them heavy; neighbours share what a walk leaves of them."""
    rng, stack, seen = random.Random(5), [0], set()
    while len(seen) < STACKS:
        del stack[max(1, len(stack) - rng.randrange(6)):]
        stack += [int(300 * rng.random() ** 3) for _ in range(rng.randrange(1, 8))]
        del stack[24:]
        if tuple(stack) not in seen:
            seen.add(tuple(stack))
            yield tuple(stack), rng.choice((1, 1, 1, 2, 3, 500))


def paths_of(tree):
    """Path of names -> (self, total) of each node of an answer."""
    paths = []
    for parent, name in zip(tree["parent"], tree["frame"]):
        paths.append((paths[parent] if parent >= 0 else ()) + (int(tree["frames"]["name"][name][1:]),))
    return dict(zip(paths, zip(tree["self"], tree["total"])))


def merged(weighted):
    """Path -> self, and path -> total."""
    own, total = Counter(), Counter()
    for stack, weight in weighted:
        own[stack] += weight
        for depth in range(1, len(stack) + 1):
            total[stack[:depth]] += weight
    return own, total


class Stacks(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stacks = list(stacks())
        text = "".join(";".join(f"f{i}" for i in stack) + f" {weight}\n" for stack, weight in cls.stacks)
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=stacks", text.encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"
        assert answer.json["summary"]["slices"] > 300_000, "the answer would not be a choice of paths"

    def test_words_of_file_and_line(self):
        text = "main (app.py:3);load (app.py:20) 2\nmain (app.py:3);20 (json/decoder.py:200) 1\n"
        answer = self.server.request("POST", f"{RUNS}?wait=1&name=places", text.encode())
        for query, found in (("file:app", 2), ("-file:app", 1), ("FILE:load", 0), ("line:20", 1), ("-line:20", 2), ("file:app load", 1)):
            page = self.get_json(f"{RUNS}/{answer.json['id']}/stack_functions?mode=line&q={quote(query)}")
            self.assertEqual(len(page["rows"]), found, (query, page["rows"]))

    def clipped(self, begin, end):
        """The stacks with what of each lies in a stretch of the file's own order."""
        at = 0
        for stack, weight in self.stacks:
            inside = min(at + weight, end) - max(at, begin)
            if inside > 0:
                yield stack, inside
            at += weight

    def same(self, nodes, own, total, heaviest):
        for path, (self_, total_) in nodes.items():
            self.assertEqual((self_, total_), (own[path], total[path]), path)
        for path, weight in total.most_common(heaviest):
            self.assertIn(path, nodes, f"of weight {weight}")

    def test_the_heaviest_paths_have_their_weights(self):
        tree = self.get_json(f"{self.path}/stack_flame?limit={LIMIT}")
        nodes = paths_of(tree)
        own, total = merged(self.stacks)
        self.assertEqual((tree["n"], len(nodes), tree["sum"]), (LIMIT, LIMIT, sum(own.values())))
        self.assertGreater(tree["cut"], 0)
        self.same(nodes, own, total, LIMIT // 2)

    def test_of_a_range(self):
        whole = sum(weight for _, weight in self.stacks)
        rng = random.Random(1)
        for _ in range(3):
            begin, end = sorted(rng.sample(range(whole), 2))
            with self.subTest(range=(begin, end)):
                tree = self.get_json(f"{self.path}/stack_flame?from_ns={begin}&to_ns={end}&limit={LIMIT}")
                own, total = merged(self.clipped(begin, end))
                self.assertEqual(tree["sum"], end - begin)
                self.same(paths_of(tree), own, total, LIMIT // 2)

    def test_around_a_function(self):
        table = self.get_json(f"{self.path}/stack_functions?q=f7&limit=1000")
        row = next(r for r in (dict(zip(table["columns"], row)) for row in table["rows"]) if r["name"] == "f7")
        below, above = [], []
        for stack, weight in self.stacks:
            if 7 in stack:
                first = stack.index(7)
                below.append((stack[first:], weight))
                above.append((stack[first::-1], weight))
        both = self.get_json(f"{self.path}/sandwich?name_id={row['name_id']}&limit={LIMIT}")
        own, total = merged(below)
        self.assertEqual(both["callees"]["sum"], sum(weight for _, weight in below))
        self.same(paths_of(both["callees"]), own, total, LIMIT // 2)
        own, total = merged(above)
        self.same(paths_of(both["callers"]), own, total, LIMIT // 2)


LINES = """\
main (app.py:3);filter_state (app.py:35);dumps (/v/lib/python3.12/site-packages/orjson/api.py:2) 5
main (app.py:3);filter_state (app.py:35) 3
main (app.py:3);filter_state (app.py:37);memcpy (libc.so.6) 2
main (app.py:4);filter_state (app.py:37) 4
main (app.py:4);filter_state (other.py:37);filter_state (other.py:38) 1
"""


class FunctionsAndLines(ServerTest):
    """Lines of one function are one frame, unless mode=line."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=lines", LINES.encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"
        cls.id = answer.json["id"]

    def functions(self, query=""):
        table = self.get_json(f"{self.path}/stack_functions?{query}")
        return {row[table["columns"].index("name")]: dict(zip(table["columns"], row)) for row in table["rows"]}

    def test_a_function_is_one_row(self):
        rows = self.functions()
        self.assertEqual({name: (row["self"], row["total"], row["slices"], row["origin"]) for name, row in rows.items()}, {
            "main (app.py)": (0, 15, 1, 0),
            "filter_state (app.py)": (7, 14, 1, 0),
            "filter_state (other.py)": (1, 1, 2, 0),
            "dumps (/v/lib/python3.12/site-packages/orjson/api.py)": (5, 5, 1, 1),
            "memcpy (libc.so.6)": (2, 2, 1, 3),
        })
        self.assertEqual(list(self.functions("q=app.py:35")), [])
        lines = self.functions("mode=line")
        self.assertEqual((lines["filter_state (app.py:35)"]["total"], lines["filter_state (app.py:37)"]["total"]), (8, 6))
        self.assertEqual((len(rows), len(lines)), (5, 8))

    def test_the_flame_graph_merges_lines(self):
        tree = self.get_json(f"{self.path}/stack_flame")
        names = [tree["frames"]["name"][name] for name in tree["frame"]]
        self.assertEqual(names.count("filter_state (app.py)"), 1)
        at = names.index("filter_state (app.py)")
        self.assertEqual((tree["total"][at], tree["self"][at], tree["count"][at], tree["sum"], tree["unit"]), (14, 7, 1, 15, "samples"))
        lines = [(line, total) for node, line, total in zip(*(tree["lines"][key] for key in ("node", "line", "total"))) if node == at]
        self.assertEqual(lines, [(35, 8), (37, 6)])
        self.assertEqual(tree["self_by_origin"], [8, 5, 0, 2, 0])
        self.assertEqual(sum(tree["self_by_origin"]), tree["sum"])
        self.assertEqual(dict(zip(tree["frames"]["name"], tree["frames"]["origin"]))["memcpy (libc.so.6)"], 3)
        by_line = self.get_json(f"{self.path}/stack_flame?mode=line")
        self.assertEqual((by_line["n"], len(by_line["lines"]["node"])), (9, 0))
        self.assertEqual(by_line["self_by_origin"], tree["self_by_origin"])

    def test_the_sandwich_takes_any_line_of_the_function(self):
        lines = self.functions("mode=line")
        both = [self.get_json(f"{self.path}/sandwich?name_id={lines[f'filter_state (app.py:{line})']['name_id']}") for line in (35, 37)]
        self.assertEqual(both[0], both[1])
        self.assertEqual(both[0]["callees"]["sum"], 14)
        line = self.get_json(f"{self.path}/sandwich?mode=line&name_id={lines['filter_state (app.py:37)']['name_id']}")
        self.assertEqual(line["callees"]["sum"], 6)

    def test_a_mode_that_does_not_exist(self):
        for view in ("stack_functions", "stack_flame", "sandwich"):
            answer = self.server.request("GET", f"{self.path}/{view}?mode=file&name_id=1")
            self.assertEqual((answer.status, "mode must be function or line" in answer.json["error"]["text"]), (400, True), answer.body)

    def test_comparisons_match_functions(self):
        moved = LINES.replace(":35)", ":45)").replace(":37)", ":47)").encode()
        other = self.server.request("POST", f"{RUNS}?wait=1&name=moved", moved).json["id"]
        for mode, gone in (("", 0), ("&mode=line", 2)):
            table = self.get_json(f"/api/v1/compare/functions?base={self.id}&new={other}&limit=100{mode}")
            rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
            vanished = [row["name"] for row in rows if row["change"] == "removed" and "(app.py" in row["name"]]
            self.assertEqual(len(vanished), gone, vanished)

    def test_files_without_folders_have_no_known_origin(self):
        """profiling.sampling writes decoder.py for json/decoder.py; austin writes whole paths."""
        for text, own in (("work.py:main:3;decoder.py:decode:9;threading.py:wait:1 1\n", 4), ("<frozen runpy>:_run_code:88;/srv/work.py:main:3 1\n", 0)):
            run = self.server.request("POST", f"{RUNS}?wait=1&name=bare", text.encode()).json["id"]
            table = self.get_json(f"{RUNS}/{run}/stack_functions")
            origins = {row[1]: row[table["columns"].index("origin")] for row in table["rows"]}
            self.assertEqual(next(origin for name, origin in origins.items() if "work.py" in name), own, origins)

    def test_lines_of_definitions_tell_functions_apart(self):
        text = "<module> (app.py:1);__init__ (app.py:10) 1\n<module> (b.py:1);__init__ (app.py:20) 2\n"
        run = self.server.request("POST", f"{RUNS}?wait=1&name=definitions", text.encode()).json["id"]
        rows = self.get_json(f"{RUNS}/{run}/stack_functions")
        self.assertEqual(rows["total"], 4)

THREADS = "".join(f'process 7:"python app.py";thread (0x7F0{i}): {name};{stack}\n' for i, (name, stack) in enumerate([
    ("main", "main (app.py:3);dumps (orjson/api.py:2) 30"),
    ("main", "main (app.py:4);memcpy (libc.so.6) 10"),
    ("main", "main (app.py:9);join (threading.py:1100) 20"),
    ("worker", "work (app.py:20);wait (threading.py:331) 1"),
    ("worker", "work (app.py:21) 39"),
    ("idle-1", "work (app.py:20);get (queue.py:171);wait (threading.py:331) 100"),
    ("idle-2", "poll (app.py:30);select (selectors.py:468);__poll (libc.so.6) 99"),
    ("idle-2", "poll (app.py:31) 1"),
])).replace("thread (0x7F01)", "thread (0x7F00)").replace("thread (0x7F02)", "thread (0x7F00)").replace("thread (0x7F04)", "thread (0x7F03)").replace("thread (0x7F07)", "thread (0x7F06)")


class Conclusion(ServerTest):
    @staticmethod
    def text(parts):
        return "".join(part.get("text") or part.get("code") or f"{part['value']:.4g}" for part in parts)

    def conclude(self, text):
        run = self.server.request("POST", f"{RUNS}?wait=1&name=threads", text.encode()).json["id"]
        return run, self.get_json(f"{RUNS}/{run}/conclusion")

    def test_waiting_and_idle_threads(self):
        run, found = self.conclude(THREADS)
        self.assertEqual(self.text(found["verdict"]), "main (app.py:3) takes 50.63 of the samples, in dumps of orjson.")
        # waits for other threads do not count: the others are in the profile
        self.assertEqual(self.text(found["sentence"]), " Next: work (app.py:21) 49.37. Shares are of the 2 threads that worked; 2 idle threads are left out. "
                         "The most active thread is thread 0x7F00 (main), with 40.")
        causes = {(cause["rule"], self.text(cause["title"])): cause["amount"] for cause in found["causes"]}
        # memcpy is native: it counts for main, which calls it
        self.assertEqual(causes, {("function", "main"): 40, ("callee", "dumps"): 30, ("callee", "memcpy"): 10, ("function", "work"): 39})
        functions = self.get_json(f"{RUNS}/{run}/stack_functions?limit=100")
        ids = {row[functions["columns"].index("name_id")] for row in functions["rows"]}
        links = [part["link"] for part in found["sentence"] if "link" in part]
        self.assertTrue(all(int(link["params"]["fn"]) in ids or link["params"].get("mode") == "line" for link in links if "fn" in link["params"]))
        self.assertEqual({link["tab"] for link in links} - {"stack-functions", "stack-flame", "sandwich"}, set())

    def test_if_all_threads_wait_none_is_left_out(self):
        _, found = self.conclude("main (app.py:3);acquire (threading.py:10) 8\n")
        self.assertEqual(self.text(found["verdict"] + found["sentence"]), "Too short to tell the cause: 8 samples. "
                         "main (app.py:3) waits for other threads 100 of the samples, in acquire of threading.")
        self.assertEqual((found["base"], found["causes"][0]["save_max"]), ("of total", None))

    def test_plain_names_are_causes_of_their_own(self):
        _, found = self.conclude("a;b;c 6\na;std::sort 4\n")
        self.assertEqual([(self.text(cause["title"]), cause["amount"]) for cause in found["causes"]], [("c", 6), ("std::sort", 4)])

    def test_a_file_without_a_unit(self):
        scope = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}, {"name": "b"}]},
                 "profiles": [{"type": "sampled", "name": "one", "unit": "none", "startValue": 0, "endValue": 3, "samples": [[0, 1], [0], [0, 1]], "weights": [1, 1, 1]}]}
        _, found = self.conclude(json.dumps(scope))
        self.assertEqual([part["unit"] for part in found["sentence"] if "value" in part], ["count", "count", "percent"])


class Threads(ServerTest):
    def test_weight_and_waiting_and_activity(self):
        run = self.server.request("POST", f"{RUNS}?wait=1&name=threads", THREADS.encode()).json["id"]
        names = {track["id"]: track["name"].split(" (")[1][:-1] for track in self.get_json(f"{RUNS}/{run}/timeline")["tracks"]}
        found = self.get_json(f"{RUNS}/{run}/stack_threads?bins=10")
        rows = {names[track]: row for track, *row in zip(found["ids"], found["weight"], found["waiting"], found["idle"])}
        self.assertEqual(rows, {"main": [60, 20, 0], "worker": [40, 1, 0], "idle-1": [100, 100, 1], "idle-2": [100, 99, 1]})
        strips = {names[track]: found["activity"][i * 10:(i + 1) * 10] for i, track in enumerate(found["ids"])}
        self.assertEqual((found["from_ns"], found["to_ns"], found["bins"]), (0, 100, 10))
        self.assertEqual(strips["main"], [255] * 4 + [0] * 6)  # works 40, waits 20, then ends
        self.assertEqual(strips["worker"], [1 + 9 * 254 // 10] + [255] * 3 + [0] * 6)
        self.assertEqual(strips["idle-2"], [0] * 9 + [1 + 254 // 10])
        # a range changes the weights, not the strips
        part = self.get_json(f"{RUNS}/{run}/stack_threads?bins=10&from_ns=30&to_ns=50")
        self.assertEqual(part["activity"], found["activity"])
        self.assertEqual({names[track]: row for track, *row in zip(part["ids"], part["weight"], part["waiting"])}["main"], [20, 10])

    def test_invalid(self):
        run = self.server.request("POST", f"{RUNS}?wait=1&name=threads", b"a;b 1\n").json["id"]
        for query, message in (("bins=0", "bins"), ("bins=401", "bins"), ("from_ns=x", "from_ns")):
            answer = self.server.request("GET", f"{RUNS}/{run}/stack_threads?{query}")
            self.assertEqual((answer.status, message in answer.json["error"]["text"]), (400, True))
        answer = self.server.request("GET", f"{RUNS}/{run}/stack_flame?threads=x")
        self.assertEqual((answer.status, "threads must be ids" in answer.json["error"]["text"]), (400, True))
