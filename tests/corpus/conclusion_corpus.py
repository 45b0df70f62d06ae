# SPDX-License-Identifier: MIT
"""Profiles whose causes are known: the conclusion names them, with the right numbers. Conclusions of all other runs add up."""
import functools
import os
import unittest

from corpus import CORPUS, ROOT, Shelf, has

DEMO = os.path.join(ROOT, "demo", "profiles")


def formatted(value, unit):
    """A number of a sentence, to four digits; "" for none."""
    if value is None:
        return ""
    return f"{value:.4g}" if unit == "count" else f"{value:.4g} {unit}"


def rendered(parts):
    return "".join(part.get("text") or (f"`{part['code']}`" if "code" in part else formatted(part["value"], part["unit"])) for part in parts)


# path -> the sentence; the causes: title, amount to four digits
KNOWN = {
    "demo/awscli.log": (
        "`botocore` takes 41.78 percent of the import time. `awscli.clidriver` imports it first.",
        {"`botocore`": "0.7169", "214 modules of the program": "0.3782", "Python\u2019s own start-up": "0.1951"}),
    "demo/threads.log": (
        "`asyncio` takes 61.5 percent of the import time.",
        {"`asyncio`": "0.05863"}),
    "wild/importtime/snodo.log": (
        "`snodo.validators.llm_validator` takes 72.34 percent of the import time. `snodo.validators.__init__` imports it, "
        "though `snodo.validators.context` is what is imported. It brings `litellm`.",
        {"`litellm`": "1.11"}),
    "demo/bookshop-slow.prof": (
        "`author_of` (bookshop.py:29) takes 40.99 percent of the time, in 1.2e+04 calls of `sqlite3.Cursor.fetchone`. "
        "`books_one_by_one` (bookshop.py:33) calls it 40 times in each of its calls. "
        "One query for all rows, or executemany, instead of one for each. Up to 39.35 percent could be saved. "
        "Next: `books` (bookshop.py:48) 39.61 percent.",
        {"`author_of`": "0.6555", "`books`": "0.6335"}),
    "wild/pstats/mymesh-program.prof": (
        "`BowyerWatson2d` (delaunay.py:592) takes 85.67 percent of the time itself. The profile has no lines: line_profiler tells which of them take the time.",
        {"`BowyerWatson2d`": "61.2", "`det`": "18.88"}),
    "wild/pstats/comp521-program.prof": (
        "`position_occupied` (game.py:104) takes 40.99 percent of the time itself. "
        "`_get_attacks` (attack.py:43) calls it 82 times in each of its calls. "
        "The profile has no lines: line_profiler tells which of them take the time. Imports take 14.03 percent.",
        {"`position_occupied`": "1.489"}),
    "demo/gpt-h200.pt.trace.json.gz": (
        "The host is too slow for the GPU. The GPU waits 0.01374 s of the 0.01453 s of a step for the CPU to launch 197 kernels a step.",
        {"GPU idle, waiting for the CPU": "0.01374", "Operators on the CPU": "0.007265", "Outside any operator": "0.005042",
         "Driver calls": "0.001433", "GPU kernels": "0.0007758"}),
    "demo/training-waits.pt.trace.json.gz": (
        "The loop waits for data. The DataLoader takes 0.004085 s of the 0.008751 s of a step, while nothing else runs.",
        {"Waiting for the DataLoader": "0.004085"}),
    "wild/torch-trace/tracelens-sglang-decode-mi300.json.gz": (
        "The GPU is busy with work that was not recorded 97.77 percent of the step. Launched work waits behind it for 0.4633 s of the 0.4738 s of a step. "
        "It was launched before the recording, as part of a graph, or by another process. "
        "A decode step keeps the GPU busy for 0.009773 s for 32 tokens. Its largest parts are matrix products 59.17 percent, attention 21.77 percent.",
        {"GPU busy with work that was not recorded": "0.4633", "GPU kernels": "0.00976"}),
    "made/torch-trace/torch113_transformer.trace.json.gz": (
        "No single cause. The largest shares of the trace are 30.27 percent in `aten::native_layer_norm_backward`, 13.48 percent in `aten::mm`, "
        "6.945 percent in `aten::add_`. Matrix products, convolutions and attention, forward and backward, take 68.97 percent of the trace.",
        {"Operators on the CPU": "0.8099", "`aten::native_layer_norm_backward`": "0.2454", "`aten::mm`": "0.1093"}),
    "made/torch-trace/torch26_ddp_rank0.trace.json.gz": (
        "Communication does not overlap with computation. It alone takes 0.03805 s of the 0.1459 s of the trace. "
        "Only this rank was recorded: a wait for a later rank looks the same.",
        {"Operators on the CPU": "0.08865", "`aten::nll_loss_backward`": "0.03487", "Communication that nothing overlaps": "0.03805"}),
    "wild/torch-trace/hta-sampled-rank0-of-128.json.gz": (
        "The GPU is idle 31.4 percent of each step. The GPU waits 0.1931 s of the 0.6151 s of a step for the CPU to launch 577 kernels a step. "
        "The host is outside of operators for 68.91 percent of that time; with_stack=True records the functions.",
        {"GPU idle, waiting for the CPU": "0.1931", "GPU busy with work that was not recorded": "0.148", "Communication that nothing overlaps": "0.1682", "GPU kernels": "0.1052"}),
    "wild/torch-trace/kineto-resnet50-v100-memory-2021.pt.trace.json.gz": (
        "The loop waits for data. The DataLoader takes 0.05926 s of the 0.1776 s of a step, while nothing else runs.",
        {"Waiting for the DataLoader": "0.05926", "GPU kernels": "0.09859", "Tensor Cores unused": "", "Optimizer is not fused": ""}),
    "wild/torch-trace/dtu-cpu-2021.json": (
        "No single cause. The largest shares of the trace are 68.2 percent in `aten::mkldnn_convolution`, 17.06 percent in `aten::native_batch_norm`, "
        "6.949 percent in `aten::max_pool2d_with_indices`. Matrix products, convolutions and attention, forward and backward, take 68.84 percent of the trace.",
        {"Operators on the CPU": "0.4723", "`aten::mkldnn_convolution`": "0.327"}),
    "wild/nsys-sqlite/weatherbench-2025.5.sqlite": (
        "Start-up takes 98.49 percent of the trace: the host blocks once in `cudaFree` and 6 other driver calls. "
        "The first calls start the device and load kernels; the longest takes 0.1118 s. Record after a warm-up to see how the program runs.",
        {"GPU idle, once: the device starts, or kernels are loaded": "0.1292"}),
    "wild/line-profiler-text/neural-net-2016.txt": (
        "`input_error[batch_index][i] += output_error_bj * weight_ij` takes 22.53 percent of `backward`. "
        "1.339 s of 5.944 s in 8.39e+06 hits, neural_net.py:142.",
        {"`input_error[batch_index][i] += output_error_bj * weight_ij`": "1.339"}),
    "wild/scalene/scalene-2022.json": (
        "`return list(compress(count(), data))` takes 77.46 percent of the samples. "
        "0.01395 percent in Python, 71.36 percent in native code, 6.082 percent not running, at test.py:11. Memory peaks at 3.039e+09 bytes. "
        "test.py:10 allocates 41.02 percent of what is allocated.", {}),
    "demo/events-memory.txt": (
        "`sessions_of` adds 9.031e+06 bytes. At events.py:23, in lines that ran several times, it grows the memory by "
        "9.031e+06 bytes in 1 call. Memory peaks at 4.273e+07 bytes.",
        {"`for _ in range(clicks):`": "5.591e+06"}),
    "wild/mprof/seqsharp-children.dat": (
        "Memory peaks at 8.019e+09 bytes after 55.75 s. It starts at 7.045e+05 bytes and ends at 6.427e+09 bytes after 66.52 s. "
        "Its 8 child processes together peak at 5.879e+09 bytes; the file does not say whether the curve contains them, "
        "as with --include-children.", {}),
    "wild/lightning/ave3net-simple.txt": (
        "`[Strategy]SingleDeviceStrategy.backward` takes 85.93 percent of the time. 123.9 s of 144.2 s in 10 calls.",
        {"`[Strategy]SingleDeviceStrategy.backward`": "123.9"}),
    "made/torch-trace/torch26_transformer.table.txt": (
        "`aten::sqrt` takes 18.08 percent of the self CPU time. 0.3318 s of 1.835 s in 81 calls.", {"`aten::sqrt`": "0.3318"}),
    "made/timing/bash_time.txt": (
        "The command waits most of the time. 0.002 s user and 0 s system time in 0.122 s.", {}),
    "made/timing/hyperfine200.json": (
        "`sleep 0.02` is 1.67 \u00b1 0.04 times slower than `python3 -c pass`. 0.02099 s (mean of 10 runs) against 0.01254 s (mean of 10 runs).",
        {"`python3 -c pass`": "0.01254", "`sleep 0.02`": "0.02099"}),
    # sampled stacks: causes and amounts are sums of innermost frames of the files
    "wild/py-spy-svg/pyspy-readme.svg": ( # py-spy's README: fitting the model, then the partition of numpy
        "`calculate_similar_artists` (lastfm.py:79) takes 99.97 percent of the samples, in `fit` of implicit.",
        {"`calculate_similar_artists`": "2892", "`fit`": "1490"}),
    "wild/collapsed/gprof2dot-synapse.collapse": (
        "No single cause. The largest shares are 9.972 percent in `f` (__init__.py:467), 9.335 percent in `run` (_base.py:114), "
        "8.982 percent in `filter_state` (state.py:255).",
        {"`f`": "282", "`run`": "264", "`filter_state`": "254"}),
    "wild/speedscope/pyspy-0.4.1-139k.json": (
        "`_vectorized_ray_segment_intersection` (sensor.py:202) takes 37.74 percent of the time itself. `scan` calls it at sensor.py:96. "
        "Imports take 31.7 percent. "
        "The most active thread is `Thread 680254 \"MainThread\"`, with 2.58 s.",
        {"`_vectorized_ray_segment_intersection`": "1", "`scan`": "0.3"}),
    "wild/speedscope/pyspy-0.4.2-mp.json": ( # the main thread waits for its pool of processes, which were not sampled
        "`bpe_encode` waits 84.37 percent of the time. 32.12 s of 38.07 s, all at bpe.py:218. "
        "Shares are of the 1 thread that worked; 3 idle threads are left out.",
        {"waiting in `bpe_encode`": "32.12", "`join`": "31.86"}),
    "wild/speedscope/pyinstrument-kedro.json": ( # time.sleep() until the server answers
        "`_wait_for` (utils.py:20) sleeps 68.22 percent of the time, in `sleep`. `run` calls it. "
        "Whether anything needs the pauses is not in the profile.",
        {"`_wait_for`": "8.048", "`sleep`": "8.024"}),
    "made/sampling-py315/threads.gecko.json": ( # two threads spin, the main thread joins them
        "`spin` (threads.py:14) takes 83.22 percent of the samples itself. 2 threads are at threads.py:14 most of their time: "
        "at a lock, or in Python code with the GIL, one of them gets on at a time. `main` calls it at threads.py:19. "
        "Next: `main` (threads.py:20) 15.26 percent. The most active thread is `Thread-6223`, with 400 samples.",
        {"`spin`": "600", "`main`": "110"}),
    "made/sampling-austin/full.austin": (
        "No single cause. The largest shares are 32.91 percent in `regex` (longer.py:11), 23.45 percent in `parse` (longer.py:5), "
        "15.39 percent in `/tmp/demo/austin/longer.py::13` (longer.py:13).",
        {"`regex`": "0.3945", "`parse`": "0.281"}),
    "wild/chrome-trace/viztracer-multithread.json": (
        "`sleep` takes 77.06 percent of the recorded work. 0.03516 s of 0.04563 s in 80 calls.", {"`sleep`": "0.03516"}),
    "wild/torch-trace/tracelens-xdit-flux-capture-54mb.json.gz": (
        "A graph is captured, which happens once. The GPU is idle 0.2247 s of the 0.4218 s of the trace, while its work is recorded.",
        {"GPU idle: a graph is captured": "0.2247", "GPU idle, waiting for the CPU": "0.133", "GPU kernels": "0.06402"}),
    "wild2/graph-replay/sglang_prefill.json.gz": (
        "The GPU is busy with work that was not recorded 49.95 percent of the step. Launched work waits behind it for 0.4932 s of the 0.9874 s of a step. "
        "It was launched before the recording, as part of a graph, or by another process. "
        "A prefill step keeps the GPU busy for 0.4928 s for 1.536e+04 tokens. Its largest parts are matrix products 85.29 percent, norms 5.328 percent.",
        {"GPU busy with work that was not recorded": "0.4932", "GPU kernels": "0.4928"}),
    "wild2/graph-replay/vllm_decode_full.json.gz": (
        "The GPU computes 55.85 percent of the step. `_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1` takes 19.68 percent of the step. "
        "A decode step keeps the GPU busy for 0.01072 s for 32 tokens. Its largest parts are matrix products 78.39 percent, attention 6.118 percent.",
        {"GPU kernels": "0.01067", "GPU busy with work that was not recorded": "0.007826", "GPU idle, waiting for the CPU": "0.0005702"}),
}


