# SPDX-License-Identifier: MIT
# program.py: stands before each of the other texts of this folder, which are given to the person's own Python with -c
# (2.7 or later). Takes the program's words out of sys.argv and makes it __main__, as Python itself would have done:
#     -c OUT KIND TARGET ARGUMENT...      KIND is file, module or code
import os
import sys

HAD_FIRST = sys.path[:1] == [""]  # for -c; not where Python was told to keep its path to itself (-I, -P)
del sys.path[:HAD_FIRST]  # a profile.py in the current folder is not what the tools mean


def main_module(path):
    """A fresh __main__. The old one is kept: these functions live in it."""
    try:
        import builtins
    except ImportError:
        import __builtin__ as builtins
    main = type(sys)("__main__")
    main.__dict__.update(__builtins__=builtins, __package__=None, __spec__=None)
    if path:
        main.__file__ = path
    sys.modules["perfshelf.record"] = sys.modules["__main__"]
    sys.modules["__main__"] = main
    return main.__dict__


def set_first_path(path):
    if HAD_FIRST:
        sys.path.insert(0, path)


def by_runpy(function, target, *more):
    return compile("run(*arguments)", "<record>", "exec", 0, 1), {"run": function, "arguments": (target,) + more}


def program_of(kind, target):
    """Code and the namespace that it runs in."""
    if kind == "code":
        set_first_path("")
        return compile(target, "<string>", "exec", 0, 1), main_module(None)
    if kind == "module":
        import runpy
        set_first_path(os.getcwd())
        return by_runpy(runpy.run_module, target, None, "__main__", True)
    path = os.path.abspath(target)
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            text = file.read()
        if b"\0" not in text:
            set_first_path(os.path.dirname(os.path.realpath(path)))
            return compile(text, path, "exec", 0, 1), main_module(path)
    import runpy  # a folder, an archive, a .pyc
    return by_runpy(runpy.run_path, target, None, "__main__")


def program():
    """Where the profile is to be written, and the program as program_of gives it."""
    out, kind, target = sys.argv[1:4]
    sys.argv[:] = ["-c" if kind == "code" else target] + sys.argv[4:]
    code, names = program_of(kind, target)
    return os.path.abspath(out), code, names


def run(code, names):
    exec(code, names)
