# SPDX-License-Identifier: MIT
import re
WORDS=[f"w{i}" for i in range(600)]
def match_line(word,text):
    return re.compile(r"(?:%s)[a-z]*\s?(foo|bar)"%word).search(text)
def scan(text):
    return sum(bool(match_line(w,text)) for w in WORDS)
def main():
    for i in range(8): scan("the quick brown fox w7 foo "*3)
main()
