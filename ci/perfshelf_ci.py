#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a change with its base in a CI job of GitHub or GitLab. Needs Python 3.8, git, bash and nothing else.

    perfshelf_ci.py measure   checks out base and new, records both in pairs, checks the growth, writes the summary
    perfshelf_ci.py comment   writes the summary as a comment of the pull request; failures are reported, not fatal

The parameters are environment variables, PERFSHELF_CI_NAME for the input NAME of ci/github/action.yml.
"""
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile

DOWNLOAD_MAX = 256 << 20
ANSWER_MAX = 32 << 20
COMMENT_MAX = 60000  # characters; GitHub allows 65,536
PAGES_MAX = 100  # of 100 comments
TRIES = 3
TIMEOUT_S = float(os.environ.get("PERFSHELF_CI_TIMEOUT_S", "15"))
ON_GITHUB = os.environ.get("GITHUB_ACTIONS") == "true"


class Failure(Exception):
    """A message for the log."""


def get(name, default=""):
    return os.environ.get(f"PERFSHELF_CI_{name}", "").strip() or default


def say(text):
    """One line of the log, which text of others cannot leave."""
    print("perfshelf: " + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", "?", str(text)), flush=True)


# --- Commands ---


def run(words, **options):
    try:
        return subprocess.run(words, check=False, **options)
    except OSError as error:
        raise Failure(f"cannot run {words[0]}: {error.strerror}") from error


def git(*words, folder=None):
    done = run(["git", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(f"git {words[0]} failed: {said[-1] if said else done.returncode}")
    return done.stdout.decode(errors="replace").strip()


# --- The program ---


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected request would take its token along."""

    def redirect_request(self, *args):
        return None


def download(url, path):
    if urllib.parse.urlsplit(url).scheme != "https" and not os.environ.get("PERFSHELF_CI_ALLOW_HTTP"):
        raise Failure(f"{url}: only https is allowed for the program")
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, open(path, "wb") as file:
            got = 0
            while True:
                block = answer.read(1 << 16)
                if not block:
                    return
                got += len(block)
                if got > DOWNLOAD_MAX:
                    raise Failure(f"{url}: larger than {DOWNLOAD_MAX >> 20} MiB")
                file.write(block)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot download {url}: {error}") from error


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def unpack(path, out):
    """Writes the program of a release file (archive, wheel, or the program itself) to out."""
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and re.fullmatch(r"(.*/)?perfshelf", member.name):
                    with archive.extractfile(member) as source, open(out, "wb") as file:
                        shutil.copyfileobj(source, file)
                    return
        raise Failure(f"{path}: no program perfshelf in this archive")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"(.*/)?(scripts|bin|platlib|purelib)/(.*/)?perfshelf|perfshelf/(.*/)?bin/perfshelf", name):
                    with archive.open(name) as source, open(out, "wb") as file:
                        shutil.copyfileobj(source, file)
                    return
        raise Failure(f"{path}: no program perfshelf in this wheel")
    shutil.copyfile(path, out)


def find_program(folder):
    wanted, sha256 = get("PERFSHELF"), get("SHA256").lower()
    if not wanted:
        found = shutil.which("perfshelf")
        if not found:
            raise Failure("perfshelf is not in PATH; name a release file with the input perfshelf, or install it first (pip install)")
        return found
    path = wanted
    if "://" in wanted:
        if not sha256:
            raise Failure("the input sha256 is needed for a program that is downloaded")
        path = os.path.join(folder, "release")
        download(wanted, path)
    elif not os.path.isfile(path):
        raise Failure(f"{path}: no such file; name a release file or leave the input perfshelf out")
    if sha256 and sha256_of(path) != sha256:
        raise Failure(f"{wanted}: its SHA-256 is {sha256_of(path)}, not {sha256}")
    program = os.path.join(folder, "perfshelf")
    unpack(path, program)
    os.chmod(program, 0o755)
    return program


# --- Base and new ---


