#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packages of Debian, each checked against its hash in packaging/pins.txt.

    debian.py fetch FOLDER ARCHITECTURE   downloads the sources in pins.txt, and the packages for x86_64 or aarch64, that are not in FOLDER
    debian.py pin                         replaces the versions and hashes in pins.txt by the newest that the mirror has
    debian.py mirror                      prints the URL of the mirror, for debootstrap

The mirror is the one that apt of this machine uses for Debian; apt checks its signatures. Other releases of Debian are on the
same mirror, so apt gets lists of its own, in a temporary folder.
"""
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

PINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pins.txt")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # of a machine -> in Debian
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fail(text):
    sys.exit(f"debian.py: {text}")


def read_pins():
    """Rows of pins.txt: release, "deb" or "dsc", package, version, SHA-256 of the .deb or the .dsc. A .dsc has the hashes of its sources.
    A .deb is named with its architecture, such as libc6:arm64."""
    with open(PINS, encoding="ascii") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def pins_for(architecture):
    """The rows that a program for x86_64 or aarch64 is built from."""
    return [row for row in read_pins() if row[1] == "dsc" or row[2].endswith(f":{ARCHITECTURES[architecture]}")]


def mirrors():
    """URL of the archive and of the security updates, as apt of this machine has them."""
    with open("/etc/os-release", encoding="utf-8") as file:
        release = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
    if not release:
        fail("this machine is not a release of Debian. Run ./dev package on Debian 12.")
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
                            capture_output=True, text=True, check=True).stdout
    found = dict(line.split(" ", 1) for line in reversed(listed.splitlines()))
    try:
        return found[release[1]], found[f"{release[1]}-security"]
    except KeyError as missing:
        fail(f"apt of this machine has no source for {missing}. Add it to /etc/apt/sources.list.")


class Apt:
    """apt with lists of its own, of one release with its security updates."""

    def __init__(self, release, folder):
        archive, security = mirrors()
        os.makedirs(os.path.join(folder, "lists", "partial"))
        os.makedirs(os.path.join(folder, "cache", "archives", "partial"))
        sources = os.path.join(folder, "sources.list")
        options = f"arch={','.join(ARCHITECTURES.values())} signed-by={KEYS}"
        with open(sources, "w", encoding="utf-8") as file:
            for kind in ("deb", "deb-src"):
                file.write(f"{kind} [{options}] {archive} {release} main\n")
                file.write(f"{kind} [{options}] {security} {release}-security main\n")
        config = os.path.join(folder, "apt.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'Dir::Etc::sourcelist "{sources}";\nDir::Etc::sourceparts "/dev/null";\nDir::State::lists "{folder}/lists";\n'
                       f'Dir::State::status "/dev/null";\nDir::Cache "{folder}/cache";\nDir::Etc::preferencesparts "/dev/null";\n'
                       f'APT::Architectures {{ {" ".join(f"{name!r};" for name in ARCHITECTURES.values())} }};\n'
                       'APT::Sandbox::User "";\nAcquire::Languages "none";\nAcquire::Check-Valid-Until "false";\n')
        self.environment = {**os.environ, "APT_CONFIG": config, "LC_ALL": "C"}
        self.run("apt-get", "update", "-q")

    def run(self, *command, folder="."):
        done = subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise LookupError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def versions(self, kind, package):
        """Versions of the package, the newest first."""
        index = "Packages" if kind == "deb" else "Sources"
        rows = [line.split("|") for line in self.run("apt-cache", "madison", package).splitlines()]
        return list(dict.fromkeys(row[1].strip() for row in rows if row[2].strip().endswith(index)))

    def download(self, kind, package, version, folder):
        """Returns the path of the .deb or .dsc. The folder is empty before."""
        options = ("download",) if kind == "deb" else ("source", "--download-only")
        self.run("apt-get", "-q", *options, f"{package}={version}", folder=folder)
        return glob.glob(f"{folder}/*.{kind}")[0]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def by_release(rows):
    for release in dict.fromkeys(row[0] for row in rows):
        with tempfile.TemporaryDirectory() as folder:
            yield Apt(release, folder), [row for row in rows if row[0] == release]


def fetch(folder, architecture):
    """Leaves PACKAGE.deb and SOURCE.dsc, each in a folder of its hash, so that a changed pin is a new download."""
    missing = [row for row in pins_for(architecture) if not glob.glob(f"{folder}/{row[4]}/*.{row[1]}")]
    for apt, rows in by_release(missing):
        for _, kind, package, version, expected in rows:
            with tempfile.TemporaryDirectory(dir=folder) as part:
                path = apt.download(kind, package, version, part)
                if sha256(path) != expected:
                    fail(f"{os.path.basename(path)} has another SHA-256 than in packaging/pins.txt. Do not use this mirror.")
                os.chmod(part, 0o755)
                os.rename(part, os.path.join(folder, expected))
                os.mkdir(part)  # which the end of the block removes
            print(f"   {package} {version}", flush=True)


def newest(apt, kind, package):
    """Version and hash of the newest that can be downloaded: the lists of a mirror may be ahead of its files."""
    for version in apt.versions(kind, package):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return version, sha256(apt.download(kind, package, version, folder))
            except LookupError as error:
                print(f"   {error}", file=sys.stderr)
    fail(f"the mirror has no {kind} of {package}")


def pin():
    with open(PINS, encoding="ascii") as file:
        lines = file.read().splitlines()
    pinned = {}
    for apt, rows in by_release(read_pins()):
        for release, kind, package, *_ in rows:
            line = " ".join([release, kind, package, *newest(apt, kind, package)])
            pinned[release, kind, package] = line
            print(f"   {line}", flush=True)
    with open(PINS, "w", encoding="ascii") as file:
        file.writelines(pinned.get(tuple(line.split()[:3]), line) + "\n" for line in lines)


def main(words):
    if words[:1] == ["fetch"] and len(words) == 3 and words[2] in ARCHITECTURES:
        os.makedirs(words[1], exist_ok=True)
        fetch(*words[1:])
    elif words == ["pin"]:
        pin()
    elif words == ["mirror"]:
        print(mirrors()[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except LookupError as error:
        fail(error)
