#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the man pages of perfshelf: FOLDER/man1/perfshelf.1, perfshelf-COMMAND.1 for each command, and FOLDER/man5/perfshelf-config.5.

    man.py PROGRAM FOLDER

Commands are described by the help of the program, files and environment variables by docs/configuration.md. The format is that of man(7). Dates
come from $SOURCE_DATE_EPOCH, so that two builds are equal; without it the pages have none.
"""
import os
import re
import subprocess
import sys
import time

CONFIGURATION = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "configuration.md")
CONFIG_PAGE = "perfshelf-config"


def help_of(program, *words):
    return subprocess.run([program, "help", *words], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}).stdout


# --- Text ---


def roff(text):
    """Text for man(7): backslashes, hyphens and quotes are literal, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("~", "\\(ti").replace("^", "\\(ha")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def prose(text):
    """A paragraph, with `code` in bold."""
    parts = re.split(r"`([^`]+)`", " ".join(text.split()))
    return "".join(f"\\fB{roff(part)}\\fR" if i % 2 else roff(part) for i, part in enumerate(parts)) + "\n"


def spelling(text):
    """An option or a usage: what is typed as it stands is bold, what stands for something else is italic."""
    words = re.split(r"([A-Z][A-Z:=/]*[A-Z]|\b[A-Z]\b)", text)
    return "".join(f"\\fI{roff(word)}\\fB" if i % 2 else roff(word) for i, word in enumerate(words))


def tagged(term, text):
    return f".TP\n\\fB{term}\\fR\n{text}"


def head(name, section, version):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))) if os.environ.get("SOURCE_DATE_EPOCH") else ""
    return f'.TH {roff(name.upper())} {section} "{date}" "perfshelf {version}" "perfshelf"\n'


def section(title):
    return f".SH {title.upper()}\n"


def see_also(names):
    """["perfshelf(1)", ...]"""
    rows = [f".BR {roff(name)} ({number})" for name, number in (re.match(r"(.*)\((\d)\)", name).groups() for name in names)]
    return section("see also") + " ,\n".join(rows) + "\n"


# --- Markdown, as docs/configuration.md uses it ---


def unlinked(text):
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)


