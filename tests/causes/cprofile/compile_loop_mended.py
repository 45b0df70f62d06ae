# SPDX-License-Identifier: MIT
import re,functools
WORDS=[f"w{i}" for i in range(600)]
@functools.cache
def compiled(word): return re.compile(r"(?:%s)[a-z]*\s?(foo|bar)"%word)
def match_line(word,text):
    return compiled(word).search(text)
def scan(text):
    return sum(bool(match_line(w,text)) for w in WORDS)
def main():
    for i in range(8): scan("the quick brown fox w7 foo "*3)
main()
