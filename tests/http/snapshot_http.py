# SPDX-License-Identifier: MIT
"""The views of memory snapshots, on small snapshots of which everything is known."""
import json
import random

from server import RUNS, ServerTest, dump

MIB = 1 << 20
START_US = 1_700_000_000_000_000


def frames(*places):
    """Innermost first: "name file.py:line"."""
    out = []
    for place in places:
        name, where = place.split()
        file, line = where.rsplit(":", 1)
        out.append({"name": name, "filename": file, "line": int(line)})
    return out


EMBED = frames("embedding functional.py:10", "_call_impl torch/nn/modules/module.py:1500", "forward model.py:20", "<module> train.py:5")
HEAD = frames("forward model.py:30", "<module> train.py:6")
CPP = [{"name": "at::empty_cuda", "filename": "Empty.cpp", "line": 0}]


def event(action, address, size, t, stack=None, **more):
    made = {"action": action, "addr": address, "size": size, "stream": 0, "time_us": START_US + t, **more}
    if stack is not None:
        made["frames"] = stack
    if action == "oom":
        made["device_free"] = made.pop("addr")
    return made


def block(size, requested, state="active_allocated", stack=None):
    return {"size": size, "requested_size": requested, "state": state, "frames": stack or []}


def segment(address, blocks, device=0, **more):
    used = sum(b["size"] for b in blocks if b["state"] == "active_allocated")
    return {"device": device, "address": address, "total_size": sum(b["size"] for b in blocks), "allocated_size": used, "active_size": used,
            "requested_size": used, "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": False, "frames": [], "blocks": blocks, **more}


def place(segments):
    for part in segments:
        at = part["address"]
        for one in part["blocks"]:
            one["address"] = at
            at += one["size"]
    return segments


def snapshot():
    """Event by event on GPU 0, live bytes in MiB: before 5 + 3 = 8; alloc 10 -> 18; alloc 4 -> 22 (peak); free of the old 5 -> 17; oom; free 4 -> 13."""
    a, old, b, kept = 0x1000_0000, 0x2000_0000, 0x1000_0000 + 12 * MIB, 0x3000_0000
    trace = [
        event("segment_alloc", a, 20 * MIB, 0, []),
        event("alloc", a, 10 * MIB, 10, EMBED),
        event("alloc", b, 4 * MIB, 20, HEAD),
        event("free_completed", old, 5 * MIB, 30, HEAD),
        event("oom", 2 * MIB, 100 * MIB, 40, HEAD),
        event("free_requested", b, 4 * MIB, 50, []),
        event("free_completed", b, 4 * MIB, 60, []),
        event("snapshot", 0, 13 * MIB, 70, []),
    ]
    segments = [
        segment(a, [block(12 * MIB, 10 * MIB, stack=EMBED), block(8 * MIB, 0, "inactive")]),
        segment(kept, [block(4 * MIB, 3 * MIB, stack=CPP)]),
        segment(old, [block(6 * MIB, 0, "inactive")]),
        segment(kept, [block(2 * MIB, 2 * MIB)], device=1),
    ]
    marks = [{"stage": stage, "name": "Optimizer.step#Adam.step", "device": 0, "time_us": START_US + t} for stage, t in (("START", 15), ("END", 45), ("START", 65))]
    return {"segments": place(segments), "device_traces": [trace, []], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:20"},
            "external_annotations": marks}


def training(steps, annotated=False):
    """Steps that allocate 10 MiB for a while, keep 1 MiB in each, and 2 MiB in the first."""
    trace, blocks, t, at = [], [], 0, 0x1000_0000
    marks = []
    for step in range(steps):
        if annotated:
            marks.append({"stage": "START", "name": "Optimizer.step#SGD.step", "device": 0, "time_us": START_US + t})
        kept = [(MIB, HEAD), *([(2 * MIB, EMBED)] if step == 0 else [])]
        for size, stack in kept:
            at += 4 * MIB
            trace.append(event("alloc", at, size, t, stack))
            blocks.append(block(4 * MIB, size, stack=stack))
        for i in range(5):
            trace.append(event("alloc", 0x9000_0000 + i * 4 * MIB, 2 * MIB, t + 1, EMBED))
        for i in range(5):
            trace.append(event("free_requested", 0x9000_0000 + i * 4 * MIB, 2 * MIB, t + 2, []))
            trace.append(event("free_completed", 0x9000_0000 + i * 4 * MIB, 2 * MIB, t + 2, []))
        t += 10
    segments = [segment(0x1000_0000 + 4 * MIB, blocks), segment(0x9000_0000, [block(20 * MIB, 0, "inactive")])]
    return {"segments": place(segments), "device_traces": [trace], "external_annotations": marks}


