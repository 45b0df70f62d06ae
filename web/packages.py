#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into web/node_modules what web/package-lock.json lists, each package checked against its hash there.

    packages.py           everything
    packages.py --build   only what the build of the page needs, not what its checks and tests need

Does what `npm ci` does for a lock file of version 3, without npm: Debian's npm brings 350 packages of its own. No script of a package is run.
The registry is the one that npm is configured for ($npm_config_registry, or `registry=` in ~/.npmrc), else npm's own.
"""
import argparse
import base64
import concurrent.futures
import hashlib
import io
import json
import os
import platform
import re
import shutil
import ssl
import sys
import tarfile
import urllib.request

WEB = os.path.dirname(os.path.abspath(__file__))
MODULES = os.path.join(WEB, "node_modules")
STATE = os.path.join(MODULES, ".installed")
BUILD_TOOLS = ("esbuild",)  # the development package that the build needs; what it needs follows
CPU = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), platform.machine())
SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def registry():
    configured = os.environ.get("npm_config_registry") or os.environ.get("NPM_CONFIG_REGISTRY")
    user_config = os.path.expanduser("~/.npmrc")
    if not configured and os.path.exists(user_config):
        with open(user_config, encoding="utf-8") as file:
            lines = re.findall(r"^registry\s*=\s*(\S+)", file.read(), re.M)
        configured = lines[-1] if lines else None
    return (configured or "https://registry.npmjs.org").rstrip("/")


def fits_this_machine(package):
    return all(value in package.get(key, [value]) for key, value in (("os", sys.platform), ("cpu", CPU)))


def locked_packages(build_only):
    """Path in node_modules -> entry of the lock file."""
    with open(os.path.join(WEB, "package-lock.json"), encoding="utf-8") as file:
        locked = json.load(file)["packages"]
    root = locked.pop("")
    fitting = {path: package for path, package in locked.items() if fits_this_machine(package)}
    if not build_only:
        return fitting
    wanted, queue = {}, [*root["dependencies"], *BUILD_TOOLS]
    while queue:
        path = f"node_modules/{queue.pop()}"
        if path in fitting and path not in wanted:
            package = wanted[path] = fitting[path]
            queue += [*package.get("dependencies", {}), *package.get("optionalDependencies", {})]
    return wanted


def download(url, context):
    for attempt in (1, 2, 3):
        try:
            with urllib.request.urlopen(url, timeout=60, context=context) as answer:
                return answer.read()
        except OSError as error:
            if attempt == 3:
                sys.exit(f"packages.py: {url}: {error}. Check the network, or set npm_config_registry to a registry that this machine reaches.")


def check_hash(url, data, integrity):
    algorithm, _, expected = integrity.split()[0].partition("-")
    if base64.b64encode(hashlib.new(algorithm, data).digest()).decode() != expected:
        sys.exit(f"packages.py: {url}: its {algorithm} hash differs from package-lock.json. Do not use this registry.")


def unpack(data, folder):
    """A package's files, without the top folder of its archive. Links are left out, as npm does."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            path = os.path.normpath(member.name.partition("/")[2])
            if not member.isfile() or path.startswith(("..", "/")):
                continue
            target = os.path.join(folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file)
            os.chmod(target, 0o755 if member.mode & 0o111 else 0o644)


def install(path, package, context):
    name = path.rpartition("node_modules/")[2]
    url = f"{registry()}/{name}/-/{name.rpartition('/')[2]}-{package['version']}.tgz"
    data = download(url, context)
    check_hash(url, data, package["integrity"])
    unpack(data, os.path.join(WEB, path))
    return f"{name} {package['version']}"


def wanted_state(packages):
    return json.dumps({path: package["integrity"] for path, package in sorted(packages.items())}, indent=1)


def installed_state():
    if not os.path.exists(STATE):
        return {}
    with open(STATE, encoding="utf-8") as file:
        return json.load(file)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", action="store_true")
    packages = locked_packages(options.parse_args().build)
    state = wanted_state(packages)
    if json.loads(state).items() <= installed_state().items():
        return
    shutil.rmtree(MODULES, ignore_errors=True)
    os.makedirs(MODULES)
    context = ssl.create_default_context()  # trusts $SSL_CERT_FILE where it is set
    if os.path.exists(SYSTEM_CERTIFICATES):
        context.load_verify_locations(SYSTEM_CERTIFICATES)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(install, path, package, context) for path, package in packages.items()]
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            print(f"   {number} of {len(jobs)}  {job.result()}", flush=True)
    with open(STATE, "w", encoding="utf-8") as file:
        file.write(state)


if __name__ == "__main__":
    main()
