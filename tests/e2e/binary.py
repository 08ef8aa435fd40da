# SPDX-License-Identifier: MIT
"""Finds the program of ctrlplane/ in the cache folder, or builds it there."""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "ctrlplane"
OLDEST_GO = (1, 26)  # as in go.mod
BUILD_SECONDS = 1800


def cache_folder():
    named = os.environ.get("LIBREBALANCE_E2E_CACHE")
    caches = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(named or pathlib.Path(caches) / "librebalance-e2e")


def go_version():
    """Returns the version of go, such as "go1.26.0". Ends the run if go is missing or too old."""
    wanted = "tests/e2e needs go {}.{} or later, which".format(*OLDEST_GO)
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    try:
        # An old go fails in a folder whose go.mod requires a newer one.
        version = subprocess.run(["go", "env", "GOVERSION"], cwd="/", env=environment, text=True,
                                 stdout=subprocess.PIPE, check=True).stdout.strip()
    except FileNotFoundError:
        sys.exit(f"{wanted} is not installed")
    except subprocess.CalledProcessError:
        sys.exit(f"{wanted} fails: go env GOVERSION")
    found = re.search(r"go(\d+)\.(\d+)", version)
    if not found or (int(found[1]), int(found[2])) < OLDEST_GO:
        sys.exit(f"{wanted} is not installed: found {version}")
    return version


def build_command(target):
    """Returns the command that builds the program. Clients see the version of Kubernetes, which only flags set."""
    version = re.search(r"^\tk8s\.io/kubernetes (v(\d+)\.(\d+)\.\d+)$", (SOURCE / "go.mod").read_text(), re.M)
    names = {"gitVersion": version[1], "gitMajor": version[2], "gitMinor": version[3]}
    flags = [f"-X k8s.io/component-base/version.{name}={value}" for name, value in names.items()]
    return ["nice", "-n", "10", "go", "build", "-p", "2", "-trimpath", "-ldflags", " ".join(["-s -w", *flags]),
            "-o", str(target), "."]


def build_key(version):
    """Returns a hash of all inputs of the program."""
    digest = hashlib.sha256(f"{version}\n{build_command('')}\n".encode())
    for path in sorted([SOURCE / "go.mod", SOURCE / "go.sum", *SOURCE.glob("*.go")]):
        text = path.read_bytes()
        digest.update(f"{path.name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def run_build(command, environment):
    """Runs the build. If it takes too long or is interrupted, go and its compilers are killed."""
    with subprocess.Popen(command, cwd=SOURCE, env=environment, start_new_session=True) as process:
        try:
            code = process.wait(BUILD_SECONDS)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if code:
        sys.exit(f"building {SOURCE} failed: exit {code}")


def build(folder, target):
    """Builds the program. Compiled packages take 3 GiB and are removed afterwards, unless GOCACHE names a folder."""
    print(f"building {target}: 5 minutes on 2 idle cores, longer on busy ones", flush=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix="build-", dir=folder))
    try:
        environment = {"GOCACHE": str(work / "objects"), **os.environ, "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
        run_build(build_command(work / "ctrlplane"), environment)
        target.parent.mkdir(exist_ok=True)
        (work / "ctrlplane").rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def find():
    """Returns the path of the program. Concurrent runs wait for one build."""
    ready = os.environ.get("LIBREBALANCE_E2E_BIN")
    if ready:
        if not os.access(ready, os.X_OK):
            sys.exit(f"LIBREBALANCE_E2E_BIN={ready}: expected a program")
        return pathlib.Path(ready).resolve()
    folder = cache_folder()
    target = folder / build_key(go_version()) / "ctrlplane"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            build(folder, target)
    return target