def path_of(name):
    return os.path.join(DEMO, name[5:]) if name.startswith("demo/") else os.path.join(CORPUS, name)


@functools.cache
def shelf():
    filled = Shelf()
    filled.add([path_of(name) for name in KNOWN if name.startswith("demo/") or has(name)])
    return filled


def conclusion(name):
    return shelf().ask("GET", f"/runs/{shelf().of(path_of(name))['id']}/conclusion")


class Conclusions(unittest.TestCase):
    def test_known_causes_are_named(self):
        for name, (sentence, causes) in KNOWN.items():
            if not os.path.exists(path_of(name)):
                continue
            with self.subTest(name):
                found = conclusion(name)
                self.assertEqual(rendered(found["verdict"]) + rendered(found["sentence"]), sentence)
                titles = {rendered(cause["title"]): formatted(cause["amount"], "count") for cause in found["causes"]}
                self.assertEqual({title: titles.get(title) for title in causes}, causes)

    def test_evidence_states_counts(self):
        known = {
            "demo/gpt-h200.pt.trace.json.gz": {"host_operators": "3330 operator calls", "host_runtime": "488 driver calls"},
            "demo/training-waits.pt.trace.json.gz": {"dataloader": "12 calls"},
            "wild/torch-trace/kineto-resnet50-v100-memory-2021.pt.trace.json.gz": {"dataloader": "6 calls"},
            "made/torch-trace/torch26_ddp_rank0.trace.json.gz": {"communication": "5 collectives"},
        }
        for name, counts in known.items():
            if os.path.exists(path_of(name)):
                said = {cause["rule"]: "".join(part.get("text") or str(round(part["value"])) for part in cause["evidence"] if "code" not in part)
                        for cause in conclusion(name)["causes"] if cause["rule"] in counts}
                self.assertEqual(said, counts, name)

    def test_totals_of_threads_are_named(self):
        self.assertIn("the sum of all self times, 95.3 ms. The picture draws those above 0, together 587.6 ms.", conclusion("demo/threads.log")["notes"][0])

    def test_causes_do_not_overlap(self):
        for name in KNOWN:
            if not os.path.exists(path_of(name)):
                continue
            with self.subTest(name):
                found = conclusion(name)
                causes = found["causes"]
                if found["base"] == "of its function" or "Actions can contain each other" in " ".join(found["notes"]):
                    continue
                self.assertLessEqual(sum(cause["share"] or 0 for cause in causes if cause["level"] == 0), 1.0000001)
                for i, cause in enumerate(causes):
                    if cause["level"] or cause["amount"] is None:
                        continue
                    parts = []
                    for part in causes[i + 1:]:
                        if not part["level"]:
                            break
                        parts.append(part["amount"] or 0)
                    self.assertLessEqual(sum(parts), cause["amount"] * 1.0000001)
                wholes = [cause["amount"] / cause["share"] for cause in causes if cause["amount"] and cause["share"]]
                savings = sum(cause["save_max"] or 0 for cause in causes if not cause["level"])
                whole = 100 if found["save_unit"] == "percent" else max(wholes, default=0)
                self.assertLessEqual(savings, whole * 1.0000001)


