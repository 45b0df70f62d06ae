# SPDX-License-Identifier: MIT
"""Reads a Dockerfile and its .dockerignore, as far as docker/ uses them; anything else in them is an error."""
import dataclasses
import fnmatch
import json
import os
import re
import shlex

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # what an engine gives where ENV says nothing


@dataclasses.dataclass
class Health:
    command: list
    interval: str = "30s"
    timeout: str = "30s"


@dataclasses.dataclass
class Stage:
    """One FROM. `steps`: ("run", text), ("copy", from-stage or None, sources, target), ("workdir", path), in their order."""
    base: str
    name: str | None
    steps: list = dataclasses.field(default_factory=list)
    user: str = "root"
    volumes: list = dataclasses.field(default_factory=list)
    labels: dict = dataclasses.field(default_factory=dict)
    ports: list = dataclasses.field(default_factory=list)
    health: Health | None = None
    entrypoint: list = dataclasses.field(default_factory=list)
    command: list = dataclasses.field(default_factory=list)


def instructions(text):
    """(word, rest) of each, lines that end in a backslash joined, comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for whole in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, _, rest = whole.strip().partition(" ")
        yield word.upper(), rest.strip()


def options(rest):
    """What stands as --name=value before the rest."""
    found = {}
    while match := re.match(r"--([a-z]+)=(\S+)\s+", rest):
        found[match[1]] = match[2]
        rest = rest[match.end():]
    return found, rest


def exec_form(rest):
    words = json.loads(rest)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"not a list of words: {rest}")
    return words


def apply(stage, word, rest):
    given, rest = options(rest)
    if word == "RUN" and not given:
        stage.steps.append(("run", rest))
    elif word == "COPY" and set(given) <= {"from"}:
        *sources, target = shlex.split(rest)
        stage.steps.append(("copy", given.get("from"), sources, target))
    elif word == "WORKDIR":
        stage.steps.append(("workdir", rest))
    elif word == "USER":
        stage.user = rest
    elif word == "VOLUME":
        stage.volumes += shlex.split(rest)
    elif word == "LABEL":
        stage.labels.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "EXPOSE":
        stage.ports += [int(port) for port in rest.split()]
    elif word == "HEALTHCHECK" and rest.startswith("CMD "):
        stage.health = Health(exec_form(rest[4:]), **given)
    elif word == "ENTRYPOINT":
        stage.entrypoint = exec_form(rest)
    elif word == "CMD":
        stage.command = exec_form(rest)
    else:
        raise ValueError(f"these tests do not know: {word} {rest}")


def stages(path):
    found = []
    with open(path, encoding="utf-8") as file:
        for word, rest in instructions(file.read()):
            if word == "FROM":
                base, name = re.fullmatch(r"(\S+)(?:\s+AS\s+(\S+))?", rest, re.I).groups()
                found.append(Stage(base, name))
            else:
                apply(found[-1], word, rest)
    return found


def ignore_patterns(path):
    with open(path, encoding="utf-8") as file:
        patterns = [line.strip().strip("/") for line in file if line.strip() and not line.startswith("#")]
    if any(pattern.startswith("!") or "**" in pattern.removeprefix("**/") for pattern in patterns):
        raise ValueError("these tests do not know exceptions, and ** only at the beginning")
    return patterns


def context_files(root, patterns):
    """What of a folder a build is sent, as relative paths of files and links. A * stays within one name."""
    def ignored(path):
        return any(fnmatch.fnmatchcase(os.path.basename(path), pattern[3:]) if pattern.startswith("**/") else
                   path.count("/") == pattern.count("/") and fnmatch.fnmatchcase(path, pattern) for pattern in patterns)

    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        paths = {name: os.path.normpath(os.path.join(here, name)) for name in folders + names}
        folders[:] = sorted(name for name in folders if not ignored(paths[name]))
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        yield from sorted(paths[name] for name in names + linked if not ignored(paths[name]))