def table_rows(lines):
    """[(first cell, second cell)] of a table, without its head."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [(first.strip(), second.strip()) for first, second in cells[2:]]


def table(rows):
    return "".join(tagged(roff(first.replace("`", "")), prose(unlinked(second))) for first, second in rows)


def items(lines):
    """Lists with - or numbers."""
    text = ""
    for item in re.split(r"(?m)^(?=- |\d+\. )", "\n".join(lines)):
        if match := re.match(r"(-|\d+\.) (.*)", item, re.S):
            mark = "\\(bu" if match[1] == "-" else match[1]
            text += f".IP {mark} 4\n" + prose(unlinked(match[2]))
    return text


def markdown(text):
    """The sections of a page: [(title, [block])]; a block is the list of its lines. Comments are left out."""
    found, block, fenced = [], None, False
    for line in re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).split("\n"):
        if line.startswith("#") and not fenced:
            found.append((line.lstrip("# "), []))
            block = None
        elif line.startswith("```"):
            fenced = not fenced
            block = ["```"] if fenced else None
            if fenced:
                found[-1][1].append(block)
        elif not line and not fenced:
            block = None
        else:
            if block is None:
                block = []
                found[-1][1].append(block)
            block.append(line)
    return found


def markdown_block(lines):
    if lines[0] == "```":
        return ".PP\n.RS 4\n.nf\n" + "".join(f"{roff(line)}\n" if line else "\n" for line in lines[1:]) + ".fi\n.RE\n"
    if lines[0].startswith("|"):
        return table(table_rows(lines))
    if re.match(r"- |1\. ", lines[0]):
        return items(lines)
    return ".PP\n" + prose(unlinked(" ".join(lines)))


def is_offered(row, options):
    """Whether a variable is one that this build uses: "like `--store`"."""
    return all(option in options for option in re.findall(r"like `(--[a-z-]+)`", row[1]))


class Configuration:
    """docs/configuration.md, without variables whose options this build lacks."""

    def __init__(self, options):
        with open(CONFIGURATION, encoding="utf-8") as file:
            self.sections = markdown(file.read())
        self.options = options

    def rows(self, title):
        lines = next(block for name, blocks in self.sections if name == title for block in blocks if block[0].startswith("|"))
        return [row for row in table_rows(lines) if is_offered(row, self.options)]

    def page(self, version):
        text = head(CONFIG_PAGE, 5, version) + section("name") + f"{roff(CONFIG_PAGE)} \\- configuration files of perfshelf\n"
        for i, (title, blocks) in enumerate(self.sections):
            text += section("description" if i == 0 else "environment" if title == "Environment variables" else title)
            if title in ("Files", "Environment variables"):
                text += table(self.rows(title))
                blocks = [block for block in blocks if not block[0].startswith("|")]
            text += "".join(markdown_block(block) for block in blocks)
        return re.sub(r"(?m)^(\.SH .*\n)\.PP\n", r"\1", text) + see_also(["perfshelf(1)", "perfshelf-config(1)", "perfshelf-serve(1)"])


# --- Help texts ---


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


def list_section(lines):
    text, nested = "", False
    for indent, term, description in entries(lines):
        if (indent > 2) != nested:
            text += ".RS\n" if indent > 2 else ".RE\n"
            nested = indent > 2
        text += tagged(spelling(term) if term.startswith("-") else roff(term), prose(description))
    return text + (".RE\n" if nested else "")


def body(blocks):
    """The blocks of a help behind its summary and usage."""
    text, examples = "", ""
    in_description = False
    for block in blocks:
        first, *rest = block.split("\n")
        if first in ("Arguments:", "Options:", "Shelf options:"):
            text += section(first[:-1]) + list_section(rest)
        elif first == "Examples:":
            examples = section("examples") + ".nf\n" + "".join(f"{roff(line.strip())}\n" for line in rest) + ".fi\n"
        elif first == "Exit status:":
            text += section("exit status") + prose(" ".join(rest))
        elif first.startswith(" "):
            text += list_section(block.split("\n"))
        else:
            text += ".PP\n" if in_description else section("description")
            in_description = True
            text += prose(block)
    return text, examples


def variables_of(text, configuration):
    """The variables that are defaults of options of a command or that its help names."""
    rows = configuration.rows("Environment variables")

    def is_used(row):
        names, options = re.findall(r"`(\w+)`", row[0]), re.findall(r"like `(--[a-z-]+)`", row[1])
        return any(f"${name}" in text for name in names) or any(f"  {option} " in text for option in options) or ("PERFSHELF_CONFIG" in names and "  --data " in text)

    return [row for row in rows if is_used(row)]


def command_page(program, version, command, commands, configuration):
    whole = help_of(program, command)
    summary, usage, *blocks = whole.strip("\n").split("\n\n")
    forms = [re.sub(r"^(?:Usage:)? *", "", line) for line in usage.split("\n")]
    what = summary.replace("\n", " ").rstrip(".")
    text = head(f"perfshelf-{command}", 1, version) + section("name") + f"perfshelf\\-{command} \\- {roff(what[0].lower() + what[1:])}\n" + section("synopsis")
    text += ".br\n".join(f"\\fB{spelling(form)}\\fR\n" for form in forms)
    described, examples = body(blocks)
    if "Exit status:" not in whole:
        described += section("exit status") + prose(exit_status(help_of(program)))
    text += described
    if variables := variables_of(whole, configuration):
        text += section("environment") + table(variables)
    has_files = "  --data " in whole
    if has_files:
        text += section("files") + table([row for row in configuration.rows("Files") if row[0].rstrip("`").endswith("/config")])
    named = [name for name in commands if name != command and re.search(rf"`perfshelf(?: help)?\s+{name}\b", whole)]
    return text + examples + see_also(["perfshelf(1)", *(f"perfshelf-{name}(1)" for name in named), *([f"{CONFIG_PAGE}(5)"] if has_files else [])])


def commands_of(text):
    """[heading, [(command, summary)]] of the list of commands."""
    for block in text.split("\n\n"):
        heading, *rows = block.strip("\n").split("\n")
        found = [match.groups() for row in rows if (match := re.match(r"  (\w+)  +(\S.*)", row))]
        if found and len(found) == len(rows):
            yield heading, found


def exit_status(text):
    return text.strip("\n").split("\n")[-1].removeprefix("Exit status: ")


def main_page(version, text, groups, configuration):
    title, usage = text.split("\n\n")[:2]
    page = head("perfshelf", 1, version) + section("name") + f"perfshelf \\- {roff(title.split(': ', 1)[1])}\n"
    page += section("synopsis") + f"\\fB{spelling(usage.removeprefix('Usage: '))}\\fR\n"
    page += section("description") + prose(" ".join(text.strip("\n").split("\n\n")[-1].split("\n")[:-1])) + section("commands")
    for heading, commands in groups:
        page += f".SS {heading}\n" + "".join(f".TP\n.BR perfshelf\\-{name} (1)\n{prose(summary)}" for name, summary in commands)
    page += section("exit status") + prose(exit_status(text))
    page += section("environment") + table(configuration.rows("Environment variables")) + section("files") + table(configuration.rows("Files"))
    return page + see_also([f"{CONFIG_PAGE}(5)", *(f"perfshelf-{name}(1)" for _, commands in groups for name, _ in commands)])


def main():
    program, folder = sys.argv[1:]
    text = help_of(program)
    version = re.match(r"perfshelf (\S+):", text)[1]
    groups = list(commands_of(text))
    commands = [name for _, rows in groups for name, _ in rows]
    configuration = Configuration(set(re.findall(r"(?m)^  (--[a-z-]+)", help_of(program, "config"))))
    pages = {"man1/perfshelf.1": main_page(version, text, groups, configuration), f"man5/{CONFIG_PAGE}.5": configuration.page(version)}
    for command in commands:
        pages[f"man1/perfshelf-{command}.1"] = command_page(program, version, command, commands, configuration)
    for name, page in pages.items():
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write('.\\" SPDX-License-Identifier: MIT\n' + page)


if __name__ == "__main__":
    main()
