# SPDX-License-Identifier: MIT
"""What the tests of the documentation read in Markdown files: fenced blocks, headings, links."""
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = re.compile(r"^(\s*)(```+)\s*(\S*)\s*$")
TEST = re.compile(r"<!-- test: (.*?)\s*-->", re.S)


def pages():
    """Paths of all Markdown files for readers, relative to the repository."""
    found = glob.glob("*.md", root_dir=ROOT) + glob.glob("docs/*.md", root_dir=ROOT)
    found += glob.glob(".github/**/*.md", root_dir=ROOT, recursive=True)
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Block:
    """A fenced block: its language, the number of its first line, its lines, and the instructions of the comment
    `<!-- test: ... -->` right before it."""

    def __init__(self, language, line, test):
        self.language, self.line, self.test, self.lines = language, line, test, []


def blocks(text):
    """Fenced blocks and test instructions, in order. An instruction `setup` stands as a block of its own."""
    block = fence = indent = None
    test, comment = "", None
    for number, line in enumerate(text.split("\n"), 1):
        if comment is not None:
            comment += "\n" + line
            if "-->" in line:
                test, comment = TEST.search(comment)[1].strip(), None
        elif block:
            if line.strip() == fence:
                yield block
                block = None
            else:
                block.lines.append(line[len(indent):])
            continue
        elif match := FENCE.match(line):
            indent, fence = match[1], match[2]
            block = Block(match[3], number + 1, test)
            test = ""
            continue
        elif line.startswith("<!-- test:"):
            if "-->" not in line:
                comment = line
                continue
            test = TEST.search(line)[1].strip()
        elif line.strip():
            test = ""
        if test.startswith("setup"):
            hidden = Block("setup", number, "")
            hidden.lines = test[len("setup"):].strip().split("\n")
            test = ""
            yield hidden


def without_blocks(text):
    """The lines of the text, those of fenced blocks blanked."""
    out, fence = [], None
    for line in text.split("\n"):
        match = FENCE.match(line)
        if fence:
            fence = None if line.strip() == fence else fence
            line = ""
        elif match:
            fence, line = match[2], ""
        out.append(line)
    return out


def without_code(text):
    """The text with fenced blocks and code spans blanked, line numbers kept."""
    return "\n".join(re.sub(r"(`+).+?\1", "", line) for line in without_blocks(text))


def slug(heading, seen):
    """The anchor that GitHub gives to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    base = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
    count = seen.get(base, 0)
    seen[base] = count + 1
    return f"{base}-{count}" if count else base


def anchors(text):
    seen, found, fence = {}, set(), None
    for line in text.split("\n"):
        match = FENCE.match(line)
        if fence:
            fence = None if line.strip() == fence else fence
        elif match:
            fence = match[2]
        elif heading := re.match(r"#{1,6} +(.+?) *#*$", line):
            found.add(slug(heading[1], seen))
    return found


def links(text):
    """(line number, target) of each link and picture."""
    for number, line in enumerate(without_code(text).split("\n"), 1):
        for match in re.finditer(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)|(?:src|srcset|href)=\"([^\"]+)\"", line):
            yield number, match[1] or match[2]