class Leaks(ServerTest):
    def leaks(self, made, query=""):
        return self.get_json(f"{RUNS}/{self.add(json.dumps(made).encode())['id']}/snapshot/leaks{query}")

    def check(self, answer, source):
        self.assertEqual(answer["step_source"], source)
        head, embedding = answer["rows"]
        self.assertEqual((head["name"], head["bytes"], head["count"], head["growth"]), ("forward", 6 * MIB, 6, MIB))
        self.assertEqual((embedding["name"], embedding["bytes"], embedding["count"], embedding["growth"]), ("embedding", 2 * MIB, 1, None))
        self.assertEqual((sum(head["bytes_per_step"]), sum(embedding["count_per_step"])), (6 * MIB, 1))
        self.assertEqual(answer["steps"][-1]["to"], 97)
        for before, after in zip(answer["steps"], answer["steps"][1:]):
            self.assertEqual(before["to"], after["from"])

    def test_annotated_steps(self):
        answer = self.leaks(training(6, annotated=True))
        self.check(answer, "annotations")
        self.assertEqual(answer["step_name"], "Optimizer.step#SGD.step")
        self.assertEqual([(s["from"], s["incomplete"]) for s in answer["steps"]], [(0, True), (17, False), (33, False), (49, False), (65, False), (81, True)])
        self.assertEqual(answer["rows"][0]["bytes_per_step"], [MIB] * 6)

    def test_steps_of_cycles(self):
        self.check(self.leaks(training(6)), "cycles")

    def test_given_steps(self):
        answer = self.leaks(training(6), "?steps=5")
        self.check(answer, "given")
        self.assertEqual([(s["from"], s["to"]) for s in answer["steps"]], [(0, 19), (19, 38), (38, 58), (58, 77), (77, 97)])
        few = self.leaks(training(6), "?steps=5&limit=1&from=2")
        self.assertEqual((len(few["rows"]), few["omitted"], few["bytes"]), (1, {"rows": 0, "bytes": 0, "count": 0}, 5 * MIB))

    def test_without_steps(self):
        answer = self.leaks(snapshot() | {"external_annotations": []})
        self.assertEqual((answer["step_source"], answer["steps"]), (None, []))
        self.assertEqual([(row["name"], row["bytes"], row["bytes_per_step"], row["growth"]) for row in answer["rows"]], [("embedding", 10 * MIB, [], None)])

    def test_wrong_parameters(self):
        path = f"{RUNS}/{self.add(json.dumps(training(6)).encode())['id']}/snapshot/leaks"
        for query in ("steps=annotation", "steps=0", "steps=1001", "steps=x", "from=97", "limit=x", "device=3"):
            self.assertRefused(self.get(f"{path}?{query}"), 400, "bad_request")


def text_of(parts):
    """A sentence of a conclusion; numbers are in MiB."""
    return "".join(p.get("text") or p.get("code") or (f"{p['value'] / MIB:g} MiB" if p["unit"] == "bytes" else f"{p['value']:g}") for p in parts)


