# SPDX-License-Identifier: MIT
"""The example controllers: built from the installed sources, and run as processes of a test."""
import fcntl
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import common
from client import path, wait_for

STOP_SECONDS = 10
SOURCES = common.SOURCE / "examples/controllers"
SANITIZE = bool(os.environ.get("LIBREBALANCE_E2E_SANITIZE"))  # for every test
SANITIZERS = ("CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer",
              "LDFLAGS=-fsanitize=address,undefined")


@functools.lru_cache(maxsize=None)
def install():
    """Installs the libraries into a temporary folder, and returns it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="librebalance-controllers-"))
    run("make", "-C", common.BUILD, "install", f"prefix={folder / 'prefix'}", log=folder / "install.log")
    return folder


@functools.lru_cache(maxsize=None)
def build(sanitize=SANITIZE):
    """
    Builds the controllers with the installed libraries, found by pkg-config. Processes may call it at the same time.
    Returns their folder.
    """
    folder = install() / ("sanitized" if sanitize else "controllers")
    with open(install() / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
        run("make", "-C", folder, *(SANITIZERS if sanitize else ()), log=folder / "build.log",
            PKG_CONFIG_PATH=str(install() / "prefix/lib/pkgconfig"))
    return folder


def environment():
    """Returns the environment in which programs find the installed libraries."""
    prefix = install() / "prefix"
    return {**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib"), "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}


def run(*command, log, **environment):
    """Runs a command with its output in a file; an error shows its last lines. Its time does not count for the test."""
    left = signal.alarm(0)
    with open(log, "w", encoding="utf-8") as output:
        done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, check=False,
                              stdout=output, stderr=subprocess.STDOUT)
    signal.alarm(left)
    if done.returncode != 0:
        raise RuntimeError("\n".join([" ".join(str(word) for word in command),
                                      *log.read_text(errors="replace").splitlines()[-20:]]))


def remove():
    """Removes what install() and build() made, if they did."""
    if install.cache_info().currsize:
        shutil.rmtree(install(), ignore_errors=True)


class Controller:
    """A running controller, with sanitizers if requested; its log is among those of its control plane."""

    def __init__(self, name, plane, user, *arguments, variables=None, sanitize=False, folder=None):
        folder = folder or (build(True) if sanitize else build())
        self._log = plane.log(name)
        self._begin = len(self._log.read_text(errors="replace")) if self._log.exists() else 0
        with open(self._log, "ab") as log:
            command = [str(folder / name), "--kubeconfig", plane.kubeconfig(user), *arguments]
            self._process = subprocess.Popen(command, env={**environment(), **(variables or {})}, stdout=log,
                                             stderr=log)

    def peak_memory(self):
        """Returns its peak memory in MiB."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB$", status, re.M)[1]) / 1024

    def port(self, page):
        """Waits until it serves a page at a port chosen by the system, and returns the port."""
        found = wait_for(f"a server of {page}", lambda: self._process.poll() is not None or re.search(
            rf"serving {page} at [^ ]*:([0-9]+)\n", self._log.read_text(errors="replace")[self._begin:]))
        assert found is not True, f"ended with status {self._process.returncode}"
        return int(found[1])

    def signal(self, number):
        self._process.send_signal(number)

    def kill(self):
        """Ends it with SIGKILL."""
        self._process.kill()
        self._process.wait()

    def wait(self, seconds):
        """Returns its exit status when it has ended by itself."""
        return self._process.wait(seconds)

    def stop(self):
        """Ends it with SIGTERM, and returns its exit status."""
        self._process.terminate()
        try:
            return self._process.wait(STOP_SECONDS)
        finally:
            self.kill()


def start(case, name, user="controllers", plane=None, *arguments, variables=None, folder=None):
    """Starts a controller of build() or of a folder. It ends with the test, which fails if its exit status is not 0."""
    controller = Controller(name, plane or case.plane, user, *arguments, variables=variables, folder=folder)
    case.at_end(lambda: end(controller, name))
    return controller


def end(controller, name):
    status = controller.stop()
    assert status == 0, f"{name} ended with status {status}"


def holder(case, name):
    """Returns the holder of the test's Lease of that name; "" or False if there is none."""
    status, found = case.admin.request("GET", path("Lease", case.namespace, name))
    return status == 200 and found["spec"].get("holderIdentity")
