# SPDX-License-Identifier: MIT
"""Device time by Python, computed from the rows of a trace: walks from each piece of device work through its launch to the root."""
import collections
import json
import re

OP, ANNOTATION, PYTHON, KERNEL, MEMSET, NVTX = 1, 2, 3, 6, 8, 12
MERGED = 16
BACKWARD = 0, "backward"
SLICES = "SELECT id, parent_id, track, name, start_ns, duration_ns, kind, flags, launch_id, operator_id FROM slices"
ARROWS = "SELECT to_slice, from_slice FROM flows WHERE kind = 'fwdbwd'"
NUMBERED = "SELECT id, track, start_ns, args FROM slices WHERE kind = 1 AND args LIKE '%Sequence number%'"
# of the rules in base/python_plumbing.c those for times, as expressions for "path: function"; torch trims paths to what is below a folder of sys.path
PLUMBING = [re.compile(rule, re.DOTALL) for rule in (
    r".*: (wrapper|_wrapper|wrapped|wrapped_fn|wrapped_func|__torch_dispatch__|__torch_function__)",
    r"(contextlib|functools|threading|runpy|concurrent/futures/thread)\.py: .*", r"<frozen runpy>: .*", r"typing\.py: inner",
    r"(.*/)?torch/(_dynamo|_functorch|_inductor|_library)/.*",
    r"(.*/)?torch/(nn/modules/module|_ops|utils/_contextlib|utils/_device|utils/_pytree|overrides|_compile|_jit_internal|autograd/function|autograd/profiler"
    r"|amp/autocast_mode|distributed/c10d_logger)\.py: .*",
    r"torch/.*: (_fn|inner|_inner|inner_fn|decorate_context|decorate_autocast|decorate_fwd|decorate_bwd|profile_hook_step)",
    r"accelerate/.*: new_forward",
)]


def is_plumbing(name):
    if name.startswith("<built-in "):
        return True
    frame = re.match(r"(?s)(.*?)\(\d+\): (.*)", name)
    if not frame:
        return False
    path, function = frame.groups()
    path = re.sub(r".*(site-packages/|/python3\.\d+/)", "", path)
    return any(rule.fullmatch(f"{path}: {function}") for rule in PLUMBING)


def read_links(rows):
    """Slice of the backward pass -> slice of the forward pass."""
    links = {row["to_slice"]: row["from_slice"] for row in rows(ARROWS)}
    if links:
        return links
    forward, backward = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows(NUMBERED):
        args = json.loads(row["args"]) if isinstance(row["args"], str) else row["args"]
        if args.get("Sequence number", -1) >= 0:
            (backward if args.get("Fwd thread id") else forward)[args["Sequence number"]].append(row)
    for number, candidates in forward.items():
        if len({row["track"] for row in candidates}) == 1:
            last = max(candidates, key=lambda row: (row["start_ns"], row["id"]))
            links |= {row["id"]: last["id"] for row in backward[number]}
    return links