class Compositions(unittest.TestCase):
    """The parts add up to the whole, and the whole is a number that another view has."""

    def whole(self, name, run, composition):
        """The whole as the views of the run have it."""
        def ask(view):
            return shelf().ask("GET", f"/runs/{run['id']}/{view}")
        summary = run["summary"]
        if composition["kind"] == "step_parts":
            steps = ask("overview")
            self.assertEqual([part["name"] for part in composition["parts"]], [part for part, ns in steps["mean"]["tensorboard"] if ns])
            return sum(ns for _, ns in steps["mean"]["tensorboard"]) / 1e9
        if composition["kind"] == "lines":
            table = ask("line_functions?sort=time_s&desc=1")
            time, function = (table["columns"].index(column) for column in ("time_s", "function"))
            return next(row[time] for row in table["rows"] if composition["title"] == f"Lines of {row[function]}")
        if composition["kind"] == "categories":
            return ask("categories")["peak"]["mib"] * 1024**2
        if composition["kind"] == "cpu":
            table = ask("line_files")
            return sum(row[table["columns"].index("cpu_pct")] or 0 for row in table["rows"])
        if run["kind"] == "pstats":
            return summary["total_tt_s"]
        if run["kind"] == "importtime":
            return sum(max(us, 0) for us in ask("imports/tree?limit=100000")["self"]) / 1e6
        link = composition["parts"][0]["link"]
        flame = ask("stack_flame?limit=1&threads=" + link["params"].get("threads", ""))
        origins = dict(zip(("own", "third-party", "stdlib", "builtin", "unknown"), flame["self_by_origin"]))
        shares = {name: weight / sum(origins.values()) for name, weight in origins.items() if weight}
        self.assertEqual({part["name"] for part in composition["parts"]}, set(shares))
        for part in composition["parts"]:
            self.assertAlmostEqual(part["value"] / composition["whole"], shares[part["name"]], 9)
        return composition["whole"]

    def test_parts_add_up_to_the_whole(self):
        kinds = set()
        for name in KNOWN:
            if not os.path.exists(path_of(name)):
                continue
            with self.subTest(name):
                run = shelf().of(path_of(name))
                composition = conclusion(name)["composition"]
                if not composition:
                    self.assertNotIn(run["kind"], ("pstats", "torch-trace") if "dtu" not in name else ())
                    continue
                kinds.add(composition["kind"])
                values = [part["value"] for part in composition["parts"]]
                self.assertGreater(min(values), 0)
                self.assertEqual(functools.reduce(float.__add__, map(float, values)), composition["whole"])
                expected = self.whole(name, shelf().ask("GET", f"/runs/{run['id']}"), composition)
                self.assertAlmostEqual(composition["whole"] / expected, 1, 6)
                if composition["kind"] == "origins":
                    self.assertEqual(values, sorted(values, reverse=True))
        self.assertLessEqual({"step_parts", "origins"}, kinds)


if __name__ == "__main__":
    unittest.main()
