# SPDX-License-Identifier: MIT
"""ci/: the GitHub Action and the GitLab job on a repository with a slower pull request, and the comment against an API that fails."""
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import forge
import repository
import runner
from long import long_test  # where runner.py looks

SCRIPT = os.path.join(runner.ROOT, "ci", "perfshelf_ci.py")
PYTHON = os.path.realpath(sys.executable)
SECRETS = ("secret-comment-token", "psh_secret-server-token")
SHORT = {"pairs": "8", "warmup": "0", "perfshelf": runner.PROGRAM, "command": f"{PYTHON} app.py"}


HOSTILE = """import glob, os
spy = open({spy!r}, "a")
pid = os.getpid()
while pid > 1:
    pid = int(open(f"/proc/{{pid}}/stat").read().rsplit(")", 1)[1].split()[1])
    try:
        spy.write("parent " + open(f"/proc/{{pid}}/environ").read().replace(chr(0), " ") + chr(10))
    except OSError:
        break
tool = os.path.join(os.environ["RUNNER_TEMP"], "tools")
os.makedirs(tool, exist_ok=True)
for name in ("python3", "bash"):
    with open(os.path.join(tool, name), "w") as file:
        file.write("#!/bin/sh\\nenv >>" + {spy!r} + "\\n")
    os.chmod(file.name, 0o755)
open(os.path.join(tool, "sitecustomize.py"), "w").write("import os; open(" + repr({spy!r}) + ", 'a').write(str(os.environ))")
open(os.path.join(tool, "rc"), "w").write("env >>" + {spy!r} + "\\n")
open(os.environ["GITHUB_PATH"], "a").write(tool + "\\n")
open(os.environ["GITHUB_ENV"], "a").write("PYTHONPATH=" + tool + "\\nBASH_ENV=" + tool + "/rc\\n")
if os.path.exists({script!r}):
    open({script!r}, "a").write("\\nopen(" + repr({spy!r}) + ", 'a').write(str(os.environ))\\n")
"""


class CiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-ci-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.forge = forge.Forge()
        self.addCleanup(self.forge.close)

    def job(self, base_work, new_work, **more):
        made = repository.Repository(self.folder, base_work, new_work, **more)
        return runner.Job(os.path.join(self.folder, "job"), made.checkout, self.forge.url), made


