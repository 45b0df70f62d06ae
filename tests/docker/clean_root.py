# SPDX-License-Identifier: MIT
"""Clean Debian roots made by debootstrap in place of the images that a Dockerfile starts from, and its steps in them.

Under build/docker lies what a second run takes up again: the bare system as a tar file, packages of Debian. What network this machine has is what the steps have: its mirror, proxies and certificates.
"""
import contextlib
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import dockerfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, "build", "docker")
CONTAINER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "container.py")
SUITES = {"12": "bookworm"}  # tag of the image debian -> release
TOOLS = ("unshare", "nsenter", "mount", "tar", "curl", "busybox")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # an engine passes them too
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
TRUSTED = "/run/machine-certificates.crt"
KEPT = {"apt": "/var/cache/apt/archives"}  # folder of CACHE -> where steps find it

# What the images of Debian have and debootstrap does not leave.
SETTINGS = {
    "etc/apt/apt.conf.d/docker-clean": 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\n',
    "etc/apt/apt.conf.d/docker-no-languages": 'Acquire::Languages "none";\n',
    "etc/dpkg/dpkg.cfg.d/docker-apt-speedup": "force-unsafe-io\n",
    "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
}


def entries(text):
    """(URIs, suites, components) of each source of packages, in either of the two forms that apt reads."""
    for line in re.findall(r"^deb +(?:\[[^\]]*\] +)?(\S+) +(\S+) +(.+)$", text, re.M):
        yield [line[0]], [line[1]], line[2].split()
    for block in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^(\w[\w-]*): *(.*)$", block, re.M))
        if "deb" in fields.get("Types", "").split():
            yield fields["URIs"].split(), fields["Suites"].split(), fields.get("Components", "main").split()


def mirrors(suite):
    """Suite -> the URI from which this machine installs it; {} where it installs no Debian of that release."""
    found = {}
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                for uris, suites, components in entries(file.read()):
                    if "main" in components:
                        found.update((name, uris[0].rstrip("/")) for name in suites)
    if suite not in found:
        return {}
    return {suite: found[suite], f"{suite}-updates": found.get(f"{suite}-updates", found[suite])} | (
        {f"{suite}-security": found[f"{suite}-security"]} if f"{suite}-security" in found else {})


def lacking_namespaces():
    """Why nothing can run in a root of its own here, or None."""
    if os.geteuid() != 0:
        return "chroot needs root"
    tools = [tool for tool in TOOLS if not shutil.which(tool)]
    if tools:
        return f"not installed: {', '.join(tools)}"
    may = subprocess.run(["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--mount-proc", "true"],
                         capture_output=True, text=True, check=False)
    if may.returncode:
        return f"no namespaces of its own here: {may.stderr.strip()}"
    return None


def lacking(suite="bookworm"):
    """Why no clean root of Debian can be made here, or None."""
    if why := lacking_namespaces():
        return why
    if not shutil.which("debootstrap"):
        return "not installed: debootstrap"
    if not mirrors(suite):
        return f"this machine does not install from Debian's {suite}"
    url = f"{mirrors(suite)[suite]}/dists/{suite}/InRelease"
    try:
        urllib.request.urlopen(url, timeout=30).close()
    except (OSError, urllib.error.URLError) as error:
        return f"no network: {url}: {error}"
    return None


@contextlib.contextmanager
def told(what):
    """Says how long it took."""
    began = time.monotonic()
    yield
    print(f"   {time.monotonic() - began:4.0f} s  {what[:100]}", flush=True)


def write_all(folder, files):
    for path, content in files.items():
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(os.path.join(folder, path), 0o755 if content.startswith("#!") else 0o644)


def bare_system(suite):
    """The tar file of a bare system, made where it is not there yet."""
    where = mirrors(suite)
    sources = "".join(f"deb {uri} {name} main\n" for name, uri in where.items())
    tar = os.path.join(CACHE, f"{suite}-{hashlib.sha256(json.dumps([sources, SETTINGS]).encode()).hexdigest()[:12]}.tar")
    if os.path.exists(tar):
        return tar
    folder = os.path.join(CACHE, "bare")
    shutil.rmtree(folder, ignore_errors=True)
    for old in glob.glob(os.path.join(CACHE, f"{suite}-*.tar*")):
        os.unlink(old)
    certificates = ["--include=ca-certificates"] if "https:" in sources else []
    with told(f"debootstrap {suite} from {where[suite]}"):
        done = subprocess.run(["debootstrap", "--variant=minbase", *certificates, suite, folder, where[suite]],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"debootstrap failed:\n{done.stdout[-3000:]}{done.stderr}")
        write_all(folder, {**SETTINGS, "etc/apt/sources.list": sources})
        for path in ("var/cache/apt", "var/lib/apt/lists", "var/log"):
            for name in os.listdir(os.path.join(folder, path)):
                subprocess.run(["rm", "-rf", os.path.join(folder, path, name)], check=True)
        subprocess.run(["tar", "-C", folder, "-cf", tar + ".part", "."], check=True)
    os.rename(tar + ".part", tar)
    shutil.rmtree(folder)
    return tar