class Trace:
    def __init__(self, rows):
        """rows: answers a statement with a list of dicts."""
        self.slices = {row["id"]: row for row in rows(SLICES)}
        self.links = read_links(rows)
        self.paths = {}

    def raw_path(self, slice_id):
        """(kind, name) from the root to a slice; what belongs to the backward pass is below the frames of its forward operator."""
        if not slice_id:
            return []
        if slice_id not in self.paths:
            row = self.slices[slice_id]
            path = self.raw_path(row["parent_id"])
            above = self.forward_path(slice_id) if slice_id in self.links else []
            if above and path[:max((i for i, frame in enumerate(path) if frame == BACKWARD), default=-1) + 1] != above:
                path = above
            if row["kind"] in (PYTHON, ANNOTATION, NVTX) or (row["kind"] == OP and not row["flags"] & MERGED):
                path = path + [(row["kind"], re.sub(r"^ProfilerStep#\d+$", "ProfilerStep*", row["name"]))]
            self.paths[slice_id] = path
        return self.paths[slice_id]

    def forward_path(self, slice_id):
        path = self.raw_path(self.links[slice_id])
        while path and path[-1][0] == OP:
            path = path[:-1]
        return path and path + [BACKWARD]

    def folded(self, path, plumbing, expand):
        """Names from the root, and beside each the module that it stands for."""
        out = []
        for kind, name in path:
            module = None
            if kind == PYTHON and name.startswith("nn.Module: "):
                module = name.removeprefix("nn.Module: ")
                name = re.sub(r"(?<=.)_\d+$", "", module)
                name = module if name in expand or "*" in expand else name
            elif kind == PYTHON and not plumbing and (is_plumbing(name) or (out and out[-1][0] == name)):
                continue
            elif kind == PYTHON and name.startswith("<built-in "):
                name = re.sub(r"(?s) at 0x.*", ">", name)
            out.append((name, module))
        return out

    def flame(self, plumbing=False, expand=(), start=None, end=None):
        """{path: [total, self, count, modules]} and the sums of what is attributed."""
        nodes, modules = collections.defaultdict(lambda: [0, 0, 0]), collections.defaultdict(set)
        sums = collections.Counter()
        for row in self.slices.values():
            if not KERNEL <= row["kind"] <= MEMSET or (start is not None and not start <= row["start_ns"] < end):
                continue
            origin, time = row["launch_id"] or row["operator_id"], row["duration_ns"]
            raw = self.raw_path(origin)
            frames = self.folded(raw, plumbing, expand) if raw else [("not attributed", None)]
            sums["sum"] += time
            sums["total"] += time if raw else 0
            sums["without_launch"] += 0 if origin else time
            sums["without_frame"] += time if origin and not raw else 0
            sums["python"] += time if any(kind == PYTHON for kind, _ in raw) else 0
            sums["modules"] += time if any(kind == PYTHON and name.startswith("nn.Module: ") for kind, name in raw) else 0
            sums["backward"] += time if BACKWARD in raw else 0
            path = ()
            for name, module in frames + [(row["name"], None)]:
                path += (name,)
                nodes[path][0] += time
                nodes[path][2] += 1
                if module:
                    modules[path].add(module)
            nodes[path][1] += time
        return {path: (*node, len(modules[path])) for path, node in nodes.items() if node[0]}, sums


def answer_paths(answer):
    """The same of an answer of the server."""
    paths, out = [], {}
    for i in range(answer["n"]):
        above = paths[answer["parent"][i]] if answer["parent"][i] >= 0 else ()
        paths.append(above + (answer["frames"]["name"][answer["frame"][i]],))
        out[paths[i]] = (answer["total"][i], answer["self"][i], answer["count"][i], answer["modules"][i])
    return out


def check(test, trace, ask):
    """Compares the answers of the server with the rows. ask: answers parameters, as text, with JSON."""
    first = min(row["start_ns"] for row in trace.slices.values() if KERNEL <= row["kind"] <= MEMSET)
    last = max(row["start_ns"] for row in trace.slices.values() if KERNEL <= row["kind"] <= MEMSET)
    middle = (first + last) // 2
    for text, options in (("", {}), ("&plumbing=1", {"plumbing": True}), ("&expand=*", {"expand": ("*",)}),
                          ("&expand=TransformerBlock,Linear", {"expand": ("TransformerBlock", "Linear")}),
                          (f"&from_ns={first}&to_ns={middle}", {"start": first, "end": middle})):
        with test.subTest(text):
            answer = ask("on=python&limit=100000" + text)
            nodes, sums = trace.flame(**options)
            test.assertEqual(answer["cut"], 0)
            test.assertEqual(answer_paths(answer), nodes)
            test.assertEqual(answer["sum"], sums["sum"])
            test.assertEqual(answer["attributed"], {key: sums[key] for key in answer["attributed"]})
    return trace.flame()