def fetch(commit):
    """The full id of a commit, fetched if a shallow clone lacks it."""
    if run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], stderr=subprocess.DEVNULL).returncode:
        git("fetch", "--quiet", "--no-tags", "--depth=1", "--", "origin", commit)
        commit = "FETCH_HEAD"
    return git("rev-parse", "--verify", f"{commit}^{{commit}}")


def parents_of(commit):
    """Also in a shallow clone, where git rev-parse hides them."""
    head = git("cat-file", "-p", commit).split("\n\n", 1)[0]
    return re.findall(r"^parent ([0-9a-f]{40,64})$", head, re.M)


def find_base(new):
    """The commit to compare with: what was named, the target of a merge, the merge base, or the first parent."""
    named, gitlab = get("BASE_REF"), os.environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    parents = parents_of(new)
    if named.startswith("-"):
        raise Failure(f"{named}: not a name of a commit")
    if named:
        return fetch(named)
    if gitlab:
        return fetch(gitlab)
    if len(parents) == 2:  # GitHub checks out the merge of a pull request with its target
        return fetch(parents[0])
    target = os.environ.get("GITHUB_BASE_REF")
    if target:
        try:
            return git("merge-base", new, f"origin/{target}")
        except Failure as error:
            raise Failure(f"{error}; give actions/checkout the input fetch-depth: 0, or name the input base-ref") from error
    if not parents:
        raise Failure("the commit has no parent to compare with; name the input base-ref")
    return fetch(parents[0])


def check_out(commit, folder):
    git("worktree", "add", "--quiet", "--detach", folder, commit)


def build(command, side, folder):
    if not command:
        return
    say(f"building {side}")
    done = run(["bash", "-eo", "pipefail", "-c", command], cwd=folder)
    if done.returncode:
        raise Failure(f"the build of {side} failed with status {done.returncode}")


# --- Measuring ---


def shelf_options():
    return [] if os.environ.get("PERFSHELF_SERVER") else ["--data", get("DATA", os.path.abspath(".perfshelf"))]


def series_name():
    number = pull_request()[1]
    return get("SERIES", f"pull-{number}" if number else os.environ.get("GITHUB_REF_NAME") or os.environ.get("CI_COMMIT_REF_NAME") or "ci")


def record(program, folders):
    command = get("COMMAND")
    words = [program, "record", "ab", *shelf_options(), "--base", get("BASE_COMMAND", command), "--new", get("NEW_COMMAND", command)]
    words += ["--base-dir", folders[0], "--new-dir", folders[1], "--series", series_name(), "--pairs", get("PAIRS", "20"),
              "--warmup", get("WARMUP", "1"), "--recorder", get("RECORDER", "time")]
    if get("METRIC"):
        words += ["--metric", get("METRIC")]
    words += [f"--tag={tag}" for tag in shlex.split(get("TAGS"))]
    done = run(words)
    if done.returncode:
        raise Failure(f"recording failed with status {done.returncode}")


def check(program):
    """(status, Markdown)"""
    series, pairs = series_name(), get("PAIRS", "20")
    words = [program, "check", *shelf_options(), f"series:{series}/new@{pairs}", "--against", f"series:{series}/base@{pairs}",
             "--fail-on", get("FAIL_ON", "+5%")]
    if get("METRIC"):
        words += ["--metric", get("METRIC")]
    done = run(words)
    if done.returncode not in (0, 1):
        raise Failure(f"perfshelf check failed with status {done.returncode}")
    markdown = run([*words, "--markdown"], stdout=subprocess.PIPE)
    if markdown.returncode != done.returncode or not markdown.stdout:
        raise Failure(f"perfshelf check --markdown failed with status {markdown.returncode}")
    return done.returncode, markdown.stdout.decode(errors="replace")


def plain(text):
    """Text of others between backticks, where it is neither Markdown nor a mention."""
    return "`" + re.sub(r"[\x00-\x1f`|\x7f-\x9f]", "?", text) + "`"


