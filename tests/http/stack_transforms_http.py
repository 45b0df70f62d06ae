# SPDX-License-Identifier: MIT
"""The call-tree transforms, against their definitions (server/query/functions/stack_transforms.h), which are applied here to each
stack on its own."""
import functools
import random
import re
from collections import Counter

from server import RUNS, ServerTest

FILES = ["/srv/app.py", "/srv/work.py", "/v/lib/python3.12/site-packages/flask/app.py", "/v/lib/python3.12/site-packages/flask/views.py",
         "/usr/lib/python3.12/json/decoder.py"]
PACKAGES = {FILES[2]: "flask", FILES[3]: "flask", FILES[4]: "json"}
ORIGINS = {FILES[0]: "own", FILES[1]: "own", FILES[2]: "third-party", FILES[3]: "third-party", FILES[4]: "stdlib"}
N_STACKS = 400


@functools.cache
def function(frame):
    return re.sub(r":\d+\)$", ")", frame)


@functools.cache
def file(frame):
    found = re.search(r"\((/.*?)(:\d+)?\)$", frame)
    return found and found.group(1)


def made_stacks(rng, n):
    """Stacks with much recursion; neighbours share frames, as samples do."""
    frames = [f"f{i % 9} ({FILES[i % len(FILES)]}:{i})" for i in range(1, 23)]
    stack = [frames[0]]
    for _ in range(n):
        del stack[max(1, len(stack) - rng.randrange(5)):]
        stack += rng.choices(frames, k=rng.randrange(5))
        del stack[12:]
        yield rng.choice((1, 2)), tuple(stack), rng.choice((1, 1, 2, 5))


class Group(str):
    """A frame that stands for a file or a package; `frames` belong to it."""


def targets(target, frame):
    """Whether a transform is about a frame. target: (what, frame of the run)."""
    what, of = target
    if what == "origin":
        return ORIGINS.get(file(frame.of if isinstance(frame, Group) else frame), "unknown") == of
    if isinstance(frame, Group):
        if frame.what == what:
            return file(frame.of) == file(of) if what == "file" else PACKAGES.get(file(frame.of)) == PACKAGES[file(of)]
        if what == "package":
            return PACKAGES.get(file(frame.of)) == PACKAGES[file(of)]
        return what == "function" and function(of) in frame.functions
    if what == "function":
        return function(frame) == function(of)
    if what == "file":
        return file(frame) == file(of)
    return PACKAGES.get(file(frame)) == PACKAGES[file(of)]


def same_function(a, b):
    return a == b if isinstance(a, Group) or isinstance(b, Group) else function(a) == function(b)


def collapsed(target, functions):
    group = Group(file(target[1]).rsplit("/", 1)[1] if target[0] == "file" else PACKAGES[file(target[1])])
    group.what, group.of = target
    group.functions = {name for name in functions if targets(target, name)}
    return group


def apply(transform, stack, functions):
    """The transformed stack; None: it is removed."""
    kind, *rest = transform
    first = next((i for i, frame in enumerate(stack) if kind not in ("recursion", "path", "unpath") and targets(rest[0], frame)), None)
    if kind == "drop":
        return stack if first is None else None
    if kind == "focus":
        return None if first is None else stack[first:]
    if kind == "merge":
        return tuple(frame for frame in stack if not targets(rest[0], frame))
    if kind == "leaf":
        return stack if first is None else stack[:first + 1]
    if kind == "collapse":
        out, group = [], collapsed(rest[0], functions)
        for i, frame in enumerate(stack):
            if not targets(rest[0], frame):
                out.append(frame)
            elif i == 0 or not targets(rest[0], stack[i - 1]):
                out.append(group)
        return tuple(out)
    if kind == "recursion":
        out = []
        for frame in stack:
            same = next((i for i, other in enumerate(out) if same_function(other, frame) and (not rest or targets(rest[0], frame))), None)
            if same is None:
                out.append(frame)
            else:
                del out[same + 1:]
        return tuple(out)
    path = rest[0]
    begins = len(stack) >= len(path) and all(targets(("function", name), frame) for name, frame in zip(path, stack))
    if kind == "path":
        return stack[len(path) - 1:] if begins else None
    return stack[:len(path) - 1] + stack[len(path):] if begins else stack


