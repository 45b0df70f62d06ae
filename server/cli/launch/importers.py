# SPDX-License-Identifier: MIT
# Who imports what: runs the program with every import statement listened to, and writes each pair of modules once:
#     import edges: N
#     import edge: IMPORTER | MODULE        IMPORTER "__main__" is the program
#     import edge in a function: IMPORTER | MODULE        no statement outside of functions imports it there
# The importer is the module whose body is being run, as an import-time log has it, however deep the call is that asks. A
# module that has no row in such a log, for importlib.import_module() or a loader brought it, hands what it imports to who
# asked for it.
import builtins
import sys

# In `eager`: pairs of which a statement in the body of a module or class is one.
pairs, eager, asked, hidden = set(), set(), set(), set()
FUNCTION = 1  # CO_OPTIMIZED of code.co_flags: functions have it, bodies of modules and classes do not
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


def add(frame, targets):
    by = importer_of(frame)
    found = {(by, target) for target in targets}
    pairs.update(found)
    while frame.f_back and frame.f_globals.get("__name__") == "importlib":  # import_module(), called by the program
        frame = frame.f_back
    if not frame.f_code.co_flags & FUNCTION:
        eager.update(found)


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
    add(sys._getframe(1), wanted(full, fromlist))
    return result


def listen_call(name, package=None, level=0):
    names = {"__package__": package}
    full = absolute(name, names, level) if not level or package else name
    if full not in sys.modules:
        hidden.add(full)
    know(full)
    result = import_call(name, package, level)
    add(sys._getframe(1), [full])
    return result


def seen_pairs():
    """Pairs without the hidden modules, whose importers import what they do, and whether each is eager."""
    importers = {}
    for by, target in pairs:
        importers.setdefault(target, set()).add(by)
    found = {}
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
                found[name, target] = found.get((name, target), False) or (by, target) in eager
    return sorted((*pair, is_eager) for pair, is_eager in found.items() if pair[0] != pair[1] and "\n" not in "".join(pair) and " | " not in pair[0])


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
            for by, target, is_eager in found:
                file.write(("import edge%s: %s | %s\n" % ("" if is_eager else " in a function", by, target)).encode("utf-8", "replace"))
