# SPDX-License-Identifier: MIT
"""A stand-in for the machine that runs a job: it executes the steps of ci/github/action.yml as GitHub's runner does (expressions, files of
the environment, `shell: bash`, a cache), and the script of a GitLab job. What it does not know is an error, so the files cannot use more."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from built import PROGRAM  # noqa: E402

ACTION = os.path.join(ROOT, "ci", "github", "action.yml")
GITLAB = os.path.join(ROOT, "ci", "gitlab", "perfshelf.yml")
TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(==|!=|&&|\|\||!|\(|\))|([A-Za-z_][\w-]*(?:\.[\w-]+)*)(\(\))?)")
OPERATORS = {"&&": " and ", "||": " or ", "!": " not "}


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


class Expressions:
    def __init__(self, contexts):
        self.contexts, self.failed = contexts, False

    def lookup(self, name):
        value = self.contexts
        for part in name.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value

    def evaluate(self, text):
        source, at = "", 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"expression: {text}")
            at = match.end()
            string, operator, name, call = match.groups()
            if string:
                source += repr(string[1:-1].replace("''", "'"))
            elif operator:
                source += OPERATORS.get(operator, operator)
            elif call:
                source += {"always": "True", "success": str(not self.failed), "failure": str(self.failed), "cancelled": "False"}[name]
            else:
                source += repr(self.lookup(name))
        return eval(source, {"__builtins__": {}})  # noqa: S307: of the lines above

    def fill(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(self.evaluate(match[1])), str(text))

    def holds(self, condition):
        if condition is None:
            return not self.failed
        text = condition.strip()
        text = text[3:-2] if text.startswith("${{") else text
        has_status = re.search(r"\b(always|success|failure|cancelled)\(\)", text)
        return bool(self.evaluate(text)) and (bool(has_status) or not self.failed)


class Job:
    """A job of a pull request in `checkout`. Its folder is kept from job to job, and so is the cache."""

    def __init__(self, folder, checkout, api, number=7, token="secret-comment-token"):
        self.folder, self.checkout, self.token, self.runs = folder, checkout, token, 0
        self.event = os.path.join(folder, "event.json")
        os.makedirs(folder, exist_ok=True)
        with open(self.event, "w", encoding="utf-8") as file:
            json.dump({"pull_request": {"number": number}} if number else {}, file)
        copy = os.path.join(folder, "actions")  # a measured program may write to the files of the action
        if not os.path.exists(copy):
            shutil.copytree(os.path.join(ROOT, "ci"), copy)
        self.github = {"token": token, "ref_name": f"{number}/merge", "run_attempt": "1", "action_path": os.path.join(copy, "github"),
                       "event": {"pull_request": {"number": number}} if number else {}}
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.join(folder, "home"), "GITHUB_ACTIONS": "true", "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": "team/app", "GITHUB_EVENT_PATH": self.event, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main",
            "GITHUB_REF_NAME": f"{number}/merge", "PERFSHELF_CI_PAUSE_S": "0.01", "PERFSHELF_CI_TIMEOUT_S": "5", "LC_ALL": "C.UTF-8"}
        os.makedirs(self.environment["HOME"], exist_ok=True)

    def cache(self, step, expressions, temp):
        """actions/cache: restores what was saved last under a key with the prefix. Returns what saves."""
        given = {key: expressions.fill(value) for key, value in step["with"].items()}
        saved = sorted(glob.glob(os.path.join(self.folder, "cache", given["restore-keys"].replace("/", "_") + "*")), key=os.path.getmtime)
        if saved:
            shutil.copytree(saved[-1], given["path"], dirs_exist_ok=True)

        def save():
            if os.path.isdir(given["path"]):
                shutil.copytree(given["path"], os.path.join(self.folder, "cache", given["key"].replace("/", "_")))
        return save

    def action(self, **inputs):
        """(status, log, summary) of one use of the action."""
        action = load(ACTION)
        self.runs += 1
        temp = os.path.join(self.folder, f"temp{self.runs}")
        os.makedirs(temp)
        contexts = {"github": {**self.github, "run_id": str(self.runs)}, "runner": {"temp": temp}, "steps": {}, "inputs": {}}
        expressions = Expressions(contexts)
        unknown = {name for name in inputs if name.replace("_", "-") not in action["inputs"]}
        assert not unknown, unknown
        for name, about in action["inputs"].items():
            given = inputs.get(name.replace("-", "_"))
            assert given is not None or not about.get("required"), name
            contexts["inputs"][name] = str(given) if given is not None else expressions.fill(about.get("default", ""))
        summary, log, status, later, chosen = os.path.join(temp, "step-summary"), "", 0, [], {}
        for number, step in enumerate(action["runs"]["steps"]):
            assert set(step) <= {"id", "if", "shell", "env", "run", "uses", "with"}, set(step)
            if not expressions.holds(step.get("if")):
                continue
            if "uses" in step:
                assert re.fullmatch(r"actions/cache@[0-9a-f]{40}", step["uses"]), step["uses"]
                later.append(self.cache(step, expressions, temp))
                continue
            shell = {"bash": "bash --noprofile --norc -eo pipefail {0}"}.get(step["shell"], step["shell"])
            assert shell.endswith("bash --noprofile --norc -eo pipefail {0}"), shell
            files = {name: os.path.join(temp, f"{number}.{name}") for name in ("GITHUB_ENV", "GITHUB_PATH")}
            for path in files.values():
                open(path, "w").close()
            script, output = os.path.join(temp, f"{number}.sh"), os.path.join(temp, f"{number}.output")
            with open(script, "w", encoding="utf-8") as file:
                file.write(expressions.fill(step["run"]))
            open(output, "w").close()
            environment = {**self.environment, **chosen, **files, "GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": summary, "RUNNER_TEMP": temp,
                           **{key: expressions.fill(value) for key, value in step.get("env", {}).items()}}
            done = subprocess.run([word.replace("{0}", script) for word in shell.split()], cwd=self.checkout, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
            log += done.stdout.decode(errors="replace")
            if done.returncode:
                status, expressions.failed = status or done.returncode, True
            with open(output, encoding="utf-8") as file:
                contexts["steps"][step.get("id", "")] = {"outputs": dict(line.rstrip("\n").split("=", 1) for line in file)}
            with open(files["GITHUB_ENV"], encoding="utf-8") as file:
                chosen.update(line.rstrip("\n").split("=", 1) for line in file)
            with open(files["GITHUB_PATH"], encoding="utf-8") as file:
                chosen["PATH"] = ":".join([*file.read().split("\n")[:-1], chosen.get("PATH", self.environment["PATH"])])
        for save in later:
            save()
        text = ""
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as file:
                text = file.read()
        return status, log, text


def gitlab(folder, checkout, api, base, number=7, token="secret-comment-token", **variables):
    """(status, log) of both jobs of ci/gitlab/perfshelf.yml, with the file of the artifact between them. The status is that of the first."""
    jobs, log, statuses = load(GITLAB), "", []
    artifact = os.path.join(checkout, "perfshelf-summary.md")
    for name in (".perfshelf", ".perfshelf-comment"):
        job = jobs[name]
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "CI_PROJECT_DIR": checkout, "CI_API_V4_URL": api, "CI_PROJECT_ID": "12",
                       "CI_MERGE_REQUEST_IID": str(number), "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "PERFSHELF_CI_PAUSE_S": "0.01", "LC_ALL": "C.UTF-8"}
        if job.get("environment", {}).get("name") == "perfshelf-comment":  # the scope of the variable
            environment["PERFSHELF_CI_COMMENT_TOKEN"] = token
        given = {**jobs[job["extends"]]["variables"], **job["variables"], "PERFSHELF_CI_SCRIPT": os.path.join(ROOT, "ci", "perfshelf_ci.py"), **variables}
        for key, value in given.items():
            environment[key] = re.sub(r"\$(\w+)", lambda match: environment.get(match[1], ""), str(value))
        where = checkout
        if environment.get("GIT_STRATEGY") == "none":  # another machine, which has the artifact only
            where = os.path.join(folder, "second")
            shutil.rmtree(where, ignore_errors=True)
            os.mkdir(where)
            environment["CI_PROJECT_DIR"], environment["PERFSHELF_CI_SUMMARY"] = where, os.path.join(where, "perfshelf-summary.md")
            if os.path.lexists(artifact):
                shutil.copy(artifact, where, follow_symlinks=False)
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], cwd=where, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
        statuses.append(done.returncode)
        log += done.stdout.decode(errors="replace")
    assert statuses[1] == 0, log
    return statuses[0], log
