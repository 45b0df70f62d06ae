# SPDX-License-Identifier: MIT
"""A repository with a program that computes for a while, and a pull request that makes it slower."""
import os
import subprocess

APP = """import os, sys
n = int({work} * 1000)
total = 0
for i in range(n):
    total += i * i % 7
print(total)
{more}
"""
ENVIRONMENT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
               "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **ENVIRONMENT})
    return done.stdout.decode().strip()


class Repository:
    """`origin`, and `checkout`: the merge of the pull request, as actions/checkout leaves it (a shallow clone)."""

    def __init__(self, folder, base_work, new_work, more=""):
        self.origin, self.checkout = os.path.join(folder, "origin"), os.path.join(folder, "checkout")
        os.makedirs(self.origin)
        git(self.origin, "init", "-q", "-b", "main")
        self.write(base_work, "")
        self.base = git(self.origin, "rev-parse", "HEAD")
        git(self.origin, "checkout", "-q", "-b", "change")
        self.write(new_work, more)
        git(self.origin, "checkout", "-q", "-b", "merge", "main")
        git(self.origin, "merge", "-q", "--no-ff", "-m", "merge", "change")
        git(self.origin, "config", "uploadpack.allowAnySHA1InWant", "true")
        git(folder, "clone", "-q", "--depth=1", "--branch", "merge", f"file://{self.origin}", self.checkout)

    def write(self, work, more):
        with open(os.path.join(self.origin, "app.py"), "w", encoding="utf-8") as file:
            file.write(APP.format(work=work, more=more))
        git(self.origin, "add", "app.py")
        git(self.origin, "commit", "-q", "--allow-empty", "-m", f"work {work}")