def summary_of(markdown, base, new):
    command = get("COMMAND") or get("NEW_COMMAND")
    lines = [markdown.rstrip("\n"), "", f"{plain(command)}: base {base[:12]}, new {new[:12]}, {get('PAIRS', '20')} pairs on one machine"]
    return "\n".join(lines) + "\n"


def write_summary(text):
    path = get("SUMMARY")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(text)


def prune(program):
    """Keeps the shelf of a cache small."""
    if shelf_options():
        run([program, "prune", *shelf_options(), "--keep", "400/series", "--keep", get("KEEP", "200MiB")], stdout=subprocess.DEVNULL)


def measure():
    if not get("COMMAND") and not (get("BASE_COMMAND") and get("NEW_COMMAND")):
        raise Failure("the input command is empty")
    if get("COMMENT_TOKEN"):
        raise Failure("PERFSHELF_CI_COMMENT_TOKEN is set where the code of the change runs, which could read it from the processes of the job; "
                      "give it to the job or step of `comment` only (docs/ci.md)")
    new = git("rev-parse", "--verify", "HEAD^{commit}")
    base = find_base(new)
    say(f"base {base}, new {new}")
    with tempfile.TemporaryDirectory(prefix="perfshelf-ci-", dir=os.environ.get("RUNNER_TEMP") or None) as folder:
        program = find_program(folder)
        folders = [os.path.join(folder, side) for side in ("base", "new_")]  # paths of one length
        try:
            for commit, side, path in ((base, "base", folders[0]), (new, "new", folders[1])):
                check_out(commit, path)
                build(get("BUILD"), side, path)
            record(program, [os.path.join(path, get("WORKING_DIRECTORY", ".")) for path in folders])
            status, markdown = check(program)
            prune(program)
        finally:
            for path in folders:
                run(["git", "worktree", "remove", "--force", path], stderr=subprocess.DEVNULL)
    write_summary(summary_of(markdown, base, new))
    return status


# --- Comment ---


def pull_request():
    """(project, number) of the pull request or merge request, as words of the API; None: the job is of none."""
    if os.environ.get("CI_MERGE_REQUEST_IID"):
        return os.environ.get("CI_MERGE_REQUEST_PROJECT_ID") or os.environ.get("CI_PROJECT_ID"), os.environ["CI_MERGE_REQUEST_IID"]
    if get("PULL_REQUEST"):
        return os.environ.get("GITHUB_REPOSITORY"), get("PULL_REQUEST")
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path or not os.path.isfile(path):
        return None, None
    try:
        with open(path, encoding="utf-8") as file:
            number = json.load(file).get("pull_request", {}).get("number")
    except (ValueError, AttributeError):
        number = None
    return os.environ.get("GITHUB_REPOSITORY"), str(number) if isinstance(number, int) else None


class Api:
    def __init__(self, base, headers):
        self.base, self.headers = base.rstrip("/"), headers
        self.opener = urllib.request.build_opener(NoRedirect)

    def once(self, method, url, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {**self.headers, "Content-Type": "application/json", "User-Agent": "perfshelf"}, method=method)
        with self.opener.open(request, timeout=TIMEOUT_S) as answer:
            text = answer.read(ANSWER_MAX)
            return json.loads(text) if text else None

    def ask(self, method, path, body=None):
        """The answer; repeats after an answer of 5xx or none. POST is not repeated: it may have been carried out."""
        for attempt in range(TRIES):
            try:
                return self.once(method, self.base + path, body)
            except urllib.error.HTTPError as error:
                error.close()
                hint = " (tokens of pull requests from forks cannot write)" if error.code == 403 else ""
                if error.code < 500 or method == "POST" or attempt + 1 == TRIES:
                    raise Failure(f"{method} {path.split('?')[0]}: status {error.code}{hint}") from error
            except (OSError, ValueError) as error:
                if method == "POST" or attempt + 1 == TRIES:
                    raise Failure(f"{method} {path.split('?')[0]}: {error}") from error
            time.sleep(2**attempt * float(get("PAUSE_S", "1")))
        return None

    def pages(self, path):
        for page in range(1, PAGES_MAX + 1):
            rows = self.ask("GET", f"{path}?per_page=100&page={page}")
            if not isinstance(rows, list):
                raise Failure(f"GET {path}: no list")
            yield from (row for row in rows if isinstance(row, dict))
            if len(rows) < 100:
                return


