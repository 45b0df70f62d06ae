# SPDX-License-Identifier: MIT
# Who imports what: runs the program with every import statement listened to, and writes each pair of modules once:
#     import edges: N
#     import edge: IMPORTER | MODULE        IMPORTER "__main__" is the program
# The importer is the module whose body is being run, as an import-time log has it, however deep the call is that asks. A
# module that has no row in such a log, for importlib.import_module() or a loader brought it, hands what it imports to who
# asked for it.
import builtins
import sys

pairs, asked, hidden = set(), set(), set()
import_statement, import_call = builtins.__import__, sys.modules["_frozen_importlib"]._gcd_import


def running(frame):
    """The frame of the module body that is being run, and its name."""
    while frame:
        name = frame.f_globals.get("__name__")
        if frame.f_code.co_name == "<module>" and name in sys.modules:
            return frame, name
        frame = frame.f_back
    return None, "__main__"


def importer_of(frame):
    frame, name = running(frame)
    inner = name
    while frame and inner not in asked and inner != "__main__":  # a loader runs it: who asked that one?
        frame, outer = running(frame.f_back)
        if outer != inner:
            hidden.add(inner)
            pairs.add((outer, inner))
            inner = outer
    return name


def absolute(name, names, level):
    if not level:
        return name
    package = names.get("__package__")
    if package is None:
        package = names["__name__"] if "__path__" in names else names["__name__"].rpartition(".")[0]
    base = package.rsplit(".", level - 1)[0]
    return base + "." + name if name else base


def wanted(name, items):
    """`from package import module` asks for the module, and for the package only when it wants more of it."""
    module = sys.modules.get(name)
    items = [item for item in items or () if isinstance(item, str)]
    if "*" in items:
        items = [item for item in items if item != "*"] + [""] + [
            item for item in getattr(module, "__all__", ()) if isinstance(item, str)]
    modules = [name + "." + item for item in items
               if name + "." + item in sys.modules and getattr(module, item, None) is sys.modules[name + "." + item]]
    return modules if items and len(modules) == len(items) else modules + [name]


def know(name):
    while name:
        asked.add(name)
        name = name.rpartition(".")[0]


def listen(name, globals=None, locals=None, fromlist=(), level=0):
    names = globals or {}
    full = absolute(name, names, level) if not level or "__name__" in names else name
    know(full)
    for item in fromlist or ():
        if isinstance(item, str):
            know(full + "." + item)
    result = import_statement(name, globals, locals, fromlist, level)
    by = importer_of(sys._getframe(1))
    pairs.update((by, target) for target in wanted(full, fromlist))
    return result


def listen_call(name, package=None, level=0):
    names = {"__package__": package}
    full = absolute(name, names, level) if not level or package else name
    if full not in sys.modules:
        hidden.add(full)
    know(full)
    result = import_call(name, package, level)
    pairs.add((importer_of(sys._getframe(1)), full))
    return result


def seen_pairs():
    """Without the hidden ones: their importers import what they do."""
    importers = {}
    for by, target in pairs:
        importers.setdefault(target, set()).add(by)
    found = set()
    for by, target in pairs:
        todo, done = [by], set()
        while todo and target not in hidden:
            name = todo.pop()
            if name in done:
                continue
            done.add(name)
            if name in hidden:
                todo += importers.get(name, {"__main__"})
            else:
                found.add((name, target))
    return sorted(pair for pair in found if pair[0] != pair[1] and "\n" not in "".join(pair) and " | " not in pair[0])


out, code, names = program()
process = os.getpid()
builtins.__import__, sys.modules["_frozen_importlib"]._gcd_import = listen, listen_call
try:
    run(code, names)
finally:
    builtins.__import__, sys.modules["_frozen_importlib"]._gcd_import = import_statement, import_call
    if os.getpid() == process:
        found = seen_pairs()
        with open(out, "wb") as file:
            file.write(b"import edges: %d\n" % len(found))
            for pair in found:
                file.write(("import edge: %s | %s\n" % pair).encode("utf-8", "replace"))