class Conclusions(ServerTest):
    def conclusion(self, made):
        path = f"{RUNS}/{self.add(json.dumps(made).encode())['id']}"
        return self.get_json(f"{path}/conclusion"), path

    def test_a_failed_allocation(self):
        answer, path = self.conclusion(snapshot())
        self.assertEqual(text_of(answer["verdict"]), "An allocation of 100 MiB failed on GPU 0: the driver had 2 MiB free.")
        self.assertEqual(text_of(answer["sentence"]).strip(), "PyTorch had reserved 30 MiB, of which 13 MiB were not in use; the largest hole was 6 MiB. "
                                                              "embedding at functional.py:10 holds the most, 10 MiB in 1 allocation, model.py:30 4 MiB.")
        causes = [(cause["rule"], text_of(cause["title"]), cause["amount"] // MIB, cause["save_max"] is None) for cause in answer["causes"]]
        self.assertEqual(causes, [("fragmentation", "Reserved memory that no allocation used", 13, False), ("stack", "embedding at functional.py:10", 10, True),
                                  ("stack", "model.py:30", 4, True), ("no_stack", "(no Python stack)", 3, True)])
        self.assertIn("expandable_segments", answer["causes"][0]["advice"])
        installed = json.loads(json.dumps(snapshot()))
        for one in installed["device_traces"][0]:
            for frame in one.get("frames") or []:
                if frame["filename"] == "functional.py":
                    frame["filename"] = "/lib/python3.12/site-packages/torch/nn/functional.py"
        self.assertIn("embedding at functional.py:10 from model.py:20 holds the most", text_of(self.conclusion(installed)[0]["sentence"]))
        # each number is equal where its link leads
        link = answer["causes"][1]["title"][0]["link"]
        self.assertEqual(link["tab"], "snapshot")
        rows = self.get_json(f"{path}/snapshot/live?device={link['params']['d']}&at={link['params']['at']}")["rows"]
        self.assertEqual([row["bytes"] for row in rows if str(row["stack"]) == link["params"]["s"]], [10 * MIB])
        segments = self.get_json(f"{path}/snapshot/segments?at={link['params']['at']}")
        self.assertEqual((segments["reserved"], segments["unused"], segments["largest_hole"]), (30 * MIB, 13 * MIB, 6 * MIB))

    def test_a_function_that_allocates_for_all_others(self):
        """Stacks that end alike are told apart by the first caller that differs."""
        stacks = [frames("allocate backend.py:9", "init weights.py:5", caller, "<module> run.py:1") for caller in ("mlp model.py:20", "attention model.py:30")]
        blocks = [block(4 * MIB, 4 * MIB, stack=stacks[0]), block(2 * MIB, 2 * MIB, stack=stacks[1])]
        made = {"segments": place([segment(0x1000_0000, blocks)]), "device_traces": [[]]}
        self.assertIn("allocate at backend.py:9 from model.py:20 holds the most, 4 MiB in 1 allocation, allocate at backend.py:9 from model.py:30 2 MiB.",
                      text_of(self.conclusion(made)[0]["sentence"]))

    def test_a_peak(self):
        made = snapshot()
        made["device_traces"][0][4] = event("segment_alloc", 0x5000_0000, 40 * MIB, 40, [])
        made["segments"].append(segment(0x5000_0000, [block(40 * MIB, 0, "inactive")]))
        place(made["segments"])
        answer, _ = self.conclusion(made)
        self.assertEqual(text_of(answer["verdict"]), "Memory peaks at 22 MiB on GPU 0.")
        self.assertEqual([cause["rule"] for cause in answer["causes"]], ["stack", "no_stack", "fragmentation", "stack"])
        self.assertAlmostEqual(sum(cause["share"] for cause in answer["causes"] if cause["rule"] != "fragmentation"), 1)

    def test_growth_in_each_step(self):
        answer, _ = self.conclusion(training(6, annotated=True))
        self.assertIn(" It grows: model.py:30 keeps 1 MiB more in each of 3 steps.", text_of(answer["sentence"]))
        small = training(6, annotated=True)
        small["device_traces"][0].append(event("alloc", 0xc000_0000, 4096 * MIB, 10_000, EMBED))
        small["segments"].append(segment(0xc000_0000, [block(4096 * MIB, 4096 * MIB, stack=EMBED)]))
        place(small["segments"])
        self.assertIn("model.py:30 keeps about 1.00 MiB more in each of 3 steps.", self.conclusion(small)[0]["notes"])
        self.assertNotIn("Memory that grows in each step", answer["checked"])
        steady = training(6, annotated=True)
        steady["device_traces"][0] = [one for one in steady["device_traces"][0] if one.get("frames") != HEAD]
        for one in steady["segments"][0]["blocks"]:
            if one["frames"] == HEAD:
                one.update(state="inactive", requested_size=0)
        self.assertIn("Memory that grows in each step", self.conclusion(steady)[0]["checked"])

    def test_conclusion_merges_stacks_of_the_same_name(self):
        def moved(*modules):
            apply = [f"_apply /venv/site-packages/torch/nn/modules/module.py:{line}" for line in modules]
            return frames("convert /venv/site-packages/torch/nn/modules/module.py:1357", *apply, "to /venv/site-packages/torch/nn/modules/module.py:1369", "load evaluator.py:37", "<module> train.py:5")

        stacks = [moved(900), moved(900, 900), moved(900, 900, 927), HEAD]
        blocks = [block(size * MIB, size * MIB, stack=stack) for size, stack in zip((3, 9, 8, 12), stacks)]
        answer, _ = self.conclusion({"segments": place([segment(0x1000_0000, blocks)]), "device_traces": [[]]})
        self.assertIn("convert at module.py:1357 from evaluator.py:37 holds the most, 20 MiB in 3 allocations, model.py:30 12 MiB.", text_of(answer["sentence"]))
        self.assertEqual([(text_of(cause["title"]), cause["amount"] // MIB, text_of(cause["evidence"])) for cause in answer["causes"]],
                         [("convert at module.py:1357 from evaluator.py:37", 20, "3 allocations by 3 stacks"), ("model.py:30", 12, "1 allocation")])
        # no single stack has these bytes, so none is selected
        self.assertEqual(["s" in cause["title"][0]["link"]["params"] for cause in answer["causes"]], [False, True])

    def test_a_loop_and_the_driver(self):
        trace = []
        for i in range(300):
            trace += [event("segment_alloc", 0x9000_0000, 4 * MIB, i, []), event("alloc", 0x9000_0000, MIB, i, HEAD),
                      event("free_requested", 0x9000_0000, MIB, i, []), event("free_completed", 0x9000_0000, MIB, i, []),
                      event("segment_free", 0x9000_0000, 4 * MIB, i, [])]
        notes = self.conclusion({"segments": [], "device_traces": [trace]})[0]["notes"]
        self.assertIn("model.py:30 allocated memory 300 times and freed it within 2 events (median). A buffer can be allocated once, "
                      "outside of the loop; the result of an operator is new in each call, unless it is written with out=.", notes)
        self.assertTrue(any(note.startswith("PyTorch returned 300 segments to the driver and asked for 300") for note in notes), notes)

    def test_results_that_are_kept_into_the_next_call_are_no_buffer(self):
        """x = relu(x): the new result is allocated before the old one is freed."""
        trace, of = [], lambda i: 0x9000_0000 + (i & 1) * MIB
        for i in range(300):
            trace.append(event("alloc", of(i), MIB, i, HEAD))
            if i:
                trace += [event("free_requested", of(i - 1), MIB, i, []), event("free_completed", of(i - 1), MIB, i, [])]
        notes = self.conclusion({"segments": [], "device_traces": [trace]})[0]["notes"]
        self.assertFalse([note for note in notes if "outside of the loop" in note], notes)

    def test_nothing(self):
        self.assertEqual(text_of(self.conclusion({"segments": [], "device_traces": []})[0]["verdict"]), "No memory was measured.")
        off = snapshot() | {"device_traces": [], "external_annotations": []}
        self.assertEqual(text_of(self.conclusion(off)[0]["verdict"]), "Memory peaks at 13 MiB on GPU 0.")


class LongTraces(ServerTest):
    """Traces of several chunks of packed rows, which have 65,536 rows each."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng, live, cls.sizes, trace = random.Random(7), {}, [], []
        total = 0
        for i in range(150_000):
            slot = rng.randrange(500)
            address = 0x1000_0000 + slot * MIB
            if slot in live:
                size = live.pop(slot)
                trace.append(event("free_completed", address, size, i))
                total -= size
            else:
                live[slot] = size = 512 + rng.randrange(MIB - 512)
                trace.append(event("alloc", address, size, i, HEAD if slot % 2 else EMBED))
                total += size
            cls.sizes.append(total)
        blocks = [block(MIB, live.get(slot, 0), "active_allocated" if slot in live else "inactive") for slot in range(500)]
        made = {"segments": place([segment(0x1000_0000, blocks)]), "device_traces": [trace]}
        answer = cls.server.request("POST", f"{RUNS}?wait=1", json.dumps(made).encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}/snapshot"

    def test_timeline(self):
        n = len(self.sizes)
        for x in ("event", "time"):
            for start, end, columns in ((0, n, 4000), (0, n, 7), (65_000, 67_000, 100), (131_000, 150_000, 4096)):
                answer = self.get_json(f"{self.path}/timeline?x={x}&from={start}&to={end}&columns={columns}")
                self.assertEqual((answer["from_us"], answer["to_us"]), (START_US + start, START_US + end - 1))
                self.assertEqual([sum(parts) for parts in zip(*answer["parts"])], answer["live"])
                self.assertEqual(answer["live"], [self.sizes[at] for at in answer["event"]])
                self.assertEqual(answer["event"], [max((e for e in range(start + -(-c * (end - start) // columns), start + -(-(c + 1) * (end - start) // columns))),
                                                       key=lambda e: (self.sizes[e], -e)) for c in range(columns)])

    def test_live_sets(self):
        for at in (0, 65_535, 65_536, 100_000, 131_072, 149_999):
            for view in ("live", "flame", "segments"):
                self.assertEqual(self.get_json(f"{self.path}/{view}?at={at}")["sum" if view == "flame" else "live"], self.sizes[at], (view, at))


class Comparison(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        other = snapshot()
        main = frames("main other.py:1")
        for one in other["device_traces"][0]:
            if one.get("frames"):
                one["frames"] = [*one["frames"], *main]
        other["device_traces"][0][1]["size"] = 11 * MIB  # the embedding is larger
        other["device_traces"][0][2]["frames"] = frames("tail model.py:40", "<module> train.py:7", "main other.py:1")  # the head is gone
        other["segments"][0]["blocks"][0]["requested_size"] = 11 * MIB
        cls.ids = []
        for made in (snapshot(), other):
            answer = cls.server.request("POST", f"{RUNS}?wait=1", json.dumps(made).encode())
            assert answer.status == 201, answer.body
            cls.ids.append(answer.json["id"])

    def compare(self, query="", swap=False):
        base, new = reversed(self.ids) if swap else self.ids
        return self.get_json(f"/api/v1/compare/snapshot?base={base}&new={new}{query}")

    def test_rows(self):
        answer = self.compare()
        self.assertEqual((answer["base"]["live"], answer["new"]["live"]), (22 * MIB, 23 * MIB))
        self.assertEqual([(row["name"], row["base"] // MIB, row["new"] // MIB, row["change"] // MIB, row["verdict"]) for row in answer["rows"]],
                         [("forward", 4, 0, -4, "gone"), ("tail", 0, 4, 4, "new"), ("embedding", 10, 11, 1, "more"), (None, 8, 8, 0, "same")])
        self.assertEqual((answer["rows"][2]["caller"]["name"], answer["common_stacks"]), ("forward", 1))
        self.assertEqual(answer["begins_at"]["name"], "<module>")  # main is in one run only
        self.assertEqual(sum(row["change"] for row in answer["rows"]), MIB)
        few = self.compare("&limit=1")
        self.assertEqual((len(few["rows"]), few["omitted"]), (1, {"rows": 3, "base": 18 * MIB, "new": 23 * MIB, "base_count": 3, "new_count": 4}))
        self.assertEqual([row["verdict"] for row in self.compare(swap=True)["rows"]][2:], ["less", "same"])

    def test_flame(self):
        answer = self.compare()
        tree = answer["tree"]
        base, new = tree["base"], tree["new"]
        names = [tree["frames"]["name"][frame] if frame >= 0 else frame for frame in tree["frame"]]
        rows = sorted(zip(names, (n // MIB for n in base["total"]), (n // MIB for n in new["total"]), new["count"]), key=str)
        self.assertEqual([(answer[side]["live"], answer[side]["count"]) for side in ("base", "new")], [(base["sum"], 4), (new["sum"], 4)])
        self.assertEqual((base["sum"] // MIB, new["sum"] // MIB), (22, 23))
        self.assertEqual(rows, sorted([(-2, 8, 8, 2), ("<module>", 10, 11, 1), ("<module>", 4, 0, 0), ("<module>", 0, 4, 1), ("forward", 10, 11, 1),
                                       ("forward", 4, 0, 0), ("tail", 0, 4, 1), ("embedding", 10, 11, 1)], key=str))
        self.assertEqual(tree["parent"][0], -1)

    def test_other_moments(self):
        end = self.compare("&of=end")
        self.assertEqual([end[side]["live"] // MIB for side in ("base", "new")], [13, 14])
        mixed = self.compare("&base_at=-1&new_at=end")
        self.assertEqual([mixed[side]["live"] // MIB for side in ("base", "new")], [8, 14])
        self.assertEqual([row["name"] for row in self.compare("&base_device=1&new_device=1")["rows"]], [None])

    def test_stacks_begin_at_a_common_line(self):
        """The second run calls the function through a wrapper of the same name and file, from another line of its script."""
        calls = [("big lib/python3.12/site-packages/lib.py:1", "forward model.py:20"), ("forward model.py:30",)]
        ids = []
        for start, wrapped in (("<module> train.py:5", ()), ("<module> train.py:9", ("forward model.py:90",))):
            blocks = [block(MIB * (i + 1), MIB * (i + 1), stack=frames(*call, *wrapped, start)) for i, call in enumerate(calls)]
            blocks.append(block(MIB, MIB, stack=frames(*wrapped, "forward model.py:40", start)))
            ids.append(self.add(json.dumps({"segments": place([segment(0x1000_0000, blocks)]), "device_traces": [[]]}).encode(), name=start)["id"])
        answer = self.get_json(f"/api/v1/compare/snapshot?base={ids[0]}&new={ids[1]}&of=end")
        self.assertEqual(answer["begins_at"], {"name": "forward", "file": "model.py"})
        rows = sorted((row["name"], row["line"], row["base"] // MIB, row["new"] // MIB) for row in answer["rows"])
        self.assertEqual(rows, [("big", 1, 1, 1), ("forward", 30, 2, 2), ("forward", 40, 1, 0), ("forward", 90, 0, 1)])
        own = self.get_json(f"/api/v1/compare/snapshot?base={ids[0]}&new={ids[1]}&of=end&frames=own")
        self.assertIn(("forward", 20, 1, 1), [(row["name"], row["line"], row["base"] // MIB, row["new"] // MIB) for row in own["rows"]])
        self.assertNotIn("big", [row["name"] for row in own["rows"]])

    def test_lines_need_not_meet(self):
        with_lines = self.compare("&base_at=peak&new_at=peak")
        without = self.compare("&lines=0")
        self.assertGreater(with_lines["tree"]["n"], without["tree"]["n"])
        self.assertEqual(sum(row["change"] for row in without["rows"]), MIB)
        self.assertEqual(set(without["tree"]["frames"]["line"]), {0})

    def test_wrong_parameters(self):
        base, new = self.ids
        other = self.add(dump(), name="other")["id"]
        for query in ("of=now", "frames=mine", "base_at=99", "new_device=7", "lines=2", "limit=x"):
            self.assertRefused(self.get(f"/api/v1/compare/snapshot?base={base}&new={new}&{query}"), 400, "bad_request")
        self.assertRefused(self.get(f"/api/v1/compare/snapshot?base={base}&new={base},{new}"), 400, "bad_request")
        self.assertRefused(self.get(f"/api/v1/compare/snapshot?base={other}&new={other}"), 400, "bad_request")


class Snapshots(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=snapshot", json.dumps(snapshot()).encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}/snapshot"

    def view(self, rest=""):
        return self.get_json(self.path + rest)

    def test_devices(self):
        answer = self.view()
        first, second = answer["devices"]
        self.assertEqual([first[key] // MIB for key in ("live_before", "reserved_before", "peak_live", "reserved_at_peak", "live_end", "reserved_end")], [8, 10, 22, 30, 13, 30])
        self.assertEqual((first["peak_event"], first["cursor"], first["ooms"], first["has_times"], first["first_us"]), (2, 4, 1, True, START_US))
        self.assertEqual((second["events"], second["cursor"], second["has_times"], second["live_end"]), (0, -1, False, 2 * MIB))
        self.assertEqual(answer["settings"], {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:20"})

    def test_marks(self):
        marks = [(m["event"], m["end"], m["kind"], m["name"], m["asked"], m["free"]) for m in self.view()["marks"]]
        step = "Optimizer.step#Adam.step"
        self.assertEqual(marks, [(2, 5, "annotation", step, None, None), (4, None, "oom", None, 100 * MIB, 2 * MIB),
                                 (7, None, "snapshot", None, None, None), (7, None, "annotation", step, None, None)])

    def test_groups(self):
        groups = [(g["device"], g["group"], g["name"], g["file"], g["line"], g["caller"]["name"]) for g in self.view()["groups"]]
        self.assertEqual(groups, [(0, 1, "embedding", "functional.py", 10, "forward"), (0, 2, "forward", "model.py", 30, "<module>")])

    def test_live_by_stack(self):
        def live(at, rest=""):
            answer = self.view(f"/live?at={at}{rest}")
            self.assertEqual(answer["live"], sum(row["bytes"] for row in answer["rows"]) + answer["omitted"]["bytes"])
            return [(row["name"], row["bytes"] // MIB, row["count"], row["lifetime"], row["group"]) for row in answer["rows"]], answer["reserved"] // MIB

        self.assertEqual(live(-1), ([(None, 8, 2, None, 0)], 10))
        self.assertEqual(live("peak"), ([("embedding", 10, 1, 7, 1), (None, 8, 2, None, 0), ("forward", 4, 1, 4, 2)], 30))
        self.assertEqual(live(""), live("oom"))
        self.assertEqual(live("end"), ([("embedding", 10, 1, 7, 1), (None, 3, 1, None, 0)], 30))
        self.assertEqual(live("peak", "&limit=1"), ([("embedding", 10, 1, 7, 1)], 30))
        # as PyTorch's viewer: C++ frames too, and what was freed has the stack of its free
        self.assertEqual(sorted(row[:3] for row in live("peak", "&plumbing=1")[0]), [("at::empty_cuda", 3, 1), ("embedding", 10, 1), ("forward", 9, 2)])

    def test_stacks_have_the_same_numbers_in_all_views(self):
        for plumbing in (0, 1):
            at = f"at=peak&plumbing={plumbing}"
            rows = {row["stack"]: row["bytes"] for row in self.view(f"/live?{at}")["rows"]}
            blocks = {}
            for segment in self.view(f"/segments?{at}")["segments"]:
                for block in segment["blocks"]:
                    blocks[block[6]] = blocks.get(block[6], 0) + block[2]
            self.assertEqual({stack: blocks[stack] for stack in blocks if stack is not None}, {stack: rows[stack] for stack in blocks if stack is not None})
            self.assertLessEqual(set(rows) - {None}, set(self.view(f"/flame?{at}")["stack"]))
            lives = self.view(f"/lifetimes?plumbing={plumbing}")["allocations"]
            self.assertLessEqual(set(rows) - {None}, {one["stack"] for one in lives})
            one = self.view(f"/allocation?id={lives[0]['id']}&plumbing={plumbing}")
            self.assertEqual(one["stack"], lives[0]["stack"])

    def test_live_otherwise(self):
        def names(by):
            return {row["name"]: row["bytes"] // MIB for row in self.view(f"/live?at=peak&by={by}")["rows"]}

        self.assertEqual(names("caller"), {"forward": 10, "<module>": 4, None: 8})
        self.assertEqual(names("file"), {"functional.py": 10, "model.py": 4, None: 8})
        self.assertEqual(names("module"), {"functional": 10, "model": 4, None: 8})
        stacks = {row["name"]: row["stack"] for row in self.view("/live?at=peak")["rows"]}
        for by in ("caller", "file", "module"):
            rows = self.view(f"/live?at=peak&by={by}")["rows"]
            self.assertEqual(sorted(map(str, stacks.values())), sorted(str(one) for row in rows for one in row["stacks"]), by)
        files = {row["name"]: row["stacks"] for row in self.view("/live?at=peak&by=file")["rows"]}
        self.assertEqual((files["functional.py"], files[None]), ([stacks["embedding"]], [None]))
        self.assertNotIn("stacks", self.view("/live?at=peak&by=size")["rows"][0])
        self.assertEqual(names("size"), {f"{n * MIB} B": n for n in (10, 5, 4, 3)})
        self.assertEqual(names("stream"), {"stream 0": 22})

    def test_flame(self):
        tree = self.view("/flame?at=peak")
        names = [tree["frames"]["name"][frame] if frame >= 0 else frame for frame in tree["frame"]]
        self.assertEqual((tree["sum"] // MIB, tree["allocations"], tree["unit"]), (22, 4, "B"))
        self.assertEqual(list(zip(tree["parent"], names, [n // MIB for n in tree["total"]], tree["count"], tree["group"])), [
            (-1, "<module>", 10, 1, 0), (-1, -2, 8, 2, 0), (-1, "<module>", 4, 1, 0), (0, "forward", 10, 1, 0), (2, "forward", 4, 1, 2), (3, "embedding", 10, 1, 1)])
        self.assertEqual(tree["stack"][1], None)

    def test_timeline(self):
        answer = self.view("/timeline")
        self.assertEqual(answer["event"], list(range(8)))
        self.assertEqual([n // MIB for n in answer["live"]], [8, 18, 22, 17, 17, 17, 13, 13])
        self.assertEqual([sum(parts) for parts in zip(*answer["parts"])], answer["live"])
        self.assertEqual([n // MIB for n in answer["parts"][0]], [8, 8, 8, 3, 3, 3, 3, 3])
        self.assertEqual(answer["names"][:3], ["no Python stack", "embedding", "model.py:30"])
        answer = self.view("/timeline?columns=2&from=1&to=7&by=pool")
        self.assertEqual((answer["event"], [n // MIB for n in answer["live"]], answer["names"]), ([2, 4], [22, 17], ["default pool", "other"]))
        answer = self.view("/timeline?columns=3&x=time")
        self.assertEqual((answer["from_us"], answer["to_us"]), (START_US, START_US + 70))
        self.assertEqual((answer["event"], answer["t_us"]), ([2, 3, 5], [START_US + t for t in (20, 30, 50)]))

    def test_segments(self):
        def segments(at):
            answer = self.view(f"/segments?at={at}")
            self.assertTrue(answer["exact"])
            self.assertEqual(answer["unused"], answer["reserved"] - answer["live"])
            return [(int(s["address"], 16), s["bytes"] // MIB, [(b[0] // MIB, b[1] // MIB, b[2] // MIB, b[3], b[5]) for b in s["blocks"]])
                    for s in answer["segments"]], answer["largest_hole"] // MIB

        first, old, kept = 0x1000_0000, 0x2000_0000, 0x3000_0000
        before = [(old, 6, [(0, 5, 5, 0, "live")]), (kept, 4, [(0, 4, 3, 0, "live")])]  # the size of the old block is not known
        self.assertEqual(segments(-1), (before, 1))
        self.assertEqual(segments(0), ([(first, 20, []), *before], 20))
        self.assertEqual(segments("peak"), ([(first, 20, [(0, 12, 10, 1, "live"), (12, 4, 4, 2, "live")]), *before], 4))
        self.assertEqual(segments("end"), ([(first, 20, [(0, 12, 10, 1, "live")]), (old, 6, []), before[1]], 8))
        self.assertEqual(self.view("/segments?device=1")["note"], None)
        self.assertIn("rounded", self.view("/segments")["note"])

    def test_a_free_that_waits(self):
        a, b = 0x1000_0000, 0x1000_0000 + 4 * MIB
        trace = [event("alloc", a, MIB, 0, EMBED), event("free_requested", a, MIB, 1, []), event("alloc", b, MIB, 2, HEAD), event("free_completed", a, MIB, 3, [])]
        made = {"segments": place([segment(a, [block(4 * MIB, 0, "inactive"), block(4 * MIB, MIB, stack=HEAD)])]), "device_traces": [trace]}
        path = f"{RUNS}/{self.add(json.dumps(made).encode(), name='waits')['id']}/snapshot/segments"
        states = [[one[5] for one in self.get_json(f"{path}?at={at}")["segments"][0]["blocks"]] for at in range(4)]
        self.assertEqual(states, [["live"], ["waits"], ["waits", "live"], ["live"]])

    def test_lifetimes(self):
        def lifetimes(query):
            answer = self.view(f"/lifetimes?{query}")
            return [(row["start"], row["end"], row["bytes"] // MIB, row["group"]) for row in answer["allocations"]], \
                (answer["omitted"]["count"], answer["omitted"]["bytes"] // MIB)

        self.assertEqual(lifetimes(""), ([(-1, 3, 5, 0), (-1, None, 3, 0), (1, None, 10, 1), (2, 6, 4, 2)], (0, 0)))
        self.assertEqual(lifetimes("limit=2"), ([(-1, 3, 5, 0), (1, None, 10, 1)], (2, 7)))
        self.assertEqual(lifetimes("limit=0"), ([], (4, 22)))
        self.assertEqual(lifetimes("from=3&to=6"), ([(-1, None, 3, 0), (1, None, 10, 1), (2, 6, 4, 2)], (0, 0)))
        self.assertEqual(lifetimes("from=6"), ([(-1, None, 3, 0), (1, None, 10, 1)], (0, 0)))
        self.assertEqual(lifetimes("from=0&to=1"), ([(-1, 3, 5, 0), (-1, None, 3, 0)], (0, 0)))
        self.assertEqual(lifetimes("device=1"), ([(-1, None, 2, 0)], (0, 0)))

    def test_allocation(self):
        old, kept, embedded, head = (self.view(f"/allocation?id={row['id']}") for row in self.view("/lifetimes")["allocations"])
        self.assertEqual((old["before"], old["kept"], old["frames"], old["start_us"], old["end_us"]), (True, False, [], None, START_US + 30))
        self.assertEqual([frame["name"] for frame in old["free_frames"]], ["forward", "<module>"])
        self.assertEqual((kept["before"], kept["kept"], kept["stack"], kept["end"]), (True, True, None, None))
        self.assertEqual([(frame["name"], frame["plumbing"], frame["hidden"]) for frame in kept["frames"]], [("at::empty_cuda", True, False)])
        self.assertEqual([(frame["name"], frame["plumbing"]) for frame in embedded["frames"]],
                         [("embedding", False), ("_call_impl", True), ("forward", False), ("<module>", False)])
        self.assertEqual((embedded["address"], embedded["bytes"], embedded["start_us"], embedded["free_frames"], embedded["category"]),
                         ("0x10000000", 10 * MIB, START_US + 10, [], None))
        self.assertEqual((head["start"], head["end"], head["end_us"], head["free_frames"]), (2, 6, START_US + 60, []))
        stacks = {row["stack"]: row["name"] for row in self.view("/live?at=peak")["rows"]}
        self.assertEqual((stacks[embedded["stack"]], stacks[head["stack"]]), ("embedding", "forward"))

    def test_texts_of_an_allocation(self):
        made = {"segments": [], "device_traces": [[event("alloc", 4096, 10, 0, HEAD, compile_context="0/1", user_metadata="step 3", category="gradient")]]}
        path = f"{RUNS}/{self.add(json.dumps(made).encode(), name='texts')['id']}/snapshot"
        one = self.get_json(f"{path}/allocation?id={self.get_json(path + '/lifetimes')['allocations'][0]['id']}")
        self.assertEqual((one["context"], one["user_metadata"], one["category"]), ("0/1", "step 3", "gradient"))
        answer = self.get_json(f"{path}/timeline?by=category")
        self.assertEqual((answer["names"], answer["parts"]), (["gradient", "other"], [[10], [0]]))

    def test_a_gpu_without_a_trace(self):
        self.assertEqual(self.view("/timeline?device=1")["event"], [])
        self.assertEqual(self.view("/live?device=1")["live"], 2 * MIB)
        self.assertEqual(self.view("/flame?device=1")["total"], [2 * MIB])

    def test_wrong_parameters(self):
        for query in ("/live?device=7", "/live?device=x", "/live?at=8", "/live?at=-2", "/live?at=soon", "/live?device=1&at=oom", "/live?by=colour", "/live?limit=-1",
                      "/live?plumbing=2", "/flame?at=9", "/segments?at=9", "/lifetimes?from=9", "/lifetimes?limit=-1", "/allocation", "/allocation?id=65535999", "/allocation?id=x", "/timeline?columns=0", "/timeline?columns=5000", "/timeline?from=5&to=5", "/timeline?from=9",
                      "/timeline?x=colour", "/timeline?by=colour", "/timeline?device=2"):
            self.assertRefused(self.get(self.path + query), 400, "bad_request")
        run = self.add(dump(), name="other")
        self.assertRefused(self.get(f"{RUNS}/{run['id']}/snapshot"), 404, "not_found")

    def test_time_needs_times(self):
        plain = snapshot()
        for one in plain["device_traces"][0]:
            del one["time_us"]
        path = f"{RUNS}/{self.add(json.dumps(plain).encode(), name='plain')['id']}/snapshot"
        answer = self.get_json(path)
        self.assertEqual((answer["devices"][0]["has_times"], answer["marks_without_place"]), (False, 2))
        self.assertRefused(self.get(f"{path}/timeline?x=time"), 400, "bad_request")
        self.assertEqual(self.get_json(f"{path}/timeline")["t_us"], [None] * 8)

    def test_nothing(self):
        path = f"{RUNS}/{self.add(json.dumps({'segments': [], 'device_traces': []}).encode(), name='nothing')['id']}/snapshot"
        self.assertEqual(self.get_json(path)["devices"], [])
        self.assertRefused(self.get(f"{path}/live"), 400, "bad_request")


class OutOfRange(ServerTest):
    """Times and sizes that no program has: the import says so, and every view answers."""
    VIEWS = ("", "/timeline?columns=64", "/timeline?columns=64&x=time&by=category", "/curve", "/live", "/live?at=end", "/flame", "/segments", "/lifetimes",
             "/leaks", "/leaks?steps=annotation")

    def notes(self, content):
        """The notes of a run; each of its views answers, or says why it cannot."""
        run = self.add(json.dumps(content).encode())["id"]
        for view in self.VIEWS:
            answer = self.get(f"{RUNS}/{run}/snapshot{view}")
            self.assertIn(answer.status, (200, 400), (view, answer.body))
        self.assertEqual(self.get(f"{RUNS}/{run}/conclusion").status, 200)
        return " ".join(row[4] for row in self.get_json(f"{RUNS}/{run}/notes")["rows"])

    def test_times(self):
        for t_us in ((1 << 63) - 1, 1 << 63, -5, (1 << 63) // 1000 + 1):
            trace = [event("alloc", 4096, 100, 0, EMBED), dict(event("alloc", 8192, 100, 0, EMBED), time_us=t_us)]
            self.assertIn("times that are negative or after the year 2262, taken as unknown: 1", self.notes({"segments": [], "device_traces": [trace]}))
        last = [dict(event("alloc", 4096, 100, 0, EMBED), time_us=(1 << 63) // 1000)]
        self.assertNotIn("times", self.notes({"segments": [], "device_traces": [last]}))

    def test_sizes(self):
        huge = [segment(i << 48, [block(1 << 48, 1 << 48)]) for i in range(5000)]
        self.assertIn("out of range", self.notes({"segments": place(huge), "device_traces": []}))
        oom = dict(event("oom", 1 << 63, 100, 0), device_free=1 << 63)
        self.assertIn("a failed allocation whose free bytes are", self.notes({"segments": [], "device_traces": [[oom]]}))
