# SPDX-License-Identifier: MIT
"""check.py [TEST...]: the tests of the package against the libraries of the build, as part of make check. Without cffi,
Python.h or shared libraries it is skipped. Tests are names for unittest, such as test_fleet.Threads."""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "tests"), str(HERE)]
import common
import quick

try:
    import native
except ImportError:
    common.skip("the Python package needs cffi")


def build(package):
    """A package whose compiled part links the libraries of the build; all else is that of the tree."""
    python = sysconfig.get_paths()["include"]
    if not pathlib.Path(python, "Python.h").exists():
        common.skip("the Python package needs Python.h (python3-dev)")
    libraries = [common.shared_library(name) for name in ("librebalance-simulation", "librebalance-manifest",
                                                          "librebalance")]
    if "__asan_" in common.output([*common.NM, "-D", "--undefined-only", libraries[-1]]):
        print("skip: Python and a library with sanitizers")
        sys.exit(77)
    package.mkdir()
    for path in (HERE / "src/librebalance").iterdir():
        (package / path.name).symlink_to(path)
    source = native.write_source(package.parent, common.CC, [common.INCLUDE])
    macros = [f"-D{name}={value}" for name, value in native.LIMITED_MACROS]
    common.output([*common.CC, "-O1", "-shared", "-fPIC", "-w", *macros, f"-I{common.INCLUDE}", f"-I{python}", source,
                   "-o", package / "_native.abi3.so", *libraries, f"-Wl,-rpath,{libraries[0].parent}"])


def main():
    with tempfile.TemporaryDirectory() as name:
        build(pathlib.Path(name, "librebalance"))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([name, str(HERE / "tests")]),
                       "PYTHONDONTWRITEBYTECODE": "1", "LIBREBALANCE_VECTORS": str(common.SOURCE / "tests/vectors"),
                       "LIBREBALANCE_README": str(HERE / "README.md"),
                       # What C still reads after Python freed it has changed.
                       "PYTHONMALLOC": "debug", "MALLOC_PERTURB_": "85"}
        options = ("-X", "faulthandler", "-W", "error::ResourceWarning", "-m", "unittest", "-q")
        done = subprocess.run([sys.executable, *options, *(sys.argv[1:] or quick.TESTS)], env=environment, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