class Root:
    """The files of one image while it is made, and what the steps have said of it."""

    def __init__(self, name, base):
        self.path = os.path.join(CACHE, name)
        self.workdir = "/"
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        if base == "scratch":
            return
        image, _, number = base.partition(":")
        if image != "debian" or number not in SUITES:
            raise ValueError(f"these tests know scratch and debian:12, not {base}")
        subprocess.run(["tar", "-C", self.path, "-xpf", bare_system(SUITES[number])], check=True)

    def at(self, path):
        """Where a path of the image, or one relative to its WORKDIR, lies on this machine."""
        return os.path.join(self.path, os.path.normpath(os.path.join(self.workdir, path)).lstrip("/"))

    def bytes(self):
        """What its files take, as a layer counts them."""
        seen = set()
        for folder, _, names in os.walk(self.path):
            for name in names:
                of = os.lstat(os.path.join(folder, name))
                seen.add((of.st_ino, of.st_size))
        return sum(size for _, size in seen)

    def run(self, text):
        binds = [["/etc/resolv.conf", "/etc/resolv.conf"], ["/etc/hosts", "/etc/hosts"]]
        env = {"PATH": dockerfile.PATH, "HOME": "/root", **{k: os.environ[k] for k in PROXIES if k in os.environ}}
        for folder, path in KEPT.items():
            os.makedirs(os.path.join(CACHE, folder), exist_ok=True)
            binds.append([os.path.join(CACHE, folder), path])
        trusted = os.environ.get("SSL_CERT_FILE", CERTIFICATES)
        if os.path.exists(trusted):
            binds.append([trusted, TRUSTED])
            env["SSL_CERT_FILE"] = TRUSTED
        with told(f"RUN {text}"):
            done = subprocess.run(entering(self, ["/bin/sh", "-c", text], env=env, binds=binds, network="host"),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise AssertionError(f"RUN {text}\nended with {done.returncode}:\n{done.stdout.decode(errors='replace')[-6000:]}")

    def copy(self, sources, target, origin):
        """COPY: `origin` is the Root to take from, or None for the build's context."""
        into = self.at(target)
        for source in sources:
            if origin is None and os.path.isdir(os.path.join(ROOT, source)):
                patterns = dockerfile.ignore_patterns(os.path.join(ROOT, "docker/Dockerfile.dockerignore"))
                names = dockerfile.context_files(os.path.join(ROOT, source), patterns)
                pairs = [(os.path.join(ROOT, source, name), os.path.join(into, name)) for name in names]
            elif origin and os.path.isdir(origin.at(source)):
                subprocess.run(["cp", "-a", f"{origin.at(source)}/.", into], check=True)
                pairs = []
            else:
                place = origin.at(source) if origin else os.path.join(ROOT, source)
                pairs = [(place, os.path.join(into, os.path.basename(source)) if target.endswith(("/", ".")) else into)]
            for place, to in pairs:
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy2(place, to, follow_symlinks=False)


def entering(root, argv, *, env, user=None, network="own", read_only=False, tmpfs=(), volumes=(), binds=(), drop=False,
             no_new_privileges=False, without_landlock=False):
    """The command line that runs argv as the first process of a container over the root; see container.py."""
    given = {"root": root.path, "argv": argv, "env": env, "workdir": root.workdir, "user": user, "network": network,
             "read_only": read_only, "tmpfs": tmpfs, "volumes": volumes, "binds": binds, "drop": drop,
             "no_new_privileges": no_new_privileges, "without_landlock": without_landlock}
    own = ["--net"] if network == "own" else []
    return ["unshare", "--mount", "--pid", "--ipc", "--uts", *own, "--fork", "--kill-child", sys.executable, CONTAINER,
            json.dumps(given)]


def build(path):
    """Every stage of a Dockerfile. Returns the last Stage and its Root, whose files the caller removes."""
    os.makedirs(CACHE, exist_ok=True)
    roots = {}
    for stage in dockerfile.stages(path):
        root = roots[stage.base] if stage.base in roots else Root(stage.name or "final", stage.base)
        roots[stage.name] = root
        for kind, *what in stage.steps:
            if kind == "workdir":
                root.workdir = what[0]
                os.makedirs(root.at(""), exist_ok=True)
            elif kind == "copy":
                root.copy(what[1], what[2], roots[what[0]] if what[0] else None)
            else:
                root.run(what[0])
    for other in {id(one): one for one in roots.values() if one is not root}.values():
        shutil.rmtree(other.path)
    return stage, root
