# SPDX-License-Identifier: MIT
"""Compiles a pattern for each line."""
import re


def clean(line, words):
    for word in words:
        line = re.compile(rf"\b{word}\b").sub("-", line)
    return line


def main():
    words = [f"word{i}" for i in range(700)]
    lines = [f"this is line {i} of word{i % 700}" for i in range(12)]
    print(len("".join(clean(line, words) for line in lines)))


main()