class Action(CiTest):
    def test_a_slower_pull_request(self):
        job, made = self.job(200, 800)
        self.forge.add("<!-- perfshelf 0 -->\nolder")
        status, log, summary = job.action(**SHORT)
        self.assertEqual(status, 1, log)
        self.assertIn("### perfshelf: 1 of 1 over the limit", summary)
        self.assertRegex(summary, r"\| \*\*over\*\* \| cpu\\_s \|")
        self.assertIn(f"base {made.base[:12]}, new ", summary)
        self.assertRegex(log, r"(?m)^over    cpu_s .*, significant$")
        self.assertIn("perfshelf: comment created", log)
        self.assertEqual(len(self.forge.comments), 2)
        self.assertTrue(self.forge.comments[1]["body"].endswith(summary))
        # the next push: same comment, the shelf of the cache has both recordings
        status, log, _ = job.action(**{**SHORT, "pairs": "2", "fail_on": "+900%"})
        self.assertEqual(status, 0, log)
        self.assertIn("perfshelf: comment updated", log)
        self.assertEqual(len(self.forge.comments), 2)
        shelf = os.path.join(self.folder, "job", "temp2", "perfshelf", "shelf")
        listed = subprocess.run([runner.PROGRAM, "list", "--data", shelf, "--json"], capture_output=True, check=True).stdout
        self.assertEqual(listed.count(b'"pull-7/new"'), 8 + 2)
        # nothing is left behind
        self.assertEqual(repository.git(made.checkout, "status", "--porcelain"), "")
        self.assertEqual(len(repository.git(made.checkout, "worktree", "list").splitlines()), 1)

    @long_test
    def test_commits_of_the_same_speed(self):
        job, _ = self.job(200, 200)
        status, log, summary = job.action(**SHORT, fail_on="+100%", comment="false", build="touch built", working_directory=".")
        self.assertEqual(status, 0, log)
        self.assertIn("0 of 1 over the limit", summary)
        self.assertIn("perfshelf: building base\nperfshelf: building new\n", log)
        self.assertEqual(self.forge.requests, [])

    def test_hostile_text_and_secrets(self):
        """The program of the pull request prints commands of the runner and looks for tokens."""
        spy = os.path.join(self.folder, "environment")
        job, _ = self.job(1, 1, more=f"open({spy!r}, 'a').write(repr(dict(os.environ)))\nprint('::set-output name=x::y')")
        command = f"{PYTHON} app.py '@team ::error::<b>`' '|~~x~~'"
        status, log, summary = job.action(**{**SHORT, "command": command}, build="echo '::error::stop'", fail_on="+900%")
        self.assertEqual(status, 0, log)
        fences = re.findall(r"(?m)^::stop-commands::([0-9a-f]{32})$", log)
        self.assertEqual(len(fences), 2)  # of both steps
        outside = re.sub(r"(?ms)^::stop-commands::([0-9a-f]{32})$.*?^::\1::$", "", log)
        self.assertNotIn("::", outside)
        self.assertIn("::error::stop", log)
        self.assertIn("`" + command.replace("`", "?").replace("|", "?") + "`", summary)
        for table_line in [line for line in summary.splitlines() if line.startswith("|")]:
            self.assertNotRegex(table_line, r"@\w|<b>|[^\\]~~")
        with open(spy, encoding="utf-8") as file:
            seen = file.read()
        for secret in SECRETS:
            self.assertNotIn(secret, log + summary)
            self.assertNotIn(secret, seen)

    @long_test
    def test_a_program_that_prepares_the_step_with_the_token(self):
        """It runs as the user of the job: it changes the script, the files of the runner and the summary, and looks at its parents."""
        spy = os.path.join(self.folder, "environment")
        job, _ = self.job(1, 1, more=HOSTILE.format(spy=spy, script=os.path.join(self.folder, "job", "actions", "perfshelf_ci.py")))
        status, log, _ = job.action(**SHORT, fail_on="+900%")
        self.assertEqual(status, 0, log)
        with open(spy, encoding="utf-8") as file:
            seen = file.read()
        self.assertIn("parent", seen)
        self.assertIn("perfshelf: comment created", log)
        self.assertIn("over the limit", self.forge.comments[-1]["body"])
        for secret in SECRETS:
            self.assertNotIn(secret, log + seen + self.forge.comments[-1]["body"])

    def test_a_failing_build_or_program(self):
        job, _ = self.job(1, 1, more="sys.exit(5)")
        status, log, summary = job.action(**SHORT)
        self.assertEqual((status, summary), (2, ""))
        self.assertIn("new of pair 1 of 8: note: the command exited with status 5", log)
        self.assertIn("perfshelf: no comment: there is no summary", log)
        status, log, _ = job.action(**SHORT, build="false")
        self.assertEqual(status, 2)
        self.assertIn("perfshelf: the build of base failed with status 1", log)

    @long_test
    def test_the_program_of_a_release(self):
        job, _ = self.job(1, 1)
        release = os.path.join(self.folder, "perfshelf-1-linux-x86_64.tar.gz")
        with tarfile.open(release, "w:gz") as archive:
            archive.add(runner.PROGRAM, "perfshelf-1/bin/perfshelf")
            archive.addfile(tarfile.TarInfo("perfshelf-1/README"), io.BytesIO())
        with open(release, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        given = {**SHORT, "perfshelf": release, "fail_on": "+900%"}
        status, log, _ = job.action(**given, sha256=digest)
        self.assertEqual(status, 0, log)
        status, log, _ = job.action(**given, sha256="0" * 64)
        self.assertEqual(status, 2)
        self.assertIn(f"its SHA-256 is {digest}, not 000", log)
        status, log, _ = job.action(**{**given, "perfshelf": "https://127.0.0.1:1/perfshelf.tar.gz"})
        self.assertIn("the input sha256 is needed", log)
        status, log, _ = job.action(**{**given, "perfshelf": "https://127.0.0.1:1/perfshelf.tar.gz"}, sha256=digest)
        self.assertIn("perfshelf: cannot download https://127.0.0.1:1/perfshelf.tar.gz: ", log)

    @long_test
    def test_no_comment_rights_leave_the_result(self):
        """As for a pull request from a fork."""
        job, _ = self.job(1, 1)
        self.forge.fails = [None, None, 403]
        status, log, summary = job.action(**SHORT, fail_on="+900%")
        self.assertEqual(status, 0, log)
        self.assertIn("no comment: POST /repos/team/app/issues/7/comments: status 403 (tokens of pull requests from forks cannot write)", log)
        self.assertIn("0 of 1 over the limit", summary)


class Comment(CiTest):
    def comment(self, text="the result\n", expected=None, **environment):
        summary, event = os.path.join(self.folder, "summary.md"), os.path.join(self.folder, "event.json")
        with open(summary, "w", encoding="utf-8") as file:
            file.write(text)
        with open(event, "w", encoding="utf-8") as file:
            file.write('{"pull_request": {"number": 7}}')
        done = subprocess.run([PYTHON, SCRIPT, "comment"], capture_output=True, text=True, timeout=120, env={
            "PATH": os.environ["PATH"], "GITHUB_API_URL": self.forge.url, "GITHUB_REPOSITORY": "team/app", "GITHUB_EVENT_PATH": event,
            "PERFSHELF_CI_SUMMARY": summary, "PERFSHELF_CI_COMMENT_TOKEN": "secret-comment-token", "PERFSHELF_CI_PAUSE_S": "0.01", **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("secret", done.stdout)
        if expected:
            self.assertEqual(done.stdout, f"perfshelf: comment {expected}\n")
        return done.stdout

    def test_more_than_100_comments(self):
        for i in range(130):
            self.forge.add(f"comment {i}", {"login": "person", "id": 5})
        self.comment(expected="created")
        for i in range(130):
            self.forge.add(f"comment {i}", {"login": "person", "id": 5})
        self.comment("another result\n", expected="updated")
        ours = [comment for comment in self.forge.comments if comment["body"].startswith("<!-- perfshelf ")]
        self.assertEqual([comment["body"].split("\n", 1)[1] for comment in ours], ["another result\n"])

    def test_comments_of_others_are_left_alone(self):
        self.comment(expected="created")
        stolen = self.forge.comments.pop()["body"]
        self.forge.add(stolen, {"login": "mallory", "id": 6})
        self.forge.add("quoted: " + stolen)
        self.forge.add(stolen, None)
        self.comment("mine\n", expected="created")
        self.assertEqual([comment["body"] for comment in self.forge.comments[:3]], [stolen, "quoted: " + stolen, stolen])

    def test_each_series_has_its_comment(self):
        self.comment(expected="created", PERFSHELF_CI_SERIES="startup")
        self.comment(expected="created", PERFSHELF_CI_SERIES="parse @team -->")
        self.comment(expected="updated", PERFSHELF_CI_SERIES="startup")
        self.assertNotIn("@team", self.forge.comments[1]["body"])

    def test_failures(self):
        for fails, text in (([None, 401], "status 401"), ([None, 404], "status 404"), ([None, 502, 503, 500], "status 500"),
                            ([None, 301], "status 301"), ([None, None, 500], "POST /repos/team/app/issues/7/comments: status 500")):
            with self.subTest(fails):
                self.forge.fails = list(fails)
                self.assertIn(text, self.comment())
                self.assertEqual(self.forge.comments, [])
        self.forge.fails = [None, 502, 503]
        self.comment(expected="created")

    def test_a_summary_that_is_a_link(self):
        """To the environment of the step, which has the token."""
        link = os.path.join(self.folder, "link.md")
        for target in ("/proc/self/environ", self.folder):
            os.symlink(target, link)
            self.assertIn("there is no summary", self.comment(PERFSHELF_CI_SUMMARY=link))
            os.remove(link)
        self.assertEqual(self.forge.comments, [])

    def test_a_slow_server(self):
        self.forge.delay_s = 3
        self.assertIn("no comment: GET /repos/team/app/issues/7/comments: ", self.comment(PERFSHELF_CI_TIMEOUT_S="0.3"))

    def test_no_server_and_no_token(self):
        self.assertIn("no comment: GET ", self.comment(GITHUB_API_URL="http://127.0.0.1:1"))
        self.assertIn("no token that may write", self.comment(PERFSHELF_CI_COMMENT_TOKEN=""))
        self.assertIn("not one of a pull request", self.comment(GITHUB_EVENT_PATH="/dev/null"))

    def test_a_long_result(self):
        self.comment("line\n" * 20000, expected="created")
        body = self.forge.comments[0]["body"]
        self.assertLess(len(body), 65536)
        self.assertTrue(body.endswith("The rest is in the summary of the job.\n"))


class GitLab(CiTest):
    def test_a_merge_request(self):
        made = repository.Repository(self.folder, 200, 800)
        given = {f"PERFSHELF_CI_{name.upper()}": value for name, value in SHORT.items()}
        status, log = runner.gitlab(self.folder, made.checkout, self.forge.url, made.base, **given)
        self.assertEqual(status, 1, log)
        self.assertRegex(log, r"(?m)^over    cpu_s .*, significant$")
        self.assertIn("perfshelf: comment created", log)
        status, log = runner.gitlab(self.folder, made.checkout, self.forge.url, made.base, **{**given, "PERFSHELF_CI_PAIRS": "2", "PERFSHELF_CI_FAIL_ON": "+900%"})
        self.assertEqual(status, 0, log)
        self.assertIn("perfshelf: comment updated", log)
        self.assertEqual(len(self.forge.comments), 1)
        self.assertIn(("PUT", "/projects/12/merge_requests/7/notes/1000", "secret-comment-token"), self.forge.requests)

    def test_the_program_cannot_read_the_token(self):
        spy = os.path.join(self.folder, "environment")
        made = repository.Repository(self.folder, 1, 1, HOSTILE.split("tool =")[0].format(spy=spy))
        given = {f"PERFSHELF_CI_{name.upper()}": value for name, value in {**SHORT, "fail_on": "+900%"}.items()}
        status, log = runner.gitlab(self.folder, made.checkout, self.forge.url, made.base, **given)
        self.assertEqual(status, 0, log)
        self.assertIn("perfshelf: comment created", log)
        with open(spy, encoding="utf-8") as file:
            seen = file.read()
        self.assertIn("parent", seen)
        self.assertNotIn("secret-comment-token", seen + log)

    def test_a_token_without_a_scope_is_refused(self):
        made = repository.Repository(self.folder, 1, 1, "open('ran', 'w')")
        given = {f"PERFSHELF_CI_{name.upper()}": value for name, value in {**SHORT, "build": "touch " + os.path.join(self.folder, "built")}.items()}
        status, log = runner.gitlab(self.folder, made.checkout, self.forge.url, made.base, PERFSHELF_CI_COMMENT_TOKEN="secret-comment-token", **given)
        self.assertEqual(status, 2, log)
        self.assertIn("give it to the job or step of `comment` only", log)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "built")))


if __name__ == "__main__":
    unittest.main()