def label(frame):
    """How the tests name a frame: two files may have one name."""
    return f"{frame} {frame.what} of {function(frame.of)}" if isinstance(frame, Group) else function(frame)


class Transforms(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rng = random.Random(18)
        cls.stacks = list(made_stacks(cls.rng, N_STACKS))
        cls.functions = {function(frame) for _, stack, _ in cls.stacks for frame in stack}
        text = "".join(f"process 7:\"python app.py\";thread (0x{thread}): t{thread};{';'.join(stack)} {weight}\n" for thread, stack, weight in cls.stacks)
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=transforms", text.encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"
        table = cls.server.request("GET", f"{cls.path}/stack_functions?mode=line&limit=1000").json
        cls.ids = {row[1]: row[table["columns"].index("name_id")] for row in table["rows"]}

        cls.frames = {text: frame for frame, text in cls.ids.items()}

    def text_of(self, transform):
        kind, *rest = transform
        if kind in ("path", "unpath"):
            return {"path": "focus-path", "unpath": "merge-path"}[kind] + ":" + ".".join(str(self.ids[frame]) for frame in rest[0])
        if not rest:
            return kind
        what, of = rest[0]
        return f"{kind}:{'' if what == 'function' else what + ':'}{self.ids.get(of, of)}"

    def random_transform(self, stacks):
        kind = self.rng.choice(("drop", "focus", "merge", "merge", "leaf", "collapse", "collapse", "recursion", "recursion", "path", "unpath"))
        of = self.rng.choice(sorted(self.ids))
        if kind == "collapse":
            of = self.rng.choice(sorted(frame for frame in self.ids if file(frame)))
        whats = ["function"] * (kind != "collapse") + ["file"] * (file(of) is not None) + ["package"] * (file(of) in PACKAGES)
        if kind == "recursion":
            return (kind,) if self.rng.random() < 0.5 else (kind, ("function", of))
        if kind in ("path", "unpath"):
            stack = self.rng.choice(stacks) if stacks else ()
            path = [frame.of if isinstance(frame, Group) else frame for frame in stack[:self.rng.randrange(1, 4)]]
            return (kind, tuple(path or [of]))
        if kind != "collapse" and self.rng.random() < 0.2:
            return (kind, ("origin", self.rng.choice(sorted({"unknown", *ORIGINS.values()}))))
        return (kind, (self.rng.choice(whats), of))

    def transform(self, stacks, transforms):
        """[(stack, weight)] and what each transform removes."""
        removed, out = [0] * len(transforms), []
        for _, stack, weight in stacks:
            for i, transform in enumerate(transforms):
                stack = apply(transform, stack, self.functions)
                if stack is None:
                    removed[i] += weight
                    break
            else:
                out.append((stack, weight))
        return out, removed

    def cases(self):
        for _ in range(60):
            transforms, stacks = [], [stack for _, stack, _ in self.stacks]
            for _ in range(self.rng.randrange(1, 5)):
                transforms.append(self.random_transform(stacks))
                stacks = [stack for stack in (apply(transforms[-1], stack, self.functions) for stack in stacks) if stack]
            yield transforms

    def label_of(self, name, text, collapsed_to):
        """As label(), of an answer."""
        return f"{name} {('file', 'package')[collapsed_to - 1]} of {function(self.frames[text])}" if collapsed_to else name

    def assert_tree(self, tree, stacks):
        own, total = Counter(), Counter()
        for stack, weight in stacks:
            path = tuple(label(frame) for frame in stack)
            own[path] += weight
            for depth in range(1, len(path) + 1):
                total[path[:depth]] += weight
        paths, found = [], {}
        for i, (parent, name) in enumerate(zip(tree["parent"], tree["frame"])):
            paths.append((paths[parent] if parent >= 0 else ()) + (self.label_of(tree["frames"]["name"][name], tree["frames"]["id"][name], tree["frames"]["collapsed"][name]),))
            self.assertNotIn(paths[i], found)
            found[paths[i]] = (tree["self"][i], tree["total"][i])
        self.assertEqual(found, {path: (own[path], weight) for path, weight in total.items()})

    def assert_functions(self, table, stacks):
        own, total = Counter(), Counter()
        whole = sum(weight for _, weight in stacks)
        for stack, weight in stacks:
            for name in {label(frame) for frame in stack}:
                total[name] += weight
            if stack:
                own[label(stack[-1])] += weight
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        self.assertEqual({self.label_of(row["name"], row["name_id"], row["collapsed"]): (row["self"], row["total"]) for row in rows}, {name: (own[name], weight) for name, weight in total.items()})
        for row in rows:
            self.assertAlmostEqual(row["total_pct"], 100 * row["total"] / whole)

    def test_definitions(self):
        for transforms in self.cases():
            tf = ",".join(self.text_of(transform) for transform in transforms)
            with self.subTest(tf=tf, transforms=transforms):
                stacks, removed = self.transform(self.stacks, transforms)
                tree = self.get_json(f"{self.path}/stack_flame?tf={tf}")
                self.assert_tree(tree, stacks)
                whole = sum(weight for _, _, weight in self.stacks)
                self.assertEqual((tree["selected"], tree["sum"]), (whole, sum(weight for _, weight in stacks)))
                self.assertEqual([transform["removed"] for transform in tree["transforms"]], removed)
                self.assertEqual(tree["sum"] + sum(removed), whole)
                self.assert_functions(self.get_json(f"{self.path}/stack_functions?limit=1000&tf={tf}"), stacks)
                self.assert_tree(self.get_json(f"{self.path}/stack_flame?tf=invert,{tf}"), [(stack[::-1], weight) for stack, weight in stacks])
                # lines change what is one frame in the picture, not what a transform is about
                by_line = self.get_json(f"{self.path}/stack_flame?mode=line&tf={tf}")
                self.assertEqual((by_line["sum"], by_line["transforms"]), (tree["sum"], tree["transforms"]))

    def test_sandwich(self):
        for transforms in list(self.cases())[:20]:
            tf = ",".join(self.text_of(transform) for transform in transforms)
            stacks, _ = self.transform(self.stacks, transforms)
            of = self.rng.choice(sorted(self.ids))
            with self.subTest(tf=tf, of=of):
                both = self.get_json(f"{self.path}/sandwich?name_id={self.ids[of]}&tf={tf}")
                halves = []
                for stack, weight in stacks:
                    first = next((i for i, frame in enumerate(stack) if targets(("function", of), frame)), None)
                    if first is not None:
                        halves.append((stack[first:], stack[first::-1], weight))
                self.assert_tree(both["callees"], [(below, weight) for below, _, weight in halves])
                self.assert_tree(both["callers"], [(above, weight) for _, above, weight in halves])

    def test_threads_and_ranges(self):
        for threads in ((1,), (2,), (1, 2)):
            chosen = [stack for stack in self.stacks if stack[0] in threads]
            tracks = {track["name"]: track["id"] for track in self.get_json(f"{self.path}/timeline")["tracks"]}
            ids = ",".join(str(tracks[next(name for name in tracks if name.endswith(f"(t{thread})"))]) for thread in threads)
            transforms = [("merge", ("file", next(frame for frame in self.ids if FILES[0] in frame)))]
            stacks, _ = self.transform(chosen, transforms)
            self.assert_tree(self.get_json(f"{self.path}/stack_flame?threads={ids}&tf={self.text_of(transforms[0])}"), stacks)
            if len(threads) == 1:  # the former name
                self.assert_tree(self.get_json(f"{self.path}/stack_flame?track={ids}&tf={self.text_of(transforms[0])}"), stacks)
                self.assert_tree(self.get_json(f"{self.path}/stack_flame?threads={ids},{ids}"), [(stack, weight) for _, stack, weight in chosen])
        one = [(stack, weight) for thread, stack, weight in self.stacks if thread == 1]
        at, part = 0, []
        for stack, weight in one:
            inside = min(at + weight, 200) - max(at, 50)
            at += weight
            if inside > 0:
                part.append((1, stack, inside))
        first = next(track["id"] for track in self.get_json(f"{self.path}/timeline")["tracks"] if track["name"].endswith("(t1)"))
        transforms = [("recursion",)]
        self.assert_tree(self.get_json(f"{self.path}/stack_flame?threads={first}&from_ns=50&to_ns=200&tf=recursion"), self.transform(part, transforms)[0])

    def test_names(self):
        of = next(frame for frame in self.ids if FILES[2] in frame)
        tree = self.get_json(f"{self.path}/stack_flame?tf=collapse:package:{self.ids[of]},drop:{self.ids[of]}")
        self.assertEqual([(one["text"].split(":")[0], one["name"]) for one in tree["transforms"]], [("collapse", "flask"), ("drop", "flask")])
        tree = self.get_json(f"{self.path}/stack_flame?tf=collapse:file:{self.ids[of]}")
        at = tree["frames"]["name"].index("app.py")
        self.assertEqual((tree["frames"]["id"][at], tree["frames"]["collapsed"][at], tree["frames"]["origin"][at]), (self.ids[of], 1, 1))
        self.assertEqual(tree["transforms"][0]["name"], "app.py")
        self.assertEqual(self.get_json(f"{self.path}/stack_flame?tf=recursion")["transforms"][0]["name"], "")

    def test_origin(self):
        text = "main (/srv/app.py:1);dumps (/v/lib/python3.12/site-packages/orjson/__init__.py:2);memcpy (libc.so.6) 5\nmain (/srv/app.py:1);read (<built-in>) 2\n"
        run = self.server.request("POST", f"{RUNS}?wait=1&name=origins", text.encode()).json["id"]
        tree = self.get_json(f"{RUNS}/{run}/stack_flame?tf=merge:origin:builtin")
        self.assertEqual({tree["frames"]["name"][name].split()[0]: own for name, own in zip(tree["frame"], tree["self"])}, {"main": 2, "dumps": 5})
        self.assertEqual((tree["self_by_origin"], tree["sum"]), ([2, 5, 0, 0, 0], 7))
        self.assertEqual(tree["transforms"], [{"text": "merge:origin:builtin", "name": "builtin", "removed": 0}])
        tree = self.get_json(f"{RUNS}/{run}/stack_flame?tf=focus:origin:third-party,merge:origin:builtin")
        self.assertEqual({tree["frames"]["name"][name].split()[0]: own for name, own in zip(tree["frame"], tree["self"])}, {"dumps": 5})

    def test_count_of_stretches(self):
        text = "a;b;c 1\na;b;d 1\na;b 1\na;d;b 1\na;b 1\n"
        run = self.server.request("POST", f"{RUNS}?wait=1&name=stretches", text.encode()).json["id"]
        ids = {row[1]: row[2] for row in self.get_json(f"{RUNS}/{run}/stack_functions?limit=9")["rows"]}
        tree = self.get_json(f"{RUNS}/{run}/stack_flame?tf=merge:{ids['d']}")
        self.assertEqual({tree["frames"]["name"][name]: count for name, count in zip(tree["frame"], tree["count"])}, {"a": 1, "b": 1, "c": 1})
        tree = self.get_json(f"{RUNS}/{run}/stack_flame?tf=invert")
        roots = {tree["frames"]["name"][name]: count for name, parent, count in zip(tree["frame"], tree["parent"], tree["count"]) if parent < 0}
        self.assertEqual(roots, {"c": 1, "d": 1, "b": 1})

    def test_invalid_transforms(self):
        own = self.ids[next(frame for frame in self.ids if FILES[0] in frame)]
        for tf, message in (("hide:1", "unknown transform hide"), ("drop:9999999", "this run has no frame with the id 9999999"),
                            ("drop:x", "x is not the id of a frame"), ("drop", "cannot have this target"), (f"collapse:{own}", "cannot have this target"),
                            (f"merge:package:{own}", "has no package"), ("focus-path:1..2", "is not the id"), ("focus-path", "is not the id"),
                            ("invert:1", "cannot have this target"), ("merge:origin:mine", "unknown origin"), ("collapse:origin:own", "cannot have this target"), (",".join(["recursion"] * 33), "at most 32 transforms"),
                            ("focus-path:" + ".".join([str(own)] * 1025), "at most 1024 frames")):
            for view in ("stack_flame", "stack_functions", "sandwich"):
                answer = self.server.request("GET", f"{self.path}/{view}?name_id=1&tf={tf}")
                self.assertEqual(answer.status, 400)
                self.assertIn(message, answer.json["error"]["text"])
