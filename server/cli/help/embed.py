#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the help texts of this folder as a C table, struct ps_command_text of commands.h.

    embed.py OUT.c

COMMAND.txt is the help of a command, perfshelf.txt the text around the list of commands. A file consists of blocks with an
empty line between them. Its first block is the summary of the command. A block that starts with one of HEADINGS is that
section. All other blocks are the description. Lines may be broken anywhere: the program wraps texts when it prints them.

An indented block is a list: a term, two spaces or more, its description. A line without two spaces in it continues the
description of the line before. {RUN} and {GROUP} are replaced by their descriptions in terms.txt.
"""
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEADINGS = {"Usage:": "usage", "Arguments:": "arguments", "Examples:": "examples", "Exit status:": "exit_status", "Synonyms:": "synonyms"}


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def paragraph(lines):
    return " ".join(" ".join(lines).split())


def entries(lines, indent):
    """[term, description] of each entry of a list. Spaces in front of a term, behind the indent of the list, are kept."""
    found = []
    for line in lines:
        match = re.match(rf" {{{indent}}}(\s*\S+(?: \S+)*)  +(\S.*)", line)
        if match:
            found.append([match[1], match[2]])
        elif found:
            found[-1][1] += " " + line.strip()
        else:
            sys.exit(f"embed.py: the list begins with no term: {line}")
    return found


def list_text(lines):
    return "".join(f"{term}\t{description}\n" for term, description in entries(lines, 2))


def command_text(command, text):
    """The members of struct ps_command_text of a file."""
    summary, *blocks = (block.split("\n") for block in text.strip().split("\n\n"))
    found, about = {"summary": paragraph(summary), "usage": ""}, []
    for block in blocks:
        section = HEADINGS.get(block[0])
        if section == "usage":
            found[section] = "\n".join(line.strip().removeprefix("perfshelf").removeprefix(f" {command}").strip() for line in block[1:])
        elif section == "arguments":
            found[section] = list_text(block[1:])
        elif section == "examples":
            found[section] = "".join(line.strip() + "\n" for line in block[1:])
        elif section:
            found[section] = paragraph(block[1:])
        else:
            about.append(list_text(block).rstrip("\n") if block[0].startswith(" ") else paragraph(block))
    found["description"] = "\n\n".join(about)
    return found


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n") + '"'


def main():
    terms = dict(entries(read("terms.txt").splitlines(), 0))
    rows = ""
    for name in sorted(os.listdir(FOLDER)):
        command, ending = os.path.splitext(name)
        if ending != ".txt" or command == "terms":
            continue
        text = re.sub(r"\{(\w+)\}", lambda match: terms[match[1]], read(name))
        members = "".join(f"        .{member} = {c_string(value)},\n" for member, value in command_text(command, text).items())
        rows += f"    [PS_COMMAND_{'NONE' if command == 'perfshelf' else command.upper()}] = {{\n{members}    }},\n"
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(f'#include "server/cli/options/commands.h"\n\nconst struct ps_command_text ps_command_texts[PS_N_COMMANDS] = {{\n{rows}}};\n')


if __name__ == "__main__":
    main()
