#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the man pages of perfshelf from its help: perfshelf.1, and perfshelf-COMMAND.1 for each command.

    man.py PROGRAM FOLDER

The format is that of man(7). Dates come from $SOURCE_DATE_EPOCH, so that two builds are equal; without it the pages have none.
"""
import os
import re
import subprocess
import sys
import time

ENVIRONMENT = [
    ("XDG_DATA_HOME", "The shelf is the folder perfshelf in it; by default ~/.local/share."),
    ("PERFSHELF_STORE", "URL of a shelf in PostgreSQL, in place of a folder."),
    ("PERFSHELF_SERVER", "URL of a server whose shelf is used."),
    ("PERFSHELF_TOKEN", "Token for the server. Other users of this machine cannot see it."),
]


def help_of(program, *words):
    return subprocess.run([program, "help", *words], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}).stdout


def roff(text):
    """Text for man(7): backslashes and hyphens are literal, and no line is a request."""
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def entries(lines):
    """[indent, term, description] of a list of the help; a term too long for its column has its description below."""
    found = []
    for line in lines:
        match = re.match(r"( +)(\S+(?: \S+)*)(?:  +(\S.*))?$", line)
        if match and len(match[1]) <= 4:
            found.append([len(match[1]), match[2], match[3] or ""])
        elif found:
            found[-1][2] = f"{found[-1][2]} {line.strip()}".strip()
    return found


def section(title):
    return f".SH {title.upper()}\n"


def list_section(lines):
    text, nested = "", False
    for indent, term, description in entries(lines):
        if (indent > 2) != nested:
            text += ".RS\n" if indent > 2 else ".RE\n"
            nested = indent > 2
        text += f".TP\n.B {roff(term)}\n{roff(description)}\n"
    return text + (".RE\n" if nested else "")


def body(blocks):
    """The blocks of a help behind its summary and usage."""
    text = ""
    in_description = False
    for block in blocks:
        first, *rest = block.split("\n")
        if first in ("Arguments:", "Options:", "Shelf options:"):
            text += section(first[:-1]) + list_section(rest)
        elif first == "Examples:":
            text += section("examples") + ".nf\n" + "".join(f"{roff(line.strip())}\n" for line in rest) + ".fi\n"
        elif first == "Exit status:":
            text += section("exit status") + roff(" ".join(line.strip() for line in rest)) + "\n"
        else:
            text += ".PP\n" if in_description else section("description")
            in_description = True
            text += list_section(block.split("\n")) if first.startswith(" ") else roff(" ".join(block.split("\n"))) + "\n"
    return text


def head(name, version):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))) if os.environ.get("SOURCE_DATE_EPOCH") else ""
    return f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "{date}" "perfshelf {version}" "perfshelf"\n'


def command_page(program, version, command):
    summary, usage, *blocks = help_of(program, command).strip("\n").split("\n\n")
    forms = [re.sub(r"^(?:Usage:)? *", "", line) for line in usage.split("\n")]
    what = summary.replace("\n", " ").rstrip(".")
    text = head(f"perfshelf-{command}", version) + section("name") + f"perfshelf\\-{command} \\- {roff(what[0].lower() + what[1:])}\n" + section("synopsis")
    text += "".join(f".B {roff(form)}\n.br\n" for form in forms)
    return text + body(blocks) + section("see also") + ".BR perfshelf (1)\n"


def commands_of(text):
    """[heading, [(command, summary)]] of the list of commands."""
    for block in text.split("\n\n"):
        heading, *rows = block.strip("\n").split("\n")
        found = [match.groups() for row in rows if (match := re.match(r"  (\w+)  +(\S.*)", row))]
        if found and len(found) == len(rows):
            yield heading, found


def main_page(program, version, text, groups):
    title, usage = text.split("\n\n")[:2]
    page = head("perfshelf", version) + section("name") + f"perfshelf \\- {roff(title.split(': ', 1)[1])}\n"
    page += section("synopsis") + f".B {roff(usage.removeprefix('Usage: '))}\n" + section("commands")
    for heading, commands in groups:
        page += f".SS {heading}\n" + "".join(f".TP\n.BR perfshelf\\-{name} (1)\n{roff(summary)}\n" for name, summary in commands)
    last = text.strip("\n").split("\n\n")[-1].split("\n")
    status = last.pop() if last[-1].startswith("Exit status: ") else ""
    page += section("description") + roff(" ".join(last)) + "\n" + section("environment")
    page += "".join(f".TP\n.B {name}\n{roff(what)}\n" for name, what in ENVIRONMENT)
    return page + section("exit status") + roff(status.removeprefix("Exit status: ")) + "\n"


def main():
    program, folder = sys.argv[1:]
    text = help_of(program)
    version = re.match(r"perfshelf (\S+):", text)[1]
    groups = list(commands_of(text))
    pages = {"perfshelf": main_page(program, version, text, groups)}
    for _, commands in groups:
        for command, _ in commands:
            pages[f"perfshelf-{command}"] = command_page(program, version, command)
    os.makedirs(folder, exist_ok=True)
    for name, page in pages.items():
        with open(os.path.join(folder, f"{name}.1"), "w", encoding="utf-8") as file:
            file.write('.\\" SPDX-License-Identifier: MIT\n' + page)


if __name__ == "__main__":
    main()