class GitHub(Api):
    ME = "github-actions[bot]"  # the author of what a job writes; its token may not ask who it is

    def __init__(self, token, project, number):
        super().__init__(os.environ.get("GITHUB_API_URL", "https://api.github.com"),
                         {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"})
        self.repository = f"/repos/{project}/issues"
        self.list, self.edit = f"{self.repository}/{number}/comments", "PATCH"

    def path_of(self, comment):
        return f"{self.repository}/comments/{comment['id']}"

    def me(self):
        try:
            return self.once("GET", self.base + "/user", None)["login"]
        except (OSError, ValueError, KeyError, TypeError):
            return get("COMMENT_AUTHOR", self.ME)

    def author_of(self, comment):
        return (comment.get("user") or {}).get("login")


class GitLab(Api):
    def __init__(self, token, project, number):
        super().__init__(os.environ.get("CI_API_V4_URL", "https://gitlab.com/api/v4"), {"PRIVATE-TOKEN": token})
        self.list, self.edit = f"/projects/{urllib.parse.quote(str(project), safe='')}/merge_requests/{number}/notes", "PUT"

    def path_of(self, comment):
        return f"{self.list}/{comment['id']}"

    def me(self):
        return self.ask("GET", "/user")["id"]

    def author_of(self, comment):
        return (comment.get("author") or {}).get("id")


def marker():
    """The first line of the comment, which is not shown; each series has a comment of its own."""
    return f"<!-- perfshelf {hashlib.sha256(series_name().encode()).hexdigest()[:16]} -->"


def write_comment(api, text):
    """Updates the comment of this series, or creates it. Comments of others are left alone, whatever they say."""
    body = f"{marker()}\n{text}"
    if len(body) > COMMENT_MAX:
        body = body[:COMMENT_MAX].rsplit("\n", 1)[0] + "\n\nThe rest is in the summary of the job.\n"
    me = api.me()
    for comment in api.pages(api.list):
        if isinstance(comment.get("id"), int) and api.author_of(comment) == me and str(comment.get("body", "")).startswith(marker()):
            api.ask(api.edit, api.path_of(comment), {"body": body})
            return "updated"
    api.ask("POST", api.list, {"body": body})
    return "created"


def read_summary():
    """None: there is none. The measured program could have replaced the file by a link, for instance to the environment with the token."""
    try:
        with open(os.open(get("SUMMARY"), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8", errors="replace") as file:
            return file.read(ANSWER_MAX) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def comment():
    token, (project, number), text = get("COMMENT_TOKEN"), pull_request(), read_summary()
    if text is None:
        say("no comment: there is no summary")
    elif not number:
        say("no comment: this job is not one of a pull request")
    elif not token:
        say("no comment: there is no token that may write one; the summary has the result")
    else:
        try:
            api = (GitLab if os.environ.get("CI_MERGE_REQUEST_IID") else GitHub)(token, project, number)
            say(f"comment {write_comment(api, text)}")
        except (Failure, KeyError, TypeError, ValueError) as error:
            say(f"no comment: {error}; the summary has the result")
    return 0


def main():
    verbs = {"measure": measure, "comment": comment}
    if len(sys.argv) != 2 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    fence = secrets.token_hex(16) if ON_GITHUB else None
    if fence:  # output of the program and of builds must not be read as commands of the runner
        print(f"::stop-commands::{fence}", flush=True)
    try:
        status = verbs[sys.argv[1]]()
    except Failure as error:
        say(error)
        status = 2
    finally:
        if fence:
            print(f"\n::{fence}::", flush=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
